#include "ledger/windows.h"

#include <algorithm>

#include "base/int128.h"

namespace kith::ledger {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 62;

std::int64_t Capped(Int128 sum) { return sum > kMost ? kMost : static_cast<std::int64_t>(sum); }

// Sums of `window` consecutive steps. It is enough to look at windows that end with a spend: moving the end of a window
// back to its last spend loses nothing and may take in earlier ones.
class Sliding {
 public:
  explicit Sliding(std::int64_t window) : window_(window) {}
  // Steps must not fall. Returns the sum of the window that ends with this step.
  Int128 Take(std::int64_t tick, std::int64_t units) {
    inside_.emplace_back(tick, units);
    sum_ += units;
    while (inside_[first_].first <= tick - window_) sum_ -= inside_[first_++].second;
    return sum_;
  }

 private:
  std::int64_t window_;
  std::vector<std::pair<std::int64_t, std::int64_t>> inside_;
  std::size_t first_ = 0;
  Int128 sum_ = 0;
};

}  // namespace

void Windows::Add(const Entry& charge, const CellSet& cells) {
  const auto [set, new_set] = set_numbers_.try_emplace(cells, static_cast<std::uint32_t>(sets_.size()));
  if (new_set) sets_.push_back(cells);
  const auto question = questions_
                            .try_emplace({std::string(charge.question), std::string(charge.policy)},
                                         static_cast<std::uint32_t>(questions_.size()))
                            .first->second;
  const Spend spend{charge.tick, charge.units, charge.number, set->second, question};
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

// Few sets of cells are charged again and again: cells that are in the same of them have the same sums.
template <class Sum>
std::vector<std::int64_t> Windows::ForEachCell(Run begin, Run end, Sum sum) const {
  std::vector<std::uint32_t> used;
  for (auto spend = begin; spend != end; ++spend) {
    if (std::find(used.begin(), used.end(), spend->cells) == used.end()) used.push_back(spend->cells);
  }
  std::vector<std::vector<bool>> member(cell_count_, std::vector<bool>(used.size(), false));
  for (std::size_t k = 0; k < used.size(); ++k) {
    for (const std::size_t cell : sets_[used[k]]) member[cell][k] = true;
  }
  std::map<std::vector<bool>, std::int64_t> known;
  std::vector<std::int64_t> sums;
  sums.reserve(cell_count_);
  for (std::size_t cell = 0; cell < cell_count_; ++cell) {
    const auto [found, is_new] = known.try_emplace(member[cell], 0);
    if (is_new) {
      std::vector<bool> counts(sets_.size(), false);
      for (std::size_t k = 0; k < used.size(); ++k) counts[used[k]] = member[cell][k];
      found->second = sum(counts);
    }
    sums.push_back(found->second);
  }
  return sums;
}

std::vector<std::int64_t> Windows::Around(std::int64_t tick, std::int64_t window) const {
  const auto [begin, end] = Between(tick - window + 1, tick + window - 1);
  return ForEachCell(begin, end, [&, first = begin, last = end](const std::vector<bool>& counts) {
    Sliding sliding(window);
    Int128 largest = 0;
    auto spend = first;
    for (; spend != last && spend->tick <= tick; ++spend) {
      if (counts[spend->cells]) sliding.Take(spend->tick, spend->units);
    }
    largest = sliding.Take(tick, 0);  // the window that ends with the step itself
    for (; spend != last; ++spend) {
      if (counts[spend->cells]) largest = std::max(largest, sliding.Take(spend->tick, spend->units));
    }
    return Capped(largest);
  });
}

std::vector<std::int64_t> Windows::Largest(std::int64_t window) const {
  return ForEachCell(spends_.begin(), spends_.end(), [&](const std::vector<bool>& counts) {
    Sliding sliding(window);
    Int128 largest = 0;
    for (const Spend& spend : spends_) {
      if (counts[spend.cells]) largest = std::max(largest, sliding.Take(spend.tick, spend.units));
    }
    return Capped(largest);
  });
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
