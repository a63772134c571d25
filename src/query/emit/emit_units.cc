// Units with a key: at most max_rows rows of each are kept, by a rule that uses only the unit's own rows.
//
// Rows are ordered by a hash of their declared columns, and where hashes agree by what the question reads, so that the
// rows kept add the same whatever the order in which an engine meets them. Where an engine can, both are packed into
// one integer for each row, the hash first: the smallest integers of a unit are its kept rows, and grouping integers
// is what engines do best.
//
// All of this is for units that can have more rows than are kept. Where a check of these data has shown that none has
// (sql::UnitRows), rows are read as they are: what a person is shown, and what is charged, does not follow from it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "query/emit/emit.h"
#include "sql/quote.h"

namespace kith {
namespace {

constexpr int kShortWord = 63, kLongWord = 126;  // usable bits of BIGINT and HUGEINT
constexpr int kFewestHashBits = kSureHashBits;
constexpr int kWidestField = 60;  // a field is computed in 64 bits

int BitsFor(Int128 count) {
  int bits = 0;
  while ((Int128{1} << bits) < count) ++bits;
  return bits;
}

using sql::Stored;

std::string Numbered(const char* prefix, std::size_t k) { return fmt::format("{}{}", prefix, k); }
sql::Term NumberedName(const char* prefix, std::size_t k) { return sql::Name(Numbered(prefix, k)); }

// A part of the packed integer: `term` is its value in a row, from 0 to 2^bits - 1.
struct Field {
  sql::Term term;
  int bits = 0;
  int shift = 0;
};

class PackedMaker {
 public:
  PackedMaker(const Question& question, const Bounds& bounds, const Policy& policy)
      : question_(question), bounds_(bounds), policy_(policy), rows_(policy.unit_table()) {
    for (std::size_t k = 0; k < question.keys.size(); ++k) {
      const Key& key = question.keys[k];
      keys_.push_back(
          Place(rows_.KeyIndex(key, NumberedName("k", k)), BitsFor(static_cast<Int128>(key.image.values.size() + 1))));
    }
    for (std::size_t k = 0; k < question.counters.size(); ++k) counters_.push_back(CounterField(k));
  }

  bool Fits() const {
    const auto outer = [](const Counter& counter) {
      return counter.kind == CounterKind::kHouseholds || counter.kind == CounterKind::kDistinct;
    };
    if (std::any_of(question_.counters.begin(), question_.counters.end(), outer)) return false;
    const auto narrow = [](const Field& field) { return field.bits <= kWidestField; };
    return bits_ + kFewestHashBits <= kLongWord && std::all_of(counters_.begin(), counters_.end(), narrow);
  }

  sql::Statement Make() const {
    std::vector<sql::Item> items;
    sql::Terms groups;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      items.push_back({Part(keys_[k]), Numbered("k", k)});
      groups.push_back(sql::Number(static_cast<Int128>(k + 1)));
    }
    for (std::size_t k = 0; k < counters_.size(); ++k) items.push_back({Aggregate(k), Numbered("s", k)});
    return sql::Selected({.items = std::move(items), .from = sql::Rows(Kept(), "b"), .group_by = std::move(groups)});
  }

 private:
  Field Place(sql::Term term, int bits) {
    Field field{std::move(term), bits, bits_};
    bits_ += bits;
    return field;
  }

  // Sums count from 1, so that 0 is left for rows that add nothing. Counts are 0 or 1, or take no room if all rows
  // count.
  Field CounterField(std::size_t k) {
    const Counter& counter = question_.counters[k];
    const BoundedCounter& bounded = bounds_.counters[k];
    if (counter.kind != CounterKind::kSum) {
      return Place(sql::Call("coalesce", {sql::Cast(NumberedName("f", k), Stored::kNarrow), sql::Number(0)}),
                   Tested(k) ? 1 : 0);
    }
    const auto wide = [](sql::Term term) { return sql::Cast(std::move(term), Stored::kWhole); };
    const sql::Term whole = rows_.Whole(NumberedName("v", k), *counter.value, bounded);
    const sql::Term above = sql::Infix(" - ", {wide(whole), wide(sql::Number(bounded.low))});
    sql::Term from_one = sql::Call("coalesce", {sql::Infix(" + ", {above, sql::Number(1)}), sql::Number(0)});
    if (Tested(k)) from_one = sql::Case({NumberedName("f", k), from_one, sql::Number(0)});
    return Place(std::move(from_one), BitsFor(bounded.high - bounded.low + 2));
  }

  bool Tested(std::size_t k) const { return question_.where || question_.counters[k].filter; }

