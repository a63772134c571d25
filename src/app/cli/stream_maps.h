// A map at every step of a stream, as people and programs read it: areas in lines and CSV, small maps side by side.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/points/study.h"
#include "app/cli/command.h"
#include "app/cli/points_map.h"
#include "release/stream/stream.h"

namespace kith::cli {

/// What the command line says about maps.
struct MapFlags {
  points::PointsOptions options;
  std::string method;
  std::vector<std::string> ranges;

  bool given() const { return !options.columns.empty(); }
};

void AddMapOptions(Command& command, MapFlags& flags);

/// Everything that can be wrong with the ranges, before anything is charged.
Result<std::vector<RangeOfPoints>> RangesOf(const MapFlags& flags);
/// The maps as a stream's statistic.
std::string StatisticOf(const MapFlags& flags);

/// The columns of a step's rows, as the stream names them; with ranges also how far their borders may be off, apart
/// from the noise.
std::vector<std::string> ShownColumns(std::vector<std::string> columns, bool ranges);
/// With ranges these are the rows of a step, read off its map.
Result<Answer> WithRanges(const std::vector<RangeOfPoints>& ranges, Answer step);
/// A line for a step: its ranges, or what kind of map there is.
std::string MapStepText(const std::vector<std::string>& columns, bool ranges, const Answer& step);

/// The last steps side by side; empty if there is no map on a plane among them.
std::string MapsPicture(const StreamRelease& stream, const Policy& policy, const std::vector<Answer>& steps);

}  // namespace kith::cli
