// The only holder of the data in the path of a release. What is read is sealed; what was paid opens it, with noise that
// is derived here from what was claimed of the numbers and from the part that is spent.  Claims: claims/kernel.md
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/cancel.h"
#include "base/int128.h"
#include "base/result.h"
#include "engine/session.h"
#include "kernel/checked_plan.h"
#include "kernel/cost.h"
#include "kernel/fold.h"
#include "kernel/paid.h"
#include "kernel/sealed.h"
#include "kernel/shown_cells.h"
#include "loss/loss_kinds.h"
#include "policy/policy.h"
#include "query/open_keys.h"
#include "query/plan.h"
#include "query/sparse_cells.h"
#include "random/bits.h"

namespace kith {

/// Groups of a plan whose units are in these cells, and in no others that it charges: they have their own noise.
struct TermsOfCells {
  std::vector<bool> cells;
  std::vector<std::size_t> groups;
  NoiseTerms terms;
};

/// Belongs to one release. Whatever an engine says went wrong, after the charge, is one sentence: it may follow from a
/// secret. Only a caller who stopped is told so.
class Vault {
 public:
  /// All of them outlive it. `policy`: of the curator.
  Vault(const Policy& policy, const Session& session, BitSource& bits, const CancelFlag& cancel)
      : policy_(policy), session_(session), bits_(bits), cancel_(cancel) {}
  /// With the bits of the operating system. Used on the thread that made it.
  Vault(const Policy& policy, const Session& session, const CancelFlag& cancel)
      : Vault(policy, session, SystemBits::ForThisThread(), cancel) {}
  Vault(const Vault&) = delete;
  Vault& operator=(const Vault&) = delete;

  /// Runs the statements of a plan. Ensures [KERNEL-3]: their numbers leave only through a door of the vault.
  Result<Sealed> Run(const CheckedPlan& plan) const;
  /// The same where no rule of the checker knows the statement yet; what the plan says of it is believed.
  /// tools/check_vault.py lists who does so; nobody may be added.
  Result<Sealed> RunUnchecked(const Plan& plan) const;

  /// Spends what the terms cost in every cell that the plan charges, and opens with their noise. Levels are not made
  /// consistent. Ensures [KERNEL-4]. Fails: kInternal where not enough is left.
  Result<NoisyGroups> Open(const Sealed& sealed, Paid& paid, const NoiseTerms& terms) const;
  /// The same where cells pay for noise of their own. Fails as well if a group of the plan is in none or in two of
  /// them, or may hold units of a charged cell that is not among the cells of its own.
  Result<NoisyGroups> Open(const Sealed& sealed, Paid& paid, std::span<const TermsOfCells> parts) const;

  /// Integers without noise. Ensures [KERNEL-6]: only of a statement that the checker finds to depend on public columns
  /// alone, under the stated presence. Fails: kUnsupportedQuery.
  Result<NoisyGroups> Public(const Plan& plan) const;

  /// The true rows of a one-sided release, each with the exact coin of what was paid; how many were written.
  Result<std::int64_t> Copy(const sql::Statement& rows, PlainUnits units, bool parquet, bool sorted, Paid& paid) const;

  /// Counts of rows that are not sensitive, one number for each group, with one-sided noise for these units.
  Result<std::vector<Int128>> OpenOneSided(const Sealed& sealed, PlainUnits units, Paid& paid) const;

  /// Whether the numbers of a plan's one statistic are farther from `last` than the error that a publication would
  /// have: a private test, for all of what was paid. Ensures [STREAM-5].
  Result<bool> Differs(const Sealed& sealed, std::span<const Int128> last, PlainUnits test, PlainUnits publication,
                       Paid& paid) const;

  /// The groups with the largest counts, without the counts: as many as wanted among the first `among`, one after the
  /// other, by permute-and-flip. Ensures [TOP-1].
  Result<std::vector<std::size_t>> Largest(const Sealed& sealed, std::size_t wanted, std::size_t among,
                                           PlainUnits share, Paid& paid) const;

  /// The cells of a sparse table whose noisy count is at least the threshold, whether they hold something or not; of
  /// more than `most` those with the largest counts. Ensures [SPARSE-1].
  struct ShownTable {
    std::vector<ShownCells::Cell> cells;
    std::size_t passed = 0;
  };
  Result<ShownTable> OpenSparse(const SparsePlan& plan, std::int64_t threshold, std::size_t most, PlainUnits share,
                                Paid& paid) const;

  /// Keys that nobody declared whose noisy count is at least what the loss and the delta ask for, in the order of their
  /// bytes. Ensures [KEYS-1] [KEYS-4].
  struct ShownKey {
    std::vector<Value> key;
    Int128 count = 0;
  };
  Result<std::vector<ShownKey>> OpenKeys(const OpenKeysPlan& plan, const Loss& share, std::int64_t delta,
                                         Paid& paid) const;

  /// Adds up what a function makes of every row.
  Result<SealedSums> Fold(const RowFold& fold) const;
  /// The sums of all parts, in steps, with noise for a share of each.
  Result<std::vector<Int128>> Open(const SealedSums& sums, Paid& paid, std::span<const PlainUnits> shares) const;

  /// Not behind the vault yet: rows for code that adds noise itself, under its own claim, for all of what was paid.
  /// tools/check_vault.py lists who takes them; nobody may be added.
  struct Unsealed {
    const Session& session;
    BitSource& bits;
    const CancelFlag& cancel;
  };
  Unsealed Unseal(Paid& paid) const;
  /// The same where the integers of a plan are counted out of scanned rows, and then sealed.
  Result<Sealed> Count(const Plan& plan, const std::function<Result<IntegerTable>(const Session&)>& count) const;

  const CancelFlag& cancel() const { return cancel_; }
  /// What is said of a failure while secrets are read, whatever it was.
  static Error AsOneSentence(const Error& error);

 private:
  Result<Sealed> Seal(const Plan& plan, const std::function<Result<IntegerTable>()>& count) const;

  const Policy& policy_;
  const Session& session_;
  BitSource& bits_;
  const CancelFlag& cancel_;
};

}  // namespace kith
