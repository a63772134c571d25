// Messages on big graphs against the truth: exact losses of small fields at every pass, worst fields on trees, and a
// direct recursion in long doubles on larger graphs. With each, the faults that it must see.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "dependence/graph_builder.h"
#include "tests/support/small_laws.h"
#include "transfer/field/field_large.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

using testing::Dice;
using testing::SmallLaw;
using Precision = FieldOptions::Precision;

struct Case {
  std::uint32_t records = 0;
  std::vector<Edge> edges;
  std::vector<double> plain;
};

using Values = std::vector<double>;
using Bounds = std::function<Values(const Case&)>;

Values Kith(const Case& with, FieldOptions options) {
  options.per_record = true;
  auto graph = GraphFromEdges(with.records, with.edges, RepeatedPairs::kAdd);
  const auto shared = std::make_shared<const Graph>(std::move(graph.value()));
  return LargeField::Make(shared, {}, options).value().Loss(PlainLosses::Each(with.plain)).value().per_record;
}

FieldOptions Options(Precision precision, int passes = 100'000) {
  FieldOptions options;
  options.precision = precision;
  options.gain = precision == Precision::kSingle ? 1e-8 : 1e-15;
  options.most_passes = passes;
  return options;
}

// ---------------------------------------------------------------- Small fields, exactly

/// The joint law of a random yes/no field: each edge's log odds ratio is plus or minus its theta, or less;
/// single-record weights are ordinary or extreme.
SmallLaw RandomField(Dice& dice, const Case& of) {
  SmallLaw law{std::vector<int>(of.records, 2), {}};
  std::vector<double> log_weight(of.records);
  const bool wild = dice.Chance(0.5);
  for (double& w : log_weight) w = dice.Between(-1, 1) * (wild ? 8 : 1);
  std::vector<double> interaction;
  for (const Edge& edge : of.edges) {
    interaction.push_back(edge.theta * (dice.Chance(0.7) ? 1 : dice.Uniform()) * (dice.Chance(0.6) ? 1 : -1));
  }
  double sum = 0;
  for (std::size_t state = 0; state < std::size_t{1} << of.records; ++state) {
    double exponent = 0;
    for (std::uint32_t i = 0; i < of.records; ++i) exponent += law.Value(state, static_cast<int>(i)) * log_weight[i];
    for (std::size_t e = 0; e < of.edges.size(); ++e) {
      exponent += interaction[e] * law.Value(state, static_cast<int>(of.edges[e].a)) *
                  law.Value(state, static_cast<int>(of.edges[e].b));
    }
    law.law.push_back(std::exp(exponent));
    sum += law.law.back();
  }
  for (double& p : law.law) p /= sum;
  return law;
}

Case RandomSmallCase(Dice& dice) {
  Case c;
  c.records = static_cast<std::uint32_t>(2 + dice.Below(4));
  for (std::uint32_t a = 0; a < c.records; ++a) {
    c.plain.push_back(dice.Chance(0.1) ? 0 : dice.Between(0.05, 1.5));
    for (std::uint32_t b = a + 1; b < c.records; ++b) {
      if (dice.Chance(0.6)) c.edges.push_back({a, b, dice.Chance(0.2) ? 4.0 : dice.Between(0.1, 2)});
    }
  }
  return c;
}

/// The exact losses of the records that are left when some are known: by linear programme.
std::map<std::uint32_t, double> ExactLosses(Dice& dice, const Case& of, SmallLaw law) {
  std::vector<std::uint32_t> left(of.records);
  for (std::uint32_t i = 0; i < of.records; ++i) left[i] = i;
  while (left.size() > 2 && dice.Chance(0.3)) {
    const int known = dice.Below(static_cast<int>(left.size()));
    law = law.Given(known, dice.Below(2));
    left.erase(left.begin() + known);
  }
  Joint joint;
  joint.values.assign(law.values.begin(), law.values.end());
  joint.law = law.law;
  std::vector<double> plain;
  for (const std::uint32_t i : left) plain.push_back(of.plain[i]);
  const auto exact = Transfer::Make(joint).value().LossPerRecord(plain).value().per_record;
  std::map<std::uint32_t, double> losses;
  for (std::size_t k = 0; k < left.size(); ++k) losses[left[k]] = exact[k];
  return losses;
}

/// How many of 400 random small fields show a record losing more than the bound says.
int FieldsAbove(const Bounds& bounds) {
  Dice dice(20160221);
  int above = 0;
  for (int round = 0; round < 400; ++round) {
    const Case c = RandomSmallCase(dice);
    const auto exact = ExactLosses(dice, c, RandomField(dice, c));
    const Values bound = bounds(c);
    bool found = false;
    // The programme's value is itself rounded up, by less than this.
    for (const auto& [record, loss] : exact) found = found || loss > bound[record] * (1 + 1e-9) + 1e-12;
    above += found ? 1 : 0;
  }
  return above;
}

