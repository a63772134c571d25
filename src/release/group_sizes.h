// How many units each group of an answer has at most, where that is public.
#pragma once
#include <optional>
#include <vector>

#include "kernel/vault.h"
#include "policy/policy.h"
#include "query/public_part.h"

namespace kith {

struct GroupSizes {
  std::vector<double> units;                   // for each group of the plan
  std::vector<double> households;              // the same; empty where nobody asked about them
  double most_units = 0, most_households = 0;  // in one group of the finest level
};

/// `part`: the public part of the plan's question. Nothing: it cannot be counted now.
std::optional<GroupSizes> CountGroups(const PublicPart& part, const Plan& plan, const Vault& vault);

/// The same from the number of units in each cell of the policy; sizes are too large where not all keys are columns of
/// cells. Nothing: the cells differ.
std::optional<GroupSizes> GroupsOfCells(const PublicPart& part, const Plan& plan, const Cells& cells,
                                        const std::vector<double>& units);

}  // namespace kith
