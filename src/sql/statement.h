// What an engine is asked: an immutable tree of values, cheap to copy, in no engine's language. A dialect
// (sql/dialect.h) writes it when it runs or is shown. Wherever engines differ in spelling or meaning there is a
// separate node here and a hook of the same name there; everything else is spelled alike by all.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/int128.h"
#include "base/value.h"
#include "sql/expr.h"

namespace kith::sql {

/// How a number or text is stored: whole numbers of 32, 64 and 128 bits.
enum class Stored { kBoolean, kNarrow, kWhole, kWide, kReal, kText, kDate, kTimestamp };

/// What only some engines have. A term that would use it is written in two ways (Either).
enum class Feature {
  kLatticeSteps,  // kith_steps(x, low, high, shift, inverse): (x clamped to [low, high] - shift) * inverse, rounded to
                  // the nearest whole number of 32 bits, halves to even, and NULL where x is NULL, infinite or not a
                  // number
};

struct Node;
/// A value of a row or of a group. Null: there is none.
using Term = std::shared_ptr<const Node>;
using Terms = std::vector<Term>;

enum class Form {
  kName,      // text, of `source` if that is not empty: names that the statement itself gave
  kColumn,    // text: a declared name, of `source` if that is not empty
  kStar,      // *
  kLiteral,   // value, next to something of its type
  kConstant,  // the same, carrying its type
  kNumber,    // low: a whole number whose width does not matter
  kParen,
  kInfix,  // text: an operator that all engines spell and mean alike
  kPrefix,
  kSuffix,
  kCall,  // text(args): likewise
  kCase,  // when, then, ..., else; no else if the number is even
  kSimpleCase,
  kCast,
  kBetween,
  kIn,        // the first among the others, or among the values
  kPosition,  // of the first among the values; low if it is not among them
  kLike,      // text: the pattern; flag: it has escapes
  kCount,     // flag: DISTINCT
  kMin,
  kMax,
  kWindow,  // text(): args[0] in each partition, by the order of the others
  kFirst,   // args[0] of the first row in the partition of args[1], by the order of the others
  // Where engines differ.
  kCollated,
  kSum,
  kIntegerDivide,
  kSumDivide,
  kGreatest,
  kLeast,
  kIsTrue,
  kIsNotTrue,
  kIsFalse,
  kIsFinite,
  kDaysBetween,
  kDatePart,
  kDateTrunc,
  kRowHash,
  kSteps,   // flag: 32 bits are enough
  kWithin,  // low, high; flag: it is already there
  kEither,
  kClamped,  // args: x, its ends, and x clamped; text: what is known where just x is enough; flag: never NULL
};

struct Node {
  Form form = Form::kStar;
  std::string source, text;
  Terms args;
  Value value;
  Type type = Type::kNull;
  Stored stored = Stored::kWhole;
  ValueList values;
  Int128 low = 0, high = 0;
  DatePart part = DatePart::kYear;
  Feature feature = Feature::kLatticeSteps;
  bool flag = false;
  const SqlFunction* function = nullptr;  // of a call that engines may spell in their own ways
  Term filter;                            // of an aggregate
};

// Names, constants.
Term Name(std::string name);
Term Name(std::string source, std::string name);
Term Column(std::string source, std::string name);
Term Star();
/// A number next to a column of its type, where the column decides the type of the whole.
Term Literal(Value value, Type type);
/// Carries its type: engines would choose 32 bits, or decimals, and overflow or round in their own ways.
Term Constant(Value value, Type type);
Term Number(Int128 value);
Term Truth(bool value);

// What all engines spell alike. Parentheses are only where Paren puts them.
Term Paren(Term term);
Term Infix(std::string sign, Terms args);
Term Prefix(std::string sign, Term arg);
Term Suffix(Term arg, std::string sign);
Term IsNotNull(Term arg);
Term All(Terms conditions);  // a AND b AND c
Term Call(std::string function, Terms args);
/// As the engine spells it.
Term Call(const SqlFunction& function, Terms args);
Term Case(Terms args);
Term SimpleCase(Terms args);
Term Cast(Term arg, Stored stored);
Term Between(Term x, Term low, Term high);
Term In(Term x, Terms list);
Term In(Term x, ValueList values, Type type);
/// The position of x in the list, or `otherwise`; never NULL.
Term Position(Term x, ValueList values, Type type, std::size_t otherwise);
Term Like(Term x, std::string pattern, bool escapes);
Term CountRows();
Term Count(Term x);
Term CountDistinct(Term x);
Term Min(Term x);
Term Max(Term x);
/// row_number and the like. `partition` may be null.
Term Window(std::string function, Term partition, Terms order);
/// What x is in the first row of the partition; NULL if it is NULL there.
Term FirstOf(Term x, Term partition, Terms order);
/// An aggregate over the rows where the condition is true; no condition: the aggregate.
Term Where(Term aggregate, Term condition);

// Where engines differ: what each means is said at the hook of the same name (sql/dialect.h).
Term Collated(Term text);
/// `most`: what is added is between -most and most, and at most once for each row of the unit's table. 0: not known.
Term Sum(Term x, Int128 most = 0);
Term IntegerDivide(Term a, Term b);
Term SumDivide(Term sum, Term count);
Term Greatest(Terms args);
Term Least(Terms args);
Term IsTrue(Term x);
Term IsNotTrue(Term x);
Term IsFalse(Term x);
Term IsFinite(Term x);
Term DaysBetween(Term later, Term earlier);
Term PartOf(DatePart part, Term x);
Term TruncatedTo(DatePart part, Term x, Stored stored);
Term RowHash(Terms columns);
Term Steps(Term x, bool narrow);
Term Within(Term steps, Int128 low, Int128 high, bool holds);
/// `preferred` where the engine has the feature.
Term Either(Feature feature, Term preferred, Term otherwise);
/// x, an integer, date or timestamp, cut to the ends; NULL stays NULL, or becomes `low` where it is `never_null`.
/// `clamped` says the same in SQL that every engine knows. Where `known` is (UnitRows::within), it is just x.
Term Clamped(Term x, Term low, Term high, Term clamped, bool never_null, std::string known);

struct Query;

/// One SELECT, or nothing.
class Statement {
 public:
  Statement() = default;
  explicit Statement(Query query);

