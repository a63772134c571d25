#include "base/late_library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace kith {

void* LateLibrary::Handle() {
  if (void* const known = handle_.load(std::memory_order_acquire)) return known;
  // Two threads that come here at once get the same library. It is never closed: others hold addresses in it.
  void* const opened = dlopen(name_, RTLD_LAZY | RTLD_LOCAL);
  if (opened != nullptr) handle_.store(opened, std::memory_order_release);
  return opened;
}

Result<void> LateLibrary::Load() {
  if (Handle() != nullptr) return {};
  const char* const reason = dlerror();
  return StorageError(std::string("the library ") + name_ + " cannot be loaded", reason == nullptr ? "" : reason,
                      "install kith again, with everything that belongs to it");
}

void* LateLibrary::Find(const char* function) {
  void* const library = Handle();
  void* const found = library == nullptr ? nullptr : dlsym(library, function);
  if (found != nullptr) return found;
  std::fprintf(stderr, "kith: the library %s cannot be loaded, or has no function %s: install kith again\n", name_,
               function);
  std::abort();
}

}  // namespace kith
