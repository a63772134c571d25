#include "policy/one_step.h"

#include "base/check.h"

namespace kith {

Policy OneStep(const Policy& policy, std::int64_t tick) {
  KITH_CHECK(policy.stream && tick >= 0 && tick <= policy.stream->LastTick());
  Policy of_step = policy;
  of_step.stream->start += tick * policy.stream->step;
  of_step.stream->window = 0;
  return of_step;
}

bool IsOneStep(const Policy& policy) { return policy.stream && policy.stream->window == 0; }

}  // namespace kith
