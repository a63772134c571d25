#include "transfer/field/field_finder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/meter.h"
#include "transfer/field/block_choice.h"
#include "transfer/field/field_walks.h"

namespace kith {
namespace {

/// The largest part by which a number fell.
double Fell(const std::vector<double>& before, const std::vector<double>& now) {
  double fell = 0;
  for (std::size_t k = 0; k < now.size(); ++k) {
    if (now[k] < before[k]) fell = std::max(fell, std::isinf(before[k]) ? 1 : (before[k] - now[k]) / before[k]);
  }
  return fell;
}

BlockParts PartsOf(const SmallField& field, bool with_blocks) {
  auto parts = BlockParts::Make(field, with_blocks ? ChooseBlocks(field) : std::vector<ChosenBlock>{});
  KITH_CHECK(parts.has_value());
  return std::move(*parts);
}

}  // namespace

FieldFinder::FieldFinder(const SmallField& field, bool with_blocks, std::int64_t most_steps)
    : field_(field), blocks_(PartsOf(field, with_blocks)) {
  if (most_steps > 0) depths_ = WalkDepths(field, most_steps);
}

// Every number starts at what groups lose together and falls from round to round, until it hardly falls any further:
// first messages alone, then with blocks.
FieldWitness FieldFinder::Find(const std::vector<double>& plain) const {
  constexpr double kGain = 1e-14, kGainOfBlocks = 1e-12;
  constexpr std::size_t kMostRenewals = 20'000'000, kMostRounds = 1000;
  const auto nodes = static_cast<std::uint32_t>(field_.nodes());
  FieldSteps steps(field_, blocks_, plain);
  FieldNumbers found = steps.Start();
  std::vector<double> before;
  std::size_t renewals = 0;
  for (double fell = 1; fell > kGain && renewals < kMostRenewals; renewals += field_.members()) {
    before = found.messages;
    for (std::uint32_t node = 0; node < nodes; ++node) steps.AboutNode(node, found, found);
    // Back and forth: on a path one round in each direction is all it takes.
    for (std::uint32_t node = nodes; node-- > 0;) steps.AboutNode(node, found, found);
    fell = Fell(before, found.messages);
  }
  double fell = blocks_.blocks().empty() ? 0 : 1;
  for (std::size_t round = 0; round < kMostRounds && fell > kGainOfBlocks; ++round) {
    const FieldNumbers last = found;
    for (std::uint32_t node = 0; node < nodes; ++node) steps.AboutNode(node, found, found);
    for (const auto& block : blocks_.blocks()) {
      Meter::Look();
      steps.AboutBlock(block, found);
    }
    fell = std::max(Fell(last.messages, found.messages), Fell(last.inside, found.inside));
  }
  return {std::move(found), depths_};
}

}  // namespace kith
