// Streams through the whole pipeline: charged before read, stored, resumed, never twice, never back, within every
// window.
#include "release/stream/stream.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "release/release.h"
#include "release/stream/follow.h"
#include "release/stream/stream_text.h"
#include "sql/dialect.h"

namespace kith {
namespace {

namespace fs = std::filesystem;
using stream::Sharing;

class StreamTest : public ::testing::Test {
 protected:
  StreamTest() : folder_(fs::temp_directory_path() / ("kith_stream_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream rows(folder_ / "t.csv");
    rows << "id,at,ward\n";
    for (int tick = 0; tick < 30; ++tick) {
      for (int i = 0; i < 40; ++i)
        rows << 100 * (tick / 3) + i << "," << tick << "," << (i % 2 == 0 ? "A" : "B") << "\n";
    }
    Write("kind = \"independent\"\n");
  }
  ~StreamTest() override { fs::remove_all(folder_); }

  void Write(const std::string& dependence, const std::string& presence = "secret", int window = 3,
             double epsilon = 90) {
    std::ofstream(folder_ / "policy.toml")
        << "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"" << presence
        << "\"\n[columns.t]\nat = { type = \"integer\" }\nward = { values = [\"A\", \"B\"], required = true }\n"
           "[dependence]\nsource = \"public\"\n"
        << dependence << "[stream]\ntime = \"at\"\nstep = 1\nwindow = " << window << "\n[budget]\nepsilon = " << epsilon
        << "\nledger = \"t.ledger\"\n";
  }

  Curator Open() const {
    EngineOptions options;
    options.threads = 1;
    auto curator = Curator::Open(folder_ / "policy.toml", options);
    EXPECT_TRUE(curator) << curator.error().Text();
    return std::move(*curator);
  }

  static StreamRequest Request(Sharing sharing, double epsilon = 90) {
    StreamRequest request;
    request.statistic = "SELECT count(*) AS n FROM t";
    request.epsilon = epsilon;
    request.sharing = sharing;
    for (std::int64_t t = 0; t < 30; ++t) request.asked.push_back(t);
    return request;
  }

  /// An open stream and whom it asks.
  struct Opened {
    const Curator& curator;
    std::shared_ptr<const StreamRelease> stream;

    const StreamGuarantee& guarantee() const { return stream->guarantee(); }
    Result<std::optional<std::int64_t>> LastStep() const { return curator.LastStep(*stream); }
    Result<Answer> Step(std::int64_t tick, const CancelFlag& cancel) const {
      return curator.Release(StepRequest{stream, tick}, {}, {}, cancel);
    }
  };
  static Result<Opened> Stream(const Curator& curator, const StreamRequest& request) {
    auto stream = curator.OpenStream(request);
    if (!stream) return stream.error();
    return Opened{curator, std::move(*stream)};
  }

  static double Number(const Answer& step) {
    return static_cast<double>(std::get<std::int64_t>(step.rows.at(0).at(0).value));
  }

  fs::path folder_;
  CancelFlag never_;
};

TEST_F(StreamTest, EveryRuleReleasesAndStaysWithinEveryWindow_STREAM1) {
  for (const Sharing rule : {Sharing::kUniform, Sharing::kHarmonic, Sharing::kSlack, Sharing::kRate, Sharing::kOffline,
                             Sharing::kDistribution, Sharing::kAbsorption}) {
    fs::remove(folder_ / "t.ledger");
    fs::remove_all(folder_ / ".kith");
    const Curator curator = Open();
    const auto release = Stream(curator, Request(rule));
    ASSERT_TRUE(release) << release.error().Text();
    int fresh = 0;
    for (std::int64_t tick = 0; tick < 12; ++tick) {
      const auto step = release->Step(tick, never_);
      ASSERT_TRUE(step) << step.error().Text();
      EXPECT_LE(step->step->window_spent.epsilon(), 90);
      if (step->step->state != StepState::kReleased) continue;
      ++fresh;
      EXPECT_NEAR(Number(*step), 40, 30) << stream::NameOf(rule);  // scales below 1: noise of 30 does not happen
    }
    EXPECT_GE(fresh, stream::IsAdaptive(rule) ? 1 : 12) << stream::NameOf(rule);
    EXPECT_EQ(release->LastStep().value(), 11);
    EXPECT_LE(curator.Budget().value().cells[0].plain_spent, 90);
  }
}

// DuckDB, until it is told to fail.
class FailingEngine final : public Engine {
 public:
  explicit FailingEngine(const bool& fails) : fails_(fails) {}
  const sql::Dialect& dialect() const override { return sql::DuckDb(); }
  Capabilities CapabilitiesFor(const Policy&) const override { return {}; }
  Result<std::unique_ptr<Session>> Open(const Policy& policy, const EngineOptions& options,
                                        const Call& call) const override {
    EngineOptions inner = options;
    inner.engine = nullptr;
    call.Tell("something about the data");
    auto session = OpenSession(policy, inner, call);
    if (!session) return session;
    return std::make_unique<Failing>(std::move(*session), fails_);
  }

