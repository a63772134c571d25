#include "mechanism/laplace_floor.h"

#include <numeric>

namespace kith {

Result<LaplaceFloor> LaplaceFloor::Make(std::uint64_t num, std::uint64_t den) {
  constexpr std::uint64_t kMaxNum = std::uint64_t{1} << 63, kMaxDen = std::uint64_t{1} << 52;
  const std::uint64_t common = std::gcd(num, den);
  if (den == 0 || num / common > kMaxNum || den / common > kMaxDen || num / 2 < den) {
    return InvalidArgument("this noise is too fine or too coarse for its lattice", {},
                           "offer an epsilon between 2^-20 and 2^20");
  }
  return LaplaceFloor(LaplaceMagnitude(num / common, den / common));
}

}  // namespace kith
