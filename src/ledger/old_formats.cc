#include "ledger/old_formats.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "ledger/bytes.h"

namespace kith::ledger {
namespace {

constexpr std::string_view kMark = "one-sided ";

bool TakeSign(std::string_view& text, std::string_view sign) {
  if (!text.starts_with(sign)) return false;
  text.remove_prefix(sign.size());
  return true;
}

// What only old rows say, and in another way.
struct OldFields {
  std::int64_t units = 0, tick = 0, how = 0;
  std::string cells, question;
};

bool Ordinary(const Posting& posting) {
  return posting.level == Level::kPerson && posting.loss == LossKind::kPure &&
         posting.neighbours == Neighbours::kBoth && posting.cells != nullptr && posting.cells->known &&
         posting.amount >= 0;
}

// The fields of a charge whose postings are exactly those that ReadOldRow makes, so that what the digest covers is all
// that they say.
std::optional<OldFields> FieldsOfCharge(const Entry& entry, bool stream) {
  if (entry.postings.empty() || entry.postings.size() > 2 || entry.merged || entry.once != stream) return std::nullopt;
  const Posting& plain = entry.postings.front();
  if (plain.account != kPlain || !Ordinary(plain) || !plain.rule.empty() || (plain.tick == kNoStep) == stream)
    return std::nullopt;
  OldFields old{plain.amount, stream ? plain.tick : 0, static_cast<std::int64_t>(plain.covers),
                EncodeCells(plain.cells->cells), std::string(entry.subject)};
  if (entry.postings.size() == 1) return ClaimsOneSided(entry.subject) ? std::nullopt : std::optional(std::move(old));
  const Posting& part = entry.postings.back();
  const bool lawful = part.one_sided() && Ordinary(part) && part.cells->cells.empty() && part.tick == kNoStep &&
                      part.covers == Covers::kAny && part.amount > 0;
  if (!lawful) return std::nullopt;
  old.question =
      WithOneSided(part.amount, std::string_view(part.account).substr(kOneSided.size()), part.rule, entry.subject);
  return old;
}

std::optional<OldFields> FieldsOf(const Entry& entry, const Formula& formula, std::int64_t format) {
  if (!entry.caller.empty()) return std::nullopt;
  if (entry.kind == Kind::kCharge) {
    auto old = FieldsOfCharge(entry, formula.stream);
    return old && format < 4 && old->how != 0 ? std::nullopt : old;
  }
  if (!entry.postings.empty() || entry.once) return std::nullopt;
  OldFields old;
  old.question = entry.subject;
  old.how = entry.merged ? 1 : 0;
  if (entry.kind == Kind::kAnswer && !entry.merged) return old;
  if (entry.kind == Kind::kVersion && format == 4) return old;
  if (entry.kind != Kind::kFormat || format != 4 || entry.merged) return std::nullopt;
  old.units = formula.old_entries;
  return old;
}

}  // namespace

std::vector<std::string> OldSchemaOf(std::int64_t format, bool stream) {
  const bool old = format < 4;
  std::vector<std::string> all = {
      std::string("CREATE TABLE birth (id INTEGER PRIMARY KEY CHECK (id = 1), ledger_id TEXT NOT NULL, unix_seconds "
                  "INTEGER NOT NULL, identity TEXT NOT NULL") +
          (old ? ""
               : ", stream INTEGER NOT NULL CHECK (stream IN (0, 1)), secret TEXT NOT NULL, old_format INTEGER NOT "
                 "NULL, old_entries INTEGER NOT NULL") +
          ") STRICT",
      "CREATE TABLE cells (cell INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
      fmt::format("CREATE TABLE entries (position INTEGER PRIMARY KEY, kind INTEGER NOT NULL CHECK (kind IN ({})), "
                  "number INTEGER NOT NULL CHECK (number > 0), unix_seconds INTEGER NOT NULL, units INTEGER NOT NULL "
                  "CHECK (units >= 0), cells BLOB NOT NULL, policy TEXT NOT NULL, question TEXT NOT NULL, answer_key "
                  "TEXT NOT NULL, answer_digest TEXT NOT NULL, {}{}head TEXT NOT NULL) STRICT",
                  old ? "1, 2" : "1, 2, 3, 4", !old || stream ? "tick INTEGER NOT NULL CHECK (tick >= 0), " : "",
                  old ? "" : "how INTEGER NOT NULL CHECK (how IN (0, 1)), "),
      "CREATE UNIQUE INDEX entry_by_number ON entries (number, kind)",
      "CREATE INDEX answer_by_key ON entries (answer_key) WHERE kind = 2",
  };
  if (stream) all.emplace_back("CREATE UNIQUE INDEX charge_by_key ON entries (answer_key) WHERE kind = 1");
  all.emplace_back(
      "CREATE TABLE answers (position INTEGER PRIMARY KEY REFERENCES entries (position), answer TEXT NOT NULL) STRICT");
  all.emplace_back(
      "CREATE TABLE summary (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL, charges INTEGER NOT "
      "NULL, head TEXT NOT NULL, totals BLOB NOT NULL) STRICT");
  return all;
}

std::string OldReplay(std::int64_t format, bool stream, std::string_view table) {
  return fmt::format(
      "SELECT position, kind, number, unix_seconds, units, cells, policy, question, answer_key, answer_digest, head, "
      "{}, {} FROM {} WHERE position > ? AND position <= ? ORDER BY position",
      format < 4 && !stream ? "0" : "tick", format < 4 ? "0" : "how", table);
}

std::optional<Entry> ReadOldRow(const Statement& row, bool stream, CellBook& book) {
  Entry entry;
  entry.position = row.Int(0);
  entry.kind = static_cast<Kind>(row.Int(1));
  entry.number = row.Int(2);
  entry.unix_seconds = row.Int(3);
  entry.policy = row.Bytes(6);
  entry.subject = row.Bytes(7);
  entry.answer_key = row.Bytes(8);
  entry.digest = row.Bytes(9);
  const std::int64_t tick = row.Int(11), how = row.Int(12);
  if (entry.kind != Kind::kCharge) {
    entry.merged = how == 1;
    return entry;
  }
  const auto cells = DecodeCells(row.Bytes(5), book.size());
  if (!cells || (how != 0 && how != 1) || tick < 0) return std::nullopt;
  entry.once = stream;
  Posting plain;
  plain.cells = book.Of(*cells);
  plain.covers = static_cast<Covers>(how);
  plain.tick = stream ? tick : kNoStep;
  plain.amount = row.Int(4);
  entry.postings.push_back(std::move(plain));
  if (!ClaimsOneSided(entry.subject)) return entry;
  const auto part = ReadOneSided(entry.subject);
  if (!part) return std::nullopt;
  Posting one_sided;
  one_sided.account = std::string(kOneSided).append(part->account);
  one_sided.cells = book.Of({});
  one_sided.covers = Covers::kAny;
  one_sided.amount = part->units;
  one_sided.rule = part->rule;
  entry.postings.push_back(std::move(one_sided));
  entry.subject = part->question;
  return entry;
}

std::string OldFirstHead(const Birth& birth) {
  const bool old = birth.born < 4;
  std::string bytes = !old ? "kith ledger 4\n" : birth.stream ? "kith ledger 2\n" : "kith ledger 1\n";
  PutText(bytes, birth.ledger_id);
  PutFixed(bytes, birth.unix_seconds);
  PutText(bytes, birth.identity);
  PutFixed(bytes, static_cast<std::int64_t>(birth.cells.size()));
  for (const auto& cell : birth.cells) PutText(bytes, cell);
  if (old) return Sha256(bytes);
  PutFixed(bytes, birth.stream ? 1 : 0);
  return HmacSha256(birth.secret, bytes);
}

std::string OldNextHead(std::string_view head, const Entry& entry, const Formula& formula, std::int64_t format) {
  const auto fields = FieldsOf(entry, formula, format);
  if (!fields) return {};
  const bool old = format < 4;
  std::string bytes = !old ? "kith entry 4\n" : formula.stream ? "kith entry 2\n" : "kith entry 1\n";
  PutText(bytes, head);
  PutFixed(bytes, entry.position);
  PutFixed(bytes, static_cast<std::int64_t>(entry.kind));
  PutFixed(bytes, entry.number);
  PutFixed(bytes, entry.unix_seconds);
  PutFixed(bytes, fields->units);
  for (const std::string_view text : {std::string_view(fields->cells), entry.policy, std::string_view(fields->question),
                                      entry.answer_key, entry.digest}) {
    PutText(bytes, text);
  }
  if (!old || formula.stream) PutFixed(bytes, fields->tick);
  if (old) return Sha256(bytes);
  PutFixed(bytes, fields->how);
  return HmacSha256(formula.secret, bytes);
}

std::string WithOneSided(std::int64_t units, std::string_view account, std::string_view rule,
                         std::string_view question) {
  return fmt::format("{}{} {}:{} {}:{}; {}", kMark, units, account.size(), account, rule.size(), rule, question);
}

bool ClaimsOneSided(std::string_view text) { return text.starts_with(kMark); }

std::optional<OneSidedPart> ReadOneSided(std::string_view text) {
  if (!TakeSign(text, kMark)) return std::nullopt;
  const auto units = TakeNumber(text, ' ');
  if (!units || *units == 0 || *units > PlainUnits::kMax) return std::nullopt;
  const auto account = TakeText(text);
  if (!account || !TakeSign(text, " ")) return std::nullopt;
  const auto rule = TakeText(text);
  if (!rule || !TakeSign(text, "; ")) return std::nullopt;
  return OneSidedPart{*units, *account, *rule, text};
}

}  // namespace kith::ledger
