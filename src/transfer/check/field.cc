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
#include "transfer/field/field_free.h"
#include "transfer/field/field_large.h"
#include "transfer/functions.h"
#include "transfer/non_negative.h"

namespace kith {
namespace {

/// Lists with more edges than this become a compact graph, unless there is something only SmallField knows.
constexpr std::size_t kMostEdgesInList = 20'000;

double LargestTheta(const Field& model) {
  double largest = 0;
  if (model.graph && !model.graph->thetas().empty()) largest = model.graph->thetas().back();
  for (const auto& e : model.edges) largest = std::max(largest, e.theta);
  for (const auto& f : model.factors) largest = std::max(largest, f.theta);
  return largest;
}

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
    assumes_ = AssumesField(field_.nodes(), model.hidden.size(), LargestTheta(model), model.prevalence);
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

/// A component in which all pairs are linked: a group.
struct CompleteComponent {
  std::vector<std::uint32_t> nodes;
  double theta = 0;
};
std::vector<CompleteComponent> CompleteComponentsOf(const Graph& graph) {
  std::vector<CompleteComponent> all(graph.component_records().size());
  std::vector<bool> complete(all.size(), true);
  for (std::uint32_t v = 0; v < graph.nodes(); ++v) {
    const std::uint32_t c = graph.ComponentOf(v);
    all[c].nodes.push_back(v);
    const std::uint64_t first = graph.offsets()[v], last = graph.offsets()[v + 1];
    if (last - first + 1 != graph.component_records()[c]) complete[c] = false;
    for (std::uint64_t slot = first; slot < last; ++slot) all[c].theta = std::max(all[c].theta, graph.Theta(slot));
  }
  std::vector<CompleteComponent> found;
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (complete[c]) found.push_back(std::move(all[c]));
  }
  return found;
}

/// Beside what holds for ties of either sign, what non-negative ties allow.
class NonNegativeFieldTransfer final : public TransferFunction {
 public:
  NonNegativeFieldTransfer(const Field& model, TransferFunctionPtr either, const Graph& graph,
                           std::optional<FieldFree> free)
      : either_(std::move(either)), complete_(CompleteComponentsOf(graph)), free_(std::move(free)) {
    assumes_ = "given all others, a record depends only on those it is linked to, in pairs, and only through " +
               model.attribute +
               ": having a linked one with it never lowers the odds, and multiplies them by at most " +
               AtMostText(std::exp(LargestTheta(model)) * (1 + 1e-14)) + " (or the link's own ratio); all else in a " +
               "record depends on its own " + model.attribute + " alone; " + std::to_string(model.nodes) + " records";
    if (model.field_free)
      assumes_ += "; this rests on a published inequality that kith has not proved itself (Ding, Song, Sun)";
    if (model.sample != nullptr) {
      assumes_ +=
          "; the loss is a limit from a public simulation without data, which its own coins made too low with "
          "probability at most 2^-60";
    }
  }

  std::size_t records() const override { return either_->records(); }
  std::string Assumes(std::size_t) const override { return assumes_; }
  double BudgetPrecision() const override { return either_->BudgetPrecision(); }
  Result<std::vector<BoundValues>> Bounds(const PlainLosses& plain, std::size_t of_class) const override {
    auto bounds = either_->Bounds(plain, of_class);
    if (!bounds) return bounds;
    const bool worst_only = bounds->front().values.size() == 1;
    const auto add = [&](const char* name, std::vector<double> losses) {
      if (worst_only) losses = {*std::max_element(losses.begin(), losses.end())};
      bounds->push_back({name, Adversary::kEvidence, std::move(losses)});
    };
    std::vector<double> losses(records(), std::numeric_limits<double>::infinity());
    for (const CompleteComponent& component : complete_) {
      double largest = 0;
      for (const std::uint32_t v : component.nodes) largest = std::max(largest, plain[v]);
      const double loss = NonNegativeLoss(static_cast<std::int64_t>(component.nodes.size()), component.theta, largest);
      for (const std::uint32_t v : component.nodes) losses[v] = loss;
    }
    if (!complete_.empty()) add("complete groups", std::move(losses));
    if (free_) add("field-free", free_->Losses(plain));
    return bounds;
  }

 private:
  TransferFunctionPtr either_;
  std::vector<CompleteComponent> complete_;
  std::optional<FieldFree> free_;
  std::string assumes_;
};

Result<TransferFunctionPtr> NonNegative(const Field& model) {
  Field either = model;
  either.ties = Ties::kEither;
  auto function = MakeTransferFunction(either);
  if (!function) return function;
  std::shared_ptr<const Graph> graph = model.graph;
  if (!graph) {
    auto made = GraphFromEdges(model.nodes, model.edges, RepeatedPairs::kAdd);
    if (!made) return made.error();
    graph = std::make_shared<const Graph>(std::move(*made));
  }
  std::optional<FieldFree> free;
  if (model.field_free) {
    auto made = FieldFree::Make(graph, model.sample);
    if (!made) return made.error();
    free = std::move(*made);
  }
  return TransferFunctionPtr(
      std::make_unique<NonNegativeFieldTransfer>(model, *std::move(function), *graph, std::move(free)));
}

}  // namespace

bool IsLarge(const Field& model) {
  return model.graph || (model.factors.empty() && !model.prevalence && model.edges.size() > kMostEdgesInList);
}

Result<TransferFunctionPtr> MakeTransferFunction(const Field& model) {
  if (model.ties != Ties::kEither) return NonNegative(model);
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
