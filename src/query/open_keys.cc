#include "query/open_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/utf8.h"
#include "policy/dates.h"
#include "policy/per_row.h"
#include "query/bind/typing.h"
#include "query/bounds.h"
#include "query/key_rows.h"
#include "query/output/notes.h"
#include "query/parse/parts.h"
#include "sql/quote.h"

namespace kith {
namespace {

using Kind = OpenKeysPlan::Kind;

Result<Kind> KindOf(const Column& column) {
  if (column.type == ColumnType::kText) return Kind::kText;
  if (column.type == ColumnType::kInteger) return Kind::kWhole;
  if (column.type == ColumnType::kDate) return Kind::kDay;
  return Unsupported("keys that nobody declared are texts, whole numbers or dates", Shortened(column.name),
                     "group by such columns, or by expressions of few values in SQL");
}

// For these, groups and cells can be asked for without a delta.
bool IsDeclared(const Column& column) {
  return !column.values.empty() || column.pattern || (column.lower && column.type != ColumnType::kText);
}

class OpenKeysMaker {
 public:
  OpenKeysMaker(const Question& question, const OpenKeysPlan& plan, bool several_rows)
      : plan_(plan), several_rows_(several_rows), rows_(question, *question.policy) {}

  sql::Statement Make() const {
    // Which keys of a unit are counted is chosen by their text. Otherwise a number becomes one once for each key.
    sql::Terms values;
    for (std::size_t k = 0; k < plan_.columns.size(); ++k) values.push_back(plan_.cut ? Text(k, Value(k)) : Value(k));
    sql::Statement rows = rows_.Rows(values, several_rows_);
    if (plan_.cut) rows = Cut(std::move(rows));
    std::vector<sql::Item> items;
    for (std::size_t k = 0; k < plan_.columns.size(); ++k)
      items.push_back({plan_.cut ? Names()[k] : Text(k, Names()[k])});
    items.push_back({sql::Cast(sql::CountRows(), sql::Stored::kWhole), "n"});
    return sql::Selected({.items = std::move(items), .from = sql::Rows(std::move(rows), "r"), .group_by = Names()});
  }

 private:
  // What is equal here is one key, byte for byte, and so is its text; so no key comes twice.
  sql::Term Value(std::size_t k) const {
    const sql::Term value = rows_.terms().Of(rows_.key(k));
    if (plan_.kinds[k] != Kind::kDay) return value;
    return sql::DaysBetween(value, sql::Literal(std::int64_t{0}, Type::kDate));
  }

  sql::Term Text(std::size_t k, sql::Term value) const {
    return plan_.kinds[k] == Kind::kText ? value : sql::Cast(std::move(value), sql::Stored::kText);
  }

  sql::Terms Names() const {
    sql::Terms names;
    for (std::size_t k = 0; k < plan_.columns.size(); ++k) names.push_back(sql::Name(fmt::format("k{}", k)));
    return names;
  }

  // The first keys of each unit by a hash of its name and the key, and where hashes agree by the keys themselves: only
  // by its own rows. By a hash of the key alone, one key would win over another in every unit that has both.
  sql::Statement Cut(sql::Statement rows) const {
    sql::Terms hashed = Names();
    hashed.push_back(sql::Name("u"));
    sql::Terms order = {sql::RowHash(std::move(hashed))};
    std::vector<sql::Item> items;
    for (const sql::Term& name : Names()) {
      order.push_back(name);
      items.push_back({name});
    }
    items.push_back({sql::Window("row_number", sql::Name("u"), std::move(order)), "i"});
    const auto numbered = sql::Selected({.items = std::move(items), .from = sql::Rows(std::move(rows), "d")});
    std::vector<sql::Item> kept;
    for (const sql::Term& name : Names()) kept.push_back({name});
    return sql::Selected({.items = std::move(kept),
                          .from = sql::Rows(numbered, "o"),
                          .where = sql::Infix(" <= ", {sql::Name("i"), sql::Number(plan_.most_keys)})});
  }

