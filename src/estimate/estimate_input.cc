#include "estimate/estimate_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/lockdown.h"
#include "engine/duckdb/tables.h"
#include "estimate/public_table.h"

namespace kith::estimate {
namespace {

constexpr std::size_t kMostStrata = 200, kMostValues = 20;
constexpr std::int64_t kLargestGroup = 50, kNeither = -1;

using Rows = std::vector<std::vector<std::int64_t>>;

class Reader {
 public:
  static Result<Reader> Open(const StudyFile& file, const CancelFlag& cancel) {
    std::string path, edges_path;
    auto from = FromPublicFile(file.path, path);
    if (!from) return from.error();
    std::string edges;
    if (!file.edges.empty()) {
      auto item = FromPublicFile(file.edges, edges_path);
      if (!item) return item.error();
      edges = std::move(*item);
    }
    auto database = DuckDb::Open("", LockedSettings({}, {}));
    if (!database) return database.error();
    auto connection = database->Connect();
    if (!connection) return connection.error();
    std::vector<std::string> files = {path};
    if (!edges.empty()) files.push_back(edges_path);
    if (auto locked = LockDown(*connection, files, cancel); !locked) return locked.error();
    return Reader(std::move(*database), std::move(*connection), file, *std::move(from), std::move(edges), cancel);
  }

  Result<std::vector<std::string>> Columns() { return ColumnsOf(from_, file_.path); }

  /// The text of a column, NULL where it is empty. Fails: kInvalidArgument if there is no such column.
  Result<std::string> Column(const std::string& name, const std::string& parameter) {
    if (columns_.empty()) {
      auto found = ColumnsOf(from_, file_.path);
      if (!found) return found.error();
      columns_ = std::move(*found);
    }
    if (std::find(columns_.begin(), columns_.end(), name) == columns_.end()) {
      return InvalidArgument(fmt::format("the file has no column '{}'", name), file_.path,
                             fmt::format("its columns are {}", fmt::join(columns_, ", ")))
          .For(parameter);
    }
    return fmt::format("nullif(trim(CAST({} AS VARCHAR)), '')", QuotedName(name));
  }

  /// 1, 0, NULL; kNeither where it cannot be decided.
  Result<std::string> YesNo(const std::string& name, const std::string& parameter) {
    auto text = Column(name, parameter);
    if (!text) return text.error();
    if (!file_.yes.empty()) return fmt::format("CAST({} = {} AS BIGINT)", *text, QuotedText(file_.yes));
    return fmt::format(
        "CASE WHEN {0} IS NULL THEN NULL WHEN lower({0}) IN ('yes', 'true', 't', 'y', '1', '1.0') THEN 1 "
        "WHEN lower({0}) IN ('no', 'false', 'f', 'n', '0', '0.0') THEN 0 ELSE {1} END",
        *text, kNeither);
  }

  /// The different strings of an expression, in order.
  Result<std::vector<std::string>> Different(const std::string& expression, std::size_t most, const std::string& of) {
    auto rows =
        connection_.PublicTexts(fmt::format("SELECT DISTINCT {0} AS x FROM {1} WHERE {0} IS NOT NULL ORDER BY x "
                                            "LIMIT {2}",
                                            expression, from_, most + 1),
                                cancel_);
    if (!rows) return Unreadable(rows.error(), file_.path);
    if (rows->size() > most) {
      return InvalidArgument(fmt::format("column '{}' has more than {} different values", of, most), file_.path,
                             "name a column with few values, or put values together first");
    }
    std::vector<std::string> found;
    for (auto& row : *rows) found.push_back(std::move(row[0]));
    return found;
  }

  /// The place of an expression among `texts`, for SQL.
  static std::string Place(const std::string& expression, const std::vector<std::string>& texts) {
    if (texts.empty()) return "CAST(0 AS BIGINT)";
    std::string cases;
    for (std::size_t k = 0; k < texts.size(); ++k) cases += fmt::format(" WHEN {} THEN {}", QuotedText(texts[k]), k);
    return fmt::format("CAST(CASE {}{} ELSE NULL END AS BIGINT)", expression, cases);
  }

