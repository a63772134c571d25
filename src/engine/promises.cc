#include "engine/promises.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "policy/per_row.h"
#include "sql/quote.h"

namespace kith {

Ends PlainEnds() {
  return {[](const std::string& column) { return fmt::format("min({})", QuotedName(column)); },
          [](const std::string& column) { return fmt::format("max({})", QuotedName(column)); }};
}

std::string Varies(const std::string& column, const Ends& ends) {
  return fmt::format("NOT (count({0}) = 0 OR (count({0}) = count(*) AND {1} = {2}))", QuotedName(column),
                     ends.least(column), ends.greatest(column));
}

std::optional<std::int64_t> DeclaredGroupSize(const Model& model) {
  if (const auto* group = std::get_if<Group>(&model)) return group->size;
  if (const auto* overlap = std::get_if<Overlap>(&model)) return overlap->size;
  if (const auto* hidden = std::get_if<HiddenCause>(&model)) return hidden->size;
  if (const auto* chain = std::get_if<Chain>(&model)) return chain->length;
  if (const auto* chain = std::get_if<ChainRegion>(&model)) return chain->length;
  return std::nullopt;
}

std::vector<std::string> SameWithinUnit(const Policy& policy) {
  std::vector<std::string> columns;
  if (!policy.unit.key) return columns;
  for (const Column& column : policy.unit_table().columns) {
    if (IsPublicOfUnit(column) && column.name != *policy.unit.key) columns.push_back(column.name);
  }
  const auto& by = policy.dependence.by;
  if (by && std::find(columns.begin(), columns.end(), *by) == columns.end()) columns.push_back(*by);
  return columns;
}

namespace {

/// Rows that count, ready for more conditions: those without a key are dropped.
std::string RowsOf(const Policy& policy) {
  return fmt::format("{} WHERE {}", QuotedName(policy.unit.table),
                     policy.unit.key ? QuotedName(*policy.unit.key) + " IS NOT NULL" : "true");
}

std::string At(const Policy& policy, const std::string& column) { return policy.unit.table + "." + column; }

/// How many units there are among rows.
std::string Persons(const Policy& policy) {
  return policy.unit.key ? fmt::format("count(DISTINCT {})", QuotedName(*policy.unit.key)) : "count(*)";
}

/// How many households; somebody without one is a household of one.
std::string Households(const Policy& policy) {
  const std::string within = QuotedName(*policy.unit.within);
  return fmt::format("count(DISTINCT {}) + {} FILTER (WHERE {} IS NULL)", within, Persons(policy), within);
}

void AddHouseholdPromises(const Policy& policy, const std::string& rows, const Ends& ends,
                          std::vector<Promise>* promises) {
  if (!policy.unit.within) return;
  const std::string& within = *policy.unit.within;
  const std::string households = fmt::format("{0} AND {1} IS NOT NULL GROUP BY {1} HAVING", rows, QuotedName(within));
  promises->push_back(
      {fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} {} > {}) AS g", households, Persons(policy),
                   policy.unit.size),
       InvalidArgument(fmt::format("the data contain a household with more than {} person{}, the declared size",
                                   policy.unit.size, policy.unit.size == 1 ? "" : "s"),
                       At(policy, within), "declare the size of the largest household in the world in [unit]")});
  for (const Column& column : policy.unit_table().columns) {
    if (!column.of_household) continue;
    promises->push_back(
        {fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} {}) AS g", households, Varies(column.name, ends)),
         InvalidArgument("a column differs within a household that is declared to be constant there",
                         At(policy, column.name),
                         "correct the data, or remove constant = \"household\" from the column")});
  }
  if (!policy.dependence.of_households || !policy.dependence.by) return;
  const std::string& by = *policy.dependence.by;
  promises->push_back({fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} {}) AS g", households, Varies(by, ends)),
                       InvalidArgument("persons of one household belong to different groups of households",
                                       At(policy, by), "make the column the same for all persons of a household")});
}

