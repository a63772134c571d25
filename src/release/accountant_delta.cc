// Budgets with a delta: which caps a policy allows, and what caps mean under dependence.
// Source: docs/theory/gaussian.md.  Claims: claims/caps.md
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "loss/loss_kinds.h"
#include "release/accountant.h"
#include "transfer/gaussian/gaussian.h"
#include "transfer/gaussian/probit.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

using namespace rounding;

constexpr double kMargin = 1 - 0x1p-30;  // so that another machine's last digit does not refuse a cap that was fixed
constexpr double kMostLoss = 700;        // e^loss stays a number

double Expm1Down(double x) { return x <= 0 ? 0 : Narrow(std::expm1(x), kLibraryUlps); }

/// A delta of dependent loss epsilon as one of plain loss, and back: the offset theorem with one profile for all.
double PlainDelta(double delta, double plain, double epsilon) {
  return std::min(delta, Narrow(delta * Narrow(Expm1Down(plain) / Expm1Up(epsilon), 1), 1));
}
double DependentDelta(double delta, double plain, double epsilon) {
  const double room = Expm1Down(plain);
  return delta == 0 ? 0 : room == 0 ? 1 : std::min(1.0, MulUp(DivUp(delta, room), Expm1Up(epsilon)));
}

std::int64_t FloorUnits(double value, int bits, LossKind kind) {
  const double units = std::floor(std::ldexp(value, bits));
  return static_cast<std::int64_t>(std::clamp(units, 0.0, static_cast<double>(Loss::Largest(kind))));
}

double MuOf(std::int64_t amount) {
  const double squared =
      Loss::Of(LossKind::kMu, std::min(amount, Loss::Largest(LossKind::kMu))).value().value(LossKind::kMu);
  return NextUp(std::sqrt(squared));
}

double DeltaOf(std::int64_t amount) {
  return Loss::Of(LossKind::kDelta, std::min(amount, Loss::Largest(LossKind::kDelta))).value().value(LossKind::kDelta);
}

/// What a unit may have lost: before at its pure value, and since under caps.
struct Spent {
  double before = 0, mu = 0, delta = 0;
  std::size_t of_class = 0;
  double plain = 0;  // at which the dependent loss reaches the policy's epsilon
  auto operator<=>(const Spent&) const = default;
};

double PlainDeltaAt(const Spent& spent, double plain) {
  if (spent.mu == 0 && plain >= spent.before) return std::min(1.0, spent.delta);  // only pure losses
  if (!(NextDown(std::min(plain, kMostLoss) - spent.before) > 0)) return 1;
  return std::min(1.0, AddUp(DeltaOfMu(spent.mu, NextDown(std::min(plain, kMostLoss) - spent.before)), spent.delta));
}

}  // namespace

namespace {

Error StatesNone() {
  return InvalidArgument("the policy states no delta, so there are no caps", "[budget]",
                         "state the delta that the ledger was switched to")
      .For("budget");
}

}  // namespace

std::vector<std::int64_t> Accountant::DeltaCaps() const {
  const double least = std::min_element(limits_.begin(), limits_.end())->epsilon();
  const double kept = PlainDelta(with_delta_->policy.keys, std::min(least, kMostLoss), epsilon_);
  return std::vector<std::int64_t>(limits_.size(), FloorUnits(kept * kMargin, 60, LossKind::kDelta));
}

Result<std::vector<std::int64_t>> Accountant::DeltaCapsAfter(const std::vector<PlainUnits>& spent) const {
  if (!with_delta_) return StatesNone();
  const PlainUnits least = *std::min_element(limits_.begin(), limits_.end());
  if (!fixed_cells_ && std::any_of(spent.begin(), spent.end(), [&](PlainUnits units) { return units > least; })) {
    return BudgetExhausted("more was spent at its pure value than the strictest cell allows: no delta fits beside it",
                           "[budget]", "the budget shows what was spent, which never comes back")
        .For("price.epsilon");
  }
  return DeltaCaps();
}

