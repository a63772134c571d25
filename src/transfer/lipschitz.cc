// Continuous records: how far moving one record moves the others. Source: docs/theory/transfer.md#lipschitz.
// Claims: claims/transfer_lipschitz.md
#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/meter.h"
#include "dependence/check.h"
#include "transfer/functions.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

using namespace rounding;
using Matrix = std::vector<std::vector<double>>;

/// Solves d = source + C^T d without record `clamped`, approximately. Requires: a spectral radius below 1.
std::vector<double> Displacements(const Matrix& c, std::size_t clamped) {
  const std::size_t n = c.size();
  Matrix m(n, std::vector<double>(n + 1, 0));
  for (std::size_t j = 0; j < n; ++j) {
    m[j][j] = 1;
    if (j == clamped) continue;
    m[j][n] = c[clamped][j];
    for (std::size_t k = 0; k < n; ++k) {
      if (k != clamped && k != j) m[j][k] = -c[k][j];
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k || m[i][k] == 0) continue;
      const double f = m[i][k] / m[k][k];
      for (std::size_t j = k; j <= n; ++j) m[i][j] -= f * m[k][j];
    }
  }
  std::vector<double> d(n, 0);
  for (std::size_t j = 0; j < n; ++j) d[j] = j == clamped ? 1 : std::max(0.0, m[j][n] / m[j][j]);
  return d;
}

/// One round of d_j <- sum over k of C_kj d_k, rounded up; the clamped record keeps its own.
std::vector<double> PushUp(const Matrix& c, std::size_t clamped, const std::vector<double>& d) {
  std::vector<double> next(d.size(), 0);
  for (std::size_t j = 0; j < d.size(); ++j) {
    for (std::size_t k = 0; k < d.size(); ++k) next[j] = AddUp(next[j], MulUp(c[k][j], d[k]));
  }
  next[clamped] = d[clamped];
  return next;
}

/// How far each record moves when record `clamped` moves by 1, rounded up. I - C has a non-negative inverse, so any d
/// that one round does not raise is above the solution; the computed one is widened until that is seen to hold. Empty
/// if it cannot be shown: the influences are too close to not contracting.
std::vector<double> ProvedDisplacements(const Matrix& c, std::size_t clamped) {
  const std::vector<double> computed = Displacements(c, clamped);
  for (double part = 0; part < 1e-3; part = part == 0 ? 1e-15 : part * 10) {
    std::vector<double> d = computed;
    const double largest = *std::max_element(d.begin(), d.end());
    for (std::size_t j = 0; j < d.size(); ++j) {
      // What does not move at all stays at 0.
      if (j != clamped && d[j] > 0) d[j] += part * (d[j] + largest);
    }
    const std::vector<double> next = PushUp(c, clamped, d);
    if (std::equal(next.begin(), next.end(), d.begin(), [](double x, double y) { return x <= y; })) return d;
  }
  return {};
}

class LipschitzTransfer final : public TransferFunction {
 public:
  explicit LipschitzTransfer(const Lipschitz& model) : model_(model) {
    for (std::size_t i = 0; i < records(); ++i) moved_.push_back(ProvedDisplacements(model_.influence, i));
  }

  std::size_t records() const override { return model_.influence.size(); }
  std::string Assumes(std::size_t) const override {
    return "moving one of the " + std::to_string(records()) +
           " records by a distance moves the law of another, whatever the rest are, by at most the declared influence "
           "times "
           "that distance" +
           (model_.diameters.empty() ? "; losses are per unit of distance"
                                     : "; the loss is for the whole range of a record");
  }

  /// Ensures [LIPSCHITZ-1]: at least the dependent loss, per unit of distance or for the whole range.
  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    BoundValues lipschitz{"lipschitz", Adversary::kRecords, {}};
    double all = 0;
    for (std::size_t i = 0; i < records(); ++i) {
      Meter::Look();
      if (moved_[i].empty()) {
        return InvalidArgument("the influences are too close to not contracting without record " + std::to_string(i),
                               "influence", "declare weaker influences, or use kind = \"group\"");
      }
      const std::vector<double> d = model_.diameters.empty() ? moved_[i] : Capped(i);
      double loss = 0;
      for (std::size_t j = 0; j < records(); ++j) loss = AddUp(loss, MulUp(plain[j], d[j]));
      lipschitz.values.push_back(loss);
      if (!model_.diameters.empty()) all = AddUp(all, MulUp(plain[i], model_.diameters[i]));
    }
    std::vector<BoundValues> bounds = {std::move(lipschitz)};
    if (!model_.diameters.empty()) bounds.push_back({"group", Adversary::kEvidence, {all}});
    return bounds;
  }

 private:
  /// Displacements when record i moves through its whole range and none can move farther than its own. Every round from
  /// above stays above the solution.
  std::vector<double> Capped(std::size_t i) const {
    std::vector<double> d;
    for (std::size_t j = 0; j < records(); ++j) {
      d.push_back(std::min(model_.diameters[j], MulUp(moved_[i][j], model_.diameters[i])));
    }
    d[i] = model_.diameters[i];
    for (int round = 0; round < 1000; ++round) {
      Meter::Look();
      const std::vector<double> pushed = PushUp(model_.influence, i, d);
      bool fell = false;
      for (std::size_t j = 0; j < records(); ++j) {
        fell = fell || pushed[j] < d[j] * (1 - 1e-12);
        d[j] = std::min(d[j], pushed[j]);
      }
      if (!fell) break;
    }
    return d;
  }

  Lipschitz model_;
  std::vector<std::vector<double>> moved_;  // row i: when record i moves by 1
};

}  // namespace

Result<TransferFunctionPtr> MakeTransferFunction(const Lipschitz& model) {
  return TransferFunctionPtr(std::make_unique<LipschitzTransfer>(model));
}

}  // namespace kith
