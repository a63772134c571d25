#include "base/text_file.h"

#include <fmt/format.h>

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
      return InvalidArgument(fmt::format("the file is larger than {} MB", largest >> 20), path.string(),
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

}  // namespace kith
