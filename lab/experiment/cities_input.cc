#include "experiment/cities_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/lockdown.h"

namespace kith::cli {
namespace cities_files {

namespace fs = std::filesystem;
constexpr double kDegree = 1e9;  // coordinates cross the engine's wall as integers

bool There(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

fs::path Own(const fs::path& folder) { return folder / "gowalla_cities"; }

struct Evaluation {
  std::string places, test, tune, friends;
};

Evaluation FilesOf(const fs::path& folder) {
  const fs::path in = folder / "gowalla_vldb17";
  return {(in / "poi_coos.tsv.gz").string(), (in / "test.tsv.gz").string(), (in / "tune.tsv.gz").string(),
          (in / "social_relations.tsv.gz").string()};
}

std::string Read(const std::string& path, const std::string& columns) {
  return fmt::format("read_csv({}, delim = '\t', header = false, auto_detect = false, columns = {{{}}})",
                     QuotedText(path), columns);
}

/// Places inside one of the boxes around the circles: little is left for the exact distance.
std::string Boxes(std::span<const attack::Circle> cities) {
  std::string condition;
  for (const auto& city : cities) {
    const double lat = city.radius_km / 111,
                 lon = lat / std::max(0.01, std::cos(city.centre.lat * 0.017453292519943295));
    condition += fmt::format("{}(lat BETWEEN {} AND {} AND lon BETWEEN {} AND {})", condition.empty() ? "" : " OR ",
                             city.centre.lat - 1.01 * lat, city.centre.lat + 1.01 * lat, city.centre.lon - 1.01 * lon,
                             city.centre.lon + 1.01 * lon);
  }
  return condition;
}

Result<AttackInput> ReadEvaluation(const fs::path& folder, std::span<const attack::Circle> cities,
                                   const CancelFlag& cancel) {
  const Evaluation files = FilesOf(folder);
  auto database = DuckDb::Open("", LockedSettings({}, {}));
  if (!database) return database.error();
  auto connection = database->Connect();
  if (!connection) return connection.error();
  if (auto locked = LockDown(*connection, {files.places, files.test, files.tune, files.friends}, cancel); !locked)
    return locked.error();
  const std::string visits = "'u': 'BIGINT', 'p': 'BIGINT', 'n': 'BIGINT'";
  const auto loaded = connection->Execute(
      fmt::format(
          "CREATE TEMP TABLE spot AS SELECT p, lat, lon, row_number() OVER (ORDER BY p) - 1 AS k FROM {} WHERE "
          "{}; CREATE TEMP TABLE visit AS SELECT u, k, n FROM (SELECT * FROM {} UNION ALL SELECT * FROM {}) "
          "JOIN spot USING (p); CREATE TEMP TABLE member AS SELECT u, row_number() OVER (ORDER BY u) - 1 AS k "
          "FROM (SELECT DISTINCT u FROM visit); CREATE TEMP TABLE pair AS SELECT DISTINCT least(x.k, y.k) AS a, "
          "greatest(x.k, y.k) AS b FROM {} f JOIN member x ON f.u = x.u JOIN member y ON f.v = y.u WHERE x.k "
          "<> y.k",
          Read(files.places, "'p': 'BIGINT', 'lat': 'DOUBLE', 'lon': 'DOUBLE'"), Boxes(cities),
          Read(files.test, visits), Read(files.tune, visits), Read(files.friends, "'u': 'BIGINT', 'v': 'BIGINT'")),
      cancel);
  if (!loaded && loaded.error().code == Code::kInternal)
    return InvalidArgument("the check-ins cannot be read as tables", "gowalla_vldb17",
                           "the files as they are published: numbers between tabs, without a header");
  if (!loaded) return loaded.error();
  const auto spots = connection->Integers(
      fmt::format(
          "SELECT CAST(round(lat * {0:.0f}) AS BIGINT), CAST(round(lon * {0:.0f}) AS BIGINT) FROM spot ORDER BY "
          "k",
          kDegree),
      cancel);
  const auto rows = connection->Integers(
      "SELECT member.k, visit.k, sum(n)::BIGINT FROM visit JOIN member USING (u) GROUP BY ALL ORDER BY ALL", cancel);
  const auto pairs = connection->Integers("SELECT a, b FROM pair ORDER BY ALL", cancel);
  for (const auto* part : {&spots, &rows, &pairs}) {
    if (!*part) return part->error();
  }
  AttackInput input;
  const auto number = [](const auto& value) { return static_cast<std::int64_t>(value.value_or(0)); };
  for (const auto& row : spots->rows)
    input.visits.places.push_back(
        {static_cast<double>(number(row[0])) / kDegree, static_cast<double>(number(row[1])) / kDegree});
  for (const auto& row : rows->rows) {
    input.visits.visits.push_back({static_cast<std::uint32_t>(number(row[0])),
                                   static_cast<std::uint32_t>(number(row[1])),
                                   static_cast<std::uint32_t>(number(row[2]))});
    input.visits.users = std::max<std::size_t>(input.visits.users, input.visits.visits.back().user + 1);
  }
  input.friends.resize(input.visits.users);
  for (const auto& row : pairs->rows) {
    const auto a = static_cast<std::uint32_t>(number(row[0])), b = static_cast<std::uint32_t>(number(row[1]));
    input.friends[a].push_back(b);
    input.friends[b].push_back(a);
  }
  for (auto& list : input.friends) std::sort(list.begin(), list.end());
  return input;
}

}  // namespace cities_files

bool HasCities(const std::filesystem::path& folder) {
  if (folder.empty()) return false;
  const auto files = cities_files::FilesOf(folder);
  return cities_files::There(cities_files::Own(folder) / "visits.tsv.gz") ||
         cities_files::There(cities_files::Own(folder) / "visits.csv") ||
         (cities_files::There(files.places) && cities_files::There(files.test) && cities_files::There(files.tune) &&
          cities_files::There(files.friends));
}

std::string CitiesName(const std::filesystem::path& folder) {
  const auto own = cities_files::Own(folder);
  return cities_files::There(own / "visits.tsv.gz") || cities_files::There(own / "visits.csv")
             ? "Gowalla check-ins (SNAP)"
             : "Gowalla check-ins, the 30 % of user-place pairs that an evaluation of 2017 publishes as test and tune";
}

Result<AttackInput> ReadCities(const std::filesystem::path& folder, std::span<const attack::Circle> cities,
                               const CancelFlag& cancel) {
  const auto own = cities_files::Own(folder);
  Result<AttackInput> input = [&]() -> Result<AttackInput> {
    for (const char* end : {".tsv.gz", ".csv"}) {
      if (cities_files::There(own / (std::string("visits") + end)))
        return ReadAttackInput(
            {(own / (std::string("visits") + end)).string(), (own / (std::string("friends") + end)).string(), ""},
            cancel);
    }
    if (!HasCities(folder))
      return InvalidArgument("there are no check-ins of several cities in the folder", folder.string(),
                             "name the folder with gowalla_cities or gowalla_vldb17, or name none")
          .For("experiment.data");
    return cities_files::ReadEvaluation(folder, cities, cancel);
  }();
  if (!input) return input;
  attack::KeepCities(cities, &input->visits, &input->friends);
  if (input->visits.users < 2)
    return InvalidArgument("fewer than two people were in these cities", folder.string(), "check where they are")
        .For("cities");
  input->check_ins = attack::CheckIns(input->visits);
  input->friendships = attack::Friendships(input->friends);
  return input;
}

}  // namespace kith::cli
