#include "tests/support/scripted.h"

#include <cmath>

#include "base/check.h"

namespace kith::testing {
namespace {

/// The path that is walked now. A draw beyond its end takes the first child there.
class Path final : public BitSource {
 public:
  struct TooDeep {};

  explicit Path(int depth) : depth_(depth) {}

  std::uint64_t Bits(int count) override {
    KITH_CHECK(count >= 1 && count <= 64);
    if (next_ == draws_.size()) {
      if (used_ + count > depth_) throw TooDeep{};
      draws_.push_back({count, 0});
    }
    KITH_CHECK(draws_[next_].count == count);  // a sampler is a function of its bits
    used_ += count;
    return draws_[next_++].bits;
  }

  /// The probability of the draws made since the last step, in units of 2^-depth.
  UInt128 Weight() const { return UInt128{1} << (depth_ - used_); }

  /// To the next path that has not been walked. False if there is none.
  bool Step() {
    while (!draws_.empty() && draws_.back().bits == ~std::uint64_t{0} >> (64 - draws_.back().count)) draws_.pop_back();
    if (draws_.empty()) return false;
    ++draws_.back().bits;
    next_ = 0;
    used_ = 0;
    return true;
  }

 private:
  int depth_;
  int used_ = 0;
  std::vector<ScriptedBits::Draw> draws_;
  std::size_t next_ = 0;
};

}  // namespace

std::uint64_t ScriptedBits::Bits(int count) {
  KITH_CHECK(next_ < draws_.size() && draws_[next_].count == count);
  return draws_[next_++].bits;
}

ExactLaw Walk(int depth, const std::function<Int128(BitSource&)>& sample) {
  KITH_CHECK(depth >= 1 && depth <= 120);
  ExactLaw law;
  law.depth = depth;
  Path path(depth);
  do {
    ++law.paths;
    try {
      const Int128 output = sample(path);
      law.found[output] += path.Weight();
    } catch (const Path::TooDeep&) {
      law.unexplored += path.Weight();
    }
  } while (path.Step());
  return law;
}

bool ExactLaw::Allows(Int128 output, long double probability) const {
  const auto at = found.find(output);
  const UInt128 least = at == found.end() ? 0 : at->second;
  const long double unit = std::ldexp(1.0L, -depth);
  const long double doubt = 0x1p-58L * probability;  // of the probability handed in, a long double
  return static_cast<long double>(least) * unit <= probability + doubt &&
         probability - doubt <= static_cast<long double>(least + unexplored) * unit;
}

int ExactLaw::Violations(Int128 from, Int128 to, const std::function<long double(Int128)>& probability) const {
  int count = 0;
  for (Int128 output = from; output <= to; ++output) count += Allows(output, probability(output)) ? 0 : 1;
  return count;
}

long double ExactLaw::UnexploredShare() const {
  return static_cast<long double>(unexplored) * std::ldexp(1.0L, -depth);
}

}  // namespace kith::testing
