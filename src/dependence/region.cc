#include "dependence/region.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dependence/check.h"

namespace kith {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Sums of at most kMaxValues probabilities are wrong by less than this.
constexpr double kSumError = 0x1p-46;

double Sum(const Law& law) {
  double sum = 0;
  for (const double p : law) sum += p;
  return sum;
}

Result<void> CheckRow(const Law& low, const Law& high, const std::string& where) {
  std::size_t intervals = 0;
  for (std::size_t x = 0; x < low.size(); ++x) {
    if (!(low[x] >= 0 && high[x] <= 1 && low[x] <= high[x])) {
      return InvalidArgument("an interval is two probabilities between 0 and 1, the smaller one first", where,
                             "for example [0.15, 0.25]");
    }
    intervals += low[x] < high[x] ? 1 : 0;
  }
  if (intervals == 1) {
    return InvalidArgument("one interval alone leaves no room: the other probabilities of its row are exact", where,
                           "write intervals for the others too; a row adds up to 1");
  }
  const double least = Sum(low), most = Sum(high);
  if (least > 1 + kProbabilitySlack || most < 1 - kProbabilitySlack) {
    return InvalidArgument(
        intervals == 0 ? "the probabilities add up to " + std::to_string(least) + ", not 1"
                       : "no probabilities within these intervals add up to 1 (their ends add up to " +
                             std::to_string(least) + " and " + std::to_string(most) + ")",
        where,
        "write one probability for every value of the record, with at least 9 digits where they do not terminate");
  }
  return {};
}

}  // namespace

bool IsPoint(const TableRegion& table) { return table.low == table.high; }

bool IsPoint(const ChainRegion& chain) {
  return chain.start && IsPoint(*chain.start) &&
         std::all_of(chain.seasons.begin(), chain.seasons.end(), [](const auto& table) { return IsPoint(table); });
}

Result<void> CheckRegion(const TableRegion& table, std::size_t rows, std::size_t columns, const std::string& where) {
  if (table.low.size() != rows || table.high.size() != rows) {
    return InvalidArgument("the table has " + std::to_string(table.low.size()) +
                               " rows, but the record it is given on has " + std::to_string(rows) + " values",
                           where, "write one row for each value");
  }
  for (std::size_t a = 0; a < rows; ++a) {
    const std::string row = where + ", row " + std::to_string(a);
    if (columns < 1 || static_cast<std::int64_t>(columns) > kMaxValues) {
      return InvalidArgument(
          "a law needs between 1 and " + std::to_string(kMaxValues) + " probabilities, not " + std::to_string(columns),
          row, "merge rare values into one");
    }
    if (table.low[a].size() != columns || table.high[a].size() != columns) {
      return InvalidArgument("rows of one table differ in length", row,
                             "write one probability for each value of the record");
    }
    if (auto ok = CheckRow(table.low[a], table.high[a], row); !ok) return ok;
  }
  return {};
}

TableRegion Tightened(TableRegion table) {
  for (std::size_t a = 0; a < table.low.size(); ++a) {
    Law &low = table.low[a], &high = table.high[a];
    if (low == high) {
      low = high = Normalised(std::move(low));
      continue;
    }
    const double least = Sum(low), most = Sum(high);
    const Law was_low = low, was_high = high;
    for (std::size_t x = 0; x < low.size(); ++x) {
      const double floor = 1 - (most - was_high[x]) - kSumError, ceiling = 1 - (least - was_low[x]) + kSumError;
      // Written ends may miss the sum 1 by their last digits: then the order of the two is not known.
      low[x] = std::clamp(std::max(was_low[x], std::min(floor, was_high[x])), 0.0, 1.0);
      high[x] = std::clamp(std::min(was_high[x], std::max(ceiling, was_low[x])), 0.0, 1.0);
    }
  }
  return table;
}

double LargestStrength(const TableRegion& table) {
  double largest = 1;
  for (std::size_t a = 0; a < table.low.size(); ++a) {
    for (std::size_t b = 0; b < table.low.size(); ++b) {
      if (a == b) continue;
      // The largest of P(x|a)/P(x|b) times the largest of P(y|b)/P(y|a) covers every two values.
      double up = 0, down = 0;
      for (std::size_t x = 0; x < table.low[a].size(); ++x) {
        const auto ratio = [&](std::size_t above, std::size_t below) {
          if (table.high[above][x] == 0) return 0.0;
          return table.low[below][x] == 0 ? kInfinity : table.high[above][x] / table.low[below][x];
        };
        up = std::max(up, ratio(a, b));
        down = std::max(down, ratio(b, a));
      }
      largest = std::max(largest, up * down);
    }
  }
  if (std::isinf(largest) || largest == 1) return std::log(largest);
  return std::log(largest) * (1 + 0x1p-48) + 0x1p-48;
}

}  // namespace kith
