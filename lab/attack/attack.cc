#include "attack/attack.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numbers>
#include <numeric>
#include <random>
#include <thread>

#include "attack/inference.h"
#include "attack/kmeans.h"
#include "attack/student.h"
#include "published/information.h"

namespace kith::attack {
namespace {

constexpr std::size_t kBlock = 32;  // users: sums are added up block by block, so threads do not change them

constexpr double kTiny = 1e-300;  // a probability that is as good as 0

/// Sums over users.
struct Sums {
  struct OfRelease {
    double error = 0, mixed = 0, release = 0, right = 0, worst = 0;
  };
  double entropy = 0, friends = 0, right = 0, error = 0;
  std::vector<OfRelease> releases;  // noise by noise, repetition by repetition
  std::vector<double> bounds;       // noise by noise

  void Add(const Sums& other) {
    entropy += other.entropy;
    friends += other.friends;
    right += other.right;
    error += other.error;
    for (std::size_t r = 0; r < releases.size(); ++r) {
      releases[r].error += other.releases[r].error;
      releases[r].mixed += other.releases[r].mixed;
      releases[r].release += other.releases[r].release;
      releases[r].right += other.releases[r].right;
      releases[r].worst = std::max(releases[r].worst, other.releases[r].worst);
    }
    for (std::size_t n = 0; n < bounds.size(); ++n) bounds[n] += other.bounds[n];
  }
};

/// `count` of `users`, chosen at random.
std::vector<bool> Choose(std::size_t users, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed ^ 0x6b6e6f776eULL);
  std::vector<std::uint32_t> order(users);
  std::iota(order.begin(), order.end(), 0u);
  std::vector<bool> chosen(users, false);
  for (std::size_t k = 0; k < count; ++k) {
    const auto left = static_cast<double>(users - k);
    std::swap(order[k], order[k + static_cast<std::size_t>(Uniform(engine) * left)]);
    chosen[order[k]] = true;
  }
  return chosen;
}

/// The attack of one adversary on one user at a time.
class Attack {
 public:
  Attack(const Target& target, const Adversary& adversary, const std::vector<Noise>& noises,
         const std::vector<Observed>& observed, const Settings& settings,
         const std::vector<std::vector<std::uint32_t>>& near)
      : target_(target),
        adversary_(adversary),
        noises_(noises),
        observed_(observed),
        settings_(settings),
        near_(near),
        view_(target.query,
              adversary.known ? Choose(target.query.users(), *adversary.known, settings.seed) : std::vector<bool>{},
              adversary.follow) {
    if (target.grid.cities() == 1) return;
    for (std::size_t cell = 0; cell < target.grid.cells(); ++cell) real_.push_back(target.grid.IsCell(cell) ? 1 : 0);
  }

  Sums Empty() const {
    Sums sums;
    sums.releases.resize(observed_.size());
    sums.bounds.resize(noises_.size());
    return sums;
  }

  void On(std::size_t user, Sums* sums) const {
    const std::size_t q = target_.query.q();
    const auto unknown = view_.UnknownFriends(user, target_.friends);
    const std::size_t followers = std::accumulate(unknown.begin(), unknown.end(), std::size_t{0});
    for (std::size_t n = 0; n < noises_.size(); ++n) {
      sums->bounds[n] += published::InformationBound(FollowedLoss(noises_[n].plain, followers, adversary_.follow));
    }
    const bool on_grid = view_.OnGrid(unknown);
    std::vector<double> of_user(observed_.size(), 0), log_likelihood, log_rows, log_columns;
    Inference found;
    for (std::size_t rank = 0; rank < q; ++rank) {
      const Belief belief = BeliefOf(user, rank);
      const auto& cells = belief.candidates.cells;
      const Point truth = target_.patterns.Of(user)[rank];
      const auto error = [&](std::size_t candidate) {
        return GreatCircleKm(truth, target_.grid.Centre(cells[candidate])) / static_cast<double>(q);
      };
      sums->entropy += belief.entropy;
      sums->friends += belief.divergence;
      sums->right += belief.right;
      sums->error += error(MostLikely(belief.candidates.prior));
      const auto true_cell = std::lower_bound(cells.begin(), cells.end(), target_.query.CellOf(user, rank));
      const bool possible = true_cell != cells.end() && *true_cell == target_.query.CellOf(user, rank);
      const auto true_index = static_cast<std::size_t>(true_cell - cells.begin());
      for (std::size_t r = 0; r < observed_.size(); ++r) {
        if (on_grid) {
          view_.LogLikelihoodOnGrid(user, rank, observed_[r], &log_rows, &log_columns);
          InferOnGrid(belief.candidates, log_rows, log_columns, &found);
        } else {
          view_.LogLikelihood(user, rank, observed_[r], unknown, cells, &log_likelihood);
          Infer(belief.candidates.prior, log_likelihood, &found);
        }
        sums->releases[r].error += error(found.estimate);
        sums->releases[r].mixed += belief.entropy - found.entropy;
        of_user[r] += found.divergence;
        if (possible)
          sums->releases[r].right +=
              std::log(std::max(found.posterior[true_index], kTiny)) - belief.candidates.log_prior[true_index];
      }
    }
    for (std::size_t r = 0; r < observed_.size(); ++r) {
      sums->releases[r].release += of_user[r];
      sums->releases[r].worst = std::max(sums->releases[r].worst, of_user[r]);
    }
  }

