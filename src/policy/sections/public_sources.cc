// A public table must not be a secret one under another name: what it holds leaves without noise. Nor may one set of
// rows be two tables whose rows belong to different units.
#include <fmt/format.h>
#include <fnmatch.h>

#include <filesystem>
#include <string>
#include <vector>

#include "policy/file_format.h"
#include "policy/sections/sections.h"

namespace kith {
namespace {

// Where rows are: a file as the system knows it, or a server; and the table in it, with its schema if one is named.
struct Place {
  std::string file, schema, table;
};

void NameTable(const std::string& name, Place& place) {
  const std::size_t dot = name.rfind('.');
  place.table = FoldName(name.substr(dot == std::string::npos ? 0 : dot + 1));
  if (dot != std::string::npos) place.schema = FoldName(name.substr(0, dot));
}

Place PlaceOf(const Policy& policy, const Table& table, const std::string& source) {
  Place place;
  if (policy.engine != "duckdb") {
    NameTable(source, place);
    return place;
  }
  std::string file = source;
  const std::string folded = FoldName(source);
  if (const std::size_t at = folded.rfind(".duckdb:"); at != std::string::npos) {
    NameTable(source.substr(at + std::string_view(".duckdb:").size()), place);
    file = source.substr(0, at + std::string_view(".duckdb").size());
  } else if (folded.ends_with(".duckdb")) {
    NameTable(table.name, place);
  }
  std::error_code ignored;  // a path that cannot be examined stays as it is written
  const std::filesystem::path path = std::filesystem::absolute(policy.file.parent_path() / file, ignored);
  const auto real = std::filesystem::weakly_canonical(path, ignored);
  place.file = (ignored ? path.lexically_normal() : real).string();
  return place;
}

// A schema that is not named is the engine's own, whose names differ from engine to engine: it may be any.
bool MayBeOne(const std::string& schema, const std::string& other) {
  const auto own = [](const std::string& name) {
    return name.empty() || name == "main" || name == "public" || name == "snapshot";
  };
  return schema == other || own(schema) || own(other) || schema.ends_with("." + other) || other.ends_with("." + schema);
}

// Whether some file may match both: what is before the first wildcard and after the last one must agree.
bool CanMeet(const std::string& a, const std::string& b) {
  const auto before = [](const std::string& p) { return p.substr(0, p.find_first_of("*?[")); };
  const auto after = [](const std::string& p) { return p.substr(p.find_last_of("*?]") + 1); };
  const auto begin = [](const std::string& x, const std::string& y) { return x.starts_with(y) || y.starts_with(x); };
  const auto end = [](const std::string& x, const std::string& y) { return x.ends_with(y) || y.ends_with(x); };
  return begin(before(a), before(b)) && end(after(a), after(b));
}

std::string FolderOf(const std::string& file) { return std::filesystem::path(file).parent_path().string(); }

bool MayBeOne(const Place& a, const Place& b) {
  const bool same_file =
      a.file == b.file || (IsPattern(a.file) && ::fnmatch(a.file.c_str(), b.file.c_str(), 0) == 0) ||
      (IsPattern(b.file) && ::fnmatch(b.file.c_str(), a.file.c_str(), 0) == 0) ||
      (IsPattern(a.file) && IsPattern(b.file) && FolderOf(a.file) == FolderOf(b.file) && CanMeet(a.file, b.file));
  return same_file && a.table == b.table && MayBeOne(a.schema, b.schema);
}

std::vector<Place> PlacesOf(const Policy& policy, const Table& table) {
  std::vector<Place> places = {PlaceOf(policy, table, table.source)};
  for (const std::string& more : table.more_sources) places.push_back(PlaceOf(policy, table, more));
  return places;
}

bool ShareRows(const Policy& policy, const Table& a, const Table& b) {
  for (const Place& place : PlacesOf(policy, a)) {
    for (const Place& other : PlacesOf(policy, b)) {
      if (MayBeOne(place, other)) return true;
    }
  }
  return false;
}

// A row is part of the records of the units that it names. If two tables made of the same rows name them by different
// columns, somebody's change would show in rows of the one table that are not counted as that unit's.
Result<void> CheckOwners(const Section& root, const Policy& policy) {
  const auto owner = [&](const Table& table) { return table.name == policy.unit.table ? policy.unit.key : table.key; };
  const auto of_units = [&](const Table& table) { return table.name == policy.unit.table || table.OfUnits(); };
  for (std::size_t k = 0; k < policy.tables.size(); ++k) {
    for (std::size_t j = 0; j < k; ++j) {
      const Table &a = policy.tables[j], &b = policy.tables[k];
      if (!of_units(a) || !of_units(b) || (owner(a) == owner(b) && a.other == b.other)) continue;
      if (!ShareRows(policy, a, b)) continue;
      return root.At(
          root.Find("data")->line,
          fmt::format("tables {} and {} have one source, but name the units of its rows by different "
                      "columns: what somebody's rows change in one of them would not be counted in the other",
                      Quote(a.name), Quote(b.name)),
          "declare the source once; where its rows are about two units, with key, other and max_other");
    }
  }
  return {};
}

}  // namespace

Result<void> CheckPublicSources(const Section& root, const Policy& policy) {
  for (const Table& open : policy.tables) {
    if (!open.is_public) continue;
    for (const Table& secret : policy.tables) {
      if (secret.is_public || !ShareRows(policy, open, secret)) continue;
      return root.At(root.Find("data")->line,
                     fmt::format("the public table {} has the source of table {}, whose rows are secrets",
                                 Quote(open.name), Quote(secret.name)),
                     "everybody may know all of a public table: write what is public into a file or table of its own");
    }
  }
  return CheckOwners(root, policy);
}

}  // namespace kith
