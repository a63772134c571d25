#include "postprocess/stages.h"

#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/spelling.h"
#include "query/bind/bind.h"
#include "query/output/output.h"

namespace kith::postprocess {
namespace {

constexpr int kMostLevels = 20;
constexpr double kWidest = 0x1p53;  // whole numbers up to here are exact

std::string TextIn(const PgQuery__Node& node) {
  return node.node_case == PG_QUERY__NODE__NODE_STRING ? std::string(node.string->sval) : std::string();
}

bool HasAggregates(const PgQuery__SelectStmt& select) {
  bool found = false;
  for (std::size_t k = 0; k < select.n_target_list; ++k)
    found = found || Contains(*select.target_list[k], IsAggregateCall);
  return found;
}

// Expressions of a SELECT, except in FROM.
std::vector<PgQuery__Node*> ExpressionsOf(const PgQuery__SelectStmt& select) {
  std::vector<PgQuery__Node*> all(select.target_list, select.target_list + select.n_target_list);
  all.insert(all.end(), select.group_clause, select.group_clause + select.n_group_clause);
  all.insert(all.end(), select.sort_clause, select.sort_clause + select.n_sort_clause);
  for (PgQuery__Node* const node : {select.where_clause, select.having_clause}) {
    if (node) all.push_back(node);
  }
  return all;
}

// All that an output can be, whatever the noise is.
std::optional<OutputExpr::Reach> ReachOf(const Plan& plan, const OutputExpr& output) {
  std::vector<Estimate> all;
  for (const Statistic& statistic : plan.statistics) {
    if (statistic.quantile) {
      const double least = statistic.quantile->least, most = statistic.quantile->most;
      all.push_back({least, 0, Estimate::Ends{least, most}});
    } else {
      all.push_back({0, kWidest, std::nullopt});
    }
  }
  return output.ReachOf(all);
}

}  // namespace

const Stage::Number& Program::NumberOf(const StageConstant& constant) const {
  const Stage& stage = stages.at(constant.stage);
  return *std::find_if(stage.numbers.begin(), stage.numbers.end(),
                       [&](const Stage::Number& number) { return number.constant.column == constant.column; });
}

Stager::~Stager() {
  for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) (*undo)();
}

Result<void> Stager::Run(const SyntaxTree& tree, const std::string& sql) {
  if (FoldCase(sql).find(kStageWord) != std::string::npos)
    return InvalidArgument(fmt::format("names that begin with {} are reserved", kStageWord), {}, "name it otherwise");
  return Visit(const_cast<PgQuery__SelectStmt&>(tree.select()), {}, 0);
}

Result<void> Stager::VisitInside(const PgQuery__Node& expression, const Names& names, int depth) {
  if (IsSubSelect(expression) && expression.sub_link->subselect &&
      expression.sub_link->subselect->node_case == PG_QUERY__NODE__NODE_SELECT_STMT) {
    return Visit(*expression.sub_link->subselect->select_stmt, names, depth + 1);
  }
  Result<void> result;
  ForEachChild(expression, [&](const PgQuery__Node& child) {
    if (result) result = VisitInside(child, names, depth);
  });
  return result;
}

Result<void> Stager::VisitFrom(const PgQuery__Node& from, const Names& names, int depth) {
  if (from.node_case == PG_QUERY__NODE__NODE_RANGE_SUBSELECT &&
      from.range_subselect->subquery->node_case == PG_QUERY__NODE__NODE_SELECT_STMT)
    return Visit(*from.range_subselect->subquery->select_stmt, names, depth + 1);
  if (from.node_case != PG_QUERY__NODE__NODE_JOIN_EXPR) return {};
  if (depth > kMostLevels) return Unsupported("joins are nested too deeply", {}, "ask a simpler question");
  if (auto visited = VisitFrom(*from.join_expr->larg, names, depth + 1); !visited) return visited;
  if (auto visited = VisitFrom(*from.join_expr->rarg, names, depth + 1); !visited) return visited;
  return from.join_expr->quals ? VisitInside(*from.join_expr->quals, names, depth) : Result<void>();
}

