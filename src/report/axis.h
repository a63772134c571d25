// An axis: from numbers to places, and the round numbers next to it.
#pragma once
#include <string>
#include <vector>

namespace kith::report {

/// Whether a number can have a place on an axis. Absurdly large ones (1e300) would overflow and have none.
bool Drawable(double value, bool log);

struct Tick {
  double value = 0;
  std::string label;
};

class Axis {
 public:
  /// An axis that holds all drawable values of `values`; starts at zero where that wastes at most half of it.
  static Axis Over(const std::vector<double>& values, bool log);

  /// 0 at the low end, 1 at the high end; beyond them for values outside, but never absurdly far.
  double Place(double value) const;
  std::vector<Tick> Ticks() const;
  bool log() const { return log_; }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  Axis(double low, double high, bool log) : low_(low), high_(high), log_(log) {}
  double low_, high_;
  bool log_;
};

/// A number for a reader: up to four digits, a true minus, powers of ten as such.
std::string NumberText(double value);

}  // namespace kith::report
