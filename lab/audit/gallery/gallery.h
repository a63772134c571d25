// Counterexamples that anybody can run: a law, what is asked, a published way to set the noise, the loss it claims, and
// the loss it has. The files are in examples/counterexamples; docs/guide/audit.md describes the format.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/exact/exact_law.h"
#include "published/listed_law.h"

namespace kith::audit {

/// A part of a question: a function of some records, added to the other parts.
struct Term {
  std::vector<std::size_t> of;
  double factor = 1;               // times this
  std::optional<double> modulo;    // the remainder of each value
  std::optional<double> at_least;  // 1 for each value that is at least this, else 0
  bool product = false;            // the product of the values instead of their sum
  bool parity = false;             // 1 if the values add up to an odd number, else 0

  /// Requires: neither a parity nor a product.
  double OfValue(double value) const;
  double Of(const std::vector<double>& values) const;
};
using Question = std::vector<Term>;

/// How a case sets its noise.
enum class Recipe {
  kLaplace,      // plain: sensitivity / epsilon
  kEq14,         // Liu, Chakraborty, Mittal 2016, in units of the answer
  kEq14Literal,  // the same with the units as printed
  kEq14OneShot,  // the coefficient at the plain scale instead of the fixed point
  kEq18,         // the conservative form
  kExact,        // exact calibration for one answer, without the plain floor
  kZhu,          // correlated sensitivity
  kScale,        // the file states the scale
  kNone,         // no noise: the law itself holds the randomness
};
std::string Words(Recipe recipe);

/// What is claimed of all answers together.
enum class Claim {
  kEpsilon,  // the epsilon that the noise was set for
  kSum,      // the losses of the single answers, added up (sequential composition)
  kLargest,  // the largest of them (parallel composition)
};

struct GalleryCase {
  std::string title, refutes, shows;
  std::variant<published::ListedLaw, FiniteLaw> law;  // rows, or a network
  std::vector<char> secret;                           // which records are somebody's
  std::vector<std::pair<double, double>> domains;     // declared ranges of the records; empty: values that occur
  std::vector<Question> ask;
  std::size_t times = 1;  // each answer is given this often, with fresh noise
  Recipe recipe = Recipe::kLaplace;
  double epsilon = 0;  // what the noise is set for
  double scale = 0;    // for Recipe::kScale
  Claim claim = Claim::kEpsilon;
  std::vector<std::size_t> known;  // records whose values the adversary knows
  bool information = false;        // the claim is about mutual information given the known records, in nats
};

struct GalleryResult {
  double scale = 0;  // of the noise; 0: none
  double claimed = 0;
  double truth = 0;
  bool Fails() const { return truth > claimed * (1 + 1e-9) + 1e-12; }
};

/// True if the text looks like a gallery file, not like a model.
bool IsGalleryCase(std::string_view json);
/// Fails: kInvalidArgument for broken JSON, unknown fields and values, and questions that do not fit the law.
Result<GalleryCase> GalleryCaseFromJson(std::string_view json, const std::string& name);
/// Ensures [AUDIT-8]: claimed and truth are computed from the law, exact up to rounding.
Result<GalleryResult> RunCase(const GalleryCase& c);

}  // namespace kith::audit
