// Threads that work for connections. There are many, since most of them may wait for the end of a tick, but few are
// needed at a time where nothing waits: work goes to the thread that was the last to have some, whose memory is
// still near the processor.
#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/wake.h"

namespace kith::server {

class Workers {
 public:
  using Work = std::function<void()>;

  explicit Workers(std::size_t threads);
  /// As Join().
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Work that no thread is free for waits, and begins in the order in which it came. It throws nothing.
  void Post(Work work);
  /// Until all that was posted is done; nothing may be posted afterwards.
  void Join();

 private:
  struct Idle {
    Wake woken;
    Work work;
  };

  void Run();

  std::mutex mutex_;
  std::vector<Idle*> idle_;  // the last that became idle is at the end
  std::deque<Work> waiting_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kith::server
