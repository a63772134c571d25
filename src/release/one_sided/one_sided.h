// One-sided releases: true rows that are not sensitive, paid from separate accounts, and what they do to every other
// certificate.  Claims: claims/one_sided.md
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/note.h"
#include "base/result.h"
#include "ledger/ledger.h"
#include "policy/policy.h"
#include "query/one_sided_rows.h"
#include "release/guarantee.h"

namespace kith {

/// What a one-sided release says about itself. Losses are for one row.
struct OneSidedCertificate {
  std::string statement;  // begins with "One-sided:"; shown before anything else
  std::string attribute, application;
  std::string rule;                // which rows are sensitive
  std::vector<std::string> rules;  // of all releases so far: rows sensitive under each are covered by `all`
  double epsilon = 0;              // of this release
  double spent = 0, limit = 0;     // of this attribute
  double one_sided_all = 0;        // of all attributes
  Guarantee noisy;                 // of all noisy answers so far
  double all = 0;                  // everything together, for a row that is sensitive under every rule
  std::string protects, leaves_open, per_unit;
  std::vector<std::string> claims;
  std::int64_t ledger_entry = 0;
  std::string ledger_hash;
};

struct RecordsReport {
  std::vector<std::string> columns;
  double rate = 0;            // 1 - exp(-epsilon)
  std::int64_t released = 0;  // rows in the file
  std::string output;
  std::vector<Note> notes;
  OneSidedCertificate certificate;
};

/// Stable field names.
std::string RecordsToJson(const RecordsReport& report);

/// The attribute that is asked for. Fails: kInvalidArgument with the names there are.
Result<const OneSidedAttribute*> FindOneSided(const Policy& policy, const std::string& name);

/// What is released under one-sided privacy.
enum class OneSidedKind { kRows, kCounts };

/// What is known about a one-sided release before anything is charged.
struct OneSidedTerms {
  const OneSidedAttribute* attribute = nullptr;  // of the policy
  Records records;
  PlainUnits units, limit;

  OneSidedCharge Charge() const { return {attribute->name, records.rule, units, limit}; }
};

/// `name`: the attribute; empty: the policy's only one. Fails: kInvalidArgument, kUnsupportedQuery.
Result<OneSidedTerms> OneSidedTermsOf(const Policy& policy, const std::string& name, double epsilon);

/// What a release adds to what was lost before, in words and numbers. `after`: all accounts with it; `noisy`: what
/// holds for the noisy answers so far.
OneSidedCertificate CertifyOneSided(const Policy& policy, const OneSidedTerms& terms, OneSidedKind kind,
                                    const std::vector<OneSidedAccount>& after, Guarantee noisy);

/// What comes before every noisy answer once true records have been released; empty if none have.
/// Ensures [OSDP-7]: no certificate states a bound of dependent loss, or a plain loss of all releases, that released
/// records break.
std::string OneSidedWarning(const std::vector<OneSidedAccount>& accounts);

/// Whether records that have been released forbid noisy answers under this policy.
bool MindsReleasedRecords(const Policy& policy);
/// Fails: kUnsupportedQuery if records have been released, records of the policy depend on each other, and the policy
/// no longer accepts that there is no bound.
Result<void> AllowsNoisyAnswers(const Policy& policy, const std::vector<OneSidedAccount>& accounts);

}  // namespace kith
