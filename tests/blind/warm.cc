#include "tests/blind/warm.h"

#include <dlfcn.h>
#include <duckdb.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "base/digest.h"
#include "engine/duckdb/library.h"
#include "engine/duckdb/lockdown.h"

extern "C" void* __real_dlsym(void* library, const char* name);  // NOLINT(bugprone-reserved-identifier)

namespace kith::blind {
namespace {

constexpr std::size_t kMost = 3;  // an import opens so many

// DuckDB's own, found before anything is in their place.
decltype(&::duckdb_open_ext) open_ext = nullptr;
decltype(&::duckdb_set_config) set_config = nullptr;
decltype(&::duckdb_close) close_database = nullptr;

std::vector<duckdb_database> opened;  // not handed out yet
std::vector<duckdb_database> given;
thread_local DuckDb::Settings asked_for;  // since a database was last opened

/// What may be set while a database is open, and is then.
bool MayFollow(const std::string& name) {
  return name == "memory_limit" || name == "temp_directory" || name == "threads";
}

DuckDb::Settings Fixed(DuckDb::Settings settings) {
  std::erase_if(settings, [](const auto& one) { return MayFollow(one.first); });
  return settings;
}

bool Set(duckdb_database database, const DuckDb::Settings& settings) {
  duckdb_connection connection = nullptr;
  if (duckdb_connect(database, &connection) != DuckDBSuccess) return false;
  std::string sql;
  bool threads = false;
  for (const auto& [name, value] : settings) {
    if (MayFollow(name)) sql += fmt::format("SET GLOBAL {} = {};", name, QuotedText(value));
    threads |= name == "threads";
  }
  if (!threads) sql += fmt::format("SET GLOBAL threads = {};", std::thread::hardware_concurrency());
  const bool done = duckdb_query(connection, sql.c_str(), nullptr) == DuckDBSuccess;
  duckdb_disconnect(&connection);
  return done;
}

duckdb_state SetConfig(duckdb_config config, const char* name, const char* value) {
  asked_for.emplace_back(name, value);
  return set_config(config, name, value);
}

duckdb_state Open(const char* path, duckdb_database* database, duckdb_config config, char** error) {
  const DuckDb::Settings settings = std::exchange(asked_for, {});
  if (path != nullptr || opened.empty() || Fixed(settings) != Fixed(LockedSettings({}, {})) ||
      !Set(opened.back(), settings)) {
    return open_ext(path, database, config, error);
  }
  given.push_back(opened.back());
  opened.pop_back();
  *database = given.back();
  return DuckDBSuccess;
}

void Close(duckdb_database* database) {
  if (database == nullptr || std::find(given.begin(), given.end(), *database) == given.end())
    return close_database(database);
  *database = nullptr;
}

template <class Function>
void Find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(duckdb_library.Find(name));
}

}  // namespace

void WarmUp() {
  if (!duckdb_library.Load()) return;
  static_cast<void>(Sha256(""));  // OpenSSL's tables
  decltype(open_ext) own = nullptr;
  Find(set_config, "duckdb_set_config");
  Find(close_database, "duckdb_close");
  Find(own, "duckdb_open_ext");
  for (std::size_t k = 0; k < kMost; ++k) {
    duckdb_config config = nullptr;
    if (::kith::duckdb_create_config(&config) != DuckDBSuccess) return;
    // No thread of it would be in a child.
    set_config(config, "threads", "1");
    for (const auto& [name, value] : Fixed(LockedSettings({}, {}))) set_config(config, name.c_str(), value.c_str());
    duckdb_database database = nullptr;
    if (own(nullptr, &database, config, nullptr) == DuckDBSuccess) opened.push_back(database);
    ::kith::duckdb_destroy_config(&config);
  }
  open_ext = own;  // from now on
}

}  // namespace kith::blind

// The linker puts it in the place of dlsym (--wrap).
extern "C" void* __wrap_dlsym(void* library, const char* name) {  // NOLINT(bugprone-reserved-identifier)
  using namespace kith::blind;
  if (open_ext != nullptr) {
    const std::string function = name;
    if (function == "duckdb_open_ext") return reinterpret_cast<void*>(Open);
    if (function == "duckdb_set_config") return reinterpret_cast<void*>(SetConfig);
    if (function == "duckdb_close") return reinterpret_cast<void*>(Close);
  }
  return __real_dlsym(library, name);
}
