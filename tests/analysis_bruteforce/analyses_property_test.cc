// The sensitivities of the analyses by trying everything: one unit of a tiny table gets one record after the other, the
// engine runs the statement of each round, and no two answers may differ by more than the round says.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "analysis/check/check.h"
#include "analysis/degrees/degrees.h"
#include "analysis/identity/identity.h"
#include "analysis/kmeans/kmeans.h"
#include "tests/support/policies.h"
#include "tests/support/runner_engine.h"
#include "tests/support/stat.h"
#include "tests/support/tiny_db_engine.h"

namespace kith::testing {
namespace {

using Integers = std::vector<std::vector<Int128>>;  // [statistic][group]
using Random = std::mt19937_64;

std::string PolicyText(const std::string& unit, const std::string& columns) {
  return "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\n" + unit + "\n[columns.t]\n" + columns +
         "\n[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n";
}

Int128 Distance(const std::vector<Int128>& a, const std::vector<Int128>& b) {
  Int128 sum = 0;
  for (std::size_t g = 0; g < a.size(); ++g) sum += a[g] > b[g] ? a[g] - b[g] : b[g] - a[g];
  return sum;
}

/// A table of everybody else, and the records that one unit can have.
struct World {
  TinyTable others;
  std::vector<std::vector<Row>> records;
};

/// What a round's statement says for each record, and the largest L1 distance of each statistic.
struct Tried {
  std::vector<Integers> answers;
  std::vector<Int128> change;
};

Tried TryAll(const Plan& plan, const World& world, SqlRunner& runner) {
  Tried tried;
  for (const auto& record : world.records) {
    TinyTable table = world.others;
    table.rows.insert(table.rows.begin() + static_cast<std::ptrdiff_t>(table.rows.size() / 2), record.begin(),
                      record.end());
    runner.Load(table);
    tried.answers.push_back(StatisticsOf(plan, runner.Run(plan.statement)));
  }
  tried.change.assign(plan.statistics.size(), 0);
  for (const auto& a : tried.answers) {
    for (const auto& b : tried.answers) {
      for (std::size_t s = 0; s < tried.change.size(); ++s)
        tried.change[s] = std::max(tried.change[s], Distance(a[s], b[s]));
    }
  }
  return tried;
}

bool Holds(const Plan& plan, const Tried& tried, std::int64_t part = 1) {
  for (std::size_t s = 0; s < plan.statistics.size(); ++s) {
    if (tried.change[s] > plan.statistics[s].change.l1().steps() / part) return false;
  }
  return true;
}

// --- k-means ---

const Policy& PlacesPolicy() {
  static const Policy policy = MakePolicy(PolicyText("key = \"id\"\nmax_rows = 2\npresence = \"secret\"",
                                                     "x = { type = \"real\", lower = -1, upper = 3 }\n"
                                                     "y = { lower = 0, upper = 9 }\n"
                                                     "ward = { values = [\"A\", \"B\"] }"));
  return policy;
}

Row PlaceRow(int id, Random& random) {
  static const std::vector<Datum> xs = {NullDatum(),    RealDatum(-1),   RealDatum(3),  RealDatum(1),
                                        RealDatum(0.2), RealDatum(2.75), RealDatum(99), RealDatum(NAN)};
  static const std::vector<Datum> ys = {NullDatum(),     IntegerDatum(0), IntegerDatum(9),
                                        IntegerDatum(4), IntegerDatum(7), IntegerDatum(-80)};
  return {IntegerDatum(id), xs[random() % xs.size()], ys[random() % ys.size()],
          TextDatum(random() % 2 == 0 ? "A" : "B")};
}

World PlacesWorld(Random& random) {
  World world;
  world.others = {"t",
                  {"id", "x", "y", "ward"},
                  {ColumnType::kInteger, ColumnType::kReal, ColumnType::kInteger, ColumnType::kText},
                  {}};
  for (int i = 0; i < 6; ++i) world.others.rows.push_back(PlaceRow(2 + i / 2, random));
  world.records.emplace_back();
  for (int i = 0; i < 24; ++i) {
    std::vector<Row> record;
    for (std::size_t row = 0; row < 1 + random() % 4; ++row) record.push_back(PlaceRow(1, random));
    world.records.push_back(std::move(record));
  }
  // Both kept rows at one corner, and both at the other.
  for (const double end : {-1.0, 3.0}) {
    const Row corner = {IntegerDatum(1), RealDatum(end), IntegerDatum(end < 0 ? 0 : 9), TextDatum("A")};
    world.records.push_back({corner, corner});
  }
  return world;
}

struct KmeansTried {
  Plan plan;
  Tried tried;
};

std::vector<KmeansTried> TryKmeans(std::uint64_t seed, int worlds) {
  Random random(seed);
  const auto runner = OpenConfigured();
  std::vector<KmeansTried> out;
  for (int i = 0; i < worlds; ++i) {
    KmeansOptions options{{"x", "y"}, 2 + random() % 3, 1, i % 2 == 0 ? "" : "ward = 'A'"};
    const auto analysis = Kmeans::Make(options, PlacesPolicy()).value();
    const World world = PlacesWorld(random);
    std::vector<NoisyRound> before;
    for (std::size_t round = 0; round < analysis->Weights().size(); ++round) {  // grid, step, inertia
      Plan plan = analysis->Round(before).value();
      out.push_back({plan, TryAll(plan, world, *runner)});
      NoisyGroups zeros(plan.groups(), std::vector<Int128>(plan.statistics.size(), 0));
      before.push_back({std::move(plan), std::move(zeros), {1, 1, 1}});
    }
  }
  return out;
}

TEST(AnalysesProperty, NoRecordMovesClustersMoreThanSaid_KMEANS1) {
  bool reached = false, reached_by_grid = false;
  for (const auto& [plan, tried] : TryKmeans(stat::SeedForThisTest(), 6)) {
    EXPECT_TRUE(Holds(plan, tried));
    if (plan.keys.empty()) continue;  // the inertia
    if (plan.keys.size() == 2) reached_by_grid |= tried.change[0] == plan.statistics[0].change.l1().steps();
    if (plan.keys.size() == 2) continue;
    ASSERT_EQ(tried.change.size(), 3u);
    reached = reached || (tried.change[0] == plan.statistics[0].change.l1().steps() &&
                          tried.change[1] == plan.statistics[1].change.l1().steps());
  }
  EXPECT_TRUE(reached && reached_by_grid) << "a bound is larger than it need be";
}

TEST(AnalysesProperty, TheCheckOfClustersSeesHalvedSensitivities) {
  int seen = 0;
  for (const auto& [plan, tried] : TryKmeans(stat::SeedForThisTest(), 4)) seen += Holds(plan, tried, 2) ? 0 : 1;
  EXPECT_GE(seen, 8);
}

// --- checks of a declared odds ratio ---

const Policy& TwinsPolicy() {
  static const Policy policy = MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = "
      "\"secret\"\n[columns.t]\n"
      "zyg = { values = [\"mz\", \"dz\"], public = true }\nsick = { values = [\"no\", \"yes\"] }\n[dependence]\nsource "
      "= "
      "\"public\"\nkind = \"group\"\nby = \"pair\"\nsize = 2\nodds_ratio = { zyg = { mz = 9, dz = 3 } "
      "}\n[budget]\nepsilon = 1\n"
      "ledger = \"l\"\n");
  return policy;
}

// Pairs 1 and 2 are mz, pair 3 is dz; person 2p + k is in pair p. Some are missing.
Row TwinRow(int id, int pair, int sick) {
  return {IntegerDatum(id), IntegerDatum(pair), TextDatum(pair == 3 ? "dz" : "mz"),
          sick == 2 ? NullDatum() : TextDatum(sick == 1 ? "yes" : "no")};
}

Tried TryTwins(std::uint64_t seed, Plan& plan) {
  Random random(seed);
  const auto runner = OpenConfigured();
  plan = DependenceCheck::Make({.column = "sick", .value = "yes"}, TwinsPolicy()).value()->Round({}).value();
  Tried all;
  all.change.assign(1, 0);
  for (int i = 0; i < 12; ++i) {
    World world;
    world.others = {"t",
                    {"id", "pair", "zyg", "sick"},
                    {ColumnType::kInteger, ColumnType::kInteger, ColumnType::kText, ColumnType::kText},
                    {}};
    for (int id = 3; id <= 7; ++id) {
      if (random() % 5 != 0) world.others.rows.push_back(TwinRow(id, id / 2, static_cast<int>(random() % 3)));
    }
    world.records.emplace_back();  // absent
    for (int sick = 0; sick < 3; ++sick) {
      world.records.push_back({TwinRow(1, 1, sick)});
      world.records.push_back({TwinRow(1, 1, sick), TwinRow(1, 1, (sick + 1) % 3)});  // only one row counts
    }
    if (random() % 3 != 0) world.others.rows.push_back(TwinRow(2, 1, static_cast<int>(random() % 3)));
    const Tried tried = TryAll(plan, world, *runner);
    all.change[0] = std::max(all.change[0], tried.change[0]);
  }
  return all;
}

TEST(AnalysesProperty, NoRecordMovesGroupsMoreThanSaid_CHECK2) {
  Plan plan;
  const Tried tried = TryTwins(stat::SeedForThisTest(), plan);
  EXPECT_TRUE(Holds(plan, tried));
  EXPECT_EQ(tried.change[0], 2) << "a bound is larger than it need be";
}

TEST(AnalysesProperty, TheCheckOfGroupsSeesHalvedSensitivities) {
  Plan plan;
  EXPECT_FALSE(Holds(plan, TryTwins(stat::SeedForThisTest(), plan), 2)) << "half of it";
}

// --- degrees ---

using Pair = std::pair<int, int>;  // 0: missing

Datum Name(int person) { return person == 0 ? NullDatum() : IntegerDatum(person); }
Row PairRow(const Pair& pair) { return {Name(pair.first), Name(pair.second)}; }

TinyTable PairsTable() { return {"t", {"a", "b"}, {ColumnType::kInteger, ColumnType::kInteger}, {}}; }

std::vector<Pair> AllPairs() {
  std::vector<Pair> pairs;
  for (int a = 0; a <= 4; ++a) {
    for (int b = 0; b <= 4; ++b) pairs.emplace_back(a, b);
  }
  return pairs;
}

/// People with at least 1, 2, ... friends, by the definition.
std::vector<Int128> AtLeast(const std::vector<Row>& rows, std::size_t most) {
  std::map<long double, std::set<long double>> friends;
  for (const Row& row : rows) {
    if (row[0].null() || row[1].null() || row[0].number == row[1].number) continue;
    friends[row[0].number].insert(row[1].number);
    friends[row[1].number].insert(row[0].number);
  }
  std::vector<Int128> at_least(most, 0);
  for (const auto& [person, who] : friends) {
    for (std::size_t d = 0; d < std::min(most, who.size()); ++d) ++at_least[d];
  }
  return at_least;
}

std::vector<Int128> Differences(std::vector<Int128> at_least) {
  for (std::size_t d = 0; d + 1 < at_least.size(); ++d) at_least[d] -= at_least[d + 1];
  return at_least;
}

struct FriendshipsTried {
  Int128 cumulative = 0, pairs = 0, histogram = 0;
};

// All graphs on four people with up to five rows in the table, each with one row in all its forms.
FriendshipsTried TryFriendships(std::uint64_t seed, bool once, int worlds, std::int64_t claimed, bool& holds) {
  const Policy policy = MakePolicy(
      PolicyText("row = true\npresence = \"secret\"", "a = { type = \"integer\" }\nb = { type = \"integer\" }"));
  const auto analysis = Degrees::Make({{"a", "b"}, 3, std::nullopt, once, "", "", ""}, policy).value();
  const Plan plan = analysis->Round({}).value();
  const std::vector<NoisyRound> one(1);
  const Plan total = analysis->Round(one).value();
  EXPECT_EQ(plan.statistics[0].change.l1().steps(), 4);
  const auto runner = OpenConfigured();
  Random random(seed);
  FriendshipsTried out;
  for (int i = 0; i < worlds; ++i) {
    World world{PairsTable(), {{}}};
    for (std::size_t row = 0; row < 2 + random() % 3; ++row) {
      world.others.rows.push_back(PairRow({static_cast<int>(random() % 5), static_cast<int>(random() % 5)}));
    }
    for (const Pair& pair : AllPairs()) world.records.push_back({PairRow(pair)});
    const Tried tried = TryAll(plan, world, *runner);
    holds = holds && tried.change[0] <= claimed;
    out.cumulative = std::max(out.cumulative, tried.change[0]);
    out.pairs = std::max(out.pairs, TryAll(total, world, *runner).change[0]);
    for (std::size_t r = 0; r < world.records.size(); ++r) {
      std::vector<Row> rows = world.others.rows;
      rows.insert(rows.end(), world.records[r].begin(), world.records[r].end());
      if (!once) {
        EXPECT_EQ(tried.answers[r][0], AtLeast(rows, 3));
      }
      for (const auto& other : tried.answers)
        out.histogram = std::max(out.histogram, Distance(Differences(tried.answers[r][0]), Differences(other[0])));
    }
  }
  return out;
}

TEST(AnalysesProperty, NoFriendshipChangesMoreThanSaid_DEGREES1) {
  for (const bool once : {false, true}) {
    bool holds = true;
    const auto tried = TryFriendships(stat::SeedForThisTest(), once, 8, 4, holds);
    EXPECT_TRUE(holds);
    EXPECT_EQ(tried.cumulative, 4);
    EXPECT_EQ(tried.pairs, 1);
  }
}

// Half of the bound is too little; and the bound of the cumulative counts is not one of the histogram.
TEST(AnalysesProperty, TheCheckOfFriendshipsSeesTooSmallBounds) {
  bool holds = true;
  const auto tried = TryFriendships(stat::SeedForThisTest(), false, 12, 2, holds);
  EXPECT_FALSE(holds);
  EXPECT_GT(tried.histogram, 4);
}

std::vector<KmeansTried> TryLists(std::uint64_t seed) {
  const Policy policy =
      MakePolicy(PolicyText("key = \"a\"\nmax_rows = 3\npresence = \"secret\"", "b = { type = \"integer\" }"));
  const auto analysis = Degrees::Make({{"a", "b"}, 3, std::nullopt, false, "", "", ""}, policy).value();
  const std::vector<NoisyRound> one(1);
  const auto runner = OpenConfigured();
  Random random(seed);
  World world{PairsTable(), {{}}};
  for (int row = 0; row < 6; ++row) world.others.rows.push_back(PairRow({2 + row % 3, static_cast<int>(random() % 6)}));
  for (int i = 0; i < 40; ++i) {
    std::vector<Row> record;
    for (std::size_t row = 0; row < random() % 7; ++row) record.push_back(PairRow({1, static_cast<int>(random() % 7)}));
    world.records.push_back(std::move(record));
  }
  std::vector<KmeansTried> out;
  for (const Plan& plan : {analysis->Round({}).value(), analysis->Round(one).value()})
    out.push_back({plan, TryAll(plan, world, *runner)});
  return out;
}

TEST(AnalysesProperty, NoListChangesMoreThanSaid_DEGREES2) {
  for (const auto& [plan, tried] : TryLists(stat::SeedForThisTest())) {
    EXPECT_TRUE(Holds(plan, tried));
    EXPECT_EQ(tried.change[0], plan.statistics[0].change.l1().steps());
  }
}

TEST(AnalysesProperty, TheCheckOfListsSeesHalvedSensitivities) {
  for (const auto& [plan, tried] : TryLists(stat::SeedForThisTest())) EXPECT_FALSE(Holds(plan, tried, 2));
}

// --- degrees of people ---

Tried MeasureAll(const Degrees& analysis, const Plan& plan, const World& world, SqlRunner& runner) {
  const RunnerEngine engine(runner);
  Tried tried;
  for (const auto& record : world.records) {
    TinyTable table = world.others;
    table.rows.insert(table.rows.begin() + static_cast<std::ptrdiff_t>(table.rows.size() / 2), record.begin(),
                      record.end());
    runner.Load(table);
    const auto integers =
        analysis.counts_itself() ? analysis.Counted(engine, CancelFlag()) : engine.Run(plan.statement, CancelFlag());
    tried.answers.push_back(StatisticsOf(plan, integers.value().rows));
  }
  tried.change.assign(plan.statistics.size(), 0);
  for (const auto& a : tried.answers) {
    for (const auto& b : tried.answers) {
      for (std::size_t s = 0; s < tried.change.size(); ++s)
        tried.change[s] = std::max(tried.change[s], Distance(a[s], b[s]));
    }
  }
  return tried;
}

/// The names that people have: the ways to count them differ for small numbers, others, and strings.
struct Names {
  bool text = false;
  std::int64_t mine = 1;  // of the person whose rows change; beyond the others' it changes the way to count

