#include "ledger/chain.h"

#include "base/check.h"
#include "base/digest.h"

namespace kith::ledger {
namespace {

// Eight bytes, most significant first.
void PutFixed(std::string& out, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>((bits >> (56 - 8 * i)) & 0xff);
  out.append(bytes, sizeof bytes);
}

// A length before every string: two different entries never have the same bytes.
void PutText(std::string& out, std::string_view text) {
  PutFixed(out, static_cast<std::int64_t>(text.size()));
  out.append(text);
}

// Seven bits a byte, least significant first.
void PutVarint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>((value & 0x7f) | 0x80));
  out.push_back(static_cast<char>(value));
}

}  // namespace

std::string FirstHead(const Birth& birth) {
  std::string bytes = "kith ledger 6\n";
  PutText(bytes, birth.ledger_id);
  PutFixed(bytes, birth.unix_seconds);
  PutText(bytes, birth.identity);
  PutFixed(bytes, static_cast<std::int64_t>(birth.cells.size()));
  for (const auto& cell : birth.cells) PutText(bytes, cell);
  PutText(bytes, ColumnsText(birth.columns));
  PutFixed(bytes, birth.stream ? 1 : 0);
  return HmacSha256(birth.secret, bytes);
}

std::string NextHead(std::string_view head, const Entry& entry, std::string_view secret) {
  std::string bytes;
  bytes.reserve(160 + head.size() + entry.caller.size() + entry.policy.size() + entry.subject.size() +
                entry.answer_key.size() + entry.digest.size() + 192 * entry.postings.size());
  bytes = "kith entry 6\n";
  PutText(bytes, head);
  const auto put = [&bytes]<class Field>(const Field& field) {
    if constexpr (std::is_same_v<Field, NamedSetPtr>) {
      KITH_CHECK(field != nullptr);
      PutText(bytes, field->digest);
    } else if constexpr (std::is_convertible_v<Field, std::string_view>) {
      PutText(bytes, field);
    } else {
      PutFixed(bytes, static_cast<std::int64_t>(field));
    }
  };
  EachField(entry, put);
  PutFixed(bytes, static_cast<std::int64_t>(entry.postings.size()));
  for (const Posting& posting : entry.postings) EachField(posting, put);
  return HmacSha256(secret, bytes);
}

std::string EncodeTotals(std::span<const std::int64_t> totals) {
  std::string out;
  for (std::size_t i = 0; i < totals.size();) {
    std::size_t j = i + 1;
    while (j < totals.size() && totals[j] == totals[i]) ++j;
    PutVarint(out, j - i);
    PutVarint(out, static_cast<std::uint64_t>(totals[i]));
    i = j;
  }
  return out;
}

}  // namespace kith::ledger
