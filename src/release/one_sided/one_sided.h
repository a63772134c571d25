// One-sided releases: true rows that are not sensitive, paid from accounts of their own, and what they do to every
// other certificate.  Claims: claims/one_sided.md
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/note.h"
#include "base/result.h"
#include "ledger/ledger.h"
#include "policy/policy.h"
#include "release/guarantee.h"

namespace kith {

/// Records to release. No default: every part is the analyst's choice, within what the policy allows.
struct RecordsRequest {
  std::string attribute;         // empty: the policy's only one
  double epsilon = 0;            // each row that is not sensitive is released with probability 1 - exp(-epsilon)
  std::filesystem::path output;  // a new file that ends in .csv or .parquet
  bool table_order = false;      // not sorted: faster, but places tell what the order of the table says
};

/// A histogram to release: how many rows of each group are not sensitive, or, with `noisy_epsilon`, how many rows there
/// are, sensitive ones included (DAWAz: a two-sided histogram over noisy buckets, with zeros where a one-sided one has
/// found nothing).
struct HistogramRequest {
  std::string attribute;                // empty: the policy's only one
  std::string by;                       // what stands behind GROUP BY
  double epsilon = 0;                   // one-sided, from the attribute's account
  std::optional<double> noisy_epsilon;  // set: DAWAz; this part of the policy's epsilon
  double partition_share = 0.5;         // DAWAz: how much of it is for the partition; the rest is for the totals
};

/// What a one-sided release says about itself. Losses are for one row.
struct OneSidedCertificate {
  std::string statement;  // begins with "One-sided:"; shown before anything else
  std::string attribute, application;
  std::string rule;  // which rows are sensitive
  std::vector<std::string>
      rules;                    // of all releases so far: rows that are sensitive by each of them are covered by `all`
  double epsilon = 0;           // of this release
  double spent = 0, limit = 0;  // of this attribute
  double one_sided_all = 0;     // of all attributes
  Guarantee noisy;              // of all noisy answers so far
  double all = 0;               // everything together, for a row that is sensitive by every rule
  std::string protects, leaves_open, per_unit;
  std::vector<std::string> claims;
  std::int64_t ledger_entry = 0;
  std::string ledger_head;
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

/// What a release adds to what was lost before, in words and numbers. `noisy`: what holds for the noisy answers
/// so far. `counts`: a histogram is released, not rows.
OneSidedCertificate CertifyOneSided(const Policy& policy, const OneSidedAttribute& attribute, const std::string& rule,
                                    PlainUnits units, const std::vector<OneSidedAccount>& after, Guarantee noisy,
                                    bool counts = false);

/// What stands before every noisy answer once true records have left; empty if none have.
/// Ensures [OSDP-7]: no certificate states a bound of dependent loss, or a plain loss of all releases, that records
/// which were released break.
std::string OneSidedWarning(const std::vector<OneSidedAccount>& accounts);

/// Fails: kUnsupportedQuery if records have left, records of the policy depend on each other, and the policy no longer
/// accepts that there is no bound.
Result<void> AllowsNoisyAnswers(const Policy& policy, const std::vector<OneSidedAccount>& accounts);

}  // namespace kith
