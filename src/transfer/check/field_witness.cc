#include "transfer/check/field_witness.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "base/check.h"
#include "base/meter.h"
#include "transfer/check/block_walk.h"
#include "transfer/check/walk_losses.h"
#include "transfer/field/field_finder.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

using rounding::AddUp;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void Lower(double& bound, double other) { bound = std::min(bound, other); }

/// Sums of all but one, for each in turn: from the left and from the right, nothing is subtracted.
void AllButOne(double first, std::span<const double> told, std::vector<double>& sums) {
  sums.resize(told.size());
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
}

/// Also false where one is not a number.
bool AtLeast(const std::vector<double>& numbers, const std::vector<double>& others) {
  return std::equal(numbers.begin(), numbers.end(), others.begin(), others.end(), std::greater_equal<>());
}

}  // namespace

FieldSteps::FieldSteps(const SmallField& field, const BlockParts& blocks, const std::vector<double>& plain)
    : field_(field), blocks_(blocks), plain_(plain), outside_(blocks.parts().size(), kInfinity) {}

FieldNumbers FieldSteps::Start() const {
  const std::vector<double> sums = field_.ComponentSums(plain_);
  FieldNumbers numbers{std::vector<double>(field_.members()), std::vector<double>(blocks_.parts().size(), kInfinity)};
  for (std::uint32_t m = 0; m < field_.members(); ++m) {
    Meter::LookAt(m);
    numbers.messages[m] = field_.GroupMessage(m, plain_, sums);
  }
  return numbers;
}

void FieldSteps::AboutNode(std::uint32_t node, const FieldNumbers& from, FieldNumbers& to) {
  Meter::LookAt(node);
  const auto& singles = blocks_.SinglesOf(node);
  const auto& parts = blocks_.PartsOf(node);
  told_.clear();
  links_.clear();
  for (const auto m : singles) told_.push_back(field_.FromTie(m, from.messages));
  for (const auto p : parts) {
    double sum = 0;
    for (const auto m : blocks_.parts()[p].members) {
      links_.push_back(field_.FromTie(m, from.messages));
      sum = AddUp(sum, links_.back());
    }
    told_.push_back(std::min(sum, from.inside[p]));
    Lower(to.inside[p], sum);
  }
  AllButOne(plain_[node], told_, rest_);
  for (std::size_t k = 0; k < singles.size(); ++k) Lower(to.messages[singles[k]], rest_[k]);
  for (std::size_t k = 0; k < parts.size(); ++k) outside_[parts[k]] = rest_[singles.size() + k];
  std::size_t first = 0;
  for (const auto p : parts) {
    const auto& members = blocks_.parts()[p].members;
    AllButOne(outside_[p], std::span(links_).subspan(first, members.size()), rest_);
    for (std::size_t l = 0; l < members.size(); ++l) Lower(to.messages[members[l]], rest_[l]);
    first += members.size();
  }
}

void FieldSteps::AboutBlock(const BlockParts::Block& block, FieldNumbers& to) const {
  const std::size_t size = block.parts.size();
  std::vector<double> outside(size), inside(size);
  for (std::size_t k = 0; k < size; ++k) outside[k] = ExcessOfLoss(outside_[block.parts[k]]);
  if (size > kMostInBlock) {
    CliqueLosses(block.largest, outside, inside);
  } else {
    BlockWalk walk(size, block.coupling);
    walk.Losses(outside, inside);
    for (std::size_t k = 0; k < size; ++k) {
      const auto& part = blocks_.parts()[block.parts[k]];
      for (std::size_t l = 0; l < part.members.size(); ++l) {
        const double beyond = LossOfExcess(walk.LossKnowing(k, part.others[l]));
        Lower(to.messages[part.members[l]], AddUp(outside_[block.parts[k]], beyond));
      }
    }
  }
  for (std::size_t k = 0; k < size; ++k) Lower(to.inside[block.parts[k]], LossOfExcess(inside[k]));
}

// Every number of the witness is about a node when some others are known; what follows for it uses numbers about nodes
// when these and one more are known. So what follows is true if the same holds with fewer nodes unknown, and with none
// unknown it is the plain loss: by induction every number of a witness is true.
std::optional<std::vector<double>> CheckedLosses(const SmallField& field, const BlockParts& blocks,
                                                 const std::vector<double>& plain, const FieldWitness& witness) {
  if (&blocks.field() != &field || witness.messages.size() != field.members() ||
      witness.inside.size() != blocks.parts().size())
    return std::nullopt;
  for (const auto* numbers : {&witness.messages, &witness.inside}) {
    if (!std::all_of(numbers->begin(), numbers->end(), [](double x) { return x >= 0; })) return std::nullopt;
  }
  FieldSteps steps(field, blocks, plain);
  FieldNumbers follows = steps.Start();
  for (std::uint32_t node = 0; node < field.nodes(); ++node) steps.AboutNode(node, witness, follows);
  for (const auto& block : blocks.blocks()) {
    Meter::Look();
    steps.AboutBlock(block, follows);
  }
  if (!AtLeast(witness.messages, follows.messages) || !AtLeast(witness.inside, follows.inside)) return std::nullopt;
  std::vector<double> losses = plain;
  for (std::uint32_t node = 0; node < field.nodes(); ++node) {
    for (const auto m : blocks.SinglesOf(node)) losses[node] = AddUp(losses[node], field.FromTie(m, witness.messages));
    for (const auto p : blocks.PartsOf(node)) {
      double told = std::isinf(witness.inside[p]) ? 0 : witness.inside[p];
      if (told == 0) {  // nothing is said: link by link
        for (const auto m : blocks.parts()[p].members) told = AddUp(told, field.FromTie(m, witness.messages));
      }
      losses[node] = AddUp(losses[node], told);
    }
  }
  if (witness.depths.size() != field.nodes()) return losses;
  const std::vector<double> walks = WalkLosses(field, plain, witness.messages, witness.depths);
  for (std::size_t node = 0; node < losses.size(); ++node) Lower(losses[node], walks[node]);
  return losses;
}

FieldWitness Proved(const SmallField& field, const BlockParts& blocks, const std::vector<double>& plain,
                    FieldWitness witness) {
  const FieldWitness found = witness;
  for (const double part : {0.0, 0x1p-50, 0x1p-46, 0x1p-40, 0x1p-30, 0x1p-20}) {
    for (std::size_t k = 0; k < found.messages.size(); ++k)
      witness.messages[k] = AddUp(found.messages[k], found.messages[k] * part);
    for (std::size_t k = 0; k < found.inside.size(); ++k)
      witness.inside[k] = AddUp(found.inside[k], found.inside[k] * part);
    if (CheckedLosses(field, blocks, plain, witness)) return witness;
  }
  return {FieldSteps(field, blocks, plain).Start(), std::move(witness.depths)};
}

std::vector<double> ProvedLosses(const SmallField& field, const BlockParts& blocks, const std::vector<double>& plain,
                                 FieldWitness witness) {
  if (const auto losses = CheckedLosses(field, blocks, plain, witness)) return *losses;
  const auto losses = CheckedLosses(field, blocks, plain, Proved(field, blocks, plain, std::move(witness)));
  KITH_CHECK(losses.has_value());  // what groups lose together is a witness
  return *losses;
}

std::vector<double> MessageLosses(const SmallField& field, const std::vector<double>& plain) {
  const FieldFinder finder(field, false, 0);
  return ProvedLosses(field, finder.blocks(), plain, finder.Find(plain));
}

}  // namespace kith
