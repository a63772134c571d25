// The questions of the inference attack, a simulated noisy answer, and how likely an answer is for each candidate.
// The noise is simulated from a seed: it models a release, it is not one.
// Source: Liu, Chakraborty, Mittal 2016, section IV-B and Eq. 6;
// docs/theory/published.md#inference-attack.  Claims: claims/attack.md
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "attack/places.h"
#include "base/result.h"

namespace kith::attack {

enum class Question {
  kCentroids,   // the centroids of k-means clusters; one cluster: the mean of all patterns
  kCellCounts,  // for every rank, how many users have their place of that rank in each cell
};

/// How much noise each centroid gets.
enum class Spread {
  kUniform,     // as published: one scale for all numbers, that of the smallest cluster
  kPerCluster,  // clusters are disjoint, so each has its own
};

/// One question about all patterns, with its exact answer. Immutable.
class Query {
 public:
  /// k-means (k-means++ start, then Lloyd's steps) on patterns scaled to the unit cube. Assignments are then fixed and
  /// assumed to be public: what is asked are the means over a known partition. That the partition comes from the data
  /// is another leak, which neither the published attack nor this one counts. Fails:
  /// kInvalidArgument unless 1 <= clusters <= users.
  static Result<Query> Centroids(const Patterns& patterns, const Grid& grid, std::size_t clusters, Spread spread,
                                 std::uint64_t seed);
  static Query CellCounts(const Patterns& patterns, const Grid& grid);

  Question question() const { return question_; }
  std::size_t users() const { return users_; }
  std::size_t q() const { return q_; }
  /// Rows of the grid, and columns; where their middles are, scaled.
  std::size_t side() const { return rows_.size(); }
  const std::vector<double>& rows() const { return rows_; }
  const std::vector<double>& columns() const { return columns_; }
  std::size_t clusters() const { return sizes_.size(); }
  std::size_t ClusterOf(std::size_t user) const { return cluster_of_[user]; }
  std::size_t SizeOf(std::size_t cluster) const { return sizes_[cluster]; }
  /// Centroids: cluster by cluster, rank by rank, latitude then longitude. Counts: rank by rank, cell by cell.
  const std::vector<double>& answer() const { return answer_; }
  /// For each number of the answer, the scale of Laplace noise for a plain loss of 1.
  /// Ensures [ATTACK-3]: replacing one user's pattern moves the answer by at most 1 in all when each number is divided
  /// by its unit scale, assignments fixed. (Counts of users: 2 for each place.)
  const std::vector<double>& unit_scales() const { return unit_scales_; }
  /// Scaled to the box of the grid: latitude at 2 (user q + rank), longitude after it.
  const std::vector<double>& scaled() const { return scaled_; }
  std::size_t CellOf(std::size_t user, std::size_t rank) const { return cell_of_[user * q_ + rank]; }

 private:
  Query() = default;
  void Place(const Patterns& patterns, const Grid& grid);

  Question question_ = Question::kCentroids;
  std::size_t users_ = 0, q_ = 0;
  std::vector<double> rows_, columns_;
  std::vector<double> scaled_;
  std::vector<std::uint32_t> cell_of_;
  std::vector<std::uint32_t> cluster_of_;
  std::vector<std::size_t> sizes_;
  std::vector<double> answer_, unit_scales_;
};

/// An answer with Laplace noise. Each number's scale is its unit scale divided by the plain loss.
struct Observed {
  double plain = 0;  // the plain loss that the noise is for
  std::vector<double> noisy;
};
/// Unit Laplace noise for every number of an answer, from a standard engine: equal for equal seeds.
std::vector<double> UnitNoise(std::size_t numbers, std::uint64_t seed);
/// Requires: plain > 0; as many noises as numbers.
Observed Observe(const Query& query, double plain, std::span<const double> unit_noise);

/// What somebody knows before the answer: all patterns (`known` empty) or those of some users, and how friends move.
class View {
 public:
  View(const Query& query, std::vector<bool> known, double follow);

  bool Knows(std::size_t user) const { return known_.empty() || known_[user]; }
  double follow() const { return follow_; }
  /// Places of this rank of known users other than `user`, by cell.
  void CountOthers(std::size_t user, std::size_t rank, std::vector<double>* counts) const;

  /// The friends of a user whose patterns are not known, cluster by cluster. All 0 if friends do not follow.
  std::vector<std::size_t> UnknownFriends(std::size_t user, const Friends& friends) const;

  /// Whether LogLikelihood is a number for the row plus one for the column: centroids, and nobody unknown follows.
  bool OnGrid(std::span<const std::size_t> unknown) const;
  /// Then these are the numbers. Requires: OnGrid.
  void LogLikelihoodOnGrid(std::size_t user, std::size_t rank, const Observed& observed, std::vector<double>* log_rows,
                           std::vector<double>* log_columns) const;

  /// log of the density of the answer, up to a constant, if the user's place of this rank is in the middle of each of
  /// `cells`. Clusters are updated, not recomputed. Users who are not known count with the mean of the known ones of
  /// their cluster, except unknown friends: each is, independently, with probability follow() where the user is.
  /// Requires: `unknown` from UnknownFriends.
  void LogLikelihood(std::size_t user, std::size_t rank, const Observed& observed, std::span<const std::size_t> unknown,
                     std::span<const std::uint32_t> cells, std::vector<double>* log_likelihood) const;

 private:
  struct Part;
  Part PartOf(std::size_t user, std::size_t rank, const Observed& observed, std::size_t cluster) const;
  /// -|observed - updated| / scale for every row and column, if `there` users are in the middle of it.
  void LogOfPart(const Part& part, double there, std::vector<double>* rows, std::vector<double>* columns) const;
  void OfCentroids(std::size_t user, std::size_t rank, const Observed& observed, std::span<const std::size_t> unknown,
                   std::span<const std::uint32_t> cells, std::vector<double>* log_likelihood) const;
  void AddMixture(const Part& part, double self, std::span<const double> log_p, std::span<const std::uint32_t> cells,
                  std::vector<double>* log_likelihood) const;
  void OfCounts(std::size_t user, std::size_t rank, const Observed& observed, std::size_t unknown,
                std::span<const std::uint32_t> cells, std::vector<double>* log_likelihood) const;

  const Query& query_;
  std::vector<bool> known_;
  double follow_;
  std::size_t known_users_ = 0;
  std::vector<double> sums_;          // of known patterns, cluster by cluster, 2q numbers each
  std::vector<std::size_t> members_;  // known users of each cluster
  std::vector<double> counts_;        // known places, rank by rank, cell by cell
};

}  // namespace kith::attack
