// One count, every method: how much noise each asks for, and what that noise is worth. Double arithmetic, for tables
// that people read; releases take their noise from Transfer alone.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "transfer/transfer.h"

namespace kith::published {

/// What the noise of a method protects, from most to least.
enum class Standing {
  kComposes,     // dependent loss, and any number of releases add up in plain loss
  kSingleQuery,  // dependent loss of this one count; releases do not add up
  kPlainOnly,    // plain differential privacy, whatever the dependence does to it
  kNoGuarantee,  // a formula that is not a theorem here
};

struct Method {
  std::string name;  // "laplace", "kith", "markov quilt", ...
  double scale = 0;  // of Laplace noise on the count
  Standing standing = Standing::kNoGuarantee;
  std::string private_under;  // the same in words, with the adversary and the transfer function
  std::optional<double>
      loss;  // where the law is declared: the dependent loss of one such count to somebody who knows it
};

/// The noise scale for a count of the records whose value is not 0, for a dependent loss of epsilon, under every method
/// that applies to the model. Formulas that need the law of every record are left out for models of more than 128
/// records (fewer if they have many values), and for models without laws; metric records have no count, so there only
/// `laplace` applies. One `kith` row for each class of the model. Ensures [PUBLISHED-9]: where `loss` is known, it is
/// above epsilon (beyond rounding) only for kPlainOnly and kNoGuarantee. Fails: kInvalidArgument if the model is not
/// usable or epsilon is not a positive, finite number.
Result<std::vector<Method>> CompareForCount(const Model& model, double epsilon);

}  // namespace kith::published
