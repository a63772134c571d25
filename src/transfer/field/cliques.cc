#include "transfer/field/cliques.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "base/meter.h"

namespace kith {
namespace {

/// No clique begins with an edge to a hub, a node with more neighbours than this. Hubs still join what others begin:
/// only cliques with two hubs are missed, and what these would save is nothing against all other edges of the hubs.
constexpr std::size_t kHub = 64;
/// A node with more neighbours than this is looked up in a table of bits.
constexpr std::size_t kMany = 8;
/// A clique is worth its time if its edges are at least this part of all edges of two of its members.
constexpr std::size_t kPart = 32;
/// A list this many times as long as the other is searched, not read.
constexpr std::size_t kSearchRatio = 16;

/// Strong edges have their turn before weak ones begin, at this many levels.
constexpr std::size_t kLevels = 8;

struct Candidate {
  std::uint32_t node = 0;
  double strength = 0;  // to all members so far
  bool same = true;     // as strong as the first edge of the clique, to all of them
};

class Search {
 public:
  Search(const NeighbourLists& lists, CliqueSizes sizes, std::vector<std::uint64_t>& taken)
      : lists_(lists), sizes_(sizes), taken_(taken) {}

  /// Sets a bit for every edge from `node` to a larger neighbour that is part of a triangle. Others cannot begin a
  /// clique. Safe for several nodes at once.
  void MarkTriangles(std::uint32_t node, std::vector<std::uint64_t>& bits) {
    Collect(node);
    for (std::size_t k = 0; k < later_.size(); ++k) {
      FetchAhead(later_[k].slot);
      bool any = false;
      InCommon(k, [&any](const Neighbour&, std::uint64_t) { return !(any = true); });
      const std::uint64_t slot = later_[k].slot;
      if (any) std::atomic_ref(bits[slot / 64]).fetch_or(std::uint64_t{1} << slot % 64, std::memory_order_relaxed);
    }
  }

  /// Cliques that begin with an edge of this level from `node` to a larger one. `promising`: bits of edges that may
  /// begin one; empty: all.
  template <class Use>
  void From(std::uint32_t node, std::size_t level, const std::vector<std::uint64_t>& promising, const Use& use) {
    if (!promising.empty() && !AnySet(promising, lists_.offsets[node], lists_.offsets[node + 1])) return;
    Collect(node);
    for (std::size_t k = 0; k < later_.size(); ++k) {
      if (Level(later_[k].slot) != level || (!promising.empty() && !IsSet(promising, later_[k].slot))) continue;
      if (IsTaken(later_[k].slot) || !Begin(node, k)) continue;
      Grow();
      if (!Worthwhile()) continue;
      std::sort(members_.begin(), members_.end());
      Take();
      use(members_);
    }
  }

 private:
  struct Neighbour {
    std::uint32_t node = 0;
    std::uint64_t slot = 0;
  };

  static bool IsSet(const std::vector<std::uint64_t>& bits, std::uint64_t slot) {
    return (bits[slot / 64] >> slot % 64 & 1U) != 0;
  }
  static bool AnySet(const std::vector<std::uint64_t>& bits, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t slot = begin; slot < end; slot += 64 - slot % 64) {
      const std::uint64_t length = std::min(end - slot, 64 - slot % 64);
      if ((bits[slot / 64] >> slot % 64 & (length == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1)) != 0) {
        return true;
      }
    }
    return false;
  }
  bool IsTaken(std::uint64_t slot) const { return !taken_.empty() && IsSet(taken_, slot); }
  double Theta(std::uint64_t slot) const { return lists_.thetas[lists_.Strength(slot)]; }
  /// Strengths by rank: where there are many, those of similar rank are taken together.
  std::size_t Level(std::uint64_t slot) const {
    const std::size_t strengths = lists_.thetas.size();
    return strengths <= kLevels ? lists_.Strength(slot) : lists_.Strength(slot) * kLevels / strengths;
  }
  bool Same(std::uint64_t slot) const { return lists_.Strength(slot) == strength_; }

  /// The larger neighbours by free edges; and those that can join them.
  void Collect(std::uint32_t node) {
    Clear();
    later_.clear();
    ordered_.clear();
    for (std::uint64_t slot = lists_.offsets[node]; slot < lists_.offsets[node + 1]; ++slot) {
      if (IsTaken(slot)) continue;
      const Neighbour neighbour{lists_.neighbours[slot], slot};
      if (neighbour.node > node) later_.push_back(neighbour);
      if (neighbour.node > node || !lists_.strengths.empty()) ordered_.push_back(neighbour);
    }
    if (ordered_.size() > kMany) {
      if (table_.empty()) table_.assign(lists_.nodes() / 64 + 1, 0);
      for (const Neighbour& n : ordered_) table_[n.node / 64] |= std::uint64_t{1} << n.node % 64;
    }
    if (lists_.strengths.empty()) return;
    std::stable_sort(later_.begin(), later_.end(), [this](const Neighbour& a, const Neighbour& b) {
      return lists_.strengths[a.slot] > lists_.strengths[b.slot];
    });
  }

