#include "estimate/protected_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/duckdb/source.h"
#include "estimate/estimate_input.h"
#include "policy/policy.h"

namespace kith::estimate {
namespace {

namespace fs = std::filesystem;

/// A file as it was named, with the names of its columns.
struct Candidate {
  std::string path;
  std::vector<std::string> columns;
};

/// Does the file have every declared column of a protected table? Then it is that table under another name, or so like
/// it that nobody should take the risk. The data themselves are not compared: whether they are the same would give
/// something away.
bool HasColumnsOf(const Table& table, const Candidate& file) {
  const bool secrets =
      std::any_of(table.columns.begin(), table.columns.end(), [](const Column& c) { return !c.is_public; });
  return secrets && table.columns.size() > 1 &&
         std::all_of(table.columns.begin(), table.columns.end(), [&](const Column& column) {
           return std::find(file.columns.begin(), file.columns.end(), column.name) != file.columns.end();
         });
}

Error Refused(const std::string& file, const std::string& why) {
  return InvalidArgument(why, file,
                         "estimate from public or consented data about other people: with a strength taken from the "
                         "protected data the size of the noise would itself be a release");
}

/// Every file of a table: several Parquet files, or all that match a pattern.
std::vector<std::string> FilesOf(const Table& table, const fs::path& folder) {
  if (const auto all = ResolveSource(table, folder)) return all->paths;
  // One of them is missing, or the table is on a server: the others are still protected.
  std::vector<std::string> files, names = table.more_sources;
  names.insert(names.begin(), table.source);
  for (const std::string& name : names) {
    if (const auto one = ResolveSource(name, table.name, folder)) files.push_back(one->path);
  }
  return files;
}

Result<void> RefuseSourcesOf(const Policy& policy, const std::vector<Candidate>& files) {
  const fs::path folder = fs::absolute(policy.file).parent_path();
  for (const Table& table : policy.tables) {
    if (table.is_public) continue;
    const auto sources = FilesOf(table, folder);
    for (const Candidate& file : files) {
      const auto same = [&](const std::string& source) {
        std::error_code failed;
        return fs::equivalent(file.path, source, failed);
      };
      if (std::any_of(sources.begin(), sources.end(), same)) {
        return Refused(file.path, fmt::format("this file is table '{}' of the policy {}, which protects it", table.name,
                                              policy.file.string()));
      }
      if (HasColumnsOf(table, file)) {
        return Refused(file.path,
                       fmt::format("this file has all the columns of table '{}', which the policy {} protects",
                                   table.name, policy.file.string()));
      }
    }
  }
  return {};
}

// Policies beside the files: an honest mistake should not need an option to be caught.
std::vector<fs::path> PoliciesBeside(const std::vector<std::string>& files) {
  constexpr std::size_t kMost = 200;
  std::vector<fs::path> folders = {fs::current_path()}, found;
  for (const std::string& file : files) folders.push_back(fs::absolute(file).parent_path());
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  for (const fs::path& folder : folders) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
      if (entry.path().extension() == ".toml" && found.size() < kMost) found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Result<void> RefuseSources(const std::vector<std::string>& files, const std::string& policy) {
  std::vector<Candidate> candidates;
  for (const std::string& file : files) {
    std::error_code failed;
    const fs::path path = fs::weakly_canonical(file, failed);
    if (std::find(path.begin(), path.end(), ".kith") != path.end())
      return Refused(file, "this file is kith's own copy of protected data");
    candidates.push_back({file, {}});
  }
  // By name first: no file is opened before it is known that no policy protects it.
  for (const fs::path& path : PoliciesBeside(files)) {
    const auto beside = Policy::Load(path);
    if (!beside) continue;
    if (auto ok = RefuseSourcesOf(*beside, candidates); !ok) return ok;
  }
  if (policy.empty()) return {};
  const auto named = Policy::Load(policy);
  if (!named) return named.error();
  return RefuseSourcesOf(*named, candidates);
}

Result<void> RefuseProtected(const std::vector<std::string>& files, const std::string& policy,
                             const CancelFlag& cancel) {
  if (auto ok = RefuseSources(files, policy); !ok || policy.empty()) return ok;
  const auto named = Policy::Load(policy);
  if (!named) return named.error();
  std::vector<Candidate> candidates;
  for (const std::string& file : files) {
    auto columns = ColumnsOf(file, cancel);
    if (!columns) return columns.error();
    candidates.push_back({file, std::move(*columns)});
  }
  return RefuseSourcesOf(*named, candidates);
}

}  // namespace kith::estimate
