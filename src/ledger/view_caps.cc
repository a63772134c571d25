// What a ledger says about Gaussian loss and deltas: caps, and what was counted against them.  Claims: claims/caps.md
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "ledger/view.h"
#include "loss/loss_kinds.h"

namespace kith::ledger {
namespace {

constexpr std::int64_t kMostMu = Loss::Largest(kith::LossKind::kMu), kMostDelta = Loss::Largest(kith::LossKind::kDelta);

// Sums beyond every cap are one more than the largest: within none.
std::int64_t Sum(std::int64_t a, std::int64_t b, std::int64_t most) {
  return a > most - b ? most + 1 : std::min(a + b, most + 1);
}

std::int64_t LargestOf(const std::vector<std::int64_t>& all) {
  return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
}

bool Differ(const LedgerCaps& caps) {
  const auto differ = [](const std::vector<std::int64_t>& all) {
    return std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) != all.end();
  };
  return differ(caps.mu) || differ(caps.delta);
}

}  // namespace

bool CountsAgainstCaps(const Posting& posting) {
  const bool mu = posting.loss == LossKind::kMu, delta = posting.loss == LossKind::kDelta;
  return (mu || delta) && posting.amount <= (mu ? kMostMu : kMostDelta) && posting.account == kPlain &&
         posting.level == Level::kPerson && posting.neighbours == Neighbours::kBoth && posting.covers == Covers::kAny &&
         posting.tick == kNoStep && posting.rule.empty() && posting.cells != nullptr && posting.cells->known;
}

bool IsPureToo(const Entry& entry) {
  std::vector<std::size_t> counted, pure;
  for (const Posting& posting : entry.postings) {
    if (posting.account != kPlain || posting.amount == 0) continue;
    const bool by_caps = CountsAgainstCaps(posting);
    if (by_caps && posting.loss == LossKind::kDelta && !posting.cells->cells.empty()) return false;
    auto& cells = by_caps ? counted : pure;
    cells.insert(cells.end(), posting.cells->cells.begin(), posting.cells->cells.end());
  }
  std::sort(pure.begin(), pure.end());
  return std::all_of(counted.begin(), counted.end(),
                     [&](std::size_t cell) { return std::binary_search(pure.begin(), pure.end(), cell); });
}

std::vector<PlainUnits> UnitsOf(const std::vector<std::int64_t>& amounts) {
  std::vector<PlainUnits> units;
  units.reserve(amounts.size());
  for (const std::int64_t amount : amounts) units.push_back(PlainUnits::Of(std::min(amount, PlainUnits::kMax)));
  return units;
}

// Every cell has one cap of each kind: both at once, or that of deltas first. Anything else was written by a version
// that means something else by it.
bool View::AddCaps(const Entry& entry) {
  if ((gaussian && !gaussian->open) || stream || closed) return false;
  constexpr std::int64_t kNone = -1;
  const std::size_t cells = totals.size();
  LedgerCaps caps_of;
  caps_of.mu.assign(cells, kNone);
  caps_of.delta.assign(cells, kNone);
  for (const Posting& posting : entry.postings) {
    if (!CountsAgainstCaps(posting)) return false;
    auto& caps = posting.loss == LossKind::kMu ? caps_of.mu : caps_of.delta;
    for (const std::size_t cell : posting.cells->cells) {
      if (cell >= cells || caps[cell] != kNone) return false;
      caps[cell] = posting.amount;
    }
  }
  const auto missing = [&](const std::vector<std::int64_t>& caps) {
    return std::find(caps.begin(), caps.end(), kNone) != caps.end();
  };
  const auto none = [&](const std::vector<std::int64_t>& caps) {
    return std::all_of(caps.begin(), caps.end(), [](std::int64_t cap) { return cap == kNone; });
  };
  LedgerGaussian fixed;
  if (gaussian) {  // deltas have theirs, which stay
    if (missing(caps_of.mu) || !none(caps_of.delta)) return false;
    fixed = *gaussian;
  } else {
    if (missing(caps_of.delta)) return false;
    fixed.caps.delta = std::move(caps_of.delta);
    fixed.largest_delta = LargestOf(fixed.caps.delta);
    fixed.mu = fixed.delta = recent_mu_ = recent_delta_ = fixed.caps.mu = std::vector<std::int64_t>(cells, 0);
  }
  fixed.open = none(caps_of.mu);
  if (fixed.open) {
    gaussian = std::move(fixed);
    return true;
  }
  if (missing(caps_of.mu)) return false;
  fixed.caps.mu = std::move(caps_of.mu);
  fixed.largest_mu = LargestOf(fixed.caps.mu);
  fixed.before = PureTotals();
  View closed_now = *this;
  closed_now.CloseData();
  worst_before_ = closed_now.worst_.total();
  gaussian = std::move(fixed);
  return true;
}

