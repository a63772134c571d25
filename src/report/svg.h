// Small pieces of SVG that both kinds of charts are made of.
#pragma once
#include <string>
#include <vector>

#include "report/axis.h"

namespace kith::report::svg {

inline constexpr double kLineHeight = 16;

/// The outer element of a picture of that size, with its title for readers who cannot see it. Ends with Close().
std::string Open(double width, double height, const std::string& title, const std::string& description);
std::string Close();

/// Lines of text, one below the other, the first baseline at y. `attributes` come from the program, not from a user.
std::string Text(double x, double y, const std::vector<std::string>& lines, const std::string& attributes);
std::string Line(double x1, double y1, double x2, double y2, const std::string& attributes);

/// Ticks and grid of an axis that runs to the right from x, with the grid from `top` to `bottom`.
std::string Across(const Axis& axis, double x, double width, double top, double bottom);
/// The same with other ticks.
std::string Across(const Axis& axis, const std::vector<Tick>& ticks, double x, double width, double top, double bottom);

}  // namespace kith::report::svg
