#include "release/alarm.h"

#include "analysis/check/alarm.h"
#include "release/guarantee.h"

namespace kith {

Result<std::string> AlarmUnder(const Ledger& book, const Dependence& declared) {
  const auto alarms = book.Alarms();
  if (!alarms) return alarms.error();
  if (alarms->empty()) return std::string();
  const std::string declaration = declared.Declaration();
  std::string last;
  for (const AlarmLine& alarm : *alarms) {
    const auto found = check::AlarmFrom(alarm.found);
    if (alarm.about == declaration || (found && check::Contradicts(*found, declared))) last = AlarmWarning(alarm);
  }
  return last;
}

}  // namespace kith