  Result<void> Run(const std::string& sql) {
    auto done = connection_.Execute(sql, cancel_);
    if (!done) return Unreadable(done.error(), file_.path);
    return {};
  }

  /// NULL is read as kNeither.
  Result<Rows> Integers(const std::string& sql) {
    const auto table = connection_.Integers(sql, cancel_);
    if (!table) return Unreadable(table.error(), file_.path);
    Rows rows;
    for (const auto& row : table->rows) {
      auto& out = rows.emplace_back();
      for (const auto& value : row) out.push_back(value ? static_cast<std::int64_t>(*value) : kNeither);
    }
    return rows;
  }

  /// The first two columns of the file of edges.
  Result<std::vector<std::string>> Ends() {
    auto names = ColumnsOf(edges_, file_.edges);
    if (!names) return names.error();
    if (names->size() < 2)
      return InvalidArgument("an edge list has two columns", file_.edges, "separate them by a comma, or a tab in .tsv");
    for (auto& name : *names) name = fmt::format("nullif(trim(CAST({} AS VARCHAR)), '')", QuotedName(name));
    return names;
  }

  Error NeitherYesNorNo(const std::string& column) const {
    return InvalidArgument(fmt::format("column '{}' has values that are neither yes nor no", column), file_.path,
                           "say which value counts as yes; all others are no")
        .For("estimate.yes");
  }

  const std::string& from() const { return from_; }
  const std::string& edges() const { return edges_; }

 private:
  Reader(DuckDb database, DuckDbConnection connection, const StudyFile& file, std::string from, std::string edges,
         const CancelFlag& cancel)
      : database_(std::move(database)),
        connection_(std::move(connection)),
        file_(file),
        from_(std::move(from)),
        edges_(std::move(edges)),
        cancel_(cancel) {}

  Result<std::vector<std::string>> ColumnsOf(const std::string& item, const std::string& shown) {
    auto rows = connection_.PublicTexts(
        fmt::format("SELECT CAST(column_name AS VARCHAR) FROM (DESCRIBE SELECT * FROM {})", item), cancel_);
    if (!rows) return Unreadable(rows.error(), shown);
    std::vector<std::string> names;
    for (auto& row : *rows) names.push_back(std::move(row[0]));
    return names;
  }

  static Error Unreadable(Error error, const std::string& shown) {
    if (error.code == Code::kInternal)
      return InvalidArgument("the file cannot be read as a table", shown,
                             "every line needs the same number of fields, the first one their names");
    error.where = shown;
    return error;
  }

