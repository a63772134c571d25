// kith audit: what a policy's history gives away. Of laws and published methods: the laboratory (laboratory.h).
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "app/cli/audit_output.h"
#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/remote.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "audit/policy_audit.h"
#include "base/text_file.h"
#include "document/from_json.h"
#include "document/json_line.h"

namespace kith::cli {
namespace {

struct Options {
  std::string file, report;
  double epsilon = 0;
  bool json = false;
  Option* has_epsilon = nullptr;
};

Result<PolicyAudit> AuditOf(const Options& options, const CancelFlag& cancel) {
  const Call call = TerminalCall(cancel);
  const auto curator = Curator::Open(options.file, {}, call);
  if (!curator) return curator.error();
  auto audited =
      AuditPolicy(*curator, options.has_epsilon->given() ? std::optional(options.epsilon) : std::nullopt, call);
  if (!audited) return audited.error();
  audited->file = options.file;
  return audited;
}

Result<PolicyAudit> RemoteAudit(const Options& options, const Context& context) {
  const std::string price = options.has_epsilon->given() ? fmt::format("?epsilon={}", options.epsilon) : "";
  return ReadFrom(AskServer(context, options.file, "audit" + price, nullptr), document::PolicyAuditFrom);
}

int RunAudit(const Options& options, const Context& context) {
  const auto report = context.server.empty() ? AuditOf(options, *context.cancel) : RemoteAudit(options, context);
  if (!report) return Fail(report.error(), options.json);
  std::string command = "kith audit " + options.file;
  if (options.has_epsilon->given()) command += fmt::format(" --epsilon {}", options.epsilon);
  const auto written =
      options.report.empty() ? Result<void>() : WriteTextFile(options.report, AuditPage(*report, command));
  Show(options.json ? document::JsonLine(*report) : AuditText(*report, TerminalWidth()));
  if (!written) return Fail(written.error(), options.json);
  if (!options.json && !options.report.empty()) Show(fmt::format("\nThe report is in {}\n", options.report));
  return 0;
}

}  // namespace

void AddAudit(Command& app, Context& context) {
  auto* command = app.AddVerb("audit", "Show what a policy's history gives away");
  command->Footer(
      "Example:\n  kith audit policy.toml --epsilon 0.1   what the answers so far give away\n\n"
      "docs/guide/audit.md explains the tables. Of a model or a published method: kith audit model.json, which the\n"
      "laboratory computes (kith-lab audit --help).");
  auto options = std::make_shared<Options>();
  command->AddOption("policy", options->file, "The policy; with --server a dataset")->Required();
  options->has_epsilon = command->AddOption("--epsilon", options->epsilon, "The price of one more answer");
  command->AddOption("--report", options->report, "Also write a readable report to this HTML file");
  command->AddFlag("--json", options->json, "Machine-readable output, full precision");
  command->Run([options, &context] { context.exit_code = RunAudit(*options, context); });
}

}  // namespace kith::cli
