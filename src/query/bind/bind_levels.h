// GROUP BY with several levels: ROLLUP, CUBE and GROUPING SETS. Internal to query.
#pragma once
#include <cstddef>
#include <vector>

#include "base/result.h"

struct PgQuery__Node;
struct PgQuery__SelectStmt;

namespace kith {

/// What each level groups by, as it is written; one level for an ordinary GROUP BY, or for none. Fails:
/// kUnsupportedQuery for more levels than make sense.
Result<std::vector<std::vector<const PgQuery__Node*>>> GroupingSets(const PgQuery__SelectStmt& select);

/// Levels as Plan has them, finest first: `sets` are positions of keys. Empty for one level. Fails: kUnsupportedQuery
/// if no set has all keys: then the others would not be sums of its groups.
Result<std::vector<std::vector<bool>>> LevelsOf(const std::vector<std::vector<std::size_t>>& sets, std::size_t keys);

/// As Plan::InAChain.
bool InAChain(const std::vector<std::vector<bool>>& levels);

}  // namespace kith
