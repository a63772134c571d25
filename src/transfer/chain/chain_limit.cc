#include "transfer/chain/chain_limit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/meter.h"
#include "dependence/check.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

constexpr double kDoubleError = std::numeric_limits<double>::epsilon();
constexpr auto kExtendedError = static_cast<double>(std::numeric_limits<long double>::epsilon());
constexpr std::int64_t kMostSteps = 4000;
constexpr std::int64_t kStepsByProgramme = 200;  // beyond this, the closed form is used
/// Laws that will never again move by more than this fraction are treated as fixed; the fraction is accounted for.
constexpr double kFixed = 1e-10;

/// Messages are called settled a little above where they are, so that a step that raises nothing is found. The slower a
/// chain forgets, the more that takes.
double Headroom(std::int64_t step) { return step < 500 ? 1e-13 : step < 2000 ? 1e-11 : 1e-9; }

SeveralValues How(std::int64_t step, std::size_t values) {
  return step < kStepsByProgramme || values <= 4 ? SeveralValues::kLinearProgramme : SeveralValues::kLargest;
}

/// What a record sees of its neighbour, whose own message is `from`, through rows[x] = law of the neighbour given value
/// x.
Spread Seen(const Spread& from, const LawTable& rows, double error, SeveralValues how) {
  Spread seen(rows.size(), 0);
  for (std::size_t x = 0; x < rows.size(); ++x) {
    for (std::size_t y = 0; y < rows.size(); ++y) {
      if (x != y) seen(x, y) = SpreadLoss(from, rows[x], rows[y], error, how);
    }
  }
  return seen;
}

/// What a record sees on one side, by its distance from that end of the chain. Beyond the list its last entry holds for
/// all.
struct Side {
  std::vector<Spread> seen;
  std::vector<std::vector<std::size_t>> possible;  // the values that the entries of `seen` are about; empty: all
  bool settled = false;
  std::size_t Index(std::int64_t distance) const {
    return static_cast<std::size_t>(std::min<std::int64_t>(distance, static_cast<std::int64_t>(seen.size()) - 1));
  }
};

/// From the last record towards the first: every step follows the same table, so if one step raises nothing, none ever
/// will.
Side FromTheRight(const Chain& chain, const LawTable& table, double plain) {
  Side side;
  side.seen.emplace_back(table.size(), 0);
  for (std::int64_t step = 0; step < kMostSteps && step + 1 < chain.length; ++step) {
    Meter::Look();
    Spread from = side.seen.back();
    from.Add(plain);
    side.seen.push_back(Seen(from, table, kDoubleError, How(step, chain.start.size())));
    const Spread wide = side.seen.back().Widened(Headroom(step), plain);
    from = wide;
    from.Add(plain);
    if (Seen(from, table, kDoubleError, How(step, chain.start.size())).AtMost(wide)) {
      side.seen.back() = wide;
      side.settled = true;
      return side;
    }
  }
  side.settled = static_cast<std::int64_t>(side.seen.size()) >= chain.length;
  return side;
}

using Extended = std::vector<long double>;

std::vector<Extended> Squared(const std::vector<Extended>& table) {
  std::vector<Extended> square(table.size(), Extended(table.size(), 0));
  for (std::size_t a = 0; a < table.size(); ++a) {
    for (std::size_t u = 0; u < table.size(); ++u) {
      for (std::size_t b = 0; b < table.size(); ++b) square[a][b] += table[a][u] * table[u][b];
    }
  }
  return square;
}

/// By how much a table brings two laws closer, in Hilbert's metric (Birkhoff): tanh of a quarter of its diameter; 1
/// with zeros.
double Contraction(const std::vector<Extended>& table) {
  long double largest = 1;
  for (const auto& row : table) {
    for (const auto& other : table) {
      for (std::size_t x = 0; x < row.size(); ++x) {
        for (std::size_t y = 0; y < row.size(); ++y) {
          if (row[y] == 0 || other[x] == 0) return 1;
          largest = std::max(largest, row[x] * other[y] / (row[y] * other[x]));
        }
      }
    }
  }
  return std::min(1.0, std::tanh(static_cast<double>(std::log(largest)) / 4) + 1e-9);
}

/// All that later laws can move together, as a multiple of what one step moves them: the steps of a block, times one
/// over (1 - contraction of the block), for the best length of block; at most the length of the chain.
double Reach(std::vector<Extended> table, double length) {
  double reach = length;
  for (double block = 1; block <= 256; block *= 2) {
    const double contraction = Contraction(table);
    if (contraction < 1) reach = std::min(reach, block / (1 - contraction));
    table = Squared(table);
  }
  return reach;
}

/// The laws of the records, one after another, in extended precision.
class Laws {
 public:
  explicit Laws(const Chain& chain) {
    const long double sum = std::accumulate(chain.start.begin(), chain.start.end(), 0.0L);
    for (const double p : chain.start) law_.push_back(p / sum);
    for (const auto& row : chain.transition) {
      const long double total = std::accumulate(row.begin(), row.end(), 0.0L);
      table_.emplace_back();
      for (const double p : row) table_.back().push_back(p / total);
    }
    reach_ = Reach(table_, static_cast<double>(chain.length));
  }

