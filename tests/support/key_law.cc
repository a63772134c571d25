#include "tests/support/key_law.h"

#include <algorithm>
#include <cmath>

namespace kith::testing {
namespace {

/// P[Z >= steps] of rounded normal noise.
long double Tail(long double steps, long double sigma) {
  return std::erfc((steps - 0.5L) / sigma / std::sqrt(2.0L)) / 2;
}

/// What is seen of one key: that it is not shown, a noisy count from the threshold on, or one beyond `last`.
std::vector<long double> SeenOf(std::int64_t units, std::int64_t threshold, std::int64_t last, long double sigma) {
  std::vector<long double> law(static_cast<std::size_t>(last - threshold + 3), 0);
  if (units == 0) {  // keys that do not occur are never shown
    law[0] = 1;
    return law;
  }
  const auto reaches = [&](std::int64_t count) { return Tail(static_cast<long double>(count - units), sigma); };
  law[0] = 1 - reaches(threshold);
  for (std::int64_t count = threshold; count <= last; ++count)
    law[static_cast<std::size_t>(count - threshold + 1)] = reaches(count) - reaches(count + 1);
  law.back() = reaches(last + 1);
  return law;
}

}  // namespace

long double DeltaOfKeys(const std::vector<PossibleKeys>& before, const std::vector<PossibleKeys>& after,
                        std::int64_t threshold, long double sigma, long double loss) {
  const std::size_t keys = before.front().units.size();
  std::vector<const PossibleKeys*> worlds;
  for (const auto* side : {&before, &after}) {
    for (const PossibleKeys& world : *side) worlds.push_back(&world);
  }
  // Of each world the probability of every answer about all keys, one key after another.
  std::vector<std::vector<long double>> answers(worlds.size(), {1});
  for (std::size_t key = 0; key < keys; ++key) {
    std::int64_t last = threshold;
    for (const PossibleKeys* world : worlds) last = std::max(last, world->units[key]);
    last += static_cast<std::int64_t>(std::ceil(9 * sigma));
    for (std::size_t w = 0; w < worlds.size(); ++w) {
      const auto law = SeenOf(worlds[w]->units[key], threshold, last, sigma);
      std::vector<long double> next;
      next.reserve(answers[w].size() * law.size());
      for (const long double so_far : answers[w]) {
        for (const long double seen : law) next.push_back(so_far * seen);
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