 private:
  class Failing final : public Session {
   public:
    Failing(std::unique_ptr<Session> inner, const bool& fails) : inner_(std::move(inner)), fails_(fails) {}
    const sql::Dialect& dialect() const override { return inner_->dialect(); }
    std::optional<std::string> version() const override { return std::nullopt; }
    bool Current() const override { return inner_->Current(); }
    Result<IntegerTable> RunText(const std::string& sql, const CancelFlag& cancel) const override {
      if (fails_) return StorageError("the disk is gone");
      return inner_->RunText(sql, cancel);
    }
    Result<void> ScanText(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const override {
      return inner_->ScanText(sql, sink, cancel);
    }

   private:
    std::unique_ptr<Session> inner_;
    const bool& fails_;
  };
  const bool& fails_;
};

TEST_F(StreamTest, ALostStepSaysWhatItWasCharged) {
  for (const Sharing rule : {Sharing::kUniform, Sharing::kDistribution}) {
    fs::remove(folder_ / "t.ledger");
    fs::remove_all(folder_ / ".kith");
    bool fails = false;
    EngineOptions options;
    options.threads = 1;
    options.engine = std::make_shared<const FailingEngine>(fails);
    const auto curator = Curator::Open(folder_ / "policy.toml", options);
    ASSERT_TRUE(curator) << curator.error().Text();
    const auto release = Stream(*curator, Request(rule));
    ASSERT_TRUE(release) << release.error().Text();
    ASSERT_TRUE(release->Step(0, never_));
    const double before = curator->Budget().value().cells[0].plain_spent;
    fails = true;
    const auto failed = release->Step(1, never_);
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().Text().find("was charged before data were read"), std::string::npos);
    EXPECT_EQ(failed.error().charged, Charged::kYes);
    fails = false;
    const double charged = curator->Budget().value().cells[0].plain_spent - before;
    EXPECT_GT(charged, 0);
    const auto told = release->Step(1, never_);
    ASSERT_TRUE(told) << told.error().Text();
    EXPECT_EQ(told->step->state, StepState::kLost);
    EXPECT_TRUE(told->rows.empty());
    EXPECT_DOUBLE_EQ(told->certificate.plain_epsilon, charged) << stream::NameOf(rule);
  }
}

TEST_F(StreamTest, WhatAnEngineSaysWhileItOpensTheDataReachesNobody) {
  const bool fails = false;
  EngineOptions options;
  options.threads = 1;
  options.engine = std::make_shared<const FailingEngine>(fails);
  const auto curator = Curator::Open(folder_ / "policy.toml", options);
  ASSERT_TRUE(curator) << curator.error().Text();
  const auto release = Stream(*curator, Request(Sharing::kUniform));
  ASSERT_TRUE(release) << release.error().Text();
  std::vector<std::string> heard;
  Call call;
  call.notice = [&heard](const std::string& text) { heard.push_back(text); };
  ASSERT_TRUE(curator->Release(StepRequest{release->stream, 0}, {}, {}, call));
  ASSERT_EQ(heard.size(), 1U) << "that the data were read in";
  EXPECT_EQ(heard[0].find("something about"), std::string::npos);
}

TEST_F(StreamTest, GoesOnAfterARestartAndNeverChargesAStepTwice) {
  std::string first;
  for (int life = 0; life < 3; ++life) {
    const Curator curator = Open();
    const auto release = Stream(curator, Request(Sharing::kSlack)).value();
    for (std::int64_t tick = 0; tick <= 2 * life; ++tick) {
      const auto step = release.Step(tick, never_).value();
      EXPECT_EQ(step.stored, tick <= 2 * life - 2);
      if (tick == 0) {
        const std::string text = std::to_string(Number(step));
        if (life > 0) {
          EXPECT_EQ(text, first);
        }
        first = text;
      }
    }
    EXPECT_EQ(curator.Budget().value().history.size(), static_cast<std::size_t>(2 * life + 1));
  }
}

TEST_F(StreamTest, DoesNotGoBack) {
  const Curator curator = Open();
  const auto release = Stream(curator, Request(Sharing::kUniform)).value();
  ASSERT_TRUE(release.Step(5, never_));
  const auto back = release.Step(4, never_);
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().code, Code::kInvalidArgument);
  EXPECT_FALSE(release.Step(-1, never_));
  EXPECT_TRUE(release.Step(5, never_).value().stored);
}

TEST_F(StreamTest, StoppedBeforeTheChargeNothingHappens) {
  const Curator curator = Open();
  const auto release = Stream(curator, Request(Sharing::kUniform)).value();
  ASSERT_TRUE(release.Step(0, never_));
  CancelFlag cancelled;
  cancelled.Cancel();
  EXPECT_FALSE(release.Step(1, cancelled));
  EXPECT_EQ(curator.Budget().value().history.size(), 1U);
}

TEST_F(StreamTest, StreamsShareTheWindow) {
  const Curator curator = Open();
  const auto one = Stream(curator, Request(Sharing::kUniform, 60)).value();
  auto request = Request(Sharing::kUniform, 60);
  request.statistic = "SELECT ward, count(*) AS n FROM t GROUP BY ward";
  const auto two = Stream(curator, request).value();
  for (std::int64_t tick = 0; tick < 6; ++tick) {
    EXPECT_EQ(one.Step(tick, never_).value().step->state, StepState::kReleased);
    const auto step = two.Step(tick, never_).value();  // 60 + 60 is more than 90: what is left is less than it wants
    EXPECT_LE(step.step->window_spent.epsilon(), 90);
    EXPECT_EQ(step.rows.size(), step.step->state == StepState::kReleased ? 2U : 0U);
  }
  EXPECT_LE(curator.Budget().value().cells[0].plain_spent, 90);
}

// Noise a hundred times as large as wanted is useless: the step is skipped and charged nothing.
TEST_F(StreamTest, AStepThatWouldGetNextToNothingIsSkipped) {
  const Curator curator = Open();
  const auto greedy = Stream(curator, Request(Sharing::kUniform, 89.99999)).value();
  auto request = Request(Sharing::kUniform, 60);
  request.statistic = "SELECT count(*) AS m FROM t";
  const auto late = Stream(curator, request).value();
  for (std::int64_t tick = 0; tick < 3; ++tick) ASSERT_TRUE(greedy.Step(tick, never_));
  const auto step = late.Step(2, never_).value();
  EXPECT_EQ(step.step->state, StepState::kSkipped);
  EXPECT_EQ(step.step->charged.count(), 0);
  EXPECT_TRUE(step.rows.empty());
  EXPECT_EQ(late.Step(3, never_).value().step->state, StepState::kReleased) << "a window with more room";
}

// Where far more steps ask than the rate says, each gets the same part of what is left: at last one unit of loss.
TEST_F(StreamTest, AStepOfAFullWindowIsSkippedAndNotReleasedAsNoise) {
  Write("kind = \"independent\"\n", "secret", 30);
  const Curator curator = Open();
  auto request = Request(Sharing::kRate);
  request.rate = 0.05;
  const auto stream = Stream(curator, request).value();
  const std::int64_t even = stream.stream->terms().units().count() / 30;
  int released = 0, skipped = 0;
  for (std::int64_t tick = 0; tick < 30; ++tick) {
    const auto step = stream.Step(tick, never_).value();
    if (step.step->state == StepState::kSkipped) {
      EXPECT_EQ(step.step->charged.count(), 0);
      EXPECT_TRUE(step.rows.empty());
      ++skipped;
      continue;
    }
    EXPECT_GE(step.step->charged.count(), even / 100) << tick;
    ++released;
  }
  EXPECT_GT(released, 3);
  EXPECT_GT(skipped, 3);
}

TEST_F(StreamTest, AnExplanationShowsTheBarsOfAStep) {
  const Curator curator = Open();
  const auto stream = Stream(curator, Request(Sharing::kUniform, 3)).value();  // 1 for each of three steps
  const auto& notes = stream.guarantee().notes;
  const auto bars =
      std::find_if(notes.begin(), notes.end(), [](const Note& n) { return n.kind == NoteKind::kAccuracy; });
  ASSERT_NE(bars, notes.end());
  EXPECT_NE(bars->text.find("count(*) ±3"), std::string::npos) << bars->text;
}

TEST_F(StreamTest, AStepTakesNoPriceAndNoPolicyWithoutAStream) {
  const Curator curator = Open();
  const auto stream = curator.OpenStream(Request(Sharing::kUniform)).value();
  const Price price{1.0, std::nullopt, {}};
  EXPECT_EQ(curator.Release(StepRequest{stream, 0}, price).error().parameter, "price");
  EXPECT_EQ(curator.Release(StepRequest{nullptr, 0}).error().code, Code::kInvalidArgument);
  EXPECT_EQ(curator.Release(AnalysisRequest{}, price).error().code, Code::kInvalidArgument);
  EXPECT_EQ(curator.Release(StudyRequest{}, price).error().code, Code::kInvalidArgument);
  const auto explained = curator.Explain(StepRequest{stream, 4});
  ASSERT_TRUE(explained) << explained.error().Text();
  EXPECT_NE(explained->sql.find(">= 4"), std::string::npos) << explained->sql;
  EXPECT_FALSE(fs::exists(folder_ / "t.ledger"));
}

TEST_F(StreamTest, AStreamBelongsToThePolicyItWasOpenedUnder) {
  const auto stream = Open().OpenStream(Request(Sharing::kUniform)).value();
  Write("kind = \"group\"\nsize = 3\n");
  const Curator other = Open();
  const auto step = other.Release(StepRequest{stream, 0});
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().code, Code::kInvalidArgument) << step.error().Text();
  EXPECT_TRUE(other.Budget()->history.empty());
}

TEST_F(StreamTest, StepsThatAreNamedGoToWhoeverTakesThem) {
  const Curator curator = Open();
  const auto stream = curator.OpenStream(Request(Sharing::kUniform)).value();
  CancelFlag cancel;
  std::vector<std::int64_t> taken;
  const TakeStep take = [&](const Answer& step) -> Result<void> {
    taken.push_back(step.step->tick);
    if (taken.size() == 2) cancel.Cancel();
    return {};
  };
  EXPECT_EQ(ReleaseSteps(curator, stream, {0, 1, 2, 3}, take, {}, cancel).value(), StreamEnd::kStopped);
  EXPECT_EQ(taken, (std::vector<std::int64_t>{0, 1})) << "stopped between two steps";
  EXPECT_EQ(ReleaseSteps(curator, stream, {0, 1, 2, 3}, take, {}, {}).value(), StreamEnd::kDone);
  EXPECT_EQ(taken, (std::vector<std::int64_t>{0, 1, 0, 1, 2, 3})) << "and goes on: what was released is told again";
  const TakeStep refuse = [](const Answer&) -> Result<void> { return StorageError("full"); };
  EXPECT_EQ(ReleaseSteps(curator, stream, {4}, refuse, {}, {}).error().what, "full");
  EXPECT_EQ(FollowStream(curator, stream, {}, take, {}, {}).error().code, Code::kInvalidArgument) << "no clock";
}

// A step of the far future that is charged would close the stream for everybody: nothing before it may ever be asked.
TEST_F(StreamTest, StepsThatAreNotOverAreRefusedBeforeAnyIsCharged) {
  struct Clock {
    const char *type, *rules;
    std::vector<std::vector<std::int64_t>> refused;
  };
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Clock clocks[] = {
      // 2,600,000,000 hours in microseconds are more than 64 bits hold: they would wrap around to the past.
      {"timestamp",
       "step = \"1 hour\"\nstart = \"2026-01-01\"\n",
       {{69'898'607, 2'600'000'000}, {69'898'607}, {0, 1, 69'898'607}, {0, 2'600'000'000}, {0, most}, {most}, {0, -1}}},
      {"date",
       "step = \"1 day\"\nstart = \"2026-01-01\"\n",
       {{2'000'000, 110'000'000}, {0, 110'000'000}, {2'000'000}, {most}}}};
  for (const Clock& clock : clocks) {
    fs::remove(folder_ / "t.ledger");
    fs::remove_all(folder_ / ".kith");
    std::ofstream(folder_ / "c.csv") << "id,at\n1,2026-01-01\n2,2026-01-02\n";
    std::ofstream(folder_ / "policy.toml")
        << "[data]\ntables.t = \"c.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"secret\"\n"
           "[columns.t]\nat = { type = \""
        << clock.type << "\" }\n[dependence]\nsource = \"public\"\nkind = \"independent\"\n[stream]\ntime = \"at\"\n"
        << clock.rules << "window = 3\n[budget]\nepsilon = 9\nledger = \"t.ledger\"\n";
    const Curator curator = Open();
    StreamRequest request = Request(Sharing::kUniform, 1);
    const auto stream = curator.OpenStream(request);
    ASSERT_TRUE(stream) << stream.error().Text();
    int taken = 0;
    const TakeStep take = [&](const Answer&) -> Result<void> {
      ++taken;
      return {};
    };
    for (const auto& ticks : clock.refused) {
      const auto end = ReleaseSteps(curator, *stream, ticks, take, {}, {});
      ASSERT_FALSE(end) << clock.type << " " << ticks.back();
      EXPECT_EQ(end.error().parameter, "steps") << end.error().Text();
    }
    FollowOptions beyond;
    beyond.from = most;
    EXPECT_EQ(FollowStream(curator, *stream, beyond, take, {}, {}).error().parameter, "steps");
    EXPECT_EQ(taken, 0);
    EXPECT_TRUE(curator.Budget()->history.empty()) << "nothing was charged";
    EXPECT_EQ(ReleaseSteps(curator, *stream, {0, 1}, take, {}, {}).value(), StreamEnd::kDone);
    EXPECT_EQ(taken, 2);
  }
}

TEST_F(StreamTest, OrdinaryQuestionsAreRefused) {
  const Curator curator = Open();
  Price price;
  price.epsilon = 1;
  const auto answer = curator.Release(QuestionRequest{"SELECT count(*) FROM t"}, price, {}, never_);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kUnsupportedQuery);
  EXPECT_FALSE(curator.Explain(QuestionRequest{"SELECT count(*) FROM t"}, price));
  EXPECT_FALSE(fs::exists(folder_ / "t.ledger"));
}

