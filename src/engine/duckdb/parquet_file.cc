#include "engine/duckdb/parquet_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "engine/duckdb/parquet_footer.h"
#include "engine/duckdb/tables.h"

namespace kith {

namespace fs = std::filesystem;

namespace {

constexpr char kRules[] = "kith-parquet-1";

std::string Short(const std::string& text) { return Sha256(text).substr(0, 16); }

/// Reads every shown value as it is in the file.
Result<void> Touch(const DuckDbConnection& connection, const std::string& path, const std::vector<RawColumn>& columns,
                   const CancelFlag& cancel) {
  std::string list;
  for (const RawColumn& column : columns) {
    list += fmt::format("{}bit_xor(hash({}))", list.empty() ? "" : ", ", column.expression);
  }
  auto touched = connection.Integers(fmt::format("SELECT {} FROM {}", list, ReadParquet(path)), cancel);
  if (!touched) return touched.error();
  return {};
}

/// What was text is bytes in the copy, what was milliseconds is a number.
std::string Again(const RawColumn& column, const std::string& now) {
  const std::string name = QuotedName(column.name);
  if (column.type == "VARCHAR" && now == "BLOB") return fmt::format("TRY(decode({}))", name);
  if (now == "BIGINT" && column.type.rfind("TIMESTAMP", 0) == 0) {
    constexpr std::int64_t kFarthest = 9'200'000'000'000'000;  // as microseconds within 64 bits
    const std::string time =
        fmt::format("CASE WHEN {0} BETWEEN {1} AND {2} THEN make_timestamp_ms({0}) END", name, -kFarthest, kFarthest);
    return column.type == "TIMESTAMP" ? time : TryCast(time, column.type);
  }
  return name;
}

Result<void> ReadCopy(const DuckDbConnection& connection, const fs::path& copy, std::vector<RawColumn>* columns,
                      const CancelFlag& cancel) {
  auto physical = Describe(connection, ReadParquet(copy.string()), cancel);
  if (!physical) return physical.error();
  for (RawColumn& column : *columns) {
    const auto named = [&column](const PhysicalColumn& other) { return other.name == column.name; };
    const auto found = std::find_if(physical->begin(), physical->end(), named);
    if (found == physical->end()) return InternalError("a copy has fewer columns than its file");
    column.expression = Again(column, found->type);
  }
  return {};
}

Result<void> MakeCopy(const Source& source, const FileIdentity& identity, const std::string& prefix,
                      const fs::path& copy, const KithFolder& folder, const CancelFlag& cancel) {
  auto place = folder.MakeWorkFolder(KithFolder::Work::kCopy);
  if (!place) return place.error();
  const fs::path made = *place / "plain.parquet";
  auto copied = CopyPlain(source.path, made, cancel);
  const auto now = Identify(source.path);
  if (copied && (!now || !(*now == identity))) {
    copied = StorageError("the file changed while it was read", source.name, "ask again once the file is complete");
  }
  // A user who may read the file may read its copy.
  if (copied && ::chmod(made.c_str(), 0400) != 0) {
    copied = FolderError("the copy of a file cannot be finished", made, errno);
  }
  if (copied && ::rename(made.c_str(), copy.c_str()) != 0) {
    copied = FolderError("the copy of a file cannot be named", copy, errno);
  }
  std::error_code ignored;
  fs::remove_all(*place, ignored);
  if (!copied) return copied;
  for (fs::directory_iterator entry(folder.path(), ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    std::error_code stays;
    const fs::path& other = entry->path();
    if (other != copy && other.filename().string().rfind(prefix, 0) == 0 && other.extension() == ".parquet") {
      fs::remove(other, stays);  // of earlier states of the file
    }
  }
  return {};
}

}  // namespace

Result<std::string> ReadableParquet(const DuckDbConnection& connection, const Source& source,
                                    const FileIdentity& identity, const std::string& table, const KithFolder& folder,
                                    std::vector<RawColumn>* columns, const Call& call) {
  const CancelFlag& cancel = call.cancel;
  const std::string prefix = fmt::format("{}-", Short(table));
  const fs::path copy = folder.path() / fmt::format("{}{}.parquet", prefix, Short(identity.Text() + kRules));
  std::string shown;
  for (const RawColumn& column : *columns) shown += fmt::format("{}:{} ", column.name.size(), column.name);
  const std::string state = fmt::format("{} {} {}", kRules, identity.Text(), shown);

  if (::access(copy.c_str(), R_OK) != 0) {
    auto readable = Once(folder, "readable " + state, [&] { return Touch(connection, source.path, *columns, cancel); });
    if (readable) return source.path;
    if (readable.error().code != Code::kInternal) return readable.error();
    auto lock = folder.Lock(KithFolder::Work::kCopy, cancel,
                            [&call] { call.Tell("another process is preparing the data; waiting for it"); });
    if (!lock) return lock.error();
    if (::access(copy.c_str(), R_OK) != 0) {
      if (auto made = MakeCopy(source, identity, prefix, copy, folder, cancel); !made) return made.error();
    }
  }
  if (auto read = ReadCopy(connection, copy, columns, cancel); !read) return read.error();
  auto readable = Once(folder, "readable copy " + state, [&] { return Touch(connection, copy, *columns, cancel); });
  if (readable) return copy.string();
  if (readable.error().code != Code::kInternal) return readable.error();
  std::error_code ignored;
  fs::remove(copy, ignored);
  return StorageError("a declared column cannot be read to its end: the file is damaged", source.name,
                      "write the file again");
}

}  // namespace kith
