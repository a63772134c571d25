// Tables of probabilities that are known up to intervals: whether they make sense, and what they allow.
#pragma once
#include <string>

#include "base/result.h"
#include "dependence/model.h"

namespace kith {

/// Every probability is one number.
bool IsPoint(const TableRegion& table);
bool IsPoint(const ChainRegion& chain);

/// Requires: IsPoint. The tables as they are.
inline const LawTable& PointOf(const TableRegion& table) { return table.low; }

/// Fails: kInvalidArgument, unless there are `rows` rows of `columns` intervals with a law in each.
Result<void> CheckRegion(const TableRegion& table, std::size_t rows, std::size_t columns, const std::string& where);

/// The same set of laws with intervals that are no longer than they have to be: probabilities add up to 1. A row of
/// numbers becomes the normalised law. Ends are rounded outwards, by at most a few units in the last place.
/// Requires: the table has passed CheckRegion.
TableRegion Tightened(TableRegion table);

/// The largest log odds ratio between two values of the record and two of the one it is given on, over all laws of the
/// table, rounded up; infinite if a probability may be 0 in one row and not in another.
/// Requires: tightened.
double LargestStrength(const TableRegion& table);

}  // namespace kith
