#include "transfer/check/block_walk.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/check.h"

namespace kith {
namespace {

/// From here on a link passes on all it can: its own strength, which is at least the true value.
constexpr double kSaturated = 0x1p100;
/// More than the roundings of one step: claims/transfer_field_blocks.md counts them.
constexpr double kUp = 1 + 0x1p-46;

double Joined(double a, double b) { return a + b + a * b; }

/// phi, rounded up by more than everything that went into x since the last time.
double Passed(double coupling, double x) {
  return x >= kSaturated ? coupling : coupling * x / (2 + coupling + x) * kUp;
}

constexpr std::size_t Bit(std::size_t member) { return std::size_t{1} << member; }

/// All strengths equal: what the members of a subset add is the same for every member that sees it.
template <std::size_t kSize>
void BySubsets(double coupling, const double* outside, double* inside) {
  constexpr std::size_t kAll = Bit(kSize) - 1;
  std::array<double, kAll> added;     // by subset: what it adds for a member outside it
  std::array<double, kAll> together;  // by subset: the excess of all its members at once
  std::array<double, kSize + 1> strength;
  added[0] = together[0] = strength[0] = 0;
  for (std::size_t k = 1; k <= kSize; ++k) strength[k] = Joined(strength[k - 1], coupling);
  for (std::size_t subset = 1; subset < kAll; ++subset) {
    double one_by_one = 0;
    std::size_t size = 0;
    std::size_t last = 0;
    for (std::size_t k = 0; k < kSize; ++k) {
      if ((subset & Bit(k)) == 0) continue;
      one_by_one = Joined(one_by_one, Passed(coupling, Joined(outside[k], added[subset ^ Bit(k)])));
      ++size;
      last = k;
    }
    together[subset] = Joined(together[subset ^ Bit(last)], outside[last]);
    const double at_once = Passed(strength[size] * kUp, together[subset]);
    added[subset] = std::min(one_by_one * kUp, at_once);
  }
  for (std::size_t k = 0; k < kSize; ++k) inside[k] = added[kAll ^ Bit(k)];
}

/// Larger cliques: of all subsets of a size, the one with the largest losses.
void BySize(double coupling, std::span<const double> outside, std::span<double> inside) {
  std::vector<double> largest(outside.begin(), outside.end());
  std::sort(largest.begin(), largest.end(), std::greater<>());
  // What any `size` members add for another one.
  double added = 0;
  double strength = 0;
  double together = 0;
  const auto join = [&](std::size_t size, auto&& member) {
    double one_by_one = 0;
    for (std::size_t k = 0; k < size; ++k) {
      // Many factors: each is widened, so that their number does not matter.
      one_by_one = Joined(one_by_one, Passed(coupling, Joined(member(k), added))) * kUp;
    }
    return one_by_one;
  };
  const std::size_t others = outside.size() - 1;
  for (std::size_t size = 1; size < others; ++size) {
    strength = Joined(strength, coupling) * kUp;
    together = std::min(kInfiniteExcess, Joined(together, largest[size - 1]) * kUp);
    const double one_by_one = join(size, [&](std::size_t k) { return largest[k]; });
    added = std::min(one_by_one, Passed(strength, together));
  }
  strength = Joined(strength, coupling) * kUp;
  for (std::size_t j = 0; j < outside.size(); ++j) {
    const auto other = [&](std::size_t k) { return outside[k < j ? k : k + 1]; };
    double all = 0;
    for (std::size_t k = 0; k < others; ++k) all = std::min(kInfiniteExcess, Joined(all, other(k)) * kUp);
    inside[j] = std::min(join(others, other), Passed(strength, all));
  }
}

}  // namespace

void CliqueLosses(double coupling, std::span<const double> outside, std::span<double> inside) {
  KITH_CHECK(outside.size() >= 2 && inside.size() == outside.size());
  switch (outside.size()) {
    case 2:
      return BySubsets<2>(coupling, outside.data(), inside.data());
    case 3:
      return BySubsets<3>(coupling, outside.data(), inside.data());
    case 4:
      return BySubsets<4>(coupling, outside.data(), inside.data());
    case 5:
      return BySubsets<5>(coupling, outside.data(), inside.data());
    case 6:
      return BySubsets<6>(coupling, outside.data(), inside.data());
    default:
      return BySize(coupling, outside, inside);
  }
}

BlockWalk::BlockWalk(std::size_t size, std::span<const double> coupling)
    : size_(size), coupling_(size * kMostInBlock, 0), linked_(size, 0), loss_(Bit(size) * kMostInBlock, 0) {
  KITH_CHECK(size >= 2 && size <= kMostInBlock && coupling.size() == size * size);
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t k = 0; k < size; ++k) {
      coupling_[j * kMostInBlock + k] = coupling[j * size + k];
      if (coupling[j * size + k] > 0) linked_[j] |= Bit(k);
    }
  }
}

double BlockWalk::From(std::size_t member, std::size_t subset, std::span<const double> outside) const {
  const std::size_t next = subset & linked_[member];
  double one_by_one = 0;
  double together = 0;
  double strength = 0;
  for (std::size_t k = 0; k < size_; ++k) {
    if ((next & Bit(k)) == 0) continue;
    const double coupling = coupling_[member * kMostInBlock + k];
    one_by_one = Joined(one_by_one, Passed(coupling, Joined(outside[k], At(subset ^ Bit(k), k))));
    together = std::min(kInfiniteExcess, Joined(together, Joined(outside[k], At(subset & ~next, k))));
    strength = Joined(strength, coupling);
  }
  return std::min(one_by_one * kUp, Passed(strength * kUp, together));
}

void BlockWalk::Losses(std::span<const double> outside, std::span<double> inside) {
  const std::size_t all = Bit(size_) - 1;
  // Subsets of a subset come before it.
  for (std::size_t subset = 1; subset < all; ++subset) {
    for (std::size_t member = 0; member < size_; ++member) {
      if ((subset & Bit(member)) == 0) At(subset, member) = From(member, subset, outside);
    }
  }
  for (std::size_t member = 0; member < size_; ++member) inside[member] = At(all ^ Bit(member), member);
}

double BlockWalk::LossKnowing(std::size_t member, std::size_t known) const {
  return At((Bit(size_) - 1) & ~Bit(member) & ~Bit(known), member);
}

}  // namespace kith
