#include "query/key_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "policy/per_row.h"
#include "query/bind/typing.h"
#include "query/parse/parts.h"
#include "sql/quote.h"

namespace kith {

Result<Question> AskKeys(const std::vector<std::string>& columns, const ExprPtr& where, const Policy& policy) {
  auto question = AskParts({where, {}, {}}, policy);
  if (!question) return question.error();
  const Table& table = question->policy->unit_table();
  for (const std::string& name : columns) {
    Key key;
    key.expr = MakeColumn(table, static_cast<std::size_t>(table.Find(name) - table.columns.data()));
    key.name = key.text = name;
    // How many cells there are does not matter to the change of L1, as long as there are several.
    key.shown.resize(2);
    question->where = BothConditions(
        question->where, MakeExpr(Op::kNot, Type::kBoolean, {MakeExpr(Op::kIsNull, Type::kBoolean, {key.expr})}));
    question->keys.push_back(std::move(key));
  }
  return question;
}

Result<const Column*> KeyColumn(const std::string& name, const Policy& policy) {
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
  return column;
}

Result<void> CheckKeyNames(const std::vector<std::string>& names) {
  if (names.empty())
    return InvalidArgument("there is no column to tell cells apart by", {}, "name one or more").For("columns");
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second)
      return InvalidArgument("a column is named twice", Shortened(name), "name each once").For("columns");
  }
  return {};
}

bool OneKeyEach(const std::vector<std::string>& columns, const Table& table) {
  return std::all_of(columns.begin(), columns.end(), [&](const std::string& name) {
    const Column& column = *table.Find(name);
    return column.constant || IsPublicOfUnit(column);
  });
}

std::string KeyNamesText(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + IdentifierText(name);
  return text;
}

sql::Statement KeyRows::Rows(const sql::Terms& values, bool units) const {
  std::vector<sql::Item> items;
  if (units) items.push_back({UnitKey(policy_), "u"});
  for (std::size_t k = 0; k < values.size(); ++k) items.push_back({values[k], fmt::format("k{}", k)});
  return sql::Selected({.distinct = units,
                        .items = std::move(items),
                        .from = KeptRows(question_, policy_),
                        .where = question_.where ? rows_.Condition(*question_.where) : nullptr});
}

}  // namespace kith
