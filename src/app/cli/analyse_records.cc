// kith analyse policy.toml records
#include "app/cli/analyse.h"
#include "app/cli/fail.h"
#include "app/cli/records_output.h"
#include "app/cli/show.h"
#include "app/cli/text.h"

namespace kith::cli {
namespace {

struct RecordsFlags {
  RecordsRequest request;
  std::string output;
  bool explain = false, json = false;
};

Result<RecordsReport> Explained(const Curator& curator, const RecordsRequest& request) {
  const auto explained = curator.Explain(request);
  if (!explained) return explained.error();
  RecordsReport report = *explained->records;
  if (!explained->affordable) report.notes.push_back({NoteKind::kRefused, "refused: " + explained->refusal});
  return report;
}

Result<RecordsReport> Released(const Curator& curator, const RecordsRequest& request, const Call& call) {
  auto answer = curator.Release(request, {}, {}, call);
  if (!answer) return answer.error();
  return std::move(*answer->records);
}

int ReleaseRecords(const std::string& policy, RecordsFlags& flags, const CancelFlag& cancel) {
  const Call call = TerminalCall(cancel);
  const auto curator = Curator::Open(policy, {}, call);
  if (!curator) return Fail(curator.error(), flags.json);
  if (!flags.explain && flags.output.empty())
    return Fail(InvalidArgument("records need a file", {}, "add --output records.parquet, or --explain to look first"),
                flags.json);
  flags.request.output = flags.output;
  const auto report = flags.explain ? Explained(*curator, flags.request) : Released(*curator, flags.request, call);
  if (!report) return Fail(report.error(), flags.json);
  if (flags.json)
    Show(RecordsToJson(*report) + "\n");
  else
    Show(RecordsText(*report, flags.explain, TerminalWidth()));
  return 0;
}

}  // namespace

void AddRecords(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command = analyse.AddVerb(
      "records", "True rows that are not sensitive, each with probability 1 - e^-epsilon (one-sided privacy)");
  command->Footer(
      "Example:\n  kith analyse policy.toml records --attribute arrival --epsilon 0.7 --output arrivals.parquet\n"
      "The policy's [one_sided] says which rows are sensitive. Every release is charged, even a repeated one: two\n"
      "tries at 0.7 lose 1.4. What rows give away about others is for kith leakage.");
  auto flags = std::make_shared<RecordsFlags>();
  command->AddOption("--attribute", flags->request.attribute, "Which attribute of [one_sided], if there are several");
  command->AddOption("--epsilon", flags->request.epsilon, "One-sided loss for each row, from the attribute's account")
      ->Required();
  command->AddOption("--output", flags->output, "A new file that ends in .csv or .parquet");
  command->AddFlag("--table-order", flags->request.table_order,
                   "Do not sort the rows: faster, but their positions reveal the order of the table");
  command->AddFlag("--explain", flags->explain, "Show rate, account and guarantee; touches no data, charges nothing");
  command->AddFlag("--json", flags->json, "Machine-readable output");
  command->Run([policy, flags, &context] { context.exit_code = ReleaseRecords(*policy, *flags, *context.cancel); });
}

}  // namespace kith::cli
