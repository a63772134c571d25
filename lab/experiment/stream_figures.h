// How well an hourly count of people can be published without end: rules that share the loss of a window, on real
// occupancy.  Source: delta-neighbourhood paper, sections 6 and 7; Kellaris et al. 2014 (bd, ba).
#pragma once
#include "analysis/stream/shares.h"
#include "base/cancel.h"
#include "base/result.h"
#include "experiment/figure.h"
#include "experiment/occupancy.h"
#include "random/bits.h"

namespace kith::experiment {

/// What a rule published for the hours that were asked for, and what it spent.
struct PublishedStream {
  std::vector<double> values;  // of each asked hour; before the first publication 0
  double window_spent = 0;     // the most that any window lost
  std::size_t published = 0;   // hours with fresh noise
};
/// What a rule has to share. `asked`: hours, ascending. Fails: as stream::Terms::Make.
Result<stream::Terms> TermsOf(const std::vector<std::int64_t>& counts, const std::vector<std::int64_t>& asked,
                              stream::Sharing rule, std::int64_t window, double epsilon);
Result<PublishedStream> PublishStream(const std::vector<std::int64_t>& counts, const std::vector<std::int64_t>& asked,
                                      const stream::Terms& terms, BitSource& bits);

/// Mean absolute error by rule against epsilon (window of 12 hours) and against the window (epsilon 1).
Result<Figure> StreamsFigure(const Occupancy& occupancy, const Settings& settings, const CancelFlag& cancel);

}  // namespace kith::experiment
