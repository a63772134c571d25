// A forest network made ready for messages: values that can occur, their laws, and every table read in both directions.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "dependence/model.h"
#include "transfer/transfer_function.h"
#include "transfer/tree/spread.h"

namespace kith {

/// Values of probability 0 are left out: they are not secrets (docs/theory/transfer.md#tree).
/// Immutable; safe to share between threads.
class Forest {
 public:
  /// Requires: the model has passed Check.
  /// Fails: kInvalidArgument if a value that can occur has a probability too small to be a number.
  static Result<Forest> Make(const Tree& tree);

  std::size_t records() const { return nodes_.size(); }
  /// Exact messages, unless they would take too many linear programmes (records of five and more values).
  SeveralValues Affordable() const;

  /// For every record, the loss about it when nothing else is known.
  /// Ensures [TREE-1]: not below the dependent loss of the declared network.
  std::vector<double> Losses(const PlainLosses& plain, SeveralValues how) const;

  /// The same by programmes over a window of records around each one; what is beyond a window comes as messages.
  /// Empty where messages are exact (only yes/no records) or the programmes would take too long.
  /// Ensures [TREE-3]: not below the dependent loss of the declared network; equal to it, up to rounding, for a record
  /// whose window is its whole component.
  std::vector<double> WindowLosses(const PlainLosses& plain) const;
  bool HasWindows() const { return !windows_.empty(); }
  /// How close the way back comes where there are windows: each step takes many programmes.
  static constexpr double kWindowPrecision = 0x1p-32;

  /// For every record, the plain losses of all records connected to it, rounded up.
  std::vector<double> ComponentSums(const PlainLosses& plain) const;

  /// The same network as a field: only the strengths of its tables, no laws. It covers somebody who knows other
  /// records.
  Field AsField() const;

 private:
  struct Node {
    std::int64_t parent = -1;
    std::vector<std::size_t> support;      // values that can occur
    std::vector<long double> probability;  // of each of them
    std::vector<double> given_parent;      // row: a value of the parent; column: a value of this record
    std::vector<double> given_child;       // of the parent: row: a value of this record; column: a value of the parent
    double error = 0;                      // relative error of given_child
    std::vector<std::uint32_t> children;
  };

  /// What passes along every link, and what follows for each record.
  struct Messages {
    std::vector<Spread> to_parent;    // what a record's parent sees of the record and all below it
    std::vector<Spread> from_parent;  // what a record sees of everything that is not below it
    std::vector<double> losses;
  };
  /// A record, then others, each after one that it is linked with.
  struct Window {
    std::vector<std::uint32_t> records;
    std::vector<std::size_t> towards;  // index, in `records`, of the neighbour that is nearer to the first
    std::size_t states = 1;            // of all but the first
  };

  /// `keep`: from_parent is wanted for all records, not only for those on the way.
  Messages Pass(const PlainLosses& plain, SeveralValues how, bool keep) const;
  void PlanWindows();
  Window Around(std::uint32_t record, std::size_t most) const;
  /// What passes from a neighbour to a record.
  const Spread& MessageTo(std::uint32_t record, std::uint32_t from, const Messages& messages) const;
  double WindowLoss(const Window& window, const PlainLosses& plain, const Messages& messages) const;
  std::vector<std::uint32_t> Neighbours(std::uint32_t record) const;
  /// Row x: the law of `to` given that its neighbour `from` has its value x.
  std::span<const double> Given(std::uint32_t from, std::uint32_t to, std::size_t x) const;
  Spread ToParent(const Node& node, const Spread& from, SeveralValues how) const;
  Spread ToChild(const Node& child, const Spread& from, SeveralValues how) const;
  Result<void> Fill(std::size_t j, const Tree& tree);
  std::size_t Values(std::int64_t j) const { return nodes_[static_cast<std::size_t>(j)].support.size(); }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> order_;  // parents before children
  std::int64_t programmes_ = 0;       // that exact messages take
  std::vector<Window> windows_;       // for each record, or none
};

}  // namespace kith