TEST(FieldLargeProperty, NeverBelowTheExactLossAtAnyPass_FL1) {
  for (const int passes : {1, 2, 3, 100'000}) {
    EXPECT_EQ(FieldsAbove([&](const Case& c) { return Kith(c, Options(Precision::kSingle, passes)); }), 0);
  }
  EXPECT_EQ(FieldsAbove([&](const Case& c) { return Kith(c, Options(Precision::kDouble)); }), 0);
}

TEST(FieldLargeProperty, TheCheckAboveSeesStrengthsThatWereHalved) {
  EXPECT_GT(FieldsAbove([](Case c) {
              for (Edge& edge : c.edges) edge.theta /= 2;
              return Kith(c, Options(Precision::kDouble));
            }),
            10);
}

TEST(FieldLargeProperty, TheCheckAboveSeesAForgottenEdge) {
  EXPECT_GT(FieldsAbove([](Case c) {
              if (!c.edges.empty()) c.edges.pop_back();
              return Kith(c, Options(Precision::kDouble));
            }),
            10);
}

// ---------------------------------------------------------------- Worst fields on trees

/// A random tree; record 0 is the root, parents come before children.
Case RandomTree(Dice& dice) {
  Case c;
  c.records = static_cast<std::uint32_t>(2 + dice.Below(30));
  const bool bushy = dice.Chance(0.5);
  const bool tiny = dice.Chance(0.3);
  for (std::uint32_t i = 0; i < c.records; ++i) {
    c.plain.push_back(dice.Between(0.01, 1) * (tiny ? 1e-5 : 1));
    if (i == 0) continue;
    const auto parent =
        static_cast<std::uint32_t>(bushy ? dice.Below(static_cast<int>((i + 3) / 4)) : dice.Below(static_cast<int>(i)));
    c.edges.push_back({parent, i, dice.Between(0.05, 3)});
  }
  return c;
}

/// What the root of a tree can really lose. The field attracts (log odds ratio theta on (1,1)), the kernel is
/// e^{sum of plain * x}, and each record's own law is such that, next to a parent at 0, it is 1 with the probability
/// that is worst by the Lemma. Then the log-ratio of E[K | root = 1] to E[K | root = 0] is computed from the field
/// itself, by elimination.
long double AttainedAtRoot(const Case& c) {
  const std::size_t n = c.records;
  std::vector<std::vector<std::size_t>> children(n);
  std::vector<long double> theta(n, 0);
  for (const Edge& edge : c.edges) {
    children[edge.a].push_back(edge.b);
    theta[edge.b] = edge.theta;
  }
  // By value x of the record: total weight of what hangs below it, and the same weighted with the kernel.
  std::vector<std::array<long double, 2>> weight(n);
  std::vector<std::array<long double, 2>> with_kernel(n);
  for (std::size_t i = n; i-- > 0;) {
    weight[i] = {1, 1};
    with_kernel[i] = {1, std::exp(static_cast<long double>(c.plain[i]))};
    for (const std::size_t child : children[i]) {
      const long double e = std::exp(theta[child]);
      for (const int x : {0, 1}) {
        const long double tilt = x == 1 ? e : 1;
        weight[i][x] *= weight[child][0] + tilt * weight[child][1];
        with_kernel[i][x] *= with_kernel[child][0] + tilt * with_kernel[child][1];
      }
    }
    if (i == 0) break;
    const long double kernel_ratio = (with_kernel[i][1] / weight[i][1]) / (with_kernel[i][0] / weight[i][0]);
    const long double worst = 1 / (1 + std::sqrt(kernel_ratio * std::exp(theta[i])));
    const long double own = worst / (1 - worst) * weight[i][0] / weight[i][1];
    weight[i][1] *= own;
    with_kernel[i][1] *= own;
  }
  return std::log((with_kernel[0][1] / weight[0][1]) / (with_kernel[0][0] / weight[0][0]));
}

/// Trees, of 300, whose root really loses more than the bound says; and the largest part by which the bound is above
/// it.
std::pair<int, double> AgainstTrees(const Bounds& bounds) {
  Dice dice(77);
  int below = 0;
  double widest = 0;
  for (int round = 0; round < 300; ++round) {
    const Case c = RandomTree(dice);
    const auto attained = static_cast<double>(AttainedAtRoot(c));
    const double bound = bounds(c)[0];
    if (bound < attained * (1 - 1e-12)) ++below;
    widest = std::max(widest, bound / attained - 1);
  }
  return {below, widest};
}

TEST(FieldLargeProperty, ExactOnTrees_FL1) {
  const auto [below, widest] = AgainstTrees([](const Case& c) { return Kith(c, Options(Precision::kDouble)); });
  EXPECT_EQ(below, 0);
  EXPECT_LT(widest, 1e-9);
  const auto [below_single, widest_single] =
      AgainstTrees([](const Case& c) { return Kith(c, Options(Precision::kSingle)); });
  EXPECT_EQ(below_single, 0);
  EXPECT_LT(widest_single, 1e-4);
}

/// The recursion of docs/theory/transfer.md#field in the simplest form, with faults to order.
enum class Fault { kNone, kLeavesOutAnother, kForgetsOwnLoss, kStopsFromBelow };
Values Recursion(const Case& c, Fault fault) {
  struct Arc {
    std::uint32_t from, to;
    long double theta;
  };
  std::vector<Arc> arcs;
  for (const Edge& edge : c.edges) {
    arcs.push_back({edge.a, edge.b, edge.theta});
    arcs.push_back({edge.b, edge.a, edge.theta});
  }
  std::vector<std::vector<std::size_t>> into(c.records);
  for (std::size_t k = 0; k < arcs.size(); ++k) into[arcs[k].to].push_back(k);
  const auto phi = [](long double theta, long double t) -> long double {
    if (std::isinf(t)) return theta;
    const long double a = std::expm1(theta / 2);
    const long double b = std::expm1(t / 2);
    return 2 * std::log1p(a * b / (2 + a + b));
  };
  const long double start = fault == Fault::kStopsFromBelow ? 0 : std::numeric_limits<long double>::infinity();
  std::vector<long double> t(arcs.size(), start);
  const auto totals = [&] {
    std::vector<long double> total(c.plain.begin(), c.plain.end());
    for (const Arc& arc : arcs) total[arc.to] += phi(arc.theta, t[static_cast<std::size_t>(&arc - arcs.data())]);
    return total;
  };
  const int rounds = fault == Fault::kStopsFromBelow ? 2 : 3000;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<long double> total = totals();
    std::vector<long double> renewed(arcs.size());
    long double moved = 0;
    for (std::size_t k = 0; k < arcs.size(); ++k) {
      // Without what came over the same edge; arcs of one edge are side by side.
      const std::size_t left_out = fault == Fault::kLeavesOutAnother ? into[arcs[k].from].back() : k ^ 1;
      renewed[k] = total[arcs[k].from];
      renewed[k] -= phi(arcs[left_out].theta, t[left_out]);
      if (fault == Fault::kForgetsOwnLoss) renewed[k] -= c.plain[arcs[k].from];
      moved = std::isfinite(t[k]) ? std::max(moved, std::abs(t[k] - renewed[k]) / std::max(renewed[k], 1e-30L)) : 1;
    }
    t = std::move(renewed);
    if (moved < 1e-17L) break;
  }
  const std::vector<long double> total = totals();
  return {total.begin(), total.end()};
}

