// Units with a key: at most max_rows rows of each are kept, by a rule that looks at the unit's own rows alone.
//
// Rows are ordered by a hash of their declared columns, and where hashes agree by what the question reads, so that the
// rows kept add the same whatever the order in which an engine meets them. In DuckDB both are packed into one integer
// for each row, the hash in front: the smallest integers of a unit are its kept rows, and grouping integers is what
// engines do best.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "query/emit/emit.h"

namespace kith {
namespace {

constexpr int kShortWord = 63, kLongWord = 126;  // usable bits of BIGINT and HUGEINT
constexpr int kFewestHashBits = 23;
constexpr int kWidestField = 60;  // a field is computed in 64 bits

int BitsFor(Int128 count) {
  int bits = 0;
  while ((Int128{1} << bits) < count) ++bits;
  return bits;
}

// A part of the packed integer: `text` is its value in a row, from 0 to 2^bits - 1.
struct Field {
  std::string text;
  int bits = 0;
  int shift = 0;
};

class PackedWriter {
 public:
  PackedWriter(const Question& question, const Bounds& bounds, const Policy& policy)
      : question_(question),
        bounds_(bounds),
        policy_(policy),
        table_(policy.unit_table()),
        exprs_(table_, Dialect::kDuckDb) {
    for (std::size_t k = 0; k < question.keys.size(); ++k) {
      const Key& key = question.keys[k];
      keys_.push_back(Place(exprs_.WriteKeyIndex(key, fmt::format("k{}", k)),
                            BitsFor(static_cast<Int128>(key.image.values.size() + 1))));
    }
    for (std::size_t k = 0; k < question.counters.size(); ++k) counters_.push_back(CounterField(k));
  }

  bool Fits() const {
    const auto narrow = [](const Field& field) { return field.bits <= kWidestField; };
    return bits_ + kFewestHashBits <= kLongWord && std::all_of(counters_.begin(), counters_.end(), narrow);
  }

  std::string Write() const {
    std::string list, groups;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      list += fmt::format("{} AS k{}, ", Part(keys_[k]), k);
      groups += fmt::format("{}{}", k == 0 ? " GROUP BY " : ", ", k + 1);
    }
    for (std::size_t k = 0; k < counters_.size(); ++k) list += (k == 0 ? "" : ", ") + Aggregate(k);
    return fmt::format("SELECT {} FROM ({}) AS b{}", list, Kept(), groups);
  }

 private:
  Field Place(std::string text, int bits) {
    Field field{std::move(text), bits, bits_};
    bits_ += bits;
    return field;
  }

  // Sums count from 1, so that 0 is left for rows that add nothing. Counts are 0 or 1, or take no room if all rows
  // count.
  Field CounterField(std::size_t k) {
    const Counter& counter = question_.counters[k];
    const BoundedCounter& bounded = bounds_.counters[k];
    if (counter.kind != CounterKind::kSum)
      return Place(fmt::format("coalesce(CAST(f{} AS INTEGER), 0)", k), Tested(k) ? 1 : 0);
    const std::string whole = exprs_.WriteWhole(fmt::format("v{}", k), *counter.value, bounded);
    const std::string from_one =
        fmt::format("coalesce({} - {} + 1, 0)", WideCast(whole), WideCast(ToText(bounded.low)));
    const std::string text = Tested(k) ? fmt::format("CASE WHEN f{} THEN {} ELSE 0 END", k, from_one) : from_one;
    return Place(text, BitsFor(bounded.high - bounded.low + 2));
  }

  bool Tested(std::size_t k) const { return question_.where || question_.counters[k].filter; }
  static std::string WideCast(const std::string& text) { return fmt::format("CAST({} AS BIGINT)", text); }

  bool Short() const { return bits_ + kFewestHashBits <= kShortWord; }
  const char* Word() const { return Short() ? "BIGINT" : "HUGEINT"; }
  int HashBits() const { return std::min(kShortWord, (Short() ? kShortWord : kLongWord) - bits_); }

  // A field's value, out of the packed integer p.
  std::string Part(const Field& field) const {
    const std::string mask = ToText((Int128{1} << field.bits) - 1);
    return fmt::format("CAST((p >> {}) & {} AS BIGINT)", field.shift, mask);
  }

  std::string Aggregate(std::size_t k) const {
    const Counter& counter = question_.counters[k];
    const std::string part = Part(counters_[k]);
    if (counter.kind == CounterKind::kUnits) {
      return fmt::format("count(DISTINCT u){} AS s{}", Tested(k) ? fmt::format(" FILTER (WHERE {} = 1)", part) : "", k);
    }
    if (counter.kind == CounterKind::kRows) {
      return Tested(k) ? fmt::format("coalesce(sum({}), 0) AS s{}", part, k) : fmt::format("count(*) AS s{}", k);
    }
    // The sum of (x - low + 1) over rows that count, less what was added to each of them.
    return fmt::format("coalesce(sum({0}) + CAST({1} AS HUGEINT) * count(*) FILTER (WHERE {0} > 0), 0) AS s{2}", part,
                       ToText(bounds_.counters[k].low - 1), k);
  }

