// The inference attack against brute force, and its leak against its bound, on random small worlds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "attack/attack.h"
#include "attack/inference.h"
#include "attack/kmeans.h"
#include "published/information.h"
#include "tests/support/stat.h"

namespace kith::attack {
namespace {

/// Users with random places and random friends.
struct World {
  Visits visits;
  Friends friends;
  Patterns patterns;
  std::mt19937_64 engine;

  World(std::size_t users, std::size_t q, std::uint64_t seed) : engine(seed) {
    visits.users = users;
    for (int p = 0; p < 12; ++p) visits.places.push_back({40 + Draw(), -74 + Draw()});
    for (std::uint32_t user = 0; user < users; ++user) {
      for (std::uint32_t place = 0; place < 12; ++place) {
        if (Draw() < 0.4 || place == user % 12) visits.visits.push_back({user, place, 1 + Below(5)});
      }
    }
    friends.resize(users);
    for (std::uint32_t a = 0; a < users; ++a) {
      for (std::uint32_t b = a + 1; b < users; ++b) {
        if (Draw() > 0.4) continue;
        friends[a].push_back(b);
        friends[b].push_back(a);
      }
    }
    patterns = TopPlaces(visits, q).value();
  }
  double Draw() { return Uniform(engine); }
  std::uint32_t Below(std::uint32_t n) { return static_cast<std::uint32_t>(Draw() * n); }
};

/// The answer from nothing but patterns and the assignment of users to clusters.
std::vector<double> Recomputed(const Query& query, const std::vector<double>& scaled) {
  const std::size_t width = 2 * query.q();
  std::vector<double> answer(query.clusters() * width, 0);
  for (std::size_t i = 0; i < query.users(); ++i) {
    for (std::size_t d = 0; d < width; ++d) {
      answer[query.ClusterOf(i) * width + d] +=
          scaled[i * width + d] / static_cast<double>(query.SizeOf(query.ClusterOf(i)));
    }
  }
  return answer;
}

double LogDensity(const Query& query, const Observed& observed, const std::vector<double>& answer) {
  double log_density = 0;
  for (std::size_t n = 0; n < answer.size(); ++n) {
    log_density -= std::abs(observed.noisy[n] - answer[n]) * observed.plain / query.unit_scales()[n];
  }
  return log_density;
}

std::vector<std::uint32_t> AllCells(const Grid& grid) {
  std::vector<std::uint32_t> cells(grid.cells());
  for (std::uint32_t c = 0; c < cells.size(); ++c) cells[c] = c;
  return cells;
}

/// `log` up to a constant must be `expected` up to a constant.
void ExpectSameUpToAConstant(const std::vector<double>& log, const std::vector<double>& expected) {
  ASSERT_EQ(log.size(), expected.size());
  for (std::size_t c = 1; c < log.size(); ++c) EXPECT_NEAR(log[c] - log[0], expected[c] - expected[0], 1e-9);
}

TEST(AttackProperty, UpdatedCentroidsEqualRecomputedOnes) {
  World world(17, 3, stat::SeedForThisTest());
  const Grid grid(world.visits.places, 6);
  for (const std::size_t clusters : {1u, 2u, 5u}) {
    for (const Spread spread : {Spread::kUniform, Spread::kPerCluster}) {
      const auto query = Query::Centroids(world.patterns, grid, clusters, spread, 5).value();
      const auto exact = Recomputed(query, query.scaled());
      for (std::size_t n = 0; n < exact.size(); ++n) ASSERT_NEAR(query.answer()[n], exact[n], 1e-12);
      const auto observed = Observe(query, 2.5, UnitNoise(query.answer().size(), clusters));
      const View view(query, {}, 0);
      for (std::size_t user = 0; user < query.users(); ++user) {
        for (std::size_t rank = 0; rank < query.q(); ++rank) {
          std::vector<double> log, expected;
          view.LogLikelihood(user, rank, observed, view.UnknownFriends(user, world.friends), AllCells(grid), &log);
          for (const std::uint32_t cell : AllCells(grid)) {
            auto scaled = query.scaled();
            scaled[2 * (user * query.q() + rank)] = grid.ScaledRow(cell / grid.side());
            scaled[2 * (user * query.q() + rank) + 1] = grid.ScaledColumn(cell % grid.side());
            expected.push_back(LogDensity(query, observed, Recomputed(query, scaled)));
          }
          ExpectSameUpToAConstant(log, expected);
          std::vector<double> rows, columns;
          view.LogLikelihoodOnGrid(user, rank, observed, &rows, &columns);
          for (const std::uint32_t cell : AllCells(grid))
            EXPECT_NEAR(rows[cell / grid.side()] + columns[cell % grid.side()], log[cell], 1e-12);
        }
      }
    }
  }
}

/// Patterns as somebody who knows `known` sees them: all others and the user at the mean of the known ones of the
/// cluster.
std::vector<double> AsSeen(const Query& query, const std::vector<bool>& known, std::size_t user) {
  const std::size_t width = 2 * query.q();
  std::vector<double> seen = query.scaled();
  for (std::size_t i = 0; i < query.users(); ++i) {
    if (known[i] && i != user) continue;
    for (std::size_t d = 0; d < width; ++d) {
      double sum = 0, members = 0;
      for (std::size_t j = 0; j < query.users(); ++j) {
        if (!known[j] || j == user || query.ClusterOf(j) != query.ClusterOf(i)) continue;
        sum += query.scaled()[j * width + d];
        ++members;
      }
      seen[i * width + d] = members > 0 ? sum / members : 0.5;
    }
  }
  return seen;
}

/// log of the density if the user is in `cell` and every set of `unknown` friends may have followed.
double LogOfAllSets(const Query& query, const Grid& grid, const Observed& observed, const std::vector<double>& seen,
                    const std::vector<std::uint32_t>& unknown, double follow, std::size_t at, std::uint32_t cell) {
  const std::size_t user = at / query.q(), rank = at % query.q();
  std::vector<double> logs;
  for (std::size_t set = 0; set < std::size_t{1} << unknown.size(); ++set) {
    auto scaled = seen;
    double log = 0;
    const auto move = [&](std::size_t i) {
      scaled[2 * (i * query.q() + rank)] = grid.ScaledRow(cell / grid.side());
      scaled[2 * (i * query.q() + rank) + 1] = grid.ScaledColumn(cell % grid.side());
    };
    move(user);
    for (std::size_t k = 0; k < unknown.size(); ++k) {
      log += std::log((set >> k & 1) != 0 ? follow : 1 - follow);
      if ((set >> k & 1) != 0) move(unknown[k]);
    }
    logs.push_back(log + LogDensity(query, observed, Recomputed(query, scaled)));
  }
  const double most = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (const double log : logs) sum += std::exp(log - most);
  return most + std::log(sum);
}

TEST(AttackProperty, UnknownFriendsFollowAsIfEverySetOfThemWereTried) {
  World world(11, 2, stat::SeedForThisTest());
  const Grid grid(world.visits.places, 4);
  const auto query = Query::Centroids(world.patterns, grid, 3, Spread::kUniform, 5).value();
  std::vector<bool> known(query.users());
  for (std::size_t i = 0; i < known.size(); ++i) known[i] = i % 2 == 0;
  for (const double follow : {0.3, 1e-9}) {
    const View view(query, known, follow);
    for (const double plain : {0.1, 6.0, 2000.0}) {  // the last one: terms differ by more than a double can hold
      const auto observed = Observe(query, plain, UnitNoise(query.answer().size(), 1));
      for (std::size_t at = 0; at < query.users() * query.q(); ++at) {
        const std::size_t user = at / query.q();
        std::vector<std::uint32_t> unknown;
        for (const std::uint32_t other : world.friends[user]) {
          if (!known[other]) unknown.push_back(other);
        }
        const auto seen = AsSeen(query, known, user);
        std::vector<double> log, expected;
        view.LogLikelihood(user, at % query.q(), observed, view.UnknownFriends(user, world.friends), AllCells(grid),
                           &log);
        for (const std::uint32_t cell : AllCells(grid))
          expected.push_back(LogOfAllSets(query, grid, observed, seen, unknown, follow, at, cell));
        ExpectSameUpToAConstant(log, expected);
      }
    }
  }
}

TEST(AttackProperty, CountsOfCellsAgainstRecounting) {
  World world(15, 2, stat::SeedForThisTest());
  const Grid grid(world.visits.places, 3);
  const auto query = Query::CellCounts(world.patterns, grid);
  const auto observed = Observe(query, 3, UnitNoise(query.answer().size(), 1));
  const View view(query, {}, 0);
  for (std::size_t user = 0; user < query.users(); ++user) {
    for (std::size_t rank = 0; rank < 2; ++rank) {
      std::vector<double> log, expected;
      view.LogLikelihood(user, rank, observed, std::vector<std::size_t>{0}, AllCells(grid), &log);
      for (const std::uint32_t cell : AllCells(grid)) {
        auto answer = query.answer();
        --answer[rank * grid.cells() + query.CellOf(user, rank)];
        ++answer[rank * grid.cells() + cell];
        expected.push_back(LogDensity(query, observed, answer));
      }
      ExpectSameUpToAConstant(log, expected);
    }
  }
}

TEST(AttackProperty, RowsAndColumnsGiveTheSameAsCells) {
  std::mt19937_64 engine(stat::SeedForThisTest());
  for (const double spread : {0.001, 1.0, 50.0, 5000.0}) {
    for (int trial = 0; trial < 50; ++trial) {
      const std::size_t side = 1 + static_cast<std::size_t>(Uniform(engine) * 7);
      std::vector<double> counts(side * side), rows(side), columns(side), log;
      for (double& n : counts) n = std::floor(3 * Uniform(engine));
      for (double& l : rows) l = -spread * Uniform(engine);
      for (double& l : columns) l = -spread * Uniform(engine);
      const auto candidates = Candidates::Of(Prior(counts, {}, 0), side);
      for (const std::uint32_t cell : candidates.cells) log.push_back(rows[cell / side] + columns[cell % side]);
      Inference fast, slow;
      InferOnGrid(candidates, rows, columns, &fast);
      Infer(candidates.prior, log, &slow);
      EXPECT_EQ(fast.estimate, slow.estimate);
      EXPECT_NEAR(fast.entropy, slow.entropy, 1e-9);
      EXPECT_NEAR(fast.divergence, slow.divergence, 1e-9);
      for (std::size_t c = 0; c < log.size(); ++c) EXPECT_NEAR(fast.posterior[c], slow.posterior[c], 1e-12);
    }
  }
}

/// How far one user can move the answer, each number divided by its unit scale: all corners of the box are tried.
double LargestMove(const Query& query, const std::vector<double>& unit_scales) {
  const std::size_t width = 2 * query.q();
  double worst = 0;
  for (std::size_t user = 0; user < query.users(); ++user) {
    auto low = query.scaled(), high = query.scaled();
    for (std::size_t d = 0; d < width; ++d) {
      low[user * width + d] = 0;
      high[user * width + d] = 1;
    }
    const auto a = Recomputed(query, low), b = Recomputed(query, high);
    double moved = 0;
    for (std::size_t n = 0; n < a.size(); ++n) moved += std::abs(a[n] - b[n]) / unit_scales[n];
    worst = std::max(worst, moved);
  }
  return worst;
}

TEST(AttackProperty, UnitScalesCoverOneUser_ATTACK3) {
  World world(23, 2, stat::SeedForThisTest());
  const Grid grid(world.visits.places, 5);
  for (const std::size_t clusters : {1u, 3u, 7u}) {
    for (const Spread spread : {Spread::kUniform, Spread::kPerCluster}) {
      const auto query = Query::Centroids(world.patterns, grid, clusters, spread, 9).value();
      EXPECT_LE(LargestMove(query, query.unit_scales()), 1 + 1e-12);
    }
  }
  const auto counts = Query::CellCounts(world.patterns, grid);
  // Both places of a user move: two cells change by 1 each, for each place.
  EXPECT_EQ(counts.unit_scales().front(), 2 * 2.0);
}

TEST(AttackProperty, TheCheckAboveSeesTheScaleOfAnAverageCluster) {
  World world(23, 2, stat::SeedForThisTest());
  const Grid grid(world.visits.places, 5);
  const auto query = Query::Centroids(world.patterns, grid, 3, Spread::kUniform, 9).value();
  const std::vector<double> average(query.answer().size(), 4.0 * 3 / 23);
  EXPECT_GT(LargestMove(query, average), 1.01);
}

/// Divergences of random posteriors whose log likelihoods differ by at most `spread`, and two-point ones near the
/// worst.
double LargestDivergenceSeen(double spread, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  double most = 0;
  Inference found;
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<double> prior(2 + static_cast<std::size_t>(Uniform(engine) * 6)), log(prior.size());
    double sum = 0;
    for (double& p : prior) sum += p = -std::log1p(-Uniform(engine));
    for (double& p : prior) p /= sum;
    for (double& l : log) l = trial % 2 == 0 ? spread * Uniform(engine) : spread * std::floor(2 * Uniform(engine));
    Infer(prior, log, &found);
    most = std::max(most, found.divergence);
  }
  return most;
}

TEST(AttackProperty, DivergenceIsBoundedForEveryObservation_ATTACK1) {
  for (const double spread : {0.01, 0.3, 1.0, 4.0, 20.0}) {
    EXPECT_LE(LargestDivergenceSeen(spread, stat::SeedForThisTest()), published::InformationBound(spread) + 1e-12);
  }
}

TEST(AttackProperty, TheCheckAboveSeesLikelihoodsThatDifferByATenthMore) {
  for (const double spread : {0.01, 0.3, 1.0, 4.0}) {
    EXPECT_GT(LargestDivergenceSeen(1.1 * spread, stat::SeedForThisTest()), published::InformationBound(spread));
  }
}

/// The largest log ratio of likelihoods, minus what is claimed, over users and observations; noise as for `real` loss.
double LargestExcess(double claimed, double real, std::uint64_t seed) {
  World world(13, 1, seed);
  const Grid grid(world.visits.places, 4);
  const auto query = Query::Centroids(world.patterns, grid, 2, Spread::kPerCluster, 3).value();
  std::vector<bool> known(query.users());
  for (std::size_t i = 0; i < known.size(); ++i) known[i] = i % 3 == 0;
  const View view(query, known, 0.6);
  double most = -1e300;
  for (std::uint64_t draw = 0; draw < 40; ++draw) {
    const auto observed = Observe(query, real, UnitNoise(query.answer().size(), seed + draw));
    for (std::size_t user = 0; user < query.users(); ++user) {
      const auto unknown = view.UnknownFriends(user, world.friends);
      std::size_t followers = 0;
      for (const std::size_t k : unknown) followers += k;
      std::vector<double> log;
      view.LogLikelihood(user, 0, observed, unknown, AllCells(grid), &log);
      const auto [low, high] = std::minmax_element(log.begin(), log.end());
      most = std::max(most, *high - *low - FollowedLoss(claimed, followers, 0.6));
    }
  }
  return most;
}

TEST(AttackProperty, FollowersAddNoMoreThanTheStarBound_ATTACK2) {
  for (const double loss : {0.1, 1.0, 5.0}) EXPECT_LE(LargestExcess(loss, loss, stat::SeedForThisTest()), 1e-9);
}

TEST(AttackProperty, TheCheckAboveSeesHalfTheNoise) {
  for (const double loss : {0.1, 1.0, 5.0}) EXPECT_GT(LargestExcess(loss, 2 * loss, stat::SeedForThisTest()), 0.01);
}

/// Two places at opposite corners, few users: the attack can use nearly all that the bound allows.
struct Corners {
  Visits visits{9, {{40, -74}, {41, -73}}, {}};
  Friends friends = Friends(9);
  Corners() {
    for (std::uint32_t user = 0; user < 9; ++user) visits.visits.push_back({user, user < 5 ? 0u : 1u, 1});
  }
};

/// Mean bits that the release added over its bound, for the worst repetition; noise as for `real`, bound for `claimed`.
double WorstOverBound(const Corners& world, double claimed, double real, Question question) {
  const auto patterns = TopPlaces(world.visits, 1).value();
  const Grid grid(world.visits.places, 20);
  const auto query = question == Question::kCentroids ? Query::Centroids(patterns, grid, 1, Spread::kUniform, 1).value()
                                                      : Query::CellCounts(patterns, grid);
  Settings settings;
  settings.repetitions = 1;
  double worst = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    settings.seed = seed;
    settings.threads = 1;
    const auto found = RunAttack({patterns, grid, query, world.friends}, {{"all others", false, {}, 0}},
                                 {{"laplace", real, real}}, settings, CancelFlag())
                           .value();
    const double bound = published::InformationBound(claimed) / std::numbers::ln2;
    if (claimed == real) {
      EXPECT_NEAR(found.after[0].bound_bits, bound, 1e-12);
    }
    worst = std::max(worst, found.after[0].release_bits.mean / bound);
  }
  return worst;
}

