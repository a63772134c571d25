// kith sample: writes a synthetic data set.
#include "experiment/sample.h"

#include <fmt/format.h>

#include <memory>

#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "base/json.h"
#include "cli/verbs.h"

namespace kith::cli::lab {

const std::vector<Sample>& Samples() {
  static const std::vector<Sample> kSamples = {
      {"gowalla-like", "visits of people in a city, and who is whose friend (for kith attack)", 2000, WriteGowallaLike},
      {"adult-like", "a census with a label, in the form of the Adult data set (for kith experiment)", 3000,
       WriteAdultLike},
  };
  return kSamples;
}

namespace {

struct Options {
  std::string name, out;
  std::size_t users = 0;
  std::uint64_t seed = 1;
  bool json = false;
};

Result<std::vector<SampleFile>> Execute(const Options& options) {
  for (const Sample& sample : Samples()) {
    if (sample.name != options.name) continue;
    std::error_code failed;
    std::filesystem::create_directories(options.out, failed);
    if (failed) return StorageError("cannot make the folder", options.out, "check its name and permissions");
    return sample.write({options.users > 0 ? options.users : sample.users, options.seed, options.out});
  }
  return InvalidArgument("there is no such sample", options.name, "kith sample --help lists them");
}

int Run(const Options& options) {
  const auto files = Execute(options);
  if (!files) return Fail(files.error(), options.json);
  if (options.json) {
    Json out = {{"sample", options.name}, {"folder", options.out}, {"files", Json::array()}};
    for (const auto& file : *files) out["files"].push_back({{"name", file.name}, {"what", file.what}});
    Show(JsonText(out) + "\n");
    return 0;
  }
  for (const auto& file : *files) Show(fmt::format("{}/{}: {}\n", options.out, file.name, file.what));
  return 0;
}

}  // namespace

void AddSample(Command& app, Context& context) {
  auto* command = app.AddVerb("sample", "Write a synthetic data set to try things on");
  std::string names;
  for (const auto& sample : Samples()) names += fmt::format("  {:<13} {}\n", sample.name, sample.about);
  command->Footer("Example:\n  kith sample gowalla-like --users 1000 --seed 1 --out sample\n\nSamples:\n" + names);
  auto options = std::make_shared<Options>();
  command->AddOption("name", options->name, "Which one")->Required();
  command->AddOption("--out", options->out, "Folder for its files")->Required();
  command->AddOption("--users", options->users, "How many people; nothing: as suits the sample")
      ->Within(std::size_t{2}, std::size_t{10'000'000});
  command->AddOption("--seed", options->seed, "The same seed gives the same data")->ShowDefault();
  command->AddFlag("--json", options->json, "Machine-readable output");
  command->Run([options, &context] { context.exit_code = Run(*options); });
}

}  // namespace kith::cli::lab
