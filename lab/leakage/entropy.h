// Entropies in nats, with 0 log 0 = 0.
#pragma once
#include <cmath>

namespace kith::one_sided {

inline double Surprise(double p) { return p > 0 ? -p * std::log(p) : 0; }
/// Of a coin that shows heads with probability p.
inline double Coin(double p) { return Surprise(p) + Surprise(1 - p); }

}  // namespace kith::one_sided
