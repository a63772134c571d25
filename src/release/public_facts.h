// How many units there are: a public fact where presence is public, and secret where it is not. Found once
// for a version of the data, and remembered beside the ledger, so that an explanation need not touch data.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/vault.h"
#include "release/curator_state.h"

namespace kith {

/// True if the number of units is public and one number: presence is public, and the table is not a stream.
bool UnitsArePublic(const Policy& policy);

/// With more units, counting each group gains nothing: bars are then small compared with groups.
inline constexpr double kMostCounted = 1e6;

/// The most units and households in one group, by the canonical text of a public part (PublicPart::plan).
struct MostInAGroup {
  double units = 0, households = 0;
};
struct RememberedGroups {
  std::map<std::string, MostInAGroup> most;
  std::vector<double> cells;  // units in each cell of the policy; empty: not found yet
};

/// What is remembered about these data. Nothing: not public, or not found yet. Touches no data.
std::optional<double> RememberedUnits(const CuratorState& curator, const DataState& data);
/// The data that facts are remembered of now. Nothing: facts are not public, or there are no data yet.
std::optional<DataState> DataOfFacts(const CuratorState& curator);

/// Counts them, and those in each cell, unless that is remembered, and remembers it. Nothing: not public, or it cannot
/// be counted now. Ensures [TOTAL-1]: what is counted is the same for all data with the same units, whatever their
/// records are.
std::optional<double> CountUnits(const CuratorState& curator, const DataState& data, const Vault& vault);

/// The same for cells, and for groupings: those that were found while somebody asked for them.
RememberedGroups RememberedGroupsOf(const CuratorState& curator, const DataState& data);
/// Remembers one. Requires: the number of units is remembered.
void RememberGroups(const CuratorState& curator, const DataState& data, const std::string& text,
                    const MostInAGroup& most);

}  // namespace kith
