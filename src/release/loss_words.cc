#include "release/loss_words.h"

#include <fmt/format.h>

#include "loss/loss_text.h"

namespace kith {
namespace {

std::string Total(const Guarantee& g, double loss, double delta) {
  if (!g.CountsDelta()) return LossText(loss);
  // Caps of Gaussian loss hold whatever the policy says later; pure losses may go on under another one.
  return fmt::format("{}, the answers to come{} included", PairText(loss, delta),
                     g.mu_cap > 0 ? "" : " under this policy");
}

}  // namespace

std::string DeltaText(double delta) { return LossText(delta, 4); }

std::string PairText(double epsilon, double delta) {
  return fmt::format("({}, {})", LossText(epsilon), DeltaText(delta));
}

std::string CanHappenText(double at_most, double reached) {
  std::string text = fmt::format("at most {}; {} can happen", LossText(at_most), LeftText(reached));
  if (reached < 0.9 * at_most) {
    text +=
        " (the bound adds up the worst of each step, which no law is known to have all at once; that nothing loses "
        "more than "
        "the smaller number is not proved)";
  }
  return text;
}

std::string DependentText(const Guarantee& g) { return Total(g, g.dependent, g.delta); }

std::string PlainTotalText(const Guarantee& g) { return Total(g, g.plain, g.plain_delta); }

std::string CapsText(const Guarantee& g) {
  const bool open = !(g.mu_cap > 0);
  std::string text = fmt::format(
      "everything {} is {} where somebody knows the dependence, by {}; {} against somebody who knows everybody else; ",
      open ? "that was and will be answered under this policy" : "under the caps", PairText(g.dependent, g.delta),
      g.bound, PairText(g.plain, g.plain_delta));
  text += open
              ? "answers are counted at their pure value, and deltas for keys beside it: of these the policy's epsilon "
                "and delta are limits, and how much of them was used is no guarantee"
              : fmt::format("{} % of the budget is used (a Gaussian loss of {}, of {})",
                            LossText(100 * g.mu_spent * g.mu_spent / (g.mu_cap * g.mu_cap), 3), LossText(g.mu_spent),
                            LeftText(g.mu_cap));
  for (std::size_t k = 0; k < g.curve.size(); ++k)
    text += fmt::format("{}{}", k == 0 ? "; also " : " ", PairText(g.curve[k].epsilon, g.curve[k].delta));
  if (g.pure)
    text += fmt::format("; every answer so far was a pure one: without a delta {} plain, {} dependent",
                        LossText(g.pure->plain), LossText(g.pure->dependent));
  return text;
}

}  // namespace kith
