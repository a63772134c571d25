// How a column of a Trino table is read as its declared type.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/trino/client.h"
#include "policy/policy.h"

namespace kith::trino {

/// SQL over the table's own columns that reads the column as `type`: NULL where it cannot, never an error. NaN and
/// infinities are NULL, and so are dates and times before 4714 BC or after the year 288,000; times with a zone move to
/// UTC. Without a type: as it is. A mark for what is missing applies to text and numbers.
/// Fails: kInvalidArgument with what to do instead, if the stored type cannot be read as the declared one.
/// Ensures [ENGINE-5]: no value makes it fail.
Result<std::string> ReadColumn(const Column& column, std::optional<ColumnType> type, const ColumnReading& reading);

/// The type that declares it as it is stored. Requires: ReadColumn reads it without a type.
ColumnType NaturalType(const Column& column);

}  // namespace kith::trino
