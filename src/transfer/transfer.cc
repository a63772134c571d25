#include "transfer/transfer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/meter.h"
#include "dependence/check.h"
#include "transfer/functions.h"
#include "transfer/rounding.h"

namespace kith {

struct Transfer::State {
  Model model;
  std::optional<KnownTotals> known;
  std::shared_ptr<const TransferFunction> function;
  std::vector<Adversary> weakest;  // of each class: bounds that cover only weaker adversaries are not used
  // What ForBudget found on its way: the plain budget of a class at this dependent loss.
  struct Found {
    double dependent = 0, plain = 0;
  };
  std::vector<std::optional<Found>> budgets = std::vector<std::optional<Found>>(weakest.size());

  /// Those that cover no adversary weaker than the weakest wanted; all, if none of them says anything.
  std::vector<BoundValues> Used(std::vector<BoundValues> bounds, std::size_t of_class) const;
  Result<Transferred> Evaluate(const PlainLosses& plain, std::size_t of_class) const;
};

namespace {

Error NotALoss(const char* which) {
  return InvalidArgument(std::string("a ") + which + " loss must be a finite number that is not negative, at most 2^40",
                         which, "state a number such as 0.5");
}

// Of larger ones, which promise nothing, sums and exponentials would not be numbers.
bool IsLoss(double loss) { return loss >= 0 && loss <= 0x1p40; }

// Ledgers count in steps of 2^-32: far below them there is nothing to aim at, and rounding would be all that is left.
Result<void> CheckTarget(double dependent) {
  if (!IsLoss(dependent)) return NotALoss("dependent");
  if (dependent == 0 || dependent >= 0x1p-60) return {};
  return InvalidArgument("a dependent loss below 2^-60 is less than can be counted", "dependent",
                         "state a number such as 0.5, or 0");
}

bool Finite(const BoundValues& bound) {
  return std::all_of(bound.values.begin(), bound.values.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

std::vector<BoundValues> Transfer::State::Used(std::vector<BoundValues> bounds, std::size_t of_class) const {
  const auto covers = [&](const BoundValues& b) { return b.adversary <= weakest[of_class]; };
  if (std::any_of(bounds.begin(), bounds.end(), [&](const BoundValues& b) { return covers(b) && Finite(b); }))
    std::erase_if(bounds, [&](const BoundValues& b) { return !covers(b); });
  return bounds;
}

Result<Transferred> Transfer::State::Evaluate(const PlainLosses& plain, std::size_t of_class) const {
  Meter::Look();
  const auto all = function->Bounds(plain, of_class);
  if (!all) return all.error();
  Transferred result = Combine(Used(*all, of_class), function->Assumes(of_class));
  result.bounds = Listed(*all);  // those that were put aside are worth knowing too
  if (known) {
    result.adversary = Words(all->front().adversary, *known);  // there is one bound
    for (Bound& bound : result.bounds) bound.adversary = result.adversary;
  }
  result.unproven = UnprovenOn(model);
  if (!result.unproven.empty()) result.audit = function->AuditAt(plain);
  return result;
}

Result<Transfer> Transfer::Make(Model model) { return Make(std::move(model), std::nullopt); }

namespace {

Result<TransferFunctionPtr> MakeFunction(const Model& model, const std::optional<KnownTotals>& known) {
  if (known) return MakeTransferFunction(model, *known);
  return std::visit([](const auto& m) { return MakeTransferFunction(m); }, model);
}

}  // namespace

Result<Transfer> Transfer::Make(Model model, const std::optional<KnownTotals>& known) {
  if (auto ok = Check(model); !ok) return ok.error();
  auto function = MakeFunction(model, known);
  if (!function) return function.error();
  std::vector<Adversary> weakest((*function)->classes(), Adversary::kNothing);
  return Transfer(
      std::make_shared<const State>(State{std::move(model), known, std::move(*function), std::move(weakest)}));
}

Transfer Transfer::UnderDelta() const {
  Model plain = state_->model;
  auto* group = std::get_if<Group>(&plain);
  auto* field = std::get_if<Field>(&plain);
  if (group != nullptr && !group->attribute.empty()) {
    group->attribute.clear();
    group->ties = Ties::kEither;
    group->shared = SharedBy::kNothing;
  } else if (field != nullptr && field->ties != Ties::kEither) {
    field->ties = Ties::kEither;
    field->field_free = false;
    field->sample = nullptr;
  } else {
    return *this;
  }
  auto function = MakeFunction(plain, state_->known);
  KITH_CHECK(function.has_value());  // it allows more laws, of the same records
  return Transfer(
      std::make_shared<const State>(State{std::move(plain), state_->known, *std::move(function), state_->weakest}));
}

std::size_t Transfer::classes() const { return state_->function->classes(); }
std::size_t Transfer::records() const { return state_->function->records(); }
const Model& Transfer::model() const { return state_->model; }
const std::optional<KnownTotals>& Transfer::known() const { return state_->known; }

Result<Transferred> Transfer::Loss(double plain, std::size_t of_class) const {
  KITH_CHECK(of_class < classes());
  if (!IsLoss(plain)) return NotALoss("plain");
  return state_->Evaluate(PlainLosses::All(plain), of_class);
}

std::optional<double> Transfer::Reached(double plain, std::size_t of_class) const {
  KITH_CHECK(of_class < classes() && IsLoss(plain));
  return state_->known ? std::nullopt : state_->function->Reached(plain, of_class);
}

Result<Transferred> Transfer::LossPerRecord(std::span<const double> plain, std::size_t of_class) const {
  KITH_CHECK(of_class < classes());
  const std::size_t records = state_->function->records();
  if (plain.empty() || (records != 0 && plain.size() != records)) {
    return InvalidArgument("there are " + std::to_string(plain.size()) + " plain losses, but the model has " +
                               std::to_string(records) + " records",
                           "plain", "give one loss for each record");
  }
  for (const double p : plain) {
    if (!IsLoss(p)) return NotALoss("plain");
  }
  return state_->Evaluate(PlainLosses::Each(plain), of_class);
}

Result<Transfer> Transfer::ForBudget(double dependent) const {
  constexpr double kWorth = 0.99;  // of the budget, for covering a stronger adversary
  if (auto fine = CheckTarget(dependent); !fine) return fine.error();
  State state{state_->model, state_->known, state_->function, state_->weakest};
  const auto keep = [&](std::size_t c, double plain) { state.budgets[c] = {dependent, plain}; };
  for (std::size_t c = 0; c < classes(); ++c) {
    Meter::Look();
    const auto bounds = state_->function->Bounds(PlainLosses::All(dependent), c);
    if (!bounds) return bounds.error();
    std::optional<double> best;  // of all bounds, once it is needed
    for (Adversary adversary = Adversary::kEvidence; adversary < state_->weakest[c];
         adversary = static_cast<Adversary>(static_cast<int>(adversary) + 1)) {
      const auto covers = [&](const BoundValues& b) { return b.adversary <= adversary; };
      const auto says_something = [&](const BoundValues& b) { return covers(b) && Finite(b); };
      if (std::all_of(bounds->begin(), bounds->end(), covers)) break;  // nothing to put aside
      if (std::none_of(bounds->begin(), bounds->end(), says_something)) continue;
      if (!best) {
        const auto found = PlainBudget(dependent, c);
        if (!found) return found.error();
        best = *found;
        keep(c, *best);
      }
      State stronger = state;
      stronger.weakest[c] = adversary;
      stronger.budgets[c].reset();
      const auto budget = Transfer(std::make_shared<const State>(stronger)).PlainBudget(dependent, c);
      if (!budget) return budget.error();
      if (*budget < kWorth * *best) continue;
      state = std::move(stronger);
      keep(c, *budget);
      break;
    }
  }
  return Transfer(std::make_shared<const State>(std::move(state)));
}

// Secant steps, kept inside the bracket, with a bisection when three of them did not halve it: few evaluations where g
// is smooth, logarithmic time where it jumps. `low` is always a loss that was evaluated and fits.
Result<double> Transfer::PlainBudget(double dependent, std::size_t of_class) const {
  KITH_CHECK(of_class < classes());
  if (auto fine = CheckTarget(dependent); !fine) return fine.error();
  if (const auto& found = state_->budgets[of_class]; found && found->dependent == dependent) return found->plain;
  const auto g = [&](double plain) -> Result<double> {
    Meter::Look();
    auto bounds = state_->function->Bounds(PlainLosses::All(plain), of_class);
    if (!bounds) return bounds.error();
    return Combine(state_->Used(std::move(*bounds), of_class), {}).dependent;
  };
  double low = 0;
  double high = dependent;  // g(e) >= e
  const auto at_low = g(low);
  const auto at_high = g(high);
  if (!at_low || !at_high) return at_low ? at_high : at_low;
  if (*at_high <= dependent) return high;
  if (*at_low > dependent) return 0;
  const double precision = state_->function->BudgetPrecision();
  double aim = dependent;  // first the target itself, which linear functions hit; then a little below, for the rounding
  std::pair<double, double> before = {low, *at_low};  // the last two points, with their losses
  std::pair<double, double> last = {high, *at_high};
  int slow = 0;
  while (high - low > high * precision / 32 && high > dependent * 0x1p-60) {
    const double width = high - low;
    const double slope = (last.second - before.second) / (last.first - before.first);
    double next = last.first - (last.second - aim) / slope;
    if (!(next > low && next < high) || slow == 3) {
      next = low + width / 2;
      slow = 0;
    }
    if (!(next > low && next < high)) break;  // no number between them
    const auto at_next = g(next);
    if (!at_next) return at_next.error();
    before = std::exchange(last, {next, *at_next});
    (*at_next <= dependent ? low : high) = next;
    if (*at_next <= dependent && *at_next >= dependent * (1 - precision)) break;
    slow = high - low > width / 2 ? slow + 1 : 0;
    aim = dependent * (1 - precision / 2);
  }
  return low;
}

}  // namespace kith
