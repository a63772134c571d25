// The plans of all golden questions.
#pragma once
#include <string>
#include <vector>

#include "query/plan.h"

namespace kith::testing {

struct GoldenPlan {
  Policy policy;
  Plan plan;
  std::string about;  // file, line, question, policy
};
std::vector<GoldenPlan> GoldenPlans();

}  // namespace kith::testing
