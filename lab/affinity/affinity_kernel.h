// The inner loop of the affinity join: one record against a run of others, in single precision with known error.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kith::affinity {

/// Columns are padded to a multiple of this many records.
inline constexpr std::size_t kLanes = 16;

/// All records, column by column; column k starts at k * stride.
struct Columns {
  const std::uint32_t* codes = nullptr;
  std::size_t categories = 0;
  const float* steps = nullptr;
  std::size_t numbers = 0;
  const float* lengths = nullptr;
  std::size_t stride = 0;
  float agreement = 1;  // what an equal category adds
};

/// The record that is compared: its columns, and the lengths that a product must reach to be a candidate and to be
/// sure.
struct Probe {
  const std::uint32_t* codes = nullptr;
  const float* steps = nullptr;
  float possible = 0;
  float sure = 0;
};

/// For each of `count` records from `first` on (both multiples of kLanes): two bits, whether the product reaches
/// possible * length and whether it exceeds sure * length. One word of 16 bits for every kLanes records.
void Compare(const Columns& columns, const Probe& probe, std::size_t first, std::size_t count, std::uint16_t* possible,
             std::uint16_t* sure);

}  // namespace kith::affinity
