#include "release/upkeep/backup.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/json.h"
#include "release/curator_state.h"

namespace kith {
namespace {

Result<Ledger> OpenToRead(const Policy& policy, const std::filesystem::path& file, const Call& call) {
  auto curve = BudgetCurve::Make(policy, EngineOptions{}, call);
  if (!curve) return curve.error();
  LedgerOptions options;
  options.read_only = true;
  constexpr bool kCreate = false;
  return Ledger::Open(file, BindingOf(policy, curve->version()), kCreate, options);
}

Result<LedgerState> StateOf(const Ledger& book, const std::filesystem::path& file) {
  const auto head = book.Head();
  if (!head) return head.error();
  return LedgerState{file.string(), head->number, head->head};
}

Result<void> Compare(const Ledger& book, const Certified& certified, std::int64_t charges) {
  constexpr const char* kNext =
      "bring back the ledger that these answers were charged to, as new as the newest of them; what this one does not "
      "count was answered all the same";
  if (certified.entry > charges) {
    return StorageError(
        fmt::format("the ledger has {} charges, and this answer is of charge {}: the ledger is an older "
                    "copy, or another one",
                    charges, certified.entry),
        certified.where, kNext);
  }
  const auto line = book.History({.from = certified.entry, .count = 1});
  if (!line) return line.error();
  // A head from before ledgers had a secret is not given out again: then the number is all that is compared.
  if (line->empty() || (!line->front().head.empty() && line->front().head != certified.head)) {
    return StorageError(fmt::format("charge {} of the ledger is not the one of this answer: the ledger went back and "
                                    "was used again, or is another one",
                                    certified.entry),
                        certified.where, kNext);
  }
  return {};
}

}  // namespace

Result<LedgerState> BackUpLedger(const std::filesystem::path& policy_file, const std::filesystem::path& copy,
                                 const Call& call) {
  const auto policy = Policy::Load(policy_file);
  if (!policy) return policy.error();
  const auto book = OpenToRead(*policy, policy->ledger, call);
  if (!book) return book.error();
  const auto copied = book->CopyTo(copy);
  if (!copied) return copied.error();
  const auto verified = [&]() -> Result<LedgerState> {
    const auto again = OpenToRead(*policy, copy, call);
    if (!again) return again.error();
    if (auto whole = again->Verify(); !whole) return whole.error();
    auto state = StateOf(*again, copy);
    if (state && (state->charges != copied->number || state->head != copied->head))
      return StorageError("the copy is not what was copied", copy.string(), "check the disk, and copy again");
    return state;
  }();
  std::error_code ignored;
  if (!verified) std::filesystem::remove(copy, ignored);  // nobody should rely on it
  return verified;
}

Result<Certified> CertifiedIn(const std::string& text, const std::string& where) {
  const auto wrong = [&] {
    return InvalidArgument("this is no answer and no certificate", where,
                           "give an answer as it was printed for programs, or the certificate in it");
  };
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) return wrong();
  const Json& of = document.contains("certificate") ? document.at("certificate") : document;
  if (!of.is_object() || !of.contains("ledger_entry") || !of.contains("ledger_hash")) return wrong();
  const Json &entry = of.at("ledger_entry"), &head = of.at("ledger_hash");
  if (!entry.is_number_integer() || !head.is_string() || entry.get<std::int64_t>() < 1) return wrong();
  return Certified{where, entry.get<std::int64_t>(), head.get<std::string>()};
}

Result<LedgerState> VerifyLedger(const std::filesystem::path& policy_file, const std::filesystem::path& file,
                                 const std::vector<Certified>& certificates, const Call& call) {
  const auto policy = Policy::Load(policy_file);
  if (!policy) return policy.error();
  const auto& which = file.empty() ? policy->ledger : file;
  const auto book = OpenToRead(*policy, which, call);
  if (!book) return book.error();
  if (auto whole = book->Verify(); !whole) return whole.error();
  auto state = StateOf(*book, which);
  if (!state) return state;
  for (const Certified& certified : certificates) {
    if (auto same = Compare(*book, certified, state->charges); !same) return same.error();
    ++state->certificates;
  }
  return state;
}

}  // namespace kith
