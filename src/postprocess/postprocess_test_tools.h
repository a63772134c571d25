// What the tests of SQL over noisy answers share.
#pragma once
#include <gtest/gtest.h>

#include "postprocess/postprocess.h"
#include "query/test_policy.h"

namespace kith::postprocess {

inline Result<std::optional<Program>> PlanOf(const std::string& sql) {
  static const Policy policy = TestPolicy();
  return PlanProgram(sql, policy);
}

inline const std::string kInner = "(SELECT zyg, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY zyg) x";

// Counts of three groups, 40, 50 and 10, with noise of scale 10.
inline Given Counts() {
  Given given;
  for (const auto& [name, count] : {std::pair("mz", 40), std::pair("dz", 50), std::pair("os", 10)})
    given.rows.push_back({{Value(std::string(name)), std::nullopt}, {Value(std::int64_t{count}), 30.0}});
  given.laws = {Given::Law{10, 1}};
  return given;
}

inline Computed Outcome(const std::string& sql, const std::vector<Given>& answers = {Counts()}) {
  const auto program = PlanOf(sql);
  EXPECT_TRUE(program) << sql << "\n" << program.error().Text();
  if (!program || !*program) return {};
  const auto tried = TryOn(**program);
  EXPECT_TRUE(tried) << sql << "\n" << tried.error().Text();
  const auto computed = Compute(**program, answers, CancelFlag());
  EXPECT_TRUE(computed) << sql << "\n" << computed.error().Text();
  return computed ? *computed : Computed();
}

}  // namespace kith::postprocess
