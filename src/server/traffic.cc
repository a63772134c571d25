#include "server/traffic.h"

#include <fmt/format.h>

#include <ctime>

namespace kith::server {

void Traffic::Note(const std::string& labels, std::chrono::duration<double> took, const std::string& line) {
  {
    const std::lock_guard lock(mutex_);
    Count& count = counts_[labels];
    ++count.times;
    count.seconds += took.count();
  }
  if (!log_) return;
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char time[32];
  const std::size_t size = std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &parts);
  log_(fmt::format("{} {}", std::string_view(time, size), line));
}

std::string Traffic::Totals(const std::string& name, const std::string& about) const {
  const std::lock_guard lock(mutex_);
  std::string out = fmt::format("# HELP {0}s_total {1}\n# TYPE {0}s_total counter\n", name, about);
  for (const auto& [labels, count] : counts_) out += fmt::format("{}s_total{{{}}} {}\n", name, labels, count.times);
  out +=
      fmt::format("# HELP {0}_seconds_total Time until they were answered.\n# TYPE {0}_seconds_total counter\n", name);
  for (const auto& [labels, count] : counts_)
    out += fmt::format("{}_seconds_total{{{}}} {:.6f}\n", name, labels, count.seconds);
  return out;
}

}  // namespace kith::server
