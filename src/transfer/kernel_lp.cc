#include "transfer/kernel_lp.h"

#include <coin/Clp_C_Interface.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <queue>
#include <utility>

#include "base/check.h"
#include "base/late_library.h"
#include "base/meter.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

using namespace rounding;

// Loaded when a programme is first solved: with what it needs in turn it takes a fifth of the program's start-up time.
constinit LateLibrary clp_library{"libClp.so.1"};

template <FunctionName kName, auto* kDeclared>
using OfClp = LateFunction<clp_library, kName, kDeclared>;

constexpr OfClp<"Clp_deleteModel", ::Clp_deleteModel> Clp_deleteModel;
constexpr OfClp<"Clp_dual", ::Clp_dual> Clp_dual;
constexpr OfClp<"Clp_initialSolve", ::Clp_initialSolve> Clp_initialSolve;
constexpr OfClp<"Clp_loadProblem", ::Clp_loadProblem> Clp_loadProblem;
constexpr OfClp<"Clp_newModel", ::Clp_newModel> Clp_newModel;
constexpr OfClp<"Clp_primalColumnSolution", ::Clp_primalColumnSolution> Clp_primalColumnSolution;
constexpr OfClp<"Clp_setDualTolerance", ::Clp_setDualTolerance> Clp_setDualTolerance;
constexpr OfClp<"Clp_setLogLevel", ::Clp_setLogLevel> Clp_setLogLevel;
constexpr OfClp<"Clp_setPrimalTolerance", ::Clp_setPrimalTolerance> Clp_setPrimalTolerance;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Weights that prove a bound: `ratio` for the normalisation, one for each arc.
struct Dual {
  double ratio = 0;
  std::vector<double> arcs;
};

/// For every value z the largest K(z) when E_q[K] = 1: K(z') <= 1/q(z') there, and arcs pass it on. Shortest paths.
std::vector<double> LargestKernel(std::span<const double> q, const std::vector<KernelArc>& arcs) {
  std::vector<std::vector<std::pair<std::uint32_t, double>>> above(q.size());
  for (const auto& arc : arcs) above[arc.lower].emplace_back(arc.upper, arc.factor);
  std::vector<double> largest(q.size(), kInfinity);
  using Entry = std::pair<double, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::uint32_t z = 0; z < q.size(); ++z) {
    if (q[z] > 0) queue.emplace(largest[z] = DivUp(1, q[z]), z);
  }
  while (!queue.empty()) {
    Meter::Look();
    const auto [value, z] = queue.top();
    queue.pop();
    if (value > largest[z]) continue;
    for (const auto& [upper, factor] : above[z]) {
      const double passed = MulUp(value, factor);
      if (passed < largest[upper]) queue.emplace(largest[upper] = passed, upper);
    }
  }
  return largest;
}

