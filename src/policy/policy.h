// policy.toml, checked: the tables, what one unit is, public facts about columns, the declared dependence, the budget.
// Everything here is public. Every later module takes a Policy and can rely on its checks.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unit_level.h"
#include "base/value.h"
#include "loss/loss.h"
#include "policy/distance.h"
#include "policy/file_format.h"
#include "policy/key_pattern.h"
#include "transfer/transfer.h"

namespace kith {

enum class ColumnType { kBoolean, kInteger, kReal, kText, kDate, kTimestamp };

/// A declared column. Exactly one of `values` (finite domain) or bounds (numbers, dates) may be given; a column with
/// neither can be tested for NULL and compared, never summed or grouped by. A boolean column without `values` gets
/// false and true.
struct Column {
  std::string name;
  ColumnType type = ColumnType::kText;
  // Declared domain; anything else in the data is read as NULL. Distinct, all of one alternative: bool, int64, double
  // or text; dates and timestamps are text, "2024-01-31" and "2024-01-31 10:20:30[.123456]" (dates.h converts them to
  // numbers).
  ValueList values;
  // Values beyond are clamped. Exact; dates as days since 1970-01-01, timestamps as microseconds.
  std::optional<double> lower, upper;
  bool is_public = false;  // known to everybody: one value for each unit, or one for each of its rows
  // public = "per row": rows of a unit differ in it, and how many of them have which value is known to everybody. Only
  // in the unit's table, where units have a key; then no unit has more than max_rows rows (checked). Public as well.
  bool per_row = false;
  // constant = "household": public, and the same for all persons of a household. Not `constant`.
  bool of_household = false;
  bool required = false;  // never NULL: a missing value is read as the lower bound or the first declared value
  // A secret that is one per unit: read from the first of the unit's kept rows, for all of them. Only in the unit's
  // table, where units have a key.
  bool constant = false;
  int line = 0;                // in the policy file, for messages
  ColumnReading reading = {};  // its own, or its table's
  // Of a text column without values: how strings that can be distinguished in very many cells are written
  // (query/sparse_cells.h). Everything else reads the column as if there were none.
  std::optional<KeyPattern> pattern = std::nullopt;
};

struct Table {
  std::string name;
  // Path of a csv, parquet or duckdb file relative to the policy, or an engine's table name. "folder/*.parquet" names
  // all matching files of a folder.
  std::string source;
  bool is_public = false;                               // everybody knows it; it holds no unit's secrets
  std::vector<Column> columns;                          // only these can be used
  const Column* Find(const std::string& column) const;  // nullptr if not declared
  // Of a public table: a declared column in which every value occurs once; joins are on it. Of another table of the
  // units: the declared column that names the unit a row belongs to.
  std::optional<std::string> key = std::nullopt;
  // Not 0: another table of the units, besides the unit's table, of which each unit keeps at most this many rows. A
  // unit is then somebody with all rows in all of these tables; how many there are here is a secret, whatever presence
  // is.
  std::int64_t max_rows = 0;
  // Of another table of the units: a column that names a second unit that a row is about. The row belongs to the unit
  // of `key`, by which rows are kept; the unit named here is protected as well, if it is in at most `max_other` rows of
  // all others, which is a promise. Only where records are independent.
  std::optional<std::string> other = std::nullopt;
  std::int64_t max_other = 0;
  // Of the table of units that questions know besides the unit's table (query/bind/units_table.h): whose rows it is
  // read from.
  std::string rows_of;
  std::vector<std::string> more_sources;  // further Parquet files with the same columns
  FileFormat format = {};

  bool OfUnits() const { return max_rows > 0; }
  /// How a column is read that is shown without being declared (a key or a group).
  ColumnReading Undeclared() const;
};

enum class Presence { kPublic, kSecret };

/// What one record of the privacy model is.
struct Unit {
  std::string table;
  std::optional<std::string> key;  // nothing: each row is its own unit
  // Set: a row is about the people in both columns, and a unit is all rows that name a person in either. SQL questions
  // refuse such a table, and so does every analysis that does not say otherwise (Analysis::KnowsPairs). Then presence
  // is secret, no column is public, and there is one cell.
  std::optional<std::string> other_key;
  std::int64_t max_rows = 1;  // rows one unit may contribute; 1 when each row is its own unit
  Presence presence = Presence::kSecret;
  std::optional<Distance> distance;  // set: a metric unit, whose loss is about moves of its position
  // Set: a declared public column that names the outer unit (household) of each unit (person), constant over the unit;
  // a person without one is a household of one. A household has at most `size` persons.
  std::optional<std::string> within;
  std::int64_t size = 1;
  UnitLevel level = UnitLevel::kPerson;  // of a question while it is planned: about whom it is. Of a policy: kPerson

