#include "tests/support/stat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "base/check.h"
#include "probe/bounds.h"

namespace kith::stat {

std::uint64_t SeedForThisTest() {
  if (const char* given = std::getenv("KITH_SEED"); given != nullptr && *given != '\0') {
    const std::uint64_t seed = std::stoull(given);
    std::cout << "KITH_SEED=" << seed << '\n';
    return seed;
  }
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  KITH_CHECK(info != nullptr);
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char letter : std::string(info->test_suite_name()) + "." + info->name()) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211U;
  }
  return hash;
}

std::size_t Runs(std::size_t usually) {
  const char* times = std::getenv("KITH_MORE_TRIALS");
  return times == nullptr ? usually : static_cast<std::size_t>(static_cast<double>(usually) * std::atof(times));
}

std::uint64_t SeededBits::Bits(int count) {
  KITH_CHECK(count >= 1 && count <= 64);
  ++draws_;
  return engine_() >> (64 - count);
}

double Radius(std::size_t n) { return std::sqrt(std::log(2 / kAlpha) / (2 * static_cast<double>(n))); }

std::size_t SamplesToSee(double d) {
  KITH_CHECK(d > 0 && d < 1);
  return static_cast<std::size_t>(std::ceil(2 * std::log(2 / kAlpha) / (d * d)));
}

double CdfDistance(std::size_t n, const std::function<std::int64_t()>& draw,
                   const std::function<double(std::int64_t)>& cdf) {
  KITH_CHECK(n >= 1);
  std::vector<std::int64_t> sample(n);
  for (std::int64_t& value : sample) value = draw();
  std::sort(sample.begin(), sample.end());
  const auto total = static_cast<double>(n);
  double worst = 0;
  for (std::size_t i = 0; i < n;) {
    std::size_t after = i;
    while (after < n && sample[after] == sample[i]) ++after;
    // Between two values that were seen the empirical CDF is flat, so its distance is largest at their ends.
    worst = std::max(worst, std::abs(static_cast<double>(i) / total - cdf(sample[i] - 1)));
    worst = std::max(worst, std::abs(static_cast<double>(after) / total - cdf(sample[i])));
    i = after;
  }
  return worst;
}

double LowerBound(std::uint64_t hits, std::uint64_t trials) { return probe::LowerBound({hits, trials}, kAlpha); }

}  // namespace kith::stat
