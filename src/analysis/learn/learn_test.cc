// Classifiers without a real engine: what is asked of rows, what a price buys, what is held out, bad input.
#include "analysis/learn/learn.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/learn/report.h"
#include "base/json.h"
#include "tests/support/policies.h"
#include "tests/support/stat.h"
#include "tests/support/unbooked_study.h"

namespace kith {
namespace {

Policy PolicyOf(const std::string& unit, const std::string& more = "") {
  return testing::MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\n" + unit +
      "\n[columns.t]\nage = { lower = 20, upper = 60 }\nheight = { type = \"real\", lower = 0, upper = 2 }\n"
      "free = { type = \"real\" }\nname = { type = \"text\" }\nsex = { values = [\"f\", \"m\"] }\n"
      "town = { values = [\"A\", \"B\", \"it's C\"] }\nward = { values = [\"x\", \"y\", \"z\"], required = true }\n"
      "rich = { values = [\"no\", \"yes\"] }\nlevel = { values = [1, 2, 3] }\nonly = { values = [\"one\"] }\n"
      "born = { type = \"date\", values = [2001-02-03, 2002-02-03, 2003-02-03] }\n" +
      more + "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n");
}

const Policy& People() {
  static const Policy policy = PolicyOf("row = true\npresence = \"secret\"");
  return policy;
}

LearnOptions OptionsOf(std::vector<std::string> features, const std::string& label = "rich",
                       const std::string& positive = "") {
  LearnOptions options;
  options.design.label = label;
  options.design.positive = positive;
  options.design.features = std::move(features);
  return options;
}

/// Hands over rows that a test invented.
class MadeUp final : public Session {
 public:
  explicit MadeUp(std::vector<std::vector<std::int64_t>> columns) : columns_(std::move(columns)) {}
  const sql::Dialect& dialect() const override { return sql::DuckDb(); }
  std::optional<std::string> version() const override { return std::nullopt; }
  bool Current() const override { return true; }
  Result<IntegerTable> RunText(const std::string&, const CancelFlag&) const override {
    return InternalError("not asked");
  }
  Result<void> ScanText(const std::string&, const IntegerSink& sink, const CancelFlag&) const override {
    std::vector<std::span<const std::int64_t>> spans(columns_.begin(), columns_.end());
    return sink(spans);
  }

