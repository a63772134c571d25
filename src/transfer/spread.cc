#include "transfer/spread.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "transfer/kernel_lp.h"
#include "transfer/pair.h"
#include "transfer/rounding.h"

namespace kith {

Spread::Spread(std::size_t values, double apart) : values_(values), bounds_(values * values, apart) {
  for (std::size_t x = 0; x < values; ++x) (*this)(x, x) = 0;
}

double Spread::Largest() const { return bounds_.empty() ? 0 : *std::max_element(bounds_.begin(), bounds_.end()); }

void Spread::Add(const Spread& other) {
  KITH_CHECK(other.values_ == values_);
  for (std::size_t k = 0; k < bounds_.size(); ++k) bounds_[k] = rounding::AddUp(bounds_[k], other.bounds_[k]);
}

void Spread::Add(double loss) { Add(Spread(values_, loss)); }

bool Spread::AtMost(const Spread& other) const {
  return std::equal(bounds_.begin(), bounds_.end(), other.bounds_.begin(), [](double x, double y) { return x <= y; });
}

Spread Spread::Widened(double part, double loss) const {
  Spread wide = *this;
  for (double& bound : wide.bounds_) bound += bound * part;
  wide.Add(part * loss);
  return wide;
}

namespace {

double ByProgramme(const Spread& spread, std::span<const double> p, std::span<const double> q) {
  std::vector<KernelArc> arcs;
  for (std::uint32_t x = 0; x < spread.values(); ++x) {
    for (std::uint32_t y = 0; y < spread.values(); ++y) {
      if (x != y) arcs.push_back({x, y, rounding::ExpUp(spread(x, y))});
    }
  }
  return LargestLogRatio(p, q, arcs);
}

bool AllEqual(const Spread& spread) {
  for (std::size_t x = 0; x < spread.values(); ++x) {
    for (std::size_t y = 0; y < spread.values(); ++y) {
      if (x != y && spread(x, y) != spread(0, 1)) return false;
    }
  }
  return true;
}

}  // namespace

double SpreadLoss(const Spread& spread, std::span<const double> p, std::span<const double> q, double error,
                  SeveralValues how) {
  KITH_CHECK(p.size() == spread.values() && q.size() == p.size());
  const double largest = spread.Largest();
  if (largest == 0) return 0;
  double loss = 0;
  double varies = std::min(1.0, std::expm1(largest));  // both expectations are wrong by `error` times what K varies
  if (spread.values() == 2) {
    loss = std::max(SetLoss(spread(1, 0), p[1], q[1]), SetLoss(spread(0, 1), p[0], q[0]));
  } else {
    loss = PairLoss(largest, p, q);
    if (how == SeveralValues::kLinearProgramme && loss > 0 && !AllEqual(spread)) {
      loss = std::min(loss, ByProgramme(spread, p, q));
      varies = 1;  // the programme takes the probabilities as they are, also where they do not add up to 1
    }
  }
  return std::min(largest, rounding::AddUp(loss, 4 * error * varies));
}

}  // namespace kith
