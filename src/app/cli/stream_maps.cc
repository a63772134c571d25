#include "app/cli/stream_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/cli/stream_output.h"
#include "base/json.h"
#include "loss/loss_text.h"
#include "release/stream/maps.h"
#include "release/stream/stream_text.h"
#include "report/small_maps.h"

namespace kith::cli {
namespace {

std::optional<RangeOfPoints> RangeIn(const std::string& text) {
  RangeOfPoints range;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string part = text.substr(from, comma - from);
    char* end = nullptr;
    range.push_back(std::strtod(part.c_str(), &end));
    if (part.empty() || *end != '\0' || !std::isfinite(range.back())) return std::nullopt;
    from = comma + 1;
  }
  return range;
}

// Maps hold six digits.
double Rounded(double number, int digits) { return std::stod(fmt::format("{:.{}g}", number, digits)); }

// The largest bar of a step's areas.
double BarOf(const Answer& step) {
  double bar = 0;
  for (const auto& row : step.rows) {
    for (const AnswerCell& cell : row) bar = std::max(bar, cell.error_95.value_or(0));
  }
  return bar;
}

// The rows of a map are blocks: eight along each side, or fewer.
std::string BlocksText(const Answer& step, std::size_t dimensions) {
  return dimensions == 2 ? fmt::format("{0} x {0} areas", std::lround(std::sqrt(static_cast<double>(step.rows.size()))))
                         : fmt::format("{} areas", step.rows.size());
}

}  // namespace

void AddMapOptions(Command& command, MapFlags& flags) {
  command
      .AddOption("--points", flags.options.columns,
                 "Instead of --statistic, a map at every step: one or two numbers with declared bounds, e.g. lon,lat")
      ->Separated();
  command.AddOption("--cells", flags.options.cells,
                    "With --points: grid cells along each side, a power of two (default: 32, on a line 64)");
  command
      .AddOption("--method", flags.method,
                 "With --points: how to count; by default pyramid, on a line with a metric unit cumulative")
      ->OneOf({"pyramid", "hat", "quadtree", "equi-width", "cumulative"});
  command.AddOption("--where", flags.options.where, "With --points: a condition as in SQL, only these rows");
  command
      .AddOption("--range", flags.ranges,
                 "With --points: points in x0,y0,x1,y1 (on a line from,to), read off every step's map; repeatable")
      ->Repeatable();
}

Result<std::vector<RangeOfPoints>> RangesOf(const MapFlags& flags) {
  const std::size_t dimensions = flags.options.columns.size();
  std::vector<RangeOfPoints> ranges;
  for (const std::string& text : flags.ranges) {
    const auto range = RangeIn(text);
    bool good = range && range->size() == 2 * dimensions;
    for (std::size_t k = 0; good && k < dimensions; ++k) good = (*range)[k] <= (*range)[dimensions + k];
    if (!good) {
      return InvalidArgument("a range is a list of numbers, the lower ends first", text.substr(0, 60),
                             dimensions == 1 ? "write --range from,to" : "write --range x0,y0,x1,y1");
    }
    ranges.push_back(*range);
  }
  return ranges;
}

std::string StatisticOf(const MapFlags& flags) {
  points::PointsOptions options = flags.options;
  for (const auto& [name, method] : points::Methods()) {
    if (name == flags.method) options.method = method;
  }
  return MapsText(options);
}

std::vector<std::string> ShownColumns(std::vector<std::string> columns, bool ranges) {
  if (ranges) columns.emplace_back("blur");
  return columns;
}

Result<Answer> WithRanges(const std::vector<RangeOfPoints>& ranges, Answer step) {
  if (ranges.empty() || step.rows.empty()) return step;
  const auto map = PointsMap::Of(step);
  if (!map) return map.error();
  step.rows.clear();
  for (const RangeOfPoints& range : ranges) {
    const auto counted = map->Count(range);
    if (!counted) return counted.error();
    std::vector<AnswerCell> row;
    const std::size_t dimensions = map->dimensions();
    for (std::size_t k = 0; k < dimensions; ++k) {
      row.push_back({range[k], std::nullopt});
      row.push_back({range[dimensions + k], std::nullopt});
    }
    row.push_back({Rounded(counted->points, 6), counted->error_95});
    row.push_back({Rounded(counted->blur, 3), std::nullopt});
    step.rows.push_back(std::move(row));
  }
  return step;
}

std::string MapStepText(const std::vector<std::string>& columns, bool ranges, const Answer& step) {
  if (ranges || step.rows.empty()) return StepText(columns, step);
  const std::size_t dimensions = columns.size() / 2;
  return fmt::format("{:>6}  {}  {:8}  map: {}, each ± {:.3g}, at a plain loss of {}\n", step.step->tick,
                     step.step->time, StateName(step.step->state), BlocksText(step, dimensions), BarOf(step),
                     LossText(step.step->charged.epsilon()));
}

std::string MapsPicture(const StreamRelease& stream, const Policy& policy, const std::vector<Answer>& steps) {
  constexpr std::size_t kMost = 24;
  report::SmallMaps maps;
  const std::size_t first = steps.size() > kMost ? steps.size() - kMost : 0;
  for (std::size_t k = first; k < steps.size(); ++k) {
    const Answer& step = steps[k];
    const bool number = policy.stream->type == ColumnType::kInteger;
    report::SmallMaps::Panel panel{(number ? "step " : "") + step.step->time, {}, StateName(step.step->state)};
    const Json details = step.details.empty() ? Json() : *step.details;
    if (details.is_object() && details.contains("grid") && details["grid"].at("axes").size() == 2) {
      const Json& grid = details["grid"];
      panel.values = grid.at("not_negative").get<std::vector<double>>();
      maps.columns = maps.rows =
          static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(panel.values.size()))));
      const Json &x = grid.at("axes")[0], &y = grid.at("axes")[1];
      const double wide = x.at("high").get<double>() - x.at("low").get<double>();
      const double high = y.at("high").get<double>() - y.at("low").get<double>();
      const bool earth = policy.unit.distance && policy.unit.distance->metric == DistanceMetric::kGreatCircle;
      const double middle = (y.at("high").get<double>() + y.at("low").get<double>()) / 2 * std::numbers::pi / 180;
      maps.aspect = high / (wide * (earth ? std::cos(middle) : 1));
      if (!earth && (maps.aspect < 0.4 || maps.aspect > 1.6)) maps.aspect = 1;  // two different things along the axes
      for (const Json& level : grid.at("levels"))
        maps.error_95 = std::max(maps.error_95, 1.96 * level.at("deviation").get<double>());
    }
    maps.panels.push_back(std::move(panel));
  }
  if (maps.columns == 0) return {};
  maps.title = fmt::format("{}: a map at every step", policy.unit.table);
  maps.value_label = "points at a place";
  const StreamGuarantee& g = stream.guarantee();
  maps.footer = {
      fmt::format("Counts with noise, without negative ones. One step loses at most {}, a stay of {} steps "
                  "at most {}. Neighbours: {}.",
                  LossText(g.plain_own_step), g.window, LossText(g.plain_stream), g.neighbours)};
  return report::Svg(maps);
}

}  // namespace kith::cli
