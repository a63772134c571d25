// How much noise counts call for under a model, beside what they would need if nobody depended on anybody and if all
// who may depend on each other were one. Double arithmetic, for tables that people read; releases take their noise only
// from Transfer.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "transfer/transfer.h"

namespace kith {

/// What the noise of a method protects, from most to least.
enum class Standing {
  kComposes,     // dependent loss, and any number of releases add up in plain loss
  kSingleQuery,  // dependent loss of this one count; releases do not add up
  kPlainOnly,    // plain differential privacy, whatever the dependence does to it
  kNoGuarantee,  // a formula that is not proved here
};

struct CountMethod {
  std::string name;  // "laplace", "kith", "group", ...
  double scale = 0;  // of Laplace noise on the count
  Standing standing = Standing::kNoGuarantee;
  std::string private_under;   // the same in words, with the adversary and the transfer function
  std::optional<double> loss;  // where the law is declared: what such a count, asked `counts` times, reveals to
                               // somebody who knows the law
};

/// The noise scale for each of `counts` counts of the records whose value is not 0, for a dependent loss of epsilon in
/// all: `laplace`, one `kith` row for each class of the model, and `group` where groups are known; metric records have
/// no count, so there only `laplace` applies. Fails: kInvalidArgument if the model is not usable, epsilon is not a
/// positive, finite number, or counts is not between 1 and a million.
Result<std::vector<CountMethod>> NoiseOfCounts(const Model& model, double epsilon, std::int64_t counts);

}  // namespace kith
