#include "server/question.h"

#include <fmt/format.h>

#include <utility>

#include "base/json.h"
#include "document/from_json.h"
#include "document/json_line.h"

namespace kith::server {

Result<UnitLevel> UnitNamed(const std::string& name) {
  if (name == "person") return UnitLevel::kPerson;
  if (name == "household") return UnitLevel::kHousehold;
  return InvalidArgument("an answer hides a person's record, or a household's", "unit", "choose person or household");
}

std::string TextOf(const WantedQuestion& wanted, Json asked) {
  if (wanted.unit == UnitLevel::kHousehold) asked["unit"] = "household";
  if (wanted.price.epsilon) asked["epsilon"] = *wanted.price.epsilon;
  if (wanted.price.error_95) asked["error"] = *wanted.price.error_95;
  if (!wanted.price.split.empty()) asked["split"] = wanted.price.split;
  if (!wanted.price.intervals) asked["intervals"] = false;
  return JsonText(asked);
}

std::string QuestionText(const WantedQuestion& wanted) {
  return TextOf(wanted, {{"question", std::get<QuestionRequest>(wanted.request).sql}});
}

Error NobodyApproves(Error refused, const char* why) {
  refused.next = fmt::format("{}; ask for less, or have a curator ask the same at this price: it is free then", why);
  refused.parameter.clear();  // there is no number to ask with
  return refused;
}

Wanted AsWanted(const std::string& what, const WantedQuestion& question) {
  return {what,
          [question](const Curator& curator, const Caller& caller, const Call& call) {
            return curator.Explain(question.request, question.price, call, caller);
          },
          [question](const Curator& curator, const Caller& caller, const Call& call) {
            return curator.Release(question.request, question.price, caller, call);
          },
          question.approval, question.text};
}

namespace {

// Of the data that the explanation was about.
std::string VersionIn(const people::Approval& approval) {
  const auto document = Json::parse(approval.explanation, nullptr, false);
  const auto explained = document.is_object() ? document::ExplanationFrom(document) : Result<Explanation>(Error());
  return explained ? explained->guarantee.version : std::string();
}

}  // namespace

Result<Caller> WithApproval(const people::People* people, const std::string& dataset, const Wanted& wanted,
                            Caller caller) {
  if (!wanted.approval) return caller;
  if (people == nullptr) return InvalidArgument("nobody approves here: there are no users", "approval", "leave it out");
  const auto taken = people->Take(static_cast<std::int64_t>(*wanted.approval), caller.name, dataset, wanted.text);
  if (!taken) return taken.error();
  caller.at_most = taken->price;
  caller.only_version = VersionIn(*taken);
  return caller;
}

namespace {

// The number under which it waits for a curator, from now on or already.
Result<std::int64_t> Waiting(const people::People& people, const people::NewApproval& wanted) {
  const auto before = people.Approvals(wanted.user, wanted.dataset, false);
  if (!before) return before.error();
  for (const people::Approval& each : *before) {
    const bool open = each.state == people::ApprovalState::kWaiting || each.state == people::ApprovalState::kGranted;
    if (open && each.request == wanted.request) return each.id;
  }
  const auto made = people.Submit(wanted);
  if (!made) return made.error();
  return made->id;
}

// Refused because of its price: a curator is asked, and the analyst is told under which number.
Error LeftToCurator(const Error& refused, const Curator& curator, const people::People& people, const Wanted& wanted,
                    const std::string& dataset, const Caller& caller, const Call& call,
                    const std::function<std::string(std::int64_t)>& how) {
  Caller anyhow = caller;
  anyhow.at_most.reset();
  const auto explained = wanted.explain(curator, anyhow, call);
  if (!explained) return explained.error();
  if (!explained->affordable)  // a curator's word would not make it so
    return BudgetExhausted(explained->refusal, "nothing was charged, and nobody was asked to approve it",
                           "ask for less, or ask a question that was answered before (free)");
  const auto number = Waiting(people, {caller.name, dataset, wanted.text, document::JsonLine(*explained),
                                       explained->counted, curator.policy().serving.approval_expires});
  if (!number) return number.error();
  Error error = refused;
  error.next = fmt::format("a curator decides; {} once it is granted", how(*number));
  return error;
}

}  // namespace

Result<Answer> AskFor(const Curator& curator, const people::People* people, const std::string& dataset,
                      const Wanted& wanted, const Caller& caller, const Call& call,
                      const std::function<std::string(std::int64_t number)>& how) {
  auto answer = wanted.release(curator, caller, call);
  if (answer) return answer;
  const bool refused = answer.error().parameter == people::kNotApproved;
  if (wanted.approval && refused) return answer;  // approved for other data, or at another price: that will not change
  if (wanted.approval && answer.error().charged == Charged::kNo)
    (void)people->PutBack(static_cast<std::int64_t>(*wanted.approval));
  if (!refused) return answer;
  if (people == nullptr || caller.name.empty())
    return NobodyApproves(answer.error(), "there are no users here, so that nobody approves");
  return LeftToCurator(answer.error(), curator, *people, wanted, dataset, caller, call, how);
}

}  // namespace kith::server
