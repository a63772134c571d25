// One record and neighbours that are independent given it: the pair sums of dependent differential privacy, made exact.
// Source: docs/theory/transfer.md#star; Liu, Chakraborty, Mittal 2016, Equations 23 to 25.
// Claims: claims/transfer_star.md
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/meter.h"
#include "dependence/check.h"
#include "transfer/functions.h"
#include "transfer/pair/pair.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

class StarTransfer final : public TransferFunction {
 public:
  explicit StarTransfer(const Star& model) {
    for (const auto& table : model.neighbours) {
      LawTable& rows = neighbours_.emplace_back();
      for (const auto& law : table) rows.push_back(Normalised(law));
    }
  }

  std::size_t records() const override { return neighbours_.size() + 1; }

  std::string Assumes(std::size_t) const override {
    return "given the record in question, all other records are independent of each other; it depends on " +
           std::to_string(neighbours_.size()) +
           " of them, through the declared tables; the bound is about that record, not about its neighbours' own";
  }

  /// Ensures [STAR-1]: at least the dependent loss about the record in the middle, which is record 0.
  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    const std::size_t values = neighbours_.empty() ? 1 : neighbours_[0].size();
    double worst = 0;
    for (std::size_t a = 0; a < values; ++a) {
      for (std::size_t b = 0; b < values; ++b) {
        double sum = 0;
        for (std::size_t j = 0; j < neighbours_.size() && a != b; ++j) {
          Meter::Look();
          sum = rounding::AddUp(sum, PairLoss(plain[j + 1], neighbours_[j][a], neighbours_[j][b]));
        }
        worst = std::max(worst, sum);
      }
    }
    return std::vector<BoundValues>{{"star", Adversary::kNeighbours, {rounding::AddUp(plain[0], worst)}},
                                    {"group", Adversary::kEvidence, {plain.SumOver(records())}}};
  }

 private:
  std::vector<LawTable> neighbours_;
};

/// The largest log odds ratio of a table, rounded up; infinite if a value is possible in one row and not in another.
double StrengthOf(const LawTable& table) {
  double theta = 0;
  for (const Law& p : table) {
    for (const Law& q : table) {
      double most = 0, least = std::numeric_limits<double>::infinity();
      for (std::size_t v = 0; v < p.size(); ++v) {
        if (p[v] == 0 && q[v] == 0) continue;
        most = std::max(most, q[v] == 0 ? std::numeric_limits<double>::infinity() : p[v] / q[v]);
        least = std::min(least, q[v] == 0 ? std::numeric_limits<double>::infinity() : p[v] / q[v]);
      }
      theta = std::max(
          theta, least > 0 && std::isfinite(most) ? std::log(most / least) : std::numeric_limits<double>::infinity());
    }
  }
  return theta == 0 ? 0 : theta + 1e-12 * (1 + theta);  // far more than the error of the quotients and the logarithm
}

}  // namespace

Model AboutEveryRecord(Model model) {
  const auto* star = std::get_if<Star>(&model);
  if (star == nullptr) return model;
  Field field;
  field.nodes = static_cast<std::int64_t>(star->neighbours.size()) + 1;
  for (std::uint32_t j = 0; j < star->neighbours.size(); ++j)
    field.edges.push_back({0, j + 1, StrengthOf(star->neighbours[j])});
  return field;
}

Result<TransferFunctionPtr> MakeTransferFunction(const Star& model) {
  return TransferFunctionPtr(std::make_unique<StarTransfer>(model));
}

}  // namespace kith
