#include "probe/collect.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "probe/http.h"
#include "probe/parse.h"
#include "probe/process.h"

namespace kith::probe {
namespace {

const CancelFlag kNever;

TEST(ProbeParse, WordsOfACommand) {
  EXPECT_EQ(*Words("a  'b c' \"d 'e\" f\\ g ''"), (std::vector<std::string>{"a", "b c", "d 'e", "f g", ""}));
  EXPECT_FALSE(Words("a 'b"));
  EXPECT_FALSE(Words("  "));
}

TEST(ProbeParse, NumbersInText) {
  using Numbers = std::vector<double>;
  EXPECT_EQ(NumbersIn("12, -3.5 [1e3] x2 +4 7."), (Numbers{12, -3.5, 1000, 4, 7}));
  EXPECT_EQ(NumbersIn("a1b 1.2.3 ε5 0x"), Numbers{});
  EXPECT_EQ(NumbersIn("inf nan -inf"), (Numbers{INFINITY, -INFINITY}));
  EXPECT_EQ(NumbersIn("0.1000000000000000055511151231257827")[0], 0.1);
  EXPECT_EQ(NumbersIn(""), Numbers{});
}

TEST(ProbeParse, PlacesInJson) {
  const auto outcome = Parsed(R"({"rows":[[{"value":7},{"value":"8"}]],"entry":99})", {"/rows/0/0/value", "/rows/0/1"});
  EXPECT_EQ(outcome.numbers, (std::vector<double>{7, 8}));
  EXPECT_EQ(outcome.text, R"(7 {"value":"8"})");
  EXPECT_TRUE(Parsed("{}", {"/a"}).numbers.empty());
  EXPECT_EQ(Parsed("{}", {"/a"}).text, "nothing at /a");
  EXPECT_EQ(Parsed("oops 3", {"/a"}).text, "not JSON: oops 3");
  EXPECT_EQ(Parsed(R"({"a/b":{"~":[5,6]}})", {"/a~1b/~0/1"}).text, "6");
  EXPECT_EQ(Parsed(R"({"":[1.5]})", {""}).text, R"({"":[1.5]})");
  EXPECT_EQ(Parsed(R"({"":[1.5]})", {"//0"}).text, "1.5");
  for (const char* nowhere : {"/1", "/-", "/00", "/0/0", "/x", "/", "/18446744073709551616"})
    EXPECT_EQ(Parsed("[3]", {nowhere}).text, std::string("nothing at ") + nowhere);
  for (const char* none : {"a", "/~", "/~2", "/a~"}) EXPECT_FALSE(CheckPlaces({none})) << none;
  EXPECT_TRUE(CheckPlaces({"", "/a~1b/0"}));
}

TEST(ProbeProcess, OutputErrorsAndExitCode) {
  const auto done = RunProgram({"sh", "-c", "echo out; echo err >&2; exit 3"}, 100, kNever);
  ASSERT_TRUE(done) << done.error().Text();
  EXPECT_EQ(done->output, "out\n");
  EXPECT_EQ(done->errors, "err\n");
  EXPECT_EQ(done->exit_code, 3);
  EXPECT_EQ(RunProgram({"sh", "-c", "kill -9 $$"}, 100, kNever)->exit_code, 128 + 9);
  EXPECT_EQ(RunProgram({"no-such-program-here"}, 100, kNever).error().code, Code::kInvalidArgument);
  EXPECT_EQ(RunProgram({"sh", "-c", "head -c 1000000 /dev/zero"}, 100, kNever)->output.size(), 1000000u);
}

TEST(ProbeProcess, TimeLimitKillsChildrenToo) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(RunProgram({"sh", "-c", "sleep 200 & sleep 200"}, 0.2, kNever)->timed_out);
  EXPECT_TRUE(RunProgram({"sh", "-c", "exec >&- 2>&-; sleep 200"}, 0.2, kNever)->timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(100));
  CancelFlag stop;
  stop.Cancel();
  EXPECT_EQ(RunProgram({"sleep", "200"}, 100, stop).error().code, Code::kCancelled);
}

CollectOptions Runs(std::uint64_t runs) {
  CollectOptions options;
  options.runs = runs;
  return options;
}

TEST(ProbeCollect, RunsBothSidesWithTheirNumbers) {
  const auto samples = Collect("echo left {run}", "echo right {run}", Runs(5), {}, kNever);
  ASSERT_TRUE(samples) << samples.error().Text();
  EXPECT_EQ(samples->left[4].text, "left 5");
  EXPECT_EQ(samples->right[0].numbers, std::vector<double>{1});
}

TEST(ProbeCollect, FailuresAreOutcomesUnlessEverythingFails) {
  CollectOptions options = Runs(3);
  options.shell = true;
  const auto samples = Collect("echo 1", "echo 'out of 9 range' >&2; exit 4", options, {}, kNever);
  ASSERT_TRUE(samples) << samples.error().Text();
  EXPECT_EQ(samples->right[1].text, "exit code 4: out of 9 range");
  EXPECT_TRUE(samples->right[1].numbers.empty());
  const auto nothing = Collect("exit 4", "exit 4", options, {}, kNever);
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().what.find("exit code 4"), std::string::npos);
  EXPECT_FALSE(Collect("no-such-program-here", "echo 1", Runs(3), {}, kNever));
  options.seconds = 0.1;
  const auto late = Collect("echo 1", "sleep 9", options, {}, kNever);
  ASSERT_FALSE(late);  // how busy the machine is decides nothing that is proved
  EXPECT_NE(late.error().what.find("time limit"), std::string::npos) << late.error().what;
  EXPECT_FALSE(Collect("echo 1", "echo 1", Runs(0), {}, kNever));
  CollectOptions nowhere = Runs(3);
  nowhere.places = {"/n"};
  EXPECT_FALSE(Collect("echo '{}'", "echo '{\"m\":1}'", nowhere, {}, kNever));
  EXPECT_TRUE(Collect("echo '{}'", "echo '{\"n\":1}'", nowhere, {}, kNever));
}

