// How many units each group of a question can have at most, as far as that is public.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "query/plan.h"

namespace kith {

struct Question;

/// A question without its secrets: its public keys, and those terms of WHERE that are public.
struct PublicPart {
  Plan plan;  // counts units, then households where the question is about them; no statistic has noise
  // For each key of the question: which key of the plan it is; nothing: it is secret, and left out.
  std::vector<std::optional<std::size_t>> keys;
  bool everybody = false;  // nothing is left of the question: no keys, no WHERE
  // Its rows are those of the unit's table, with no sub-select and no join: only then does the plan's text say all that
  // the plan counts, and only then may its numbers be remembered for other questions.
  bool plain = false;
  // Cells of the policy whose rows can pass the public terms of WHERE.
  std::vector<bool> cells;
  bool cells_say_all = false;  // those terms and the public keys are made only of the columns of cells
};

/// Ensures [TOTAL-1]: the plan's numbers are the same for all data with the same units and public values, and
/// two plain parts with the same text count the same.
/// Nothing: how many units there are is not public, or the question cannot be planned.
std::optional<PublicPart> PublicPartOf(const std::string& sql, const Policy& policy);
/// The same for a question that was bound under the policy.
std::optional<PublicPart> PublicPartOf(const Question& question, const Policy& policy);

}  // namespace kith
