// Questions, plans and analyses: bodies of requests to calls of the curator, and its documents as answers.
#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <memory>

#include "base/json.h"
#include "document/from_json.h"
#include "document/json_line.h"
#include "document/people.h"
#include "document/to_json.h"
#include "people/people.h"
#include "release/derive.h"
#include "release/whole_ticks.h"
#include "release/workload_release.h"
#include "server/analyses.h"
#include "server/api.h"
#include "server/body.h"
#include "workload/entry.h"

namespace kith::server {

struct Wanted {
  std::string what;  // for whoever looks at jobs
  std::function<Result<Explanation>(const Curator&, const Caller&, const Call&)> explain;
  std::function<Result<Answer>(const Curator&, const Caller&, const Call&)> release;
  std::optional<std::size_t> approval;  // a curator's, by number
  std::string text;                     // all of it but the approval, in one form however it was written
  bool always_job = false;
};

namespace {

HttpResponse Documented(std::string document, int status = 200) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(document);
  return response;
}

JobResult ResultOf(const Result<Answer>& answer) {
  if (answer) return {200, document::JsonLine(*answer), {}};
  const HttpResponse failure = Failure(answer.error());
  return {failure.status, failure.body, answer.error().code};
}

HttpResponse Explained(const Result<Explanation>& explanation) {
  return explanation ? Documented(document::JsonLine(*explanation)) : Failure(explanation.error());
}

Result<UnitLevel> UnitNamed(const std::string& name) {
  if (name == "person") return UnitLevel::kPerson;
  if (name == "household") return UnitLevel::kHousehold;
  return InvalidArgument("an answer hides a person's record, or a household's", "unit", "choose person or household");
}

struct WantedQuestion {
  QuestionRequest request;
  Price price;
  std::optional<std::size_t> approval;
  std::string text;
};

// What an approval is about: two bodies that mean the same have one text (1 and 1.0, a unit that is left out).
std::string TextOf(const WantedQuestion& wanted, nlohmann::json asked) {
  if (wanted.request.unit == UnitLevel::kHousehold) asked["unit"] = "household";
  if (wanted.price.epsilon) asked["epsilon"] = *wanted.price.epsilon;
  if (wanted.price.error_95) asked["error"] = *wanted.price.error_95;
  if (!wanted.price.split.empty()) asked["split"] = wanted.price.split;
  return JsonText(asked);
}

Result<WantedQuestion> QuestionIn(const HttpRequest& http) {
  const auto body = ObjectIn(http.body);
  if (!body) return body.error();
  WantedQuestion wanted;
  std::string unit = "person";
  const auto read = Fields(*body)
                        .Must("question", wanted.request.sql)
                        .May("epsilon", wanted.price.epsilon)
                        .May("error", wanted.price.error_95)
                        .May("split", wanted.price.split)
                        .May("unit", unit)
                        .May("approval", wanted.approval)
                        .Finish();
  if (!read) return read.error();
  const auto level = UnitNamed(unit);
  if (!level) return level.error();
  wanted.request.unit = *level;
  wanted.text = TextOf(wanted, {{"question", wanted.request.sql}});
  if (wanted.price.epsilon && wanted.price.error_95)
    return InvalidArgument("a price and an error bar cannot both be chosen", {}, "leave one of them out").For("price");
  if (workload::IsWorkload(wanted.request.sql))
    return InvalidArgument("the text is a plan of many questions", {}, "ask it as a plan");
  return wanted;
}

Result<WantedQuestion> PlanIn(const HttpRequest& http) {
  const auto body = ObjectIn(http.body);
  if (!body) return body.error();
  WantedQuestion wanted;
  std::string unit = "person", questions;
  const auto read = Fields(*body)
                        .Must("questions", questions)
                        .May("approval", wanted.approval)
                        .May("epsilon", wanted.price.epsilon)
                        .May("unit", unit)
                        .Finish();
  if (!read) return read.error();
  const auto level = UnitNamed(unit);
  if (!level) return level.error();
  wanted.request = {workload::kPlanLine + questions, *level};
  wanted.text = TextOf(wanted, {{"questions", questions}});
  return wanted;
}

struct WantedAnalysis {
  std::string name;
  double epsilon = 0;
  AnyAnalysis analysis;
  std::optional<std::size_t> approval;
  std::string text;
};

Result<WantedAnalysis> AnalysisIn(const Asked& asked) {
  const auto body = ObjectIn(asked.http.body);
  if (!body) return body.error();
  WantedAnalysis wanted;
  nlohmann::json options = nlohmann::json::object();
  const auto read = Fields(*body)
                        .Must("analysis", wanted.name)
                        .Must("epsilon", wanted.epsilon)
                        .May("options", options)
                        .May("approval", wanted.approval)
                        .Finish();
  if (!read) return read.error();
  wanted.text = JsonText({{"analysis", wanted.name}, {"epsilon", wanted.epsilon}, {"options", options}});
  auto made = AnalysisFrom(wanted.name, options, asked.dataset->curator->policy());
  if (!made) return made.error();
  wanted.analysis = std::move(*made);
  return wanted;
}

Price PriceOf(double epsilon) { return {epsilon, std::nullopt, {}}; }

// Also what must be known before anything is charged.
Result<Explanation> ExplainAny(const Curator& curator, const WantedAnalysis& wanted, const Caller& caller,
                               const Call& call) {
  if (const auto* derived = std::get_if<std::shared_ptr<const Derived>>(&wanted.analysis)) {
    auto explained =
        curator.Explain(QuestionRequest{(*derived)->question().sql}, PriceOf(wanted.epsilon), call, caller);
    if (!explained) return explained;
    if (const auto knows = KnowsNoise(**derived, *explained); !knows) return knows.error();
    return ExplainDerived(**derived, std::move(*explained));
  }
  if (const auto* study = std::get_if<std::shared_ptr<const Study>>(&wanted.analysis))
    return curator.Explain(StudyRequest{*study}, PriceOf(wanted.epsilon), call, caller);
  return curator.Explain(AnalysisRequest{std::get<std::shared_ptr<const Analysis>>(wanted.analysis)},
                         PriceOf(wanted.epsilon), call, caller);
}

Result<Answer> ReleaseAny(const Curator& curator, const WantedAnalysis& wanted, const Caller& caller,
                          const Call& call) {
  if (const auto* derived = std::get_if<std::shared_ptr<const Derived>>(&wanted.analysis)) {
    if (const auto explained = ExplainAny(curator, wanted, caller, call); !explained) return explained.error();
    auto answer = curator.Release(QuestionRequest{(*derived)->question().sql}, PriceOf(wanted.epsilon), caller, call);
    if (!answer) return answer;
    return Derive(**derived, std::move(*answer));
  }
  if (const auto* study = std::get_if<std::shared_ptr<const Study>>(&wanted.analysis))
    return curator.Release(StudyRequest{*study}, PriceOf(wanted.epsilon), caller, call);
  return curator.Release(AnalysisRequest{std::get<std::shared_ptr<const Analysis>>(wanted.analysis)},
                         PriceOf(wanted.epsilon), caller, call);
}

nlohmann::json JobJson(const JobView& job) {
  nlohmann::json out = {{"id", job.id},       {"dataset", job.dataset}, {"what", job.what},
                        {"state", job.state}, {"stage", job.stage},     {"seconds", job.seconds}};
  if (job.result) {
    out["status"] = job.result->status;
    out["result"] = nlohmann::json::parse(job.result->document, nullptr, false);
  }
  return out;
}

HttpResponse NoJob() {
  return Failure(InvalidArgument("there is no such job, or it is not yours", {}, "GET /v1/jobs lists yours"), 404);
}

}  // namespace

