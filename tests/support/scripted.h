// Bits from a script, and a walk through all scripts: it adds up the exact probability of everything a sampler can do.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "base/int128.h"
#include "random/bits.h"

namespace kith::testing {

/// Hands out the bits it was given, draw by draw. Ends the test program if it is asked for more, or for draws of
/// another size.
class ScriptedBits final : public BitSource {
 public:
  struct Draw {
    int count;
    std::uint64_t bits;
  };
  explicit ScriptedBits(std::vector<Draw> draws) : draws_(std::move(draws)) {}
  std::uint64_t Bits(int count) override;
  bool used_up() const { return next_ == draws_.size(); }

 private:
  std::vector<Draw> draws_;
  std::size_t next_ = 0;
};

/// Each output's exact probability, up to what was not walked: it is in [found, found + unexplored], in units of
/// 2^-depth.
struct ExactLaw {
  int depth = 0;
  std::map<Int128, UInt128> found;
  UInt128 unexplored = 0;
  std::uint64_t paths = 0;

  bool Allows(Int128 output, long double probability) const;
  /// How many outputs of the list do not have the probability that the function says.
  int Violations(Int128 from, Int128 to, const std::function<long double(Int128)>& probability) const;
  long double UnexploredShare() const;
};

/// Walks through every path of `sample` that draws at most `depth` bits, with exact integers all the way.
/// Requires: depth <= 120, and that sample draws only from the given source.
ExactLaw Walk(int depth, const std::function<Int128(BitSource&)>& sample);

}  // namespace kith::testing
