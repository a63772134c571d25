// Groups, with or without odds ratios: the bounds group, association and block. Source: docs/theory/transfer.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "transfer/association.h"
#include "transfer/functions.h"
#include "transfer/non_negative.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

class GroupTransfer final : public TransferFunction {
 public:
  explicit GroupTransfer(const Group& model) : model_(model) {
    for (std::size_t k = 0; k < model_.classes.size(); ++k) {
      Strength strength;
      strength.size = model_.SizeOf(k);
      if (const auto& odds = model_.classes[k].odds_ratio) {
        strength.theta = rounding::LogUp(*odds);
        if (strength.size <= Association::kMaxSize)
          strength.association.emplace(strength.size, *strength.theta, !model_.attribute.empty());
      }
      if (model_.shared == SharedBy::kRange) {
        auto hidden = MakeTransferFunction(HiddenCause{strength.size, model_.classes[k].cause});
        if (hidden) strength.hidden = *std::move(hidden);
      }
      strengths_.push_back(std::move(strength));
    }
  }

  std::size_t classes() const override { return strengths_.size(); }
  std::size_t records() const override { return static_cast<std::size_t>(model_.size); }

  std::string Assumes(std::size_t of_class) const override {
    const GroupClass& c = model_.classes[of_class];
    const std::string which = c.label.empty() ? "" : " for " + c.label;
    const std::int64_t size = model_.SizeOf(of_class);
    // Sentences of classes that differ only in size become one: "at most 6 records for 6 and 1 record for 1, given
    // ...".
    const std::string start = fmt::format("within a group of at most {} {}{}, ", size,
                                          c.size && size == 1 ? "record" : "records", c.size ? which : "");
    // Of classes that differ in both: "by at most 2 among at most 6 records for 6 and 9 among at most 2 records for 2".
    const auto other_odds = [&](const GroupClass& other) {
      return other.odds_ratio && *other.odds_ratio != *c.odds_ratio;
    };
    if (c.size && c.odds_ratio && std::any_of(model_.classes.begin(), model_.classes.end(), other_odds)) {
      return fmt::format("within a group, {} among at most {} {}{}; groups are independent{}", Tie(c), size,
                         size == 1 ? "record" : "records", which, Through());
    }
    return start + Tie(c) + (c.size ? "" : which) + "; groups are independent" + Through();
  }

  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t of_class) const override {
    const Strength& strength = strengths_[of_class];
    std::vector<BoundValues> bounds;
    // Unequal plain losses: the recursion, and the exact formula, take the largest for all.
    if (strength.association && model_.ties == Ties::kNonNegative) {
      bounds.push_back(
          {"non-negative", Adversary::kEvidence, {NonNegativeLoss(strength.size, *strength.theta, plain.Largest())}});
    } else if (strength.association) {
      bounds.push_back({"association", Adversary::kEvidence, {strength.association->Loss(plain.Largest())}});
    }
    if (strength.theta) bounds.push_back({"block", Adversary::kEvidence, Block(plain, strength)});
    if (strength.hidden) {
      // Between two states of the cause the odds of a member change by at most its range: a hidden cause like any.
      auto hidden = strength.hidden->Bounds(PlainLosses::All(plain.Largest()), 0);
      if (!hidden) return hidden.error();
      bounds.push_back(std::move(hidden->front()));
    }
    bounds.push_back({"group", Adversary::kEvidence, {Together(plain, strength.size)}});
    return bounds;
  }

  std::optional<double> Reached(double plain, std::size_t of_class) const override {
    const Strength& of = strengths_[of_class];
    if (!of.theta) return Together(PlainLosses::All(plain), of.size);  // records that are all alike
    if (!of.association) return plain;
    if (model_.shared == SharedBy::kRange) return ReachedByTwoStates(of.size, model_.classes[of_class].cause, plain);
    return ReachedByGroups(of.size, *of.theta, plain);
  }

 private:
  // What ties two members, given everybody else.
  std::string Tie(const GroupClass& c) const {
    if (!c.odds_ratio) return "they may depend on each other in any way";
    const std::string odds = AtMostText(*c.odds_ratio), cause = AtMostText(c.cause);
    if (model_.ties == Ties::kEither)
      return "given everybody else, having a relative with it multiplies the odds by at most " + odds;
    switch (model_.shared) {
      case SharedBy::kNothing:
        return "given everybody else, having a relative with it never lowers the odds and multiplies them by at most " +
               odds;
      case SharedBy::kOddsRatio:
        break;
      case SharedBy::kSd:
        return "all that ties members is one cause that acts in the same direction on all, a normal term of their log "
               "odds with a standard deviation of at most " +
               cause;
      case SharedBy::kRange:
        return "all that ties members is one cause that acts in the same direction on all, a term of their log odds "
               "whose largest and smallest values are at most " +
               cause + " apart";
    }
    return "all that ties members is one cause that acts in the same direction on all, so that, given everybody else, "
           "having a relative with it multiplies the odds by at least 1 and at most " +
           odds;
  }

  std::string Through() const {
    if (model_.attribute.empty()) return {};
    return fmt::format(
        "; members depend on each other through {} alone, one yes or no of each that stays what it is, and "
        "all else about somebody, being in the data included, depends on their own",
        model_.attribute);
  }

  struct Strength {
    std::int64_t size = 1;        // members of one group, at most
    std::optional<double> theta;  // nothing: anything goes
    std::optional<Association> association;
    std::shared_ptr<const TransferFunction> hidden;  // of a shared cause within a range
  };

  // What the members of one group lose together: where there are fewer than losses, those that lose most.
  double Together(const PlainLosses& plain, std::int64_t size) const {
    if (plain.uniform() || size == model_.size) return plain.SumOver(static_cast<std::size_t>(size));
    std::vector<double> sorted(plain.each().begin(), plain.each().end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    sorted.resize(static_cast<std::size_t>(size));
    return PlainLosses::Each(sorted).SumOver(sorted.size());
  }

  std::vector<double> Block(const PlainLosses& plain, const Strength& of) const {
    const double strength = rounding::MulUp(*of.theta, static_cast<double>(of.size - 1));
    if (plain.uniform()) return {BlockLoss(plain[0], plain.SumOver(static_cast<std::size_t>(of.size - 1)), strength)};
    std::vector<double> values;
    if (of.size < model_.size) {
      const double others = Together(plain, of.size - 1);  // without itself where it is among them: no more than that
      for (const double own : plain.each()) values.push_back(BlockLoss(own, others, strength));
      return values;
    }
    const double all = plain.SumOver(records());
    for (const double own : plain.each()) {
      values.push_back(BlockLoss(own, rounding::SubtractUp(all, own), strength));
    }
    return values;
  }

  Group model_;
  std::vector<Strength> strengths_;
};

}  // namespace

Result<TransferFunctionPtr> MakeTransferFunction(const Group& model) {
  return TransferFunctionPtr(std::make_unique<GroupTransfer>(model));
}

}  // namespace kith
