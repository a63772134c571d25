// A map at every step of a stream, as text: MAP OF lon, lat [BY pyramid] [ON 16 CELLS] [WHERE condition].
// Claims: claims/stream.md, claims/points.md.  Guide: docs/guide/streams.md
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/points/study.h"

namespace kith {

/// What a stream's statistic is, if it is a map or a curve. Where no number of cells is given, 32 along each side of a
/// plane and 64 on a line: the same at every step.
struct StreamMaps {
  points::PointsOptions options;

  /// Of a step's rows, by name: those that the stream shows.
  std::vector<std::string> Columns() const;
  /// What the study of a step rests on, besides what every stream does.
  std::vector<std::string> Claims() const;
};

/// Nothing if the text does not begin with MAP OF. Fails: kInvalidArgument if what follows cannot be read.
Result<std::optional<StreamMaps>> MapsIn(const std::string& statistic);
/// The text that is read as these options.
std::string MapsText(const points::PointsOptions& options);

}  // namespace kith
