#include "app/cli/points_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "analysis/error_bar.h"
#include "base/json.h"
#include "loss/loss_text.h"
#include "report/chart.h"

namespace kith::cli {
namespace {

using points::Basis;

std::string Rounded(double value) {
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return value <= -0.5 ? "-" + digits : digits;
}

// Answers of earlier versions always mixed the unbiased fit with the other one, also where that takes ranges far
// outside their bars (GridStudy::HoldsSums): these are taken apart again.
bool HeldSums(const Answer& answer, Basis basis, std::size_t levels) {
  const auto& claims = answer.certificate.claims;
  const bool of_moves = std::find(claims.begin(), claims.end(), "DISTANCE-1") != claims.end();
  return of_moves && basis == Basis::kHats && levels > 1;
}
std::vector<double> Unmixed(const std::vector<double>& mix, const std::vector<double>& not_negative) {
  std::vector<double> unbiased(mix);
  for (std::size_t k = 0; k < mix.size() && k < not_negative.size(); ++k)
    unbiased[k] = (mix[k] - 0.7 * not_negative[k]) / 0.3;
  return unbiased;
}

}  // namespace

double PointsMap::Axis::Part(double value) const { return std::clamp((value - low) / (high - low), 0.0, 1.0); }

Result<PointsMap> PointsMap::Of(const Answer& answer) {
  PointsMap map;
  const Json details = answer.details.empty() ? Json() : *answer.details;
  try {
    if (details.is_object() && details.contains("grid")) {
      const Json& grid = details["grid"];
      for (const Json& axis : grid.at("axes")) map.axes_.push_back({axis.at("name"), axis.at("low"), axis.at("high")});
      map.basis_ = grid.at("basis") == "hats" ? Basis::kHats : Basis::kCells;
      map.log2_cells_ = grid.at("log2_cells");
      if (!grid.at("total").is_null()) map.total_ = grid.at("total").get<double>();
      for (const Json& level : grid.at("levels"))
        map.levels_.push_back({level.at("log2_cells"), level.at("deviation"), level.value("step", 1.0)});
      map.counts_ = grid.at("counts").get<std::vector<double>>();
      map.shown_ = grid.at("not_negative").get<std::vector<double>>();
      if (!grid.contains("fit") && !HeldSums(answer, map.basis_, map.levels_.size()))
        map.counts_ = Unmixed(map.counts_, map.shown_);
      return map;
    }
    if (details.is_object() && details.contains("curve")) {
      const Json& curve = details["curve"];
      map.curve_ = curve.at("points").get<std::vector<std::pair<double, double>>>();
      map.curve_deviation_ = curve.at("deviation");
      if (curve.contains("misfit")) map.misfit_ = curve.at("misfit").get<std::vector<double>>();
      if (curve.contains("rough")) map.rough_ = curve.at("rough").get<std::vector<double>>();
      map.misfit_.resize(map.curve_.size(), 0.0);  // an answer of an earlier version has neither
      map.rough_.resize(map.curve_.size(), 0.0);
      map.axes_.push_back({curve.at("name"), map.curve_.front().first, map.curve_.back().first});
      return map;
    }
  } catch (const JsonError&) {
    return StorageError("the stored answer cannot be read");
  }
  return InvalidArgument("this answer has no map: ranges and maps are made of grids and curves", {},
                         "leave out --range, --synthetic and --out, or use another --method");
}

std::vector<std::string> PointsMap::RangeColumns() const {
  std::vector<std::string> names;
  for (const Axis& axis : axes_) names.push_back(axis.name + " from");
  for (const Axis& axis : axes_) names.push_back(axis.name + " to");
  names.emplace_back("points");
  names.emplace_back("blur");
  return names;
}

points::RangeSide PointsMap::SideOf(const RangeOfPoints& range, std::size_t axis) const {
  const Axis& along = axes_[axis];
  return points::SideOf(basis_, log2_cells_, along.Part(range[axis]), along.Part(range[axes_.size() + axis]));
}

std::vector<points::NoisyLevel> PointsMap::Levels() const {
  std::vector<points::NoisyLevel> levels;
  for (const auto& [log2_cells, deviation, step] : levels_) {
    const std::size_t size = ladder().Size(log2_cells);
    levels.push_back(
        {log2_cells, std::vector<double>(size, 0), std::vector<double>(size, 1 / (deviation * deviation)), step});
  }
  return levels;
}

double PointsMap::CurveAt(double x) const {
  const auto next =
      std::upper_bound(curve_.begin(), curve_.end(), x, [](double v, const auto& p) { return v < p.first; });
  if (next == curve_.begin()) return curve_.front().second;
  if (next == curve_.end()) return curve_.back().second;
  const auto before = next - 1;
  const double part = (x - before->first) / (next->first - before->first);
  return before->second + part * (next->second - before->second);
}

// Between two points of the curve the points need not be spread evenly.
double PointsMap::CurveBlur(double x) const {
  const auto next =
      std::upper_bound(curve_.begin(), curve_.end(), x, [](double v, const auto& p) { return v < p.first; });
  if (next == curve_.begin() || next == curve_.end()) return 0;
  const auto before = next - 1;
  const auto at = static_cast<std::size_t>(before - curve_.begin());
  const double part = (x - before->first) / (next->first - before->first);
  if (part == 0) return misfit_[at];
  return 2 * std::sqrt(part * (1 - part)) * rough_[at] + std::max(misfit_[at], misfit_[at + 1]);
}

Result<RangeCount> PointsMap::Count(const RangeOfPoints& range) const {
  const std::size_t n = axes_.size();
  bool good = range.size() == 2 * n;
  for (std::size_t k = 0; good && k < n; ++k) good = range[k] <= range[n + k];
  if (!good) {
    return InvalidArgument(n == 1 ? "a range on a line has two ends" : "a range on a plane has four ends", {},
                           n == 1 ? "write --range from,to" : "write --range x0,y0,x1,y1, the lower ends first");
  }
  if (!grid()) {
    const auto bar =
        curve_deviation_ > 0 ? std::optional(BarOfWeightedSum(curve_deviation_ * curve_deviation_, 1)) : std::nullopt;
    return RangeCount{CurveAt(range[1]) - CurveAt(range[0]), CurveBlur(range[0]) + CurveBlur(range[1]), bar};
  }
  const points::RangeSide x = SideOf(range, 0), y = n == 2 ? SideOf(range, 1) : points::RangeSide{};
  std::vector<double> functional(counts_.size());
  double sum = 0;
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    functional[k] = n == 2 ? x.inside[k / side()] * y.inside[k % side()] : x.inside[k];
    sum += functional[k] * counts_[k];
  }
  return RangeCount{sum, points::BlurOf(x, y, shown_),
                    points::BarOfFit(points::VarianceOf(ladder(), Levels(), functional, total_.has_value()), Levels())};
}