Result<void> Stager::Visit(PgQuery__SelectStmt& select, const Names& around, int depth) {
  if (depth > kMostLevels) return Unsupported("sub-selects are nested too deeply", {}, "ask a simpler question");
  if ((select.op != PG_QUERY__SET_OPERATION__SETOP_NONE && !IsUnion(select)) || !visited_.insert(&select).second)
    return {};
  const auto names = NamesIn(select, around);
  if (!names) return names.error();
  for (std::size_t k = 0; select.with_clause && k < select.with_clause->n_ctes; ++k) {
    PgQuery__SelectStmt& query = *select.with_clause->ctes[k]->common_table_expr->ctequery->select_stmt;
    const auto& named = *names->at(select.with_clause->ctes[k]->common_table_expr->ctename);
    if (auto visited = Visit(query, named.select == &query ? named.sees : around, depth + 1); !visited) return visited;
  }
  if (IsUnion(select)) {
    if (auto visited = Visit(*select.larg, *names, depth + 1); !visited) return visited;
    return Visit(*select.rarg, *names, depth + 1);
  }
  bool rows = false, answers = false;
  for (std::size_t k = 0; k < select.n_from_clause; ++k) {
    if (auto visited = VisitFrom(*select.from_clause[k], *names, depth); !visited) return visited;
    if (auto looked = FindKinds(*select.from_clause[k], *names, keys_, rows, answers); !looked) return looked;
  }
  for (const PgQuery__Node* const node : ExpressionsOf(select)) {
    if (auto visited = VisitInside(*node, *names, depth); !visited) return visited;
  }
  if (!rows) return {};
  std::vector<Beside> beside;
  std::size_t left = 0;
  for (std::size_t k = 0; answers && k < select.n_from_clause; ++k) {
    auto rest = WithoutAnswers(select.from_clause[k], *names, select, beside);
    if (!rest) return rest.error();
    if (*rest) Put(select.from_clause[left++], *rest);
  }
  if (answers) Put(select.n_from_clause, left);
  const bool aggregates = select.n_group_clause > 0 || select.having_clause || HasAggregates(select);
  const auto is_where = [&](const PgQuery__Node* node) { return node == select.where_clause; };
  for (PgQuery__Node* const node : ExpressionsOf(select)) {
    if (auto replaced = Replace(*node, *names, beside, !aggregates || is_where(node)); !replaced) return replaced;
  }
  std::function<Result<void>(PgQuery__Node&)> in_joins = [&](PgQuery__Node& from) -> Result<void> {
    if (from.node_case != PG_QUERY__NODE__NODE_JOIN_EXPR) return {};
    if (auto done = in_joins(*from.join_expr->larg); !done) return done;
    return from.join_expr->quals ? Replace(*from.join_expr->quals, *names, beside, true) : Result<void>();
  };
  for (std::size_t k = 0; k < select.n_from_clause; ++k) {
    if (auto done = in_joins(*select.from_clause[k]); !done) return done;
  }
  if (!aggregates) return {};
  std::vector<const PgQuery__Node*> shown(select.group_clause, select.group_clause + select.n_group_clause);
  for (std::size_t k = 0; k < select.n_target_list; ++k) shown.push_back(select.target_list[k]->res_target->val);
  for (const PgQuery__Node* const node : shown) {
    if (IsNumber(*node))
      return Unsupported("the number of an earlier stage is no column of a table", {},
                         "show it beside the answer with a sub-select, as in SELECT (SELECT v FROM line), count(*), "
                         "and leave it out of GROUP BY");
  }
  return {};
}

Result<PgQuery__Node*> Stager::WithoutAnswers(PgQuery__Node* from, const Names& names, PgQuery__SelectStmt& select,
                                              std::vector<Beside>& beside) {
  bool rows = false, answers = false;
  if (auto looked = FindKinds(*from, names, keys_, rows, answers); !looked) return looked.error();
  if (!answers) return from;
  if (from->node_case != PG_QUERY__NODE__NODE_JOIN_EXPR) {
    auto one = MakeBeside(*from, names);
    if (!one) return one.error();
    beside.push_back(std::move(*one));
    return static_cast<PgQuery__Node*>(nullptr);
  }
  PgQuery__JoinExpr& join = *from->join_expr;
  if (join.jointype != PG_QUERY__JOIN_TYPE__JOIN_INNER || join.is_natural || join.n_using_clause > 0 || join.alias)
    return Unsupported("a private answer beside a table can be joined with JOIN ... ON, or come after a comma", {},
                       "write FROM people, line WHERE ...");
  auto left = WithoutAnswers(join.larg, names, select, beside);
  if (!left) return left;
  auto right = WithoutAnswers(join.rarg, names, select, beside);
  if (!right) return right;
  if (*left && *right) {
    Put(join.larg, *left);
    Put(join.rarg, *right);
    return from;
  }
  if (join.quals && !select.where_clause) {
    Put(select.where_clause, join.quals);
  } else if (join.quals) {
    auto both = SyntaxTree::Parse("SELECT 1 WHERE a AND b");
    if (!both) return both.error();
    PgQuery__Node* const condition = both->select().where_clause;
    parts_.push_back(std::move(*both));
    Put(condition->bool_expr->args[0], join.quals);
    Put(condition->bool_expr->args[1], select.where_clause);
    Put(select.where_clause, condition);
  }
  return *left ? *left : *right;
}

