// Markov random fields: which way of computing fits the size. Source: docs/theory/transfer.md#field.
// Claims: claims/transfer_field.md, claims/transfer_field_large.md
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>

#include "base/meter.h"
#include "dependence/graph_builder.h"
#include "transfer/check/field_small.h"
#include "transfer/check/field_witness.h"
#include "transfer/check/graph_witness.h"
#include "transfer/check/walk_losses.h"
#include "transfer/field/field_finder.h"
#include "transfer/field/field_large.h"
#include "transfer/functions.h"

namespace kith {
namespace {

/// Lists with more edges than this become a compact graph, unless there is something only SmallField knows.
constexpr std::size_t kMostEdgesInList = 20'000;

std::string AssumesField(std::size_t nodes, std::size_t hidden, double largest_theta,
                         const std::optional<Prevalence>& prevalence) {
  std::string text = "given all others, a record depends only on those it is linked to";
  if (largest_theta <= 700) {
    text += ", and having a linked one with it multiplies the odds by at most " +
            AtMostText(std::exp(largest_theta) * (1 + 1e-14)) +  // exp(log(5)) is less than 5
            " (or the link's own ratio)";
  }
  text += "; " + std::to_string(nodes - hidden) + " records";
  if (hidden > 0) text += hidden == 1 ? " and a hidden cause" : " and " + std::to_string(hidden) + " hidden causes";
  if (prevalence) {
    text += std::string("; whatever the others ") + (hidden > 0 ? "and the hidden causes " : "") +
            "are, the probability of yes lies between " + AtLeastText(prevalence->low) + " and " +
            AtMostText(prevalence->high);
  }
  return text;
}

class SmallFieldTransfer final : public TransferFunction {
 public:
  explicit SmallFieldTransfer(const Field& model) : field_(model), finder_(FieldFinder::ForPure(field_)) {
    double largest = 0;
    for (const auto& e : model.edges) largest = std::max(largest, e.theta);
    for (const auto& f : model.factors) largest = std::max(largest, f.theta);
    assumes_ = AssumesField(field_.nodes(), model.hidden.size(), largest, model.prevalence);
  }

  std::size_t records() const override { return field_.nodes(); }
  std::string Assumes(std::size_t) const override { return assumes_; }

  Result<std::vector<BoundValues>> Bounds(const PlainLosses& losses, std::size_t) const override {
    const std::vector<double> plain = field_.Plain(losses);
    std::vector<double> field = ProvedLosses(field_, finder_.blocks(), plain, finder_.Find(plain));
    Lower(field, CompleteComponents(plain));
    const std::vector<double> sums = field_.ComponentSums(plain);
    std::vector<double> group(field_.nodes());
    for (std::size_t i = 0; i < group.size(); ++i) group[i] = sums[field_.ComponentOf(i)];
    std::vector<double> block = field_.BlockLosses(plain);
    for (auto* bound : {&field, &block, &group}) Hide(*bound);
    const Adversary adversary = field_.has_prevalence() ? Adversary::kRecords : Adversary::kEvidence;
    return std::vector<BoundValues>{{"field", adversary, std::move(field)},
                                    {"block", Adversary::kEvidence, std::move(block)},
                                    {"group", Adversary::kEvidence, std::move(group)}};
  }

 private:
  static void Lower(std::vector<double>& bounds, const std::vector<double>& others) {
    for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i] = std::min(bounds[i], others[i]);
  }

  /// Hidden causes are not anybody's secrets.
  void Hide(std::vector<double>& bounds) const {
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      if (field_.hidden(i)) bounds[i] = 0;
    }
  }

