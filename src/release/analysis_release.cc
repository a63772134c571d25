// Analyses and studies on their way out.
#include <utility>

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

bool LeaveServer(const Ground& ground) { return ground.engine.CapabilitiesFor(ground.policy).elsewhere; }

struct AnalysisRelease final : Release {
  std::shared_ptr<const Analysis> analysis;
  bool rows_leave = false;

  Result<Explanation> Explain(const Totals&) const override {
    return TellOfRows(RehearseAnalysis(*analysis, priced), rows_leave);
  }
  Result<Answer> Compute(Desk& desk, const Call& call) override {
    return RunAnalysis(*analysis, desk.engine(), priced, SystemBits::ForThisThread(), call);
  }
};

struct StudyRelease final : Release {
  std::shared_ptr<const Study> study;
  bool rows_leave = false;

  Result<Explanation> Explain(const Totals&) const override {
    return TellOfRows(OutlineStudy(*study, priced), rows_leave);
  }
  Result<void> Prepare() override {
    const auto outline = OutlineStudy(*study, priced);
    if (!outline) return outline.error();
    return {};
  }
  Result<Answer> Compute(Desk& desk, const Call& call) override {
    return RunStudy(*study, desk.engine(), priced, SystemBits::ForThisThread(), call);
  }
};

Covers CoversOf(const Study& study) { return study.HidesAnyChange() ? Covers::kAny : Covers::kMove; }

}  // namespace

Result<std::unique_ptr<Release>> MakeRelease(const AnalysisRequest& request, const Price& price, const Ground& ground) {
  if (!request.analysis) return InvalidArgument("there is no analysis to release");
  const Analysis& analysis = *request.analysis;
  if (auto may = MayCharge(ground.policy, false); !may) return may.error();
  if (auto knows = KnowsUnit(ground.policy, analysis.KnowsPairs()); !knows) return knows.error();
  if (auto may = analysis.NeedsRows() ? MayLeave(ground.policy) : Result<void>(); !may) return may.error();
  auto priced = PriceAnalysis(analysis, price, ground.policy.epsilon_total, ground.account.Budget(analysis.Charged()));
  if (!priced) return priced.error();
  auto release = std::make_unique<AnalysisRelease>();
  release->normalised = analysis.Normalised();
  release->reads = ReadingText(DescribePolicy(ground.policy), std::nullopt);
  release->charged = analysis.Charged();
  release->priced = std::move(*priced);
  release->analysis = request.analysis;
  release->rows_leave = analysis.NeedsRows() && LeaveServer(ground);
  return release;
}

Result<std::unique_ptr<Release>> MakeRelease(const StudyRequest& request, const Price& price, const Ground& ground) {
  if (!request.study) return InvalidArgument("there is no study to release");
  const Study& study = *request.study;
  if (auto may = MayCharge(ground.policy, study.LosesByDistance()); !may) return may.error();
  if (auto knows = KnowsUnit(ground.policy, false); !knows) return knows.error();
  if (auto may = study.NeedsRows() ? MayLeave(ground.policy) : Result<void>(); !may) return may.error();
  auto priced = PriceStudy(study, price, ground.policy.epsilon_total, ground.account.Budget(study.Charged()));
  if (!priced) return priced.error();
  auto release = std::make_unique<StudyRelease>();
  release->normalised = study.Normalised();
  release->reads = ReadingText(DescribePolicy(ground.policy), std::nullopt);
  release->charged = study.Charged();
  release->priced = std::move(*priced);
  release->covers = CoversOf(study);
  release->study = request.study;
  release->rows_leave = study.NeedsRows() && LeaveServer(ground);
  return release;
}

}  // namespace kith
