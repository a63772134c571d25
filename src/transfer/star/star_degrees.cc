#include "transfer/star/star_degrees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <string>

#include "base/check.h"
#include "dependence/graph.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

/// No count can exceed this while the edges do not.
constexpr std::uint64_t kMostEdges = std::numeric_limits<std::uint32_t>::max();
/// The counts are fetched this many edges ahead: enough to hide the latency of memory.
constexpr std::size_t kAhead = 32;

Error TooMany() { return InvalidArgument("there are more than 4 billion edges", "edges", "list each pair once"); }

}  // namespace

Result<DegreeCounter> DegreeCounter::Make(std::int64_t records) {
  if (records < 1 || records > kMaxGraphRecords) {
    return InvalidArgument("a graph has between 1 and 2147483647 records", "nodes");
  }
  try {
    return DegreeCounter(static_cast<std::size_t>(records));
  } catch (const std::bad_alloc&) {
    return StorageError("there is not enough memory to count edges", "nodes", "it takes 4 bytes a record");
  }
}

Result<void> DegreeCounter::Count(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  if (a.size() != b.size()) return InvalidArgument("the columns of the edge list differ in length", "edges");
  if (a.size() > kMostEdges - edges_) return TooMany();
  const std::size_t count = a.size();
  const auto records = static_cast<std::uint32_t>(degrees_.size());
  std::uint32_t* degrees = degrees_.data();
  const auto add = [=](std::size_t i) {
    if (a[i] >= records || b[i] >= records) return false;
    const std::uint32_t one = a[i] != b[i] ? 1 : 0;
    degrees[a[i]] += one;
    degrees[b[i]] += one;
    return true;
  };
  const auto missing = [&](std::size_t i) {
    return InvalidArgument("an edge leads to a record that does not exist",
                           "edge " + std::to_string(edges_ + i) + ", counted from 0",
                           "records are numbered from 0 to " + std::to_string(records - 1));
  };
  std::size_t i = 0;
  for (; i + kAhead < count; ++i) {
    // Only an address: it may be out of range.
    __builtin_prefetch(degrees + a[i + kAhead], 1);
    __builtin_prefetch(degrees + b[i + kAhead], 1);
    if (!add(i)) return missing(i);
  }
  for (; i < count; ++i) {
    if (!add(i)) return missing(i);
  }
  edges_ += count;
  return {};
}

Result<void> DegreeCounter::Join(const DegreeCounter& other) {
  if (other.degrees_.size() != degrees_.size()) return InvalidArgument("counters of different graphs", "nodes");
  if (other.edges_ > kMostEdges - edges_) return TooMany();
  for (std::size_t i = 0; i < degrees_.size(); ++i) degrees_[i] += other.degrees_[i];
  edges_ += other.edges_;
  return {};
}

std::uint32_t DegreeCounter::Largest() const { return *std::max_element(degrees_.begin(), degrees_.end()); }

double StarLoss(double plain, double of_neighbour, std::uint64_t degree) {
  KITH_CHECK(plain >= 0 && of_neighbour >= 0 && std::isfinite(plain) && std::isfinite(of_neighbour));
  KITH_CHECK(degree <= std::uint64_t{1} << 53);  // an exact double
  return rounding::AddUp(plain, rounding::MulUp(of_neighbour, static_cast<double>(degree)));
}

}  // namespace kith
