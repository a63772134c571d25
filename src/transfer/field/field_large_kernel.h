// The inner loop of messages on a big graph: renews all messages that a node sends from what is seen of its neighbours.
// One division for each neighbour, no exponential or logarithm, vector instructions of the machine it runs on. The
// arithmetic and why it errs upwards: claims/transfer_field_large.md.
#pragma once
#include <cstdint>
#include <limits>

#include "transfer/check/graph_witness.h"

namespace kith::field_large {

/// A node's product P as its neighbours see it: z = 1 - 1/P, rounded up, so that P = infinity is an ordinary number.
double SeenOf(const Product& product, std::uint64_t degree);

inline constexpr std::uint32_t kNoneFresh = std::numeric_limits<std::uint32_t>::max();

/// `Sent` is float or double.
template <class Sent>
struct Rows {
  const std::uint64_t* offsets = nullptr;
  const std::uint32_t* neighbours = nullptr;  // increasing in each row; with Graph::kLookAhead more at the end
  const std::uint16_t* strengths = nullptr;   // by slot; null: there is one
  /// By slot, one bit each: edges that pass on nothing here, because they are part of a block. Null: there are none.
  const std::uint64_t* taken = nullptr;
  const double* coupling = nullptr;  // by strength: e^{theta/2} - 1, rounded up
  const double* own = nullptr;       // e^{loss/2} - 1, rounded up, from the first node on; null: own_of_all
  double own_of_all = 0;
  const double* seen = nullptr;  // by node: z
  /// By slot: M - 1, rounded down, for the message M last sent over it.
  Sent* sent = nullptr;
  /// Neighbours from this number on have not been renewed yet: in their products every factor is still e^{theta/2}.
  std::uint32_t fresh_from = kNoneFresh;
};

/// Sets what the nodes first .. last-1 have sent when every message to them is infinite, and what is seen of them.
template <class Sent>
void StartRows(const Rows<Sent>& rows, std::uint32_t first, std::uint32_t last, double* seen);

/// Renews what the nodes first .. last-1 send. Gives each node's product, its own loss included, and what is now seen
/// of it; rows.seen stays as it is. Writes no slots but theirs.
template <class Sent>
void RenewRows(const Rows<Sent>& rows, std::uint32_t first, std::uint32_t last, Product* products, double* seen);

/// The name of the instruction set in use, for reports.
const char* VectorTarget();

}  // namespace kith::field_large
