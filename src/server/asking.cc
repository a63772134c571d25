// Questions, plans and analyses: bodies of requests to calls of the curator, and its documents as answers.
#include <fmt/format.h>

#include <charconv>

#include "base/json.h"
#include "document/json_line.h"
#include "document/people.h"
#include "document/to_json.h"
#include "people/people.h"
#include "release/whole_ticks.h"
#include "server/api.h"
#include "server/body.h"
#include "server/requests.h"

namespace kith::server {

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
  const auto wanted = QuestionIn(asked.http.body);
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
  const auto explained = curator.Explain(wanted.request, wanted.price, call, anyhow);
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

HttpResponse Api::Release(const Asked& asked) {
  const auto wanted = QuestionIn(asked.http.body);
  return wanted ? ReleaseWanted(asked, "question", *wanted) : Failure(wanted.error());
}

HttpResponse Api::ReleaseWanted(const Asked& asked, const std::string& what, const Wanted& wanted) {
  const auto people = options_.access.people;
  Caller caller = CallerOf(asked);
  const std::string dataset = asked.dataset->name;
  const std::int64_t number = static_cast<std::int64_t>(wanted.approval.value_or(0));
  const auto granted = [&]() -> Result<PlainUnits> {
    if (people == nullptr)
      return InvalidArgument("nobody approves here: there are no users", "approval", "leave it out");
    const auto taken = people->Take(number, caller.name, dataset, wanted.text);
    if (!taken) return taken.error();
    return taken->price;
  };
  if (wanted.approval) {
    const auto price = granted();
    if (!price) return Failure(price.error(), price.error().code == Code::kInvalidArgument ? 403 : 0);
    caller.at_most = *price;
  }
  HttpResponse response =
      NowOrLater(asked, what, false,
                 [curator = asked.dataset->curator, people, dataset, wanted, caller, number](const Call& call) {
                   const auto answer = curator->Release(wanted.request, wanted.price, caller, call);
                   if (answer) return ResultOf(answer);
                   if (number != 0 && NothingCharged(answer.error())) (void)people->PutBack(number);
                   const bool dear = answer.error().parameter == people::kNotApproved && number == 0;
                   if (!dear) return ResultOf(answer);
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
  const auto wanted = PlanIn(asked.http.body);
  if (!wanted) return Failure(wanted.error());
  auto explained = ExplainedPlan(*asked.dataset->curator, *wanted, asked.call);
  return explained ? Documented(std::move(*explained)) : Failure(explained.error());
}

HttpResponse Api::ReleasePlan(const Asked& asked) {
  const auto wanted = PlanIn(asked.http.body);
  return wanted ? ReleaseWanted(asked, "plan", *wanted) : Failure(wanted.error());
}

HttpResponse Api::ExplainAnalysis(const Asked& asked) {
  const auto wanted = AnalysisIn(asked.http.body, asked.dataset->curator->policy());
  if (!wanted) return Failure(wanted.error());
  return Explained(ExplainAny(*asked.dataset->curator, *wanted, CallerOf(asked), asked.call));
}

HttpResponse Api::BeginAnalysis(const Asked& asked) {
  const auto wanted = AnalysisIn(asked.http.body, asked.dataset->curator->policy());
  if (!wanted) return Failure(wanted.error());
  const auto work = [curator = asked.dataset->curator, wanted = *wanted, caller = CallerOf(asked)](const Call& call) {
    const auto answer = ReleaseAny(*curator, wanted, caller, call);
    const bool dear = !answer && answer.error().parameter == people::kNotApproved;
    return dear ? NobodyApproves(answer.error(), "analyses cannot be approved") : ResultOf(answer);
  };
  return NowOrLater(asked, wanted->name, true, work);
}

HttpResponse Api::NowOrLater(const Asked& asked, const std::string& what, bool always, Jobs::Work given) {
  Jobs::Work work = [given = std::move(given), tick = asked.dataset->tick()](const Call& call) {
    const WholeTicks ticks(tick);
    return given(call);
  };
  if (!always && asked.http.prefer.find("respond-async") == std::string::npos) {
    JobResult result = work(asked.call);
    return Documented(std::move(result.document), result.status);
  }
  const auto id = jobs_.Begin(asked.who.name, asked.dataset->name, what, std::move(work), asked.dataset->tick());
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
