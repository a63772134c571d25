// Steps one after another: those that are named, or as time passes. Stops between two steps, never inside one.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/call.h"
#include "base/result.h"
#include "release/release.h"
#include "release/stream/stream.h"

namespace kith {

/// Takes what was released; an error from it ends the run, which returns that error.
using TakeStep = std::function<Result<void>(Answer step)>;

enum class StreamEnd {
  kDone,     // all steps that were named
  kStopped,  // the call was cancelled between two steps; the same call continues
};

/// The steps that are named, ascending.
/// Fails: as Curator::Release; kInvalidArgument if the last one is not over yet: its later rows would never be counted.
Result<StreamEnd> ReleaseSteps(const Curator& curator, const std::shared_ptr<const StreamRelease>& stream,
                               const std::vector<std::int64_t>& ticks, const TakeStep& take, const Caller& caller,
                               const Call& call);

struct FollowOptions {
  std::optional<std::int64_t> from;  // the first step of a new stream; nothing: the present one
  std::int64_t every = 1;            // only every N-th step
  double delay_seconds = 0;          // how long to wait for rows that come late
  bool last_again = false;           // the last step first: its receiver may have missed it in a crash
};

/// Waits for each step to be over, releases it, continues; after the last one that the ledger knows, if there is one.
/// Fails: as Curator::Release; kInvalidArgument if the stream's time is a number: it has no clock to follow.
Result<StreamEnd> FollowStream(const Curator& curator, const std::shared_ptr<const StreamRelease>& stream,
                               const FollowOptions& options, const TakeStep& take, const Caller& caller,
                               const Call& call);

}  // namespace kith
