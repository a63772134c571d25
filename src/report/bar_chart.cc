#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart.h"
#include "report/markup.h"
#include "report/svg.h"

namespace kith::report {
namespace {

constexpr double kWidth = 760, kBar = 16, kPad = 12;
constexpr std::size_t kNameLetters = 30;
// A white edge keeps text readable where the mark or a grid line passes behind it.
constexpr const char* kEdge = "paint-order=\"stroke\" stroke=\"#fff\" stroke-width=\"4\" stroke-linejoin=\"round\"";

std::string TextOf(const Bar& bar) { return bar.text.empty() ? NumberText(bar.value) : bar.text; }
std::string MarkText(const BarChart& chart) {
  return chart.mark_text.empty() ? NumberText(*chart.mark) : chart.mark_text;
}

std::string Description(const BarChart& chart) {
  std::string out = "Bar chart of " + chart.value_label + ".";
  for (const Bar& bar : chart.bars) out += " " + bar.name + ": " + TextOf(bar) + ".";
  if (chart.mark) out += " " + chart.mark_label + ": " + MarkText(chart) + ".";
  return out;
}

Axis ValueAxis(const BarChart& chart) {
  std::vector<double> values{0};
  for (const Bar& bar : chart.bars) {
    values.push_back(bar.value);
    values.push_back(bar.low.value_or(0));
    values.push_back(bar.high.value_or(0));
  }
  values.push_back(chart.mark.value_or(0));
  return Axis::Over(values, false);
}

class Drawing {
 public:
  explicit Drawing(const BarChart& chart) : chart_(chart), axis_(ValueAxis(chart)) {
    double widest = 60;
    for (const Bar& bar : chart.bars) {
      for (const auto& line : Lines(bar.name, kNameLetters)) widest = std::max(widest, TextWidth(line));
    }
    left_ = widest + 14;
    width_ = kWidth - left_ - 84;  // room for a number after the longest bar
    top_ = 20 + svg::kLineHeight * static_cast<double>(Lines(chart.title, 84).size()) + (chart.mark ? 22 : 0);
  }

  std::string Render() const {
    double bottom = top_ + 4;
    for (const Bar& bar : chart_.bars) bottom += RowHeight(bar);
    if (chart_.bars.empty()) bottom += 60;
    std::string out = svg::Open(kWidth, bottom + 52, chart_.title, Description(chart_));
    out += svg::Text(10, 22, Lines(chart_.title, 84), "font-size=\"15\" font-weight=\"bold\"");
    out += svg::Across(axis_, left_, width_, top_, bottom);
    if (chart_.bars.empty())
      out += svg::Text(left_ + width_ / 2, top_ + 36, {"no data"}, "text-anchor=\"middle\" fill=\"#555\"");
    std::string words;  // in front of the mark, which is in front of the bars
    double y = top_ + 4;
    for (const Bar& bar : chart_.bars) {
      out += Shape(bar, y + RowHeight(bar) / 2);
      words += Words(bar, y + RowHeight(bar) / 2);
      y += RowHeight(bar);
    }
    out += svg::Line(X(0), top_, X(0), bottom, "stroke=\"#111\"");
    out += svg::Line(left_, bottom, left_ + width_, bottom, "stroke=\"#111\"");
    out += Mark(bottom) + words;
    return out + svg::Text(left_ + width_ / 2, bottom + 40, {chart_.value_label}, "text-anchor=\"middle\"") +
           svg::Close();
  }

 private:
  double X(double value) const { return left_ + std::clamp(axis_.Place(value), 0.0, 1.0) * width_; }

  static double RowHeight(const Bar& bar) {
    return std::max(kBar, svg::kLineHeight * static_cast<double>(Lines(bar.name, kNameLetters).size())) + kPad;
  }

  // Where the bar ends; an infinite one at the edge.
  double End(const Bar& bar) const {
    if (std::isnan(bar.value)) return X(0);
    if (Drawable(bar.value, false)) return X(bar.value);
    return bar.value > 0 ? left_ + width_ : left_;
  }
  static bool HasWhisker(const Bar& bar) {
    return bar.low && bar.high && Drawable(*bar.low, false) && Drawable(*bar.high, false) && !std::isnan(bar.value);
  }

  std::string Shape(const Bar& bar, double middle) const {
    const double end = End(bar);
    std::string out =
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" {}/>\n", std::min(X(0), end),
                    middle - kBar / 2, std::abs(end - X(0)), kBar,
                    Drawable(bar.value, false) ? "fill=\"#8fb8d8\" stroke=\"#0b62a4\""
                                               : "fill=\"#fff\" stroke=\"#0b62a4\" stroke-dasharray=\"4 3\"");
    if (HasWhisker(bar)) {
      out += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}H{2:.1f}M{0:.1f} {3:.1f}v8M{2:.1f} {3:.1f}v8\" stroke=\"#111\" fill=\"none\"/>\n",
          X(*bar.low), middle, X(*bar.high), middle - 4);
    }
    return out;
  }

  std::string Words(const Bar& bar, double middle) const {
    const auto name = Lines(bar.name, kNameLetters);
    const double first = middle + 4 - svg::kLineHeight * (static_cast<double>(name.size()) - 1) / 2;
    const double end = std::max({End(bar), X(0), HasWhisker(bar) ? X(*bar.high) : 0});
    return svg::Text(left_ - 8, first, name, "text-anchor=\"end\"") +
           svg::Text(end + 7, middle + 4, {TextOf(bar)}, kEdge);
  }

  std::string Mark(double bottom) const {
    if (!chart_.mark || !Drawable(*chart_.mark, false)) return "";
    const double x = X(*chart_.mark);
    const std::string label = chart_.mark_label.empty() ? MarkText(chart_) : chart_.mark_label + " " + MarkText(chart_);
    const double half = TextWidth(label) / 2;
    return svg::Line(x, top_ - 6, x, bottom, "stroke=\"#c2410c\" stroke-width=\"2\" stroke-dasharray=\"6 4\"") +
           svg::Text(std::clamp(x, half + 4, std::max(half + 4, kWidth - half - 4)), top_ - 11, {label},
                     "text-anchor=\"middle\" fill=\"#c2410c\" font-weight=\"bold\"");
  }

  const BarChart& chart_;
  Axis axis_;
  double left_ = 0, width_ = 0, top_ = 0;
};

}  // namespace

std::string Svg(const BarChart& chart) { return Drawing(chart).Render(); }

}  // namespace kith::report
