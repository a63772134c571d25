// What somebody may know about all units together, besides single records: exact totals.
#pragma once
#include <cstdint>
#include <string>

namespace kith {

/// Exact totals of one property of the units, which is yes or no, or a whole number: over all units, over groups of
/// them, and over groups within these; never over groups that cross. Whatever else is known is about single records.
struct KnownTotals {
  std::string of;             // "the number of units with sick = true, of all units and by ward"
  std::int64_t range = 1;     // by how much one unit can move a total: 1 where it is yes or no
  bool of_groups = false;     // totals of groups are among them
  bool whole_record = false;  // nothing else in a record is secret
};

}  // namespace kith
