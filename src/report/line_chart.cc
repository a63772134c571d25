#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart.h"
#include "report/markup.h"
#include "report/svg.h"

namespace kith::report {
namespace {

constexpr double kWidth = 760, kPlotHeight = 330, kTop = 14, kGap = 12, kSample = 34;
constexpr std::size_t kFewPoints = 12;  // up to here: a marker and a whisker at each
constexpr std::size_t kLabelLetters = 24;
constexpr const char* kColours[] = {"#000000", "#0b62a4", "#c2410c", "#3f6b0a", "#7e22ce", "#0e7490", "#6b7280"};
// The numbers of colours, dashes and markers have no common factor, so that many lines stay different.
constexpr const char* kDashes[] = {"", "7 4", "2 3", "11 4 2 4", "5 2", "14 3", "2 6", "9 3 2 3 2 3", "20 5"};

struct Point {
  double x = 0, y = 0;
  bool drawn = false;
};

// One series in pixels. Points without a place stay in, not drawn: the line breaks there.
struct Curve {
  const Series* series = nullptr;
  std::size_t index = 0;
  std::vector<Point> points;
  bool leaves = false;  // at the top
  std::vector<std::string> label;
  double label_y = 0, end_y = 0;

  std::string Colour() const { return kColours[index % std::size(kColours)]; }
  std::string Stroke() const {
    const std::string dash = kDashes[index % std::size(kDashes)];
    return fmt::format("stroke=\"{}\" stroke-width=\"{}\" fill=\"none\" stroke-linejoin=\"round\"{}", Colour(),
                       series->strong ? "2.6" : "1.5", dash.empty() ? "" : " stroke-dasharray=\"" + dash + "\"");
  }
  bool few() const { return points.size() <= kFewPoints; }
};

std::size_t Size(const Series& s) { return std::min(s.x.size(), s.y.size()); }
bool HasBand(const Series& s) { return s.low.size() >= Size(s) && s.high.size() >= Size(s) && Size(s) > 0; }

// The values that decide how far the vertical axis reaches: others may leave at 2.5 times the highest strong point.
std::vector<double> Heights(const LineChart& chart) {
  double highest = -INFINITY;
  std::vector<double> all, kept;
  for (const Series& s : chart.series) {
    for (std::size_t i = 0; i < Size(s); ++i) {
      if (!Drawable(s.x[i], chart.log_x)) continue;
      std::vector<double> here{s.y[i]};
      if (HasBand(s)) here.insert(here.end(), {s.low[i], s.high[i]});
      for (const double y : here) {
        if (!Drawable(y, chart.log_y)) continue;
        all.push_back(y);
        if (s.strong) highest = std::max(highest, y);
      }
    }
  }
  if (!(highest > 0) || chart.log_y) return all;
  std::copy_if(all.begin(), all.end(), std::back_inserter(kept), [&](double y) { return y <= 2.5 * highest; });
  return kept;
}

std::vector<double> Abscissas(const LineChart& chart) {
  std::vector<double> all;
  for (const Series& s : chart.series) all.insert(all.end(), s.x.begin(), s.x.begin() + static_cast<long>(Size(s)));
  return all;
}

// A marker with its own shape for each series, around (0, 0).
std::string Marker(const Curve& curve, double x, double y) {
  static constexpr const char* kShapes[] = {"M-3.5 0A3.5 3.5 0 1 0 3.5 0A3.5 3.5 0 1 0 -3.5 0Z",
                                            "M-3.2 -3.2H3.2V3.2H-3.2Z",
                                            "M0 -4.2L4 3H-4Z",
                                            "M0 -4.6L4.6 0L0 4.6L-4.6 0Z",
                                            "M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5",
                                            "M-4.4 0H4.4M0 -4.4V4.4",
                                            "M0 4.2L4 -3H-4Z",
                                            "M-4 -1L0 -4.4L4 -1L2.5 3.6H-2.5Z"};
  return fmt::format(
      "<path d=\"{}\" transform=\"translate({:.1f} {:.1f})\" stroke=\"{}\" stroke-width=\"1.4\" fill=\"{}\"/>\n",
      kShapes[curve.index % std::size(kShapes)], x, y, curve.Colour(), curve.series->strong ? curve.Colour() : "#fff");
}

std::string Path(const Curve& curve) {
  std::string path;
  bool pen_down = false;
  for (const Point& p : curve.points) {
    if (p.drawn) path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", p.x, p.y);
    pen_down = p.drawn;
  }
  return path.empty() ? "" : fmt::format("<path d=\"{}\" {}/>\n", path, curve.Stroke());
}

class Drawing {
 public:
  explicit Drawing(const LineChart& chart)
      : chart_(chart),
        x_axis_(Axis::Over(Abscissas(chart), chart.log_x)),
        y_axis_(Axis::Over(Heights(chart), chart.log_y)) {
    double widest = 40;
    for (const Tick& tick : y_axis_.Ticks()) widest = std::max(widest, TextWidth(tick.label));
    left_ = widest + 34;
    double labels = 0;
    for (std::size_t k = 0; k < chart.series.size(); ++k) AddCurve(k);
    for (const Curve& c : curves_) {
      for (const std::string& line : c.label) labels = std::max(labels, TextWidth(line));
    }
    plot_width_ = kWidth - left_ - kGap - (Labelled() ? kSample + 6 + labels : 8) - 4;
    for (Curve& c : curves_) Place(c);
    SpreadLabels();
  }

