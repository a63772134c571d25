// What is said in words, wherever it is shown: a terminal, a page, a console. Wrapping and tables are the program's.
#pragma once
#include <string>

#include "policy/policy.h"
#include "release/loss_words.h"
#include "release/release.h"
#include "release/stream/stream.h"

namespace kith::document {

/// Four significant digits for scales and other numbers that are not losses; "0" for zero.
std::string Short(double value);

/// A noisy number: digits below a hundredth of its error bar are dropped.
std::string WithError(double value, double error);

/// A cell as it is read: a noisy number with as many digits as its error bar is worth.
std::string CellText(const AnswerCell& cell);

/// "17 to 23", or "anything from 0 to 120" where the interval says nothing.
std::string IntervalText(const Interval& interval);

/// "count(*): discrete Laplace, scale 20 on a lattice of 1"
std::string NoiseText(const NoiseLine& line);
/// "count(*), persons=1"; only the first if the second is empty.
std::string InStratum(const std::string& what, const std::string& stratum);
/// What was lost in each stratum.
std::string StrataText(const std::vector<Guarantee::Stratum>& strata);

/// How far an average is off, by the number of rows.
/// "n: ±240 of at most 188: only noise; ...".
std::string UsefulnessText(const Usefulness& worth);
std::string AverageText(const AverageError& line);

using kith::CanHappenText;
using kith::CapsText;
using kith::DeltaText;
using kith::DependentText;
/// "0.1 for this answer; 0.2 in all", or that there is no bound.
std::string PlainText(const Certificate& certificate);
/// "0.1 for this question; 0.2 in all afterwards"; `what`: "this question", "all questions".
std::string PlainText(const Explanation& explanation, const std::string& what);
/// "0.1 before, 0.2 afterwards, by group"
std::string DependentText(const Explanation& explanation);
/// What was lost about whether somebody is there, by one release ("for this answer") and in all. Requires: presence is
/// secret.
std::string PresenceText(double once, const std::string& when, const Guarantee& guarantee);
/// What the outer units of nested ones have lost.
std::string HouseholdText(const Guarantee::Household& household);

/// What the audit that goes with an unproven loss says, or why there is none. Requires: the loss is not proved.
std::string AuditText(double claimed, const std::optional<Audit>& audit);

/// The guarantee of a stream in one sentence, and what longer stays lose.
std::string StayText(const StreamGuarantee& guarantee);
std::string LongerText(const StreamGuarantee& guarantee);

/// What the policy allows, or what was spent where that is more: before its epsilon was lowered.
double TotalAtMost(const BudgetReport& report);
std::string TotalText(const BudgetReport& report, const std::string& stay);

/// A replacement of the data, as a line of the history.
std::string VersionText(const DataLine& line);

/// "2026-11-15 21:05", UTC.
std::string TimeText(std::int64_t unix_seconds);

}  // namespace kith::document
