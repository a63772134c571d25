#include "attack/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dependence/graph_builder.h"
#include "published/dependence_coefficient.h"
#include "published/distance_law.h"
#include "transfer/pair/pair.h"
#include "transfer/star/star_degrees.h"
#include "transfer/transfer.h"

namespace kith::attack {
namespace {

using published::Coefficient;

/// The sets of values that can be worst for the pair function of a table, as (q(S), p(S)). For a fixed t the points
/// with the same r(t) lie on a line, so only corners of their convex hull can be worst.
class WorstSets {
 public:
  void Add(std::span<const double> p, std::span<const double> q) {
    order_.resize(p.size());
    for (std::size_t k = 0; k < p.size(); ++k) order_[k] = {q[k] / p[k], k};
    std::sort(order_.begin(), order_.end());
    SetPoint sum;
    for (const auto& [ratio, k] : order_) {
      sum.p += p[k];
      sum.q += q[k];
      if (AboveHull(sum)) fresh_.push_back(sum);
    }
    if (fresh_.size() > 1000) Reduce();
  }

  /// Loss of the worst set. Requires: Reduce() after the last Add.
  double Loss(double t) const {
    double worst = 0;
    for (const auto& set : hull_) worst = std::max(worst, SetLoss(t, std::min(1.0, set.p), std::min(1.0, set.q)));
    return worst;
  }

  void Reduce() {
    fresh_.insert(fresh_.end(), hull_.begin(), hull_.end());
    std::sort(fresh_.begin(), fresh_.end(), [](const auto& a, const auto& b) { return a.q < b.q; });
    hull_.clear();
    for (const SetPoint& point : fresh_) {
      if (!hull_.empty() && point.p <= hull_.back().p) continue;
      while (!hull_.empty() && hull_.back().q == point.q) hull_.pop_back();
      while (hull_.size() > 1 && Below(hull_[hull_.size() - 2], hull_.back(), point)) hull_.pop_back();
      hull_.push_back(point);
    }
    fresh_.clear();
  }

 private:
  struct SetPoint {
    double q = 0, p = 0;
  };

  /// Whether b is on or below the line from a to c.
  static bool Below(const SetPoint& a, const SetPoint& b, const SetPoint& c) {
    return (b.p - a.p) * (c.q - a.q) <= (c.p - a.p) * (b.q - a.q);
  }

  bool AboveHull(const SetPoint& point) const {
    const auto right =
        std::lower_bound(hull_.begin(), hull_.end(), point.q, [](const SetPoint& set, double q) { return set.q < q; });
    if (right == hull_.end()) return hull_.empty() || point.p > hull_.back().p;
    if (right == hull_.begin()) return true;
    return !Below(*std::prev(right), point, *right);
  }

  std::vector<std::pair<double, std::size_t>> order_;
  std::vector<SetPoint> hull_, fresh_;
};

constexpr double kLargestEpsilon = 1000;  // far beyond any answer that hides something

/// The largest x in (0, most] with promised(x) <= epsilon, promised increasing; lower end of a bisection.
template <class F>
double LargestWithin(double most, double epsilon, const F& promised) {
  if (promised(most) <= epsilon) return most;
  double low = 0, high = most;
  for (int step = 0; step < 60 && high - low > 1e-9 * high; ++step) {
    const double middle = low > 0 ? std::sqrt(low * high) : high / 16;
    (promised(middle) <= epsilon ? low : high) = middle;
  }
  return low;
}

}  // namespace

const std::vector<Method>& Methods() {
  static const std::vector<Method> kMethods = {
      {"laplace", "plain differential privacy: dependence is ignored"},
      {"baseline", "as published: all records taken as one group (Theorem 7 with L = number of records)"},
      {"group", "group privacy: everybody in one connected part of the graph moves together"},
      {"dpm-eq14", "dependent perturbation with Eq. 14; not proved on a connected graph"},
      {"dpm-eq18", "dependent perturbation with Eq. 18, as published; not proved on a connected graph"},
      {"dpm-eq18-0.9", "Eq. 18 with every coefficient underestimated by a factor 0.9"},
      {"dpm-eq18-0.8", "Eq. 18 with every coefficient underestimated by a factor 0.8"},
      {"star",
       "kith's star bound; proved only if all others are independent of each other given the user: not on a larger "
       "connected graph"},
      {"field", "kith's field bound; proved for every Markov random field with these strengths"},
  };
  return kMethods;
}

struct Calibration::State {
  std::size_t users = 0, degree = 0, component = 1;
  Strength strength;
  std::vector<Edge> edges;
  std::optional<published::Secret> table;  // Eq. 26, rows normalised
  std::optional<WorstSets> worst;
  std::optional<Transfer> field;