TEST(AttackProperty, TheReleaseAddsNoMoreThanItsBound_ATTACK4) {
  for (const Question question : {Question::kCentroids, Question::kCellCounts}) {
    for (const double loss : {0.2, 1.0, 3.0}) EXPECT_LE(WorstOverBound(Corners(), loss, loss, question), 1 + 1e-9);
  }
}

TEST(AttackProperty, TheCheckAboveSeesHalfTheNoiseInTheWholeAttack) {
  for (const Question question : {Question::kCentroids, Question::kCellCounts}) {
    for (const double loss : {0.2, 1.0}) EXPECT_GT(WorstOverBound(Corners(), loss, 2 * loss, question), 1.2);
  }
}

TEST(AttackProperty, ThreadsDoNotChangeTheResultAndSeedsDo) {
  World world(150, 2, stat::SeedForThisTest());
  const Grid grid(world.visits.places, 8);
  const auto query = Query::Centroids(world.patterns, grid, 4, Spread::kUniform, 3).value();
  const std::vector<Adversary> adversaries = {{"alone", false, {}, 0}, {"half", true, 75, 0.2}};
  Settings settings;
  settings.repetitions = 3;
  const auto run = [&](unsigned threads, std::uint64_t seed) {
    settings.threads = threads;
    settings.seed = seed;
    return RunAttack({world.patterns, grid, query, world.friends}, adversaries, {{"laplace", 2, 2}}, settings,
                     CancelFlag())
        .value();
  };
  const auto one = run(1, 7), four = run(4, 7), other = run(1, 8);
  ASSERT_EQ(one.after.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(one.after[k].release_bits.mean, four.after[k].release_bits.mean);
    EXPECT_EQ(one.after[k].error_km.low, four.after[k].error_km.low);
    EXPECT_NE(one.after[k].release_bits.mean, other.after[k].release_bits.mean);
  }
  EXPECT_EQ(one.before[0].friends_bits, 0);
  EXPECT_GT(one.before[1].friends_bits, 0);
}

