// HTTP requests and their answers.
#pragma once
#include <memory>
#include <string>

#include "base/result.h"

namespace kith::probe {

struct Address {
  std::string host, port, target;  // target: path and query
};

/// Fails: kInvalidArgument unless it is http://host[:port][/path]. There is no https: probe on the server's machine, or
/// through a local tunnel.
Result<Address> AddressOf(const std::string& url);

struct Reply {
  unsigned status = 0;
  bool timed_out = false;
  std::string body;
};

/// Keeps its connection open from one request to the next where the server allows it. Not thread-safe.
class HttpClient {
 public:
  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// GET, or POST of a JSON body if there is one. If a kept connection turns out to be closed, the request is sent
  /// again on a new one. Fails: kStorage if there is no connection, or it does not speak HTTP.
  Result<Reply> Fetch(const Address& address, const std::string& body, double seconds);

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

}  // namespace kith::probe
