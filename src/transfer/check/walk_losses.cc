#include "transfer/check/walk_losses.h"

#include "base/meter.h"
#include "transfer/rounding.h"

namespace kith {

double FieldWalk::Loss(std::uint32_t node, int depth) {
  double loss = (*plain_)[node];
  ++taken_[node];
  for (const auto m : field_.MembersOf(node)) {
    const auto& tie = field_.tie(field_.member(m).tie);
    double others = 0;
    std::uint32_t other = node;
    ForEachOther(tie, m, [&](std::uint32_t o) {
      other = field_.member(o).node;
      others = rounding::AddUp(others, depth == 0 ? (*messages_)[o] : Beyond(tie, o, depth));
    });
    if (other != node) loss = rounding::AddUp(loss, field_.Passed(tie, others, other));
  }
  --taken_[node];
  return loss;
}

std::int64_t FieldWalk::Steps(std::uint32_t node, int depth, std::int64_t most) {
  std::int64_t steps = 1;
  ++taken_[node];
  for (const auto m : field_.MembersOf(node)) {
    const auto& tie = field_.tie(field_.member(m).tie);
    ForEachOther(tie, m, [&](std::uint32_t o) {
      if (depth == 0 || steps >= most) {
        ++steps;
        return;
      }
      Take(tie, o, 1);
      steps += Steps(field_.member(o).node, depth - 1, most - steps);
      Take(tie, o, -1);
    });
  }
  --taken_[node];
  return steps;
}

double FieldWalk::Beyond(const SmallField::Tie& tie, std::uint32_t o, int depth) {
  Take(tie, o, 1);
  const double loss = Loss(field_.member(o).node, depth - 1);
  Take(tie, o, -1);
  return loss;
}

void FieldWalk::Take(const SmallField::Tie& tie, std::uint32_t but, int by) {
  for (std::uint32_t o = tie.first; o < tie.first + tie.size; ++o) {
    if (o != but) taken_[field_.member(o).node] += by;
  }
}

std::vector<double> WalkLosses(const SmallField& field, const std::vector<double>& plain,
                               const std::vector<double>& messages, const std::vector<int>& depths) {
  FieldWalk walk(field, &plain, &messages);
  std::vector<double> losses(field.nodes(), 0);
  for (std::uint32_t node = 0; node < field.nodes(); ++node) {
    Meter::LookAt(node);
    if (!field.hidden(node)) losses[node] = walk.Loss(node, depths[node]);
  }
  return losses;
}

double CompleteGroupLoss(std::int64_t size, double theta, double plain, PassOn pass) {
  double loss = plain;
  for (std::int64_t k = 2; k <= size; ++k) {
    loss = rounding::AddUp(plain, rounding::MulUp(static_cast<double>(k - 1), pass(theta, loss)));
  }
  return loss;
}

}  // namespace kith
