// Builds a Graph from a stream of edges that is read twice, so that the edges themselves are never all in memory:
// Count(...) for every part of the stream, then Fill(...) for every part again, then Finish().
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/result.h"
#include "dependence/graph.h"
#include "dependence/model.h"

namespace kith {

/// What it means that a pair is listed more than once (also as (a, b) and (b, a)). The curator has to say which.
enum class RepeatedPairs {
  kAdd,      // each line is another relation: the strengths add up
  kLargest,  // lines about one pair say the same thing: the largest strength counts
  kRefuse,   // the list must not do that
};

/// Part of an edge list, by columns. `theta` is empty if there is one strength for all.
struct EdgeColumns {
  std::span<const std::uint32_t> a;
  std::span<const std::uint32_t> b;
  std::span<const double> theta;
};

/// An edge of a record to itself says nothing (single-record laws are not restricted): it is left out and counted. A
/// strength of 0 says that there is no dependence: left out. More than 65,536 different strengths are rounded up to
/// that many.
class GraphBuilder {
 public:
  /// `theta`: one strength for all edges, or nothing if the parts bring theirs.
  /// Fails: kInvalidArgument if there are no records, or more than kMaxGraphRecords, or theta is negative or NaN;
  /// kStorage if there is not enough memory.
  static Result<GraphBuilder> Make(std::int64_t records, std::optional<double> theta, RepeatedPairs repeated);

  GraphBuilder(GraphBuilder&&) noexcept;
  GraphBuilder& operator=(GraphBuilder&&) noexcept;
  ~GraphBuilder();

  /// Fails: kInvalidArgument for an edge to a record that does not exist, a strength that is negative or NaN, columns
  /// of different lengths; the error gives the edge's position in the stream, from 0.
  Result<void> Count(const EdgeColumns& part);
  /// Fails: as Count, and if the stream is not the one that was counted; kStorage if there is not enough memory.
  Result<void> Fill(const EdgeColumns& part);
  /// Sorts, joins repeated pairs, finds the components. `threads` does not change the result.
  /// Fails: kInvalidArgument if a pair is repeated under kRefuse, or its strengths add up to more than kHardTheta, or
  /// less was filled than counted; kStorage if there is not enough memory. The builder cannot be used again.
  Result<Graph> Finish(unsigned threads);
  /// A pair that Finish refused because it is repeated; nothing: it refused none.
  const std::optional<std::pair<std::uint32_t, std::uint32_t>>& refused() const { return refused_; }

 private:
  struct State;
  explicit GraphBuilder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> refused_;
};

/// A graph from a list in memory.
Result<Graph> GraphFromEdges(std::int64_t records, std::span<const Edge> edges, RepeatedPairs repeated);

}  // namespace kith
