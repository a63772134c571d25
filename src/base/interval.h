// Where a number lies, with the confidence stated next to it.
#pragma once
#include "base/value.h"

namespace kith {

struct Interval {
  Value low, high;          // numbers, or dates as text
  bool everything = false;  // it is as wide as the bounds, and so says nothing
  bool operator==(const Interval&) const = default;
};

}  // namespace kith
