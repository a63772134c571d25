// kith transfer: plain loss to dependent loss for a model, or back, with every bound that applies.
#include "app/cli/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/model_file.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "app/cli/transfer_gaussian.h"
#include "app/cli/transfer_sample.h"
#include "app/cli/unproven.h"
#include "base/meter.h"
#include "base/text_file.h"
#include "document/json_line.h"
#include "loss/loss_text.h"
#include "policy/policy.h"
#include "release/loss_words.h"
#include "report/chart.h"
#include "transfer/delta.h"
#include "transfer/idle_strength.h"
#include "transfer/witness.h"

namespace kith::cli {
namespace {

constexpr char kBounding[] = "bounding the dependence";

using document::TransferredLoss;

struct Options {
  std::string model;
  double plain = 0, dependent = 0, delta = 0, mu = 0;
  std::string plot, witness, sample;
  std::uint64_t runs = 20'000;
  std::int64_t counts = 1;
  bool json = false, gaussian = false;
  Option* has_plain = nullptr;
  Option* has_dependent = nullptr;
  Option* has_delta = nullptr;
  Option* has_mu = nullptr;
  Option* has_sample = nullptr;
};

// The dependence part of a policy: the model of its class with the largest loss.
Result<Transfer> TransferOfPolicy(const std::string& path, bool gaussian, const Call& call) {
  const auto policy = Policy::Load(path);
  if (!policy) return policy.error();
  if (policy->dependence.edges) {
    auto whole = ModelOfPolicy(path, call);
    if (!whole) return whole.error();
    return Transfer::Make(std::move(*whole));
  }
  if (gaussian && policy->unit.distance) {
    return InvalidArgument("a loss per unit of distance has no delta under dependence", path,
                           "leave normal noise out, or take a policy whose unit is not metric");
  }
  Model model = policy->dependence.model;
  if (auto* group = std::get_if<Group>(&model); group != nullptr && group->classes.size() > 1) {
    const auto weaker = [](const GroupClass& a, const GroupClass& b) {
      constexpr double kAnything = std::numeric_limits<double>::infinity();
      return a.odds_ratio.value_or(kAnything) < b.odds_ratio.value_or(kAnything);
    };
    group->classes = {*std::max_element(group->classes.begin(), group->classes.end(), weaker)};
    group->classes.front().size.reset();  // with the strongest ties in the largest groups
  }
  return Transfer::Make(AboutEveryRecord(std::move(model)), policy->dependence.known);
}

}  // namespace

Result<Transfer> TransferOf(const std::string& path, bool gaussian, const Call& call) {
  const Stage stage(call, "reading the model");
  if (path.ends_with(".toml")) return TransferOfPolicy(path, gaussian, call);
  auto model = ModelOfFile(path, call);
  if (!model) return model.error();
  return Transfer::Make(std::move(*model));
}

namespace {

std::string TransferText(const TransferredLoss& found, std::size_t width) {
  const Transferred& t = found.result;
  std::string text = Warning(t.unproven, width);
  text += fmt::format("plain {}  →  dependent {}   (by {})\n", LeftText(found.plain), LossText(t.dependent), t.bound);
  if (found.delta) text += fmt::format("delta  →  {} under dependence\n", LossText(*found.delta));
  TextTable table({"bound", "dependent", "against"});
  for (const auto& bound : t.bounds) table.Add({bound.name, LossText(bound.dependent), bound.adversary});
  text += "\n" + table.Render(width) + "\n";
  if (found.reached) text += Labelled("tight", CanHappenText(t.dependent, *found.reached), width);
  text += AuditLine(t.unproven, t.dependent, t.audit, width) + Labelled("adversary", t.adversary, width) +
          Labelled("assumption", t.assumption, width);
  if (!t.per_record.empty() && t.per_record.size() <= 20) {
    std::string values;
    for (const double v : t.per_record) values += LossText(v) + " ";
    text += Labelled("per record", values, width);
  }
  return text;
}

Result<void> Plot(const Transfer& transfer, double most, const std::string& file) {
  constexpr int kPoints = 60;
  report::Series winner, plain;
  winner.name = "dependent (kith)";
  winner.strong = true;
  plain.name = "plain (dependence ignored)";
  std::map<std::string, report::Series> others;
  const auto add = [](report::Series& line, double x, double y) {
    line.x.push_back(x);
    line.y.push_back(y);
  };
  for (int k = 0; k <= kPoints; ++k) {
    const double x = most * k / kPoints;
    const auto at = transfer.Loss(x);
    if (!at) return at.error();
    add(winner, x, at->dependent);
    add(plain, x, x);
    for (const auto& bound : at->bounds) {
      others[bound.name].name = bound.name;
      add(others[bound.name], x, bound.dependent);
    }
  }
  report::LineChart chart;
  chart.title = "What a plain loss becomes under dependence";
  chart.x_label = "plain loss";
  chart.y_label = "dependent loss";
  chart.number = [](double loss) { return LossText(loss); };
  chart.series = {winner, plain};
  if (others.size() > 1) {
    for (auto& [name, line] : others) chart.series.push_back(std::move(line));
  }
  return WriteTextFile(file, report::Svg(chart));
}

// With a target, a bound against a stronger adversary wins if it leaves nearly as much; the same holds in a policy.
Result<TransferredLoss> Compute(const Transfer& all, const Options& options) {
  TransferredLoss found;
  found.plain = options.plain;
  Transfer transfer = options.has_delta->given() ? all.UnderDelta() : all;
  if (options.has_dependent->given()) {
    auto chosen = transfer.ForBudget(options.dependent);
    if (!chosen) return chosen.error();
    transfer = std::move(*chosen);
    const auto budget = transfer.PlainBudget(options.dependent);
    if (!budget) return budget.error();
    found.plain = *budget;
  }
  auto result = transfer.Loss(found.plain);
  if (!result) return result.error();
  found.result = std::move(*result);
  found.reached = transfer.Reached(found.plain);
  if (options.has_delta->given()) {
    const auto delta = DependentDelta(transfer, found.plain, options.delta);
    if (!delta) return delta.error();
    found.delta = *delta;
  }
  return found;
}

Result<Witness> WriteWitness(const Transfer& transfer, double plain, bool gaussian, const std::string& file) {
  auto witness = WitnessOf(transfer, plain, gaussian);
  if (!witness) return witness.error();
  if (auto written = WriteTextFile(file, witness->text); !written) return written.error();
  return witness;
}

void ShowWitness(const Witness& witness, const std::string& file) {
  const std::string text = fmt::format("{} proves {}; SHA-256 {}", file, LossText(witness.bound), witness.digest);
  Show(Labelled("witness", text, TerminalWidth()));
}

int Run(const Options& options, const CancelFlag& cancel) {
  const Call call = TerminalCall(cancel);
  if (options.has_sample->given())
    return RunSample({options.model, options.dependent, options.sample, options.runs}, call);
  const auto transfer = TransferOf(options.model, options.gaussian, call);
  if (!transfer) return Fail(transfer.error(), options.json);
  if (options.gaussian) {
    const GaussianOptions gaussian{options.has_mu->given() ? std::optional(options.mu) : std::nullopt,
                                   options.dependent,
                                   options.delta,
                                   options.counts,
                                   options.plot,
                                   options.json};
    if (options.witness.empty()) return RunGaussian(*transfer, gaussian, call);
    const auto witness = WriteWitness(*transfer, options.mu, true, options.witness);
    if (!witness) return Fail(witness.error(), options.json);
    if (const int failed = RunGaussian(*transfer, gaussian, call); failed != 0 || options.json) return failed;
    ShowWitness(*witness, options.witness);
    return 0;
  }
  auto found = [&] {
    const Stage stage(call, kBounding);
    return Compute(*transfer, options);
  }();
  if (!found) return Fail(found.error(), options.json);
  std::optional<Witness> witness;
  if (!options.witness.empty()) {
    auto written = WriteWitness(*transfer, found->plain, false, options.witness);
    if (!written) return Fail(written.error(), options.json);
    witness = std::move(*written);
    found->witness = witness->digest;
  }
  Show(options.json ? document::JsonLine(*found) : TransferText(*found, TerminalWidth()));
  if (witness && !options.json) ShowWitness(*witness, options.witness);
  const std::string idle = IdleStrength(transfer->model(), found->result.dependent);
  if (!idle.empty() && !options.json) Show(Labelled("note", idle, TerminalWidth()));
  if (options.plot.empty()) return 0;
  const auto plotted = [&] {
    const Stage stage(call, kBounding);
    return Plot(*transfer, found->plain > 0 ? 2 * found->plain : 1, options.plot);
  }();
  if (!plotted) return Fail(plotted.error(), options.json);
  if (!options.json) Show(fmt::format("\nThe chart is in {}\n", options.plot));
  return 0;
}

}  // namespace

void AddTransfer(Command& app, Context& context) {
  auto* command = app.AddVerb("transfer", "Turn plain loss into dependent loss for a model, or back");
  command->Footer(
      "Example:\n  kith transfer household.json --plain 0.25\n  kith transfer household.json --dependent 1.0 --json\n"
      "  kith transfer household.json --plain 0.25 --plot g.svg\n"
      "  kith transfer network.json --plain 0.1 --witness network.witness.json\n"
      "  kith transfer household.json --gaussian --dependent 1 --delta 1e-6 --counts 1000\n"
      "  kith transfer policy.toml --dependent 1 --sample friends.sample.json\n"
      "\n"
      "household.json:  {\"kind\":\"group\",\"size\":4,\"odds_ratio\":2}   (docs/guide/dependence.md has every "
      "kind)\n\n"
      "Beside published methods, by the laboratory (kith-lab transfer --help): --compare, --table.");
  auto options = std::make_shared<Options>();
  command->AddOption("model", options->model, "A dependence model as JSON, or a policy (its strongest class)");
  options->has_plain = command->AddOption("--plain", options->plain, "Plain loss: prints the dependent loss");
  options->has_dependent =
      command->AddOption("--dependent", options->dependent, "Dependent loss: prints the plain loss it allows");
  options->has_plain->Excludes(options->has_dependent);
  options->has_delta = command->AddOption(
      "--delta", options->delta,
      "Plain delta beside the plain loss: prints what becomes of it; with --gaussian: the dependent one");
  auto* plot = command->AddOption(
      "--plot", options->plot,
      "Also draw the transfer function (with --gaussian: the noise by counts), as SVG, into this file");
  auto* witness = command->AddOption(
      "--witness", options->witness,
      "Also write what proves the bound (messages, blocks, weights), as JSON: anybody can verify it without kith");
  command->AddOption("--counts", options->counts, "With --gaussian: how many counts are asked together (default 1)");
  auto* gaussian = command->AddFlag(
      "--gaussian", options->gaussian,
      "Normal noise: with --dependent and --delta the noise that they allow, with --mu what it becomes");
  gaussian->Excludes(options->has_plain);
  options->has_mu = command->AddOption("--mu", options->mu, "With --gaussian: plain Gaussian loss");
  options->has_mu->Excludes(options->has_dependent)->Excludes(options->has_plain)->Excludes(plot);
  witness->Excludes(plot);
  auto* json = command->AddFlag("--json", options->json, "Machine-readable output, full precision");
  options->has_sample = command->AddOption("--sample", options->sample,
                                           "With --dependent: simulate the network of non-negative ties, once a "
                                           "policy, and keep in this file what bounds its loss");
  options->has_sample->Needs(options->has_dependent)->Excludes(gaussian)->Excludes(plot)->Excludes(json);
  command->AddOption("--runs", options->runs, "With --sample: how many runs (default 20000); more make limits tighter")
      ->Positive()
      ->Needs(options->has_sample);
  command->Run([options, command, &context] {
    const auto refuse = [&](const char* what, const char* next) {
      context.exit_code = Fail(InvalidArgument(what, command->name(), next), options->json);
    };
    if (options->model.empty()) {
      refuse("there is no model", "name a JSON file or a policy: kith transfer household.json --plain 0.25");
      return;
    }
    if (options->gaussian && !options->has_mu->given() &&
        !(options->has_dependent->given() && options->has_delta->given())) {
      refuse("normal noise needs a target", "add --dependent 1 --delta 1e-6, or --mu 0.2");
      return;
    }
    if (options->gaussian && !options->witness.empty() && !options->has_mu->given()) {
      refuse("a witness proves what one plain loss becomes", "add --mu 0.2");
      return;
    }
    if (options->has_mu->given() && !options->gaussian) {
      refuse("mu is about normal noise", "add --gaussian");
      return;
    }
    if (options->counts != 1 && !options->gaussian) {
      refuse("a number of counts is for a comparison of noise", "add --gaussian or --compare, or leave --counts out");
      return;
    }
    if (!options->has_plain->given() && !options->has_dependent->given() && !options->gaussian) {
      context.exit_code =
          Fail(InvalidArgument("nothing to compute", command->name(), "add --plain x or --dependent y"), options->json);
      return;
    }
    const auto done =
        Metered(Meter::kNoLimit, *context.cancel, [&]() -> Result<int> { return Run(*options, *context.cancel); });
    context.exit_code = done ? *done : Fail(done.error(), options->json);
  });
}

}  // namespace kith::cli
