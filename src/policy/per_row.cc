#include "policy/per_row.h"

#include <algorithm>

#include "base/check.h"

namespace kith {
namespace {

// For each cell the number that it has without the columns that rows of a unit differ in.
std::vector<std::size_t> CellsOfUnits(const Policy& policy) {
  const auto& columns = policy.cells.columns();
  std::vector<bool> of_row;
  for (const CellColumn& column : columns) {
    const Column* declared = policy.unit_table().Find(column.name);
    of_row.push_back(declared != nullptr && declared->per_row);
  }
  std::vector<std::size_t> units;
  for (std::size_t cell = 0; cell < policy.cells.size(); ++cell) {
    std::size_t rest = cell, unit = 0, weight = 1;
    for (std::size_t k = columns.size(); k-- > 0;) {
      const std::size_t count = columns[k].values.size();
      if (!of_row[k]) {
        unit += rest % count * weight;
        weight *= count;
      }
      rest /= count;
    }
    units.push_back(unit);
  }
  return units;
}

template <class T>
std::vector<T> LargestOf(const Policy& policy, std::vector<T> of_cells) {
  KITH_CHECK(of_cells.size() == policy.cells.size());
  if (!RowsArePublic(policy)) return of_cells;
  const auto units = CellsOfUnits(policy);
  std::vector<T> largest(of_cells.size(), T());  // by the number of the unit's cell
  for (std::size_t cell = 0; cell < units.size(); ++cell) {
    if (largest[units[cell]] < of_cells[cell]) largest[units[cell]] = of_cells[cell];
  }
  for (std::size_t cell = 0; cell < units.size(); ++cell) of_cells[cell] = largest[units[cell]];
  return of_cells;
}

}  // namespace

bool RowsArePublic(const Policy& policy) {
  const auto& columns = policy.unit_table().columns;
  return std::any_of(columns.begin(), columns.end(), [](const Column& column) { return column.per_row; });
}

std::vector<bool> OfWholeUnits(const Policy& policy, std::vector<bool> charged) {
  return LargestOf(policy, std::move(charged));
}

std::vector<double> LargestOfUnits(const Policy& policy, std::vector<double> of_cells) {
  return LargestOf(policy, std::move(of_cells));
}

}  // namespace kith
