#include "experiment/spatial_peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kith::experiment {
namespace {

constexpr double kMedianPart = 0.3;                      // of a kd-tree's budget
constexpr double kCoarsePart = 0.5;                      // of an adaptive grid's
constexpr double kGridConstant = 10, kFineConstant = 5;  // of the guidelines

double Noise(double epsilon, Draws draws) { return draws == nullptr ? 0 : draws->Laplace(1 / epsilon); }

std::size_t CellOf(double x, std::size_t cells) {
  return std::min(cells - 1, static_cast<std::size_t>(std::max(0.0, x) * static_cast<double>(cells)));
}

std::vector<double> CountsOf(const std::vector<Spot>& points, std::size_t cells) {
  std::vector<double> counts(cells * cells, 0.0);
  for (const Spot& p : points) ++counts[CellOf(p.x, cells) * cells + CellOf(p.y, cells)];
  return counts;
}

/// Levels 1 .. height of a tree: the share of each grows by the cube root of two towards the leaves.
std::vector<double> Geometric(int height, double total) {
  std::vector<double> shares;
  double sum = 0;
  for (int level = 1; level <= height; ++level) sum += shares.emplace_back(std::exp2(level / 3.0));
  for (double& share : shares) share *= total / sum;
  return shares;
}

double VarianceOf(double epsilon) { return 2 / (epsilon * epsilon); }

/// A node's own noisy count and what its children add up to, weighted by precision.
struct Weighed {
  double count = 0, variance = 0;
};
Weighed Combined(const Weighed& own, const Weighed& below) {
  const double weight = below.variance / (own.variance + below.variance);
  return {weight * own.count + (1 - weight) * below.count, weight * own.variance};
}

}  // namespace

double TotalOf(const Shares& shares) {
  double sum = 0;
  for (const Share& share : shares) sum += share.epsilon;
  return 2 * sum;
}

GridCounter::GridCounter(std::size_t cells, const std::vector<double>& counts)
    : cells_(cells), sums_((cells + 1) * (cells + 1), 0.0) {
  const std::size_t side = cells + 1;
  for (std::size_t a = 0; a < cells; ++a) {
    for (std::size_t b = 0; b < cells; ++b)
      sums_[(a + 1) * side + b + 1] =
          counts[a * cells + b] + sums_[a * side + b + 1] + sums_[(a + 1) * side + b] - sums_[a * side + b];
  }
}

double GridCounter::Below(double x, double y) const {
  const std::size_t a = CellOf(x, cells_), b = CellOf(y, cells_), side = cells_ + 1;
  const double u = std::clamp(x * static_cast<double>(cells_) - static_cast<double>(a), 0.0, 1.0);
  const double v = std::clamp(y * static_cast<double>(cells_) - static_cast<double>(b), 0.0, 1.0);
  const double* at = &sums_[a * side + b];
  return (1 - u) * ((1 - v) * at[0] + v * at[1]) + u * ((1 - v) * at[side] + v * at[side + 1]);
}

double GridCounter::Count(const Rectangle& range) const {
  return Below(range.x1, range.y1) - Below(range.x0, range.y1) - Below(range.x1, range.y0) + Below(range.x0, range.y0);
}

double TreeCounter::CountIn(std::size_t at, const Rectangle& range) const {
  const Node& node = nodes_[at];
  const double width = std::min(range.x1, node.box.x1) - std::max(range.x0, node.box.x0);
  const double height = std::min(range.y1, node.box.y1) - std::max(range.y0, node.box.y0);
  if (width <= 0 || height <= 0) return 0;
  const double all_width = node.box.x1 - node.box.x0, all_height = node.box.y1 - node.box.y0;
  if (width >= all_width && height >= all_height) return node.count;
  if (node.children == 0) return node.count * (width / all_width) * (height / all_height);
  double sum = 0;
  for (std::size_t k = 0; k < node.children; ++k) sum += CountIn(node.first_child + k, range);
  return sum;
}

