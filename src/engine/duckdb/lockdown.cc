#include "engine/duckdb/lockdown.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace kith {

namespace {

/// Memory of the machine, or of the control group if that is less.
std::int64_t MachineMemory() {
  std::int64_t bytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::int64_t limit = 0;
    if (std::ifstream(file) >> limit && limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

}  // namespace

DuckDb::Settings LockedSettings(const EngineOptions& options, const std::string& spill_folder) {
  const std::int64_t memory = options.memory_bytes > 0 ? options.memory_bytes : MachineMemory() / 10 * 6;
  DuckDb::Settings settings = {
      {"memory_limit", fmt::format("{}B", memory)}, {"temp_directory", spill_folder},
      {"autoinstall_known_extensions", "false"},    {"autoload_known_extensions", "false"},
      {"allow_community_extensions", "false"},      {"allow_unsigned_extensions", "false"},
      {"allow_persistent_secrets", "false"},        {"default_collation", ""},  // bytes decide
      {"preserve_insertion_order", "false"},  // nothing kith asks depends on the order of rows
  };
  if (options.threads > 0) settings.emplace_back("threads", std::to_string(options.threads));
  return settings;
}

Result<void> LockDown(const DuckDbConnection& connection, const std::vector<std::string>& files,
                      const CancelFlag& cancel) {
  std::string paths;
  for (const std::string& file : files) paths += (paths.empty() ? "" : ", ") + QuotedText(file);
  std::string steps = "SET GLOBAL TimeZone = 'UTC'; SET GLOBAL Calendar = 'gregorian';";
  if (!files.empty()) steps += fmt::format(" SET GLOBAL allowed_paths = [{}];", paths);
  steps += " SET GLOBAL enable_external_access = false; SET GLOBAL lock_configuration = true";
  return connection.Execute(steps, cancel);
}

}  // namespace kith
