#include "release/stream/follow.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/clock.h"

namespace kith {
namespace {

constexpr std::int64_t kDay = 86'400'000'000;  // in microseconds

// Now, in the numbers of the time column. Requires: a date or a timestamp.
std::int64_t NowOf(const Stream& rules) {
  const std::int64_t now = UnixMicroseconds();
  return rules.type == ColumnType::kTimestamp ? now : now / kDay;
}

// Microseconds until a step is over and late rows have had their time; 0 or less: it is.
std::int64_t UntilOver(const Stream& rules, std::int64_t tick, double delay_seconds) {
  const std::int64_t end = rules.start + (tick + 1) * rules.step;
  const std::int64_t scale = rules.type == ColumnType::kDate ? kDay : 1;
  return end * scale - UnixMicroseconds() + static_cast<std::int64_t>(delay_seconds * 1e6);
}

// False if the call was cancelled before the step was over.
bool WaitFor(const Stream& rules, std::int64_t tick, double delay_seconds, const CancelFlag& cancel) {
  constexpr std::int64_t kLook = 100'000;
  while (!cancel.cancelled()) {
    const std::int64_t wait = UntilOver(rules, tick, delay_seconds);
    if (wait <= 0) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(std::min(wait, kLook)));
  }
  return false;
}

// A step that is interrupted would be lost, and it takes milliseconds: it is not.
Result<void> One(const Curator& curator, const std::shared_ptr<const StreamRelease>& stream, std::int64_t tick,
                 const TakeStep& take, const Caller& caller, const Call& call) {
  Call whole = call;
  whole.cancel = CancelFlag();
  auto step = curator.Release(StepRequest{stream, tick}, {}, caller, whole);
  if (!step) return step.error();
  return take(std::move(*step));
}

}  // namespace

Result<StreamEnd> ReleaseSteps(const Curator& curator, const std::shared_ptr<const StreamRelease>& stream,
                               const std::vector<std::int64_t>& ticks, const TakeStep& take, const Caller& caller,
                               const Call& call) {
  const Stream& rules = *curator.policy().stream;
  if (!ticks.empty() && rules.type != ColumnType::kInteger && UntilOver(rules, ticks.back(), 0) > 0) {
    return InvalidArgument(fmt::format("step {} is not over yet: its later rows would never be counted", ticks.back()),
                           {}, "ask for steps in the past, or follow the stream, which waits")
        .For("ticks");
  }
  for (const std::int64_t tick : ticks) {
    if (call.cancel.cancelled()) return StreamEnd::kStopped;
    if (auto done = One(curator, stream, tick, take, caller, call); !done) return done.error();
  }
  return StreamEnd::kDone;
}

Result<StreamEnd> FollowStream(const Curator& curator, const std::shared_ptr<const StreamRelease>& stream,
                               const FollowOptions& options, const TakeStep& take, const Caller& caller,
                               const Call& call) {
  const Stream& rules = *curator.policy().stream;
  if (rules.type == ColumnType::kInteger) {
    return InvalidArgument("a time that is a number has no clock to follow", {},
                           "name the steps, or declare the time as a date or timestamp")
        .For("ticks");
  }
  const auto last = curator.LastStep(*stream);
  if (!last) return last.error();
  if (options.last_again && *last) {
    if (auto done = One(curator, stream, **last, take, caller, call); !done) return done.error();
  }
  const std::int64_t present = std::max<std::int64_t>(0, (NowOf(rules) - rules.start) / rules.step);
  for (std::int64_t tick = *last ? **last + options.every : options.from.value_or(present);; tick += options.every) {
    if (!WaitFor(rules, tick, options.delay_seconds, call.cancel)) return StreamEnd::kStopped;
    if (auto done = One(curator, stream, tick, take, caller, call); !done) return done.error();
  }
}

}  // namespace kith