  DuckDb database_;
  DuckDbConnection connection_;
  StudyFile file_;
  std::string from_, edges_;
  CancelFlag cancel_;
  std::vector<std::string> columns_;
};

/// The strata of a study and an expression for their number. Without a column there is one, without a name.
struct Strata {
  std::vector<std::string> names = {""};
  std::string number = "CAST(0 AS BIGINT)";
};
Result<Strata> StrataOf(Reader& reader, const StudyFile& file) {
  Strata strata;
  if (file.stratum.empty()) return strata;
  const auto column = reader.Column(file.stratum, "estimate.stratum");
  if (!column) return column.error();
  auto names = reader.Different(*column, kMostStrata, file.stratum);
  if (!names) return names.error();
  strata.number = Reader::Place(*column, *names);
  strata.names = std::move(*names);
  return strata;
}

estimate::Sample Exchangeable(const std::vector<estimate::PairTable>& tables) {
  estimate::Groups groups;
  for (const auto& t : tables) groups.tables.push_back({t.stratum, {t.neither, t.left + t.right, t.both}});
  return groups;
}

}  // namespace

Result<std::vector<std::string>> ColumnsOf(const std::string& path, const CancelFlag& cancel) {
  StudyFile file;
  file.path = path;
  auto reader = Reader::Open(file, cancel);
  if (!reader) return reader.error();
  return reader->Columns();
}

Result<Study> ReadPairs(const StudyFile& file, const CancelFlag& cancel) {
  auto reader = Reader::Open(file, cancel);
  if (!reader) return reader.error();
  const auto left = reader->YesNo(file.left, "estimate.left");
  if (!left) return left.error();
  const auto right = reader->YesNo(file.right, "estimate.right");
  if (!right) return right.error();
  const auto strata = StrataOf(*reader, file);
  if (!strata) return strata.error();
  const auto rows =
      reader->Integers(fmt::format("SELECT s, l IS NULL OR r IS NULL OR s IS NULL, coalesce(l, 0), coalesce(r, 0), "
                                   "count(*) FROM (SELECT {} AS s, {} "
                                   "AS l, {} AS r FROM {}) GROUP BY ALL ORDER BY ALL",
                                   strata->number, *left, *right, reader->from()));
  if (!rows) return rows.error();
  Study study;
  study.size = 2;
  std::vector<estimate::PairTable> tables;
  for (const auto& name : strata->names) tables.push_back({name, 0, 0, 0, 0});
  for (const auto& row : *rows) {
    if (row[2] == kNeither) return reader->NeitherYesNorNo(file.left);
    if (row[3] == kNeither) return reader->NeitherYesNorNo(file.right);
    if (row[1] != 0) {
      study.left_out += row[4];
      continue;
    }
    estimate::PairTable& table = tables[static_cast<std::size_t>(row[0])];
    (row[2] == 1 ? (row[3] == 1 ? table.both : table.left) : (row[3] == 1 ? table.right : table.neither)) += row[4];
  }
  if (file.exchangeable)
    study.sample = Exchangeable(tables);
  else
    study.sample = estimate::Pairs{std::move(tables)};
  return study;
}

namespace {

Error TooLarge(const StudyFile& file) {
  return InvalidArgument(fmt::format("a group has more than {} members", kLargestGroup), file.path,
                         "name the column that tells small groups apart")
      .For("estimate.by");
}

/// Groups as a network in which everybody in a group is tied with everybody else: one pair is chosen from each.
Result<Study> ReadGroupsAsTies(Reader& reader, const StudyFile& file, const std::string& by, const std::string& value) {
  const auto rows = reader.Integers(fmt::format(
      "SELECT dense_rank() OVER (ORDER BY g), v IS NULL, coalesce(v, 0) FROM (SELECT row_number() OVER () AS "
      "r, {} AS g, {} AS v FROM {}) WHERE g IS NOT NULL ORDER BY g, r",
      by, value, reader.from()));
  if (!rows) return rows.error();
  Study study;
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < rows->size(); ++i) {
    const auto& row = (*rows)[i];
    if (row[2] == kNeither) return reader.NeitherYesNorNo(file.value);
    if (row[0] != (*rows)[first][0]) first = i;
    if (i - first >= kLargestGroup) return TooLarge(file);
    for (std::uint32_t j = first; j < i; ++j) study.network.edges.emplace_back(j, i);
    study.network.values.push_back(row[1] != 0 ? -1 : static_cast<int>(row[2]));
    study.left_out += row[1];
    study.size = std::max<std::int64_t>(study.size, i - first + 1);
  }
  study.sample = estimate::TiesOf(study.network);
  return study;
}

}  // namespace

