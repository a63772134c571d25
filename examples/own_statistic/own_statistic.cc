// A statistic that SQL cannot ask: how water use per person is spread, by weights that fall off linearly between
// points (a household at 130 litres counts 0.7 at 120 and 0.3 at 160, roughly), and a score that the waterworks made
// up. Usage: own_statistic policy.toml EPSILON [--explain]
#include <kith/kith.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr std::size_t kPoints = 8;  // at 0, 40, 80, ... 280 litres a day for each person
constexpr double kBetween = 40;

// One household. Nothing but this row may decide what is added.
void Household(std::span<const double> row, kith::Contribution& out) {
  const double litres = row[0], people = row[1];
  const double at = std::min(litres / people / kBetween, kPoints - 1.0);
  const auto left = static_cast<std::size_t>(std::min(at, kPoints - 2.0));
  out.Add(left, 1 - (at - static_cast<double>(left)));
  out.Add(left + 1, at - static_cast<double>(left));
  out.Add(kPoints, std::pow(litres / people / 100, 1.5));  // the score: cut to its bounds by kith
}

int Fail(const kith::Error& error) {
  std::fprintf(stderr, "%s\n", error.Text().c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: own_statistic policy.toml EPSILON [--explain]\n");
    return 2;
  }
  const auto curator = kith::Curator::Open(argv[1]);
  if (!curator) return Fail(curator.error());

  kith::Statistic statistic;
  statistic.name = "water 1";  // another name whenever Household changes: answers are kept by it
  statistic.values = {"litres", "people"};
  statistic.parts = {
      // A household adds 1 in all, so it moves these eight numbers by 2 at the most, not by 8.
      {.name = "households", .size = kPoints, .low = 0, .high = 1, .step = 1.0 / 1024, .most = 1, .weight = 2},
      {.name = "score", .low = 0, .high = 4, .step = 1.0 / 1024},
  };
  statistic.function = Household;

  const kith::Price price = {.epsilon = std::atof(argv[2])};
  if (argc > 3 && std::strcmp(argv[3], "--explain") == 0) {
    const auto explained = curator->Explain(statistic, price);
    if (!explained) return Fail(explained.error());
    for (const auto& line : explained->noise)
      std::printf("%s: a household moves it by %g at the most; within %.1f with probability 95 %%\n",
                  line.statistic.c_str(), line.sensitivity, line.error_95);
    return 0;
  }
  const auto answer = curator->Release(statistic, price);
  if (!answer) return Fail(answer.error());
  for (std::size_t k = 0; k < kPoints; ++k)
    std::printf("about %3.0f litres: %8.1f households\n", kBetween * static_cast<double>(k),
                std::get<double>(answer->rows[k][2].value));
  std::printf("score: %.1f\n", std::get<double>(answer->rows[kPoints][2].value));
  std::printf("%s; dependent loss of all answers so far: %.3g; claims:", answer->stored ? "asked before" : "charged",
              answer->certificate.guarantee.dependent);
  for (const auto& claim : answer->certificate.claims) std::printf(" %s", claim.c_str());
  std::printf("\n");
  return 0;
}
