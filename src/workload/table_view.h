// Counting questions as sums over the cells of one table: which columns they read, and which of their values count.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "query/plan.h"
#include "query/question.h"
#include "workload/chain.h"

namespace kith::workload {

/// A column as the questions of a workload see it: a list of values, or of ranges that none of them cuts.
struct Attribute {
  std::size_t column = 0;    // of the unit's table
  std::vector<Range> atoms;  // in order; NULL last, if it is possible. They point into the policy
  bool ordered = false;      // by its ranges: blocks of neighbours can be counted
  bool dense = false;        // ordered: every whole number or day is its own atom
  bool may_null = false;
  // Ordered and not dense: atom k < atoms without NULL - 1 is where this holds, and those of the earlier atoms do not.
  std::vector<std::string> below;
  Chain chain;

  std::size_t known() const { return atoms.size() - (may_null ? 1 : 0); }
};

/// One column of a question: for each combination of the keys that read it, which atoms count.
struct Side {
  std::size_t attribute = 0;
  std::vector<std::size_t> keys;  // of the question; the first is the slowest
  std::vector<Indicator> rows;
};

/// One counter of a question: a product of its sides. A cell counts if all its atoms do.
struct Sum {
  std::vector<Side> sides;  // ascending by attribute, each once
};

/// A question whose every number is a count of rows by columns of the unit's table.
struct TableQuestion {
  std::vector<Sum> statistics;  // as in the plan
  std::vector<std::size_t> key_sizes;

  /// Which row of a side a group of the plan is in.
  std::size_t RowOf(const Side& side, std::size_t group) const;
};

/// A question of a workload, bound and planned.
struct Planned {
  Question question;
  Plan plan;
};

/// What is asked of one table.
struct TableView {
  std::shared_ptr<const Policy> policy;
  std::vector<Attribute> attributes;

  /// How the cells of levels are counted: SELECT ..., count(*) FROM the table GROUP BY ....
  std::string SqlOf(const Levels& levels) const;
  /// The columns that levels distinguish, for people.
  std::string NameOf(const Levels& levels) const;
  /// The place in the cells of levels (mixed radix, the first attribute slowest) of each group of the plan of SqlOf.
  /// Fails: kInternal if the plan has other groups.
  Result<std::vector<std::size_t>> PlacesOf(const Levels& levels, const Plan& plan) const;
  std::size_t CellsOf(const Levels& levels) const;
  Levels Top() const;
};

/// Reads all questions at once. `seen`: one for each question that is not nullptr; nothing where it is not a sum of
/// cells.
/// Requires: all were planned with `policy`.
TableView ViewOf(std::shared_ptr<const Policy> policy, const std::vector<const Planned*>& questions,
                 std::vector<std::optional<TableQuestion>>& seen);

/// A question besides those that a view was made for. Nothing: it is not a sum of cells, or it reads a column, or
/// distinguishes values, that the view does not. Requires: it was planned with the policy of the view. `view`: its
/// chains may be any, and `below` is not read.
std::optional<TableQuestion> SeeOn(const TableView& view, const Planned& question);

/// The same with as few values as these questions need: neighbours that none of them distinguishes become one.
/// Requires: questions of the view.
void Simplify(std::vector<std::optional<TableQuestion>>& questions, TableView& view);

}  // namespace kith::workload
