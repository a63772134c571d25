#include "engine/memory/kernels.h"

#include <algorithm>

namespace kith::memory {

Kernels::Masks::Masks() {
  std::fill_n(all, kLanes, -1);
  std::fill_n(none, kLanes, 0);
}

const Kernels::Masks Kernels::kMasks;

// As DuckDB casts: NULL where the number does not fit.
const Kernels::Whole* Kernels::Cast(const double* x, const Whole* valid, bool narrow, Block& out) {
  const double end = narrow ? 0x1p31 : 0x1p63;
  const Whole* there = AllOr(valid);
  for (std::size_t i = 0; i < kLanes; ++i) {
    const bool fits = x[i] >= -end && x[i] < end;
    const double nearest = fits ? std::nearbyint(x[i]) : 0;
    out.whole[i] = nearest < end ? static_cast<Whole>(nearest) : static_cast<Whole>(end / 2) * 2 - 1;
    out.valid[i] = fits ? there[i] : 0;
  }
  return out.valid;
}

void Kernels::Make(Machine& machine, std::size_t step) {
  machine.made_[step] = One(machine.program_, machine.program_.steps[step], machine.made_, machine.blocks_[step]);
}

void Kernels::Run(Machine& machine, std::size_t rows) { All(machine, rows); }

// Neither multiplies and adds in one operation: both round alike.
#if defined(__x86_64__)
[[gnu::target("avx2")]] void Kernels::RunWide(Machine& machine, std::size_t rows) { All(machine, rows); }
bool Kernels::HasWide() { return __builtin_cpu_supports("avx2") != 0; }
#else
void Kernels::RunWide(Machine& machine, std::size_t rows) { All(machine, rows); }
bool Kernels::HasWide() { return false; }
#endif

}  // namespace kith::memory
