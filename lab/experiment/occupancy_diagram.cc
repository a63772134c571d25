// Fig. 2 of the one-sided paper, from the counted dependence of real days.
#include <fmt/format.h>

#include <array>

#include "experiment/conclusion.h"
#include "experiment/occupancy_figures.h"

namespace kith::experiment {
Result<Figure> ApplicationsDiagram(const Occupancy& occupancy) {
  Figure figure{
      "osdp-fig2", "applications, their queries, the dependence between attributes, and collusion", "", {}, {}};
  std::string here;
  for (const char* name : {"workplace", "homes"}) {
    const auto counted = CountBuilding(occupancy, name);
    if (!counted) continue;
    Panel panel{std::string(name) + "_dependence",
                std::string(name) + ": dependence of attributes",
                "1: d1, 2: d2, 3: f1 at most (d1/d2), 4: f2",
                "probability or factor on the odds",
                false,
                false,
                {}};
    const auto pairs = PairsOf(counted->law);
    for (const OrderedPair& pair : pairs) {
      const std::array<double, 4> numbers = {pair.dependence.d1, pair.dependence.d2, pair.Limit(),
                                             one_sided::ReleasedFactor(pair.dependence)};
      for (std::size_t k = 0; k < numbers.size(); ++k)
        panel.points.push_back({NameOf(pair), static_cast<double>(k + 1), Exactly(numbers[k]), 0});
    }
    panel.form = Form::kPairs;
    figure.panels.push_back(std::move(panel));
    here += fmt::format(
        "{}{} ({} consented days): {} reinforces most with d1 = {:.2f}, d2 = {:.2f}, {} cancels most "
        "with {:.2f}, {:.2f}",
        here.empty() ? "" : ". ", name, counted->halves.consented.size(), NameOf(pairs.back()),
        pairs.back().dependence.d1, pairs.back().dependence.d2, NameOf(pairs.front()), pairs.front().dependence.d1,
        pairs.front().dependence.d2);
    std::string rules;
    for (std::size_t k = 0; k < kAttributes; ++k) rules += (k == 0 ? "" : ", ") + counted->rule.Words(k);
    figure.notes.push_back(fmt::format("{}: sensitive are {} (quarters of the consented days).", name, rules));
  }
  if (figure.panels.empty()) return CountBuilding(occupancy, "workplace").error();
  Conclude(figure, "a diagram: two applications, dashed queries, red lines for dependence and for exchanged answers.",
           here + ".",
           "the numbers that the red lines stand for. Start time and level, which the paper serves "
           "to "
           "lighting and to space optimisation, depend on each other like every other pair in the table.");
  return figure;
}

}  // namespace kith::experiment
