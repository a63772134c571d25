#include "app/cli/user_output.h"

#include <fmt/format.h>

#include "app/cli/text.h"
#include "base/json.h"
#include "document/words.h"
#include "loss/loss_text.h"

namespace kith::cli {
namespace {

std::string GrantsText(const people::User& user) {
  if (user.role == people::Role::kCurator) return "every dataset";
  if (user.grants.empty()) return "none";
  std::vector<std::string> all;
  for (const people::Grant& grant : user.grants) {
    all.push_back(user.role == people::Role::kAnalyst
                      ? fmt::format("{} (up to {})", grant.dataset, LeftText(grant.allowance.epsilon()))
                      : grant.dataset);
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

// The day: with the minute, the table is wider than most terminals.
std::string DayOf(std::int64_t time) { return document::TimeText(time).substr(0, 10); }

std::string StateOf(const people::TokenLine& token, std::int64_t now) {
  if (token.revoked) return "revoked";
  if (token.ends == 0) return "does not end";
  return fmt::format("{} {}", now < token.ends ? "ends" : "ended", DayOf(token.ends));
}

// An analyst's text on a curator's terminal: no control characters, whether of one byte or two.
std::string Harmless(std::string text) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto c = static_cast<unsigned char>(text[k]);
    const unsigned char next = k + 1 < text.size() ? static_cast<unsigned char>(text[k + 1]) : 0;
    if (c < 0x20 || c == 0x7f) text[k] = c == '\n' || c == '\t' ? ' ' : '?';
    if (c == 0xc2 && next >= 0x80 && next < 0xa0) text[k] = text[k + 1] = '?';
  }
  return text;
}

// What is asked, as kith has understood it: without comments, so that none can hide a part of it.
std::string QuestionOf(const people::Approval& approval) {
  const Json explained = Json::parse(approval.explanation, nullptr, false);
  const bool known = explained.is_object() && explained.contains("question") && explained["question"].is_string();
  return Harmless(known ? explained["question"].get<std::string>() : approval.request);
}

// What was offered for it, and what that comes to.
std::string PriceOf(const people::Approval& approval) {
  const Json asked = Json::parse(approval.request, nullptr, false);
  const auto number = [&](const char* field) {
    return asked.is_object() && asked.contains(field) && asked[field].is_number();
  };
  std::string text;
  if (number("epsilon")) text = fmt::format("epsilon {}, ", LossText(asked["epsilon"].get<double>()));
  if (number("error")) text = fmt::format("as much as ±{} takes, ", Short(asked["error"].get<double>()));
  text += fmt::format("a plain loss of {}", LossText(approval.price.epsilon()));
  if (asked.is_object() && asked.contains("unit")) text += " of a household";
  if (asked.is_object() && asked.contains("split")) text += fmt::format("; split {}", JsonText(asked["split"]));
  if (asked.is_object() && !asked.value("intervals", true)) text += "; quantiles without intervals";
  return text;
}

}  // namespace

std::string UsersText(const std::vector<people::User>& users, std::int64_t now, std::size_t width) {
  if (users.empty()) return "There are no users.\n";
  TextTable table({"name", "role", "datasets", "token", "made (UTC)", "state"});
  for (const people::User& user : users) {
    const std::string password = user.password ? "has a password" : "";
    if (user.tokens.empty())
      table.Add({user.name, std::string(NameOf(user.role)), GrantsText(user), "none", DayOf(user.made), password});
    bool first = true;
    for (const people::TokenLine& token : user.tokens) {
      table.Add({first ? user.name : "", first ? std::string(NameOf(user.role)) : "", first ? GrantsText(user) : "",
                 token.name, DayOf(token.made), StateOf(token, now) + (first && user.password ? "; " + password : "")});
      first = false;
    }
  }
  return table.Render(width);
}

std::string TokenText(const document::ShownToken& shown, std::size_t width) {
  const people::TokenLine& line = shown.made.line;
  std::string text = shown.made.token + "\n\n";
  text += Labelled("token",
                   fmt::format("'{}' of {}; {}", line.name, shown.user,
                               line.ends == 0 ? "it does not end" : "it ends " + document::TimeText(line.ends)),
                   width);
  return text +
         Labelled("shown once",
                  "only what checks it is stored: give it to its user now, over a channel that nobody else reads",
                  width);
}

std::string ApprovalsText(const std::vector<people::Approval>& approvals, std::size_t width) {
  if (approvals.empty()) return "No question waits for approval.\n";
  std::string text;
  for (const people::Approval& each : approvals) {
    const auto words = [&](const char* name, const std::string& line) {
      if (!line.empty()) text += Labelled(name, line, width);
    };
    if (!text.empty()) text += "\n";
    words("number", fmt::format("{}", each.id));
    words("asked by", fmt::format("{}, about {}", each.user, each.dataset));
    words("question", QuestionOf(each));
    words("price", PriceOf(each));
    const bool open = each.state == people::ApprovalState::kWaiting || each.state == people::ApprovalState::kGranted;
    words("state", fmt::format("{}{}{}", NameOf(each.state), each.decided_by.empty() ? "" : " by " + each.decided_by,
                               open ? fmt::format("; it lapses {} UTC", document::TimeText(each.lapses)) : ""));
    words("reason", each.reason);
  }
  return text;
}

}  // namespace kith::cli
