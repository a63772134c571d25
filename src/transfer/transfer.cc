#include "transfer/transfer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "dependence/check.h"
#include "transfer/functions.h"
#include "transfer/rounding.h"

namespace kith {

struct Transfer::State {
  Model model;
  TransferFunctionPtr function;
};

namespace {

Error NotALoss(const char* which) {
  return InvalidArgument(std::string("a ") + which + " loss must be a finite number that is not negative", which,
                         "state a number such as 0.5");
}

bool IsLoss(double loss) { return loss >= 0 && std::isfinite(loss); }

}  // namespace

Result<Transfer> Transfer::Make(Model model) {
  if (auto ok = Check(model); !ok) return ok.error();
  auto function = std::visit([](const auto& m) { return MakeTransferFunction(m); }, model);
  if (!function) return function.error();
  return Transfer(std::make_shared<const State>(State{std::move(model), std::move(*function)}));
}

std::size_t Transfer::classes() const { return state_->function->classes(); }
std::size_t Transfer::records() const { return state_->function->records(); }
const Model& Transfer::model() const { return state_->model; }

Result<Transferred> Transfer::Loss(double plain, std::size_t of_class) const {
  KITH_CHECK(of_class < classes());
  if (!IsLoss(plain)) return NotALoss("plain");
  const auto bounds = state_->function->Bounds(PlainLosses::All(plain), of_class);
  if (!bounds) return bounds.error();
  return Combine(*bounds, state_->function->Assumes(of_class));
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
  const auto bounds = state_->function->Bounds(PlainLosses::Each(plain), of_class);
  if (!bounds) return bounds.error();
  return Combine(*bounds, state_->function->Assumes(of_class));
}

// Secant steps, kept inside the bracket, with a bisection when three of them did not halve it: few evaluations where g
// is smooth, logarithmic time where it jumps. `low` is always a loss that was evaluated and fits.
Result<double> Transfer::PlainBudget(double dependent, std::size_t of_class) const {
  KITH_CHECK(of_class < classes());
  if (!IsLoss(dependent)) return NotALoss("dependent");
  const auto g = [&](double plain) -> Result<double> {
    const auto loss = Loss(plain, of_class);
    if (!loss) return loss.error();
    return loss->dependent;
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
