// The JSON form of a dependence model: {"kind":"group","size":4,"odds_ratio":2} and so on for every kind.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dependence/model.h"

namespace kith {

/// Edges that are kept in a file ("edges":"friends.csv") or in a table of the engine
/// ("edges":{"table":"friends","from":"a","to":"b"}), and what the model says about them.
struct NamedEdges {
  std::string name;
  std::optional<double> theta;  // the strength stated for all edges, if any
  std::int64_t nodes = 0;
  bool needs_record_numbers = false;  // hidden causes and factors name records by number: so must the file
  bool only_links = false;            // all that counts is who is linked with whom: a pair may be listed twice
  // Of a table: the columns that name the two records of an edge, and the one with its strength. Empty: of a file.
  std::string from, to, strength;
};

/// How they are read. This module reads no files: a caller that does passes one of these.
struct LoadedEdges {
  std::vector<Edge> edges;             // or
  std::shared_ptr<const Graph> graph;  // for big graphs
};
using EdgeLoader = std::function<Result<LoadedEdges>(const NamedEdges& file)>;

/// Reads and checks a model. Strengths may be written "inf" for hard constraints.
/// Fails: kInvalidArgument for broken JSON, unknown or missing fields, whatever Check refuses, and edges in a file when
/// no loader is given; `name` (a file name) is where the error says it happened.
Result<Model> ModelFromJson(std::string_view text, const std::string& name, const EdgeLoader& loader = {});

}  // namespace kith
