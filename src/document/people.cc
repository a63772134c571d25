#include "document/people.h"

#include "base/json.h"
#include "document/reading.h"

namespace kith::document {
namespace {

using people::Approval;
using people::ApprovalState;
using people::Role;
using people::User;

Json TokenJson(const people::TokenLine& token) {
  return {{"name", token.name},
          {"id", token.id},
          {"created", token.made},
          {"expires", token.ends != 0 ? Json(token.ends) : Json()},
          {"revoked", token.revoked}};
}

Json UserJson(const User& user) {
  Json out = {{"name", user.name},         {"role", NameOf(user.role)}, {"created", user.made},
              {"password", user.password}, {"grants", Json::array()},   {"tokens", Json::array()}};
  for (const people::Grant& grant : user.grants) {
    Json line = {{"dataset", grant.dataset}};
    if (user.role == Role::kAnalyst) {
      line["allowance"] = grant.allowance.epsilon();
      line["allowance_units"] = grant.allowance.count();
    }
    out["grants"].push_back(std::move(line));
  }
  for (const people::TokenLine& token : user.tokens) out["tokens"].push_back(TokenJson(token));
  return out;
}

Json ApprovalJson(const Approval& approval) {
  const bool decided = !approval.decided_by.empty();
  // It was a document when it came in.
  Json explanation = Json::parse(approval.explanation, nullptr, false);
  if (explanation.is_discarded()) explanation = nullptr;
  return {{"id", approval.id},
          {"user", approval.user},
          {"dataset", approval.dataset},
          {"state", NameOf(approval.state)},
          {"plain_epsilon", approval.price.epsilon()},
          {"plain_units", approval.price.count()},
          {"created", approval.made},
          {"expires", approval.lapses},
          {"decided_by", decided ? Json(approval.decided_by) : Json()},
          {"decided", decided ? Json(approval.decided) : Json()},
          {"reason", approval.reason},
          {"request", approval.request},
          {"explanation", std::move(explanation)}};
}

Approval ApprovalFrom(const Json& in) {
  Approval approval;
  approval.id = in.at("id");
  approval.user = in.at("user");
  approval.dataset = in.at("dataset");
  approval.state = OfWord(in.at("state"),
                          {ApprovalState::kWaiting, ApprovalState::kGranted, ApprovalState::kRefused,
                           ApprovalState::kLapsed, ApprovalState::kTaken},
                          [](ApprovalState state) { return people::NameOf(state); });
  approval.price = PlainUnits::Of(in.at("plain_units"));
  approval.made = in.at("created");
  approval.lapses = in.at("expires");
  if (!in.at("decided_by").is_null()) {
    approval.decided_by = in.at("decided_by");
    approval.decided = in.at("decided");
  }
  approval.reason = in.at("reason");
  approval.request = in.at("request");
  if (!in.at("explanation").is_null()) approval.explanation = JsonText(in.at("explanation"));
  return approval;
}

}  // namespace

Json ToJson(const std::vector<User>& users) {
  Json out = {{"users", Json::array()}};
  for (const User& user : users) out["users"].push_back(UserJson(user));
  return out;
}

Json ToJson(const ShownToken& shown) {
  Json out = TokenJson(shown.made.line);
  out.erase("revoked");
  out["user"] = shown.user;
  out["token"] = shown.made.token;
  return out;
}

Json ToJson(const std::vector<Approval>& approvals) {
  Json out = {{"approvals", Json::array()}};
  for (const Approval& approval : approvals) out["approvals"].push_back(ApprovalJson(approval));
  return out;
}

Result<std::vector<Approval>> ApprovalsFrom(const Json& in) {
  return ReadDocument("approvals", in, [](const Json& read) {
    std::vector<Approval> approvals;
    for (const Json& approval : Items(read.at("approvals"))) approvals.push_back(ApprovalFrom(approval));
    return approvals;
  });
}

}  // namespace kith::document