Result<LedgerCaps> Accountant::CapsAfter(const std::vector<PlainUnits>& before) const {
  if (!with_delta_) return StatesNone();
  const Delta& with = *with_delta_;
  if (with.policy.keys >= with.policy.delta) {
    return BudgetExhausted("all of the delta is kept for keys that nobody declared: none is left for normal noise",
                           "[budget]", "ask with Laplace noise, at its pure value, or make keys_delta smaller")
        .For("price.epsilon");
  }
  const double for_mu = Narrow(with.policy.delta - with.policy.keys, 1);
  const auto allowed = [&](double plain, double spent, double by_messages) {
    const double room = NextDown(std::min(plain, kMostLoss) - spent);
    if (!(room > 0)) return 0.0;
    const double by_offset = LargestMu(room, PlainDelta(for_mu, std::min(plain, kMostLoss), epsilon_));
    return std::max(by_offset, spent == 0 && with.policy.keys == 0 ? by_messages : 0.0);
  };
  // A unit may have been, and may come to be, in any cell.
  const double least = std::min_element(limits_.begin(), limits_.end())->epsilon();
  double spent = 0;
  for (const PlainUnits units : before) spent = std::max(spent, units.epsilon());
  const double mu = allowed(least, spent, *std::min_element(with.by_messages.begin(), with.by_messages.end()));
  LedgerCaps caps;
  const auto units = [&](double of) { return FloorUnits(Narrow(of * of, 1) * kMargin, 40, LossKind::kMu); };
  caps.mu.assign(limits_.size(), units(mu));
  caps.delta = DeltaCaps();
  for (const auto& [name, cap] : with.policy.caps) {
    const auto cell = static_cast<std::size_t>(std::find(with.names.begin(), with.names.end(), name) -
                                               with.names.begin());  // the policy checked it
    // Relatives are in the same class, in whatever cells.
    double spent_of_class = 0;
    for (std::size_t other = 0; other < limits_.size(); ++other) {
      if (classes_.at(other) == classes_.at(cell))
        spent_of_class = std::max(spent_of_class, before.at(other).epsilon());
    }
    const std::int64_t most =
        units(allowed(limits_.at(cell).epsilon(), spent_of_class, with.by_messages.at(classes_.at(cell))));
    caps.mu.at(cell) = std::min(most, units(cap));
  }
  if (*std::max_element(caps.mu.begin(), caps.mu.end()) == 0) {
    return BudgetExhausted("nothing is left beside what was spent at its pure value: no cap can be fixed", "[budget]",
                           "the budget shows what was spent, which never comes back")
        .For("price.epsilon");
  }
  return caps;
}

