#include "engine/duckdb/folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/private_folder.h"
#include "base/replace_file.h"

namespace kith {

namespace fs = std::filesystem;

namespace {

constexpr auto kLockPoll = std::chrono::milliseconds(50);
constexpr char kSpillPrefix[] = "spill-";

Descriptor OpenFile(const fs::path& path, int flags) {
  return Descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0666));
}

/// "import" or "copy": names of locks and folders begin with it.
const char* Name(KithFolder::Work work) { return work == KithFolder::Work::kImport ? "import" : "copy"; }

bool HasPrefix(const fs::path& path, const char* prefix) { return path.filename().string().rfind(prefix, 0) == 0; }

/// mkdtemp: a new folder with mode 0700. Empty on failure, with errno set.
fs::path MakeUnique(const fs::path& folder, const std::string& prefix) {
  std::string name = (folder / (prefix + "XXXXXX")).string();
  return ::mkdtemp(name.data()) == nullptr ? fs::path() : fs::path(name);
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}
Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Error FolderError(const std::string& what, const fs::path& path, int system_error) {
  std::string next;
  if (system_error == EACCES || system_error == EPERM || system_error == EROFS) {
    next = "make the policy's folder writable, or let somebody who may write there import the data once";
  } else if (system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG) {
    next = "free some space on the disk";
  }
  return StorageError(fmt::format("{} ({})", what, std::strerror(system_error)), path.string(), next);
}

Result<void> SyncToDisk(const fs::path& path) {
  const Descriptor file = OpenFile(path, O_RDONLY);
  if (!file.open() || ::fsync(file.get()) != 0) return FolderError("a file cannot be written to disk", path, errno);
  return {};
}

KithFolder::KithFolder(fs::path policy_folder) : path_(std::move(policy_folder) / ".kith") {}

Result<void> KithFolder::Create() const {
  if (const auto failed = MakePrivateFolder(path_))
    return FolderError("the folder for snapshots cannot be made", path_, failed.value());
  if (::access(path_.c_str(), R_OK | W_OK | X_OK) != 0) {
    return FolderError("the folder for snapshots cannot be written to", path_, errno);
  }
  return {};
}

Result<Descriptor> KithFolder::Lock(Work work, const CancelFlag& cancel, const std::function<void()>& waiting) const {
  if (auto created = Create(); !created) return created.error();
  const fs::path path = path_ / (std::string(Name(work)) + ".lock");
  Descriptor lock = OpenFile(path, O_RDONLY | O_CREAT);
  if (!lock.open()) return FolderError("the import lock cannot be opened", path, errno);
  bool told = false;
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return FolderError("the import lock cannot be taken", path, errno);
    if (cancel.cancelled()) return Cancelled("stopped while waiting for another process that imports");
    if (!told) waiting();
    told = true;
    std::this_thread::sleep_for(kLockPoll);
  }
  return lock;
}

Result<fs::path> KithFolder::MakeWorkFolder(Work work) const {
  const std::string prefix = std::string(Name(work)) + "-";
  std::error_code ignored;  // a leftover that cannot be removed does no harm
  for (const auto& entry : fs::directory_iterator(path_, ignored)) {
    if (HasPrefix(entry.path(), prefix.c_str())) fs::remove_all(entry.path(), ignored);
  }
  fs::path made = MakeUnique(path_, prefix);
  if (made.empty()) return FolderError("a folder for the import cannot be made", path_, errno);
  return made;
}

namespace {

/// Every state of changing data leaves its own marks. Beyond this many, the older half goes.
void RemoveOldMarks(const fs::path& folder) {
  constexpr std::size_t kMost = 1000;
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> marks;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto made = entry.last_write_time(error);
    if (!error) marks.emplace_back(made, entry.path());
  }
  if (marks.size() <= kMost) return;
  std::sort(marks.begin(), marks.end());
  for (std::size_t k = 0; k < marks.size() - kMost / 2; ++k) fs::remove(marks[k].second, error);
}

}  // namespace

bool KithFolder::Marked(const std::string& name) const {
  return ::access((path_ / "checked" / name).c_str(), F_OK) == 0;
}

void KithFolder::Mark(const std::string& name) const {
  if (!Create()) return;
  ::mkdir((path_ / "checked").c_str(), 0777);
  const Descriptor mark = OpenFile(path_ / "checked" / name, O_WRONLY | O_CREAT);
  RemoveOldMarks(path_ / "checked");
}

std::optional<std::string> KithFolder::Recall(const std::string& name) const {
  std::ifstream file(path_ / "checked" / name, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return file.bad() ? std::nullopt : std::optional(std::move(text));
}

void KithFolder::Remember(const std::string& name, const std::string& text) const {
  if (!Create()) return;
  ::mkdir((path_ / "checked").c_str(), 0777);
  if (ReplaceTextFile(path_ / "checked" / name, text)) RemoveOldMarks(path_ / "checked");
}

std::unique_ptr<SpillFolder> SpillFolder::Make(const KithFolder& folder) {
  if (!folder.Create()) return nullptr;
  // This lock is held for moments only. It keeps a sweeper from mistaking a folder that is made but not yet locked for
  // a leftover.
  const Descriptor guard = OpenFile(folder.path() / "spill.lock", O_RDONLY | O_CREAT);
  if (!guard.open() || ::flock(guard.get(), LOCK_EX) != 0) return nullptr;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.path(), ignored)) {
    if (!HasPrefix(entry.path(), kSpillPrefix) || !entry.is_directory(ignored)) continue;
    const Descriptor leftover = OpenFile(entry.path(), O_RDONLY | O_DIRECTORY);
    if (leftover.open() && ::flock(leftover.get(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry.path(), ignored);
  }
  fs::path made = MakeUnique(folder.path(), kSpillPrefix);
  if (made.empty()) return nullptr;
  Descriptor lock = OpenFile(made, O_RDONLY | O_DIRECTORY);
  if (!lock.open() || ::flock(lock.get(), LOCK_SH) != 0) return nullptr;
  return std::unique_ptr<SpillFolder>(new SpillFolder(std::move(made), std::move(lock)));
}

SpillFolder::~SpillFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace kith