// Units that depend on each other: the whole stay is the record, and the group of three pays for each of its members.
TEST_F(StreamTest, GroupsOfUnitsPayForEachOther_STREAM7) {
  Write("kind = \"group\"\nsize = 3\n");
  const Curator curator = Open();
  const auto release = Stream(curator, Request(Sharing::kUniform)).value();
  EXPECT_NEAR(release.guarantee().plain, 30, 1e-6);
  EXPECT_NEAR(release.guarantee().dependent, 90, 1e-6);
  EXPECT_NEAR(release.guarantee().longer[0].dependent, 180, 1e-6);
  EXPECT_FALSE(release.guarantee().single_states);
  for (std::int64_t tick = 0; tick < 6; ++tick)
    EXPECT_LE(release.Step(tick, never_).value().step->window_spent.epsilon(), 30);
}

// One unit's states at consecutive steps: every step has the same limit, above a window's share and below the whole.
TEST_F(StreamTest, AChainLimitsEveryStep_STREAM8) {
  Write("kind = \"chain\"\ntransition = [[0.8, 0.2], [0.3, 0.7]]\nstart = [0.6, 0.4]\nlength = 24\n", "public", 24);
  const Curator curator = Open();
  auto request = Request(Sharing::kUniform);
  request.statistic = "SELECT count(*) AS n FROM t WHERE ward = 'A'";
  const auto release = Stream(curator, request);
  ASSERT_TRUE(release) << release.error().Text();
  const auto& g = release->guarantee();
  EXPECT_TRUE(g.single_states);
  EXPECT_GT(g.plain_step, 90.0 / 24);
  EXPECT_LT(g.plain_step, 90);
  EXPECT_LE(g.dependent, 90);
  EXPECT_GE(g.longer[0].dependent, g.dependent - 1e-9);
  for (std::int64_t tick = 0; tick < 4; ++tick)
    EXPECT_LE(release->Step(tick, never_).value().step->window_spent.epsilon(), g.plain_step);
  EXPECT_FALSE(Stream(curator, Request(Sharing::kSlack))) << "nothing to shift";
  request.statistic = "SELECT count(*) AS n FROM t WHERE at > 3";
  EXPECT_FALSE(Stream(curator, request)) << "the tables say nothing about times";
}