TEST(ProbeCollect, ABatchAnswersManyTimes) {
  CollectOptions options = Runs(1000);
  options.batch = true;
  const auto samples = Collect("seq {runs}", "seq 2 2000", options, {}, kNever);
  ASSERT_TRUE(samples) << samples.error().Text();
  EXPECT_EQ(samples->left[999].numbers[0], 1000);
  EXPECT_EQ(samples->right[999].numbers[0], 1001);
  const auto few = Collect("seq {runs}", "seq 7", options, {}, kNever);
  ASSERT_FALSE(few);
  EXPECT_NE(few.error().what.find("7 answers instead of 1000"), std::string::npos);
  EXPECT_FALSE(Collect("seq {runs}", "false", options, {}, kNever));
  EXPECT_FALSE(Collect("http://127.0.0.1:1/", "seq 1000", options, {}, kNever));
}

TEST(ProbeHttp, Addresses) {
  const auto full = AddressOf("http://127.0.0.1:8080/a?b=1");
  EXPECT_EQ(full->host, "127.0.0.1");
  EXPECT_EQ(full->port, "8080");
  EXPECT_EQ(full->target, "/a?b=1");
  EXPECT_EQ(AddressOf("http://name")->port, "80");
  EXPECT_EQ(AddressOf("http://name?x")->target, "/?x");
  EXPECT_EQ(AddressOf("http://[::1]:81/")->port, "81");
  EXPECT_EQ(AddressOf("http://[::1]/")->port, "80");
  for (const char* bad : {"https://x/", "http://", "http://x:y/", "http://x y/", "ftp://x", "http://x:123456/"}) {
    EXPECT_FALSE(AddressOf(bad)) << bad;
  }
}

// A server on the loopback that answers 42 and repeats the request's last line. It promises to keep connections and
// closes them after `kept` requests, as servers that restart do.
class TinyServer {
 public:
  explicit TinyServer(int kept) : kept_(kept) {
    socket_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof place;
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&place), size), 0);
    EXPECT_EQ(listen(socket_, 16), 0);
    getsockname(socket_, reinterpret_cast<sockaddr*>(&place), &size);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(place.sin_port));
    thread_ = std::thread([this] { Serve(); });
  }
  ~TinyServer() {
    shutdown(socket_, SHUT_RDWR);
    thread_.join();
    close(socket_);
  }
  const std::string& url() const { return url_; }
  int connections() const { return connections_; }

 private:
  void Serve() {
    for (int client; (client = accept(socket_, nullptr, nullptr)) >= 0; close(client)) {
      ++connections_;
      for (int i = 0; i < kept_ && Answer(client);) ++i;
    }
  }
  static bool Answer(int client) {
    char buffer[4096];
    const ssize_t got = read(client, buffer, sizeof buffer);
    if (got <= 0) return false;
    const std::string request(buffer, static_cast<std::size_t>(got));
    // As slow as the client is patient: nothing is said until it has hung up.
    if (request.find("/slow") != std::string::npos) {
      while (read(client, buffer, sizeof buffer) > 0) continue;
      return false;
    }
    const std::string status = request.find("/bad") != std::string::npos ? "503 No" : "200 OK";
    const std::string body = request.substr(0, request.find(' ')) + " 42 " + request.substr(request.rfind('\n') + 1);
    const std::string reply =
        "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    return send(client, reply.data(), reply.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(reply.size());
  }
  const int kept_;
  std::atomic<int> connections_{0};
  int socket_ = -1;
  std::string url_;
  std::thread thread_;
};

TEST(ProbeHttp, AnswersFailuresAndTimeLimits) {
  TinyServer server(1);
  CollectOptions options = Runs(3);
  const auto got = Collect(server.url() + "/a", server.url() + "/bad", options, {}, kNever);
  ASSERT_TRUE(got) << got.error().Text();
  EXPECT_EQ(got->left[2].numbers, std::vector<double>{42});
  EXPECT_EQ(got->right[2].text, "HTTP 503: GET 42");
  options.body = "{\"id\": {run}}";
  EXPECT_EQ(Collect(server.url(), server.url(), options, {}, kNever)->left[1].text, "POST 42 {\"id\": 2}");
  HttpClient client;
  EXPECT_TRUE(client.Fetch(*AddressOf(server.url() + "/slow"), "", 0.1)->timed_out);
  EXPECT_EQ(client.Fetch(*AddressOf("http://127.0.0.1:1/"), "", 100).error().code, Code::kStorage);
}

TEST(ProbeHttp, ConnectionsAreKept) {
  TinyServer server(4);
  HttpClient client;
  const auto address = AddressOf(server.url() + "/");
  for (int i = 0; i < 10; ++i) {
    const auto reply = client.Fetch(*address, "", 100);
    ASSERT_TRUE(reply) << reply.error().Text();
    EXPECT_EQ(reply->body, "GET 42 ");
  }
  EXPECT_EQ(server.connections(), 3);  // four, four and two requests
}

}  // namespace
}  // namespace kith::probe
