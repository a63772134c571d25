// HTTP as the rest of the server sees it: requests in, answers out. What reads and writes them is in http_server.cc.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"

namespace kith::server {

struct HttpRequest {
  std::string method;         // "GET"
  std::string path;           // without the query, as it was sent
  std::string query;          // what follows '?'
  std::string authorization;  // empty: none
  std::string content_type, origin, host, prefer;
  std::string cookie, csrf;  // header fields Cookie and X-Kith-CSRF
  std::string accept_encoding, if_none_match;
  std::string forwarded_for;  // X-Forwarded-For, all of them
  std::string body;
  std::string peer;     // the client's address: behind a proxy that the operator names, as that says
  bool secure = false;  // by TLS
};

/// What was added to a stream of events since it was last polled.
struct Events {
  std::string text;  // as in the HTML standard; may be empty
  bool last = false;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::string for_curators = {};  // the body for them, where it says more
  std::vector<std::pair<std::string, std::string>> headers;
  std::string cache = "no-store";       // Cache-Control
  std::function<Events()> events = {};  // set: the body is a stream; polled
  /// It leaves at a whole number of these after the request came. 0: at once.
  std::chrono::milliseconds tick{0};
  std::string route, user;  // for the log: the pattern of the route, never the path itself
  std::string about;        // for the log: the user who was changed; empty: nobody was
};

/// What was answered, for the log and for metrics.
struct Exchange {
  std::string method, route, user, about;
  int status = 0;
  std::chrono::microseconds took{0};
};

struct Service {
  /// Answered by the thread of the connections, which waits for nothing.
  std::function<bool(const HttpRequest&)> at_once;
  /// Questions wait for each other; everything else has its own threads.
  std::function<bool(const HttpRequest&)> is_question;
  /// Called from several threads. The flag is set when the client has gone or the server stops.
  std::function<HttpResponse(const HttpRequest&, const CancelFlag&)> handle;
  /// That the client has gone is noticed a quarter before whole numbers of these after a request was read: also when
  /// answers are kept (release/whole_ticks.h).
  std::function<std::chrono::milliseconds(const HttpRequest&)> tick;
  /// The answer to what is not a request, or cannot be accepted now. Called from one thread.
  std::function<HttpResponse(int status, const std::string& what, const std::string& next)> refuse;
  std::function<void(const Exchange&)> done;
};

struct Limits {
  std::size_t header_bytes = 16u << 10, headers = 64, target_bytes = 2048, body_bytes = 1u << 20;
  std::size_t connections = 2000;
  std::size_t waiting = 512;     // requests that were read and not yet answered
  std::size_t of_address = 250;  // connections from one address that is not this machine's own
  std::size_t questions = 192;   // threads for questions; most of them wait for a tick
  std::size_t quick = 4;         // threads for all others
  std::chrono::milliseconds header_time{10'000}, body_time{30'000}, write_time{30'000}, idle_time{75'000};
  std::chrono::milliseconds grace{15'000};  // for requests that are under way when the server stops
  std::chrono::milliseconds look{250};      // at streams of events
};

struct ListenOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8400;         // 0: any
  std::string certificate, key;      // files in PEM; both empty: no TLS
  std::vector<std::string> proxies;  // addresses that are believed about their clients
  Limits limits;
};

class HttpServer {
 public:
  /// Fails: kInvalidArgument (no such address, certificate or key), kStorage (the address is taken).
  static Result<std::unique_ptr<HttpServer>> Listen(const ListenOptions& options, Service service);
  HttpServer() = default;
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  virtual ~HttpServer() = default;

  virtual std::uint16_t port() const = 0;
  virtual std::size_t connections() const = 0;
  /// Serves until `stop` is set; then lets what is under way end.
  virtual void Run(const CancelFlag& stop) = 0;
};

/// Whose request it is: of a proxy that is believed, whoever it names last who is no such proxy; otherwise the peer.
std::string ClientOf(const std::string& peer, std::string_view forwarded_for, const std::vector<std::string>& proxies);
/// "127.0.0.1:8400", "[::1]:8400" or "localhost:8400". Fails: kInvalidArgument.
Result<std::pair<std::string, std::uint16_t>> HostAndPort(const std::string& text);
/// Whether a dataset of this name can be a part of an address as it is.
bool CanBeInAddress(std::string_view dataset);

/// Whether only this machine can reach it.
bool IsLoopback(const std::string& host);

}  // namespace kith::server
