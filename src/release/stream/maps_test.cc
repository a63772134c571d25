// A map at every step through the whole pipeline: what it costs, what its certificate says about tracks, and what is
// refused.
#include "release/stream/maps.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "release/release.h"
#include "release/stream/step_study.h"
#include "release/stream/stream.h"

namespace kith {
namespace {

namespace fs = std::filesystem;
using stream::Sharing;

// Sixty people who walk to the right, a tenth of the region in a step; at step 2 everybody is seen twice.
class MapStreams : public ::testing::Test {
 protected:
  MapStreams() {
    std::string name = (fs::temp_directory_path() / "kith-maps-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    std::ofstream rows(folder_ / "t.csv");
    rows << "id,at,x,y,ward\n";
    for (int tick = 0; tick < 6; ++tick) {
      for (int i = 0; i < 60; ++i) {
        const double x = 0.1 + 0.1 * tick + 0.001 * i, y = i % 3 == 0 ? 0.2 : 0.7;
        for (const double apart : tick == 2 ? std::vector<double>{-0.05, 0.05} : std::vector<double>{0})
          rows << i << "," << tick << "," << x + apart << "," << y << "," << (i % 2 == 0 ? "A" : "B") << "\n";
      }
    }
    Write("presence = \"public\"\ndistance = { columns = [\"x\", \"y\"], metric = \"euclidean\", delta = 0.1 }");
  }
  ~MapStreams() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void Write(const std::string& unit, const std::string& kind = "kind = \"independent\"") const {
    std::ofstream(folder_ / "policy.toml")
        << "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\n"
        << unit << "\n[columns.t]\nat = { type = \"integer\" }\n"
        << "x = { type = \"real\", lower = 0, upper = 1, required = true }\n"
        << "y = { type = \"real\", lower = 0, upper = 1, required = true }\n"
        << "ward = { values = [\"A\", \"B\"], public = true, required = true }\n[dependence]\nsource = \"public\"\n"
        << kind << "\n[stream]\ntime = \"at\"\nstep = 1\nwindow = 3\n[budget]\nepsilon = 3000\nledger = \"t.ledger\"\n";
  }
  Curator Open() const {
    EngineOptions options;
    options.threads = 1;
    auto curator = Curator::Open(folder_ / "policy.toml", options);
    EXPECT_TRUE(curator) << curator.error().Text();
    return std::move(*curator);
  }
  static StreamRequest Request(const std::string& statistic, double epsilon = 3000) {
    StreamRequest request;
    request.statistic = statistic;
    request.epsilon = epsilon;
    for (std::int64_t t = 0; t < 6; ++t) request.asked.push_back(t);
    return request;
  }
  static Result<Answer> Step(const Curator& curator, const std::shared_ptr<const StreamRelease>& stream,
                             std::int64_t tick) {
    return curator.Release(StepRequest{stream, tick}, {}, {}, CancelFlag());
  }
  /// How many points are in the areas with x below `limit`.
  static double Left(const Answer& step, double limit) {
    double sum = 0;
    for (const auto& row : step.rows) {
      if (std::get<double>(row.at(1).value) <= limit) sum += std::get<double>(row.back().value);
    }
    return sum;
  }

  fs::path folder_;
};

TEST_F(MapStreams, EveryStepHasItsOwnMapAndCostsItsShare_STREAM9) {
  const Curator curator = Open();
  const auto stream = curator.OpenStream(Request("MAP OF x, y BY hat ON 8 CELLS"));
  ASSERT_TRUE(stream) << stream.error().Text();
  EXPECT_EQ((*stream)->columns(), (std::vector<std::string>{"x from", "x to", "y from", "y to", "points"}));
  for (std::int64_t tick = 0; tick < 6; ++tick) {
    const auto step = Step(curator, *stream, tick);
    ASSERT_TRUE(step) << step.error().Text();
    ASSERT_EQ(step->step->state, StepState::kReleased);
    EXPECT_NEAR(step->step->charged.epsilon(), 1000, 1);
    EXPECT_LE(step->step->window_spent.epsilon(), 3000);
    EXPECT_EQ(step->rows.size(), 64U);
    EXPECT_NEAR(Left(*step, 1), 60, 1) << "each person once, whatever the number of rows";
    // Hats spread a point over the nodes next to it: far from the line between them nothing is on the wrong side.
    if (tick == 0 || tick == 5) {
      EXPECT_NEAR(Left(*step, 0.375), tick == 0 ? 60 : 0, 3);
    }
    EXPECT_FALSE(step->details.empty());
  }
  const auto again = Step(curator, *stream, 4);
  ASSERT_TRUE(again) << again.error().Text();
  EXPECT_TRUE(again->stored);
  EXPECT_EQ(again->rows.size(), 64U);
  EXPECT_FALSE(again->details.empty());
}

TEST_F(MapStreams, TheCertificateSpeaksOfTracks_STREAM9) {
  const Curator curator = Open();
  const auto stream = curator.OpenStream(Request("MAP OF x, y", 300));
  ASSERT_TRUE(stream) << stream.error().Text();
  const StreamGuarantee& g = (*stream)->guarantee();
  EXPECT_NE(
      g.neighbours.find("move one unit by at most 0.1 (Euclidean distance of x, y) at each of at most 3 consecutive "
                        "steps"),
      std::string::npos)
      << g.neighbours;
  EXPECT_NE(g.neighbours.find("at which steps it is present is public"), std::string::npos);
  EXPECT_NE(g.moves.find("at most 0.1 apart at every step of a stay: at most 3000"), std::string::npos) << g.moves;
  EXPECT_NE(g.moves.find("15 x 3000 = 45000"), std::string::npos) << g.moves;  // 1.415 across, in moves of 0.1
  EXPECT_EQ(g.standard, 45000);
  EXPECT_NEAR(g.plain_stream, 300, 1e-6);
  EXPECT_NEAR(g.plain_own_step, 100, 1e-6);
  EXPECT_TRUE(std::find(g.claims.begin(), g.claims.end(), "STREAM-9") != g.claims.end());
  EXPECT_TRUE(std::find(g.claims.begin(), g.claims.end(), "PLAN-1") == g.claims.end());
}

TEST_F(MapStreams, SecretPresenceNeedsSourcesAndSaysWhatAWholeStayLoses) {
  Write(
      "presence = \"secret\"\ndistance = { columns = [\"x\", \"y\"], metric = \"euclidean\", delta = 0.1, sources = "
      "[[0, 0.5]] }");
  const Curator curator = Open();
  const auto stream = curator.OpenStream(Request("MAP OF x, y ON 8 CELLS"));
  ASSERT_TRUE(stream) << stream.error().Text();
  EXPECT_NE(
      (*stream)->guarantee().neighbours.find("or, at any of these steps, it appears or goes within 0.1 of a source"),
      std::string::npos);
  EXPECT_NE((*stream)->guarantee().moves.find("present or absent, for a whole stay: 12 x 3000"), std::string::npos)
      << (*stream)->guarantee().moves;
  const auto step = Step(curator, *stream, 1);
  ASSERT_TRUE(step) << step.error().Text();
  EXPECT_NEAR(Left(*step, 1), 60, 5);
}

TEST_F(MapStreams, MapsAlsoWorkWithoutADistanceAndOnALine) {
  Write("presence = \"secret\"");
  {
    const Curator curator = Open();
    const auto stream = curator.OpenStream(Request("map of x, y by equi-width on 4 cells where ward = 'A'"));
    ASSERT_TRUE(stream) << stream.error().Text();
    EXPECT_TRUE((*stream)->guarantee().moves.empty());
    const auto step = Step(curator, *stream, 3);
    ASSERT_TRUE(step) << step.error().Text();
    EXPECT_NEAR(Left(*step, 1), 30, 2);
  }
  Write("presence = \"public\"\ndistance = { columns = [\"x\"], metric = \"l1\", delta = 0.1 }");
  fs::remove(folder_ / "t.ledger");
  fs::remove_all(folder_ / ".kith");
  const Curator curator = Open();
  const auto stream = curator.OpenStream(Request("MAP OF x"));
  ASSERT_TRUE(stream) << stream.error().Text();
  const auto step = Step(curator, *stream, 0);
  ASSERT_TRUE(step) << step.error().Text();
  EXPECT_NEAR(Left(*step, 1), 60, 1);
  // Nobody is there at step 50: that is public, and still an empty map.
  const auto nobody = Step(curator, *stream, 50);
  ASSERT_TRUE(nobody) << nobody.error().Text();
  EXPECT_NEAR(Left(*nobody, 1), 0, 1);
}

TEST_F(MapStreams, MapsShareTheWindowWithOtherStreams) {
  const Curator curator = Open();
  const auto first = curator.OpenStream(Request("MAP OF x, y BY hat ON 4 CELLS", 2000));
  ASSERT_TRUE(first);
  for (std::int64_t tick = 0; tick < 6; ++tick) ASSERT_TRUE(Step(curator, *first, tick));
  const auto second = curator.OpenStream(Request("MAP OF x, y BY hat ON 8 CELLS", 3000));
  ASSERT_TRUE(second) << second.error().Text();
  const auto note = [](const StreamGuarantee& g) {
    return std::any_of(g.notes.begin(), g.notes.end(), [](const Note& n) {
      return n.text.find("of 6 steps that are asked for 0 will be skipped") != std::string::npos;
    });
  };
  EXPECT_TRUE(note((*second)->guarantee()));
  for (std::int64_t tick = 0; tick < 6; ++tick) {
    const auto step = Step(curator, *second, tick);
    ASSERT_TRUE(step) << step.error().Text();
    EXPECT_LE(step->step->window_spent.epsilon(), 3000);
  }
  const auto third = curator.OpenStream(Request("MAP OF x, y BY hat ON 2 CELLS", 3000));
  ASSERT_FALSE(third) << "nothing is left for any of its steps";
  EXPECT_EQ(third.error().code, Code::kBudgetExhausted);
}

TEST_F(MapStreams, RefusesWithTheReason) {
  const Curator curator = Open();
  const auto refused = [&](const std::string& statistic, const std::string& why, Sharing sharing = Sharing::kUniform) {
    auto request = Request(statistic);
    request.sharing = sharing;
    const auto stream = curator.OpenStream(request);
    EXPECT_FALSE(stream) << statistic;
    if (!stream) {
      EXPECT_NE(stream.error().Text().find(why), std::string::npos) << stream.error().Text();
    }
  };
  refused("MAP OF x, y", "bd and ba", Sharing::kAbsorption);
  refused("MAP OF", "names of one or two columns");
  refused("MAP OF x, y BY quantiles", "not a method of maps");
  refused("MAP OF x, y ON 7 CELLS", "power of two");
  refused("MAP OF x, y ON many CELLS", "cells cannot be read");
  refused("MAP OF x, y AT noon", "cannot be read");
  refused("MAP OF x", "other columns");
  refused("MAP OF x, y WHERE at > 3", "lets a point appear and disappear");
}

TEST_F(MapStreams, MapsNeedRowsWhichMayHaveToStayInTheEngine) {
  std::ifstream in(folder_ / "policy.toml");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::ofstream(folder_ / "policy.toml") << "[data]\nrows_out = false\n" << text.substr(text.find("tables.t"));
  const Curator curator = Open();
  const auto maps = curator.OpenStream(Request("MAP OF x, y"));
  ASSERT_FALSE(maps);
  EXPECT_NE(maps.error().Text().find("rows_out"), std::string::npos) << maps.error().Text();
  EXPECT_TRUE(curator.OpenStream(Request("SELECT sum(x) AS s FROM t"))) << "sums may leave it";
}

TEST(MapsText, IsReadBack) {
  points::PointsOptions options;
  options.columns = {"lon", "a \"b\", c"};
  options.method = points::Method::kEquiWidth;
  options.cells = 32;
  options.where = "ward = 'A, B'";
  const auto read = MapsIn(MapsText(options));
  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->options.columns, options.columns);
  EXPECT_EQ((*read)->options.method, options.method);
  EXPECT_EQ((*read)->options.cells, 32U);
  EXPECT_NE((*read)->options.where.find("ward = 'A, B'"), std::string::npos);
  EXPECT_FALSE(MapsIn("SELECT count(*) FROM map").value());
}

}  // namespace
}  // namespace kith
