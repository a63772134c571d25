#include "transfer/check/graph_witness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"
#include "base/meter.h"
#include "transfer/check/block_walk.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

using rounding::AddUp;
using rounding::Log1pUp;
using rounding::Widen;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Smaller ones are taken for these: larger is the safe side, and their products cannot underflow.
constexpr double kSmallestLoss = 1e-200;
constexpr double kSmallestCoupling = 1e-60;
/// Bounds that differ by less are the same up to rounding: the result then says "field".
constexpr double kTie = 1e-6;
/// At least log(2).
const double kLog2Up = rounding::NextUp(std::numbers::ln2);
/// From here on a number says nothing: a link passes on its own strength.
constexpr double kNothing = 0x1p100;
/// More than the roundings of one operation on excesses: at most four, of numbers that are not negative.
constexpr double kUp = 1 + 0x1p-50;

double Joined(double a, double b) { return std::min(kInfiniteExcess, (a + b + a * b) * kUp); }

/// phi as excesses, rounded up.
double Passed(double coupling, double x) {
  return x >= kNothing ? coupling : coupling * x / (2 + coupling + x) * kUp;
}

/// Scaled down before the next factor could overflow.
void Multiply(Product& product, double excess) {
  product.excess = (product.excess + excess + product.excess * excess);
  while (product.excess > 0x1p500) {
    product.excess = (1 + product.excess) * 0x1p-500 - 1;
    product.shift += 500;
  }
}

template <class Stored>
class OnGraph {
 public:
  OnGraph(const NodeLosses& losses, const GraphBlocks& blocks, GraphNumbers<Stored> numbers, Widening wider)
      : graph_(blocks.graph()),
        losses_(losses),
        blocks_(blocks),
        numbers_(numbers),
        wider_(wider),
        couplings_(CouplingsOf(graph_)),
        met_(graph_.nodes(), 0),
        outside_(blocks.members().size()) {}

  /// False: some number is smaller than what follows from the others. `losses`: by node, what the witness proves.
  bool Holds(std::vector<double>& losses) {
    for (std::uint32_t node = 0; node < graph_.nodes(); ++node) {
      Meter::LookAt(node);
      if (!AboutNode(node, losses[node])) return false;
    }
    for (std::size_t clique = 0; clique < blocks_.count(); ++clique) {
      Meter::LookAt(clique);
      if (!AboutClique(clique)) return false;
    }
    return true;
  }

 private:
  double Sent(std::uint64_t slot, std::uint64_t degree) const {
    return wider_.Of(static_cast<double>(numbers_.sent[slot]), degree);
  }
  double Inside(std::size_t place) const {
    return std::min(kInfiniteExcess, wider_.Of(static_cast<double>(numbers_.inside[place]), 0));
  }

  /// Everything about a node but one neighbour or one clique, for each in turn: products from the left and from the
  /// right, nothing is divided.
  bool AboutNode(std::uint32_t node, double& loss) {
    const std::uint64_t begin = graph_.offsets()[node];
    const std::uint64_t degree = graph_.offsets()[node + 1] - begin;
    const auto places = blocks_.PlacesOf(node);
    factors_.resize(degree + places.size());
    right_.resize(factors_.size() + 1);
    for (std::uint64_t s = 0; s < degree; ++s) {
      // Nodes come in order and their neighbours are sorted, so each meets its neighbours in order.
      const std::uint32_t other = graph_.neighbours()[begin + s];
      const std::uint64_t back = graph_.offsets()[other] + met_[other]++;
      const double coupling = couplings_[graph_.strengths().empty() ? 0 : graph_.strengths()[begin + s]];
      factors_[s] = blocks_.Taken(begin + s)
                        ? 0
                        : Passed(coupling, Sent(back, graph_.offsets()[other + 1] - graph_.offsets()[other]));
    }
    for (std::size_t p = 0; p < places.size(); ++p) factors_[degree + p] = Inside(places[p]);
    const double own = OwnExcess(losses_.Of(node));
    Product product{own, own >= kMostOwn ? kInfiniteShift : 0};
    for (const double factor : factors_) Multiply(product, factor);
    loss = LossOf(product, factors_.size());
    right_.back() = 0;
    for (std::size_t k = factors_.size(); k-- > 0;) right_[k] = Joined(right_[k + 1], factors_[k]);
    double left = std::min(own, kInfiniteExcess);
    for (std::size_t k = 0; k < factors_.size(); ++k) {
      const double rest = Joined(left, right_[k + 1]);
      if (k >= degree) {
        outside_[places[k - degree]] = rest;
      } else if (!blocks_.Taken(begin + k)) {
        const double sent = Sent(begin + k, degree);
        if (!(sent >= 0 && (sent >= rest || sent >= kNothing))) return false;
      }
      left = Joined(left, factors_[k]);
    }
    return true;
  }

