#include "transfer/check/graph_blocks.h"

#include <algorithm>
#include <utility>

#include "transfer/check/block_walk.h"

namespace kith {

std::optional<GraphBlocks> GraphBlocks::Make(std::shared_ptr<const Graph> graph, std::vector<std::uint32_t> members,
                                             std::vector<std::uint64_t> first) {
  GraphBlocks blocks(std::move(graph));
  if (members.empty()) return blocks;
  if (first.size() < 2 || first.front() != 0 || first.back() != members.size()) return std::nullopt;
  const std::uint32_t nodes = blocks.graph_->nodes();
  if (std::any_of(members.begin(), members.end(), [&](std::uint32_t m) { return m >= nodes; })) return std::nullopt;
  for (std::size_t c = 0; c + 1 < first.size(); ++c) {
    if (first[c] > first[c + 1] || first[c + 1] - first[c] < 2) return std::nullopt;
  }
  blocks.members_ = std::move(members);
  blocks.first_ = std::move(first);
  blocks.taken_.assign(blocks.graph_->slots() / 64 + 1, 0);
  for (std::size_t c = 0; c < blocks.count(); ++c) {
    if (!blocks.Take(c)) return std::nullopt;
  }
  blocks.FindPlaces();
  return blocks;
}

bool GraphBlocks::Take(std::size_t clique) {
  const auto members = Members(clique);
  if (!graph_->strengths().empty()) pairs_.push_back(strengths_.size());
  for (std::size_t k = 0; k < members.size(); ++k) {
    for (std::size_t j = 0; j < members.size(); ++j) {
      if (j == k) continue;
      const auto begin = graph_->neighbours().begin() + static_cast<std::ptrdiff_t>(graph_->offsets()[members[k]]);
      const auto end = graph_->neighbours().begin() + static_cast<std::ptrdiff_t>(graph_->offsets()[members[k] + 1]);
      const auto found = std::lower_bound(begin, end, members[j]);
      if (found == end || *found != members[j]) return false;
      const auto slot = static_cast<std::uint64_t>(found - graph_->neighbours().begin());
      if (Taken(slot)) return false;
      taken_[slot / 64] |= std::uint64_t{1} << slot % 64;
      if (j < k && !graph_->strengths().empty()) strengths_.push_back(graph_->strengths()[slot]);
    }
  }
  return true;
}

void GraphBlocks::FindPlaces() {
  places_from_.assign(graph_->nodes() + std::size_t{1}, 0);
  for (const std::uint32_t node : members_) ++places_from_[node + 1];
  for (std::size_t node = 0; node < graph_->nodes(); ++node) places_from_[node + 1] += places_from_[node];
  std::vector<std::uint32_t> next(places_from_.begin(), places_from_.end() - 1);
  places_.resize(members_.size());
  for (std::size_t place = 0; place < members_.size(); ++place) {
    places_[next[members_[place]]++] = static_cast<std::uint32_t>(place);
  }
}

double GraphBlocks::Coupling(std::size_t clique, std::span<const double> couplings, std::size_t j,
                             std::size_t k) const {
  if (strengths_.empty()) return couplings[0];
  const std::size_t high = std::max(j, k);
  return couplings[strengths_[pairs_[clique] + high * (high - 1) / 2 + std::min(j, k)]];
}

void GraphBlocks::Losses(std::size_t clique, std::span<const double> couplings, std::span<const double> outside,
                         std::span<double> inside) const {
  const std::size_t size = outside.size();
  double least = Coupling(clique, couplings, 0, 1);
  double largest = least;
  for (std::size_t k = 1; k < size && !strengths_.empty(); ++k) {
    for (std::size_t j = 0; j < k; ++j) {
      least = std::min(least, Coupling(clique, couplings, j, k));
      largest = std::max(largest, Coupling(clique, couplings, j, k));
    }
  }
  if (least == largest || size > kMostInBlock) return CliqueLosses(largest, outside, inside);
  std::vector<double> coupling(size * size, 0);
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t k = 0; k < size; ++k) {
      if (j != k) coupling[j * size + k] = Coupling(clique, couplings, j, k);
    }
  }
  BlockWalk(size, coupling).Losses(outside, inside);
}

std::size_t GraphBlocks::Bytes() const {
  return (members_.size() + places_.size() + places_from_.size()) * sizeof(std::uint32_t) +
         (first_.size() + taken_.size() + pairs_.size()) * sizeof(std::uint64_t) +
         strengths_.size() * sizeof(std::uint16_t);
}

}  // namespace kith
