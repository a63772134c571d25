// One figure of the publication, done again: for every method and every place on the x axis a mean with its 95 %
// confidence interval over repetitions, and what the figure is about in words. CSV for programs, a chart for people.
#pragma once
#include <cstdint>
#include <functional>
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
};

struct Figure {
  std::string name;     // "fig8a"
  std::string about;    // one sentence
  std::string setting;  // the data, in one sentence
  std::vector<Panel> panels;
  std::vector<std::string> notes;
};

/// method,x,mean,low,high,plain_epsilon
std::string CsvOf(const Panel& panel);
report::LineChart ChartOf(const Panel& panel);

struct Settings {
  std::vector<double> epsilons = {0.1, 0.3, 0.5, 0.7, 0.9, 1, 3, 10};
  std::size_t repetitions = 10;
  std::uint64_t seed = 1;  // of the published methods' simulated noise and of all splits; kith's own noise has none
  unsigned threads = 0;
  std::function<void(double)> progress;  // in [0, 1]
};

/// The share of `hits` in `tries` with its Wilson 95 % interval.
Estimate ShareOf(std::size_t hits, std::size_t tries);

}  // namespace kith::experiment
