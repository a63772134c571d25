// One table in files and behind servers: what every kind of analysis reads and counts there is the same.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "analysis/degrees/degrees.h"
#include "analysis/kmeans/kmeans.h"
#include "analysis/learn/learn.h"
#include "analysis/own/own.h"
#include "analysis/points/study.h"
#include "query/step_question.h"
#include "tests/support/session_integers.h"

namespace kith::testing {

using Sessions = std::vector<const Session*>;

/// One row for each unit, with a middle value: of one row, of two, of halves, of infinite ones, of none. The
/// table has the columns id, age, cost and ill, and at most two rows for each id.
inline constexpr const char* kMediansOfUnits[] = {
    "SELECT count(m), sum(m) FROM (SELECT id, median(cost) AS m FROM t GROUP BY id) AS u",
    "SELECT count(*), sum(m) FROM (SELECT id, median(age) AS m FROM t WHERE cost > 0 GROUP BY id) AS u WHERE m > 20",
    ("SELECT n, count(m), sum(m) FROM (SELECT id, count(age) AS n, median(age) FILTER (WHERE ill) AS m FROM t GROUP BY "
     "id) AS u GROUP BY n"),
    "SELECT sum(m) FROM (SELECT id, median(cost) FILTER (WHERE age > 50) AS m FROM t GROUP BY id) AS u",
    "SELECT median(m) FROM (SELECT id, median(age) AS m FROM t GROUP BY id) AS u",
};

/// Of rounds that each session measures: k-means and pairs.
inline Integers FirstRound(const Analysis& analysis, const Plan& plan, const Session& session) {
  const auto* degrees = dynamic_cast<const Degrees*>(&analysis);
  if (degrees != nullptr && degrees->counts_itself()) return Sorted(degrees->Counted(session, {}));
  return RunOn(session, plan.statement);
}
inline void ExpectSameRound(const Analysis& analysis, const Session& file, const Sessions& servers,
                            const std::string& what) {
  const auto plan = analysis.Round({});
  ASSERT_TRUE(plan) << plan.error().Text();
  const auto counts = FirstRound(analysis, *plan, file);
  EXPECT_FALSE(counts.empty());
  for (const Session* server : servers) EXPECT_EQ(FirstRound(analysis, *plan, *server), counts) << what;
}

/// The table has the columns age and cost.
inline void ExpectSameMeans(const Policy& policy, const Session& file, const Sessions& servers) {
  KmeansOptions options;
  options.columns = {"age", "cost"};
  options.clusters = 3;
  const auto analysis = Kmeans::Make(options, policy);
  ASSERT_TRUE(analysis) << analysis.error().Text();
  ExpectSameRound(**analysis, file, servers, "k-means");
}

/// The table has the columns id and pal. Where people have more friends than count, each engine keeps different ones:
/// so nobody may have more than `most`.
inline void ExpectSameDegrees(std::size_t most, const Policy& policy, const Session& file, const Sessions& servers,
                              const std::string& what) {
  const auto analysis = Degrees::Make({{"id", "pal"}, most, std::nullopt, false, "", "", ""}, policy);
  ASSERT_TRUE(analysis) << analysis.error().Text();
  ExpectSameRound(**analysis, file, servers, what);
}

/// What leaves the engine row by row: a classifier, points, a person's own statistic and its sums. The table has
/// the columns ill, age, cost and ward.
inline void ExpectSameRowsOut(const Policy& policy, const Session& file, const Sessions& servers) {
  std::vector<std::unique_ptr<Study>> studies;
  LearnOptions learn;
  learn.design.label = "ill";
  learn.design.positive = "true";
  learn.design.features = {"age", "cost", "ward"};
  auto classifier = Learn::Make(learn, policy);
  ASSERT_TRUE(classifier) << classifier.error().Text();
  studies.push_back(std::move(*classifier));
  points::PointsOptions places;
  places.columns = {"age", "cost"};
  auto points = points::MakePoints(places, policy);
  ASSERT_TRUE(points) << points.error().Text();
  studies.push_back(std::move(*points));
  OwnOptions options;
  options.name = "ages";
  options.values = {"age", "cost"};
  options.parts = {{.name = "both", .size = 2, .low = 0, .high = 200}};
  auto own = OwnStatistic::Make(
      options,
      [](std::span<const double> row, Contribution& out) {
        out.Add(0, row[0]);
        out.Add(1, row[1] / 7);
      },
      policy);
  ASSERT_TRUE(own) << own.error().Text();
  const auto sums = FoldRows(file, (*own)->fold(), {});
  ASSERT_TRUE(sums) << sums.error().Text();
  for (const Session* server : servers) {
    const auto there = FoldRows(*server, (*own)->fold(), {});
    ASSERT_TRUE(there) << there.error().Text();
    EXPECT_EQ(*there, *sums);
  }
  studies.push_back(std::move(*own));
  for (const auto& study : studies) {
    const std::vector<PlainUnits> shares(study->Weights().size(), *PlainUnits::Floor(0.5));
    const auto outline = study->Outline(shares);
    ASSERT_TRUE(outline) << outline.error().Text();
    if (outline->statement.empty()) continue;
    const auto rows = ScanOn(file, outline->statement);
    EXPECT_FALSE(rows.empty());
    for (const Session* server : servers) EXPECT_EQ(ScanOn(*server, outline->statement), rows) << study->Normalised();
  }
}

/// Three steps of a stream over the column step.
inline void ExpectSameSteps(Policy policy, const Session& file, const Sessions& servers) {
  policy.stream = Stream{.time = "step", .type = ColumnType::kInteger, .start = 0, .step = 3, .window = 2};
  const auto steps = StepQuestion::Make("SELECT ward, count(*), sum(age) FROM t GROUP BY ward", policy);
  ASSERT_TRUE(steps) << steps.error().Text();
  for (const std::int64_t tick : {0, 1, 3}) {
    const Plan plan = steps->At(tick);
    const auto here = RunOn(file, plan.statement);
    EXPECT_FALSE(here.empty());
    for (const Session* server : servers) EXPECT_EQ(RunOn(*server, plan.statement), here) << tick;
  }
}

}  // namespace kith::testing
