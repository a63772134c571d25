// How fast a chain forgets: its stationary law and second eigenvalue.
#include <cmath>
#include <numeric>

#include "base/symmetric_matrix.h"
#include "dependence/check.h"
#include "published/markov_quilt.h"

namespace kith::published {
namespace {

Error NotForgetting(std::string what) {
  return InvalidArgument(std::move(what), "transition",
                         "use the exact quilts, or a chain in which every value can follow every other in a few steps");
}

std::vector<Law> NormalisedRows(const LawTable& transition) {
  LawTable table;
  for (const Law& law : transition) table.push_back(Normalised(law));
  return table;
}

}  // namespace

// Grassmann, Taksar, Heyman: eliminate values one by one without a subtraction.
Result<Law> StationaryLaw(const LawTable& transition) {
  LawTable p = NormalisedRows(transition);
  const std::size_t n = p.size();
  for (std::size_t k = n; k-- > 1;) {
    double leaves = 0;
    for (std::size_t j = 0; j < k; ++j) leaves += p[k][j];
    if (!(leaves > 0)) return NotForgetting("the chain can get stuck in some of its values");
    for (std::size_t i = 0; i < k; ++i) {
      p[i][k] /= leaves;
      for (std::size_t j = 0; j < k; ++j) p[i][j] += p[i][k] * p[k][j];
    }
  }
  Law law(n, 0.0);
  law[0] = 1;
  double sum = 1;
  for (std::size_t k = 1; k < n; ++k) {
    for (std::size_t i = 0; i < k; ++i) law[k] += law[i] * p[i][k];
    sum += law[k];
  }
  for (double& x : law) {
    x /= sum;
    if (!(x > 0)) return NotForgetting("some values of the chain never recur");
  }
  return law;
}

Result<double> ForgettingRate(const LawTable& transition, Forgetting how) {
  const auto stationary = StationaryLaw(transition);
  if (!stationary) return stationary.error();
  const LawTable p = NormalisedRows(transition);
  const std::size_t n = p.size();
  // D^{1/2} P D^{-1/2}: symmetric for reversible chains, and its singular values are those of P in the stationary norm.
  LawTable balanced(n, Law(n));
  double asymmetry = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      balanced[i][j] = p[i][j] * std::sqrt((*stationary)[i] / (*stationary)[j]);
      asymmetry = std::max(asymmetry, std::abs((*stationary)[i] * p[i][j] - (*stationary)[j] * p[j][i]));
    }
  }
  const bool reversible = how == Forgetting::kReversibleGap || how == Forgetting::kEigenvalue;
  if (reversible && asymmetry > 1e-12) {
    return InvalidArgument("the chain is not reversible", "transition", "use a rate that does not need it");
  }
  SymmetricMatrix symmetric(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      symmetric(i, j) = reversible
                            ? (balanced[i][j] + balanced[j][i]) / 2
                            : std::inner_product(balanced[i].begin(), balanced[i].end(), balanced[j].begin(), 0.0);
    }
  }
  // The largest one is 1; of the others the largest in size is at one end.
  const Spectrum values(std::move(symmetric));
  const double second = n < 2 ? 0 : std::max(std::abs(values.Least()), std::abs(values.At(n - 2)));
  double rate = second;
  if (how == Forgetting::kReversibleGap) rate = std::exp(-(1 - second));
  if (how == Forgetting::kGap) rate = std::exp(-(1 - second) / 2);
  if (how == Forgetting::kSingularValue) rate = std::sqrt(second);
  if (!(rate < 1 - 1e-12)) return NotForgetting("the chain never forgets where it was");
  return rate;
}

}  // namespace kith::published
