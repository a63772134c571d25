// How far off kith's analyses are at a plain loss, compared with the value without privacy and with the best published
// method of others for the same question and the same neighbours. The others are simulated in doubles from their papers
// and documentation; their noise is not a release.
#pragma once
#include "experiment/adult.h"
#include "experiment/clustering.h"
#include "experiment/figure.h"

namespace kith::experiment {

/// Panels: a count, an average, a median, counts by education and sex (census); clusters of most visited places
/// (inertia) and degrees of friendships (city). Errors are relative to the value without privacy, which the notes give.
/// Fails: kCancelled; as World.
Result<Figure> ErrorsOfAnalyses(const Adult& adult, const Cloud& homes, const attack::Friends& friends,
                                const Settings& settings, const CancelFlag& cancel);

}  // namespace kith::experiment
