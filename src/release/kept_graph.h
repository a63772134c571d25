// What was computed from a graph and is kept in .kith, so that it need not be read for every command. All of it can be
// deleted; it is computed again.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/json.h"
#include "graph/edges_table.h"
#include "policy/policy.h"

namespace kith {

/// Nothing if there is none, or if it is not whole.
std::optional<Json> ReadKept(const std::filesystem::path& file);
/// Best effort.
void WriteKept(const std::filesystem::path& file, const Json& kept);

/// What the last reading of a table of edges found, and of which state of the table: a later state is read again. One
/// file for each declaration.
class SeenGraph {
 public:
  /// `state`: EdgesTable::state(). Without one nothing is remembered.
  SeenGraph(const Policy& policy, const std::optional<std::string>& state);

  /// Of a graph that was read as a whole: its content, as a digest.
  std::optional<std::string> Content() const;
  void KeepContent(const std::string& content) const;
  std::optional<LinkCounts> Counts() const;
  void KeepCounts(const LinkCounts& counts) const;

 private:
  std::filesystem::path file_;
  std::string state_;  // a digest; empty: not known
};

}  // namespace kith
