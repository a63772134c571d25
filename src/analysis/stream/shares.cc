#include "analysis/stream/shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace kith::stream {
namespace {

constexpr std::array<std::pair<const char*, Sharing>, 7> kNames = {{{"uniform", Sharing::kUniform},
                                                                    {"harmonic", Sharing::kHarmonic},
                                                                    {"slack", Sharing::kSlack},
                                                                    {"rate", Sharing::kRate},
                                                                    {"offline", Sharing::kOffline},
                                                                    {"bd", Sharing::kDistribution},
                                                                    {"ba", Sharing::kAbsorption}}};

Rule RuleOf(Sharing sharing) {
  switch (sharing) {
    case Sharing::kHarmonic:
      return Rule::kHarmonic;
    case Sharing::kSlack:
      return Rule::kHarmonicSlack;
    case Sharing::kRate:
      return Rule::kRate;
    default:
      return Rule::kUniform;
  }
}

std::int64_t SumBetween(std::span<const Spent> spent, std::int64_t from, std::int64_t to) {
  std::int64_t sum = 0;
  for (const Spent& s : spent) sum += s.tick >= from && s.tick <= to ? s.units : 0;
  return sum;
}

// Rounded down, and never more than there is: rounding in doubles cannot exceed a window.
std::int64_t Floored(double amount, std::int64_t left) {
  if (!(amount > 0) || left <= 0) return 0;
  return amount >= static_cast<double>(left) ? left : static_cast<std::int64_t>(std::floor(amount));
}

Result<std::map<std::int64_t, std::int64_t>> Plan(std::span<const std::int64_t> asked, const Window& window) {
  if (asked.empty()) {
    return InvalidArgument("offline shares are made for steps that are known in advance", {},
                           "name them all, such as 0..95; or use the rule slack, which needs no plan")
        .For("stream.rule");
  }
  constexpr double kMost = 2e6;  // steps times window: a few seconds
  const std::int64_t first = asked.front(), steps = asked.back() - first + 1;
  if (static_cast<double>(steps) * static_cast<double>(window.steps) > kMost) {
    return InvalidArgument(
               fmt::format("offline shares for {} steps in windows of {} would take too long", steps, window.steps), {},
               "plan fewer steps at a time, or use the rule uniform or slack")
        .For("stream.rule");
  }
  std::vector<double> costs(static_cast<std::size_t>(steps), 0.0);
  for (const std::int64_t tick : asked) costs[static_cast<std::size_t>(tick - first)] = 1;
  const auto shares = AllocateOffline(costs, window, Aim::kAbsolute);
  if (!shares) return shares.error();
  std::map<std::int64_t, std::int64_t> planned;
  for (std::size_t t = 0; t < shares->size(); ++t) {
    if (costs[t] > 0)
      planned[first + static_cast<std::int64_t>(t)] = static_cast<std::int64_t>(std::floor((*shares)[t]));
  }
  return planned;
}

}  // namespace

Result<Sharing> SharingOf(const std::string& name) {
  for (const auto& [known, sharing] : kNames) {
    if (name == known) return sharing;
  }
  return InvalidArgument(fmt::format("unknown rule '{:.40}'", name), {},
                         "choose from: uniform, harmonic, slack, rate, offline, bd, ba")
      .For("stream.rule");
}

std::string NameOf(Sharing sharing) {
  for (const auto& [name, known] : kNames) {
    if (sharing == known) return name;
  }
  return "";
}

bool IsAdaptive(Sharing sharing) { return sharing == Sharing::kDistribution || sharing == Sharing::kAbsorption; }

Terms::Terms(Sharing sharing, std::int64_t window, PlainUnits units, double rate)
    : sharing_(sharing), window_(window), units_(units), rate_(rate) {}

Result<Terms> Terms::Make(Sharing sharing, std::int64_t window, PlainUnits units, double rate,
                          std::span<const std::int64_t> asked) {
  if (window < 1) return InvalidArgument("a window needs at least one step");
  if (!(rate > 0 && rate <= 1))
    return InvalidArgument("the rate is a share of all steps: above 0, at most 1", {}, "1 if every step asks")
        .For("stream.rate");
  Terms terms(sharing, window, units, rate);
  if (units.count() / (IsAdaptive(sharing) ? 2 * window : window) < 1) {
    return BudgetExhausted("the price is too small: a step's share is below the smallest unit of loss", {},
                           "offer more");
  }
  if (sharing == Sharing::kOffline) {
    auto planned = Plan(asked, {static_cast<std::size_t>(window), static_cast<double>(units.count())});
    if (!planned) return planned.error();
    terms.planned_ = std::move(*planned);
  }
  return terms;
}

PlainUnits Terms::Release(std::int64_t tick, std::span<const Spent> before) const {
  const std::int64_t left = units_.count() - SumBetween(before, tick - window_ + 1, tick - 1);
  if (sharing_ == Sharing::kOffline) {
    const auto planned = planned_.find(tick);
    return PlainUnits::Of(
        planned == planned_.end() ? 0 : std::clamp<std::int64_t>(planned->second, 0, std::max<std::int64_t>(0, left)));
  }
  const Window window{static_cast<std::size_t>(window_), static_cast<double>(units_.count())};
  auto online = Online::Make(window, RuleOf(sharing_), {rate_, 1});
  if (!online) return {};
  std::vector<double> given(static_cast<std::size_t>(window_ - 1), 0.0);
  for (const Spent& s : before) {
    const std::int64_t at = s.tick - (tick - window_ + 1);
    if (at >= 0 && s.tick < tick) given[static_cast<std::size_t>(at)] += static_cast<double>(s.units);
  }
  online->Resume(given);
  return PlainUnits::Of(Floored(online->Next(true), left));
}

PlainUnits Terms::Test() const { return PlainUnits::Of(units_.count() / (2 * window_)); }

PlainUnits Terms::Publication(std::int64_t tick, std::span<const Spent> published, std::int64_t first) const {
  const std::int64_t unit = units_.count() / (2 * window_), half = unit * window_;
  const std::int64_t left = half - SumBetween(published, tick - window_ + 1, tick - 1);
  if (sharing_ == Sharing::kDistribution) return PlainUnits::Of(std::max<std::int64_t>(0, left) / 2);
  // Absorption: the shares of all steps since the last publication, less as many as it took in advance.
  std::int64_t free_since = first - 1;
  if (!published.empty()) {
    const Spent& last = published.back();
    free_since = std::max(free_since, last.tick + (last.units + unit - 1) / unit - 1);
  }
  const std::int64_t absorbed = std::clamp<std::int64_t>(tick - free_since, 0, window_) * unit;
  return PlainUnits::Of(std::max<std::int64_t>(0, std::min(absorbed, left)));
}

}  // namespace kith::stream
