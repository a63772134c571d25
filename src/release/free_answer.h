// Answers that cost nothing, or less than their bars would: a question whose noisy statistics are among those of stored
// answers is answered from them, and a fresh answer is combined with them. Claims: claims/free.md
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "ledger/ledger.h"
#include "release/combine.h"
#include "release/question_release.h"

namespace kith {

/// What stored answers have of a question's statistics, newest first: other questions, this one at other prices, and
/// plans. Empty for a question from which nothing can be kept.
/// Ensures [FREE-1]: made of the ledger, the policy and the question; no data are read, nothing is charged. Ensures
/// [FREE-2, FREE-4]: the statistics are of the same rows of the same version of the data, grouped in the same way.
/// Fails: kStorage.
Result<std::vector<KnownStatistics>> FindKnown(const QuestionRelease& question, const Ledger& book,
                                               const DataState& data);

/// What is known, as an answer. Nothing: what the question would buy has less noise.
struct FreeAnswer {
  std::vector<std::int64_t> numbers;  // of charges, ascending; the last is that of the certificate
  NoisyGroups noisy;                  // the question's statistics, in its order
  Priced priced;                      // the laws of their noise
  std::vector<std::string> claims;
  std::optional<GroupSizes> sizes;  // which units each group can have, where it was counted for one of the charges
};
std::optional<FreeAnswer> FreeAnswerFrom(const QuestionRelease& question, const std::vector<KnownStatistics>& known);

/// `before`: the answer to the last of the charges, with the present totals; its certificate is that of the new one.
/// `units`: as QuestionRelease::units.
Answer MakeFreeAnswer(const QuestionRelease& question, const FreeAnswer& from, Answer before,
                      std::optional<double> units);

/// Adds the mean of a fresh answer's statistics and of the known ones to it, for ShowCombined. `sizes`: as
/// the answer was made with. Ensures [FREE-3].
void AddCombined(const QuestionRelease& question, const std::vector<KnownStatistics>& known,
                 const std::optional<GroupSizes>& sizes, Answer& answer);
/// What was added to an answer replaces it. Nothing added: it stays as it is.
void ShowCombined(Answer& answer);
/// The same for callers that want the numbers that the certificate's laws are about.
void ShowAlone(Answer& answer);
/// What combining would make of its bars, before it is bought. Empty: nothing.
std::string CombinedNote(const QuestionRelease& question, const std::vector<KnownStatistics>& known);

/// As the ledger keeps it: an answer and, where others can be made of them, its noisy statistics as they are, uncut.
std::string KeptWithStatistics(const QuestionRelease& question, const Answer& answer);
/// The same for a question that a plan asks by itself, with the key that it would have outside the plan. Nothing: no
/// others can be made of them.
std::optional<Json> PartOfPlan(const QuestionRelease& question, const Ledger& book, const DataState& data);

}  // namespace kith