double PointsMap::CellBar(int level) const {
  std::vector<double> one(ladder().Size(level), 0);
  const std::size_t across = ladder().Side(level), middle = across / 2;
  one[axes_.size() == 2 ? middle * across + middle : middle] = 1;
  for (; level < log2_cells_; ++level) {
    std::vector<double> finer(ladder().Size(level + 1), 0);
    ladder().AddFiner(one, level + 1, finer);
    one = std::move(finer);
  }
  return points::BarOfFit(points::VarianceOf(ladder(), Levels(), one, total_.has_value()), Levels());
}

double PointsMap::EdgeOf(std::size_t axis, std::size_t k, bool upper) const {
  const double cells = std::ldexp(1.0, log2_cells_);
  const double shift = (basis_ == Basis::kHats ? -0.5 : 0) + (upper ? 1 : 0);
  return axes_[axis].At(std::clamp((static_cast<double>(k) + shift) / cells, 0.0, 1.0));
}

std::string PointsMap::Csv() const {
  std::string out;
  if (!grid()) {
    out = fmt::format("{},points_up_to\n", axes_[0].name);
    for (const auto& [x, count] : curve_) out += fmt::format("{:.9g},{:.6g}\n", x, count);
    return out;
  }
  for (const Axis& axis : axes_) out += fmt::format("{0}_from,{0}_to,", axis.name);
  out += "points,error_95\n";
  const double bar = CellBar(log2_cells_);
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const std::size_t at = axes_.size() == 1 ? k : axis == 0 ? k / side() : k % side();
      out += fmt::format("{:.9g},{:.9g},", EdgeOf(axis, at, false), EdgeOf(axis, at, true));
    }
    out += fmt::format("{:.6g},{:.4g}\n", counts_[k], bar);
  }
  return out;
}