// Once there are caps no sum exceeds one; and every charged cell is charged Gaussian loss, unless caps are open: then
// none is.
std::optional<std::string> View::CheckGaussian(const Entry& entry) const {
  if (!gaussian) return std::nullopt;
  auto mu = gaussian->mu, delta = gaussian->delta;
  std::vector<bool> pure(totals.size(), false), counted(totals.size(), false);
  for (const Posting& posting : entry.postings) {
    const bool by_caps = CountsAgainstCaps(posting);
    if (posting.account != kPlain || posting.amount == 0 || !(by_caps || Understood(posting))) continue;
    for (const std::size_t cell : posting.cells->cells) {
      if (!by_caps) {
        pure[cell] = true;
      } else if (posting.loss == LossKind::kMu) {
        mu[cell] = Sum(mu[cell], posting.amount, kMostMu);
        counted[cell] = true;
        if (mu[cell] > gaussian->caps.mu[cell]) return fmt::format("entry {} passes a cap", entry.position);
      } else {
        delta[cell] = Sum(delta[cell], posting.amount, kMostDelta);
        if (delta[cell] > gaussian->caps.delta[cell]) return fmt::format("entry {} passes a cap", entry.position);
      }
    }
  }
  for (std::size_t cell = 0; cell < pure.size(); ++cell) {
    if (pure[cell] && !counted[cell] && !gaussian->open)
      return fmt::format("entry {} charges a pure loss past the caps of the ledger", entry.position);
  }
  return std::nullopt;
}

void View::AddGaussian(const Posting& posting) {
  const bool mu = posting.loss == LossKind::kMu;
  const std::int64_t most = mu ? kMostMu : kMostDelta;
  for (const std::size_t cell : posting.cells->cells) {
    std::int64_t& total = (mu ? gaussian->mu : gaussian->delta)[cell];
    std::int64_t& recent = (mu ? recent_mu_ : recent_delta_)[cell];
    total = Sum(total, posting.amount, most);
    recent = Sum(recent, posting.amount, most);
  }
  charged = charged || (posting.amount > 0 && !posting.cells->cells.empty());
}

// Each cell has the largest sum and the smallest cap of those that it comes from.
void View::Regroup(const CellMap& to, LedgerGaussian& all) {
  const auto smallest = [&](std::vector<std::int64_t> caps, std::int64_t most) {
    for (std::int64_t& cap : caps) cap = most - cap;
    caps = to.Largest(caps);
    for (std::int64_t& cap : caps) cap = most - cap;
    return caps;
  };
  all.mixed = all.mixed || Differ(all.caps);
  all.caps.mu = smallest(std::move(all.caps.mu), kMostMu);
  all.caps.delta = smallest(std::move(all.caps.delta), kMostDelta);
  all.mu = to.Largest(all.mu);
  all.delta = to.Largest(all.delta);
  recent_mu_ = to.Largest(recent_mu_);
  recent_delta_ = to.Largest(recent_delta_);
  if (all.open) return;
  std::vector<std::int64_t> before;
  for (const PlainUnits units : all.before) before.push_back(units.count());
  all.before.clear();
  for (const std::int64_t units : to.Largest(before)) all.before.push_back(PlainUnits::Of(units));
}

void View::CloseGaussian() {
  if (!gaussian) return;
  worst_mu_ = Sum(worst_mu_, LargestOf(recent_mu_), kMostMu);
  worst_delta_ = Sum(worst_delta_, LargestOf(recent_delta_), kMostDelta);
  std::fill(recent_mu_.begin(), recent_mu_.end(), 0);
  std::fill(recent_delta_.begin(), recent_delta_.end(), 0);
}

// A unit may have been in any cell: the largest sums, and the smallest caps, are everybody's.
void View::MergeGaussian(LedgerGaussian& all) const {
  std::fill(all.mu.begin(), all.mu.end(), worst_mu_);
  std::fill(all.delta.begin(), all.delta.end(), worst_delta_);
  all.mixed = all.mixed || Differ(all.caps);
  const auto least = [](std::vector<std::int64_t>& caps) {
    caps.assign(caps.size(), *std::min_element(caps.begin(), caps.end()));
  };
  least(all.caps.mu);
  least(all.caps.delta);
  if (all.open) return;
  all.before.assign(all.before.size(), PlainUnits::Of(std::min(worst_before_, PlainUnits::kMax)));
}

}  // namespace kith::ledger