  void Clear() {
    if (ordered_.size() <= kMany) return;
    for (const Neighbour& n : ordered_) table_[n.node / 64] = 0;
  }

  /// With one strength the order is that of the numbers: an earlier one would have found these two. With several, any
  /// neighbour can join.
  std::span<const Neighbour> LeftAfter(std::size_t k) const {
    return lists_.strengths.empty() ? std::span(ordered_).subspan(k + 1) : std::span(ordered_);
  }

  /// Rows are far apart in memory: those of the next neighbours, also of the next nodes, are on their way in the
  /// meantime.
  void FetchAhead(std::uint64_t slot) const {
    constexpr std::uint64_t kOffsets = 48, kRows = 24;
    if (slot + kOffsets >= lists_.offsets.back()) return;
    __builtin_prefetch(&lists_.offsets[lists_.neighbours[slot + kOffsets]]);
    const std::uint64_t begin = lists_.offsets[lists_.neighbours[slot + kRows]];
    __builtin_prefetch(lists_.neighbours.data() + begin);
    __builtin_prefetch(lists_.neighbours.data() + begin + 16);
  }

  /// The nodes that the first two members have in common.
  bool Begin(std::uint32_t node, std::size_t second) {
    const std::uint32_t other = later_[second].node;
    members_ = {node, other};
    strength_ = lists_.Strength(later_[second].slot);
    candidates_.clear();
    InCommon(second, [&](const Neighbour& mine, std::uint64_t theirs) {
      if (!IsTaken(mine.slot)) {
        candidates_.push_back({mine.node, Theta(mine.slot) + Theta(theirs), Same(mine.slot) && Same(theirs)});
      }
      return true;
    });
    return !candidates_.empty();
  }

  /// Calls use(x, slot) for all neighbours x of the node that can join it and its neighbour later_[k], until one call
  /// returns false; `slot` is the free edge from that neighbour to x.
  template <class Use>
  void InCommon(std::size_t k, const Use& use) const {
    const auto left = LeftAfter(k);
    const std::uint32_t other = later_[k].node;
    const std::uint64_t end = lists_.offsets[other + 1];
    if (left.empty() || end - lists_.offsets[other] > kHub) return;
    if (left.size() <= kMany) return Common(left, other, use);
    for (std::uint64_t slot = lists_.offsets[other]; slot < end; ++slot) {
      const std::uint32_t node = lists_.neighbours[slot];
      if (node < left.front().node || !IsSet(table_, node) || IsTaken(slot)) continue;
      const auto x = std::lower_bound(left.begin(), left.end(), node,
                                      [](const Neighbour& n, std::uint32_t with) { return n.node < with; });
      if (x != left.end() && x->node == node && !use(*x, slot)) return;
    }
  }

  /// Calls use(x, slot) for all of `some`, increasing, that are neighbours of `node` by the free edge `slot`, until one
  /// call returns false.
  template <class Some, class Use>
  void Common(std::span<const Some> some, std::uint32_t node, const Use& use) const {
    if (some.empty()) return;
    const std::uint32_t* at = lists_.neighbours.data() + lists_.offsets[node];
    const std::uint32_t* const end = lists_.neighbours.data() + lists_.offsets[node + 1];
    at = std::lower_bound(at, end, some.front().node);
    const auto length = static_cast<std::size_t>(end - at);
    const auto found = [&](const Some& x, const std::uint32_t* where) {
      const auto slot = static_cast<std::uint64_t>(where - lists_.neighbours.data());
      return IsTaken(slot) || use(x, slot);
    };
    if (length > kSearchRatio * some.size()) {
      for (const Some& x : some) {
        at = std::lower_bound(at, end, x.node);
        if (at != end && *at == x.node && !found(x, at)) return;
      }
      return;
    }
    if (some.size() > kSearchRatio * length) {
      auto x = some.begin();
      for (; at != end; ++at) {
        x = std::lower_bound(x, some.end(), *at, [](const Some& s, std::uint32_t n) { return s.node < n; });
        if (x == some.end()) return;
        if (x->node == *at && !found(*x, at)) return;
      }
      return;
    }
    auto x = some.begin();
    while (x != some.end() && at != end) {
      if (x->node == *at && !found(*x, at)) return;
      const std::uint32_t here = *at;
      at += here <= x->node ? 1 : 0;
      x += x->node <= here ? 1 : 0;
    }
  }

