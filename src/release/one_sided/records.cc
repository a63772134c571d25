// True rows that are not sensitive: the engine tosses their coins, and the file is put in place when it is whole.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/entropy.h"
#include "release/allowed.h"
#include "release/one_sided/one_sided.h"
#include "release/pipeline.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTableOrder =
    "rows are not sorted: their positions may reveal the order of the table, and with it columns that are not released "
    "included";

/// A file that is being written, and is deleted unless it was finished.
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
      return InvalidArgument("this file already exists: records never overwrite a file", given.string(),
                             "name a new file");
    if (!fs::is_directory(file.place_.parent_path(), failed))
      return InvalidArgument("there is no such folder", file.place_.parent_path().string(), "make it first");
    file.parquet_ = ending == ".parquet";
    file.draft_ = file.place_.parent_path() / fmt::format(".{}.{}", file.place_.filename().string(), RandomHex(8));
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
    if (::link(draft_.c_str(), place_.c_str()) != 0)  // fails if the name was taken in the meantime
      return StorageError("the file could not be put in place", place_.string(), "name another file");
    return {};
  }

 private:
  NewFile() = default;
  fs::path place_, draft_;
  bool parquet_ = true;
};

struct RecordsRelease final : Release {
  RecordsRelease(const ReleaseContext& on, RecordsRequest asked) : context(on), request(std::move(asked)) {}

  const ReleaseContext context;
  const RecordsRequest request;
  OneSidedTerms terms;
  std::optional<NewFile> file;

  /// What does not depend on the release itself.
  RecordsReport Report() const {
    RecordsReport report;
    report.columns = terms.attribute->columns;
    report.rate = -std::expm1(-terms.units.epsilon());
    report.notes = terms.records.notes;
    if (request.table_order) report.notes.push_back({NoteKind::kProtects, fmt::format("{}", kTableOrder)});
    return report;
  }

  Result<OneSidedCertificate> CertificateOf(const Totals& after) const {
    auto noisy = GuaranteeOf(context.policy, context.account, after);
    if (!noisy) return noisy.error();
    return CertifyOneSided(context.policy, terms, OneSidedKind::kRows, after.released, std::move(*noisy));
  }

  Result<Explanation> Explain(const Totals& so_far) const override {
    Totals after = so_far;
    auto found = std::find_if(after.released.begin(), after.released.end(),
                              [&](const auto& account) { return account.name == terms.attribute->name; });
    if (found == after.released.end()) found = after.released.insert(found, {terms.attribute->name, PlainUnits(), {}});
    found->spent = PlainUnits::CutSum(found->spent, terms.units);
    found->rules.push_back(terms.records.rule);
    auto certificate = CertificateOf(after);
    if (!certificate) return certificate.error();
    Explanation out;
    out.plan.normalised = normalised;
    out.plan.charged = charged;
    out.statements.push_back(terms.records.statement);
    out.records = Report();
    out.records->certificate = std::move(*certificate);
    return out;
  }

  Result<void> Prepare() override {
    auto made = NewFile::Make(request.output);
    if (!made) return made.error();
    file.emplace(std::move(*made));
    output = file->draft().string();
    return {};
  }

  std::string KeyText(const std::string&, const DataState& data) const override {
    return normalised + "\n" + VersionText(data);
  }

  Result<Answer> Compute(Pipeline& pipeline, const Call&) override {
    const auto written = pipeline.vault().Copy(terms.records.statement, terms.units, file->parquet(),
                                               !request.table_order, pipeline.paid());
    if (!written) return written.error();
    if (auto done = file->Finish(); !done) return done.error();
    Answer answer;
    answer.records = Report();
    answer.records->released = *written;
    answer.records->output = file->place().string();
    return answer;
  }

  Result<void> Certify(const Pipeline& pipeline, Answer& answer) const override {
    const auto totals = pipeline.curator().TotalsOf(pipeline.records());
    if (!totals) return totals.error();
    auto certificate = CertificateOf(*totals);
    if (!certificate) return certificate.error();
    certificate->ledger_entry = pipeline.entry().number;
    certificate->ledger_hash = pipeline.entry().head;
    answer.certificate.guarantee = certificate->noisy;
    answer.certificate.sides = Sides::kOne;
    answer.certificate.claims = certificate->claims;
    answer.certificate.ledger_entry = pipeline.entry().number;
    answer.certificate.ledger_hash = pipeline.entry().head;
    answer.records->certificate = std::move(*certificate);
    return {};
  }

  // The rows are in their file; the ledger keeps what was said about them.
  std::string Kept(const Answer& answer) const override { return RecordsToJson(*answer.records); }
};

}  // namespace

Result<std::unique_ptr<Release>> MakeRelease(const RecordsRequest& request, const Price& price,
                                             const ReleaseContext& context) {
  if (auto own = HoldsItsPrice(price); !own) return own.error();
  if (!context.engine.CapabilitiesFor(context.policy).copies_records) {
    return Unsupported("the engine of this policy releases no records", "[data] engine",
                       "ask for a histogram of them, or keep the table in a file that DuckDB reads");
  }
  if (auto may = MayLeave(context.policy); !may) return may.error();
  auto release = std::make_unique<RecordsRelease>(context, request);
  auto terms = OneSidedTermsOf(context.policy, request.attribute, request.epsilon);
  if (!terms) return terms.error();
  release->terms = std::move(*terms);
  release->normalised = fmt::format("records of {}", release->terms.attribute->name);
  release->charged.assign(context.policy.cells.size(), false);
  release->one_sided = release->terms.Charge();
  release->covers = Covers::kMove;  // it has no plain loss that could cover anything
  release->repeat = Repeat::kChargedAgain;
  return release;
}

}  // namespace kith
