// A question after names and types are checked, before bounds: which counters it needs and how outputs are made of
// them.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"
#include "query/bind/bind.h"
#include "query/bind/finite_values.h"
#include "query/plan.h"
#include "query/range/range.h"
#include "sql/expr.h"

namespace kith {

enum class CounterKind {
  kRows,        // 1 for each row that passes
  kSum,         // value of each row that passes; NULL adds nothing
  kUnits,       // 1 for each unit with a row that passes
  kHouseholds,  // 1 for each household with a row that passes; in questions about households only
  kDistinct,    // 1 for each value of a row that passes; NULL is not one
  kQuantile,    // rows that pass at each point of a grid, of which one is chosen by its rank; NULL is left out
};

/// num / den of the rows should be below. In lowest terms, except that the denominator is even.
struct Rank {
  std::int64_t num = 0, den = 2;
  bool IsMedian() const { return 2 * num == den; }
};

/// One GROUP BY key: a column with declared values, or an expression with a finite image.
struct Key {
  ExprPtr expr;
  std::optional<std::size_t> column;  // set: a column with declared values, grouped as it is stored
  Image image;
  std::vector<Value> shown;  // the image as the answer has it: dates as text; NULL last if it is possible
  std::string name, text;    // for the answer; canonical
};

/// One integer for each group that the engine must compute. Two counters with the same text are the same.
struct Counter {
  CounterKind kind = CounterKind::kRows;
  ExprPtr value;   // kSum, kDistinct and kQuantile
  ExprPtr filter;  // rows must pass it besides WHERE; nullptr: all do
  // kRows that is count(value): `filter` is `other` and value IS NOT NULL. Both may be nullptr.
  ExprPtr counted, other;
  std::string name;
  std::string text;
  // Only for kQuantile: what is wanted, and what rows are counted by: the number of a point (value = number * lattice).
  // Counters of one value share it.
  Rank rank;
  Lattice lattice;
  double least = 0, most = 0;  // as in Quantile
  bool rounded = false;
  std::shared_ptr<const Key> grid;
};

/// Of a stream: a question must be about the rows of one step.
enum class StepRows { kNo, kYes };

/// What a question is without the names of its outputs and, where `any_order` says so, without the order of its rows: an
/// answer to it is an answer to all that agree in this.
struct Bare {
  std::string text;
  bool any_order = false;
};

/// The same question with its outputs and keys in another order.
struct Reordered {
  std::string normalised;
  std::vector<std::size_t> outputs;  // of each of its outputs: where the question has it
  bool same_rows = true;             // its keys are in the same order
  std::string bare;                  // without names and order, as in Question

  /// The row of an answer to this one in the order of the question.
  template <class Cell>
  std::vector<Cell> InOrder(const std::vector<Cell>& row) const {
    std::vector<Cell> ordered(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) ordered.at(outputs.at(i)) = row[i];
    return ordered;
  }
};

struct Question {
  // With the columns of joined tables after those of the unit table; its dependence and budget are left out.
  std::shared_ptr<const Policy> policy;
  std::vector<Range> columns;  // of the unit table in `policy`
  // Set: that table is the result of a sub-select with one row for each unit, and `policy` is how it sees units.
  std::shared_ptr<const PerUnit> per_unit;
  std::vector<TableJoin> joins;
  ExprPtr where;                          // nullptr: every row
  std::vector<Key> keys;                  // GROUP BY
  std::vector<std::vector<bool>> levels;  // as in Plan
  std::vector<bool> impossible;           // of the finest groups, as in Plan
  std::vector<Counter> counters;
  std::vector<OutputColumn> outputs;
  std::vector<OrderBy> order_by;
  std::optional<std::int64_t> limit;
  std::int64_t offset = 0;
  std::string normalised;
  bool idle_windows = false;  // that text is read as a question without some of the windows of this one
  // Without the names of outputs and, where any_order says so, without the order of rows: whatever has the same text
  // here has the same numbers.
  std::string bare;
  bool any_order = false;                // all rows and all keys are shown: they can be put in any order
  std::vector<Reordered> others;         // some; none where the order of rows or the totals of ROLLUP depend on it
  std::vector<std::string> more_tables;  // as in Plan
  bool of_unit_table = true;
  std::optional<std::int64_t> tick;  // of a stream: the rows of this step are read, and no others

  /// It has no WHERE, no join and no GROUP BY.
  bool OfAllRows() const { return !per_unit && !where && joins.empty() && keys.empty(); }
};

/// Fails: kInvalidArgument, kUnsupportedQuery (also a stream's policy where the question is not about the rows of one
/// step).
Result<Question> BindQuestion(const std::string& sql, const Policy& policy, std::size_t max_bytes,
                              StepRows step = StepRows::kNo);

/// The refusal of GROUP BY the unit's key, whose groups would be single units; and whether an error is this refusal.
Error ShowsEveryUnit(const std::string& key);
bool IsOfEveryUnit(const Error& error);

/// Bounds, statements and notes for a question. Fails: kUnsupportedQuery.
Result<Plan> MakePlan(Question question);

}  // namespace kith