  static constexpr std::int64_t kMaxSize = 10'000;
};

/// A graph in a file, or in a public table of [data]: too big for the policy. `release` loads it through the engine and
/// puts it, and `nodes`, into the model. Ensures [POLICY-3]: until then the model has no nodes, so that nothing can be
/// computed from it.
struct EdgesFile {
  std::string source;           // csv or parquet, relative to the policy; or the table's name
  std::int64_t nodes = 0;       // units in the world
  std::optional<double> theta;  // one strength for all edges; nothing: the file's third column, or `strength`
  // Of a table: the columns that name the two records of an edge, and the one with its strength if there is no theta.
  std::string from, to, strength;

  bool in_table() const { return !from.empty(); }
};

/// The dependence part: where the knowledge comes from, the model, and how the model meets the table.
struct Dependence {
  std::string source;  // "public" (anything else is refused)
  Model model;
  std::optional<std::string> by;  // public column that names a unit's group
  // The public column whose value, constant within a group, picks the class: how strongly its members depend on each
  // other, and how many they are at most.
  std::optional<std::string> strength_column;
  // Class k of the model is strength_column = class_values[k]; Null at the end where units without a value have their
  // own class, because no other is at least as strong as all.
  std::vector<Value> class_values;
  std::optional<EdgesFile> edges;  // set: the model is a field that is not complete before these edges are loaded
  bool accept_unproven = false;    // accept = "unproven": formulas that are not proved may be used for releases
  bool of_households = false;      // unit = "household": the model's records are the outer units
  std::string canonical;           // the model as canonical text, for the fingerprint
  // reviewed = n: the curator says that the model holds for the record as generation n of the policy declares it
  // (growth.h). 0: not said. In no fingerprint.
  std::int64_t reviewed = 0;
  // confidence = 0.95: the strength is an upper limit from a sample, which may be too small with probability 0.05.
  // Nothing: declared as a fact. In no fingerprint: it changes no answer.
  std::optional<double> confidence;
  std::optional<KnownTotals> known;  // exact totals that somebody may know

  /// Changes with anything declared about how records depend: what an alarm is about. 64 hexadecimal characters.
  std::string Declaration() const;
};

/// [stream]: the unit's table grows with time and is released step by step; what a unit loses is counted over the steps
/// in which it can be present, not over all time (docs/guide/streams.md). Step t holds the rows whose time is in [start
/// + t * step, start + (t + 1) * step), in the column's own numbers: integers, days, microseconds.
struct Stream {
  std::string time;                          // a column of the unit's table: integer, date or timestamp; not public
  ColumnType type = ColumnType::kTimestamp;  // of that column
  std::int64_t start = 0;                    // of step 0; earlier rows are in no step
  std::int64_t step = 1;                     // how long a step is
  std::int64_t window = 0;                   // a unit's stay: the most consecutive steps in which it is present
  bool one_step = false;                     // only rows of step 0 are read (policy/one_step.h); no policy file says so

