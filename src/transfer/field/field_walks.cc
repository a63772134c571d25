#include "transfer/field/field_walks.h"

#include <algorithm>

#include "base/meter.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

/// One walk at a time, and the nodes it may not enter: those it went through, and the rest of every tie it came along,
/// which are known when the next node is considered.
class Walk {
 public:
  Walk(const SmallField& field, const std::vector<double>* plain, const std::vector<double>* messages)
      : field_(field), plain_(plain), messages_(messages), taken_(field.nodes(), 0) {}

  /// A bound on the loss about `node` when the nodes taken are known. The node itself must not be taken.
  double Loss(std::uint32_t node, int depth) {
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

  /// Steps that Loss takes, counted up to `most`.
  std::int64_t Steps(std::uint32_t node, int depth, std::int64_t most) {
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

 private:
  /// The members of a tie that are neither m nor taken.
  template <class Visit>
  void ForEachOther(const SmallField::Tie& tie, std::uint32_t m, const Visit& visit) {
    for (std::uint32_t o = tie.first; o < tie.first + tie.size; ++o) {
      if (o != m && taken_[field_.member(o).node] == 0) visit(o);
    }
  }

  double Beyond(const SmallField::Tie& tie, std::uint32_t o, int depth) {
    Take(tie, o, 1);
    const double loss = Loss(field_.member(o).node, depth - 1);
    Take(tie, o, -1);
    return loss;
  }

  /// Takes or frees all members of a tie but one.
  void Take(const SmallField::Tie& tie, std::uint32_t but, int by) {
    for (std::uint32_t o = tie.first; o < tie.first + tie.size; ++o) {
      if (o != but) taken_[field_.member(o).node] += by;
    }
  }

  const SmallField& field_;
  const std::vector<double>* plain_;
  const std::vector<double>* messages_;
  std::vector<int> taken_;
};

}  // namespace

namespace {

/// A component without cycles: every tie brings in as many new nodes as it can. There messages are the recursion
/// itself.
bool HasCycle(const SmallField& field, const std::vector<std::uint32_t>& component) {
  double brought_in = 1;  // nodes
  for (const auto node : component) {
    for (const auto m : field.MembersOf(node)) {
      const double size = field.tie(field.member(m).tie).size;
      brought_in += (size - 1) / size;  // each tie is met once for each of its members
    }
  }
  return brought_in > static_cast<double>(component.size()) + 0.25;
}

}  // namespace

FieldWalks::FieldWalks(const SmallField& field, std::int64_t most_steps) : depth_(field.nodes(), 0) {
  Walk walk(field, nullptr, nullptr);
  const std::int64_t most = most_steps / static_cast<std::int64_t>(field.nodes());
  std::vector<bool> cycle;
  for (const auto& component : field.components()) cycle.push_back(HasCycle(field, component));
  for (std::uint32_t node = 0; node < field.nodes(); ++node) {
    Meter::Look();
    if (field.hidden(node) || !cycle[field.ComponentOf(node)]) continue;
    std::int64_t last = 0;
    for (int depth = 1; depth <= static_cast<int>(field.nodes()); ++depth) {
      const std::int64_t steps = walk.Steps(node, depth, most);
      if (steps >= most) break;
      depth_[node] = depth;
      if (steps == last) break;  // all walks have ended, so that no message is needed
      last = steps;
    }
  }
}

std::vector<double> FieldWalks::Losses(const SmallField& field, const std::vector<double>& plain,
                                       const std::vector<double>& messages) const {
  Walk walk(field, &plain, &messages);
  std::vector<double> losses(field.nodes(), 0);
  for (std::uint32_t node = 0; node < field.nodes(); ++node) {
    if (!field.hidden(node)) losses[node] = walk.Loss(node, depth_[node]);
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
