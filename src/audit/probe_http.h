// One HTTP request and its answer.
#pragma once
#include <string>

#include "base/result.h"

namespace kith::probe {

struct Address {
  std::string host, port, target;  // target: path and query
};

/// Fails: kInvalidArgument unless it is http://host[:port][/path]. There is no https: probe beside the server, or
/// through a local tunnel.
Result<Address> AddressOf(const std::string& url);

struct Reply {
  unsigned status = 0;
  bool timed_out = false;
  std::string body;
};

/// GET, or POST of a JSON body if there is one.
/// Fails: kStorage if there is no connection or no HTTP on it.
Result<Reply> Fetch(const Address& address, const std::string& body, double seconds);

}  // namespace kith::probe
