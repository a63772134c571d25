#include "ledger/question_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/digest.h"
#include "base/private_folder.h"
#include "ledger/files.h"

namespace kith {

QuestionLock::QuestionLock(QuestionLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

QuestionLock& QuestionLock::operator=(QuestionLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

QuestionLock::~QuestionLock() {
  if (descriptor_ >= 0) close(descriptor_);  // its own open file: its lock goes with it
}

namespace ledger {
namespace {

namespace fs = std::filesystem;

Error CannotLock(const fs::path& file, int reason) {
  return StorageError(fmt::format("the question cannot be locked against others who ask it: {}", std::strerror(reason)),
                      file.string(),
                      "check the disk space and that this user may write to the folder, on a local disk; nothing was "
                      "charged");
}

// One byte of 2^62 for each key. Two keys at one byte would only wait for each other.
off_t ByteOf(std::string_view key) {
  const std::string digest = Sha256(key);
  return static_cast<off_t>(std::stoull(digest.substr(0, 16), nullptr, 16) >> 2);
}

// Whether the name still refers to the open file. Locks in a file that was deleted keep nobody out.
bool StillThere(int fd, const fs::path& file) {
  struct stat open_file = {};
  struct stat named = {};
  return fstat(fd, &open_file) == 0 && stat(file.c_str(), &named) == 0 && open_file.st_dev == named.st_dev &&
         open_file.st_ino == named.st_ino;
}

}  // namespace

Result<QuestionLock> LockQuestion(const fs::path& file, std::string_view key, const CancelFlag& cancel) {
  constexpr std::chrono::microseconds kShortest(500), kLongest(50'000);
  if (const auto failed = MakePrivateFolder(file.parent_path())) return CannotLock(file, failed.value());
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  whole.l_start = ByteOf(key);
  whole.l_len = 1;
  auto pause = kShortest;
  while (true) {
    Descriptor fd(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (fd.get() < 0) return CannotLock(file, errno);
    // Locks of open files, not of processes: threads keep each other out, and closing another file drops nothing.
    for (bool first = true; first || StillThere(fd.get(), file); first = false) {
      if (cancel.cancelled()) return Cancelled("cancelled before this question had its turn");
      if (fcntl(fd.get(), F_OFD_SETLK, &whole) == 0) {
        if (StillThere(fd.get(), file)) return QuestionLock(fd.Release());
        break;
      }
      if (errno != EAGAIN && errno != EACCES && errno != EINTR) return CannotLock(file, errno);
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, kLongest);
    }
  }
}

}  // namespace ledger
}  // namespace kith
