#include "ledger/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "base/entropy.h"

namespace kith::ledger {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVoid =
    "restore the ledger (with its -wal file, if there is one) from a backup at least as new as the last answer";

Error Failed(const char* what, const fs::path& where, int reason) {
  return StorageError(fmt::format("{}: {}", what, std::strerror(reason)), where.string(),
                      "check the disk space and that this user may write to the folder");
}

// Never replaces what already has the name.
int Rename(const fs::path& from, const fs::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (link(from.c_str(), to.c_str()) != 0) return errno;  // file systems without that flag
  unlink(from.c_str());
  return 0;
}

// Where renaming is done by linking, a ledger that is being created has two names for a moment.
bool KeepsTwoNames(const Places& places) {
  for (int i = 0; i < 10; ++i) {
    struct stat info {};
    if (lstat(places.file.c_str(), &info) != 0 || info.st_nlink < 2) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

int Descriptor::Release() { return std::exchange(fd_, -1); }

Result<void> SyncFolder(const fs::path& folder) {
  const Descriptor fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0 || fsync(fd.get()) != 0) return Failed("the folder of the ledger cannot be written", folder, errno);
  return {};
}

Result<void> WriteDurably(const fs::path& file, const std::string& text) {
  const fs::path unfinished = file.string() + ".new-" + RandomHex(8);
  {
    const Descriptor fd(open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (fd.get() < 0) return Failed("the ledger's marker cannot be written", file, errno);
    const auto written = write(fd.get(), text.data(), text.size());
    if (written != static_cast<ssize_t>(text.size()) || fsync(fd.get()) != 0) {
      const int reason = written >= 0 && written < static_cast<ssize_t>(text.size()) ? ENOSPC : errno;
      unlink(unfinished.c_str());
      return Failed("the ledger's marker cannot be written", file, reason);
    }
  }
  if (std::rename(unfinished.c_str(), file.c_str()) != 0) {
    const int reason = errno;
    unlink(unfinished.c_str());
    return Failed("the ledger's marker cannot be written", file, reason);
  }
  return SyncFolder(file.parent_path());
}

Result<Places> Places::Of(const fs::path& file) {
  if (file.empty() || !file.has_filename()) {
    return InvalidArgument("the ledger has no file name", file.string(), "name a file under [budget] ledger");
  }
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(fs::absolute(file, failed), failed);
  if (failed) {
    return StorageError("the folder of the ledger cannot be looked at: " + failed.message(), file.string(),
                        "check that it exists and that this user may enter it");
  }
  const fs::path beside = whole.parent_path() / ".kith" / whole.filename();
  return Places{whole, whole.string() + "-wal", beside.string() + ".created", beside.string() + ".asking"};
}

Result<bool> IsThere(const Places& places) {
  struct stat info {};
  if (lstat(places.file.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      return StorageError("the ledger is a folder, not a file", places.file.string(),
                          "name a file under [budget] ledger");
    }
    if (!S_ISREG(info.st_mode)) {
      return StorageError("the ledger is not an ordinary file", places.file.string(),
                          "name an ordinary file under [budget] ledger, on a local disk");
    }
    if (info.st_size == 0) {
      return StorageError("the ledger is empty: it was truncated, or belongs to something else", places.file.string(),
                          fmt::format("{}; kith never treats an empty file as a new ledger", kVoid));
    }
    return info.st_nlink > 1 && KeepsTwoNames(places) ? Result<bool>(TwoNames(places)) : true;
  }
  if (errno != ENOENT) return Failed("the ledger cannot be opened", places.file, errno);
  for (const fs::path& trace : {places.marker, places.log}) {
    if (lstat(trace.c_str(), &info) != 0) continue;
    if (lstat(places.file.c_str(), &info) == 0)
      return IsThere(places);  // another process created it between the two looks
    return StorageError(
        "the ledger is lost: it was created once (see `at`), but the file " + places.file.filename().string() +
            " is gone",
        trace.string(),
        fmt::format(
            "{}; starting again would forget what was spent. Only if no answer was ever given may you delete the "
            "file named here: otherwise that voids every guarantee given for these data",
            kVoid));
  }
  if (!fs::is_directory(places.file.parent_path())) {
    return StorageError("the folder of the ledger does not exist", places.file.parent_path().string(),
                        "create it, or correct [budget] ledger");
  }
  return false;
}

Result<void> CreateWhole(const Places& places, const std::function<Result<void>(const fs::path&)>& fill) {
  const fs::path unfinished = places.file.string() + ".new-" + RandomHex(8);
  {
    const Descriptor fd(open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (fd.get() < 0) return Failed("the ledger cannot be created", places.file, errno);
  }
  const auto clean = [&] {
    for (const char* ending : {"", "-journal", "-wal", "-shm"}) unlink((unfinished.string() + ending).c_str());
  };
  if (auto filled = fill(unfinished); !filled) {
    clean();
    return filled.error();
  }
  if (const int reason = Rename(unfinished, places.file); reason != 0) {
    clean();
    if (reason != EEXIST) return Failed("the ledger cannot be created", places.file, reason);
  }
  return SyncFolder(places.file.parent_path());
}

Error TwoNames(const Places& places) {
  return StorageError("the ledger has two names (hard links): charges made through one are not seen through the other",
                      places.file.string(),
                      "remove the other name (find -samefile shows it) while no process uses the ledger. If questions "
                      "were asked through both, what was spent is the sum. For a backup, make a copy");
}

Identity Identity::Of(const Places& places) {
  Identity identity;
  struct stat info {};
  if (stat(places.file.c_str(), &info) == 0) {
    identity.device = info.st_dev;
    identity.file = info.st_ino;
    identity.names = info.st_nlink;
  }
  if (stat(places.log.c_str(), &info) == 0) identity.log = info.st_ino;
  return identity;
}

Stamp Stamp::Of(const Places& places) {
  Stamp stamp;
  struct stat info {};
  if (stat(places.file.c_str(), &info) == 0) {
    stamp.size = info.st_size;
    stamp.seconds = info.st_mtim.tv_sec;
    stamp.nanoseconds = info.st_mtim.tv_nsec;
  }
  if (stat(places.log.c_str(), &info) == 0) stamp.log_size = info.st_size;
  return stamp;
}

}  // namespace kith::ledger
