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

namespace {

// The same loops for several processors. None multiplies and adds in one operation (-ffp-contract=off): all round
// alike.
void RunAny(Machine& machine, std::size_t rows) { Kernels::All(machine, rows); }

#if defined(__x86_64__)
#if defined(__clang__)
#define KITH_512 "avx512f,avx512dq,avx512vl,avx512bw"
#else
#define KITH_512 "avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512"
#endif
[[gnu::target("avx2")]] void Run256(Machine& machine, std::size_t rows) { Kernels::All(machine, rows); }
[[gnu::target(KITH_512)]] void Run512(Machine& machine, std::size_t rows) { Kernels::All(machine, rows); }
#endif

}  // namespace

Kernels::Runner Kernels::For(Lane lane) {
#if defined(__x86_64__)
  const bool has_512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                       __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512bw") != 0;
  if (lane == Lane::kWidest && has_512) return Run512;
  if (lane != Lane::kAny && __builtin_cpu_supports("avx2") != 0) return Run256;
#endif
  static_cast<void>(lane);
  return RunAny;
}

}  // namespace kith::memory
