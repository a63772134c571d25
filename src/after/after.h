// After the noise anything goes: SQL that is computed on noisy answers alone. A question is taken apart into private
// questions, which are asked and paid for as any other, and a statement over their answers, which costs nothing: it is
// run by a database of its own that holds these answers and nothing else. Claims: claims/after.md
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "after/formula.h"
#include "base/cancel.h"
#include "base/interval.h"
#include "base/result.h"
#include "base/value.h"
#include "engine/duckdb/scratch.h"
#include "mechanism/noise_sum.h"
#include "policy/policy.h"
#include "query/plan.h"

namespace kith::after {

/// How a number depends on noise.
enum class Dependence {
  kNone,        // not at all
  kLinear,      // a sum of noisy numbers with weights that no noise changes
  kArithmetic,  // a formula of such sums
  kOther,       // in another way, or which number it is was decided by noise: no error bar
};

/// A private question and what its answer looks like.
struct Inner {
  std::string sql;
  Plan plan;
  struct Column {
    std::string name;
    ScratchType type = ScratchType::kText;
    bool noisy = false;
    std::optional<std::size_t> statistic;  // set: it is this statistic times the factor, with noise of its own
    double factor = 1;
  };
  std::vector<Column> columns;
};

/// A statement over answers.
struct Outer {
  struct Output {
    std::string name;
    Dependence dependence = Dependence::kNone;
    FormulaPtr formula;              // of kArithmetic; its parts are those of `parts`, in their order
    std::vector<std::size_t> parts;  // columns of the statement
  };
  std::vector<Output> outputs;  // the first columns of both statements
  std::string all;              // all rows that the result is chosen from, by number; the last column is the number;
                                // columns that have no bar are NULL
  std::string chosen;           // the rows of the result, in its order; the same columns
  bool by_noise = false;        // which rows are chosen depends on noise: bars hold for all rows at once
  bool noise_orders = false;    // rows are put in order by noise: only `identity` tells which is which
  std::vector<std::size_t> identity;  // columns that no noise changes
};

/// A question in two parts.
struct Program {
  std::vector<Inner> inner;
  Outer outer;
  std::string shown;  // the statement over answers, as a person may read it
};

/// Nothing: the question is not one over private answers. Touches no data.
/// Fails: kUnsupportedQuery, kInvalidArgument; also as PlanQuestion for the private questions.
/// Ensures [AFTER-1]: the statement names the answers of the private questions, and no other table.
Result<std::optional<Program>> PlanProgram(const std::string& sql, const Policy& policy);

/// A number of an answer, or of the result.
struct Cell {
  Value value;
  std::optional<double> error_95;
  std::optional<Interval> interval_95 = {};
  bool only_noise = false;
};
/// An answer to a private question, and the laws of its noise.
struct Given {
  std::vector<std::vector<Cell>> rows;
  struct Law {
    double scale = 0, step = 0;
  };
  std::vector<std::optional<Law>> laws;  // of each statistic; nothing: its bar is all that is known
};
struct Computed {
  std::vector<std::vector<Cell>> rows;
};

/// Whether the statement works on answers of this form: on empty ones. Fails: kUnsupportedQuery.
Result<void> TryOn(const Program& program);

/// The statement's result, with bars [AFTER-2]. A function of its arguments: the same answers give the same result.
/// Fails: kUnsupportedQuery if it fails on these numbers, kCancelled.
Result<Computed> Compute(const Program& program, const std::vector<Given>& answers, const CancelFlag& cancel);

/// What the statement calls the answer to the private question k.
std::string AnswerName(std::size_t k);

}  // namespace kith::after
