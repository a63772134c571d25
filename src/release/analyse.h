// Running an analysis: its price in whole units for every statistic of every round, and its rounds one after another.
#pragma once
#include "analysis/analysis.h"
#include "base/call.h"
#include "kernel/vault.h"
#include "release/pricing.h"

namespace kith {

/// What an analysis publishes as cells of an answer: values with their bars.
std::vector<std::vector<AnswerCell>> CellsOf(const Findings& findings);

/// Shares of all rounds, one after another; no noise lines (those are known only when the rounds are).
/// Fails: as PriceQuestion; an analysis takes an epsilon, not an error bar.
Result<Priced> PriceAnalysis(const Analysis& analysis, const Price& price, double epsilon_total, PlainUnits budget);

/// Ensures [RELEASE-7]: the noise of every statistic of every round is derived from the share that was charged for it;
/// a round that does not keep what the analysis declared (statistics, cells) is an error, not an answer.
/// Reports every round to `call.progress`. Each round is checked before it reads anything (kernel/checked_plan.h).
/// `policy`: the one that the analysis was made with.
Result<Answer> RunAnalysis(const Analysis& analysis, const Policy& policy, const Vault& vault, const Priced& priced,
                           Paid& paid, const Call& call);

/// The rounds on answers that are all zero: statistics, noise and notes, without data. Fails: as CheckPlan.
Result<Explanation> RehearseAnalysis(const Analysis& analysis, const Policy& policy, const Priced& priced);

/// The same for a study: shares, what they buy without data, and the run.
Result<Priced> PriceStudy(const Study& study, const Price& price, double epsilon_total, PlainUnits budget);
Result<Explanation> OutlineStudy(const Study& study, const Priced& priced);
/// Ensures [RELEASE-8]: the study gets exactly the shares that were charged, after the charge; what it returns without
/// a noise part for each of them is an error, not an answer.
Result<Answer> RunStudy(const Study& study, const Vault& vault, const Priced& priced, Paid& paid);

}  // namespace kith