  bool Short() const { return bits_ + kFewestHashBits <= kShortWord; }
  Stored Word() const { return Short() ? Stored::kWhole : Stored::kWide; }
  int HashBits() const { return std::min(kShortWord, (Short() ? kShortWord : kLongWord) - bits_); }

  // A field's value, out of the packed integer p.
  static sql::Term Part(const Field& field) {
    const sql::Term shifted = sql::Paren(sql::Infix(" >> ", {sql::Name("p"), sql::Number(field.shift)}));
    return sql::Cast(sql::Infix(" & ", {shifted, sql::Number((Int128{1} << field.bits) - 1)}), Stored::kWhole);
  }

  sql::Term Aggregate(std::size_t k) const {
    const Counter& counter = question_.counters[k];
    const sql::Term part = Part(counters_[k]);
    const auto or_zero = [](sql::Term term) { return sql::Call("coalesce", {std::move(term), sql::Number(0)}); };
    if (counter.kind == CounterKind::kUnits) {
      return sql::Where(sql::CountDistinct(sql::Name("u")),
                        Tested(k) ? sql::Infix(" = ", {part, sql::Number(1)}) : nullptr);
    }
    if (counter.kind == CounterKind::kRows) return Tested(k) ? or_zero(sql::Sum(part)) : sql::CountRows();
    // The sum of (x - low + 1) over rows that count, less what was added to each of them.
    const sql::Term counted = sql::Where(sql::CountRows(), sql::Infix(" > ", {part, sql::Number(0)}));
    const sql::Term added = sql::Cast(sql::Number(bounds_.counters[k].low - 1), Stored::kWide);
    return or_zero(sql::Infix(" + ", {sql::Sum(part), sql::Infix(" * ", {added, counted})}));
  }

  sql::Statement Kept() const {
    const bool units = std::any_of(question_.counters.begin(), question_.counters.end(),
                                   [](const Counter& counter) { return counter.kind == CounterKind::kUnits; });
    const sql::Term u = sql::Name("u"), p = sql::Name("p");
    std::vector<sql::Item> items;
    // One row of each: the smallest integer, which a hash table finds without sorting.
    if (policy_.unit.max_rows == 1) {
      items.push_back({sql::Min(p), "p"});
      if (units) items.push_back({u});
      return sql::Selected({.items = std::move(items), .from = sql::Rows(Packed(), "w"), .group_by = {u}});
    }
    const auto numbered = sql::Selected(
        {.items = {{u}, {p}, {sql::Window("row_number", u, {p}), "n"}}, .from = sql::Rows(Packed(), "w")});
    items.push_back({p});
    if (units) items.push_back({u});
    return sql::Selected({.items = std::move(items),
                          .from = sql::Rows(numbered, "o"),
                          .where = sql::Infix(" <= ", {sql::Name("n"), sql::Number(policy_.unit.max_rows)})});
  }

  sql::Statement Packed() const {
    const auto shifted = [&](sql::Term term, int by) {
      return sql::Paren(sql::Infix(" << ", {sql::Cast(std::move(term), Word()), sql::Number(by)}));
    };
    sql::Terms parts = {shifted(sql::Infix(" >> ", {sql::Name("h"), sql::Number(64 - HashBits())}), bits_)};
    const auto add = [&](const Field& field) {
      if (field.bits > 0) parts.push_back(shifted(field.term, field.shift));
    };
    std::for_each(keys_.begin(), keys_.end(), add);
    std::for_each(counters_.begin(), counters_.end(), add);
    return sql::Selected(
        {.items = {{sql::Name("u")}, {sql::Infix(" | ", std::move(parts)), "p"}}, .from = sql::Rows(Rows(), "r")});
  }

  sql::Statement Rows() const {
    std::vector<sql::Item> items = {{UnitKey(policy_), "u"}, {RowHash(policy_), "h"}};
    for (std::size_t k = 0; k < question_.keys.size(); ++k)
      items.push_back({rows_.KeyOf(question_.keys[k]), Numbered("k", k)});
    for (std::size_t k = 0; k < question_.counters.size(); ++k) {
      const Counter& counter = question_.counters[k];
      if (counter.value) items.push_back({rows_.Steps(*counter.value, bounds_.counters[k]), Numbered("v", k)});
      if (Tested(k)) items.push_back({Condition(counter), Numbered("f", k)});
    }
    return sql::Selected({.items = std::move(items),
                          .from = UnitRows(question_, policy_, "t"),
                          .joins = JoinsOf(question_, rows_),
                          .where = sql::IsNotNull(UnitKey(policy_))});
  }

