#include "release/public_facts.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>

#include "base/json.h"
#include "base/private_folder.h"
#include "base/replace_file.h"
#include "base/text_file.h"
#include "query/plan.h"
#include "sql/quote.h"

namespace kith {
namespace {

// Among the other files beside the ledger that may be deleted.
std::filesystem::path FileOf(const Policy& policy) {
  return policy.ledger.parent_path() / ".kith" / (policy.ledger.filename().string() + ".units");
}

Json NameOf(const DataState& data) {
  return {{"number", data.number}, {"version", data.label}, {"import", data.import}};
}

}  // namespace

// The file is replaced as a whole, so a new one has other marks.
struct CuratorState::Facts {
  struct stat marks = {};
  Json kept = Json::object();

  bool SameFile(const struct stat& now) const {
    return marks.st_dev == now.st_dev && marks.st_ino == now.st_ino && marks.st_size == now.st_size &&
           marks.st_mtim.tv_sec == now.st_mtim.tv_sec && marks.st_mtim.tv_nsec == now.st_mtim.tv_nsec;
  }
};

namespace {

// What was found about these data; an empty object if nothing was.
std::shared_ptr<const Json> Kept(const CuratorState& curator, const DataState& data) {
  static const auto nothing = std::make_shared<const Json>(Json::object());
  const auto file = FileOf(curator.policy);
  auto read = std::make_shared<CuratorState::Facts>();
  if (::stat(file.c_str(), &read->marks) != 0) return nothing;
  std::shared_ptr<const CuratorState::Facts> facts;
  {
    const std::lock_guard lock(curator.facts_reading);
    facts = curator.facts;
  }
  if (!facts || !facts->SameFile(read->marks)) {
    const auto text = ReadTextFile(file);
    if (!text) return nothing;
    read->kept = Json::parse(*text, nullptr, false);
    facts = read;
    struct stat now = {};  // read while it was replaced: not under the marks of the one before
    const std::lock_guard lock(curator.facts_reading);
    if (::stat(file.c_str(), &now) == 0 && read->SameFile(now)) curator.facts = read;
  }
  const Json& kept = facts->kept;
  if (!kept.is_object() || kept.value("data", Json()) != NameOf(data)) return nothing;
  return {facts, &kept};
}

// Where it cannot be remembered it is counted again.
void Keep(const Policy& policy, const Json& kept) {
  const auto file = FileOf(policy);
  if (MakePrivateFolder(file.parent_path())) return;
  (void)ReplaceTextFile(file, kept.dump() + "\n");
}

std::optional<double> Counted(const Policy& policy, const Vault& vault) {
  const std::string what =
      policy.unit.key ? fmt::format("count(DISTINCT {})", IdentifierText(*policy.unit.key)) : "count(*)";
  const auto plan = PlanQuestion(fmt::format("SELECT {} FROM {}", what, IdentifierText(policy.unit.table)), policy);
  if (!plan || !plan->noisy().empty()) return std::nullopt;
  const auto exact = vault.Public(*plan);
  if (!exact) return std::nullopt;
  return static_cast<double>(exact->at(0).at(0));
}

// Units in each cell of the policy; empty where they cannot be counted.
std::vector<std::uint64_t> CountedCells(const Policy& policy, const Vault& vault) {
  const Cells& cells = policy.cells;
  if (cells.columns().empty()) return {};
  std::string keys;
  for (const CellColumn& column : cells.columns())
    keys += fmt::format("{}{}", keys.empty() ? "" : ", ", IdentifierText(column.name));
  const std::string what =
      policy.unit.key ? fmt::format("count(DISTINCT {})", IdentifierText(*policy.unit.key)) : "count(*)";
  const auto plan = PlanQuestion(
      fmt::format("SELECT {}, {} FROM {} GROUP BY {}", keys, what, IdentifierText(policy.unit.table), keys), policy);
  if (!plan || !plan->noisy().empty() || plan->groups() != cells.size()) return {};
  const auto exact = vault.Public(*plan);
  if (!exact) return {};
  std::vector<std::uint64_t> units;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    std::size_t group = 0;
    for (std::size_t k = 0; k < plan->keys.size(); ++k) {
      const auto& values = plan->keys[k].values;
      const auto place = std::find(values.begin(), values.end(), cells.At(cell, k)) - values.begin();
      group = group * values.size() + static_cast<std::size_t>(place);
    }
    if (group >= exact->size()) return {};
    units.push_back(static_cast<std::uint64_t>((*exact)[group].at(0)));
  }
  return units;
}

}  // namespace

bool UnitsArePublic(const Policy& policy) {
  return policy.unit.presence == Presence::kPublic && !policy.stream && !policy.unit.other_key;
}

std::optional<double> RememberedUnits(const CuratorState& curator, const DataState& data) {
  if (!UnitsArePublic(curator.policy)) return std::nullopt;
  const Json units = Kept(curator, data)->value("units", Json());
  if (!units.is_number_unsigned()) return std::nullopt;
  return units.get<double>();
}

std::optional<DataState> DataOfFacts(const CuratorState& curator) {
  if (!UnitsArePublic(curator.policy)) return std::nullopt;
  const auto ledger = curator.LookAtLedger();
  if (!ledger || !*ledger) return std::nullopt;
  auto data = (*ledger)->Data();
  return data ? std::optional(std::move(*data)) : std::nullopt;
}

std::optional<double> CountUnits(const CuratorState& curator, const DataState& data, const Vault& vault) {
  if (!UnitsArePublic(curator.policy)) return std::nullopt;
  if (const auto known = RememberedUnits(curator, data)) return known;
  const auto units = Counted(curator.policy, vault);
  if (!units) return std::nullopt;
  Json kept = {{"data", NameOf(data)}, {"units", static_cast<std::uint64_t>(*units)}};
  if (*units <= kMostCounted) {
    if (const auto cells = CountedCells(curator.policy, vault); !cells.empty()) kept["cells"] = cells;
  }
  Keep(curator.policy, kept);
  return units;
}

RememberedGroups RememberedGroupsOf(const CuratorState& curator, const DataState& data) {
  RememberedGroups groups;
  if (!UnitsArePublic(curator.policy)) return groups;
  const auto all = Kept(curator, data);
  for (const Json& units : all->value("cells", Json::array())) {
    if (units.is_number_unsigned()) groups.cells.push_back(units.get<double>());
  }
  const Json kept = all->value("groups", Json::object());
  if (!kept.is_object()) return groups;
  for (const auto& [text, most] : kept.items()) {
    if (most.is_array() && most.size() == 2 && most[0].is_number() && most[1].is_number())
      groups.most[text] = {most[0].get<double>(), most[1].get<double>()};
  }
  return groups;
}

void RememberGroups(const CuratorState& curator, const DataState& data, const std::string& text,
                    const MostInAGroup& most) {
  constexpr std::size_t kMostKept = 200;
  Json kept = *Kept(curator, data);
  if (!kept.contains("units")) return;
  Json& groups = kept["groups"];
  const Json now = {most.units, most.households};
  if (!groups.is_object()) groups = Json::object();
  if (groups.value(text, Json()) == now || groups.size() >= kMostKept) return;
  groups[text] = now;
  Keep(curator.policy, kept);
}

}  // namespace kith