Result<Study> ReadGroups(const StudyFile& file, const CancelFlag& cancel) {
  auto reader = Reader::Open(file, cancel);
  if (!reader) return reader.error();
  const auto by = reader->Column(file.by, "estimate.by");
  if (!by) return by.error();
  const auto value = reader->YesNo(file.value, "estimate.value");
  if (!value) return value.error();
  if (file.common) return ReadGroupsAsTies(*reader, file, *by, *value);
  const auto strata = StrataOf(*reader, file);
  if (!strata) return strata.error();
  const auto rows = reader->Integers(fmt::format(
      "SELECT low, low <> high, size, missing, yes, strange, count(*) FROM (SELECT min(s) AS low, max(s) AS high, "
      "count(*) AS size, count(*) FILTER (WHERE v IS NULL OR s IS NULL) AS missing, coalesce(sum(v), 0) AS yes, "
      "count(*) FILTER (WHERE v = {}) AS strange FROM (SELECT {} AS g, {} AS v, {} AS s FROM {}) WHERE g IS NOT NULL "
      "GROUP BY g) GROUP BY ALL ORDER BY ALL",
      kNeither, *by, *value, strata->number, reader->from()));
  if (!rows) return rows.error();
  Study study;
  std::map<std::pair<std::int64_t, std::int64_t>, estimate::GroupTable> tables;  // by stratum and size
  for (const auto& row : *rows) {
    if (row[5] > 0) return reader->NeitherYesNorNo(file.value);
    if (row[3] > 0 || row[2] < 2) {
      study.left_out += row[6];
      continue;
    }
    if (row[1] != 0) {
      return InvalidArgument(fmt::format("column '{}' differs within a group", file.stratum), file.path,
                             "a stratum is a public column that all members share")
          .For("estimate.stratum");
    }
    if (row[2] > kLargestGroup) return TooLarge(file);
    auto& table = tables[{row[0], row[2]}];
    table.stratum = strata->names[static_cast<std::size_t>(row[0])];
    table.with.resize(static_cast<std::size_t>(row[2]) + 1, 0);
    table.with[static_cast<std::size_t>(row[4])] += row[6];
    study.size = std::max(study.size, row[2]);
  }
  estimate::Groups groups;
  for (auto& [key, table] : tables) groups.tables.push_back(std::move(table));
  study.sample = std::move(groups);
  return study;
}

Result<Study> ReadSteps(const StudyFile& file, const CancelFlag& cancel) {
  auto reader = Reader::Open(file, cancel);
  if (!reader) return reader.error();
  std::string by = "''";
  if (!file.by.empty()) {
    auto column = reader->Column(file.by, "estimate.by");
    if (!column) return column.error();
    by = std::move(*column);
  }
  const auto order = reader->Column(file.order, "estimate.order");
  if (!order) return order.error();
  const auto value = reader->Column(file.value, "estimate.value");
  if (!value) return value.error();
  auto values = reader->Different(*value, kMostValues, file.value);
  if (!values) return values.error();
  const auto made = reader->Run(
      fmt::format("CREATE TEMP TABLE step AS SELECT {} AS g, TRY_CAST({} AS DOUBLE) AS n, {} AS o, {} AS v FROM {}", by,
                  *order, *order, Reader::Place(*value, *values), reader->from()));
  if (!made) return made.error();
  const auto ties = reader->Integers(
      "SELECT count(*) FROM (SELECT 1 FROM step WHERE g IS NOT NULL AND o IS NOT NULL GROUP BY g, o HAVING count(*) > "
      "1)");
  if (!ties) return ties.error();
  if (ties->front()[0] > 0) {
    return InvalidArgument(fmt::format("two rows of one chain have the same '{}'", file.order), file.path,
                           "name a column that orders the steps of a chain without ties")
        .For("estimate.order");
  }
  const auto rows = reader->Integers(
      "SELECT a, b, count(*) FROM (SELECT lag(v) OVER (PARTITION BY g ORDER BY n NULLS LAST, o) AS a, v AS b, "
      "row_number() OVER (PARTITION BY g ORDER BY n NULLS LAST, o) AS nth FROM step WHERE g IS NOT NULL AND o IS NOT "
      "NULL) WHERE nth > 1 GROUP BY ALL ORDER BY ALL");
  if (!rows) return rows.error();
  const auto longest = reader->Integers(
      "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM step WHERE g IS NOT NULL AND o IS NOT NULL GROUP BY "
      "g)");
  if (!longest) return longest.error();
  Study study;
  study.size = longest->front()[0];
  estimate::Steps steps;
  steps.counts.assign(values->size(), std::vector<std::int64_t>(values->size(), 0));
  for (const auto& row : *rows) {
    if (row[0] == kNeither || row[1] == kNeither)
      study.left_out += row[2];
    else
      steps.counts[static_cast<std::size_t>(row[0])][static_cast<std::size_t>(row[1])] = row[2];
  }
  steps.values = std::move(*values);
  study.sample = std::move(steps);
  return study;
}

