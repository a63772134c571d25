#include "published/prefix_errors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "workload/prefix_toeplitz.h"
#include "workload/prefix_tree.h"

namespace kith::published {
namespace {

using workload::MovedRows;
using workload::PrefixToeplitz;
using workload::PrefixTree;

constexpr MovedRows kReplaced{1, 2};

// Noise of scale 2 levels / epsilon in every block, and (fan-out - 1) / 2 blocks of each level in a sum, on average.
double SimpleTree(std::size_t cells, double epsilon) {
  double least = HUGE_VAL;
  for (std::size_t wide = 2; wide <= cells; ++wide) {
    double levels = 0;
    for (std::size_t blocks = 1; blocks < cells; blocks *= wide) ++levels;
    const double scale = static_cast<double>(kReplaced.l1) * levels / epsilon;
    least = std::min(least, 2 * scale * scale * levels * static_cast<double>(wide - 1) / 2);
  }
  return std::sqrt(least);
}

double NormalError(const PrefixToeplitz& of, double mu) {
  const auto variances = of.Variances();
  const double mean = std::accumulate(variances.begin(), variances.end(), 0.0) / static_cast<double>(variances.size());
  return std::sqrt(mean * static_cast<double>(of.change().l2_squared())) / mu;
}

}  // namespace

Result<PrefixErrors> ErrorsOfPrefixSums(std::size_t cells, double epsilon, double mu) {
  const auto root = PrefixToeplitz::Root(cells, kReplaced);
  if (!root) return root.error();
  const auto plain = PrefixToeplitz::Cells(cells, kReplaced);
  if (!plain) return plain.error();
  PrefixErrors errors;
  errors.cells = cells;
  errors.laplace_cells = std::sqrt(PrefixTree::Cells(cells, kReplaced).MeanVariance()) / epsilon;
  errors.simple_tree = SimpleTree(cells, epsilon);
  errors.tree = std::sqrt(PrefixTree::Best(cells, kReplaced).MeanVariance()) / epsilon;
  errors.normal_cells = NormalError(*plain, mu);
  errors.toeplitz = NormalError(*root, mu);
  return errors;
}

}  // namespace kith::published