// The guarantee is about all that is in the ledger, not only about the present policy.
TEST_F(StreamTest, ALowerBudgetDoesNotUndoWhatWasReleased_STREAM1) {
  for (const std::string kind : {"kind = \"independent\"\n", "kind = \"group\"\nsize = 3\n"}) {
    const double members = kind.find("group") == std::string::npos ? 1 : 3;
    fs::remove(folder_ / "t.ledger");
    fs::remove_all(folder_ / ".kith");
    Write(kind, "secret", 3, 9 * members);
    {
      const Curator curator = Open();
      const auto release = Stream(curator, Request(Sharing::kUniform, 9 * members)).value();
      EXPECT_FALSE(release.guarantee().exceeded);
      for (std::int64_t tick = 0; tick < 3; ++tick) ASSERT_TRUE(release.Step(tick, never_));
    }
    Write(kind, "secret", 3, 0.3 * members);
    const Curator curator = Open();
    const auto release = Stream(curator, Request(Sharing::kUniform, 0.3 * members)).value();
    const auto& g = release.guarantee();
    EXPECT_NEAR(g.plain, 9, 1e-6);
    EXPECT_NEAR(g.plain_step, 9, 1e-6);
    EXPECT_NEAR(g.dependent, 9 * members, 1e-5);
    EXPECT_NEAR(g.longer[0].plain, 18, 1e-6);
    EXPECT_NEAR(g.longer[0].dependent, 18 * members, 1e-5);
    EXPECT_NEAR(g.allowed, 0.3, 1e-6);
    EXPECT_TRUE(g.exceeded);
    ASSERT_FALSE(g.notes.empty());
    EXPECT_NE(g.notes.back().text.find("more than this policy now allows"), std::string::npos) << g.notes.back().text;
    EXPECT_EQ(release.Step(4, never_).value().step->charged.count(), 0) << "in a window that is beyond its limit";
    for (std::int64_t tick = 10; tick < 13; ++tick)
      EXPECT_LE(release.Step(tick, never_).value().step->window_spent.epsilon(), 0.3);
    EXPECT_NEAR(curator.Budget().value().cells[0].plain_spent, 9, 1e-6) << "the account says the same";
  }
}