namespace {

/// The number of the place nearest to the columns' values; NULL where one is not a number.
Result<std::string> PlaceOf(Reader& reader, const std::vector<std::string>& columns,
                            const std::vector<std::vector<double>>& axes, const std::string& parameter) {
  std::string place = "0";
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto text = reader.Column(columns[k], parameter);
    if (!text) return text.error();
    const std::string number = fmt::format("TRY_CAST({} AS DOUBLE)", *text);
    std::string nearest = fmt::format("CASE WHEN {0} IS NULL OR isnan({0}) THEN NULL", number);
    for (std::size_t v = 0; v + 1 < axes[k].size(); ++v)
      nearest += fmt::format(" WHEN {} < CAST('{}' AS DOUBLE) THEN {}", number, axes[k][v] / 2 + axes[k][v + 1] / 2, v);
    nearest += fmt::format(" ELSE {} END", axes[k].size() - 1);
    place = fmt::format("({} * {} + {})", place, axes[k].size(), nearest);
  }
  return fmt::format("CAST({} AS BIGINT)", place);
}

}  // namespace

Result<Study> ReadPlaces(const StudyFile& file, const CancelFlag& cancel) {
  auto reader = Reader::Open(file, cancel);
  if (!reader) return reader.error();
  if (file.axes.empty() || file.left_at.size() != file.axes.size() || file.right_at.size() != file.axes.size()) {
    return InvalidArgument("every axis needs a column of the one and a column of the other", file.path,
                           "name as many columns on either side as there are axes")
        .For("estimate.axis");
  }
  const auto left = PlaceOf(*reader, file.left_at, file.axes, "estimate.left");
  if (!left) return left.error();
  const auto right = PlaceOf(*reader, file.right_at, file.axes, "estimate.right");
  if (!right) return right.error();
  if (file.ids.size() != 2) {
    return InvalidArgument("nothing says who is in a pair, so that nobody can see whether somebody is in two",
                           file.path, "name the two columns that name people")
        .For("estimate.id");
  }
  const auto one = reader->Column(file.ids[0], "estimate.id");
  if (!one) return one.error();
  const auto other = reader->Column(file.ids[1], "estimate.id");
  if (!other) return other.error();
  const auto made = reader->Run(fmt::format(
      "CREATE TEMP TABLE pair AS SELECT row_number() OVER () AS row, {} AS u, {} AS v, {} AS one, {} AS other FROM {}",
      *left, *right, *one, *other, reader->from()));
  if (!made) return made.error();
  const auto several = reader->Integers(
      "SELECT count(*) FROM (SELECT 1 FROM (SELECT one AS id FROM pair UNION ALL SELECT other FROM pair) WHERE id IS "
      "NOT NULL GROUP BY id HAVING count(*) > 1)");
  if (!several) return several.error();
  if (const std::int64_t people = several->front()[0]; people > 0) {
    return InvalidArgument(fmt::format("{} {} in more than one pair, so that the limit would be too small", people,
                                       people == 1 ? "person is" : "people are"),
                           file.path, "keep one pair of each person, chosen without looking at places")
        .For("estimate.id");
  }
  const auto rows = reader->Integers(
      "SELECT row % 2, u IS NULL OR v IS NULL OR one IS NULL OR other IS NULL AS missing, coalesce(u, 0), coalesce(v, "
      "0), count(*) FROM pair GROUP BY ALL ORDER BY ALL");
  if (!rows) return rows.error();
  Study study;
  study.size = 2;
  estimate::Places sample{file.axes, {}};
  std::size_t places = 1;
  for (const auto& axis : file.axes) places *= axis.size();
  for (auto& half : sample.counts) half.assign(places * places, 0);
  for (const auto& row : *rows) {
    if (row[1] != 0)
      study.left_out += row[4];
    else
      sample.counts[static_cast<std::size_t>(row[0])]
                   [static_cast<std::size_t>(row[2]) * places + static_cast<std::size_t>(row[3])] += row[4];
  }
  study.sample = std::move(sample);
  return study;
}

