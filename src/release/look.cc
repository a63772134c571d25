#include "release/look.h"

#include <system_error>
#include <utility>

#include "base/entropy.h"
#include "base/private_folder.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, removed with everything in it.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> Make() {
    std::error_code failed;
    const fs::path all = fs::temp_directory_path(failed);
    TemporaryFolder made(all / ("kith-look-" + RandomHex(8)));
    if (!failed) failed = MakePrivateFolder(made.path_);
    if (failed)
      return StorageError("no temporary folder can be made (" + failed.message() + ")", all.string(),
                          "name a folder that can be written to in the variable TMPDIR");
    return made;
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

/// The same policy in another folder: what engines keep beside a policy is kept there.
Policy MovedTo(const fs::path& folder, Policy policy) {
  std::error_code failed;  // the current folder is gone: files are not found, and that is said
  const fs::path before = fs::absolute(policy.file, failed).parent_path();
  if (policy.engine == "duckdb") {
    for (Table& table : policy.tables) {
      table.source = (before / table.source).string();
      for (std::string& source : table.more_sources) source = (before / source).string();
    }
  }
  policy.file = folder / "policy.toml";
  return policy;
}

}  // namespace

Result<void> LookAtData(const Policy& policy, const EngineOptions& options, const Call& call,
                        const DataReportSink& report) {
  const auto folder = TemporaryFolder::Make();
  if (!folder) return folder.error();
  const Policy moved = MovedTo(folder->path(), policy);
  Call silent = call;
  silent.notice = nullptr;  // the report says it
  const auto lock = ImportLock::Take(moved, silent);
  if (!lock) return lock.error();
  EngineOptions opening = options;
  opening.import = "look";
  const auto named = [&](DataReport found) {
    for (std::size_t k = 0; k < found.tables.size() && k < policy.tables.size(); ++k)
      found.tables[k].source = policy.tables[k].source;
    report(found);
  };
  const auto looked = ImportTables(*lock, moved, opening.import, {}, options, silent, named);
  if (!looked) return looked.error();
  if (*looked) return {};
  const auto opened = OpenSession(moved, opening, silent);
  return opened ? Result<void>() : opened.error();
}

}  // namespace kith
