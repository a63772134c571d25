// Single rows of a ledger: its birth, entries with their postings, sets of cells, text.
#include <fmt/format.h>

#include "base/digest.h"
#include "ledger/store.h"

namespace kith::ledger {

namespace {

/// Fields from a row, from a column on.
struct Taking {
  const Statement& row;
  int column;
  template <class Field>
  void operator()(Field& field) {
    if constexpr (std::is_same_v<Field, bool>)
      field = row.Int(column++) != 0;
    else if constexpr (std::is_integral_v<Field> || std::is_enum_v<Field>)
      field = static_cast<Field>(row.Int(column++));
    else
      field = row.Bytes(column++);
  }
};

/// Fields to the parameters of a statement, from an index on.
struct Binding {
  Statement& statement;
  int index;
  template <class Field>
  void operator()(const Field& field) {
    if constexpr (std::is_same_v<Field, NamedSetPtr>)
      statement.BindText(index++, field->digest);
    else if constexpr (std::is_convertible_v<Field, std::string_view>)
      statement.BindText(index++, field);
    else
      statement.Bind(index++, static_cast<std::int64_t>(field));
  }
};

}  // namespace

Result<void> Store::ReadBirth() {
  auto birth =
      connection_->Prepare("SELECT ledger_id, unix_seconds, identity, columns, stream, secret FROM birth WHERE id = 1");
  if (!birth) return birth.error();
  const auto row = birth->Step();
  if (!row) return row.error();
  if (!*row) return Tampered("it does not say what it belongs to");
  birth_ = {.ledger_id = std::string(birth->Bytes(0)),
            .unix_seconds = birth->Int(1),
            .identity = std::string(birth->Bytes(2)),
            .stream = birth->Int(4) != 0,
            .secret = std::string(birth->Bytes(5))};
  if (birth_.secret.size() != 64) return Tampered("its birth is not that of a ledger");
  return ReadColumnsAndCells(birth->Bytes(3));
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
  auto read = ReadColumns(columns);
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
    Posting posting;
    Taking take{replay_postings_, 2};
    Result<NamedSetPtr> cells = nullptr;
    EachField(posting, [&]<class Field>(Field& field) {
      if constexpr (std::is_same_v<Field, NamedSetPtr>)
        cells = FindSet(entry.position, replay_postings_.Bytes(take.column++));
      else
        take(field);
    });
    if (!cells) return cells.error();
    posting.cells = std::move(*cells);
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
  const auto first = replay_postings_.Bind(1, after).Bind(2, until).Step();
  if (!first) return first.error();
  bool more = *first;  // a posting that has not been taken yet
  Entry entry;
  std::string text;  // of a generation
  while (true) {
    const auto row = replay_.Step();
    if (!row) return row.error();
    if (!*row) break;
    entry.postings.clear();  // its room is used again
    entry = {.postings = std::move(entry.postings)};
    Taking field{replay_, 0};
    EachField(entry, field);
    if (entry.kind == Kind::kGeneration && !entry.digest.empty()) {
      auto read = ReadText(entry.position, entry.digest);
      if (!read) return read.error();
      text = std::move(*read);
      entry.text = text;
    }
    if (auto done = TakePostings(entry, more); !done) return done;
    if (const auto wrong = take(entry, replay_.Bytes(field.column))) return Tampered(*wrong);
  }
  return more ? Result<void>(Tampered("postings belong to no entry")) : Result<void>();
}

Result<void> Store::AppendPostings(const Entry& entry) {
  std::int64_t line = 0;
  for (const Posting& posting : entry.postings) {
    auto done = append_set_.BindText(1, posting.cells->digest).BindText(2, posting.cells->text).Run();
    if (!done) return done;
    append_posting_.Bind(1, entry.position).Bind(2, line++);
    EachField(posting, Binding{append_posting_, 3});
    done = append_posting_.Run();
    if (!done) return done;
  }
  return {};
}

Result<void> Store::Append(const Entry& entry, std::string_view head) {
  Binding field{append_, 1};
  EachField(entry, field);
  append_.BindText(field.index, head);
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
