#include "analysis/degrees/pair_statements.h"

#include <algorithm>

namespace kith {
namespace {

sql::Term Literal(const Value& value) {
  if (std::holds_alternative<std::string>(value)) return sql::Literal(value, Type::kText);
  return sql::Literal(value, std::holds_alternative<bool>(value) ? Type::kBoolean : Type::kInteger);
}

sql::Term GroupIndex(const PersonGroups& groups) {
  const sql::Term column = sql::Column("g", groups.column);
  sql::Terms parts;
  for (std::size_t k = 0; k < groups.values.size(); ++k) {
    parts.push_back(sql::Infix(" = ", {column, Literal(groups.values[k])}));
    parts.push_back(sql::Number(static_cast<Int128>(k)));
  }
  parts.push_back(sql::Number(static_cast<Int128>(groups.values.size())));
  return sql::Case(std::move(parts));
}

const sql::Term& NameA() {
  static const sql::Term name = sql::Name("p", "a");
  return name;
}
const sql::Term& NameB() {
  static const sql::Term name = sql::Name("p", "b");
  return name;
}
// Mixed up, so that the people whose names come first are not preferred; the names decide between equal hashes.
sql::Term Mixed() { return sql::RowHash({NameA(), NameB()}); }

}  // namespace

PairStatements::PairStatements(std::string table, std::string first, std::string second,
                               std::optional<RowCondition> condition)
    : table_(std::move(table)),
      first_(sql::Column("t", std::move(first))),
      second_(sql::Column("t", std::move(second))),
      condition_(std::move(condition)) {}

sql::Term PairStatements::AndCondition(sql::Term test) const {
  return condition_ ? sql::All({std::move(test), sql::Paren(condition_->term)}) : test;
}

sql::Statement PairStatements::Pairs() const {
  return sql::Selected({.items = {{sql::Least({first_, second_}), "a"}, {sql::Greatest({first_, second_}), "b"}},
                        .from = sql::Table(table_, "t"),
                        .where = AndCondition(sql::Infix(" <> ", {first_, second_}))});
}

sql::Statement PairStatements::Range() const {
  return sql::Selected({.items = {{sql::CountRows()}, {sql::Min(sql::Name("a"))}, {sql::Max(sql::Name("b"))}},
                        .from = sql::Rows(Pairs(), "p")});
}

sql::Statement PairStatements::OrderedNumbers() const {
  const sql::Term both = sql::Infix(" + ", {sql::Infix(" * ", {NameA(), sql::Number(Int128{1} << 31)}), NameB()});
  return sql::Selected(
      {.items = {{both, "k"}}, .from = sql::Rows(Pairs(), "p"), .order_by = {Mixed(), sql::Name("k")}});
}

std::string PairStatements::Apart(const std::string& name, const std::string& other) const {
  return name + std::string(std::max(table_.size(), other.size()), '_');  // longer than any of them
}

std::vector<sql::With> PairStatements::Numbering(const std::string& other) const {
  const std::string p = Apart("p", other);
  const auto ends = [&](const char* end) {
    return sql::Selected({.items = {{sql::Name(end), "v"}}, .from = sql::Own(p)});
  };
  const sql::Term v = sql::Name("v");
  const sql::Term number = sql::Infix(" - ", {sql::Window("row_number", nullptr, {v}), sql::Number(1)});
  const auto numbered =
      sql::Selected({.items = {{v}, {number, "n"}}, .from = sql::Rows(sql::United(ends("a"), ends("b"), false), "u")});
  return {{p, Pairs()}, {Apart("people", other), numbered, true}};
}

sql::Statement PairStatements::OrderedAny() const {
  const std::string people = Apart("people", "");
  const auto person = [&](const char* name, const sql::Term& of) {
    return sql::Join{.source = sql::Own(people, name), .on = sql::Infix(" = ", {sql::Name(name, "v"), of})};
  };
  return sql::Selected({.with = Numbering(""),
                        .items = {{sql::Name("x", "n"), "a"}, {sql::Name("y", "n"), "b"}},
                        .from = sql::Own(Apart("p", ""), "p"),
                        .joins = {person("x", NameA()), person("y", NameB())},
                        .order_by = {Mixed(), NameA(), NameB()}});
}

sql::Statement PairStatements::GroupsOfNumbers(const PersonGroups& groups, std::int64_t largest) const {
  const sql::Term name = sql::Column("g", groups.name);
  return sql::Selected({.items = {{name, "n"}, {sql::Min(GroupIndex(groups)), "g"}},
                        .from = sql::Table(groups.table, "g"),
                        .where = sql::Between(name, sql::Number(0), sql::Number(largest)),
                        .group_by = {name}});
}

sql::Statement PairStatements::GroupsOfAny(const PersonGroups& groups) const {
  const sql::Term number = sql::Name("x", "n");
  const sql::Term same = sql::Infix(" = ", {sql::Column("g", groups.name), sql::Name("x", "v")});
  return sql::Selected({.with = Numbering(groups.table),
                        .items = {{number, "n"}, {sql::Min(GroupIndex(groups)), "g"}},
                        .from = sql::Own(Apart("people", groups.table), "x"),
                        .joins = {{.source = sql::Table(groups.table, "g"), .on = same}},
                        .group_by = {number}});
}

}  // namespace kith
