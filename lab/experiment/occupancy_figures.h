// The figures of the one-sided paper on occupancy: the pattern and its attributes (Fig. 1), applications and what they
// can learn from each other (Fig. 2), the lighting schedule, leakage curves, composition, the exclusion attack, the
// choice of epsilons. Source: Lee, Smith, "Privacy Leakage over Dependent Attributes in One-Sided Differential
// Privacy"; docs/theory/published.md#one-sided-leakage.
#pragma once
#include "base/cancel.h"
#include "base/result.h"
#include "experiment/figure.h"
#include "experiment/occupancy.h"

namespace kith::experiment {

Result<Figure> OccupancyPattern(const Occupancy& occupancy);
Result<Figure> ApplicationsDiagram(const Occupancy& occupancy);
Result<Figure> LightingSchedule(const Occupancy& occupancy, const Settings& settings, const CancelFlag& cancel);
Result<Figure> LeakageCurves(const Occupancy& occupancy);
Result<Figure> CancellingAndReinforcing(const Occupancy& occupancy, const Settings& settings, const CancelFlag& cancel);
Result<Figure> ExclusionAttack(const Occupancy& occupancy, const Settings& settings, const CancelFlag& cancel);
Result<Figure> ChosenEpsilons(const Occupancy& occupancy);

/// The time at which lights go on, in minutes: 8:00, or the mean start where that is after 9:00.
double LightsOn(const std::vector<double>& starts);

/// A building's days, counted: the rule and the law come only from the consented half.
struct Counted {
  const Building* building = nullptr;
  std::vector<DayRecord> records;
  Halves halves;
  SensitiveRule rule;
  one_sided::SensitivityLaw law;       // of the consented half
  one_sided::SensitivityLaw held_out;  // of the other half, to distinguish a wrong law from chance
};
Result<Counted> CountBuilding(const Occupancy& occupancy, const std::string& name);

/// An ordered pair: what attribute i gives away about attribute j.
struct OrderedPair {
  std::size_t i = 0, j = 0;
  one_sided::PairDependence dependence;
  double Limit() const { return dependence.d1 / dependence.d2; }
};
std::string NameOf(const OrderedPair& pair);  // "start -> level"
/// All pairs with a secret, the most cancelling first, the most reinforcing last.
std::vector<OrderedPair> PairsOf(const one_sided::SensitivityLaw& law);

}  // namespace kith::experiment
