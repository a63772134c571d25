#include "policy/facts.h"

#include <fmt/format.h>

#include <array>

#include "policy/per_row.h"

namespace kith {
namespace {

using Made = std::vector<std::vector<std::string>>;

std::string Listed(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, " and ")); }

std::string RowsText(std::int64_t rows) { return fmt::format("{} row{}", rows, rows == 1 ? "" : "s"); }

Made Known(const Policy&, const DataSoFar&) { return {{}}; }

Made PublicTables(const Policy& policy, const DataSoFar&) {
  Made made;
  for (const Table& table : policy.tables) {
    if (table.is_public) made.push_back({table.name});
  }
  return made;
}

Made FixedPublicColumns(const Policy& policy, const DataSoFar&) {
  return policy.fixed_public_columns && !policy.ReadInPlace() ? Made{{}} : Made();
}

Made FixedInPlace(const Policy& policy, const DataSoFar&) {
  if (!policy.fixed_public_columns || !policy.ReadInPlace()) return {};
  return {{policy.dependence.by ? "public columns or group" : "public columns"}};
}

Made FixedRows(const Policy& policy, const DataSoFar&) {
  return policy.fixed_public_columns && RowsArePublic(policy) ? Made{{policy.unit.table}} : Made();
}

Made Frozen(const Policy& policy, const DataSoFar& data) {
  if (!policy.frozen || policy.fixed_public_columns) return {};
  return {{data.version.empty() ? "one version" : "version " + data.version}};
}

// Charges that were made to some cells rest on what was promised of the data then, which what is promised now need not
// repeat. (A policy that reads snapshots says it where it may have read data in place before: of snapshots it is true.)
Made ChargedByCell(const Policy& policy, const DataSoFar& data) {
  const bool said = policy.ReadInPlace() && policy.fixed_public_columns;
  const bool other = policy.ReadInPlace() ? data.replaced : data.before;
  return data.by_cell && other && !said ? Made{{}} : Made();
}

// Of the unit's table and of all others: who is named in a row.
Made Owners(const Policy& policy, const DataSoFar&) {
  Made made;
  const Unit& unit = policy.unit;
  if (unit.key) made.push_back({unit.table, *unit.key + (unit.other_key ? " and " + *unit.other_key : "")});
  for (const Table& table : policy.tables) {
    if (table.OfUnits()) made.push_back({table.name, *table.key + (table.other ? " and " + *table.other : "")});
  }
  return made;
}

Made RowsAsUnits(const Policy& policy, const DataSoFar&) {
  return policy.unit.key ? Made() : Made{{policy.unit.table}};
}

Made OthersNamed(const Policy& policy, const DataSoFar&) {
  Made made;
  for (const Table& table : policy.tables) {
    if (table.other) made.push_back({*table.other, RowsText(table.max_other), table.name});
  }
  return made;
}

Made PublicPresence(const Policy& policy, const DataSoFar&) {
  return policy.unit.presence == Presence::kPublic ? Made{{policy.unit.table}} : Made();
}

Made HouseholdsStay(const Policy& policy, const DataSoFar& data) {
  return data.replaced && policy.unit.within && !policy.fixed_public_columns ? Made{{}} : Made();
}

Made GroupsStay(const Policy& policy, const DataSoFar& data) {
  const bool groups = policy.dependence.by && !policy.unit.within;
  return data.replaced && groups && !policy.fixed_public_columns ? Made{{}} : Made();
}

Made HouseholdSize(const Policy& policy, const DataSoFar&) {
  if (!policy.unit.within) return {};
  return {{*policy.unit.within, fmt::format("{} person{}", policy.unit.size, policy.unit.size == 1 ? "" : "s")}};
}

Made PlacesInBounds(const Policy& policy, const DataSoFar&) {
  const auto& distance = policy.unit.distance;
  if (!distance || distance->metric != DistanceMetric::kGreatCircle) return {};
  return {{Listed(distance->columns)}};
}

