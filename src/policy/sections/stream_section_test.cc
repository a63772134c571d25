// [stream]: what is read, what is refused and why.
#include <gtest/gtest.h>

#include "policy/policy.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

using testing::MakePolicy;

std::string Lobby(const std::string& stream = "time = \"seen\"\nstep = \"1 hour\"\nwindow = 24\n",
                  const std::string& dependence = "kind = \"independent\"\n",
                  const std::string& seen = "{ type = \"timestamp\" }",
                  const std::string& unit = "key = \"badge\"\nmax_rows = 1\n") {
  return "[data]\ntables.lobby = \"lobby.csv\"\n[unit]\ntable = \"lobby\"\n" + unit +
         "presence = \"secret\"\n[columns.lobby]\nseen = " + seen +
         "\nfloor = { values = [\"1\", \"2\"] }\n[dependence]\nsource = \"public\"\n" + dependence + "[stream]\n" +
         stream + "[budget]\nepsilon = 1\nledger = \"lobby.ledger\"\n";
}

TEST(StreamSection, ReadsTimesOfEveryType) {
  const Policy hours = MakePolicy(Lobby());
  ASSERT_TRUE(hours.stream);
  EXPECT_EQ(hours.stream->step, 3'600'000'000);
  EXPECT_EQ(hours.stream->window, 24);
  EXPECT_EQ(hours.CountedSteps(), 24);
  EXPECT_EQ(hours.stream->StepText(25), "1970-01-02 01:00:00");
  const Policy days = MakePolicy(Lobby("time = \"seen\"\nstep = \"2 weeks\"\nwindow = 3\nstart = \"2026-01-05\"\n",
                                       "kind = \"independent\"\n", "{ type = \"date\" }"));
  EXPECT_EQ(days.stream->step, 14);
  EXPECT_EQ(days.stream->StepText(1), "2026-01-19");
  const Policy numbers = MakePolicy(Lobby("time = \"seen\"\nstep = 10\nwindow = 3\nstart = -5\n",
                                          "kind = \"independent\"\n", "{ type = \"integer\" }"));
  EXPECT_EQ(numbers.stream->StepText(2), "15");
  EXPECT_EQ(MakePolicy(Lobby("time = \"seen\"\nstep = \"90 seconds\"\nwindow = 3\nstart = 2026-01-05 08:00:00\n"))
                .stream->StepText(2),
            "2026-01-05 08:03:00");
}

TEST(StreamSection, AChainIsAboutOneStepAtATime) {
  const std::string chain = "kind = \"chain\"\ntransition = [[0.8, 0.2], [0.3, 0.7]]\nstart = [0.6, 0.4]\n";
  EXPECT_EQ(
      MakePolicy(Lobby("time = \"seen\"\nstep = \"1 hour\"\nwindow = 24\n", chain + "length = 24\n")).CountedSteps(),
      1);
}

TEST(StreamSection, IsPartOfWhatMayNotChange) {
  const std::string before = MakePolicy(Lobby()).identity_fingerprint();
  for (const char* changed :
       {"time = \"seen\"\nstep = \"1 hour\"\nwindow = 23\n", "time = \"seen\"\nstep = \"2 hours\"\nwindow = 24\n",
        "time = \"seen\"\nstep = \"1 hour\"\nwindow = 24\nstart = \"1970-01-02\"\n"}) {
    EXPECT_NE(MakePolicy(Lobby(changed)).identity_fingerprint(), before) << changed;
  }
  EXPECT_NE(MakePolicy(Lobby()).identity_words().find("stream: time seen"), std::string::npos);
}

struct Refusal {
  std::string text, what;
};

TEST(StreamSection, RefusesWithTheReason) {
  const std::string independent = "kind = \"independent\"\n",
                    good = "time = \"seen\"\nstep = \"1 hour\"\nwindow = 24\n";
  const std::vector<Refusal> all = {
      {Lobby("step = \"1 hour\"\nwindow = 24\n"), "'time'"},
      {Lobby("time = \"when\"\nstep = \"1 hour\"\nwindow = 24\n"), "is not declared"},
      {Lobby("time = \"floor\"\nstep = \"1 hour\"\nwindow = 24\n"), "cannot be a time"},
      {Lobby("time = \"seen\"\nwindow = 24\n"), "'step'"},
      {Lobby("time = \"seen\"\nstep = \"1 fortnight\"\nwindow = 24\n"), "not a length of time"},
      {Lobby("time = \"seen\"\nstep = \"0 hours\"\nwindow = 24\n"), "not a length of time"},
      {Lobby("time = \"seen\"\nstep = 1\nwindow = 24\n"), "step"},
      {Lobby("time = \"seen\"\nstep = \"1 hour\"\n"), "'window'"},
      {Lobby("time = \"seen\"\nstep = \"1 hour\"\nwindow = 0\n"), "window must lie"},
      {Lobby("time = \"seen\"\nstep = \"1 hour\"\nwindow = 24\nstart = \"soon\"\n"), "start is not a time"},
      {Lobby("time = \"seen\"\nstep = \"1 hour\"\nwindow = 2\ndelta = 3\n"), "delta"},
      {Lobby(good, independent, "{ type = \"date\" }"), "whole days"},
      {Lobby(good, independent, "{ type = \"timestamp\", public = true }"), "its type only"},
      {Lobby("time = \"seen\"\nstep = 1\nwindow = 2\n", independent, "{ type = \"integer\", lower = 0, upper = 9 }"),
       "its type only"},
      {Lobby(good, independent, "{ type = \"timestamp\" }", "row = true\n"), "present in one step only"},
      {Lobby(good, "kind = \"chain\"\ntransition = [[0.8, 0.2], [0.3, 0.7]]\nstart = [0.6, 0.4]\nlength = 10\n"),
       "must be the window"},
      {Lobby(good, "kind = \"joint\"\nvalues = [2, 2]\nlaw = [0.4, 0.1, 0.1, 0.4]\n"), "whole stay"},
      {Lobby(good, "kind = \"star\"\nneighbours = [[[0.8, 0.2], [0.2, 0.8]]]\n"), "whole stay"},
      {Lobby(good, "kind = \"lipschitz\"\ninfluence = [[0, 0.5], [0.2, 0]]\n"), "distance"},
  };
  for (const auto& [text, what] : all) {
    const auto policy = Policy::Parse(text, "policy.toml");
    ASSERT_FALSE(policy) << what;
    EXPECT_EQ(policy.error().code, Code::kInvalidArgument);
    EXPECT_NE(policy.error().what.find(what), std::string::npos) << policy.error().Text();
    EXPECT_FALSE(policy.error().next.empty()) << policy.error().Text();
  }
  for (const char* fine : {"kind = \"group\"\nsize = 3\nodds_ratio = 2\n", "kind = \"overlap\"\nsize = 4\neta = 0.01\n",
                           "kind = \"field\"\nnodes = 3\nedges = [[0, 1, 0.7], [1, 2, 0.7]]\n"}) {
    EXPECT_TRUE(Policy::Parse(Lobby(good, fine), "policy.toml")) << fine;
  }
}

}  // namespace
}  // namespace kith
