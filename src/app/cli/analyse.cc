// kith analyse: statistics that take more than one question, through the same pipeline as questions.
#include "app/cli/analyse.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/cli/analyse_keys.h"
#include "app/cli/answer_output.h"
#include "app/cli/explain_output.h"
#include "app/cli/fail.h"
#include "app/cli/remote.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/json.h"
#include "base/text_file.h"
#include "document/codes.h"
#include "document/csv.h"
#include "document/from_json.h"
#include "release/derive.h"

namespace kith::cli {
namespace {

struct AnalyseOptions {
  std::shared_ptr<std::string> policy;
  double epsilon = 0;
  bool explain = false, json = false;
  std::string format = "table", out;

  bool as_json() const { return json || format == "json"; }
};

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

// What the analysis wants, for a server: its own options, lists as lists and numbers as numbers.
Json BodyOf(const AnalyseOptions& options, const Command& command) {
  static const std::set<std::string> general = {"epsilon", "explain", "json",  "format",
                                                "out",     "help",    "model", "parquet"};
  // What is made of an answer here, which does not concern the server.
  static const std::set<std::string> of_answers = {"points.range", "points.synthetic", "cumulative.range",
                                                   "cumulative.ranks"};
  static const std::set<std::string> flags = {"cells.units", "degrees.once"};
  static const std::set<std::string> lists = {
      "cells.columns",     "kmeans.columns",    "percentiles.ranks",  "regression.features", "svm.features",
      "logistic.features", "degrees.ends",      "identity.columns",   "identity.units",      "points.columns",
      "points.quantiles",  "synthetic.columns", "synthetic.together", "keys.columns"};
  static const std::set<std::string> numbers = {
      "clusters",  "steps",     "count",   "cells",      "step",           "ranks",        "false-cells",
      "threshold", "most",      "at-most", "regularise", "holdout",        "max-degree",   "people",
      "groups",    "quantiles", "units",   "parts",      "synthetic.rows", "keys-per-unit"};
  Json chosen = Json::object();
  for (const auto& [name, values] : command.GivenValues()) {
    const std::string whole = command.name() + "." + name;
    if (general.contains(name) || of_answers.contains(whole)) continue;
    if (flags.contains(whole)) {
      chosen[name] = true;
      continue;
    }
    Json items = Json::array();
    for (const std::string& value : values) {
      const Json number =
          numbers.contains(name) || numbers.contains(whole) ? Json::parse(value, nullptr, false) : Json();
      items.push_back(number.is_number() ? number : Json(value));
    }
    std::string field = name;
    std::replace(field.begin(), field.end(), '-', '_');
    chosen[field] = lists.contains(whole) ? items : items.empty() ? Json(true) : items[0];
  }
  return {{"analysis", command.name()}, {"epsilon", options.epsilon}, {"options", std::move(chosen)}};
}

template <class Verb>
Result<void> WriteFiles(const AnalyseOptions& options, const Verb& verb, const Answer& answer) {
  if constexpr (requires { verb.keep; }) {
    if (const auto kept = verb.keep ? verb.keep(answer) : Result<void>(); !kept) return kept;
  }
  return options.out.empty() ? Result<void>() : WriteAll(options.out, answer, verb.draw(answer));
}

// An answer, from here or from a server. Files come first: what was paid for is in them even if nobody reads to the end
// what is shown.
template <class Verb>
int Deliver(const AnalyseOptions& options, const Verb& verb, Result<Answer> answer) {
  const std::string format = options.as_json() ? "json" : options.format;
  if constexpr (requires { verb.present; }) {
    if (answer && verb.present) answer = verb.present(std::move(*answer));
  }
  if (!answer) return Fail(answer.error(), options.as_json());
  const auto written = WriteFiles(options, verb, *answer);
  if constexpr (requires { verb.sketch; }) {
    if (verb.sketch && format == "table") Show(verb.sketch(*answer));
  }
  ShowAnswer(*answer, format, TerminalWidth());
  return written ? 0 : Fail(written.error(), false);
}

template <class Verb>
Result<void> Checked(const Verb& verb) {
  if constexpr (requires { verb.check; }) return verb.check ? verb.check() : Result<void>();
  return {};
}

template <class Verb>
int RemoteAnalyse(const AnalyseOptions& options, const Command& command, const Context& context, const Verb& verb) {
  if (const auto refused = TwoFormats(options.json, options.format)) return Fail(*refused, true);
  if (const auto fine = Checked(verb); !fine) return Fail(fine.error(), options.as_json());
  const Json body = BodyOf(options, command);
  if (options.explain) {
    const auto document = AskServer(context, *options.policy, "analyses/explain", body);
    if (options.as_json()) return ShowDocument(document);
    const auto explained = ReadFrom(document, document::ExplanationFrom);
    if (!explained) return Fail(explained.error(), false);
    Show(ExplanationAs(*explained, false, TerminalWidth()));
    return explained->affordable ? 0 : document::ExitCodeOf(Code::kBudgetExhausted);
  }
  bool plain = options.as_json() && options.out.empty();
  if constexpr (requires { verb.keep; }) plain = plain && !verb.keep && !verb.present;
  const auto document = AskServerToWork(context, *options.policy, "analyses", body, TerminalCall(*context.cancel));
  return plain ? ShowDocument(document) : Deliver(options, verb, ReadFrom(document, document::AnswerFrom));
}

template <class Verb>
int Analyse(const AnalyseOptions& options, const Verb& verb, const CancelFlag& cancel) {
  if (const auto refused = TwoFormats(options.json, options.format)) return Fail(*refused, true);
  if (const auto fine = Checked(verb); !fine) return Fail(fine.error(), options.as_json());
  const Call call = TerminalCall(cancel);
  const auto curator = Curator::Open(*options.policy, {}, call);
  if (!curator) return Fail(curator.error(), options.as_json());
  const auto analysis = verb.make(curator->policy());
  if (!analysis) return Fail(analysis.error(), options.as_json());
  const Price price{options.epsilon, std::nullopt, {}};
  if (options.explain) {
    const auto explained = curator->Explain(Borrowed(**analysis), price, call);
    if (!explained) return Fail(explained.error(), options.as_json());
    Show(ExplanationAs(*explained, options.as_json(), TerminalWidth()));
    return explained->affordable ? 0 : document::ExitCodeOf(Code::kBudgetExhausted);
  }
  return Deliver(options, verb, curator->Release(Borrowed(**analysis), price, {}, call));
}

int Derive(const AnalyseOptions& options, const DerivedVerb& verb, const CancelFlag& cancel) {
  if (const auto refused = TwoFormats(options.json, options.format)) return Fail(*refused, true);
  const Call call = TerminalCall(cancel);
  const auto curator = Curator::Open(*options.policy, {}, call);
  if (!curator) return Fail(curator.error(), options.as_json());
  const auto derived = verb.make(curator->policy());
  if (!derived) return Fail(derived.error(), options.as_json());
  const QuestionRequest question = QuestionFor(**derived);
  const Price price{options.epsilon, std::nullopt, {}};
  // What cannot be computed afterwards is refused here, before anything is charged.
  auto explained = curator->Explain(question, price, call);
  if (!explained) return Fail(explained.error(), options.as_json());
  if (const auto knows = KnowsNoise(**derived, *explained); !knows) return Fail(knows.error(), options.as_json());
  if (options.explain) {
    const Explanation all = ExplainDerived(**derived, std::move(*explained));
    Show(ExplanationAs(all, options.as_json(), TerminalWidth()));
    return all.affordable ? 0 : document::ExitCodeOf(Code::kBudgetExhausted);
  }
  auto answer = curator->Release(question, price, {}, call);
  if (!answer) return Fail(answer.error(), options.as_json());
  return Deliver(options, verb, kith::Derive(**derived, std::move(*answer)));
}

std::shared_ptr<AnalyseOptions> AddOptions(Command& command, std::shared_ptr<std::string> policy) {
  auto options = std::make_shared<AnalyseOptions>();
  options->policy = std::move(policy);
  command.AddOption("--epsilon", options->epsilon, "Price: this part of the policy's epsilon")->Required();
  command.AddFlag("--explain", options->explain, "Show price, noise and guarantee; touches no data, charges nothing");
  command.AddFlag("--json", options->json, "Machine-readable output");
  command.AddOption("--format", options->format, "table, json or csv")->OneOf({"table", "json", "csv"});
  command.AddOption("--out", options->out, "A folder for answer.json, answer.csv and pictures");
  return options;
}

}  // namespace

void AddAnalysis(Command& command, std::shared_ptr<std::string> policy, AnalysisVerb verb, Context& context) {
  command.Run([options = AddOptions(command, std::move(policy)), verb = std::move(verb), &command, &context] {
    context.exit_code = context.server.empty() ? Analyse(*options, verb, *context.cancel)
                                               : RemoteAnalyse(*options, command, context, verb);
  });
}

void AddStudy(Command& command, std::shared_ptr<std::string> policy, StudyVerb verb, Context& context) {
  command.Run([options = AddOptions(command, std::move(policy)), verb = std::move(verb), &command, &context] {
    context.exit_code = context.server.empty() ? Analyse(*options, verb, *context.cancel)
                                               : RemoteAnalyse(*options, command, context, verb);
  });
}

void AddDerived(Command& command, std::shared_ptr<std::string> policy, DerivedVerb verb, Context& context) {
  command.Run([options = AddOptions(command, std::move(policy)), verb = std::move(verb), &command, &context] {
    context.exit_code = context.server.empty() ? Derive(*options, verb, *context.cancel)
                                               : RemoteAnalyse(*options, command, context, verb);
  });
}

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
  AddKmeans(*command, policy, context);
  AddDegrees(*command, policy, context);
  AddIdentity(*command, policy, context);
  AddLearn(*command, policy, context);
  AddSurvival(*command, policy, context);
  AddCutoff(*command, policy, context);
  AddTop(*command, policy, context);
  AddCells(*command, policy, context);
  AddKeys(*command, policy, context);
  AddCumulative(*command, policy, context);
  AddPercentiles(*command, policy, context);
  AddContingency(*command, policy, context);
  AddRegression(*command, policy, context);
  AddPoints(*command, policy, context);
  AddRecords(*command, policy, context);
  AddHistogram(*command, policy, context);
  AddSynthetic(*command, policy, context);
  AddStream(*command, policy, context);
}

}  // namespace kith::cli
