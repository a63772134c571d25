// Alarms about the declared dependence: kept for good, whatever is declared later.
#include <algorithm>

#include "base/clock.h"
#include "ledger/state.h"

namespace kith {

using ledger::Entry;
using ledger::Kind;

Result<void> Ledger::State::RaiseAlarm(const std::string& about, const std::string& found) {
  if (auto accepted = Accept(); !accepted) return accepted;
  auto transaction = BeginWrite();
  if (!transaction) return transaction.error();
  const auto same = [&](const AlarmLine& alarm) { return alarm.about == about && alarm.found == found; };
  if (std::any_of(view.alarms.begin(), view.alarms.end(), same)) return {};
  if (auto may = MayCharge(); !may) return may;
  std::vector<Step> steps;
  steps.push_back({Entry(), view});
  Entry& entry = steps.front().entry;
  entry.position = view.position + 1;
  entry.kind = Kind::kAlarm;
  entry.number = static_cast<std::int64_t>(view.alarms.size()) + 1;
  entry.unix_seconds = UnixSeconds();
  entry.policy = binding.policy;
  entry.subject = found;
  entry.answer_key = about;
  if (steps.front().after.Add(entry) || steps.front().after.alarms.size() == view.alarms.size())
    return InvalidArgument("this is no alarm that a ledger keeps", places.file.string());
  return Write(*transaction, std::move(steps));
}

Result<void> Ledger::RaiseAlarm(const std::string& about, const std::string& found) {
  const std::lock_guard lock(state_->mutex);
  return state_->RaiseAlarm(about, found);
}

Result<std::vector<AlarmLine>> Ledger::Alarms() const {
  return state_->Read([&](State& at) -> Result<std::vector<AlarmLine>> {
    if (auto may = at.MayTotal(); !may) return may.error();
    return at.view.alarms;
  });
}

}  // namespace kith