 private:
  struct Belief {
    Candidates candidates;
    double entropy = 0;     // of the prior without friends
    double divergence = 0;  // of the prior with friends from it
    double right = 0;       // log of how much more likely the true cell has become through friends
  };

  Belief BeliefOf(std::size_t user, std::size_t rank) const {
    std::vector<double> counts;
    view_.CountOthers(user, rank, &counts);
    const auto alone = Prior(counts, real_, settings_.smoothing);
    Belief belief;
    belief.entropy = EntropyOf(alone);
    if (!adversary_.friends) {
      belief.candidates = Candidates::Of(alone, target_.grid.side());
      return belief;
    }
    std::vector<double> weights = real_.empty() ? std::vector<double>(counts.size(), 1.0) : real_;
    for (const std::uint32_t other : target_.friends[user]) {
      if (!view_.Knows(other)) continue;
      for (const std::uint32_t cell : near_[other * target_.query.q() + rank]) weights[cell] += settings_.weight;
    }
    const auto with = Prior(counts, weights, settings_.smoothing);
    belief.divergence = DivergenceOf(with, alone);
    // The ratio with / alone is weight / mean weight, also where both are 0.
    belief.right = std::log(weights[target_.query.CellOf(user, rank)] /
                            std::inner_product(alone.begin(), alone.end(), weights.begin(), 0.0));
    belief.candidates = Candidates::Of(with, target_.grid.side());
    return belief;
  }

  const Target& target_;
  const Adversary& adversary_;
  const std::vector<Noise>& noises_;
  const std::vector<Observed>& observed_;
  const Settings& settings_;
  const std::vector<std::vector<std::uint32_t>>& near_;
  const View view_;
  std::vector<double> real_;  // several cities: 0 for numbers that are not cells; otherwise empty
};

/// Runs `work` on every block of users with all threads and adds the sums up in the order of the blocks.
Result<Sums> ForAll(const Attack& attack, std::size_t users, const Settings& settings, const CancelFlag& cancel,
                    const std::function<void(double)>& progress) {
  const std::size_t blocks = (users + kBlock - 1) / kBlock;
  std::vector<Sums> of_block(blocks);
  std::atomic<std::size_t> next{0};
  std::mutex telling;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t block = next++; block < blocks && !cancel.cancelled(); block = next++) {
      of_block[block] = attack.Empty();
      for (std::size_t user = block * kBlock; user < std::min(users, (block + 1) * kBlock); ++user) {
        attack.On(user, &of_block[block]);
      }
      const std::lock_guard lock(telling);
      ++done;
      if (progress) progress(static_cast<double>(done) / static_cast<double>(blocks));
    }
  };
  const unsigned wanted = settings.threads > 0 ? settings.threads : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (unsigned t = 1; t < std::min<std::size_t>(wanted, blocks); ++t) threads.emplace_back(work);
  work();
  threads.clear();
  if (cancel.cancelled()) return Cancelled("the attack was stopped");
  Sums all = attack.Empty();
  for (const Sums& sums : of_block) all.Add(sums);
  return all;
}

