// SCRAM-SHA-256 as a PostgreSQL server speaks it (RFC 5802, RFC 7677): a client proves that it knows a token without
// sending it. Channels are not bound.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "people/people.h"

namespace kith::pgwire {

std::string Base64(std::string_view bytes);
/// Only base64 with its padding. Fails: kInvalidArgument.
Result<std::string> FromBase64(std::string_view text);

/// One exchange.
class Scram {
 public:
  /// `people` outlives this. `name`: of the connection; the name in the messages is ignored, as in PostgreSQL.
  Scram(const people::People& people, std::string name) : people_(people), name_(std::move(name)) {}

  /// client-first-message to server-first-message. `nonce`: the server's part. The salt is that of the name, whether
  /// there is such a user or not. Fails: kInvalidArgument for what is not such a message.
  Result<std::string> First(std::string_view message, const std::string& nonce);
  /// client-final-message to the user that it is from. Fails: kInvalidArgument for what is not such a message; as
  /// People::ByScram.
  Result<people::ScramAccepted> Final(std::string_view message, std::string_view address) const;

 private:
  const people::People& people_;
  std::string name_, header_, first_bare_, server_first_, nonce_;
};

}  // namespace kith::pgwire
