// The pipeline of a one-sided release: charge, throw coins in the engine, put the file in place, certify.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "loss/loss_text.h"
#include "mechanism/record_release.h"
#include "random/bits.h"
#include "release/curator_state.h"
#include "release/one_sided/one_sided_work.h"
#include "release/pipeline.h"
#include "release/release.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTableOrder =
    "rows are not sorted: their places may tell what the order of the table says, columns that are not released "
    "included";

/// A file that is being written, and is gone unless it was finished.
class NewFile {
 public:
  /// Fails: kInvalidArgument if the name is not one for records, or is taken.
  static Result<NewFile> Make(const fs::path& given) {
    const std::string ending = given.extension().string();
    if (ending != ".csv" && ending != ".parquet")
      return InvalidArgument("records are written to a file that ends in .csv or .parquet", given.string(),
                             "name a file such as records.parquet")
          .For("output");
    std::error_code failed;
    NewFile file;
    file.place_ = fs::absolute(given, failed).lexically_normal();
    if (failed || fs::exists(fs::symlink_status(file.place_, failed)))
      return InvalidArgument("this file exists already: records are never written over others", given.string(),
                             "name a new file");
    if (!fs::is_directory(file.place_.parent_path(), failed))
      return InvalidArgument("there is no such folder", file.place_.parent_path().string(), "make it first");
    file.parquet_ = ending == ".parquet";
    const std::uint64_t random = SystemBits::ForThisThread().Bits(64);
    file.draft_ = file.place_.parent_path() / fmt::format(".{}.{:016x}", file.place_.filename().string(), random);
    return file;
  }
  NewFile(NewFile&& other) noexcept {
    std::swap(draft_, other.draft_), place_ = other.place_, parquet_ = other.parquet_;
  }
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile() {
    std::error_code ignored;
    if (!draft_.empty()) fs::remove(draft_, ignored);
  }

  const fs::path& draft() const { return draft_; }
  const fs::path& place() const { return place_; }
  bool parquet() const { return parquet_; }

  /// On the disk and under its name.
  Result<void> Finish() {
    const int descriptor = ::open(draft_.c_str(), O_RDONLY | O_CLOEXEC);
    const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
    if (descriptor >= 0) ::close(descriptor);
    if (!synced) return StorageError("the records could not be written to the disk", place_.string());
    if (::link(draft_.c_str(), place_.c_str()) != 0)  // fails if the name was taken meanwhile
      return StorageError("the file could not be put in place", place_.string(), "name another file");
    return {};
  }

 private:
  NewFile() = default;
  fs::path place_, draft_;
  bool parquet_ = true;
};

}  // namespace

Result<Curator::State::OneSidedWork> Curator::State::PrepareOneSided(const std::string& name, double epsilon) const {
  if (policy.stream) {
    return Unsupported("true records of a stream are not released: its budget is counted step by step", "[stream]",
                       "describe the table without [stream]");
  }
  OneSidedWork work;
  const auto attribute = FindOneSided(policy, name);
  if (!attribute) return attribute.error();
  work.attribute = *attribute;
  auto records = PlanRecords(**attribute, policy);
  if (!records) return records.error();
  work.records = std::move(*records);
  const auto checked = Epsilon::Make(epsilon);
  if (!checked) return checked.error();
  const auto units = PlainUnits::Floor(epsilon), limit = PlainUnits::Floor((*attribute)->epsilon);
  if (!units) return units.error();
  if (!limit) return limit.error();
  if (const auto coin = RecordRelease::Make(*units); !coin) return coin.error();
  work.units = *units;
  work.limit = *limit;
  return work;
}

Result<OneSidedCertificate> Curator::State::CertifyNow(const OneSidedWork& work,
                                                       const std::vector<OneSidedAccount>& accounts,
                                                       bool counts) const {
  auto totals = TotalsSoFar();
  if (!totals) return totals.error();
  totals->released = accounts;
  auto noisy = GuaranteeOf(policy, account, *totals);
  if (!noisy) return noisy.error();
  return CertifyOneSided(policy, *work.attribute, work.records.rule, work.units, accounts, std::move(*noisy), counts);
}

