// How often somebody failed recently. In memory: a restart forgets, but takes longer than waiting.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace kith::people {

class Attempts {
 public:
  Attempts(int most, std::int64_t span) : most_(most), span_(span) {}
  /// Whether `who` failed as often as is allowed within the span that began with the first failure.
  bool TooMany(const std::string& who, std::int64_t now) const;
  void Failed(const std::string& who, std::int64_t now);
  void Succeeded(const std::string& who);

 private:
  static constexpr std::size_t kRemembered = 65'536;
  struct Line {
    std::int64_t first = 0;
    int failures = 0;
  };
  const int most_;
  const std::int64_t span_;
  mutable std::mutex mutex_;
  std::map<std::string, Line> lines_;
};

}  // namespace kith::people