Made Columns(const Policy& policy, bool per_row) {
  std::vector<std::string> names;
  for (const Column& column : policy.unit_table().columns) {
    if (column.is_public && column.per_row == per_row) names.push_back(column.name);
  }
  return names.empty() ? Made() : Made{{Listed(names)}};
}
Made PublicColumns(const Policy& policy, const DataSoFar&) { return Columns(policy, false); }
Made ColumnsPerRow(const Policy& policy, const DataSoFar&) { return Columns(policy, true); }

Made TotalsAsRead(const Policy& policy, const DataSoFar&) { return policy.dependence.known ? Made{{}} : Made(); }

Made Stay(const Policy& policy, const DataSoFar&) {
  if (!policy.stream) return {};
  return {{fmt::format("{} step{}", policy.stream->window, policy.stream->window == 1 ? "" : "s")}};
}

Made NotSensitive(const Policy& policy, const DataSoFar&) {
  Made made;
  for (const OneSidedAttribute& attribute : policy.one_sided) made.push_back({attribute.name});
  return made;
}

constexpr std::string_view kRefused = "when the data are opened, for everybody: questions are refused";
constexpr std::string_view kCompared =
    "an import compares CSV files, and Iceberg tables behind Trino, with the import before, and refuses; other data "
    "cannot be compared";
constexpr std::string_view kNobody = "nobody can look at it";

const auto kFacts = std::to_array<Fact>({
    {"everything", "known without looking at the data", Standing::kPromised, kNobody,
     "nothing that the policy declares was found out from the data", Known},
    {"`tables.NAME`: `separator`, `decimal`, `encoding`, `missing`, `dates`", "how the file is written",
     Standing::kEnforced, "what cannot be read in this way is missing; an import counts it, for the curator"},
    {"`tables.NAME`: `public = true`", "everybody may know all of this table", Standing::kPromised,
     "refused only if its source is that of a secret table", "everything in {table} is public", PublicTables},
    {"`tables.NAME`: `key` of a public table", "each value is there once", Standing::kChecked, kRefused},
    {"`key`, `other`", "whose record a row belongs to", Standing::kPromised, kNobody,
     "a row of {table} belongs to whoever is named in {columns} and to nobody else, and nobody has two names there",
     Owners},
    {"`max_rows`", "how many rows of one unit count", Standing::kEnforced,
     "further rows are left out of every answer; an import counts them, for the curator. Where rows are public: "
     "checked, and questions are refused"},
    {"`max_other`", "how many rows of all others name one unit", Standing::kPromised,
     "an import counts them, for the curator; no question is refused or changed",
     "no unit is named in {other} by more than {max_other} of {table}", OthersNamed, true},
    {"`public_columns = \"fixed\"`", "they do not change from one version of the data to the next", Standing::kPromised,
     kCompared, "no unit's public columns changed between versions of the data", FixedPublicColumns},
    {"`public_columns = \"fixed\"`, data in place", "they and the group do not change at all", Standing::kPromised,
     kNobody, "no unit's {columns} changed, neither between versions of the data nor under one", FixedInPlace},
    {"`public_columns = \"fixed\"`, where rows are public", "nor do the rows of a unit", Standing::kPromised, kCompared,
     "no row of {table} came or went", FixedRows},
    {"`frozen = true`", "data in place do not change under this version", Standing::kPromised, kNobody,
     "the data are read in place and do not change under {version}", Frozen},
    {"charges to some cells, before the policy read what it reads now or without its promises",
     "the data did not change meanwhile", Standing::kPromised, kNobody,
     "while charges were to single public cells, the data did not change under one version", ChargedByCell},
    {"`row = true`", "each row is all of a unit", Standing::kPromised, kNobody,
     "no two rows of {table} are about one unit", RowsAsUnits},
    {"`presence = \"public\"`", "everybody knows who is in the table", Standing::kPromised, kNobody,
     "who is in {table} is public", PublicPresence},
    {"`within`", "no person changes the household", Standing::kPromised, kCompared,
     "no person changed the household between versions of the data", HouseholdsStay},
    {"`within`: `size`", "the most persons in one household", Standing::kPromised,
     "checked for units in the data when they are opened: questions are refused",
     "no household by {within} has more than {size}, those included who are not in the data", HouseholdSize},
    {"`distance`: bounds of a place on the earth", "everybody is within", Standing::kPromised,
     "an import counts places beyond them, for the curator", "everybody is within the bounds of {columns}",
     PlacesInBounds, true},
    {"columns: `type`, `values`, `lower`, `upper`, `required`, `pattern`", "what a column can be", Standing::kEnforced,
     "other values are missing, or are read as the nearest bound; an import counts them, for the curator"},
    {"columns: `public = true`", "everybody knows it of every unit", Standing::kPromised, kNobody,
     "everybody knows {columns} of every unit", PublicColumns},
    {"columns: `public = true`", "it is the same in all rows of a unit", Standing::kChecked, kRefused},
    {"columns: `public = \"per row\"`", "everybody knows how many rows of a unit have which value", Standing::kPromised,
     kNobody, "everybody knows how many rows of a unit have which {columns}", ColumnsPerRow},
    {"columns: `constant = true`", "it is the same in all rows of a unit", Standing::kEnforced,
     "it is read from one row of each unit"},
    {"columns: `constant = \"household\"`", "it is the same for a household", Standing::kChecked, kRefused},
    {"`[dependence]`: the model", "how records depend on each other", Standing::kPromised,
     "`kith check` looks for a contradiction, at a price; silence proves nothing"},
    {"`[dependence]`: `size`, `length`, sizes by column", "how large groups and chains are", Standing::kChecked,
     "for units in the data, when they are opened, for everybody: questions are refused. Of those who are not in the "
     "data it is part of the model"},
    {"`[dependence]`: `by`", "every unit has a group", Standing::kChecked, kRefused},
    {"`[dependence]`: `by`", "no unit changes its group", Standing::kPromised, kCompared,
     "no unit changed its group between versions of the data", GroupsStay},
    {"`[dependence]`: strengths by column", "the column is the same in a whole group", Standing::kChecked, kRefused},
    {"`[dependence]`: `nodes`, tables of a model", "the model describes everybody", Standing::kPromised,
     "where presence is public, checked when the data are opened: questions are refused"},
    {"`[dependence]`: `reviewed`", "the model holds for the record as it is now declared", Standing::kPromised,
     kNobody},
    {"`[dependence]`: `known`", "which totals somebody may know", Standing::kPromised, kNobody,
     "the totals that somebody knows are those of the rows and values that count", TotalsAsRead},
    {"`[stream]`: `window`", "how long a unit stays", Standing::kPromised,
     "certificates say what longer stays lose; nobody looks at it", "no unit stays for more than {window}", Stay},
    {"`[one_sided]`: `sensitive`", "all other rows may be seen by everybody", Standing::kPromised, kNobody,
     "rows that the rule of {attribute} does not call sensitive need no protection", NotSensitive},
});

