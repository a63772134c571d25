#include "transfer/field/random_cluster.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <new>
#include <thread>

#include "base/check.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

/// An edge between two nodes; the extra node is the last one.
struct Ends {
  std::uint32_t a, b;
};

struct Network {
  std::uint32_t nodes = 0;  // the extra one included
  std::vector<Ends> edges;  // in the order of renewal
  std::vector<EdgeLimits> limits;
  std::vector<std::uint16_t> limits_of;   // each edge's; empty: there is one strength
  std::uint64_t ties = 0;                 // where the edges to the extra node begin; their limits are the last
  std::vector<std::uint32_t> first_slot;  // each node's, in lists of open edges

  std::size_t size() const { return edges.size(); }
  const EdgeLimits& LimitsAt(std::size_t edge) const {
    if (edge >= ties) return limits.back();
    return limits[limits_of.empty() ? 0 : limits_of[edge]];
  }
};

Network NetworkOf(const Graph& graph, double plain) {
  Network net;
  net.nodes = graph.nodes() + 1;
  net.ties = graph.edges();
  net.edges.reserve(graph.edges() + graph.nodes());
  for (std::uint32_t a = 0; a < graph.nodes(); ++a) {
    for (std::uint64_t slot = graph.offsets()[a]; slot < graph.offsets()[a + 1]; ++slot) {
      const std::uint32_t b = graph.neighbours()[slot];
      if (b < a) continue;
      net.edges.push_back({a, b});
      if (!graph.strengths().empty()) net.limits_of.push_back(graph.strengths()[slot]);
    }
  }
  KITH_CHECK(net.edges.size() == net.ties);
  for (std::uint32_t a = 0; a < graph.nodes(); ++a) net.edges.push_back({a, graph.nodes()});
  for (const double theta : graph.thetas()) net.limits.push_back(LimitsOf(theta));
  net.limits.push_back(LimitsOf(plain));
  net.first_slot.assign(net.nodes + std::size_t{1}, 0);
  for (const Ends& edge : net.edges) {
    ++net.first_slot[edge.a + 1];
    ++net.first_slot[edge.b + 1];
  }
  for (std::size_t v = 0; v < net.nodes; ++v) net.first_slot[v + 1] += net.first_slot[v];
  return net;
}

/// The open edges of a network, by node, so that a search walks along open edges only.
class OpenEdges {
 public:
  explicit OpenEdges(const Network& net)
      : net_(net),
        open_(net.size()),
        other_(2 * net.size()),
        half_(2 * net.size()),
        slot_(2 * net.size()),
        degree_(net.nodes),
        mark_(net.nodes) {}

  /// The first sweep, from every edge open. Until the ties to the extra node are renewed, all nodes are connected
  /// through it, so that edges between others need no search, and those that stay closed were never opened.
  void Begin(KeyedWords& words) {
    std::fill(open_.begin(), open_.end(), 0);
    std::fill(degree_.begin(), degree_.end(), 0);
    for (std::uint32_t edge = 0; edge < net_.ties; ++edge) {
      if (words.Next() < net_.LimitsAt(edge).connected) Open(edge);
    }
    for (std::uint64_t edge = net_.ties; edge < net_.size(); ++edge) Open(static_cast<std::uint32_t>(edge));
    for (std::uint64_t edge = net_.ties; edge < net_.size(); ++edge)
      Renew(static_cast<std::uint32_t>(edge), words.Next());
  }

  void Renew(std::uint32_t edge, std::uint32_t word) {
    const EdgeLimits& limits = net_.LimitsAt(edge);
    const bool open = word < limits.apart || (word < limits.connected && ConnectedWithout(edge));
    if (open == (open_[edge] != 0)) return;
    if (open) {
      Open(edge);
    } else {
      Close(edge);
    }
  }

