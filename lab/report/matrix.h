// A table of numbers between 0 and 1 as squares: white is 0, dark is 1.
#pragma once
#include <string>
#include <vector>

namespace kith::report {

struct MatrixChart {
  std::string title, row_label, column_label;
  std::vector<std::string> names;           // of rows and columns alike
  std::vector<std::vector<double>> values;  // [row][column]; not a number: left empty
};

/// Numbers are written into the squares where there are few of them.
std::string Svg(const MatrixChart& chart);

}  // namespace kith::report
