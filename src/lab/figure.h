// One figure of a publication, reproduced: for every method and every place on the x axis a mean with its 95 %
// confidence interval over repetitions, and what the figure is about in words. CSV for programs, a chart for people.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "attack/attack.h"
#include "base/cancel.h"
#include "report/chart.h"

namespace kith::experiment {

using attack::Estimate;

struct Point {
  std::string method;
  double x = 0;
  Estimate y;
  double plain = 0;  // the plain loss that the method spends here; 0: no noise at all
};

struct Panel {
  std::string file;  // without folder or ending
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Point> points;
  bool bars = false;             // one bar for each method; x does not matter
  std::optional<double> mark{};  // of bars: what was promised
  std::string drawn{};           // an SVG instead of a chart
};

struct Figure {
  std::string name;     // "fig8a"
  std::string about;    // one sentence
  std::string setting;  // the data, in one sentence
  std::vector<Panel> panels;
  std::vector<std::string> notes;
  std::string published{};  // what the paper says
  std::string here{};       // what this run says, in its own numbers
  std::string why{};        // why they differ, or that they do not
};

/// method,x,mean,low,high,plain_epsilon
std::string CsvOf(const Panel& panel);
report::LineChart ChartOf(const Panel& panel);
/// The panel's own drawing, bars or lines.
std::string SvgOf(const Panel& panel);

/// The value of a method at the place of the x axis that is nearest to x; nothing if there is no such method.
const Point* PointAt(const Panel& panel, const std::string& method, double x);
/// "0.85", or with an interval "0.58 (0.39 to 0.78)"; "none" for a method that is not there.
std::string ValueText(const Panel& panel, const std::string& method, double x);
/// Three digits that people can read: 1,180, 0.0317, 2.4e-07.
std::string Compact(double value);

struct Settings {
  std::vector<double> epsilons = {0.1, 0.3, 0.5, 0.7, 0.9, 1, 3, 10};
  std::size_t repetitions = 10;
  std::uint64_t seed = 1;                // of all splits and of all simulated noise, kith's own as well
  unsigned threads = 0;                  // 0: all cores; does not change the result
  std::size_t least = 1;                 // visits of somebody who counts
  std::function<void(double)> progress;  // in [0, 1]
};

/// The share of `hits` in `tries` with its Wilson 95 % interval.
Estimate ShareOf(std::size_t hits, std::size_t tries);

}  // namespace kith::experiment
