// Every kind of analysis against a server: what needs rows to leave it says so beforehand, and is refused where they
// must stay.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "analysis/check/check.h"
#include "analysis/degrees/degrees.h"
#include "analysis/identity/identity.h"
#include "analysis/kmeans/kmeans.h"
#include "analysis/learn/learn.h"
#include "analysis/own/own.h"
#include "analysis/points/study.h"
#include "release/allowed.h"
#include "release/release.h"

namespace kith::testing {

/// The columns of the table t that all of them are about; units are its rows by id, one each, and everybody knows which
/// rows there are.
inline constexpr char kAnalysedColumns[] =
    "id = { type = \"integer\" }\npal = { type = \"integer\" }\nage = { type = \"integer\", lower = 0, upper = 100 }\n"
    "cost = { type = \"real\", lower = 0, upper = 10 }\nill = { values = [\"no\", \"yes\"] }\n";
inline constexpr char kAnalysedUnit[] = "key = \"id\"\nmax_rows = 1\npresence = \"public\"";
/// Each of its rows with its parts separated by commas.
inline std::vector<std::string> AnalysedLines(const std::string& quote) {
  std::vector<std::string> lines;
  for (int i = 1; i <= 40; ++i)
    lines.push_back(fmt::format("{},{},{},{}.5,{}{}{}", i, i * 7 % 40 + 1, i * 13 % 101, i % 10, quote,
                                i % 3 == 0 ? "yes" : "no", quote));
  return lines;
}
/// For VALUES.
inline std::string AnalysedRows() { return fmt::format("({})", fmt::join(AnalysedLines("'"), "), (")); }

struct Analysed {
  std::string name;
  Request request;
  bool leaves = false;
};

inline std::vector<Analysed> Everything(const Policy& policy) {
  std::vector<Analysed> all = {
      {"count", QuestionRequest{"SELECT ill, count(*) FROM t GROUP BY ill"}},
      {"quantile", QuestionRequest{"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM t"}}};
  const auto add = [&](const std::string& name, auto made, bool leaves, auto as) {
    EXPECT_TRUE(made) << name << ": " << (made ? "" : made.error().Text());
    if (made) all.push_back({name, decltype(as){std::move(*made)}, leaves});
  };
  KmeansOptions means;
  means.columns = {"age", "cost"};
  means.clusters = 2;
  add("kmeans", Kmeans::Make(means, policy), false, AnalysisRequest{});
  DegreesOptions degrees;
  degrees.ends = {"id", "pal"};
  degrees.max_degree = 1;
  add("degrees", Degrees::Make(degrees, policy), true, AnalysisRequest{});
  add("identity", Identity::Make({.columns = {"age"}, .first = 1, .last = 40}, policy), true, AnalysisRequest{});
  LearnOptions learn;
  learn.design.label = "ill";
  learn.design.positive = "yes";
  learn.design.features = {"age", "cost"};
  add("learn", Learn::Make(learn, policy), true, StudyRequest{});
  points::PointsOptions places;
  places.columns = {"age", "cost"};
  add("points", points::MakePoints(places, policy), true, StudyRequest{});
  OwnOptions own;
  own.name = "ages";
  own.values = {"age"};
  own.parts = {{.name = "sum", .size = 1, .low = 0, .high = 100}};
  add("own",
      OwnStatistic::Make(
          own, [](std::span<const double> row, Contribution& out) { out.Add(0, row[0]); }, policy),
      true, StudyRequest{});
  return all;
}

/// `text`: a policy of the table, which keeps nothing in its engine.
inline void ExpectRowsLeaveAsSaid(const std::string& text, const std::filesystem::path& file) {
  Price price;
  price.epsilon = 0.5;
  double spent = 0;
  for (const bool stay : {false, true}) {
    std::string written = text;
    if (stay) written.replace(written.find("tables.t"), 0, "rows_out = false\n");
    std::ofstream(file) << written;
    const auto curator = Curator::Open(file, {});
    ASSERT_TRUE(curator) << curator.error().Text();
    for (const Analysed& one : Everything(curator->policy())) {
      SCOPED_TRACE(one.name);
      const auto explained = curator->Explain(one.request, price);
      const auto answer = curator->Release(one.request, price);
      if (stay && one.leaves) {
        ASSERT_FALSE(explained);
        ASSERT_FALSE(answer);
        EXPECT_EQ(explained.error().where, "[data] rows_out") << explained.error().Text();
        EXPECT_EQ(answer.error().where, "[data] rows_out") << answer.error().Text();
        continue;
      }
      ASSERT_TRUE(explained) << explained.error().Text();
      ASSERT_TRUE(answer) << answer.error().Text();
      bool said = false;
      for (const Note& note : explained->plan.notes) said = said || note.text == kRowsLeave;
      EXPECT_EQ(said, one.leaves);
    }
    const double now = curator->Budget()->cells.at(0).plain_spent;
    if (!stay) spent = now;
    EXPECT_EQ(now, spent) << "what is refused is not charged, and the rest is stored";
  }
}

}  // namespace kith::testing
