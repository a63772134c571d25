// One-sided histograms, through the pipeline of all answers: counts of rows that are not sensitive with one-sided
// noise, or DAWAz, whose two parts are charged in one step.
#include <fmt/format.h>

#include <cmath>

#include "analysis/one_sided/noisy_dawa.h"
#include "loss/loss_text.h"
#include "mechanism/one_sided_laplace.h"
#include "release/noisy.h"
#include "release/one_sided/one_sided_work.h"
#include "release/pipeline.h"

namespace kith {
namespace {

/// Exact counts of one plan, group by group.
Result<std::vector<std::int64_t>> Counts(const Plan& plan, const Engine& engine, const CancelFlag& cancel) {
  const auto table = engine.Run(plan.Sql(engine.dialect()), cancel);
  if (!table) return table.error();
  const auto groups = ExactGroups(plan, *table);
  if (!groups) return groups.error();
  std::vector<std::int64_t> counts;
  for (const auto& group : *groups) counts.push_back(static_cast<std::int64_t>(group[0]));
  return counts;
}

/// Rows of the answer: the keys of each group, then the number.
Answer Tabulated(const Plan& plan, const std::string& name, const std::vector<Value>& numbers,
                 std::optional<double> error_95) {
  Answer answer;
  for (const GroupKey& key : plan.keys) answer.columns.push_back(key.name);
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
  if (all->groups() != plans.open.groups()) return InternalError("the two histograms have other groups");
  plans.all = std::move(*all);
  return plans;
}

/// One-sided noise, and what it says in words.
Answer OpenCounts(const Plan& plan, const std::vector<std::int64_t>& counts, const OneSidedLaplace& noise,
                  double epsilon, BitSource& bits) {
  std::vector<Value> numbers;
  for (const std::int64_t count : counts)
    numbers.emplace_back(static_cast<std::int64_t>(noise.Debiased(noise.Release(count, bits))));
  const double bar = std::ceil(std::log(20.0) / epsilon);  // P[G >= bar] <= 0.05
  Answer answer = Tabulated(plan, "open_rows", numbers, bar);
  answer.notes.push_back(
      {NoteKind::kMethod, fmt::format("rows that are not sensitive: each count was made smaller by G, P[G >= k] = "
                                      "e^(-{} k), and the median {} was "
                                      "added to what was left; sensitive rows are not in it, and not in the error bar",
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
           "are); a group all of whose rows are sensitive reads as 0; there is no error bar, because a bucket "
           "need not be even",
           released.buckets.size(), zeros.size(), plan.groups())});
  answer.certificate.claims = {"OSDP-2", "OSDP-5", "OSDP-7", "OSDP-8", "OSDP-9", "PLAN-1", "DL-1", "LEDGER-5"};
  return answer;
}

}  // namespace

Result<Answer> Curator::ReleaseHistogram(const HistogramRequest& request, const Call& call) const {
  const Policy& policy = state_->policy;
  const auto paid_for = state_->PrepareOneSided(request.attribute, request.epsilon);
  if (!paid_for) return paid_for.error();
  const auto plans = PlansOf(request, *paid_for->attribute, policy);
  if (!plans) return plans.error();
  const auto noise = OneSidedLaplace::Make(paid_for->units);
  if (!noise) return noise.error();
  std::optional<one_sided::NoisyDawa> dawa;
  Work work{fmt::format("histogram of {} by {}, one-sided {}, rule {}", paid_for->attribute->name,
                        plans->open.normalised, paid_for->units.count(), paid_for->records.rule),
            std::vector<bool>(policy.cells.size(), false),
            {},
            nullptr,
            paid_for->Charge()};
  if (plans->all) {
    work.charged = plans->all->charged;
    const auto shares = SharesOf({request.partition_share, 1 - request.partition_share}, *request.noisy_epsilon,
                                 policy.epsilon_total, state_->account.Budget(work.charged));
    if (!shares) return shares.error();
    auto made = one_sided::NoisyDawa::Make(plans->all->groups(), plans->all->statistics[0].change.l1(), (*shares)[0],
                                           (*shares)[1]);
    if (!made) return made.error();
    dawa = *made;
    work.normalised += ", dawaz";
    work.priced.shares = *shares;
    work.priced.total = (*shares)[0] + (*shares)[1];
    const double change = static_cast<double>(plans->all->statistics[0].change.l1().steps());
    const double step = std::ldexp(1.0, -dawa->depth());
    work.priced.noise = {{.statistic = "costs of buckets",
                          .share = (*shares)[0],
                          .scale = dawa->partition_scale(),
                          .lattice = step,
                          .sensitivity = 4 * change},
                         {.statistic = "totals of buckets",
                          .share = (*shares)[1],
                          .scale = dawa->count_scale(),
                          .lattice = 1,
                          .sensitivity = change}};
  }
  work.compute = [&](const Engine& engine, const Priced&) -> Result<Answer> {
    BitSource& bits = SystemBits::ForThisThread();
    const auto open = Counts(plans->open, engine, call.cancel);
    if (!open) return open.error();
    if (!dawa) return OpenCounts(plans->open, *open, *noise, paid_for->units.epsilon(), bits);
    std::vector<std::size_t> zeros;
    for (std::size_t group = 0; group < open->size(); ++group) {
      if (noise->Release((*open)[group], bits) <= 0) zeros.push_back(group);
    }
    const auto all = Counts(*plans->all, engine, call.cancel);
    if (!all) return all.error();
    return SparseCounts(*plans->all, dawa->Release(*all, bits), zeros);
  };
  auto answer = state_->Release(work, call);
  if (!answer) return answer;
  const auto totals = state_->TotalsSoFar();
  if (!totals) return totals.error();
  const auto certificate = state_->CertifyNow(*paid_for, totals->released, true);
  if (!certificate) return certificate.error();
  std::string& one_sided = answer->certificate.guarantee.one_sided;
  one_sided = certificate->statement + " " + one_sided;
  answer->notes.push_back({NoteKind::kProtects, "protects " + certificate->protects});
  answer->notes.push_back({NoteKind::kProtects, "per unit: " + certificate->per_unit});
  return answer;
}

}  // namespace kith
