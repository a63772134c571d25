#include "mechanism/record_release.h"

#include <algorithm>
#include <cmath>

#include "mechanism/exp_bounds.h"

namespace kith {
namespace {

using exp_bounds::Big;
using exp_bounds::BigBounds;

BigBounds Away(PlainUnits epsilon, unsigned precision) {
  return exp_bounds::Exp(Big(epsilon.count()), Big(PlainUnits::kOne), precision);
}

}  // namespace

Result<RecordRelease> RecordRelease::Make(PlainUnits epsilon) {
  if (epsilon.count() == 0)
    return InvalidArgument("an epsilon of 0 releases no record", {}, "offer an epsilon of at least 2^-32");
  const BigBounds away = Away(epsilon, 64);
  const Big most = (Big(1) << 64) - 1;  // exp(-epsilon) <= 1 - 2^-33, so limiting to it still bounds
  return RecordRelease(epsilon, static_cast<std::uint64_t>(std::max(Big(0), away.low)),
                       static_cast<std::uint64_t>(std::min(most, away.high)));
}

bool RecordRelease::Refine(std::uint64_t prefix, int n, int more, BitSource& bits) const {
  Big digits = prefix;
  auto known = static_cast<unsigned>(n);
  for (;;) {  // ends with probability one: each round leaves few of the next 2^more open
    const BigBounds away = Away(epsilon_, known);
    if (digits + 1 <= away.low) return false;
    if (digits >= away.high) return true;
    digits = (digits << more) | Big(bits.Bits(more));
    known += static_cast<unsigned>(more);
  }
}

double RecordRelease::rate() const { return -std::expm1(-epsilon_.epsilon()); }

}  // namespace kith
