#include "cli/leak_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "leakage/entropy.h"
#include "loss/loss_text.h"

namespace kith::cli::lab {
namespace {

using leakage::Seen;
using leakage::ValueLaw;
using one_sided::LawSet;
using one_sided::Observation;
using one_sided::Range;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLevel = 0.01;  // of the test of what was observed

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

bool Open(std::size_t state, std::size_t attribute) { return (state >> attribute & 1U) != 0; }

std::vector<bool> Sensitive(const LawSet& states, std::size_t attribute) {
  std::vector<bool> marked(states.size());
  for (std::size_t state = 0; state < states.size(); ++state) marked[state] = !Open(state, attribute);
  return marked;
}

std::vector<double> LikelihoodOf(const std::vector<std::size_t>& states, const std::vector<Observation>& seen) {
  std::vector<double> likelihood(states.size(), 1.0);
  for (std::size_t k = 0; k < states.size(); ++k) {
    for (const Observation& one : seen) likelihood[k] *= one_sided::Likelihood(one, Open(states[k], one.attribute));
  }
  return likelihood;
}

std::vector<std::size_t> AllStates(const LawSet& set) {
  std::vector<std::size_t> states(set.size());
  for (std::size_t k = 0; k < states.size(); ++k) states[k] = k;
  return states;
}

PairLine::Worst WorstOf(const LawSet& set, const PairLine& line) {
  const auto marked = Sensitive(set, line.about);
  const auto factor = [&](double epsilon, bool released) {
    const Observation one{line.served, epsilon, released ? 0 : 1, released};
    const auto over = one_sided::FactorOver(set, marked, LikelihoodOf(AllStates(set), {one}));
    return over ? over->high : 1;
  };
  return {factor(line.epsilon, false), factor(kInfinity, false), factor(1, true),
          one_sided::InformationOver(set, line.served, line.about, RateOf(line.epsilon))};
}

void AddPairs(LeakageReport& report) {
  const LeakageModel& model = report.model;
  for (const Application& application : model.applications) {
    for (std::size_t i = 0; i < model.names.size(); ++i) {
      if (!(application.epsilons[i] > 0)) continue;
      ServedLine served{application.name, i, application.epsilons[i], 0, std::nullopt};
      for (std::size_t j = 0; j < model.names.size(); ++j) {
        const auto pair = one_sided::Dependence(model.law, i, j);
        if (!pair) continue;
        PairLine line{application.name, i, j, application.epsilons[i], *pair, 0, 0, 0, 0, false, std::nullopt};
        line.stayed_away = one_sided::SuppressedFactor(*pair, line.epsilon);
        line.limit = one_sided::SuppressedFactor(*pair, kInfinity);
        line.released = one_sided::ReleasedFactor(*pair);
        line.nats = one_sided::Information(model.law, i, j, RateOf(line.epsilon));
        if (model.set) line.worst = WorstOf(*model.set, line);
        const double most = line.worst ? line.worst->released : line.released;
        line.closed = model.kappa[j] && most > std::exp(*model.kappa[j]);
        served.nats += line.nats;
        if (line.worst) served.worst = served.worst.value_or(0) + line.worst->nats;
        report.pairs.push_back(line);
      }
      report.served.push_back(served);
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
      InformationLine line{name, j, one_sided::JointInformation(model.law, j, rates),
                           one_sided::Coin(model.law.Sensitive(j)), std::nullopt};
      if (model.set) line.worst = one_sided::JointInformationBound(*model.set, j, rates);
      report.information.push_back(line);
    }
  };
  for (const Application& application : model.applications) add(application.name, application.epsilons);
  if (model.applications.size() > 1) add({}, Together(model));
}

std::string Words(const LeakageModel& model, const Seen& seen) {
  std::vector<std::string> away, released;
  for (const Observation& one : seen.observations) {
    if (!one.released) {
      away.push_back(fmt::format("{} (epsilon {} in all)", model.names[one.attribute], LossText(one.epsilon)));
      continue;
    }
    std::string value;
    for (const auto& [variable, which] : seen.values) {
      const auto& of = model.values->variables[variable];
      if (of.attribute == one.attribute) value = " as " + of.values[which];
    }
    released.push_back(model.names[one.attribute] + value);
  }
  std::string words = "After ";
  if (!away.empty()) words += fmt::format("the suppression of {}", fmt::join(away, ", "));
  if (!away.empty() && !released.empty()) words += " and ";
  if (!released.empty()) words += fmt::format("the release of {}", fmt::join(released, ", "));
  return words;
}

Result<std::vector<OddsLine>> OddsOf(const LeakageModel& model, const std::vector<Observation>& seen) {
  std::vector<OddsLine> lines;
  for (std::size_t j = 0; j < model.names.size(); ++j) {
    if (!HasSecret(model, j)) continue;
    const auto odds = one_sided::OddsAfter(model.law, j, seen);
    if (!odds) return odds.error();
    OddsLine line{j, *odds, std::nullopt, std::nullopt};
    if (model.set) {
      const auto marked = Sensitive(*model.set, j);
      const auto likelihood = LikelihoodOf(AllStates(*model.set), seen);
      line.posterior = one_sided::OddsOver(*model.set, marked, likelihood);
      line.factor = one_sided::FactorOver(*model.set, marked, likelihood);
    }
    lines.push_back(line);
  }
  return lines;
}

double ShareOf(double odds) { return std::isinf(odds) ? 1 : odds / (1 + odds); }

/// Every value of every variable that was not itself seen.
Result<std::vector<ValueLine>> ValuesAfter(const ValueLaw& law, const Seen& seen) {
  auto likelihood = LikelihoodOf(law.state, seen.observations);
  for (std::size_t cell = 0; cell < likelihood.size(); ++cell) {
    for (const auto& [variable, value] : seen.values) {
      if (law.variables[variable].of[cell] != value) likelihood[cell] = 0;
    }
  }
  double all = 0;
  for (std::size_t cell = 0; cell < likelihood.size(); ++cell) all += law.set.inside()[cell] * likelihood[cell];
  if (!(all > 0))
    return InvalidArgument("this cannot be observed: the law gives it probability 0", {},
                           "a sensitive record is never released; check the law and what was seen");
  std::vector<ValueLine> lines;
  for (std::size_t v = 0; v < law.variables.size(); ++v) {
    const auto& variable = law.variables[v];
    for (std::size_t value = 0; value < variable.values.size(); ++value) {
      ValueLine line{v, value, 0, 0, std::nullopt};
      std::vector<bool> marked(likelihood.size());
      for (std::size_t cell = 0; cell < likelihood.size(); ++cell) {
        marked[cell] = variable.of[cell] == value;
        if (!marked[cell]) continue;
        line.before += law.set.inside()[cell];
        line.after += law.set.inside()[cell] * likelihood[cell] / all;
      }
      if (const auto odds = one_sided::OddsOver(law.set, marked, likelihood))
        line.limits = Range{ShareOf(odds->low), ShareOf(odds->high)};
      lines.push_back(line);
    }
  }
  return lines;
}

/// The range of the mean of `weight` over all laws of the set: the heaviest cells are filled first, or last.
Range MeanOver(const LawSet& set, const std::vector<double>& weight) {
  std::vector<std::size_t> order(set.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weight[a] < weight[b]; });
  const auto filled = [&](const std::vector<std::size_t>& first) {
    double rest = 1, mean = 0;
    for (const Range& cell : set.cells()) rest -= cell.low;
    for (const std::size_t k : first) {
      const Range& cell = set.cells()[k];
      const double more = std::clamp(cell.high - cell.low, 0.0, std::max(0.0, rest));
      rest -= more;
      mean += (cell.low + more) * weight[k];
    }
    return std::clamp(mean, 0.0, 1.0);
  };
  const double low = filled(order), high = filled({order.rbegin(), order.rend()});
  return {low, std::max(low, high)};
}

/// Given whether the target is sensitive, was a row seen like that as often as the law says? Two tests, each with half
/// of the level; a law that was counted gets limits for the states of either kind of rows.
Result<one_sided::Disagreement> CompareAll(const LeakageReport& report, const ObservedCount& count,
                                           const std::vector<Observation>& seen) {
  const LeakageModel& model = report.model;
  one_sided::Disagreement worst;
  for (const bool open : {false, true}) {
    const std::int64_t like = open ? count.of - count.sensitive : count.sensitive;
    const std::int64_t rows = open ? count.all->second - count.all->first : count.all->first;
    std::vector<double> likelihood;
    std::vector<std::int64_t> counts;
    double mass = 0, mean = 0;
    for (std::size_t state = 0; state < model.law.law().size(); ++state) {
      if (Open(state, count.attribute) != open) continue;
      double one_likelihood = 1;
      for (const Observation& one : seen) one_likelihood *= one_sided::Likelihood(one, Open(state, one.attribute));
      likelihood.push_back(one_likelihood);
      counts.push_back(std::llround(model.law.law()[state] * model.sample));
      mass += model.law.law()[state];
      mean += model.law.law()[state] * one_likelihood;
    }
    Range predicted{std::clamp(mean / mass, 0.0, 1.0), std::clamp(mean / mass, 0.0, 1.0)};
    if (model.confidence > 0) {
      const auto limits = leakage::CountedLimits(counts, kLevel / 2);
      if (!limits) return limits.error();
      predicted = MeanOver(*limits, likelihood);
      worst.false_alarm += kLevel / 2;
    }
    const auto found = one_sided::Compare(like, rows, predicted, kLevel / 2);
    worst.p_value = std::min({1.0, worst.p_value, 2 * found.p_value});
    worst.false_alarm += found.false_alarm;
    worst.alarm = worst.alarm || found.alarm;
  }
  return worst;
}

Result<ObservedLine> ObservedOf(const LeakageReport& report, const std::vector<Observation>& seen,
                                const std::string& text) {
  const auto count = leakage::ReadObservedCount(report.model, text);
  if (!count) return count.error();
  const auto line = std::find_if(report.odds.begin(), report.odds.end(),
                                 [&](const OddsLine& one) { return one.about == count->attribute; });
  if (line == report.odds.end())
    return InvalidArgument("this attribute is always or never sensitive: there is nothing to compare", text);
  const double exact = ShareOf(line->odds.posterior);
  ObservedLine observed{*count, {exact, exact}, {}, std::nullopt};
  if (line->posterior) observed.predicted = {ShareOf(line->posterior->low), ShareOf(line->posterior->high)};
  if (!count->all) {
    observed.found = one_sided::Compare(count->sensitive, count->of, observed.predicted, kLevel);
    return observed;
  }
  const auto odds = [](double sensitive, double of) { return sensitive / (of - sensitive); };
  observed.factor = odds(static_cast<double>(count->sensitive), static_cast<double>(count->of)) /
                    odds(static_cast<double>(count->all->first), static_cast<double>(count->all->second));
  const auto found = CompareAll(report, *count, seen);
  if (!found) return found.error();
  observed.found = *found;
  return observed;
}

std::vector<Observation> AllSuppressed(const std::vector<double>& epsilons) {
  std::vector<Observation> seen;
  for (std::size_t a = 0; a < epsilons.size(); ++a) {
    if (epsilons[a] > 0) seen.push_back({a, epsilons[a], 1, false});
  }
  return seen;
}

/// What a policy's ledger says was tried, if none of it was released.
std::vector<double> SpentOf(const LeakageModel& model) {
  std::vector<double> spent(model.names.size(), 0.0);
  for (const ReleasedSoFar& account : model.accounts) {
    const auto index = std::find(model.names.begin(), model.names.end(), account.attribute) - model.names.begin();
    spent[static_cast<std::size_t>(index)] += account.spent;
  }
  return spent;
}

}  // namespace

