// The table of routes, bodies, and jobs; the server itself is driven by tests/e2e/test_server.py.
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>

#include "document/codes.h"
#include "server/api.h"
#include "server/body.h"
#include "server/jobs.h"
#include "server/model_in.h"
#include "server/routes.h"

namespace kith::server {
namespace {

TEST(Routes, AreFoundByMethodAndPathByteByByte) {
  const Match match = Find("POST", "/v1/datasets/people/explain");
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.route->name, "explain");
  EXPECT_EQ(match.values, std::vector<std::string>{"people"});
  EXPECT_EQ(Find("GET", "/v1/datasets/people/explain").route, nullptr);
  EXPECT_EQ(Find("GET", "/v1/datasets/people/explain").allowed, std::vector<std::string_view>{"POST"});
  for (const char* path : {"", "v1/health", "/", "/v1/health/", "//v1/health", "/v1/./health", "/v1/datasets/",
                           "/v1/Health", "/v1/datasets//budget", "/v1/%68ealth", "/v1/datasets/a/b/budget"}) {
    const Match none = Find("GET", path);
    EXPECT_EQ(none.route, nullptr) << path;
    EXPECT_TRUE(none.allowed.empty()) << path;
  }
}

TEST(Routes, AreNamedOnceAndEverythingAboutDataNeedsARole) {
  std::set<std::string_view> names;
  for (const Route& route : Routes()) {
    EXPECT_TRUE(names.insert(route.name).second) << route.name;
    const bool works = route.work > Work::kQuick && route.name != "log_in";  // which is slow on purpose
    const bool about_data = route.pattern.find("{") != std::string_view::npos || works;
    EXPECT_TRUE(!about_data || route.roles != kNobody) << route.name;
    EXPECT_EQ(route.roles & (route.work == Work::kReads ? unsigned{kAuditor | kOperator} : 0u), 0u) << route.name;
    EXPECT_EQ(route.method == "POST" && route.name != "import", !route.takes.empty()) << route.name;
  }
}

TEST(Routes, ReadValuesOfQueries) {
  EXPECT_EQ(ValueIn("after=3&limit=10", "limit"), "10");
  EXPECT_EQ(ValueIn("after=3&limit=10", "after"), "3");
  EXPECT_EQ(ValueIn("limits=10", "limit"), std::nullopt);
  EXPECT_EQ(ValueIn("", "limit"), std::nullopt);
  EXPECT_EQ(ValueIn("&&limit", "limit"), std::nullopt);
}

TEST(Routes, AnswerHeadWhereTheyAnswerGet) {
  for (const Route& route : Routes()) {
    if (route.method != "GET") continue;
    std::string path(route.pattern);
    for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{'))
      path.replace(at, path.find('}') - at + 1, "x");
    EXPECT_EQ(Find("HEAD", path).route, Find("GET", path).route) << path;
  }
  EXPECT_EQ(Find("HEAD", "/v1/datasets/people/explain").route, nullptr);
  EXPECT_EQ(Find("POST", "/v1/health").allowed, (std::vector<std::string_view>{"GET", "HEAD"}));
}

// What is refused before a route is known, and whatever error a route ends with.
TEST(Routes, ListTheStatusesOfTheTable) {
  for (const Route& route : Routes()) {
    for (const int status : {400, 403, 408, 413, 414, 421, 431, 500, 503, 505})
      EXPECT_TRUE(Gives(route, status)) << route.name << " " << status;
    EXPECT_TRUE(Gives(route, 200) || Gives(route, 202)) << route.name;
    EXPECT_EQ(Gives(route, 415), !route.takes.empty()) << route.name;
    EXPECT_TRUE(route.roles == kNobody || (Gives(route, 401) && Gives(route, 429))) << route.name;
    for (const Code code : {Code::kUnsupportedQuery, Code::kCancelled})
      EXPECT_TRUE(route.work <= Work::kQuick || Gives(route, document::HttpStatusOf(code)) || route.name == "log_in")
          << route.name;
    for (const int status : {201, 204, 304, 402, 405, 409, 418, 502}) EXPECT_FALSE(Gives(route, status)) << route.name;
  }
  EXPECT_FALSE(Gives(*Find("GET", "/v1/health").route, 401));
}

TEST(Models, OfRequestsAreLimitedWhereEachRecordTakesMemory) {
  const auto taken = [](const std::string& text) { return ModelIn(Json::parse(text)).has_value(); };
  const auto chain = [](const char* length) {
    return std::string(R"({"kind":"chain","transition":[[0.8,0.2],[0.3,0.7]],"start":[0.6,0.4],"length":)") + length +
           "}";
  };
  EXPECT_TRUE(taken(chain("1000")));
  EXPECT_FALSE(taken(chain("100000000")));
  const auto star = [](const char* neighbours) {
    return std::string(R"({"kind":"star","distance":{"axes":[[0,1,2,3],[0,1,2,3]],"b":0.196,"c":1.05},"neighbours":)") +
           neighbours + "}";
  };
  EXPECT_TRUE(taken(star("100")));
  EXPECT_FALSE(taken(star("100000")));
}

TEST(Addresses, OfClientsComeFromProxiesThatAreNamed) {
  const std::vector<std::string> none, own = {"127.0.0.1"}, two = {"127.0.0.1", "192.0.2.9"};
  EXPECT_EQ(ClientOf("203.0.113.5", "198.51.100.7", own), "203.0.113.5") << "not a proxy";
  EXPECT_EQ(ClientOf("127.0.0.1", "198.51.100.7", none), "127.0.0.1") << "nobody named it";
  EXPECT_EQ(ClientOf("127.0.0.1", "198.51.100.7", own), "198.51.100.7");
  EXPECT_EQ(ClientOf("::ffff:127.0.0.1", " 198.51.100.7 ", own), "198.51.100.7");
  EXPECT_EQ(ClientOf("127.0.0.1", "8.8.8.8, 198.51.100.7", own), "198.51.100.7") << "what the client wrote comes first";
  EXPECT_EQ(ClientOf("127.0.0.1", "8.8.8.8, 198.51.100.7, 192.0.2.9", two), "198.51.100.7");
  EXPECT_EQ(ClientOf("127.0.0.1", "2001:DB8::1", own), "2001:db8::1");
  for (const char* nothing : {"", "unknown", "198.51.100.7, ", "198.51.100.7:80", "127.0.0.1", "127.0.0.1, 127.0.0.1"})
    EXPECT_EQ(ClientOf("127.0.0.1", nothing, own), "127.0.0.1") << nothing;
}

TEST(Addresses, AreReadWithTheirPort) {
  EXPECT_EQ(HostAndPort("127.0.0.1:8400")->second, 8400);
  EXPECT_EQ(HostAndPort("[::1]:1")->first, "::1");
  for (const char* bad : {"", ":80", "host", "host:", "host:99999", "host:-1", "host:8x"})
    EXPECT_FALSE(HostAndPort(bad)) << bad;
  for (const char* own : {"localhost", "127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"})
    EXPECT_TRUE(IsLoopback(own)) << own;
  for (const char* other : {"0.0.0.0", "::", "10.0.0.1", "127.evil.example", "localhost.evil.example", "", "127.0.0.1.",
                            "127.1", "127..", "127"})
    EXPECT_FALSE(IsLoopback(other)) << other;
}

TEST(Bodies, AreReadStrictly) {
  for (const char* bad : {"", "[]", "7", "{", "{\"a\":\"\xff\"}"}) EXPECT_FALSE(ObjectIn(bad)) << bad;
  EXPECT_FALSE(ObjectIn(R"({"a":1,"b":2,"a":3})")) << "two readers would take different ones";
  EXPECT_FALSE(ObjectIn(R"({"a":{"b":2,"b":2}})"));
  EXPECT_FALSE(ObjectIn("{\"a\":" + std::string(50, '[') + std::string(50, ']') + "}"));
  EXPECT_FALSE(ObjectIn(std::string(500'000, '[')));
  const auto body = ObjectIn(R"({"text":"t","number":0.5,"list":[1,2],"count":3})");
  ASSERT_TRUE(body);
  std::string text, other = "stays";
  std::optional<double> number;
  std::vector<double> list;
  std::size_t count = 0;
  EXPECT_TRUE(Fields(*body)
                  .Must("text", text)
                  .May("number", number)
                  .May("list", list)
                  .May("count", count)
                  .May("other", other)
                  .Finish());
  EXPECT_EQ(text, "t");
  EXPECT_EQ(number, 0.5);
  EXPECT_EQ(list.size(), 2u);
  EXPECT_EQ(other, "stays");
  EXPECT_FALSE(Fields(*body).Must("text", text).Finish());  // fields that nobody asked for
  EXPECT_FALSE(Fields(*body).Must("text", count).May("number", number).May("list", list).May("count", count).Finish());
  const auto negative = ObjectIn(R"({"count":-1})");
  EXPECT_FALSE(Fields(*negative).Must("count", count).Finish());
}

// Until it is true, for at most ten seconds.
template <class Condition>
bool Soon(Condition condition) {
  for (int k = 0; k < 1000; ++k) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(Jobs, BelongToTheirOwnerAndTellOfStagesAlone) {
  Jobs jobs({});
  std::atomic<bool> go = false;
  const auto id = jobs.Begin("ann", "people", "kmeans", [&go](const Call& call) {
    const Stage stage(call, "asking");
    while (!go && !call.cancel.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return JobResult{200, "{}", {}};
  });
  ASSERT_TRUE(id);
  EXPECT_EQ(id->size(), 32u);
  EXPECT_TRUE(Soon([&] { return jobs.Find("ann", *id)->stage == "asking"; }));
  EXPECT_EQ(jobs.Find("ann", *id)->state, "running");
  EXPECT_FALSE(jobs.Find("bob", *id));
  EXPECT_FALSE(jobs.Cancel("bob", *id));
  EXPECT_TRUE(jobs.Of("bob").empty());
  EXPECT_EQ(jobs.unfinished(), 1u);
  go = true;
  EXPECT_TRUE(Soon([&] { return jobs.Find("ann", *id)->state == "done"; }));
  EXPECT_EQ(jobs.Find("ann", *id)->stage, "");
}

// What ends within a tick, or is stopped within one, looks the same until the tick is over.
TEST(Jobs, ChangeAtWholeTicksAlone) {
  constexpr std::chrono::milliseconds kTick(400);
  Jobs jobs({});
  const auto began = std::chrono::steady_clock::now();
  std::atomic<bool> over = false, told = false;
  const auto quick = jobs.Begin(
      "ann", "d", "w",
      [&over](const Call& call) {
        { const Stage stage(call, "asking"); }
        const Stage stage(call, "telling");
        over = true;
        return JobResult{200, "{}", {}};
      },
      kTick);
  const auto stopped = jobs.Begin(
      "ann", "d", "w",
      [&told](const Call& call) {
        while (!call.cancel.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        told = true;
        return JobResult{499, "{}", Code::kCancelled};
      },
      kTick);
  ASSERT_TRUE(quick && stopped);
  EXPECT_TRUE(Soon([&] { return over.load() && jobs.Find("ann", *stopped)->state == "running"; }));
  EXPECT_TRUE(jobs.Cancel("ann", *stopped));
  const auto view = jobs.Find("ann", *quick);
  const bool told_now = told;
  if (std::chrono::steady_clock::now() - began < kTick / 2) {  // a busy machine may have taken longer
    EXPECT_EQ(view->state, "running");
    EXPECT_EQ(view->stage, "");
    EXPECT_FALSE(told_now);
  }
  EXPECT_TRUE(Soon([&] { return jobs.unfinished() == 0; }));
  EXPECT_GE(std::chrono::steady_clock::now() - began, kTick);
  EXPECT_EQ(jobs.Find("ann", *quick)->state, "done");
  EXPECT_EQ(jobs.Find("ann", *stopped)->state, "cancelled");
}

TEST(Jobs, OutliveWorkThatThrows) {
  Jobs jobs({});
  const auto thrown = jobs.Begin("ann", "d", "w", [](const Call&) -> JobResult { throw std::bad_alloc(); });
  ASSERT_TRUE(thrown);
  EXPECT_TRUE(Soon([&] { return jobs.Find("ann", *thrown)->state == "failed"; }));
  EXPECT_EQ(jobs.Find("ann", *thrown)->result->status, 503);
  const auto next = jobs.Begin("ann", "d", "w", [](const Call&) { return JobResult{200, "{}", {}}; });
  EXPECT_TRUE(Soon([&] { return jobs.Find("ann", *next)->state == "done"; }));
}

TEST(Jobs, KeepAsManyBytesOfResultsAsAnOwnerMayHave) {
  Jobs::Limits limits;
  limits.threads = 1;
  limits.bytes_of_owner = 25;
  Jobs jobs(limits);
  const auto ended = [&](const std::string& owner, std::size_t bytes) {
    const auto id = jobs.Begin(owner, "d", "w", [bytes](const Call&) {
      return JobResult{200, std::string(bytes, 'x'), {}};
    });
    EXPECT_TRUE(id && Soon([&] { return jobs.Find(owner, *id)->ended(); }));
    return *id;
  };
  const std::string others = ended("bob", 20), first = ended("ann", 10), second = ended("ann", 10);
  EXPECT_EQ(jobs.Find("ann", first)->result->document, std::string(10, 'x'));
  const std::string third = ended("ann", 10);
  EXPECT_EQ(jobs.Find("ann", first)->state, "failed");
  EXPECT_EQ(jobs.Find("ann", first)->result->status, 410);
  EXPECT_NE(jobs.Find("ann", first)->result->document.find("no longer kept"), std::string::npos);
  EXPECT_EQ(jobs.Find("ann", second)->state, "done");
  const std::string large = ended("ann", 1000);
  for (const std::string& id : {second, third}) EXPECT_EQ(jobs.Find("ann", id)->result->status, 410);
  EXPECT_EQ(jobs.Find("ann", large)->result->document.size(), 1000u) << "the newest is always there";
  EXPECT_EQ(jobs.Of("ann").size(), 4u);
  EXPECT_EQ(jobs.Find("bob", others)->state, "done");
}

TEST(Jobs, AreSeenWithoutACopyOfTheirResult) {
  Jobs jobs({});
  const auto id = jobs.Begin("ann", "d", "w", [](const Call&) { return JobResult{200, "{}", {}}; });
  ASSERT_TRUE(id && Soon([&] { return jobs.Find("ann", *id)->ended(); }));
  EXPECT_EQ(jobs.Find("ann", *id)->result.get(), jobs.Of("ann").front().result.get());
}

TEST(Errors, NameNoPlacesOfTheServer) {
  EXPECT_EQ(WithoutPlaces(InvalidArgument("x", "/home/ada/study/model.json: edges")).where, "model.json: edges");
  EXPECT_EQ(WithoutPlaces(InvalidArgument("x", "policy:3")).where, "policy:3");
  EXPECT_EQ(WithoutPlaces(StorageError("x", "/home/ada/t.ledger")).where, "");
  EXPECT_EQ(WithoutPlaces(StorageError("x", "/home/ada/t.ledger"), true).where, "");
  const Error down = StorageError("x", "host=db.local port=5433 database=health", "check host and port");
  EXPECT_EQ(WithoutPlaces(down).where, "");
  EXPECT_EQ(WithoutPlaces(down).next, "tell whoever runs the server");
  EXPECT_EQ(WithoutPlaces(down, true).where, down.where) << "a curator may know";
  EXPECT_EQ(WithoutPlaces(InvalidArgument("x", "http://trino.local:8080")).where, "");
  EXPECT_EQ(WithoutPlaces(InvalidArgument("x", "http://trino.local:8080"), true).where, "http://trino.local:8080");
  const HttpResponse failed = Failure(down);
  EXPECT_EQ(failed.body.find("db.local"), std::string::npos);
  EXPECT_NE(failed.for_curators.find("db.local"), std::string::npos);
  EXPECT_EQ(Failure(StorageError("x", "/home/ada/t.ledger")).for_curators, "");
}

TEST(Routes, WhatMakesAnAnalysisTakesATurn) {
  for (const char* path : {"/v1/datasets/people/analyses", "/v1/datasets/people/analyses/explain"})
    EXPECT_EQ(Find("POST", path).route->work, Work::kLong) << path;
}

TEST(Jobs, OfOneOwnerDoNotPushOutThoseOfOthers) {
  Jobs::Limits limits;
  limits.kept_of_owner = 2;
  Jobs jobs(limits);
  const auto done = [](const Call&) { return JobResult{200, "{}", {}}; };
  const auto hers = jobs.Begin("ann", "d", "w", done);
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(jobs.Begin("bob", "d", "w", done));
    EXPECT_TRUE(Soon([&] { return jobs.unfinished() == 0; }));
  }
  EXPECT_EQ(jobs.Of("bob").size(), 2u);
  EXPECT_TRUE(jobs.Find("ann", *hers));
}

TEST(Jobs, AreLimitedStoppedAndForgotten) {
  Jobs::Limits limits;
  limits.threads = 1;
  limits.of_owner = 2;
  limits.kept = 3;
  Jobs jobs(limits);
  const auto until_stopped = [](const Call& call) {
    while (!call.cancel.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return JobResult{499, "{}", Code::kCancelled};
  };
  const auto first = jobs.Begin("ann", "d", "w", until_stopped), second = jobs.Begin("ann", "d", "w", until_stopped);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(jobs.Begin("ann", "d", "w", until_stopped));
  EXPECT_TRUE(jobs.Begin("bob", "d", "w", until_stopped));  // others are not held up by her
  EXPECT_TRUE(jobs.Cancel("ann", *first));
  EXPECT_TRUE(jobs.Cancel("ann", *second));
  EXPECT_TRUE(Soon([&] { return jobs.Find("ann", *second)->state == "cancelled"; }));
  for (const auto& job : jobs.Of("bob")) EXPECT_TRUE(jobs.Cancel("bob", job.id));
  for (int k = 0; k < 3; ++k) {
    const auto next = jobs.Begin("ann", "d", "w", until_stopped);
    ASSERT_TRUE(next);
    EXPECT_TRUE(jobs.Cancel("ann", *next));
    EXPECT_TRUE(Soon([&] { return jobs.unfinished() == 0; }));
  }
  EXPECT_FALSE(jobs.Find("ann", *first));  // the oldest one that has ended
}

}  // namespace
}  // namespace kith::server