/// A declared value as it compares with its column.
std::string SqlOf(const Value& value) {
  const std::string text = ToText(value);
  if (!std::holds_alternative<std::string>(value)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

/// Within a group, whose members share the column: how many they may be. A value that is not declared is read as NULL,
/// or as the first one: both allow the largest groups. Empty where all classes allow the same size.
std::string SizeOfGroup(const Policy& policy, const Ends& ends) {
  const auto* group = std::get_if<Group>(&policy.dependence.model);
  if (group == nullptr) return {};
  std::string text = fmt::format("CASE {}", ends.least(*policy.dependence.strength_column));
  bool differs = false;
  for (std::size_t k = 0; k < group->classes.size(); ++k) {
    if (group->SizeOf(k) == group->size) continue;  // so it is for units without a value
    text += fmt::format(" WHEN {} THEN {}", SqlOf(policy.dependence.class_values.at(k)), group->SizeOf(k));
    differs = true;
  }
  return differs ? fmt::format("({} ELSE {} END)", text, group->size) : "";
}

void AddGroupPromises(const Policy& policy, const std::string& rows, const Ends& ends, std::vector<Promise>* promises) {
  const auto size = DeclaredGroupSize(policy.dependence.model);
  if (!policy.dependence.by || !size) return;
  const std::string& by = *policy.dependence.by;
  const std::string group = QuotedName(by);
  // Somebody without a household is a household of one.
  if (policy.dependence.by != policy.unit.within) {
    promises->push_back({fmt::format("SELECT count(*) FROM {} AND {} IS NULL", rows, group),
                         InvalidArgument("some units belong to no group: their group column is empty", At(policy, by),
                                         "give every unit a group (a group of its own if it depends on nobody)")});
  }
  const bool chains = Kind(policy.dependence.model) == "chain";
  const std::string members = policy.dependence.of_households ? Households(policy) : Persons(policy);
  promises->push_back(
      {fmt::format("SELECT count(*) FROM (SELECT 1 FROM {0} AND {1} IS NOT NULL GROUP BY {1} HAVING {2} > {3}) AS g",
                   rows, group, members, *size),
       InvalidArgument(
           fmt::format("the data contain a {} with more than {} {}{}, the declared {}", chains ? "chain" : "group",
                       *size, chains ? "row" : "member", *size == 1 ? "" : "s", chains ? "length" : "size"),
           At(policy, by),
           chains ? "declare in [dependence] the length of the longest chain in the world"
                  : "declare the size of the largest group in the world in [dependence]")});
  if (policy.dependence.strength_column) {
    const std::string& strength = *policy.dependence.strength_column;
    if (const std::string of_group = SizeOfGroup(policy, ends); !of_group.empty()) {
      promises->push_back(
          {fmt::format(
               "SELECT count(*) FROM (SELECT 1 FROM {0} AND {1} IS NOT NULL GROUP BY {1} HAVING {2} > {3}) AS g", rows,
               group, members, of_group),
           InvalidArgument("the data contain a group with more members than its stratum declares", At(policy, strength),
                           "declare for every value the size of its largest group in the world in [dependence], or "
                           "correct the column")});
    }
    promises->push_back(
        {fmt::format("SELECT count(*) FROM (SELECT 1 FROM {0} AND {1} IS NOT NULL GROUP BY {1} HAVING {2}) AS g", rows,
                     group, Varies(strength, ends)),
         InvalidArgument("the column that selects the strength differs within a group", At(policy, strength),
                         "make it the same for all members of a group")});
  }
}

void AddUnitPromises(const Policy& policy, const std::string& rows, const Ends& ends, std::vector<Promise>* promises) {
  for (const std::string& column : SameWithinUnit(policy)) {
    promises->push_back({fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} GROUP BY {} HAVING {}) AS g", rows,
                                     QuotedName(*policy.unit.key), Varies(column, ends)),
                         InvalidArgument("a public column differs between rows of one unit", At(policy, column),
                                         "correct the data, or do not declare the column public"),
                         true});
  }
  if (!RowsArePublic(policy)) return;
  // All rows count: which of them do must not follow from secrets, since everybody knows which rows there are.
  promises->push_back(
      {fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} GROUP BY {} HAVING count(*) > {}) AS g", rows,
                   QuotedName(*policy.unit.key), policy.unit.max_rows),
       InvalidArgument(fmt::format("a unit has more than {} row{}, and rows are public", policy.unit.max_rows,
                                   policy.unit.max_rows == 1 ? "" : "s"),
                       At(policy, *policy.unit.key),
                       "raise max_rows to the most rows that any unit can have, or do not declare a column public for "
                       "each row"),
       true});
}

/// What a row of the unit table is joined with is then one row, or none.
void AddKeyPromises(const Policy& policy, std::vector<Promise>* promises) {
  for (const Table& table : policy.tables) {
    if (!table.key || table.OfUnits()) continue;  // units may have many rows
    const std::string key = QuotedName(*table.key);
    promises->push_back(
        {fmt::format("SELECT count(*) FROM (SELECT 1 FROM {0} WHERE {1} IS NOT NULL GROUP BY {1} HAVING "
                     "count(*) > 1) AS g",
                     QuotedName(table.name), key),
         InvalidArgument("a value of the key of a public table occurs more than once", table.name + "." + *table.key,
                         "keep one row for each value, or remove the key from [data]")});
  }
}