Shares GridShares(double epsilon) { return {{"cells", epsilon / 2}}; }

std::size_t GuidelineCells(std::size_t points, double epsilon) {
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(points) * (epsilon / 2) / kGridConstant))));
}

GridCounter NoisyGrid(const std::vector<Spot>& points, std::size_t cells, double epsilon, Draws draws) {
  auto counts = CountsOf(points, cells);
  const double share = GridShares(epsilon)[0].epsilon;
  for (double& count : counts) count += Noise(share, draws);
  return {cells, counts};
}

Shares QuadtreeShares(int height, double epsilon) {
  Shares shares;
  for (const double share : Geometric(height, epsilon / 2))
    shares.push_back({fmt::format("level {}", shares.size() + 1), share});
  return shares;
}

GridCounter NoisyQuadtree(const std::vector<Spot>& points, int height, double epsilon, Draws draws) {
  const Shares shares = QuadtreeShares(height, epsilon);
  // All nodes of a level have the same variance, before and after they are combined.
  std::vector<std::vector<double>> levels(static_cast<std::size_t>(height) + 1);
  std::vector<double> variances(levels.size(), 0.0);
  const auto sum_below = [&](std::size_t level, std::size_t a, std::size_t b) {
    const std::size_t side = std::size_t{2} << level;
    const auto& finer = levels[level + 1];
    return finer[2 * a * side + 2 * b] + finer[2 * a * side + 2 * b + 1] + finer[(2 * a + 1) * side + 2 * b] +
           finer[(2 * a + 1) * side + 2 * b + 1];
  };
  for (std::size_t level = levels.size(); level-- > 1;) {
    const std::size_t side = std::size_t{1} << level;
    const double share = shares[level - 1].epsilon, own = VarianceOf(share);
    levels[level] = CountsOf(points, side);
    const bool leaves = level + 1 == levels.size();
    variances[level] = leaves ? own : Combined({0, own}, {0, 4 * variances[level + 1]}).variance;
    for (std::size_t k = 0; k < side * side; ++k) {
      double& count = levels[level][k];
      count += Noise(share, draws);
      if (!leaves)
        count = Combined({count, own}, {sum_below(level, k / side, k % side), 4 * variances[level + 1]}).count;
    }
  }
  levels[0] = {static_cast<double>(points.size())};
  for (std::size_t level = 0; level + 1 < levels.size(); ++level) {
    const std::size_t side = std::size_t{1} << level, finer = 2 * side;
    for (std::size_t k = 0; k < side * side; ++k) {
      const std::size_t a = k / side, b = k % side;
      const double missing = (levels[level][k] - sum_below(level, a, b)) / 4;
      for (const std::size_t x : {2 * a, 2 * a + 1}) {
        for (const std::size_t y : {2 * b, 2 * b + 1}) levels[level + 1][x * finer + y] += missing;
      }
    }
  }
  return {std::size_t{1} << height, levels.back()};
}

Shares KdTreeShares(int height, double epsilon) {
  const double all = epsilon / 2, medians = kMedianPart * all;
  const int cut = (height + 1) / 2;  // levels at medians
  Shares shares;
  for (int level = 0; level < cut; ++level) {
    shares.push_back({fmt::format("median x {}", level), medians / (2 * cut)});
    shares.push_back({fmt::format("median y {}", level), medians / (2 * cut)});
  }
  for (const double share : Geometric(height, all - medians)) shares.push_back({"counts", share});
  return shares;
}

