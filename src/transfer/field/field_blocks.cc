#include "transfer/field/field_blocks.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/meter.h"
#include "transfer/field/block_choice.h"
#include "transfer/field/block_walk.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

using rounding::AddUp;

/// Smaller ones are taken for these: larger is the safe side, and their products do not underflow.
constexpr double kSmallestLoss = 1e-200;
constexpr double kSmallestCoupling = 1e-60;

double ExcessOf(double loss) {
  if (loss == 0) return 0;
  return loss > 160 ? kInfiniteExcess : rounding::Expm1Up(std::max(loss, kSmallestLoss) / 2);
}
double LossOf(double excess) { return 2 * rounding::Log1pUp(excess); }

/// Sums of all but one, for each in turn: from the left and from the right, nothing is subtracted.
std::vector<double> AllButOne(double first, const std::vector<double>& told) {
  std::vector<double> sums(told.size());
  double right = 0;
  for (std::size_t k = told.size(); k-- > 0;) {
    sums[k] = right;
    right = AddUp(right, told[k]);
  }
  double left = first;
  for (std::size_t k = 0; k < told.size(); ++k) {
    sums[k] = AddUp(left, sums[k]);
    left = AddUp(left, told[k]);
  }
  return sums;
}

void Lower(double& bound, double renewed) { bound = std::min(bound, renewed); }

}  // namespace

FieldBlocks::FieldBlocks(const SmallField& field) : parts_of_(field.nodes()), singles_of_(field.nodes()) {
  std::vector<bool> in_block(field.ties(), false);
  for (const ChosenBlock& block : ChooseBlocks(field)) {
    for (const auto tie : block.ties) in_block[tie] = true;
    AddBlock(field, block.nodes, block.ties);
  }
  for (std::uint32_t node = 0; node < field.nodes(); ++node) {
    for (const auto m : field.MembersOf(node)) {
      if (!in_block[field.member(m).tie]) singles_of_[node].push_back(m);
    }
  }
}

void FieldBlocks::AddBlock(const SmallField& field, std::vector<std::uint32_t> nodes,
                           const std::vector<std::uint32_t>& ties) {
  std::sort(nodes.begin(), nodes.end());
  const auto place = [&nodes](std::uint32_t node) {
    return static_cast<std::size_t>(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
  };
  Block block;
  block.coupling.assign(nodes.size() * nodes.size(), 0);
  const std::size_t first = parts_.size();
  for (const auto node : nodes) {
    parts_of_[node].push_back(static_cast<std::uint32_t>(parts_.size()));
    block.parts.push_back(static_cast<std::uint32_t>(parts_.size()));
    parts_.push_back({node, {}, {}});
  }
  for (const auto t : ties) {
    const auto& tie = field.tie(t);
    const std::size_t a = place(field.member(tie.first).node);
    const std::size_t b = place(field.member(tie.first + 1).node);
    const double coupling = std::max(kSmallestCoupling, rounding::Expm1Up(tie.theta / 2));
    block.coupling[a * nodes.size() + b] = block.coupling[b * nodes.size() + a] = coupling;
    block.largest = std::max(block.largest, coupling);
    parts_[first + a].members.push_back(tie.first);
    parts_[first + a].others.push_back(b);
    parts_[first + b].members.push_back(tie.first + 1);
    parts_[first + b].others.push_back(a);
  }
  blocks_.push_back(std::move(block));
}

double FieldBlocks::Told(const SmallField& field, std::uint32_t part, const Bounds& bounds) const {
  double sum = 0;
  for (const auto m : parts_[part].members) sum = AddUp(sum, field.FromTie(m, bounds.messages));
  return std::min(sum, bounds.inside[part]);
}

void FieldBlocks::RenewNode(const SmallField& field, std::uint32_t node, double own, Bounds& bounds) const {
  const auto& singles = singles_of_[node];
  const auto& parts = parts_of_[node];
  std::vector<double> told;
  for (const auto m : singles) told.push_back(field.FromTie(m, bounds.messages));
  for (const auto p : parts) told.push_back(Told(field, p, bounds));
  const std::vector<double> rest = AllButOne(own, told);
  for (std::size_t k = 0; k < singles.size(); ++k) Lower(bounds.messages[singles[k]], rest[k]);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const double outside = rest[singles.size() + k];
    bounds.outside[parts[k]] = outside;
    const auto& members = parts_[parts[k]].members;
    told.clear();
    for (const auto m : members) told.push_back(field.FromTie(m, bounds.messages));
    const std::vector<double> others = AllButOne(outside, told);
    for (std::size_t l = 0; l < members.size(); ++l) Lower(bounds.messages[members[l]], others[l]);
  }
}

double FieldBlocks::RenewBlock(const Block& block, Bounds& bounds) const {
  const std::size_t size = block.parts.size();
  std::vector<double> outside(size);
  std::vector<double> inside(size);
  for (std::size_t k = 0; k < size; ++k) outside[k] = ExcessOf(bounds.outside[block.parts[k]]);
  double fell = 0;
  const auto lower = [&fell](double& bound, double renewed) {
    if (!(renewed < bound)) return;
    fell = std::max(fell, (bound - renewed) / bound);
    bound = renewed;
  };
  if (size > kMostInBlock) {
    CliqueLosses(block.largest, outside, inside);
  } else {
    BlockWalk walk(size, block.coupling);
    walk.Losses(outside, inside);
    for (std::size_t k = 0; k < size; ++k) {
      const Part& part = parts_[block.parts[k]];
      for (std::size_t l = 0; l < part.members.size(); ++l) {
        const double beyond = LossOf(walk.LossKnowing(k, part.others[l]));
        lower(bounds.messages[part.members[l]], AddUp(bounds.outside[block.parts[k]], beyond));
      }
    }
  }
  for (std::size_t k = 0; k < size; ++k) lower(bounds.inside[block.parts[k]], LossOf(inside[k]));
  return fell;
}

std::vector<double> FieldBlocks::Losses(const SmallField& field, const std::vector<double>& plain,
                                        std::vector<double>& messages) const {
  constexpr double kGain = 1e-12;
  constexpr int kMostRounds = 1000;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Bounds bounds{messages, std::vector<double>(parts_.size(), kInfinity), std::vector<double>(parts_.size(), kInfinity)};
  double fell = blocks_.empty() ? 0 : 1;
  for (int round = 0; round < kMostRounds && fell > kGain; ++round) {
    fell = 0;
    for (std::uint32_t node = 0; node < field.nodes(); ++node) {
      Meter::LookAt(node);
      RenewNode(field, node, plain[node], bounds);
    }
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      Meter::LookAt(k);
      fell = std::max(fell, RenewBlock(blocks_[k], bounds));
    }
  }
  std::vector<double> losses = plain;
  for (std::uint32_t node = 0; node < field.nodes(); ++node) {
    Meter::LookAt(node);
    for (const auto m : singles_of_[node]) losses[node] = AddUp(losses[node], field.FromTie(m, messages));
    for (const auto p : parts_of_[node]) losses[node] = AddUp(losses[node], Told(field, p, bounds));
  }
  return losses;
}

}  // namespace kith
