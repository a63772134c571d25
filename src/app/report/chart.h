// Charts as SVG: self-contained, black on white, readable on paper. Lines differ by dash and marker as well as by
// colour. What cannot be drawn (not a finite number; not positive on a log axis) is left out, and the chart says so.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace kith::report {

/// One line. A point is (x[i], y[i]); surplus entries of the longer vector are ignored.
struct Series {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> low, high;  // confidence interval of each y; may be empty
  bool strong = false;            // the line that matters: drawn thicker, and it decides how far the chart reaches up
};

struct LineChart {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Series> series;
};

/// Up to twelve points get markers and whiskers, more of them a shaded band. Where a strong line is there, the others
/// may leave the chart at the top; their labels carry an arrow then.
std::string Svg(const LineChart& chart);

struct Bar {
  std::string name;
  double value = 0;
  std::optional<double> low, high;  // confidence interval
};

struct BarChart {
  std::string title, value_label;
  std::vector<Bar> bars;
  std::optional<double> mark;  // a vertical line: what was promised
  std::string mark_label;
};

/// Horizontal bars from zero, with their values. An infinite bar reaches the edge and is labelled with its value.
std::string Svg(const BarChart& chart);

}  // namespace kith::report