Result<Stager::Beside> Stager::MakeBeside(const PgQuery__Node& from, const Names& names) {
  const FromItem source = *FromItemOf(from, names);  // WithoutAnswers has seen that it is one
  Beside beside;
  beside.alias = source.called;
  auto stage = MakeStage(*source.select, *source.sees);
  if (!stage) return stage.error();
  beside.stage = *stage;
  for (const Outer::Output& output : compiler_.stages()[*stage].outer.outputs) beside.columns.push_back(output.name);
  for (std::size_t k = 0; k < std::min(source.n_renamed, beside.columns.size()); ++k)
    beside.columns[k] = TextIn(*source.renamed[k]);
  return beside;
}

// One row, and never none. What is computed on answers has as many rows as they have.
bool Stager::GivesOneRow(const PgQuery__SelectStmt& select, const Names& around, int depth) const {
  const auto names = NamesIn(select, around);
  if (!names || depth > kMostLevels || IsUnion(select)) return false;
  if (select.n_group_clause > 0 || select.having_clause || select.limit_count || select.limit_offset) return false;
  const auto kind = KindOf(select, *names, keys_);
  if (!kind || *kind == Kind::kRows) return false;
  if (HasAggregates(select)) return true;
  if (*kind == Kind::kPrivate || select.where_clause) return false;
  for (std::size_t k = 0; k < select.n_from_clause; ++k) {
    const auto source = FromItemOf(*select.from_clause[k], *names);
    if (!source || !source->select || !GivesOneRow(*source->select, *source->sees, depth + 1)) return false;
  }
  return true;
}

Result<std::size_t> Stager::MakeStage(const PgQuery__SelectStmt& select, const Names& around) {
  if (const auto known = stage_of_.find(&select); known != stage_of_.end()) return known->second;
  if (!GivesOneRow(select, around, 0))
    return Unsupported("a private answer that is used in a private question must be one row", {},
                       "leave GROUP BY, HAVING, WHERE on noisy numbers and LIMIT out of it");
  const auto names = NamesIn(select, around);
  if (!names) return names.error();
  Stage stage;
  auto shown = TextOf(select);
  if (!shown) return shown.error();
  stage.shown = std::move(*shown);
  auto outer = compiler_.Outermost(select, around);
  if (!outer) return outer.error();
  stage.outer = std::move(*outer);
  stage.asked = compiler_.inner().size();
  const auto kind = KindOf(select, *names, keys_);
  if (kind && *kind == Kind::kPrivate) {
    const auto taken = TakeOut(select, *names);
    if (!taken) return taken.error();
    if (taken->as_it_is) {
      const auto asked = compiler_.Asked(taken->sql);
      if (!asked) return asked.error();
      stage.answer = *asked;
    }
  }
  compiler_.stages().push_back(std::move(stage));
  stage_of_[&select] = compiler_.stages().size() - 1;
  return compiler_.stages().size() - 1;
}

// What is not an unchanged answer has the widest range: it can be compared with anything.
Result<StageConstant> Stager::ConstantOf(std::size_t stage, std::size_t column) const {
  const Stage& of = compiler_.stages()[stage];
  StageConstant constant{stage, column, ColumnType::kReal, -kWidest, kWidest, true};
  if (!of.answer) return constant;
  const Inner& inner = compiler_.inner()[*of.answer];
  const OutputExpr& output = *inner.plan.outputs[column].expr;
  const ScratchType type = inner.columns[column].type;
  if (const auto quantile = output.Quantile(); quantile && output.IsDate()) {
    const Quantile& among = *inner.plan.statistics[*quantile].quantile;
    return StageConstant{stage, column, ColumnType::kDate, among.least, among.most, false};
  }
  if (type != ScratchType::kWhole && type != ScratchType::kReal)
    return Unsupported("only numbers and dates of a private answer can be used in a private question", {},
                       "choose a column with a number");
  const auto reach = ReachOf(inner.plan, output);
  const bool bounded = reach && std::isfinite(reach->low) && std::isfinite(reach->high);
  constant.type = type == ScratchType::kWhole ? ColumnType::kInteger : ColumnType::kReal;
  if (!bounded) return constant;
  constant.low = std::max(reach->low, -kWidest);
  constant.high = std::min(reach->high, kWidest);
  constant.may_null = FoldCase(of.shown).find("nullif") != std::string::npos;
  return constant;
}

