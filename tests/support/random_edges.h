// Random tables of edges with all that can be in them (loops, pairs that come again in either direction, names of every
// kind), and what they say, worked out with sets: nothing here knows how an engine is asked.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "dependence/graph_builder.h"
#include "graph/edges_table.h"

namespace kith::testing {

struct RandomEdges {
  enum class Names { kNumbers, kIntegers, kTexts };

  RandomEdges(std::mt19937_64& random, Names kind) : names(kind) {
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
    nodes = 2 + below(12);
    const std::int64_t count = below(30);
    for (std::int64_t k = 0; k < count; ++k) {
      // A few records have most of the edges.
      const std::int64_t a = below(2) == 0 ? below(2) : below(static_cast<std::uint64_t>(nodes));
      rows.push_back({Name(a), Name(below(static_cast<std::uint64_t>(nodes)))});
      theta.push_back(std::array{0.25, 1.0 / 3, 0.7, 3.0, 23.0}.at(static_cast<std::size_t>(below(5))));
    }
  }

  std::string Name(std::int64_t record) const {
    if (names == Names::kNumbers) return std::to_string(record);
    if (names == Names::kIntegers) return std::to_string((record % 2 == 0 ? -7 : 1'000'000'007) * (record + 1));
    return std::array{"a", "B", "é", "Z ", "_'"}.at(static_cast<std::size_t>(record % 5)) + std::to_string(record);
  }

  /// ('a0', 'B1', 0.25), ...: what a CREATE TABLE or INSERT has after VALUES. At least one row.
  std::string Values() const {
    std::string list;
    for (std::size_t k = 0; k < rows.size(); ++k)
      list += fmt::format("{}({}, {}, {})", k == 0 ? "" : ", ", Quoted(rows[k][0]), Quoted(rows[k][1]), theta[k]);
    return list;
  }

  LinkCounts Counts() const {
    std::set<std::string> all;
    std::map<std::string, std::set<std::string>> linked;
    for (const auto& [a, b] : rows) {
      all.insert({a, b});
      if (a == b) continue;
      linked[a].insert(b);
      linked[b].insert(a);
    }
    LinkCounts counts{static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(all.size()), 0, 0};
    for (const auto& [name, others] : linked) {
      counts.links += static_cast<std::int64_t>(others.size());
      counts.largest_degree = std::max(counts.largest_degree, static_cast<std::int64_t>(others.size()));
    }
    counts.links /= 2;
    return counts;
  }

  /// Pairs that come again are one edge, of the largest strength.
  Graph InMemory(std::optional<double> one_for_all) const {
    std::map<std::string, std::uint32_t> number;
    if (names == Names::kNumbers) {
      for (std::int64_t r = 0; r < nodes; ++r) number[Name(r)] = static_cast<std::uint32_t>(r);
    } else {
      std::vector<std::string> all;
      for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
      const auto less = [&](const std::string& a, const std::string& b) {
        return names == Names::kTexts ? a < b : std::stoll(a) < std::stoll(b);
      };
      std::sort(all.begin(), all.end(), less);
      for (const std::string& name : all) number.emplace(name, static_cast<std::uint32_t>(number.size()));
    }
    std::vector<Edge> edges;
    for (std::size_t k = 0; k < rows.size(); ++k)
      edges.push_back({number.at(rows[k][0]), number.at(rows[k][1]), one_for_all.value_or(theta[k])});
    return GraphFromEdges(nodes, edges, RepeatedPairs::kLargest).value();
  }

  /// A public table of the policy, and [dependence] about it: `from`, `to` and, without theta, `strength`.
  void DeclareIn(Policy& policy, const std::string& source, std::optional<double> one_for_all) const {
    Table table;
    table.name = "friends";
    table.source = source;
    table.is_public = true;
    for (const char* name : {"from", "to", "strength"}) {
      Column column;
      column.name = name;
      column.type = name == std::string("strength") ? ColumnType::kReal
                    : names == Names::kTexts        ? ColumnType::kText
                                                    : ColumnType::kInteger;
      table.columns.push_back(column);
    }
    policy.tables.push_back(table);
    policy.dependence.edges = EdgesFile{"friends", nodes, one_for_all, "from", "to", one_for_all ? "" : "strength"};
  }

  Names names;
  std::int64_t nodes = 0;
  std::vector<std::array<std::string, 2>> rows;
  std::vector<double> theta;

 private:
  std::string Quoted(const std::string& name) const {
    if (names != Names::kTexts) return name;
    std::string quoted = "'";
    for (const char c : name) quoted += c == '\'' ? "''" : std::string(1, c);
    return quoted + "'";
  }
};

inline std::string Text(const LinkCounts& counts) {
  return fmt::format("{} rows, {} records, {} links, at most {}", counts.rows, counts.records, counts.links,
                     counts.largest_degree);
}

/// The first difference between what an opened table says and what was put into it; empty: none.
inline std::string DifferenceFrom(const RandomEdges& edges, const Policy& policy, const EngineOptions& options = {}) {
  const auto table = EdgesTable::Open(policy, options, Call());
  if (!table) return table.error().Text();
  // At once, and in about three parts.
  for (const std::int64_t at_once : {EdgesTable::kEdgesAtOnce, std::ssize(edges.rows) / 3 + 1}) {
    const auto counts = table->Count({}, at_once);
    if (!counts) return counts.error().Text();
    if (Text(*counts) != Text(edges.Counts())) return Text(*counts) + " for " + Text(edges.Counts());
  }
  GraphFile wanted;
  wanted.records = edges.nodes;
  wanted.repeated = RepeatedPairs::kLargest;
  const auto graph = table->Load(wanted, options, Call());
  if (!graph) return graph.error().Text();
  return graph->Fingerprint() == edges.InMemory(policy.dependence.edges->theta).Fingerprint() ? "" : "another graph";
}

}  // namespace kith::testing
