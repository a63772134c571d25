// Copies of ledgers, and whether a ledger is the one that answers were charged to.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/result.h"

namespace kith {

struct LedgerState {
  std::string file;
  std::int64_t charges = 0;
  std::string head;               // of the chain after the last of them
  std::int64_t certificates = 0;  // that it was compared with
};

/// Writes a whole copy of a policy's ledger into a new file while others use it, and verifies the copy: its structure,
/// chain, totals and every stored answer. Fails: kInvalidArgument if there is already something under that name, or no
/// ledger yet; kStorage if either is damaged.
Result<LedgerState> BackUpLedger(const std::filesystem::path& policy, const std::filesystem::path& copy,
                                 const Call& call = {});

/// What an answer says about the ledger that it was charged to.
struct Certified {
  std::string where;  // for refusals: the file it was read from
  std::int64_t entry = 0;
  std::string head;
};

/// The answer or certificate in the text of a JSON document. Fails: kInvalidArgument.
Result<Certified> CertifiedIn(const std::string& text, const std::string& where);

/// Reads a whole ledger again, and compares it with answers that were charged to it. `file`: a copy instead of the
/// policy's own ledger; empty: the policy's.
/// Ensures [BACKUP-1]: succeeds only if the ledger has every charge that the certificates are about, with the same
/// chain up to each: a copy from before one of them is refused. Fails: kStorage; kInvalidArgument (there is no ledger).
Result<LedgerState> VerifyLedger(const std::filesystem::path& policy, const std::filesystem::path& file,
                                 const std::vector<Certified>& certificates, const Call& call = {});

}  // namespace kith
