#include "tests/kernel_check/golden_plans.h"

#include "tests/golden/golden_check.h"

namespace kith::testing {

std::vector<GoldenPlan> GoldenPlans() {
  std::vector<GoldenPlan> all;
  for (const std::string& path : GoldenPaths()) {
    for (const Record& record : ReadGoldenFile(path).records) {
      Policy policy = PolicyOf(record);
      auto plan = PlanOf(record, policy);
      if (!plan) continue;
      const std::string about = path.substr(path.rfind('/') + 1) + ":" + std::to_string(record.line);
      all.push_back({std::move(policy), std::move(*plan), about + " " + record.question + "\n" + record.policy});
    }
  }
  return all;
}

}  // namespace kith::testing
