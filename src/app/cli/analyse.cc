// kith analyse: statistics that take more than one question, through the same pipeline as questions.
#include "app/cli/analyse.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "app/cli/answer_output.h"
#include "app/cli/explain_output.h"
#include "app/cli/fail.h"
#include "app/cli/option_flags.h"
#include "app/cli/remote.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/json.h"
#include "base/text_file.h"
#include "document/codes.h"
#include "document/csv.h"
#include "document/from_json.h"
#include "query/parse/syntax.h"

namespace kith::cli {
namespace {

// Those of which more is shown than the answer: a picture, or what options of their own ask for.
struct ShownOf {
  std::string_view name;
  std::vector<Picture> (*draw)(const Answer&);
  Shown (*make)(Command&, const AnalysisForm&);
};
constexpr auto kShown = std::to_array<ShownOf>({
    {"contingency", DrawContingency, nullptr},
    {"cumulative", nullptr, ShowCumulative},
    {"degrees", DrawDegrees, nullptr},
    {"kmeans", DrawKmeans, nullptr},
    {"logistic", nullptr, ShowLearnt},
    {"percentiles", DrawPercentiles, nullptr},
    {"points", nullptr, ShowPoints},
    {"survival", DrawSurvival, nullptr},
    {"svm", nullptr, ShowLearnt},
    {"synthetic", nullptr, ShowSynthetic},
});

// One analysis as it was typed.
struct Typed {
  std::string name;
  AnalysisForm form;
  std::vector<const Option*> options;  // of the form, in its order
  Shown shown;
  std::shared_ptr<std::string> policy;
  double epsilon = 0;
  bool explain = false, json = false;
  std::string format = "table", out;