std::string PointsMap::GeoJson() const {
  std::string out = "{\"type\":\"FeatureCollection\",\"features\":[\n";
  const double bar = CellBar(log2_cells_);
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    const std::size_t a = k / side(), b = k % side();
    const double x0 = EdgeOf(0, a, false), x1 = EdgeOf(0, a, true), y0 = EdgeOf(1, b, false), y1 = EdgeOf(1, b, true);
    out += fmt::format(
        "{}{{\"type\":\"Feature\",\"properties\":{{\"points\":{:.6g},\"error_95\":{:.4g}}},\"geometry\":{{\"type\":"
        "\"Polygon\",\"coordinates\":[[[{:.9g},{:.9g}],[{:.9g},{:.9g}],[{:.9g},{:.9g}],[{:.9g},{:.9g}],[{:.9g},{:.9g}]]"
        "]"
        "}}}}",
        k == 0 ? "" : ",\n", counts_[k], bar, x0, y0, x1, y0, x1, y1, x0, y1, x0, y0);
  }
  return out + "\n]}\n";
}

std::string PointsMap::Synthetic(std::size_t count, std::uint64_t seed) const {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::string out;
  for (std::size_t k = 0; k < axes_.size(); ++k) out += (k == 0 ? "" : ",") + axes_[k].name;
  out += "\n";
  if (!grid()) {
    const double all = curve_.back().second;
    for (std::size_t i = 0; i < count; ++i) {
      const double wanted = uniform(engine) * all;
      const auto next =
          std::find_if(curve_.begin() + 1, curve_.end() - 1, [&](const auto& p) { return p.second >= wanted; });
      const auto before = next - 1;
      const double rise = next->second - before->second;
      const double part = rise > 0 ? (wanted - before->second) / rise : 0.5;
      out += fmt::format("{:.7g}\n", before->first + std::clamp(part, 0.0, 1.0) * (next->first - before->first));
    }
    return out;
  }
  std::vector<double> weights;
  for (const double c : shown_) weights.push_back(std::max(c, 0.0));
  if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; })) weights.assign(weights.size(), 1);
  std::discrete_distribution<std::size_t> pick(weights.begin(), weights.end());
  const double cells = std::ldexp(1.0, log2_cells_);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = pick(engine);
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const auto at = static_cast<double>(axes_.size() == 1 ? k : axis == 0 ? k / side() : k % side());
      // A node represents a hat around it: the sum of two uniform numbers; beyond the border it is folded back.
      double place = basis_ == Basis::kHats ? at + uniform(engine) - uniform(engine) : at + uniform(engine);
      place = std::abs(place);
      if (place > cells) place = 2 * cells - place;
      out += fmt::format("{}{:.7g}", axis == 0 ? "" : ",", axes_[axis].At(place / cells));
    }
    out += "\n";
  }
  return out;
}

