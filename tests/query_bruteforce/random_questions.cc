#include "tests/query_bruteforce/random_questions.h"

#include <algorithm>
#include <limits>

#include "policy/per_row.h"
#include "sql/functions.h"
#include "tests/support/tiny_db_neighbours.h"

namespace kith::testing {
namespace {

std::string Public(Dice& dice, int per_row) {
  return per_row > 0 && dice.Chance(per_row) ? ", public = \"per row\"" : ", public = true";
}

std::string Flags(Dice& dice, int public_percent, bool keyed, int per_row) {
  std::string flags;
  if (dice.Chance(public_percent)) {
    flags += Public(dice, per_row);
  } else if (keyed && dice.Chance(25)) {
    flags += ", constant = true";
  }
  if (dice.Chance(30)) flags += ", required = true";
  return flags;
}

std::string Bounds(Dice& dice, const std::string& decimals) {
  const int low = dice.Between(-6, 4);
  return "lower = " + std::to_string(low) + decimals + ", upper = " + std::to_string(low + dice.Between(0, 7)) +
         decimals;
}

// Functions of real numbers, without those that soon overflow. What they mean is not asked of the table.
const std::vector<std::string>& Curves() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const SqlFunction& f : SqlFunctions()) {
      if (f.kind == FunctionKind::kCurve && f.curve.of(1e6) < 1e6) all.emplace_back(f.name());
    }
    return all;
  }();
  return names;
}

}  // namespace

std::string RandomPolicy(Dice& dice, int per_row) {
  const bool keyed = per_row > 0 || dice.Chance(65);
  std::string text =
      "[data]\nfrozen = true\ntables.t = \"t.parquet\"\ntables.r = { source = \"r.parquet\", public = true, key = "
      "\"code\" }\n"
      "[unit]\ntable = \"t\"\n";
  text += keyed ? "key = \"id\"\nmax_rows = " + std::to_string(dice.Between(1, 3)) + "\n" : std::string("row = true\n");
  text += std::string("presence = ") + (dice.Chance(50) ? "\"public\"\n" : "\"secret\"\n");
  text += "[columns.t]\n";
  if (keyed) text += "id = { type = \"integer\" }\n";
  text += "g = { values = [\"a\", \"b\"" + std::string(dice.Chance(50) ? ", \"ab\"" : "") + "]" +
          Flags(dice, 60, keyed, per_row) + " }\n";
  text += "h = { values = [1, 2, 4]" + Flags(dice, 40, keyed, per_row) + " }\n";
  text += "b = { type = \"boolean\"" + Flags(dice, 20, keyed, per_row) + " }\n";
  text += "x = { " + Bounds(dice, "") + Flags(dice, 15, keyed, per_row) + " }\n";
  text += "y = { " + Bounds(dice, dice.Pick<std::string>({".5", ".5", ".1", ".7"})) + Flags(dice, 10, keyed, per_row) +
          " }\n";
  text += "z = { values = [-1.5, 0.0, 2.25]" + Flags(dice, 15, keyed, per_row) + " }\n";
  text += "d = { lower = 2020-02-27, upper = 2020-03-02" + Flags(dice, 15, keyed, per_row) + " }\n";
  text += "k = { values = [2020-02-29, 2020-03-01]" + Flags(dice, 30, keyed, per_row) + " }\n";
  text += "q = { lower = " + dice.Pick<std::string>({"-1000000000000", "-3", "5"}) +
          ", upper = " + dice.Pick<std::string>({"5", "2147483647", "9007199254740992"}) +
          Flags(dice, 10, keyed, per_row) + " }\n";
  text += "e = { lower = -1e200, upper = 1e200" + Flags(dice, 5, keyed, per_row) + " }\n";
  text += "u = { type = \"real\" }\nf = { type = \"date\" }\n";
  text += "s = { lower = 2020-02-28T22:00:00, upper = 2020-03-01T01:30:00" + Flags(dice, 15, keyed, per_row) + " }\n";
  text += std::string("w = { type = \"text\"") + (dice.Chance(15) ? Public(dice, per_row) : "") + " }\n";
  text += std::string("n = { type = \"integer\"") + (dice.Chance(15) ? Public(dice, per_row) : "") + " }\n";
  text += "[columns.r]\ncode = { type = \"text\" }\nlevel = { lower = -2, upper = 3";
  text += std::string(dice.Chance(40) ? ", required = true" : "") + " }\n";
  text += "zone = { values = [\"n\", \"s\"]" + std::string(dice.Chance(40) ? ", required = true" : "") + " }\n";
  text += "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1.0\nledger = \"t.ledger\"\n";
  return text;
}

