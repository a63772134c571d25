// kith analyse policy.toml points: ranges that are read off the map, and pictures of it.
#include <fmt/format.h>

#include <cmath>

#include "app/cli/analyse.h"
#include "app/cli/points_map.h"
#include "random/bits.h"

namespace kith::cli {
namespace {

struct PointsChoice {
  const std::vector<std::string>* columns = nullptr;  // of the analysis
  const std::vector<double>* quantiles = nullptr;
  std::vector<std::string> ranges;
  std::size_t synthetic = 0;
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
  const std::size_t dimensions = choice.columns->size();
  for (const RangeOfPoints& range : *ranges) {
    bool good = range.size() == 2 * dimensions && choice.quantiles->empty();
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

std::vector<Picture> Draw(const PointsChoice& choice, const Answer& answer, const Policy* policy) {
  const bool earth =
      policy != nullptr && policy->unit.distance && policy->unit.distance->metric == DistanceMetric::kGreatCircle;
  const auto map = PointsMap::Of(answer);
  if (!map) return {};
  const auto ranges = RangesOf(choice);
  std::vector<Picture> files = {{"map.csv", map->Csv()}};
  files.push_back({"map.svg", map->Picture(answer.certificate, earth, ranges.value_or(std::vector<RangeOfPoints>{}))});
  if (map->dimensions() == 2) files.push_back({"map.geojson", map->GeoJson()});
  if (choice.synthetic > 0)
    files.push_back({"synthetic.csv", map->Synthetic(choice.synthetic, SystemBits::ForThisThread().Bits(64))});
  return files;
}

}  // namespace

Shown ShowPoints(Command& command, const AnalysisForm& form) {
  const auto choice = std::make_shared<PointsChoice>();
  choice->columns = std::get<std::vector<std::string>*>(form.Option("columns").place);
  choice->quantiles = std::get<std::vector<double>*>(form.Option("quantiles").place);
  command
      .AddOption("--range", choice->ranges, "Points in x0,y0,x1,y1 (on a line from,to), read off the map; repeatable")
      ->Repeatable();
  command.AddOption("--synthetic", choice->synthetic, "Draw this many invented points from the map (with --out)");
  Shown shown;
  shown.check = [choice] { return CheckRanges(*choice); };
  shown.present = [choice](Answer answer) { return Present(*choice, std::move(answer)); };
  shown.sketch = [](const Answer& answer) {
    const auto map = PointsMap::Of(answer);
    return map ? map->Sketch() : std::string();
  };
  shown.draw = [choice](const Answer& answer, const Policy* policy) { return Draw(*choice, answer, policy); };
  return shown;
}

}  // namespace kith::cli
