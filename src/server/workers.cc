#include "server/workers.h"

#include <utility>

namespace kith::server {

Workers::Workers(std::size_t threads) {
  threads_.reserve(threads);
  try {
    while (threads_.size() < threads) threads_.emplace_back([this] { Run(); });
  } catch (...) {  // as many as there can be is not what was asked for
    Join();
    throw;
  }
}

Workers::~Workers() { Join(); }

void Workers::Post(Work work) {
  std::unique_lock lock(mutex_);
  if (idle_.empty()) {
    waiting_.push_back(std::move(work));
    return;
  }
  Idle* const one = idle_.back();
  idle_.pop_back();
  lock.unlock();
  one->work = std::move(work);  // nothing else knows it now
  one->woken.Call();
}

void Workers::Join() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (Idle* one : idle_) one->woken.Call();  // without work
    idle_.clear();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Workers::Run() {
  Idle self;
  std::unique_lock lock(mutex_);
  while (true) {
    if (!waiting_.empty()) {
      self.work = std::move(waiting_.front());
      waiting_.pop_front();
    } else if (ending_) {
      return;
    } else {
      idle_.push_back(&self);
      lock.unlock();
      self.woken.Wait();
      lock.lock();
      if (!self.work) continue;
    }
    lock.unlock();
    self.work();
    self.work = nullptr;  // what it holds ends here, and not when the next comes
    lock.lock();
  }
}

}  // namespace kith::server
