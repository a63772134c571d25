// Where a number lies, with the confidence that is said beside it.
#pragma once
#include "base/value.h"

namespace kith {

struct Interval {
  Value low, high;          // numbers, or dates as text
  bool everything = false;  // it holds all that the bounds allow, and so says nothing
  bool operator==(const Interval&) const = default;
};

}  // namespace kith
