#include "query/sparse_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "policy/dates.h"
#include "policy/per_row.h"
#include "policy/type_names.h"
#include "query/bind/typing.h"
#include "query/bounds.h"
#include "query/emit/emit.h"
#include "query/output/notes.h"
#include "query/parse/parts.h"
#include "sql/quote.h"

namespace kith {
namespace {

// A list is looked up once for each of its values that occur, not once for each cell, from so many values on.
constexpr std::size_t kLongList = 16;

std::string Numbered(const char* prefix, std::size_t k) { return fmt::format("{}{}", prefix, k); }
sql::Term Whole(sql::Term term) { return sql::Cast(std::move(term), sql::Stored::kWhole); }
sql::Term Minus(sql::Term a, Int128 b) { return sql::Infix(" - ", {std::move(a), sql::Number(b)}); }

Result<SparseKey> KeyOf(const std::string& name, const Policy& policy) {
  const Column* column = policy.unit_table().Find(name);
  if (column == nullptr) {
    return InvalidArgument(fmt::format("the table {} has no declared column of this name", policy.unit.table),
                           Shortened(name), "name columns of the unit's table")
        .For("columns");
  }
  if (name == policy.unit.key || name == policy.unit.within) {
    return Unsupported("a cell would be one unit, or one household", Shortened(name),
                       "group by columns that many units share");
  }
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
      "(pattern = \"[0-9]{5}\")");
}

// The statement, by parts: rows with their keys, groups of equal keys, and the numbers of these.
class SparseMaker {
 public:
  SparseMaker(const Question& question, const Policy& policy, const std::vector<SparseKey>& keys, CountOf count)
      : question_(question), policy_(policy), keys_(keys), count_(count), rows_(policy.unit_table(), true) {}

  sql::Statement Make() const {
    if (!policy_.unit.key) return Reading(Read::kAll);
    const KeptTable kept = KeptTable::Of(question_, policy_);
    return sql::Limited({.rows = policy_.unit.max_rows,
                         .limited = Reading(Read::kLimited),
                         .keyed = Reading(Read::kKeyed),
                         .all = Reading(Read::kAll),
                         .table = kept.table,
                         .kept_by = kept.by});
  }

 private:
  enum class Read { kLimited, kKeyed, kAll };

  const Column& ColumnOf(std::size_t k) const { return policy_.unit_table().columns[question_.keys[k].expr->column]; }
  Type TypeOfKey(std::size_t k) const { return question_.keys[k].expr->type; }

  // Values that are equal here are one cell, and no two cells share a number: so no cell comes twice.
  sql::Term Value(std::size_t k) const {
    const Expr& expr = *question_.keys[k].expr;
    const bool run = std::holds_alternative<SparseKey::Run>(keys_[k].domain);
    return run || NeverNull(ColumnOf(k)) ? rows_.Of(expr) : rows_.Raw(expr.column);
  }

  sql::Statement Rows(Read read) const {
    const bool units = count_ == CountOf::kUnits && policy_.unit.key.has_value();
    std::vector<sql::Item> items;
    if (units) items.push_back({sql::Column("t", *policy_.unit.key), "u"});
    for (std::size_t k = 0; k < keys_.size(); ++k) items.push_back({Value(k), Numbered("k", k)});
    sql::Term where = question_.where ? rows_.Condition(*question_.where) : nullptr;
    if (read == Read::kKeyed) {
      const sql::Term keyed = sql::IsNotNull(sql::Column("t", *policy_.unit.key));
      where = where ? sql::All({keyed, sql::Paren(where)}) : keyed;
    }
    return sql::Selected(
        {.distinct = units,
         .items = std::move(items),
         .from = read == Read::kLimited ? LimitedRows(question_, policy_) : UnitRows(question_, policy_, "t"),
         .where = std::move(where)});
  }

  sql::Statement Grouped(Read read) const {
    std::vector<sql::Item> items;
    sql::Terms keys;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      keys.push_back(sql::Name(Numbered("k", k)));
      items.push_back({keys.back()});
    }
    items.push_back({sql::CountRows(), "n"});
    return sql::Selected({.items = std::move(items), .from = sql::Rows(Rows(read), "r"), .group_by = std::move(keys)});
  }

  sql::Statement Reading(Read read) const {
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
    if (lists.empty()) return sql::Selected({.items = std::move(items), .from = sql::Rows(Grouped(read), "g")});
    lists.insert(lists.begin(), {"c", Grouped(read), true});
    return sql::Selected(
        {.with = std::move(lists), .items = std::move(items), .from = sql::Own("c", "g"), .joins = std::move(joins)});
  }

