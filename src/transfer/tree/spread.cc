#include "transfer/tree/spread.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "transfer/kernel_lp.h"
#include "transfer/pair/pair.h"
#include "transfer/rounding.h"

namespace kith {

Spread::Spread(std::size_t values, double apart) : values_(values), bounds_(values * values, apart) {
  for (std::size_t x = 0; x < values; ++x) (*this)(x, x) = 0;
}

double Spread::Largest() const { return bounds_.empty() ? 0 : *std::max_element(bounds_.begin(), bounds_.end()); }

void Spread::Add(const Spread& other) {
  KITH_CHECK(other.values_ == values_);
  for (std::size_t k = 0; k < bounds_.size(); ++k) bounds_[k] = rounding::AddUp(bounds_[k], other.bounds_[k]);
}

void Spread::Add(double loss) { Add(Spread(values_, loss)); }

bool Spread::AtMost(const Spread& other) const {
  return std::equal(bounds_.begin(), bounds_.end(), other.bounds_.begin(), [](double x, double y) { return x <= y; });
}

Spread Spread::Widened(double part, double loss) const {
  Spread wide = *this;
  for (double& bound : wide.bounds_) bound += bound * part;
  wide.Add(part * loss);
  return wide;
}

namespace {

double ByProgramme(const Spread& spread, std::span<const double> p, std::span<const double> q) {
  std::vector<KernelArc> arcs;
  for (std::uint32_t x = 0; x < spread.values(); ++x) {
    for (std::uint32_t y = 0; y < spread.values(); ++y) {
      if (x != y) arcs.push_back({x, y, rounding::ExpUp(spread(x, y))});
    }
  }
  return LargestLogRatio(p, q, arcs);
}

/// Three and four values: the best kernel is an extreme ray, and constraints that hold with equality connect all values
/// of one. So it follows from the value at 0 along a tree, each step being one of the two bounds of its pair. All
/// trees, all choices.
struct Rooted {
  std::vector<std::size_t> parent;  // of values 1, 2, ...; entry 0 is not used
  std::vector<std::size_t> order;   // values other than 0, parents first
};

std::vector<Rooted> AllTrees(std::size_t values) {
  std::vector<Rooted> trees;
  std::size_t assignments = 1;
  for (std::size_t x = 1; x < values; ++x) assignments *= values;
  for (std::size_t code = 0; code < assignments; ++code) {
    Rooted tree{std::vector<std::size_t>(values, 0), {}};
    for (std::size_t x = 1, rest = code; x < values; ++x, rest /= values) tree.parent[x] = rest % values;
    std::vector<bool> reached(values, false);
    reached[0] = true;
    for (std::size_t round = 1; round < values; ++round) {
      for (std::size_t x = 1; x < values; ++x) {
        if (reached[x] || !reached[tree.parent[x]]) continue;
        reached[x] = true;
        tree.order.push_back(x);
      }
    }
    if (tree.order.size() + 1 == values) trees.push_back(std::move(tree));
  }
  return trees;
}

/// K(x) <= factor(x, y) K(y) for all pairs. Rounding moves a ray by a few ulps: what breaks a bound by less than 1e-13
/// may be one, and costs no more than that.
bool Obeys(const std::vector<double>& k, const Spread& factor) {
  for (std::size_t x = 0; x < k.size(); ++x) {
    for (std::size_t y = 0; y < k.size(); ++y) {
      if (k[x] > factor(x, y) * k[y] * (1 + 1e-13)) return false;
    }
  }
  return true;
}

double ByTrees(const Spread& spread, std::span<const double> p, std::span<const double> q) {
  static const std::vector<Rooted> three = AllTrees(3);
  static const std::vector<Rooted> four = AllTrees(4);
  const std::size_t m = spread.values();
  if (spread.Largest() > 200) return std::numeric_limits<double>::infinity();
  Spread factor(m, 1);
  for (std::size_t x = 0; x < m; ++x) {
    for (std::size_t y = 0; y < m; ++y) factor(x, y) = rounding::ExpUp(spread(x, y));
  }
  std::vector<double> k(m, 1);
  double best = 1;
  for (const Rooted& tree : m == 3 ? three : four) {
    for (unsigned choice = 0; choice < 1U << (m - 1); ++choice) {
      for (std::size_t step = 0; step + 1 < m; ++step) {
        const std::size_t x = tree.order[step];
        const std::size_t from = tree.parent[x];
        k[x] = (choice >> step & 1U) != 0 ? factor(x, from) * k[from] : k[from] / factor(from, x);
      }
      if (!Obeys(k, factor)) continue;
      double above = 0;
      double below = 0;
      for (std::size_t x = 0; x < m; ++x) {
        above += p[x] * k[x];
        below += q[x] * k[x];
      }
      best = std::max(best, above / below);
    }
  }
  return rounding::LogUp(rounding::Widen(best, 64));
}

bool AllEqual(const Spread& spread) {
  for (std::size_t x = 0; x < spread.values(); ++x) {
    for (std::size_t y = 0; y < spread.values(); ++y) {
      if (x != y && spread(x, y) != spread(0, 1)) return false;
    }
  }
  return true;
}

}  // namespace

double SpreadLoss(const Spread& spread, std::span<const double> p, std::span<const double> q, double error,
                  SeveralValues how) {
  KITH_CHECK(p.size() == spread.values() && q.size() == p.size());
  const double largest = spread.Largest();
  if (largest == 0) return 0;
  double loss = 0;
  double varies = std::min(1.0, std::expm1(largest));  // both expectations are wrong by `error` times what K varies
  if (spread.values() == 2) {
    loss = std::max(SetLoss(spread(1, 0), p[1], q[1]), SetLoss(spread(0, 1), p[0], q[0]));
  } else {
    loss = PairLoss(largest, p, q);
    if (how == SeveralValues::kLinearProgramme && loss > 0 && !AllEqual(spread)) {
      loss = std::min(loss, spread.values() <= 4 ? ByTrees(spread, p, q) : ByProgramme(spread, p, q));
      varies = 1;  // both take the probabilities as they are, also where they do not add up to 1
    }
  }
  return std::min(largest, rounding::AddUp(loss, 4 * error * varies));
}

}  // namespace kith
