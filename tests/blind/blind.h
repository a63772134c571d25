// What the blind build draws instead of randomness: fixed functions of how often it was asked, and of nothing else.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace kith::blind {

/// Numbers that look random and are the same in every process with the same KITH_BLIND (a whole number, 0 if not set).
inline std::uint64_t Mixed(std::uint64_t position) {
  static const std::uint64_t chosen = [] {
    const char* text = std::getenv("KITH_BLIND");
    return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
  }();
  std::uint64_t x = position + 0x9e3779b97f4a7c15ULL * (chosen + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace kith::blind