  std::string Render() const {
    const double bottom = top_ + kPlotHeight;
    std::vector<std::string> notes = Notes();
    const double height = std::max(bottom + 50 + 16 * static_cast<double>(notes.size()), labels_end_ + 12);
    std::string out = svg::Open(kWidth, height, chart_.title, Description());
    out += svg::Text(left_, 22, Lines(chart_.title, 84), "font-size=\"15\" font-weight=\"bold\"");
    out += svg::Across(x_axis_, TicksAcross(), left_, plot_width_, top_, bottom);
    for (const Tick& tick : y_axis_.Ticks()) {
      const double y = bottom - y_axis_.Place(tick.value) * kPlotHeight;
      out += svg::Line(left_, y, left_ + plot_width_, y, "stroke=\"#ddd\"");
      out += svg::Line(left_ - 5, y, left_, y, "stroke=\"#111\"");
      out += svg::Text(left_ - 8, y + 4, {tick.label}, "text-anchor=\"end\"");
    }
    // A picture within the picture cuts off what leaves the frame, without names that could clash on one page.
    out += fmt::format("<svg x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" overflow=\"hidden\">\n",
                       left_, top_, plot_width_, kPlotHeight);
    for (const Curve& c : curves_) out += Band(c);
    for (const Curve& c : curves_) out += Path(c) + Markers(c);
    if (curves_.empty())
      out += svg::Text(plot_width_ / 2, kPlotHeight / 2, {"no data"}, "text-anchor=\"middle\" fill=\"#555\"");
    out += "</svg>\n";
    out += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\" fill=\"none\" stroke=\"#111\"/>\n", left_, top_,
                       bottom, left_ + plot_width_);
    for (const Curve& c : curves_) out += Label(c);
    const std::string middle = "text-anchor=\"middle\"";
    out += svg::Text(left_ + plot_width_ / 2, bottom + 40, {chart_.x_label}, middle);
    out += svg::Text(0, 0, {chart_.y_label},
                     middle + fmt::format(" transform=\"translate(16 {:.1f}) rotate(-90)\"", top_ + kPlotHeight / 2));
    out += svg::Text(left_, bottom + 58, notes, "fill=\"#555\" font-size=\"11\"");
    return out + svg::Close();
  }

 private:
  std::vector<Tick> TicksAcross() const {
    if (chart_.x_ticks.empty()) return x_axis_.Ticks();
    std::vector<Tick> ticks;
    for (const auto& [x, label] : chart_.x_ticks) {
      if (x >= x_axis_.low() && x <= x_axis_.high()) ticks.push_back({x, label});
    }
    return ticks;
  }

  bool Labelled() const {
    return std::any_of(curves_.begin(), curves_.end(), [](const Curve& c) { return !c.series->name.empty(); });
  }

  void AddCurve(std::size_t index) {
    Curve curve;
    curve.series = &chart_.series[index];
    curve.index = index;
    const Series& s = *curve.series;
    for (std::size_t i = 0; i < Size(s); ++i) {
      const bool drawn = Drawable(s.x[i], chart_.log_x) && Drawable(s.y[i], chart_.log_y);
      (drawn ? points_drawn_ : points_left_out_) += 1;
      curve.points.push_back({s.x[i], s.y[i], drawn});
      if (drawn && s.y[i] > y_axis_.high()) curve.leaves = true;
    }
    curve.label = Lines(s.name + (curve.leaves ? " ↑" : ""), kLabelLetters);
    curves_.push_back(std::move(curve));
  }

  double X(double x) const { return x_axis_.Place(x) * plot_width_; }
  double Y(double y) const { return kPlotHeight - y_axis_.Place(y) * kPlotHeight; }

  void Place(Curve& curve) const {
    curve.end_y = top_ + kPlotHeight;
    for (Point& p : curve.points) {
      if (!p.drawn) continue;
      p = {X(p.x), Y(p.y), true};
      curve.end_y = top_ + std::clamp(p.y, 0.0, kPlotHeight);
    }
  }

