// Golden questions, for write_statements.cc.
#include "tests/golden/golden_check.h"
#include "tests/kernel_check/write_statements.h"

namespace kith::testing {

void WriteGolden() {
  int number = 0;
  for (const std::string& path : GoldenPaths())
    for (const Record& record : ReadGoldenFile(path).records) {
      const Policy policy = PolicyOf(record);
      if (const auto plan = PlanOf(record, policy)) WritePlan("golden" + std::to_string(number++), policy, *plan);
    }
}

}  // namespace kith::testing
