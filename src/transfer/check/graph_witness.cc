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

/// (1 + a)(1 + b) - 1, right but for three roundings.
double Joined(double a, double b) { return a * (1 + b) + b; }

/// phi as excesses, rounded up.
double Passed(double coupling, double x) { return x >= kNothing ? coupling : coupling * x / (2 + coupling + x) * kUp; }

/// Scaled down before the next factor could overflow.
void Multiply(Product& product, double excess) {
  product.excess = Joined(product.excess, excess);
  while (product.excess > 0x1p500) {
    product.excess = (1 + product.excess) * 0x1p-500 - 1;
    product.shift += 500;
  }
}

/// What phi and all recursions here have in common: f(s t) <= s f(t) for s >= 1. So if messages t break their
/// inequality by v, F(t) <= t + v, then (1 + e) t keeps it where (1 + e) v <= e times the node's own loss:
/// F((1 + e) t) <= (1 + e) F(t) - e own. Nothing has to be computed twice: e follows from the largest v.
template <class Stored>
class OnGraph {
 public:
  OnGraph(const NodeLosses& losses, const GraphBlocks& blocks, GraphNumbers<Stored> numbers)
      : graph_(blocks.graph()),
        losses_(losses),
        blocks_(blocks),
        sent_(numbers.sent),
        inside_(numbers.inside.begin(), numbers.inside.end()),
        couplings_(CouplingsOf(graph_)),
        outside_(blocks.members().size()) {
    // More than the rounding of what follows, so that it does not break what was found.
    for (double& x : inside_) x = std::min(kInfiniteExcess, x + x * 0x1p-40);
  }

  /// By how much larger all numbers must be taken. Nothing where they prove nothing. `losses`: by node, what the
  /// numbers say as they are.
  std::optional<double> Wider(std::vector<double>& losses) {
    // Numbers that have too little room are raised, and with them those that follow from them; what is too little
    // falls.
    constexpr int kMostRounds = 12;
    room_ = 0x1p-17;
    for (int round = 0; round < kMostRounds; ++round, room_ = std::min(0.5, 4 * room_)) {
      raised_now_ = false;
      wider_ = 0;
      next_.assign(graph_.offsets().begin(), graph_.offsets().end() - 1);
      for (std::uint32_t node = 0; node < graph_.nodes();) {
        const std::uint32_t end = Fetch(node);
        const std::uint64_t first = graph_.offsets()[node];
        for (; node < end; ++node) {
          if (!AboutNode(node, back_.data() + (graph_.offsets()[node] - first), losses[node])) return std::nullopt;
        }
      }
      for (std::size_t clique = 0; clique < blocks_.count(); ++clique) {
        Meter::LookAt(clique);
        if (!AboutClique(clique)) return std::nullopt;
      }
      if (!raised_now_) return wider_;
    }
    return std::nullopt;
  }

  /// After Wider: what is sent, as it was taken.
  double Sent(std::uint64_t slot) const { return raised_.empty() ? static_cast<double>(sent_[slot]) : raised_[slot]; }
  double Inside(std::size_t place) const { return inside_[place]; }

 private:
  /// The slots over which some nodes, from `first` on, hear from their neighbours; many at a time, so that memory is
  /// waited for once. Nodes come in order and neighbours are sorted: each meets its neighbours in order.
  std::uint32_t Fetch(std::uint32_t first) {
    Meter::Look();
    const auto offsets = graph_.offsets();
    std::uint32_t end = first + 1;
    while (end < graph_.nodes() && offsets[end + 1] - offsets[first] <= kFetched) ++end;
    back_.resize(offsets[end] - offsets[first]);
    const auto neighbours = graph_.neighbours().subspan(offsets[first]);
    for (std::size_t k = 0; k < back_.size(); ++k) {
      __builtin_prefetch(&next_[neighbours[k + Graph::kLookAhead / 4]], 1);
      back_[k] = next_[neighbours[k]]++;
      __builtin_prefetch(&sent_[back_[k]]);
    }
    return end;
  }

  /// Everything about a node but one neighbour or one clique, for each in turn: products from the left and from the
  /// right, nothing is divided.
  bool AboutNode(std::uint32_t node, const std::uint64_t* back, double& loss) {
    const std::uint64_t begin = graph_.offsets()[node];
    const std::uint64_t degree = graph_.offsets()[node + 1] - begin;
    const auto places = blocks_.PlacesOf(node);
    const std::size_t count = degree + places.size();
    factors_.resize(count);
    right_.resize(count + 1);
    for (std::uint64_t s = 0; s < degree; ++s) {
      const double coupling = couplings_[graph_.strengths().empty() ? 0 : graph_.strengths()[begin + s]];
      factors_[s] = blocks_.Taken(begin + s) ? 0 : Passed(coupling, Sent(back[s]));
    }
    for (std::size_t p = 0; p < places.size(); ++p) factors_[degree + p] = Inside(places[p]);
    right_[count] = 0;
    for (std::size_t k = count; k-- > 0;) right_[k] = Joined(right_[k + 1], factors_[k]);
    const double up = 1 + static_cast<double>(count + 2) * 0x1p-51;  // more than three roundings for each factor
    const double own = OwnExcess(losses_.Of(node));
    loss = LossOfAll(own, right_[0] * up);
    double left = own;
    for (std::size_t k = 0; k < count; ++k) {
      const double rest = std::min(kInfiniteExcess, Joined(left, right_[k + 1]) * up);
      if (k >= degree) {
        outside_[places[k - degree]] = rest;
      } else if (!blocks_.Taken(begin + k) && !Room(node, begin + k, rest)) {
        return false;
      }
      left = Joined(left, factors_[k]);
    }
    return true;
  }

