// kith analyse policy.toml points
#include <fmt/format.h>

#include <cmath>

#include "analysis/points/study.h"
#include "app/cli/analyse.h"
#include "app/cli/points_map.h"
#include "random/bits.h"

namespace kith::cli {
namespace {

struct PointsChoice {
  points::PointsOptions options;
  std::string method;
  std::vector<std::string> ranges;
  std::size_t synthetic = 0;
  bool earth = false;  // found in the policy
};

Result<std::vector<RangeOfPoints>> RangesOf(const PointsChoice& choice) {
  std::vector<RangeOfPoints> ranges;
  for (const std::string& text : choice.ranges) {
    RangeOfPoints range;
    std::size_t from = 0;
    while (from <= text.size()) {
      const std::size_t comma = std::min(text.find(',', from), text.size());
      try {
        std::size_t used = 0;
        const std::string part = text.substr(from, comma - from);
        range.push_back(std::stod(part, &used));
        if (used != part.size()) range.clear();
      } catch (const std::exception&) {
        range.clear();
      }
      if (range.empty()) {
        return InvalidArgument("a range is a list of numbers", text.substr(0, 60),
                               "write --range x0,y0,x1,y1 (on a line: from,to)");
      }
      from = comma + 1;
    }
    ranges.push_back(std::move(range));
  }
  return ranges;
}

// Everything that can be wrong is reported before anything is charged.
Result<void> CheckRanges(const PointsChoice& choice) {
  const auto ranges = RangesOf(choice);
  if (!ranges) return ranges.error();
  const std::size_t dimensions = choice.options.columns.size();
  for (const RangeOfPoints& range : *ranges) {
    bool good = range.size() == 2 * dimensions && choice.options.quantiles.empty();
    for (std::size_t k = 0; good && k < dimensions; ++k) good = range[k] <= range[dimensions + k];
    if (!good) {
      return InvalidArgument("a range has a lower and an upper end for each column, and quantiles have none", {},
                             dimensions == 1 ? "write --range from,to" : "write --range x0,y0,x1,y1");
    }
  }
  return {};
}

// Three digits: blur is an estimate.
double RoundedDigits(double value) {
  if (!(value > 0)) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return unit >= 1 ? std::round(value / unit) * unit : std::round(value * 100) / 100;
}

// With ranges, they are the answer; the grid stays in its details.
Result<Answer> Present(const PointsChoice& choice, Answer answer) {
  const auto ranges = RangesOf(choice);
  if (!ranges) return ranges.error();
  if (ranges->empty()) return answer;
  const auto map = PointsMap::Of(answer);
  if (!map) return map.error();
  answer.columns = map->RangeColumns();
  answer.rows.clear();
  for (const RangeOfPoints& range : *ranges) {
    const auto counted = map->Count(range);
    if (!counted) return counted.error();
    std::vector<AnswerCell> row;
    for (const double end : range) row.push_back({end, std::nullopt});
    row.push_back({counted->points, counted->error_95});
    row.push_back({RoundedDigits(counted->blur), std::nullopt});
    answer.rows.push_back(std::move(row));
  }
  answer.notes.push_back(
      {NoteKind::kAccuracy,
       "blur: about how many points the grid cells across a range's border may add or miss, beside the noise"});
  answer.notes.push_back(
      {NoteKind::kMethod, "ranges are read off the released map: as many as you like, at no extra cost"});
  return answer;
}

std::vector<Picture> Draw(const PointsChoice& choice, const Answer& answer) {
  const auto map = PointsMap::Of(answer);
  if (!map) return {};
  const auto ranges = RangesOf(choice);
  std::vector<Picture> files = {{"map.csv", map->Csv()}};
  files.push_back(
      {"map.svg", map->Picture(answer.certificate, choice.earth, ranges.value_or(std::vector<RangeOfPoints>{}))});
  if (map->dimensions() == 2) files.push_back({"map.geojson", map->GeoJson()});
  if (choice.synthetic > 0)
    files.push_back({"synthetic.csv", map->Synthetic(choice.synthetic, SystemBits::ForThisThread().Bits(64))});
  return files;
}

}  // namespace

void AddPoints(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command = analyse.AddVerb("points", "Where points are: a map, a curve, ranges, quantiles");
  command->Footer(
      "Examples:\n"
      "  kith analyse city.toml points --columns lon,lat --epsilon 0.5 --range -74.02,40.70,-73.96,40.76 --out map\n"
      "  kith analyse wages.toml points --columns wage --quantiles 0.1,0.5,0.9 --epsilon 0.2\n"
      "With a metric unit ([unit] distance) noise hides moves of delta; without one, any change of a unit's rows.\n"
      "Methods: pyramid, hat, quadtree, equi-width; on a line with a metric unit also cumulative, groups, quantiles.");
  auto choice = std::make_shared<PointsChoice>();
  points::PointsOptions& options = choice->options;
  command->AddOption("--columns", options.columns, "One or two numbers with declared bounds, e.g. lon,lat")
      ->Separated()
      ->Required();
  std::vector<std::string> names;
  for (const auto& [name, method] : points::Methods()) names.push_back(name);
  command->AddOption("--method", choice->method, "How to count; by default chosen by the unit")->OneOf(names);
  command->AddOption(
      "--cells", options.cells,
      "Grid cells along each side, a power of two; by default chosen by the price and the number of points");
  command->AddOption("--groups", options.groups, "Sorted points in this many groups: the mean of each");
  command->AddOption("--quantiles", options.quantiles, "Quantiles between 0 and 1, e.g. 0.25,0.5,0.75")->Separated();
  command->AddOption("--where", options.where, "A condition as in SQL: only these rows");
  command
      ->AddOption("--range", choice->ranges, "Points in x0,y0,x1,y1 (on a line from,to), read off the map; repeatable")
      ->Repeatable();
  command->AddOption("--synthetic", choice->synthetic, "Draw this many invented points from the map (with --out)");
  StudyVerb verb;
  verb.check = [choice] { return CheckRanges(*choice); };
  verb.make = [choice](const Policy& rules) -> Result<std::unique_ptr<Study>> {
    for (const auto& [name, method] : points::Methods()) {
      if (name == choice->method) choice->options.method = method;
    }
    choice->earth = rules.unit.distance && rules.unit.distance->metric == DistanceMetric::kGreatCircle;
    return points::MakePoints(choice->options, rules);
  };
  verb.draw = [choice](const Answer& answer) { return Draw(*choice, answer); };
  verb.present = [choice](Answer answer) { return Present(*choice, std::move(answer)); };
  verb.sketch = [](const Answer& answer) {
    const auto map = PointsMap::Of(answer);
    return map ? map->Sketch() : std::string();
  };
  AddStudy(*command, policy, std::move(verb), context);
}

}  // namespace kith::cli
