#include "ledger/view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "loss/loss.h"

namespace kith::ledger {
namespace {

std::string Wrong(const Entry& entry, std::string_view what) {
  return fmt::format("entry {} {}", entry.position, what);
}

constexpr const char* kTooMuch = "charges more than any limit allows";

}  // namespace

View View::AtBirth(const Birth& birth) {
  View view;
  view.head = FirstHead(birth);
  view.totals.assign(birth.cells.size(), 0);
  view.any = view.recent_ = view.recent_any_ = view.totals;
  view.formula = Formula::Of(birth);
  return view;
}

std::optional<std::string> View::Add(const Entry& entry, CellReader& reader) {
  return AddWithHead(entry, NextHead(head, entry, formula), reader);
}

std::optional<std::string> View::AddVerified(const Entry& entry, std::string_view stored_head, CellReader& reader) {
  if (entry.position != position + 1) return Wrong(entry, fmt::format("follows entry {}: some are missing", position));
  auto next = NextHead(head, entry, formula);
  if (next != stored_head) return Wrong(entry, "does not match its digest: it, or one before it, was changed");
  return AddWithHead(entry, std::move(next), reader);
}

std::optional<std::string> View::AddWithHead(const Entry& entry, std::string next_head, CellReader& reader) {
  const bool old = entry.position <= formula.old_entries;
  // What an old digest does not cover must be as it was when there was no such column.
  if (old && (entry.how != 0 || (entry.tick != 0 && !formula.stream))) return Wrong(entry, "is not of its format");
  const bool turn = formula.old_format != 0 && entry.position == formula.old_entries + 1;
  if (turn != (entry.kind == Kind::kFormat)) return Wrong(entry, "is not where the format changed");
  switch (entry.kind) {
    case Kind::kAnswer:
      if (entry.number < 1 || entry.number > charges) return Wrong(entry, "answers a charge that does not exist");
      break;
    case Kind::kCharge:
      if (auto wrong = AddCharge(entry, reader)) return wrong;
      break;
    case Kind::kData:
      if (old) return Wrong(entry, "is not of its format");
      if (auto wrong = AddData(entry)) return wrong;
      break;
    case Kind::kFormat:
      if (entry.number != formula.old_format || entry.units != formula.old_entries)
        return Wrong(entry, "does not say where the format changed");
      old_charges_ = charges;
      break;
    default:
      return Wrong(entry, "is not the next charge");
  }
  position = entry.position;
  head = std::move(next_head);
  return std::nullopt;
}

std::optional<std::string> View::AddCharge(const Entry& entry, CellReader& reader) {
  if (entry.number != charges + 1) return Wrong(entry, "is not the next charge");
  KITH_CHECK(reader.cell_count() == totals.size());
  const CellSet* cells = reader.Read(entry.cells);
  const bool lawful = cells != nullptr && entry.units >= 0 && entry.units <= PlainUnits::kMax && entry.tick >= 0 &&
                      (entry.how == 0 || entry.how == 1);
  if (!lawful) return Wrong(entry, "is not a lawful charge");
  const auto part = ReadOneSided(entry.question);
  if (!part && ClaimsOneSided(entry.question)) return Wrong(entry, "is not a lawful one-sided charge");
  for (const std::size_t cell : *cells) {
    if (!formula.stream && totals[cell] > PlainUnits::kMax - entry.units) return Wrong(entry, kTooMuch);
  }
  if (part && !one_sided.Add(*part)) return Wrong(entry, kTooMuch);
  const auto add = [&](std::vector<std::int64_t>& sums) {
    for (const std::size_t cell : *cells) sums[cell] = std::min(sums[cell] + entry.units, PlainUnits::kMax);
  };
  add(totals);
  add(recent_);
  if (static_cast<Covers>(entry.how) == Covers::kAny) {
    add(any);
    add(recent_any_);
  }
  charged = charged || (entry.units > 0 && !cells->empty());
  charges = entry.number;
  policy = entry.policy;
  return std::nullopt;
}

std::optional<std::string> View::AddData(const Entry& entry) {
  if (entry.number != data.number + 1) return Wrong(entry, "is not the next replacement of the data");
  if (entry.units != 0 || (entry.how != 0 && entry.how != 1)) return Wrong(entry, "is not a lawful replacement");
  if (entry.how == 0) {
    CloseData();
    apart = apart || charged;
  } else if (!Merge()) {
    return Wrong(entry, kTooMuch);
  }
  data = {entry.number, std::string(entry.question), std::string(entry.answer_key)};
  return std::nullopt;
}

// Merging takes the largest of both parts, each by itself: then any + distance * (total - any) bounds every unit's
// loss.
void View::CloseData() {
  constexpr std::int64_t kBeyond = 2 * PlainUnits::kMax;  // no sum that was cut here can pass for a lawful one
  std::int64_t move = 0, all = 0;
  for (std::size_t cell = 0; cell < recent_.size(); ++cell) {
    move = std::max(move, recent_[cell] - recent_any_[cell]);
    all = std::max(all, recent_any_[cell]);
  }
  worst_move_ = std::min(worst_move_ + move, kBeyond);
  worst_any_ = std::min(worst_any_ + all, kBeyond);
  std::fill(recent_.begin(), recent_.end(), 0);
  std::fill(recent_any_.begin(), recent_any_.end(), 0);
}

bool View::Merge() {
  View merged = *this;
  merged.CloseData();
  const std::int64_t whole = merged.worst_move_ + merged.worst_any_;
  if (!formula.stream && whole > PlainUnits::kMax) return false;
  *this = std::move(merged);
  std::fill(totals.begin(), totals.end(), std::min(whole, PlainUnits::kMax));
  std::fill(any.begin(), any.end(), std::min(worst_any_, PlainUnits::kMax));
  moved = moved || charged;
  apart = false;
  return true;
}

std::int64_t View::SafeFrom() const {
  if (formula.old_format == 0) return 0;
  return position > formula.old_entries ? old_charges_ : charges;
}

}  // namespace kith::ledger
