// Bayes' rule on candidates: priors with and without friends, posterior, estimate, and how much was learned.
// Source: Liu, Chakraborty, Mittal 2016, Eqs. 6-11;
// docs/theory/published.md#inference-attack.  Claims: claims/attack.md
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kith::attack {

/// Eq. 8 with weights all 1, Eq. 9 otherwise: weight x (count + smoothing), normalised. Without smoothing a cell in
/// which nobody is seen has probability 0 forever. If nothing at all is seen, every cell with a
/// weight is equally likely. Requires: as many weights as counts, or none (all 1); nothing negative, a weight above 0.
std::vector<double> Prior(std::span<const double> counts, std::span<const double> weights, double smoothing);

/// What one observation says about one secret.
struct Inference {
  std::vector<double> posterior;
  std::size_t estimate = 0;  // Eq. 7: the most likely candidate, the first among equals
  double entropy = 0;        // of the posterior, in nats
  double divergence = 0;     // of the posterior from the prior, in nats: what the observation added
};

/// Eq. 6, in the log domain: no likelihood is too small. `into` is reused.
/// Requires: as many log likelihoods as probabilities; at least one probability above 0.
/// Ensures [ATTACK-1]: if the log likelihoods of candidates with positive prior differ by at most L, the divergence is
/// at most K(L) = c - 1 - log c with c = L / (1 - e^-L), for every observation.
void Infer(std::span<const double> prior, std::span<const double> log_likelihood, Inference* into);

/// Candidates that have any chance, on a grid, with their prior.
struct Candidates {
  std::vector<double> prior, log_prior;
  std::vector<std::uint32_t> cells, columns;  // cells[c] = row x side + columns[c], increasing
  std::vector<std::size_t> row_starts;        // candidates of a row: row_starts[row] .. row_starts[row + 1]

  /// Leaves out cells whose probability is 0.
  static Candidates Of(std::span<const double> prior, std::size_t side);
};

/// The same as Infer when a log likelihood is a number for the row plus one for the column: one exponential for each
/// row and column instead of each cell.
void InferOnGrid(const Candidates& candidates, std::span<const double> log_rows, std::span<const double> log_columns,
                 Inference* into);

/// In nats.
double EntropyOf(std::span<const double> law);
/// D(p || q) in nats. Requires: q > 0 wherever p > 0.
double DivergenceOf(std::span<const double> p, std::span<const double> q);
/// The first among the largest.
std::size_t MostLikely(std::span<const double> law);

/// The plain loss of an observation about a user whose `unknown` friends are, each independently with probability
/// `follow`, where the user is: loss + unknown x log(1 + follow (e^loss - 1)). Nobody unknown: the plain loss itself.
/// Ensures [ATTACK-2]: at least the largest log ratio of the likelihoods that LogLikelihood gives such a user.
double FollowedLoss(double loss, std::size_t unknown, double follow);

}  // namespace kith::attack
