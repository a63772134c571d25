// Prints a report with every kind of chart and awkward content, for the test that opens it in a real browser.
#include <cmath>
#include <cstdio>

#include "report/chart.h"
#include "report/page.h"

using namespace kith::report;

namespace {

Series Curve(const std::string& name, int points, double factor, bool band) {
  Series s;
  s.name = name;
  for (int i = 0; i < points; ++i) {
    const double x = 0.05 * std::pow(60, static_cast<double>(i) / (points - 1));
    s.x.push_back(x);
    s.y.push_back(factor / x + factor);
    if (!band) continue;
    s.low.push_back(0.8 * s.y.back());
    s.high.push_back(1.25 * s.y.back());
  }
  return s;
}

LineChart Errors(int points, bool log) {
  LineChart chart{"Error of the attack against epsilon", "epsilon", "mean error in km", log, log, {}};
  chart.series = {Curve("kith, field", points, 1.0, true),
                  Curve("plain Laplace (dependence ignored)", points, 0.5, true),
                  Curve("group of 8", points, 2.0, false), Curve("published, eq14", points, 1.1, false)};
  chart.series[0].strong = true;
  chart.series[3].y[2] = NAN;
  return chart;
}

}  // namespace

int main() {
  BarChart bars{"Loss that the runs prove", "epsilon, lower bound", {}, 1.0, "claimed"};
  bars.bars = {{"kith count", 0.83, 0.7, 0.95},
               {"half sensitivity", 1.87, 1.6, 2.1},
               {"rounding of doubles in the last bits", 14.2, {}, {}},
               {"no noise at all", INFINITY, {}, {}},
               {"run failed", NAN, {}, {}}};
  Page page;
  page.title = "What do the answers give away?";
  page.question = "Two databases differ in one person. How much likelier does any answer become, at the most?";
  page.verdict = "More than was claimed: at least 1.87 instead of 1 (false alarm probability below 1e-9).";
  page.tone = Page::Tone::kBad;
  page.sections = {{"Loss by method",
                    {"A bar is a lower bound. It proves a fault where it exceeds the mark."},
                    {Svg(bars)},
                    {{"Figures behind the chart",
                      {"method", "runs", "loss at least", "a very long heading that must wrap or scroll"},
                      {{"kith count", "20000", "0.83",
                        "sum(SELECT_A_VERY_LONG_NAME_WITHOUT_ANY_SPACE_IN_IT_THAT_GOES_ON_AND_ON_AND_ON_AND_ON)"},
                       {"half sensitivity", "20000", "1.87", "tail"}}}}},
                   {"Error", {"Lines with few points carry whiskers."}, {Svg(Errors(7, true))}, {}},
                   {"Error, many points", {}, {Svg(Errors(60, false))}, {}},
                   {"Nothing", {"An empty chart says so."}, {Svg(LineChart{"Empty", "x", "y", false, false, {}})}, {}}};
  page.assumptions = {"Each run draws fresh noise.", "Names such as <b>bold</b> & \"quoted\" are shown as they are."};
  page.reproduce = {
      "kith probe --left './answer a.csv' --right './answer b.csv' --runs 20000 --claimed 1 --report report.html"};
  std::fputs(Html(page).c_str(), stdout);
}