// A chain limits single steps, so whole windows may hold more than a policy without one allows; and the other way
// round.
TEST_F(StreamTest, AnotherDependenceDoesNotUndoWhatWasReleased_STREAM8) {
  const std::string chain = "kind = \"chain\"\ntransition = [[0.8, 0.2], [0.3, 0.7]]\nstart = [0.6, 0.4]\nlength = 3\n";
  const std::string independent = "kind = \"independent\"\n";
  auto request = Request(Sharing::kUniform, 9);
  request.statistic = "SELECT count(*) AS n FROM t WHERE ward = 'A'";
  Write(chain, "public", 3, 9);
  double step = 0;
  {
    const Curator curator = Open();
    const auto release = Stream(curator, request).value();
    step = release.guarantee().plain_step;
    ASSERT_GT(step, 3.1);
    EXPECT_FALSE(release.guarantee().exceeded);
    for (std::int64_t tick = 0; tick < 3; ++tick) ASSERT_TRUE(release.Step(tick, never_));
  }
  Write(independent, "public", 3, 9);
  {
    const Curator curator = Open();
    const auto release = Stream(curator, request).value();
    EXPECT_TRUE(release.guarantee().exceeded);
    EXPECT_NEAR(release.guarantee().plain, 3 * step, 1e-6);
    EXPECT_NEAR(release.guarantee().dependent, 3 * step, 1e-6);
    // One window's whole budget on a single step: more than a chain allows.
    request.sharing = Sharing::kOffline;
    request.asked = {20};
    ASSERT_NEAR(Stream(curator, request)->Step(20, never_)->step->charged.epsilon(), 9, 1e-3);
  }
  Write(chain, "public", 3, 9);
  const Curator curator = Open();
  request.sharing = Sharing::kUniform;
  const auto release = Stream(curator, request).value();
  const auto& g = release.guarantee();
  EXPECT_TRUE(g.exceeded);
  EXPECT_NEAR(g.allowed, step, 1e-6);
  EXPECT_NEAR(g.plain_step, 9, 1e-3);
  EXPECT_NEAR(g.plain, 27, 1e-2);
  EXPECT_GT(g.dependent, 9);
  EXPECT_GE(g.longer[0].dependent, g.dependent - 1e-9);
}

