#include "transfer/field/block_choice.h"

#include <algorithm>
#include <map>

#include "dependence/graph.h"
#include "transfer/check/block_walk.h"
#include "transfer/field/cliques.h"

namespace kith {
namespace {

/// Larger cliques are few, and a part of one is a clique as well.
constexpr std::size_t kMostInClique = 64;

struct Link {
  std::uint32_t to = 0;
  std::uint32_t tie = 0;
};
using Links = std::vector<std::vector<Link>>;

Links LinksOf(const SmallField& field) {
  Links links(field.nodes());
  for (std::uint32_t node = 0; node < field.nodes(); ++node) {
    for (const auto m : field.MembersOf(node)) {
      const std::uint32_t t = field.member(m).tie;
      const auto& tie = field.tie(t);
      if (tie.size != 2 || tie.theta > kHardTheta) continue;
      links[node].push_back({field.member(tie.first == m ? m + 1 : tie.first).node, t});
    }
    std::sort(links[node].begin(), links[node].end(), [](const Link& a, const Link& b) { return a.to < b.to; });
  }
  return links;
}

/// Parts that no single node separates, as lists of ties: a depth-first search, without recursion (Hopcroft, Tarjan
/// 1973).
class Parts {
 public:
  explicit Parts(const Links& links) : links_(links), number_(links.size(), 0), lowest_(links.size(), 0) {}

  std::vector<std::vector<std::uint32_t>> Find() {
    for (std::uint32_t root = 0; root < links_.size(); ++root) {
      if (number_[root] == 0) From(root);
    }
    return std::move(found_);
  }

 private:
  struct Step {
    std::uint32_t node = 0;
    std::uint32_t by_tie = 0;
    std::size_t next = 0;
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  void From(std::uint32_t root) {
    std::vector<Step> path = {{root, kNone, 0}};
    number_[root] = lowest_[root] = ++last_;
    while (!path.empty()) {
      Step& step = path.back();
      if (step.next < links_[step.node].size()) {
        Follow(path, links_[step.node][step.next++]);
        continue;
      }
      const Step done = step;
      path.pop_back();
      if (path.empty()) break;
      const std::uint32_t parent = path.back().node;
      lowest_[parent] = std::min(lowest_[parent], lowest_[done.node]);
      if (lowest_[done.node] >= number_[parent]) Close(done.by_tie);
    }
  }

  void Follow(std::vector<Step>& path, const Link& link) {
    const std::uint32_t node = path.back().node;
    if (link.tie == path.back().by_tie) return;
    if (number_[link.to] == 0) {
      ties_.push_back(link.tie);
      number_[link.to] = lowest_[link.to] = ++last_;
      path.push_back({link.to, link.tie, 0});
    } else if (number_[link.to] < number_[node]) {
      ties_.push_back(link.tie);
      lowest_[node] = std::min(lowest_[node], number_[link.to]);
    }
  }

  void Close(std::uint32_t first_tie) {
    const auto at = std::find(ties_.rbegin(), ties_.rend(), first_tie).base() - 1;
    found_.emplace_back(at, ties_.end());
    ties_.erase(at, ties_.end());
  }

  const Links& links_;
  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> lowest_;
  std::vector<std::uint32_t> ties_;
  std::uint32_t last_ = 0;
  std::vector<std::vector<std::uint32_t>> found_;
};

std::vector<std::uint32_t> NodesOf(const SmallField& field, const std::vector<std::uint32_t>& ties) {
  std::vector<std::uint32_t> nodes;
  for (const auto t : ties) {
    nodes.push_back(field.member(field.tie(t).first).node);
    nodes.push_back(field.member(field.tie(t).first + 1).node);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// Cliques among the ties that are in `large`.
void AddCliques(const SmallField& field, const Links& links, const std::vector<bool>& large,
                std::vector<ChosenBlock>& blocks) {
  std::vector<double> thetas;
  for (std::uint32_t t = 0; t < large.size(); ++t) {
    if (large[t]) thetas.push_back(field.tie(t).theta);
  }
  if (thetas.empty()) return;
  std::sort(thetas.begin(), thetas.end());
  thetas.erase(std::unique(thetas.begin(), thetas.end()), thetas.end());
  // Strengths only decide the order here, so there may be fewer of them.
  while (thetas.size() > 0xffff) {
    for (std::size_t k = 0; 2 * k < thetas.size(); ++k) thetas[k] = thetas[2 * k];
    thetas.resize((thetas.size() + 1) / 2);
  }
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> neighbours;
  std::vector<std::uint16_t> strengths;
  std::vector<std::uint32_t> ties;
  for (const auto& mine : links) {
    for (const Link& link : mine) {
      if (!large[link.tie]) continue;
      const auto above = std::upper_bound(thetas.begin(), thetas.end(), field.tie(link.tie).theta);
      neighbours.push_back(link.to);
      strengths.push_back(static_cast<std::uint16_t>(std::max<std::ptrdiff_t>(1, above - thetas.begin()) - 1));
      ties.push_back(link.tie);
    }
    offsets.push_back(neighbours.size());
  }
  if (thetas.size() == 1) strengths.clear();
  const NeighbourLists lists{offsets, neighbours, strengths, thetas};
  const Cliques cliques(lists, {kMostInClique, kMostInBlock});
  for (std::size_t c = 0; c < cliques.count(); ++c) {
    const auto members = cliques.Members(c);
    ChosenBlock block{{members.begin(), members.end()}, {}};
    for (std::size_t a = 0; a < members.size(); ++a) {
      for (std::size_t b = a + 1; b < members.size(); ++b) {
        block.ties.push_back(ties[lists.SlotOf(members[a], members[b])]);
      }
    }
    blocks.push_back(std::move(block));
  }
}

}  // namespace

std::vector<ChosenBlock> ChooseBlocks(const SmallField& field) {
  const Links links = LinksOf(field);
  std::vector<ChosenBlock> blocks;
  std::vector<bool> large(field.ties(), false);
  for (auto& ties : Parts(links).Find()) {
    if (ties.size() < 3) continue;  // a single tie: there are no two ties between the same nodes
    std::vector<std::uint32_t> nodes = NodesOf(field, ties);
    if (nodes.size() <= kMostInBlock) {
      blocks.push_back({std::move(nodes), std::move(ties)});
    } else {
      for (const auto t : ties) large[t] = true;
    }
  }
  AddCliques(field, links, large, blocks);
  return blocks;
}

}  // namespace kith
