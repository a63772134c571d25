// A flag that one thread (or a signal handler) sets and long work looks at.
#pragma once
#include <atomic>

namespace kith {

class CancelFlag {
 public:
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
};

}  // namespace kith
