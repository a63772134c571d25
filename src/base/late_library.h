// Shared libraries that are loaded when one of their functions is first called: no program waits at its start for what
// it does not use.
#pragma once
#include <atomic>
#include <cstddef>

#include "base/result.h"

namespace kith {

class LateLibrary {
 public:
  /// By the name that the loader looks for; ours are found on the run path of whatever kith is linked into.
  constexpr explicit LateLibrary(const char* name) : name_(name) {}

  /// Loads it if it is not there yet. Fails: kStorage if there is no such library here.
  Result<void> Load();

  /// The address of one of its functions. Ends the process if the library or function is missing: call Load() first.
  void* Find(const char* function);

 private:
  void* Handle();
  const char* name_;
  std::atomic<void*> handle_ = nullptr;
};

/// A name as an argument of a template.
template <std::size_t kSize>
struct FunctionName {
  constexpr FunctionName(const char (&name)[kSize]) {  // NOLINT(google-explicit-constructor)
    for (std::size_t i = 0; i < kSize; ++i) text[i] = name[i];
  }
  char text[kSize];
};

/// A function of a late library, called and passed on as the function itself would be. In our namespace it takes the
/// function's own name, which hides the declaration of the library's header.
template <LateLibrary& kLibrary, FunctionName kName, auto* kDeclared>
struct LateFunction {
  using Pointer = decltype(kDeclared);
  operator Pointer() const {  // NOLINT(google-explicit-constructor)
    static const Pointer function = reinterpret_cast<Pointer>(kLibrary.Find(kName.text));
    return function;
  }
};

}  // namespace kith
