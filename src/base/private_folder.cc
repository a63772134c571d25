#include "base/private_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace kith {

std::error_code MakePrivateFolder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0) return {};
  const int reason = errno;
  struct stat info = {};
  if (::stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return {reason, std::generic_category()};
  if (info.st_uid == ::geteuid() && (info.st_mode & 0077U) != 0) (void)::chmod(folder.c_str(), info.st_mode & 0700U);
  return {};
}

}  // namespace kith
