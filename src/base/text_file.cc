#include "base/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>

namespace kith {

Result<std::string> ReadTextFile(const std::filesystem::path& path, std::uintmax_t largest) {
  std::error_code failed;
  if (std::filesystem::status(path, failed).type() == std::filesystem::file_type::not_found)
    return InvalidArgument("there is no such file", path.string(), "check the path");
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path, failed))
    return StorageError("cannot read the file", path.string(), "check the path and its permissions");
  std::string text;
  char part[65536];
  while (in.read(part, sizeof part) || in.gcount() > 0) {
    text.append(part, static_cast<std::size_t>(in.gcount()));
    if (text.size() > largest)
      return InvalidArgument(fmt::format("the file is larger than {} bytes", largest), path.string(),
                             "give less at once");
  }
  if (in.bad()) return StorageError("cannot read the file", path.string(), "check the disk");
  return text;
}

Result<void> WriteTextFile(const std::filesystem::path& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) return StorageError("cannot write the file", path.string(), "check the folder and its permissions");
  return {};
}

Result<void> WritePrivateFile(const std::filesystem::path& path, std::string_view text) {
  constexpr mode_t kOwner = S_IRUSR | S_IWUSR;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwner);
  // Before anything is in it. Pipes and terminals have no mode of ours.
  struct stat info {};
  bool done = file >= 0 && ::fstat(file, &info) == 0 && (!S_ISREG(info.st_mode) || ::fchmod(file, kOwner) == 0);
  while (done && !text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    done = written > 0 || (written < 0 && errno == EINTR);
  }
  if (file >= 0) done = ::close(file) == 0 && done;
  if (!done) return StorageError("cannot write the file", path.string(), "check the folder and its permissions");
  return {};
}

}  // namespace kith
