#include "analysis/learn/minimise.h"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <optional>

#include "base/check.h"
#include "base/symmetric_matrix.h"

namespace kith::learn {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_oct;  // 237 bits; every operation is rounded to nearest

constexpr int kHalvings = 30, kStepsOfStart = 100;
constexpr std::size_t kRowsForCurvature = 200'000, kRowsForStart = 50'000;
constexpr double kSlackOfStart = 1e-3;
constexpr double kArmijo = 1e-4, kSame = 1e-9;  // kSame: of the value, which is a sum of doubles

template <class Real>
double Rough(const Real& x) {
  return static_cast<double>(x);
}

// The gradient without the parts that push against a side of the box on which w already is.
template <class Real>
std::vector<double> Projected(const std::vector<Real>& w, const std::vector<Real>& gradient) {
  std::vector<double> projected(w.size());
  for (std::size_t j = 0; j < w.size(); ++j) {
    const bool stuck = (w[j] >= kBox && gradient[j] < 0) || (w[j] <= -kBox && gradient[j] > 0);
    projected[j] = stuck ? 0 : Rough(gradient[j]);
  }
  return projected;
}

double Length(const std::vector<double>& v) {
  double square = 0;
  for (const double x : v) square += x * x;
  return std::sqrt(square);
}

// Rounding of the length itself: far below a part in a million for any number of weights that fits memory.
template <class Real>
double SlackOf(const std::vector<Real>& w, const Seen<Real>& seen) {
  return Length(Projected(w, seen.gradient)) * (1 + 1e-6) + seen.error * (1 + 1e-6);
}

// The curvature of J at w, of a part of the rows if there are many: it only has to point the way.
template <class Real>
SymmetricMatrix CurvatureAt(const Problem& problem, const std::vector<Real>& w) {
  const Examples& examples = problem.examples;
  const auto& attributes = examples.shape().attributes();
  SymmetricMatrix curvature(w.size());
  const std::size_t stride = 1 + (examples.size() - 1) / kRowsForCurvature;
  std::vector<std::size_t> where(attributes.size());
  std::vector<double> what(attributes.size()), rough(w.size());
  for (std::size_t j = 0; j < w.size(); ++j) rough[j] = Rough(w[j]);
  for (std::size_t row = 0; row < examples.size(); row += stride) {
    const std::int16_t* values = examples.At(row);
    double margin = 0;
    for (std::size_t k = 0; k < attributes.size(); ++k) {
      const bool number = attributes[k].categories == 0;
      const std::size_t j = attributes[k].first + (number ? 0 : static_cast<std::size_t>(values[k]));
      where[k] = j;  // increasing
      what[k] = number ? values[k] / double{Examples::kOne} : 1;
      margin += rough[j] * what[k];
    }
    const double bend = static_cast<double>(stride) * Curvature(problem.loss, examples.Side(row) * margin);
    if (bend == 0) continue;
    for (std::size_t a = 0; a < where.size(); ++a) {
      const double left = bend * what[a];
      for (std::size_t b = a; b < where.size(); ++b) curvature(where[a], where[b]) += left * what[b];
    }
  }
  for (std::size_t j = 0; j < w.size(); ++j) curvature(j, j) += problem.pull;
  return curvature;
}

// Where Newton's method would go, along the weights that are free. Nothing: the curvature is lost in roundings.
template <class Real>
std::optional<std::vector<double>> Direction(const Problem& problem, const std::vector<Real>& w,
                                             const std::vector<Real>& gradient) {
  SymmetricMatrix curvature = CurvatureAt(problem, w);
  std::vector<double> right = Projected(w, gradient);
  for (std::size_t j = 0; j < right.size(); ++j) {
    right[j] = -right[j];
    const bool stuck = right[j] == 0 && std::abs(Rough(w[j])) >= kBox;
    if (!stuck) continue;
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (i != j) curvature(std::min(i, j), std::max(i, j)) = 0;
    }
  }
  const auto solver = Cholesky::Of(curvature);
  if (!solver) return std::nullopt;
  return solver->Solve(std::move(right));
}

template <class Real>
std::vector<Real> Moved(const std::vector<Real>& w, const std::vector<double>& direction, double step) {
  std::vector<Real> moved = w;
  for (std::size_t j = 0; j < w.size(); ++j) {
    moved[j] += step * direction[j];
    if (moved[j] > kBox) moved[j] = kBox;
    if (moved[j] < -kBox) moved[j] = -kBox;
  }
  return moved;
}

template <class Real>
class Search {
 public:
  Search(const Problem& problem, double slack, const CancelFlag& cancel)
      : objective_(problem), slack_(slack), cancel_(cancel) {}

  int passes() const { return passes_; }

