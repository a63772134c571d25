// The JSON form of a dependence model: {"kind":"group","size":4,"odds_ratio":2} and so on for every kind.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dependence/model.h"

namespace kith {

/// How edges that are kept in a file ("edges":"friends.csv") are read. `theta` is the strength stated for all edges, if
/// any. This module reads no files: a caller that can passes one of these.
struct LoadedEdges {
  std::vector<Edge> edges;             // or
  std::shared_ptr<const Graph> graph;  // for big graphs
};
using EdgeLoader =
    std::function<Result<LoadedEdges>(const std::string& path, std::optional<double> theta, std::int64_t nodes)>;

/// Reads and checks a model. Strengths may be written "inf" for hard constraints.
/// Fails: kInvalidArgument for broken JSON, unknown or missing fields, whatever Check refuses, and edges in a file when
/// no loader is given; `name` (a file name) is where the error says it happened.
Result<Model> ModelFromJson(std::string_view text, const std::string& name, const EdgeLoader& loader = {});

}  // namespace kith