/// The words with the k-th argument in place of the k-th name in braces.
std::string Filled(std::string_view words, const std::vector<std::string>& arguments) {
  std::string text;
  for (std::size_t k = 0; !words.empty(); ++k) {
    const std::size_t open = words.find('{'), close = words.find('}');
    text += words.substr(0, open);
    if (open == std::string_view::npos) break;
    text += arguments.at(k);
    words.remove_prefix(close + 1);
  }
  return text;
}

template <class Which>
std::vector<std::string> Promises(const Policy& policy, const DataSoFar& data, Which which) {
  std::vector<std::string> promises;
  for (const Fact& fact : kFacts) {
    if (fact.made == nullptr || !which(fact)) continue;
    for (const auto& arguments : fact.made(policy, data)) promises.push_back(Filled(fact.words, arguments));
  }
  return promises;
}

}  // namespace

std::span<const Fact> Facts() { return kFacts; }

std::vector<std::string> PromisesMadeBy(const Policy& policy, const DataSoFar& data) {
  return Promises(policy, data, [](const Fact&) { return true; });
}

std::vector<std::string> PromisesNotCounted(const Policy& policy) {
  const std::string version = policy.data_version.empty() ? "1" : policy.data_version;
  return Promises(policy, {.replaced = true, .version = version}, [](const Fact& fact) { return !fact.counted; });
}

}  // namespace kith
