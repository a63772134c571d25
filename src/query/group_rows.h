// Questions about the rows of groups (query/per_unit.h): what one unit of a group can change there. Internal to query.
// Claims: claims/per_group.md
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "query/question.h"

namespace kith {

/// The most units that have one value of this column of the unit's table, where it is declared: the column of
/// [unit] within, or the one by which the dependence groups units. Nothing: it is not declared.
std::optional<std::int64_t> GroupSizeOf(const Policy& policy, const Column& column);

/// How much a unit can change a sum over rows of groups by what it adds to the row of its own group.
/// Ensures [GROUP-2]: at most this many steps of the lattice, whatever the other units of the group are. Nothing: no
/// more is known than that a row is replaced.
std::optional<Int128> OwnChange(const Question& question, const Counter& counter, Lattice lattice);

/// Cells whose units can change the row of a group in what the question reads.
/// Ensures [GROUP-3]: units of any other cell change none of it. Requires: a question about rows of groups.
std::vector<bool> CellsThatMatter(const Question& question);

}  // namespace kith
