#include "people/attempts.h"

#include <algorithm>

namespace kith::people {

bool Attempts::Over(const Line& line, std::int64_t now) const {
  constexpr std::int64_t kDay = 24 * 60 * 60;
  return then_ == Then::kOver ? now - line.first >= span_ : now - line.last >= std::max(kDay, span_);
}

bool Attempts::MustWait(const std::string& who, std::int64_t now) const {
  const std::lock_guard lock(mutex_);
  const auto found = lines_.find(who);
  if (found == lines_.end() || found->second.failures < most_ || Over(found->second, now)) return false;
  constexpr int kMostDoublings = 30;
  const std::int64_t wait = std::int64_t{1} << std::min(found->second.failures - most_, kMostDoublings);
  return then_ == Then::kOver || now - found->second.last < std::min(wait, span_);
}

void Attempts::Failed(const std::string& who, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  if (lines_.size() >= kRemembered && !lines_.contains(who)) {
    std::erase_if(lines_, [&](const auto& line) { return Over(line.second, now); });
    // Those that were quiet longest: nobody can choose whose failures are forgotten.
    const auto oldest = std::min_element(lines_.begin(), lines_.end(),
                                         [](const auto& a, const auto& b) { return a.second.last < b.second.last; });
    if (lines_.size() >= kRemembered) lines_.erase(oldest);
  }
  Line& line = lines_[who];
  if (line.failures == 0 || Over(line, now)) line = {now, now, 0};
  line.last = now;
  ++line.failures;
}

int Attempts::Forgive(const std::string& who, int failures) {
  const std::lock_guard lock(mutex_);
  const auto found = lines_.find(who);
  if (found == lines_.end()) return 0;
  const int forgiven = std::min(failures, found->second.failures);
  found->second.failures -= forgiven;
  if (found->second.failures == 0) lines_.erase(found);
  return forgiven;
}

}  // namespace kith::people
