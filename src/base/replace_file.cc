#include "base/replace_file.h"

#include <fmt/format.h>

#include <system_error>

#include "base/entropy.h"
#include "base/text_file.h"

namespace kith {

Result<void> ReplaceTextFile(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path draft = fmt::format("{}.new-{}", path.string(), RandomHex(8));
  std::error_code failed, ignored;
  auto written = WriteTextFile(draft, text);
  if (written) std::filesystem::rename(draft, path, failed);
  if (written && !failed) return {};
  std::filesystem::remove(draft, ignored);
  if (!written) return written.error();
  return StorageError("cannot write the file", path.string(), "check the folder and its permissions");
}

}  // namespace kith
