// kith leakage: what released and suppressed records give away about sensitive ones, and which epsilons to choose. For
// those who hold the policy: curators and auditors.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/text_file.h"
#include "cli/leak_output.h"
#include "cli/leak_study.h"
#include "cli/verbs.h"
#include "leakage/leak_policy.h"

namespace kith::cli::lab {
namespace {

struct Options {
  std::string file, report, command, write;
  PolicyLaw law;
  LeakageQuestion question;
  ChoiceQuestion choice{0, "records", "suppress", std::nullopt};
  bool json = false;
  Option *has_total = nullptr, *has_confidence = nullptr;
};

Error ForModel(Error error) {
  if (error.code == Code::kInvalidArgument && error.parameter.empty()) error.parameter = "leakage.model";
  return error;
}

bool OfPolicy(const Options& options) { return std::filesystem::path(options.file).extension() == ".toml"; }

Result<void> CheckOptions(const Options& options) {
  const bool about_policy = !options.law.from.empty() || !options.law.secrets.empty() || !options.law.about.empty() ||
                            !options.law.source.empty() || !options.write.empty();
  if (about_policy && !OfPolicy(options))
    return InvalidArgument("--from, --source, --secret, --about and --write are for a policy", options.file,
                           "give the policy's .toml file instead of a model");
  if (!options.law.from.empty() && options.law.source.empty())
    return InvalidArgument("nobody said where the sample comes from", options.law.from,
                           "add --source public or --source consented: a law counted on protected rows would itself be "
                           "a release");
  if (options.has_total->given() && (!options.question.suppressed.empty() || !options.question.released.empty() ||
                                     options.question.naive || !options.question.observed.empty()))
    return InvalidArgument("a choice is made before anything is observed", "--total",
                           "leave out --suppressed, --released, --observed and --naive");
  return {};
}

Result<LeakageModel> Load(const Options& options, const std::string& text, const CancelFlag& cancel) {
  if (!OfPolicy(options)) return leakage::ReadLeakageModel(text, options.file);
  PolicyLaw law = options.law;
  law.policy = options.file;
  return leakage::ReadPolicyModel(law, TerminalCall(cancel));
}

template <class R>
int ShowOrFail(Result<R> report, const Options& options) {
  if (!report) return Fail(report.error(), options.json);
  report->command = options.command;
  if (!options.report.empty()) {
    if (auto written = WriteTextFile(options.report, LeakagePage(*report)); !written)
      return Fail(written.error(), options.json);
  }
  Show(options.json ? LeakageJson(*report) + "\n" : LeakageText(*report, TerminalWidth()));
  return 0;
}

Result<ChoiceReport> Choose(const Options& options, LeakageModel model, const CancelFlag& cancel) {
  auto report = StudyChoice(options.file, std::move(model), options.choice);
  if (!report || options.write.empty()) return report;
  std::vector<std::pair<std::string, double>> epsilons;
  for (std::size_t k = 0; k < report->served.size(); ++k)
    epsilons.emplace_back(report->model.names[report->served[k]], report->choice.attributes[k].epsilon);
  auto written = leakage::WriteEpsilons(report->model, options.file, options.write, epsilons, TerminalCall(cancel));
  if (!written) return written.error();
  report->written = std::move(*written);
  return report;
}

int Run(const Options& options, const CancelFlag& cancel) {
  if (const auto ok = CheckOptions(options); !ok) return Fail(ok.error(), options.json);
  const auto text = ReadTextFile(options.file);
  if (!text) return Fail(ForModel(text.error()), options.json);
  if (!OfPolicy(options) && leakage::IsPartialModel(*text)) {
    if (options.has_total->given())
      return Fail(InvalidArgument("limits of pairs are not enough to choose", options.file,
                                  "give a joint law, or limits of its cells"),
                  options.json);
    auto partial = leakage::ReadPartialModel(*text, options.file);
    if (!partial) return Fail(partial.error(), options.json);
    return ShowOrFail(Result<PartialReport>(StudyPartial(options.file, std::move(*partial))), options);
  }
  auto model = Load(options, *text, cancel);
  if (!model) return Fail(model.error(), options.json);
  if (options.has_total->given()) return ShowOrFail(Choose(options, std::move(*model), cancel), options);
  return ShowOrFail(StudyLeakage(options.file, std::move(*model), options.question), options);
}

/// As it could be typed again.
std::string CommandOf(const Options& options) {
  std::string line = "kith leakage " + options.file;
  const auto add = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    const bool plain = value.find_first_of(" <>()'\"*&|;$") == std::string::npos;
    line += fmt::format(" {} {}", name, plain ? value : "\"" + value + "\"");
  };
  add("--from", options.law.from);
  add("--source", options.law.source);
  if (options.has_confidence->given()) add("--confidence", fmt::format("{}", options.law.confidence));
  for (const auto& text : options.law.secrets) add("--secret", text);
  add("--about", options.law.about);
  for (const auto& text : options.question.suppressed) add("--suppressed", text);
  for (const auto& text : options.question.released) add("--released", text);
  add("--observed", options.question.observed);
  if (options.question.naive) line += " --naive";
  if (!options.has_total->given()) return line;
  line += fmt::format(" --total {} --objective {} --closure {}", options.choice.total, options.choice.objective,
                      options.choice.closure);
  if (options.choice.largest_epsilon) line += fmt::format(" --largest-epsilon {}", *options.choice.largest_epsilon);
  return line;
}

void AddChoice(Command& command, Options& options) {
  options.has_total =
      command.AddOption("--total", options.choice.total, "Choose the epsilons that leak at most this many nats in all");
  command.AddOption("--objective", options.choice.objective, "What to choose for: records (released) or sum-epsilon")
      ->OneOf({"records", "sum-epsilon"})
      ->Needs(options.has_total);
  command
      .AddOption("--largest-epsilon", options.choice.largest_epsilon,
                 "With --objective sum-epsilon, which has no maximum of its own")
      ->Needs(options.has_total);
  command
      .AddOption("--closure", options.choice.closure,
                 "Where a release alone exceeds a kappa: suppress that attribute, or refuse")
      ->OneOf({"suppress", "refuse"})
      ->Needs(options.has_total);
  command
      .AddOption("--write", options.write,
                 "Write the chosen epsilons into this policy: the same file, or a new one beside it")
      ->Needs(options.has_total);
}

}  // namespace