  bool empty() const { return query_ == nullptr; }
  /// Requires: not empty.
  const Query& query() const { return *query_; }

 private:
  std::shared_ptr<const Query> query_;
};

/// A value in the list after SELECT; without a name it is shown as the engine likes.
struct Item {
  Term term;
  std::string name;
  bool declared = false;  // the name is a column's, not the statement's own
};

/// Where rows come from: a declared table, a statement, or the whole numbers from 1 to `series` as a column.
struct Source {
  std::string table;
  Statement statement;
  std::int64_t series = 0;
  std::string name;    // by which the rest of the statement knows it; may be empty for a table
  std::string column;  // of a series
  bool own = false;    // the table is one of the statement's own (With)
};

struct Join {
  bool left = false;
  Source source;
  Term on;
};

struct With {
  std::string name;
  Statement statement;
  bool once = false;  // computed once, however often it is read
};

struct Select {
  std::vector<With> with;
  bool distinct = false;
  std::vector<Item> items;
  Source from;
  std::vector<Join> joins;
  Term where;
  Terms group_by;
  Terms order_by;
};

struct Union {
  Statement first, second;
  bool all = false;
};

/// What is known about the data that a statement will read: from a check of exactly this state of them, never from a
/// promise.
struct UnitRows {
  /// No unit has more rows than this, and in no unit of several rows does a constant column differ. Nothing: not known.
  std::optional<std::int64_t> most;
  /// How many rows the unit's table has. Nothing: not known.
  std::optional<std::int64_t> rows;
  /// Columns of the unit's table that their clamp changes in no row, by the name of the clamp (query/clamps.h).
  std::set<std::string> within;
};

/// Columns of the rows that have a key, at most `rows` rows of each key: the first in this order. It is one SELECT with
/// a window; where UnitRows says that no unit has more rows, the same without the window. A person is shown the first.
struct UnitLimit {
  std::vector<std::string> columns;  // declared names, of `from`
  std::set<std::string> constant;    // of these: what they are in the first row of the key
  Source from;                       // with a name
  Term key;
  Terms order;
  std::optional<std::int64_t> rows;  // nothing: all of them
  std::string number;                // a name for a row's place in this order; no column has it
  bool of_unit_table = true;         // that is what UnitRows is about
};

struct Query {
  std::variant<Select, Union, UnitLimit> part;
};

/// FROM "table" AS name.
Source Table(std::string table, std::string name = {});
/// FROM (statement) AS name.
Source Rows(Statement statement, std::string name = {});
/// FROM a table of WITH.
Source Own(std::string table, std::string name = {});
Statement Selected(Select select);
/// UNION, or UNION ALL.
Statement United(Statement first, Statement second, bool all);
Statement Limited(UnitLimit limit);

}  // namespace kith::sql