  /// The recursion for complete groups, where a component is one: all pairs linked, by pairs only. Infinity elsewhere.
  std::vector<double> CompleteComponents(const std::vector<double>& plain) const {
    std::vector<double> losses(field_.nodes(), std::numeric_limits<double>::infinity());
    for (const auto& component : field_.components()) {
      double theta = 0;
      double largest = 0;
      bool complete = true;
      for (const auto node : component) {
        const auto& members = field_.MembersOf(node);
        complete = complete && members.size() + 1 == component.size();
        largest = std::max(largest, plain[node]);
        for (const auto m : members) {
          const auto& tie = field_.tie(field_.member(m).tie);
          complete = complete && tie.size == 2;
          theta = std::max(theta, tie.theta);
        }
      }
      if (!complete) continue;
      const double loss = CompleteGroupLoss(static_cast<std::int64_t>(component.size()), theta, largest);
      for (const auto node : component) losses[node] = loss;
    }
    return losses;
  }

  SmallField field_;
  FieldFinder finder_;
  std::string assumes_;
};

class LargeFieldTransfer final : public TransferFunction {
 public:
  /// `world`: the records that there are, which can be more than the graph holds: others depend on no record.
  LargeFieldTransfer(std::shared_ptr<const Graph> graph, std::vector<std::uint32_t> hidden, LargeField finder,
                     std::size_t world)
      : graph_(std::move(graph)), hidden_(std::move(hidden)), finder_(std::move(finder)) {
    std::sort(hidden_.begin(), hidden_.end());
    const auto thetas = graph_->thetas();
    const double largest = graph_->has_hard_edges() ? std::numeric_limits<double>::infinity()
                           : thetas.empty()         ? 0
                                                    : thetas.back();
    assumes_ = AssumesField(std::max<std::size_t>(world, graph_->records()), hidden_.size(), largest, std::nullopt);
  }

  std::size_t records() const override { return graph_->records(); }
  std::string Assumes(std::size_t) const override { return assumes_; }
  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t) const override {
    const NodeLosses losses(*graph_, hidden_, plain);
    const auto found = finder_.Find(losses, Meter::flag());
    if (!found) return found.error();
    const GraphBound proved = ProvedOnGraph(*graph_, losses, finder_.blocks(), found->witness, false);
    // Each record's smallest bound was taken inside; `dependent` is the largest of those, under the name of the bound
    // that won.
    std::vector<BoundValues> bounds = {{"field", Adversary::kEvidence, {proved.messages}},
                                       {"block", Adversary::kEvidence, {losses.LargestBlock()}},
                                       {"group", Adversary::kEvidence, {losses.LargestGroup()}}};
    for (auto& bound : bounds) {
      if (bound.name == proved.bound) bound.values = {proved.dependent};
    }
    return bounds;
  }
  double BudgetPrecision() const override { return 1e-4; }

 private:
  std::shared_ptr<const Graph> graph_;
  std::vector<std::uint32_t> hidden_;  // increasing
  LargeField finder_;
  std::string assumes_;
};

}  // namespace

bool IsLarge(const Field& model) {
  return model.graph || (model.factors.empty() && !model.prevalence && model.edges.size() > kMostEdgesInList);
}

Result<TransferFunctionPtr> MakeTransferFunction(const Field& model) {
  if (!IsLarge(model)) return TransferFunctionPtr(std::make_unique<SmallFieldTransfer>(model));
  if (!model.factors.empty() || model.prevalence) {
    return InvalidArgument("factors and prevalence cannot be combined with a graph of this size", "field",
                           "state them as edges, or leave them out if edges cover them");
  }
  std::shared_ptr<const Graph> graph = model.graph;
  if (!graph) {
    auto made = GraphFromEdges(model.nodes, model.edges, RepeatedPairs::kAdd);
    if (!made) return made.error();
    graph = std::make_shared<const Graph>(std::move(*made));
  }
  FieldOptions options;
  options.threads = std::max(1U, std::thread::hardware_concurrency());
  auto finder = LargeField::Make(graph, model.hidden, options);
  if (!finder) return finder.error();
  return TransferFunctionPtr(std::make_unique<LargeFieldTransfer>(std::move(graph), model.hidden, std::move(*finder),
                                                                  static_cast<std::size_t>(model.nodes)));
}

}  // namespace kith
