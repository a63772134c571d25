#include "release/group_sizes.h"

#include <algorithm>
#include <map>

namespace kith {
namespace {

// Positions in the lists of public keys; nothing where a level has all values of the key together.
using Open = std::vector<std::optional<std::size_t>>;

Open OpenPlace(const PublicPart& part, const Plan::Place& place) {
  Open open(part.plan.keys.size());
  for (std::size_t k = 0; k < part.keys.size(); ++k) {
    if (part.keys[k]) open[*part.keys[k]] = place.keys[k];
  }
  return open;
}

// With all values together of those keys that `like` has together.
Open KeysOfLevel(Open open, const Open& like) {
  for (std::size_t k = 0; k < open.size(); ++k) {
    if (!like[k]) open[k].reset();
  }
  return open;
}

}  // namespace

std::optional<GroupSizes> CountGroups(const PublicPart& part, const Plan& plan, const Vault& vault) {
  const auto exact = vault.Public(part.plan);
  if (!exact) return std::nullopt;
  const bool households = part.plan.statistics.size() > 1;
  GroupSizes sizes;
  std::map<std::vector<bool>, std::map<Open, std::pair<double, double>>> sums;  // by the keys that a level keeps
  for (std::size_t group = 0; group < plan.groups(); ++group) {
    const auto place = plan.PlaceOf(group);
    const Open open = OpenPlace(part, place);
    std::vector<bool> kept;
    for (const auto& position : open) kept.push_back(position.has_value());
    auto& of_level = sums[kept];
    if (of_level.empty()) {
      for (std::size_t g = 0; g < exact->size(); ++g) {
        auto& sum = of_level[KeysOfLevel(part.plan.PlaceOf(g).keys, open)];
        sum.first += static_cast<double>((*exact)[g][0]);
        // A household in several groups is counted in each: no fewer than there are.
        if (households) sum.second += static_cast<double>((*exact)[g][1]);
      }
    }
    const auto& sum = of_level[open];
    sizes.units.push_back(sum.first);
    if (households) sizes.households.push_back(sum.second);
    if (place.level > 0) continue;
    sizes.most_units = std::max(sizes.most_units, sum.first);
    sizes.most_households = std::max(sizes.most_households, sum.second);
  }
  return sizes;
}

std::optional<GroupSizes> GroupsOfCells(const PublicPart& part, const Plan& plan, const Cells& cells,
                                        const std::vector<double>& units) {
  if (units.size() != cells.size() || part.cells.size() != cells.size()) return std::nullopt;
  // For each column of cells: the key that it is, if it is one.
  std::vector<std::optional<std::size_t>> key_of;
  for (const CellColumn& column : cells.columns()) {
    const auto is_it = [&](const GroupKey& key) { return !key.secret && key.column == column.name; };
    const auto key = std::find_if(plan.keys.begin(), plan.keys.end(), is_it);
    key_of.push_back(key == plan.keys.end() ? std::nullopt : std::optional<std::size_t>(key - plan.keys.begin()));
  }
  std::map<std::vector<bool>, std::map<Open, double>> sums;  // by the keys that a level keeps
  GroupSizes sizes;
  for (std::size_t group = 0; group < plan.groups(); ++group) {
    const auto place = plan.PlaceOf(group);
    Open open;
    std::vector<bool> kept;
    for (const auto& key : key_of) {
      open.push_back(key ? place.keys[*key] : std::nullopt);
      kept.push_back(open.back().has_value());
    }
    const bool known = sums.contains(kept);
    auto& of_level = sums[kept];
    for (std::size_t cell = 0; cell < cells.size() && !known; ++cell) {
      if (!part.cells[cell]) continue;
      Open at(key_of.size());
      for (std::size_t k = 0; k < key_of.size(); ++k) {
        if (!kept[k]) continue;
        const auto& values = plan.keys[*key_of[k]].values;
        at[k] = std::find(values.begin(), values.end(), cells.At(cell, k)) - values.begin();
      }
      of_level[at] += units[cell];
    }
    sizes.units.push_back(of_level[open]);
    if (place.level == 0) sizes.most_units = std::max(sizes.most_units, sizes.units.back());
  }
  return sizes;
}

}  // namespace kith
