#include "tests/support/key_law.h"

#include <algorithm>
#include <cmath>

namespace kith::testing {
namespace {

/// P[Z >= steps] of the noise.
long double Tail(std::int64_t steps, const KeyLaw& law) {
  const auto at = static_cast<long double>(steps);
  if (!law.laplace) return std::erfc((at - 0.5L) / law.scale / std::sqrt(2.0L)) / 2;
  const long double q = std::exp(-1 / law.scale);
  const auto whole = [&](long double k) { return k > 0 ? std::pow(q, k) / (1 + q) : 1 - std::pow(q, 1 - k) / (1 + q); };
  if (!law.cut) return whole(at);
  const auto end = static_cast<long double>(law.threshold);
  if (at >= end) return 0;
  // As sums of positive terms, so that small ones keep their digits.
  const long double inside = at > 0 ? std::pow(q, at) * (1 - std::pow(q, end - at)) / (1 + q)
                                    : 1 - std::pow(q, 1 - at) / (1 + q) - std::pow(q, end) / (1 + q);
  return inside / (1 - whole(end));
}

/// P[Z = steps], with all its digits.
long double Point(std::int64_t steps, const KeyLaw& law) {
  if (!law.laplace) return Tail(steps, law) - Tail(steps + 1, law);
  if (law.cut && steps >= law.threshold) return 0;
  const long double q = std::exp(-1 / law.scale);
  const long double all = law.cut ? 1 - std::pow(q, static_cast<long double>(law.threshold)) / (1 + q) : 1;
  return (1 - q) / (1 + q) * std::pow(q, std::abs(static_cast<long double>(steps))) / all;
}

/// What is seen of one key: that it is not shown, a noisy count from the threshold on, or one beyond `last`.
std::vector<long double> SeenOf(std::int64_t units, std::int64_t last, const KeyLaw& of) {
  std::vector<long double> law(static_cast<std::size_t>(last - of.threshold + 3), 0);
  if (units == 0) {  // keys that do not occur are never shown
    law[0] = 1;
    return law;
  }
  law[0] = 1 - Tail(of.threshold - units, of);
  if (of.laplace && units >= of.threshold) {  // P[Z <= threshold - units - 1]
    const long double q = std::exp(-1 / of.scale);
    const long double all = of.cut ? 1 - std::pow(q, static_cast<long double>(of.threshold)) / (1 + q) : 1;
    law[0] = std::pow(q, static_cast<long double>(units - of.threshold + 1)) / (1 + q) / all;
  }
  for (std::int64_t count = of.threshold; count <= last; ++count)
    law[static_cast<std::size_t>(count - of.threshold + 1)] = Point(count - units, of);
  law.back() = Tail(last + 1 - units, of);
  return law;
}

}  // namespace

long double DeltaOfKeys(const std::vector<PossibleKeys>& before, const std::vector<PossibleKeys>& after,
                        const KeyLaw& law, long double loss) {
  const std::size_t keys = before.front().units.size();
  std::vector<const PossibleKeys*> worlds;
  for (const auto* side : {&before, &after}) {
    for (const PossibleKeys& world : *side) worlds.push_back(&world);
  }
  // Of each world the probability of every answer about all keys, one key after another.
  std::vector<std::vector<long double>> answers(worlds.size(), {1});
  for (std::size_t key = 0; key < keys; ++key) {
    std::int64_t last = law.threshold;
    for (const PossibleKeys* world : worlds) last = std::max(last, world->units[key]);
    last += law.cut ? law.threshold : static_cast<std::int64_t>(std::ceil((law.laplace ? 40 : 9) * law.scale));
    for (std::size_t w = 0; w < worlds.size(); ++w) {
      const auto seen_of = SeenOf(worlds[w]->units[key], last, law);
      std::vector<long double> next;
      next.reserve(answers[w].size() * seen_of.size());
      for (const long double so_far : answers[w]) {
        for (const long double seen : seen_of) next.push_back(so_far * seen);
      }
      answers[w] = std::move(next);
    }
  }
  long double delta = 0;
  for (std::size_t answer = 0; answer < answers.front().size(); ++answer) {
    long double p = 0, q = 0;
    for (std::size_t w = 0; w < worlds.size(); ++w)
      (w < before.size() ? p : q) += worlds[w]->probability * answers[w][answer];
    delta += std::max(0.0L, p - std::exp(loss) * q);
  }
  return delta;
}

}  // namespace kith::testing
