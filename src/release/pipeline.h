// The pipeline: the one way in which anything leaves. Whatever is released was asked for as a Request, became a
// Release, and goes through the same steps: look for a stored answer, take the question's lock, charge the privacy
// budget, compute with noise, certify, store. In this order and no other.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/vault.h"
#include "query/staged_question.h"
#include "release/allowed.h"
#include "release/curator_state.h"
#include "release/pricing.h"
#include "release/public_facts.h"
#include "release/request.h"

namespace kith {

class Pipeline;
struct QuestionRelease;

/// What becomes of a release that is asked for again.
enum class Repeat {
  kFromLedger,    // the stored answer is given, and costs nothing
  kChargedAgain,  // it is another release
  kOnce,          // what became of the first one is stated, answered or lost
};

/// Something to release: what it is called, whom it costs, what it costs, and how it is computed once it is paid. Made
/// only from a request and the policy, without data; belongs to one call.
struct Release {
  std::string normalised;                   // canonical text: two spellings of one thing agree
  std::string key_name;                     // what its key is made of in place of that; empty: the same
  std::vector<bool> charged;                // per cell of the policy
  Priced priced;                            // charged in one step, before anything is computed
  std::optional<OneSidedCharge> one_sided;  // charged in the same step, in a separate account
  Covers covers = Covers::kAny;             // kMove: the loss is for a move of a metric unit
  UnitLevel level = UnitLevel::kPerson;     // whose record the price is about
  Repeat repeat = Repeat::kFromLedger;
  // What it reads of the policy (ReadingText): its stored answer is found again as long as none of that has changed.
  // Empty: as long as nothing in the policy has.
  std::string reads;
  std::string output;            // the one file that it may write; empty: none
  bool lacks_intervals = false;  // of a noisy quantile: the price bought more of its value, which is a different answer
  // Under a policy with a delta: counted against caps. False: before there are any, at its pure value.
  bool by_caps = false;
  std::int64_t delta = 0;                       // LossKind::kDelta, which is charged beside its loss; 0: none
  std::string compared;                         // the other law of noise, next to the one that was chosen
  std::shared_ptr<const Accountant> priced_by;  // keeps alive what it refers to

