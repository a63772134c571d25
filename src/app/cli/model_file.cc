#include "app/cli/model_file.h"

#include <filesystem>
#include <memory>

#include "base/text_file.h"
#include "dependence/links.h"
#include "dependence/model_json.h"
#include "graph/edges.h"
#include "graph/edges_table.h"
#include "policy/policy.h"

namespace kith::cli {
namespace {

namespace fs = std::filesystem;

Result<std::shared_ptr<const Graph>> Load(const fs::path& path, std::int64_t nodes, std::optional<double> theta,
                                          bool needs_record_numbers, bool only_links, const Call& call) {
  GraphFile wanted;
  wanted.path = path.string();
  wanted.records = nodes;
  wanted.theta = theta;
  wanted.needs_record_numbers = needs_record_numbers;
  if (only_links) wanted.repeated = RepeatedPairs::kLargest;
  auto graph = LoadGraph(wanted, {}, call);
  if (!graph) return graph.error();
  return std::make_shared<const Graph>(std::move(*graph));
}

}  // namespace

Result<Model> ModelOfFile(const std::string& path, const Call& call) {
  const auto text = ReadTextFile(path);
  if (!text) return text.error();
  const auto folder = fs::absolute(path).parent_path();
  const auto load = [&](const NamedEdges& file) -> Result<LoadedEdges> {
    if (!file.from.empty()) {
      return InvalidArgument("edges are in a table, which only a policy's engine can read", path,
                             "put the model into a policy, or name a file of edges");
    }
    auto graph = Load(folder / file.name, file.nodes, file.theta, file.needs_record_numbers, file.only_links, call);
    if (!graph) return graph.error();
    LoadedEdges loaded;
    loaded.graph = std::move(*graph);
    return loaded;
  };
  return ModelFromJson(*text, path, load);
}

Result<Model> ModelOfPolicy(const std::string& path, const Call& call) {
  auto policy = Policy::Load(path);
  if (!policy) return policy.error();
  Model model = std::move(policy->dependence.model);
  if (!policy->dependence.edges) return model;
  auto* field = std::get_if<Field>(&model);
  GraphFile wanted;
  wanted.needs_record_numbers = field != nullptr && !(field->hidden.empty() && field->factors.empty());
  if (field == nullptr) wanted.repeated = RepeatedPairs::kLargest;
  auto graph = LoadGraphOf(*policy, wanted, {}, call);
  if (!graph) return graph.error();
  if (auto* pairs = std::get_if<PairLaws>(&model)) SetLinks(*graph, *pairs);
  if (field != nullptr) {
    field->nodes = policy->dependence.edges->nodes;
    field->graph = std::make_shared<const Graph>(std::move(*graph));
  }
  return model;
}

}  // namespace kith::cli
