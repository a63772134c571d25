// Allocations of a stream's budget against vectors, and their errors.
#include "analysis/stream/allocate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/vectors.h"

namespace kith::stream {
namespace {

std::vector<double> Given(const std::vector<int>& requests, const Window& window, Rule rule, RuleOptions options = {}) {
  Online online = Online::Make(window, rule, options).value();
  std::vector<double> given;
  for (const int asks : requests) given.push_back(online.Next(asks != 0));
  return given;
}

void ExpectNear(const std::vector<double>& got, const kith::testing::Json& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t t = 0; t < got.size(); ++t) EXPECT_NEAR(got[t], expected[t].get<double>(), tolerance) << t;
}

TEST(StreamAllocation, OfflineVectors) {
  for (const auto& v : testing::Vectors("papers", "dyn.offline")) {
    const Window window{v.inputs["delta"], v.inputs["eps"]};
    const auto a = v.inputs["c_a"].get<std::vector<double>>();
    const auto b = v.inputs["c_b"].get<std::vector<double>>();
    ExpectNear(AllocateOffline(a, window, Aim::kAbsolute).value(), v.expected["eps_a"], v.tolerance);
    ExpectNear(AllocateOffline(b, window, Aim::kAbsolute).value(), v.expected["eps_b"], v.tolerance);
    ExpectNear(AllocateOffline(a, window, Aim::kVariance).value(), v.expected["eps_a_power2"], v.tolerance);
  }
}

TEST(StreamAllocation, OnlineVectors) {
  for (const auto& v : testing::Vectors("papers", "dyn.online")) {
    const Window window{v.inputs["delta"], v.inputs["eps"]};
    const auto requests = v.inputs["req"].get<std::vector<int>>();
    ExpectNear(Given(requests, window, Rule::kHarmonic), v.expected["harmonic"], v.tolerance);
    ExpectNear(Given(requests, window, Rule::kHarmonicSlack), v.expected["harmonic_slack"], v.tolerance);
    ExpectNear(Given(requests, window, Rule::kHalf), v.expected["half"], v.tolerance);
    ExpectNear(Given(requests, window, Rule::kUniform), v.expected["uniform"], v.tolerance);
  }
  for (const auto& v : testing::Vectors("papers", "dyn.floor_target")) {
    const Window window{v.inputs["delta"], v.inputs["eps"]};
    ExpectNear(Given(v.inputs["req"].get<std::vector<int>>(), window, Rule::kFloorTarget,
                     {v.inputs["p"].get<double>(), v.inputs["alpha"].get<double>()}),
               v.expected["eps_t"], v.tolerance);
  }
}

TEST(StreamAllocation, GoesOnAfterAStop) {
  const Window window{4, 1};
  const std::vector<int> requests = {1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1};
  const auto whole = Given(requests, window, Rule::kHarmonicSlack);
  for (std::size_t stop = 0; stop < requests.size(); ++stop) {
    Online online = Online::Make(window, Rule::kHarmonicSlack, {}).value();
    online.Resume({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(stop)});
    for (std::size_t t = stop; t < requests.size(); ++t) EXPECT_EQ(online.Next(requests[t] != 0), whole[t]);
  }
}

TEST(StreamAllocation, BadInputIsRefused) {
  EXPECT_FALSE(Online::Make({0, 1}, Rule::kUniform, {}));
  EXPECT_FALSE(Online::Make({3, 0}, Rule::kUniform, {}));
  EXPECT_FALSE(Online::Make({3, std::nan("")}, Rule::kUniform, {}));
  EXPECT_FALSE(Online::Make({3, 1}, Rule::kRate, {0, 0.5}));
  EXPECT_FALSE(Online::Make({3, 1}, Rule::kFloorTarget, {0.5, 1.5}));
  EXPECT_FALSE(AllocateOffline({1, -1}, {3, 1}, Aim::kAbsolute));
  EXPECT_FALSE(AllocateOffline({1}, {3, -1}, Aim::kAbsolute));
  EXPECT_EQ(AllocateOffline({0, 0}, {3, 1}, Aim::kAbsolute).value(), (std::vector<double>{0, 0}));
  EXPECT_NEAR(AllocateOffline({1}, {3, 1}, Aim::kAbsolute).value()[0], 1, 1e-9);
  EXPECT_TRUE(AllocateOffline({}, {3, 1}, Aim::kAbsolute).value().empty());
}

}  // namespace
}  // namespace kith::stream