namespace {

/// The exponential mechanism on |rank - n/2|, which one point more or less moves by half of one: a place between two
/// neighbouring values with probability proportional to their distance times e^(-epsilon |rank - n/2|).
double PrivateMedian(std::vector<double> values, double low, double high, double epsilon, Draws draws) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  if (draws == nullptr) return n == 0 ? (low + high) / 2 : std::clamp(values[n / 2], low, high);
  double total = 0;
  const auto edge = [&](std::size_t k) { return k == 0 ? low : k == n + 1 ? high : values[k - 1]; };
  const auto weight = [&](std::size_t k) {
    const double off = std::abs(static_cast<double>(k) - static_cast<double>(n) / 2);
    return std::max(0.0, edge(k + 1) - edge(k)) * std::exp(-epsilon * off);
  };
  for (std::size_t k = 0; k <= n; ++k) total += weight(k);
  if (!(total > 0)) return (low + high) / 2;
  double left = draws->Uniform() * total;
  for (std::size_t k = 0; k <= n; ++k) {
    const double w = weight(k);
    if (left < w) return edge(k) + (edge(k + 1) - edge(k)) * (left / w);
    left -= w;
  }
  return high;
}

class KdTree {
 public:
  KdTree(const std::vector<Spot>& points, int height, double epsilon, Draws draws)
      : height_(height), cut_((height + 1) / 2), draws_(draws), shares_(KdTreeShares(height, epsilon)) {
    nodes_.push_back({{}, static_cast<double>(points.size()), 0, 0});
    weighed_.push_back({nodes_[0].count, 0});
    Grow(0, 0, points);
    Gather(0, 0);
    weighed_[0] = {nodes_[0].count, 0};  // public
    Settle(0);
  }
  std::vector<TreeCounter::Node> Take() { return std::move(nodes_); }

 private:
  double CountShare(int level) const { return shares_[static_cast<std::size_t>(2 * cut_ + level - 1)].epsilon; }

  void Grow(std::size_t at, int level, const std::vector<Spot>& inside) {
    if (level == height_) return;
    const Rectangle box = nodes_[at].box;
    const bool medians = level < cut_;
    const auto cut = [&](const std::vector<Spot>& spots, double Spot::*axis, double low, double high,
                         std::size_t step) {
      if (!medians) return (low + high) / 2;
      std::vector<double> values;
      for (const Spot& spot : spots) values.push_back(spot.*axis);
      return PrivateMedian(std::move(values), low, high, shares_[static_cast<std::size_t>(2 * level) + step].epsilon,
                           draws_);
    };
    const double x = cut(inside, &Spot::x, box.x0, box.x1, 0);
    std::vector<Spot> halves[2], quarters[4];
    for (const Spot& spot : inside) halves[spot.x >= x].push_back(spot);
    const std::size_t first = nodes_.size();
    for (const std::size_t half : {std::size_t{0}, std::size_t{1}}) {
      const double y = cut(halves[half], &Spot::y, box.y0, box.y1, 1);
      for (const Spot& spot : halves[half]) quarters[2 * half + (spot.y >= y)].push_back(spot);
      const double x0 = half == 0 ? box.x0 : x, x1 = half == 0 ? x : box.x1;
      nodes_.push_back({{x0, box.y0, x1, y}, 0, 0, 0});
      nodes_.push_back({{x0, y, x1, box.y1}, 0, 0, 0});
    }
    nodes_[at].first_child = first;
    nodes_[at].children = 4;
    weighed_.resize(nodes_.size());
    const double share = CountShare(level + 1);
    for (std::size_t k = 0; k < 4; ++k)
      weighed_[first + k] = {static_cast<double>(quarters[k].size()) + Noise(share, draws_), VarianceOf(share)};
    for (std::size_t k = 0; k < 4; ++k) Grow(first + k, level + 1, quarters[k]);
  }

  Weighed Gather(std::size_t at, int level) {
    if (nodes_[at].children == 0) return weighed_[at];
    Weighed below;
    for (std::size_t k = 0; k < 4; ++k) {
      const Weighed child = Gather(nodes_[at].first_child + k, level + 1);
      below = {below.count + child.count, below.variance + child.variance};
    }
    if (at != 0) weighed_[at] = Combined(weighed_[at], below);
    return weighed_[at];
  }

