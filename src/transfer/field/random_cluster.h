// The public random-cluster law (q = 2) of a network with an extra node that is tied to every record, sampled from the
// top: every edge is open at the start, and updates of single edges keep the order, so that after any number of them
// connections are at least as likely as under the law itself. Source: docs/theory/transfer.md#networks.
// Claims: claims/transfer_network.md
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "base/call.h"
#include "base/result.h"
#include "dependence/graph.h"
#include "random/keyed_bits.h"

namespace kith {

/// What is sampled, and how.
struct ClusterRuns {
  double plain = 0;  // of every record: its tie to the extra node
  std::uint64_t runs = 1;
  int sweeps = 1;   // each renews every edge once
  StreamKey key{};  // run r takes its coins from stream r of this key and part
  std::uint32_t part = 0;
  unsigned threads = 1;  // does not change the result
};

/// In how many runs each record is connected with the extra node at the end. One sweep renews the edges in the order of
/// their lower, then their upper record, and then the ties to the extra node in the order of records; each renewal
/// takes one word of the stream, and the edge is open if the word is below 2^32 times its limit, rounded up: 1 -
/// e^(-theta/2) if its ends are connected without it, else tanh(theta/4). Ensures [NETWORK-2]: runs are independent,
/// and each connects a record with at least its probability under the law. Fails: kInvalidArgument (no loss or run,
/// hard constraints), kStorage, kCancelled.
Result<std::vector<std::uint64_t>> ClusterHits(const Graph& graph, const ClusterRuns& wanted, const Call& call);

/// The upper limit of Clopper and Pearson: a probability under which so few hits or fewer have a probability of at most
/// e^log_alpha. Ensures [NETWORK-3]: not below the exact limit. Requires: runs >= 1, hits <= runs, log_alpha < 0.
double MostLikely(std::uint64_t hits, std::uint64_t runs, double log_alpha);

/// How an edge is renewed: open if a word of 32 bits is below the limit.
struct EdgeLimits {
  std::uint64_t connected = 0;  // its ends are connected without it
  std::uint64_t apart = 0;      // they are not; never larger
};
EdgeLimits LimitsOf(double theta);

}  // namespace kith
