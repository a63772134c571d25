// How many requests of a kind are computed at once: so many in all, and so many of one user, so that nobody takes all.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace kith::server {

/// Thread-safe. Must outlive the places that it gives.
class Places {
 public:
  Places(int all, int of_user) : all_(all), of_user_(of_user) {}

  /// Given back when it is destroyed. Null: all are taken, or all that one user may have.
  using Place = std::shared_ptr<const void>;
  Place Take(const std::string& user) {
    const std::lock_guard lock(mutex_);
    const auto own = by_user_.find(user);
    if (taken_ == all_ || (own != by_user_.end() && own->second == of_user_)) return nullptr;
    ++taken_;
    ++by_user_[user];
    return {this, [this, user](const void*) { GiveBack(user); }};
  }

 private:
  void GiveBack(const std::string& user) {
    const std::lock_guard lock(mutex_);
    --taken_;
    if (--by_user_[user] == 0) by_user_.erase(user);
  }

  const int all_, of_user_;
  std::mutex mutex_;
  int taken_ = 0;
  std::map<std::string, int> by_user_;
};

}  // namespace kith::server