TEST(FieldLargeProperty, TheCheckOnTreesSeesFaults) {
  const auto below = [](const Bounds& bounds) { return AgainstTrees(bounds).first; };
  EXPECT_EQ(below([](const Case& c) { return Recursion(c, Fault::kNone); }), 0);
  EXPECT_GT(below([](const Case& c) { return Recursion(c, Fault::kLeavesOutAnother); }), 10);
  EXPECT_GT(below([](const Case& c) { return Recursion(c, Fault::kForgetsOwnLoss); }), 100);
  EXPECT_GT(below([](const Case& c) { return Recursion(c, Fault::kStopsFromBelow); }), 100);
  // Results rounded down to single precision, instead of messages rounded up.
  EXPECT_GT(below([](const Case& c) {
              Values values = Kith(c, Options(Precision::kDouble));
              for (double& v : values) v = std::nextafterf(static_cast<float>(v), 0.0F);
              return values;
            }),
            100);
}

// ---------------------------------------------------------------- Larger graphs, against the recursion

/// Some nodes popular, some alone, strengths and losses over several orders of magnitude; too weak to be hopeless.
Case RandomGraph(Dice& dice, int records, int edges, double strongest) {
  Case c;
  c.records = static_cast<std::uint32_t>(records);
  const bool one_loss = dice.Chance(0.5);
  for (int i = 0; i < records; ++i) c.plain.push_back(one_loss ? 0.1 : dice.Between(0, 0.3));
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> seen;
  while (static_cast<int>(c.edges.size()) < edges) {
    const double u = dice.Uniform();
    auto a = static_cast<std::uint32_t>(u * u * records);
    auto b = static_cast<std::uint32_t>(dice.Below(records));
    if (a == b || std::exchange(seen[{std::min(a, b), std::max(a, b)}], true)) continue;
    c.edges.push_back({a, b, strongest * std::pow(10, -2 * dice.Uniform())});
  }
  return c;
}

