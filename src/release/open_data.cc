// Which data a question reads. The ledger says which version is current; a CSV file is imported by the first question
// of a ledger, and after that only by the curator. Nothing here looks at the bytes of a file to decide anything.

#include <fmt/format.h>

#include <utility>

#include "base/entropy.h"
#include "release/curator_state.h"

namespace kith {
namespace {

/// How far reading has come follows from how much there is to read: not for analysts where presence is a secret.
Call WithoutShare(const Call& call, const Policy& policy) {
  Call allowed = call;
  if (policy.unit.presence == Presence::kSecret) allowed.progress = nullptr;
  return allowed;
}

/// An import for a question: the analyst is told that data were imported, not what is in them, nor why they could not
/// be if that may follow from a secret.
template <class Import>
Result<OpenedData> Discreetly(const Call& call, const Policy& policy, Import import) {
  bool said = false;
  Call allowed = WithoutShare(call, policy);
  if (call.notice) allowed.notice = [&said](const std::string&) { said = true; };
  auto done = import(allowed);
  if (!done && done.error().parameter == kUnreadableLines) {
    return InvalidArgument("the data have not been imported", policy.file.filename().string(),
                           "the curator imports the data, and sees what must be mended before that")
        .For("import");
  }
  if (done && said)
    call.notice(
        "the data were read in; an import by the curator shows what was read, and begins a new version of the data");
  return done;
}

/// Names the snapshots of one import; never used twice, and the same length whatever is imported.
std::string NewImport(const Ledger& book, std::int64_t number) {
  return fmt::format("{}-{}-{}", book.id().substr(0, 8), number, RandomHex(4));
}

Error OtherVersion(const Policy& policy, const DataState& current) {
  const std::string imported = current.label.empty() ? fmt::format("import {}, which has no name,", current.number)
                                                     : fmt::format("version '{}'", current.label);
  if (policy.data_version.empty()) {
    return InvalidArgument(
               fmt::format("the policy declares no version of the data, but {} is in use", imported), "[data] version",
               fmt::format("write version = \"{}\" again; or the curator imports the data, which begins a new version",
                           current.label))
        .For("import");
  }
  return InvalidArgument(fmt::format("the policy declares version '{}' of the data, but {} is in use",
                                     policy.data_version, imported),
                         "[data] version", "the curator imports the data, which imports the declared version")
      .For("import");
}

}  // namespace

Result<OpenedData> CuratorState::ImportAnew(Ledger& book, std::optional<std::int64_t> only_after, const Call& call,
                                            const DataReportSink& report) const {
  const auto lock = ImportLock::Take(policy, call);
  if (!lock) return lock.error();
  const auto before = book.Data();
  if (!before) return before.error();
  if (only_after && before->number != *only_after) return OpenedData{nullptr, *before};  // another caller came first
  const std::string import = NeedsImport(policy) ? NewImport(book, before->number + 1) : "";
  // A server keeps its data itself: only the version has a name there. The same holds for files that are read in place.
  const bool server = policy.engine != "duckdb";
  const auto version = [&book](std::int64_t number) {
    return number == 0 ? std::string() : fmt::format("{}-{}", book.id(), number);
  };
  const std::string now_named = server ? version(before->number + 1) : import;
  const std::string before_named = server || import.empty() ? version(before->number) : before->import;
  auto opened = ImportTables(*lock, policy, now_named, before_named, options, call, report);
  if (!opened) return opened.error();
  // From this moment on the new snapshots are the data, and charges that were prepared for the old ones are refused.
  auto now = book.ReplaceData(before->number, policy.data_version, import);
  if (!now) return now.error();
  if (policy.cells.joined() && policy.cells.size() > 1 && call.notice) {
    call.notice(
        "the data are read in place, and the policy does not promise that they stay the same: every charge is to all "
        "public cells; write frozen = true in [data] if they do not change under this version, or public_columns = "
        "\"fixed\" if no unit's public columns ever change");
  }
  if (!import.empty()) RemoveImports(*lock, policy, book.id().substr(0, 8) + "-", now->import);
  return OpenedData{std::move(*opened), *now};
}

Result<OpenedData> CuratorState::CurrentData(Ledger& book, const Call& call) const {
  auto current = book.Data();
  if (!current) return current.error();
  if (current->number > 0 && current->label == policy.data_version) return OpenedData{nullptr, *current};
  const bool csv = NeedsImport(policy);
  if (current->number > 0 && csv) return OtherVersion(policy, *current);
  if (!csv) {
    current = book.ReplaceData(current->number, policy.data_version, "");
    if (!current) return current.error();
    return OpenedData{nullptr, *current};
  }
  return Discreetly(call, policy, [&](const Call& quiet) { return ImportAnew(book, current->number, quiet); });
}

Result<OpenedData> CuratorState::OpenVersion(Ledger& book, DataState& data, const std::string& output,
                                             const Call& call) const {
  EngineOptions chosen = options;
  chosen.output = output;
  chosen.import = data.import;
  Call silent = WithoutShare(call, policy);  // what an engine finds while it opens the data may follow from them
  silent.notice = nullptr;
  auto engine = OpenSession(policy, chosen, silent);
  if (engine) return OpenedData{std::move(*engine), data};
  if (engine.error().code != Code::kStorage || !NeedsImport(policy)) return engine.error();
  // The snapshots are gone, or were made for other columns. Before the first charge nothing was said about them yet.
  const auto head = book.Head();
  if (!head || head->number > 0) return engine.error();
  auto again = Discreetly(call, policy, [&](const Call& quiet) { return ImportAnew(book, data.number, quiet); });
  if (!again || (again->engine && output.empty())) return again;
  data = again->data;
  chosen.import = data.import;
  engine = OpenSession(policy, chosen, silent);
  if (!engine) return engine.error();
  return OpenedData{std::move(*engine), data};
}

Result<OpenedData> CuratorState::OpenAnew(const std::string& output, const Call& call) const {
  const auto book = OpenLedger();
  if (!book) return book.error();
  TellOfOthers(call);
  while (true) {
    auto found = CurrentData(**book, call);
    if (!found || (found->engine && output.empty())) return found;
    auto opened = OpenVersion(**book, found->data, output, call);
    if (opened) return opened;
    // An import may have replaced the data between the two, and removed what was to be opened.
    const auto now = (*book)->Data();
    if (!now || now->number == found->data.number) return opened;
  }
}

Result<OpenedData> CuratorState::OpenData(const Call& call, OpenedData fresh) const {
  const auto book = OpenLedger();
  if (!book) return book.error();
  TellOfOthers(call);
  // Without the lock: a look at the ledger waits for the commit that is under way, and one question after another would
  // wait for its own commit here. What is out of date by the time it is charged is refused then.
  const auto known = (*book)->Data();
  if (!known) return known.error();
  const std::lock_guard lock(data_opening_);
  const bool as_declared = known->number > 0 && known->label == policy.data_version;
  Result<OpenedData> found = OpenedData{nullptr, *known};
  if (!as_declared) {
    found = CurrentData(**book, call);
  } else if (fresh.data == *known) {
    found = std::move(fresh);
  }
  if (!found) return found;
  if (found->engine) opened_ = *found;
  if (!opened_.engine || opened_.data != found->data || !opened_.engine->Current()) {
    opened_ = {};
    auto again = OpenAnew("", call);
    if (!again || !again->engine->Current()) return again;  // of a server: only for this answer
    opened_ = std::move(*again);
  }
  return opened_;
}

Result<OpenedData> CuratorState::OpenForOutput(const std::string& file, const Call& call) const {
  return OpenAnew(file, call);
}

}  // namespace kith
