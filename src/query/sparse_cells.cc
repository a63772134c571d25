#include "query/sparse_cells.h"

#include <fmt/format.h>

#include "base/check.h"
#include "policy/dates.h"
#include "policy/per_row.h"
#include "policy/type_names.h"
#include "query/bind/typing.h"
#include "query/bounds.h"
#include "query/key_rows.h"
#include "query/output/notes.h"
#include "query/parse/parts.h"
#include "sql/quote.h"

namespace kith {
namespace {

// A list is looked up once for each of its values that occur, not once for each cell, from this many values on.
constexpr std::size_t kLongList = 16;

std::string Numbered(const char* prefix, std::size_t k) { return fmt::format("{}{}", prefix, k); }
sql::Term Whole(sql::Term term) { return sql::Cast(std::move(term), sql::Stored::kWhole); }
sql::Term Minus(sql::Term a, Int128 b) { return sql::Infix(" - ", {std::move(a), sql::Number(b)}); }

Result<SparseKey> KeyOf(const std::string& name, const Policy& policy) {
  const auto found = KeyColumn(name, policy);
  if (!found) return found.error();
  const Column* column = *found;
  if (!column->values.empty()) return SparseKey{name, column->values};
  if (column->pattern) return SparseKey{name, *column->pattern};
  const bool days = column->type == ColumnType::kDate;
  if (column->lower && (days || column->type == ColumnType::kInteger)) {
    const IntegerBounds bounds = BoundsOf(*column);
    if (bounds.low > bounds.high) return Unsupported("no whole number lies between the bounds", Shortened(name), {});
    return SparseKey{name, SparseKey::Run{bounds.low, bounds.high - bounds.low + 1, days}};
  }
  return Unsupported(
      "the policy does not say which values this column can have", Shortened(name),
      "declare them: values = [...], lower and upper for whole numbers and dates, or a pattern for texts "
      "(pattern = \"[0-9]{5}\"); or, with a delta, ask for keys that nobody declared");
}

// The statement, by parts: rows with their keys, groups of equal keys, and the numbers of these.
class SparseMaker {
 public:
  SparseMaker(const Question& question, const Policy& policy, const std::vector<SparseKey>& keys, CountOf count)
      : keys_(keys), units_(count == CountOf::kUnits && policy.unit.key.has_value()), rows_(question, policy) {}

  sql::Statement Make() const {
    std::vector<sql::With> lists;
    std::vector<sql::Join> joins;
    std::vector<sql::Item> items;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const sql::Term value = sql::Name("g", Numbered("k", k));
      if (IsLongList(k)) {
        const std::string name = Numbered("d", k);
        lists.push_back({name, ListOf(k)});
        joins.push_back({.source = sql::Own(name, name), .on = sql::Infix(" = ", {value, sql::Name(name, "k")})});
        items.push_back({sql::Name(name, "i"), Numbered("i", k)});
      } else {
        items.push_back({Index(k, value), Numbered("i", k)});
      }
    }
    items.push_back({Whole(sql::Name("g", "n")), "n"});
    if (lists.empty()) return sql::Selected({.items = std::move(items), .from = sql::Rows(Grouped(), "g")});
    lists.insert(lists.begin(), {"c", Grouped(), true});
    return sql::Selected(
        {.with = std::move(lists), .items = std::move(items), .from = sql::Own("c", "g"), .joins = std::move(joins)});
  }

 private:
  const Column& ColumnOf(std::size_t k) const { return rows_.column(k); }
  Type TypeOfKey(std::size_t k) const { return rows_.key(k).type; }

  // Values that are equal here are one cell, and no two cells share a number: so no cell comes twice.
  sql::Term Value(std::size_t k) const {
    const Expr& expr = rows_.key(k);
    const bool run = std::holds_alternative<SparseKey::Run>(keys_[k].domain);
    return run || NeverNull(ColumnOf(k)) ? rows_.terms().Of(expr) : rows_.terms().Raw(expr.column);
  }