  static constexpr std::int64_t kMaxWindow = 1'000'000;
  /// The last step whose time can be written down.
  std::int64_t LastTick() const;
  /// A time as text, as the column would be written. Requires: a time up to the end of step LastTick().
  std::string TimeText(std::int64_t time) const;
  /// When a step begins, as text. Requires: a step from 0 to LastTick().
  std::string StepText(std::int64_t tick_number) const;
};

/// A cell is a tuple of declared values of public columns of the unit table: plain loss is counted per cell.
struct CellColumn {
  std::string name;
  ValueList values;  // declared values, and Null at the end unless the column is required
};
class Cells {
 public:
  static constexpr std::size_t kMax = 4096;
  /// Takes public columns with declared values, in policy order, as long as the product stays within kMax. Room for the
  /// strength column (may be empty) is kept, so it is always taken; it stays in its place, so that a new dependence
  /// part finds the same cells in the ledger.
  static Cells Of(const Table& unit_table, const std::string& strength_column);
  /// As many cells, of columns that no table has: for questions that do not say in which cell a unit is.
  Cells OfAnybody() const;
  /// Nothing says in which cell a unit is when a question is asked: from now on whatever one cell is charged, all are
  /// (claims/ledger.md, LEDGER-9).
  void Join() { joined_ = true; }
  bool joined() const { return joined_; }
  std::size_t size() const { return size_; }
  const std::vector<CellColumn>& columns() const { return columns_; }
  /// The value of column k in a cell (mixed radix, first column slowest).
  const Value& At(std::size_t cell, std::size_t k) const;
  /// A value as it appears in names: quoted where it could be mistaken for NULL or for the next part.
  static std::string ValueName(const Value& value);
  /// "zyg=mz, sex=female"; "everyone" when there are no public columns.
  std::string Name(std::size_t cell) const;

 private:
  std::vector<CellColumn> columns_;
  std::size_t size_ = 1;
  bool joined_ = false;
};

/// What is released of a row, unchanged, where the row is not sensitive (one-sided privacy; claims/one_sided.md).
struct OneSidedAttribute {
  std::string name;                  // "records" where one rule is for the whole table
  std::string application;           // whom it is served to; may be empty
  std::vector<std::string> columns;  // of the unit's table
  std::string sensitive;  // a condition as in SQL over the row's own columns; query/one_sided_rows.h checks it
  double epsilon = 0;     // the most that all its releases together may lose, for one row
  int line = 0;           // of the condition, for messages
};

/// Where an engine's server is. No password, ever: policies are public, and passwords come from the environment or from
/// files that only the curator can read.
struct Server {
  std::string service;    // a name in the curator's service file, which may say all that is empty here
  std::string host;       // a name or address in the network
  std::string socket;     // or the folder of a socket on this machine
  std::int64_t port = 0;  // 0: the usual one
  std::string database, user;

  bool operator==(const Server&) const = default;
  /// All that says which data there are, as one text, without the user. Empty for a server about which nothing is said.
  std::string Text() const;
};

/// [server]: how a server answers. It changes neither what is protected nor any answer: in no fingerprint.
struct Serving {
  bool shared_history = false;              // analysts see what others asked
  std::chrono::milliseconds tick{100};      // answers leave at multiples of it after the question came; 0: at once
  std::optional<PlainUnits> approve_above;  // a higher plain price waits for a curator; nothing: none does
  std::chrono::seconds approval_expires{7 * 24 * 3600};
};

/// A checked policy. Immutable after Load.
struct Policy {
  std::filesystem::path file;  // as given; relative paths inside are relative to its folder
  // Sentences about keys that have another name now; whoever opens the policy is told.
  std::vector<std::string> old_names;
  std::string engine = "duckdb";  // or "postgresql", "trino"
  Server server;                  // of an engine that has one
  // [data] rows_out = false: rows stay in the engine, only sums and counts leave it. In no fingerprint: it refuses, and
  // changes no answer.
  bool rows_out = true;
  std::vector<Table> tables;
  // [data] version: the curator's name for the present version of the data. Empty: not declared. In no fingerprint: it
  // changes with the data, not with what is asked of them.
  std::string data_version;
  // [data] name, or the file's name without its extension: what a server calls the data. In no fingerprint.
  std::string dataset;
  // [data] public_columns = "fixed": the curator promises that no unit's public columns change between two versions of
  // the data. Only where units have a key. In fingerprint(), not in identity_fingerprint().
  bool fixed_public_columns = false;
  // [data] frozen = true: the curator promises that data which are read in place do not change under one version of
  // them. As above.
  bool frozen = false;
  Unit unit;
  Dependence dependence;
  std::optional<Stream> stream;
  double epsilon_total = 0;                 // largest dependent loss allowed
  std::optional<double> household_epsilon;  // [budget.household]: the same for the outer unit
  // [budget] neighbours = "add-or-remove": epsilon_total limits what is lost about whether somebody is there, not what
  // any change of a record loses. Ensures [ADDREM-4]: then presence is secret and records are independent.
  bool counts_presence = false;
  /// [budget] delta: all answers together are (epsilon_total, delta)-private about every unit, where somebody knows the
  /// declared dependence. Ensures [CAP-5]: then units are single people or rows without a distance, there is no
  /// stream and no one-sided attribute, epsilon limits any change of a record, and the model is proved.
  struct WithDelta {
    double delta = 0;
    double keys = 0;  // the part of it that is kept for keys that nobody declared (keys_delta)
    std::optional<std::int64_t> questions =
        std::nullopt;  // how many questions are expected in all; nothing: as many as fit
    std::vector<std::pair<std::string, double>> caps;  // [budget.caps]: the name of a cell and its mu
  };
  std::optional<WithDelta> with_delta;
  std::filesystem::path ledger;              // absolute
  std::vector<OneSidedAttribute> one_sided;  // [one_sided]; no part of a fingerprint: it changes no noisy answer
  Serving serving;
  Cells cells;