Result<CappedLoss> Accountant::Capped(const LedgerGaussian& gaussian) const {
  std::set<Spent> all;
  const bool apart = fixed_cells_;
  Spent worst;
  worst.plain = std::min_element(limits_.begin(), limits_.end())->epsilon();
  const PlainUnits strictest = *std::min_element(limits_.begin(), limits_.end());
  const bool open = gaussian.open;
  for (std::size_t cell = 0; cell < limits_.size(); ++cell) {
    // Merged cells may hold more than a cap, where a promise was withdrawn.
    const std::int64_t mu = std::max(gaussian.caps.mu.at(cell), gaussian.mu.at(cell));
    const std::int64_t delta = std::max(gaussian.caps.delta.at(cell), gaussian.delta.at(cell));
    Spent own{gaussian.before.at(cell).epsilon(), MuOf(mu), DeltaOf(delta), classes_.at(cell),
              limits_.at(cell).epsilon()};
    if (open) {
      // What is to come: pure losses up to the limit, and normal noise for the rest of the policy's delta.
      const PlainUnits limit = apart ? limits_.at(cell) : strictest;
      own.before = std::max(own.before, limit.epsilon());
      own.mu = 0;
      if (with_delta_)
        own.delta = std::max(
            own.delta, Widen(PlainDelta(with_delta_->policy.delta, std::min(limit.epsilon(), kMostLoss), epsilon_), 8));
    }
    worst.before = std::max(worst.before, own.before);
    worst.mu = std::max(worst.mu, own.mu);
    worst.delta = std::max(worst.delta, own.delta);
    if (open && apart) worst.plain = std::max(worst.plain, own.plain);
    all.insert(own);
  }
  if (gaussian.mixed) {
    if (!open) worst.mu = std::max(worst.mu, MuOf(gaussian.largest_mu));
    worst.delta = std::max(worst.delta, DeltaOf(gaussian.largest_delta));
  }
  if (!apart || gaussian.mixed) {
    // A unit that changes its cell may be in any class.
    all.clear();
    for (std::size_t k = 0; k < curve_.classes(); ++k) {
      Spent own = worst;
      own.of_class = k;
      all.insert(own);
    }
  }
  // Messages are about relatives that lost no more in any other way: all of a class, or none.
  std::set<std::size_t> beyond_messages;
  for (const Spent& own : all) {
    const bool within =
        with_delta_ && own.before == 0 && own.delta == 0 && own.mu <= with_delta_->by_messages.at(own.of_class);
    if (!within) beyond_messages.insert(own.of_class);
  }
  CappedLoss loss;
  loss.plain = std::min(worst.plain, kMostLoss);
  loss.bound = "offset";
  for (const Spent& own : all) {
    loss.plain_delta = std::max(loss.plain_delta, PlainDeltaAt(own, loss.plain));
    const double plain = std::min(own.plain, kMostLoss);
    double delta = DependentDelta(PlainDeltaAt(own, plain), plain, epsilon_);
    // The policy's delta, there and back: it is what the caps were made of.
    if (open && with_delta_ && std::abs(delta / with_delta_->policy.delta - 1) < 1e-12)
      delta = with_delta_->policy.delta;
    if (!beyond_messages.contains(own.of_class) && with_delta_->policy.delta < delta) {
      delta = with_delta_->policy.delta;
      loss.bound = "messages";
    }
    loss.delta = std::max(loss.delta, delta);
  }
  for (const double part : {0.25, 0.5, 1.5, 2.0, 4.0}) {
    std::pair<double, double> at{0, 0};
    for (const Spent& own : all) {
      const double plain = own.plain * part;
      const auto dependent = plain <= own.before || plain > kMostLoss ? Result<Transferred>(InternalError("no point"))
                                                                      : curve_.Loss(plain, own.of_class);
      if (!dependent || !(dependent->dependent <= kMostLoss)) {
        at.second = 1;
        break;
      }
      at.first = std::max(at.first, dependent->dependent);
      at.second =
          std::max(at.second, DependentDelta(PlainDeltaAt(own, plain), plain, std::max(dependent->dependent, plain)));
    }
    if (at.first > 0 && at.second < 1) loss.curve.push_back(at);
  }
  // What holds at an epsilon holds at every larger one: a pair that says hardly more than that is left out.
  std::sort(loss.curve.begin(), loss.curve.end());
  std::vector<std::pair<double, double>> better;
  double least = 1;
  for (const auto& at : loss.curve) {
    if (at.first >= epsilon_) least = std::min(least, loss.delta);
    if (at.second < least * (1 - 1e-3)) better.push_back(at);
    least = std::min(least, at.second);
  }
  loss.curve = std::move(better);
  return loss;
}

Accountant Accountant::Priced(double times) const {
  Accountant other = *this;
  for (PlainUnits& limit : other.limits_) {
    const double units = std::floor(static_cast<double>(limit.count()) * times);
    limit = PlainUnits::Of(static_cast<std::int64_t>(std::clamp(units, 1.0, static_cast<double>(PlainUnits::kMax))));
  }
  return other;
}

// The largest Gaussian loss of each class where nothing was spent before, by the better of two theorems.
Result<void> Accountant::AddDelta(const Policy& policy) {
  epsilon_ = policy.epsilon_total;
  fixed_cells_ = policy.fixed_public_columns;
  if (!policy.with_delta) return {};
  with_delta_ =
      Delta{.policy = *policy.with_delta, .names = {}, .by_messages = std::vector<double>(curve_.classes(), 0)};
  for (std::size_t cell = 0; cell < policy.cells.size(); ++cell) with_delta_->names.push_back(policy.cells.Name(cell));
  if (!curve_.transfer()) return {};
  const auto transfer = GaussianTransfer::Make(*curve_.transfer());
  if (!transfer) return transfer.error();
  for (std::size_t k = 0; k < curve_.classes(); ++k) {
    const auto budget = transfer->Budget(epsilon_, policy.with_delta->delta, k);
    if (!budget) return budget.error();
    with_delta_->by_messages[k] = budget->mu;
  }
  return {};
}

}  // namespace kith
