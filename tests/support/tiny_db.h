// A second, deliberately simple reading of kith's SQL: tables of a few rows, a small parser and an interpreter that
// evaluates a question row by row. Tests compare the planner and the engines with it. It shares no code with src/query.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/int128.h"
#include "policy/policy.h"

namespace kith::testing {

/// A raw value in a table, or the value of an expression.
struct Datum {
  enum class Kind { kNull, kBoolean, kInteger, kReal, kText, kDate, kTimestamp };
  Kind kind = Kind::kNull;
  long double number = 0;  // booleans 0 or 1, dates days and timestamps microseconds since 1970
  std::string text;

  bool null() const { return kind == Kind::kNull; }
  bool numeric() const { return kind == Kind::kInteger || kind == Kind::kReal; }
  bool operator==(const Datum& other) const;  // NaN equals NaN, -0 equals 0
  bool operator<(const Datum& other) const;   // any total order, for sets
};

Datum NullDatum();
Datum BooleanDatum(bool value);
Datum IntegerDatum(long double value);
Datum RealDatum(long double value);
Datum TextDatum(std::string value);
Datum DateDatum(long double days);
Datum TimestampDatum(long double micros);
using ::kith::ToText;
/// As written in a golden file: NULL, true, 42, 0.5, mz, 2020-02-29.
std::string ToText(const Datum& value);
/// The reverse, for a column of a type. Throws std::runtime_error on nonsense.
Datum FromText(const std::string& text, ColumnType type);
Datum FromPolicyValue(const Value& value, ColumnType type);
/// In the proleptic Gregorian calendar.
struct CivilDate {
  long long year = 1970, month = 1, day = 1;
};
CivilDate CivilOf(long long days);
/// Days since 1970-01-01.
long long DaysOf(const CivilDate& date);
/// The same of "2020-02-29". Throws std::runtime_error.
long long DaysOf(const std::string& date);

using Row = std::vector<Datum>;

struct TinyTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<ColumnType> types;
  std::vector<Row> rows;
};

/// One node of a question. `op` is a lower-case word: "column", "literal", "+", "and", "case", "in", "sum", ...
struct Expr {
  std::string op;
  std::string name;  // of a column
  Datum literal;
  std::vector<Expr> args;
  std::vector<Expr> filter;  // of an aggregate: none or one
};

struct Question {
  struct Item {
    Expr expr;
    std::string name;  // alias, or empty
  };
  struct Order {
    Expr expr;
    bool descending = false;
  };
  /// A public table in addition to the table: the row whose key equals `on`.
  struct Join {
    std::string table, alias, key;
    Expr on;
    bool inner = true;
  };
  std::vector<Item> items;
  std::string table;
  std::shared_ptr<const Question> units;  // set: the table has one row for each unit, which this sub-select makes
  std::vector<Join> joins;
  std::optional<Expr> where;
  std::vector<Expr> group_by;
  std::size_t rolled_up = 0;  // this many of the last keys are in ROLLUP, or in CUBE
  bool cube = false;
  std::vector<Order> order_by;
  std::optional<long long> limit;
  long long offset = 0;
};

/// Throws std::runtime_error for what it does not know.
Question ParseQuestion(const std::string& sql);
Expr ParseExpression(const std::string& sql);

/// Whether the node is count, sum, avg, count(DISTINCT ...) (op "count_distinct") or a spread.
bool IsAggregate(const Expr& expr);
/// Variance, standard deviation, covariance or correlation.
bool IsSpread(const Expr& expr);
/// Whether it is count(DISTINCT ...) of something other than units: of values, which several units can have.
bool CountsValues(const Expr& expr, const Policy& policy);
/// Every aggregate of the question, left to right, each once.
std::vector<Expr> AggregatesOf(const Question& question);
/// Names of the columns that an expression reads.
void CollectColumns(const Expr& expr, std::vector<std::string>& columns);
void CollectLiterals(const Expr& expr, std::vector<Datum>& literals);
bool operator==(const Expr& a, const Expr& b);

