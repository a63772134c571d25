#include "experiment/experiment_input.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/lockdown.h"

namespace kith::cli {
namespace experiment_files {

namespace fs = std::filesystem;

std::optional<fs::path> FirstOf(const std::vector<fs::path>& candidates) {
  for (const auto& path : candidates) {
    std::error_code failed;
    if (fs::is_regular_file(path, failed)) return fs::canonical(path, failed);
  }
  return std::nullopt;
}

std::optional<fs::path> AdultFile(const fs::path& folder) {
  return FirstOf({folder / "adult.data", folder / "adult.data.gz", folder / "adult" / "adult.data",
                  folder / "adult" / "adult.data.gz"});
}

/// One statement: all 15 columns as whole numbers, categories by their rank in the alphabet.
std::string AdultSql(const std::string& path) {
  std::string names, values, complete;
  for (const auto& column : experiment::AdultNames()) {
    const std::string name = QuotedName(column.name);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", QuotedText(column.name));
    values += fmt::format("{}{}", values.empty() ? "" : ", ",
                          column.number ? fmt::format("TRY_CAST(trim({}) AS UINTEGER)", name)
                                        : fmt::format("dense_rank() OVER (ORDER BY trim({})) - 1", name));
    complete += fmt::format("{}trim({}) <> '?'{}", complete.empty() ? "" : " AND ", name,
                            column.number ? fmt::format(" AND TRY_CAST(trim({}) AS UINTEGER) IS NOT NULL", name) : "");
  }
  return fmt::format(
      "SELECT {}, starts_with(trim(income), '>50K') FROM (SELECT *, row_number() OVER () AS line FROM read_csv({}, "
      "delim "
      "= ',', header = false, all_varchar = true, names = [{}, 'income'], null_padding = true, ignore_errors = true)) "
      "WHERE income IS NOT NULL AND {} ORDER BY line",
      values, QuotedText(path), names, complete);
}

/// A list of pairs as it is published, and how to read it.
struct NetworkFile {
  std::string name, path, from;  // from: the columns, as SELECT reads them, and how the file is read
};

std::vector<NetworkFile> NetworkFiles(const fs::path& folder) {
  constexpr const char* kTabs =
      "read_csv({}, delim = '\t', header = {}, auto_detect = false, columns = "
      "{{'a': 'BIGINT', 'b': 'BIGINT'}})";
  constexpr const char* kContacts = "(SELECT node_a AS a, node_b AS b FROM read_csv({}, delim = ',', header = true))";
  const std::vector<std::array<std::string, 3>> known = {
      {"friends", "friends.csv", "(SELECT a, b FROM read_csv({}, delim = ',', header = true))"},
      {"gowalla_new_york", "gowalla_nyc/friends.tsv.gz", kTabs},
      {"gowalla_world", "gowalla_vldb17/social_relations.tsv.gz", kTabs},
      {"hospital", "sociopatterns/hospital.csv.gz", kContacts},
      {"workplace", "sociopatterns/workplace.csv.gz", kContacts},
      {"conference", "sociopatterns/conference.csv.gz", kContacts},
  };
  std::vector<NetworkFile> files;
  for (const auto& [name, path, from] : known) {
    const auto file = FirstOf({folder / path});
    if (!file) continue;
    const std::string quoted = QuotedText(file->string());
    const bool header = name != "gowalla_world";
    files.push_back({name, file->string(), fmt::format(fmt::runtime(from), quoted, header)});
  }
  return files;
}

/// Pairs of different people, the smaller first, and how often they are listed; people are numbered as they appear.
experiment::Network NetworkOf(const std::string& name, const IntegerTable& table) {
  experiment::Network network{name, 0, {}};
  std::map<std::int64_t, std::uint32_t> number;
  const auto numbered = [&number](std::int64_t person) {
    return number.emplace(person, static_cast<std::uint32_t>(number.size())).first->second;
  };
  for (const auto& row : table.rows) {
    const std::uint32_t a = numbered(static_cast<std::int64_t>(row[0].value_or(0)));
    const std::uint32_t b = numbered(static_cast<std::int64_t>(row[1].value_or(0)));
    network.pairs.push_back({a, b, static_cast<std::uint64_t>(row[2].value_or(1))});
  }
  network.people = static_cast<std::uint32_t>(number.size());
  return network;
}

}  // namespace experiment_files

bool HasAdult(const std::filesystem::path& folder) { return experiment_files::AdultFile(folder).has_value(); }

bool HasCity(const std::filesystem::path& folder) {
  return experiment_files::FirstOf(
             {folder / "visits.csv", folder / "checkins.tsv.gz", folder / "gowalla_nyc" / "checkins.tsv.gz"})
      .has_value();
}

std::string CityName(const std::filesystem::path& folder) {
  return experiment_files::FirstOf({folder / "visits.csv"}) ? "Data of the folder" : "Gowalla, New York";
}

bool HasNetworks(const std::filesystem::path& folder) { return !experiment_files::NetworkFiles(folder).empty(); }

Result<experiment::Adult> ReadAdult(const std::filesystem::path& folder, const CancelFlag& cancel) {
  const auto file = experiment_files::AdultFile(folder);
  if (!file)
    return InvalidArgument("there is no adult.data in the folder", folder.string(),
                           "name the folder with adult.data or adult.data.gz, or name none")
        .For("experiment.data");
  auto database = DuckDb::Open("", LockedSettings({}, {}));
  if (!database) return database.error();
  auto connection = database->Connect();
  if (!connection) return connection.error();
  if (auto locked = LockDown(*connection, {file->string()}, cancel); !locked) return locked.error();
  const auto table = connection->Integers(experiment_files::AdultSql(file->string()), cancel);
  if (!table && table.error().code != Code::kInternal) return table.error();
  if (!table || table->rows.empty())
    return InvalidArgument("no line of adult.data has 15 columns", folder.string(),
                           "numbers and words between commas, as the data set is published");
  experiment::Adult adult;
  for (const auto& name : experiment::AdultNames()) adult.columns.push_back({name.name, name.number, {}});
  for (const auto& row : table->rows) {
    for (std::size_t k = 0; k < adult.columns.size(); ++k)
      adult.columns[k].values.push_back(static_cast<std::uint32_t>(row[k].value_or(0)));
    adult.label.push_back(row.back().value_or(0) != 0);
  }
  return adult;
}

Result<AttackInput> ReadCity(const std::filesystem::path& folder, const CancelFlag& cancel) {
  if (experiment_files::FirstOf({folder / "visits.csv"}))
    return ReadAttackInput({(folder / "visits.csv").string(), (folder / "friends.csv").string(), ""}, cancel);
  for (const auto& place : {folder, folder / "gowalla_nyc"}) {
    if (experiment_files::FirstOf({place / "checkins.tsv.gz"}))
      return ReadAttackInput(
          {(place / "checkins.tsv.gz").string(), (place / "friends.tsv.gz").string(), "user,time,lat,lon,place"},
          cancel);
  }
  return InvalidArgument("there are no visits in the folder", folder.string(),
                         "name the folder with visits.csv or checkins.tsv.gz, or name none")
      .For("experiment.data");
}

Result<std::vector<experiment::Network>> ReadNetworks(const std::filesystem::path& folder, const CancelFlag& cancel) {
  const auto files = experiment_files::NetworkFiles(folder);
  if (files.empty())
    return InvalidArgument("there are no networks in the folder", folder.string(),
                           "name the folder with friends.csv, gowalla_nyc or sociopatterns, or name none")
        .For("experiment.data");
  auto database = DuckDb::Open("", LockedSettings({}, {}));
  if (!database) return database.error();
  auto connection = database->Connect();
  if (!connection) return connection.error();
  std::vector<std::string> paths;
  for (const auto& file : files) paths.push_back(file.path);
  if (auto locked = LockDown(*connection, paths, cancel); !locked) return locked.error();
  std::vector<experiment::Network> networks;
  for (const auto& file : files) {
    const auto table = connection->Integers(
        fmt::format("SELECT least(a, b), greatest(a, b), count(*) FROM {} WHERE a <> b GROUP BY 1, 2 ORDER BY 1, 2",
                    file.from),
        cancel);
    if (!table && table.error().code != Code::kInternal) return table.error();
    if (!table || table->rows.empty())
      return InvalidArgument("no line of the file is a pair of people", file.path,
                             "two columns of whole numbers, as the data set is published");
    networks.push_back(experiment_files::NetworkOf(file.name, *table));
  }
  return networks;
}

}  // namespace kith::cli
