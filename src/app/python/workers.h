// Threads that answer, kept between answers: a new one for each would need its own memory, stack and generator of
// random bits, which takes a fifth of a small answer.
#pragma once
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace kith {

/// Thread-safe.
class Workers {
 public:
  /// Those of this process: threads do not survive into a child.
  static Workers& Of() {
    static std::atomic<Workers*> current = nullptr;
    Workers* known = current.load();
    while (known == nullptr || known->process_ != ::getpid()) {
      auto made = std::unique_ptr<Workers>(new Workers());
      if (!current.compare_exchange_strong(known, made.get())) continue;
      known = made.release();  // never ends: its threads wait until the process ends
    }
    return *known;
  }

  /// Has an idle thread do it, without waiting for it.
  void Do(std::function<void()> work) {
    Worker* worker = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        worker = idle_.back();
        idle_.pop_back();
      }
    }
    if (worker == nullptr) {
      worker = new Worker();
      std::thread([this, worker] { Run(*worker); }).detach();
    }
    const std::lock_guard lock(worker->mutex);
    worker->work = std::move(work);
    worker->woken.notify_one();
  }

 private:
  struct Worker {
    std::mutex mutex;
    std::condition_variable woken;
    std::function<void()> work;
  };

  Workers() = default;

  [[noreturn]] void Run(Worker& worker) {
    while (true) {
      std::function<void()> work;
      {
        std::unique_lock lock(worker.mutex);
        worker.woken.wait(lock, [&] { return static_cast<bool>(worker.work); });
        work = std::exchange(worker.work, nullptr);
      }
      work();
      work = nullptr;  // what it holds is let go of before the thread is idle
      const std::lock_guard lock(mutex_);
      idle_.push_back(&worker);
    }
  }

  const pid_t process_ = ::getpid();
  std::mutex mutex_;
  std::vector<Worker*> idle_;
};

}  // namespace kith
