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

// A table name that SQL can use without quotes: the file's without its endings, or its folder's for a pattern.
std::string TableName(const std::filesystem::path& file) {
  std::filesystem::path stem = IsPattern(file.filename().string()) ? file.parent_path().filename() : file.stem();
  if (IsCsvName(file.string()) && IsCsvName(stem.string())) stem = stem.stem();  // of people.csv.gz
  if (IsPattern(file.filename().string()) && stem.empty()) stem = "data";
  std::string name;
  for (const char c : stem.string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    const bool upper = c >= 'A' && c <= 'Z';
    name += plain ? c : upper ? static_cast<char>(c - 'A' + 'a') : '_';
  }
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name = "t" + name;
  return name;
}

int Init(const std::string& file, const CancelFlag& cancel) {
  const auto sketch = SketchFile(file, cancel);
  if (!sketch) return Fail(sketch.error(), false);
  Show(StartingPolicy(TableName(file), file, *sketch));
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

void AddInit(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("init", "Write a commented starting policy for a CSV or Parquet file");
  command->footer(
      "Example:\n  kith init twins.csv > policy.toml\n\nThe first part of the file is looked at for the names and "
      "types of "
      "columns and for how they are written (separator, encoding, dates, words for missing values); no value is "
      "shown.");
  auto file = std::make_shared<std::string>();
  command
      ->add_option("file", *file,
                   "CSV (with a header line, also .gz or .zst), Parquet or DuckDB file, or 'folder/*.parquet'")
      ->required();
  command->callback([file, &context] { context.exit_code = Init(*file, *context.cancel); });
}

void AddImport(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "import",
      "For the curator: import CSV tables, as a new version of the data (the first question imports them too)");
  command->footer("Example:\n  kith import policy.toml");
  auto policy = std::make_shared<std::string>();
  command->add_option("policy", *policy, "The policy file")->required();
  command->callback([policy, &context] { context.exit_code = Import(*policy, *context.cancel); });
}

}  // namespace kith::cli
