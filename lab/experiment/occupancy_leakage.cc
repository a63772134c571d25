// Curves of leakage, composition on held-out days, the exclusion attack and the choice of epsilons.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/conclusion.h"
#include "experiment/occupancy_figures.h"
#include "experiment/simulate.h"
#include "leakage/choose.h"

namespace kith::experiment {
namespace {

using one_sided::SensitivityLaw;

constexpr double kLargest = 10;  // epsilon of the published objective
constexpr std::array<const char*, 2> kBuildings = {"workplace", "homes"};

double Rate(double epsilon) { return -std::expm1(-epsilon); }

/// I_i: about itself and all others.
double InformationOf(const SensitivityLaw& law, std::size_t i, double rate) {
  double sum = 0;
  for (std::size_t j = 0; j < law.attributes(); ++j) sum += one_sided::Information(law, i, j, rate);
  return sum;
}

std::vector<double> Steps(double from, double to, std::size_t steps) {
  std::vector<double> values;
  for (std::size_t k = 0; k <= steps; ++k)
    values.push_back(from + (to - from) * static_cast<double>(k) / static_cast<double>(steps));
  return values;
}

}  // namespace

Result<Figure> LeakageCurves(const Occupancy& occupancy) {
  Figure figure{"osdp-curves", "I_i and f1 as functions of epsilon, with their limits", "", {}, {}};
  std::string here;
  for (const char* name : kBuildings) {
    const auto counted = CountBuilding(occupancy, name);
    if (!counted) continue;
    const SensitivityLaw& law = counted->law;
    Panel information{std::string(name) + "_information",
                      std::string(name) + ": what one application learns in all (Eq. 21)",
                      "epsilon",
                      "I_i, nats",
                      false,
                      false,
                      {}};
    for (std::size_t i = 0; i < kAttributes; ++i) {
      for (const double epsilon : Steps(0, 6, 48))
        information.points.push_back(
            {AttributeNames()[i], epsilon, Exactly(InformationOf(law, i, Rate(epsilon))), epsilon});
    }
    figure.panels.push_back(std::move(information));
    Panel factors{std::string(name) + "_factors",
                  std::string(name) + ": factor on the odds of j when i stays away (Theorem 2)",
                  "epsilon",
                  "f1",
                  false,
                  true,
                  {}};
    const auto pairs = PairsOf(law);
    for (const std::size_t at : {pairs.size() - 1, pairs.size() / 2, std::size_t{0}}) {
      const OrderedPair& pair = pairs[at];
      for (const double epsilon : Steps(0, 6, 48)) {
        factors.points.push_back(
            {NameOf(pair), epsilon, Exactly(one_sided::SuppressedFactor(pair.dependence, epsilon)), epsilon});
      }
      for (const double epsilon : {0.0, 6.0})
        factors.points.push_back({NameOf(pair) + ": d1/d2", epsilon, Exactly(pair.Limit()), 0});
    }
    figure.panels.push_back(std::move(factors));
    const OrderedPair &strong = pairs.back(), &weak = pairs.front();
    here += fmt::format(
        "{}{}: f1(0) = 1, {} goes to d1/d2 = {:.3f} (f1 = {:.3f} at epsilon 6), {} to {:.3f}; I of start goes to "
        "{:.3f} "
        "nats, of level to {:.3f}",
        here.empty() ? "" : ". ", name, NameOf(strong), strong.Limit(),
        one_sided::SuppressedFactor(strong.dependence, 6), NameOf(weak), weak.Limit(), InformationOf(law, 0, 1),
        InformationOf(law, 4, 1));
  }
  if (figure.panels.empty()) return CountBuilding(occupancy, "workplace").error();
  Conclude(
      figure,
      "f1(0) = 1, f1 goes to d1/d2 as epsilon grows, is 1 under independence; I_i is written out as a function of "
      "epsilon. No curve is drawn.",
      here + ".",
      "they agree: these are the paper's formulas on laws that were counted. I_i stays finite, which is why the sum of "
      "epsilons is no good objective (osdp-optimum).");
  return figure;
}

namespace {

struct Served2 {
  OrderedPair pair;
  double epsilon_j = 0;
};

/// Odds of j among held-out days of which neither record was released, over its odds before. Add-half, so that few
/// days give a number.
double ObservedFactor(const Counted& counted, const Served2& served, double epsilon_i, Simulated& draws) {
  double before[2] = {0.5, 0.5}, away[2] = {0.5, 0.5};
  for (const DayRecord& record : counted.halves.held_out) {
    const bool i = counted.rule.Sensitive(record, served.pair.i), j = counted.rule.Sensitive(record, served.pair.j);
    const bool i_away = !draws.Chance(Rate(epsilon_i)) || i, j_away = !draws.Chance(Rate(served.epsilon_j)) || j;
    ++before[j];
    if (i_away && j_away) ++away[j];
  }
  return (away[1] / away[0]) / (before[1] / before[0]);
}

}  // namespace

Result<Figure> CancellingAndReinforcing(const Occupancy& occupancy, const Settings& settings,
                                        const CancelFlag& cancel) {
  Figure figure{
      "osdp-collusion", "two applications pool what stayed away: answers that reinforce and that cancel", "", {}, {}};
  std::string here;
  std::uint64_t part = 20;
  const double at = NearestTo(settings.epsilons, 1);
  for (const char* name : kBuildings) {
    const auto counted = CountBuilding(occupancy, name);
    if (!counted) continue;
    const auto pairs = PairsOf(counted->law);
    for (const bool reinforcing : {true, false}) {
      const OrderedPair& pair = reinforcing ? pairs.back() : pairs.front();
      // Where they cancel, the other epsilon is such that they do so fully at 1 if that is possible.
      const double f1 = one_sided::SuppressedFactor(pair.dependence, 1);
      const Served2 served{pair, f1 < 1 ? -std::log(f1) : 0.5};
      const auto held = one_sided::Dependence(counted->held_out, pair.i, pair.j);
      Panel panel{fmt::format("{}_{}", name, reinforcing ? "reinforcing" : "cancelling"),
                  fmt::format("{}: {}, the other epsilon {:.2f}", name, NameOf(pair), served.epsilon_j),
                  "epsilon of " + AttributeNames()[pair.i],
                  "factor on the odds of " + AttributeNames()[pair.j],
                  true,
                  true,
                  {}};
      double predicted_at_1 = 0, observed_at_1 = 0;
      for (const double epsilon : settings.epsilons) {
        const double own = std::exp(served.epsilon_j);
        const double predicted = own * one_sided::SuppressedFactor(pair.dependence, epsilon);
        Simulated draws(SeedOf(settings.seed, part));
        std::vector<double> observed;
        for (std::size_t r = 0; r < 20 * settings.repetitions; ++r) {
          if (cancel.cancelled()) return Cancelled("the experiment was stopped");
          observed.push_back(std::log(ObservedFactor(*counted, served, epsilon, draws)));
        }
        const Estimate logs = MeanWithInterval(observed);  // of logarithms: ratios of few days are skewed
        const Estimate seen{std::exp(logs.mean), std::exp(logs.low), std::exp(logs.high)};
        panel.points.push_back({"both together: predicted (Theorem 4)", epsilon, Exactly(predicted), epsilon});
        panel.points.push_back({"both together: seen on held-out days", epsilon, seen, epsilon});
        if (held)
          panel.points.push_back({"predicted from the held-out days' own law", epsilon,
                                  Exactly(own * one_sided::SuppressedFactor(*held, epsilon)), epsilon});
        panel.points.push_back({"its own record alone", epsilon, Exactly(own), epsilon});
        if (epsilon == at) {
          predicted_at_1 = predicted;
          observed_at_1 = seen.mean;
        }
      }
      ++part;
      here += fmt::format(
          "{}{}, {}: d1 = {:.2f}, d2 = {:.2f}; its own record alone x {:.2f}, both x {:.2f} predicted and "
          "x {:.2f} seen at epsilon {:g}",
          here.empty() ? "" : ". ", name, NameOf(pair), pair.dependence.d1, pair.dependence.d2,
          std::exp(served.epsilon_j), predicted_at_1, observed_at_1, at);
      figure.panels.push_back(std::move(panel));
    }
  }
  if (figure.panels.empty()) return CountBuilding(occupancy, "workplace").error();
  Conclude(
      figure,
      "with d1 < d2 two suppressed records may cancel (f1 e^epsilon about 1), with d1 > d2 they reinforce each other.",
      here + ".",
      "Theorem 4 is exact for two attributes, so what is seen differs from what is predicted only where the law of the "
      "consented days is not that of the held-out ones: the line from the held-out days' own law shows how much.");
  return figure;
}

namespace {

/// Of held-out records that stayed away (after `tries` tries each): how many are sensitive, and how many have another
/// attribute sensitive.
struct Away {
  double sensitive = 0, other = 0, all = 0;
};

Away Withheld(const Counted& counted, std::size_t i, std::size_t j, double release, int tries, Simulated& draws) {
  Away away;
  for (const DayRecord& record : counted.halves.held_out) {
    const bool sensitive = counted.rule.Sensitive(record, i);
    bool released = false;
    for (int t = 0; t < tries && !released; ++t) released = draws.Chance(release) && !sensitive;
    if (released) continue;
    ++away.all;
    away.sensitive += sensitive;
    away.other += counted.rule.Sensitive(record, j);
  }
  return away;
}

struct AttackPanels {
  Panel own, other, tries;
};

}  // namespace

Result<Figure> ExclusionAttack(const Occupancy& occupancy, const Settings& settings, const CancelFlag& cancel) {
  Figure figure{"osdp-exclusion", "what the absence of a record tells: naive suppression beside OSDPRR", "", {}, {}};
  std::string here;
  std::uint64_t part = 40;
  const double at = NearestTo(settings.epsilons, 1);
  for (const char* name : kBuildings) {
    const auto counted = CountBuilding(occupancy, name);
    if (!counted) continue;
    const std::size_t i = 0;
    std::size_t j = 4;
    for (const OrderedPair& pair : PairsOf(counted->law)) {
      if (pair.i == i) j = pair.j;  // the last one is reinforced most
    }
    Simulated none(0);
    const Away before = Withheld(*counted, i, j, 0, 1, none), naive = Withheld(*counted, i, j, 1, 1, none);
    const double prior = before.sensitive / before.all;
    const double prior_odds = prior / (1 - prior);
    const auto probability = [](double odds) { return odds / (1 + odds); };
    AttackPanels panels{{std::string(name) + "_own",
                         std::string(name) + ": a start that stayed away",
                         "epsilon",
                         "share that is sensitive",
                         true,
                         false,
                         {}},
                        {std::string(name) + "_other",
                         fmt::format("{}: {} of a day whose start stayed away", name, AttributeNames()[j]),
                         "epsilon",
                         "share that is sensitive",
                         true,
                         false,
                         {}},
                        {std::string(name) + "_tries",
                         std::string(name) + ": asked again and again, epsilon 0.5 each time",
                         "tries",
                         "share that is sensitive",
                         false,
                         false,
                         {}}};
    const auto simulate = [&](double release, int tries) -> Result<std::pair<Estimate, Estimate>> {
      Simulated draws(SeedOf(settings.seed, part));
      std::vector<double> own, other;
      for (std::size_t r = 0; r < 20 * settings.repetitions; ++r) {
        if (cancel.cancelled()) return Cancelled("the experiment was stopped");
        const Away away = Withheld(*counted, i, j, release, tries, draws);
        own.push_back(away.sensitive / away.all);
        other.push_back(away.other / away.all);
      }
      return std::pair{MeanWithInterval(own), MeanWithInterval(other)};
    };
    double at_1 = 0, bound_at_1 = 0;
    for (const double epsilon : settings.epsilons) {
      const auto seen = simulate(Rate(epsilon), 1);
      if (!seen) return seen.error();
      const double bound = probability(prior_odds * std::exp(epsilon));
      panels.own.points.push_back({"naive suppression", epsilon, Exactly(naive.sensitive / naive.all), 0});
      panels.own.points.push_back({"OSDPRR (seen)", epsilon, seen->first, epsilon});
      panels.own.points.push_back({"e^epsilon on the odds (Theorem 1)", epsilon, Exactly(bound), epsilon});
      panels.own.points.push_back({"before", epsilon, Exactly(prior), 0});
      panels.other.points.push_back({"naive suppression", epsilon, Exactly(naive.other / naive.all), 0});
      panels.other.points.push_back({"OSDPRR (seen)", epsilon, seen->second, epsilon});
      panels.other.points.push_back({"before", epsilon, Exactly(before.other / before.all), 0});
      if (epsilon == at) {
        at_1 = seen->first.mean;
        bound_at_1 = bound;
      }
    }
    for (const int tries : {1, 2, 3, 5, 8, 12}) {
      const auto seen = simulate(Rate(0.5), tries);
      if (!seen) return seen.error();
      const auto n = static_cast<double>(tries);
      panels.tries.points.push_back({"naive suppression", n, Exactly(naive.sensitive / naive.all), 0});
      panels.tries.points.push_back({"OSDPRR (seen)", n, seen->first, n / 2});
      panels.tries.points.push_back(
          {"e^(n epsilon) on the odds", n, Exactly(probability(prior_odds * std::exp(n / 2))), n / 2});
    }
    ++part;
    here += fmt::format(
        "{}{}: {:.0f} % of held-out starts are sensitive; of those that stay away {:.0f} % under naive suppression, "
        "{:.0f} % with OSDPRR at epsilon {:g} (Theorem 1 says {:.0f} %); {} is sensitive on {:.0f} % of all days and "
        "on "
        "{:.0f} % of those away under naive suppression",
        here.empty() ? "" : ". ", name, 100 * prior, 100 * naive.sensitive / naive.all, 100 * at_1, at,
        100 * bound_at_1, fmt::format("\"{}\"", AttributeNames()[j]), 100 * before.other / before.all,
        100 * naive.other / naive.all);
    figure.notes.push_back(
        fmt::format("{}: {}; {} consented days (for the rule and the choice of the other attribute) "
                    "and {} held-out ones, which are attacked.",
                    name, counted->rule.Words(i), counted->halves.consented.size(), counted->halves.held_out.size()));
    for (Panel* panel : {&panels.own, &panels.other, &panels.tries}) figure.panels.push_back(std::move(*panel));
  }
  if (figure.panels.empty()) return CountBuilding(occupancy, "workplace").error();
  Conclude(
      figure,
      "whoever releases every record that is not sensitive tells with certainty which ones are; OSDPRR keeps the odds "
      "within e^epsilon, n tries within e^(n epsilon).",
      here + ".",
      "they agree. Naive suppression is OSDPRR with an infinite epsilon, and asking again leads there: twelve tries at "
      "0.5 are one at 6.");
  return figure;
}

Result<Figure> ChosenEpsilons(const Occupancy& occupancy) {
  Figure figure{"osdp-optimum", "the epsilons that one may give for a total leakage T, by two objectives", "", {}, {}};
  std::string here;
  for (const char* name : kBuildings) {
    const auto counted = CountBuilding(occupancy, name);
    if (!counted) continue;
    const SensitivityLaw& law = counted->law;
    std::vector<one_sided::Served> served;
    double most = 0, possible = 0;
    for (const std::size_t i : {std::size_t{0}, std::size_t{4}}) {
      one_sided::Served one;
      one.open = one.value = 1 - law.Sensitive(i);
      for (std::size_t j = 0; j < kAttributes; ++j) {
        if (j != i)
          one.dependents.push_back({law.Sensitive(j), law.OpenGiven(i, j, false).value_or(0),
                                    law.OpenGiven(i, j, true).value_or(0), std::nullopt});
      }
      most += one_sided::Leakage(one, 1);
      possible += one.value;
      served.push_back(std::move(one));
    }
    Panel worth{std::string(name) + "_records",
                std::string(name) + ": records released, of those not sensitive",
                "T, nats",
                "share",
                false,
                false,
                {}};
    Panel sum{std::string(name) + "_sum",
              std::string(name) + ": sum of epsilons (at most 10 each)",
              "T, nats",
              "epsilon",
              false,
              false,
              {}};
    Panel each{std::string(name) + "_epsilons",
               std::string(name) + ": epsilon of each attribute",
               "T, nats",
               "epsilon",
               false,
               false,
               {}};
    const auto cut = [](double epsilon) { return std::min(epsilon, kLargest); };
    std::string half;
    for (const double part : Steps(0.05, 1, 19)) {
      const double total = part * most;
      const auto convex = one_sided::Choose(served, total, one_sided::Closure::kSuppress);
      if (!convex) return convex.error();
      const auto published = one_sided::ChooseSumOfEpsilon(served, total, kLargest, one_sided::Closure::kSuppress);
      if (!published) return published.error();
      for (const bool paper : {true, false}) {
        const one_sided::Choice& choice = paper ? *published : *convex;
        const std::string method = paper ? "max. sum of epsilon (paper)" : "max. records (convex)";
        double records = 0, epsilons = 0;
        for (std::size_t k = 0; k < served.size(); ++k) {
          records += served[k].value * choice.attributes[k].rate;
          epsilons += cut(choice.attributes[k].epsilon);
          each.points.push_back({fmt::format("{} ({})", AttributeNames()[k == 0 ? 0 : 4], paper ? "paper" : "convex"),
                                 total, Exactly(cut(choice.attributes[k].epsilon)), 0});
        }
        worth.points.push_back({method, total, Exactly(records / possible), 0});
        sum.points.push_back({method, total, Exactly(epsilons), 0});
        if (std::abs(part - 0.5) < 1e-9)
          half +=
              fmt::format("{}{} ({:.2f}, {:.2f}) with {:.0f} % of the records", half.empty() ? "" : "; ",
                          paper ? "the paper's objective chooses" : "the convex one", cut(choice.attributes[0].epsilon),
                          cut(choice.attributes[1].epsilon), 100 * records / possible);
      }
    }
    here += fmt::format("{}{}: everything leaks {:.3f} nats; at half of it {} for (start, level)",
                        here.empty() ? "" : ". ", name, most, half);
    for (Panel* panel : {&worth, &sum, &each}) figure.panels.push_back(std::move(*panel));
  }
  if (figure.panels.empty()) return CountBuilding(occupancy, "workplace").error();
  figure.notes.emplace_back("An infinite epsilon is drawn as 10.");
  Conclude(
      figure, "maximise the sum of epsilons subject to a total leakage T; not convex in general, no example is solved.",
      here + ".",
      "leakage stays finite as epsilon grows, so the published objective pours everything into one attribute once T "
      "covers it. In the release rates 1 - e^-epsilon the problem is convex and counts what an application gets.");
  return figure;
}

}  // namespace kith::experiment