// Values beyond what is declared, a row without a key, and none for some values of the unit table.
TinyTable PublicTable() {
  return {"r",
          {"code", "level", "zone"},
          {ColumnType::kText, ColumnType::kInteger, ColumnType::kText},
          {{TextDatum("a"), IntegerDatum(9), TextDatum("n")},
           {TextDatum("ab"), NullDatum(), TextDatum("s")},
           {TextDatum("c"), IntegerDatum(-2), TextDatum("other")},
           {NullDatum(), IntegerDatum(1), TextDatum("n")}}};
}

void QuestionMaker::TakeTableOfUnits() {
  name_ += "_units";
  std::erase_if(table_.columns, [&](const Column& column) {
    return !IsPublicOfUnit(column) && !column.constant && column.name != *policy_.unit.key;
  });
}

std::string QuestionMaker::ColumnOf(const std::vector<ColumnType>& types, bool bounded) {
  std::vector<std::string> names;
  for (const Column& column : table_.columns) {
    const bool fits = std::find(types.begin(), types.end(), column.type) != types.end();
    const bool is_key = policy_.unit.key && column.name == *policy_.unit.key;
    if (fits && !is_key && (!bounded || column.lower || !column.values.empty())) names.push_back(column.name);
  }
  return names.empty() ? "x" : dice_.Pick(names);
}

std::string QuestionMaker::NumberLiteral() {
  static const std::vector<std::string> literals = {"0", "1", "2", "3", "-1", "-4", "0.5", "1.5", "-2.25", "10", "7"};
  return dice_.Pick(literals);
}

std::string QuestionMaker::LiteralFor(const Column& column) {
  if (dice_.Chance(4)) return "NULL";
  switch (column.type) {
    case ColumnType::kText:
      return dice_.Pick<std::string>({"'a'", "'b'", "'ab'", "'c'", "''"});
    case ColumnType::kBoolean:
      return dice_.Chance(50) ? "true" : "false";
    case ColumnType::kDate:
      return dice_.Pick<std::string>({"DATE '2020-02-28'", "DATE '2020-02-29'", "'2020-03-01'", "DATE '2021-01-01'"});
    case ColumnType::kTimestamp:
      return dice_.Pick<std::string>({"TIMESTAMP '2020-02-29 12:00:00'", "'2020-03-01 00:00:00'", "DATE '2020-02-29'"});
    default:
      return NumberLiteral();
  }
}

std::string QuestionMaker::Test() {
  std::vector<const Column*> columns;
  for (const Column& column : table_.columns)
    if (!policy_.unit.key || column.name != *policy_.unit.key || dice_.Chance(20)) columns.push_back(&column);
  const Column& column = *dice_.Pick(columns);
  const std::string not_ = dice_.Chance(30) ? "NOT " : "";
  switch (dice_.Below(6)) {
    case 0:
      return column.name + " IS " + not_ + "NULL";
    case 1:
      return column.name + " " + not_ + "IN (" + LiteralFor(column) + ", " + LiteralFor(column) + ")";
    case 2:
      if (column.type == ColumnType::kBoolean) return column.name;
      return column.name + " " + not_ + "BETWEEN " + LiteralFor(column) + " AND " + LiteralFor(column);
    case 3:
      if (column.type == ColumnType::kText)
        return column.name + " " + not_ + dice_.Pick<std::string>({"LIKE ", "ILIKE "}) +
               dice_.Pick<std::string>({"'a%'", "'_'", "'%b'", "'a_'", "'%'", "'A%'", "'a\\%'"});
      if (column.type == ColumnType::kBoolean)
        return column.name + " IS " + not_ + dice_.Pick<std::string>({"TRUE", "FALSE"});
      return column.name + " IS " + not_ + "DISTINCT FROM " + LiteralFor(column);
    default:
      return column.name + dice_.Pick<std::string>({" = ", " <> ", " < ", " <= ", " > ", " >= "}) + LiteralFor(column);
  }
}