  bool IsLongList(std::size_t k) const {
    const auto* values = std::get_if<std::vector<kith::Value>>(&keys_[k].domain);
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
    if (const auto* values = std::get_if<std::vector<kith::Value>>(&keys_[k].domain)) {
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
  // text has to be looked at once, and whoever reads the number knows whether the text fits (OfDigits).
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

  const Question& question_;
  const Policy& policy_;
  const std::vector<SparseKey>& keys_;
  const CountOf count_;
  const RowTerms rows_;
};

// The index of a text from what OfPattern makes of it; -1 if the text does not fit.
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

// OfPattern's numbers have one digit value more in each place than there are characters.
bool FitsOneNumber(const KeyPattern& pattern) {
  Int128 numbers = 1;
  for (const std::string& place : pattern.places()) {
    numbers *= static_cast<Int128>(place.size()) + 1;
    if (numbers > Int128{1} << 62) return false;
  }
  return true;
}

// A unit has one value of each of these columns.
bool OneCellEach(const std::vector<SparseKey>& keys, const Table& table) {
  return std::all_of(keys.begin(), keys.end(), [&](const SparseKey& key) {
    const Column& column = *table.Find(key.name);
    return column.constant || IsPublicOfUnit(column);
  });
}

std::string NamesOf(const std::vector<SparseKey>& keys) {
  std::string text;
  for (const SparseKey& key : keys) text += (text.empty() ? "" : ", ") + IdentifierText(key.name);
  return text;
}

}  // namespace

std::int64_t SparseKey::size() const {
  if (const auto* values = std::get_if<std::vector<Value>>(&domain)) return static_cast<std::int64_t>(values->size());
  if (const auto* run = std::get_if<Run>(&domain)) return run->many;
  return std::get<KeyPattern>(domain).size();
}

Value SparseKey::At(std::int64_t index) const {
  KITH_CHECK(index >= 0 && index < size());
  if (const auto* values = std::get_if<std::vector<Value>>(&domain)) return (*values)[static_cast<std::size_t>(index)];
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
  for (const std::string& name : columns) {
    const auto same = [&](const SparseKey& key) { return key.name == name; };
    if (std::any_of(plan.keys.begin(), plan.keys.end(), same))
      return InvalidArgument("a column is named twice", Shortened(name), "name each once").For("columns");
    auto key = KeyOf(name, policy);
    if (!key) return key.error();
    const auto* pattern = std::get_if<KeyPattern>(&key->domain);
    if (static_cast<UInt128>(key->size()) > most / plan.cells || (pattern && !FitsOneNumber(*pattern)))
      return Unsupported("the declared values make too many cells", Shortened(name), "group by fewer columns");
    plan.cells *= static_cast<UInt128>(key->size());
    plan.keys.push_back(std::move(*key));
  }
  if (plan.keys.empty())
    return InvalidArgument("there is no column to tell cells apart by", {}, "name one or more").For("columns");
  auto question = AskParts({where, {}, {}}, policy);
  if (!question) return question.error();
  plan.normalised = fmt::format("{} in each cell of {}: {}", count == CountOf::kUnits ? "units" : "rows",
                                NamesOf(plan.keys), question->normalised);
  plan.notes = NotesOf(*question, policy);
  const Table& table = question->policy->unit_table();
  for (const SparseKey& sparse : plan.keys) {
    Key key;
    key.expr = MakeColumn(table, static_cast<std::size_t>(table.Find(sparse.name) - table.columns.data()));
    key.name = key.text = sparse.name;
    // How many cells there are does not matter to the change of L1, as long as there are several.
    key.shown.resize(2);
    question->where = BothConditions(
        question->where, MakeExpr(Op::kNot, Type::kBoolean, {MakeExpr(Op::kIsNull, Type::kBoolean, {key.expr})}));
    question->keys.push_back(std::move(key));
  }
  const auto bounds = BoundQuestion(*question, *question->policy, question->columns);
  if (!bounds) return bounds.error();
  const BoundedCounter& rows = bounds->counters.front();
  plan.reason = rows.reason;
  // A unit is in at most as many cells as it has rows: counts of units change by no more than counts of rows.
  std::int64_t steps = rows.change.l1().steps();
  if (count == CountOf::kUnits && OneCellEach(plan.keys, table) && steps > 2) {
    steps = 2;
    plan.reason = "a unit leaves one cell and enters another";
  }
  const auto change = Change::OfL1(steps);
  if (!change) return change.error();
  plan.change = *change;
  plan.charged = OfWholeUnits(policy, bounds->charged);
  plan.unit_rows = policy.unit.max_rows;
  plan.statement = SparseMaker(*question, *question->policy, plan.keys, count).Make();
  return plan;
}

}  // namespace kith
