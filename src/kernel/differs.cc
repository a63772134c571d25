#include "kernel/differs.h"

#include <algorithm>

#include "mechanism/noise.h"

namespace kith {

Result<bool> Differs(std::span<const Int128> exact, std::span<const Int128> last, Sensitivity sensitivity,
                     PlainUnits test, PlainUnits publication, BitSource& bits) {
  if (exact.size() != last.size() || publication.count() == 0) return InternalError("a test of nothing");
  // The distance is one number, which moves by what the groups move together.
  const auto change = Sensitivities::OfL1(sensitivity.steps());
  if (!change) return change.error();
  const auto law = Noise::For(*change, test);
  if (!law) return law.error();
  // Clamped to 2^60: neither clamping nor sums of clamped terms let one unit change more than its own part.
  constexpr Int128 kLargest = Int128{1} << 60;
  Int128 distance = 0;
  for (std::size_t g = 0; g < exact.size(); ++g) {
    const Int128 difference = exact[g] > last[g] ? exact[g] - last[g] : last[g] - exact[g];
    distance += std::min(difference, kLargest);
  }
  const Int128 noisy = std::clamp(law->Release(distance, bits), -kLargest, kLargest);  // a function of the noisy number
  const Int128 error = static_cast<Int128>(exact.size()) * sensitivity.steps();
  // noisy > error / publication, with publication in units of 2^-32: 2^60 * 2^52 and 2^16 * 2^31 * 2^32 fit 127 bits.
  return noisy * publication.count() > error * PlainUnits::kOne;
}

}  // namespace kith