  bool as_json() const { return json || format == "json"; }
};

void SplitExpressions(const AnalysisForm& form) {
  for (const OptionSpec& option : form.options) {
    if (!option.expressions) continue;
    auto& list = *std::get<std::vector<std::string>*>(option.place);
    std::vector<std::string> parts;
    for (const std::string& text : list) {
      for (std::string& part : SplitList(text)) parts.push_back(std::move(part));
    }
    list = std::move(parts);
  }
}

// What is wanted of a server.
Json BodyOf(const Typed& typed) {
  Json chosen = Json::object();
  for (std::size_t k = 0; k < typed.options.size(); ++k) {
    if (!typed.options[k]->given()) continue;
    chosen[typed.form.options[k].name] = typed.form.options[k].Value();
  }
  return {{"analysis", typed.name}, {"epsilon", typed.epsilon}, {"options", std::move(chosen)}};
}

Result<void> WriteAll(const std::string& folder, const Answer& answer, const std::vector<Picture>& pictures) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const std::filesystem::path out(folder);
  if (auto written = WriteTextFile(out / "answer.json", AnswerToJson(answer) + "\n"); !written) return written;
  if (auto written = WriteTextFile(out / "answer.csv", document::ToCsv(answer)); !written) return written;
  for (const Picture& picture : pictures) {
    if (auto written = WriteTextFile(out / picture.file, picture.svg); !written) return written;
  }
  return {};
}

Result<void> WriteFiles(const Typed& typed, const Answer& answer, const Policy* policy) {
  if (typed.shown.keep) {
    if (auto kept = typed.shown.keep(answer); !kept) return kept;
  }
  if (typed.out.empty()) return {};
  return WriteAll(typed.out, answer, typed.shown.draw ? typed.shown.draw(answer, policy) : std::vector<Picture>());
}

// An answer, from here or from a server. Files come first: what was paid for is in them even if nobody reads to the end
// what is shown.
int Deliver(const Typed& typed, Result<Answer> answer, const Policy* policy) {
  const std::string format = typed.as_json() ? "json" : typed.format;
  if (answer && typed.shown.present) answer = typed.shown.present(std::move(*answer));
  if (!answer) return Fail(answer.error(), typed.as_json());
  const auto written = WriteFiles(typed, *answer, policy);
  if (typed.shown.sketch && format == "table") Show(typed.shown.sketch(*answer));
  ShowAnswer(*answer, format, TerminalWidth());
  return written ? 0 : Fail(written.error(), false);
}

int ShowExplained(const Explanation& explained, bool json) {
  Show(ExplanationAs(explained, json, TerminalWidth()));
  return explained.affordable ? 0 : document::ExitCodeOf(Code::kBudgetExhausted);
}

int AnalyseThere(const Typed& typed, const Context& context) {
  const Json body = BodyOf(typed);
  if (typed.explain) {
    const auto document = AskServer(context, *typed.policy, "analyses/explain", body);
    if (typed.as_json()) return ShowDocument(document);
    const auto explained = ReadFrom(document, document::ExplanationFrom);
    return explained ? ShowExplained(*explained, false) : Fail(explained.error(), false);
  }
  const bool plain = typed.as_json() && typed.out.empty() && !typed.shown.keep && !typed.shown.present;
  const auto document = AskServerToWork(context, *typed.policy, "analyses", body, TerminalCall(*context.cancel));
  return plain ? ShowDocument(document) : Deliver(typed, ReadFrom(document, document::AnswerFrom), nullptr);
}

int AnalyseHere(const Typed& typed, const CancelFlag& cancel) {
  const Call call = TerminalCall(cancel);
  const auto curator = Curator::Open(*typed.policy, {}, call);
  if (!curator) return Fail(curator.error(), typed.as_json());
  const auto analysis = typed.form.make(curator->policy());
  if (!analysis) return Fail(analysis.error(), typed.as_json());
  if (typed.explain) {
    const auto explained = ExplainAny(*curator, *analysis, typed.epsilon, {}, call);
    return explained ? ShowExplained(*explained, typed.as_json()) : Fail(explained.error(), typed.as_json());
  }
  return Deliver(typed, ReleaseAny(*curator, *analysis, typed.epsilon, {}, call), &curator->policy());
}

int Analyse(const Typed& typed, const Context& context) {
  if (const auto refused = TwoFormats(typed.json, typed.format)) return Fail(*refused, true);
  SplitExpressions(typed.form);
  if (const auto fine = typed.shown.check ? typed.shown.check() : Result<void>(); !fine)
    return Fail(fine.error(), typed.as_json());
  return context.server.empty() ? AnalyseHere(typed, *context.cancel) : AnalyseThere(typed, context);
}

void AddAnalysis(Command& analyse, const AnalysisEntry& entry, const std::shared_ptr<std::string>& policy,
                 Context& context) {
  Command& command = *analyse.AddVerb(entry.name, entry.about);
  command.Footer(entry.examples);
  auto typed = std::make_shared<Typed>();
  typed->name = entry.name;
  typed->policy = policy;
  typed->form = entry.form();
  for (const OptionSpec& option : typed->form.options)
    typed->options.push_back(AddOption(command, option, FlagsOf(option)));
  for (const ShownOf& each : kShown) {
    if (each.name != entry.name) continue;
    if (each.make != nullptr) typed->shown = each.make(command, typed->form);
    if (each.draw != nullptr)
      typed->shown.draw = [draw = each.draw](const Answer& answer, const Policy*) { return draw(answer); };
  }
  command.AddOption("--epsilon", typed->epsilon, entry.price)->Required();
  command.AddFlag("--explain", typed->explain, "Show price, noise and guarantee; touches no data, charges nothing");
  command.AddFlag("--json", typed->json, "Machine-readable output");
  command.AddOption("--format", typed->format, "table, json or csv")->OneOf({"table", "json", "csv"});
  command.AddOption("--out", typed->out, "A folder for answer.json, answer.csv and pictures");
  command.Run([typed, &context] { context.exit_code = Analyse(*typed, context); });
}

}  // namespace

void AddAnalyse(Command& app, Context& context) {
  auto* command = app.AddVerb("analyse",
                              "Clusters, places, degrees, classifiers, survival, cumulative curves, percentiles, "
                              "tables, regression, synthetic data, streams, "
                              "one-sided releases: "
                              "charges and reads");
  command->Footer(
      "Example:\n  kith analyse policy.toml kmeans --columns x,y --clusters 5 --epsilon 0.5\n"
      "  kith analyse policy.toml kmeans --help");
  command->RequireVerb();
  auto policy = std::make_shared<std::string>();
  command->AddOption("policy", *policy, "The policy file")->Required();
  for (const AnalysisEntry& each : Analyses()) AddAnalysis(*command, each, policy, context);
  AddRecords(*command, policy, context);
  AddStream(*command, policy, context);
}

}  // namespace kith::cli
