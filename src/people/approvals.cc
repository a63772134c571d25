// Questions that wait for a curator. The curator sees only the explanation, which is made without data.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "people/state.h"

namespace kith::people {
namespace {

constexpr std::array<std::string_view, 5> kStates = {"waiting", "granted", "refused", "lapsed", "taken"};
constexpr std::int64_t Number(ApprovalState state) { return static_cast<std::int64_t>(state); }

constexpr const char* kById =
    "SELECT id, user, dataset, request, explanation, units, made, lapses, state, decided_by, decided, reason "
    "FROM approvals WHERE id = ?";
constexpr const char* kAll =
    "SELECT id, user, dataset, request, explanation, units, made, lapses, state, decided_by, decided, reason "
    "FROM approvals WHERE (?1 = '' OR user = ?1) AND (?2 = '' OR dataset = ?2) ORDER BY id DESC";

Approval ApprovalFrom(const Statement& row, std::int64_t now) {
  Approval approval;
  approval.id = row.Int(0);
  approval.user = row.Bytes(1);
  approval.dataset = row.Bytes(2);
  approval.request = row.Bytes(3);
  approval.explanation = row.Bytes(4);
  approval.price = PlainUnits::Of(std::clamp<std::int64_t>(row.Int(5), 0, PlainUnits::kMax));
  approval.made = row.Int(6);
  approval.lapses = row.Int(7);
  approval.state = static_cast<ApprovalState>(std::clamp<std::int64_t>(row.Int(8), 0, kStates.size() - 1));
  approval.decided_by = row.Bytes(9);
  approval.decided = row.Int(10);
  approval.reason = row.Bytes(11);
  const bool open = approval.state == ApprovalState::kWaiting || approval.state == ApprovalState::kGranted;
  if (open && now >= approval.lapses) approval.state = ApprovalState::kLapsed;
  return approval;
}

// What can be done about one that was already decided.
std::string AfterDecision(ApprovalState state) {
  if (state == ApprovalState::kGranted) return "its user can ask it with its number until it lapses";
  if (state == ApprovalState::kTaken) return "its user has asked it; what was answered once is free";
  return "the question can be asked again, and then waits again";
}

Error NotApproved(std::string what, std::string next) {
  return InvalidArgument(std::move(what), {}, std::move(next)).For(kNotApproved);
}

}  // namespace

std::string_view NameOf(ApprovalState state) { return kStates[static_cast<std::size_t>(state)]; }

Result<Approval> People::State::ApprovalOf(std::int64_t id) {
  std::optional<Approval> found;
  auto asked = Ask(
      kById, [&](const Statement& row) { found = ApprovalFrom(row, Now()); }, id);
  if (!asked) return asked.error();
  if (!found) return NotApproved("there is no such request for approval", "look at the list");
  return std::move(*found);
}

Result<Approval> People::Submit(const NewApproval& wanted) const {
  constexpr std::size_t kLongestRequest = 65'536, kLongestExplanation = 1U << 20, kMostWaiting = 100;
  if (wanted.request.empty() || wanted.request.size() > kLongestRequest ||
      wanted.explanation.size() > kLongestExplanation || wanted.lapses.count() <= 0)
    return InvalidArgument("this cannot wait for approval: it is empty or too long").For(kNotApproved);
  return state_->Write([&]() -> Result<Approval> {
    const std::int64_t now = state_->Now();
    if (const auto role = state_->RoleOfUser(wanted.user); !role) return role.error();
    std::optional<std::int64_t> same;
    std::size_t waiting = 0;
    auto asked = state_->Ask(
        kAll,
        [&](const Statement& row) {
          const Approval other = ApprovalFrom(row, now);
          if (other.state != ApprovalState::kWaiting) return;
          ++waiting;
          if (other.request == wanted.request && other.dataset == wanted.dataset && other.price == wanted.price)
            same = other.id;
        },
        wanted.user, "");
    if (!asked) return asked.error();
    if (same) return state_->ApprovalOf(*same);  // asked twice, waits once
    if (waiting >= kMostWaiting)
      return NotApproved(fmt::format("{} questions of this user wait already", waiting), "wait for a decision");
    auto done = state_->Run("INSERT INTO approvals VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, 0, '', 0, '')", wanted.user,
                            wanted.dataset, wanted.request, wanted.explanation, wanted.price.count(), now,
                            now + wanted.lapses.count());
    if (!done) return done.error();
    std::int64_t id = 0;
    asked = state_->Ask("SELECT last_insert_rowid()", [&](const Statement& row) { id = row.Int(0); });
    if (!asked) return asked.error();
    return state_->ApprovalOf(id);
  });
}

Result<std::vector<Approval>> People::Approvals(const std::string& user, const std::string& dataset,
                                                bool waiting) const {
  return state_->Read([&]() -> Result<std::vector<Approval>> {
    std::vector<Approval> all;
    auto asked = state_->Ask(
        kAll,
        [&](const Statement& row) {
          auto approval = ApprovalFrom(row, state_->Now());
          if (!waiting || approval.state == ApprovalState::kWaiting) all.push_back(std::move(approval));
        },
        user, dataset);
    if (!asked) return asked.error();
    return all;
  });
}

Result<Approval> People::FindApproval(std::int64_t id) const {
  return state_->Read([&] { return state_->ApprovalOf(id); });
}

Result<Approval> People::Decide(std::int64_t id, const Identity& by, bool granted, const std::string& reason) const {
  constexpr std::size_t kLongest = 1000;
  if (reason.size() > kLongest) return NotApproved("the reason is too long", "say it in 1000 characters");
  return state_->Write([&]() -> Result<Approval> {
    const auto approval = state_->ApprovalOf(id);
    if (!approval) return approval;
    if (by.role != Role::kCurator || by.user == approval->user)
      return NotApproved("only a curator decides, and not about their own question", "ask a curator");
    if (approval->state != ApprovalState::kWaiting)
      return NotApproved(fmt::format("it does not wait any more: it is {}", NameOf(approval->state)),
                         AfterDecision(approval->state));
    auto done = state_->Run("UPDATE approvals SET state = ?, decided_by = ?, decided = ?, reason = ? WHERE id = ?",
                            Number(granted ? ApprovalState::kGranted : ApprovalState::kRefused), by.user, state_->Now(),
                            reason, id);
    if (!done) return done.error();
    return state_->ApprovalOf(id);
  });
}

Result<Approval> People::Take(std::int64_t id, const std::string& user, const std::string& dataset,
                              std::string_view request) const {
  return state_->Write([&]() -> Result<Approval> {
    const auto approval = state_->ApprovalOf(id);
    if (!approval) return approval;
    // The state of somebody else's is not revealed.
    if (approval->user != user || approval->dataset != dataset || approval->request != request)
      return NotApproved("the approval is not for this question", "ask exactly what was approved, at the same price");
    if (approval->state == ApprovalState::kTaken)
      return NotApproved("the approval was used already", "ask without it: what was answered once is free");
    if (approval->state != ApprovalState::kGranted)
      return NotApproved(fmt::format("the question is not approved: it is {}", NameOf(approval->state)),
                         approval->state == ApprovalState::kWaiting ? "wait for a curator" : "have it approved again");
    if (auto done = state_->Run("UPDATE approvals SET state = ? WHERE id = ?", Number(ApprovalState::kTaken), id);
        !done)
      return done.error();
    return state_->ApprovalOf(id);
  });
}

Result<void> People::PutBack(std::int64_t id) const {
  return state_->Write([&] {
    return state_->Run("UPDATE approvals SET state = ? WHERE id = ? AND state = ?", Number(ApprovalState::kGranted), id,
                       Number(ApprovalState::kTaken));
  });
}

}  // namespace kith::people
