// Post-processing: SQL that is computed only on noisy answers, which costs no privacy. A question is taken apart into
// private questions, which are asked and paid for like any other, and a statement over their answers, which costs
// nothing: it is run by a separate database that holds these answers and nothing else. Claims: claims/after.md
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/interval.h"
#include "base/result.h"
#include "base/value.h"
#include "engine/duckdb/scratch.h"
#include "mechanism/noise_sum.h"
#include "policy/policy.h"
#include "postprocess/formula.h"
#include "query/plan.h"
#include "query/staged_question.h"

namespace kith::postprocess {

/// How a number depends on noise.
enum class Dependence {
  kNone,        // not at all
  kLinear,      // a sum of noisy numbers with weights that no noise changes
  kArithmetic,  // a formula of such sums
  kFunction,    // of such numbers in a way that intervals do not follow: its bar is simulated
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
    std::optional<std::size_t> statistic;  // set: it is this statistic times the factor, with its own noise
    double factor = 1;
  };
  std::vector<Column> columns;
  // Numbers of earlier stages that it uses, by their names; `shown` says where they come from.
  std::vector<StageConstant> constants;
  std::optional<StagedQuestion> staged;
  std::shared_ptr<const Policy> policy;  // with these numbers; nullptr: there are none
  std::string shown;
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
  std::string drawn;            // of each row: what identifies it, and the numbers whose bars are simulated; empty:
                                // there are none, or noise decides which row is which
  bool by_noise = false;        // which rows are chosen depends on noise: bars hold for all rows at once
  bool noise_orders = false;    // rows are put in order by noise: only `identity` says which is which
  std::vector<std::size_t> identity;  // columns that no noise changes
};

/// Numbers of one row that is computed on private answers and used in later private questions.
struct Stage {
  std::string shown;                  // the SELECT, as a person may read it
  Outer outer;                        // over the answers to the first private questions
  std::size_t asked = 0;              // this many of them are asked first
  std::optional<std::size_t> answer;  // set: it is this answer as it is
  struct Number {
    StageConstant constant;
    std::string shown;  // as the question names it: line.v
  };
  std::vector<Number> numbers;  // those that are used
};

/// A question in two parts.
struct Program {
  std::vector<Inner> inner;  // a question comes after those whose numbers it uses
  Outer outer;
  std::string shown;  // the statement over answers, as a person may read it
  std::vector<Stage> stages;
  bool as_it_is = false;  // the last private answer is the result

  /// The number with this name in the question. Requires: there is one.
  const Stage::Number& NumberOf(const StageConstant& constant) const;
};

/// Nothing: the question is not over private answers. Touches no data.
/// Fails: kUnsupportedQuery, kInvalidArgument; also as PlanQuestion, for the private questions.
/// Ensures [AFTER-1]: the statement names the answers of the private questions, and no other table.
Result<std::optional<Program>> PlanProgram(const std::string& sql, const Policy& policy);

/// A number of an answer, or of the result.
struct Cell {
  Value value;
  std::optional<double> error_95;
  std::optional<Interval> interval_95;
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

/// A number of a stage, as it goes into a question. A function of the answers to the private questions before it.
/// Ensures [STAGE-2]: it is in its range, whatever the answers are.
struct StageValue {
  Value value;
  Cell cell;  // before it was cut, with its bar
};
/// Fails: kCancelled and whatever else stops the computer; never because of the numbers.
Result<StageValue> ValueOf(const Program& program, const StageConstant& constant, const std::vector<Given>& answers,
                           const CancelFlag& cancel);

/// Whether the statement works on answers of this form: on empty ones. Fails: kUnsupportedQuery.
Result<void> TryOn(const Program& program);
/// Its columns, as answers of this form show them. Fails: as TryOn.
Result<std::vector<ScratchType>> TypesOf(const Program& program);

/// The statement's result, with bars [AFTER-2], some of them simulated [AFTER-3]. A function of its arguments: the same
/// answers give the same result. Fails: kUnsupportedQuery if it fails on these numbers, kCancelled.
Result<Computed> Compute(const Program& program, const std::vector<Given>& answers, const CancelFlag& cancel);

/// What the statement calls the answer to the private question k.
std::string AnswerName(std::size_t k);

}  // namespace kith::postprocess
