// Statements of the tests, each written with what the kernel's checker found (write_statements.cc).
#pragma once
#include <string>

#include "kernel/check/check.h"
#include "policy/policy.h"
#include "query/plan.h"

namespace kith::testing {

void WriteNumbers(const std::string& name, const sql::Statement& statement, const check::Facts& facts,
                  const check::Claim& claim);
void WritePlan(const std::string& name, const Policy& policy, const Plan& plan);

void WriteGolden();

}  // namespace kith::testing
