// kith init: a policy to edit, from the names and types of a file's columns. kith import: the typed snapshot.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "release/release.h"

namespace kith::cli {
namespace {

// A table name that SQL can use without quotes.
std::string TableName(const std::filesystem::path& file) {
  std::string name;
  for (const char c : file.stem().string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    const bool upper = c >= 'A' && c <= 'Z';
    name += plain ? c : upper ? static_cast<char>(c - 'A' + 'a') : '_';
  }
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name = "t" + name;
  return name;
}

int Init(const std::string& file, const CancelFlag& cancel) {
  const auto columns = SketchFile(file, cancel);
  if (!columns) return Fail(columns.error(), false);
  Show(StartingPolicy(TableName(file), file, *columns));
  return 0;
}

int Import(const std::string& policy, const CancelFlag& cancel) {
  const Call call = TerminalCall(cancel);
  const auto curator = Curator::Open(policy, {}, call);
  if (!curator) return Fail(curator.error(), false);
  const auto data = curator->Import(call);
  if (!data) return Fail(data.error(), false);
  Show(fmt::format("The data of {} are ready, as version {}.\n", policy, data->Shown()));
  const auto budget = curator->Budget();
  if (!budget) return Fail(budget.error(), false);
  const auto named = std::count_if(budget->versions.begin(), budget->versions.end(),
                                   [&](const DataLine& line) { return line.label == data->label; });
  if (!data->label.empty() && named > 1)
    Show(
        "Answers stored under this version are still returned: if these are other data, declare another [data] "
        "version.\n");
  return 0;
}

}  // namespace

void AddInit(Command& app, Context& context) {
  auto* command = app.AddVerb("init", "Write a commented starting policy for a CSV or Parquet file");
  command->Footer(
      "Example:\n  kith init twins.csv > policy.toml\n\nOnly names and types of columns are read, no values.");
  auto file = std::make_shared<std::string>();
  command->AddOption("file", *file, "CSV (with a header line) or Parquet file")->Required();
  command->Run([file, &context] { context.exit_code = Init(*file, *context.cancel); });
}

void AddImport(Command& app, Context& context) {
  auto* command = app.AddVerb(
      "import",
      "For the curator: import CSV tables, as a new version of the data (the first question imports them too)");
  command->Footer("Example:\n  kith import policy.toml");
  auto policy = std::make_shared<std::string>();
  command->AddOption("policy", *policy, "The policy file")->Required();
  command->Run([policy, &context] { context.exit_code = Import(*policy, *context.cancel); });
}

}  // namespace kith::cli