  // Labels are next to the ends of their lines, in the same order, and do not cover each other.
  void SpreadLabels() {
    std::vector<Curve*> order;
    double total = 0;
    for (Curve& c : curves_) {
      order.push_back(&c);
      total += Height(c);
    }
    std::stable_sort(order.begin(), order.end(), [](const Curve* a, const Curve* b) { return a->end_y < b->end_y; });
    double free = top_;
    for (Curve* c : order) {
      c->label_y = std::max(c->end_y, free + Height(*c) / 2);
      free = c->label_y + Height(*c) / 2;
    }
    // What was pushed out at the bottom pushes the others up, as far as there is room.
    double limit = std::max(top_ + kPlotHeight, top_ + total);
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      (*it)->label_y = std::min((*it)->label_y, limit - Height(**it) / 2);
      limit = (*it)->label_y - Height(**it) / 2;
      labels_end_ = std::max(labels_end_, (*it)->label_y + Height(**it) / 2);
    }
  }
  static double Height(const Curve& c) { return svg::kLineHeight * static_cast<double>(c.label.size()) + 4; }

  std::string Label(const Curve& c) const {
    if (c.series->name.empty()) return {};
    const double x = left_ + plot_width_ + kGap, y = c.label_y;
    std::string out = fmt::format("<path d=\"M{:.1f} {:.1f}h{}\" {}/>\n", x, y, kSample, c.Stroke());
    out += Marker(c, x + kSample / 2, y);
    const double first = y + 4 - svg::kLineHeight * (static_cast<double>(c.label.size()) - 1) / 2;
    return out + svg::Text(x + kSample + 6, first, c.label,
                           fmt::format("fill=\"{}\"{}", c.Colour(), c.series->strong ? " font-weight=\"bold\"" : ""));
  }

  std::string Markers(const Curve& c) const {
    std::string out;
    if (!c.few() && curves_.size() == 1) return out;  // nothing to distinguish it from, and dots would look like events
    // On a long line a few markers, at different places so that they do not hide those of other lines.
    const std::size_t stride = c.few() ? 1 : std::max<std::size_t>(1, c.points.size() / 6);
    const std::size_t first = c.few() ? 0 : (stride * (c.index % 6 + 1)) / 7;
    for (std::size_t i = first; i < c.points.size(); i += stride) {
      if (c.points[i].drawn) out += Marker(c, c.points[i].x, c.points[i].y);
    }
    return out;
  }

  // Whiskers at a few points, a band around many.
  std::string Band(const Curve& c) const {
    const Series& s = *c.series;
    if (!HasBand(s)) return "";
    std::string out, up, down;
    const auto flush = [&] {
      if (!up.empty())
        out += fmt::format("<path d=\"M{}{}Z\" fill=\"{}\" fill-opacity=\"0.15\"/>\n", up.substr(1), down, c.Colour());
      up.clear();
      down.clear();
    };
    for (std::size_t i = 0; i < c.points.size(); ++i) {
      if (!c.points[i].drawn || !Drawable(s.low[i], chart_.log_y) || !Drawable(s.high[i], chart_.log_y)) {
        flush();
        continue;
      }
      const double x = c.points[i].x, low = Y(s.low[i]), high = Y(s.high[i]);
      if (c.few()) {
        out += fmt::format(
            "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}M{3:.1f} {1:.1f}h8M{3:.1f} {2:.1f}h8\" stroke=\"{4}\" fill=\"none\"/>\n",
            x, low, high, x - 4, c.Colour());
      } else {
        up += fmt::format("L{:.1f} {:.1f}", x, high);
        down = fmt::format("L{:.1f} {:.1f}", x, low) + down;
      }
    }
    flush();
    return out;
  }

  std::vector<std::string> Notes() const {
    std::vector<std::string> notes;
    if (points_left_out_ > 0) {
      notes.push_back(fmt::format("{} of {} points are not drawn: no finite{} value", points_left_out_,
                                  points_left_out_ + points_drawn_, chart_.log_x || chart_.log_y ? ", positive" : ""));
    }
    if (std::any_of(curves_.begin(), curves_.end(), [](const Curve& c) { return c.leaves; })) {
      notes.push_back("↑ the line continues above the chart");
    }
    return notes;
  }

  std::string Description() const {
    std::string out = fmt::format("Line chart of {} against {}.", chart_.y_label, chart_.x_label);
    const auto number = chart_.number != nullptr ? chart_.number : NumberText;
    for (const Series& s : chart_.series) {
      out += fmt::format(" {}: {} points", s.name.empty() ? chart_.title : s.name, Size(s));
      if (Size(s) > 0) out += fmt::format(", from {} to {}", number(s.y[0]), number(s.y[Size(s) - 1]));
      out += ".";
    }
    return out;
  }

  const LineChart& chart_;
  Axis x_axis_, y_axis_;
  std::vector<Curve> curves_;
  const double top_ = kTop + svg::kLineHeight * static_cast<double>(Lines(chart_.title, 84).size()) + 6;
  double left_ = 0, plot_width_ = 0, labels_end_ = 0;
  std::size_t points_drawn_ = 0, points_left_out_ = 0;
};

}  // namespace

std::string Svg(const LineChart& chart) { return Drawing(chart).Render(); }

}  // namespace kith::report
