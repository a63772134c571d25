// Answers that cost nothing: a question whose noisy statistics are among those of a stored answer is answered from
// them. Claims: claims/free.md
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ledger/ledger.h"
#include "release/question_release.h"

namespace kith {

/// A stored answer that holds what a question needs.
struct FreeAnswer {
  std::int64_t number = 0;  // of its charge
  std::string key;          // of its answer
  NoisyGroups noisy;        // the question's statistics, in its order, as they were computed then
  Priced priced;            // shares, laws and noise that they have
};

/// The newest one whose noise is no larger than what the question would buy: of another question, or of this one at a
/// higher price.
/// Ensures [FREE-1]: made of the ledger, the policy and the question; no data are read, nothing is charged. Ensures
/// [FREE-2]: the statistics are of the same rows of the same version of the data, grouped in the same way.
/// Fails: kStorage.
Result<std::optional<FreeAnswer>> FindFreeAnswer(const QuestionRelease& question, const Ledger& book,
                                                 const DataState& data);

/// `before`: the stored answer, with the totals of now; its certificate is that of the new one.
Answer MakeFreeAnswer(const QuestionRelease& question, const FreeAnswer& from, Answer before);

/// As the ledger keeps it: an answer and, where others can be made of them, its noisy statistics as they are, uncut.
std::string KeptWithStatistics(const QuestionRelease& question, const Answer& answer);

}  // namespace kith
