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
#include "release/look.h"
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

struct InitOptions {
  std::string file, key;
};

/// What max_rows would leave out, on standard error: the policy that is written is public.
Result<void> TellLimits(Policy policy, const std::string& key, const Call& call) {
  policy.unit.table = policy.tables.front().name;
  policy.unit.key = key;
  policy.epsilon_total = 1;
  std::optional<DataReport> found;
  const auto looked = LookAtData(policy, {}, call, [&found](const DataReport& report) { found = report; });
  if (!looked) return looked.error();
  if (!found || !found->units) return InternalError("nothing was found about units");
  const std::string limits = LimitsText(*found->units, found->plain, TerminalWidth());
  Tell(Wrap(document::kForTheCurator, TerminalWidth(), 0) + "\n" +
       (limits.empty() ? fmt::format("{}: every {} has one row: max_rows = 1\n", policy.unit.table, key) : limits));
  return {};
}

/// Only what is needed to find the rows of each unit.
Policy PolicyOfFile(const std::string& file, const FileSketch& sketch) {
  Policy policy;
  policy.file = "policy.toml";
  Table& table = policy.tables.emplace_back();
  table.name = TableName(file);
  table.source = file;
  table.format = sketch.format;
  return policy;
}

int Init(const InitOptions& options, const CancelFlag& cancel) {
  const bool server = options.file.ends_with(".toml");
  const Call call = TerminalCall(cancel);
  auto data = server ? LoadDataPart(options.file) : Policy();
  if (!data) return Fail(data.error(), false);
  const auto sketch = server ? SketchServer(*data, call) : SketchFile(options.file, cancel);
  if (!sketch) return Fail(sketch.error(), false);
  Show(server ? StartingPolicyOnServer(*data, *sketch)
              : StartingPolicy(TableName(options.file), options.file, *sketch));
  if (options.key.empty()) return 0;
  const auto told = TellLimits(server ? *std::move(data) : PolicyOfFile(options.file, *sketch), options.key, call);
  return told ? 0 : Fail(told.error(), false);
}

struct ImportOptions {
  std::string policy, page;
  bool json = false, check = false;
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

Result<void> WritePage(const document::ImportReport& report, const ImportOptions& options) {
  if (options.page.empty()) return {};
  const std::string command =
      fmt::format("kith import {}{} --page {}", options.policy, options.check ? " --check" : "", options.page);
  return WritePrivateFile(options.page, ImportPage(report, command));
}

/// The report alone: nothing is imported.
int Look(const ImportOptions& options, const CancelFlag& cancel) {
  const auto policy = Policy::Load(options.policy);
  if (!policy) return Fail(policy.error(), options.json);
  std::optional<document::ImportReport> report;
  const auto looked = LookAtData(*policy, {}, TerminalCall(cancel), [&report](const DataReport& found) {
    report = document::ImportReport{found, {}, true};
  });
  if (!looked) return Refused(looked.error(), report, options);
  if (auto written = WritePage(*report, options); !written) return Fail(written.error(), options.json);
  Show(options.json ? document::JsonLine(*report)
                    : ImportText(*report, TerminalWidth()) + "\nNothing was imported, and nothing was written.\n");
  return 0;
}

int Import(const ImportOptions& options, const CancelFlag& cancel) {
  if (options.check) return Look(options, cancel);
  const std::string& policy = options.policy;
  const Call call = TerminalCall(cancel);
  const auto curator = Curator::Open(policy, {}, call);
  if (!curator) return Fail(curator.error(), options.json);
  std::optional<document::ImportReport> report;
  const auto data = curator->Import(call, [&report](const DataReport& found) {
    report = document::ImportReport{found, {}};
  });
  if (data && report) report->version = data->Shown();
  if (auto written = report ? WritePage(*report, options) : Result<void>(); !written)
    return Fail(written.error(), options.json);
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
      "read, unless --key asks how many there are of each unit.");
  auto options = std::make_shared<InitOptions>();
  command
      ->AddOption("file", options->file,
                  "CSV (with a header line, also .gz or .zst), Parquet or DuckDB file, 'folder/*.parquet', or a .toml "
                  "file with [data]")
      ->Required();
  command->AddOption("--key", options->key,
                     "The column that names a unit: shows, on standard error and for the curator alone, how many rows "
                     "would not count at which max_rows");
  command->Run([options, &context] { context.exit_code = Init(*options, *context.cancel); });
}

void AddImport(Command& app, Context& context) {
  auto* command = app.AddVerb(
      "import",
      "For the curator: import CSV tables, as a new version of the data, and report what was found in all tables");
  command->Footer(
      "Example:\n  kith import policy.toml --check\n  kith import policy.toml\n  kith import policy.toml --page "
      "import.html\n\n"
      "The report counts, column by column, what is missing, unreadable, not in the declared list or outside the\n"
      "bounds, and, table by table, rows beyond max_rows and rows that name one person beyond max_other. With --check\n"
      "that is all: no version begins, and nothing is written. It is exact and not protected: for the curator alone. "
      "The first question\n"
      "imports CSV tables too, and shows nothing.");
  auto options = std::make_shared<ImportOptions>();
  command->AddOption("policy", options->policy, "The policy file")->Required();
  command->AddOption("--page", options->page, "Also write the report to this HTML file, which only you can read");
  command->AddFlag("--check", options->check, "Only look: imports nothing, writes nothing, begins no version");
  command->AddFlag("--json", options->json, "Machine-readable output");
  command->Run([options, &context] { context.exit_code = Import(*options, *context.cancel); });
}

}  // namespace kith::cli
