// What the planner makes, as statements with claims for the checker.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "kernel/check/check.h"
#include "query/plan.h"

namespace kith::testing {

struct Claimed {
  sql::Statement statement;
  check::Claim claim;
  std::string about;  // which statistics
};

/// One for all that is added up, and one for each quantile.
inline std::vector<Claimed> ClaimsOf(const Plan& plan, bool of_households = false) {
  std::vector<Claimed> all;
  Claimed sums;
  sums.statement = plan.statement;
  sums.claim = {.keys = plan.keys.size(),
                .numbers = {},
                .use = {plan.levels, of_households, {}},
                .charged = plan.charged,
                .rows = plan.unit_rows};
  for (const Statistic& s : plan.statistics) {
    if (!s.quantile) {
      sums.claim.numbers.push_back({s.change, s.presence, s.open_levels});
      sums.about += s.name + "; ";
      continue;
    }
    check::Claim claim = {.keys = plan.keys.size() + 1,
                          .numbers = {{s.change, s.presence, {}}},
                          .use = {{}, of_households, check::Rank{s.quantile->num, s.quantile->den}},
                          .charged = plan.charged,
                          .rows = plan.unit_rows};
    all.push_back({s.quantile->statement, std::move(claim), s.name});
  }
  if (!sums.claim.numbers.empty()) all.push_back(std::move(sums));
  return all;
}

}  // namespace kith::testing
