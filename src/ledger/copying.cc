// A copy of a ledger that is in use.
#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "ledger/files.h"
#include "ledger/state.h"

namespace kith {

Result<LedgerEntry> Ledger::CopyTo(const std::filesystem::path& file) const {
  const auto to = ledger::Places::Of(file);
  if (!to) return to.error();
  std::error_code ignored;
  const auto taken = [&] {
    return InvalidArgument("there is a file under this name already", to->file.string(),
                           "name another one: a copy replaces nothing");
  };
  if (std::filesystem::exists(std::filesystem::symlink_status(to->file, ignored))) return taken();
  return state_->Read([&](State& at) -> Result<LedgerEntry> {
    ino_t copied = 0;
    auto made = ledger::CreateWhole(*to, [&](const std::filesystem::path& unfinished) {
      struct stat info = {};
      if (::stat(unfinished.c_str(), &info) == 0) copied = info.st_ino;
      return at.store->connection().CopyTo(unfinished);
    });
    if (!made) return made.error();
    if (ledger::Identity::Of(*to).file != copied) return taken();  // another caller made one at the same moment
    return LedgerEntry{at.view.charges, at.view.head};
  });
}

}  // namespace kith