Result<RecordsReport> Curator::ExplainRecords(const RecordsRequest& request) const {
  const auto work = state_->PrepareOneSided(request.attribute, request.epsilon);
  if (!work) return work.error();
  const auto totals = state_->TotalsSoFar();
  if (!totals) return totals.error();
  std::vector<OneSidedAccount> accounts = totals->released;
  const OneSidedAttribute& attribute = *work->attribute;
  auto found = std::find_if(accounts.begin(), accounts.end(), [&](const auto& a) { return a.name == attribute.name; });
  if (found == accounts.end()) found = accounts.insert(found, {attribute.name, PlainUnits(), {}});
  found->spent = PlainUnits::CutSum(found->spent, work->units);
  found->rules.push_back(work->records.rule);
  RecordsReport report;
  report.columns = attribute.columns;
  report.rate = -std::expm1(-work->units.epsilon());
  report.notes = work->records.notes;
  if (request.table_order) report.notes.push_back({NoteKind::kProtects, kTableOrder});
  auto certificate = state_->CertifyNow(*work, accounts, false);
  if (!certificate) return certificate.error();
  report.certificate = std::move(*certificate);
  if (found->spent > work->limit)
    report.notes.push_back({NoteKind::kRefused,
                            fmt::format("refused: the account of '{}' would hold {}, and {} is allowed", attribute.name,
                                        LossText(found->spent.epsilon()), LeftText(attribute.epsilon))});
  return report;
}

Result<RecordsReport> Curator::ReleaseRecords(const RecordsRequest& request, const Call& call) const {
  const auto work = state_->PrepareOneSided(request.attribute, request.epsilon);
  if (!work) return work.error();
  auto file = NewFile::Make(request.output);
  if (!file) return file.error();
  const auto data = state_->OpenForOutput(file->draft().string(), call);
  if (!data) return data.error();
  const auto book = state_->OpenLedger();
  if (!book) return book.error();
  if (call.cancel.cancelled()) return Cancelled("stopped; nothing was charged");

  const std::string what = fmt::format("records of {}", work->attribute->name);
  const std::string key = (*book)->KeyOf(what + "\n" + VersionText(data->data));
  ChargeRequest charge{PlainUnits(), {}, state_->account.Limits(false), what, key};
  charge.data = data->data.number;
  charge.one_sided = work->Charge();
  const auto entry = (*book)->Charge(charge);
  if (!entry) return entry.error();

  const auto after_charge = [&](Error error) {
    error.what +=
        fmt::format(" (entry {} of the ledger stays: a one-sided loss of {} was charged before data were read)",
                    entry->number, LossText(work->units.epsilon()));
    return error;
  };
  const auto written =
      data->engine->Copy({work->records.duckdb_sql, work->units, file->parquet(), !request.table_order}, call.cancel);
  if (!written) return after_charge(written.error());
  if (auto done = file->Finish(); !done) return after_charge(done.error());
  RecordsReport report;
  report.columns = work->attribute->columns;
  report.rate = -std::expm1(-work->units.epsilon());
  report.released = *written;
  report.output = file->place().string();
  report.notes = work->records.notes;
  if (request.table_order) report.notes.push_back({NoteKind::kProtects, kTableOrder});
  const auto accounts = (*book)->OneSided();
  if (!accounts) return after_charge(accounts.error());
  auto certificate = state_->CertifyNow(*work, *accounts, false);
  if (!certificate) return after_charge(certificate.error());
  report.certificate = std::move(*certificate);
  report.certificate.ledger_entry = entry->number;
  report.certificate.ledger_head = entry->head;
  // The rows are in their file; the ledger keeps what was said about them.
  const auto kept = (*book)->StoreAnswer(*entry, charge.answer_key, RecordsToJson(report));
  if (!kept) report.notes.push_back({NoteKind::kNotKept, "the certificate could not be kept in the ledger"});
  return report;
}

}  // namespace kith