TEST(StreamText, ListsOfSteps) {
  const auto list = [](const std::string& text) { return StepListOf(text).value(); };
  EXPECT_EQ(list("0..3"), (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(list("1,5..9:2,12"), (std::vector<std::int64_t>{1, 5, 7, 9, 12}));
  for (const char* text : {"0..3", "1,5..9:2,12", "7", "3,5,6"})
    EXPECT_EQ(list(StepListText(list(text))), list(text)) << text;
  for (const char* bad : {"", "a", "3..1", "5,5", "1..", "0..9:0", "-1", "1;2"}) EXPECT_FALSE(StepListOf(bad)) << bad;
  EXPECT_EQ(list("0..9223372036854775807:9223372036854775807"),
            (std::vector<std::int64_t>{0, std::numeric_limits<std::int64_t>::max()}));
}

TEST(StreamText, ListsHaveAMostThatIsLookedAtFirst) {
  EXPECT_EQ(StepListOf("0..95,97", 97)->size(), 97u);
  for (const char* many : {"0..97", "0..96,98", "0..9223372036854775807", "0..96:1,9223372036854775806"}) {
    const auto list = StepListOf(many, 97);
    ASSERT_FALSE(list) << many;
    EXPECT_EQ(list.error().what, "the list names more than 97 steps") << many;
    EXPECT_EQ(list.error().parameter, "steps");
  }
  EXPECT_FALSE(StepListOf("0..10000000"));
}

TEST(StreamText, StepsComeBackAsTheyWere) {
  StepNumbers numbers;
  numbers.state = StepState::kRepeated;
  numbers.noisy = {{-(Int128{1} << 100), 7}, {0, Int128{1} << 90}};
  numbers.shares = {PlainUnits::Of(5), PlainUnits::Of(0)};
  numbers.charged = PlainUnits::Of(9);
  const auto back = StepFromText(StepToText(numbers)).value();
  EXPECT_EQ(back.state, numbers.state);
  EXPECT_TRUE(back.noisy == numbers.noisy);
  EXPECT_EQ(back.shares, numbers.shares);
  EXPECT_EQ(back.charged, numbers.charged);
  EXPECT_FALSE(StepFromText("{}"));
}

}  // namespace
}  // namespace kith
