#include "release/stream/follow.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "base/int128.h"
#include "release/stream/stream.h"

namespace kith {
namespace {

constexpr std::int64_t kDay = 86'400'000'000;  // in microseconds

// Now, in the numbers of the time column. Requires: a date or a timestamp.
std::int64_t NowOf(const Stream& rules) {
  const std::int64_t now = UnixMicroseconds();
  return rules.type == ColumnType::kTimestamp ? now : now / kDay;
}

// Microseconds until a step is over and late rows have had their time; 0 or less: it is. In 128 bits: a number that
// wrapped around would be a step of the far future that counts as over.
Int128 UntilOver(const Stream& rules, std::int64_t tick, double delay_seconds) {
  const Int128 end = rules.start + (Int128{tick} + 1) * rules.step;
  const Int128 scale = rules.type == ColumnType::kDate ? kDay : 1;
  return end * scale - UnixMicroseconds() + static_cast<Int128>(delay_seconds * 1e6);
}

// Steps that can be written down and, where time has a clock, are over. All of them, before any is charged.
Result<void> CheckOver(const Stream& rules, const std::vector<std::int64_t>& ticks) {
  for (const std::int64_t tick : ticks) {
    if (auto there = CheckTick(rules, tick); !there) return there;
    if (rules.type != ColumnType::kInteger && UntilOver(rules, tick, 0) > 0) {
      return InvalidArgument(fmt::format("step {} is not over yet: its later rows would never be counted", tick), {},
                             "ask for steps that are over")
          .For("steps");
    }
  }
  return {};
}

// False if the call was cancelled before the step was over.
bool WaitFor(const Stream& rules, std::int64_t tick, double delay_seconds, const CancelFlag& cancel) {
  constexpr std::int64_t kLook = 100'000;
  while (!cancel.cancelled()) {
    const Int128 wait = UntilOver(rules, tick, delay_seconds);
    if (wait <= 0) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(static_cast<std::int64_t>(std::min<Int128>(wait, kLook))));
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
  if (auto over = CheckOver(rules, ticks); !over) return over.error();
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
        .For("steps");
  }
  const auto last = curator.LastStep(*stream);
  if (!last) return last.error();
  if (options.last_again && *last) {
    if (auto done = One(curator, stream, **last, take, caller, call); !done) return done.error();
  }
  const std::int64_t present = std::max<std::int64_t>(0, (NowOf(rules) - rules.start) / rules.step);
  const std::int64_t every = std::min(options.every, rules.LastTick() + 1);
  for (std::int64_t tick = *last ? **last + every : options.from.value_or(present);; tick += every) {
    if (auto there = CheckTick(rules, tick); !there) return there.error();
    if (!WaitFor(rules, tick, options.delay_seconds, call.cancel)) return StreamEnd::kStopped;
    if (auto done = One(curator, stream, tick, take, caller, call); !done) return done.error();
  }
}

}  // namespace kith