  Datum Of(std::int64_t person) const {
    if (person == 0) return NullDatum();
    const std::int64_t name = person == 1 ? mine : person;
    return text ? TextDatum("p" + std::to_string(name)) : IntegerDatum(name);
  }
};

Policy PeoplePolicy(const Names& names, const std::string& unit = "key = [\"a\", \"b\"]\nmax_rows = 9") {
  const std::string type = names.text ? "{ type = \"text\" }" : "{ type = \"integer\" }";
  std::string text = PolicyText(unit + "\npresence = \"secret\"",
                                "a = " + type + "\nb = " + type + "\nkind = { values = [\"x\", \"y\"] }");
  text += "[columns.people]\nid = " + type + "\nteam = { values = [\"red\", \"blue\"] }\n";
  text.insert(text.find("[unit]"), "tables.people = { source = \"people.csv\", public = true }\n");
  return MakePolicy(text);
}

World PeopleWorld(const Names& names, Random& random) {
  const ColumnType type = names.text ? ColumnType::kText : ColumnType::kInteger;
  World world{{"t", {"a", "b", "kind"}, {type, type, ColumnType::kText}, {}}, {{}}};
  const auto row = [&](std::int64_t a, std::int64_t b) {
    const bool turned = random() % 2 == 0;
    return Row{names.Of(turned ? b : a), names.Of(turned ? a : b), TextDatum(random() % 3 == 0 ? "x" : "y")};
  };
  // Duplicates, both directions, missing ends and people with themselves come by chance.
  for (int i = 0; i < 12; ++i) {
    world.others.rows.push_back(
        row(2 + static_cast<std::int64_t>(random() % 5),
            static_cast<std::int64_t>(random() % 7) == 0 ? 0 : 2 + static_cast<std::int64_t>(random() % 5)));
  }
  for (int i = 0; i < 14; ++i) {
    std::vector<Row> record;
    for (std::size_t n = 0; n < 1 + random() % 9; ++n)
      record.push_back(row(1, static_cast<std::int64_t>(random() % 11)));
    world.records.push_back(std::move(record));
  }
  std::vector<Row> many;  // strangers, and everybody
  for (std::int64_t person = 7; person < 13; ++person) many.push_back(row(1, person));
  world.records.push_back(many);
  for (std::int64_t person = 2; person < 7; ++person) many.push_back(row(1, person));
  world.records.push_back(many);
  return world;
}

void LoadTeams(const Names& names, SqlRunner& runner) {
  TinyTable people{
      "people", {"id", "team"}, {names.text ? ColumnType::kText : ColumnType::kInteger, ColumnType::kText}, {}};
  for (std::int64_t person = 1; person < 9; ++person)
    people.rows.push_back({names.Of(person), TextDatum(person % 3 == 0 ? "red" : person % 3 == 1 ? "blue" : "green")});
  people.rows.push_back({names.Of(3), TextDatum("blue")});  // twice: red comes first
  runner.Load(people);
}

const Names kNames[] = {{false, 1}, {false, std::int64_t{1} << 40}, {false, -7}, {true, 1}};

std::vector<KmeansTried> TryPeople(std::uint64_t seed, const std::string& unit) {
  Random random(seed);
  const auto runner = OpenConfigured();
  std::vector<KmeansTried> out;
  for (const Names& names : kNames) {
    const Policy policy = PeoplePolicy(names, unit);
    for (const bool teams : {false, true}) {
      LoadTeams(names, *runner);
      for (const std::size_t most : {1u, 2u, 3u}) {
        DegreesOptions options{{"a", "b"}, most, std::nullopt, false, most == 2 ? "kind = 'y'" : "", "", ""};
        if (teams || !policy.unit.other_key) {
          options.by = "people.team";
          options.names = "id";
        }
        const auto analysis = Degrees::Make(options, policy).value();
        const Plan plan = analysis->Round({}).value();
        const World world = PeopleWorld(names, random);
        out.push_back({plan, MeasureAll(*analysis, plan, world, *runner)});
      }
    }
  }
  return out;
}

const std::string kPersonUnit = "key = [\"a\", \"b\"]\nmax_rows = 9";

TEST(AnalysesProperty, NobodyChangesDegreesMoreThanSaid_DEGREES4) {
  std::set<Int128> counts, sums;  // bounds that were reached
  for (const auto& [plan, tried] : TryPeople(stat::SeedForThisTest(), kPersonUnit)) {
    EXPECT_TRUE(Holds(plan, tried));
    ASSERT_EQ(plan.statistics[0].change.l1().steps(), plan.statistics[1].change.l1().steps());
    if (tried.change[0] == plan.statistics[0].change.l1().steps()) counts.insert(tried.change[0]);
    if (tried.change[1] == plan.statistics[1].change.l1().steps()) sums.insert(tried.change[1]);
  }
  EXPECT_EQ(counts, (std::set<Int128>{2, 4, 6})) << "a bound is larger than it need be";
  EXPECT_EQ(sums, (std::set<Int128>{2, 4, 6}));
}

TEST(AnalysesProperty, TheCheckOfPeopleSeesHalvedSensitivities) {
  int seen = 0;
  for (const auto& [plan, tried] : TryPeople(stat::SeedForThisTest(), kPersonUnit))
    seen += Holds(plan, tried, 2) ? 0 : 1;
  EXPECT_GE(seen, 12);
}

// Where a friendship is the unit, its two ends and those of the one that replaces it may be in four groups.
TEST(AnalysesProperty, NoFriendshipChangesGroupsMoreThanSaid_DEGREES1) {
  Random random(stat::SeedForThisTest());
  const auto runner = OpenConfigured();
  Int128 reached = 0;
  for (const Names& names : kNames) {
    const auto analysis =
        Degrees::Make({{"a", "b"}, 3, std::nullopt, false, "", "people.team", "id"}, PeoplePolicy(names, "row = true"))
            .value();
    LoadTeams(names, *runner);
    const Plan plan = analysis->Round({}).value();
    World world = PeopleWorld(names, random);
    for (auto& record : world.records) record.resize(std::min<std::size_t>(record.size(), 1));
    for (int i = 0; i < 10; ++i) {
      world.records.push_back({{names.Of(static_cast<std::int64_t>(random() % 9)),
                                names.Of(static_cast<std::int64_t>(random() % 9)), TextDatum("x")}});
    }
    const Tried tried = MeasureAll(*analysis, plan, world, *runner);
    EXPECT_TRUE(Holds(plan, tried));
    reached = std::max(reached, tried.change[0]);
  }
  EXPECT_EQ(reached, 4);
}

// With room for everybody nothing is dropped, and the counts are those of the definition, whatever the names are.
TEST(AnalysesProperty, DegreesOfPeopleAreThoseOfTheDefinition) {
  Random random(stat::SeedForThisTest());
  const auto runner = OpenConfigured();
  for (const Names& names : {kNames[0], kNames[1], kNames[2]}) {
    const auto analysis = Degrees::Make({{"b", "a"}, 9, std::nullopt, false, "", "", ""}, PeoplePolicy(names)).value();
    const Plan plan = analysis->Round({}).value();
    const World world = PeopleWorld(names, random);
    const Tried tried = MeasureAll(*analysis, plan, world, *runner);
    for (std::size_t r = 0; r + 2 < world.records.size(); ++r) {
      std::vector<Row> rows = world.others.rows;
      rows.insert(rows.end(), world.records[r].begin(), world.records[r].end());
      const auto expected = AtLeast(rows, 9);
      EXPECT_EQ(tried.answers[r][0], expected);
      EXPECT_EQ(tried.answers[r][1][0], std::accumulate(expected.begin(), expected.end(), Int128{0}));
    }
  }
}

// --- identity ---

KmeansTried TryIdentity(std::uint64_t seed) {
  const Policy policy =
      MakePolicy(PolicyText("key = \"id\"\nmax_rows = 1\npresence = \"public\"",
                            "id = { type = \"integer\", public = true }\n"
                            "x = { type = \"real\", lower = -1, upper = 3 }\ny = { lower = 0, upper = 9 }"));
  const auto analysis = Identity::Make({{"x", "y"}, 1, 4}, policy).value();
  Random random(seed);
  World world = PlacesWorld(random);
  world.records.erase(world.records.begin());  // presence is public
  const auto runner = OpenConfigured();
  Plan plan = analysis->Round({}).value();
  Tried tried = TryAll(plan, world, *runner);
  return {std::move(plan), std::move(tried)};
}

TEST(AnalysesProperty, NoRecordChangesTheIdentityMoreThanSaid_IDENTITY1) {
  const auto [plan, tried] = TryIdentity(stat::SeedForThisTest());
  EXPECT_TRUE(Holds(plan, tried));
  EXPECT_EQ(tried.change[0], plan.statistics[0].change.l1().steps());
  for (const auto& answer : tried.answers) {
    for (std::size_t unit = 1; unit < 4; ++unit) EXPECT_EQ(answer[0][unit], tried.answers[0][0][unit]);
  }
}

TEST(AnalysesProperty, TheCheckOfTheIdentitySeesHalvedSensitivities) {
  const auto [plan, tried] = TryIdentity(stat::SeedForThisTest());
  EXPECT_FALSE(Holds(plan, tried, 2));
}

}  // namespace
}  // namespace kith::testing
