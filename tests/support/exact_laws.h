// Laws computed from their definitions, by adding up: what samplers are compared with. Slow and simple on purpose.
#pragma once
#include <cstdint>
#include <functional>

namespace kith::testing {

/// P[Z = z] proportional to exp(-|z| / scale), z any integer.
class DiscreteLaplaceLaw {
 public:
  /// Requires: 0 < scale <= 10,000.
  explicit DiscreteLaplaceLaw(long double scale);
  long double Mass(std::int64_t z) const;
  long double Cdf(std::int64_t z) const;

 private:
  long double scale_, total_;
};

/// The CDF as a function, from a table.
std::function<double(std::int64_t)> DiscreteLaplaceCdf(double scale);

}  // namespace kith::testing
