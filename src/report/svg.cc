#include "report/svg.h"

#include <fmt/format.h>

#include "report/markup.h"

namespace kith::report::svg {

std::string Open(double width, double height, const std::string& title, const std::string& description) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "role=\"img\" font-family=\"'DejaVu Sans', Verdana, Arial, sans-serif\" font-size=\"12\" fill=\"#111\">\n"
      "<title>{2}</title>\n<desc>{3}</desc>\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#fff\"/>\n",
      width, height, Escaped(title), Escaped(description));
}

std::string Close() { return "</svg>\n"; }

std::string Text(double x, double y, const std::vector<std::string>& lines, const std::string& attributes) {
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y + kLineHeight * static_cast<double>(i),
                       attributes, Escaped(lines[i]));
  }
  return out;
}

std::string Line(double x1, double y1, double x2, double y2, const std::string& attributes) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2,
                     attributes);
}

std::string Across(const Axis& axis, double x, double width, double top, double bottom) {
  return Across(axis, axis.Ticks(), x, width, top, bottom);
}

std::string Across(const Axis& axis, const std::vector<Tick>& ticks, double x, double width, double top,
                   double bottom) {
  std::string out;
  for (const Tick& tick : ticks) {
    const double at = x + axis.Place(tick.value) * width;
    out += Line(at, top, at, bottom, "stroke=\"#ddd\"");
    out += Line(at, bottom, at, bottom + 5, "stroke=\"#111\"");
    out += Text(at, bottom + 19, {tick.label}, "text-anchor=\"middle\"");
  }
  return out;
}

}  // namespace kith::report::svg
