// At most so many rows of each unit, chosen by its own rows. Claims ROWS-1, PLAN-6, TABLES-3.
#include <algorithm>

#include "kernel/check/same.h"
#include "kernel/check/terms.h"

namespace kith::check {
namespace {

// Rows that tie agree in the column: which of them is kept makes no difference.
bool IsOrdered(const std::string& name, const sql::Terms& order) {
  return std::any_of(order.begin(), order.end(), [&](const sql::Term& term) {
    const sql::Term bare = Bare(term);
    return bare->form == sql::Form::kColumn && bare->text == name;
  });
}

}  // namespace

Rows RowsOfLimit(const sql::UnitLimit& limit, const Context& context) {
  Rows from = RowsOfSource(limit.from, context);
  Terms terms(from, context);
  for (const sql::Term& term : limit.order) {
    const Possible by = terms.Of(Bare(term));
    if (by.places || by.others) context.reason.Say("a limit in an order by places");
  }
  if (limit.from.name.empty() || !limit.key || limit.key->form != sql::Form::kColumn) {
    context.reason.Say("a limit without a key");
    return {};
  }
  const Possible key = terms.Of(limit.key);
  const bool pairs = key.role == Role::kOwner && limit.from.statement.empty() &&
                     context.facts.Find(limit.from.table)->key == limit.key->text;
  if (key.role != Role::kUnit && !pairs) context.reason.Say("a limit of rows by anything but the unit's key");
  if (limit.rows && *limit.rows < 1) context.reason.Say("a limit of no rows");
  const TableFacts& unit_table = context.facts.tables[context.facts.unit_table];
  // What a look has shown of the unit's table is used instead of the limit there, and nowhere else.
  if (limit.of_unit_table && !from.as_stored) context.reason.Say("a limit by what is known of another table");
  for (const ColumnFacts& column : unit_table.columns)
    if (limit.of_unit_table && limit.constant.contains(column.name) && !column.constant)
      context.reason.Say("a column that is read from one row and is not known to be constant");
  if (std::any_of(from.columns.begin(), from.columns.end(),
                  [&](const RowColumn& c) { return c.name == limit.number; }) ||
      limit.number == unit_table.key)
    context.reason.Say("a place under the name of a column");

  Rows kept = from;
  kept.columns.clear();
  kept.keyless = false;
  for (const std::string& name : limit.columns) {
    const RowColumn* column = Find(from, *sql::Column(limit.from.name, name), context.reason);
    if (column == nullptr) return {};
    RowColumn& made = kept.columns.emplace_back(*column);
    const bool constant = limit.constant.contains(name);
    if (made.what.by_row && (limit.rows || constant) && name != limit.key->text && !IsOrdered(name, limit.order))
      context.reason.Say("rows are kept in an order that says nothing of a column");
    // From which row it is read is a secret, and so is what differs between them; a cell of rows says nothing of it.
    if (constant && !pairs && made.what.by_row) {
      kept.whole = kept.whole || !(column->as_stored && made.what.secret);
      made.what.secret = true;
      made.what.by_row = false;
    }
    if (constant && pairs) context.reason.Say("constant columns of rows of two units");
  }
  if (limit.rows) {
    const bool all = from.most <= *limit.rows;
    // Which rows are left out is a secret, and so is what differs between those that are kept.
    for (RowColumn& column : kept.columns) column.what.secret = column.what.secret || (column.what.by_row && !all);
    kept.whole = kept.whole || !all;
    // A unit that is there has a row that is kept; of several, which are kept is a secret.
    kept.there = (from.there && all) || (*limit.rows == 1 && from.unit_there);
    kept.most = std::min<Int128>(from.most, *limit.rows);
    if (pairs) kept.most = std::min<Int128>(kUnlimited, Int128{*limit.rows} + 2 * Int128{from.most_other});
    if (pairs && from.most_other < 1) context.reason.Say("rows of others that are not limited");
  } else if (pairs) {
    context.reason.Say("rows of two units without a limit");
  }
  kept.as_stored = from.as_stored;
  return kept;
}

}  // namespace kith::check