std::string QuestionMaker::Condition(int depth) {
  if (joined_ && dice_.Chance(20))
    return dice_.Pick<std::string>({"r.zone = 'n'", "r.level > 0", "r.code IS NULL", "r.zone IS NULL", "level = x"});
  if (depth <= 0) return Test();
  switch (dice_.Below(9)) {
    case 5:
      return "((" + Condition(depth - 1) + ") IS NOT TRUE)";
    case 6:
      return "b = (" + Condition(depth - 1) + ")";
    case 7:
      return dice_.Pick<std::string>({"CAST(s AS date) = d", "e * y > 1", "u < y", "f <= d", "k = d", "q % 7 = 3",
                                      "d < s", "greatest(d, DATE '2020-02-29') <= DATE '2020-03-01'",
                                      "coalesce(g, w) = 'a'", "nullif(g, 'b') IS NULL", "least(x, h) = 1", "w > g"});
    case 0:
      return "(" + Condition(depth - 1) + " AND " + Condition(depth - 1) + ")";
    case 1:
      return "(" + Condition(depth - 1) + " OR " + Condition(depth - 1) + ")";
    case 2:
      return "NOT (" + Condition(depth - 1) + ")";
    case 3:
      return Number(depth - 1) + dice_.Pick<std::string>({" < ", " >= ", " = "}) + NumberLiteral();
    case 4:
      return "(CASE WHEN " + Condition(depth - 1) + " THEN " + Test() + " ELSE " + Test() + " END)";
    default:
      return Test();
  }
}

std::string QuestionMaker::Number(int depth) {
  const std::string whole = ColumnOf({ColumnType::kInteger}, true);
  const std::string any = ColumnOf({ColumnType::kInteger, ColumnType::kReal}, true);
  if (joined_ && dice_.Chance(25)) return "r.level";
  if (depth <= 0) return dice_.Chance(80) ? any : NumberLiteral();
  const auto inner = [&] { return Number(depth - 1); };
  switch (dice_.Below(28)) {
    case 23:
      return dice_.Pick(Curves()) + "(" + inner() + ")";
    case 24:
      return dice_.Pick<std::string>({"exp(", "sign("}) + any + ")";
    case 25:
      return dice_.Pick<std::string>(
          {"power(" + any + ", 2)", "power(" + any + ", -3)", "power(" + any + ", 0.5)", "power(1.5, " + any + ")"});
    case 26:
      return dice_.Pick<std::string>({"length(g)", "length(lower(g) || g)", "date_diff('day', k, d)",
                                      "date_diff('month', DATE '2019-12-31', d)", "date_diff('week', d, k)",
                                      "extract(year FROM age(d, DATE '2018-02-28'))",
                                      "extract(year FROM age(k, DATE '2024-02-29'))"});
    case 21:
      return "(" + any + " * " + any + ")";
    case 15:
      return "round(" + inner() + ", " + dice_.Pick<std::string>({"1", "2", "-1"}) + ")";
    case 16:
      return "div(" + whole + ", " + dice_.Pick<std::string>({"2", "-3", "x", "h"}) + ")";
    case 17:
      return "(CASE g WHEN 'a' THEN " + inner() + " WHEN 'b' THEN " + inner() + " ELSE " + inner() + " END)";
    case 18:
      return "extract(" + dice_.Pick<std::string>({"hour", "minute", "second", "day", "isodow"}) + " FROM s)";
    case 19:
      return "CAST(" + dice_.Pick<std::string>({"b", "(x > 1)", "(g = 'a')"}) + " AS integer)";
    case 20:
      return dice_.Pick<std::string>({"least(greatest(n, -3), 5)", "extract(year FROM f)",
                                      "least(greatest(u, -2), 2.5)", "least(greatest(e, -1), 3)", "div(q, 1000)",
                                      "(k - f)"});
    case 0:
      return "(" + inner() + " + " + inner() + ")";
    case 1:
      return "(" + inner() + " - " + inner() + ")";
    case 2:
      return "(" + inner() + " * " + inner() + ")";
    case 3:
      return "(" + inner() + " / " + inner() + ")";
    case 4:
      return "(" + whole + " % " + dice_.Pick<std::string>({"3", "-2", "h", "x"}) + ")";
    case 5:
      return "abs(" + inner() + ")";
    case 6:
      return dice_.Pick<std::string>({"floor(", "ceil(", "round("}) + inner() + ")";
    case 7:
      return dice_.Pick<std::string>({"greatest(", "least("}) + inner() + ", " + inner() + ")";
    case 8:
      return "coalesce(" + inner() + ", " + inner() + ")";
    case 9:
      return "nullif(" + inner() + ", " + NumberLiteral() + ")";
    case 10:
      return "(CASE WHEN " + Condition(depth - 1) + " THEN " + inner() + " ELSE " + inner() + " END)";
    case 11:
      return "(CASE WHEN " + Condition(depth - 1) + " THEN " + inner() + " END)";
    case 12:
      return "extract(" + dice_.Pick<std::string>({"year", "month", "day", "dow", "doy", "week", "quarter"}) +
             " FROM d)";
    case 13:
      return "(d - DATE '2020-02-28')";
    case 14:
      return "CAST(" + inner() + " AS bigint)";
    default:
      return "(- " + inner() + ")";
  }
}

