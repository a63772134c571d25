// Chains whose tables are known up to intervals, change with the season, or begin anywhere.
// Source: docs/theory/transfer.md#intervals.  Claims: claims/transfer_region.md
#include <algorithm>
#include <cmath>

#include "base/meter.h"
#include "dependence/region.h"
#include "transfer/chain/region_messages.h"
#include "transfer/chain/region_values.h"
#include "transfer/functions.h"
#include "transfer/pair/pair.h"
#include "transfer/rounding.h"
#include "transfer/tree/forest.h"

namespace kith {
namespace {

constexpr std::size_t kMostPerRecord = 1000;
/// Messages of several values are compared entry by entry: beyond this much work only their strengths are used.
constexpr double kMostEntries = 2e8;
constexpr std::size_t kMostInForests = 100'000;  // records of all seasons' chains

class RegionTransfer final : public TransferFunction {
 public:
  static Result<TransferFunctionPtr> Make(const ChainRegion& model) {
    auto transfer = std::unique_ptr<RegionTransfer>(new RegionTransfer(model));
    if (auto ok = transfer->MakeForests(); !ok) return ok.error();
    return TransferFunctionPtr(std::move(transfer));
  }

  std::size_t records() const override { return static_cast<std::size_t>(model_.length); }
  std::string Assumes(std::size_t) const override {
    std::string text = "the " + std::to_string(model_.length) + " records of a chain follow ";
    if (seasons() > 1)
      text += "the tables of the declared seasons in their order, beginning in any of them; ";
    else
      text += "the declared Markov table; ";
    text += !model_.start ? "the first may have any law; " : "the first follows the declared start; ";
    if (!exact_) text += "each probability lies in its declared interval; ";
    return text + "they depend on no others";
  }

  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    std::vector<BoundValues> bounds = {
        {"field", Adversary::kEvidence, OverSeasons(plain, &RegionTransfer::ByStrengths)},
        {"group", Adversary::kEvidence, {plain.SumOver(records())}}};
    if (values() == 2 || !several_.empty() || !forests_.empty())
      bounds.push_back({"tree", Adversary::kNothing, OverSeasons(plain, &RegionTransfer::ByTables)});
    return bounds;
  }

 private:
  explicit RegionTransfer(const ChainRegion& model) : model_(model) {
    if (model_.start) model_.start = Tightened(*model_.start);
    for (TableRegion& table : model_.seasons) {
      table = Tightened(table);
      thetas_.push_back(LargestStrength(table));
      if (values() == 2) {
        steps_.push_back(StepOf(table));
      } else if (Entries() <= kMostEntries) {
        several_.emplace_back(table);
      }
    }
    exact_ = std::all_of(model_.seasons.begin(), model_.seasons.end(), [](const auto& t) { return IsPoint(t); }) &&
             (!model_.start || IsPoint(*model_.start));
  }

  /// Exact tables from a known start are one network for each season in which a chain may begin.
  Result<void> MakeForests() {
    if (values() == 2 || !IsPoint(model_) || records() * seasons() > kMostInForests) return {};
    for (std::size_t first = 0; first < seasons(); ++first) {
      Meter::Look();
      Tree tree;
      for (std::int64_t i = 0; i < model_.length; ++i) {
        Meter::Look();
        tree.parents.push_back(i - 1);
        tree.tables.push_back(i == 0 ? model_.start->low
                                     : model_.seasons[Season(first, static_cast<std::size_t>(i) - 1)].low);
      }
      auto forest = Forest::Make(tree);
      if (!forest) return forest.error();
      forests_.push_back(std::move(*forest));
    }
    return {};
  }

  double Entries() const {
    return static_cast<double>(records() * seasons()) * std::pow(static_cast<double>(values()), 4);
  }
  std::size_t values() const { return model_.seasons.front().low.size(); }
  std::size_t seasons() const { return model_.seasons.size(); }
  /// Of the step after record i of a chain that begins in season `first`.
  std::size_t Season(std::size_t first, std::size_t i) const { return (first + i) % seasons(); }

