// Highway's choice of a kernel for this processor. Its library measures the clock when it is loaded, for longer than
// most commands take: these are its functions under their own names, and it is loaded when a kernel is first chosen.
#include <hwy/targets.h>

#include "base/late_library.h"

namespace hwy {

namespace {
constinit kith::LateLibrary highway{"libhwy.so.1"};

template <class Function>
Function* Find(const char* name) {
  return reinterpret_cast<Function*>(highway.Find(name));
}
}  // namespace

ChosenTarget& GetChosenTarget() {
  static ChosenTarget& chosen = Find<ChosenTarget&()>("_ZN3hwy15GetChosenTargetEv")();
  return chosen;
}

int64_t SupportedTargets() { return Find<int64_t()>("_ZN3hwy16SupportedTargetsEv")(); }

void SetSupportedTargetsForTest(int64_t targets) {
  Find<void(int64_t)>("_ZN3hwy26SetSupportedTargetsForTestEl")(targets);
}

}  // namespace hwy