  /// Adds 1 for each node that is connected with the extra one.
  void Count(std::vector<std::uint64_t>& hits) {
    const std::uint32_t mark = NewMarks();
    from_a_.assign(1, net_.nodes - 1);
    mark_[net_.nodes - 1] = mark;
    for (std::size_t k = 0; k < from_a_.size(); ++k) {
      if (k > 0) ++hits[from_a_[k]];
      for (std::uint32_t s = First(from_a_[k]); s < Last(from_a_[k]); ++s) {
        if (mark_[other_[s]] == mark) continue;
        mark_[other_[s]] = mark;
        from_a_.push_back(other_[s]);
      }
    }
  }

 private:
  std::uint32_t First(std::uint32_t node) const { return net_.first_slot[node]; }
  std::uint32_t Last(std::uint32_t node) const { return net_.first_slot[node] + degree_[node]; }

  void Open(std::uint32_t edge) {
    open_[edge] = 1;
    Add(net_.edges[edge].a, net_.edges[edge].b, 2 * edge);
    Add(net_.edges[edge].b, net_.edges[edge].a, 2 * edge + 1);
  }
  void Close(std::uint32_t edge) {
    open_[edge] = 0;
    Remove(net_.edges[edge].a, 2 * edge);
    Remove(net_.edges[edge].b, 2 * edge + 1);
  }
  void Add(std::uint32_t node, std::uint32_t other, std::uint32_t half) {
    const std::uint32_t slot = Last(node);
    ++degree_[node];
    other_[slot] = other;
    half_[slot] = half;
    slot_[half] = slot;
  }
  void Remove(std::uint32_t node, std::uint32_t half) {
    --degree_[node];
    const std::uint32_t slot = slot_[half], last = Last(node);
    other_[slot] = other_[last];
    half_[slot] = half_[last];
    slot_[half_[slot]] = slot;
  }

  /// Two marks that no node has: the one returned, and the one above it.
  std::uint32_t NewMarks() {
    if (next_mark_ > std::numeric_limits<std::uint32_t>::max() - 4) {
      std::fill(mark_.begin(), mark_.end(), 0);
      next_mark_ = 1;
    }
    next_mark_ += 2;
    return next_mark_ - 2;
  }

  /// Searches from both ends in turn: the search ends when they meet, or the smaller side has no way out.
  bool ConnectedWithout(std::uint32_t edge) {
    const auto [a, b] = net_.edges[edge];
    const std::uint32_t mark = NewMarks();
    from_a_.assign(1, a);
    from_b_.assign(1, b);
    mark_[a] = mark;
    mark_[b] = mark + 1;
    for (std::size_t k = 0;; ++k) {
      if (k == from_a_.size() || k == from_b_.size()) return false;
      if (Step(from_a_, k, edge, mark, mark + 1) || Step(from_b_, k, edge, mark + 1, mark)) return true;
    }
  }
  bool Step(std::vector<std::uint32_t>& reached, std::size_t k, std::uint32_t but, std::uint32_t mine,
            std::uint32_t others) {
    const std::uint32_t node = reached[k];
    for (std::uint32_t s = First(node); s < Last(node); ++s) {
      if (half_[s] / 2 == but || mark_[other_[s]] == mine) continue;
      if (mark_[other_[s]] == others) return true;
      mark_[other_[s]] = mine;
      reached.push_back(other_[s]);
    }
    return false;
  }

  const Network& net_;
  std::vector<unsigned char> open_;
  std::vector<std::uint32_t> other_;  // at each slot, the node at the other end
  std::vector<std::uint32_t> half_;   // and which end of which edge it is: 2 * edge, plus 1 at its second node
  std::vector<std::uint32_t> slot_;   // where each end of an open edge is
  std::vector<std::uint32_t> degree_;
  std::vector<std::uint32_t> mark_;
  std::uint32_t next_mark_ = 1;
  std::vector<std::uint32_t> from_a_, from_b_;
};

}  // namespace

