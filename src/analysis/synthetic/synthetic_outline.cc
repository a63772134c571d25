// What can be said about a synthetic table before data are read.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/synthetic/synthetic.h"
#include "mechanism/noise.h"
#include "mechanism/permute_and_flip.h"

namespace kith {
namespace {

/// Of the tables, the one that a unit can change most.
const Synthetic::Table& Worst(const std::vector<Synthetic::Table>& tables) {
  return *std::max_element(tables.begin(), tables.end(), [](const auto& a, const auto& b) { return a.l1() < b.l1(); });
}

PlainUnits PartOfShare(PlainUnits share, std::size_t parts) {
  return PlainUnits::Of(share.count() / static_cast<std::int64_t>(parts));
}

}  // namespace

std::int64_t Synthetic::change_of_all_pairs() const {
  return std::accumulate(pairs_.begin(), pairs_.end(), std::int64_t{0},
                         [](std::int64_t sum, const Table& pair) { return sum + pair.l1(); });
}

std::vector<Note> Synthetic::NotesFor(std::span<const PlainUnits> shares) const {
  std::vector<Note> notes = ones_.front().plan.notes;
  notes.push_back(
      {NoteKind::kMethod,
       fmt::format("{} tables of one column each; then {} of the {} pairs of columns, {}; a graphical model is fitted "
                   "to the noisy counts, and rows are drawn from it. All that is done with noisy counts costs nothing",
                   ones_.size(), parts_.choices ? "some" : "all", pairs_.size(),
                   parts_.choices ? "chosen one after the other where the model fits worst, with more of the price for "
                                    "each when little is left to learn"
                                  : "each once")});
  if (left_out_ > 0)
    notes.push_back(
        {NoteKind::kLeftOut, fmt::format("{} pairs of columns have too many cells and are not counted", left_out_)});
  if (groups_) {
    notes.push_back(
        {NoteKind::kMethod,
         fmt::format("households ({}) by the composition of their members: {} cells at the price of one unit. Rows are "
                     "drawn household by household; members are alike or different in {} as measured, and in other "
                     "columns through these alone",
                     groups_->column, groups_->compositions.size(), fmt::join(options_.together, " and "))});
    notes.push_back({NoteKind::kLeftOut, fmt::format("rows without {} are not in the table", groups_->column)});
  }
  notes.push_back({NoteKind::kMethod,
                   fmt::format("the noise is that of pure loss, under a budget with a delta as well; the measured "
                               "accuracy is a part of the price ({:.2g})",
                               shares[parts_.accuracy].epsilon())});
  return notes;
}

Result<StudyOutline> Synthetic::Outline(std::span<const PlainUnits> shares) const {
  if (shares.size() != weights_.size()) return InternalError("the parts of a synthetic table have a share each");
  StudyOutline outline;
  outline.noise.resize(weights_.size());
  const auto set = [&](std::size_t part, std::string name, const Sensitivities& change, std::size_t times,
                       std::size_t cells) -> Result<void> {
    const auto noise = Noise::For(change, PartOfShare(shares[part], times));
    if (!noise) return noise.error();
    outline.noise[part] = PartOf(std::move(name), *noise, 1, std::max<std::size_t>(cells, 1));
    return {};
  };
  const auto times = static_cast<std::size_t>(rounds());
  std::size_t cells = 0;
  for (const std::size_t size : sizes_) cells += size;
  const auto all = Sensitivities::OfL1(change_of_all_pairs());
  if (!all) return all.error();
  const Table& pair = Worst(pairs_);
  for (const Result<void>& done :
       {set(parts_.columns, fmt::format("counts by one column ({})", ones_.size()),
            Worst(ones_).plan.statistics.front().change, ones_.size(), cells),
        set(parts_.pairs, fmt::format("counts by two columns ({})", times), pair.plan.statistics.front().change, times,
            synthetic::CellsOf(sizes_, pair.scope)),
        set(parts_.accuracy, "accuracy of pairs", *all, 1, 1)}) {
    if (!done) return done.error();
  }
  if (parts_.choices) {
    const auto most = Sensitivity::Make(spread());
    if (!most) return most.error();
    const auto law = PermuteAndFlip::Make(*most, PartOfShare(shares[*parts_.choices], times));
    if (!law) return law.error();
    const auto reach = static_cast<double>(law->Reach(pairs_.size() - 1));
    outline.noise[*parts_.choices] = {
        .name = fmt::format("choices of pairs ({})", times),
        .scale = static_cast<double>(spread()) / PartOfShare(shares[*parts_.choices], times).epsilon(),
        .lattice = 1,
        .sensitivity = static_cast<double>(spread()),
        .error_95 = reach,
        .error_95_all = reach,
        .law = "permute-and-flip"};
  }
  if (groups_) {
    const Sensitivities& change = groups_->plan.statistics.front().change;
    for (const Result<void>& done :
         {set(*parts_.groups, "households by composition", change, 1, groups_->compositions.size()),
          set(*parts_.group_accuracy, "accuracy of compositions", change, 1, 1)}) {
      if (!done) return done.error();
    }
  }
  outline.statement = ones_.front().plan.statement;
  outline.notes = NotesFor(shares);
  return outline;
}

}  // namespace kith