  /// What a node loses: its own, and all the rest, which may be more than any number.
  double LossOfAll(double own, double rest) const {
    if (rest < 0x1p500 && own < kMostOwn) return LossOf({Joined(own, rest), 0}, 0);
    Product product{own, own >= kMostOwn ? kInfiniteShift : 0};
    for (const double factor : factors_) Multiply(product, factor);
    return LossOf(product, factors_.size());
  }

  /// Whether what a node sends is at least the rest, or can be.
  bool Room(std::uint32_t node, std::uint64_t slot, double rest) {
    const double sent = Sent(slot);
    if (!(sent >= 0)) return false;
    if (sent >= rest || sent >= kNothing) return true;
    const double broken = 2 * (rest - sent) / (1 + sent) * kUp * kUp;  // at least, as losses
    const double own = losses_.Of(node);
    if (broken < own * room_) {
      wider_ = std::max(wider_, broken / (own - broken) * kUp * kUp);
      return true;
    }
    if (raised_.empty()) raised_.assign(sent_.begin(), sent_.end());
    raised_[slot] = rest;
    raised_now_ = true;
    return true;
  }

  bool AboutClique(std::size_t clique) {
    const std::size_t size = blocks_.Members(clique).size();
    const std::size_t first = blocks_.first(clique);
    told_.resize(size);
    blocks_.Losses(clique, couplings_, std::span(outside_).subspan(first, size), told_);
    for (std::size_t k = 0; k < size; ++k) {
      double& stated = inside_[first + k];
      if (!(stated >= 0)) return false;
      if (stated >= told_[k] || stated >= kNothing) continue;
      stated = std::min(kInfiniteExcess, told_[k]);
      raised_now_ = true;
    }
    return true;
  }

  static constexpr std::uint64_t kFetched = 4096;

  const Graph& graph_;
  const NodeLosses& losses_;
  const GraphBlocks& blocks_;
  std::span<const Stored> sent_;
  std::vector<double> raised_;  // the same, where some were raised; empty: none
  std::vector<double> inside_;  // by member of a clique
  std::vector<double> couplings_;
  std::vector<std::uint64_t> next_;  // by node: the slot of the next neighbour that comes
  std::vector<std::uint64_t> back_;
  std::vector<double> outside_;  // by member of a clique
  std::vector<double> factors_, right_, told_;
  double wider_ = 0;
  double room_ = 0;  // the part of a node's own loss by which numbers about it may be too small
  bool raised_now_ = false;
};

/// What the witness proves about every node, infinity where it proves nothing.
template <class Stored>
std::vector<double> Proved(const NodeLosses& losses, const GraphBlocks& blocks, const GraphNumbers<Stored>& numbers,
                           TakenNumbers* taken) {
  const Graph& graph = blocks.graph();
  std::vector<double> proved(graph.nodes(), kInfinity);
  if (numbers.sent.size() != graph.slots() || numbers.inside.size() != blocks.members().size()) return proved;
  OnGraph<Stored> check(losses, blocks, numbers);
  const auto wider = check.Wider(proved);
  for (double& loss : proved) loss = wider ? rounding::MulUp(loss, rounding::AddUp(1, *wider)) : kInfinity;
  if (taken == nullptr || !wider) return proved;
  const auto loss_of = [&](double excess) {
    return excess >= kNothing ? kInfinity : rounding::MulUp(2 * Log1pUp(excess), rounding::AddUp(1, *wider));
  };
  for (std::uint64_t slot = 0; slot < graph.slots(); ++slot) taken->sent.push_back(loss_of(check.Sent(slot)));
  for (std::size_t k = 0; k < numbers.inside.size(); ++k) taken->inside.push_back(loss_of(check.Inside(k)));
  return proved;
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
                         const GraphWitness& witness, bool per_record, TakenNumbers* taken) {
  KITH_CHECK(&blocks.graph() == &graph);
  GraphBound bound;
  std::vector<double> found =
      std::visit([&](const auto& numbers) { return Proved(losses, blocks, numbers, taken); }, witness.numbers);
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