std::string QuestionMaker::Aggregate(int depth, bool with_avg) {
  std::string text;
  switch (dice_.Below(with_avg ? 8 : 5)) {
    case 0:
      text = "count(*)";
      break;
    case 1:
      text = "count(" +
             (dice_.Chance(50) ? ColumnOf({ColumnType::kText, ColumnType::kDate, ColumnType::kReal}, false)
                               : Number(depth)) +
             ")";
      break;
    case 2:
      text =
          policy_.unit.key && dice_.Chance(50) ? "count(DISTINCT id)"
          : dice_.Chance(60)
              ? "count(DISTINCT " +
                    ColumnOf({ColumnType::kText, ColumnType::kDate, ColumnType::kReal, ColumnType::kInteger}, false) +
                    ")"
              : "count(DISTINCT " + dice_.Pick<std::string>({"div(x, 2)", "h % 3", "upper(g)", "coalesce(x, h)"}) + ")";
      break;
    case 5:
      text = "avg(" + Number(depth) + ")";
      break;
    case 6:
      text = dice_.Pick<std::string>({"var_pop(", "var_samp(", "variance("}) + Number(depth) + ")";
      break;
    case 7:
      text = dice_.Pick<std::string>({"covar_pop(", "covar_samp("}) + Number(depth) + ", " + Number(depth) + ")";
      break;
    default:
      text = "sum(" + Number(depth) + ")";
  }
  if (dice_.Chance(20)) text += " FILTER (WHERE " + Condition(1) + ")";
  return text;
}