  const OpenKeysPlan& plan_;
  const bool several_rows_;
  const KeyRows rows_;
};

}  // namespace

Result<std::optional<std::vector<Value>>> OpenKeysPlan::ValuesOf(std::span<const std::string_view> key) const {
  const Error other = InternalError("a key has another form than planned");
  if (key.size() != kinds.size()) return other;
  std::vector<Value> values;
  for (std::size_t k = 0; k < key.size(); ++k) {
    const std::string_view text = key[k];
    if (kinds[k] == Kind::kText) {
      if (text.size() > kLongest || !IsUtf8(text)) return std::optional<std::vector<Value>>();
      values.emplace_back(std::string(text));
      continue;
    }
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return other;
    if (kinds[k] == Kind::kWhole)
      values.emplace_back(number);
    else
      values.emplace_back(DateText(number));
  }
  return std::optional(std::move(values));
}

Result<OpenKeysPlan> PlanOpenKeys(const std::vector<std::string>& columns, const std::string& where,
                                  std::optional<std::size_t> per_unit, const Policy& policy) {
  if (where.empty()) return PlanOpenKeys(columns, ExprPtr(), per_unit, policy);
  const auto condition = BindCondition(where, policy);
  if (!condition) return condition.error();
  return PlanOpenKeys(columns, *condition, per_unit, policy);
}

Result<OpenKeysPlan> PlanOpenKeys(const std::vector<std::string>& columns, const ExprPtr& where,
                                  std::optional<std::size_t> per_unit, const Policy& policy) {
  if (auto named = CheckKeyNames(columns); !named) return named.error();
  OpenKeysPlan plan;
  plan.columns = columns;
  bool declared = true;
  for (const std::string& name : columns) {
    const auto column = KeyColumn(name, policy);
    if (!column) return column.error();
    const auto kind = KindOf(**column);
    if (!kind) return kind.error();
    plan.kinds.push_back(*kind);
    declared = declared && IsDeclared(**column);
  }
  if (declared)
    return Unsupported("the policy says which values these columns can have: no delta is needed to count them", {},
                       "ask for groups, or for the large ones among very many cells")
        .For("request.cells");
  plan.unit_rows = policy.unit.key ? policy.unit.max_rows : 1;
  if (per_unit && (*per_unit < 1 || *per_unit > static_cast<std::size_t>(plan.unit_rows)))
    return InvalidArgument(fmt::format("a unit can be counted for 1 to {} keys: that is how many of its rows are kept",
                                       plan.unit_rows),
                           {}, "choose a number in this range")
        .For("keys.per_unit");
  const auto question = AskKeys(columns, where, policy);
  if (!question) return question.error();
  const bool one_each = OneKeyEach(columns, question->policy->unit_table());
  plan.most_keys = one_each ? 1 : per_unit ? static_cast<std::int64_t>(*per_unit) : plan.unit_rows;
  plan.cut = !one_each && plan.most_keys < plan.unit_rows;
  plan.normalised = fmt::format("units with each key of {}, at most {} of one unit: {}", KeyNamesText(columns),
                                plan.most_keys, question->normalised);
  plan.notes = NotesOf(*question, policy);
  const auto bounds = BoundQuestion(*question, *question->policy, question->columns);
  if (!bounds) return bounds.error();
  plan.charged = OfWholeUnits(policy, bounds->charged);
  const bool secret = !bounds->counters.front().change.IsNone() &&
                      std::find(plan.charged.begin(), plan.charged.end(), true) != plan.charged.end();
  if (!secret) {
    return Unsupported("nothing in these columns is secret: everybody can count them without kith", {},
                       "ask about columns that are not public");
  }
  plan.statement = OpenKeysMaker(*question, plan, plan.unit_rows > 1).Make();
  return plan;
}

}  // namespace kith
