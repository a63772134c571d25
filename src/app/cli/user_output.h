// Users, tokens and approvals for a terminal.
#pragma once
#include <string>
#include <vector>

#include "document/people.h"

namespace kith::cli {

/// `now`: unix seconds, to say which tokens have expired.
std::string UsersText(const std::vector<people::User>& users, std::int64_t now, std::size_t width);
/// The token is on a separate line.
std::string TokenText(const document::ShownToken& shown, std::size_t width);
std::string ApprovalsText(const std::vector<people::Approval>& approvals, std::size_t width);

}  // namespace kith::cli
