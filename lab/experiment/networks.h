// What can be promised on a social network: the noise that a declared strength takes, against group privacy.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "experiment/figure.h"

namespace kith::experiment {

/// Who may depend on whom. The closer a pair, the larger its weight (contacts, or 1).
struct Network {
  struct Pair {
    std::uint32_t a = 0, b = 0;
    std::uint64_t weight = 1;
  };
  std::string name;
  std::uint32_t people = 0;
  std::vector<Pair> pairs;
};

/// Several of them, and which data these are.
struct Networks {
  std::vector<Network> list;
  std::string words;
};

/// The pairs that remain if nobody has more than `most` others: the closest first, of equally close ones those with the
/// most neighbours in common. 0: all.
std::vector<Network::Pair> ClosestOnly(const Network& network, std::size_t most);

/// For each network a panel: the noise of an odds ratio, as a multiple of the plain one, for several cuts of the
/// degree, compared with group privacy. Fails: kCancelled, kStorage.
Result<Figure> NoiseOnNetworks(const std::vector<Network>& networks, const Settings& settings,
                               const CancelFlag& cancel);

}  // namespace kith::experiment