HttpResponse Api::Explain(const Asked& asked) {
  const auto wanted = QuestionIn(asked.http);
  if (!wanted) return Failure(wanted.error());
  return Explained(asked.dataset->curator->Explain(wanted->request, wanted->price, asked.call, CallerOf(asked)));
}

namespace {

// A price that needs approval, where nobody can be asked for it: the request stays refused.
JobResult NobodyApproves(Error refused, const char* why) {
  refused.next = fmt::format("{}; ask for less, or have a curator ask the same at this price: it is free then", why);
  refused.parameter.clear();  // there is no number to ask with
  return ResultOf(std::move(refused));
}

bool NothingCharged(const Error& error) {
  if (error.what.find("was charged before data were read") != std::string::npos) return false;
  return error.what.find("nothing was charged") != std::string::npos || error.code == Code::kInvalidArgument ||
         error.code == Code::kUnsupportedQuery || error.code == Code::kBudgetExhausted;
}

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
JobResult LeftToCurator(const Error& refused, const Curator& curator, const people::People& people,
                        const Wanted& wanted, const std::string& dataset, const Caller& caller, const Call& call) {
  Caller anyhow = caller;
  anyhow.at_most.reset();
  const auto explained = wanted.explain(curator, anyhow, call);
  if (!explained) return ResultOf(explained.error());
  if (!explained->affordable)  // a curator's word would not make it so
    return ResultOf(BudgetExhausted(explained->refusal, "nothing was charged, and nobody was asked to approve it",
                                    "ask for less, or ask a question that was answered before (free)"));
  const auto number = Waiting(people, {caller.name, dataset, wanted.text, document::JsonLine(*explained),
                                       explained->units, curator.policy().serving.approval_lapses});
  if (!number) return ResultOf(number.error());
  Error error = refused;
  error.next = fmt::format("a curator decides; ask the same again with \"approval\": {} once it is granted", *number);
  return {403, document::JsonLine(error), error.code};
}

}  // namespace

