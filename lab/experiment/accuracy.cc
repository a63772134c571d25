#include "experiment/accuracy.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "attack/kmeans.h"
#include "published/laplace_accuracy.h"

namespace kith::experiment {
namespace {

/// The sum of |unit Laplace noise| over some numbers: exponential each.
double UnitError(std::size_t numbers, std::mt19937_64& engine) {
  double sum = 0;
  for (std::size_t k = 0; k < numbers; ++k) sum -= std::log1p(-attack::Uniform(engine));
  return sum;
}

/// The least plain loss with P(error <= alpha) >= sure.
double PlainFor(double sure, double alpha, std::size_t numbers) {
  double low = 1e-9, high = 1e9;
  while (high - low > 1e-9 * high) {
    const double middle = std::sqrt(low * high);
    (published::SumWithin(alpha, 1 / middle, numbers) >= sure ? high : low) = middle;
  }
  return high;
}

Panel PanelFor(const char* file, std::size_t numbers, const std::string& title, double alpha) {
  Panel panel;
  panel.file = file;
  panel.title = fmt::format("{}, {}", title, numbers == 1 ? "one number" : fmt::format("all {} numbers", numbers));
  panel.x_label = "epsilon that the method promises";
  panel.y_label = fmt::format("P(error <= {} sensitivities)", alpha);
  panel.log_x = true;
  return panel;
}

std::vector<std::string> NotesOf(const AccuracyQuestion& question) {
  return {fmt::format(
              "Errors are counted in sensitivities of the question: the publication has alpha = 1000 without a unit. "
              "The answer has {} numbers; section VII takes the sum of their errors, Theorem 10 holds for one.",
              question.numbers),
          "dpm and zhu are published formulas that are not proved here; baseline treats all records as dependent (L = "
          "all), as published. The centroids' sensitivity itself presumes that clusters are fixed and public."};
}

}  // namespace

Result<Figure> Fig8a(Noise& noise, const AccuracyQuestion& question, const Settings& settings,
                     const CancelFlag& cancel) {
  Figure figure{"fig8a", "How likely the error stays within alpha, against epsilon.", "", {}, NotesOf(question)};
  figure.panels = {PanelFor("sum", question.numbers, "Within alpha", question.alpha),
                   PanelFor("theorem10", 1, "Within alpha", question.alpha)};
  // Rare successes need many draws; they cost nothing.
  const std::size_t tries = std::max<std::size_t>(1000, 100 * settings.repetitions);
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const std::size_t numbers = p == 0 ? question.numbers : 1;
    std::vector<double> errors;
    std::mt19937_64 engine(settings.seed);
    for (std::size_t k = 0; k < tries; ++k) errors.push_back(UnitError(numbers, engine));
    for (const Method& method : Methods()) {
      for (const double epsilon : settings.epsilons) {
        if (cancel.cancelled()) return Cancelled("the experiment was stopped");
        const auto plain = noise.PlainLoss(method, epsilon);
        if (!plain) return plain.error();
        std::size_t hits = 0;
        for (const double error : errors) hits += error <= question.alpha * *plain ? 1 : 0;
        figure.panels[p].points.push_back({method.name, epsilon, ShareOf(hits, tries), *plain});
      }
    }
    if (settings.progress) settings.progress(0.5 * static_cast<double>(p + 1));
  }
  return figure;
}

Result<Figure> Fig8b(Noise& noise, const AccuracyQuestion& question, const Settings& settings,
                     const CancelFlag& cancel) {
  Figure figure{
      "fig8b", "The epsilon that it takes to be within alpha, against how surely.", "", {}, NotesOf(question)};
  figure.notes.emplace_back("Computed from the law of the noise: nothing is drawn, so there are no intervals.");
  figure.panels = {PanelFor("sum", question.numbers, "Epsilon needed", question.alpha),
                   PanelFor("theorem10", 1, "Epsilon needed", question.alpha)};
  const std::vector<double> sure = {0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99};
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    Panel& panel = figure.panels[p];
    std::swap(panel.x_label, panel.y_label);
    panel.log_x = false;
    panel.log_y = true;
    for (const Method& method : Methods()) {
      for (const double s : sure) {
        if (cancel.cancelled()) return Cancelled("the experiment was stopped");
        const double plain = PlainFor(s, question.alpha, p == 0 ? question.numbers : 1);
        const auto epsilon = noise.Promised(method, plain);
        if (!epsilon) return epsilon.error();
        panel.points.push_back({method.name, s, {*epsilon, *epsilon, *epsilon}, plain});
      }
      if (settings.progress)
        settings.progress(static_cast<double>(panel.points.size()) /
                              static_cast<double>(Methods().size() * sure.size()) / 2 +
                          0.5 * static_cast<double>(p));
    }
  }
  return figure;
}

}  // namespace kith::experiment
