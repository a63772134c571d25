// Streams over HTTP: what holds for everybody, and steps in the past, as a job. Nobody follows a stream here: those who
// want the next step ask for it when it is over.
#include <fmt/format.h>

#include "base/json.h"
#include "document/json_line.h"
#include "document/stream_head.h"
#include "document/to_json.h"
#include "loss/loss_text.h"
#include "people/people.h"
#include "release/stream/follow.h"
#include "release/stream/stream_text.h"
#include "server/api.h"
#include "server/body.h"
#include "server/question.h"

namespace kith::server {
namespace {

constexpr std::size_t kMostSteps = 1000;

struct WantedSteps {
  StreamRequest request;
  bool steps = false;  // some were named
};

Result<WantedSteps> StreamIn(const std::string& text) {
  WantedSteps wanted;
  std::string rule = "uniform", ticks;
  const auto read = Fields(ObjectIn(text))
                        .Must("statistic", wanted.request.statistic)
                        .Must("epsilon", wanted.request.epsilon)
                        .May("rule", rule)
                        .May("rate", wanted.request.rate)
                        .May("steps", ticks)
                        .Finish();
  if (!read) return read.error();
  const auto sharing = stream::SharingOf(rule);
  if (!sharing) return sharing.error();
  wanted.request.sharing = *sharing;
  wanted.steps = !ticks.empty();
  if (!wanted.steps) return wanted;
  auto list = StepListOf(ticks, kMostSteps);
  if (!list) return list.error();
  wanted.request.asked = std::move(*list);
  return wanted;
}

// A curator approves one question at one price. What a stream may lose in one window is its price here: were it that of
// a step, a step could be refused between its test and its publication, and be lost. Steps that were released before
// are free for everybody.
Caller WithinApproval(const StreamRelease& stream, Caller caller) {
  if (caller.at_most && *caller.at_most < stream.terms().units()) caller.at_most = PlainUnits();
  return caller;
}

// An analyst must not be told where the policy's file is.
Result<std::shared_ptr<const StreamRelease>> Opened(const Curator& curator, const StreamRequest& request) {
  if (!curator.policy().stream)
    return InvalidArgument("this dataset describes no stream", {},
                           "ask a question about it, or a curator for a stream");
  return curator.OpenStream(request);
}

JobResult Failed(const Error& error, int status = 0) {
  const HttpResponse failed = status != 0 ? Failure(error, status) : Failure(error);
  return {failed.status, failed.body, error.code};
}

// What ends a run at a step is only about that step: the ones before it stay charged and released.
JobResult EndedAt(Error error, std::int64_t tick, std::size_t before, bool charged_before, const StreamRelease& stream,
                  const Caller& caller) {
  const bool dear = error.parameter == people::kNotApproved && caller.at_most;
  if (dear) {
    error = NobodyApproves(std::move(error), "nobody approves streams");
    error.what = fmt::format(
        "a stream that may lose more than {} of plain loss in a window needs a curator's approval; it was not charged",
        LeftText(caller.at_most->epsilon()));
    error.where = fmt::format("this one may lose {}", LossText(stream.terms().units().epsilon()));
  }
  error.what = fmt::format("at step {}: {}", tick, error.what);
  if (error.code == Code::kBudgetExhausted) error.next = "ask for less, or for steps that were released before (free)";
  if (charged_before) error.charged = Charged::kYes;
  if (before == 1) error.next += "; the step before it was released, and is free when it is asked for again";
  if (before > 1)
    error.next +=
        fmt::format("; the {} steps before it were released, and are free when they are asked for again", before);
  return Failed(error, dear ? 403 : 0);
}

}  // namespace

HttpResponse Api::ExplainStream(const Asked& asked) {
  const auto wanted = StreamIn(asked.http.body);
  if (!wanted) return Failure(wanted.error());
  const Curator& curator = *asked.dataset->curator;
  const auto stream = Opened(curator, wanted->request);
  if (!stream) return Failure(stream.error());
  return Documented(document::JsonLine(document::HeadOf(**stream, curator.policy())));
}

HttpResponse Api::ReleaseSteps(const Asked& asked) {
  const auto wanted = StreamIn(asked.http.body);
  if (!wanted) return Failure(wanted.error());
  if (!wanted->steps)
    return Failure(InvalidArgument("the request names no steps", {}, "\"steps\" is like 0..95").For("steps"));
  const auto stream = Opened(*asked.dataset->curator, wanted->request);
  if (!stream) return Failure(stream.error());
  const Caller asks = CallerOf(asked);
  return NowOrLater(asked, "stream", true,
                    [curator = asked.dataset->curator, stream = *stream, ticks = wanted->request.asked, asks,
                     caller = WithinApproval(**stream, asks)](const Call& call) -> JobResult {
                      Json steps = Json::array();
                      bool charged = false;
                      const auto take = [&](const Answer& step) -> Result<void> {
                        steps.push_back(document::StepToJson(step));
                        charged = charged || !step.stored;
                        return {};
                      };
                      const auto end = kith::ReleaseSteps(*curator, stream, ticks, take, caller, call);
                      if (!end && steps.size() < ticks.size() && (!steps.empty() || end.error().parameter != "steps"))
                        return EndedAt(end.error(), ticks[steps.size()], steps.size(), charged, *stream, asks);
                      if (!end) return Failed(end.error());
                      // What was released until then is given again, free.
                      if (*end == StreamEnd::kStopped)
                        return Failed(Cancelled("stopped between two steps; what was charged stays charged")
                                          .That(charged ? Charged::kYes : Charged::kNo));
                      const Json all = {{"stream", document::ToJson(document::HeadOf(*stream, curator->policy()))},
                                        {"steps", std::move(steps)}};
                      return {200, JsonText(all), {}};
                    });
}

}  // namespace kith::server
