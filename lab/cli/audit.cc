// kith audit of a model or of counterexamples: what a law or a published method gives away.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/text_file.h"
#include "cli/law_audit_output.h"
#include "cli/verbs.h"

namespace kith::cli::lab {
namespace {

namespace fs = std::filesystem;

using document::DeltaAudit;
using document::GalleryLine;
using document::ModelAudit;

struct Options {
  std::vector<std::string> files;
  std::string query = "count", report, command;
  double epsilon = 0, scale = 0, delta = 0;
  bool json = false;
  Option* has_epsilon = nullptr;
  Option* has_scale = nullptr;
  Option* has_delta = nullptr;
};

template <class R>
int ShowOrFail(const Result<R>& report, const Options& options) {
  if (!report) return Fail(report.error(), options.json);
  const auto written =
      options.report.empty() ? Result<void>() : WriteTextFile(options.report, AuditPage(*report, options.command));
  Show(options.json ? JsonText(ToJson(*report)) + "\n" : AuditText(*report, TerminalWidth()));
  if (!written) return Fail(written.error(), options.json);
  if (!options.json && !options.report.empty()) Show(fmt::format("\nThe report is in {}\n", options.report));
  return 0;
}

Result<ModelAudit> AuditModel(const std::string& path, const std::string& text, const Options& options) {
  const auto law = audit::LawFromJson(text, path);
  if (!law) return law.error();
  const auto question = audit::QuestionFrom(options.query, *law);
  if (!question) return question.error();
  const auto exact = audit::ExactAudit::Make(*law, *question);
  if (!exact) return exact.error();
  audit::Target target;
  if (options.has_epsilon->given()) target.epsilon = options.epsilon;
  if (options.has_scale->given()) target.scale = options.scale;
  auto table = audit::AuditLaw(*law, *question, *exact, target);
  if (!table) return table.error();
  ModelAudit report{path, std::move(*table), {}, {}, {}};
  if (options.has_delta->given()) {
    report.delta = DeltaAudit{options.delta, {}};
    for (const audit::MethodLine& line : report.table.methods) {
      const auto delta = exact->Delta(line.scale, options.delta, audit::Noise::kDiscrete);
      if (!delta) return delta.error();
      report.delta->of_methods.push_back(*delta);
    }
  }
  for (const audit::MethodLine& line : report.table.methods) {
    if (line.name != "kith" && !(report.informed.empty() && &line == &report.table.methods.back())) continue;
    report.informed = line.name;
    report.information = exact->InformationAt(line.scale);
  }
  return report;
}

Result<std::vector<GalleryLine>> AuditGallery(const std::vector<std::pair<std::string, std::string>>& texts) {
  std::vector<GalleryLine> lines;
  for (const auto& [path, text] : texts) {
    auto found = audit::GalleryCaseFromJson(text, path);
    if (!found) return found.error();
    const auto result = audit::RunCase(*found);
    if (!result) {
      Error error = result.error();
      error.where = path + (error.where.empty() ? "" : ", " + error.where);
      return error;
    }
    lines.push_back({fs::path(path).stem().string(), std::move(*found), *result});
  }
  return lines;
}

int RunAudit(const Options& options, const CancelFlag& cancel) {
  std::vector<std::pair<std::string, std::string>> texts;
  std::size_t cases = 0;
  for (const std::string& path : options.files) {
    if (fs::path(path).extension() == ".toml" && options.files.size() == 1)
      return Fail(InvalidArgument("--query, --scale and --delta are about models, not about policies", path,
                                  "leave them out; --epsilon is the price of one more answer"),
                  options.json);
    const auto text = ReadTextFile(path);
    if (!text) return Fail(text.error(), options.json);
    cases += audit::IsGalleryCase(*text) ? 1 : 0;
    texts.emplace_back(path, *text);
  }
  const Call call = TerminalCall(cancel);
  const auto watched = [&call](const auto& audit) {
    const Stage stage(call, "auditing");
    return audit();
  };
  if (cases == texts.size()) return ShowOrFail(watched([&] { return AuditGallery(texts); }), options);
  if (texts.size() > 1) {
    return Fail(InvalidArgument("several files can be audited at once only if all are counterexamples",
                                options.files[0], "audit models and policies one by one"),
                options.json);
  }
  return ShowOrFail(watched([&] { return AuditModel(texts[0].first, texts[0].second, options); }), options);
}

}  // namespace

void AddAudit(Command& app, Context& context) {
  auto* command = app.AddVerb("audit", "Show what a law or a published method gives away");
  command->Footer(
      "Example:\n  kith audit chain.json --query count --epsilon 1  one answer, every method, every adversary\n"
      "  kith audit chain.json --scale 3 --delta 0.5      the same at one noise scale, with its delta\n"
      "  kith audit examples/counterexamples/*.json       claimed and true loss\n\n"
      "docs/guide/audit.md explains the tables. The history of a policy: kith audit policy.toml");
  auto options = std::make_shared<Options>();
  command->AddOption("file", options->files, "A model as JSON, or counterexamples")->Required();
  command->AddOption("--query", options->query, "count, count:2, sum or sum:0,3,10 (what each value adds)");
  options->has_epsilon = command->AddOption("--epsilon", options->epsilon, "The loss that every method aims at");
  options->has_scale = command->AddOption("--scale", options->scale, "One noise scale for all methods");
  options->has_epsilon->Excludes(options->has_scale);
  options->has_delta = command->AddOption("--delta", options->delta, "Also the exact delta at this epsilon");
  command->AddOption("--report", options->report, "Also write a readable report to this HTML file");
  command->AddFlag("--json", options->json, "Machine-readable output, full precision");
  command->Run([options, &context] {
    options->command = "kith audit";
    for (const std::string& file : options->files) options->command += " " + file;
    if (options->query != "count") options->command += " --query " + options->query;
    if (options->has_epsilon->given()) options->command += fmt::format(" --epsilon {}", options->epsilon);
    if (options->has_scale->given()) options->command += fmt::format(" --scale {}", options->scale);
    if (options->has_delta->given()) options->command += fmt::format(" --delta {}", options->delta);
    context.exit_code = RunAudit(*options, *context.cancel);
  });
}

}  // namespace kith::cli::lab