std::string PointsMap::Sketch() const {
  if (!grid() || axes_.size() != 2) return {};
  constexpr std::size_t kAcross = 64, kUp = 24;
  std::vector<double> blocks(kAcross * kUp, 0);
  const auto block = [&](std::size_t k, std::size_t n) {
    return std::min(n - 1, static_cast<std::size_t>(static_cast<double>(k) / static_cast<double>(side() - 1) *
                                                    static_cast<double>(n)));
  };
  // With more letters than counts, each letter shows the nearest count; with fewer, the sum of those in it.
  for (std::size_t k = 0; k < shown_.size(); ++k)
    blocks[(kUp - 1 - block(k % side(), kUp)) * kAcross + block(k / side(), kAcross)] += std::max(0.0, shown_[k]);
  for (std::size_t r = 0; r < kUp; ++r) {
    for (std::size_t c = 0; side() < kAcross && c < kAcross; ++c) {
      const auto nearest = [&](double at, std::size_t n) {
        return static_cast<std::size_t>(
            std::lround((at + 0.5) / static_cast<double>(n) * static_cast<double>(side() - 1)));
      };
      blocks[r * kAcross + c] = std::max(
          0.0,
          shown_[nearest(static_cast<double>(c), kAcross) * side() + nearest(static_cast<double>(kUp - 1 - r), kUp)]);
    }
  }
  const double largest = *std::max_element(blocks.begin(), blocks.end());
  static constexpr const char* kShades[] = {" ", "░", "▒", "▓", "█"};
  std::string out;
  for (std::size_t r = 0; r < kUp; ++r) {
    out += "  ";
    for (std::size_t c = 0; c < kAcross; ++c) {
      const double part = largest > 0 ? std::cbrt(blocks[r * kAcross + c] / largest) : 0;
      out += kShades[std::min<std::size_t>(4, static_cast<std::size_t>(part * 5))];
    }
    out += "\n";
  }
  return out + fmt::format("  {} {:.6g} to {:.6g}, {} {:.6g} to {:.6g}\n\n", axes_[0].name, axes_[0].low, axes_[0].high,
                           axes_[1].name, axes_[1].low, axes_[1].high);
}

std::string PointsMap::Map(const Certificate& certificate, bool earth, const std::vector<RangeOfPoints>& marks) const {
  report::HeatMap map;
  map.title = total_ ? fmt::format("Where {} points are", Rounded(*total_)) : "Where the points are";
  map.x_label = axes_[0].name;
  map.y_label = axes_[1].name;
  map.value_label = "points in a cell";
  map.x_low = axes_[0].low;
  map.x_high = axes_[0].high;
  map.y_low = axes_[1].low;
  map.y_high = axes_[1].high;
  const double middle = (map.y_low + map.y_high) / 2 * std::numbers::pi / 180;
  map.aspect = (map.y_high - map.y_low) / ((map.x_high - map.x_low) * (earth ? std::cos(middle) : 1));
  if (!earth && (map.aspect < 0.4 || map.aspect > 1.6)) map.aspect = 1;  // two different things along the axes
  // A finer grid is for ranges; in a picture most of its cells would be noise.
  map.values = shown_;
  int level = log2_cells_;
  for (; level > 7; --level) map.values = ladder().SumsOfCoarserLevel(map.values, level);
  map.columns = map.rows = ladder().Side(level);
  map.error_95 = CellBar(level);
  for (const RangeOfPoints& range : marks) {
    const auto counted = Count(range);
    if (!counted) continue;
    map.marks.push_back({range[0], range[1], range[2], range[3],
                         fmt::format("{} ± {}, blur {}", Rounded(counted->points),
                                     Rounded(counted->error_95.value_or(0)), Rounded(counted->blur))});
  }
  map.footer = fmt::format("Noise for a loss of {}. Neighbours: {}.", LossText(certificate.plain_epsilon),
                           certificate.guarantee.neighbours);
  return report::Svg(map);
}

std::string PointsMap::Picture(const Certificate& certificate, bool earth,
                               const std::vector<RangeOfPoints>& marks) const {
  if (grid() && axes_.size() == 2) return Map(certificate, earth, marks);
  report::LineChart chart{"Points up to a place", axes_[0].name, "points", false, false, {}};
  report::Series line;
  line.name = "points, with noise";
  line.strong = true;
  const double bar = grid() ? CellBar(log2_cells_) : BarOfWeightedSum(curve_deviation_ * curve_deviation_ / 2, 1);
  const auto add = [&](double x, double y) {
    line.x.push_back(x);
    line.y.push_back(y);
    line.low.push_back(y - bar);
    line.high.push_back(y + bar);
  };
  if (grid()) {
    chart.title = "Points at each place";
    for (std::size_t k = 0; k < counts_.size(); ++k) add((EdgeOf(0, k, false) + EdgeOf(0, k, true)) / 2, counts_[k]);
  } else {
    for (const auto& [x, count] : curve_) add(x, count);
  }
  chart.series.push_back(std::move(line));
  return report::Svg(chart);
}

}  // namespace kith::cli
