#include "experiment/occupancy_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/lockdown.h"

namespace kith::cli {
namespace {

namespace fs = std::filesystem;
using experiment::Building;
using experiment::kMinutes;
using experiment::OccupiedDay;
using experiment::Space;

class Files {
 public:
  Files(const fs::path& folder, const CancelFlag& cancel) : folder_(folder), cancel_(cancel) {}

  std::optional<std::string> Find(const std::string& name) const {
    std::error_code failed;
    if (!fs::is_regular_file(folder_ / name, failed)) return std::nullopt;
    return fs::canonical(folder_ / name, failed).string();
  }

  /// Rows of whole numbers; nothing read is an error.
  Result<std::vector<std::vector<std::int64_t>>> Rows(const std::string& path, const std::string& sql) const {
    auto database = DuckDb::Open("", LockedSettings({}, {}));
    if (!database) return database.error();
    auto connection = database->Connect();
    if (!connection) return connection.error();
    if (auto locked = LockDown(*connection, {path}, cancel_); !locked) return locked.error();
    const auto table = connection->Integers(sql, cancel_);
    if (!table && table.error().code != Code::kInternal) return table.error();
    if (!table || table->rows.empty())
      return InvalidArgument("no line of the file can be read", path, "use the file as it is published");
    std::vector<std::vector<std::int64_t>> rows;
    for (const auto& row : table->rows) {
      auto& numbers = rows.emplace_back();
      for (const auto& cell : row) numbers.push_back(static_cast<std::int64_t>(cell.value_or(0)));
    }
    return rows;
  }

