#include "policy/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "policy/document.h"
#include "policy/sections/section.h"

namespace kith {
namespace {

// Of [data]; whatever else is there says, or may one day say, which server it is.
constexpr std::array<std::string_view, 6> kNoPlaces = {"tables",         "version", "name",
                                                       "public_columns", "frozen",  "rows_out"};

const Node* Under(const Node* table, std::string_view key) {
  if (table == nullptr || table->kind != NodeKind::kTable) return nullptr;
  const auto& all = table->members;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Member& member) { return member.key == key; });
  return found == all.end() ? nullptr : &found->value;
}

bool Same(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size() || a.members.size() != b.members.size()) return false;
  if (a.kind == NodeKind::kOther) return false;
  if (!std::equal(a.items.begin(), a.items.end(), b.items.begin(), Same)) return false;
  for (const Member& member : a.members) {
    const Node* other = Under(&b, member.key);
    if (other == nullptr || !Same(member.value, *other)) return false;
  }
  return a.kind == NodeKind::kList || a.kind == NodeKind::kTable || ToText(a.leaf) == ToText(b.leaf);
}

bool Same(const Node* a, const Node* b) { return a == nullptr || b == nullptr ? a == b : Same(*a, *b); }

const Node* SourceOf(const Node& table) { return table.kind == NodeKind::kTable ? Under(&table, "source") : &table; }

Error Elsewhere(const std::string& file, int line, const std::string& what) {
  return InvalidArgument(fmt::format("{} not where the present policy says", what), fmt::format("{}:{}", file, line),
                         "check such a change with `kith policy diff` where the server runs");
}

struct Texts {
  const Node &before, &after;
  const std::string& file;

  const Node* Before(std::string_view section, std::string_view key) const {
    return Under(Under(&before, section), key);
  }
  const Node* After(std::string_view section, std::string_view key) const { return Under(Under(&after, section), key); }

  Result<void> CheckServer() const {
    const Node *was = Under(&before, "data"), *is = Under(&after, "data");
    std::set<std::string> keys;
    for (const Node* each : {was, is}) {
      if (each == nullptr) continue;
      for (const Member& member : each->members) keys.insert(member.key);
    }
    for (const std::string& key : keys) {
      if (std::find(kNoPlaces.begin(), kNoPlaces.end(), key) != kNoPlaces.end()) continue;
      const Node* now = Under(is, key);
      if (Same(Under(was, key), now)) continue;
      const int line = now != nullptr ? now->line : is != nullptr ? is->line : 1;
      return Elsewhere(file, line, fmt::format("[data] {} says that the data are", Quote(key)));
    }
    return {};
  }

  // A file, or edges that are not written out but in a file or a table.
  Result<void> CheckFiles() const {
    bool read = false;
    for (const char* key : {"file", "edges"}) {
      const Node* now = After("dependence", key);
      if (now == nullptr || now->kind == NodeKind::kList) continue;
      read = true;
      if (!Same(Before("dependence", key), now))
        return Elsewhere(file, now->line, fmt::format("[dependence] '{}' is", key));
    }
    if (read) {
      if (auto tables = CheckTables(); !tables) return tables;
    }
    const Node* sources = Under(After("unit", "distance"), "sources");
    const bool named = sources != nullptr && sources->kind == NodeKind::kText &&
                       ToText(sources->leaf) != "everywhere" && ToText(sources->leaf) != "none";
    if (named && !Same(Under(Before("unit", "distance"), "sources"), sources))
      return Elsewhere(file, sources->line, "[unit] 'sources' are");
    return {};
  }

  // One of them may hold the edges, as a file of the dependence may also say.
  Result<void> CheckTables() const {
    const Node* tables = After("data", "tables");
    if (tables == nullptr) return {};
    for (const Member& member : tables->members) {
      const Node* was = Under(Before("data", "tables"), member.key);
      if (was != nullptr && !Same(SourceOf(*was), SourceOf(member.value)))
        return Elsewhere(file, member.line, fmt::format("table {} is", Quote(member.key)));
    }
    return {};
  }
};

}  // namespace

Result<void> NamesNoOtherPlace(const std::string& before, const std::string& after, const std::string& file) {
  const auto was = ReadDocument(before, "the present policy");
  if (!was) return was.error();
  const auto is = ReadDocument(after, file);
  if (!is) return is.error();
  const Texts texts{was->root, is->root, file};
  if (auto server = texts.CheckServer(); !server) return server;
  return texts.CheckFiles();
}

}  // namespace kith
