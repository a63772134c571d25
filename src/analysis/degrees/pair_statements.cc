#include "analysis/degrees/pair_statements.h"

#include <fmt/format.h>

#include <algorithm>

#include "sql/expr.h"

namespace kith {
namespace {

std::string QuotedName(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

std::string Order(Dialect dialect) {
  // Mixed up, so that the people whose names come first are not preferred; the names decide between equal hashes.
  return dialect == Dialect::kDuckDb ? "hash(p.a, p.b), " : "";
}

std::string Literal(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return QuotedText(*text);
  return ToText(value);
}

std::string GroupIndex(const PersonGroups& groups) {
  std::string index = "CASE";
  for (std::size_t k = 0; k < groups.values.size(); ++k)
    index += fmt::format(" WHEN g.{} = {} THEN {}", QuotedName(groups.column), Literal(groups.values[k]), k);
  return index + fmt::format(" ELSE {} END", groups.values.size());
}

}  // namespace

PairStatements::PairStatements(std::string table, std::string first, std::string second,
                               std::optional<RowCondition> condition)
    : table_(std::move(table)),
      first_("t." + QuotedName(first)),
      second_("t." + QuotedName(second)),
      condition_(std::move(condition)) {}

std::string PairStatements::AndCondition(Dialect dialect) const {
  return condition_ ? " AND (" + condition_->Sql(dialect) + ")" : "";
}

std::string PairStatements::Pairs(Dialect dialect) const {
  return fmt::format("SELECT least({0}, {1}) AS a, greatest({0}, {1}) AS b FROM {2} AS t WHERE {0} <> {1}{3}", first_,
                     second_, QuotedName(table_), AndCondition(dialect));
}

std::string PairStatements::Range(Dialect dialect) const {
  return fmt::format("SELECT count(*), min(a), max(b) FROM ({}) AS p", Pairs(dialect));
}

std::string PairStatements::OrderedNumbers(Dialect dialect) const {
  return fmt::format("SELECT p.a * 2147483648 + p.b AS k FROM ({}) AS p ORDER BY {}k", Pairs(dialect), Order(dialect));
}

std::string PairStatements::Apart(const std::string& name, const std::string& other) const {
  return name + std::string(std::max(table_.size(), other.size()), '_');  // longer than any of them
}

std::string PairStatements::Numbering(Dialect dialect, const std::string& other) const {
  return fmt::format(
      "WITH {0} AS ({1}), {2} AS MATERIALIZED (SELECT v, row_number() OVER (ORDER BY v) - 1 AS n FROM (SELECT a AS v "
      "FROM {0} UNION SELECT b AS v FROM {0}) AS u)",
      Apart("p", other), Pairs(dialect), Apart("people", other));
}

std::string PairStatements::OrderedAny(Dialect dialect) const {
  const std::string people = Apart("people", "");
  return fmt::format(
      "{0} SELECT x.n AS a, y.n AS b FROM {1} AS p JOIN {2} AS x ON x.v = p.a JOIN {2} AS y ON y.v = p.b ORDER BY "
      "{3}p.a, p.b",
      Numbering(dialect, ""), Apart("p", ""), people, Order(dialect));
}

std::string PairStatements::GroupsOfNumbers(const PersonGroups& groups, std::int64_t largest, Dialect) const {
  return fmt::format("SELECT g.{0} AS n, min({1}) AS g FROM {2} AS g WHERE g.{0} BETWEEN 0 AND {3} GROUP BY g.{0}",
                     QuotedName(groups.name), GroupIndex(groups), QuotedName(groups.table), largest);
}

std::string PairStatements::GroupsOfAny(const PersonGroups& groups, Dialect dialect) const {
  const std::string people = Apart("people", groups.table);
  return fmt::format("{} SELECT x.n AS n, min({}) AS g FROM {} AS x JOIN {} AS g ON g.{} = x.v GROUP BY x.n",
                     Numbering(dialect, groups.table), GroupIndex(groups), people, QuotedName(groups.table),
                     QuotedName(groups.name));
}

}  // namespace kith