namespace {

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

// Of the data that the explanation was about.
std::string VersionIn(const people::Approval& approval) {
  const auto document = nlohmann::json::parse(approval.explanation, nullptr, false);
  const auto explained = document.is_object() ? document::ExplanationFrom(document) : Result<Explanation>(Error());
  return explained ? explained->guarantee.version : std::string();
}

}  // namespace

HttpResponse Api::Release(const Asked& asked) {
  const auto wanted = QuestionIn(asked.http);
  return wanted ? ReleaseWanted(asked, AsWanted("question", *wanted)) : Failure(wanted.error());
}

HttpResponse Api::ReleaseWanted(const Asked& asked, const Wanted& wanted) {
  const auto people = options_.access.people;
  Caller caller = CallerOf(asked);
  const std::string dataset = asked.dataset->name;
  const std::int64_t number = static_cast<std::int64_t>(wanted.approval.value_or(0));
  const auto granted = [&]() -> Result<people::Approval> {
    if (people == nullptr)
      return InvalidArgument("nobody approves here: there are no users", "approval", "leave it out");
    return people->Take(number, caller.name, dataset, wanted.text);
  };
  if (wanted.approval) {
    const auto approval = granted();
    if (!approval) return Failure(approval.error(), approval.error().code == Code::kInvalidArgument ? 403 : 0);
    caller.at_most = approval->price;
    caller.only_version = VersionIn(*approval);
  }
  HttpResponse response =
      NowOrLater(asked, wanted.what, wanted.always_job,
                 [curator = asked.dataset->curator, people, dataset, wanted, caller, number](const Call& call) {
                   const auto answer = wanted.release(*curator, caller, call);
                   if (answer) return ResultOf(answer);
                   const bool refused = answer.error().parameter == people::kNotApproved;
                   // Approved for other data, or at another price: that will not change.
                   if (number != 0 && refused) {
                     const HttpResponse failure = Failure(answer.error(), 403);
                     return JobResult{failure.status, failure.body, answer.error().code};
                   }
                   if (number != 0 && NothingCharged(answer.error())) (void)people->PutBack(number);
                   if (!refused) return ResultOf(answer);
                   if (people == nullptr || caller.name.empty())
                     return NobodyApproves(answer.error(), "there are no users here, so that nobody approves");
                   return LeftToCurator(answer.error(), *curator, *people, wanted, dataset, caller, call);
                 });
  const bool not_begun = response.status == 503 && !response.headers.empty();
  if (number != 0 && not_begun) (void)people->PutBack(number);
  return response;
}

HttpResponse Api::Approvals(const Asked& asked) {
  if (options_.access.people == nullptr) return Documented(document::JsonLine(std::vector<people::Approval>()));
  const bool own = asked.who.role == kAnalyst;
  const auto found = options_.access.people->Approvals(own ? asked.who.name : "", asked.dataset->name, !own);
  return found ? Documented(document::JsonLine(*found)) : Failure(found.error());
}

HttpResponse Api::Decide(const Asked& asked) {
  const auto body = ObjectIn(asked.http.body);
  if (!body) return Failure(body.error());
  bool granted = false;
  std::string reason;
  const auto read = Fields(*body).Must("granted", granted).May("reason", reason).Finish();
  if (!read) return Failure(read.error());
  const std::string& text = asked.values[1];
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  const auto people = options_.access.people;
  const auto found = people == nullptr ? Result<people::Approval>(InvalidArgument("")) : people->FindApproval(number);
  if (!found || found->dataset != asked.dataset->name)
    return Failure(InvalidArgument("nothing of this number waits", {}, "GET .../approvals lists what does"), 404);
  const auto decided = people->Decide(number, {asked.who.name, people::Role::kCurator, {}, {}}, granted, reason);
  if (!decided) return Failure(decided.error());
  return Documented(document::JsonLine(std::vector<people::Approval>{*decided}));
}

