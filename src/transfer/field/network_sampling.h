// Which plain losses to simulate a network at, for a dependent loss that a policy wants to allow. Done once a policy,
// by `kith transfer --sample`; releases only read what was kept. Source: docs/theory/transfer.md#networks. Claims:
// claims/transfer_network.md
#pragma once
#include <cstdint>

#include "base/call.h"
#include "base/result.h"
#include "dependence/graph.h"
#include "dependence/network_sample.h"
#include "random/bits.h"

namespace kith {

struct SamplingOptions {
  std::uint64_t runs = 20'000;
  int sweeps = 8;
  unsigned threads = 1;  // does not change the result
};

/// Looks for the largest plain loss whose limit is at most `dependent` with coins of their own, which are thrown away,
/// and then simulates the network there, and at a half and a quarter of it with fewer runs. Public: no data, and coins
/// from the operating system. Fails: as ClusterHits.
Result<NetworkSample> SampleNetwork(const Graph& graph, double dependent, const SamplingOptions& options,
                                    SystemBits& bits, const Call& call);

/// The limit of the dependent loss about any record of the network, if all plain losses are at most `at.plain`.
/// Ensures [NETWORK-3]: all limits of one sample together are too low with probability at most 2^-60 over its coins.
double LimitAt(const SampledLoss& at, std::uint32_t records);

}  // namespace kith
