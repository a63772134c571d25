// The hash chain: what an entry is and the bytes that are hashed. Byte layout: docs/guide/ledger_format.md
// Claims: claims/ledger.md, LEDGER-3 and LEDGER-6
#pragma once
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ledger/cells.h"
#include "ledger/ledger.h"

namespace kith::ledger {

enum class Kind : std::int64_t {
  kCharge = 1,
  kAnswer = 2,
  kVersion = 3,     // the charges after it are about other data
  kGeneration = 4,  // another policy with a map of cells (growth.h)
  kSeal = 5,        // nothing more may be charged
  kAlarm = 6,       // the declared dependence was contradicted
  kCap = 7,         // from here on Gaussian loss is counted, and its sums may never exceed what the postings say
};

/// Whose record may change.
using Level = UnitLevel;
enum class LossKind : std::int64_t { kPure = 1, kMu = 2, kRho = 3, kDelta = 4 };
/// What the amount bounds: whether somebody is there, what a record says, or both alike.
enum class Neighbours : std::int64_t { kPresence = 1, kContent = 2, kBoth = 3 };

inline constexpr std::string_view kPlain = "plain";
inline constexpr std::string_view kOneSided = "one-sided:";  // and the attribute
inline constexpr std::string_view kAnalyst = "analyst:";     // and the name
inline constexpr std::int64_t kNoStep = -1;

/// One line of a charge or a cap.
struct Posting {
  std::string account = std::string(kPlain);
  Level level = Level::kPerson;
  NamedSetPtr cells;  // for an account that is not kept per cell: none
  LossKind loss = LossKind::kPure;
  Neighbours neighbours = Neighbours::kBoth;
  Covers covers = Covers::kMove;
  std::int64_t tick = kNoStep;  // of a stream: the step that is paid for
  std::int64_t amount = 0;      // for every cell; pure loss in units of 2^-32
  std::string rule;             // one-sided: which rows are sensitive

  bool one_sided() const { return account.starts_with(kOneSided); }
  bool analyst() const { return account.starts_with(kAnalyst); }
};

/// One row of the chain with its postings. Borrows most strings from its maker.
struct Entry {
  std::int64_t position = 0;  // 1, 2, 3, ... over all entries
  Kind kind = Kind::kCharge;
  std::int64_t number = 0;  // 1, 2, 3, ... over its kind; answer: the charge it answers
  std::int64_t unix_seconds = 0;
  std::string_view caller;      // charge: who asked
  std::string_view policy;      // charge, version: fingerprint of the policy it was made under
  std::string_view subject;     // charge: the normalised question; version: its label; seal: the ledger that continues
  std::string_view answer_key;  // charge, answer: as given; version: the import; alarm: which declaration
  std::string_view digest;      // SHA-256 of the text that belongs to it (answer, generation)
  std::string_view text;        // generation: the text that `digest` is of
  bool merged = false;          // version: cells were merged
  bool once = false;            // charge: no other may have its key (steps of a stream)
  bool carried = false;         // charge: of what another ledger counted
  std::vector<Posting> postings;
};

/// Calls `field` with every field of an entry, but for its postings, in the order of its row and of the bytes that are
/// hashed. What is not listed here is neither stored nor covered by the chain.
template <class E, class Field>
requires std::same_as<std::remove_const_t<E>, Entry>
void EachField(E& entry, Field&& field) {
  field(entry.position);
  field(entry.kind);
  field(entry.number);
  field(entry.unix_seconds);
  field(entry.caller);
  field(entry.policy);
  field(entry.subject);
  field(entry.answer_key);
  field(entry.digest);
  field(entry.merged);
  field(entry.once);
  field(entry.carried);
}

/// The same for a posting. Of its cells the digest is stored and hashed.
template <class P, class Field>
requires std::same_as<std::remove_const_t<P>, Posting>
void EachField(P& posting, Field&& field) {
  field(posting.account);
  field(posting.level);
  field(posting.cells);
  field(posting.loss);
  field(posting.neighbours);
  field(posting.covers);
  field(posting.tick);
  field(posting.amount);
  field(posting.rule);
}

/// What is fixed when a ledger is created; the chain starts from its digest.
struct Birth {
  std::string ledger_id;  // random: distinguishes two ledgers of the same policy
  std::int64_t unix_seconds = 0;
  std::string identity;
  std::vector<std::string> cells;  // names, in order
  std::vector<LedgerColumn> columns;
  bool stream = false;  // charges are for steps of a stream
  std::string secret;   // 256 random bits, hexadecimal
};

std::string FirstHead(const Birth& birth);
std::string NextHead(std::string_view head, const Entry& entry, std::string_view secret);

/// Totals as runs of equal cells.
std::string EncodeTotals(std::span<const std::int64_t> totals);

}  // namespace kith::ledger
