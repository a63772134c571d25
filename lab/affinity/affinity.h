// Which records have similar profiles: all pairs whose similarity is above a threshold, exactly, without trying to be
// clever about which pairs to skip: vector instructions look at a billion pairs a second.
//
// A profile is what is known about a record beforehand: categories, and numbers in whole steps. As a vector, a category
// is one entry of `unit` steps at its own place (one-hot), so two records that agree in it share unit^2.
// Source: Liu, Chakraborty, Mittal 2016, section VII-B (an edge for a similarity above 0.8, by attributes).
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/cancel.h"
#include "base/int128.h"
#include "base/result.h"

namespace kith {

/// The attributes of all records, column by column.
struct Profiles {
  std::vector<std::vector<std::uint32_t>> categories;  // codes
  std::vector<std::vector<std::uint32_t>> numbers;     // whole steps
  std::uint32_t unit = 1;                              // the length of a category's entry, in steps

  /// Of the first column; 0 without columns.
  std::size_t records() const;
};

/// What two profiles a and b have in common.
enum class Similarity {
  kCosine,   // a.b / (|a|_2 |b|_2): 1 for equal profiles
  kPrinted,  // a.b / (|a|_1 |b|_1), as published: 1 over the number of attributes for equal profiles of categories
};

/// numerator / denominator; a pair is similar if it is *above* that.
struct Threshold {
  std::uint32_t numerator = 0;
  std::uint32_t denominator = 1;
};

class Affinity {
 public:
  // Chosen so that the definition fits 128 bits.
  static constexpr std::size_t kMaxColumns = 256;
  static constexpr std::uint32_t kMaxSteps = 1u << 21;  // of a number, and of `unit`
  static constexpr std::uint32_t kMaxPart = 1000;       // of the threshold

  /// Fails: kInvalidArgument if columns differ in length, there are none, more than kMaxColumns, or more than 2^31 - 1
  /// records, a number or the unit is larger than kMaxSteps, or the threshold's parts are not from 1 to kMaxPart.
  static Result<Affinity> Make(const Profiles& profiles, Similarity similarity, Threshold threshold);

  std::size_t records() const { return records_; }
  /// The definition, for one pair, in whole numbers. A record without any entry is similar to no other.
  bool Similar(std::uint32_t a, std::uint32_t b) const;

  /// Calls `sink` once for every record, with all later records that are similar to it, increasing; in no particular
  /// order, from `threads` workers at once, numbered from 0. It finds exactly the pairs of Similar().
  /// Requires: threads >= 1.  Fails: kCancelled.
  using Sink = std::function<void(unsigned worker, std::uint32_t record, std::span<const std::uint32_t> later)>;
  Result<void> ForEach(const Sink& sink, unsigned threads, const CancelFlag& cancel) const;

 private:
  class Worker;
  Affinity() = default;
  Int128 Product(std::uint32_t a, std::uint32_t b) const;

  std::size_t records_ = 0, padded_ = 0;
  Profiles profiles_;
  Similarity similarity_ = Similarity::kCosine;
  Threshold threshold_;
  std::vector<Int128> sizes_;         // squared Euclidean length, or sum: what the definition divides by
  std::vector<std::uint32_t> codes_;  // categories, each column padded for vectors
  std::vector<float> steps_;          // numbers, the same
  std::vector<float> lengths_;        // what the filter multiplies by
};

/// What most methods' noise depends on.
struct AffinityGraph {
  std::uint64_t edges = 0;
  std::vector<std::uint32_t> degrees;    // of each record
  std::vector<std::uint32_t> component;  // of each record: the smallest record of its connected part
  std::uint32_t largest_degree = 0;
  std::uint32_t largest_component = 0;
};
/// `threads` 0: one for each core; does not change the result.  Fails: kCancelled.
Result<AffinityGraph> Summarise(const Affinity& affinity, unsigned threads, const CancelFlag& cancel);

}  // namespace kith
