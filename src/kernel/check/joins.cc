// FROM, JOIN and WHERE. Claims JOIN-1, TABLES-2, TABLES-3.
#include <algorithm>

#include "kernel/check/same.h"
#include "kernel/check/terms.h"

namespace kith::check {
namespace {

// ON left = right.key, the key as it is stored.
struct Equation {
  sql::Term left;
  const RowColumn* key = nullptr;
};

std::optional<Equation> EquationOf(const sql::Term& on, const std::string& right) {
  const sql::Term bare = on && on->form == sql::Form::kParen ? on->args[0] : on;
  if (!bare || bare->form != sql::Form::kInfix || bare->text != " = " || bare->args.size() != 2 ||
      !IsWrittenAsMeant(*bare))
    return std::nullopt;
  const sql::Term name = Bare(bare->args[1]);
  if (name->form != sql::Form::kColumn || name->source != right) return std::nullopt;
  return Equation{bare->args[0], nullptr};
}

bool Named(const Rows& rows, const std::string& source) {
  return std::any_of(rows.columns.begin(), rows.columns.end(), [&](const RowColumn& c) { return c.source == source; });
}

bool HoldsPlaces(const Rows& rows) {
  return std::any_of(rows.columns.begin(), rows.columns.end(),
                     [](const RowColumn& c) { return c.what.places || c.what.others; });
}

// Every key occurs once: each row finds one row or none.
Rows WithPublic(Rows left, const Rows& right, const Possible& on, bool inner) {
  for (RowColumn column : right.columns) {
    column.what = Made({column.what, on});
    column.what.others = nullptr;
    left.columns.push_back(std::move(column));
  }
  if (inner) KeepWhere(left, Chosen(Truth(true, true, true), on));
  return left;
}

// Rows of the same unit: each row meets all of its rows there.
Rows WithOwn(Rows left, const Rows& right, bool inner) {
  const bool one = right.most <= 1 && !inner;
  left.most = std::min(kUnlimited, left.most * std::max<Int128>(right.most, 1));
  left.there = left.there && one;
  left.as_stored = left.once = false;
  left.whole = true;
  if (inner) left.there = left.unit_there = false;
  for (RowColumn column : right.columns) {
    column.what.null = true;
    column.what.secret = column.what.by_row = true;
    column.what.role = Role::kNone;
    left.columns.push_back(std::move(column));
  }
  return left;
}

}  // namespace

Rows Joined(Rows left, const sql::Join& join, const Context& context) {
  if (join.source.name.empty() || Named(left, join.source.name)) {
    context.reason.Say("a joined table without a name of its own");
    return {};
  }
  const Rows right = RowsOfSource(join.source, context);
  auto equation = EquationOf(join.on, join.source.name);
  if (!equation) {
    context.reason.Say("a join on anything but one key");
    return {};
  }
  // Places, and what depends on rows of others, know columns by their names alone.
  for (const RowColumn& a : left.columns)
    for (const RowColumn& b : right.columns)
      if (!a.name.empty() && a.name == b.name && (HoldsPlaces(left) || HoldsPlaces(right)))
        context.reason.Say("a join of columns of one name, beside places in an order");
  const Possible on = Terms(left, context).Of(equation->left);
  equation->key = Find(right, *Bare(Bare(join.on)->args[1]), context.reason);
  if (equation->key == nullptr) return {};
  const TableFacts* table = join.source.statement.empty() ? context.facts.Find(join.source.table) : nullptr;
  if (on.others || on.places) context.reason.Say("a join on a place in an order");
  if (table && table->is_public) {
    if (table->key != equation->key->name)
      context.reason.Say("a join with a public table on a column that is not its key");
    return WithPublic(std::move(left), right, on, !join.left);
  }
  if (right.keyless || right.most >= kUnlimited) context.reason.Say("a join with rows that are not limited");
  // Whoever is named finds rows of one's own there: all of those that change are counted already.
  if (!left.own && left.most_other > 0 && on.role == Role::kOwner && right.own && right.most <= 1 &&
      equation->key->what.role == Role::kUnit)
    return WithOwn(std::move(left), right, !join.left);
  if (!left.own || !right.own || on.role != Role::kUnit || equation->key->what.role != Role::kUnit)
    context.reason.Say("a join of rows of different units");
  return WithOwn(std::move(left), right, !join.left);
}

void KeepWhere(Rows& rows, const Possible& condition) {
  if (condition.MustBeTrue()) return;
  if (!condition.MayBeTrue()) {
    rows.most = 0;
    rows.there = rows.unit_there = true;
    return;
  }
  rows.there = rows.there && !condition.secret;
  rows.parts = rows.parts && !condition.secret;
  rows.unit_there = rows.there || (rows.unit_there && condition.OfUnit());
}

Rows RowsOfFrom(const sql::Select& select, const Context& context) {
  Rows rows = RowsOfSource(select.from, context);
  for (const sql::Join& join : select.joins) rows = Joined(std::move(rows), join, context);
  if (!select.where) return rows;
  Terms terms(rows, context);
  const Possible condition = terms.Of(select.where);
  if (condition.others) context.reason.Say("WHERE about rows of other units");
  sql::Terms all;
  for (const RowColumn& column : rows.columns) all.push_back(sql::Name(column.source, column.name));
  CheckPlaces(condition, all, rows, context.reason);
  KeepWhere(rows, condition);
  return rows;
}

}  // namespace kith::check