 private:
  std::vector<std::vector<std::int64_t>> columns_;
};

TEST(Learn, WhatIsSaidOfBarsIsNoNarrowerThanTheyAre) {
  const auto learn = Learn::Make(OptionsOf({"age", "town"}), People()).value();
  const learn::Design& design = learn->design();
  const auto terms =
      learn::TermsFor(PlainUnits::Floor(1).value(), design.shape, learn::Loss::kLogistic, 1, std::nullopt).value();
  learn::WeightBars bars;
  bars.each.assign(design.shape.weights(), 0.1204);
  bars.all.assign(design.shape.weights(), 0.2);
  bars.each.front() = 1.01;
  bars.all.front() = 1.02;
  const std::string said = learn::NotesOf(design, terms, bars).back().text;
  EXPECT_NE(said.find("±0.13 to 1.1)"), std::string::npos) << said;
  EXPECT_NE(said.find("within 1.7 times as much"), std::string::npos) << said;  // 0.2 / 0.1204 = 1.66, not the first's
}

TEST(Learn, ARowBecomesFeaturesOfSizeOne) {
  const auto learn = Learn::Make(OptionsOf({"age", "height", "sex", "town", "ward", "born"}), People()).value();
  const learn::Design& design = learn->design();
  EXPECT_EQ(design.shape.weights(), 1u + 1 + 1 + 4 + 3 + 4);  // NULL is a category where it is possible
  ASSERT_EQ(design.rows.values.size(), 7u);
  std::vector<std::int16_t> values;
  for (const bool top : {false, true}) {
    std::vector<std::int64_t> row = {1};
    for (std::size_t k = 1; k < 7; ++k)
      row.push_back(static_cast<std::int64_t>(top ? design.rows.values[k].high : design.rows.values[k].low));
    design.Encode(row, values);
    const std::int16_t one = top ? 16384 : -16384;
    EXPECT_EQ(values, (std::vector<std::int16_t>{one, one, one, static_cast<std::int16_t>(top ? 3 : 0),
                                                 static_cast<std::int16_t>(top ? 2 : 0),
                                                 static_cast<std::int16_t>(top ? 3 : 0)}));
    learn::Examples(design.shape).Add(values, true);
  }
  EXPECT_EQ(design.features[0].lower, 20);
  EXPECT_EQ(design.features[0].upper, 60);
  EXPECT_EQ(design.NameOf(5), (std::pair<std::string, Value>{"town", Value(std::string("it's C"))}));
  EXPECT_EQ(design.NameOf(6), (std::pair<std::string, Value>{"town", Value(Null{})}));
  const auto plain = Learn::Make(OptionsOf({"age"}), People()).value();
  EXPECT_EQ(plain->design().shape.weights(), 2u);  // a constant, since there are no categories
}

TEST(Learn, FeaturesCanBeNumbersMadeOfColumns) {
  const auto learn =
      Learn::Make(OptionsOf({"age * age", "CASE WHEN height > 1.8 THEN 1 ELSE 0 END"}), People()).value();
  EXPECT_EQ(learn->design().features[0].lower, 400);
  EXPECT_EQ(learn->design().features[0].upper, 3600);
  EXPECT_EQ(learn->design().features[1].upper, 1);
}

TEST(Learn, RefusesWhatItCannotLearnFrom) {
  const auto error = [](const LearnOptions& options) { return Learn::Make(options, People()).error().Text(); };
  EXPECT_NE(error(OptionsOf({"free"})).find("has no bounds"), std::string::npos);
  EXPECT_NE(error(OptionsOf({"name"})).find("not a number"), std::string::npos);
  EXPECT_NE(error(OptionsOf({"only"})).find("one value only"), std::string::npos);
  EXPECT_NE(error(OptionsOf({"age", "age"})).find("twice"), std::string::npos);
  EXPECT_NE(error(OptionsOf({})).find("1 to 64 features"), std::string::npos);
  EXPECT_NE(error(OptionsOf({"rich"})).find("among the features"), std::string::npos);
  EXPECT_NE(error(OptionsOf({"nothing"})).find("nothing"), std::string::npos);
  EXPECT_NE(error(OptionsOf({"sex"}, "age")).find("two declared values"), std::string::npos);
  EXPECT_NE(error(OptionsOf({"age"}, "gone")).find("no column gone"), std::string::npos);
  EXPECT_NE(error(OptionsOf({"age"}, "level")).find("such as 1"), std::string::npos);
  EXPECT_NE(error(OptionsOf({"age"}, "level", "4")).find("not a declared value"), std::string::npos);
  EXPECT_TRUE(Learn::Make(OptionsOf({"age"}, "level", "3"), People()));
  LearnOptions options = OptionsOf({"age"});
  for (const double part : {-0.1, 0.95, std::nan("")}) {
    options.holdout = part;
    EXPECT_NE(error(options).find("hold out"), std::string::npos);
  }
  const Policy open =
      PolicyOf("key = \"id\"\nmax_rows = 1\npresence = \"public\"",
               "id = { type = \"integer\", public = true }\na = { values = [\"1\", \"2\"], public = true "
               "}\nb = { values = [\"1\", \"2\"], public = true }\n");
  EXPECT_EQ(Learn::Make(OptionsOf({"a"}, "b"), open).error().code, Code::kUnsupportedQuery);
}

learn::Shape Mixed() {
  learn::Shape shape;
  shape.AddNumber();
  shape.AddCategories(8);
  return shape;
}

TEST(LearnTerms, SharesAddUpToThePriceAtMost) {
  for (const double epsilon : {0.001, 0.9, 20.0}) {
    for (const std::int64_t max_rows : {1, 3, 1000}) {
      for (const auto loss : {learn::Loss::kLogistic, learn::Loss::kHinge}) {
        const PlainUnits price = PlainUnits::Floor(epsilon).value();
        const auto terms = learn::TermsFor(price, Mixed(), loss, max_rows, std::nullopt).value();
        EXPECT_LE(terms.push_share.count() + terms.curvature_share.count() + terms.finish_share.count(), price.count());
        const auto m = static_cast<long double>(max_rows);
        long double noise = 0;
        for (const auto& push : terms.pushes) noise += 2 * m / (push.scale() * std::ldexp(1.0L, terms.push_exponent));
        EXPECT_LE(noise, terms.push_share.epsilon() * (1 + 1e-12L));
        EXPECT_GT(noise, terms.push_share.epsilon() * 0.999L);
        const long double curvature =
            m * std::log1p(2 * learn::CurvatureOf(loss) / static_cast<long double>(terms.pull));
        EXPECT_LE(curvature, terms.curvature_share.epsilon());
        // What the solver may leave is hidden by noise that hardly shows.
        const double radius = (terms.slack + std::ldexp(3.0, terms.push_exponent)) / terms.pull;
        EXPECT_GE(std::ldexp(static_cast<double>(terms.finish.change().l1().steps()), terms.step_exponent), 6 * radius);
        EXPECT_LT(std::ldexp(terms.finish.scale(), terms.step_exponent), 0.01);
      }
    }
  }
}

TEST(LearnTerms, AChosenPullTakesItsShareOrIsRefused) {
  const PlainUnits price = PlainUnits::Floor(1).value();
  const auto terms = learn::TermsFor(price, Mixed(), learn::Loss::kLogistic, 1, 10.0).value();
  EXPECT_EQ(terms.pull, 10);
  EXPECT_NEAR(terms.curvature_share.epsilon(), std::log1p(0.05), 1e-9);
  EXPECT_GE(terms.curvature_share.epsilon(), std::log1p(0.05));
  for (const double pull : {0.0, -1.0, 0.1, 1e13, std::nan("")})
    EXPECT_EQ(learn::TermsFor(price, Mixed(), learn::Loss::kHinge, 1, pull).error().code, Code::kInvalidArgument);
  EXPECT_FALSE(learn::TermsFor(PlainUnits::Of(5), Mixed(), learn::Loss::kHinge, 1, std::nullopt));
  EXPECT_FALSE(
      learn::TermsFor(PlainUnits::Of(1000), Mixed(), learn::Loss::kHinge, std::int64_t{1} << 30, std::nullopt));
}

Findings RunOn(const Learn& learn, const Session& engine, double epsilon, std::uint64_t seed) {
  stat::SeededBits bits(seed);
  const CancelFlag never;
  const std::vector<PlainUnits> shares = {PlainUnits::Floor(epsilon).value()};
  return testing::RunOn(learn, engine, shares, bits, never).value();
}

TEST(Learn, FindsWhatMattersAndSaysHowGoodItIs) {
  LearnOptions options = OptionsOf({"age", "sex"});
  options.holdout = 0.25;
  const auto learn = Learn::Make(options, People()).value();
  std::vector<std::vector<std::int64_t>> columns(3);
  for (std::int64_t i = 0; i < 4000; ++i) {
    columns[0].push_back(i % 2);
    columns[1].push_back(i % 2 == 0 ? -15 + i % 7 : 12 - i % 5);  // age - 40: informative
    columns[2].push_back(i % 3 - 1);                              // sex: not informative
  }
  const Findings found = RunOn(*learn, MadeUp(columns), 5, stat::SeedForThisTest());
  ASSERT_EQ(found.rows.size(), 3u);
  EXPECT_GT(std::get<double>(found.rows[0][2]), 1);
  EXPECT_LT(std::abs(std::get<double>(found.rows[1][2])), 0.5);
  const auto& details = *found.details;
  EXPECT_EQ(details["positive"], "yes");
  EXPECT_GT(details["held_out"]["accuracy"][1].get<double>(), 0.95);
  const double tried =
      details["held_out"]["says_no_is_no"].get<double>() + details["held_out"]["says_yes_is_yes"].get<double>();
  EXPECT_NEAR(tried, 1000, 200);
}

TEST(Learn, RowsOfAUnitAreHeldOutTogether_LEARN4) {
  const Policy policy = PolicyOf("key = \"id\"\nmax_rows = 2\npresence = \"secret\"", "id = { type = \"integer\" }\n");
  LearnOptions options = OptionsOf({"age"});
  options.holdout = 0.5;
  const auto learn = Learn::Make(options, policy).value();
  const auto outline = learn->Outline(std::vector{PlainUnits::Floor(1).value()});
  EXPECT_NE(sql::DuckDb().Write(outline->statement).find("dense_rank"), std::string::npos);
  std::vector<std::vector<std::int64_t>> columns(3);
  for (std::int64_t i = 0; i < 400; ++i) {
    columns[0].push_back(i / 200);
    columns[1].push_back(i / 200 * 20 - 10);
    columns[2].push_back((i * 7) % 200);  // every unit has one row on either side of the middle
  }
  // At this price the counts are exact except with probability exp(-100): as many rows of one label as of the other.
  const Json details = *RunOn(*learn, MadeUp(columns), 400, stat::SeedForThisTest()).details;
  const auto& held = details["held_out"];
  const double no = held["says_no_is_no"].get<double>() + held["says_yes_is_no"].get<double>();
  const double yes = held["says_no_is_yes"].get<double>() + held["says_yes_is_yes"].get<double>();
  EXPECT_EQ(no, yes);
  EXPECT_GT(no, 40);
  EXPECT_LT(no, 160);
}

TEST(Learn, AnswersForNoRowsOneRowAndOneSide) {
  LearnOptions options = OptionsOf({"age"});
  options.holdout = 0.2;
  const auto learn = Learn::Make(options, People()).value();
  for (const std::size_t rows : {0u, 1u, 50u}) {
    const std::vector<std::vector<std::int64_t>> columns = {std::vector<std::int64_t>(rows, 1),
                                                            std::vector<std::int64_t>(rows, 3)};
    const Findings found = RunOn(*learn, MadeUp(columns), 0.5, stat::SeedForThisTest());
    EXPECT_EQ(found.rows.size(), 2u);
    if (rows < 2) {
      EXPECT_NE(found.notes.back().text.find("too few rows"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace kith
