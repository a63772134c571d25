// The star bound on a big graph with one strength: it needs nothing but the largest number of neighbours, which one
// pass over the edges counts. Source: docs/theory/transfer.md#star.  Claims: claims/transfer_field_large.md
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "dependence/graph_array.h"

namespace kith {

/// How many edges each record has, from a stream of edges that is read once. Edges from a record to itself are left
/// out; a pair that is listed twice counts twice (the safe side). For several threads: a counter for each, then Join.
class DegreeCounter {
 public:
  /// Fails: kInvalidArgument unless 1 <= records <= kMaxGraphRecords; kStorage if there is not enough memory.
  static Result<DegreeCounter> Make(std::int64_t records);

  /// Fails: kInvalidArgument if the columns differ in length, a record does not exist (the counts are then useless),
  /// or more than 4 billion edges were counted.
  Result<void> Count(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);
  /// Adds the counts of another counter. Fails: kInvalidArgument if it is about another number of records.
  Result<void> Join(const DegreeCounter& other);

  std::uint32_t Of(std::uint32_t record) const { return degrees_[record]; }
  std::uint32_t Largest() const;
  std::uint64_t edges() const { return edges_; }

 private:
  explicit DegreeCounter(std::size_t records) : degrees_(records, 0) {}
  BigArray<std::uint32_t> degrees_;
  std::uint64_t edges_ = 0;
};

/// Plain loss plus `degree` times what one neighbour adds, rounded up. `of_neighbour`: PairLoss(plain; p, q) for the
/// worst two values of the record, the same table for every neighbour; or Phi(theta, plain) where only an odds ratio is
/// declared. Ensures [FIELD-LARGE-3]: not below the star bound of a record with at most `degree` neighbours. Requires:
/// both losses are finite and not negative.
double StarLoss(double plain, double of_neighbour, std::uint64_t degree);

}  // namespace kith
