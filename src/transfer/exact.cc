// A joint law of a few records: the worst case itself, by linear programme; or, where that would take minutes, a bound
// in closed form. Source: docs/theory/transfer.md#exact.
// Claims: claims/transfer_exact.md
#include <algorithm>
#include <limits>

#include "base/meter.h"
#include "dependence/check.h"
#include "transfer/functions.h"
#include "transfer/kernel_lp.h"
#include "transfer/pair/pair.h"
#include "transfer/rounding.h"
#include "transfer/witness.h"

namespace kith {
namespace {

/// Beyond this many rows the programmes of all records and pairs of values take longer than people wait.
constexpr std::size_t kMostRowsByProgramme = 256;

class ExactTransfer final : public TransferFunction {
 public:
  explicit ExactTransfer(const Joint& model) : values_(model.values), law_(Normalised(model.law)) {}

  std::size_t records() const override { return values_.size(); }
  std::string Assumes(std::size_t) const override {
    return "the " + std::to_string(values_.size()) + " records follow the declared joint law and depend on no others";
  }

  /// Ensures [EXACT-1]: not below the dependent loss of the declared law; `exact` is above it only by rounding.
  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    BoundValues exact{ByProgramme() ? "exact" : "range", Adversary::kNothing, {}};
    for (std::size_t i = 0; i < values_.size(); ++i) exact.values.push_back(LossOf(i, plain));
    return std::vector<BoundValues>{std::move(exact), {"group", Adversary::kEvidence, {plain.SumOver(records())}}};
  }

  bool ByProgramme() const { return law_.size() <= kMostRowsByProgramme; }

  std::vector<KernelProof> Proofs(double plain) const {
    std::vector<KernelProof> proofs;
    for (std::size_t i = 0; i < values_.size(); ++i) LossOf(i, PlainLosses::All(plain), &proofs);
    return proofs;
  }

 private:
  /// K(a, z) = e^{plain of i} K(b, z) is the best kernel for the secret a against b, so the programme is only about the
  /// other records' values z.
  double LossOf(std::size_t i, const PlainLosses& plain, std::vector<KernelProof>* proofs = nullptr) const {
    const std::vector<KernelArc> arcs = ByProgramme() ? ArcsWithout(i, plain) : std::vector<KernelArc>{};
    double diameter = 0;
    for (std::size_t j = 0; j < values_.size(); ++j) {
      if (j != i) diameter = rounding::AddUp(diameter, plain[j]);
    }
    double worst = 0;
    for (std::int64_t a = 0; a < values_[i]; ++a) {
      for (std::int64_t b = 0; b < values_[i]; ++b) {
        const Law p = Given(i, a);
        const Law q = Given(i, b);
        if (a == b || p.empty() || q.empty()) continue;
        const double simple = PairLoss(diameter, p, q);  // any kernel of that range: cheap, and never less
        if (!(simple > worst)) continue;
        KernelWeights weights;
        const double proved = ByProgramme() ? LargestLogRatio(p, q, arcs, &weights) : simple;
        worst = std::max(worst, std::min(simple, proved));
        if (proofs == nullptr || !(proved < simple)) continue;
        proofs->push_back({i, a, b, weights.ratio, {}});
        for (std::size_t k = 0; k < weights.arcs.size(); ++k) {
          if (weights.arcs[k] > 0) proofs->back().weights.emplace_back(arcs[k].upper, arcs[k].lower, weights.arcs[k]);
        }
      }
    }
    if (worst == 0) return plain[i];
    // The conditional laws are wrong by up to 2 ulps each, relative: so are the two expectations, and only as far as K
    // varies.
    const double slack = 8 * std::numeric_limits<double>::epsilon() * std::min(1.0, std::expm1(diameter));
    return rounding::AddUp(plain[i], rounding::AddUp(worst, slack));
  }

  /// The law of the other records given X_i = a; empty if that never happens.
  Law Given(std::size_t i, std::int64_t a) const {
    const auto [stride, size] = Layout(i);
    Law law;
    long double sum = 0;
    for (std::size_t x = 0; x < law_.size(); ++x) {
      Meter::Look();
      if (x / stride % size != static_cast<std::size_t>(a)) continue;
      law.push_back(law_[x]);
      sum += law_[x];
    }
    for (double& probability : law) probability = static_cast<double>(probability / sum);
    return sum > 0 ? law : Law{};
  }

  std::vector<KernelArc> ArcsWithout(std::size_t i, const PlainLosses& plain) const {
    std::vector<KernelArc> arcs;
    const std::size_t states = law_.size() / static_cast<std::size_t>(values_[i]);
    std::size_t stride = 1;
    for (std::size_t k = values_.size(); k-- > 0;) {
      if (k == i) continue;
      const auto size = static_cast<std::size_t>(values_[k]);
      const double factor = rounding::ExpUp(plain[k]);
      for (std::size_t z = 0; z < states; ++z) {
        const std::size_t own = z / stride % size;
        for (std::size_t other = 0; other < size; ++other) {
          const std::size_t moved = z + (other - own) * stride;
          if (other != own) arcs.push_back({static_cast<std::uint32_t>(z), static_cast<std::uint32_t>(moved), factor});
        }
      }
      stride *= size;
    }
    return arcs;
  }

  /// Distance between states that differ by one in record i, and its number of values.
  std::pair<std::size_t, std::size_t> Layout(std::size_t i) const {
    std::size_t stride = 1;
    for (std::size_t k = values_.size(); --k > i;) stride *= static_cast<std::size_t>(values_[k]);
    return {stride, static_cast<std::size_t>(values_[i])};
  }

  std::vector<std::int64_t> values_;
  Law law_;
};

}  // namespace

std::vector<KernelProof> ProofsOf(const Joint& model, double plain) { return ExactTransfer(model).Proofs(plain); }

Result<TransferFunctionPtr> MakeTransferFunction(const Joint& model) {
  return TransferFunctionPtr(std::make_unique<ExactTransfer>(model));
}

}  // namespace kith
