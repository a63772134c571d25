// Random worlds and questions for the brute-force tests: small policies with every kind of column, questions from a
// grammar.
#pragma once
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "tests/support/tiny_db.h"

namespace kith::testing {

/// Seeded choices.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  /// In [0, n).
  std::size_t Below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  int Between(int low, int high) { return low + static_cast<int>(Below(static_cast<std::size_t>(high - low + 1))); }
  bool Chance(int percent) { return Below(100) < static_cast<std::size_t>(percent); }
  template <class T>
  const T& Pick(const std::vector<T>& items) {
    return items[Below(items.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// A policy over table t, checked by the real reader: unit by key or by row, max_rows up to 3, columns with and without
/// declared values, bounds, NULLs and publicity, some constant within a unit, and this percentage of the public ones
/// public per row (then with a key).
std::string RandomPolicy(Dice& dice, int per_row = 0);

/// The public table r that questions may join, on its key.
TinyTable PublicTable();

/// A question about table t.
class QuestionMaker {
 public:
  QuestionMaker(const Policy& policy, Dice& dice)
      : policy_(policy),
        table_(policy.unit_table()),
        name_(table_.name),
        dice_(dice),
        joined_(dice.Chance(15)),
        about_units_(policy.units_table() && dice.Chance(25)) {
    if (about_units_) TakeTableOfUnits();
  }

  /// One aggregate other than avg, so that the plan has one statistic.
  std::string OneAggregate();
  /// Up to three aggregates, avg among them, with FILTER and arithmetic over them.
  std::string Many();
  /// The simplest: one aggregate of a column, at most one column in WHERE, at most one in GROUP BY.
  std::string Simple();

 private:
  void TakeTableOfUnits();
  std::string Aggregate(int depth, bool with_avg);
  std::string Tail(int depth);
  std::string Source();
  std::string Condition(int depth);
  std::string Test();
  std::string Number(int depth);
  std::string Junction(int depth);
  std::string NumberLiteral();
  std::string LiteralFor(const Column& column);
  /// The name of a column of one of the types; x if there is none.
  std::string ColumnOf(const std::vector<ColumnType>& types, bool bounded);

  const Policy& policy_;
  Table table_;       // the columns that there are
  std::string name_;  // of the table
  Dice& dice_;
  bool joined_;       // with the public table
  bool about_units_;  // the table with one row for each unit
};

/// Raw rows: values that matter to a question with these literals, extremes of the type among them.
class RowMaker {
 public:
  RowMaker(const Policy& policy, const TinyTable& table, const std::vector<Datum>& literals, Dice& dice);
  /// Public columns filled, the rest NULL; the unit's key as given.
  Row Public(const Datum& key);
  /// The same with other values of the columns that are public per row.
  Row AnotherOf(Row open);
  /// The same row with secrets filled in.
  Row Secrets(Row row);
  /// The row with the constant columns of another row.
  Row WithConstantsOf(const Row& other, Row row) const;

 private:
  std::vector<std::vector<Datum>> public_;  // values of each column to choose from; empty: the column is left alone
  std::vector<std::vector<Datum>> secret_;
  std::vector<bool> constant_, per_row_;
  std::optional<std::size_t> key_;
  Dice& dice_;
};

/// A sub-select with one row for each unit, made of its rows, and a question about these.
std::string AskPerUnit(Dice& dice);
/// The same with a row for each group that these columns make.
std::string AskPerRowOf(Dice& dice, const std::vector<std::string>& keys);
/// A question about rows with windows over those of their unit, at times with one row for each unit around them.
std::string AskWindows(Dice& dice);

}  // namespace kith::testing
