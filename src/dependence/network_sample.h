// What is kept of a simulation of a public network: everything that is needed to repeat it, and what it counted.
// Source: docs/theory/transfer.md#networks.  Claims: claims/transfer_network.md
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kith {

/// Runs at one plain loss of every record.
struct SampledLoss {
  double plain = 0;
  std::uint32_t part = 0;  // of the key's streams
  std::uint64_t runs = 0;
  /// In how many runs the record was connected with the extra node that was connected most often.
  std::uint64_t largest = 0;
  std::uint32_t record = 0;  // the first such record
  std::string counts;        // SHA-256 of all records' counts, for whoever repeats the runs
};

struct NetworkSample {
  std::string graph;  // its fingerprint (Graph::Fingerprint)
  std::uint32_t records = 0;
  std::uint64_t edges = 0;
  std::array<unsigned char, 32> key{};  // of the coins (random/keyed_bits.h); drawn from the operating system
  int sweeps = 0;                       // in each run
  std::vector<SampledLoss> losses;      // increasing, each with a part of its own

  /// At how many plain losses runs may have been made with one key: all limits together fail with probability at most
  /// 2^-60.
  static constexpr std::size_t kMostLosses = 8;
  static constexpr int kMostSweeps = 10'000;
  static constexpr std::uint64_t kMostRuns = 100'000'000;
};

Json JsonOf(const NetworkSample& sample);
/// Fails: kInvalidArgument if it is not what JsonOf writes, or its numbers make no sense.
Result<NetworkSample> NetworkSampleOf(const Json& json);

}  // namespace kith
