// Single rows of a ledger: its birth, entries with their postings, sets of cells, text.
#include <fmt/format.h>

#include "base/digest.h"
#include "ledger/old_formats.h"
#include "ledger/store.h"

namespace kith::ledger {

Result<void> Store::ReadBirth() {
  auto birth = connection_->Prepare(
      format_ < 4 ? "SELECT ledger_id, unix_seconds, identity FROM birth WHERE id = 1"
      : format_ == 4
          ? "SELECT ledger_id, unix_seconds, identity, stream, secret, old_format, old_entries FROM birth "
            "WHERE id = 1"
          : "SELECT ledger_id, unix_seconds, identity, stream, secret, born, old_entries, entries_4, columns "
            "FROM birth WHERE id = 1");
  if (!birth) return birth.error();
  const auto row = birth->Step();
  if (!row) return row.error();
  if (!*row) return Tampered("it does not say what it belongs to");
  Birth read;
  read.ledger_id = birth->Bytes(0);
  read.unix_seconds = birth->Int(1);
  read.identity = birth->Bytes(2);
  read.stream = birth_.stream;
  read.born = format_;
  read.old_entries = format_ < 4 ? kAllOld : 0;
  read.entries_4 = old() ? kAllOld : 0;
  if (format_ >= 4) {
    if (format_ == 4 && (birth->Int(3) != 0) != read.stream) return Tampered("it does not say whether it counts steps");
    read.stream = birth->Int(3) != 0;
    read.secret = birth->Bytes(4);
    const std::int64_t born = birth->Int(5);  // in format 4: 0 if in that one
    read.born = born == 0 && format_ == 4 ? 4 : born;
    read.old_entries = birth->Int(6);
    if (!old()) read.entries_4 = birth->Int(7);
    const bool lawful = read.born >= 1 && read.born <= format_ && (!old() || born < 4) &&
                        (read.born < 4 || read.old_entries == 0) && (read.born < 5 || read.entries_4 == 0) &&
                        read.old_entries >= 0 && read.entries_4 >= read.old_entries;
    if (read.secret.size() != 64 || !lawful) return Tampered("its birth is not that of a ledger");
  }
  birth_ = std::move(read);
  return ReadColumnsAndCells(old() ? std::string_view() : birth->Bytes(8));
}

Result<void> Store::ReadColumnsAndCells(std::string_view columns) {
  auto cells = connection_->Prepare("SELECT cell, name FROM cells ORDER BY cell");
  if (!cells) return cells.error();
  while (true) {
    const auto more = cells->Step();
    if (!more) return more.error();
    if (!*more) break;
    if (cells->Int(0) != static_cast<std::int64_t>(birth_.cells.size())) return Tampered("cells are missing");
    birth_.cells.emplace_back(cells->Bytes(1));
  }
  // Older formats know only names, until they are rewritten.
  auto read = old() ? std::vector<LedgerColumn>{{"cell", birth_.cells}} : ReadColumns(columns);
  if (!read || birth_.cells.empty() || !ProperColumns(*read, birth_.cells.size()))
    return Tampered("its cells are not those of its columns");
  birth_.columns = std::move(*read);
  StartWith(birth_.columns);
  return {};
}

Result<NamedSetPtr> Store::FindSet(std::int64_t position, std::string_view digest) {
  CellBook& book = BookAt(position);
  if (auto seen = book.Seen(digest)) return seen;
  const ResetAtEnd reset(read_set_);
  const auto row = read_set_.BindText(1, digest).Step();
  if (!row) return row.error();
  auto set = *row ? book.Read(digest, read_set_.Bytes(0)) : nullptr;
  if (!set) return Tampered("a set of cells is missing or changed");
  return set;
}

Result<void> Store::TakePostings(Entry& entry, bool& more) {
  while (more && replay_postings_.Int(0) == entry.position) {
    if (replay_postings_.Int(1) != static_cast<std::int64_t>(entry.postings.size()))
      return Tampered(fmt::format("postings of entry {} are missing", entry.position));
    auto cells = FindSet(entry.position, replay_postings_.Bytes(4));
    if (!cells) return cells.error();
    Posting posting;
    posting.account = replay_postings_.Bytes(2);
    posting.level = static_cast<Level>(replay_postings_.Int(3));
    posting.cells = std::move(*cells);
    posting.loss = static_cast<LossKind>(replay_postings_.Int(5));
    posting.neighbours = static_cast<Neighbours>(replay_postings_.Int(6));
    posting.covers = static_cast<Covers>(replay_postings_.Int(7));
    posting.tick = replay_postings_.Int(8);
    posting.amount = replay_postings_.Int(9);
    posting.rule = replay_postings_.Bytes(10);
    entry.postings.push_back(std::move(posting));
    const auto row = replay_postings_.Step();
    if (!row) return row.error();
    more = *row;
  }
  return {};
}

Result<void> Store::Replay(std::int64_t after, std::int64_t until, const Take& take) {
  const ResetAtEnd reset(replay_), reset_postings(replay_postings_);
  replay_.Bind(1, after).Bind(2, until);
  bool more = false;  // a posting that has not been taken yet
  if (!old()) {
    const auto row = replay_postings_.Bind(1, after).Bind(2, until).Step();
    if (!row) return row.error();
    more = *row;
  }
  Entry entry;
  std::string text;  // of a generation
  while (true) {
    const auto row = replay_.Step();
    if (!row) return row.error();
    if (!*row) break;
    if (old()) {
      auto read = ReadOldRow(replay_, birth_.stream, book());
      if (!read) return Tampered(fmt::format("entry {} is not a lawful charge", replay_.Int(0)));
      entry = std::move(*read);
    } else {
      entry.postings.clear();
      entry.position = replay_.Int(0);
      entry.kind = static_cast<Kind>(replay_.Int(1));
      entry.number = replay_.Int(2);
      entry.unix_seconds = replay_.Int(3);
      entry.caller = replay_.Bytes(4);
      entry.policy = replay_.Bytes(5);
      entry.subject = replay_.Bytes(6);
      entry.answer_key = replay_.Bytes(7);
      entry.digest = replay_.Bytes(8);
      entry.merged = replay_.Int(9) != 0;
      entry.once = replay_.Int(11) != 0;
      entry.text = {};
      if (entry.kind == Kind::kGeneration && !entry.digest.empty()) {
        auto read = ReadText(entry.position, entry.digest);
        if (!read) return read.error();
        text = std::move(*read);
        entry.text = text;
      }
      if (auto done = TakePostings(entry, more); !done) return done;
    }
    if (const auto wrong = take(entry, replay_.Bytes(10))) return Tampered(*wrong);
  }
  return more ? Result<void>(Tampered("postings belong to no entry")) : Result<void>();
}

Result<void> Store::AppendPostings(const Entry& entry) {
  std::int64_t line = 0;
  for (const Posting& posting : entry.postings) {
    auto done = append_set_.BindText(1, posting.cells->digest).BindText(2, posting.cells->text).Run();
    if (!done) return done;
    done = append_posting_.Bind(1, entry.position)
               .Bind(2, line++)
               .BindText(3, posting.account)
               .Bind(4, static_cast<std::int64_t>(posting.level))
               .BindText(5, posting.cells->digest)
               .Bind(6, static_cast<std::int64_t>(posting.loss))
               .Bind(7, static_cast<std::int64_t>(posting.neighbours))
               .Bind(8, static_cast<std::int64_t>(posting.covers))
               .Bind(9, posting.tick)
               .Bind(10, posting.amount)
               .BindText(11, posting.rule)
               .Run();
    if (!done) return done;
  }
  return {};
}

Result<void> Store::Append(const Entry& entry, std::string_view head) {
  if (old()) return InternalError("nothing is appended to a ledger of an older format");
  append_.Bind(1, entry.position)
      .Bind(2, static_cast<std::int64_t>(entry.kind))
      .Bind(3, entry.number)
      .Bind(4, entry.unix_seconds)
      .BindText(5, entry.caller)
      .BindText(6, entry.policy)
      .BindText(7, entry.subject)
      .BindText(8, entry.answer_key)
      .BindText(9, entry.digest)
      .Bind(10, entry.merged ? 1 : 0)
      .Bind(11, entry.once ? 1 : 0)
      .BindText(12, head);
  if (auto done = append_.Run(); !done) return done;
  return AppendPostings(entry);
}

Result<void> Store::WriteSummary(const View& view) {
  write_summary_.Bind(1, view.position)
      .Bind(2, view.charges)
      .BindText(3, view.head)
      .BindBlob(4, EncodeTotals(view.totals));
  return write_summary_.Run();
}

Result<std::optional<Store::ChargeRow>> Store::FindCharge(std::int64_t number) {
  const ResetAtEnd reset(find_charge_);
  const auto row = find_charge_.Bind(1, number).Step();
  if (!row) return row.error();
  if (!*row) return std::optional<ChargeRow>();
  return std::optional<ChargeRow>({std::string(find_charge_.Bytes(0)), std::string(find_charge_.Bytes(1))});
}

Result<std::optional<Store::NumberRow>> Store::FindChargeByKey(std::string_view answer_key) {
  const ResetAtEnd reset(find_charge_key_);
  const auto row = find_charge_key_.BindText(1, answer_key).Step();
  if (!row) return row.error();
  if (!*row) return std::optional<NumberRow>();
  return std::optional<NumberRow>({find_charge_key_.Int(0), std::string(find_charge_key_.Bytes(1))});
}

Result<std::optional<Store::AnswerRow>> Store::ReadAnswerRow(Statement& statement) {
  const ResetAtEnd reset(statement);
  const auto row = statement.Step();
  if (!row) return row.error();
  if (!*row) return std::optional<AnswerRow>();
  return std::optional<AnswerRow>({statement.Int(0), statement.Int(1), std::string(statement.Bytes(2))});
}

Result<std::optional<Store::AnswerRow>> Store::FindAnswerTo(std::int64_t number) {
  return ReadAnswerRow(find_answer_.Bind(1, number));
}

Result<std::optional<Store::AnswerRow>> Store::FindAnswerByKey(std::string_view answer_key) {
  return ReadAnswerRow(find_key_.BindText(1, answer_key));
}

Result<void> Store::AppendText(std::int64_t position, std::string_view text) {
  return append_text_.Bind(1, position).BindText(2, text).Run();
}

Result<std::string> Store::ReadText(std::int64_t position, std::string_view digest) {
  const ResetAtEnd reset(read_text_);
  const auto row = read_text_.Bind(1, position).Step();
  if (!row) return row.error();
  if (!*row) return Tampered(fmt::format("the text of entry {} is missing", position));
  std::string text(read_text_.Bytes(0));
  if (Sha256(text) != digest) return Tampered(fmt::format("the text of entry {} does not match its digest", position));
  return text;
}

}  // namespace kith::ledger
