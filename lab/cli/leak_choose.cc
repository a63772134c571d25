// Which epsilons to choose. Where the law is known only within limits, what is chosen holds for the worst of them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/leak_study.h"

namespace kith::cli::lab {
namespace {

using one_sided::Choice;
using one_sided::Closure;
using one_sided::LawSet;
using one_sided::Observation;
using one_sided::Served;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool HasSecret(const LeakageModel& model, std::size_t attribute) {
  const double theta = model.law.Sensitive(attribute);
  return theta > 0 && theta < 1;
}

/// The largest factor that a suppressed, or a released, record of `i` puts on the odds of `j`.
double WorstFactor(const LawSet& set, std::size_t i, std::size_t j, double epsilon, bool released) {
  const Observation one{i, epsilon, released ? 0 : 1, released};
  std::vector<bool> marked(set.size());
  std::vector<double> likelihood(set.size());
  for (std::size_t state = 0; state < set.size(); ++state) {
    marked[state] = (state >> j & 1U) == 0;
    likelihood[state] = one_sided::Likelihood(one, (state >> i & 1U) != 0);
  }
  const auto over = one_sided::FactorOver(set, marked, likelihood);
  return over ? over->high : 1;
}

/// The largest epsilon of `i` under which no law of the set lets the odds of `j` grow by more than e^kappa. The worst
/// factor of a suppressed record grows with epsilon.
double LargestAtWorst(const LawSet& set, std::size_t i, std::size_t j, double kappa) {
  const double most = std::exp(kappa) * (1 + 1e-12);
  if (WorstFactor(set, i, j, 1, true) > most) return 0;
  if (WorstFactor(set, i, j, kInfinity, false) <= most) return kInfinity;
  double low = 0, high = 64;
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2;
    (WorstFactor(set, i, j, middle, false) <= most ? low : high) = middle;
  }
  return low;
}

/// Every attribute that is served to some application (all, if there are none), with all others as dependents.
std::vector<Served> ServedOf(ChoiceReport& report) {
  const LeakageModel& model = report.model;
  std::vector<Served> attributes;
  for (std::size_t i = 0; i < model.names.size(); ++i) {
    const bool is_served = std::any_of(model.applications.begin(), model.applications.end(),
                                       [&](const Application& one) { return one.epsilons[i] > 0; });
    if (!model.applications.empty() && !is_served) continue;
    Served served;
    served.open = 1 - model.law.Sensitive(i);
    served.value = model.worth[i] * served.open;
    served.kappa = HasSecret(model, i) ? model.kappa[i] : std::nullopt;
    report.possible += served.value;
    report.served.push_back(i);
    report.dependents.emplace_back();
    report.worst_cap.emplace_back();
    for (std::size_t j = 0; j < model.names.size(); ++j) {
      if (j == i || !HasSecret(model, j)) continue;
      served.dependents.push_back({model.law.Sensitive(j), *model.law.OpenGiven(i, j, false),
                                   *model.law.OpenGiven(i, j, true), model.kappa[j]});
      report.dependents.back().push_back(j);
      if (!model.set || !model.kappa[j]) continue;
      // A cap on epsilon is one on what the record says about itself: its own odds grow by e^epsilon under every law.
      const double most = LargestAtWorst(*model.set, i, j, *model.kappa[j]);
      if (most >= served.kappa.value_or(kInfinity)) continue;
      served.kappa = most;
      report.worst_cap.back() = j;
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

/// The sum over served attributes of what each says at worst: not less than the worst sum.
double WorstLeakage(const ChoiceReport& report, const Choice& choice) {
  double sum = 0;
  for (std::size_t k = 0; k < report.served.size(); ++k) {
    const std::size_t i = report.served[k];
    for (std::size_t j = 0; j < report.model.names.size(); ++j) {
      if (i == j || HasSecret(report.model, j))
        sum += one_sided::InformationOver(*report.model.set, i, j, choice.attributes[k].rate);
    }
  }
  return sum;
}

}  // namespace

Result<ChoiceReport> StudyChoice(std::string file, LeakageModel model, const ChoiceQuestion& question) {
  ChoiceReport report{std::move(file),
                      {},
                      std::move(model),
                      question.objective,
                      question.total,
                      question.largest_epsilon.value_or(0),
                      {},
                      {},
                      {},
                      {},
                      {},
                      0,
                      0,
                      std::nullopt,
                      {},
                      std::nullopt};
  const std::vector<Served> attributes = ServedOf(report);
  const Closure closure = question.closure == "refuse" ? Closure::kRefuse : Closure::kSuppress;
  const bool records = question.objective == "records";
  if (!records && !question.largest_epsilon)
    return InvalidArgument("the sum of epsilon has no maximum: leakage stays finite as epsilon grows",
                           "--objective sum-epsilon", "add --largest-epsilon 10, or use --objective records");
  const auto choose = [&](double total) {
    return records ? one_sided::Choose(attributes, total, closure)
                   : one_sided::ChooseSumOfEpsilon(attributes, total, *question.largest_epsilon, closure);
  };
  auto choice = choose(question.total);
  if (!choice) return choice.error();
  report.choice = std::move(*choice);
  if (report.model.set) {
    // A smaller total for the law in the middle, so small that the worst law keeps to the one that was asked for.
    double low = 0, high = question.total;
    bool found = WorstLeakage(report, report.choice) <= question.total;
    const int steps = found ? 0 : 20;
    for (int k = 0; k < steps; ++k) {
      const double middle = (low + high) / 2;
      auto less = choose(middle);
      if (!less) return less.error();
      const bool fits = WorstLeakage(report, *less) <= question.total;
      (fits ? low : high) = middle;
      if (!fits) continue;
      report.choice = std::move(*less);
      found = true;
    }
    if (!found)
      return InvalidArgument("no choice keeps the total under every law within the limits", report.file,
                             "count a larger sample, or allow more");
    report.worst = WorstLeakage(report, report.choice);
  }
  if (records) {
    const auto drawn = AddCurve(attributes, closure, report);
    if (!drawn) return drawn.error();
    return report;
  }
  auto other = one_sided::Choose(attributes, question.total, closure);
  if (!other) return other.error();
  report.other = std::move(*other);
  return report;
}

}  // namespace kith::cli::lab