  // WHERE comes after the choice of rows: it decides what a kept row adds, not which rows are kept.
  sql::Term Condition(const Counter& counter) const {
    if (!question_.where) return rows_.Condition(*counter.filter);
    if (!counter.filter) return rows_.Condition(*question_.where);
    return sql::Paren(sql::All({rows_.Condition(*question_.where), rows_.Condition(*counter.filter)}));
  }

  const Question& question_;
  const Bounds& bounds_;
  const Policy& policy_;
  RowTerms rows_;
  int bits_ = 0;
  std::vector<Field> keys_, counters_;
};

// What is read from another row than its own cannot be packed into one integer for each row.
bool ReadsConstant(const Question& question, const Table& table) {
  const auto used = UsedColumns(question);
  return std::any_of(used.begin(), used.end(), [&](std::size_t column) {
    return table.columns[column].constant && OwnerOf(table.columns[column]).empty();
  });
}

}  // namespace

std::set<std::size_t> UsedColumns(const Question& question) {
  std::set<std::size_t> used;
  const auto add = [&](const ExprPtr& expr) {
    if (expr) ForEachColumn(*expr, [&](std::size_t column) { used.insert(column); });
  };
  for (const Key& key : question.keys) add(key.expr);
  add(question.where);
  for (const Counter& counter : question.counters) {
    add(counter.value);
    add(counter.filter);
  }
  for (const TableJoin& join : question.joins) add(join.on);
  return used;
}

sql::Term UnitKey(const Policy& policy) { return sql::Column("t", *policy.unit.key); }

sql::Source UnitRows(const Question& question, const Policy& policy, std::string name) {
  if (question.per_unit) return RowsPerUnit(question, policy, std::move(name));
  const Table& unit_table = policy.unit_table();
  const sql::Source table = sql::Table(unit_table.rows_of.empty() ? unit_table.name : unit_table.rows_of);
  if (!policy.stream || !question.tick) return sql::Table(table.table, std::move(name));
  const Stream& stream = *policy.stream;
  const std::int64_t begin = stream.start + *question.tick * stream.step;
  const sql::Term time = sql::Column("", stream.time);
  const auto literal = [&](std::int64_t at) { return sql::Literal(at, TypeOf(stream.type)); };
  const auto step = sql::Selected({.items = {{sql::Star()}},
                                   .from = table,
                                   .where = sql::All({sql::Infix(" >= ", {time, literal(begin)}),
                                                      sql::Infix(" < ", {time, literal(begin + stream.step)})})});
  return sql::Rows(step, std::move(name));
}

sql::Term RowHash(const Policy& policy) {
  sql::Terms columns;
  for (const Column& column : policy.unit_table().columns) {
    if (OwnerOf(column).empty()) columns.push_back(sql::Column("t", column.name));
  }
  if (columns.empty()) columns.push_back(UnitKey(policy));
  return sql::RowHash(std::move(columns));
}

std::string KeptBy(const Policy& policy) {
  const Table& table = policy.unit_table();
  std::string text = fmt::format("{} rows of each {} in {}, by", policy.unit.max_rows, IdentifierText(*policy.unit.key),
                                 IdentifierText(table.name));
  for (const Column& column : table.columns) {
    if (OwnerOf(column).empty()) text += " " + IdentifierText(column.name);
  }
  return text;
}

