#include "transfer/gaussian/messages.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "transfer/association.h"
#include "transfer/check/field_small.h"
#include "transfer/field/field_finder.h"
#include "transfer/gaussian/probit.h"
#include "transfer/rounding.h"
#include "transfer/tree/forest.h"

namespace kith {
namespace {

using rounding::AddUp;
using rounding::MulUp;

constexpr std::size_t kMostEdges = 5'000;    // some seconds for a budget
constexpr std::int64_t kMostRecords = 1000;  // of a chain or a tree, to be worked through as a field

using Made = std::unique_ptr<const GaussianMessages>;

/// The record's own, and those of `others` others that have most: what must be added up whatever the law is.
class Sum final : public GaussianMessages {
 public:
  explicit Sum(std::size_t others) : others_(others) {}
  std::vector<double> Mu(const PlainLosses& mu, std::size_t) const override {
    if (mu.uniform()) return {mu.SumOver(others_ + 1)};
    std::vector<double> sorted(mu.each().begin(), mu.each().end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    sorted.resize(std::min(sorted.size(), others_));
    const double rest = SumUp(sorted);
    std::vector<double> values;
    for (const double own : mu.each()) values.push_back(others_ == 0 ? own : AddUp(own, rest));
    return values;
  }

 private:
  std::size_t others_;
};

class InGroups final : public GaussianMessages {
 public:
  explicit InGroups(const Group& model) {
    for (std::size_t k = 0; k < model.classes.size(); ++k) {
      Strength& one = strengths_.emplace_back();
      one.size = model.SizeOf(k);
      if (!model.classes[k].odds_ratio) continue;
      one.theta = rounding::LogUp(*model.classes[k].odds_ratio);
      if (one.size <= Association::kMaxSize) one.association.emplace(one.size, one.theta);
    }
  }
  // Unequal losses: the largest for all.
  std::vector<double> Mu(const PlainLosses& mu, std::size_t of_class) const override {
    const Strength& one = strengths_[of_class];
    const double most = mu.Largest();
    const double others = MulUp(most, static_cast<double>(one.size - 1));
    double least = AddUp(most, others);
    if (one.association) least = std::min(least, one.association->Loss(most, ProbitPhi));
    if (one.theta < std::numeric_limits<double>::infinity())
      least = std::min(least, BlockLoss(most, others, MulUp(one.theta, static_cast<double>(one.size - 1)), ProbitPhi));
    return {least};
  }

 private:
  struct Strength {
    std::int64_t size = 1;
    double theta = std::numeric_limits<double>::infinity();
    std::optional<Association> association;
  };
  std::vector<Strength> strengths_;
};

/// A field of the star whose middle is nobody's record. Unequal losses: the largest for all.
class WithHiddenCause final : public GaussianMessages {
 public:
  explicit WithHiddenCause(const HiddenCause& model) : model_(model) {}
  std::vector<double> Mu(const PlainLosses& mu, std::size_t) const override {
    const double most = mu.Largest();
    const auto others = static_cast<double>(model_.size - 1);
    const double told = MulUp(ProbitPhi(model_.theta, most), others);
    return {std::min(AddUp(most, ProbitPhi(model_.theta, told)), AddUp(most, MulUp(most, others)))};
  }

 private:
  HiddenCause model_;
};

class OnField final : public GaussianMessages {
 public:
  /// `about`: only the loss about the first records, this many, is asked for.
  explicit OnField(const Field& model, std::size_t about = std::numeric_limits<std::size_t>::max())
      : field_(model, ProbitPhi), finder_(FieldFinder::ForGaussian(field_)), about_(about) {}

  std::vector<double> Mu(const PlainLosses& mu, std::size_t) const override {
    const std::vector<double> plain = field_.Plain(mu);
    std::vector<double> least = ProvedLosses(field_, finder_.blocks(), plain, finder_.Find(plain));
    const std::vector<double> block = field_.BlockLosses(plain);
    const std::vector<double> sums = field_.ComponentSums(plain);
    for (std::size_t i = 0; i < least.size(); ++i) {
      least[i] = field_.hidden(i) ? 0 : std::min({least[i], block[i], sums[field_.ComponentOf(i)]});
    }
    least.resize(std::min(least.size(), about_));
    return least;
  }

 private:
  SmallField field_;
  FieldFinder finder_;
  std::size_t about_;
};

/// A long chain with one strength for every step: messages from both sides, from infinity down to where they settle.
class OnLongChain final : public GaussianMessages {
 public:
  explicit OnLongChain(double theta, std::int64_t length) : theta_(theta), length_(length) {}
  std::vector<double> Mu(const PlainLosses& mu, std::size_t) const override {
    const double most = mu.Largest();
    double told = ProbitPhi(theta_, std::numeric_limits<double>::infinity());
    for (int round = 0; round < 10'000; ++round) {
      const double next = ProbitPhi(theta_, AddUp(most, told));
      if (!(next < told * (1 - 1e-14))) break;
      told = next;
    }
    return {std::min(AddUp(most, 2 * told), MulUp(most, static_cast<double>(length_)))};
  }

 private:
  double theta_;
  std::int64_t length_;
};

Made Of(const Independent&) { return std::make_unique<Sum>(0); }
Made Of(const Group& model) { return std::make_unique<InGroups>(model); }
Made Of(const Overlap& model) { return std::make_unique<Sum>(static_cast<std::size_t>(model.size - 1)); }
Made Of(const Joint& model) { return std::make_unique<Sum>(model.values.size() - 1); }
Made Of(const HiddenCause& model) { return std::make_unique<WithHiddenCause>(model); }
Made Of(const Field& model) {
  if (model.graph || model.edges.size() > kMostEdges) return nullptr;
  return std::make_unique<OnField>(model);
}
Made Of(const Star& model) { return std::make_unique<OnField>(std::get<Field>(AboutEveryRecord(model)), 1); }
Made Of(const Tree& model) {
  if (model.parents.size() > static_cast<std::size_t>(kMostRecords)) return nullptr;
  const auto forest = Forest::Make(model);
  return forest ? std::make_unique<OnField>(forest->AsField()) : nullptr;
}
Made Of(const Chain& model) {
  Tree tree;
  for (std::int64_t i = 0; i < std::min(model.length, kMostRecords); ++i) {
    tree.parents.push_back(i - 1);
    tree.tables.push_back(i == 0 ? LawTable{model.start} : model.transition);
  }
  const auto forest = Forest::Make(tree);
  if (!forest) return nullptr;
  const Field field = forest->AsField();
  if (model.length <= kMostRecords) return std::make_unique<OnField>(field);
  double theta = 0;
  for (const auto& edge : field.edges) theta = std::max(theta, edge.theta);
  return std::make_unique<OnLongChain>(theta, model.length);
}
template <class Other>
Made Of(const Other&) {
  return nullptr;
}

}  // namespace

Made MakeGaussianMessages(const Model& model, const std::optional<KnownTotals>& known) {
  if (!known) return std::visit([](const auto& m) { return Of(m); }, model);
  if (!std::holds_alternative<Independent>(model)) return nullptr;
  return std::make_unique<Sum>(static_cast<std::size_t>(known->range));
}

}  // namespace kith
