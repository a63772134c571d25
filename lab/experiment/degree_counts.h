// Figure 9 (c): how far a noisy degree distribution is from the true one.
// Source: Liu, Chakraborty, Mittal 2016, section VII-B3 (the L1 distance of the two histograms).
#pragma once
#include "experiment/figure.h"
#include "experiment/methods.h"

namespace kith::experiment {

/// A unit is a person's own list of friends: replacing it moves one person from one count to another, sensitivity 2.
/// The published methods add noise to every count; kith's go through `degrees`. `noise` is for the graph of people who
/// depend on each other, which is not the graph of friends. Degrees above `most` count as `most`.
/// Fails: kCancelled; as World.
Result<Figure> Fig9c(const attack::Friends& friends, std::size_t most, Noise& noise, const Settings& settings,
                     const CancelFlag& cancel);

}  // namespace kith::experiment
