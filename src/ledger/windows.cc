#include "ledger/windows.h"

#include <algorithm>

#include "base/int128.h"
#include "ledger/view.h"

namespace kith::ledger {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 62;

std::int64_t Capped(Int128 sum) { return sum > kMost ? kMost : static_cast<std::int64_t>(sum); }

// Cells that are in the same charged sets have the same sums: few sets are charged again and again.
struct Alike {
  std::vector<std::size_t> group_of;  // cell -> group
  std::size_t groups = 0;
  std::map<std::uint32_t, std::vector<std::size_t>> in_set;  // set -> the groups in it

  template <class Run>
  Alike(Run begin, Run end, const std::vector<CellSet>& sets, std::size_t cell_count) : group_of(cell_count) {
    for (auto spend = begin; spend != end; ++spend) in_set.try_emplace(spend->cells);
    std::vector<std::vector<bool>> member(cell_count, std::vector<bool>(in_set.size(), false));
    std::size_t k = 0;
    for (const auto& [set, unused] : in_set) {
      for (const std::size_t cell : sets[set]) member[cell][k] = true;
      ++k;
    }
    std::map<std::vector<bool>, std::size_t> known;
    for (std::size_t cell = 0; cell < cell_count; ++cell) {
      const auto [found, is_new] = known.try_emplace(member[cell], groups);
      group_of[cell] = found->second;
      if (!is_new) continue;
      k = 0;
      for (auto& [set, inside] : in_set) {
        if (member[cell][k++]) inside.push_back(groups);
      }
      ++groups;
    }
  }
};

// Sums of `window` consecutive steps, for every group of cells. It is enough to check windows that end with a spend:
// moving the end of a window back to its last spend loses nothing and may take in earlier ones.
class Sliding {
 public:
  Sliding(const Alike& alike, std::int64_t window, std::uint32_t merged)
      : alike_(alike), window_(window), merged_(merged), own_(alike.groups, 0), largest_(alike.groups, 0) {}

  // Steps must not fall.
  void Take(const Windows::Spend& spend) {
    Leave(spend.tick);
    inside_.push_back(&spend);
    Change(spend, spend.units);
  }
  // The window that ends with this step is one to check.
  void Look(std::int64_t tick) {
    Leave(tick);
    for (std::size_t group = 0; group < largest_.size(); ++group)
      largest_[group] = std::max(largest_[group], before_ + own_[group]);
  }
  std::int64_t LargestOf(std::size_t group) const { return Capped(largest_[group]); }

 private:
  struct Before {
    std::vector<Int128> sums;
    Int128 largest = 0;
  };

  void Leave(std::int64_t tick) {
    while (first_ < inside_.size() && inside_[first_]->tick <= tick - window_) {
      Change(*inside_[first_], -inside_[first_]->units);
      ++first_;
    }
  }

  void Change(const Windows::Spend& spend, std::int64_t units) {
    const auto& groups = alike_.in_set.at(spend.cells);
    if (spend.data >= merged_) {
      for (const std::size_t group : groups) own_[group] += units;
      return;
    }
    Before& before = merged_sums_[spend.data];
    before.sums.resize(alike_.groups, 0);
    for (const std::size_t group : groups) before.sums[group] += units;
    before_ -= before.largest;
    before.largest = *std::max_element(before.sums.begin(), before.sums.end());
    before_ += before.largest;
  }

  const Alike& alike_;
  std::int64_t window_;
  std::uint32_t merged_;
  std::vector<const Windows::Spend*> inside_;
  std::size_t first_ = 0;
  std::vector<Int128> own_;                      // of data that are not merged
  std::map<std::uint32_t, Before> merged_sums_;  // of merged data, separately
  Int128 before_ = 0;                            // the sum of their largest
  std::vector<Int128> largest_;
};

}  // namespace

void Windows::Follow(const Entry& entry, const View& after) {
  if (entry.kind == Kind::kVersion) Replace(entry.merged);
  if (entry.kind == Kind::kGeneration && after.generation == entry.number) Regroup(*after.map);
  if (entry.kind != Kind::kCharge) return;
  for (const Posting& posting : entry.postings) {
    if (posting.account == kPlain && Understood(posting)) Add(entry, posting);
  }
}

void Windows::Regroup(const CellMap& to) {
  set_numbers_.clear();
  for (std::size_t number = 0; number < sets_.size(); ++number) {
    sets_[number] = to.Image(sets_[number]);
    set_numbers_.try_emplace(sets_[number], static_cast<std::uint32_t>(number));
  }
  cell_count_ = to.size();
}

void Windows::Add(const Entry& charge, const Posting& posting) {
  const CellSet& cells = posting.cells->cells;
  const auto [set, new_set] = set_numbers_.try_emplace(cells, static_cast<std::uint32_t>(sets_.size()));
  if (new_set) sets_.push_back(cells);
  const auto question = questions_
                            .try_emplace({std::string(charge.subject), std::string(charge.policy)},
                                         static_cast<std::uint32_t>(questions_.size()))
                            .first->second;
  const Spend spend{posting.tick, posting.amount, charge.number, set->second, question, data_};
  if (spends_.empty() || spends_.back().tick <= spend.tick) {
    spends_.push_back(spend);
    return;
  }
  const auto after = std::upper_bound(spends_.begin(), spends_.end(), spend.tick,
                                      [](std::int64_t tick, const Spend& other) { return tick < other.tick; });
  spends_.insert(after, spend);
}

std::pair<Windows::Run, Windows::Run> Windows::Between(std::int64_t from, std::int64_t to) const {
  const auto begin = std::lower_bound(spends_.begin(), spends_.end(), from,
                                      [](const Spend& spend, std::int64_t tick) { return spend.tick < tick; });
  const auto end = std::upper_bound(begin, spends_.end(), to,
                                    [](std::int64_t tick, const Spend& spend) { return tick < spend.tick; });
  return {begin, end};
}

void Windows::Replace(bool merged) {
  ++data_;
  if (merged) merged_ = data_;
}

std::vector<std::int64_t> Windows::LargestOf(Run begin, Run end, std::int64_t from, std::int64_t window) const {
  const Alike alike(begin, end, sets_, cell_count_);
  Sliding sliding(alike, window, merged_);
  auto spend = begin;
  for (; spend != end && spend->tick <= from; ++spend) sliding.Take(*spend);
  sliding.Look(from);
  for (; spend != end; ++spend) {
    sliding.Take(*spend);
    sliding.Look(spend->tick);
  }
  std::vector<std::int64_t> sums;
  sums.reserve(cell_count_);
  for (const std::size_t group : alike.group_of) sums.push_back(sliding.LargestOf(group));
  return sums;
}

std::vector<std::int64_t> Windows::Around(std::int64_t tick, std::int64_t window) const {
  const auto [begin, end] = Between(tick - window + 1, tick + window - 1);
  return LargestOf(begin, end, tick, window);
}

std::vector<std::int64_t> Windows::Largest(std::int64_t window) const {
  return LargestOf(spends_.begin(), spends_.end(), spends_.empty() ? 0 : spends_.front().tick, window);
}

std::vector<Windows::Spend> Windows::Of(std::string_view question, std::string_view policy, std::int64_t from,
                                        std::int64_t to) const {
  const auto number = questions_.find(std::pair<std::string, std::string>(question, policy));
  std::vector<Spend> found;
  if (number == questions_.end()) return found;
  const auto [begin, end] = Between(from, to);
  std::copy_if(begin, end, std::back_inserter(found),
               [&](const Spend& spend) { return spend.question == number->second; });
  return found;
}

}  // namespace kith::ledger
