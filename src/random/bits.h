// Random bits, and exact draws from them. Everything random in kith is a function of fair bits, so that a test can put
// its own bits underneath: seeded ones, or a script that walks through all of them and adds up exact probabilities.
// Claims: claims/randomness.md
#pragma once
#include <pthread.h>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/check.h"

namespace kith {

/// Where bits come from. Randomness is always an argument. Not thread-safe unless a source says so.
class BitSource {
 public:
  virtual ~BitSource() = default;
  /// That many independent fair bits, at the low end of the word.
  /// Requires: 1 <= count <= 64.
  virtual std::uint64_t Bits(int count) = 0;
};

/// Samplers are templates over this, so that the operating system's bits are inlined; `BitSource&` works as well.
template <class Source>
concept RandomBits = std::derived_from<Source, BitSource>;

/// A uniform integer from 0 to n - 1: as many bits as n - 1 has, drawn again until they are below n.
/// Requires: n >= 1.
/// Ensures [RAND-1]: every result has probability exactly 1/n.
template <RandomBits Source>
std::uint64_t Below(std::uint64_t n, Source& bits) {
  KITH_CHECK(n >= 1);
  if (n == 1) return 0;
  const int width = 64 - std::countl_zero(n - 1);
  for (;;) {
    const std::uint64_t drawn = bits.Bits(width);
    if (drawn < n) return drawn;
  }
}

/// Requires: d >= 1 and n <= d.
/// Ensures [RAND-1]: true with probability exactly n/d.
template <RandomBits Source>
bool Chance(std::uint64_t n, std::uint64_t d, Source& bits) {
  KITH_CHECK(n <= d);
  return Below(d, bits) < n;
}

/// Bits of cryptographic quality: OpenSSL's private generator, seeded by the operating system, through a buffer of this
/// thread. Ensures [RAND-2]: a byte is wiped as it is handed out; no other thread and no child process draws the same
/// bytes (the kernel clears the buffer in a child, and a fork handler does so again); if the generator fails, the
/// process ends: weak noise is no noise.
///
/// Thread safety: each thread has its own; do not hand the reference to another thread (checked at every refill).
class SystemBits final : public BitSource {
 public:
  static SystemBits& ForThisThread();
  SystemBits(const SystemBits&) = delete;
  SystemBits& operator=(const SystemBits&) = delete;
  ~SystemBits() override;

  std::uint64_t Bits(int count) override {
    KITH_CHECK(count >= 1 && count <= 64);
    const auto bytes = static_cast<std::uint32_t>(count + 7) / 8;
    if (pool_->left < bytes) Refill();
    unsigned char* const next = pool_->bytes + (kPoolBytes - pool_->left);
    std::uint64_t word;
    std::memcpy(&word, next, sizeof word);  // may reach into the margin, never beyond it
    const std::uint64_t kept = bytes == 8 ? 0 : word >> (8 * bytes) << (8 * bytes);
    std::memcpy(next, &kept, sizeof kept);
    pool_->left -= bytes;
    return word & (~std::uint64_t{0} >> (64 - count));
  }

 private:
  friend class SystemBitsPeer;  // tests check that bytes are wiped
  static constexpr std::uint32_t kMargin = 8;
  static constexpr std::uint32_t kPoolBytes = 16384 - sizeof(std::uint64_t) - kMargin;  // four pages in all
  struct Pool {          // in separate pages, which the kernel clears in a child: all zero means empty
    std::uint64_t left;  // bytes not yet handed out, at the end
    unsigned char bytes[kPoolBytes + kMargin];
  };
  static_assert(sizeof(Pool) == 16384 && std::endian::native == std::endian::little);

  SystemBits();
  void Refill();

  Pool* pool_;
  pthread_t owner_;
};

}  // namespace kith
