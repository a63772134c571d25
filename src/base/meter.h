// What a thread may still do for a request: for computations that are too deep to be handed a flag, such as ranges of
// expressions and bounds on losses. Steps are counted, never timed: whether a question is refused for them follows from
// question and policy alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/cancel.h"
#include "base/result.h"

namespace kith {

class Meter {
 public:
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t kPlanning = 50'000'000;  // of one request: some two seconds

  /// Ends the work around it (Metered) if it was stopped, or if this is more than it may do. Outside of such work:
  /// nothing. Steps of about 50 ns.
  static void Count(std::uint64_t steps);
  /// One step, and the flag is looked at: once in every round of something that takes longer.
  static void Look();
  /// The same in every 64th of many short rounds.
  static void LookAt(std::size_t round) {
    if (round % 64 == 0) Look();
  }
  /// For threads that help with the work; nullptr: it cannot be stopped.
  static const CancelFlag* flag();

  Meter(std::uint64_t most, const CancelFlag& cancel);
  ~Meter();
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  /// Until it ends, nothing is counted on this thread and nothing is stopped: for what must not be left half done.
  class Pause {
   public:
    Pause();
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Meter* const paused_;
  };

  /// Thrown by Count and Look, only to the Metered that it belongs to.
  struct Ended {
    const Meter* of = nullptr;
    bool stopped = false;
    Error Why() const;
  };

 private:
  std::uint64_t left_, unlooked_ = 0;
  const CancelFlag& cancel_;
  Meter* const around_;
};

/// Does what returns a Result, at most so many steps of it. Inside other such work its steps count there, too.
/// Fails: also kCancelled, and kUnsupportedQuery if there were too many steps.
template <class Do>
auto Metered(std::uint64_t most, const CancelFlag& cancel, const Do& work) -> decltype(work()) {
  const Meter meter(most, cancel);
  try {
    return work();
  } catch (const Meter::Ended& ended) {
    if (ended.of != &meter) throw;
    return ended.Why();
  }
}

}  // namespace kith