/// minimise ratio  subject to, for every value z:  ratio q(z) + sum of weights of arcs with upper = z
///                                                 - sum of factor * weight of arcs with lower = z  >=  p(z),   weights
///                                                 >= 0.
/// Line z is multiplied by the largest K(z) there can be, so that the solver's absolute tolerances mean the same for
/// all.
Dual Solve(std::span<const double> p, std::span<const double> q, const std::vector<KernelArc>& arcs,
           const std::vector<double>& largest) {
  const std::size_t columns = arcs.size() + 1;
  std::vector<CoinBigIndex> start = {0};  // of each column, one after the other
  std::vector<int> row;
  std::vector<double> entry;
  std::vector<double> least;
  const auto put = [&](std::size_t r, double value) {
    row.push_back(static_cast<int>(r));
    entry.push_back(value);
  };
  for (std::size_t z = 0; z < q.size(); ++z) {
    if (q[z] != 0) put(z, q[z] * largest[z]);
    least.push_back(p[z] * largest[z]);
  }
  start.push_back(static_cast<CoinBigIndex>(entry.size()));
  for (const KernelArc& arc : arcs) {
    put(arc.upper, 1);
    put(arc.lower, -arc.factor * largest[arc.lower] / largest[arc.upper]);
    start.push_back(static_cast<CoinBigIndex>(entry.size()));
  }
  const std::vector<double> zeros(columns, 0);
  const std::vector<double> no_limit(std::max(columns, p.size()), std::numeric_limits<double>::max());
  std::vector<double> cost(columns, 0);
  cost[0] = 1;
  const std::unique_ptr<Clp_Simplex, void (*)(Clp_Simplex*)> simplex(Clp_newModel(), Clp_deleteModel);
  Clp_setLogLevel(simplex.get(), 0);
  Clp_loadProblem(simplex.get(), static_cast<int>(columns), static_cast<int>(p.size()), start.data(), row.data(),
                  entry.data(), zeros.data(), no_limit.data(), cost.data(), least.data(), no_limit.data());
  Clp_setPrimalTolerance(simplex.get(), 1e-11);
  Clp_setDualTolerance(simplex.get(), 1e-10);
  if (p.size() > 64) {
    Clp_initialSolve(simplex.get());
  } else {
    Clp_dual(simplex.get(), 0);
  }
  const double* solution = Clp_primalColumnSolution(simplex.get());
  Dual dual{std::max(0.0, solution[0]), {}};
  for (std::size_t k = 0; k < arcs.size(); ++k) {
    dual.arcs.push_back(solution[k + 1] > 0 ? solution[k + 1] / largest[arcs[k].upper] : 0);
  }
  return dual;
}

/// By weak duality E_p[K] <= ratio E_q[K] + sum over z of (what the weights leave uncovered at z) * K(z).
double ProvedRatio(std::span<const double> p, std::span<const double> q, const std::vector<KernelArc>& arcs,
                   const std::vector<double>& largest, const Dual& dual) {
  // p(z) - weights of arcs with upper z + factor * weights of arcs with lower z; and the same with plus signs, for the
  // rounding.
  std::vector<double> left(p.begin(), p.end());
  std::vector<double> magnitude(left);
  std::vector<double> terms(p.size(), 2);
  for (std::size_t k = 0; k < arcs.size(); ++k) {
    if (dual.arcs[k] == 0) continue;
    const double passed = arcs[k].factor * dual.arcs[k];
    left[arcs[k].upper] -= dual.arcs[k];
    left[arcs[k].lower] += passed;
    magnitude[arcs[k].upper] += dual.arcs[k];
    magnitude[arcs[k].lower] += passed;
    terms[arcs[k].upper] += 1;
    terms[arcs[k].lower] += 2;
  }
  double uncovered = 0;
  for (std::size_t z = 0; z < p.size(); ++z) {
    const double error = terms[z] * std::numeric_limits<double>::epsilon() * magnitude[z];
    const double gap = NextUp(NextUp(left[z] + error) - Narrow(dual.ratio * q[z], 1));
    if (gap > 0) uncovered = AddUp(uncovered, MulUp(gap, largest[z]));
  }
  return AddUp(dual.ratio, uncovered);
}

}  // namespace

double LargestLogRatio(std::span<const double> p, std::span<const double> q, const std::vector<KernelArc>& arcs) {
  KITH_CHECK(p.size() == q.size());
  if (std::equal(p.begin(), p.end(), q.begin())) return 0;
  if (!clp_library.Load()) return kInfinity;
  try {
    const std::vector<double> largest = LargestKernel(q, arcs);
    if (!std::all_of(largest.begin(), largest.end(), [](double k) { return k < 1e150; })) return kInfinity;
    Dual dual = Solve(p, q, arcs, largest);
    if (!std::isfinite(dual.ratio)) return kInfinity;
    dual.ratio *= 1 + 1e-13;  // covers the rounding of almost every line, which is cheaper than paying for each
    const double ratio = ProvedRatio(p, q, arcs, largest, dual);
    return std::isnan(ratio) ? kInfinity : LogUp(std::max(1.0, ratio));
  } catch (...) {  // CoinError: the solver gave up
    return kInfinity;
  }
}

}  // namespace kith