  void Settle(std::size_t at) {
    nodes_[at].count = weighed_[at].count;
    if (nodes_[at].children == 0) return;
    double sum = 0, variance = 0;
    const std::size_t first = nodes_[at].first_child;
    for (std::size_t k = first; k < first + 4; ++k) {
      sum += weighed_[k].count;
      variance += weighed_[k].variance;
    }
    const double missing = weighed_[at].count - sum;
    for (std::size_t k = first; k < first + 4; ++k) {
      weighed_[k].count += missing * weighed_[k].variance / variance;
      Settle(k);
    }
  }

  int height_, cut_;
  Draws draws_;
  Shares shares_;
  std::vector<TreeCounter::Node> nodes_;
  std::vector<Weighed> weighed_;
};

}  // namespace

TreeCounter NoisyKdTree(const std::vector<Spot>& points, int height, double epsilon, Draws draws) {
  return TreeCounter(KdTree(points, height, epsilon, draws).Take());
}

Shares AdaptiveGridShares(double epsilon) {
  return {{"coarse cells", kCoarsePart * epsilon / 2}, {"fine cells", (1 - kCoarsePart) * epsilon / 2}};
}

TreeCounter NoisyAdaptiveGrid(const std::vector<Spot>& points, double epsilon, Draws draws) {
  const Shares shares = AdaptiveGridShares(epsilon);
  const double all = epsilon / 2, coarse = shares[0].epsilon, fine = shares[1].epsilon;
  const auto n = static_cast<double>(points.size());
  const auto m1 = static_cast<std::size_t>(std::max(10.0, std::ceil(std::sqrt(n * all / kGridConstant) / 4)));
  const auto side = static_cast<double>(m1);
  std::vector<std::vector<Spot>> inside(m1 * m1);
  for (const Spot& p : points) inside[CellOf(p.x, m1) * m1 + CellOf(p.y, m1)].push_back(p);
  std::vector<TreeCounter::Node> nodes(1 + m1 * m1);
  nodes[0] = {{}, n, 1, m1 * m1};
  for (std::size_t k = 0; k < m1 * m1; ++k) {
    const auto a = static_cast<double>(k / m1), b = static_cast<double>(k % m1);
    const Rectangle box{a / side, b / side, (a + 1) / side, (b + 1) / side};
    const double noisy = static_cast<double>(inside[k].size()) + Noise(coarse, draws);
    const auto m2 =
        static_cast<std::size_t>(std::max(1.0, std::ceil(std::sqrt(std::max(0.0, noisy) * fine / kFineConstant))));
    const auto cells = static_cast<double>(m2 * m2);
    std::vector<Spot> scaled;
    for (const Spot& p : inside[k]) scaled.push_back({(p.x - box.x0) * side, (p.y - box.y0) * side});
    auto counts = CountsOf(scaled, m2);
    double sum = 0;
    for (double& count : counts) sum += count += Noise(fine, draws);
    // Of the two estimates of the cell, the one with less noise weighs more.
    const double count = Combined({noisy, VarianceOf(coarse)}, {sum, cells * VarianceOf(fine)}).count;
    nodes[1 + k] = {box, count, nodes.size(), m2 * m2};
    for (std::size_t c = 0; c < m2 * m2; ++c) {
      const double u = (box.x1 - box.x0) / static_cast<double>(m2), v = (box.y1 - box.y0) / static_cast<double>(m2);
      const auto i = static_cast<double>(c / m2), j = static_cast<double>(c % m2);
      nodes.push_back({{box.x0 + i * u, box.y0 + j * v, box.x0 + (i + 1) * u, box.y0 + (j + 1) * v},
                       counts[c] + (count - sum) / cells,
                       0,
                       0});
    }
  }
  return TreeCounter(std::move(nodes));
}

}  // namespace kith::experiment