EdgeLimits LimitsOf(double theta) {
  const auto words = [](double probability) {
    return static_cast<std::uint64_t>(std::ceil(std::fmin(1, probability) * 0x1p32));
  };
  const EdgeLimits limits{words(rounding::Widen(-std::expm1(-theta / 2), 2 * rounding::kLibraryUlps)),
                          words(rounding::Widen(std::tanh(theta / 4), 2 * rounding::kLibraryUlps))};
  return {std::max(limits.connected, limits.apart), limits.apart};
}

Result<std::vector<std::uint64_t>> ClusterHits(const Graph& graph, const ClusterRuns& wanted, const Call& call) {
  if (graph.has_hard_edges()) {
    return InvalidArgument("records that are tied by hard constraints cannot be sampled", "edges",
                           "state finite strengths");
  }
  if (!(wanted.plain > 0) || std::isinf(wanted.plain) || wanted.runs < 1 || wanted.sweeps < 1 || wanted.threads < 1)
    return InvalidArgument("a sample needs a plain loss above 0, runs and sweeps", "plain");
  if (graph.edges() + graph.nodes() > std::numeric_limits<std::uint32_t>::max() / 2) {
    return InvalidArgument("the network is too large to be sampled", "edges",
                           "leave the sample out: the other bounds take networks of any size");
  }
  std::vector<std::uint64_t> total(graph.nodes() + std::size_t{1}, 0);
  std::atomic<std::uint64_t> next = 0, done = 0;
  std::atomic<bool> out_of_memory = false;
  std::mutex adding;
  const auto work = [&](const Network& net, bool tells) {
    try {
      OpenEdges open(net);
      std::vector<std::uint64_t> hits(net.nodes, 0);
      for (std::uint64_t run = next++; run < wanted.runs && !call.cancel.cancelled(); run = next++) {
        KeyedWords words(wanted.key, wanted.part, run);
        open.Begin(words);
        for (int sweep = 1; sweep < wanted.sweeps; ++sweep) {
          for (std::uint32_t edge = 0; edge < net.size(); ++edge) open.Renew(edge, words.Next());
        }
        open.Count(hits);
        ++done;
        if (tells && call.progress) call.progress(static_cast<double>(done) / static_cast<double>(wanted.runs));
      }
      const std::lock_guard lock(adding);
      for (std::size_t v = 0; v < hits.size(); ++v) total[v] += hits[v];
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
    }
  };
  try {
    const Network net = NetworkOf(graph, wanted.plain);
    std::vector<std::jthread> others;
    for (unsigned k = 1; k < std::min<std::uint64_t>(wanted.threads, wanted.runs); ++k)
      others.emplace_back([&] { work(net, false); });
    work(net, true);
  } catch (const std::bad_alloc&) {
    out_of_memory = true;
  }
  if (out_of_memory) return StorageError("there is not enough memory to sample the network", "edges");
  if (call.cancel.cancelled()) return Cancelled("stopped while the network was sampled");
  total.pop_back();
  return total;
}

double MostLikely(std::uint64_t hits, std::uint64_t runs, double log_alpha) {
  KITH_CHECK(runs >= 1 && hits <= runs && log_alpha < 0);
  if (hits == runs) return 1;
  const auto n = static_cast<long double>(runs), k = static_cast<long double>(hits);
  const long double ways = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  // Terms fall from k downwards if q is above k / n; those left out are at most j times the last one.
  const auto is_limit = [&](long double q) {
    long double term = 1, sum = 1;
    for (std::uint64_t j = hits; j > 0; --j) {
      term *= static_cast<long double>(j) / (n - static_cast<long double>(j) + 1) * (1 - q) / q;
      sum += term;
      if (term * static_cast<long double>(j) < 1e-12L) break;
    }
    constexpr long double kSlack = 1e-7L;  // far above what logarithms of factorials and the sum may be off
    return ways + k * std::log(q) + (n - k) * std::log1p(-q) + std::log(sum) + kSlack <= log_alpha;
  };
  double low = static_cast<double>(hits) / static_cast<double>(runs), high = 1;
  for (int step = 0; step < 60; ++step) {
    const double middle = low + (high - low) / 2;
    (middle > low && middle < 1 && is_limit(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace kith
