// The parts of a policy, one function each; policy.cc calls them in this order.
#pragma once
#include "policy/policy.h"
#include "policy/sections/section.h"

namespace kith {

/// [data]: engine, tables and version.
Result<void> ReadData(const Section& section, Policy& policy);
/// [data]: which engine, where its server is, and whether rows may leave it.
Result<void> ReadEngine(const Section& section, Policy& policy);
/// Puts the schema of [data], if there is one, before the names of tables that have none.
Result<void> QualifyTables(const Section& section, Policy& policy);
/// What is declared next to 'source' of a server's table must not be about files.
Result<void> CheckServerTable(const Section& section);
/// source = "file", or a list of Parquet files.
Result<void> ReadSources(const Section& section, const Member& source, Table& table);
/// What is declared next to 'source': how the file is written. Needs the source.
Result<void> ReadFileFormat(const Section& section, Table& table);
/// How one column is read: as it says itself or as its table says. Needs the column's type.
Result<void> ReadColumnReading(const Section& section, const Table& table, Column& column);
/// [unit]: what one record is. Needs the tables.
Result<void> ReadUnit(const Section& section, Policy& policy);
/// [data] public_columns and frozen: promises about data that change, or do not. Needs the unit.
Result<void> ReadPromises(const Section& data, Policy& policy);
/// What data that are read in place, and may change whenever they like, leave room for. Needs all parts.
Result<void> CheckInPlace(const Section& root, const Policy& policy);
/// [columns]: public facts about columns, table by table. Needs the unit.
Result<void> ReadColumns(const Section& section, Policy& policy);
/// [unit] distance: where units are and how far they may move. Needs unit and columns.
Result<void> ReadDistance(const Section& unit, Policy& policy);
/// [unit] within and size: the outer unit. The column is looked up later.
Result<void> ReadWithin(const Section& unit, Policy& policy);
/// [budget.household]. Needs unit and dependence.
Result<void> ReadHouseholdBudget(const Section& budget, Policy& policy);
/// What nested units require of everything else. Needs all parts.
Result<void> CheckNesting(const Section& root, const Policy& policy);
/// What a unit that is a person in either of two columns requires of everything else. Needs all parts.
Result<void> CheckPairs(const Section& root, const Policy& policy);
/// Columns that are constant within a unit: what else the policy says must leave room for it.
Result<void> CheckConstant(const Section& root, const Policy& policy);
/// Columns that are public for each row: the same for these.
Result<void> CheckPerRow(const Section& root, const Policy& policy);
/// Tables of the units besides the unit's table: what else the policy says must leave room for them. Needs all parts.
Result<void> CheckMoreTables(const Section& root, const Policy& policy);
/// No public table is a secret one under another name, as far as names show.
Result<void> CheckPublicSources(const Section& root, const Policy& policy);
/// max_rows, of a unit or of one of its tables.
/// `other` and `max_other` of a table of [data]. Requires: key and max_rows are read.
Result<void> ReadOther(const Section& section, Table& table);
Result<std::int64_t> ReadRowLimit(const Section& section, const Member& member);
/// One column; `line` is the line of its name.
Result<Column> ReadColumn(const Section& section, const std::string& name, int line);
/// [dependence]: needs unit and columns.
Result<void> ReadDependence(const Section& section, Policy& policy);
/// [dependence] known: exact totals that somebody may know. Needs unit, columns and the model.
Result<void> ReadKnown(const Section& section, const Member& member, Policy& policy);
/// What known totals require of everything else. Needs all parts.
Result<void> CheckKnown(const Section& root, const Policy& policy);
/// [dependence] size = "column" or { column = { value = 1, other = 4 } }: sizes by a public column. Needs unit,
/// columns, 'by' and the classes of 'odds_ratio'.
Result<void> ReadSizes(const Section& section, const Member& member, Group& group, Policy& policy);
/// Where the strengths of a group are stated: a table of the policy, and its key.
struct Strengths {
  Section in;
  std::string key;
};
/// [dependence] attribute, ties and shared.
Result<Strengths> ReadTies(const Section& section, Group& group);
/// What an attribute of groups requires of everything else. Needs all parts.
Result<void> CheckAttribute(const Section& root, const Policy& policy);
/// [stream]: needs unit, columns and dependence.
Result<void> ReadStream(const Section& section, Policy& policy);
/// [budget]: epsilon and ledger.
Result<void> ReadBudget(const Section& section, Policy& policy);
/// `neighbours` in [budget], after all that it depends on.
Result<void> ReadNeighbours(const Section& section, Policy& policy);
/// [budget] delta, keys_delta, questions and caps: last of [budget].
Result<void> ReadDelta(const Section& section, Policy& policy);
Result<void> CheckDelta(const Section& root, const Policy& policy);
/// [one_sided]: attributes whose true records may be released. Needs columns and dependence.
Result<void> ReadOneSided(const Section& section, Policy& policy);

/// [server]: what a server shows and when.
Result<void> ReadServing(const Section& section, Policy& policy);

/// The model of kinds other than independent and group, written out in [dependence]; `kind` is one of them.
Result<void> ReadInlineModel(const Section& section, const std::string& kind, Policy& policy);
/// file = "model.json": the JSON form of any kind.
Result<void> ReadModelFile(const Section& section, const Member& file, Policy& policy);

/// Pipes and devices wait for a writer, and differ each time. Fails: kInvalidArgument. What cannot be examined, or is a
/// folder, is left to ReadTextFile.
Result<void> CheckRegular(const Section& section, const Member& named, const std::filesystem::path& file);

}  // namespace kith
