// Every key that a policy may have: one table. Which keys a part has, what is suggested for a misspelled one, what a
// change of it means for a ledger that is in use, and the reference page (docs/guide/policy_fields.md) follow from it.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kith {

/// What happens when it changes after the first answer. Claims: claims/growth.md
enum class FieldChange : std::uint8_t {
  kFree,      // no ledger looks at it
  kAccepted,  // a new generation; what was spent counts on
  kReview,    // a new generation, if the curator says that the declared dependence holds for it
  kRefused,
  kDepends,  // on what it was and is, or on the column it is about: policy/growth.cc
};

/// Which digests of a policy differ when it differs.
enum class FieldPart : std::uint8_t {
  kNone,      // it changes no answer
  kAnswers,   // Policy::fingerprint()
  kIdentity,  // and Policy::identity_fingerprint()
  kReading,   // the way in which text becomes values: identity for keys, groups and public columns, else answers
};

struct PolicyField {
  std::string_view part;     // "unit" for [unit]; "column" for an entry of [columns.TABLE]
  std::string_view key;      // as it is written
  std::string_view written;  // what may stand there
  std::string_view says;
  FieldPart in = FieldPart::kNone;
  FieldChange change = FieldChange::kFree;
  std::string_view why = {};  // of the change; empty where policy/growth.cc says it
  // Of [dependence] and [data]: the kinds of dependence, or the engines, that have it; empty: all.
  std::string_view kinds = {};
};

/// In the order of a policy's parts.
std::span<const PolicyField> PolicyFields();

/// Requires: there is one.
const PolicyField& PolicyFieldOf(std::string_view part, std::string_view key);

/// The keys of a part; of [dependence] and [data], those of one kind or engine, or of all of them.
std::vector<std::string> KeysOf(std::string_view part, std::string_view kind = {});

/// The tables of the reference page.
std::string PolicyFieldsReference();

}  // namespace kith
