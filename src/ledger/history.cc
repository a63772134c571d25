// The history of a ledger, in pages.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "ledger/state.h"

namespace kith {
namespace {

using ledger::Entry;
using ledger::Kind;
using ledger::Posting;

constexpr const char* kChanged = "entries were changed while it was open";

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
    const bool by_caps = ledger::CountsAgainstCaps(posting);
    line.whole = line.whole && (by_caps || ledger::Understood(posting));
    if (by_caps) {
      (posting.loss == ledger::LossKind::kMu ? line.mu : line.delta) += posting.amount;
      if (line.cells.empty()) line.cells = posting.cells->cells;
      line.covers = posting.covers;
    }
    if (!posting.one_sided() || !ledger::Understood(posting)) continue;
    line.one_sided_account = posting.account.substr(ledger::kOneSided.size());
    line.one_sided_units = PlainUnits::Of(posting.amount);
  }
  return line;
}

}  // namespace

Result<void> Ledger::State::ReadCharges(ledger::Past::Mark& at, std::int64_t until, std::int64_t low, std::int64_t high,
                                        const std::function<void(HistoryLine)>& take) {
  auto replayed = store->Replay(at.position, until, [&](const Entry& entry, std::string_view head) {
    auto next = ledger::NextHead(at.head, entry, view.secret);
    if (entry.position != at.position + 1 || next != head)
      return std::optional(fmt::format("entry {} is missing or was changed while it was open", at.position + 1));
    at.head = std::move(next);
    at.position = entry.position;
    if (entry.kind == Kind::kVersion) at.data = entry.number;
    if (entry.kind != Kind::kCharge || entry.number < low || entry.number > high) return std::optional<std::string>();
    take(LineAt(entry, head, at.data));
    return std::optional<std::string>();
  });
  if (!replayed) return replayed;
  return at.position == until ? Result<void>() : store->Tampered(kChanged);
}

// An entry that was verified, or written: it is not read again.
void Ledger::State::FollowNewest(const Entry& entry, const ledger::View& after) {
  ledger::Past::Newest& kept = past.newest();
  if (kept.state.empty()) return;
  if (kept.at.position != entry.position - 1 || entry.kind == Kind::kGeneration) {
    kept = {};
    return;
  }
  if (entry.kind == Kind::kVersion) kept.at.data = entry.number;
  if (entry.kind == Kind::kCharge) kept.lines.push_back(LineAt(entry, after.head, kept.at.data));
  if (kept.lines.size() > static_cast<std::size_t>(ledger::Past::Newest::kMost)) kept.lines.pop_front();
  kept.at.head = after.head;
  kept.at.position = entry.position;
}

HistoryLine Ledger::State::LineAt(const Entry& entry, std::string_view head, std::int64_t data) const {
  HistoryLine line = LineOf(entry);
  line.cells = store->Today(entry.position, std::move(line.cells));
  if (ahead) line.cells = ahead->Image(line.cells);
  line.head = head;
  line.data = data;
  return line;
}

// SQLite says whether another connection changed anything since: then all of it is read and verified again. Cells are
// those of the last generation. Next to the state that writes, something changes all the time, through that one.
Result<void> Ledger::State::ReadNewest() {
  const auto version = store->Version();
  if (!version) return version.error();
  const std::string state =
      fmt::format("{} {} {}", looks_beside ? 0 : *version, view.generation, ahead ? ahead_of : -1);
  ledger::Past::Newest kept = std::exchange(past.newest(), {});  // after a failure nothing is remembered
  const std::int64_t low = std::max<std::int64_t>(1, view.charges - ledger::Past::Newest::kMost + 1);
  if (kept.state != state) kept = {{}, past.Before(low), state};
  auto read = ReadCharges(kept.at, view.position, low, view.charges,
                          [&](HistoryLine line) { kept.lines.push_back(std::move(line)); });
  if (!read) return read;
  if (kept.at.head != view.head) return store->Tampered(kChanged);
  while (!kept.lines.empty() && kept.lines.front().number < low) kept.lines.pop_front();
  past.newest() = std::move(kept);
  return {};
}

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

  const auto has_part = [&](const HistoryLine& line) {
    return page.parts.empty() || std::any_of(page.parts.begin(), page.parts.end(),
                                             [&](const std::string& part) { return line.question.contains(part); });
  };
  const auto take = [&](HistoryLine line) {
    if (!has_part(line)) return;
    lines.push_back(std::move(line));
    lines.back().answered = past.answered(lines.back().number);
  };
  if (low > last - ledger::Past::Newest::kMost) {
    if (auto read = ReadNewest(); !read) return read.error();
    const auto& newest = past.newest().lines;
    const auto first = newest.begin() + (low - newest.front().number);
    for (auto line = first; line != first + (high - low + 1); ++line) {
      if (has_part(*line)) take(*line);
    }
  } else {
    ledger::Past::Mark at = past.Before(low);
    const ledger::Past::Mark* stop = past.After(high);
    auto read = ReadCharges(at, stop != nullptr ? stop->position : view.position, low, high, take);
    if (!read) return read.error();
    if (at.head != (stop != nullptr ? stop->head : view.head)) return store->Tampered(kChanged);
  }
  if (page.newest_first) std::reverse(lines.begin(), lines.end());
  return lines;
}

Result<std::vector<HistoryLine>> Ledger::State::HistoryOf(const HistoryPage& page) {
  constexpr std::int64_t kAtOnce = 4096;
  std::vector<HistoryLine> own;
  HistoryPage part{page.from, kAtOnce, page.newest_first};
  while (static_cast<std::int64_t>(own.size()) < page.count) {
    auto lines = History(part);
    if (!lines) return lines;
    if (lines->empty()) break;
    part.from = lines->back().number + (page.newest_first ? -1 : 1);
    for (HistoryLine& line : *lines) {
      if (line.caller == page.caller && static_cast<std::int64_t>(own.size()) < page.count)
        own.push_back(std::move(line));
    }
    if (part.from == 0) break;  // the first of all was read
  }
  return own;
}

Result<std::vector<HistoryLine>> Ledger::History(const HistoryPage& page) const {
  return state_->Read([&](State& at) { return page.caller.empty() ? at.History(page) : at.HistoryOf(page); });
}

}  // namespace kith
