// The checker beside the planner, in golden questions.
#include <gtest/gtest.h>

#include "tests/golden/golden_check.h"
#include "tests/kernel_check/shadow.h"

namespace kith::testing {
namespace {

TEST(KernelCheckShadow, GoldenQuestions) {
  Shadow shadow;
  for (const std::string& path : GoldenPaths()) {
    for (const Record& record : ReadGoldenFile(path).records) {
      const Policy policy = PolicyOf(record);
      const auto plan = PlanOf(record, policy);
      if (plan)
        shadow.See(path.substr(path.rfind('/') + 1) + ":" + std::to_string(record.line) + " " + record.question, policy,
                   *plan);
    }
  }
  shadow.Report("golden questions");
}

}  // namespace
}  // namespace kith::testing
