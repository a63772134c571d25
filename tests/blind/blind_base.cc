// In place of src/base/clock.cc and src/base/entropy.cc: time stands still, and secrets are the same in every process.
#include <fmt/format.h>

#include <array>
#include <atomic>

#include "base/clock.h"
#include "base/entropy.h"
#include "tests/blind/blind.h"

namespace kith {
namespace {

constexpr std::int64_t kNow = 1'800'000'000;
// Counted for each length: names of drafts are drawn by several threads at once, and how many were drawn by then must
// not show in the secrets of ledgers.
std::array<std::atomic<std::uint64_t>, 64> drawn = {};

}  // namespace

std::int64_t UnixSeconds() { return kNow; }
std::int64_t UnixMicroseconds() { return kNow * 1'000'000; }
std::int64_t SteadyMicroseconds() { return kNow; }

std::string RandomHex(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i)
    text += fmt::format("{:02x}", blind::Mixed(drawn.at(bytes)++ * drawn.size() + bytes) & 0xff);
  return text;
}

}  // namespace kith
