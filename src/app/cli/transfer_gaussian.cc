#include "app/cli/transfer_gaussian.h"

#include <fmt/format.h>

#include <cmath>

#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "app/cli/unproven.h"
#include "base/text_file.h"
#include "document/gaussian.h"
#include "document/json_line.h"
#include "loss/loss_text.h"
#include "report/chart.h"

namespace kith::cli {
namespace {

using document::GaussianReport;

constexpr double kCurve[] = {0.25, 0.5, 1, 2, 4};

std::string DeltaText(double delta) { return LossText(delta, 3); }

Result<GaussianReport> Report(const Transfer& all, const GaussianOptions& options) {
  GaussianReport report;
  Transfer transfer = all;
  if (!options.mu) {  // as with a pure target: a bound against a stronger adversary wins if it leaves nearly as much
    if (!(options.epsilon > 0 && std::isfinite(options.epsilon))) {
      return InvalidArgument("a dependent loss beside a delta must be positive", "epsilon", "state a number such as 1");
    }
    auto chosen = all.ForBudget(options.epsilon);
    if (!chosen) return chosen.error();
    transfer = std::move(*chosen);
  }
  const auto gaussian = GaussianTransfer::Make(transfer);
  if (!gaussian) return gaussian.error();
  double read_at = 1;  // the plain loss whose assumption and adversary are shown
  report.counts = options.counts;
  if (options.mu) {
    if (!(*options.mu > 0))
      return InvalidArgument("a Gaussian loss must be positive", "mu", "state a number such as 0.2");
    report.mu = *options.mu;
  } else {
    const std::int64_t counts[] = {options.counts};
    const auto methods = NoiseOfManyAnswers(transfer, options.epsilon, options.delta, counts);
    if (!methods) return methods.error();
    const auto budget = gaussian->Budget(options.epsilon, options.delta);
    if (!budget) return budget.error();
    report.target = {options.epsilon, options.delta};
    report.methods = methods->front();
    report.mu = budget->mu;
    read_at = budget->plain_epsilon;
    report.budget = *budget;
  }
  const auto dependent = gaussian->Mu(report.mu);
  if (!dependent) return dependent.error();
  report.dependent_mu = *dependent;
  for (const double epsilon : kCurve) {
    auto loss = gaussian->Delta(report.mu, epsilon);
    if (!loss) return loss.error();
    report.curve.emplace_back(epsilon, std::move(*loss));
  }
  report.noise = std::sqrt(static_cast<double>(report.counts)) / report.mu;
  const auto at = transfer.Loss(read_at);
  if (!at) return at.error();
  report.adversary = at->adversary;
  report.assumption = at->assumption;
  report.unproven = at->unproven;
  return report;
}

std::string Text(const GaussianReport& report, std::size_t width) {
  std::string text = Warning(report.unproven, width);
  if (report.target) {
    text += fmt::format("plain mu {}  →  dependent ({}, {})   (by {})\n", LeftText(report.mu),
                        LossText(report.target->first), DeltaText(report.target->second), report.budget->by);
  } else {
    text += fmt::format("plain mu {}  →  dependent mu {}\n", LeftText(report.mu),
                        report.dependent_mu ? LossText(*report.dependent_mu) : "-");
  }
  text += fmt::format("Normal noise for {}: standard deviation {}\n",
                      report.counts == 1 ? "one count" : fmt::format("each of {} counts", report.counts),
                      LossText(report.noise));  // rounded up, as less noise than that loses more
  if (const auto& m = report.methods) {
    TextTable table({"instead", "standard deviation"});
    table.Add({"Laplace, pure losses added up", Short(m->laplace)});
    const auto add = [&](const char* name, const std::optional<double>& noise) {
      if (noise) table.Add({name, Short(*noise)});
    };
    add("Laplace, one plan read with the delta", m->laplace_delta);
    add("all that may depend as one (group)", m->group);
    text += "\n" + table.Render(width);
  }
  TextTable curve({"dependent epsilon", "delta", "by"});
  for (const auto& [epsilon, loss] : report.curve) curve.Add({LossText(epsilon), DeltaText(loss.delta), loss.by});
  return text + "\n" + curve.Render(width) + "\n" + Labelled("adversary", report.adversary, width) +
         Labelled("assumption", report.assumption, width);
}

/// The noise of each count against how many are asked, by law of noise.
Result<void> Plot(const Transfer& transfer, const GaussianOptions& options) {
  constexpr std::int64_t kCounts[] = {1, 2, 3, 5, 7, 10, 20, 50, 100, 200, 500, 1000};
  const auto rows = NoiseOfManyAnswers(transfer, options.epsilon, options.delta, kCounts);
  if (!rows) return rows.error();
  report::Series laplace, with_delta, normal;
  laplace.name = "Laplace, pure losses added up";
  with_delta.name = "Laplace, one plan read with the delta";
  normal.name = "normal";
  normal.strong = true;
  for (const ManyAnswers& row : *rows) {
    const auto add = [&](report::Series& line, double noise) {
      line.x.push_back(static_cast<double>(row.counts));
      line.y.push_back(noise);
    };
    add(laplace, row.laplace);
    if (row.laplace_delta) add(with_delta, *row.laplace_delta);
    add(normal, row.gaussian);
  }
  report::LineChart chart;
  chart.title =
      fmt::format("Noise of each count at a dependent ({}, {})", LossText(options.epsilon), DeltaText(options.delta));
  chart.x_label = "counts";
  chart.y_label = "standard deviation";
  chart.log_x = chart.log_y = true;
  chart.series = {normal, laplace, with_delta};
  return WriteTextFile(options.plot, report::Svg(chart));
}

}  // namespace

int RunGaussian(const Transfer& transfer, const GaussianOptions& options, const Call& call) {
  const auto report = [&] {
    const Stage stage(call, "bounding the dependence");
    return Report(transfer, options);
  }();
  if (!report) return Fail(report.error(), options.json);
  const auto plotted = options.plot.empty() ? Result<void>() : Plot(transfer, options);
  Show(options.json ? document::JsonLine(*report) : Text(*report, TerminalWidth()));
  if (!plotted) return Fail(plotted.error(), options.json);
  if (!options.json && !options.plot.empty()) Show(fmt::format("\nThe chart is in {}\n", options.plot));
  return 0;
}

}  // namespace kith::cli
