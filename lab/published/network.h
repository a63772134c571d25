// Forest networks with their tables read in both directions: pair laws, and the laws of sums given one record.
// Source: docs/theory/published.md#exact-losses (messages that are polynomials: the coefficient of z^s is the
// probability that a part adds up to s).
#pragma once
#include "dependence/model.h"
#include "published/secret.h"

namespace kith::published {

/// From one record to a neighbour: row a is the neighbour's law given that the record has value a. Rows of values that
/// never occur are 0.
struct Link {
  std::size_t to = 0;
  LawTable table;
};

struct Network {
  std::vector<Law> marginals;            // of each record
  std::vector<std::vector<Link>> links;  // of each record, to all its neighbours
  std::vector<std::size_t> parents;      // own index: a root
  std::vector<std::size_t> order;        // parents before children
};

/// Requires: the model has passed Check.
Network NetworkOf(const Tree& tree);
Network NetworkOf(const Chain& chain);

/// How much each value of each record adds to a sum: contributions[record][value].
using Contributions = std::vector<std::vector<std::size_t>>;
/// A count of the records whose value is not 0.
Contributions CountOf(const Network& network);

/// The law of the sum given each possible value of each record that can vary. All terms are positive, so every
/// probability is right to a few units in the last place, however small: tails matter to W-infinity.
std::vector<Secret> SumSecrets(const Network& network, const Contributions& contributions);

/// The law of every record given each possible value of record i: [record][value of i, as in the marginal].
std::vector<LawTable> PairTables(const Network& network, std::size_t i);

}  // namespace kith::published