std::string QuestionMaker::Tail(int depth) {
  std::string text = Source();
  if (dice_.Chance(60)) text += " WHERE " + Condition(depth);
  std::vector<std::string> keys;
  for (const char* name : {"g", "h", "b", "z", "k"})
    if (dice_.Chance(15)) keys.push_back(name);
  static const std::vector<std::string> computed = {"x",
                                                    "d",
                                                    "x > 1",
                                                    "x IS NULL",
                                                    "b AND y > 0",
                                                    "x % 2",
                                                    "h * 10",
                                                    "coalesce(h, 9)",
                                                    "nullif(g, 'a')",
                                                    "CASE WHEN x < 0 THEN 'n' WHEN y > 1 THEN 'p' END",
                                                    "CASE g WHEN 'a' THEN 1 WHEN 'b' THEN x ELSE 7 END",
                                                    "CASE WHEN y > x THEN 0 WHEN z > 1 THEN 1 ELSE 2 END",
                                                    "width_bucket(x, -2, 4, 3)",
                                                    "width_bucket(y, -2, 4, 4)",
                                                    "width_bucket(e, -1.5, 2.5, 2)",
                                                    "histogram(x, 2)",
                                                    "histogram(y, 2)",
                                                    "histogram(d, 3)",
                                                    "histogram(x + h, 4)",
                                                    "extract(month FROM d)",
                                                    "extract(hour FROM s)",
                                                    "date_trunc('month', d)",
                                                    "date_trunc('week', k)",
                                                    "date_trunc('day', s)",
                                                    "upper(g)",
                                                    "substr(g, 2, 1)",
                                                    "g || upper(g)",
                                                    "concat(g, '-')",
                                                    "to_char(d, 'YYYY-MM')",
                                                    "strftime(k, '%d %a')",
                                                    "round(y, 1)",
                                                    "floor(y)",
                                                    "x - x % 3",
                                                    "floor(sqrt(x))",
                                                    "ceil(exp(z))",
                                                    "sign(y)"};
  if (dice_.Chance(30)) keys.push_back(dice_.Pick(computed));
  if (joined_ && dice_.Chance(40))
    keys.push_back(dice_.Pick<std::string>({"r.zone", "zone", "r.level", "r.level > 1"}));
  // The last keys, this many, are rolled up, or two of them have all their totals.
  const std::size_t rolled = !keys.empty() && dice_.Chance(25) ? 1 + dice_.Below(keys.size()) : 0;
  const bool cube = rolled == 2 && dice_.Chance(50);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    text += (k == 0 ? " GROUP BY " : ", ");
    if (k + rolled == keys.size()) text += cube ? "CUBE(" : "ROLLUP(";
    text += keys[k];
  }
  return rolled > 0 ? text + ")" : text;
}

// The table, or a sub-select over it that filters, and gives one name another meaning.
std::string QuestionMaker::Source() {
  if (joined_) {
    const std::string on = dice_.Pick<std::string>({"t.g", "w", "nullif(g, 'b')", "CASE WHEN b THEN 'a' ELSE g END"});
    return " FROM " + name_ + dice_.Pick<std::string>({" AS t JOIN r ON ", " AS t LEFT JOIN r ON "}) + on + " = r.code";
  }
  if (dice_.Chance(75)) return " FROM " + name_;
  if (dice_.Chance(40)) return " FROM (SELECT * FROM " + name_ + " WHERE " + Condition(1) + ") AS t";
  const std::string id = policy_.unit.key ? "id, " : "";
  const std::string x = dice_.Pick<std::string>({"x + 1", "coalesce(x, 0)", "h", "CASE WHEN b THEN x END"});
  std::string inner = "SELECT " + id + "g, h, b, " + x + " AS x, y, z, d, k, q, e, u, f, s, w, n FROM " + name_;
  if (dice_.Chance(50)) inner += " WHERE " + Condition(1);
  return " FROM (" + inner + ") AS t";
}

std::string QuestionMaker::OneAggregate() { return "SELECT " + Aggregate(2, false) + Tail(2); }

std::string QuestionMaker::Many() {
  std::string text = "SELECT " + Aggregate(1, true);
  for (int more = dice_.Between(0, 2); more > 0; --more) text += ", " + Aggregate(1, true);
  return text + Tail(1);
}

std::string QuestionMaker::Simple() {
  const std::string column = dice_.Pick<std::string>({"x", "y"});
  const std::string aggregate = dice_.Pick<std::string>(
      {"count(*)", "count(" + column + ")", "sum(" + column + ")", policy_.unit.key ? "count(DISTINCT id)" : "sum(x)"});
  std::string text = "SELECT " + aggregate + " FROM " + name_;
  if (dice_.Chance(40)) text += " WHERE " + dice_.Pick<std::string>({"g = 'a'", "d IS NOT NULL", "w = 'a'", "n > 3"});
  if (dice_.Chance(40)) text += " GROUP BY " + dice_.Pick<std::string>({"b", "h", "z", "b, h"});
  return text;
}

