// Users, tokens and questions that wait for a curator, as JSON.
#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "people/people.h"

namespace kith::document {

/// {"users": [...]}: nothing that could be used to log in.
Json ToJson(const std::vector<people::User>& users);

/// A token, the one time that it is shown.
struct ShownToken {
  std::string user;
  people::NewToken made;
};
Json ToJson(const ShownToken& shown);

/// {"approvals": [...]}: what a curator decides by.
Json ToJson(const std::vector<people::Approval>& approvals);
Result<std::vector<people::Approval>> ApprovalsFrom(const Json& in);

}  // namespace kith::document
