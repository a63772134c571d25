#include "release/loss_words.h"

#include <fmt/format.h>

#include "loss/loss_text.h"

namespace kith {
namespace {

std::string Total(const Guarantee& g, double loss, double delta) {
  return g.mu_cap > 0 ? PairText(loss, delta) + ", the answers to come included" : LossText(loss);
}

}  // namespace

std::string DeltaText(double delta) { return LossText(delta, 4); }

std::string PairText(double epsilon, double delta) {
  return fmt::format("({}, {})", LossText(epsilon), DeltaText(delta));
}

std::string DependentText(const Guarantee& g) { return Total(g, g.dependent, g.delta); }

std::string PlainTotalText(const Guarantee& g) { return Total(g, g.plain, g.plain_delta); }

std::string CapsText(const Guarantee& g) {
  std::string text = fmt::format(
      "everything under the caps is {} where somebody knows the dependence, by {}; {} against somebody who knows "
      "everybody else; {} % of the budget is used (a Gaussian loss of {}, of {})",
      PairText(g.dependent, g.delta), g.bound, PairText(g.plain, g.plain_delta),
      LossText(100 * g.mu_spent * g.mu_spent / (g.mu_cap * g.mu_cap), 3), LossText(g.mu_spent), LeftText(g.mu_cap));
  for (std::size_t k = 0; k < g.curve.size(); ++k)
    text += fmt::format("{}{}", k == 0 ? "; also " : " ", PairText(g.curve[k].epsilon, g.curve[k].delta));
  if (g.pure)
    text += fmt::format("; every answer so far was a pure one: without a delta {} plain, {} dependent",
                        LossText(g.pure->plain), LossText(g.pure->dependent));
  return text;
}

}  // namespace kith
