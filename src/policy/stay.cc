#include "policy/stay.h"

#include <fmt/format.h>

#include <cstdint>

namespace kith {

std::string StayOf(const Policy& policy) {
  if (!policy.stream) return "";
  const std::int64_t counted = policy.CountedSteps(), window = policy.stream->window;
  return counted == 1 && window > 1
             ? fmt::format("in its state at any one step, if it is present in at most {} consecutive steps", window)
             : fmt::format("in any stay of at most {} consecutive steps (longer stays lose more)", window);
}

}  // namespace kith