HttpResponse Api::ExplainPlan(const Asked& asked) {
  const auto wanted = PlanIn(asked.http);
  if (!wanted) return Failure(wanted.error());
  const auto explained =
      ExplainWorkload(*asked.dataset->curator, wanted->request, wanted->price, asked.call, CallerOf(asked));
  if (!explained) return Failure(explained.error());
  nlohmann::json out = document::ToJson(explained->explanation);
  out["details"] = {{"plan", *explained->plan}};
  return Documented(JsonText(out) + "\n");
}

HttpResponse Api::ReleasePlan(const Asked& asked) {
  const auto wanted = PlanIn(asked.http);
  return wanted ? ReleaseWanted(asked, AsWanted("plan", *wanted)) : Failure(wanted.error());
}

HttpResponse Api::ExplainAnalysis(const Asked& asked) {
  const auto wanted = AnalysisIn(asked);
  if (!wanted) return Failure(wanted.error());
  return Explained(ExplainAny(*asked.dataset->curator, *wanted, CallerOf(asked), asked.call));
}

HttpResponse Api::BeginAnalysis(const Asked& asked) {
  const auto wanted = AnalysisIn(asked);
  if (!wanted) return Failure(wanted.error());
  const auto made = std::make_shared<const WantedAnalysis>(*wanted);
  return ReleaseWanted(asked, {wanted->name,
                               [made](const Curator& curator, const Caller& caller, const Call& call) {
                                 return ExplainAny(curator, *made, caller, call);
                               },
                               [made](const Curator& curator, const Caller& caller, const Call& call) {
                                 return ReleaseAny(curator, *made, caller, call);
                               },
                               wanted->approval, wanted->text, true});
}

HttpResponse Api::NowOrLater(const Asked& asked, const std::string& what, bool always, Jobs::Work given) {
  const auto tick = asked.dataset->tick();
  if (!always && asked.http.prefer.find("respond-async") == std::string::npos) {
    const WholeTicks ticks(tick, &turns_);
    JobResult result = given(asked.call);
    return Documented(std::move(result.document), result.status);
  }
  Jobs::Work work = [given = std::move(given), tick](const Call& call) {
    const WholeTicks ticks(tick);
    return given(call);
  };
  const auto id = jobs_.Begin(asked.who.name, asked.dataset->name, what, std::move(work), tick);
  if (!id) {
    HttpResponse busy = Failure(StorageError("too many jobs are waiting", {}, "begin another when one has ended"), 503);
    busy.headers.emplace_back("Retry-After", "5");
    return busy;
  }
  const auto job = jobs_.Find(asked.who.name, *id);
  HttpResponse response = Documented(job ? JsonText(JobJson(*job)) + "\n" : std::string(), 202);
  response.headers.emplace_back("Location", "/v1/jobs/" + *id);
  return response;
}

HttpResponse Api::ListJobs(const Asked& asked) {
  nlohmann::json jobs = nlohmann::json::array();
  for (JobView job : jobs_.Of(asked.who.name)) {
    if (!asked.who.may_see(job.dataset)) continue;
    job.result.reset();
    jobs.push_back(JobJson(job));
  }
  return Documented(JsonText({{"jobs", std::move(jobs)}}) + "\n");
}

HttpResponse Api::ShowJob(const Asked& asked) {
  const auto job = jobs_.Find(asked.who.name, asked.values[0]);
  return job && asked.who.may_see(job->dataset) ? Documented(JsonText(JobJson(*job)) + "\n") : NoJob();
}

HttpResponse Api::CancelJob(const Asked& asked) {
  if (!jobs_.Cancel(asked.who.name, asked.values[0])) return NoJob();
  return ShowJob(asked);
}

HttpResponse Api::WatchJob(const Asked& asked) {
  const auto found = jobs_.Find(asked.who.name, asked.values[0]);
  if (!found || !asked.who.may_see(found->dataset)) return NoJob();
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.events = [this, owner = asked.who.name, id = asked.values[0], before = std::string()]() mutable {
    auto job = jobs_.Find(owner, id);
    if (!job) return Events{{}, true};
    const bool ended = job->ended();
    job->result.reset();
    const std::string now = JsonText(JobJson(*job));
    Events events{now == before ? "" : fmt::format("event: {}\ndata: {}\n\n", ended ? "end" : "progress", now), ended};
    before = now;
    return events;
  };
  return response;
}

}  // namespace kith::server