TEST(AttackProperty, SenselessSettingsAndCtrlCAreErrors) {
  World world(20, 1, 1);
  const Grid grid(world.visits.places, 4);
  const auto query = Query::Centroids(world.patterns, grid, 2, Spread::kUniform, 3).value();
  EXPECT_FALSE(Query::Centroids(world.patterns, grid, 21, Spread::kUniform, 3));
  const Target target{world.patterns, grid, query, world.friends};
  CancelFlag cancel;
  Settings settings;
  EXPECT_FALSE(RunAttack(target, {{"a", true, 21, 0}}, {{"laplace", 1, 1}}, settings, cancel));
  EXPECT_FALSE(RunAttack(target, {{"a", true, 2, 1.0}}, {{"laplace", 1, 1}}, settings, cancel));
  EXPECT_FALSE(RunAttack(target, {{"a", true, {}, 0}}, {{"laplace", 1, 0}}, settings, cancel));
  settings.weight = -1;
  EXPECT_FALSE(RunAttack(target, {{"a", true, {}, 0}}, {{"laplace", 1, 1}}, settings, cancel));
  settings.weight = 1;
  EXPECT_TRUE(RunAttack(target, {{"a", true, {}, 0}}, {{"laplace", 1, 1}}, settings, cancel));
  cancel.Cancel();
  const auto stopped = RunAttack(target, {{"a", true, {}, 0}}, {{"laplace", 1, 1}}, settings, cancel);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::kCancelled);
}

}  // namespace
}  // namespace kith::attack