Result<LeakageReport> StudyLeakage(std::string file, LeakageModel model, const LeakageQuestion& question) {
  LeakageReport report{std::move(file), {}, std::move(model), {}, {}, {}, {}, {}, {}, {}, {}, {}};
  auto seen = leakage::ReadObservations(report.model, question.suppressed, question.released);
  if (!seen) return seen.error();
  const auto everything = AllSuppressed(Together(report.model));
  if (seen->observations.empty()) {
    seen->observations = AllSuppressed(SpentOf(report.model));
    if (seen->observations.empty())
      seen->observations = everything;  // nothing arrives from any application
    else if (auto allowed = OddsOf(report.model, everything))
      report.allowed = std::move(*allowed);
  }
  if (seen->observations.empty())
    return InvalidArgument("nothing is served and nothing was observed", report.file,
                           "add \"applications\" to the model, or --suppressed arrival:3:0.7");
  report.seen = Words(report.model, *seen);
  AddPairs(report);
  AddInformation(report);
  auto odds = OddsOf(report.model, seen->observations);
  if (!odds) return odds.error();
  report.odds = std::move(*odds);
  if (question.naive) {
    auto infinite = seen->observations;
    for (Observation& one : infinite) one.epsilon = kInfinity;
    auto naive = OddsOf(report.model, infinite);
    if (!naive) return naive.error();
    report.naive = std::move(*naive);
  }
  if (report.model.values) {
    auto values = ValuesAfter(*report.model.values, *seen);
    if (!values) return values.error();
    report.values = std::move(*values);
  }
  if (!question.observed.empty()) {
    const auto observed = ObservedOf(report, seen->observations, question.observed);
    if (!observed) return observed.error();
    report.observed = *observed;
  }
  return report;
}

PartialReport StudyPartial(std::string file, PartialModel model) {
  PartialReport report{std::move(file), {}, std::move(model), {}};
  std::vector<double> own(report.model.names.size(), 0.0);
  for (const Application& one : report.model.applications) {
    for (std::size_t a = 0; a < own.size(); ++a) own[a] += one.epsilons[a];
  }
  for (const Application& application : report.model.applications) {
    for (std::size_t i = 0; i < own.size(); ++i) {
      for (std::size_t j = 0; j < own.size() && application.epsilons[i] > 0; ++j) {
        const auto& pair = report.model.limits[i][j];
        PartialReport::Line line{application.name, i, j, application.epsilons[i], {}, {}, {}, 0};
        line.away = one_sided::SuppressedOver(pair, line.epsilon);
        line.released = one_sided::ReleasedOver(pair);
        const double more = i == j ? 1 : std::exp(own[j]);  // Theorem 4: given X_j its own record is independent
        line.own = {line.away.low * more, line.away.high * more};
        line.nats = one_sided::InformationOver(pair, RateOf(line.epsilon));
        report.lines.push_back(line);
      }
    }
  }
  return report;
}

}  // namespace kith::cli::lab
