#include "ledger/chain.h"

#include "base/check.h"
#include "base/digest.h"
#include "ledger/bytes.h"

namespace kith::ledger {

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
  PutFixed(bytes, entry.position);
  PutFixed(bytes, static_cast<std::int64_t>(entry.kind));
  PutFixed(bytes, entry.number);
  PutFixed(bytes, entry.unix_seconds);
  for (const auto text : {entry.caller, entry.policy, entry.subject, entry.answer_key, entry.digest})
    PutText(bytes, text);
  PutFixed(bytes, entry.merged ? 1 : 0);
  PutFixed(bytes, entry.once ? 1 : 0);
  PutFixed(bytes, entry.carried ? 1 : 0);
  PutFixed(bytes, static_cast<std::int64_t>(entry.postings.size()));
  for (const Posting& posting : entry.postings) {
    KITH_CHECK(posting.cells != nullptr);
    PutText(bytes, posting.account);
    PutFixed(bytes, static_cast<std::int64_t>(posting.level));
    PutText(bytes, posting.cells->digest);
    PutFixed(bytes, static_cast<std::int64_t>(posting.loss));
    PutFixed(bytes, static_cast<std::int64_t>(posting.neighbours));
    PutFixed(bytes, static_cast<std::int64_t>(posting.covers));
    PutFixed(bytes, posting.tick);
    PutFixed(bytes, posting.amount);
    PutText(bytes, posting.rule);
  }
  return HmacSha256(secret, bytes);
}

std::string EncodeTotals(std::span<const std::int64_t> totals) {
  Pairs pairs(totals.size());
  for (std::size_t i = 0; i < totals.size();) {
    std::size_t j = i + 1;
    while (j < totals.size() && totals[j] == totals[i]) ++j;
    pairs.Put(j - i, static_cast<std::uint64_t>(totals[i]));
    i = j;
  }
  return pairs.Take();
}

}  // namespace kith::ledger
