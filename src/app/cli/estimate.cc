// kith estimate: how strongly records are tied, from public or consented data, as a declaration with its confidence.
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/estimate_cause.h"
#include "app/cli/estimate_forms.h"
#include "app/cli/estimate_output.h"
#include "app/cli/fail.h"
#include "app/cli/option_flags.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/text_file.h"
#include "document/json_line.h"

namespace kith::cli {
namespace {

// One estimate as it was typed.
struct Typed {
  EstimateOptions options;
  std::string plot;
  bool json = false, explain = false;
};

int Run(const EstimateForm& form, const Typed& typed, const CancelFlag& cancel) {
  const auto report = ReportOf(form, typed.options, cancel);
  if (!report) return Fail(report.error(), typed.json);
  const std::string& model = report->question.model_file;
  Result<void> written;
  for (const auto& [file, text] : {std::pair{typed.plot, EstimateChart(*report)},
                                   std::pair{model, model.empty() ? "" : document::ModelText(*report)}}) {
    if (written && !file.empty()) written = WriteTextFile(file, text);
  }
  if (typed.json)
    Show(document::JsonLine(*report));
  else if (typed.explain)
    Show(Wrap(document::InWords(*report), TerminalWidth(), 0) + "\n");
  else
    Show(EstimateText(*report, TerminalWidth()));
  return written ? 0 : Fail(written.error(), typed.json);
}

void AddForm(Command& estimate, const EstimateForm& form, Context& context) {
  auto* command = estimate.AddVerb(form.name, form.about);
  auto typed = std::make_shared<Typed>();
  for (OptionSpec& option : OptionsOf(form, typed->options))
    AddOption(*command, option, option.name == "file" ? "file" : FlagsOf(option));
  if (std::string_view(form.name) == "chain")
    command->AddOption("--model", typed->options.question.model_file,
                       "Write the model that the declaration names into this file");
  command->AddOption("--plot", typed->plot, "Draw how the limit falls with more data, as SVG, into this file");
  command->AddFlag("--explain", typed->explain, "In words, for those who decide");
  command->AddFlag("--json", typed->json, "Machine-readable output, full precision");
  command->Run([typed, &form, &context] { context.exit_code = Run(form, *typed, *context.cancel); });
}

}  // namespace

void AddEstimate(Command& app, Context& context) {
  auto* command = app.AddVerb("estimate", "Find the strength to declare, from public or consented data");
  command->Footer(
      "Examples:\n  kith estimate pairs twins.csv --left a --right b --exchangeable --source public\n"
      "  kith estimate pairs --counts 270,18,12 --source public\n"
      "  kith estimate households survey.csv --by house --value ill --source consented --policy policy.toml\n"
      "  kith estimate cause --sd 0.4,0.8 --by school --attribute smoked --size 30 --source public\n"
      "  kith estimate distances friends.csv --id a,b --left x --right x2 --axis 0,1,2 --source public\n\n"
      "Never from the data that are to be protected: these are refused.");
  command->RequireVerb();
  for (const EstimateForm& form : EstimateForms()) AddForm(*command, form, context);
  AddCause(*command, context);
}

}  // namespace kith::cli
