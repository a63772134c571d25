// One-sided histograms, through the pipeline of all answers: counts of rows that are not sensitive with one-sided
// noise, or DAWAz, whose two parts are charged in one step.
#include <fmt/format.h>

#include <cmath>

#include "analysis/one_sided/noisy_dawa.h"
#include "kernel/opening.h"
#include "loss/loss_text.h"
#include "mechanism/one_sided_laplace.h"
#include "policy/per_row.h"
#include "release/allowed.h"
#include "release/one_sided/one_sided.h"
#include "release/pipeline.h"

namespace kith {
namespace {

/// Rows of the answer: the keys of each group, then the number.
Answer Tabulated(const Plan& plan, const std::string& name, const std::vector<Value>& numbers,
                 std::optional<double> error_95) {
  Answer answer;
  for (const GroupKey& key : plan.keys) {
    if (key.histogram) answer.histograms.push_back(answer.columns.size());
    answer.columns.push_back(key.name);
  }
  answer.columns.push_back(name);
  for (std::size_t group = 0; group < numbers.size(); ++group) {
    std::vector<AnswerCell> row(plan.keys.size() + 1);
    std::size_t rest = group;
    for (std::size_t k = plan.keys.size(); k-- > 0; rest /= plan.keys[k].values.size())
      row[k].value = plan.keys[k].values[rest % plan.keys[k].values.size()];
    row.back() = {numbers[group], error_95};
    answer.rows.push_back(std::move(row));
  }
  return answer;
}

/// The two histograms of a request. All rows: only for DAWAz.
struct Plans {
  Plan open;
  std::optional<Plan> all;
};

Result<Plans> PlansOf(const HistogramRequest& request, const OneSidedAttribute& attribute, const Policy& policy) {
  auto open = PlanOpenCounts(attribute, request.by, policy);
  if (!open) return open.error();
  Plans plans{std::move(*open), std::nullopt};
  if (!request.noisy_epsilon) return plans;
  if (!(request.partition_share > 0 && request.partition_share < 1))
    return InvalidArgument("the partition's share must lie between 0 and 1", {}, "take 0.5")
        .For("histogram.partition_share");
  auto all = PlanAllCounts(request.by, policy);
  if (!all) return all.error();
  if (all->groups() != plans.open.groups()) return InternalError("the two histograms have different groups");
  plans.all = std::move(*all);
  return plans;
}

/// One-sided noise, and what it says in words.
Answer OpenCounts(const Plan& plan, const std::vector<Int128>& noisy, const OneSidedLaplace& noise, double epsilon) {
  std::vector<Value> numbers;
  for (const Int128 count : noisy) numbers.emplace_back(static_cast<std::int64_t>(noise.Debiased(count)));
  const double bar = std::ceil(std::log(20.0) / epsilon);  // P[G >= bar] <= 0.05
  Answer answer = Tabulated(plan, "open_rows", numbers, bar);
  answer.notes.push_back(
      {NoteKind::kMethod,
       fmt::format("rows that are not sensitive: each count was lowered by G, P[G >= k] = e^(-{} k), and the median {} "
                   "was added back to what was left; sensitive rows are not counted, and not covered by the error bar",
                   LossText(epsilon), noise.Median())});
  answer.certificate.claims = {"OSDP-2", "OSDP-5", "OSDP-7", "OSDP-8", "LEDGER-5"};
  return answer;
}

/// Buckets spread over those of their bins where the one-sided histogram is not zero.
Result<Answer> SparseCounts(const Plan& plan, const one_sided::NoisyDawa::Buckets& released,
                            const std::vector<std::size_t>& zeros) {
  std::vector<double> even(plan.groups(), 0.0);
  for (std::size_t b = 0; b < released.buckets.size(); ++b) {
    const auto [first, last] = released.buckets[b];
    const double each = std::max(0.0, static_cast<double>(released.totals[b])) / static_cast<double>(last - first + 1);
    for (std::size_t bin = first; bin <= last; ++bin) even[bin] = each;
  }
  const auto spread = one_sided::PutZeros(even, released.buckets, zeros);
  if (!spread) return spread.error();
  Answer answer = Tabulated(plan, "rows", std::vector<Value>(spread->begin(), spread->end()), std::nullopt);
  answer.notes.push_back(
      {NoteKind::kMethod,
       fmt::format(
           "DAWAz: {} buckets with noisy totals, spread evenly over groups where the one-sided histogram is not "
           "zero ({} of {} "
           "are); a group all of whose rows are sensitive is shown as 0; there is no error bar, because counts in a "
           "bucket need not be equal",
           released.buckets.size(), zeros.size(), plan.groups())});
  answer.certificate.claims = {"OSDP-2", "OSDP-5", "OSDP-7", "OSDP-8", "OSDP-9", "PLAN-1", "DL-1", "LEDGER-5"};
  return answer;
}

}  // namespace

namespace {

struct HistogramRelease final : Release {
  explicit HistogramRelease(const ReleaseContext& on) : context(on) {}

