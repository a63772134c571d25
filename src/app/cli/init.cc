// kith init: a policy to edit, from the names and types of a file's columns. kith import: the typed snapshot.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/cli/advice.h"
#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/import_output.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/text_file.h"
#include "document/codes.h"
#include "document/json_line.h"
#include "engine/sketch_server.h"
#include "policy/data_part.h"
#include "release/release.h"

namespace kith::cli {
namespace {

// A table name that SQL can use without quotes: the file's without its extensions, or its folder's for a pattern.
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

/// The table is on a server: the file says which.
int InitFromServer(const std::string& file, const CancelFlag& cancel) {
  const auto data = LoadDataPart(file);
  if (!data) return Fail(data.error(), false);
  const auto sketch = SketchServer(*data, TerminalCall(cancel));
  if (!sketch) return Fail(sketch.error(), false);
  Show(StartingPolicyOnServer(*data, *sketch));
  return 0;
}

int Init(const std::string& file, const CancelFlag& cancel) {
  if (file.ends_with(".toml")) return InitFromServer(file, cancel);
  const auto sketch = SketchFile(file, cancel);
  if (!sketch) return Fail(sketch.error(), false);
  Show(StartingPolicy(TableName(file), file, *sketch));
  return 0;
}

struct ImportOptions {
  std::string policy, page;
  bool json = false;
};

/// An import that was refused has its report too: it shows why.
int Refused(const Error& error, const std::optional<document::ImportReport>& report, const ImportOptions& options) {
  if (!report) return Fail(error, options.json);
  if (!options.json) {
    Show(ImportText(*report, TerminalWidth()));
    return Fail(error, false);
  }
  Show(document::JsonLine(*report, error));
  Tell("kith: " + ErrorText(error) + "\n");
  return document::ExitCodeOf(error.code);
}

int Import(const ImportOptions& options, const CancelFlag& cancel) {
  const std::string& policy = options.policy;
  const Call call = TerminalCall(cancel);
  const auto curator = Curator::Open(policy, {}, call);
  if (!curator) return Fail(curator.error(), options.json);
  std::optional<document::ImportReport> report;
  const auto data = curator->Import(call, [&report](const DataReport& found) {
    report = document::ImportReport{found, {}};
  });
  if (data && report) report->version = data->Shown();
  if (report && !options.page.empty()) {
    const std::string command = fmt::format("kith import {} --page {}", policy, options.page);
    if (auto written = WritePrivateFile(options.page, ImportPage(*report, command)); !written)
      return Fail(written.error(), options.json);
  }
  if (!data) return Refused(data.error(), report, options);
  if (options.json) {
    Show(document::JsonLine(*report));
    return 0;
  }
  Show(ImportText(*report, TerminalWidth()) + "\n");
  if (!options.page.empty()) Show(fmt::format("The page is in {}: only you can read it.\n", options.page));
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
  auto* command = app.AddVerb("init", "Write a commented starting policy for a file or a table of a server");
  command->Footer(
      "Example:\n  kith init twins.csv > policy.toml\n  kith init server.toml > policy.toml\n\nThe first part of the "
      "file is looked at for the names and "
      "types of "
      "columns and for how they are written (separator, encoding, dates, words for missing values); no value is "
      "shown.\n\n"
      "For a table of a server, name a file that ends in .toml and has the [data] of the policy to be: engine, where\n"
      "the server is, and tables.NAME = \"schema.table\". Names and types come from the server's catalog; no row is "
      "read.");
  auto file = std::make_shared<std::string>();
  command
      ->AddOption("file", *file,
                  "CSV (with a header line, also .gz or .zst), Parquet or DuckDB file, 'folder/*.parquet', or a .toml "
                  "file with [data]")
      ->Required();
  command->Run([file, &context] { context.exit_code = Init(*file, *context.cancel); });
}

void AddImport(Command& app, Context& context) {
  auto* command = app.AddVerb(
      "import",
      "For the curator: import CSV tables, as a new version of the data, and report what was found in all tables");
  command->Footer(
      "Example:\n  kith import policy.toml\n  kith import policy.toml --page import.html\n\n"
      "The report counts, column by column, what is missing, unreadable, not in the declared list or outside the\n"
      "bounds, and rows beyond max_rows. It is exact and not protected: for the curator alone. The first question\n"
      "imports CSV tables too, and shows nothing.");
  auto options = std::make_shared<ImportOptions>();
  command->AddOption("policy", options->policy, "The policy file")->Required();
  command->AddOption("--page", options->page, "Also write the report to this HTML file, which only you can read");
  command->AddFlag("--json", options->json, "Machine-readable output");
  command->Run([options, &context] { context.exit_code = Import(*options, *context.cancel); });
}

}  // namespace kith::cli
