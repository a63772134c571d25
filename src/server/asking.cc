// Questions, plans and analyses: bodies of requests to calls of the curator, and its documents as answers.
#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <memory>

#include "base/json.h"
#include "document/codes.h"
#include "document/from_json.h"
#include "document/json_line.h"
#include "document/people.h"
#include "document/to_json.h"
#include "people/people.h"
#include "release/whole_ticks.h"
#include "server/api.h"
#include "server/body.h"
#include "server/question.h"
#include "server/requests.h"

namespace kith::server {

namespace {

JobResult ResultOf(const Result<Answer>& answer, bool curator) {
  if (answer) return {200, document::JsonLine(*answer), {}};
  const Error error = WithoutPlaces(answer.error(), curator);
  return {document::HttpStatusOf(error.code), document::JsonLine(error), error.code};
}

HttpResponse Explained(const Result<Explanation>& explanation) {
  return explanation ? Documented(document::JsonLine(*explanation)) : Failure(explanation.error());
}

Json JobJson(const JobView& job) {
  Json out = {{"id", job.id},       {"dataset", job.dataset}, {"what", job.what},
              {"state", job.state}, {"stage", job.stage},     {"seconds", job.seconds}};
  if (job.result) {
    out["status"] = job.result->status;
    out["result"] = Json::parse(job.result->document, nullptr, false);
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

HttpResponse Api::Release(const Asked& asked) {
  const auto wanted = QuestionIn(asked.http.body);
  return wanted ? ReleaseWanted(asked, AsWanted("question", *wanted)) : Failure(wanted.error());
}

HttpResponse Api::ReleaseWanted(const Asked& asked, const Wanted& wanted) {
  const auto people = options_.people;
  const std::string dataset = asked.dataset->name;
  const auto caller = WithApproval(people.get(), dataset, wanted, CallerOf(asked));
  if (!caller) return Failure(caller.error(), caller.error().code == Code::kInvalidArgument ? 403 : 0);
  HttpResponse response = NowOrLater(
      asked, wanted.what, wanted.always_job,
      [curator = asked.dataset->curator, people, dataset, wanted, caller = *caller,
       is_curator = asked.who.role == people::Role::kCurator](const Call& call) -> JobResult {
        const auto answer = AskFor(*curator, people.get(), dataset, wanted, caller, call, [](std::int64_t number) {
          return fmt::format("ask the same again with \"approval\": {}", number);
        });
        // Waits for a curator, or was approved for other data or at another price.
        const bool not_approved = !answer && answer.error().parameter == people::kNotApproved;
        if (not_approved) return {403, document::JsonLine(answer.error()), answer.error().code};
        return ResultOf(answer, is_curator);
      });
  const bool not_begun = response.status == 503 && !response.headers.empty();
  if (wanted.approval && not_begun) (void)people->PutBack(static_cast<std::int64_t>(*wanted.approval));
  return response;
}

HttpResponse Api::Approvals(const Asked& asked) {
  if (options_.people == nullptr) return Documented(document::JsonLine(std::vector<people::Approval>()));
  const bool own = asked.who.role == people::Role::kAnalyst;
  const auto found = options_.people->Approvals(own ? asked.who.user : "", asked.dataset->name, !own);
  return found ? Documented(document::JsonLine(*found)) : Failure(found.error());
}

HttpResponse Api::Decide(const Asked& asked) {
  bool granted = false;
  std::string reason;
  const auto read = Fields(ObjectIn(asked.http.body)).Must("granted", granted).May("reason", reason).Finish();
  if (!read) return Failure(read.error());
  const std::string& text = asked.values[1];
  std::int64_t number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto people = options_.people;
  const bool none = people == nullptr || wrong != std::errc() || end != text.data() + text.size();
  const auto found = none ? Result<people::Approval>(InvalidArgument("")) : people->FindApproval(number);
  if (!found || found->dataset != asked.dataset->name)
    return Failure(InvalidArgument("nothing of this number waits", {}, "GET .../approvals lists what does"), 404);
  const auto decided = people->Decide(number, {asked.who.user, people::Role::kCurator, {}, {}}, granted, reason);
  if (!decided) return Failure(decided.error());
  return Documented(document::JsonLine(std::vector<people::Approval>{*decided}));
}

HttpResponse Api::ExplainPlan(const Asked& asked) {
  const auto wanted = PlanIn(asked.http.body);
  if (!wanted) return Failure(wanted.error());
  return Explained(asked.dataset->curator->Explain(wanted->request, wanted->price, asked.call, CallerOf(asked)));
}

HttpResponse Api::ReleasePlan(const Asked& asked) {
  const auto wanted = PlanIn(asked.http.body);
  return wanted ? ReleaseWanted(asked, AsWanted("plan", *wanted)) : Failure(wanted.error());
}

HttpResponse Api::ExplainAnalysis(const Asked& asked) {
  const auto wanted = AnalysisIn(asked.http.body, asked.dataset->curator->policy());
  if (!wanted) return Failure(wanted.error());
  return Explained(ExplainAny(*asked.dataset->curator, wanted->analysis, wanted->epsilon, CallerOf(asked), asked.call));
}

HttpResponse Api::BeginAnalysis(const Asked& asked) {
  const auto wanted = AnalysisIn(asked.http.body, asked.dataset->curator->policy());
  if (!wanted) return Failure(wanted.error());
  const auto made = std::make_shared<const WantedAnalysis>(*wanted);
  return ReleaseWanted(asked, {wanted->name,
                               [made](const Curator& curator, const Caller& caller, const Call& call) {
                                 return ExplainAny(curator, made->analysis, made->epsilon, caller, call);
                               },
                               [made](const Curator& curator, const Caller& caller, const Call& call) {
                                 return ReleaseAny(curator, made->analysis, made->epsilon, caller, call);
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
  const auto id = jobs_.Begin(asked.who.user, asked.dataset->name, what, std::move(work), tick);
  if (!id) {
    HttpResponse busy = Failure(StorageError("too many jobs are waiting", {}, "begin another when one has ended"), 503);
    busy.headers.emplace_back("Retry-After", "5");
    return busy;
  }
  const auto job = jobs_.Find(asked.who.user, *id);
  HttpResponse response = Documented(job ? JsonText(JobJson(*job)) + "\n" : std::string(), 202);
  response.headers.emplace_back("Location", "/v1/jobs/" + *id);
  return response;
}

HttpResponse Api::ListJobs(const Asked& asked) {
  Json jobs = Json::array();
  for (JobView job : jobs_.Of(asked.who.user)) {
    if (!asked.who.MaySee(job.dataset)) continue;
    job.result.reset();
    jobs.push_back(JobJson(job));
  }
  return Documented(JsonText({{"jobs", std::move(jobs)}}) + "\n");
}

HttpResponse Api::ShowJob(const Asked& asked) {
  const auto job = jobs_.Find(asked.who.user, asked.values[0]);
  return job && asked.who.MaySee(job->dataset) ? Documented(JsonText(JobJson(*job)) + "\n") : NoJob();
}

HttpResponse Api::CancelJob(const Asked& asked) {
  if (!jobs_.Cancel(asked.who.user, asked.values[0])) return NoJob();
  return ShowJob(asked);
}

HttpResponse Api::WatchJob(const Asked& asked) {
  const auto found = jobs_.Find(asked.who.user, asked.values[0]);
  if (!found || !asked.who.MaySee(found->dataset)) return NoJob();
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.events = [this, owner = asked.who.user, id = asked.values[0], before = std::string()]() mutable {
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
