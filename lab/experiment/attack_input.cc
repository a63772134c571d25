#include "experiment/attack_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/lockdown.h"
#include "engine/duckdb/tables.h"

namespace kith::cli {
namespace attack_files {

constexpr double kDegree = 1e12;  // coordinates cross the engine's wall as integers

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return parts;
}

struct File {
  std::string path, shown, from;  // from: for SQL
};

/// `names`: of the columns, if the file has no header; `headless`: columns are column0, column1 ...
Result<File> Open(const std::string& shown, const std::vector<std::string>& names, bool headless) {
  std::error_code failed;
  File file{std::filesystem::canonical(shown, failed).string(), shown, {}};
  if (failed) return InvalidArgument("there is no such file", shown, "check the path and its permissions");
  std::string end = file.path;
  if (end.ends_with(".gz")) end.resize(end.size() - 3);
  if (end.ends_with(".parquet")) {
    file.from = ReadParquet(file.path);
    return file;
  }
  const bool tabs = end.ends_with(".tsv") || end.ends_with(".txt");
  if (!tabs && !end.ends_with(".csv"))
    return InvalidArgument("this kind of file is not known", shown,
                           "use .csv, .tsv, .txt (with .gz or not) or .parquet");
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ", ") + QuotedText(name);
  file.from = fmt::format("read_csv({}, delim = {}, header = {}, all_varchar = true, quote = '\"', escape = '\"'{})",
                          QuotedText(file.path), tabs ? "'\t'" : "','", names.empty() && !headless ? "true" : "false",
                          list.empty() ? "" : ", names = [" + list + "]");
  return file;
}

class Reader {
 public:
  Reader(DuckDbConnection connection, const CancelFlag& cancel) : connection_(std::move(connection)), cancel_(cancel) {}

  Result<std::vector<std::string>> Columns(const File& file) {
    auto rows = connection_.PublicTexts(
        fmt::format("SELECT CAST(column_name AS VARCHAR) FROM (DESCRIBE SELECT * FROM {})", file.from), cancel_);
    if (!rows) return Unreadable(rows.error(), file);
    std::vector<std::string> names;
    for (auto& row : *rows) names.push_back(std::move(row[0]));
    return names;
  }

  Result<void> LoadVisits(const File& file) {
    const auto columns = Columns(file);
    if (!columns) return columns.error();
    const auto find = [&](std::initializer_list<const char*> words) -> std::optional<std::string> {
      for (const char* word : words) {
        for (const auto& column : *columns) {
          if (Split(column)[0] == word) return QuotedName(column);
        }
      }
      return std::nullopt;
    };
    const auto user = find({"user", "uid", "user_id"}), lat = find({"lat", "latitude"}),
               lon = find({"lon", "lng", "longitude"}),
               place = find({"place", "vid", "venue", "location", "location_id"});
    if (!user || !lat || !lon)
      return InvalidArgument(
                 "the table of visits needs columns user, lat and lon", file.shown,
                 "name them in the header, or, if there is none, list them, such as user,time,lat,lon,place")
          .For("attack.columns");
    // Latitudes and longitudes off the globe are as good as none.
    const std::string sql = fmt::format(
        "CREATE TEMP TABLE raw AS SELECT CAST({} AS VARCHAR) AS u, {} AS la, {} AS lo, {} AS p FROM {};"
        "CREATE TEMP TABLE visit AS SELECT u, la, lo, coalesce(p, la || ' ' || lo) AS p FROM raw WHERE u IS NOT NULL "
        "AND abs(la) <= 90 * {:.0f} AND abs(lo) <= 180 * {:.0f};"
        "CREATE TEMP TABLE member AS SELECT u, row_number() OVER (ORDER BY TRY_CAST(u AS BIGINT), u) - 1 AS n "
        "FROM (SELECT DISTINCT u FROM visit);"
        "CREATE TEMP TABLE spot AS SELECT p, la, lo, row_number() OVER (ORDER BY TRY_CAST(p AS BIGINT), {} p) - 1 AS n "
        "FROM (SELECT p, min(la) AS la, min(lo) AS lo FROM visit GROUP BY p)",
        *user, Degrees(*lat), Degrees(*lon),
        place ? fmt::format("CAST({} AS VARCHAR)", *place) : "CAST(NULL AS VARCHAR)", file.from, kDegree, kDegree,
        place ? "" : "la, lo,");
    auto done = connection_.Execute(sql, cancel_);
    if (!done) return Unreadable(done.error(), file);
    return {};
  }

