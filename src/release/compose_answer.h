// From noisy integers to the answer: post-processing only. Nothing here may touch data.
#pragma once
#include "kernel/statistic_mechanism.h"
#include "ledger/ledger.h"
#include "release/group_sizes.h"
#include "release/pricing.h"
#include "release/release.h"

namespace kith {

/// How far a quantile's rank may be off, for each price that groups have. `k`: which statistic it is.
void AddRankNotes(const Statistic& statistic, std::size_t k, const Priced& priced, std::vector<Note>& notes,
                  std::optional<double> most_rows);

/// Before it is asked: the rank errors of noisy quantiles with and without their intervals, for lines of noise that are
/// those of `priced`, and in words.
void CompareIntervals(const Plan& plan, const Priced& priced, std::vector<NoiseLine>& lines, std::vector<Note>& notes);

/// Which ranks are read from one measurement, in words.
void AddNotesOfRanks(const Plan& plan, const Priced& priced, std::vector<Note>& notes);

/// Rows, error bars, order and limit. `units`: how many there are, if that is a public fact and known, and `sizes` the
/// same for each group: then numbers whose bars exceed it are marked as noise. Requires: the laws of `priced` gave the
/// noise. `max_rows`: of one unit.
Answer ComposeAnswer(const Plan& plan, const NoisyGroups& noisy, const Priced& priced,
                     std::optional<double> units = std::nullopt, const std::optional<GroupSizes>& sizes = std::nullopt,
                     std::int64_t max_rows = 1);

/// Rows in the order that is asked for, and no more than are asked for.
void OrderAndCut(const Plan& plan, std::vector<std::vector<AnswerCell>>& rows);

/// Fills the certificate, except for the claims of the computation, which are already there.
void Certify(const Priced& priced, Guarantee guarantee, const LedgerEntry& entry, Answer& answer);

}  // namespace kith