/// Hidden causes are nodes, but not anybody's records.
std::int64_t Hidden(const Field& field) {
  return static_cast<std::int64_t>(std::set<std::uint32_t>(field.hidden.begin(), field.hidden.end()).size());
}

/// How many records a model describes one by one; nothing for models that hold for any number of groups.
std::optional<std::int64_t> NamedRecords(const Dependence& dependence) {
  struct Count {
    std::optional<std::int64_t> operator()(const Independent&) const { return std::nullopt; }
    std::optional<std::int64_t> operator()(const Group&) const { return std::nullopt; }
    std::optional<std::int64_t> operator()(const Overlap&) const { return std::nullopt; }
    std::optional<std::int64_t> operator()(const Field& m) const { return m.nodes - Hidden(m); }
    std::optional<std::int64_t> operator()(const Chain& m) const { return m.length; }
    std::optional<std::int64_t> operator()(const ChainRegion& m) const { return m.length; }
    std::optional<std::int64_t> operator()(const TreeRegion& m) const {
      return static_cast<std::int64_t>(m.parents.size());
    }
    std::optional<std::int64_t> operator()(const HiddenCause&) const { return std::nullopt; }
    std::optional<std::int64_t> operator()(const Tree& m) const { return static_cast<std::int64_t>(m.parents.size()); }
    std::optional<std::int64_t> operator()(const Star& m) const {
      return static_cast<std::int64_t>(m.neighbours.size()) + 1;
    }
    std::optional<std::int64_t> operator()(const Lipschitz& m) const {
      return static_cast<std::int64_t>(m.influence.size());
    }
    std::optional<std::int64_t> operator()(const Joint& m) const { return static_cast<std::int64_t>(m.values.size()); }
    std::optional<std::int64_t> operator()(const PairLaws& m) const {
      return m.links.empty() ? std::nullopt : std::optional(m.nodes);
    }
  };
  if (dependence.edges) {
    const auto* field = std::get_if<Field>(&dependence.model);
    return dependence.edges->nodes - (field != nullptr ? Hidden(*field) : 0);
  }
  return std::visit(Count{}, dependence.model);
}

/// A model of n records says nothing about a unit beyond them. Where presence is a secret, so is the number of units:
/// then it stays a promise.
void AddRecordPromise(const Policy& policy, const std::string& rows, std::vector<Promise>* promises) {
  const auto records = NamedRecords(policy.dependence);
  if (!records || policy.unit.presence == Presence::kSecret) return;
  // The records of a chain in a stream are one unit's states, step by step: any number of units has its own.
  if (policy.stream && std::holds_alternative<Chain>(policy.dependence.model)) return;
  // With 'by' there are many chains; the rows of each are counted.
  if (policy.dependence.by && Kind(policy.dependence.model) == "chain") return;
  const std::string units = policy.dependence.of_households ? Households(policy) : Persons(policy);
  promises->push_back(
      {fmt::format("SELECT CAST({} > {} AS INTEGER) FROM {}", units, *records, rows),
       InvalidArgument(fmt::format("the table has more units than the {} records of the dependence model", *records),
                       "[dependence]",
                       "declare a model of every unit in the world, including those outside the table")});
}

}  // namespace

std::string StrataOfGroups(const Policy& policy, const Ends& ends) {
  if (!policy.dependence.by || !policy.dependence.strength_column) return {};
  const std::string most =
      SizeOfGroup(policy, ends);  // where all strata declare the same, that is checked without them
  return fmt::format(
      "SELECT count(*) FILTER (WHERE m > s), count(*) FILTER (WHERE v) FROM (SELECT {0} AS m, {1} AS s, {2} AS v FROM "
      "{3} AND {4} IS NOT NULL GROUP BY {4}) AS g",
      policy.dependence.of_households ? Households(policy) : Persons(policy),
      most.empty() ? "CAST(NULL AS BIGINT)" : most, Varies(*policy.dependence.strength_column, ends), RowsOf(policy),
      QuotedName(*policy.dependence.by));
}

std::vector<Promise> PromisesOf(const Policy& policy, const Ends& ends) {
  const std::string rows = RowsOf(policy);
  std::vector<Promise> promises;
  AddGroupPromises(policy, rows, ends, &promises);
  AddHouseholdPromises(policy, rows, ends, &promises);
  AddUnitPromises(policy, rows, ends, &promises);
  AddRecordPromise(policy, rows, &promises);
  AddKeyPromises(policy, &promises);
  return promises;
}

}  // namespace kith
