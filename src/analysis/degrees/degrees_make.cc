// For which tables of pairs, and which groups of people, degrees can be asked.
#include <fmt/format.h>

#include "analysis/degrees/degrees.h"
#include "query/bind/typing.h"

namespace kith {
namespace {

bool IsName(const Column& column) {
  return (column.type == ColumnType::kInteger || column.type == ColumnType::kText) && !column.lower &&
         column.values.empty() && !column.required;
}

// A column of names: a type and nothing else, so that what is stored is what is read.
Result<ColumnType> TypeOfEnd(const std::string& name, const Table& table) {
  const Column* column = table.Find(name);
  if (!column) {
    return InvalidArgument(fmt::format("there is no column {} in [columns.{}]", Shortened(name), table.name), {},
                           "name the two columns of people that the policy declares")
        .For("degrees.ends");
  }
  if (!IsName(*column)) {
    return InvalidArgument(fmt::format("{} does not name people", Shortened(name)), {},
                           "declare it as { type = \"integer\" } or { type = \"text\" }, without bounds or values");
  }
  return column->type;
}

std::optional<Error> WrongEnds(const DegreesOptions& options, const Policy& policy) {
  const auto& [one, other] = options.ends;
  const Unit& unit = policy.unit;
  if (one == other) return InvalidArgument("the two ends are one column", {}, "name two columns");
  if (unit.other_key) {
    const bool same = (one == *unit.key && other == *unit.other_key) || (other == *unit.key && one == *unit.other_key);
    if (same) return std::nullopt;  // the policy checked them
    return InvalidArgument("the two ends are not the columns that name the units", {},
                           fmt::format("name {} and {}", *unit.key, *unit.other_key))
        .For("degrees.ends");
  }
  if (unit.key && *unit.key != one) {
    return Unsupported(fmt::format("a unit is all rows of one {}, which is not the first end", Shortened(*unit.key)),
                       {},
                       "degrees need row = true (each friendship is a unit), the first end as key (each person's own "
                       "list) or both ends as key (a person with all friendships)");
  }
  const auto second = TypeOfEnd(other, policy.unit_table());
  if (!second) return second.error();
  if (unit.key) return std::nullopt;  // a key may be left undeclared, and is compared as text
  const auto first = TypeOfEnd(one, policy.unit_table());
  if (!first) return first.error();
  if (*first != *second) return InvalidArgument("the two ends have different types", {}, "declare the same type");
  return std::nullopt;
}

std::optional<Error> OutOfRange(const DegreesOptions& options, const Policy& policy) {
  if (options.max_degree < 1 || options.max_degree > DegreesOptions::kMaxDegree) {
    return InvalidArgument(fmt::format("the largest degree must be from 1 to {}", DegreesOptions::kMaxDegree), {},
                           "name one that few people exceed, such as 100")
        .For("degrees.max_degree");
  }
  if (policy.unit.key && static_cast<std::int64_t>(options.max_degree) > policy.unit.max_rows) {
    return InvalidArgument(fmt::format("the largest degree is more than the {} rows that a unit may contribute",
                                       policy.unit.max_rows),
                           {}, fmt::format("name {} or less", policy.unit.max_rows))
        .For("degrees.max_degree");
  }
  if (options.people && *options.people < 1)
    return InvalidArgument("the number of people must be positive", {}, "leave it out if it is not public")
        .For("degrees.people");
  return std::nullopt;
}

Result<PersonGroups> GroupsOf(const DegreesOptions& options, const Policy& policy) {
  if (policy.unit.key && !policy.unit.other_key) {
    return Unsupported("degrees by group are not for units that are a person's own list", {},
                       "declare both ends as key, or row = true");
  }
  if (options.people) {
    return InvalidArgument("the number of people is about everybody, groups are about parts", {},
                           "leave one of them out")
        .For("degrees.people");
  }
  const auto dot = options.by.find('.');
  const Table* table = dot == std::string::npos ? nullptr : policy.FindTable(options.by.substr(0, dot));
  if (!table || !table->is_public) {
    return InvalidArgument("the groups are not named by a column of a public table", {},
                           "declare people = { source = \"people.csv\", public = true } and name people.team")
        .For("degrees.by");
  }
  const Column* column = table->Find(options.by.substr(dot + 1));
  const bool listed = column && !column->values.empty() && column->type != ColumnType::kReal &&
                      column->type != ColumnType::kDate && column->type != ColumnType::kTimestamp;
  if (!listed) {
    return InvalidArgument(fmt::format("{} has no list of groups", Shortened(options.by)), {},
                           fmt::format("declare its values in [columns.{}]", table->name));
  }
  const Column* name = table->Find(options.names);
  const Column* end = policy.unit_table().Find(options.ends[0]);
  if (!name || !end || !IsName(*name) || name->type != end->type) {
    return InvalidArgument(
               "nothing says which column of the table names people as the pairs do", {},
               fmt::format("name a column of {} of the same type as {}", table->name, Shortened(options.ends[0])))
        .For("degrees.names");
  }
  if ((column->values.size() + 1) * options.max_degree > Plan::kMaxGroups) {
    return InvalidArgument(fmt::format("more than {} numbers would be asked", Plan::kMaxGroups), {},
                           "name a smaller largest degree, or a column with fewer values")
        .For("degrees.max_degree");
  }
  return PersonGroups{table->name, options.names, column->name, column->values};
}

}  // namespace

Result<std::unique_ptr<Degrees>> Degrees::Make(const DegreesOptions& options, const Policy& policy) {
  if (policy.stream) {
    return Unsupported("this policy describes a stream, whose budget is counted step by step", "[stream]",
                       "describe the table without [stream], with a ledger of its own for other data");
  }
  if (const auto error = WrongEnds(options, policy)) return *error;
  if (const auto error = OutOfRange(options, policy)) return *error;
  std::optional<RowCondition> condition;
  if (!options.where.empty()) {
    auto made = PlanCondition(options.where, policy);
    if (!made) return made.error();
    condition = std::move(*made);
  }
  std::optional<PersonGroups> groups;
  if (!options.by.empty()) {
    auto made = GroupsOf(options, policy);
    if (!made) return made.error();
    groups = std::move(*made);
  }
  PairStatements pairs(policy.unit.table, options.ends[0], options.ends[1], std::move(condition));
  return std::unique_ptr<Degrees>(new Degrees(options, policy, std::move(pairs), std::move(groups)));
}

Degrees::Degrees(const DegreesOptions& options, const Policy& policy, PairStatements pairs,
                 std::optional<PersonGroups> groups)
    : options_(options),
      table_(policy.unit.table),
      unit_(policy.unit.other_key ? Unit::kPerson
            : policy.unit.key     ? Unit::kList
                                  : Unit::kFriendship),
      names_are_text_(policy.unit_table().Find(options.ends[1])->type == ColumnType::kText),
      pairs_(std::move(pairs)),
      groups_(std::move(groups)),
      charged_(policy.cells.size(), true) {
  constexpr double kCounts = 0.85, kTotal = 0.15;
  weights_ = {{kCounts}, {kTotal}};
  if (counts_itself()) weights_ = {{kCounts, kTotal}};  // one scan
}

}  // namespace kith
