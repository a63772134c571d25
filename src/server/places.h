// How many requests of a kind are computed at once: so many in all, and so many of one user, so that nobody takes all.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace kith::server {

/// Thread-safe. Must outlive the places that it gives.
class Places {
 public:
  Places(int all, int of_user) : all_(all), of_user_(of_user) {}

  /// Given back when it is destroyed.
  class Place {
   public:
    Place(Place&& other) noexcept : of_(other.of_), user_(std::move(other.user_)) { other.of_ = nullptr; }
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (of_ != nullptr) of_->GiveBack(user_);
    }

   private:
    friend class Places;
    Place(Places* of, std::string user) : of_(of), user_(std::move(user)) {}
    Places* of_;
    std::string user_;
  };

  /// None if all are taken, or all that one user may have.
  std::optional<Place> Take(const std::string& user) {
    const std::lock_guard lock(mutex_);
    const auto own = by_user_.find(user);
    if (taken_ == all_ || (own != by_user_.end() && own->second == of_user_)) return std::nullopt;
    ++taken_;
    ++by_user_[user];
    return Place(this, user);
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