void AddLeakage(Command& app, Context& context) {
  auto* command = app.AddVerb("leakage", "Show what true records, released or suppressed, say about others");
  command->Footer(
      "Examples:\n  kith leakage office.json\n"
      "  kith leakage office.json --suppressed arrival:3:0.7 --released level:0.5\n"
      "  kith leakage office.json --total 0.2 --report choice.html\n"
      "  kith leakage policy.toml --from agreed.csv --source consented\n"
      "  kith leakage policy.toml --total 0.2 --write policy.toml\n\n"
      "office.json:\n"
      "  {\"source\": \"declared\", \"attributes\": [\"arrival\", \"level\"],\n"
      "   \"law\": [{\"sensitive\": [], \"p\": 0.5}, {\"sensitive\": [\"arrival\"], \"p\": 0.1},\n"
      "           {\"sensitive\": [\"level\"], \"p\": 0.2}, {\"sensitive\": [\"arrival\", \"level\"], \"p\": 0.2}],\n"
      "   \"applications\": {\"heating\": {\"arrival\": 0.7}, \"cleaning\": {\"level\": 1.1}}}\n\n"
      "docs/guide/one_sided.md explains the tables. For curators and auditors. Reads no protected row, and of a ledger "
      "only what was charged.");
  auto options = std::make_shared<Options>();
  command
      ->AddOption("model", options->file,
                  "A joint law of which attributes are sensitive, as JSON; or a policy with [one_sided]")
      ->Required();
  command->AddOption("--from", options->law.from, "Of a policy: count the law in this table, with limits");
  command->AddOption("--source", options->law.source, "What the table of --from is")->OneOf({"public", "consented"});
  options->has_confidence = command->AddOption("--confidence", options->law.confidence, "That all limits hold at once")
                                ->Within(0.5, 0.999999)
                                ->ShowDefault();
  command
      ->AddOption("--secret", options->law.secrets,
                  "name=condition: with --from, an attribute that nobody is served with; repeatable")
      ->Repeatable();
  command->AddOption("--about", options->law.about,
                     "With --from: the law of these values too, as after GROUP BY, before and after");
  command
      ->AddOption("--suppressed", options->question.suppressed,
                  "attribute:times:epsilon, seen to be suppressed; repeatable; epsilon may be inf")
      ->Repeatable();
  command->AddOption("--released", options->question.released, "attribute:epsilon, seen to be released; repeatable")
      ->Repeatable();
  command->AddOption("--observed", options->question.observed,
                     "attribute:sensitive:rows, counted where this was seen: does it agree with the law?");
  command->AddFlag("--naive", options->question.naive, "Beside it: releasing every record that is not sensitive");
  AddChoice(*command, *options);
  command->AddOption("--report", options->report, "Also write a readable report to this HTML file");
  command->AddFlag("--json", options->json, "Machine-readable output, full precision");
  command->Run([options, &context] {
    options->command = CommandOf(*options);
    context.exit_code = Run(*options, *context.cancel);
  });
}

}  // namespace kith::cli::lab
