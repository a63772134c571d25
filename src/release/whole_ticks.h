// When an answer becomes visible. How long its computation takes can depend on the data; that it is there can be seen,
// as often as they like, by all who ask the same in the meantime or look at the history: so it is kept only at
// whole ticks after the question began.
#pragma once
#include <chrono>
#include <cstddef>
#include <semaphore>

namespace kith {

/// This many threads may compute at a time; others wait for their turn. A thread that waits for a tick needs none.
class Turns {
 public:
  explicit Turns(std::size_t most) : free_(static_cast<std::ptrdiff_t>(most)) {}
  void Take() { free_.acquire(); }
  void GiveBack() { free_.release(); }

 private:
  std::counting_semaphore<> free_;
};

/// While one lives, answers that are computed in this thread wait for the next tick before they are kept. 0: they do
/// not wait. `turns`: one is taken first, and given back when all that is left is to wait and to keep the answer,
/// so that when it is kept does not depend on what others compute.
class WholeTicks {
 public:
  explicit WholeTicks(std::chrono::milliseconds tick, Turns* turns = nullptr);
  ~WholeTicks();
  WholeTicks(const WholeTicks&) = delete;
  WholeTicks& operator=(const WholeTicks&) = delete;

  /// Until the next tick, if there are ticks in this thread.
  static void Wait();
  /// Ticks are this much earlier than whole numbers of them, so that what is kept can be sent at the whole number.
  static std::chrono::microseconds Earlier(std::chrono::microseconds tick) { return tick / 4; }

 private:
  const WholeTicks* const outer_;
  const std::chrono::steady_clock::time_point began_;
  const std::chrono::microseconds tick_;
  mutable Turns* turns_;  // nothing: it no longer has one

  void EndTurn() const;
};

}  // namespace kith
