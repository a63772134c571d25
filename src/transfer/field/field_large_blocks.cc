#include "transfer/field/field_large_blocks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <system_error>
#include <thread>

#include "transfer/field/block_walk.h"
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
/// Smaller ones are taken for these: larger is the safe side, and their products cannot underflow.
constexpr double kSmallestLoss = 1e-200;
constexpr double kSmallestCoupling = 1e-60;

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

Cliques BlocksOf(const Graph& graph, unsigned threads) {
  if (graph.slots() == 0) return {};
  const double theta = graph.thetas().back();
  // What walks inside a clique take off its part of the loss is of the order (members * theta / 4)^2: less than a
  // thousandth here, where passes with cliques take half as long again or more.
  if (static_cast<double>(kMostInClique) * theta <= 0.1) return {};
  const auto most = static_cast<std::size_t>(std::min<double>(kMostInClique, 1 + std::floor(kMostStrength / theta)));
  return Cliques(ListsOf(graph), {most, kMostMixed}, threads);
}

double OwnExcess(double loss) {
  return loss == 0 ? 0 : std::min(kMostOwn, rounding::Expm1Up(std::max(loss, kSmallestLoss) / 2));
}

std::vector<double> CouplingsOf(const Graph& graph) {
  std::vector<double> couplings;
  for (const double theta : graph.thetas()) {
    couplings.push_back(std::max(rounding::Expm1Up(theta / 2), kSmallestCoupling));
  }
  if (couplings.empty()) couplings.push_back(0);
  return couplings;
}

template <class Stored>
Blocks<Stored>::Blocks(const Graph& graph, const NodeLosses& losses, const Cliques& cliques,
                       std::span<const double> couplings)
    : graph_(graph),
      losses_(losses),
      cliques_(cliques),
      couplings_(couplings),
      inside_(cliques.members().size()),
      outside_(cliques.members().size(), std::numeric_limits<Stored>::infinity()),
      own_(graph.nodes()) {
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    own_[node] = losses.uniform() && node > 0 ? own_[0] : OwnExcess(losses.Of(node));
  }
  for (std::size_t clique = 0; clique < cliques.count(); ++clique) {
    if (!graph.strengths().empty()) FindStrengths(clique);
    Start(clique);
  }
  MultiplyOwn();
}

template <class Stored>
std::size_t Blocks<Stored>::Bytes(const Graph& graph, const Cliques& cliques) {
  std::size_t pairs = 0;
  if (!graph.strengths().empty()) {
    for (std::size_t clique = 0; clique < cliques.count(); ++clique) {
      const std::size_t size = cliques.Members(clique).size();
      pairs += size * (size - 1) / 2;
    }
  }
  return cliques.Bytes() + 2 * cliques.members().size() * sizeof(Stored) + graph.nodes() * sizeof(double) +
         pairs * sizeof(std::uint16_t) + (pairs > 0 ? cliques.count() * sizeof(std::uint64_t) : 0);
}

template <class Stored>
void Blocks<Stored>::FindStrengths(std::size_t clique) {
  const NeighbourLists lists = ListsOf(graph_);
  const auto members = cliques_.Members(clique);
  pairs_.push_back(strengths_.size());
  for (std::size_t k = 1; k < members.size(); ++k) {
    for (std::size_t j = 0; j < k; ++j) strengths_.push_back(lists.Strength(lists.SlotOf(members[j], members[k])));
  }
}

template <class Stored>
double Blocks<Stored>::Coupling(std::size_t clique, std::size_t j, std::size_t k) const {
  if (strengths_.empty()) return couplings_[0];
  const std::size_t high = std::max(j, k);
  return couplings_[strengths_[pairs_[clique] + high * (high - 1) / 2 + std::min(j, k)]];
}

/// All messages infinite: every link adds its strength.
template <class Stored>
void Blocks<Stored>::Start(std::size_t clique) {
  const std::size_t size = cliques_.Members(clique).size();
  for (std::size_t j = 0; j < size; ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < size; ++k) {
      if (k != j) sum = JoinedUp(sum, Coupling(clique, j, k));
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
  bool one_strength = true;
  for (std::size_t pair = 1; !strengths_.empty() && pair < size * (size - 1) / 2; ++pair) {
    one_strength = one_strength && strengths_[pairs_[clique] + pair] == strengths_[pairs_[clique]];
  }
  if (one_strength) {
    CliqueLosses(Coupling(clique, 0, 1), {outside.data(), size}, {inside.data(), size});
  } else {
    std::array<double, kMostMixed * kMostMixed> coupling;
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t k = 0; k < size; ++k) coupling[j * size + k] = j == k ? 0 : Coupling(clique, j, k);
    }
    BlockWalk walk(size, {coupling.data(), size * size});
    walk.Losses({outside.data(), size}, {inside.data(), size});
  }
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