namespace {

std::vector<Datum> WithExtremes(const Column& column, const std::vector<Datum>& literals) {
  std::vector<Datum> values = Candidates(column, literals);
  if (column.type == ColumnType::kReal)
    for (const double extreme : {5e-324, -1e-300, 1e-40, 1.7e308, -1.7e308}) values.push_back(RealDatum(extreme));
  if (column.type == ColumnType::kInteger) {
    // Exact in long double.
    values.push_back(IntegerDatum(static_cast<long double>(std::numeric_limits<std::int64_t>::max())));
    values.push_back(IntegerDatum(static_cast<long double>(std::numeric_limits<std::int64_t>::min())));
  }
  const long double infinity = std::numeric_limits<long double>::infinity();
  if (column.type == ColumnType::kDate)
    for (const long double extreme : {2145031948.0L, -2440588.0L, infinity, -infinity})
      values.push_back(DateDatum(extreme));
  if (column.type == ColumnType::kTimestamp)
    for (const long double extreme : {9.2e18L, -2.1e17L, infinity, -infinity})
      values.push_back(TimestampDatum(extreme));
  if (column.type == ColumnType::kText) values.push_back(TextDatum(std::string("a\0b", 3)));
  return values;
}

}  // namespace

RowMaker::RowMaker(const Policy& policy, const TinyTable& table, const std::vector<Datum>& literals, Dice& dice)
    : public_(table.columns.size()),
      secret_(table.columns.size()),
      constant_(table.columns.size()),
      per_row_(table.columns.size()),
      dice_(dice) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column* column = policy.unit_table().Find(table.columns[i]);
    if (policy.unit.key && table.columns[i] == *policy.unit.key)
      key_ = i;
    else if (column != nullptr)
      (column->is_public ? public_ : secret_)[i] = WithExtremes(*column, literals);
    constant_[i] = column != nullptr && column->constant;
    per_row_[i] = column != nullptr && column->per_row;
  }
}

Row RowMaker::Public(const Datum& key) {
  Row row(public_.size());
  for (std::size_t i = 0; i < row.size(); ++i)
    if (!public_[i].empty()) row[i] = dice_.Pick(public_[i]);
  if (key_) row[*key_] = key;
  return row;
}

Row RowMaker::AnotherOf(Row open) {
  for (std::size_t i = 0; i < open.size(); ++i)
    if (per_row_[i]) open[i] = dice_.Pick(public_[i]);
  return open;
}

Row RowMaker::Secrets(Row row) {
  for (std::size_t i = 0; i < row.size(); ++i)
    if (!secret_[i].empty()) row[i] = dice_.Pick(secret_[i]);
  return row;
}

Row RowMaker::WithConstantsOf(const Row& other, Row row) const {
  for (std::size_t i = 0; i < row.size(); ++i)
    if (constant_[i]) row[i] = other[i];
  return row;
}

std::string AskPerUnit(Dice& dice) { return AskPerRowOf(dice, {"id"}); }

