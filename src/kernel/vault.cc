#include "kernel/vault.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "kernel/check/check.h"
#include "kernel/differs.h"
#include "kernel/largest.h"
#include "kernel/opening.h"
#include "kernel/statistic_mechanism.h"
#include "mechanism/noise.h"
#include "mechanism/one_sided_laplace.h"

namespace kith {
namespace {

Result<std::vector<StatisticMechanism>> LawsFor(const Plan& plan, const NoiseTerms& terms) {
  const std::size_t given = terms.mu_shares.empty() ? terms.shares.size() : terms.mu_shares.size();
  if (given != plan.statistics.size()) return InternalError("a share for each statistic is needed");
  if (terms.mu_shares.empty()) return MechanismsOf(plan, terms.shares);
  auto laws = NormalMechanismsOf(plan, terms.mu_shares);
  if (!laws) return laws.error();
  if (!*laws) return InternalError("these numbers have no normal noise");
  return std::move(**laws);
}

/// Whether units of a cell can be in one of these groups, as far as one public key tells: nothing of other keys is
/// used.
bool MayHold(const Plan& plan, const Cells& cells, std::size_t cell, const std::vector<std::vector<bool>>& values) {
  for (std::size_t k = 0; k < plan.keys.size(); ++k) {
    const GroupKey& key = plan.keys[k];
    if (key.secret || key.column.empty()) continue;
    for (std::size_t c = 0; c < cells.columns().size(); ++c) {
      if (cells.columns()[c].name != key.column) continue;
      const auto at = std::find(key.values.begin(), key.values.end(), cells.At(cell, c));
      if (at != key.values.end() && !values[k][static_cast<std::size_t>(at - key.values.begin())]) return false;
    }
  }
  return true;
}

/// Every group is in one part, and no part has groups that may hold units of cells that another part pays for.
bool AreApart(const Plan& plan, const Cells& cells, std::span<const TermsOfCells> parts) {
  if (!plan.levels.empty() || plan.charged.size() != cells.size()) return false;
  std::vector<bool> seen(plan.groups(), false);
  for (const TermsOfCells& part : parts) {
    if (part.cells.size() != plan.charged.size()) return false;
    std::vector<std::vector<bool>> values;  // of each key, in these groups
    for (const GroupKey& key : plan.keys) values.emplace_back(key.values.size(), false);
    for (const std::size_t group : part.groups) {
      if (group >= seen.size() || seen[group]) return false;
      seen[group] = true;
      const auto place = plan.PlaceOf(group);
      for (std::size_t k = 0; k < plan.keys.size(); ++k) values[k][*place.keys[k]] = true;
    }
    for (std::size_t cell = 0; cell < plan.charged.size(); ++cell) {
      if (plan.charged[cell] && !part.cells[cell] && MayHold(plan, cells, cell, values)) return false;
    }
  }
  return std::find(seen.begin(), seen.end(), false) == seen.end();
}

}  // namespace

Error Vault::AsOneSentence(const Error& error) {
  if (error.code == Code::kCancelled) return error;
  return StorageError("the data could not be read", {},
                      "the curator can look for the cause: memory, disk, the server, a file");
}

Result<Sealed> Vault::Seal(const Plan& plan, const std::function<Result<IntegerTable>()>& count) const {
  auto exact = ReadExact(plan, session_, cancel_, count);
  if (!exact) return AsOneSentence(exact.error());
  return Sealed(std::make_shared<const Plan>(plan), std::make_shared<const Exact>(std::move(*exact)));
}

Result<Sealed> Vault::Run(const CheckedPlan& plan) const { return Seal(plan.plan(), {}); }

Result<Sealed> Vault::RunUnchecked(const Plan& plan) const { return Seal(plan, {}); }

Result<Sealed> Vault::Count(const Plan& plan, const std::function<Result<IntegerTable>(const Session&)>& count) const {
  return Seal(plan, [&] { return count(session_); });
}

Result<NoisyGroups> Vault::Open(const Sealed& sealed, Paid& paid, const NoiseTerms& terms) const {
  const Plan& plan = *sealed.plan_;
  const auto laws = LawsFor(plan, terms);
  if (!laws) return laws.error();
  const auto cost = CostOf(plan, terms);
  if (!cost) return cost.error();
  if (auto spent = paid.Spend(plan.charged, *cost); !spent) return spent.error();
  auto noisy = AddNoise(plan, *sealed.exact_, *laws, bits_);
  return noisy ? std::move(noisy) : AsOneSentence(noisy.error());
}

Result<NoisyGroups> Vault::Open(const Sealed& sealed, Paid& paid, std::span<const TermsOfCells> parts) const {
  const Plan& plan = *sealed.plan_;
  if (!AreApart(plan, policy_.cells, parts)) return InternalError("groups do not belong to those who pay for them");
  std::vector<std::vector<StatisticMechanism>> laws;
  std::vector<GroupMechanisms> of_groups;
  for (const TermsOfCells& part : parts) {
    auto of_part = LawsFor(plan, part.terms);
    if (!of_part) return of_part.error();
    const auto cost = CostOf(plan, part.terms);
    if (!cost) return cost.error();
    std::vector<bool> cells = part.cells;
    for (std::size_t cell = 0; cell < cells.size(); ++cell) cells[cell] = cells[cell] && plan.charged[cell];
    if (auto spent = paid.Spend(cells, *cost); !spent) return spent.error();
    laws.push_back(std::move(*of_part));
  }
  for (std::size_t k = 0; k < parts.size(); ++k) of_groups.push_back({parts[k].groups, laws[k]});
  auto noisy = AddNoise(plan, *sealed.exact_, of_groups, bits_);
  return noisy ? std::move(noisy) : AsOneSentence(noisy.error());
}

Result<NoisyGroups> Vault::Public(const Plan& plan) const {
  const auto facts = check::FactsOf(policy_);
  if (!facts) return facts.error();
  check::Claim claim{.keys = plan.keys.size(),
                     .numbers = {},
                     .use = {plan.levels, false, {}},
                     .charged = std::vector<bool>(policy_.cells.size(), false),
                     .rows = plan.unit_rows};
  for (const Statistic& statistic : plan.statistics) {
    if (statistic.quantile) return InternalError("a quantile is no public fact");
    claim.numbers.push_back({Sensitivities::None(), Sensitivities::None(), {}});
  }
  const auto checked = check::Check(plan.statement, *facts, claim);
  if (!checked) return checked.error();
  const auto table = session_.Run(checked->statement(), cancel_);
  if (!table) return AsOneSentence(table.error());
  auto groups = ExactGroups(plan, *table);
  if (!groups) return AsOneSentence(groups.error());
  AddLevels(plan, *groups);
  return groups;
}

Result<std::int64_t> Vault::Copy(const sql::Statement& rows, PlainUnits units, bool parquet, bool sorted,
                                 Paid& paid) const {
  if (auto spent = paid.SpendOneSided(units); !spent) return spent.error();
  auto written = session_.Copy({rows, units, parquet, sorted}, cancel_);
  return written ? std::move(written) : AsOneSentence(written.error());
}

Result<std::vector<Int128>> Vault::OpenOneSided(const Sealed& sealed, PlainUnits units, Paid& paid) const {
  const auto law = OneSidedLaplace::Make(units);
  if (!law) return law.error();
  const Plan& plan = *sealed.plan_;
  if (plan.statistics.size() != 1 || !plan.levels.empty()) return InternalError("one count of each group is needed");
  const auto exact = ExactGroups(plan, sealed.exact_->sums);
  if (!exact) return AsOneSentence(exact.error());
  if (auto spent = paid.SpendOneSided(units); !spent) return spent.error();
  std::vector<Int128> noisy;
  for (const auto& group : *exact) noisy.push_back(law->Release(group[0], bits_));
  return noisy;
}

Result<bool> Vault::Differs(const Sealed& sealed, std::span<const Int128> last, PlainUnits test, PlainUnits publication,
                            Paid& paid) const {
  const Plan& plan = *sealed.plan_;
  if (plan.statistics.size() != 1 || plan.statistics[0].quantile) return InternalError("a test is of one number");
  const auto groups = ExactGroups(plan, sealed.exact_->sums);
  if (!groups) return AsOneSentence(groups.error());
  std::vector<Int128> exact;
  for (const auto& group : *groups) exact.push_back(group[0]);
  if (auto spent = paid.Spend(plan.charged, {.any = test, .presence = test}); !spent) return spent.error();
  return kith::Differs(exact, last, plan.statistics[0].change.l1(), test, publication, bits_);
}

Result<std::vector<std::size_t>> Vault::Largest(const Sealed& sealed, std::size_t wanted, std::size_t among,
                                                PlainUnits share, Paid& paid) const {
  const Plan& plan = *sealed.plan_;
  if (plan.statistics.size() != 1 || plan.statistics[0].quantile || among > plan.groups() || wanted >= among)
    return InternalError("some of the counts of one statistic are needed");
  const auto law = LawOfLargest(std::min<std::int64_t>(2, plan.statistics[0].change.l1().steps()), wanted, share);
  if (!law) return law.error();
  const auto groups = ExactGroups(plan, sealed.exact_->sums);
  if (!groups) return AsOneSentence(groups.error());
  std::vector<std::int64_t> counts;
  for (std::size_t k = 0; k < among; ++k)
    counts.push_back(static_cast<std::int64_t>(std::clamp<Int128>((*groups)[k][0], 0, kMostUnits)));
  if (auto spent = paid.Spend(plan.charged, {.any = share, .presence = share}); !spent) return spent.error();
  return ChooseLargest(counts, wanted, *law, bits_);
}

Result<SealedSums> Vault::Fold(const RowFold& fold) const {
  std::vector<SealedSums::Part> parts;
  for (const FoldPart& part : fold.parts) {
    const auto change = ChangeOf(part, fold.rows.max_rows);
    if (!change) return change.error();
    parts.push_back({part.first, part.size, *change});
  }
  auto sums = FoldRows(session_, fold, cancel_);
  if (!sums) return AsOneSentence(sums.error());
  return SealedSums(std::move(*sums), std::move(parts), fold.rows.charged);
}

Result<std::vector<Int128>> Vault::Open(const SealedSums& sealed, Paid& paid,
                                        std::span<const PlainUnits> shares) const {
  if (shares.size() != sealed.parts_.size()) return InternalError("a share for each part is needed");
  const auto total = PlainUnits::Sum(shares);
  if (!total) return total.error();
  std::vector<Noise> noises;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const auto noise = Noise::For(sealed.parts_[k].change, shares[k]);
    if (!noise) return noise.error();
    noises.push_back(*noise);
  }
  if (auto spent = paid.Spend(sealed.charged_, {.any = *total, .presence = *total}); !spent) return spent.error();
  std::vector<Int128> noisy = sealed.sums_;
  for (std::size_t k = 0; k < noises.size(); ++k)
    noises[k].ReleaseAll(std::span(noisy).subspan(sealed.parts_[k].first, sealed.parts_[k].size), bits_);
  return noisy;
}

Vault::Unsealed Vault::Unseal(Paid& paid) const {
  paid.SpendAll();
  return {session_, bits_, cancel_};
}

}  // namespace kith
