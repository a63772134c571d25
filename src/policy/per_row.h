// Columns that everybody knows of each row (`public = "per row"`): a visit, a year.  Claims: claims/per_row.md
#pragma once
#include <vector>

#include "policy/policy.h"

namespace kith {

/// The same for all rows of a unit, in every database: public, and not per row.
inline bool IsPublicOfUnit(const Column& column) { return column.is_public && !column.per_row; }

/// Some column is public per row: how many rows a unit has is then public as well, if the unit is there.
bool RowsArePublic(const Policy& policy);

/// Cells of rows that must be charged if a charge can concern the whole unit: with each cell, all others in which units
/// with a row in it can have rows.
/// Ensures [ROW-2]: cells that agree in all columns but those that are public per row are charged together.
std::vector<bool> OfWholeUnits(const Policy& policy, std::vector<bool> charged);

/// What units lost by what was lost in cells: each cell with the largest among all in which units with a row in it can
/// have rows. The same numbers where no column is public per row.
std::vector<double> LargestOfUnits(const Policy& policy, std::vector<double> of_cells);

}  // namespace kith
