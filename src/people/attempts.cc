#include "people/attempts.h"

namespace kith::people {

bool Attempts::TooMany(const std::string& who, std::int64_t now) const {
  const std::lock_guard lock(mutex_);
  const auto line = lines_.find(who);
  return line != lines_.end() && now - line->second.first < span_ && line->second.failures >= most_;
}

void Attempts::Failed(const std::string& who, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  if (lines_.size() >= kRemembered) {
    std::erase_if(lines_, [&](const auto& line) { return now - line.second.first >= span_; });
    if (lines_.size() >= kRemembered) lines_.erase(lines_.begin());
  }
  Line& line = lines_[who];
  if (line.failures == 0 || now - line.first >= span_) line = {now, 0};
  ++line.failures;
}

void Attempts::Succeeded(const std::string& who) {
  const std::lock_guard lock(mutex_);
  lines_.erase(who);
}

}  // namespace kith::people
