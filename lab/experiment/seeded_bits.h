// Repeatable randomness for simulations on made-up tables (lab/world.h): no table here has a ledger, and nothing that
// releases anything can be given such bits (the module `release` takes the operating system's, and does not see this
// one).
#pragma once
#include <random>

#include "random/bits.h"

namespace kith::experiment {

class SeededBits final : public BitSource {
 public:
  explicit SeededBits(std::uint64_t seed) : engine_(seed ^ 0x6b697468626f6f6bU) {}
  std::uint64_t Bits(int count) override {
    return static_cast<std::uint64_t>(engine_()) & (~std::uint64_t{0} >> (64 - count));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace kith::experiment