namespace {

enum class Which { kKept, kAll };

// The first rows of each key, this many, in this order.
sql::Statement FirstRows(std::vector<sql::Item> items, const sql::Term& key, sql::Terms order, const sql::Source& from,
                         std::string number, std::int64_t rows) {
  items.push_back({sql::Window("row_number", key, std::move(order)), number, true});
  const auto numbered = sql::Selected({.items = std::move(items), .from = from, .where = sql::IsNotNull(key)});
  const sql::Term few = sql::Infix(" <= ", {sql::Column("", std::move(number)), sql::Number(rows)});
  return sql::Selected({.items = {{sql::Star()}}, .from = sql::Rows(numbered, "n"), .where = few});
}

// Rows with a key, each with the columns that the question uses; the kept ones, or all.
sql::Statement Chosen(const Question& question, const Policy& policy, Which which) {
  const Table& table = policy.unit_table();
  const sql::Term key = UnitKey(policy);
  std::set<std::string> names = {*policy.unit.key}, constant;
  if (policy.unit.level == UnitLevel::kHousehold) names.insert(*policy.unit.within);
  sql::Terms order = {RowHash(policy)};
  for (const std::size_t used : UsedColumns(question)) {
    const Column& column = table.columns[used];
    if (!OwnerOf(column).empty()) continue;
    names.insert(column.name);
    if (column.constant) constant.insert(column.name);
    order.push_back(sql::Column("t", column.name));
  }
  // Rows that tie for the first place agree in all that the question reads.
  std::vector<sql::Item> items;
  for (const std::string& name : names) {
    const sql::Term value = sql::Column("t", name);
    if (constant.contains(name)) {
      items.push_back({sql::FirstOf(value, key, order), name, true});
    } else {
      items.push_back({value});
    }
  }
  const sql::Source from = UnitRows(question, policy, "t");
  if (which == Which::kAll) {
    return sql::Selected({.items = std::move(items), .from = from, .where = sql::IsNotNull(key)});
  }
  std::string number = "kith_row";  // a name that no declared column has
  while (table.Find(number) || number == *policy.unit.key) number += "_";
  const std::int64_t rows = table.OfUnits() ? table.max_rows : policy.unit.max_rows;
  return FirstRows(std::move(items), key, std::move(order), from, std::move(number), rows);
}

// The same where a check has shown that nothing has to be left out, and that constant columns are as they are stored.
// That check is only of the unit's table, and says nothing about other tables of the units or a join with them.
sql::Source UnlessKnown(sql::Statement limited, const Question& question, const Policy& policy, const KeptTable& kept) {
  if (policy.unit_table().OfUnits()) return sql::Rows(std::move(limited), "t");
  const sql::Source rows = UnitRows(question, policy, "t");
  const std::vector<sql::Item> items = {{sql::Star()}};
  return sql::Rows(
      sql::Limited({.rows = policy.unit.max_rows,
                    .limited = std::move(limited),
                    .keyed = sql::Selected({.items = items, .from = rows, .where = sql::IsNotNull(UnitKey(policy))}),
                    .all = sql::Selected({.items = items, .from = rows}),
                    .table = kept.table,
                    .kept_by = kept.by}),
      "t");
}

}  // namespace

// As for the unit's table: by a hash of all that is declared about a row, and then by what the question reads.
sql::Statement KeptRowsOf(const Question& question, const TableJoin& join, const Table& joined) {
  const Table& table = *join.of_units;
  const sql::Term key = sql::Column("t", *table.key);
  std::set<std::string> names = {*table.key};
  for (const std::size_t used : UsedColumns(question)) {
    const Column& column = joined.columns[used];
    if (OwnerOf(column) == join.owner) names.insert(column.name.substr(join.owner.size() + 1));
  }
  sql::Terms hashed, order;
  for (const Column& column : table.columns) hashed.push_back(sql::Column("t", column.name));
  order.push_back(sql::RowHash(std::move(hashed)));
  std::vector<sql::Item> items;
  for (const std::string& name : names) {
    items.push_back({sql::Column("t", name)});
    order.push_back(sql::Column("t", name));
  }
  std::string number = "kith_row";
  while (table.Find(number)) number += "_";
  return FirstRows(std::move(items), key, std::move(order), sql::Table(table.name, "t"), std::move(number),
                   table.max_rows);
}

// A table of units keeps rows by its own columns, and a stream those of one step.
KeptTable KeptTable::Of(const Question& question, const Policy& policy) {
  const Table& table = policy.unit_table();
  if (!table.rows_of.empty() || (policy.stream && question.tick)) return {};
  return {table.name, KeptBy(policy)};
}

sql::Source LimitedRows(const Question& question, const Policy& policy) {
  return sql::Rows(Chosen(question, policy, Which::kKept), "t");
}

sql::Source KeptRows(const Question& question, const Policy& policy) {
  return UnlessKnown(Chosen(question, policy, Which::kKept), question, policy, KeptTable::Of(question, policy));
}

sql::Source RowsWithKey(const Question& question, const Policy& policy) {
  return UnlessKnown(Chosen(question, policy, Which::kAll), question, policy, {});
}

std::optional<sql::Statement> PackedStatement(const Question& question, const Bounds& bounds, const Policy& policy) {
  if (policy.unit_table().other) return std::nullopt;  // what is kept is not what one unit can change
  if (policy.unit.max_rows > 1 && ReadsConstant(question, policy.unit_table())) return std::nullopt;
  const auto of_units = [](const TableJoin& join) { return join.of_units != nullptr; };
  if (std::any_of(question.joins.begin(), question.joins.end(), of_units)) return std::nullopt;
  const PackedMaker maker(question, bounds, policy);
  if (!maker.Fits()) return std::nullopt;
  return maker.Make();
}

}  // namespace kith
