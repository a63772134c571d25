// Analyses and studies on their way out.
#include <utility>

#include "analysis/delta_study.h"
#include "analysis/normal_study.h"
#include "policy/growth.h"
#include "release/allowed.h"
#include "release/analyse.h"
#include "release/pipeline.h"

namespace kith {
namespace {

/// Says so where rows leave a server.
Result<Explanation> TellOfRows(Result<Explanation> out, bool leave) {
  if (out && leave) out->plan.notes.push_back({NoteKind::kMethod, kRowsLeave});
  return out;
}

bool LeaveServer(const ReleaseContext& context) { return context.engine.CapabilitiesFor(context.policy).elsewhere; }

struct AnalysisRelease final : Release {
  std::shared_ptr<const Analysis> analysis;
  const Policy* policy = nullptr;  // the curator's
  bool rows_leave = false;

  Result<Explanation> Explain(const Totals&) const override {
    return TellOfRows(RehearseAnalysis(*analysis, *policy, priced), rows_leave);
  }
  // What no rule knows is refused before the charge, as far as it can be seen there: later rounds depend on answers.
  Result<void> Prepare() override {
    const auto rehearsed = RehearseAnalysis(*analysis, *policy, priced);
    return rehearsed ? Result<void>() : rehearsed.error();
  }
  Result<Answer> Compute(Pipeline& pipeline, const Call& call) override {
    return RunAnalysis(*analysis, *policy, pipeline.vault(), priced, pipeline.paid(), call);
  }
};

struct StudyRelease final : Release {
  std::shared_ptr<const Study> study;
  bool rows_leave = false;

  Result<Explanation> Explain(const Totals&) const override {
    return TellOfRows(OutlineStudy(*study, priced), rows_leave);
  }
  Result<void> Prepare() override {
    if (study->NeedsDelta() != nullptr && delta == 0) return InternalError("a study that needs a delta has none");
    const auto outline = OutlineStudy(*study, priced);
    if (!outline) return outline.error();
    return {};
  }
  Result<Answer> Compute(Pipeline& pipeline, const Call&) override {
    return RunStudy(*study, pipeline.vault(), priced, pipeline.paid());
  }

  Normal normal() const override {
    if (study->NeedsDelta() != nullptr) return Normal::kWithADelta;
    return study->CanBeNormal() != nullptr ? Normal::kInstead : Normal::kNo;
  }
  Result<void> UseMu(std::int64_t mu) override {
    auto at = study->CanBeNormal()->AtMu(mu);
    if (!at) return at.error();
    study = std::move(*at);
    PriceAt(mu);
    return {};
  }
  Result<void> UseDelta(std::optional<std::int64_t> mu, std::int64_t of_caps) override {
    const auto loss = mu ? Loss::Of(LossKind::kMu, *mu) : Result<Loss>(Loss::Pure(priced.total));
    if (!loss) return loss.error();
    auto at = study->NeedsDelta()->AtDelta(*loss, of_caps);
    if (!at) return at.error();
    study = std::move(*at);
    delta = of_caps;
    if (mu) PriceAt(*mu);
    return {};
  }
  Result<double> Noisiness() const override {
    return delta > 0 ? study->NeedsDelta()->SeenFrom() : study->CanBeNormal()->ErrorAt(priced.shares);
  }

 private:
  void PriceAt(std::int64_t mu) {
    priced = {};
    priced.shares.resize(1);
    priced.mu_shares = {mu};
    priced.mu = mu;
  }
};

/// Whether the policy has what a study needs.
Result<void> HasDelta(const Study& study, const ReleaseContext& context) {
  if (study.NeedsDelta() == nullptr) return {};
  if (!context.policy.with_delta || context.policy.with_delta->keys == 0)
    return Unsupported(
               "keys that nobody declared are shown only under a budget that keeps a part of a delta for them",
               "[budget]",
               "declare their values or a pattern, and ask for the large ones among very many cells, which needs "
               "no delta; or state delta = 1e-6 and keys_delta = 5e-7 in [budget]")
        .For("request.cells");
  return {};
}

Covers CoversOf(const Study& study) { return study.HidesAnyChange() ? Covers::kAny : Covers::kMove; }

}  // namespace

Result<std::unique_ptr<Release>> MakeRelease(const AnalysisRequest& request, const Price& price,
                                             const ReleaseContext& context) {
  if (!request.analysis) return InvalidArgument("there is no analysis to release");
  const Analysis& analysis = *request.analysis;
  if (auto may = MayCharge(context.policy, false); !may) return may.error();
  if (auto knows = KnowsUnit(context.policy, analysis.KnowsPairs()); !knows) return knows.error();
  if (auto may = analysis.NeedsRows() ? MayLeave(context.policy) : Result<void>(); !may) return may.error();
  auto priced =
      PriceAnalysis(analysis, price, context.policy.epsilon_total, context.account.Budget(analysis.Charged()));
  if (!priced) return priced.error();
  auto release = std::make_unique<AnalysisRelease>();
  release->normalised = analysis.Normalised();
  release->reads = ReadingText(context.policy, std::nullopt);
  release->charged = analysis.Charged();
  release->priced = std::move(*priced);
  release->analysis = request.analysis;
  release->policy = &context.policy;
  release->rows_leave = analysis.NeedsRows() && LeaveServer(context);
  return release;
}

Result<std::unique_ptr<Release>> MakeRelease(const StudyRequest& request, const Price& price,
                                             const ReleaseContext& context) {
  if (!request.study) return InvalidArgument("there is no study to release");
  const Study& study = *request.study;
  if (auto may = MayCharge(context.policy, study.LosesByDistance()); !may) return may.error();
  if (auto knows = KnowsUnit(context.policy, false); !knows) return knows.error();
  if (auto may = study.NeedsRows() ? MayLeave(context.policy) : Result<void>(); !may) return may.error();
  if (auto has = HasDelta(study, context); !has) return has.error();
  auto priced = PriceStudy(study, price, context.policy.epsilon_total, context.account.Budget(study.Charged()));
  if (!priced) return priced.error();
  auto release = std::make_unique<StudyRelease>();
  release->study = request.study;
  release->rows_leave = study.NeedsRows() && LeaveServer(context);
  release->normalised = study.Normalised();
  release->reads = ReadingText(context.policy, std::nullopt);
  release->charged = study.Charged();
  release->priced = std::move(*priced);
  release->covers = CoversOf(study);
  return release;
}

}  // namespace kith