  const published::Secret& Table() {
    if (table) return *table;
    published::Axis axis;
    for (std::size_t k = 0; k < strength.side; ++k)
      axis.push_back((static_cast<double>(k) + 0.5) / static_cast<double>(strength.side));
    const published::DistanceLaw law{1, strength.b, strength.c};
    return table.emplace(published::NormalisedRows(published::DistanceWeights(law, {axis, axis})));
  }

  /// Eqs. 22-25 in query units: DS / Delta Q = 1 + factor x degree x rho. With x = Delta Q / scale the plain loss of
  /// the answer, the promised loss is x + factor x degree x rho x.
  double Published(Coefficient which, double factor, double x) {
    const auto& pair = Table();
    const auto box = published::Around(pair.axes);
    const double rho = published::DependenceCoefficient(which, pair, box, box.Diameter() / x);
    return x * (1 + factor * static_cast<double>(degree) * rho);
  }

  /// How many records move together, for the methods that know nothing finer.
  std::optional<double> Together(const std::string& method) const {
    if (method == "laplace") return 1;
    if (method == "baseline") return static_cast<double>(users);
    if (method == "group") return static_cast<double>(component);
    return std::nullopt;
  }

  /// The promised loss of every method but `field`, for a plain loss; nothing for an unknown one.
  std::optional<double> Simple(const std::string& method, double x) {
    if (const auto together = Together(method)) return x * *together;
    if (method == "dpm-eq14") return Published(Coefficient::kEq14, 1, x);
    if (method == "dpm-eq18") return Published(Coefficient::kEq18a, 1, x);
    if (method == "dpm-eq18-0.9") return Published(Coefficient::kEq18a, 0.9, x);
    if (method == "dpm-eq18-0.8") return Published(Coefficient::kEq18a, 0.8, x);
    if (method == "star") return StarLoss(x, OfNeighbour(x), degree);
    return std::nullopt;
  }

  double OfNeighbour(double t) {
    if (strength.odds_ratio) return Phi(std::log(*strength.odds_ratio), t);
    if (!worst) {
      const auto& rows = Table().given;
      worst.emplace();
      // The grid looks the same from all eight sides, so one eighth of the first values is enough.
      for (std::size_t r = 0; 2 * r < strength.side + 1; ++r) {
        for (std::size_t s = r; 2 * s < strength.side + 1; ++s) {
          for (const auto& row : rows) worst->Add(rows[r * strength.side + s], row);
        }
      }
      worst->Reduce();
    }
    constexpr double kMargin = 1 + 1e-9;  // sums of at most 1,600 doubles, and the symmetry up to rounding
    return std::min(t, worst->Loss(t) * kMargin);
  }