  sql::Statement Rows() const {
    sql::Terms values;
    for (std::size_t k = 0; k < keys_.size(); ++k) values.push_back(Value(k));
    return rows_.Rows(values, units_);
  }

  sql::Statement Grouped() const {
    std::vector<sql::Item> items;
    sql::Terms keys;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      keys.push_back(sql::Name(Numbered("k", k)));
      items.push_back({keys.back()});
    }
    items.push_back({sql::CountRows(), "n"});
    return sql::Selected({.items = std::move(items), .from = sql::Rows(Rows(), "r"), .group_by = std::move(keys)});
  }

  bool IsLongList(std::size_t k) const {
    const auto* values = std::get_if<ValueList>(&keys_[k].domain);
    return values != nullptr && values->size() > kLongList;
  }

  // Each value that occurs, with its number.
  sql::Statement ListOf(std::size_t k) const {
    const auto values =
        sql::Selected({.distinct = true, .items = {{sql::Name(Numbered("k", k)), "k"}}, .from = sql::Own("c", "c")});
    return sql::Selected(
        {.items = {{sql::Name("k")}, {Index(k, sql::Name("k")), "i"}}, .from = sql::Rows(values, "v")});
  }

  sql::Term Index(std::size_t k, const sql::Term& value) const {
    if (const auto* values = std::get_if<ValueList>(&keys_[k].domain)) {
      std::vector<kith::Value> typed;
      for (const auto& declared : *values) typed.push_back(TypedValue(ColumnOf(k), declared));
      return Whole(sql::Position(value, std::move(typed), TypeOfKey(k), values->size()));
    }
    if (const auto* run = std::get_if<SparseKey::Run>(&keys_[k].domain)) {
      if (run->days) return Whole(sql::DaysBetween(value, sql::Literal(run->low, Type::kDate)));
      return Minus(Whole(value), run->low);
    }
    return OfPattern(std::get<KeyPattern>(keys_[k].domain), value);
  }

  // The place of each character in its set, from 1 on, as digits of one number; 0 for what is not in the set. So each
  // string is read only once, and the number shows whether it fits (OfDigits).
  static sql::Term OfPattern(const KeyPattern& pattern, const sql::Term& value) {
    sql::Term number;
    for (std::size_t place = 0; place < pattern.places().size(); ++place) {
      const std::string& characters = pattern.places()[place];
      const sql::Term one = sql::Call("substr", {value, sql::Number(static_cast<Int128>(place + 1)), sql::Number(1)});
      const sql::Term at = Whole(sql::Call("strpos", {sql::Constant(characters, Type::kText), one}));
      const sql::Term times = sql::Number(static_cast<Int128>(characters.size()) + 1);
      number = number ? sql::Infix(" + ", {sql::Infix(" * ", {sql::Paren(number), times}), at}) : at;
    }
    const sql::Term length = sql::Number(static_cast<Int128>(pattern.places().size()));
    return sql::Case({sql::Infix(" = ", {sql::Call("length", {value}), length}), number, Whole(sql::Number(0))});
  }

  const std::vector<SparseKey>& keys_;
  const bool units_;
  const KeyRows rows_;
};

// The index of a string from what OfPattern makes of it; -1 if it does not fit.
std::int64_t OfDigits(const KeyPattern& pattern, std::int64_t digits) {
  if (digits < 0) return -1;
  std::int64_t index = 0, weight = 1;
  for (std::size_t place = pattern.places().size(); place-- > 0;) {
    const auto many = static_cast<std::int64_t>(pattern.places()[place].size());
    const std::int64_t digit = digits % (many + 1);
    if (digit == 0) return -1;
    index += (digit - 1) * weight;
    weight *= many;
    digits /= many + 1;
  }
  return digits == 0 ? index : -1;
}

// OfPattern's numbers have one more digit value in each place than there are characters.
bool FitsOneNumber(const KeyPattern& pattern) {
  Int128 numbers = 1;
  for (const std::string& place : pattern.places()) {
    numbers *= static_cast<Int128>(place.size()) + 1;
    if (numbers > Int128{1} << 62) return false;
  }
  return true;
}

}  // namespace

