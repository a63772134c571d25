#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "report/chart.h"
#include "report/markup.h"
#include "report/svg.h"

namespace kith::report {
namespace {

constexpr double kMapWidth = 640, kLeft = 64, kRight = 150, kColours = 56;

// From night to day: dark blue, violet, red, orange, pale yellow. Evenly brighter, so that it prints in grey as well.
std::array<double, 3> ColourAt(double t) {
  static constexpr std::array<std::array<double, 3>, 7> kStops = {
      {{10, 12, 34}, {48, 18, 84}, {112, 24, 104}, {180, 46, 82}, {232, 94, 48}, {252, 168, 54}, {252, 246, 196}}};
  const double at = std::clamp(t, 0.0, 1.0) * (kStops.size() - 1);
  const auto k = std::min(static_cast<std::size_t>(at), kStops.size() - 2);
  const double part = at - static_cast<double>(k);
  std::array<double, 3> colour{};
  for (std::size_t c = 0; c < 3; ++c) colour[c] = kStops[k][c] + part * (kStops[k + 1][c] - kStops[k][c]);
  return colour;
}

std::string Hex(int step) {
  const auto c = ColourAt(step / kColours);
  return fmt::format("#{:02x}{:02x}{:02x}", static_cast<int>(c[0]), static_cast<int>(c[1]), static_cast<int>(c[2]));
}

class MapDrawing {
 public:
  explicit MapDrawing(const HeatMap& map) : map_(map) {
    height_ = kMapWidth * std::clamp(map.aspect, 0.2, 2.5);
    top_ = 24 + svg::kLineHeight * static_cast<double>(Lines(map.title, 78).size());
    for (const double v : map.values) {
      if (std::isfinite(v)) largest_ = std::max(largest_, v);
    }
    largest_ = std::max(largest_, std::max(map.error_95, 1e-9));
  }

  std::string Render() const {
    const auto footer = Lines(map_.footer, 104);
    const double bottom = top_ + height_;
    std::string out =
        svg::Open(kLeft + kMapWidth + kRight, bottom + 58 + svg::kLineHeight * static_cast<double>(footer.size()),
                  map_.title, "Heat map of " + map_.value_label + ".");
    out += svg::Text(10, 22, Lines(map_.title, 78), "font-size=\"15\" font-weight=\"bold\"");
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", kLeft,
                       top_, kMapWidth, height_, Hex(0));
    if (map_.columns >= 2 && map_.rows >= 2 && map_.values.size() == map_.columns * map_.rows) out += Pixels();
    out += Marks() + Axes(bottom) + Legend();
    out += svg::Text(kLeft, bottom + 56, footer, "font-size=\"11\" fill=\"#444\"");
    return out + svg::Close();
  }

 private:
  double Value(double x, double y) const {
    const double a = x * static_cast<double>(map_.columns - 1), b = y * static_cast<double>(map_.rows - 1);
    const auto i = std::min(static_cast<std::size_t>(a), map_.columns - 2);
    const auto j = std::min(static_cast<std::size_t>(b), map_.rows - 2);
    const double u = a - static_cast<double>(i), v = b - static_cast<double>(j);
    const double* at = &map_.values[i * map_.rows + j];
    return (1 - u) * ((1 - v) * at[0] + v * at[1]) + u * ((1 - v) * at[map_.rows] + v * at[map_.rows + 1]);
  }

  double Brightness(double value) const { return std::sqrt(std::max(value, 0.0) / largest_); }
  /// What noise alone could produce is dimmed.
  double Shown(double value) const { return value < map_.error_95 ? value * (value / map_.error_95) : value; }

  // One path for each colour, of strips of equal colour.
  std::string Pixels() const {
    const auto across = std::min<std::size_t>(400, 6 * map_.columns);
    const auto up = static_cast<std::size_t>(static_cast<double>(across) * height_ / kMapWidth);
    std::map<int, std::string> strips;
    for (std::size_t r = 0; r < up; ++r) {
      const auto colour = [&](std::size_t c) {
        const double value = Value((static_cast<double>(c) + 0.5) / static_cast<double>(across),
                                   1 - (static_cast<double>(r) + 0.5) / static_cast<double>(up));
        return std::isfinite(value) ? static_cast<int>(Brightness(Shown(std::max(value, 0.0))) * kColours) : 0;
      };
      for (std::size_t c = 0; c < across;) {
        const int step = colour(c);
        std::size_t end = c + 1;
        while (end < across && colour(end) == step) ++end;
        if (step > 0) strips[step] += fmt::format("M{} {}h{}v1h-{}z", c, r, end - c, end - c);
        c = end;
      }
    }
    std::string out =
        fmt::format("<g transform=\"translate({:.2f} {:.2f}) scale({:.5f} {:.5f})\" shape-rendering=\"crispEdges\">\n",
                    kLeft, top_, kMapWidth / static_cast<double>(across), height_ / static_cast<double>(up));
    for (const auto& [step, path] : strips) out += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", Hex(step), path);
    return out + "</g>\n";
  }

  double X(double x) const { return kLeft + kMapWidth * (x - map_.x_low) / (map_.x_high - map_.x_low); }
  double Y(double y) const { return top_ + height_ * (1 - (y - map_.y_low) / (map_.y_high - map_.y_low)); }

