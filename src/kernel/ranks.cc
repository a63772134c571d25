#include "kernel/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
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
  // At least half a row, so that the end itself is meant.
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

void SetIntervals(Plan& plan, bool wanted) {
  for (Statistic& statistic : plan.statistics) {
    if (!statistic.quantile || !statistic.noisy() || statistic.quantile->interval == wanted) continue;
    Quantile other = *statistic.quantile;
    other.interval = wanted;
    statistic.quantile = std::make_shared<const Quantile>(std::move(other));
  }
}

bool LacksIntervals(const Plan& plan) {
  return std::any_of(plan.statistics.begin(), plan.statistics.end(), [](const Statistic& statistic) {
    return statistic.quantile && !statistic.quantile->interval && statistic.noisy();
  });
}

RankEnds EndsOf(const Quantile& quantile) {
  return {quantile.interval && quantile.num > 0, quantile.interval && quantile.num < quantile.den};
}

std::uint64_t OthersOfEnds(const Quantile& quantile) {
  const auto others = static_cast<std::uint64_t>(quantile.candidates.size() - 1);
  if (!quantile.interval) return others;
  return others * EndsOf(quantile).Chosen() * static_cast<std::uint64_t>(quantile.together);
}

std::vector<std::int64_t> EndDistances(const Quantile& quantile, End end, std::int64_t reach,
                                       std::span<const std::int64_t> rows_at) {
  KITH_CHECK(rows_at.size() == quantile.candidates.size() && reach >= 0);
  const Int128 rows = std::accumulate(rows_at.begin(), rows_at.end(), Int128{0});
  // quantile_cont is between the rows around num/den * (rows - 1), the first of which has number 0.
  const Int128 before = (rows - 1) * quantile.num, after = before + quantile.den;
  const Int128 wanted = end == End::kLow ? before - reach : after + reach;
  std::vector<std::int64_t> distances;
  distances.reserve(rows_at.size());
  Int128 below = 0;
  for (std::size_t k = 0; k < rows_at.size(); ++k) {
    const Int128 up_to = below + Int128{rows_at[k]} * quantile.den;
    Int128 distance = 0;
    if (end == End::kHigh || k > 0) distance = std::max(distance, below - wanted);
    if (end == End::kLow || k + 1 < rows_at.size()) distance = std::max(distance, wanted - up_to);
    distances.push_back(static_cast<std::int64_t>(std::min(distance, Int128{PermuteAndFlip::kFarthest})));
    below = up_to;
  }
  return distances;
}

std::vector<ChosenEnds> ChooseEnds(const Quantile& quantile, std::span<const std::int64_t> rows_at,
                                   const PermuteAndFlip& law, BitSource& bits) {
  const RankEnds ends = EndsOf(quantile);
  const std::int64_t reach = law.Reach(OthersOfEnds(quantile));
  const std::size_t candidates = quantile.candidates.size();
  const auto choose = [&](End end, std::span<const std::int64_t> here) {
    return quantile.candidates[law.Choose(EndDistances(quantile, end, reach, here), bits)];
  };
  std::vector<ChosenEnds> chosen;
  for (std::size_t at = 0; at < rows_at.size(); at += candidates) {
    const auto here = rows_at.subspan(at, candidates);
    ChosenEnds of_group{quantile.candidates.front(), quantile.candidates.back()};
    if (ends.low) of_group.low = choose(End::kLow, here);
    if (ends.high) of_group.high = choose(End::kHigh, here);
    chosen.push_back(of_group);
  }
  return chosen;
}

ValueInterval IntervalOf(const Quantile& quantile, Lattice lattice, Int128 value, const ChosenEnds& ends) {
  const auto in_units = [&](Int128 steps) { return std::ldexp(static_cast<double>(steps), lattice.exponent); };
  const double half = quantile.rounded ? lattice.step() / 2 : 0;
  ValueInterval interval;
  interval.low = std::max(in_units(std::min({ends.low, ends.high, value})) - half, quantile.least);
  interval.high = std::min(in_units(std::max({ends.low, ends.high, value})) + half, quantile.most);
  interval.everything = interval.low <= quantile.least && interval.high >= quantile.most;
  // A value that was rounded to a point beyond the bounds.
  interval.low = std::min(interval.low, in_units(value));
  interval.high = std::max(interval.high, in_units(value));
  return interval;
}

bool ReachesAllRows(const Quantile& quantile, double error_95, double rows) {
  const double rank = static_cast<double>(quantile.num) / static_cast<double>(quantile.den);
  return std::ceil(error_95) >= rows * std::max(rank, 1 - rank);
}

namespace {

std::string RowsText(double rows) { return rows == 1 ? "1 row" : fmt::format("{:.0f} rows", rows); }

}  // namespace

std::string RankNote(const Statistic& statistic, double error_95, std::optional<double> most_rows) {
  const Quantile& quantile = *statistic.quantile;
  const double rows = std::ceil(error_95), most = most_rows.value_or(std::numeric_limits<double>::infinity());
  if (rows >= most)
    return fmt::format("{}: any value may come out, because the noise reaches over all rows, {} at most",
                       statistic.name, static_cast<std::int64_t>(most));
  constexpr const char* kNone = "it has no interval";
  if (quantile.num == 0 || quantile.num == quantile.den) {
    const std::string interval = quantile.interval ? fmt::format("its interval goes from there to the {} bound",
                                                                 quantile.num == 0 ? "lower" : "upper")
                                                   : kNone;
    return fmt::format("{}: a value with about {} {} it, at most {} with 95 %; {}", statistic.name, RowsText(rows),
                       quantile.num == 0 ? "below" : "above", RowsText(std::min(2 * rows, most)), interval);
  }
  const std::string interval =
      quantile.interval ? fmt::format("its interval reaches about {} to each side", RowsText(rows)) : kNone;
  if (2 * quantile.num == quantile.den) {
    return fmt::format("{}: with 95 % at most {} between it and the true one; {}", statistic.name,
                       RowsText(rows) + (rows == 1 ? " lies" : " lie"), interval);
  }
  return fmt::format(
      "{0}: with 95 % at most {1} {4} between it and the true one, {2} if the wanted rank is less than {1} from an "
      "end; {3}",
      statistic.name, RowsText(rows), RowsText(std::min(2 * rows, most)), interval, rows == 1 ? "lies" : "lie");
}

std::string IntervalNote(const std::string& name, double with, double without) {
  return fmt::format("{}: at this price an error of at most {} with an interval, {} without", name,
                     RowsText(std::ceil(with)), RowsText(std::ceil(without)));
}

}  // namespace kith
