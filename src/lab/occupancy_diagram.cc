// Fig. 2 of the one-sided paper, drawn from the counted dependence of real days.
#include <fmt/format.h>

#include <algorithm>

#include "lab/conclusion.h"
#include "lab/occupancy_figures.h"
#include "report/markup.h"
#include "report/svg.h"

namespace kith::experiment {
namespace {

using report::svg::Line;
using report::svg::Text;

constexpr const char* kDashed = "stroke=\"#111\" stroke-dasharray=\"6 4\"";
constexpr const char* kRed = "stroke=\"#c00\" stroke-width=\"1.5\"";

std::string Box(double x, double y, double width, double height, const std::vector<std::string>& lines) {
  const double middle = y + height / 2 + 4 - report::svg::kLineHeight * (static_cast<double>(lines.size()) - 1) / 2;
  return fmt::format(
             "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#f4f4f4\" stroke=\"#111\"/>\n",
             x, y, width, height) +
         Text(x + width / 2, middle, lines, "text-anchor=\"middle\"");
}

/// An application: what it is served.
struct Application {
  std::string name;
  std::size_t attribute;
};

/// Attributes on the left, applications on the right; what they ask dashed, what gives things away red.
std::string Drawing(const Counted& counted, const std::vector<Application>& applications) {
  constexpr double kTop = 70, kStep = 86, kBox = 50, kLeft = 270, kWide = 170, kRight = 660;
  const double height = kTop + kStep * kAttributes + 60;
  const auto middle = [](std::size_t k) { return kTop + kStep * static_cast<double>(k) + kBox / 2; };
  std::string out = report::svg::Open(900, height, "Applications, queries, dependence and collusion",
                                      "Attributes of occupancy at the left, applications at the right. Dashed lines "
                                      "are queries, red ones what else gives records away.");
  out += Text(kLeft, 34, {"Attributes of a day (" + counted.building->name + ")"}, "font-weight=\"bold\"");
  out += Text(kRight, 34, {"Applications"}, "font-weight=\"bold\"");
  for (std::size_t k = 0; k < kAttributes; ++k) {
    out += Box(kLeft, middle(k) - kBox / 2, kWide, kBox,
               {AttributeNames()[k], fmt::format("sensitive {:.0f} %", 100 * counted.law.Sensitive(k))});
  }
  for (const Application& one : applications) {
    const double y = middle(one.attribute);
    out += Box(kRight, y - kBox / 2, kWide + 20, kBox, report::Lines(one.name, 24));
    out += Line(kLeft + kWide, y - 8, kRight, y - 8, kDashed);
    out += Line(kLeft + kWide, y + 8, kRight, y + 8, kDashed);
    out += Text((kLeft + kWide + kRight) / 2, y - 14, {"query: " + AttributeNames()[one.attribute]},
                "text-anchor=\"middle\"");
    out += Text((kLeft + kWide + kRight) / 2, y + 24, {"released with 1 - e^-epsilon, or away"},
                "text-anchor=\"middle\" font-size=\"11\"");
  }
  for (std::size_t k = 0; k + 1 < applications.size(); ++k) {
    const double from = middle(applications[k].attribute) + kBox / 2, to = middle(applications[k + 1].attribute);
    out += Line(kRight + 95, from, kRight + 95, to - kBox / 2, kRed);
    out += Text(kRight + 103, (from + to - kBox / 2) / 2 + 4, {"collude"}, "fill=\"#c00\"");
  }
  // Arcs at the left: between a served attribute and each other one, labelled with d1/d2, both ways if both are served.
  const auto served = [&](std::size_t k) {
    return std::any_of(applications.begin(), applications.end(), [k](const auto& one) { return one.attribute == k; });
  };
  double reach = 30;
  std::string labels;
  for (const Application& one : applications) {
    for (std::size_t j = 0; j < kAttributes; ++j) {
      const auto pair = one_sided::Dependence(counted.law, one.attribute, j);
      if (j == one.attribute || !pair || (served(j) && j < one.attribute)) continue;
      const double from = middle(one.attribute), to = middle(j);
      out += fmt::format(
          "<path d=\"M {0:.1f} {1:.1f} C {2:.1f} {1:.1f} {2:.1f} {3:.1f} {0:.1f} {3:.1f}\" fill=\"none\" {4}/>\n",
          kLeft, from, kLeft - reach * 1.33, to, kRed);
      std::vector<std::string> lines = {fmt::format("{:.2f}/{:.2f}", pair->d1, pair->d2)};
      const auto back = one_sided::Dependence(counted.law, j, one.attribute);
      if (served(j) && back) lines.push_back(fmt::format("back {:.2f}/{:.2f}", back->d1, back->d2));
      labels += Text(kLeft - reach - 4, (from + to) / 2 + 4, lines,
                     "text-anchor=\"end\" fill=\"#c00\" font-size=\"11\" stroke=\"#fff\" stroke-width=\"4\" "
                     "paint-order=\"stroke\"");
      reach += 24;
    }
  }
  out += labels;
  out +=
      Text(20, height - 34,
           {"Red at the left: d1/d2 = P(i sensitive | j sensitive) / P(i sensitive | j not), i served, j at the other "
            "end.",
            "Above 1 a record that stays away makes j likelier to be sensitive, below 1 less likely."},
           "font-size=\"11\"");
  return out + report::svg::Close();
}

}  // namespace

Result<Figure> ApplicationsDiagram(const Occupancy& occupancy) {
  Figure figure{
      "osdp-fig2", "applications, their queries, the dependence between attributes, and collusion", "", {}, {}};
  const std::vector<Application> applications = {{"Lighting control", 0}, {"Space optimisation", 4}};
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
    panel.drawn = Drawing(*counted, applications);
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
  Conclude(
      figure, "a diagram: two applications, dashed queries, red lines for dependence and for exchanged answers.",
      here + ".",
      "the same diagram, with the numbers that the red lines stand for. Start time and level, which the paper serves "
      "to "
      "lighting and to space optimisation, depend on each other like every other pair in the table.");
  return figure;
}

}  // namespace kith::experiment
