#include "transfer/kernel_weights.h"

#include <coin/Clp_C_Interface.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/late_library.h"

namespace kith {
namespace {

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

/// minimise ratio  subject to, for every value z:  ratio q(z) + sum of weights of arcs with upper = z
///                                                 - sum of factor * weight of arcs with lower = z  >=  p(z),   weights
///                                                 >= 0.
/// Line z is multiplied by the largest K(z) there can be, so that the solver's absolute tolerances mean the same for
/// all.
KernelWeights Solve(std::span<const double> p, std::span<const double> q, const std::vector<KernelArc>& arcs,
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
  KernelWeights dual{std::max(0.0, solution[0]), {}};
  for (std::size_t k = 0; k < arcs.size(); ++k) {
    dual.arcs.push_back(solution[k + 1] > 0 ? solution[k + 1] / largest[arcs[k].upper] : 0);
  }
  return dual;
}

}  // namespace

std::optional<KernelWeights> FindWeights(std::span<const double> p, std::span<const double> q,
                                         const std::vector<KernelArc>& arcs, const std::vector<double>& largest) {
  if (!clp_library.Load()) return std::nullopt;
  try {
    return Solve(p, q, arcs, largest);
  } catch (...) {  // CoinError: the solver gave up
    return std::nullopt;
  }
}

}  // namespace kith
