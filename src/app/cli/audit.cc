// kith audit: what a law, a published method or a policy's history gives away.
#include "audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/audit_output.h"
#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/json.h"
#include "base/text_file.h"
#include "document/to_json.h"
#include "document/words.h"
#include "graph/edges.h"
#include "release/account.h"
#include "release/curve.h"
#include "release/release.h"

namespace kith::cli {
namespace {

namespace fs = std::filesystem;

using document::GalleryLine;
using document::ModelAudit;
using document::PolicyAudit;

struct Options {
  std::vector<std::string> files;
  std::string query = "count", report, command;
  double epsilon = 0, scale = 0, delta = 0;
  bool json = false;
  CLI::Option* has_query = nullptr;
  CLI::Option* has_epsilon = nullptr;
  CLI::Option* has_scale = nullptr;
  CLI::Option* has_delta = nullptr;
};

template <class R>
int ShowOrFail(const Result<R>& report, const Options& options) {
  if (!report) return Fail(report.error(), options.json);
  Show(options.json ? JsonText(document::ToJson(*report)) + "\n" : AuditText(*report, TerminalWidth()));
  if (options.report.empty()) return 0;
  if (auto written = WriteTextFile(options.report, AuditPage(*report, options.command)); !written)
    return Fail(written.error(), options.json);
  if (!options.json) Show(fmt::format("\nThe report is in {}\n", options.report));
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
  if (options.has_epsilon->count() > 0) target.epsilon = options.epsilon;
  if (options.has_scale->count() > 0) target.scale = options.scale;
  auto table = audit::AuditLaw(*law, *question, *exact, target);
  if (!table) return table.error();
  ModelAudit report{path, std::move(*table), {}, {}, {}};
  if (options.has_delta->count() > 0) {
    report.delta = ModelAudit::Delta{options.delta, {}};
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

/// The policy's model, with its graph if that is in a file: public facts, no table is opened.
Result<Transfer> TransferOf(const Policy& policy, const Call& call) {
  if (!policy.dependence.edges) return Transfer::Make(AboutEveryRecord(policy.dependence.model));
  Field field = std::get<Field>(policy.dependence.model);
  GraphFile wanted;
  wanted.path = (fs::absolute(policy.file).parent_path() / policy.dependence.edges->source).string();
  wanted.records = policy.dependence.edges->nodes;
  wanted.theta = policy.dependence.edges->theta;
  wanted.needs_record_numbers = !field.hidden.empty() || !field.factors.empty();
  auto graph = LoadGraph(wanted, {}, call);
  if (!graph) return graph.error();
  field.nodes = policy.dependence.edges->nodes;
  field.graph = std::make_shared<const Graph>(std::move(*graph));
  return Transfer::Make(std::move(field));
}

/// Between any two places of a metric unit's region, and between there and not where that is secret; 1 otherwise.
double StepsOfAnyChange(const Policy& policy) {
  if (!policy.unit.distance) return 1;
  const StandardSteps steps = StandardStepsOf(*policy.unit.distance);
  if (!steps.replace) return INFINITY;
  if (policy.unit.distance->sources.kind == Sources::Kind::kNone) return static_cast<double>(*steps.replace);
  return steps.appear ? static_cast<double>(std::max(*steps.replace, *steps.appear)) : INFINITY;
}

/// Rounded up.
Result<PlainUnits> UnitsFor(double plain) {
  auto units = PlainUnits::Floor(plain);
  if (units && units->epsilon() < plain && units->count() < PlainUnits::kMax)
    units = PlainUnits::Of(units->count() + 1);
  return units;
}

/// The dependent loss as certificates state it, and bits for any change of a unit.
Result<void> TakeCertifiedLoss(const Account& account, bool moved, PolicyAudit& report) {
  Totals now, after;
  now.moved = after.moved = moved;
  for (const audit::StratumLeak& stratum : report.leak.strata) {
    const auto before = UnitsFor(stratum.stratum.plain);
    const auto then = UnitsFor(stratum.stratum.plain + report.leak.more);
    if (!before) return before.error();
    if (!then) return then.error();
    now.spent.push_back(*before);
    after.spent.push_back(*then);
  }
  for (std::size_t cell = 0; cell < report.leak.strata.size(); ++cell) {
    audit::StratumLeak& stratum = report.leak.strata[cell];
    const auto before = account.DependentOf(cell, now);
    if (!before) return before.error();
    const auto then = account.DependentOf(cell, after);
    if (!then) return then.error();
    stratum.dependent_now = before->dependent;
    stratum.dependent_after = then->dependent;
    stratum.bits_now = audit::BitsOf(report.AnyChange(before->dependent));
    stratum.bits_after = audit::BitsOf(report.AnyChange(then->dependent));
    report.largest = std::max(report.largest, before->dependent);
  }
  return {};
}

Result<PolicyAudit> AuditPolicy(const std::string& path, const Options& options, const CancelFlag& cancel) {
  if (options.has_scale->count() + options.has_delta->count() + options.has_query->count() > 0) {
    return InvalidArgument("--query, --scale and --delta are about models, not about policies", path,
                           "leave them out; --epsilon is the price of one more answer");
  }
  const Call call = TerminalCall(cancel);
  const auto curator = Curator::Open(path, {}, call);
  if (!curator) return curator.error();
  const auto budget = curator->Budget();
  if (!budget) return budget.error();
  const Policy& policy = curator->policy();
  if (policy.stream && options.has_epsilon->count() > 0) {
    return InvalidArgument("--epsilon is the price of one more answer, but a stream is paid for by the window", path,
                           "leave it out; kith analyse POLICY stream --explain tells what a stream will lose");
  }
  const auto transfer = TransferOf(policy, call);
  if (!transfer) return transfer.error();
  auto curve = Curve::Make(policy, {}, call);
  if (!curve) return curve.error();
  const double widened = curve->widened();
  const auto account = Account::Make(policy, std::move(*curve));
  if (!account) return account.error();
  PolicyAudit report;
  report.file = path;
  report.epsilon_total = budget->epsilon_total;
  report.answers = static_cast<std::size_t>(
      std::count_if(budget->history.begin(), budget->history.end(), [](const HistoryLine& line) {
        return line.one_sided_account.empty() || line.units.count() > 0;  // a file of true rows is no answer
      }));
  report.dependence = Kind(policy.dependence.model);
  report.guarantee = budget->guarantee;
  report.stay = document::StayOf(policy);
  report.distance = policy.unit.distance;
  report.steps = StepsOfAnyChange(policy);
  std::vector<audit::Stratum> strata;
  report.any = policy.unit.distance ? INFINITY : 0;  // the least of any cell: what is more counts for every move
  double smallest = INFINITY;
  for (std::size_t cell = 0; cell < budget->cells.size(); ++cell) {
    strata.push_back({budget->cells[cell].name, policy.ClassOf(cell), budget->cells[cell].plain_spent});
    smallest = std::min(smallest, budget->cells[cell].plain_budget);
    report.any = std::min(report.any, budget->cells[cell].plain_any);
  }
  double more = 0;
  if (options.has_epsilon->count() > 0) {
    const auto epsilon = Epsilon::Make(options.epsilon);
    if (!epsilon) return epsilon.error();
    report.epsilon = options.epsilon;
    more = options.epsilon / budget->epsilon_total * smallest;  // the price of a question that charges everybody
  }
  auto leak = audit::LeakOf(*transfer, strata, more, widened);
  if (!leak) return leak.error();
  report.leak = std::move(*leak);
  if (auto taken = TakeCertifiedLoss(*account, budget->moved, report); !taken) return taken.error();
  return report;
}

int RunAudit(const Options& options, const CancelFlag& cancel) {
  if (options.files.size() == 1 && fs::path(options.files[0]).extension() == ".toml") {
    return ShowOrFail(AuditPolicy(options.files[0], options, cancel), options);
  }
  std::vector<std::pair<std::string, std::string>> texts;
  std::size_t cases = 0;
  for (const std::string& path : options.files) {
    const auto text = ReadTextFile(path);
    if (!text) return Fail(text.error(), options.json);
    cases += audit::IsGalleryCase(*text) ? 1 : 0;
    texts.emplace_back(path, *text);
  }
  if (cases == texts.size()) return ShowOrFail(AuditGallery(texts), options);
  if (texts.size() > 1) {
    return Fail(InvalidArgument("several files can be audited at once only if all are counterexamples",
                                options.files[0], "audit models and policies one by one"),
                options.json);
  }
  return ShowOrFail(AuditModel(texts[0].first, texts[0].second, options), options);
}

}  // namespace

void AddAudit(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("audit", "Show what a law, a published method or a policy's history gives away");
  command->footer(
      "Example:\n  kith audit policy.toml --epsilon 0.1             what the answers so far give away\n"
      "  kith audit chain.json --query count --epsilon 1  one answer, every method, every adversary\n"
      "  kith audit chain.json --scale 3 --delta 0.5      the same at one noise scale, with its delta\n"
      "  kith audit examples/counterexamples/*.json       claimed and true loss\n\n"
      "docs/guide/audit.md explains the tables.");
  auto options = std::make_shared<Options>();
  command->add_option("file", options->files, "A policy, a model as JSON, or counterexamples")->required();
  options->has_query = command->add_option("--query", options->query,
                                           "Models: count, count:2, sum or sum:0,3,10 (what each value adds)");
  options->has_epsilon =
      command->add_option("--epsilon", options->epsilon,
                          "Models: the loss that every method aims at. Policies: the price of one more answer");
  options->has_scale = command->add_option("--scale", options->scale, "Models: one noise scale for all methods");
  options->has_epsilon->excludes(options->has_scale);
  options->has_delta = command->add_option("--delta", options->delta, "Models: also the exact delta at this epsilon");
  command->add_option("--report", options->report, "Also write a page for people into this HTML file");
  command->add_flag("--json", options->json, "Machine-readable output, full precision");
  command->callback([options, &context] {
    options->command = "kith audit";
    for (const std::string& file : options->files) options->command += " " + file;
    if (options->query != "count") options->command += " --query " + options->query;
    if (options->has_epsilon->count() > 0) options->command += fmt::format(" --epsilon {}", options->epsilon);
    if (options->has_scale->count() > 0) options->command += fmt::format(" --scale {}", options->scale);
    if (options->has_delta->count() > 0) options->command += fmt::format(" --delta {}", options->delta);
    context.exit_code = RunAudit(*options, *context.cancel);
  });
}

}  // namespace kith::cli
