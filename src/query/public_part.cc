#include "query/public_part.h"

#include <algorithm>
#include <utility>

#include "query/bind/typing.h"
#include "query/per_unit.h"
#include "query/question.h"

namespace kith {
namespace {

bool IsPublic(const Expr& expr, const Question& question) {
  RangeEvaluator evaluator(question.policy->unit_table(), question.columns);
  const Range range = evaluator.Evaluate(expr);
  return !evaluator.error() && !range.secret;
}

ExprPtr PublicTerms(const ExprPtr& condition, const Question& question) {
  if (!condition) return nullptr;
  if (condition->op != Op::kAnd) return IsPublic(*condition, question) ? condition : nullptr;
  ExprPtr all;
  for (const ExprPtr& arg : condition->args) all = BothConditions(all, PublicTerms(arg, question));
  return all;
}

void LookAtCells(const Question& open, PublicPart& part) {
  const Table& table = open.policy->unit_table();
  const Cells& cells = open.policy->cells;
  std::vector<std::size_t> column_of;
  std::vector<bool> in_cells(table.columns.size(), false);
  for (const CellColumn& column : cells.columns()) {
    const Column* const found = table.Find(column.name);
    if (found == nullptr) return;
    column_of.push_back(static_cast<std::size_t>(found - table.columns.data()));
    in_cells[column_of.back()] = true;
  }
  part.cells_say_all = std::all_of(open.keys.begin(), open.keys.end(),
                                   [&](const Key& key) { return key.column && in_cells[*key.column]; });
  part.cells.assign(cells.size(), true);
  if (!open.where) return;
  ForEachColumn(*open.where, [&](std::size_t column) { part.cells_say_all = part.cells_say_all && in_cells[column]; });
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    std::vector<Range> ranges = open.columns;
    for (std::size_t k = 0; k < column_of.size(); ++k)
      ranges[column_of[k]] = RangeOf(table.columns[column_of[k]], cells.At(cell, k));
    RangeEvaluator evaluator(table, ranges);
    const Range passes = evaluator.Evaluate(*open.where);
    part.cells[cell] = evaluator.error() || passes.may_true;
  }
}

Counter CounterOf(CounterKind kind, const std::string& text) {
  Counter counter;
  counter.kind = kind;
  counter.name = counter.text = text;
  return counter;
}

// How many there are, of each kind that public columns distinguish.
bool UnitsArePublic(const Policy& policy) {
  return policy.unit.presence == Presence::kPublic && !policy.stream && !policy.unit.other_key;
}

}  // namespace

std::optional<PublicPart> PublicPartOf(const std::string& sql, const Policy& policy) {
  if (!UnitsArePublic(policy)) return std::nullopt;
  const auto question = BindQuestion(sql, policy, kMaxQuestionBytes);
  return question ? PublicPartOf(*question, policy) : std::nullopt;
}

std::optional<PublicPart> PublicPartOf(const Question& question, const Policy& policy) {
  if (!UnitsArePublic(policy)) return std::nullopt;
  PublicPart part;
  Question open;
  open.policy = question.policy;
  open.columns = question.columns;
  open.per_unit = question.per_unit;
  open.joins = question.joins;
  open.where = PublicTerms(question.where, question);
  for (const Key& key : question.keys) {
    const bool is_public = IsPublic(*key.expr, question);
    part.keys.push_back(is_public ? std::optional(open.keys.size()) : std::nullopt);
    if (is_public) open.keys.push_back(key);
  }
  part.everybody = !open.where && open.keys.empty();
  part.plain = !open.per_unit && open.joins.empty() && question.of_unit_table && question.more_tables.empty();
  LookAtCells(open, part);
  // Cells count units, and here are rows of groups.
  if (question.per_unit && question.per_unit->OfGroups()) part.cells_say_all = part.everybody = false;
  const Unit& unit = open.policy->unit;
  open.counters.push_back(CounterOf(unit.max_rows == 1 ? CounterKind::kRows : CounterKind::kUnits, "units"));
  if (unit.level == UnitLevel::kHousehold && unit.within)
    open.counters.push_back(CounterOf(CounterKind::kHouseholds, "households"));
  std::string text = open.where ? CanonicalText(*open.where, open.policy->unit_table()) : "";
  for (const Key& key : open.keys) text += " by " + key.text;
  open.normalised = std::move(text);
  auto plan = MakePlan(std::move(open));
  if (!plan || !plan->noisy().empty()) return std::nullopt;
  part.plan = std::move(*plan);
  return part;
}

}  // namespace kith