  const Table& unit_table() const;
  const Table* FindTable(const std::string& name) const;
  /// Whether there are tables of the units besides the unit's table.
  bool HasMoreTables() const;
  /// Whether the unit's table is read where it is (a Parquet or DuckDB file, a frame, a server's table), so that each
  /// question may find it changed. A CSV file is read from a snapshot, which never changes.
  bool ReadInPlace() const;
  /// Whether a unit may be in another cell for each question: nothing promises the contrary of data in place.
  bool UnitsMayMove() const { return ReadInPlace() && !fixed_public_columns && !frozen; }
  /// "visits_units" in addition to "visits": a table with one row for each unit, of its public and constant columns.
  /// Nothing where no column is constant.
  std::optional<std::string> units_table() const;
  /// The steps of a stream that a unit's loss is summed over: its stay, or one step where the model says how a unit's
  /// states at consecutive steps depend (a chain). Requires: stream.
  std::int64_t CountedSteps() const;
  /// Class of the dependence model that a cell belongs to.
  /// Ensures [POLICY-1]: never weaker than what is declared for a unit of the cell; the strongest class where the value
  /// is missing.
  std::size_t ClassOf(std::size_t cell) const;
  /// The same for the units with one value of the strength column. Requires: there is one, and it has the value.
  std::size_t ClassOfValue(const Value& value) const;
  /// Whether classes are strata with their own prices and losses: only where no unit ever changes its class.
  bool HasStrata() const { return dependence.strength_column.has_value() && fixed_public_columns; }

  /// What may never change under a used ledger: unit, tables, columns' domains and public flags.
  /// Ensures [POLICY-2]: differs whenever one of these, or the order of the cells, differs.
  std::string identity_fingerprint() const;
  /// The same in words, for messages about what changed: one line "what: how it is declared" for the unit, each table,
  /// each column, and the order of the cells. Long lists of values appear as their number and a digest.
  std::string identity_words() const;
  /// All that can change an answer: identity plus dependence and budget.
  std::string fingerprint() const;

  /// Fails: kInvalidArgument with file:line and the fix, or if there is no file; kStorage if it cannot be read.
  static Result<Policy> Load(const std::filesystem::path& file);
  /// For tests and editors: the same from text. `file` is used for messages and relative paths.
  static Result<Policy> Parse(const std::string& text, const std::filesystem::path& file);
};

/// What `kith init` found out about a column: its name, its type, how it is written; no values.
struct ColumnSketch {
  std::string name;
  ColumnType type;
  std::string dates;     // where it is not the table's format
  std::string remark;    // for the curator; written after the column
  bool skipped = false;  // it cannot be declared: only the remark is written
};
/// What `kith init` found out about a file.
struct FileSketch {
  std::vector<ColumnSketch> columns;
  FileFormat format = {};
  std::vector<std::string> remarks;  // about the file as a whole
};
/// The text of a commented starting policy for `kith init`.
std::string StartingPolicy(const std::string& table, const std::string& source, const FileSketch& sketch);

}  // namespace kith
