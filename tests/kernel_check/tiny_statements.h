// A second, deliberately simple reading of sql::Statement: row by row, on tables of a few rows. It shares no code with
// the checker, the dialects or an engine, and is fast enough for millions of neighbours.
#pragma once
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "sql/statement.h"
#include "tests/support/tiny_db.h"

namespace kith::testing {

/// Numbers by group: the first columns of a statement, and the others.
using Groups = std::map<std::vector<Datum>, std::vector<Int128>>;

class TinyStatements {
 public:
  /// Rows hash to few numbers, so that they tie often; `salt` says how. Rows that tie are met in the order of the
  /// table.
  explicit TinyStatements(std::vector<TinyTable> tables, std::uint64_t salt = 0)
      : tables_(std::move(tables)), salt_(salt) {}

  /// Replaces the table of this name.
  void Load(TinyTable table);
  /// Throws std::runtime_error for what it does not know, and for what an engine would not run.
  Groups Run(const sql::Statement& statement, std::size_t keys) const;

 private:
  struct Relation {
    std::vector<std::pair<std::string, std::string>> columns;
    std::vector<Row> rows;
  };
  // Where a term is evaluated: a row, or the rows of a group.
  struct Place {
    const Relation* relation = nullptr;
    std::size_t row = 0;
    const std::vector<std::size_t>* group = nullptr;
  };

  Relation RowsOf(const sql::Statement& statement) const;
  Relation RowsOf(const sql::Source& source) const;
  Relation RowsOf(const sql::UnitLimit& limit) const;
  Relation RowsOf(const sql::Select& select) const;
  Relation FromOf(const sql::Select& select) const;
  Datum Eval(const sql::Term& term, const Place& place) const;
  Datum Infix(const sql::Node& node, const Place& place) const;
  Datum Call(const sql::Node& node, const Place& place) const;
  Datum Aggregate(const sql::Node& node, const Relation& relation, const std::vector<std::size_t>& rows) const;
  Datum Window(const sql::Node& node, const Place& place) const;
  Datum Over(const sql::Node& function, const Place& place, const std::vector<std::size_t>& rows, bool ordered) const;
  Datum Hash(const sql::Node& node, const Place& place) const;
  Datum Named(const sql::Node& node, const Place& place) const;
  std::vector<std::size_t> InOrder(const sql::Terms& order, const Relation& relation,
                                   std::vector<std::size_t> rows) const;
  bool IsTrue(const sql::Term& term, const Place& place) const;

  std::vector<TinyTable> tables_;
  std::uint64_t salt_;
};

}  // namespace kith::testing
