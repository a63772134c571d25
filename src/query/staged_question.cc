#include "query/staged_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "policy/dates.h"
#include "query/per_unit.h"
#include "query/statements.h"
#include "sql/dialect.h"

namespace kith {
namespace {

std::string TableName(const StageConstant& constant) { return fmt::format("{}{}", kStageWord, constant.stage + 1); }

std::string ColumnName(const StageConstant& constant) {
  return constant.column == 0 ? "value" : fmt::format("value_{}", constant.column + 1);
}

std::string MarkedName(const StageConstant& constant) {
  return TableName(constant) + kOwnerMark + ColumnName(constant);
}

// Expressions with numbers in place of columns.
class Placing {
 public:
  Placing(const Table& table, const std::vector<StageConstant>& constants, const std::vector<Value>& values) {
    for (std::size_t k = 0; k < constants.size(); ++k) {
      const Column* const column = table.Find(MarkedName(constants[k]));
      if (column == nullptr) continue;
      const auto place = static_cast<std::size_t>(column - table.columns.data());
      numbers_[place] = MakeConstant(values[k], TypeOf(column->type));
    }
  }

  void In(ExprPtr& expr) const {
    if (expr) expr = Of(expr);
  }
  void In(Key& key) const { In(key.expr); }
  void In(std::vector<TableJoin>& joins) const {
    for (TableJoin& join : joins) In(join.on);
  }
  void In(Counter& counter) const {
    for (ExprPtr* const expr : {&counter.value, &counter.filter, &counter.counted, &counter.other}) In(*expr);
    if (!counter.grid) return;
    Key grid = *counter.grid;
    In(grid);
    counter.grid = std::make_shared<const Key>(std::move(grid));
  }

 private:
  ExprPtr Of(const ExprPtr& expr) const {
    if (expr->op == Op::kColumn) {
      const auto found = numbers_.find(expr->column);
      return found == numbers_.end() ? expr : found->second;
    }
    std::vector<ExprPtr> args;
    bool same = true;
    for (const ExprPtr& arg : expr->args) {
      args.push_back(Of(arg));
      same = same && args.back() == arg;
    }
    if (same) return expr;
    auto changed = std::make_shared<Expr>(*expr);
    changed->args = std::move(args);
    return changed;
  }

  std::map<std::size_t, ExprPtr> numbers_;  // by the column that represents them
};

// Whether a column that represents a number is read. Columns of sub-selects may be called by text that contains its
// name, but a quotation mark within their names is written twice.
bool Names(const sql::Statement& statement, const std::vector<StageConstant>& constants) {
  const std::string text = sql::DuckDb().Write(statement);
  return std::any_of(constants.begin(), constants.end(), [&](const StageConstant& constant) {
    return text.find(fmt::format("{}\".", TableName(constant))) != std::string::npos ||
           text.find(TableName(constant) + kOwnerMark) != std::string::npos;
  });
}

// The same for rows that are made of a unit's rows; their table has its own columns.
std::shared_ptr<const PerUnit> Placed(const std::shared_ptr<const PerUnit>& of,
                                      const std::vector<StageConstant>& constants, const std::vector<Value>& values) {
  if (!of) return of;
  const Placing placing(of->policy->unit_table(), constants, values);
  PerUnit rows = *of;
  rows.rows = Placed(of->rows, constants, values);
  placing.In(rows.joins);
  placing.In(rows.where);
  for (UnitColumn& column : rows.columns) {
    for (ExprPtr* const expr : {&column.value, &column.by, &column.filter}) placing.In(*expr);
    for (WindowOrder& order : column.order) placing.In(order.by);
  }
  return std::make_shared<const PerUnit>(std::move(rows));
}

}  // namespace

std::string StageConstant::Name() const { return TableName(*this) + "." + ColumnName(*this); }

Value StageConstant::Cut(const Value& value) const {
  std::optional<double> number = NumberIn(value);
  if (const auto* text = std::get_if<std::string>(&value); text && type == ColumnType::kDate) {
    if (const auto days = ParseDate(*text)) number = static_cast<double>(*days);
  }
  if (number && std::isnan(*number)) number.reset();
  if (!number && may_null) return Null{};
  double cut = std::clamp(number.value_or(low), low, high);
  if (type != ColumnType::kReal)
    return static_cast<std::int64_t>(std::max(std::ceil(low), std::min(std::floor(high), std::round(cut))));
  // As columns are read: a number this small is 0, and no product of it underflows.
  if (std::abs(cut) < std::ldexp(1.0, kTinyExponent)) cut = 0;
  return cut;
}

std::shared_ptr<const Policy> WithConstants(const Policy& policy, const std::vector<StageConstant>& constants) {
  auto with = std::make_shared<Policy>(policy);
  for (Table& table : with->tables) {
    if (table.name != policy.unit.table) continue;
    for (const StageConstant& constant : constants) {
      Column& column = table.columns.emplace_back();
      column.name = MarkedName(constant);
      column.type = constant.type;
      column.lower = constant.low;
      column.upper = constant.high;
      column.is_public = true;
      column.required = !constant.may_null;
    }
  }
  return with;
}

struct StagedQuestion::Bound {
  Question question;
  Bounds bounds;
  Plan plan;
  std::vector<StageConstant> constants;
};

Result<StagedQuestion> StagedQuestion::Make(const std::string& sql, const Policy& policy,
                                            std::vector<StageConstant> constants) {
  auto question = BindQuestion(sql, policy, kMaxQuestionBytes);
  if (!question) return question.error();
  auto bounds = BoundQuestion(*question, *question->policy, question->columns);
  if (!bounds) return bounds.error();
  auto plan = MakePlan(*question);
  if (!plan) return plan.error();
  StagedQuestion staged(std::make_shared<const Bound>(
      Bound{std::move(*question), std::move(*bounds), std::move(*plan), std::move(constants)}));
  // Whatever a question is made of, no statement may look for the number in the data: that would fail once it is paid
  // for.
  const Plan tried = staged.AtLeast();
  const std::vector<StageConstant>& numbers = staged.bound_->constants;
  bool left = Names(tried.statement, numbers);
  for (const Statistic& statistic : tried.statistics)
    left = left || (statistic.quantile && Names(statistic.quantile->statement, numbers));
  if (left)
    return Unsupported("a number of an earlier stage cannot be used in this part of a question", {},
                       "use it in WHERE, or in the arguments of aggregates");
  return staged;
}

Plan StagedQuestion::AtLeast() const {
  std::vector<Value> values;
  for (const StageConstant& constant : bound_->constants) values.push_back(constant.Cut(Value(constant.low)));
  return At(values);
}

void TakeStatements(const Plan& from, Plan& plan) {
  plan.statement = from.statement;
  for (std::size_t k = 0; k < plan.statistics.size(); ++k) plan.statistics[k].quantile = from.statistics[k].quantile;
}

const Plan& StagedQuestion::plan() const { return bound_->plan; }

Plan StagedQuestion::At(const std::vector<Value>& values) const {
  const std::vector<StageConstant>& constants = bound_->constants;
  Question question = bound_->question;
  const Placing placing(question.policy->unit_table(), constants, values);
  question.per_unit = Placed(question.per_unit, constants, values);
  placing.In(question.joins);
  placing.In(question.where);
  for (Key& key : question.keys) placing.In(key);
  for (Counter& counter : question.counters) placing.In(counter);
  Plan plan = bound_->plan;
  MakeStatements(question, bound_->bounds, plan);
  return plan;
}

}  // namespace kith
