// A policy that changes under a used ledger: which parts of the change are accepted, must be reviewed or are refused,
// and which of the old cells each new cell takes its total from.  Claims: claims/growth.md
//
// Earlier answers are functions of the raw records, so what they lost remains lost, whatever is declared later; a
// change is refused where the pairs of raw databases that the loss is about would change.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace kith {

enum class GrowthVerdict {
  kAccepted,
  kReview,   // accepted if the curator says that the declared dependence holds for the new record
  kRefused,  // by the rules below, no matter who reviews it
};

/// One difference between two policies.
struct PolicyChange {
  GrowthVerdict verdict = GrowthVerdict::kAccepted;
  std::string what;  // "column people.age: upper was 100 and is now 120"
  std::string why;   // in a sentence
  std::string next;  // what to do; empty where there is nothing to do
};

/// For a column that divides units into cells before and after: for each present value, the earlier values that share a
/// raw value with it, all as Cells::ValueName writes them.
struct ColumnOrigins {
  std::string column;
  std::map<std::string, std::vector<std::string>> from;
};

/// How a policy differs from the one before it.
struct Growth {
  std::vector<PolicyChange> changes;   // empty: nothing that matters differs
  std::vector<ColumnOrigins> origins;  // of columns in both; a column in only one can have any value in the other
  bool other_data = false;             // the unit's table is read from another place: a new version of the data
  bool was_fixed = false;              // public columns were promised to be fixed before
  // Whose stored answers are found again: those that read none of these columns ("people.age"), unless
  // `all_asked_again`.
  std::vector<std::string> asked_again;
  bool all_asked_again = false;

  bool Has(GrowthVerdict verdict) const;
};

/// A one-sided attribute of which records were released, with every rule that they were released under.
struct ReleasedAttribute {
  std::string name;
  std::vector<std::string> rules;
};

/// All that a later policy is compared with, as one canonical line of JSON. The ledger keeps it with every generation.
std::string DescribePolicy(const Policy& policy);

/// What a question can read of a policy: the unit, the columns that its text names in every table that it names, and
/// how many units there are in the groups that it can make rows of. Names that it does not read may be among them; none
/// that it reads is missing. `question`: its normalised text, or nothing: all tables and columns.
/// Ensures [GROWTH-4]: differs whenever anything differs that is declared about what the question reads.
std::string ReadingText(const Policy& policy, const std::optional<std::string>& question);

/// The same for many questions under one policy, which is described once. Immutable; cheap to copy.
class Readings {
 public:
  explicit Readings(const Policy& policy);
  std::string Of(const std::optional<std::string>& question) const;

 private:
  struct Description;
  std::shared_ptr<const Description> description_;
};

/// How `after` differs from `before`, both as DescribePolicy wrote them. `released`: the one-sided attributes
/// that were used.
/// Ensures [GROWTH-1]: for every raw value of a public column, the value that it is read as afterwards has the value
/// that it was read as before among its origins.
/// Ensures [GROWTH-2]: nothing is accepted under which two raw databases that are neighbours afterwards were not
/// neighbours before, or were farther apart.
/// Fails: kInvalidArgument if a text is not a description.
Result<Growth> CompareGenerations(const std::string& before, const std::string& after,
                                  const std::vector<ReleasedAttribute>& released);

/// Nothing if the growth may become the generation of this number. Fails: kInvalidArgument with the first reason;
/// `reviewed` is what the new policy says under [dependence].
Result<void> AcceptGrowth(const Growth& growth, std::int64_t generation, std::int64_t reviewed);

/// The [dependence] kind, where the model has tables over the values of records, which a larger record does not fit;
/// empty for other models.
std::string TablesOverValues(const std::string& kind);

}  // namespace kith
