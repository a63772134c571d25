#include "affinity/affinity_kernel.h"

#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_RVV | HWY_SSE4)  // lanes are counted when compiled; nothing here needs SSE4
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "affinity/affinity_kernel.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kith::affinity {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, kLanes>;
using Codes = hn::Rebind<std::uint32_t, Floats>;
using Signed = hn::Rebind<std::int32_t, Floats>;
constexpr std::size_t kWidth = hn::MaxLanes(Floats());

template <class M>
HWY_INLINE std::uint16_t BitsOf(M mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(Floats(), mask, bytes);
  return static_cast<std::uint16_t>(bytes[0] | (bytes[1] << 8));
}

void CompareRun(const Columns& columns, const Probe& probe, std::size_t first, std::size_t count,
                std::uint16_t* possible, std::uint16_t* sure) {
  const Floats floats;
  const Codes codes;
  const auto agreement = hn::Set(floats, columns.agreement);
  const auto reach = hn::Set(floats, probe.possible);
  const auto exceed = hn::Set(floats, probe.sure);
  for (std::size_t at = first; at < first + count; at += kLanes) {
    std::uint16_t maybe = 0, surely = 0;
    for (std::size_t part = 0; part < kLanes; part += kWidth) {
      const std::size_t j = at + part;
      auto equal = hn::Zero(codes);
      for (std::size_t k = 0; k < columns.categories; ++k) {
        const auto theirs = hn::LoadU(codes, columns.codes + k * columns.stride + j);
        equal = hn::Sub(equal, hn::VecFromMask(codes, hn::Eq(theirs, hn::Set(codes, probe.codes[k]))));
      }
      auto product = hn::Mul(agreement, hn::ConvertTo(floats, hn::BitCast(Signed(), equal)));
      for (std::size_t k = 0; k < columns.numbers; ++k) {
        const auto theirs = hn::LoadU(floats, columns.steps + k * columns.stride + j);
        product = hn::Add(product, hn::Mul(theirs, hn::Set(floats, probe.steps[k])));
      }
      const auto length = hn::LoadU(floats, columns.lengths + j);
      maybe = static_cast<std::uint16_t>(maybe | (BitsOf(hn::Ge(product, hn::Mul(reach, length))) << part));
      surely = static_cast<std::uint16_t>(surely | (BitsOf(hn::Gt(product, hn::Mul(exceed, length))) << part));
    }
    possible[(at - first) / kLanes] = maybe;
    sure[(at - first) / kLanes] = surely;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace kith::affinity
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kith::affinity {

HWY_EXPORT(CompareRun);

void Compare(const Columns& columns, const Probe& probe, std::size_t first, std::size_t count, std::uint16_t* possible,
             std::uint16_t* sure) {
  HWY_DYNAMIC_DISPATCH(CompareRun)(columns, probe, first, count, possible, sure);
}

}  // namespace kith::affinity
#endif
