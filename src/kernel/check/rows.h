// What is known of the rows of a source, and the rules that make sources of others. Claim KERNEL-1.
//
// Two tables are neighbours if one unit's record is replaced. Then the rows of a source in both are the same, except
// for at most `most` *slots*. A slot holds a row or none before, and a row or none after. What is not secret is the
// same in both rows of a slot; what does not differ by row is the same in all rows of all slots before, and in all
// after.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/int128.h"
#include "kernel/check/facts.h"
#include "kernel/check/possible.h"
#include "sql/statement.h"

namespace kith::check {

inline constexpr Int128 kUnlimited = Int128{1} << 60;

struct RowColumn {
  std::string source, name;  // by which it is read; no name: not at all
  Possible what;
  bool as_stored = false;  // a column of the unit's table, under its name
};

struct Rows {
  std::vector<RowColumn> columns;
  Int128 most = 0;              // slots
  bool there = false;           // every slot holds a row before and after
  bool unit_there = false;      // some slot does before and some does after, or none at all in either
  bool own = true;              // slots hold rows of the unit alone: they are empty where it is not there
  bool keyless = false;         // there may be rows that are nobody's
  bool as_stored = false;       // rows of the unit's table, with its columns
  bool once = false;            // each row of the unit's table is in it at most once, and nothing else
  bool parts = false;           // made of rows of several units, and only public facts have left any out since
  bool of_households = false;   // each is made of all rows of some households
  bool whole = false;           // what a row holds may depend on all rows of its unit
  std::int64_t most_other = 0;  // rows name two units, and this many of others the replaced one
};

/// Why a statement is not certified: the first reason. After one, nothing that was derived is used.
class Reason {
 public:
  void Say(std::string what) {
    if (text_.empty()) text_ = std::move(what);
  }
  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }

 private:
  std::string text_;
};

/// A cell of the policy: the values of the unit's public columns that tell cells apart.
struct Cell {
  std::vector<std::optional<Value>> values;  // of each column of the unit's table; nothing: any
};

/// Everything the rules share.
struct Context {
  const Facts& facts;
  const Cell& cell;
  Reason& reason;
};

/// Of a declared table. (tables.cc)
Rows RowsOfTable(const TableFacts& table, const std::string& name, const Context& context);
/// Of anything in FROM.
Rows RowsOfSource(const sql::Source& source, const Context& context);
/// Of a statement that makes rows: a limit, rows of rows, or a row for each unit or group.
Rows RowsOfStatement(const sql::Statement& statement, const Context& context);
/// FROM, JOIN and WHERE of a SELECT. (joins.cc)
Rows RowsOfFrom(const sql::Select& select, const Context& context);
Rows Joined(Rows left, const sql::Join& join, const Context& context);
/// Those where the condition is true.
void KeepWhere(Rows& rows, const Possible& condition);
/// At most so many rows of each key. (limit.cc)
Rows RowsOfLimit(const sql::UnitLimit& limit, const Context& context);
/// SELECT without GROUP BY. (projected.cc)
Rows Projected(const sql::Select& select, const Context& context);
/// SELECT with GROUP BY the unit's key, or public columns of it. (per_unit.cc)
Rows OnePerGroup(const sql::Select& select, const Context& context);

/// The column that a term names; nullptr, with a reason, if none or several.
const RowColumn* Find(const Rows& rows, const sql::Node& name, Reason& reason);
/// The names that a term reads.
void Reads(const sql::Term& term, std::set<std::string>& names);
/// The parts of a FILTER, but for names in which rows that tie are true or not together.
void PartsOfFilter(const sql::Term& filter, const Possible& read, sql::Terms& parts);
/// A reason, if rows that tie in an order may differ in what the terms read: which of them is meant would be chance.
void CheckPlaces(const Possible& what, const sql::Terms& beside, const Rows& rows, Reason& reason);
/// Whether rows of a unit that tie in the order of this place are equal in all that can be read of them, so that it
/// does not matter which of them comes first.
bool IsOfWholeRows(const Possible& place, const Rows& rows);

}  // namespace kith::check
