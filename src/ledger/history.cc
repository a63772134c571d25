// The history of a ledger, in pages.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "ledger/state.h"

namespace kith {
namespace {

using ledger::Entry;
using ledger::Kind;
using ledger::Posting;

PlainUnits LargestOf(const std::map<std::size_t, std::int64_t>& sums) {
  std::int64_t most = 0;
  for (const auto& [cell, sum] : sums) most = std::max(most, sum);
  return PlainUnits::Of(std::min(most, PlainUnits::kMax));
}

// What a charge took from the cell that it took most from, and which cells it took from. Cells are
// those of the generation that it was made under.
void AddPlain(const Entry& entry, HistoryLine& line) {
  std::map<std::size_t, std::int64_t> sums, of_presence;
  bool one = true;
  for (const Posting& posting : entry.postings) {
    if (posting.account != ledger::kPlain || !ledger::Understood(posting)) continue;
    line.covers = posting.covers;
    line.level = posting.level;
    line.tick = std::max<std::int64_t>(posting.tick, 0);
    if (std::exchange(one, false) && posting.neighbours == ledger::Neighbours::kBoth) {
      line.units = line.presence = PlainUnits::Of(posting.amount);
      line.cells = posting.cells->cells;
      continue;
    }
    if (sums.empty()) {
      for (const std::size_t cell : line.cells) sums[cell] = of_presence[cell] = line.units.count();
    }
    for (const std::size_t cell : posting.cells->cells) {
      if (posting.neighbours != ledger::Neighbours::kPresence) sums[cell] += posting.amount;
      if (posting.neighbours != ledger::Neighbours::kContent) of_presence[cell] += posting.amount;
    }
  }
  if (sums.empty()) return;
  line.cells.clear();
  for (const auto& [cell, sum] : sums) line.cells.push_back(cell);
  line.units = LargestOf(sums);
  line.presence = LargestOf(of_presence);
}

HistoryLine LineOf(const Entry& entry) {
  HistoryLine line;
  line.number = entry.number;
  line.unix_seconds = entry.unix_seconds;
  line.question = entry.subject;
  line.policy = entry.policy;
  line.caller = entry.caller;
  AddPlain(entry, line);
  for (const Posting& posting : entry.postings) {
    line.whole = line.whole && ledger::Understood(posting);
    if (!posting.one_sided() || !ledger::Understood(posting)) continue;
    line.one_sided_account = posting.account.substr(ledger::kOneSided.size());
    line.one_sided_units = PlainUnits::Of(posting.amount);
  }
  return line;
}

}  // namespace

Result<std::vector<HistoryLine>> Ledger::State::History(const HistoryPage& page) {
  if (page.from < 0 || page.count < 0) return InvalidArgument("a page of the history begins with a charge");
  std::vector<HistoryLine> lines;
  const std::int64_t last = view.charges;
  const std::int64_t from = page.from != 0 ? page.from : page.newest_first ? last : 1;
  const std::int64_t count = std::min(page.count, last);
  std::int64_t low = from, high = count > last - from ? last : from + count - 1;
  if (page.newest_first) {
    high = std::min(from, last);
    low = std::max<std::int64_t>(1, high - count + 1);
  }
  if (low > high) return lines;

  ledger::Past::Mark at = past.Before(low);
  const ledger::Past::Mark* stop = past.After(high);
  const std::int64_t until = stop != nullptr ? stop->position : view.position;
  auto replayed = store->Replay(at.position, until, [&](const Entry& entry, std::string_view head) {
    auto next = ledger::NextHead(at.head, entry, view.formula);
    if (entry.position != at.position + 1 || next != head)
      return std::optional(fmt::format("entry {} is missing or was changed while it was open", at.position + 1));
    at.head = std::move(next);
    at.position = entry.position;
    if (entry.kind == Kind::kVersion) at.data = entry.number;
    if (entry.kind != Kind::kCharge || entry.number < low || entry.number > high) return std::optional<std::string>();
    lines.push_back(LineOf(entry));
    lines.back().cells = store->Today(entry.position, std::move(lines.back().cells));
    if (ahead) lines.back().cells = ahead->Image(lines.back().cells);
    lines.back().head = SafeHead(entry.number, head);
    lines.back().answered = past.answered(entry.number);
    lines.back().data = at.data;
    return std::optional<std::string>();
  });
  if (!replayed) return replayed.error();
  if (at.position != until || at.head != (stop != nullptr ? stop->head : view.head))
    return store->Tampered("entries were changed while it was open");
  if (page.newest_first) std::reverse(lines.begin(), lines.end());
  return lines;
}

Result<std::vector<HistoryLine>> Ledger::History(const HistoryPage& page) const {
  return state_->Read([&] { return state_->History(page); });
}

}  // namespace kith
