#include "release/stream/step_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <utility>

namespace kith {

Result<StepFile> StepFile::Open(const std::string& path, StepFormat format) {
  StepFile file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644), std::move(format));
  if (file.file_ < 0) return StorageError("the output cannot be written", path, "check the folder and its permissions");
  if (flock(file.file_, LOCK_EX | LOCK_NB) != 0)
    return StorageError("another process writes this output", path, "stop it, or name another file");
  std::string text;
  char buffer[65536];
  for (ssize_t got = 0; (got = read(file.file_, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  const auto end = text.rfind('\n');
  const std::size_t whole = end == std::string::npos ? 0 : end + 1;
  if (ftruncate(file.file_, static_cast<off_t>(whole)) != 0 || lseek(file.file_, 0, SEEK_END) < 0)
    return StorageError("the output cannot be written", path);
  text.resize(whole);
  if (text.empty()) {
    if (auto written = file.Write(file.format_.head); !written) return written.error();
    return file;
  }
  if (file.format_.same_head && !text.starts_with(file.format_.head))
    return InvalidArgument("the file has other columns than this stream", path, "name another file").For("output");
  const std::size_t last = text.rfind('\n', text.size() - 2);
  if (last != std::string::npos) file.last_ = file.format_.tick_of(text.substr(last + 1)).value_or(-1);
  return file;
}

StepFile::StepFile(StepFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)), format_(std::move(other.format_)), last_(other.last_) {}

StepFile::~StepFile() {
  if (file_ >= 0) close(file_);
}

Result<void> StepFile::Write(const std::string& text) const {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t put = write(file_, text.data() + done, text.size() - done);
    if (put < 0)
      return StorageError("the output cannot be written", {},
                          "the steps are kept in the ledger: start again with room on the disk");
    done += static_cast<std::size_t>(put);
  }
  return {};
}

Result<void> StepFile::Append(const Answer& step) {
  if (step.step->tick <= last_) return {};
  last_ = step.step->tick;
  return Write(format_.lines(step));
}

}  // namespace kith
