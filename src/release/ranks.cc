#include "release/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace kith {

std::vector<std::int64_t> RankDistances(const Quantile& quantile, std::int64_t margin,
                                        std::span<const std::int64_t> rows_at) {
  KITH_CHECK(rows_at.size() == quantile.candidates.size() && margin >= 0);
  // Whole numbers far below 2^127: at most 2^16 candidates of 2^48 rows, times den <= 2^21.
  const Int128 rows = std::accumulate(rows_at.begin(), rows_at.end(), Int128{0});
  const Int128 end = rows * quantile.den, middle = rows * (quantile.den / 2);
  const Int128 first = std::min(Int128{margin}, middle), last = std::max(end - margin, middle);
  const Int128 wanted = std::clamp(rows * quantile.num, first, last);
  std::vector<std::int64_t> distances;
  distances.reserve(rows_at.size());
  Int128 below = 0;
  for (const std::int64_t here : rows_at) {
    const Int128 up_to = below + Int128{here} * quantile.den;
    const Int128 distance = std::max({Int128{0}, below - wanted, wanted - up_to});
    distances.push_back(static_cast<std::int64_t>(std::min(distance, Int128{PermuteAndFlip::kFarthest})));
    below = up_to;
  }
  return distances;
}

std::int64_t MarginOf(const Quantile& quantile, const PermuteAndFlip& law) {
  // Half a row at least, so that the end itself is meant.
  return std::max(quantile.den / 2, law.Reach(quantile.candidates.size() - 1));
}

std::vector<Int128> ChooseByRank(const Quantile& quantile, std::span<const std::int64_t> rows_at,
                                 const PermuteAndFlip& law, BitSource& bits) {
  const std::int64_t margin = MarginOf(quantile, law);
  const std::size_t candidates = quantile.candidates.size();
  std::vector<Int128> chosen;
  for (std::size_t at = 0; at < rows_at.size(); at += candidates) {
    const auto distances = RankDistances(quantile, margin, rows_at.subspan(at, candidates));
    chosen.push_back(quantile.candidates[law.Choose(distances, bits)]);
  }
  return chosen;
}

RankErrors RankErrorsOf(const Quantile& quantile, const PermuteAndFlip& law, std::size_t groups) {
  const std::uint64_t others = quantile.candidates.size() - 1;
  const auto rows = [&](std::int64_t reach) { return static_cast<double>(reach) / static_cast<double>(quantile.den); };
  return {rows(law.Reach(others)), rows(law.Reach(others * groups))};
}

std::string RankNote(const Statistic& statistic, double error_95) {
  const Quantile& quantile = *statistic.quantile;
  const double rows = std::ceil(error_95);
  if (quantile.num == 0 || quantile.num == quantile.den) {
    return fmt::format("{}: a value with about {:.0f} rows {} it, at most {:.0f} with 95 %; it has no error bar",
                       statistic.name, rows, quantile.num == 0 ? "below" : "above", 2 * rows);
  }
  if (2 * quantile.num == quantile.den) {
    return fmt::format("{}: with 95 % at most {:.0f} rows lie between it and the true one; it has no error bar",
                       statistic.name, rows);
  }
  return fmt::format(
      "{0}: with 95 % at most {1:.0f} rows lie between it and the true one, {2:.0f} if the wanted rank is less than "
      "{1:.0f} rows from an end; it has no error bar",
      statistic.name, rows, 2 * rows);
}

}  // namespace kith