Result<Study> ReadNetwork(const StudyFile& file, const CancelFlag& cancel) {
  auto reader = Reader::Open(file, cancel);
  if (!reader) return reader.error();
  const auto id = reader->Column(file.id, "estimate.id");
  if (!id) return id.error();
  const auto value = reader->YesNo(file.value, "estimate.value");
  if (!value) return value.error();
  const auto classes = StrataOf(*reader, file);
  if (!classes) return classes.error();
  const auto ends = reader->Ends();
  if (!ends) return ends.error();
  const auto made = reader->Run(fmt::format(
      "CREATE TEMP TABLE person AS SELECT {} AS id, {} AS v, {} AS s FROM {};"
      "CREATE TEMP TABLE tie AS SELECT DISTINCT least(a, b) AS a, greatest(a, b) AS b FROM (SELECT {} AS a, {} AS b "
      "FROM "
      "{}) WHERE a IS NOT NULL AND b IS NOT NULL AND a <> b;"
      "CREATE TEMP TABLE node AS SELECT id, row_number() OVER (ORDER BY TRY_CAST(id AS BIGINT), id) - 1 AS n FROM "
      "(SELECT id FROM person WHERE id IS NOT NULL UNION SELECT a FROM tie UNION SELECT b FROM tie)",
      *id, *value, classes->number, reader->from(), (*ends)[0], (*ends)[1], reader->edges()));
  if (!made) return made.error();
  const auto twice = reader->Integers(
      "SELECT count(*) FROM (SELECT 1 FROM person WHERE id IS NOT NULL GROUP BY id HAVING count(*) > 1)");
  if (!twice) return twice.error();
  if (twice->front()[0] > 0) {
    return InvalidArgument(fmt::format("column '{}' names somebody twice", file.id), file.path,
                           "give one row for each person")
        .For("estimate.id");
  }
  const auto nodes = reader->Integers("SELECT v, s FROM node LEFT JOIN person USING (id) ORDER BY n");
  if (!nodes) return nodes.error();
  const auto strange = reader->Integers(fmt::format("SELECT count(*) FROM person WHERE v = {}", kNeither));
  if (!strange) return strange.error();
  if (strange->front()[0] > 0) return reader->NeitherYesNorNo(file.value);
  const auto edges =
      reader->Integers("SELECT x.n, y.n FROM tie JOIN node x ON tie.a = x.id JOIN node y ON tie.b = y.id ORDER BY ALL");
  if (!edges) return edges.error();
  Study study;
  for (const auto& row : *nodes) {
    const bool known = row[0] != kNeither && row[1] != kNeither;
    study.network.values.push_back(known ? static_cast<int>(row[0]) : -1);
    study.network.classes.push_back(known ? static_cast<int>(row[1]) : 0);
    study.left_out += known ? 0 : 1;
  }
  for (const auto& row : *edges)
    study.network.edges.emplace_back(static_cast<std::uint32_t>(row[0]), static_cast<std::uint32_t>(row[1]));
  study.size = static_cast<std::int64_t>(study.network.values.size());
  study.sample = estimate::TiesOf(study.network);
  return study;
}

}  // namespace kith::estimate
