#include "document/people.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace kith::document {
namespace {

using people::Approval;
using people::ApprovalState;
using people::Role;
using people::User;

TEST(PeopleDocument, UsersAreShownWithGrantsAndTokens) {
  User ada{"ada", Role::kAnalyst, 100, true, {{"clinic", PlainUnits::Of(7)}}, {}};
  ada.tokens = {{"first", "0123456789abcdef", 100, 200, false}, {"old", "fedcba9876543210", 50, 0, true}};
  const std::vector<User> users = {ada, {"otto", Role::kAuditor, 5, false, {{"clinic", PlainUnits()}}, {}}};
  const Json sent = ToJson(users);
  const Json& first = sent.at("users").at(0);
  EXPECT_EQ(first.at("role"), "analyst");
  EXPECT_EQ(first.at("grants").at(0).at("allowance_units"), 7);
  EXPECT_EQ(first.at("tokens").at(0).at("id"), "0123456789abcdef");
  EXPECT_TRUE(first.at("tokens").at(1).at("revoked").get<bool>());
  EXPECT_FALSE(sent.at("users").at(1).at("grants").at(0).contains("allowance")) << "an auditor has none";
}

TEST(PeopleDocument, ApprovalsComeBackAsTheyWere) {
  const std::vector<Approval> approvals = {
      {3, "ada", "clinic", "SELECT 1", R"({"price":1})", PlainUnits::Of(9), 1, 2, ApprovalState::kWaiting, "", 0, ""},
      {2, "ada", "clinic", "SELECT 2", "", PlainUnits::Of(8), 1, 2, ApprovalState::kRefused, "curie", 7, "too dear"}};
  const Json sent = Json::parse(ToJson(approvals).dump());
  EXPECT_EQ(sent["approvals"][0]["explanation"]["price"], 1);
  EXPECT_TRUE(sent["approvals"][1]["explanation"].is_null());
  const auto back = ApprovalsFrom(sent);
  ASSERT_TRUE(back) << back.error().Text();
  EXPECT_EQ(ToJson(*back), sent);
  EXPECT_EQ((*back)[1].reason, "too dear");
}

}  // namespace
}  // namespace kith::document
