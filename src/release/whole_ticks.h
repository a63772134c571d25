// When an answer becomes visible. How long its computation takes can depend on the data; that it is there can be seen
// by everybody who asks the same meanwhile, or looks at the history, and as often as they like: so it is kept only at
// whole ticks after the question began.
#pragma once
#include <chrono>

namespace kith {

/// While one lives, answers that are computed in this thread wait for the next tick before they are kept. 0: they do
/// not wait.
class WholeTicks {
 public:
  explicit WholeTicks(std::chrono::milliseconds tick);
  ~WholeTicks();
  WholeTicks(const WholeTicks&) = delete;
  WholeTicks& operator=(const WholeTicks&) = delete;

  /// Until the next tick, if there are ticks in this thread.
  static void Wait();
  /// Ticks are so much earlier than whole numbers of them, so that what is kept can be sent at the whole number.
  static std::chrono::microseconds Earlier(std::chrono::microseconds tick) { return tick / 4; }

 private:
  const WholeTicks* const outer_;
  const std::chrono::steady_clock::time_point began_;
  const std::chrono::microseconds tick_;
};

}  // namespace kith
