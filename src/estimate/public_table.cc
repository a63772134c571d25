#include "estimate/public_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/lockdown.h"
#include "engine/duckdb/tables.h"

namespace kith::estimate {
namespace {

Error Unreadable(Error error, const std::string& shown) {
  if (error.code == Code::kInternal)
    return InvalidArgument("the file cannot be read as a table", shown,
                           "every line needs the same number of fields, the first one their names");
  error.where = shown;
  return error;
}

}  // namespace

Result<std::string> FromPublicFile(const std::string& shown, std::string& path) {
  std::error_code failed;
  path = std::filesystem::canonical(shown, failed).string();
  if (failed) return InvalidArgument("there is no such file", shown, "check the path and its permissions");
  std::string end = path;
  if (end.ends_with(".gz")) end.resize(end.size() - 3);
  if (end.ends_with(".parquet")) return ReadParquet(path);
  const bool tabs = end.ends_with(".tsv") || end.ends_with(".txt");
  if (!tabs && !end.ends_with(".csv"))
    return InvalidArgument("this kind of file is not known", shown,
                           "use .csv, .tsv, .txt (with .gz or not) or .parquet");
  return fmt::format("read_csv({}, delim = {}, header = true, all_varchar = true, quote = '\"', escape = '\"')",
                     QuotedText(path), tabs ? "'\t'" : "','");
}

Result<PublicTable> ReadPublicTable(const std::string& file, const std::vector<std::string>& columns,
                                    std::size_t most_rows, const CancelFlag& cancel) {
  std::string path;
  const auto from = FromPublicFile(file, path);
  if (!from) return from.error();
  auto database = DuckDb::Open("", LockedSettings({}, {}));
  if (!database) return database.error();
  auto connection = database->Connect();
  if (!connection) return connection.error();
  if (auto locked = LockDown(*connection, {path}, cancel); !locked) return locked.error();
  const auto names = connection->PublicTexts(
      fmt::format("SELECT CAST(column_name AS VARCHAR) FROM (DESCRIBE SELECT * FROM {})", *from), cancel);
  if (!names) return Unreadable(names.error(), file);
  std::vector<std::string> all, texts;
  for (const auto& name : *names) all.push_back(name[0]);
  for (const std::string& column : columns) {
    if (std::find(all.begin(), all.end(), column) == all.end()) {
      return InvalidArgument(fmt::format("the file has no column '{}'", column), file,
                             fmt::format("its columns are {}", fmt::join(all, ", ")))
          .For("public.columns");
    }
    texts.push_back(fmt::format("trim(CAST({} AS VARCHAR))", QuotedName(column)));
  }
  auto rows = connection->PublicTexts(
      fmt::format("SELECT {} FROM {} LIMIT {}", fmt::join(texts, ", "), *from, most_rows + 1), cancel);
  if (!rows) return Unreadable(rows.error(), file);
  if (rows->size() > most_rows)
    return InvalidArgument(fmt::format("the table has more than {} rows", most_rows), file, "take a part of it");
  PublicTable table;
  for (auto& row : *rows) {
    if (std::any_of(row.begin(), row.end(), [](const std::string& text) { return text.empty(); })) {
      ++table.left_out;
    } else {
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace kith::estimate