  using OfChain = std::vector<double> (RegionTransfer::*)(const PlainLosses&, std::size_t) const;
  /// The largest over all seasons in which a chain may begin, for each record or for all. Shorter chains are beginnings
  /// of longer ones: they lose no more.
  std::vector<double> OverSeasons(const PlainLosses& plain, OfChain losses) const {
    std::vector<double> worst(records(), 0);
    for (std::size_t first = 0; first < seasons(); ++first) {
      Meter::Look();
      const std::vector<double> of_chain = (this->*losses)(plain, first);
      for (std::size_t i = 0; i < worst.size(); ++i) worst[i] = std::max(worst[i], of_chain[i]);
    }
    if (worst.size() > kMostPerRecord) worst = {*std::max_element(worst.begin(), worst.end())};
    return worst;
  }

  std::vector<double> ByTables(const PlainLosses& plain, std::size_t first) const {
    if (!forests_.empty()) return forests_[first].Losses(plain, forests_[first].Affordable());
    return values() == 2 ? OfTwoValues(plain, first) : OfSeveralValues(plain, first);
  }

  std::vector<double> OfTwoValues(const PlainLosses& plain, std::size_t first) const {
    const std::size_t n = records();
    const double same_own = ExcessOf(plain[0]);
    const auto own = [&](std::size_t i) {
      const double x = plain.uniform() ? same_own : ExcessOf(plain[i]);
      return Excess{x, x};
    };
    std::vector<Excess> right(n);
    for (std::size_t i = n - 1; i > 0; --i)
      right[i - 1] = SeenAfter(Joined(right[i], own(i)), steps_[Season(first, i - 1)]);
    std::vector<double> losses(n);
    OddsInterval law = model_.start ? OddsOf(*model_.start) : OddsInterval{0, OddsInterval::kNone};
    Excess left;
    for (std::size_t i = 0; i < n; ++i) {
      Meter::Look();
      const Excess from_left = Joined(left, own(i));
      const Excess all = Joined(from_left, right[i]);
      losses[i] = law.both() ? std::max(plain[i], LossOf(std::max(all.yes, all.no))) : plain[i];
      left = SeenBefore(from_left, steps_[Season(first, i)], law);
      law = NextLaw(law, steps_[Season(first, i)]);
    }
    return losses;
  }

  std::vector<double> OfSeveralValues(const PlainLosses& plain, std::size_t first) const {
    const std::size_t n = records();
    std::vector<Spread> right(n, Spread(values(), 0));
    for (std::size_t i = n - 1; i > 0; --i) {
      Meter::Look();
      Spread next = right[i];
      next.Add(plain[i]);
      right[i - 1] = several_[Season(first, i - 1)].SeenAfter(next);
    }
    std::vector<double> losses(n);
    Spread left(values(), 0);
    for (std::size_t i = 0; i < n; ++i) {
      Meter::Look();
      left.Add(plain[i]);
      Spread all = left;
      all.Add(right[i]);
      losses[i] = std::max(plain[i], all.Largest());
      left = several_[Season(first, i)].SeenBefore(left);
    }
    return losses;
  }

  /// Messages of a field on a path: what only the strengths give, against more knowledge.
  std::vector<double> ByStrengths(const PlainLosses& plain, std::size_t first) const {
    const std::size_t n = records();
    std::vector<double> right(n, 0), losses(n);
    for (std::size_t i = n - 1; i > 0; --i)
      right[i - 1] = Phi(thetas_[Season(first, i - 1)], rounding::AddUp(plain[i], right[i]));
    double left = 0;
    for (std::size_t i = 0; i < n; ++i) {
      Meter::Look();
      const double from_left = rounding::AddUp(plain[i], left);
      losses[i] = rounding::AddUp(from_left, right[i]);
      left = Phi(thetas_[Season(first, i)], from_left);
    }
    return losses;
  }

  ChainRegion model_;  // tightened
  bool exact_ = false;
  std::vector<StepRegion> steps_;     // two values
  std::vector<SeveralStep> several_;  // other numbers of values
  std::vector<double> thetas_;
  std::vector<Forest> forests_;  // by the season in which the chain begins
};

}  // namespace

Result<TransferFunctionPtr> MakeTransferFunction(const ChainRegion& model) { return RegionTransfer::Make(model); }

}  // namespace kith