/// What one row does to the statistics of a question.
struct RowEffect {
  bool counted = false;       // passes WHERE
  std::size_t group = 0;      // index of its group, mixed radix, first key slowest
  std::vector<Datum> values;  // one for each aggregate: its argument (true for count(*) and count(DISTINCT key))
  bool operator<(const RowEffect& other) const;
};

/// What the reference says for the mean of no values, and for spreads that SQL says are NULL: the planner's choice
/// there does not concern it.
inline constexpr const char* kNoMean = "(no mean)";

/// Statistics as exact numbers: [aggregate][group].
using Statistics = std::vector<std::vector<long double>>;

/// A question on a policy, evaluated without noise.
class Reference {
 public:
  /// `aggregates` are what the statistics are made of; avg and spreads are not among them (give sum and count).
  /// `images`: the values of every GROUP BY key, if one of them is more than a column with declared values. A row with
  /// another value throws.
  Reference(const Policy& policy, Question question, std::vector<Expr> aggregates,
            std::vector<std::vector<Datum>> images = {}, std::vector<TinyTable> publics = {});

  const Question& question() const { return question_; }
  const std::vector<Expr>& aggregates() const { return aggregates_; }
  bool CountsValues(std::size_t aggregate) const {
    return kith::testing::CountsValues(aggregates_[aggregate], policy_);
  }
  std::size_t groups() const;
  /// The declared values of one GROUP BY key, Null last unless the column is required.
  const std::vector<Datum>& key_values(std::size_t key) const { return keys_[key].values; }

  /// The columns as kith reads them: undeclared, NaN and infinite become NULL, the rest is clamped, required filled in.
  Row Read(const TinyTable& table, const Row& raw) const;
  RowEffect Effect(const TinyTable& table, const Row& raw) const;
  /// Statistics of rows that are all kept (no unit has more than max_rows). Rows without key are dropped.
  Statistics Evaluate(const TinyTable& table) const;
  /// The group of the finest level, and those of every coarser one that it is part of. Groups of coarser levels come
  /// after those of finer ones.
  std::vector<std::size_t> GroupsWith(std::size_t finest) const;
  /// What one unit with these row effects adds to the statistics.
  Statistics Contribution(const std::vector<const RowEffect*>& rows) const;
  /// The answer without noise: one row for each group, in declared order, then ORDER BY and LIMIT.
  std::vector<Row> Answer(const TinyTable& table) const;

 private:
  struct Key {
    Expr expr;
    std::vector<Datum> values;
  };
  using Level = std::vector<bool>;  // for each key: whether it distinguishes its groups
  void AddLevels();
  std::size_t GroupsIn(const Level& level) const;
  std::vector<std::size_t> PlaceOf(std::size_t group) const;
  std::size_t GroupOf(const TinyTable& table, const Row& read) const;
  RowEffect EffectOf(const TinyTable& table, const Row& read) const;
  bool Join(const Question::Join& join, TinyTable& table, Row& read) const;
  Datum SpreadOf(const Expr& aggregate, const TinyTable& table, std::size_t group) const;
  Row AnswerRow(std::size_t group, const std::vector<std::pair<Expr, Datum>>& facts) const;

  const Policy& policy_;
  Question question_;
  std::vector<Expr> aggregates_;
  std::vector<Key> keys_;
  std::vector<std::size_t> written_;  // which key each expression of GROUP BY is
  std::vector<Level> levels_;         // the finest first
  std::vector<std::vector<Datum>> images_;
  std::vector<TinyTable> publics_;  // what joins find
};

/// The policy as a question sees it: about <table>_units, a table with one row for each unit.
Policy SeenBy(const Question& question, const Policy& policy);
/// The rows that the question is about, if it can be said without knowing which rows of a unit are kept and which is
/// the first of them: if no unit has too many, and constant columns are constant. Nothing otherwise.
std::optional<TinyTable> SeenBy(const Question& question, const Policy& policy, const TinyTable& table);

/// The value of an expression without aggregates on a row that was read.
Datum Eval(const Expr& expr, const TinyTable& table, const Row& read);

}  // namespace kith::testing
