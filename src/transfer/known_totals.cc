// Somebody who knows exact totals: what one record is moves the others with it, because the sum must stay what it is.
// Source: docs/theory/transfer.md#known-totals.  Claims: claims/transfer_totals.md
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "transfer/functions.h"
#include "transfer/pair/pair.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

constexpr double kMostOdds = 4;  // up to here the sum of a pair has a log-concave law

/// Totals of two versions, or of the file and of what is read from it, are totals of two properties: they cross.
constexpr const char* kAsRead =
    " (in one version of the data, counted as the policy reads them: without rows beyond max_rows, values outside of "
    "their bounds as they are read)";

std::string Besides(const KnownTotals& known) {
  return fmt::format("{}; somebody knows {}{}, and losses are beyond what the totals reveal by themselves",
                     known.range > 1 ? ", and the law of each unit's part of a total is log-concave" : "", known.of,
                     kAsRead);
}

/// Independent records. A record that changes moves the sum of the others by at most `range`, and each unit of that is
/// one other record.
class IndependentWithTotals final : public TransferFunction {
 public:
  explicit IndependentWithTotals(const KnownTotals& known) : known_(known) {}

  std::size_t records() const override { return 0; }
  std::string Assumes(std::size_t) const override { return "records are independent of each other" + Besides(known_); }

  /// Ensures [TOTALS-1], [TOTALS-2].
  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    const Adversary adversary = known_.range == 1 ? Adversary::kEvidence : Adversary::kRecords;
    const auto others = static_cast<std::size_t>(known_.range);
    if (plain.uniform()) return std::vector<BoundValues>{{"totals", adversary, {plain.SumOver(others + 1)}}};
    return std::vector<BoundValues>{{"totals", adversary, Each(plain.each(), others)}};
  }

 private:
  // Its own loss, and those of the others that lose most.
  static std::vector<double> Each(std::span<const double> plain, std::size_t others) {
    std::vector<double> largest(plain.begin(), plain.end());
    std::sort(largest.begin(), largest.end(), std::greater<>());
    std::vector<double> values;
    for (const double own : plain) {
      double sum = own;
      std::size_t taken = 0;
      bool own_seen = false;
      for (std::size_t k = 0; k < largest.size() && taken < others; ++k) {
        if (!own_seen && largest[k] == own) {
          own_seen = true;
          continue;
        }
        sum = rounding::AddUp(sum, largest[k]);
        ++taken;
      }
      values.push_back(sum);
    }
    return values;
  }

  KnownTotals known_;
};

/// Pairs and one grand total. The pair itself is two records, and moves the sum of all other pairs by at most two, each
/// of which is one record; where that record holds other secrets, its partner's law of these moves with it.
class PairsWithTotal final : public TransferFunction {
 public:
  PairsWithTotal(double odds_ratio, const KnownTotals& known)
      : odds_ratio_(odds_ratio), theta_(rounding::LogUp(odds_ratio)), known_(known) {}

  std::size_t records() const override { return 2; }
  std::string Assumes(std::size_t) const override {
    return fmt::format(
        "within a pair, given everybody else, having a relative with it multiplies the odds by at most {}; pairs are "
        "independent{}",
        AtMostText(odds_ratio_), Besides(known_));
  }

  /// Ensures [TOTALS-3]. Losses of other pairs are at most the largest of these.
  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    const double one = plain.Largest();
    const double other = known_.whole_record ? one : rounding::AddUp(one, Phi(theta_, one));
    return std::vector<BoundValues>{
        {"totals", Adversary::kEvidence, {rounding::AddUp(plain.SumOver(2), rounding::MulUp(2, other))}}};
  }

 private:
  double odds_ratio_, theta_;
  KnownTotals known_;
};

Error Refused(std::string why, std::string next) {
  return InvalidArgument(std::move(why), "[dependence] known", std::move(next));
}

}  // namespace

std::string Words(Adversary adversary, const KnownTotals& known) {
  return fmt::format("somebody who knows {}{}, and may know any of the other records, {}", known.of, kAsRead,
                     adversary == Adversary::kEvidence ? "or have evidence about single ones, but no other joint facts"
                                                       : "but has no other evidence about them");
}

Result<TransferFunctionPtr> MakeTransferFunction(const Model& model, const KnownTotals& known) {
  constexpr const char* kInstead =
      "declare kind = \"independent\", or pairs (kind = \"group\", size = 2, odds_ratio up to 4); or leave 'known' "
      "out, "
      "and no promise is made against somebody who knows totals";
  if (known.range < 1) return Refused("a total that no unit can move says nothing", "remove it from 'known'");
  if (std::holds_alternative<Independent>(model))
    return TransferFunctionPtr(std::make_unique<IndependentWithTotals>(known));
  const auto* group = std::get_if<Group>(&model);
  if (group == nullptr) {
    return Refused(
        fmt::format("no bound is known against somebody who knows a total where records depend on each other as in a "
                    "model of kind '{}'",
                    Kind(model)),
        kInstead);
  }
  if (group->size != 2) {
    return Refused(
        fmt::format("groups have up to {} members: against somebody who knows a total the bound is proved for pairs "
                    "only, because the sum of a larger group need not have a log-concave law",
                    group->size),
        kInstead);
  }
  if (group->classes.size() != 1) {
    return Refused("a total ties pairs of all classes to each other, and the bound is proved for one odds ratio",
                   "declare the largest odds ratio for all pairs, if it is at most 4");
  }
  if (group->ties != Ties::kEither) {
    return Refused("a total ties members of a group against each other, so ties are not all non-negative any more",
                   "state odds_ratio alone, without 'shared' and 'ties'; or leave 'known' out");
  }
  const auto& odds = group->classes.front().odds_ratio;
  if (!odds || *odds > kMostOdds) {
    return Refused(
        "with an odds ratio above 4 the sum of a pair need not have a log-concave law, and no bound against somebody "
        "who knows a total is proved then",
        kInstead);
  }
  if (known.of_groups || known.range != 1) {
    return Refused("where pairs depend on each other, the bound is proved for one grand total of a yes-or-no property",
                   "keep { total = \"column\" } without 'by'; or leave 'known' out");
  }
  return TransferFunctionPtr(std::make_unique<PairsWithTotal>(*odds, known));
}

}  // namespace kith
