// What a ledger says after some of its entries: totals, accounts, the data it counts for. Replaying the entries gives
// it.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/accounts.h"
#include "ledger/chain.h"
#include "ledger/growth.h"
#include "ledger/ledger.h"

namespace kith::ledger {

/// Amounts of cells; one beyond every limit is the largest.
std::vector<PlainUnits> UnitsOf(const std::vector<std::int64_t>& amounts);

/// What was charged to plain accounts, per cell, each limited to PlainUnits::kMax.
struct Sums {
  std::vector<std::int64_t> totals;     // of any change of a record; of a stream: of all its steps
  std::vector<std::int64_t> any;        // the part of them that covers any change (Covers::kAny)
  std::vector<std::int64_t> household;  // the part of `any` that was charged about households
  std::vector<std::int64_t> presence;   // of somebody who comes or goes: at most the total

  Sums() = default;
  explicit Sums(std::size_t cells) : totals(cells), any(cells), household(cells), presence(cells) {}
  /// Requires: Understood(posting), to plain accounts.
  void Add(const Posting& posting);
  /// For each cell of the map the largest of those that it comes from. Three parts are mapped separately: what was
  /// charged about households, what else covers any change, and moves; and presence, which is nowhere more than the
  /// total, before and after. `within` becomes false if a total is beyond every limit.
  Sums Under(const CellMap& to, bool& within) const;
};

struct View : Sums {
  std::int64_t position = 0;
  std::int64_t charges = 0;
  std::string head;
  std::string secret;  // of the chain
  bool stream = false;
  Accounts<OneSidedAccount> one_sided;
  Accounts<AnalystAccount> analysts;
  std::string policy;  // of the last charge; empty before the first
  DataState data;
  std::vector<LedgerColumn> columns;            // that divide the units into the cells of the totals
  std::int64_t generation = 0;                  // number of the last generation; 0: none was recorded
  std::shared_ptr<const Generation> policy_of;  // what it says
  std::shared_ptr<const CellMap> map;           // from the cells before it to its own
  std::optional<LedgerGaussian> gaussian;       // where there are caps; `before` is empty as long as they are open
  std::vector<AlarmLine> alarms;                // about whatever was declared at the time
  bool charged = false;                         // units were charged
  bool moved = false;                           // cells were merged after units were charged
  bool apart = false;    // data were replaced after units were charged, and cells were not merged since then
  bool uneven = false;   // some cells were charged and others not, since cells were merged
  bool by_cell = false;  // the same, ever, or perhaps in a ledger whose losses were carried to this one
  bool carried = false;  // what another ledger counted came to this one

  // What entries of later versions demand. A seal: nothing more is charged. Others: this version does not know how
  // to continue, and so does not.
  struct Obstacle {
    std::int64_t position = 0;
    std::string what;       // of the entry, for messages
    std::string successor;  // of a sealed ledger
    bool sealed = false;
  };
  std::optional<Obstacle> closed;     // the first one: nothing may be charged
  std::optional<Obstacle> uncounted;  // the first one without which totals, or what is said about them, would be wrong

  static View AtBirth(const Birth& birth);
  /// Adds the next entry. Returns what is wrong with it, or nothing; a wrong entry changes nothing.
  std::optional<std::string> Add(const Entry& entry);
  /// The same for an entry from the file, whose digest must be `stored_head`.
  std::optional<std::string> AddVerified(const Entry& entry, std::string_view stored_head);
  /// True if there are entries of any kind but versions: they may not be dropped.
  bool Used() const { return charges > 0 || closed.has_value() || uncounted.has_value(); }
  /// True if units were charged since the data were replaced.
  bool ChargedInVersion() const;
  /// Per cell, what was spent at its pure value; a total beyond every limit is the largest.
  std::vector<PlainUnits> PureTotals() const { return UnitsOf(totals); }
  /// Makes every total the most that a unit may have lost, whichever cell it was in while each of the data were asked
  /// about: for each of the data the largest of any cell. False if that is beyond every limit; then nothing changes.
  bool Merge();
  /// Cells become those of a map, each with the largest total of the cells it comes from (of both parts separately, as
  /// in merging). False if that is beyond every limit; then nothing changes.
  bool Regroup(const CellMap& to);

 private:
  std::optional<std::string> AddWithHead(const Entry& entry, std::string next_head);
  std::optional<std::string> AddOther(const Entry& entry);
  bool AddCaps(const Entry& entry);
  std::optional<std::string> CheckGaussian(const Entry& entry) const;
  void AddGaussian(const Posting& posting);
  void Regroup(const CellMap& to, LedgerGaussian& all);
  void CloseGaussian();
  void MergeGaussian(LedgerGaussian& all) const;
  std::optional<std::string> AddCharge(const Entry& entry);
  void AddPosting(const Entry& entry, const Posting& posting);
  std::optional<std::string> AddVersion(const Entry& entry);
  std::optional<std::string> AddGeneration(const Entry& entry, const Generation& read);
  void Close(const Entry& entry, const std::string& what, bool wrong_totals);
  void NoteCells(const Posting& posting);
  void CloseData();

  Sums recent_;  // the same since the data were replaced
  // Before: the largest of any cell for each of the data, added up; `any` without what is about households.
  struct Worst {
    std::int64_t move = 0, any = 0, household = 0, presence = 0;
    std::int64_t total() const { return move + any + household; }
  };
  Worst worst_;
  // As `gaussian`, since the data were replaced; and the largest of any cell for each of the data before, added up.
  std::vector<std::int64_t> recent_mu_, recent_delta_;
  std::int64_t worst_mu_ = 0, worst_delta_ = 0;
  std::int64_t worst_before_ = 0;            // what merging would have made of LedgerGaussian::before when it was fixed
  std::array<std::int64_t, 8> others_ = {};  // by kind: how many entries of the kinds that nothing writes yet
};

/// True if this version knows what a posting of a charge does to totals and limits.
bool Understood(const Posting& posting);
/// The same for a posting that counts against caps, where there are any.
bool CountsAgainstCaps(const Posting& posting);
/// Whether all that counts against caps is a pure loss as well.
bool IsPureToo(const Entry& entry);

}  // namespace kith::ledger