  /// Newton's method on the free weights; nothing if it got stuck before the proof.
  bool Newton(std::vector<Real>& w, int steps) {
    Seen<Real> seen = Pass(w);
    for (int i = 0; i < steps && !cancel_.cancelled(); ++i) {
      if (SlackOf(w, seen) <= slack_) return true;
      const auto direction = Direction(objective_.problem(), w, seen.gradient);
      if (!direction || !Step(w, seen, *direction)) return false;
    }
    return false;
  }

  /// Steps of fixed length against the gradient: slow, and certain to arrive (LEARN-2).
  void Descend(std::vector<Real>& w) {
    const Problem& problem = objective_.problem();
    const auto terms = static_cast<double>(problem.examples.shape().attributes().size());
    const double most = problem.pull + CurvatureOf(problem.loss) * terms * static_cast<double>(problem.examples.size());
    for (Seen<Real> seen = Pass(w); SlackOf(w, seen) > slack_ && !cancel_.cancelled(); seen = Pass(w)) {
      for (std::size_t j = 0; j < w.size(); ++j) {
        w[j] -= seen.gradient[j] / (1.0001 * most);
        if (w[j] > kBox) w[j] = kBox;
        if (w[j] < -kBox) w[j] = -kBox;
      }
    }
  }

 private:
  Seen<Real> Pass(const std::vector<Real>& w) {
    ++passes_;
    return objective_.At(w);
  }

  bool Step(std::vector<Real>& w, Seen<Real>& seen, const std::vector<double>& direction) {
    const double length = Length(Projected(w, seen.gradient));
    double step = 1;
    for (int halving = 0; halving < kHalvings; ++halving, step /= 2) {
      std::vector<Real> moved = Moved(w, direction, step);
      Seen<Real> there = Pass(moved);
      double fall = 0;
      for (std::size_t j = 0; j < w.size(); ++j) fall += Rough(seen.gradient[j]) * Rough(Real(moved[j] - w[j]));
      // Near the minimum the value no longer decides; the gradient does. Only there: elsewhere a shorter gradient at a
      // larger value may lead back to where the search was before, for ever. What is not finite is not a step.
      const bool lower = there.value <= seen.value + kArmijo * fall;
      const bool same = there.value <= seen.value + kSame * std::abs(seen.value);
      if (!lower && !(same && Length(Projected(moved, there.gradient)) <= length / 2)) continue;
      w = std::move(moved);
      seen = std::move(there);
      return true;
    }
    return false;
  }

  Objective<Real> objective_;
  double slack_;
  const CancelFlag& cancel_;
  int passes_ = 0;
};

// Where to start: the minimum for some of the rows, as if they were all. Any start would work.
std::vector<double> Start(const Problem& problem, const CancelFlag& cancel) {
  std::vector<double> w(problem.examples.shape().weights(), 0.0);
  const std::size_t stride = problem.examples.size() / kRowsForStart;
  if (stride < 4) return w;
  Examples some(problem.examples.shape());
  const std::size_t attributes = problem.examples.shape().attributes().size();
  for (std::size_t row = 0; row < problem.examples.size(); row += stride)
    some.Add({problem.examples.At(row), attributes}, problem.examples.Side(row) > 0);
  Problem smaller{some, problem.loss, problem.pull / static_cast<double>(stride), problem.push, problem.push_exponent};
  for (Int128& push : smaller.push) push /= static_cast<Int128>(stride);
  Search<double>(smaller, kSlackOfStart, cancel).Newton(w, kStepsOfStart);
  return w;
}

template <class Real>
std::vector<std::int64_t> InSteps(const std::vector<Real>& w, int exponent) {
  std::vector<std::int64_t> steps;
  for (const Real& x : w) steps.push_back(static_cast<std::int64_t>(round(Real(ldexp(x, -exponent)))));
  return steps;
}

}  // namespace

Result<Minimum> Minimise(const Problem& problem, double slack, int exponent, const CancelFlag& cancel,
                         int newton_steps) {
  const std::size_t weights = problem.examples.shape().weights();
  KITH_CHECK(problem.push.size() == weights && problem.pull >= 0x1p-20 && slack >= 0x1p-20 && exponent >= -40);
  KITH_CHECK(problem.examples.size() < std::size_t{1} << 40);
  Search<double> search(problem, slack, cancel);
  std::vector<double> w = Start(problem, cancel);
  const bool arrived = search.Newton(w, newton_steps);
  Minimum minimum{InSteps(w, exponent), search.passes(), false};
  if (!arrived && !cancel.cancelled()) {
    Search<Wide> wide(problem, slack, cancel);
    std::vector<Wide> precise(w.begin(), w.end());
    if (!wide.Newton(precise, newton_steps)) wide.Descend(precise);
    minimum = {InSteps(precise, exponent), search.passes() + wide.passes(), true};
  }
  if (cancel.cancelled()) return Cancelled("stopped while the classifier was fitted");
  return minimum;
}

}  // namespace kith::learn