/// Compares without the caps, which the recursion does not know: where they win, kith may be below it.
void ExpectAtLeastRecursion(const Case& c, FieldOptions options, double gap) {
  const Values reference = Recursion(c, Fault::kNone);
  options.per_record = true;
  options.cliques = false;  // which the recursion does not know either
  auto graph = GraphFromEdges(c.records, c.edges, RepeatedPairs::kRefuse);
  const auto shared = std::make_shared<const Graph>(std::move(graph.value()));
  const FieldBound bound = LargeField::Make(shared, {}, options).value().Loss(PlainLosses::Each(c.plain)).value();
  const double worst = *std::max_element(reference.begin(), reference.end());
  EXPECT_GE(bound.messages, worst * (1 - 1e-15));
  EXPECT_LE(bound.messages, worst * (1 + gap));
  int by_messages = 0;
  for (std::uint32_t i = 0; i < c.records; ++i) {
    ASSERT_LE(bound.per_record[i], reference[i] * (1 + gap) + 1e-12);
    by_messages += bound.per_record[i] >= reference[i] * (1 - 1e-15) ? 1 : 0;
  }
  EXPECT_GT(by_messages, static_cast<int>(c.records) / 2);
}

TEST(FieldLargeProperty, MeetsTheRecursionOnRandomGraphs) {
  Dice dice(401);
  for (int round = 0; round < 12; ++round) {
    const Case c = RandomGraph(dice, 200 + dice.Below(200), 500, 0.6);
    ExpectAtLeastRecursion(c, Options(Precision::kDouble), 1e-7);
    ExpectAtLeastRecursion(c, Options(Precision::kSingle), 1e-4);
  }
}

// More than 65,536 slots: stripes, chunks and threads come into play.
TEST(FieldLargeProperty, MeetsTheRecursionInStripes) {
  Dice dice(402);
  const Case c = RandomGraph(dice, 20'000, 40'000, 0.3);
  for (const Precision precision : {Precision::kDouble, Precision::kSingle}) {
    FieldOptions options = Options(precision);
    options.threads = 2;
    ExpectAtLeastRecursion(c, options, precision == Precision::kDouble ? 1e-7 : 1e-4);
  }
}

TEST(FieldLargeProperty, GrowsWithLossesAndStrengths) {
  Dice dice(403);
  for (int round = 0; round < 20; ++round) {
    const Case c = RandomGraph(dice, 60, 100, 1);
    Case more = c;
    for (double& loss : more.plain) loss *= 1 + dice.Uniform();
    for (Edge& edge : more.edges) edge.theta *= 1 + dice.Uniform();
    FieldOptions options = Options(Precision::kDouble);
    options.cliques = false;  // other strengths, other cliques
    const Values low = Kith(c, options);
    const Values high = Kith(more, options);
    for (std::size_t i = 0; i < low.size(); ++i) {
      EXPECT_LE(low[i], high[i] * (1 + 1e-9));
      EXPECT_GE(low[i], c.plain[i]);
    }
  }
}

TEST(FieldLargeProperty, BudgetNeverAllowsTooMuch_FL2) {
  Dice dice(404);
  for (int round = 0; round < 20; ++round) {
    const Case c = RandomGraph(dice, 60, 100, 1);
    const auto shared =
        std::make_shared<const Graph>(GraphFromEdges(c.records, c.edges, RepeatedPairs::kRefuse).value());
    const LargeField field = LargeField::Make(shared, {}, Options(Precision::kDouble)).value();
    const double dependent = dice.Between(0.01, 2);
    const double plain = field.PlainBudget(dependent, 1e-9).value();
    EXPECT_LE(field.Loss(PlainLosses::All(plain)).value().dependent, dependent);
    EXPECT_GT(field.Loss(PlainLosses::All(plain * (1 + 1e-8))).value().dependent, dependent);
  }
}

TEST(FieldLargeProperty, TheBudgetCheckSeesABudgetRoundedUp) {
  Dice dice(405);
  const Case c = RandomGraph(dice, 60, 100, 1);
  const auto shared = std::make_shared<const Graph>(GraphFromEdges(c.records, c.edges, RepeatedPairs::kRefuse).value());
  const LargeField field = LargeField::Make(shared, {}, Options(Precision::kDouble)).value();
  const double rounded_up = field.PlainBudget(0.5, 1e-9).value() * (1 + 1e-8);
  EXPECT_GT(field.Loss(PlainLosses::All(rounded_up)).value().dependent, 0.5);
}

}  // namespace
}  // namespace kith
