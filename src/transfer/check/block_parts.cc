#include "transfer/check/block_parts.h"

#include <algorithm>

#include "dependence/graph.h"
#include "transfer/check/block_walk.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

/// Smaller ones are taken for these: larger is the safe side, and their products do not underflow.
constexpr double kSmallestLoss = 1e-200;
constexpr double kSmallestCoupling = 1e-60;

}  // namespace

double ExcessOfLoss(double loss) {
  if (loss == 0) return 0;
  return loss > 160 ? kInfiniteExcess : rounding::Expm1Up(std::max(loss, kSmallestLoss) / 2);
}

double LossOfExcess(double excess) { return 2 * rounding::Log1pUp(excess); }

std::optional<BlockParts> BlockParts::Make(const SmallField& field, const std::vector<ChosenBlock>& chosen) {
  BlockParts made(field);
  std::vector<bool> in_block(field.ties(), false);
  for (const ChosenBlock& block : chosen) {
    if (!made.Add(block, in_block)) return std::nullopt;
  }
  for (std::uint32_t node = 0; node < field.nodes(); ++node) {
    for (const auto m : field.MembersOf(node)) {
      if (!in_block[field.member(m).tie]) made.singles_of_[node].push_back(m);
    }
  }
  return made;
}

bool BlockParts::Add(const ChosenBlock& chosen, std::vector<bool>& in_block) {
  const SmallField& field = *field_;
  std::vector<std::uint32_t> nodes = chosen.nodes;
  std::sort(nodes.begin(), nodes.end());
  if (nodes.size() < 2 || nodes.back() >= field.nodes()) return false;
  if (std::adjacent_find(nodes.begin(), nodes.end()) != nodes.end()) return false;
  const std::size_t size = nodes.size();
  const auto place = [&nodes](std::uint32_t node) {
    return static_cast<std::size_t>(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
  };
  Block block;
  block.coupling.assign(size * size, 0);
  const std::size_t first = parts_.size();
  for (const auto node : nodes) {
    parts_of_[node].push_back(static_cast<std::uint32_t>(parts_.size()));
    block.parts.push_back(static_cast<std::uint32_t>(parts_.size()));
    parts_.push_back({node, {}, {}});
  }
  for (const auto t : chosen.ties) {
    if (t >= field.ties() || in_block[t]) return false;
    in_block[t] = true;
    const auto& tie = field.tie(t);
    if (tie.size != 2 || tie.theta > kHardTheta) return false;
    const std::size_t a = place(field.member(tie.first).node);
    const std::size_t b = place(field.member(tie.first + 1).node);
    if (a == size || b == size || nodes[a] != field.member(tie.first).node) return false;
    if (nodes[b] != field.member(tie.first + 1).node) return false;
    const double coupling = std::max(kSmallestCoupling, rounding::Expm1Up(tie.theta / 2));
    block.coupling[a * size + b] = block.coupling[b * size + a] = coupling;
    block.largest = std::max(block.largest, coupling);
    parts_[first + a].members.push_back(tie.first);
    parts_[first + a].others.push_back(b);
    parts_[first + b].members.push_back(tie.first + 1);
    parts_[first + b].others.push_back(a);
  }
  blocks_.push_back(std::move(block));
  return true;
}

}  // namespace kith