std::int64_t SparseKey::size() const {
  if (const auto* values = std::get_if<ValueList>(&domain)) return static_cast<std::int64_t>(values->size());
  if (const auto* run = std::get_if<Run>(&domain)) return run->many;
  return std::get<KeyPattern>(domain).size();
}

Value SparseKey::At(std::int64_t index) const {
  KITH_CHECK(index >= 0 && index < size());
  if (const auto* values = std::get_if<ValueList>(&domain)) return (*values)[static_cast<std::size_t>(index)];
  if (const auto* run = std::get_if<Run>(&domain)) {
    if (run->days) return DateText(run->low + index);
    return run->low + index;
  }
  return std::get<KeyPattern>(domain).At(index);
}

bool SparsePlan::NumberOf(std::span<const std::int64_t> indexes, UInt128& number) const {
  number = 0;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const std::int64_t many = keys[k].size();
    const auto* pattern = std::get_if<KeyPattern>(&keys[k].domain);
    const std::int64_t index = pattern ? OfDigits(*pattern, indexes[k]) : indexes[k];
    if (index < 0 || index >= many) return false;
    number = number * static_cast<UInt128>(many) + static_cast<UInt128>(index);
  }
  return true;
}

std::vector<Value> SparsePlan::ValuesOf(UInt128 number) const {
  std::vector<Value> values(keys.size());
  for (std::size_t k = keys.size(); k-- > 0;) {
    const auto many = static_cast<UInt128>(keys[k].size());
    values[k] = keys[k].At(static_cast<std::int64_t>(number % many));
    number /= many;
  }
  return values;
}

Result<SparsePlan> PlanSparse(const std::vector<std::string>& columns, const std::string& where, CountOf count,
                              UInt128 most, const Policy& policy) {
  if (where.empty()) return PlanSparse(columns, ExprPtr(), count, most, policy);
  const auto condition = BindCondition(where, policy);
  if (!condition) return condition.error();
  return PlanSparse(columns, *condition, count, most, policy);
}

Result<SparsePlan> PlanSparse(const std::vector<std::string>& columns, const ExprPtr& where, CountOf count,
                              UInt128 most, const Policy& policy) {
  SparsePlan plan;
  if (auto named = CheckKeyNames(columns); !named) return named.error();
  for (const std::string& name : columns) {
    auto key = KeyOf(name, policy);
    if (!key) return key.error();
    const auto* pattern = std::get_if<KeyPattern>(&key->domain);
    if (static_cast<UInt128>(key->size()) > most / plan.cells || (pattern && !FitsOneNumber(*pattern)))
      return Unsupported("the declared values make too many cells", Shortened(name), "group by fewer columns");
    plan.cells *= static_cast<UInt128>(key->size());
    plan.keys.push_back(std::move(*key));
  }
  const auto question = AskKeys(columns, where, policy);
  if (!question) return question.error();
  plan.normalised = fmt::format("{} in each cell of {}: {}", count == CountOf::kUnits ? "units" : "rows",
                                KeyNamesText(columns), question->normalised);
  plan.notes = NotesOf(*question, policy);
  const Table& table = question->policy->unit_table();
  const auto bounds = BoundQuestion(*question, *question->policy, question->columns);
  if (!bounds) return bounds.error();
  const BoundedCounter& rows = bounds->counters.front();
  plan.reason = rows.reason;
  // A unit is in at most as many cells as it has rows: counts of units change by no more than counts of rows.
  std::int64_t steps = rows.change.l1().steps();
  if (count == CountOf::kUnits && OneKeyEach(columns, table) && steps > 2) {
    steps = 2;
    plan.reason = "a unit leaves one cell and enters another";
  }
  const auto change = Sensitivities::OfL1(steps);
  if (!change) return change.error();
  plan.change = *change;
  plan.charged = OfWholeUnits(policy, bounds->charged);
  plan.unit_rows = policy.unit.max_rows;
  plan.statement = SparseMaker(*question, *question->policy, plan.keys, count).Make();
  return plan;
}

}  // namespace kith