  std::string Kept() const {
    const bool units = std::any_of(question_.counters.begin(), question_.counters.end(),
                                   [](const Counter& counter) { return counter.kind == CounterKind::kUnits; });
    // One row of each: the smallest integer, which a hash table finds without sorting.
    if (policy_.unit.max_rows == 1)
      return fmt::format("SELECT min(p) AS p{} FROM ({}) AS w GROUP BY u", units ? ", u" : "", Packed());
    return fmt::format(
        "SELECT p{} FROM (SELECT u, p, row_number() OVER (PARTITION BY u ORDER BY p) AS n FROM ({}) AS w) AS o WHERE n "
        "<= {}",
        units ? ", u" : "", Packed(), policy_.unit.max_rows);
  }

  std::string Packed() const {
    std::string word = fmt::format("(CAST(h >> {} AS {}) << {})", 64 - HashBits(), Word(), bits_);
    const auto add = [&](const Field& field) {
      if (field.bits > 0) word += fmt::format(" | (CAST({} AS {}) << {})", field.text, Word(), field.shift);
    };
    std::for_each(keys_.begin(), keys_.end(), add);
    std::for_each(counters_.begin(), counters_.end(), add);
    return fmt::format("SELECT u, {} AS p FROM ({}) AS r", word, Rows());
  }

  std::string Rows() const {
    const std::string key = "t." + QuotedName(*policy_.unit.key);
    std::string columns = fmt::format("{} AS u, {} AS h", key, RowHash(policy_, Dialect::kDuckDb));
    for (std::size_t k = 0; k < question_.keys.size(); ++k) {
      columns += fmt::format(", {} AS k{}", exprs_.WriteKey(question_.keys[k]), k);
    }
    for (std::size_t k = 0; k < question_.counters.size(); ++k) {
      const Counter& counter = question_.counters[k];
      if (counter.value)
        columns += fmt::format(", {} AS v{}", exprs_.WriteSteps(*counter.value, bounds_.counters[k]), k);
      if (Tested(k)) columns += fmt::format(", {} AS f{}", Condition(counter), k);
    }
    return fmt::format("SELECT {} FROM {} AS t{} WHERE {} IS NOT NULL", columns, UnitRows(question_, policy_),
                       JoinClauses(question_, exprs_), key);
  }

  // WHERE comes after the choice of rows: it decides what a kept row adds, not which rows are kept.
  std::string Condition(const Counter& counter) const {
    if (!question_.where) return exprs_.WriteCondition(*counter.filter);
    if (!counter.filter) return exprs_.WriteCondition(*question_.where);
    return fmt::format("({} AND {})", exprs_.WriteCondition(*question_.where), exprs_.WriteCondition(*counter.filter));
  }

  const Question& question_;
  const Bounds& bounds_;
  const Policy& policy_;
  const Table& table_;
  ExprWriter exprs_;
  int bits_ = 0;
  std::vector<Field> keys_, counters_;
};

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

}  // namespace

std::string UnitRows(const Question& question, const Policy& policy) {
  const std::string table = QuotedName(policy.unit_table().name);
  if (!policy.stream || !question.tick) return table;
  const Stream& stream = *policy.stream;
  const auto literal = [&](std::int64_t time) {
    if (stream.type == ColumnType::kInteger) return stream.TimeText(time);
    return fmt::format("{} '{}'", stream.type == ColumnType::kDate ? "DATE" : "TIMESTAMP", stream.TimeText(time));
  };
  const std::int64_t begin = stream.start + *question.tick * stream.step;
  return fmt::format("(SELECT * FROM {0} WHERE {1} >= {2} AND {1} < {3})", table, QuotedName(stream.time),
                     literal(begin), literal(begin + stream.step));
}

std::string RowHash(const Policy& policy, Dialect dialect) {
  std::string list;
  for (const Column& column : policy.unit_table().columns) {
    if (!OwnerOf(column).empty()) continue;
    const std::string name = "t." + QuotedName(column.name);
    list += (list.empty() ? "" : ", ") +
            (dialect == Dialect::kDuckDb ? name : fmt::format("coalesce(CAST({} AS TEXT), '~')", name));
  }
  if (list.empty()) list = "t." + QuotedName(*policy.unit.key);
  return dialect == Dialect::kDuckDb ? fmt::format("hash({})", list) : fmt::format("md5(concat_ws('|', {}))", list);
}

std::string KeptRows(const Question& question, const Policy& policy, Dialect dialect) {
  const Table& table = policy.unit_table();
  const std::string key = "t." + QuotedName(*policy.unit.key);
  std::set<std::string> names = {key};
  std::string order = RowHash(policy, dialect);
  for (const std::size_t column : UsedColumns(question)) {
    if (!OwnerOf(table.columns[column]).empty()) continue;
    const std::string name = "t." + QuotedName(table.columns[column].name);
    names.insert(name);
    order += ", " + name;
  }
  std::string number = "kith_row";  // a name that no declared column has
  while (table.Find(number) || number == *policy.unit.key) number += "_";
  return fmt::format(
      "(SELECT * FROM (SELECT {0}, row_number() OVER (PARTITION BY {1} ORDER BY {2}) AS {3} FROM {4} AS t WHERE {1} IS "
      "NOT NULL) "
      "AS n WHERE {3} <= {5}) AS t",
      fmt::join(names, ", "), key, order, QuotedName(number), UnitRows(question, policy), policy.unit.max_rows);
}

std::optional<std::string> WritePackedSql(const Question& question, const Bounds& bounds, const Policy& policy) {
  const PackedWriter writer(question, bounds, policy);
  if (!writer.Fits()) return std::nullopt;
  return writer.Write();
}

}  // namespace kith