  /// Adds the strongest candidate, and of equally strong ones the first that keeps the most others.
  void Grow() {
    bool same = true;
    while (members_.size() < sizes_.most) {
      if (members_.size() >= sizes_.most_mixed) {
        std::erase_if(candidates_, [same](const Candidate& c) { return !same || !c.same; });
      }
      if (candidates_.empty()) return;
      double strongest = 0;
      for (const Candidate& c : candidates_) strongest = std::max(strongest, c.strength);
      Candidate best;
      bool any = false;
      for (const Candidate& c : candidates_) {
        if (c.strength < strongest) continue;
        left_.clear();
        Common(std::span<const Candidate>(candidates_), c.node, [&](const Candidate& other, std::uint64_t slot) {
          left_.push_back({other.node, other.strength + Theta(slot), other.same && Same(slot)});
          return true;
        });
        if (any && left_.size() <= kept_.size()) continue;
        any = true;
        best = c;
        kept_.swap(left_);
      }
      members_.push_back(best.node);
      same = same && best.same;
      candidates_.swap(kept_);
      kept_.clear();
    }
  }

  bool Worthwhile() const {
    std::size_t found = 0;
    for (const std::uint32_t node : members_) {
      const std::uint64_t degree = lists_.offsets[node + 1] - lists_.offsets[node];
      found += degree <= kPart * (members_.size() - 1) ? 1 : 0;
    }
    return found >= 2;
  }

  void Take() {
    if (taken_.empty()) taken_.assign(lists_.offsets.back() / 64 + 1, 0);
    for (const std::uint32_t a : members_) {
      for (const std::uint32_t b : members_) {
        if (a == b) continue;
        const std::uint64_t slot = lists_.SlotOf(a, b);
        taken_[slot / 64] |= std::uint64_t{1} << slot % 64;
      }
    }
  }

  const NeighbourLists& lists_;
  CliqueSizes sizes_;
  std::vector<std::uint64_t>& taken_;
  std::vector<Neighbour> later_;      // in the order in which they are tried
  std::vector<Neighbour> ordered_;    // increasing
  std::vector<std::uint64_t> table_;  // by node, one bit each: those of ordered_, if they are many
  std::vector<std::uint32_t> members_;
  std::uint16_t strength_ = 0;  // of the edge between the first two
  std::vector<Candidate> candidates_, left_, kept_;
};

}  // namespace

std::uint64_t NeighbourLists::SlotOf(std::uint32_t from, std::uint32_t to) const {
  const auto begin = neighbours.begin() + static_cast<std::ptrdiff_t>(offsets[from]);
  const auto end = neighbours.begin() + static_cast<std::ptrdiff_t>(offsets[from + 1]);
  return static_cast<std::uint64_t>(std::lower_bound(begin, end, to) - neighbours.begin());
}

NeighbourLists ListsOf(const Graph& graph) {
  return {graph.offsets(), graph.neighbours(), graph.strengths(), graph.thetas()};
}

namespace {

/// Looking for triangles takes nearly all the time and can be done for all nodes at once; cliques are taken one after
/// the other, so that the number of threads does not matter.
std::vector<std::uint64_t> Promising(const NeighbourLists& lists, unsigned threads) {
  constexpr std::uint64_t kSmall = 1 << 18;
  constexpr std::uint32_t kChunk = 1 << 12;
  if (lists.offsets.back() < kSmall) return {};
  std::vector<std::uint64_t> bits(lists.offsets.back() / 64 + 1, 0);
  std::atomic<std::uint64_t> next{0};
  const auto work = [&, flag = Meter::flag()] {
    std::vector<std::uint64_t> none;
    Search search(lists, {}, none);
    for (std::uint64_t first; (first = next.fetch_add(kChunk)) < lists.nodes();) {
      if (flag != nullptr && flag->cancelled()) return;
      const auto last = static_cast<std::uint32_t>(std::min<std::uint64_t>(first + kChunk, lists.nodes()));
      for (auto node = static_cast<std::uint32_t>(first); node < last; ++node) search.MarkTriangles(node, bits);
    }
  };
  std::vector<std::jthread> helpers;
  try {
    for (unsigned t = 1; t < threads; ++t) helpers.emplace_back(work);
  } catch (const std::system_error&) {  // fewer threads only take longer
  }
  work();
  helpers.clear();  // waits for them
  return bits;
}

}  // namespace

Cliques::Cliques(const NeighbourLists& lists, CliqueSizes sizes, unsigned threads) {
  const std::vector<std::uint64_t> promising = Promising(lists, threads);
  Search search(lists, sizes, taken_);
  for (std::size_t level = std::min(kLevels, lists.thetas.size()); level-- > 0;) {
    for (std::uint32_t node = 0; node < lists.nodes(); ++node) {
      Meter::LookAt(node);
      search.From(node, level, promising, [&](const std::vector<std::uint32_t>& members) {
        members_.insert(members_.end(), members.begin(), members.end());
        first_.push_back(members_.size());
      });
    }
  }
}

std::size_t Cliques::Bytes() const {
  return members_.size() * sizeof(std::uint32_t) + first_.size() * sizeof(std::uint64_t) +
         taken_.size() * sizeof(std::uint64_t);
}

}  // namespace kith
