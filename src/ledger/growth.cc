#include "ledger/growth.h"

#include <algorithm>

#include "base/check.h"
#include "base/json.h"

namespace kith::ledger {
namespace {

std::optional<std::size_t> Find(const std::vector<std::string>& values, const std::string& value) {
  const auto found = std::find(values.begin(), values.end(), value);
  if (found == values.end()) return std::nullopt;
  return static_cast<std::size_t>(found - values.begin());
}

}  // namespace

std::string GenerationText(const Generation& generation) {
  Json columns = Json::array(), map = Json::array();
  for (const LedgerColumn& column : generation.columns)
    columns.push_back({{"column", column.name}, {"values", column.values}});
  for (const LedgerOrigins& origins : generation.origins)
    map.push_back({{"column", origins.column}, {"from", origins.from}});
  return JsonText({{"generation", 1}, {"cells", columns}, {"map", map}, {"policy", generation.description}});
}

std::optional<Generation> ReadGeneration(std::string_view text) {
  const Json read = Json::parse(text, nullptr, false);
  if (!read.is_object() || read.value("generation", Json()) != 1) return std::nullopt;
  try {
    Generation generation;
    generation.description = read.at("policy");
    for (const Json& column : read.at("cells"))
      generation.columns.push_back({column.at("column"), column.at("values").get<std::vector<std::string>>()});
    for (const Json& origins : read.at("map")) {
      generation.origins.push_back(
          {origins.at("column"), origins.at("from").get<std::map<std::string, std::vector<std::string>>>()});
    }
    if (GenerationText(generation) != text) return std::nullopt;
    return generation;
  } catch (const JsonError&) {
    return std::nullopt;
  }
}

std::optional<CellMap> CellMap::Make(const std::vector<LedgerColumn>& before, const std::vector<LedgerColumn>& after,
                                     const std::vector<LedgerOrigins>& origins) {
  CellMap map;
  std::size_t used = 0;
  for (const LedgerColumn& column : after) {
    map.sizes_.push_back(column.values.size());
    map.after_cells_ *= std::min(column.values.size(), Ledger::kMaxCells + 1);
    if (map.after_cells_ > Ledger::kMaxCells) return std::nullopt;
  }
  if (!ProperColumns(after, map.after_cells_)) return std::nullopt;
  for (const LedgerColumn& column : before) map.before_cells_ *= column.values.size();
  std::size_t stride = map.before_cells_;
  for (const LedgerColumn& column : before) {
    stride /= column.values.size();
    Before part{stride, column.values.size(), std::nullopt, {}};
    const auto same =
        std::find_if(after.begin(), after.end(), [&](const auto& one) { return one.name == column.name; });
    if (same != after.end()) {
      const auto from =
          std::find_if(origins.begin(), origins.end(), [&](const auto& one) { return one.column == column.name; });
      if (from == origins.end() || from->from.size() != same->values.size()) return std::nullopt;
      part.after = static_cast<std::size_t>(same - after.begin());
      std::vector<bool> covered(column.values.size(), false);
      for (const std::string& value : same->values) {
        const auto sources = from->from.find(value);
        if (sources == from->from.end() || sources->second.empty()) return std::nullopt;
        part.from.emplace_back();
        for (const std::string& source : sources->second) {
          const auto number = Find(column.values, source);
          if (!number) return std::nullopt;
          covered[*number] = true;
          part.from.back().push_back(*number);
        }
      }
      if (std::find(covered.begin(), covered.end(), false) != covered.end()) return std::nullopt;
      ++used;
    }
    map.columns_.push_back(std::move(part));
  }
  return used == origins.size() ? std::optional(std::move(map)) : std::nullopt;
}

std::int64_t CellMap::LargestFrom(const std::vector<std::int64_t>& before, std::size_t column, std::size_t start,
                                  const std::vector<std::size_t>& values) const {
  if (column == columns_.size()) return before[start];
  const Before& part = columns_[column];
  std::int64_t largest = 0;
  const auto look = [&](std::size_t value) {
    largest = std::max(largest, LargestFrom(before, column + 1, start + value * part.stride, values));
  };
  if (part.after) {
    for (const std::size_t value : part.from[values[*part.after]]) look(value);
  } else {
    for (std::size_t value = 0; value < part.count; ++value) look(value);
  }
  return largest;
}

std::vector<std::int64_t> CellMap::Largest(const std::vector<std::int64_t>& before) const {
  KITH_CHECK(before.size() == before_cells_);
  std::vector<std::int64_t> after(after_cells_);
  std::vector<std::size_t> values(sizes_.size());
  for (std::size_t cell = 0; cell < after_cells_; ++cell) {
    std::size_t rest = cell;
    for (std::size_t k = sizes_.size(); k-- > 0;) {
      values[k] = rest % sizes_[k];
      rest /= sizes_[k];
    }
    after[cell] = LargestFrom(before, 0, 0, values);
  }
  return after;
}

CellSet CellMap::Image(const CellSet& before) const {
  std::vector<std::int64_t> member(before_cells_, 0);
  for (const std::size_t cell : before) member.at(cell) = 1;
  const auto after = Largest(member);
  CellSet image;
  for (std::size_t cell = 0; cell < after.size(); ++cell) {
    if (after[cell] > 0) image.push_back(cell);
  }
  return image;
}

}  // namespace kith::ledger