 private:
  fs::path folder_;
  const CancelFlag& cancel_;
};

// Seconds are rounded to the nearest minute: the sensor reports 17:51:59 for 17:52.
constexpr const char* kOfficeSql =
    "SELECT (epoch(date) + 30)::BIGINT // 86400, ((epoch(date) + 30)::BIGINT // 60) % 1440, max(occupied) FROM "
    "read_csv({}, delim = ',', quote = '\"', header = false, skip = 1, auto_detect = false, columns = {{'line': "
    "'VARCHAR', 'date': 'TIMESTAMP', 'a': 'DOUBLE', 'b': 'DOUBLE', 'c': 'DOUBLE', 'd': 'DOUBLE', 'e': 'DOUBLE', "
    "'occupied': 'INTEGER'}}) GROUP BY 1, 2 ORDER BY 1, 2";
constexpr const char* kHomeSql =
    "SELECT day, start_second, length, activity_resident1, activity_resident2 FROM read_csv({}, delim = ',', header = "
    "true) ORDER BY 1, 2";
constexpr const char* kBadgeSql =
    "SELECT DISTINCT person, epoch(datetime)::BIGINT // 86400, (epoch(datetime)::BIGINT // 60) % 1440 FROM (SELECT "
    "node_a AS person, datetime FROM read_csv({0}, delim = ',', header = true) UNION ALL SELECT node_b, datetime FROM "
    "read_csv({0}, delim = ',', header = true)) ORDER BY 1, 2, 3";

std::string Filled(const char* sql, const std::string& path) {
  return fmt::format(fmt::runtime(sql), QuotedText(path));
}

/// One room, one number per minute; only whole days, and a minute without a number is like the one before.
Result<std::optional<Building>> Office(const Files& files) {
  constexpr std::size_t kNearlyAll = 1430;
  std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> days;
  for (const char* name : {"datatest", "datatraining", "datatest2"}) {
    const auto path = files.Find(fmt::format("occupancy_uci/{}.txt.gz", name));
    if (!path) continue;
    const auto rows = files.Rows(*path, Filled(kOfficeSql, *path));
    if (!rows) return rows.error();
    for (const auto& row : *rows) days[row[0]][row[1]] = row[2];
  }
  if (days.empty()) return std::nullopt;
  Space room{"room", {}};
  for (const auto& [number, minutes] : days) {
    if (minutes.size() < kNearlyAll) continue;
    OccupiedDay day{number, std::vector<std::uint8_t>(kMinutes, 0)};
    std::uint8_t last = 0;
    for (std::size_t minute = 0; minute < day.there.size(); ++minute) {
      const auto known = minutes.find(static_cast<std::int64_t>(minute));
      day.there[minute] = last = known == minutes.end() ? last : known->second != 0;
    }
    room.days.push_back(std::move(day));
  }
  return Building{"office", "somebody is in the room (one office, UCI)", 5, {std::move(room)}};
}

/// Each resident of two homes: at home and awake.
Result<std::optional<Building>> Homes(const Files& files) {
  constexpr std::int64_t kOut = 2, kAsleep = 11;
  Building homes{"homes", "a resident is at home and awake (two homes, ARAS)", 5, {}};
  for (const int house : {1, 2}) {
    const auto path = files.Find(fmt::format("aras/house{}_activities.csv.gz", house));
    if (!path) continue;
    const auto rows = files.Rows(*path, Filled(kHomeSql, *path));
    if (!rows) return rows.error();
    for (const std::size_t resident : {1, 2}) {
      Space space{fmt::format("house {} resident {}", house, resident), {}};
      for (const auto& row : *rows) {
        if (space.days.empty() || space.days.back().number != row[0])
          space.days.push_back({row[0], std::vector<std::uint8_t>(kMinutes, 0)});
        const std::int64_t activity = row[2 + resident];
        if (activity == kOut || activity == kAsleep) continue;
        const std::int64_t end = std::min<std::int64_t>(row[1] + row[2], std::int64_t{kMinutes} * 60);
        for (std::int64_t minute = (row[1] + 59) / 60; minute * 60 < end; ++minute)
          space.days.back().there[static_cast<std::size_t>(minute)] = 1;
      }
      homes.spaces.push_back(std::move(space));
    }
  }
  if (homes.spaces.empty()) return std::nullopt;
  return homes;
}

/// People whose badges met: between two meetings less than an hour apart they were there.
Result<std::optional<Building>> Badges(const Files& files, const std::string& name) {
  const auto path = files.Find(fmt::format("sociopatterns/{}.csv.gz", name));
  if (!path) return std::nullopt;
  const auto rows = files.Rows(*path, Filled(kBadgeSql, *path));
  if (!rows) return rows.error();
  Building building{name, "a badge met another within the hour (SocioPatterns)", 60, {}};
  std::int64_t person = -1;
  for (const auto& row : *rows) {
    if (row[0] != person || building.spaces.empty())
      building.spaces.push_back({fmt::format("person {}", building.spaces.size() + 1), {}});
    person = row[0];
    auto& days = building.spaces.back().days;
    if (days.empty() || days.back().number != row[1]) days.push_back({row[1], std::vector<std::uint8_t>(kMinutes, 0)});
    days.back().there[static_cast<std::size_t>(row[2])] = 1;
  }
  return building;
}

}  // namespace

bool HasOccupancy(const fs::path& folder) {
  std::error_code failed;
  for (const char* name : {"occupancy_uci/datatraining.txt.gz", "aras/house1_activities.csv.gz",
                           "sociopatterns/workplace.csv.gz", "sociopatterns/hospital.csv.gz"}) {
    if (fs::is_regular_file(folder / name, failed)) return true;
  }
  return false;
}

Result<experiment::Occupancy> ReadOccupancy(const fs::path& folder, const CancelFlag& cancel) {
  const Files files(folder, cancel);
  experiment::Occupancy all;
  const auto add = [&all](Result<std::optional<Building>> building) -> Result<void> {
    if (!building) return building.error();
    if (*building) all.buildings.push_back(std::move(**building));
    return {};
  };
  if (auto done = add(Office(files)); !done) return done.error();
  if (auto done = add(Homes(files)); !done) return done.error();
  for (const char* name : {"workplace", "hospital", "conference"}) {
    if (auto done = add(Badges(files, name)); !done) return done.error();
  }
  if (all.buildings.empty())
    return InvalidArgument("there is no occupancy in the folder", folder.string(),
                           "name the folder that holds occupancy_uci, aras or sociopatterns, or name none")
        .For("experiment.data");
  return all;
}

}  // namespace kith::cli
