// kith leakage: what released and suppressed records give away about sensitive ones, and which epsilons to choose.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "analysis/one_sided/choose.h"
#include "analysis/one_sided/entropy.h"
#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/leak_output.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/text_file.h"
#include "lab/leak_input.h"
#include "loss/loss_text.h"

namespace kith::cli {
namespace {

using one_sided::Choice;
using one_sided::Closure;
using one_sided::Observation;
using one_sided::Served;

struct Options {
  std::string file, report, objective = "records", closure = "suppress", command;
  std::vector<std::string> suppressed, released;
  double total = 0, largest_epsilon = 0;
  bool json = false;
  Option* has_total = nullptr;
  Option* has_largest = nullptr;
};

Result<LeakageModel> Load(const std::string& path) {
  const auto text = ReadTextFile(path);
  if (!text) {
    Error error = text.error();
    if (error.code == Code::kInvalidArgument) error.parameter = "leakage.model";
    return error;
  }
  return ReadLeakageModel(*text, path);
}

/// Does the attribute have a secret: is it neither always nor never sensitive?
bool HasSecret(const LeakageModel& model, std::size_t attribute) {
  const double theta = model.law.Sensitive(attribute);
  return theta > 0 && theta < 1;
}

double RateOf(double epsilon) { return -std::expm1(-epsilon); }

/// Everything that all applications hold: independent tries for one attribute add up their epsilons.
std::vector<double> Together(const LeakageModel& model) {
  std::vector<double> epsilons(model.names.size(), 0.0);
  for (const Application& one : model.applications) {
    for (std::size_t a = 0; a < epsilons.size(); ++a) epsilons[a] += one.epsilons[a];
  }
  return epsilons;
}

void AddPairs(LeakageReport& report) {
  const LeakageModel& model = report.model;
  for (const Application& application : model.applications) {
    for (std::size_t i = 0; i < model.names.size(); ++i) {
      for (std::size_t j = 0; j < model.names.size() && application.epsilons[i] > 0; ++j) {
        const auto pair = one_sided::Dependence(model.law, i, j);
        if (!pair) continue;
        PairLine line{application.name, i, j, application.epsilons[i], *pair, 0, 0, false};
        line.stayed_away = one_sided::SuppressedFactor(*pair, line.epsilon);
        line.released = one_sided::ReleasedFactor(*pair);
        line.closed = model.kappa[j] && line.released > std::exp(*model.kappa[j]);
        report.pairs.push_back(line);
      }
    }
  }
}

void AddInformation(LeakageReport& report) {
  const LeakageModel& model = report.model;
  const auto add = [&](const std::string& name, const std::vector<double>& epsilons) {
    std::vector<double> rates;
    for (const double epsilon : epsilons) rates.push_back(RateOf(epsilon));
    for (std::size_t j = 0; j < model.names.size(); ++j) {
      if (!HasSecret(model, j)) continue;
      report.information.push_back(
          {name, j, one_sided::JointInformation(model.law, j, rates), one_sided::Coin(model.law.Sensitive(j))});
    }
  };
  for (const Application& application : model.applications) add(application.name, application.epsilons);
  if (model.applications.size() > 1) add({}, Together(model));
}

std::string Words(const LeakageModel& model, const std::vector<Observation>& seen) {
  std::vector<std::string> away, released;
  for (const Observation& one : seen) {
    if (one.released)
      released.push_back(model.names[one.attribute]);
    else
      away.push_back(fmt::format("{} (epsilon {} in all)", model.names[one.attribute], LossText(one.epsilon)));
  }
  std::string words = "After ";
  if (!away.empty()) words += fmt::format("{} suppressed", fmt::join(away, ", "));
  if (!away.empty() && !released.empty()) words += " and ";
  if (!released.empty()) words += fmt::format("{} arrived", fmt::join(released, ", "));
  return words + ",";
}

Result<LeakageReport> Leak(const Options& options) {
  auto model = Load(options.file);
  if (!model) return model.error();
  LeakageReport report{options.file, options.command, std::move(*model), {}, {}, {}, {}};
  auto seen = ReadObservations(report.model, options.suppressed, options.released);
  if (!seen) return seen.error();
  if (seen->empty()) {  // nothing arrives from any application
    const auto together = Together(report.model);
    for (std::size_t a = 0; a < together.size(); ++a) {
      if (together[a] > 0) seen->push_back({a, together[a], 1, false});
    }
  }
  if (seen->empty())
    return InvalidArgument("nothing is served and nothing was observed", options.file,
                           "add \"applications\" to the model, or --suppressed arrival:3:0.7");
  report.seen = Words(report.model, *seen);
  AddPairs(report);
  AddInformation(report);
  for (std::size_t j = 0; j < report.model.names.size(); ++j) {
    if (!HasSecret(report.model, j)) continue;
    const auto odds = one_sided::OddsAfter(report.model.law, j, *seen);
    if (!odds) return odds.error();
    report.odds.push_back({j, *odds});
  }
  return report;
}

/// Every attribute that some application is served with (all, if there are none), with all others as dependents.
std::vector<Served> ServedOf(ChoiceReport& report) {
  const LeakageModel& model = report.model;
  const auto together = Together(model);
  std::vector<Served> attributes;
  for (std::size_t i = 0; i < model.names.size(); ++i) {
    if (!model.applications.empty() && !(together[i] > 0)) continue;
    Served served;
    served.open = 1 - model.law.Sensitive(i);
    served.value = model.worth[i] * served.open;
    served.kappa = HasSecret(model, i) ? model.kappa[i] : std::nullopt;
    report.served.push_back(i);
    report.dependents.emplace_back();
    for (std::size_t j = 0; j < model.names.size(); ++j) {
      if (j == i || !HasSecret(model, j)) continue;
      served.dependents.push_back({model.law.Sensitive(j), *model.law.OpenGiven(i, j, false),
                                   *model.law.OpenGiven(i, j, true), model.kappa[j]});
      report.dependents.back().push_back(j);
    }
    attributes.push_back(std::move(served));
  }
  return attributes;
}

Result<void> AddCurve(const std::vector<Served>& attributes, Closure closure, ChoiceReport& report) {
  constexpr int kPoints = 40;
  const auto all = one_sided::Choose(attributes, 1e300, closure);
  if (!all) return all.error();
  report.saturated = all->leakage;
  report.curve.push_back({0, 0});
  for (int k = 1; k <= kPoints && report.saturated > 0; ++k) {
    const double total = report.saturated * k / kPoints;
    const auto choice = one_sided::Choose(attributes, total, closure);
    if (!choice) return choice.error();
    report.curve.push_back({total, choice->objective});
  }
  return {};
}

Result<ChoiceReport> ChooseFor(const Options& options) {
  auto model = Load(options.file);
  if (!model) return model.error();
  ChoiceReport report{options.file,
                      options.command,
                      std::move(*model),
                      options.objective,
                      options.total,
                      options.largest_epsilon,
                      {},
                      {},
                      {},
                      {},
                      {},
                      0};
  const std::vector<Served> attributes = ServedOf(report);
  const Closure closure = options.closure == "refuse" ? Closure::kRefuse : Closure::kSuppress;
  auto records = one_sided::Choose(attributes, options.total, closure);
  if (!records) return records.error();
  if (options.objective == "records") {
    report.choice = std::move(*records);
    const auto drawn = AddCurve(attributes, closure, report);
    if (!drawn) return drawn.error();
    return report;
  }
  if (!options.has_largest->given())
    return InvalidArgument("the sum of epsilon has no maximum: leakage stays finite as epsilon grows",
                           "--objective sum-epsilon", "add --largest-epsilon 10, or use --objective records");
  report.other = std::move(*records);
  auto choice = one_sided::ChooseSumOfEpsilon(attributes, options.total, options.largest_epsilon, closure);
  if (!choice) return choice.error();
  report.choice = std::move(*choice);
  return report;
}

template <class R>
int ShowOrFail(const Result<R>& report, const Options& options) {
  if (!report) return Fail(report.error(), options.json);
  if (!options.report.empty()) {
    if (auto written = WriteTextFile(options.report, LeakagePage(*report)); !written)
      return Fail(written.error(), options.json);
  }
  Show(options.json ? LeakageJson(*report) + "\n" : LeakageText(*report, TerminalWidth()));
  return 0;
}

int Run(const Options& options) {
  if (!options.has_total->given()) return ShowOrFail(Leak(options), options);
  if (!options.suppressed.empty() || !options.released.empty())
    return Fail(InvalidArgument("a choice is made before anything is observed", "--total",
                                "leave out --suppressed and --released"),
                options.json);
  return ShowOrFail(ChooseFor(options), options);
}

}  // namespace

void AddLeakage(Command& app, Context& context) {
  auto* command = app.AddVerb("leakage", "Show what true records, released or suppressed, say about others");
  command->Footer(
      "Example:\n  kith leakage office.json\n"
      "  kith leakage office.json --suppressed arrival:3:0.7 --released level:0.5\n"
      "  kith leakage office.json --total 0.2 --report choice.html\n\n"
      "office.json:\n"
      "  {\"source\": \"declared\", \"attributes\": [\"arrival\", \"level\"],\n"
      "   \"law\": [{\"sensitive\": [], \"p\": 0.5}, {\"sensitive\": [\"arrival\"], \"p\": 0.1},\n"
      "           {\"sensitive\": [\"level\"], \"p\": 0.2}, {\"sensitive\": [\"arrival\", \"level\"], \"p\": 0.2}],\n"
      "   \"applications\": {\"heating\": {\"arrival\": 0.7}, \"cleaning\": {\"level\": 1.1}}}\n\n"
      "docs/guide/one_sided.md explains the tables. Reads no protected row.");
  auto options = std::make_shared<Options>();
  command->AddOption("model", options->file, "A joint law of which attributes are sensitive, as JSON")->Required();
  command->AddOption("--suppressed", options->suppressed, "attribute:times:epsilon, seen to be suppressed; repeatable")
      ->Repeatable();
  command->AddOption("--released", options->released, "attribute:epsilon, seen to be released; repeatable")
      ->Repeatable();
  options->has_total =
      command->AddOption("--total", options->total, "Choose the epsilons that leak at most this many nats in all");
  command->AddOption("--objective", options->objective, "What to choose for: records (released) or sum-epsilon")
      ->OneOf({"records", "sum-epsilon"})
      ->Needs(options->has_total);
  options->has_largest = command
                             ->AddOption("--largest-epsilon", options->largest_epsilon,
                                         "With --objective sum-epsilon, which has no maximum of its own")
                             ->Needs(options->has_total);
  command
      ->AddOption("--closure", options->closure,
                  "Where a release alone exceeds a kappa: suppress that attribute, or refuse")
      ->OneOf({"suppress", "refuse"})
      ->Needs(options->has_total);
  command->AddOption("--report", options->report, "Also write a readable report to this HTML file");
  command->AddFlag("--json", options->json, "Machine-readable output, full precision");
  command->Run([options, &context] {
    options->command = "kith leakage " + options->file;
    for (const auto& text : options->suppressed) options->command += " --suppressed " + text;
    for (const auto& text : options->released) options->command += " --released " + text;
    if (options->has_total->given())
      options->command +=
          fmt::format(" --total {} --objective {} --closure {}", options->total, options->objective, options->closure);
    if (options->has_largest->given())
      options->command += fmt::format(" --largest-epsilon {}", options->largest_epsilon);
    context.exit_code = Run(*options);
  });
}

}  // namespace kith::cli
