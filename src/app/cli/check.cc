// kith check: do the protected data contradict the declared dependence?
#include "analysis/check/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/answer_output.h"
#include "app/cli/commands.h"
#include "app/cli/explain_output.h"
#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "document/check.h"
#include "document/codes.h"
#include "document/json_line.h"

namespace kith::cli {
namespace {

struct Options {
  std::string policy;
  CheckOptions check;
  std::string value;
  double epsilon = 0;
  bool explain = false, json = false;
};

std::string PowerTable(const std::vector<CheckPower>& power, std::size_t width) {
  std::vector<std::string> head = {"whole groups"};
  for (const CheckPower& line : power) {
    const std::string share = fmt::format("{:g} % yes", 100 * line.share);
    if (std::find(head.begin(), head.end(), share) == head.end()) head.push_back(share);
  }
  TextTable table(head);
  std::vector<std::string> row;
  for (const CheckPower& line : power) {
    if (row.empty())
      row.push_back(line.stratum.empty() ? fmt::format("{}", line.groups)
                                         : fmt::format("{}, {}", line.stratum, line.groups));
    row.push_back(line.noticed ? fmt::format("{:.3g}", *line.noticed) : "-");
    if (row.size() < head.size()) continue;
    table.Add(std::move(row));
    row = {};
  }
  return table.Render(width);
}

int Explain(const Options& options, const Curator& curator, const DependenceCheck& check, const Call& call) {
  auto explained = curator.Explain(Borrowed(check), {options.epsilon, std::nullopt, {}}, call);
  if (!explained) return Fail(explained.error(), options.json);
  const bool affordable = explained->affordable;
  const double scale = explained->noise.empty() ? 0 : explained->noise[0].scale;
  const document::CheckOutlook outlook{std::move(*explained), check.property(), check.false_alarm(),
                                       check.PowerAt(scale)};
  if (options.json) {
    Show(document::JsonLine(outlook));
  } else {
    const std::size_t width = TerminalWidth();
    Show(ExplanationText(outlook.explanation, width) + "\n" + Wrap(document::PowerText(), width, 0) + "\n\n" +
         PowerTable(outlook.power, width));
  }
  return affordable ? 0 : document::ExitCodeOf(Code::kBudgetExhausted);
}

int Check(const Options& options, const CancelFlag& cancel) {
  const Call call = TerminalCall(cancel);
  const auto curator = Curator::Open(options.policy, {}, call);
  if (!curator) return Fail(curator.error(), options.json);
  CheckOptions wanted = options.check;
  if (!options.value.empty()) wanted.value = options.value;
  const auto check = DependenceCheck::Make(wanted, curator->policy());
  if (!check) return Fail(check.error(), options.json);
  if (options.explain) return Explain(options, *curator, **check, call);
  const auto answer = curator->Release(Borrowed(**check), {options.epsilon, std::nullopt, {}}, {}, call);
  if (!answer) return Fail(answer.error(), options.json);
  ShowAnswer(*answer, options.json ? "json" : "table", TerminalWidth());
  return 0;
}

}  // namespace

void AddCheck(Command& app, Context& context) {
  auto* command = app.AddVerb("check", "Do the data contradict the declared dependence? Charges and reads");
  command->Footer(
      "Example:\n  kith check policy.toml --epsilon 0.05 --explain\n  kith check policy.toml --epsilon 0.05\n"
      "An alarm is kept in the ledger and printed with every answer until stronger ties are declared.\n"
      "Silence proves nothing.");
  auto options = std::make_shared<Options>();
  command->AddOption("policy", options->policy, "The policy file")->Required();
  command->AddOption("--epsilon", options->epsilon, "Price: this part of the policy's epsilon")->Required();
  command->AddOption("--column", options->check.column, "A secret that is yes or no (needed if there are several)");
  command->AddOption("--value", options->value, "The declared value that is a yes (true, or the second of two)");
  command->AddOption("--where", options->check.where, "A condition on public columns: look at one stratum alone");
  command->AddOption("--false-alarm", options->check.false_alarm, "How often a right declaration may raise an alarm")
      ->ShowDefault();
  command->AddFlag("--explain", options->explain,
                   "Show price, guarantee and what would be noticed; touches no data, charges nothing");
  command->AddFlag("--json", options->json, "Machine-readable output");
  command->Run([options, &context] { context.exit_code = Check(*options, *context.cancel); });
}

}  // namespace kith::cli