  const ReleaseContext context;
  OneSidedTerms terms;
  Plans plans;
  std::optional<OneSidedLaplace> noise;
  std::optional<one_sided::NoisyDawa> dawa;  // set: DAWAz

  Result<Explanation> Explain(const Totals&) const override {
    Explanation out;
    out.plan = plans.all ? *plans.all : plans.open;
    out.plan.charged = charged;
    out.noise = priced.noise;
    out.statements.push_back(plans.open.statement);
    if (plans.all) out.statements.push_back(plans.all->statement);
    return out;
  }

  Result<Answer> Compute(Pipeline& pipeline, const Call&) override {
    const auto sealed = pipeline.vault().RunUnchecked(plans.open);
    if (!sealed) return sealed.error();
    const auto open = pipeline.vault().OpenOneSided(*sealed, terms.units, pipeline.paid());
    if (!open) return open.error();
    if (!dawa) return OpenCounts(plans.open, *open, *noise, terms.units.epsilon());
    std::vector<std::size_t> zeros;
    for (std::size_t group = 0; group < open->size(); ++group) {
      if ((*open)[group] <= 0) zeros.push_back(group);
    }
    const Vault::Unsealed raw = pipeline.vault().Unseal(pipeline.paid());
    const auto table = raw.session.Run(plans.all->statement, raw.cancel);
    if (!table) return table.error();
    const auto all = ExactGroups(*plans.all, *table);
    if (!all) return all.error();
    std::vector<std::int64_t> counts;
    for (const auto& group : *all) counts.push_back(static_cast<std::int64_t>(group[0]));
    return SparseCounts(*plans.all, dawa->Release(counts, raw.bits), zeros);
  }

  Result<void> AddRemarks(const Pipeline& pipeline, Answer& answer) const override {
    const auto totals = pipeline.curator().TotalsOf(pipeline.records());
    if (!totals) return totals.error();
    auto noisy = GuaranteeOf(context.policy, context.account, *totals);
    if (!noisy) return noisy.error();
    const auto certificate =
        CertifyOneSided(context.policy, terms, OneSidedKind::kCounts, totals->released, std::move(*noisy));
    answer.certificate.sides = Sides::kOne;
    std::string& said = answer.certificate.guarantee.one_sided;
    said = certificate.statement + " " + said;
    answer.notes.push_back({NoteKind::kProtects, "protects " + certificate.protects});
    answer.notes.push_back({NoteKind::kProtects, "per unit: " + certificate.per_unit});
    return {};
  }
};

/// The two-sided part of DAWAz, and what it costs.
Result<void> AddDawa(const HistogramRequest& request, HistogramRelease& release) {
  const Plan& all = *release.plans.all;
  release.charged = OfWholeUnits(release.context.policy, all.charged);
  const auto shares = SharesOf({request.partition_share, 1 - request.partition_share}, *request.noisy_epsilon,
                               release.context.policy.epsilon_total, release.context.account.Budget(release.charged));
  if (!shares) return shares.error();
  const PlainUnits partition = (*shares)[0], totals = (*shares)[1];
  auto made = one_sided::NoisyDawa::Make(all.groups(), all.statistics[0].change.l1(), partition, totals);
  if (!made) return made.error();
  release.dawa = *made;
  release.normalised += ", dawaz";
  release.priced.shares = *shares;
  release.priced.total = partition + totals;
  const double change = static_cast<double>(all.statistics[0].change.l1().steps());
  const double step = std::ldexp(1.0, -made->depth());
  release.priced.noise = {{.statistic = "costs of buckets",
                           .share = partition,
                           .scale = made->partition_scale(),
                           .lattice = step,
                           .sensitivity = 4 * change,
                           .law = std::string(kDiscreteLaplaceName.id)},
                          {.statistic = "totals of buckets",
                           .share = totals,
                           .scale = made->count_scale(),
                           .lattice = 1,
                           .sensitivity = change,
                           .law = std::string(kDiscreteLaplaceName.id)}};
  return {};
}

}  // namespace

Result<std::unique_ptr<Release>> MakeRelease(const HistogramRequest& request, const Price& price,
                                             const ReleaseContext& context) {
  if (auto own = HoldsItsPrice(price); !own) return own.error();
  auto release = std::make_unique<HistogramRelease>(context);
  auto terms = OneSidedTermsOf(context.policy, request.attribute, request.epsilon);
  if (!terms) return terms.error();
  release->terms = std::move(*terms);
  auto plans = PlansOf(request, *release->terms.attribute, context.policy);
  if (!plans) return plans.error();
  release->plans = std::move(*plans);
  const auto noise = OneSidedLaplace::Make(release->terms.units);
  if (!noise) return noise.error();
  release->noise = *noise;
  release->normalised =
      fmt::format("histogram of {} by {}, one-sided {}, rule {}", release->terms.attribute->name,
                  release->plans.open.normalised, release->terms.units.count(), release->terms.records.rule);
  release->charged.assign(context.policy.cells.size(), false);
  release->one_sided = release->terms.Charge();
  if (release->plans.all) {
    if (auto added = AddDawa(request, *release); !added) return added.error();
  }
  return release;
}

}  // namespace kith