  virtual ~Release() = default;
  /// All that can be said without data, except what it does to the budget. `so_far`: what was spent before.
  virtual Result<Explanation> Explain(const Totals& so_far) const = 0;
  /// Whatever else can be refused without data is refused here, before the charge.
  virtual Result<void> Prepare() { return {}; }
  /// What its key in the ledger is made of: two releases share an answer only if nothing that could change it differs.
  /// All of this is public: whether an answer is given again may not depend on data. `policy`: what it reads of it.
  virtual std::string KeyText(const std::string& policy, const DataState& data) const;
  /// The same for releases that hold the same numbers, and so answer this one.
  virtual std::vector<std::string> OtherKeyTexts(const DataState&) const { return {}; }
  /// What the ledger has of it, if anything. `alone`: nobody else is working on it now.
  virtual Result<std::optional<Answer>> FindStored(const Pipeline& pipeline, bool alone);
  /// The one release that is charged: this one, or the private question that it is computed on.
  virtual const Release& Bought() const { return *this; }
  /// The pure charges that were fixed before its first answer, of answers that are independent given the questions:
  /// what a list of charges is convolved of. One for all by default, which is never wrong. Ensures [CAP-3].
  virtual std::vector<PlainUnits> PureCharges() const { return {priced.total}; }
  /// Whether it loses no more than its total: neither normal noise nor a delta.
  bool IsPure() const { return priced.mu_shares.empty() && delta == 0; }
  /// The same, if it is a question.
  virtual const QuestionRelease* AsQuestion() const { return nullptr; }
  /// What normal noise can do for it. Whatever is chosen is chosen before anything else is done with it.
  enum class Normal {
    kNo,          // nothing, or that is for the question's own prices to say [delta_price.cc]
    kInstead,     // it can have normal noise (UseMu)
    kWithADelta,  // it is private only with a delta (UseDelta), at normal or pure noise
  };
  virtual Normal normal() const { return Normal::kNo; }
  /// Normal noise at this Gaussian loss (its square, LossKind::kMu).
  virtual Result<void> UseMu(std::int64_t mu);
  /// Sets the delta, and normal noise or, without `mu`, the pure loss that it was priced at.
  virtual Result<void> UseDelta(std::optional<std::int64_t> mu, std::int64_t of_caps);
  /// How large its noise is, to compare two laws of it. kInstead: a standard deviation; kWithADelta: how many units it
  /// takes to be seen with 95 % probability.
  virtual Result<double> Noisiness() const;
  /// Whether it is paid before it is computed; otherwise it pays while it is (Pipeline::PayPart).
  virtual bool PaidAtOnce() const { return true; }
  /// Reads data and adds the noise that was paid for. What it returns leaves.
  virtual Result<Answer> Compute(Pipeline& pipeline, const Call& call) = 0;
  /// Fills in what holds now that it is paid; by default the certificate of noisy answers.
  virtual Result<void> Certify(const Pipeline& pipeline, Answer& answer) const;
  /// As the ledger keeps it.
  virtual std::string Kept(const Answer& answer) const;
  /// The tables of the units that it reads.
  virtual std::set<std::string> UnitTables(const Policy& policy) const { return {policy.unit.table}; }
  /// What is said with it, fresh or stored, according to the present accounts.
  virtual Result<void> AddRemarks(const Pipeline&, Answer&) const { return {}; }
};

/// The text of the key of a question at a price: Release::KeyText.
std::string KeyTextOf(const std::string& question, const std::string& policy, const DataState& data, UnitLevel level,
                      bool lacks_intervals, const Priced& priced);

/// The answer that the ledger has under a key, with the present totals.
Result<std::optional<Answer>> StoredAnswerUnder(const std::string& key, const Pipeline& pipeline);
/// The same by the number of its charge.
Result<std::optional<Answer>> StoredAnswerOf(std::int64_t number, const Pipeline& pipeline);

/// Everything that a release is made from, without data: policy, accountant, engine and public facts.
struct ReleaseContext {
  const Policy& policy;
  const Accountant& account;
  const Engine& engine;
  bool explains = false;                 // for an explanation: nothing will be released
  std::optional<double> units;           // how many there are, where that is public and known
  RememberedGroups groups = {};          // the most in one group, of groupings that were asked for before
  const AskedPolicies* asked = nullptr;  // of `policy`, if it is kept; lives longer than the release
  // The question has numbers of earlier stages: it is checked with some before the charge, and again with its own.
  const StagedQuestion* staged = nullptr;
};

/// One for each kind of request. Fails: kUnsupportedQuery, kInvalidArgument, kBudgetExhausted; no data is touched.
Result<std::unique_ptr<Release>> MakeRelease(const QuestionRequest& request, const Price& price,
                                             const ReleaseContext& context);
Result<std::unique_ptr<Release>> MakeRelease(const WorkloadRequest& request, const Price& price,
                                             const ReleaseContext& context);
Result<std::unique_ptr<Release>> MakeRelease(const AnalysisRequest& request, const Price& price,
                                             const ReleaseContext& context);
Result<std::unique_ptr<Release>> MakeRelease(const StudyRequest& request, const Price& price,
                                             const ReleaseContext& context);
Result<std::unique_ptr<Release>> MakeRelease(const RecordsRequest& request, const Price& price,
                                             const ReleaseContext& context);
Result<std::unique_ptr<Release>> MakeRelease(const HistogramRequest& request, const Price& price,
                                             const ReleaseContext& context);
Result<std::unique_ptr<Release>> MakeRelease(const StepRequest& request, const Price& price,
                                             const ReleaseContext& context);

/// A person who stops a question, or meets a full disk, wants to know what it cost: this one nothing.
Error BeforeCharge(Error error);

/// Ensures [RELEASE-1]: nothing that reads data runs before its price is charged durably.
Result<Answer> RunPipeline(const CuratorState& curator, Release& release, const Caller& caller, const Call& call);

/// One release on its way through the pipeline: charged, computed and certified.
class Pipeline {
 public:
  const CuratorState& curator() const { return curator_; }
  /// To look at; only the pipeline charges.
  const Ledger& records() const { return ledger_; }
  const Vault& vault() const { return vault_; }
  /// What the whole charge bought. Requires: it was made.
  Paid& paid() { return *paid_; }
  const DataState& data() const { return data_.data; }
  const std::string& key() const { return key_; }
  /// Of the first charge. Requires: one was made.
  const LedgerEntry& entry() const { return made_.front().entry; }

  /// Part of a step, in the ledger of a stream.
  struct Part {
    std::string question, key;
    StreamStep step;
    PlainUnits wanted;
    PlainUnits least;  // what a window must have left; above 0 unless nothing is wanted
  };
  /// Charges what is wanted or, if the window has less left, all that it has; nothing if that is below the least.
  Result<Paid> PayPart(const Part& part);
  /// That an answer contradicts what is declared of the dependence.
  Result<void> RaiseAlarm(const std::string& found) const;

 private:
  friend Result<Answer> RunPipeline(const CuratorState&, Release&, const Caller&, const Call&);
  struct Made {
    LedgerEntry entry;
    std::string key;
    PlainUnits units;
  };

  Pipeline(const CuratorState& curator, Ledger& book, OpenedData data, const Release& release, const Caller& caller,
           const CancelFlag& cancel);
  static Result<std::optional<Answer>> Try(const CuratorState& curator, Release& release, const Caller& caller,
                                           const Call& call, Charged& charged);
  Result<void> CheckAllowed();
  Result<void> PayAll();
  Result<ChargeRequest> WholeCharge() const;
  Result<ChargeRequest> ChargeByCaps() const;
  DeltaCharge ChargeOfDelta() const;
  Result<Paid> Charge(ChargeRequest request);
  Result<Answer> ComputeAndCertify(Release& release, const Call& call);
  Result<void> AddRemarks(const Release& release, Answer& answer) const;
  Result<void> StoreAnswer(Answer& answer);
  bool replaced() const;
  Charged charged() const;
  Error Unpaid(Error error) const;
  Error AfterCharge(Error error) const;

  const CuratorState& curator_;
  Ledger& ledger_;
  const OpenedData data_;
  const Vault vault_;
  const Release& release_;
  const Caller& caller_;
  const std::string key_;
  std::vector<PlainUnits> limits_;
  std::vector<Made> made_;
  std::optional<Paid> paid_;
  bool doubtful_ = false;  // a charge failed, but may be counted nevertheless
};

/// The version of the data as part of a key: a name is never taken for a number.
std::string VersionText(const DataState& data);

}  // namespace kith
