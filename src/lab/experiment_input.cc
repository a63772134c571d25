#include "lab/experiment_input.h"

#include <fmt/format.h>

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

}  // namespace experiment_files

Result<experiment::Adult> ReadAdult(const std::filesystem::path& folder, const CancelFlag& cancel) {
  const auto file = experiment_files::FirstOf({folder / "adult.data", folder / "adult.data.gz",
                                               folder / "adult" / "adult.data", folder / "adult" / "adult.data.gz"});
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

}  // namespace kith::cli
