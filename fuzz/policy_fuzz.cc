// Any bytes as a policy: never a crash, never an error without words, and what parses is consistent.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "policy/policy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto policy = kith::Policy::Parse(std::string(reinterpret_cast<const char*>(data), size), "policy.toml");
  if (!policy) {
    if (policy.error().what.empty()) std::abort();
    return 0;
  }
  if (policy->fingerprint().size() != 64 || !(policy->epsilon_total > 0)) std::abort();
  for (std::size_t cell = 0; cell < policy->cells.size(); ++cell) {
    if (policy->cells.Name(cell).empty()) std::abort();
    policy->ClassOf(cell);
  }
  return 0;
}
