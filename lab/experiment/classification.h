// Figure 9 (b): how well a noisy linear support vector machine predicts who earns more.
// Source: Liu, Chakraborty, Mittal 2016, section VII-B2; the classifier is that of Chaudhuri, Monteleoni, Sarwate 2011,
// as kith has it (analysis/learn): all methods use it, at the plain loss that they spend.
#pragma once
#include "experiment/adult.h"
#include "experiment/figure.h"
#include "experiment/methods.h"

namespace kith::experiment {

/// Accuracy on a fifth of the people, learned from the others; `repetitions` splits. "without noise" is the same
/// classifier at a plain loss of 20; "always no" says that nobody earns more.
/// Fails: kCancelled; kInvalidArgument if there are fewer than 100 people; as World.
Result<Figure> Fig9b(const Adult& adult, Noise& noise, const Settings& settings, const CancelFlag& cancel);

}  // namespace kith::experiment
