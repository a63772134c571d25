// One figure of a publication, reproduced: for every method and every place on the x axis a mean with its 95 %
// confidence interval over repetitions, and what the figure is about in words. lab/figures/draw.py makes pictures of
// it.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "attack/attack.h"
#include "base/cancel.h"

namespace kith::experiment {

using attack::Estimate;

struct Point {
  std::string method;
  double x = 0;
  Estimate y;
  double plain = 0;  // the plain loss that the method spends here; 0: no noise at all
};

/// How a panel is drawn.
enum class Form {
  kLines,    // a line for each method
  kBars,     // a bar for each method; x does not matter
  kPairs,    // a row for each method, with a mark for what each x stands for
  kNetwork,  // people and who is whose friend: `table`
};

struct Panel {
  std::string file;  // without folder or ending
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Point> points;
  Form form = Form::kLines;
  std::string table{};  // a network: CSV in the place of points

  /// One number for each method.
  bool SingleNumbers() const { return form == Form::kBars || form == Form::kNetwork; }
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

/// method,x,mean,low,high,plain_epsilon; or the panel's own table.
std::string CsvOf(const Panel& panel);

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
