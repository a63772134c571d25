#include "base/unexpected.h"

#include <fmt/format.h>

#include <new>
#include <system_error>
#include <typeinfo>

namespace kith {

Error Unexpected(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return StorageError("memory ran out", {}, "give kith more memory, or ask for less at a time").That(Charged::kMaybe);
  }
  if (const auto* system = dynamic_cast<const std::system_error*>(&error)) {
    return StorageError("the operating system refused: " + system->code().message(), {},
                        "look at the files, the disk and the limits of this account (ulimit -a)")
        .That(Charged::kMaybe);
  }
  return InternalError(fmt::format("internal error ({})", typeid(error).name()));
}

}  // namespace kith
