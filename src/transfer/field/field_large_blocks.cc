#include "transfer/field/field_large_blocks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <system_error>
#include <thread>

#include "base/check.h"
#include "transfer/check/block_walk.h"
#include "transfer/check/graph_witness.h"
#include "transfer/field/cliques.h"
#include "transfer/rounding.h"

namespace kith::field_large {
namespace {

constexpr std::size_t kMostInClique = 64;
/// With different strengths all subsets are tried for each member, which takes long.
constexpr std::size_t kMostMixed = 5;
/// The strengths of one member inside its clique together, so that their product stays an ordinary number.
constexpr double kMostStrength = 130;
/// Fewer cliques are not worth a thread.
constexpr std::size_t kFewCliques = 1 << 12;
/// (1 + a)(1 + b) - 1, rounded up.
double JoinedUp(double a, double b) { return (a + b + a * b) * (1 + 0x1p-49); }

template <class Stored>
Stored StoredUp(double x) {
  const auto stored = static_cast<Stored>(x);
  return stored < x ? std::nextafter(stored, std::numeric_limits<Stored>::infinity()) : stored;
}

/// The excess of a node's product P without the factor 1 + inside that went into it, rounded up; z = 1 - 1/P. Without
/// it, 1/P becomes (1 + inside) / P.
double Without(double z, double inside) {
  const double wide = std::min(1.0, z * (1 + 0x1p-49));
  const double rest = 1 - wide;
  if (rest <= 0) return kInfiniteExcess;
  const double excess = (wide - inside * rest) / (rest * (1 + inside)) * (1 + 0x1p-49);
  return std::clamp(excess, 0.0, kInfiniteExcess);
}

}  // namespace

GraphBlocks BlocksOf(std::shared_ptr<const Graph> graph, unsigned threads) {
  const double theta = graph->thetas().empty() ? 0 : graph->thetas().back();
  Cliques found;
  // What walks inside a clique take off its part of the loss is of the order (members * theta / 4)^2: less than a
  // thousandth here, where passes with cliques take half as long again or more.
  if (static_cast<double>(kMostInClique) * theta > 0.1) {
    const auto most = static_cast<std::size_t>(std::min<double>(kMostInClique, 1 + std::floor(kMostStrength / theta)));
    found = Cliques(ListsOf(*graph), {most, kMostMixed}, threads);
  }
  auto blocks = GraphBlocks::Make(std::move(graph), found.members(), found.firsts());
  KITH_CHECK(blocks.has_value());
  return std::move(*blocks);
}

template <class Stored>
Blocks<Stored>::Blocks(const NodeLosses& losses, const GraphBlocks& cliques, std::span<const double> couplings)
    : graph_(cliques.graph()),
      losses_(losses),
      cliques_(cliques),
      couplings_(couplings),
      inside_(cliques.members().size()),
      outside_(cliques.members().size(), std::numeric_limits<Stored>::infinity()),
      own_(graph_.nodes()) {
  for (std::uint32_t node = 0; node < graph_.nodes(); ++node) {
    own_[node] = losses.uniform() && node > 0 ? own_[0] : OwnExcess(losses.Of(node));
  }
  for (std::size_t clique = 0; clique < cliques.count(); ++clique) {
    Start(clique);
  }
  MultiplyOwn();
}

template <class Stored>
std::size_t Blocks<Stored>::Bytes(const GraphBlocks& cliques) {
  return cliques.Bytes() + 2 * cliques.members().size() * sizeof(Stored) + cliques.graph().nodes() * sizeof(double);
}

/// All messages infinite: every link adds its strength.
template <class Stored>
void Blocks<Stored>::Start(std::size_t clique) {
  const std::size_t size = cliques_.Members(clique).size();
  for (std::size_t j = 0; j < size; ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < size; ++k) {
      if (k != j) sum = JoinedUp(sum, cliques_.Coupling(clique, couplings_, j, k));
    }
    inside_[cliques_.first(clique) + j] = StoredUp<Stored>(sum);
  }
}

template <class Stored>
bool Blocks<Stored>::RenewClique(std::size_t clique, const double* seen) {
  const auto members = cliques_.Members(clique);
  const std::size_t size = members.size();
  Stored* const stored = inside_.data() + cliques_.first(clique);
  std::array<double, kMostInClique> outside;
  std::array<double, kMostInClique> inside;
  Stored* const before = outside_.data() + cliques_.first(clique);
  // What hardly fell outside hardly falls inside.
  constexpr double kSame = sizeof(Stored) == 4 ? 1 - 0x1p-20 : 1 - 0x1p-45;
  bool fell = false;
  for (std::size_t k = 0; k < size; ++k) {
    outside[k] = Without(seen[members[k]], static_cast<double>(stored[k]));
    fell = fell || outside[k] < kSame * static_cast<double>(before[k]);
  }
  if (!fell) return false;
  for (std::size_t k = 0; k < size; ++k) before[k] = static_cast<Stored>(outside[k]);
  cliques_.Losses(clique, couplings_, {outside.data(), size}, {inside.data(), size});
  for (std::size_t k = 0; k < size; ++k) stored[k] = std::min(stored[k], StoredUp<Stored>(inside[k]));
  return true;
}

template <class Stored>
void Blocks<Stored>::MultiplyOwn() {
  const auto members = cliques_.members();
  const double of_all = losses_.uniform() && graph_.nodes() > 0 ? OwnExcess(losses_.Of(0)) : 0;
  for (const std::uint32_t node : members) own_[node] = losses_.uniform() ? of_all : OwnExcess(losses_.Of(node));
  for (std::size_t k = 0; k < members.size(); ++k) {
    double& own = own_[members[k]];
    own = std::min(kMostOwn, JoinedUp(own, static_cast<double>(inside_[k])));
  }
}

template <class Stored>
void Blocks<Stored>::Renew(const double* seen, unsigned threads) {
  const std::size_t count = cliques_.count();
  if (count < kFewCliques) threads = 1;
  std::atomic<bool> fell{false};
  const auto part = [&](unsigned t) {
    bool any = false;
    for (std::size_t c = count * t / threads; c < count * (t + 1) / threads; ++c) any = RenewClique(c, seen) || any;
    if (any) fell = true;
  };
  std::vector<std::jthread> helpers;
  unsigned started = 1;
  try {
    for (; started < threads; ++started) helpers.emplace_back(part, started);
  } catch (const std::system_error&) {  // fewer threads only take longer
  }
  part(0);
  for (unsigned t = started; t < threads; ++t) part(t);
  helpers.clear();  // waits for them
  if (fell) MultiplyOwn();
}

template class Blocks<float>;
template class Blocks<double>;

}  // namespace kith::field_large