  Result<const Transfer*> OfField() {
    if (!field) {
      // The largest odds ratio of Eq. 26 is between staying and going as far as the grid reaches.
      const double reach = 2 * (static_cast<double>(strength.side) - 1) / static_cast<double>(strength.side);
      const double theta =
          strength.odds_ratio ? std::log(*strength.odds_ratio) : 2 * strength.c * std::log1p(reach / strength.b);
      Field model;
      model.nodes = static_cast<std::int64_t>(users);
      for (Edge& edge : edges) edge.theta = theta;
      auto graph = GraphFromEdges(model.nodes, edges, RepeatedPairs::kLargest);
      if (!graph) return graph.error();
      model.graph = std::make_shared<const Graph>(std::move(*graph));
      auto made = Transfer::Make(std::move(model));
      if (!made) return made.error();
      field = std::move(*made);
    }
    return &*field;
  }
};

Calibration::Calibration(std::unique_ptr<State> state) : state_(std::move(state)) {}
Calibration::Calibration(Calibration&&) noexcept = default;
Calibration& Calibration::operator=(Calibration&&) noexcept = default;
Calibration::~Calibration() = default;
std::size_t Calibration::largest_degree() const { return state_->degree; }
std::size_t Calibration::largest_component() const { return state_->component; }

Result<Calibration> Calibration::Make(const Friends& friends, const Strength& strength) {
  if (strength.side < 2 || strength.side > 40)
    return InvalidArgument("Eq. 26 needs a grid of 2 to 40 points a side", "strength", "use 20");
  if (!(strength.b > 0 && strength.c > 0 && std::isfinite(strength.b) && std::isfinite(strength.c)))
    return InvalidArgument("b and c of Eq. 26 must be positive", "strength", "published: b = 0.196, c = 1.05");
  if (strength.odds_ratio && !(*strength.odds_ratio >= 1 && std::isfinite(*strength.odds_ratio)))
    return InvalidArgument("an odds ratio must be at least 1", "strength", "1 means: no dependence");
  auto state = std::make_unique<State>();
  state->users = friends.size();
  state->strength = strength;
  std::vector<bool> seen(friends.size(), false);
  std::vector<std::uint32_t> todo;
  for (std::uint32_t start = 0; start < friends.size(); ++start) {
    state->degree = std::max(state->degree, friends[start].size());
    for (const std::uint32_t other : friends[start]) {
      if (start < other) state->edges.push_back({start, other, 0});
    }
    if (seen[start]) continue;
    seen[start] = true;
    todo.assign(1, start);
    std::size_t size = 0;
    for (; !todo.empty(); ++size) {
      const std::uint32_t user = todo.back();
      todo.pop_back();
      for (const std::uint32_t other : friends[user]) {
        if (!seen[other]) todo.push_back(other);
        seen[other] = true;
      }
    }
    state->component = std::max(state->component, size);
  }
  return Calibration(std::move(state));
}

Result<double> Calibration::PlainLoss(const std::string& method, double epsilon) {
  if (!(epsilon > 0 && epsilon <= kLargestEpsilon))
    return InvalidArgument(fmt::format("epsilon must be above 0 and at most {}", kLargestEpsilon), "epsilon", "try 1");
  double plain = 0;
  if (method == "field") {
    const auto field = state_->OfField();
    if (!field) return field.error();
    const auto budget = (*field)->PlainBudget(epsilon);
    if (!budget) return budget.error();
    plain = *budget;
  } else if (const auto together = state_->Together(method)) {
    plain = epsilon / *together;
  } else if (state_->Simple(method, epsilon)) {
    plain = LargestWithin(epsilon, epsilon, [&](double x) { return *state_->Simple(method, x); });
  } else {
    return InvalidArgument("there is no such method", "methods", "look up their names").For("attack.methods");
  }
  if (!(plain > 0))
    return InvalidArgument("this method allows no answer at all for this epsilon", method, "leave it out");
  return plain;
}

Result<double> Calibration::Promised(const std::string& method, double plain) {
  if (!(plain > 0 && std::isfinite(plain)))
    return InvalidArgument("a plain loss must be a positive number", "epsilon", "try 1");
  if (method == "field") {
    const auto field = state_->OfField();
    if (!field) return field.error();
    const auto lost = (*field)->Loss(plain);
    if (!lost) return lost.error();
    return lost->dependent;
  }
  const auto promised = state_->Simple(method, plain);
  if (!promised)
    return InvalidArgument("there is no such method", "methods", "look up their names").For("attack.methods");
  return *promised;
}

}  // namespace kith::attack