  std::string Marks() const {
    std::string out;
    for (const MapMark& mark : map_.marks) {
      const double left = std::max(X(mark.x_low), kLeft), right = std::min(X(mark.x_high), kLeft + kMapWidth);
      const double top = std::max(Y(mark.y_high), top_), bottom = std::min(Y(mark.y_low), top_ + height_);
      if (!(left < right && top < bottom)) continue;
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#fff\" "
          "stroke-width=\"1.5\"/>\n",
          left, top, right - left, bottom - top);
      const bool above = top - top_ > 18;
      const double x = std::min(left + 1, kLeft + kMapWidth - TextWidth(mark.label) - 2);
      out +=
          svg::Text(x, above ? top - 5 : bottom + 14, {mark.label},
                    "fill=\"#fff\" font-weight=\"bold\" paint-order=\"stroke\" stroke=\"#0a0c22\" stroke-width=\"3\"");
    }
    return out;
  }

  std::string Axes(double bottom) const {
    std::string out;
    const auto ticks = [](double low, double high) {
      std::vector<Tick> inside;
      for (const Tick& tick : Axis::Over({low, high}, false).Ticks()) {
        if (tick.value >= low && tick.value <= high) inside.push_back(tick);
      }
      return inside;
    };
    // Round numbers need not fall into a narrow region far from zero: then the ends are labelled.
    auto x_ticks = ticks(map_.x_low, map_.x_high), y_ticks = ticks(map_.y_low, map_.y_high);
    const auto ends = [](double low, double high) {
      std::vector<Tick> five;
      for (int k = 0; k <= 4; ++k) {
        const double at = low + (high - low) * k / 4;
        five.push_back({at, fmt::format("{:.4g}", at)});
      }
      return five;
    };
    if (x_ticks.size() < 3) x_ticks = ends(map_.x_low, map_.x_high);
    if (y_ticks.size() < 3) y_ticks = ends(map_.y_low, map_.y_high);
    for (const Tick& tick : x_ticks) {
      out += svg::Line(X(tick.value), bottom, X(tick.value), bottom + 5, "stroke=\"#111\"");
      out += svg::Text(X(tick.value), bottom + 18, {tick.label}, "text-anchor=\"middle\" font-size=\"11\"");
    }
    for (const Tick& tick : y_ticks) {
      out += svg::Line(kLeft - 5, Y(tick.value), kLeft, Y(tick.value), "stroke=\"#111\"");
      out += svg::Text(kLeft - 8, Y(tick.value) + 4, {tick.label}, "text-anchor=\"end\" font-size=\"11\"");
    }
    out += svg::Text(kLeft + kMapWidth / 2, bottom + 35, {map_.x_label}, "text-anchor=\"middle\"");
    out += fmt::format("<text transform=\"translate(14 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                       top_ + height_ / 2, Escaped(map_.y_label));
    return out;
  }

  // One, two or five times a power of ten; a whole number where there is one.
  static double RoundBelow(double value) {
    if (!(value > 0)) return 0;
    const double unit = std::pow(10.0, std::floor(std::log10(value)));
    for (const double times : {5.0, 2.0}) {
      if (times * unit <= value) return times * unit;
    }
    return unit;
  }

  // A bar of colours with round numbers next to it, and how far a value may be off as a bracket.
  std::string Legend() const {
    const double left = kLeft + kMapWidth + 22, high = std::min(260.0, height_ - 60), low = top_ + 40 + high;
    std::string out = svg::Text(left - 4, top_ + 12, Lines(map_.value_label, 18), "font-size=\"11\"");
    for (int k = 0; k < static_cast<int>(kColours); ++k) {
      out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.2f}\" width=\"16\" height=\"{:.2f}\" fill=\"{}\"/>\n", left,
                         low - high * (k + 1) / kColours, high / kColours + 0.6, Hex(k));
    }
    const auto place = [&](double value) { return low - high * Brightness(value); };
    double last = low + 100;
    for (const double part : {0.0, 0.04, 0.16, 0.36, 0.64, 1.0}) {
      const double value = RoundBelow(part * largest_), at = place(value);
      if (last - at < 14) continue;
      last = at;
      out += svg::Line(left + 16, at, left + 20, at, "stroke=\"#111\"");
      out += svg::Text(left + 24, at + 4, {NumberText(value)}, "font-size=\"11\"");
    }
    if (map_.error_95 > 0) {
      const double end = place(std::min(map_.error_95, largest_));
      out += svg::Line(left - 7, low, left - 7, end, "stroke=\"#111\" stroke-width=\"1.5\"");
      for (const double y : {low, end})
        out += svg::Line(left - 10, y, left - 4, y, "stroke=\"#111\" stroke-width=\"1.5\"");
      out += svg::Text(left - 10, low + 20,
                       {"bracket: 95 % of", fmt::format("noise, ±{};", NumberText(map_.error_95)), "dimmed below"},
                       "font-size=\"11\"");
    }
    return out;
  }

  const HeatMap& map_;
  double height_ = 0, top_ = 0, largest_ = 0;
};

}  // namespace

std::string Svg(const HeatMap& map) { return MapDrawing(map).Render(); }

}  // namespace kith::report
