// Whose record a loss is about, where units are nested: a person, or all persons of one household
// (claims/nested_units.md).
#pragma once
#include <cstdint>

namespace kith {

/// The numbers are those of the ledger's file.
enum class UnitLevel : std::int64_t { kPerson = 0, kHousehold = 1 };

}  // namespace kith
