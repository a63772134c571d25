// Student's law, for the intervals of repeated experiments.
#pragma once
#include <cstddef>

namespace kith::attack {

/// The t that a variable with so many degrees of freedom exceeds with probability 0.025. Requires: freedom >= 1.
double StudentAt975(std::size_t freedom);

}  // namespace kith::attack
