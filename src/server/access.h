// Who may do what.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "loss/loss.h"
#include "people/people.h"

namespace kith::server {

enum Role : unsigned { kNobody = 0, kAnalyst = 1, kAuditor = 2, kCurator = 4, kOperator = 8 };
inline constexpr unsigned kReaders = kAnalyst | kAuditor | kCurator;
std::string NameOf(Role role);

/// Somebody who was recognised.
struct Identity {
  std::string name;  // empty: there are no users, and anybody on this machine may ask
  Role role = kAnalyst;
  std::function<bool(const std::string& dataset)> may_see = [](const std::string&) { return true; };
  /// Of an analyst: plain loss. Nothing: limited only by the policy.
  std::function<std::optional<PlainUnits>(const std::string& dataset)> allowance = [](const std::string&) {
    return std::optional<PlainUnits>();
  };
};

/// How clients are recognised.
struct Access {
  std::shared_ptr<people::People> people;  // null: there are no users
  /// Fails: kInvalidArgument, with one sentence for every reason; the parameter kLoginWait: too many failures.
  std::function<Result<Identity>(const std::string& token, const std::string& address)> who;
};
inline constexpr char kLoginWait[] = "login.wait";

/// Somebody whom the file of users knows.
Identity IdentityOf(const people::Identity& known);

/// By tokens.
Access ByTokens(std::shared_ptr<people::People> people);

/// Without users: everybody who reaches the address is an analyst without a name.
Access Anybody();

}  // namespace kith::server
