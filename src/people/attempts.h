// How often somebody failed recently. In memory: a restart forgets, but takes longer than waiting.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace kith::people {

class Attempts {
 public:
  enum class Then {
    kOver,    // until the span that began with the first failure is over
    kLonger,  // one second after the last failure, then two, four, ... up to the span; a day without one forgets them
  };
  /// After `most` failures, one has to wait.
  Attempts(int most, std::int64_t span, Then then = Then::kOver) : most_(most), span_(span), then_(then) {}
  bool MustWait(const std::string& who, std::int64_t now) const;
  void Failed(const std::string& who, std::int64_t now);
  /// Takes back so many failures, or all; returns how many.
  int Forgive(const std::string& who, int failures = 1 << 30);

 private:
  static constexpr std::size_t kRemembered = 65'536;
  struct Line {
    std::int64_t first = 0, last = 0;
    int failures = 0;
  };
  bool Over(const Line& line, std::int64_t now) const;

  const int most_;
  const std::int64_t span_;
  const Then then_;
  mutable std::mutex mutex_;
  std::map<std::string, Line> lines_;
};

}  // namespace kith::people
