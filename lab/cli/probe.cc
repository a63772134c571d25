// kith probe: what any program's answers on two neighbouring databases prove about its loss.
#include "probe/probe.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "app/cli/fail.h"
#include "app/cli/progress.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/text_file.h"
#include "cli/verbs.h"
#include "document/law_audits.h"
#include "loss/loss_text.h"
#include "probe/collect.h"
#include "report/chart.h"
#include "report/page.h"

namespace kith::cli::lab {
namespace {

using document::TestedClaim;

struct ProbeOptions {
  std::string left, right;
  probe::CollectOptions collect;
  double claimed = 0, delta = 0;
  bool has_claim = false, json = false;
  std::string report;
};

std::string AtDelta(double delta) { return delta > 0 ? fmt::format(" at delta {}", LossText(delta)) : ""; }

std::string Verdict(const TestedClaim& tested) {
  const probe::Proof& proof = tested.proof;
  const std::string proven =
      fmt::format("the loss is at least {}{}", LeftText(proof.loss_at_least), AtDelta(proof.delta));
  if (tested.Refuted()) return fmt::format("The claim of {} is wrong: {}.", LossText(*tested.claimed), proven);
  const std::string found = proof.loss_at_least > 0 ? proven : "these runs prove no loss";
  if (tested.claimed) {
    return fmt::format("No contradiction to the claim of {}: {}. That does not prove privacy.",
                       LossText(*tested.claimed), found);
  }
  if (proof.loss_at_least <= 0) return "These runs prove no loss. That does not prove privacy.";
  return fmt::format("T{}. It may be larger.", proven.substr(1));
}

std::string Chance(double probability) { return fmt::format("{:.2g}", probability); }

// "412 of 10000 against 3 of 10000"
std::string Counts(const probe::TestedEvent& event) {
  return fmt::format("{} of {} {}, {} of {} {}", event.likelier.hits, event.likelier.trials,
                     event.left_likelier ? "left" : "right", event.other.hits, event.other.trials,
                     event.left_likelier ? "right" : "left");
}

std::string ProvenText(double loss) { return loss > 0 ? LeftText(loss) : "nothing"; }

std::string ProofText(const TestedClaim& tested, std::size_t width) {
  const probe::Proof& proof = tested.proof;
  std::string text = Wrap(Verdict(tested), width, 0) + "\n\n";
  TextTable table({"event, chosen on the first half", "proves"});
  for (const auto& event : proof.events) table.Add({event.event, ProvenText(event.loss_at_least)});
  if (!proof.events.empty())
    text += table.Render(width) + "\n" + Labelled("counts", Counts(proof.events[0]) + " (best event)", width);
  text += Labelled("runs", fmt::format("{} left, {} right", proof.runs_left, proof.runs_right), width) +
          Labelled("wrong with", "probability at most " + Chance(proof.false_alarm), width);
  for (const auto& note : proof.notes) text += Labelled("note", note, width);
  return text;
}

// A command that gives this report again, each part in quotes.
std::string CommandAgain(const ProbeOptions& options) {
  const auto quoted = [](const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
  };
  std::string out = fmt::format("kith probe --left {} --right {} --runs {}", quoted(options.left),
                                quoted(options.right), options.collect.runs);
  if (options.has_claim) out += fmt::format(" --claimed {}", options.claimed);
  if (options.delta > 0) out += fmt::format(" --delta {}", options.delta);
  if (options.collect.batch) out += " --batch";
  if (options.collect.shell) out += " --shell";
  if (!options.collect.body.empty()) out += " --body " + quoted(options.collect.body);
  for (const auto& place : options.collect.places) out += " --pick " + quoted(place);
  return out + " --report " + quoted(options.report);
}

report::Page ProbePage(const ProbeOptions& options, const TestedClaim& tested) {
  const probe::Proof& proof = tested.proof;
  report::Page page;
  page.title = "What do the answers give away?";
  page.question = fmt::format(
      "Two databases differ in one person, or in as much as should stay hidden. By which factor exp(loss) does some "
      "answer "
      "become likelier{}?",
      AtDelta(proof.delta));
  page.verdict = Verdict(tested);
  // Never "in order": that runs found nothing proves nothing.
  page.tone = tested.Refuted() ? report::Page::Tone::kBad : report::Page::Tone::kWarning;
  report::BarChart chart;
  chart.title = "Loss that the runs prove";
  chart.value_label = "loss, lower bound" + AtDelta(proof.delta);
  if (options.has_claim) {
    chart.mark = options.claimed;
    chart.mark_label = "claimed";
    chart.mark_text = LossText(options.claimed);
  }
  report::Table table{"Events, chosen on the first half of the runs and counted on the second",
                      {"event", "family", "counts", "loss at least"},
                      {}};
  for (const auto& event : proof.events) {
    chart.bars.push_back({event.event, std::max(0.0, event.loss_at_least), {}, {}, ProvenText(event.loss_at_least)});
    table.rows.push_back({event.event, event.family, Counts(event), ProvenText(event.loss_at_least)});
  }
  report::Section found{
      "What was found",
      {fmt::format(
          "{} runs on the left and {} on the right. Everything below is wrong with probability at most {} in all.",
          proof.runs_left, proof.runs_right, Chance(proof.false_alarm))},
      {Svg(chart)},
      {table}};
  for (const auto& note : proof.notes) found.paragraphs.push_back("Note: " + note + ".");
  page.sections.push_back(std::move(found));
  page.assumptions = {"The runs of one side are independent of each other and follow the same law.",
                      "The two databases are neighbours in the sense of the claim.",
                      "A lower bound proves a fault when it exceeds the claim. Below it, it proves nothing: the loss "
                      "may be larger than what these runs show."};
  page.reproduce = {CommandAgain(options)};
  return page;
}

int RunProbe(const ProbeOptions& options, const CancelFlag& cancel) {
  if (options.has_claim && !(options.claimed >= 0 && std::isfinite(options.claimed)))
    return Fail(InvalidArgument("the claimed loss must be 0 or more", "--claimed"), options.json);
  auto samples = [&] {
    Progress bar("probing");
    return probe::Collect(
        options.left, options.right, options.collect, [&](double done) { bar.At(done); }, cancel);
  }();
  if (!samples) return Fail(samples.error(), options.json);
  const auto proof = probe::ProvenLoss(samples->left, samples->right, options.delta);
  if (!proof) return Fail(proof.error(), options.json);
  const TestedClaim tested{*proof, options.has_claim ? std::optional(options.claimed) : std::nullopt};
  const auto written =
      options.report.empty() ? Result<void>() : WriteTextFile(options.report, Html(ProbePage(options, tested)));
  Show(options.json ? JsonText(ToJson(tested)) + "\n" : ProofText(tested, TerminalWidth()));
  if (!written) return Fail(written.error(), options.json);
  if (!options.json && !options.report.empty()) Show(fmt::format("\nThe report is in {}\n", options.report));
  return tested.Refuted() ? kClaimRefuted : 0;
}

}  // namespace

void AddProbe(Command& app, Context& context) {
  auto* command = app.AddVerb("probe", "Prove a lower bound on the loss of any program, from its answers");
  command->Footer(
      "Example:\n  kith probe --left './count a.csv' --right './count b.csv' --runs 20000 --claimed 1\n"
      "  kith probe --left 'python3 noisy.py a.csv {runs}' --right 'python3 noisy.py b.csv {runs}' --batch --runs "
      "100000\n"
      "  kith probe --left http://127.0.0.1:8080/a --right http://127.0.0.1:8081/a --runs 5000 --pick "
      "/answer/rows/0/0\n\n"
      "a.csv and b.csv differ in one person. {run} becomes the number of the run: use it to ask a program that stores "
      "its\n"
      "answers a new question each time. With --claimed, exit code 1 says that the claim is wrong.");
  auto options = std::make_shared<ProbeOptions>();
  command->AddOption("--left", options->left, "A command, or an address http://..., on the first database")->Required();
  command->AddOption("--right", options->right, "The same on the second database")->Required();
  command->AddOption("--runs", options->collect.runs, "Runs on each side, at least 100")->Required();
  auto* claim = command->AddOption("--claimed", options->claimed, "The loss (epsilon) that is promised");
  command->AddOption("--delta", options->delta, "Prove the loss at this delta (0 if it is left out)");
  command->AddFlag("--batch", options->collect.batch,
                   "One process answers all runs, one line each; {runs} is their number");
  command->AddFlag("--shell", options->collect.shell, "Hand the commands to /bin/sh");
  auto* timeout =
      command->AddOption("--timeout", options->collect.seconds, "Seconds for one run (30) or one batch (600)");
  command->AddOption("--pick", options->collect.places, "Where in a JSON answer the number is; may be repeated");
  command->AddOption("--body", options->collect.body, "POST this JSON to the address instead of GET");
  command->AddOption("--report", options->report, "Also write a report, as one HTML file");
  command->AddFlag("--json", options->json, "Machine-readable output, full precision");
  command->Run([options, claim, timeout, &context] {
    options->has_claim = claim->given();
    if (!timeout->given() && options->collect.batch) options->collect.seconds = 600;
    context.exit_code = RunProbe(*options, *context.cancel);
  });
}

}  // namespace kith::cli::lab