  Result<void> LoadFriends(const File& file) {
    const auto columns = Columns(file);
    if (!columns) return columns.error();
    if (columns->size() < 2)
      return InvalidArgument("an edge list has two columns", file.shown, "separate them by a comma, or a tab in .tsv");
    auto done = connection_.Execute(
        fmt::format("CREATE TEMP TABLE edge AS SELECT CAST({} AS VARCHAR) AS a, CAST({} AS VARCHAR) AS b FROM {}",
                    QuotedName((*columns)[0]), QuotedName((*columns)[1]), file.from),
        cancel_);
    if (!done) return Unreadable(done.error(), file);
    return {};
  }

  Result<AttackInput> Take() {
    AttackInput input;
    const auto counts = Rows(
        "SELECT (SELECT count(*) FROM raw), (SELECT count(*) FROM visit), (SELECT count(*) FROM "
        "member), (SELECT count(*) FROM edge)");
    const auto spots = Rows("SELECT la, lo FROM spot ORDER BY n");
    const auto visits = Rows(
        "SELECT member.n, spot.n, count(*) FROM visit JOIN member USING (u) JOIN spot USING (p) "
        "GROUP BY ALL ORDER BY ALL");
    const auto edges = Rows(
        "SELECT x.n, y.n, count(*) FROM edge JOIN member x ON edge.a = x.u JOIN member y ON edge.b "
        "= y.u WHERE x.n <> y.n GROUP BY ALL ORDER BY ALL");
    for (const auto* part : {&counts, &spots, &visits, &edges}) {
      if (!*part) return part->error();
    }
    const auto& total = counts->front();
    input.check_ins = total[1];
    input.left_out_visits = total[0] - total[1];
    input.left_out_edges = total[3];
    input.visits.users = total[2];
    for (const auto& row : *spots) {
      input.visits.places.push_back({Back(row[0]), Back(row[1])});
    }
    for (const auto& row : *visits) {
      input.visits.visits.push_back(
          {static_cast<std::uint32_t>(row[0]), static_cast<std::uint32_t>(row[1]), static_cast<std::uint32_t>(row[2])});
    }
    input.friends.resize(input.visits.users);
    for (const auto& row : *edges) {
      input.left_out_edges -= row[2];
      input.friends[row[0]].push_back(static_cast<std::uint32_t>(row[1]));
      input.friends[row[1]].push_back(static_cast<std::uint32_t>(row[0]));
    }
    for (auto& of_user : input.friends) {
      std::sort(of_user.begin(), of_user.end());
      of_user.erase(std::unique(of_user.begin(), of_user.end()), of_user.end());
      input.friendships += of_user.size();
    }
    input.friendships /= 2;
    return input;
  }

 private:
  static std::string Degrees(const std::string& column) {
    return fmt::format("CAST(round(TRY_CAST({} AS DOUBLE) * {:.0f}) AS BIGINT)", column, kDegree);
  }
  static double Back(std::uint64_t degrees) {
    return static_cast<double>(static_cast<std::int64_t>(degrees)) / kDegree;
  }

  static Error Unreadable(Error error, const File& file) {
    if (error.code == Code::kInternal)
      return InvalidArgument("the file cannot be read as a table", file.shown,
                             "every line needs the same number of fields");
    error.where = file.shown;
    return error;
  }

  Result<std::vector<std::vector<std::uint64_t>>> Rows(const std::string& sql) {
    auto table = connection_.Integers(sql, cancel_);
    if (!table) return table.error();
    std::vector<std::vector<std::uint64_t>> rows;
    rows.reserve(table->rows.size());
    for (const auto& row : table->rows) {
      auto& out = rows.emplace_back();
      for (const auto& value : row)
        out.push_back(static_cast<std::uint64_t>(static_cast<std::int64_t>(value.value_or(0))));
    }
    return rows;
  }

  DuckDbConnection connection_;
  const CancelFlag& cancel_;
};

}  // namespace attack_files

Result<AttackInput> ReadAttackInput(const AttackFiles& files, const CancelFlag& cancel) {
  const auto names = files.columns.empty() ? std::vector<std::string>{} : attack_files::Split(files.columns);
  const auto visits = attack_files::Open(files.visits, names, false);
  if (!visits) return visits.error();
  const auto friends = attack_files::Open(files.friends, {}, true);
  if (!friends) return friends.error();
  auto database = DuckDb::Open("", LockedSettings({}, {}));
  if (!database) return database.error();
  auto connection = database->Connect();
  if (!connection) return connection.error();
  if (auto locked = LockDown(*connection, {visits->path, friends->path}, cancel); !locked) return locked.error();
  attack_files::Reader reader(std::move(*connection), cancel);
  if (auto loaded = reader.LoadVisits(*visits); !loaded) return loaded.error();
  if (auto loaded = reader.LoadFriends(*friends); !loaded) return loaded.error();
  auto input = reader.Take();
  if (input && input->visits.users == 0)
    return InvalidArgument("no line of the table of visits has a user and coordinates", files.visits,
                           "check the columns: latitude and longitude are degrees");
  return input;
}

}  // namespace kith::cli
