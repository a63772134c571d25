#include "app/cli/transfer_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "app/cli/fail.h"
#include "app/cli/model_file.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/text_file.h"
#include "dependence/graph_builder.h"
#include "loss/loss_text.h"
#include "transfer/field/network_sampling.h"

namespace kith::cli {
namespace {

Result<std::shared_ptr<const Graph>> NetworkOf(const SampleRequest& request, const Call& call) {
  const Stage stage(call, "reading the network");
  auto model = request.model.ends_with(".toml") ? ModelOfPolicy(request.model, call) : ModelOfFile(request.model, call);
  if (!model) return model.error();
  const auto* field = std::get_if<Field>(&*model);
  if (field == nullptr || field->ties == Ties::kEither) {
    return InvalidArgument("what is simulated is a network whose ties never lower the odds", request.model,
                           "declare kind = \"field\" with ties = \"non-negative\", if that is a fact");
  }
  if (field->sample != nullptr) {
    return InvalidArgument(
        "this policy has its sample: another one would be another chance for a limit that is too low", request.model,
        "keep it; after a change of the network, remove 'sampled' first");
  }
  if (field->graph) return field->graph;
  auto made = GraphFromEdges(field->nodes, field->edges, RepeatedPairs::kAdd);
  if (!made) return made.error();
  return std::make_shared<const Graph>(std::move(*made));
}

}  // namespace

int RunSample(const SampleRequest& request, const Call& call) {
  if (std::filesystem::exists(request.file)) {
    return Fail(InvalidArgument("there is such a file already", request.file,
                                "a network is sampled once a policy; name another file for another network"),
                false);
  }
  const auto graph = NetworkOf(request, call);
  if (!graph) return Fail(graph.error(), false);
  SamplingOptions options;
  options.runs = request.runs;
  options.threads = std::max(1U, std::thread::hardware_concurrency());
  const auto start = std::chrono::steady_clock::now();
  const auto sample = [&] {
    const Stage stage(call, "simulating the network");
    return SampleNetwork(**graph, request.dependent, options, SystemBits::ForThisThread(), call);
  }();
  if (!sample) return Fail(sample.error(), false);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (auto written = WriteTextFile(request.file, JsonOf(*sample).dump(1) + "\n"); !written)
    return Fail(written.error(), false);

  TextTable table({"plain", "runs", "connected most often", "dependent at most"});
  double allowed = 0;
  for (const SampledLoss& at : sample->losses) {
    const double limit = LimitAt(at, sample->records);
    if (limit <= request.dependent) allowed = std::max(allowed, at.plain);
    table.Add({LeftText(at.plain), fmt::format("{}", at.runs), fmt::format("{}", at.largest), LossText(limit)});
  }
  const std::size_t width = TerminalWidth();
  Show(fmt::format("{} records, {} ties, {} sweeps a run, {:.0f} s\n\n", sample->records, sample->edges, sample->sweeps,
                   taken.count()) +
       table.Render(width) + "\n" +
       (allowed > 0 ? fmt::format("dependent {}  →  plain {}: {:.4g} times the noise without dependence\n",
                                  LossText(request.dependent), LeftText(allowed), request.dependent / allowed)
                    : fmt::format("no limit is at most {}: more --runs are needed\n", LossText(request.dependent))) +
       Labelled("chance", "all limits together are too low with probability at most 2^-60, over the coins drawn now",
                width) +
       Labelled("policy", fmt::format("bound = \"field-free\", sampled = \"{}\"", request.file), width));
  return 0;
}

}  // namespace kith::cli