Result<void> Stager::PutNumber(PgQuery__Node& node, std::size_t stage, std::size_t column, const std::string& shown) {
  Stage& of = compiler_.stages()[stage];
  const auto same = [&](const Stage::Number& number) { return number.constant.column == column; };
  auto number = std::find_if(of.numbers.begin(), of.numbers.end(), same);
  if (number == of.numbers.end()) {
    const auto constant = ConstantOf(stage, column);
    if (!constant) return constant.error();
    number = of.numbers.insert(of.numbers.end(), Stage::Number{*constant, shown});
  }
  auto name = SyntaxTree::Parse("SELECT " + number->constant.Name());
  if (!name) return name.error();
  PgQuery__ColumnRef* const reference = name->select().target_list[0]->res_target->val->column_ref;
  parts_.push_back(std::move(*name));
  // What the node was is shown by its kind: the kind is restored last.
  Put(node.column_ref, reference);
  Put(node.node_case, PG_QUERY__NODE__NODE_COLUMN_REF);
  return {};
}

bool Stager::IsNumber(const PgQuery__Node& node) const {
  return node.node_case == PG_QUERY__NODE__NODE_COLUMN_REF && node.column_ref->n_fields == 2 &&
         TextIn(*node.column_ref->fields[0]).starts_with(kStageWord);
}

Result<void> Stager::ReplaceColumn(PgQuery__Node& node, const std::vector<Beside>& beside) {
  const PgQuery__ColumnRef& reference = *node.column_ref;
  if (reference.n_fields > 2 || beside.empty()) return {};
  const std::string name = FoldCase(TextIn(*reference.fields[reference.n_fields - 1]));
  const std::string table = reference.n_fields == 2 ? FoldCase(TextIn(*reference.fields[0])) : std::string();
  const Beside* found = nullptr;
  std::size_t column = 0, times = 0;
  for (const Beside& one : beside) {
    if (!table.empty() && table != FoldCase(one.alias)) continue;
    for (std::size_t k = 0; k < one.columns.size(); ++k) {
      if (name.empty() || FoldCase(one.columns[k]) != name) continue;
      found = &one;
      column = k;
      ++times;
    }
  }
  if (!found) return {};
  if (table.empty()) {
    for (const Table& declared : policy_.tables) {
      for (const Column& other : declared.columns) times += FoldCase(other.name) == name ? 1 : 0;
    }
  }
  if (times > 1)
    return InvalidArgument(fmt::format("{:.60} could be one of several columns", name), {},
                           "name the table: table.column");
  return PutNumber(node, found->stage, column, fmt::format("{}.{}", found->alias, found->columns[column]));
}

Result<void> Stager::ReplaceSubSelect(PgQuery__Node& node, const Names& names) {
  const PgQuery__SubLink& link = *node.sub_link;
  if (link.sub_link_type != PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK || !link.subselect ||
      link.subselect->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
    return {};
  const PgQuery__SelectStmt& select = *link.subselect->select_stmt;
  const auto scope = NamesIn(select, names);
  if (!scope) return scope.error();
  const auto kind = KindOf(select, *scope, keys_);
  if (!kind) return kind.error();
  if (*kind == Kind::kRows) return {};
  const auto stage = MakeStage(select, names);
  if (!stage) return stage.error();
  if (compiler_.stages()[*stage].outer.outputs.size() != 1)
    return InvalidArgument("a sub-select that is used as a number must have one column", {}, "choose one column");
  return PutNumber(node, *stage, 0, fmt::format("({})", compiler_.stages()[*stage].shown));
}

// `of_rows`: it is computed on single rows; elsewhere a sub-select is computed on the noisy answer.
Result<void> Stager::Replace(PgQuery__Node& node, const Names& names, const std::vector<Beside>& beside, bool of_rows) {
  if (node.node_case == PG_QUERY__NODE__NODE_COLUMN_REF) return ReplaceColumn(node, beside);
  if (IsSubSelect(node)) return of_rows ? ReplaceSubSelect(node, names) : Result<void>();
  const bool inside = of_rows || IsAggregateCall(node);
  Result<void> result;
  ForEachChild(node, [&](const PgQuery__Node& child) {
    if (result) result = Replace(const_cast<PgQuery__Node&>(child), names, beside, inside);
  });
  return result;
}

}  // namespace kith::postprocess
