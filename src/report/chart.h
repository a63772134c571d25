// Charts as SVG: self-contained, black on white, readable on paper. Lines differ by dash and marker as well as by
// colour. What cannot be drawn (not a finite number; not positive on a log axis) is left out, and the chart says so.
#pragma once
#include <optional>
#include <string>
#include <utility>
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
  std::string (*number)(double) = nullptr;  // how y is written in words; nothing: NumberText
  // What is written below the horizontal axis, ascending; empty: round numbers.
  std::vector<std::pair<double, std::string>> x_ticks;
};

/// Up to twelve points get markers and whiskers, more get a shaded band. If there is a strong line, the others may
/// leave the chart at the top; their labels then carry an arrow. A line without a name has no label, and a single line
/// has no markers if it is long.
std::string Svg(const LineChart& chart);

struct Bar {
  std::string name;
  double value = 0;
  std::optional<double> low, high;  // confidence interval
  std::string text;                 // written next to it; empty: the value
};

struct BarChart {
  std::string title, value_label;
  std::vector<Bar> bars;
  std::optional<double> mark;  // a vertical line: what was promised
  std::string mark_label;
  std::string mark_text;  // empty: its value
};

/// Horizontal bars from zero, with their values. An infinite bar reaches the edge and is labelled with its value.
std::string Svg(const BarChart& chart);

/// A rectangle on a map, with a word next to it.
struct MapMark {
  double x_low = 0, y_low = 0, x_high = 0, y_high = 0;
  std::string label;
};

/// Counts on a grid of places, seen from above: brighter where there are more. Values are at `columns` x `rows`
/// places, those of one x after the other, evenly spaced over the region with the first and last on its border.
struct HeatMap {
  std::string title, x_label, y_label, value_label;
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
  double aspect = 1;  // height of the region over its width, as it should look
  std::size_t columns = 0, rows = 0;
  std::vector<double> values;
  double error_95 = 0;  // of each value; smaller values are dimmed, since noise alone could be that large
  std::vector<MapMark> marks;
  std::string footer;  // what the reader must know, in small print
};

/// Between places values are interpolated. Colours grow with the square root, so that sparse places show next to dense
/// ones.
std::string Svg(const HeatMap& map);

}  // namespace kith::report
