#include "policy/one_step.h"

#include "base/check.h"

namespace kith {

Policy OneStep(const Policy& policy, std::int64_t tick) {
  KITH_CHECK(policy.stream && tick >= 0 && tick <= policy.stream->LastTick());
  Policy of_step = policy;
  of_step.stream->start += tick * policy.stream->step;
  of_step.stream->one_step = true;
  return of_step;
}

bool IsOneStep(const Policy& policy) { return policy.stream && policy.stream->one_step; }

}  // namespace kith
