// In place of src/random/bits.cc: the same bits in every thread of every process.
#include "random/bits.h"
#include "tests/blind/blind.h"

namespace kith {

SystemBits& SystemBits::ForThisThread() {
  thread_local SystemBits bits;
  return bits;
}

SystemBits::SystemBits() : pool_(new Pool{}), owner_(pthread_self()) {}

SystemBits::~SystemBits() { delete pool_; }

void SystemBits::Refill() {
  thread_local std::uint64_t position = 0;
  for (std::uint32_t at = 0; at + 8 <= kPoolBytes; at += 8) {
    const std::uint64_t word = blind::Mixed(position++);
    std::memcpy(pool_->bytes + at, &word, sizeof word);
  }
  pool_->left = kPoolBytes;
}

}  // namespace kith