  bool AboutClique(std::size_t clique) {
    const std::size_t size = blocks_.Members(clique).size();
    inside_.resize(size);
    blocks_.Losses(clique, couplings_, std::span(outside_).subspan(blocks_.first(clique), size), inside_);
    for (std::size_t k = 0; k < size; ++k) {
      const double stated = Inside(blocks_.first(clique) + k);
      if (!(stated >= 0 && (stated >= inside_[k] || stated >= kNothing))) return false;
    }
    return true;
  }

  const Graph& graph_;
  const NodeLosses& losses_;
  const GraphBlocks& blocks_;
  GraphNumbers<Stored> numbers_;
  Widening wider_;
  std::vector<double> couplings_;
  std::vector<std::uint32_t> met_;  // by node: how many of its neighbours came
  std::vector<double> outside_;     // by member of a clique
  std::vector<double> factors_, right_, inside_;
};

/// What the witness proves about every node; false where it proves nothing.
template <class Stored>
bool Proved(const NodeLosses& losses, const GraphBlocks& blocks, const GraphNumbers<Stored>& numbers,
            Widening& wider, std::vector<double>& found) {
  if (numbers.sent.size() != blocks.graph().slots() || numbers.inside.size() != blocks.members().size()) return false;
  constexpr double kFirst = sizeof(Stored) == 4 ? 0x1p-21 : 0x1p-46;
  for (wider = {kFirst, 0}; wider.part < 0x1p-8; wider = {wider.part * 4, 0x1p-118}) {
    if (OnGraph<Stored>(losses, blocks, numbers, wider).Holds(found)) return true;
  }
  return false;
}

}  // namespace

double LossOf(const Product& product, std::uint64_t degree) {
  // The exact product is at most (1 + excess)(1 + slack) for the computed excess, and excess (1 + slack) alone while it
  // was never scaled.
  if (product.shift >= kInfiniteShift) return kInfinity;
  const double slack = 2 * ProductSlack(degree);
  const double excess = Widen(product.excess * (1 + slack), 4);
  if (product.shift == 0) return 2 * Log1pUp(excess);
  const double scaled = rounding::MulUp(2 * static_cast<double>(product.shift), kLog2Up);
  return AddUp(2 * Log1pUp(AddUp(excess, slack)), scaled);
}

double OwnExcess(double loss) {
  return loss == 0 ? 0 : std::min(kMostOwn, rounding::Expm1Up(std::max(loss, kSmallestLoss) / 2));
}

std::vector<double> CouplingsOf(const Graph& graph) {
  std::vector<double> couplings;
  for (const double theta : graph.thetas()) {
    couplings.push_back(std::max(rounding::Expm1Up(theta / 2), kSmallestCoupling));
  }
  if (couplings.empty()) couplings.push_back(0);
  return couplings;
}

GraphBound ProvedOnGraph(const Graph& graph, const NodeLosses& losses, const GraphBlocks& blocks,
                         const GraphWitness& witness, bool per_record) {
  KITH_CHECK(&blocks.graph() == &graph);
  std::vector<double> found(graph.nodes(), kInfinity);
  GraphBound bound;
  const bool holds = std::visit(
      [&](const auto& numbers) { return Proved(losses, blocks, numbers, bound.wider, found); }, witness.numbers);
  if (!holds) std::fill(found.begin(), found.end(), kInfinity);
  bound.dependent = -1;
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    if (!losses.Counts(node)) continue;
    double& least = found[node];
    const char* name = "field";
    const auto consider = [&](double value, const char* named) {
      if (value < least * (1 - kTie)) name = named;
      least = std::min(least, value);
    };
    bound.messages = std::max(bound.messages, least);
    consider(losses.Group(node), "group");
    if (per_record || least > bound.dependent) consider(losses.Block(node), "block");
    if (least <= bound.dependent) continue;
    bound.dependent = least;
    bound.bound = name;
    bound.node = node;
  }
  bound.dependent = std::max(0.0, bound.dependent);
  if (!per_record) return bound;
  for (std::uint32_t record = 0; record < graph.records(); ++record) {
    bound.per_record.push_back(losses.Counts(graph.NodeOf(record)) ? found[graph.NodeOf(record)] : 0);
  }
  return bound;
}

}  // namespace kith