Result<void> CheckAll(const Target& target, const std::vector<Adversary>& adversaries, const std::vector<Noise>& noises,
                      const Settings& settings) {
  const auto sensible = [](double x) { return std::isfinite(x) && x >= 0; };
  if (!sensible(settings.weight) || !sensible(settings.radius_km) || !sensible(settings.smoothing))
    return InvalidArgument("weight, radius and smoothing must not be negative", "settings", "published: weight > 0");
  if (settings.repetitions < 1 || settings.repetitions > 10000)
    return InvalidArgument("there must be 1 to 10,000 repetitions", "settings", "10 give a fair interval");
  if (target.friends.size() != target.query.users())
    return InvalidArgument("friends are not those of the users", "friends", "give a list for every user");
  for (const Adversary& adversary : adversaries) {
    if (adversary.known && (*adversary.known < 1 || *adversary.known > target.query.users()))
      return InvalidArgument("the number of known users is out of range", "known", "give 1 up to the number of users");
    if (!(adversary.follow >= 0 && adversary.follow < 1))
      return InvalidArgument("the share of friends who follow lies in [0, 1)", "follow", "try 0.1");
  }
  for (const Noise& noise : noises) {
    if (!(std::isfinite(noise.plain) && noise.plain > 0 && noise.epsilon > 0))
      return InvalidArgument("a loss must be a positive number", "epsilon", "try 1");
  }
  return {};
}

After AfterOf(const Adversary& adversary, const Noise& noise, const Sums& sums, std::size_t n, const Settings& settings,
              double users) {
  std::vector<double> error, mixed, release, right;
  After after{adversary.name, noise, {}, {}, {}, {}, 0, 0, 0};
  constexpr double kBit = std::numbers::ln2;
  for (std::size_t k = 0; k < settings.repetitions; ++k) {
    const auto& of = sums.releases[n * settings.repetitions + k];
    error.push_back(of.error / users);
    mixed.push_back(of.mixed / users / kBit);
    release.push_back(of.release / users / kBit);
    right.push_back(of.right / users / kBit);
    after.worst_bits = std::max(after.worst_bits, of.worst / kBit);
  }
  after.error_km = EstimateOf(error);
  after.mixed_bits = EstimateOf(mixed);
  after.release_bits = EstimateOf(release);
  after.right_bits = EstimateOf(right);
  after.bound_bits = sums.bounds[n] / users / kBit;
  after.promised_bits = published::InformationBound(noise.epsilon) / kBit;
  return after;
}

}  // namespace

Estimate EstimateOf(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() < 2) return {mean, mean, mean};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half = StudentAt975(values.size() - 1) * std::sqrt(squares / (n - 1) / n);
  return {mean, mean - half, mean + half};
}

Result<Found> RunAttack(const Target& target, const std::vector<Adversary>& adversaries,
                        const std::vector<Noise>& noises, const Settings& settings, const CancelFlag& cancel) {
  const auto sensible = CheckAll(target, adversaries, noises, settings);
  if (!sensible) return sensible.error();
  std::vector<std::vector<std::uint32_t>> near;
  near.reserve(target.patterns.places.size());
  for (const Point& place : target.patterns.places) near.push_back(target.grid.CellsNear(place, settings.radius_km));
  std::vector<std::vector<double>> unit_noise;
  for (std::size_t k = 0; k < settings.repetitions; ++k) {
    unit_noise.push_back(UnitNoise(target.query.answer().size(), settings.seed + 0x9e3779b97f4a7c15ULL * (k + 1)));
  }
  std::vector<Observed> observed;
  for (const Noise& noise : noises) {
    for (const auto& unit : unit_noise) observed.push_back(Observe(target.query, noise.plain, unit));
  }
  Found found;
  const auto users = static_cast<double>(target.query.users());
  for (std::size_t a = 0; a < adversaries.size(); ++a) {
    const Attack attack(target, adversaries[a], noises, observed, settings, near);
    const auto progress = [&](double part) {
      if (settings.progress)
        settings.progress((static_cast<double>(a) + part) / static_cast<double>(adversaries.size()));
    };
    const auto sums = ForAll(attack, target.query.users(), settings, cancel, progress);
    if (!sums) return sums.error();
    found.before.push_back({adversaries[a].name, sums->entropy / users / std::numbers::ln2,
                            sums->friends / users / std::numbers::ln2, sums->right / users / std::numbers::ln2,
                            sums->error / users});
    for (std::size_t n = 0; n < noises.size(); ++n) {
      found.after.push_back(AfterOf(adversaries[a], noises[n], *sums, n, settings, users));
    }
  }
  return found;
}

}  // namespace kith::attack
