// A line chart as SVG: self-contained, readable on paper and in a browser.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace kith::cli {

struct Line {
  std::string name;
  std::vector<std::pair<double, double>> points;
  bool strong = false;  // the line that matters
};

struct Chart {
  std::string title;
  std::string x, y;  // axis labels
  std::vector<Line> lines;
};

std::string Svg(const Chart& chart);

}  // namespace kith::cli