  /// The law of the record before, given each value of this one, for values that occur; then moves on by one record.
  LawTable NextGivenAfter() {
    const Extended before = law_;
    Extended after(before.size(), 0);
    for (std::size_t u = 0; u < before.size(); ++u) {
      for (std::size_t x = 0; x < after.size(); ++x) after[x] += before[u] * table_[u][x];
    }
    LawTable given;
    for (std::size_t x = 0; x < after.size(); ++x) {
      if (after[x] == 0) continue;
      given.emplace_back();
      for (std::size_t u = 0; u < before.size(); ++u) {
        if (before[u] > 0) given.back().push_back(static_cast<double>(before[u] * table_[u][x] / after[x]));
      }
    }
    const long double sum = std::accumulate(after.begin(), after.end(), 0.0L);
    long double moved = 0;
    for (std::size_t x = 0; x < after.size(); ++x) {
      after[x] /= sum;
      if (after[x] == 0 && before[x] == 0) continue;
      moved = std::max(moved, before[x] == 0 ? 1 : std::abs(after[x] - before[x]) / before[x]);
    }
    law_ = after;
    error_ += static_cast<double>(after.size() + 6) * kExtendedError;
    to_come_ =
        4 * (static_cast<double>(moved) + error_) * reach_;  // Hilbert's metric is at most twice the relative change
    return given;
  }

  std::vector<std::size_t> Possible() const {
    std::vector<std::size_t> values;
    for (std::size_t x = 0; x < law_.size(); ++x) {
      if (law_[x] > 0) values.push_back(x);
    }
    return values;
  }
  bool TooSmall() const {
    return std::any_of(law_.begin(), law_.end(), [](long double p) { return p > 0 && p < 1e-4000L; });
  }
  /// Relative error of the laws so far, and by how much all later ones can still differ from the present one.
  double error() const { return error_; }
  double to_come() const { return to_come_; }

 private:
  double reach_ = 1;
  Extended law_;
  std::vector<Extended> table_;
  double error_ = 0;
  double to_come_ = 1;
};

/// From the first record towards the last: tables are read backwards, and change until the law has settled.
Side FromTheLeft(const Chain& chain, double plain) {
  Side side;
  Laws laws(chain);
  side.possible.push_back(laws.Possible());
  side.seen.emplace_back(side.possible[0].size(), 0);
  for (std::int64_t step = 0; step < kMostSteps && step + 1 < chain.length; ++step) {
    Meter::Look();
    Spread from = side.seen.back();
    from.Add(plain);
    const LawTable given = laws.NextGivenAfter();
    if (laws.TooSmall()) return side;
    side.seen.push_back(Seen(from, given, kDoubleError + 2 * laws.error(), How(step, chain.start.size())));
    side.possible.push_back(laws.Possible());
    if (laws.to_come() > kFixed) continue;
    const Spread wide = side.seen.back().Widened(Headroom(step), plain);
    from = wide;
    from.Add(plain);
    const double error = kDoubleError + 2 * (laws.error() + laws.to_come());
    if (Seen(from, given, error, How(step, chain.start.size())).AtMost(wide)) {
      side.seen.back() = wide;
      side.settled = true;
      return side;
    }
  }
  side.settled = static_cast<std::int64_t>(side.seen.size()) >= chain.length;
  return side;
}

/// The largest loss about a record that sees `left` on one side and `right` on the other.
double Together(const Spread& left, const std::vector<std::size_t>& possible, const Spread& right, double plain) {
  double worst = plain;
  for (std::size_t x = 0; x < possible.size(); ++x) {
    for (std::size_t y = 0; y < possible.size(); ++y) {
      if (x == y) continue;
      const double others = rounding::AddUp(left(x, y), right(possible[x], possible[y]));
      worst = std::max(worst, rounding::AddUp(plain, others));
    }
  }
  return worst;
}

}  // namespace

std::optional<SettledChain> SettleChain(const Chain& chain, double plain, std::int64_t most_records) {
  LawTable table;
  for (const auto& row : chain.transition) table.push_back(Normalised(row));
  const Side left = FromTheLeft(chain, plain);
  const Side right = FromTheRight(chain, table, plain);
  if (!left.settled || !right.settled) return std::nullopt;
  const auto near_left = static_cast<std::int64_t>(left.seen.size());
  const auto near_right = static_cast<std::int64_t>(right.seen.size());
  SettledChain settled;
  for (std::int64_t i = 0; i < chain.length; ++i) {
    Meter::Look();
    const bool in_between = i >= near_left && chain.length - 1 - i >= near_right;
    if (in_between && chain.length > most_records) {
      i = chain.length - 1 - near_right;  // all records in between see the same
      continue;
    }
    const std::size_t l = left.Index(i);
    const double loss = Together(left.seen[l], left.possible[l], right.seen[right.Index(chain.length - 1 - i)], plain);
    settled.worst = std::max(settled.worst, loss);
    if (chain.length <= most_records) settled.losses.push_back(loss);
  }
  return settled;
}

}  // namespace kith