std::string AskPerRowOf(Dice& dice, const std::vector<std::string>& keys) {
  const auto condition = [&] {
    return dice.Pick<std::string>({"b", "h > 1", "x > 0", "g = 'a'", "y > 0.7", "x IS NOT NULL", "d > '2020-02-28'",
                                   "n IS NULL", "k = d", "w > g"});
  };
  const auto filter = [&] { return dice.Chance(25) ? " FILTER (WHERE " + condition() + ")" : std::string(); };
  const auto whole = [&] { return dice.Pick<std::string>({"x", "h", "x + h", "x * x", "(d - DATE '2020-02-28')"}); };
  const auto number = [&] { return dice.Chance(50) ? whole() : dice.Pick<std::string>({"y", "z", "y * x", "-y"}); };
  const auto order = [&] { return dice.Pick<std::string>({"d", "s", "x", "y", "w"}); };
  std::string names;
  for (const std::string& key : keys) names += (names.empty() ? "" : ", ") + key;
  const bool added = keys.front() == "id" && dice.Chance(30);
  if (added) names += ", g";
  const bool by_group = added || std::find(keys.begin(), keys.end(), "g") != keys.end();
  std::string inner = "SELECT " + names + ", ";
  inner += "count(*)" + filter() + " AS v1, ";
  inner += dice.Pick<std::string>({"count(" + number() + ")", "count(DISTINCT " + number() + ")",
                                   "sum(" + whole() + ")", "max(" + whole() + ")", "max(d) - min(d)",
                                   "arg_min(" + whole() + ", d)", "arg_max(h, " + order() + ")"});
  inner += filter() + " AS v2, ";
  inner += dice.Pick<std::string>({"sum(" + number() + ")", "avg(" + number() + ")", "min(" + number() + ")",
                                   "avg(" + number() + ")", "arg_max(" + number() + ", " + order() + ")",
                                   "median(" + number() + ")", "max(y) - count(*)"});
  inner += filter() + " AS v3, ";
  inner += dice.Pick<std::string>({"bool_or(" + condition() + ")", "bool_and(" + condition() + ")",
                                   "arg_min(b, " + order() + ")", "count(*) > 1", "max(x) > min(h)"});
  inner += " AS v4, " + dice.Pick<std::string>({"arg_max(g, " + order() + ")", "arg_min(g, d)", "max(g)", "min(g)"}) +
           " AS v5 FROM t";
  if (dice.Chance(40)) inner += " WHERE " + condition();
  inner += " GROUP BY " + names;
  if (dice.Chance(15)) inner += " HAVING count(*) > 1";
  const auto outer = [&] {
    return dice.Pick<std::string>(
        {"v4", "v1 > 1", "v2 > 1", "v5 = 'a'", "v3 IS NULL", by_group ? "g = 'a'" : "v5 IS NULL"});
  };
  std::string sql = "SELECT " + dice.Pick<std::string>({"sum(v2)", "sum(v3)", "avg(v3)", "avg(v1)", "count(v2)",
                                                        "sum(v1 * v2)", "count(*)", "sum(v2 + v3)"});
  if (dice.Chance(20)) sql += " FILTER (WHERE " + outer() + ")";
  sql += ", " + dice.Pick<std::string>({"count(*)", "sum(v1)", "count(DISTINCT " + keys.front() + ")", "count(v3)"});
  sql += " FROM (" + inner + ") AS u";
  if (dice.Chance(30)) sql += " WHERE " + outer();
  if (dice.Chance(40)) sql += " GROUP BY " + dice.Pick<std::string>({"v4", "v5", "v1", by_group ? "g" : "v4"});
  return sql;
}

std::string AskWindows(Dice& dice) {
  const auto value = [&] { return dice.Pick<std::string>({"x", "h", "y", "x + h", "d - DATE '2020-02-28'"}); };
  const auto over = [&](bool ordered) {
    std::string text = " OVER (PARTITION BY id";
    if (ordered)
      text += " ORDER BY " +
              dice.Pick<std::string>({"s, d, x, y, w", "d, x, y, s, z", "x, y, d DESC, s", "y DESC, s, x, d", "s"});
    return text + ")";
  };
  const auto filter = [&] { return dice.Chance(25) ? std::string(" FILTER (WHERE h > 1)") : std::string(); };
  std::string inner = "SELECT id, g, ";
  inner += dice.Pick<std::string>(
               {"lag(" + value() + ")", "lead(" + value() + ", 1)", "first_value(" + value() + ")", "row_number()"}) +
           over(true) + " AS v1, ";
  inner +=
      dice.Pick<std::string>({"count(*)", "sum(" + value() + ")", "max(" + value() + ")", "avg(" + value() + ")"}) +
      filter() + over(dice.Chance(60)) + " AS v2, lag(h)" + over(true) + " AS v3, ";
  inner += dice.Pick<std::string>({"x > lag(x)" + over(true), "b"}) + " AS v4 FROM t";
  if (dice.Chance(45)) inner += " WHERE " + dice.Pick<std::string>({"b", "h > 1", "g = 'a'", "x IS NOT NULL"});
  if (dice.Chance(45)) {
    inner = "SELECT id, max(v1) AS v1, sum(v2) AS v2, arg_max(v3, v2) AS v3, bool_or(v4) AS v4 FROM (" + inner +
            ") AS w GROUP BY id";
  }
  std::string sql = "SELECT " + dice.Pick<std::string>({"sum(v1)", "avg(v2)", "count(v3)", "sum(v1 + v2)"}) +
                    dice.Pick<std::string>({", count(*)", ", count(DISTINCT id)", ""}) + " FROM (" + inner + ") AS u";
  if (dice.Chance(30)) sql += " WHERE " + dice.Pick<std::string>({"v4", "v1 > 1", "v3 IS NULL"});
  if (dice.Chance(40)) sql += " GROUP BY " + dice.Pick<std::string>({"v3", "v4"});
  return sql;
}

}  // namespace kith::testing
