// What was asked and how long it took: totals for Prometheus, and a line for the log. No data, and no text of a
// client's.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace kith::server {

/// Thread-safe.
class Traffic {
 public:
  /// `log` may be empty.
  explicit Traffic(std::function<void(const std::string&)> log) : log_(std::move(log)) {}
  /// `labels`: by what it is counted, as Prometheus writes it. `line`: what the log says of it, after the time.
  void Note(const std::string& labels, std::chrono::duration<double> took, const std::string& line);
  /// NAMEs_total, of which `about` says what they are, and NAME_seconds_total.
  std::string Totals(const std::string& name, const std::string& about) const;

 private:
  struct Count {
    std::uint64_t times = 0;
    double seconds = 0;
  };
  const std::function<void(const std::string&)> log_;
  mutable std::mutex mutex_;
  std::map<std::string, Count> counts_;  // by labels
};

}  // namespace kith::server
