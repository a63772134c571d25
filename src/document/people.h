// Users, tokens and questions that wait for a curator, as JSON.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "people/people.h"

namespace kith::document {

/// {"users": [...]}: nothing that could be used to log in.
nlohmann::json ToJson(const std::vector<people::User>& users);
Result<std::vector<people::User>> UsersFrom(const nlohmann::json& in);

/// A token, the one time that it is shown.
struct ShownToken {
  std::string user;
  people::NewToken made;
};
nlohmann::json ToJson(const ShownToken& shown);

/// {"approvals": [...]}: what a curator decides by.
nlohmann::json ToJson(const std::vector<people::Approval>& approvals);
Result<std::vector<people::Approval>> ApprovalsFrom(const nlohmann::json& in);

}  // namespace kith::document
