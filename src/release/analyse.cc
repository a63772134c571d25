#include "release/analyse.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "kernel/checked_plan.h"
#include "loss/loss_kinds.h"
#include "release/levels.h"

namespace kith {
namespace {

/// The shares of one round, next to its statistics; those without noise get none.
/// Fails: kInternal if the round has statistics or cells other than those that the analysis declared.
Result<std::vector<PlainUnits>> SharesOfRound(const Plan& plan, const Analysis& analysis, std::size_t round,
                                              const std::vector<PlainUnits>& paid, std::size_t& next) {
  const std::size_t declared = analysis.Weights()[round].size();
  std::vector<PlainUnits> shares(plan.statistics.size());
  std::size_t noisy = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    if (!plan.statistics[k].noisy()) continue;
    if (noisy++ == declared) break;
    shares[k] = paid[next++];
  }
  if (noisy != declared) return InternalError("a round has other statistics than its analysis declared");
  for (std::size_t cell = 0; cell < plan.charged.size(); ++cell) {
    if (plan.charged[cell] && !analysis.Charged()[cell])
      return InternalError("a round charges people whom its analysis did not declare");
  }
  return shares;
}

/// A round as it is run: checked, but for what is counted out of scanned rows, which is no statement and rests on its
/// own claim.
struct RoundToRun {
  Plan plan;
  std::optional<CheckedPlan> checked;
};
Result<RoundToRun> NextRound(const Analysis& analysis, std::span<const NoisyRound> before, const Policy& policy) {
  auto plan = analysis.Round(before);
  if (!plan) return plan.error();
  if (analysis.NeedsRows()) return RoundToRun{std::move(*plan), {}};
  bool raised = false;
  auto checked = RaiseAndCheck(std::move(*plan), policy, raised);
  if (!checked) return checked.error();
  return RoundToRun{checked->plan(), std::move(*checked)};
}

std::vector<NoiseLine> LinesOf(const Plan& plan, const std::vector<StatisticMechanism>& laws,
                               const std::vector<PlainUnits>& shares, std::size_t round) {
  std::vector<NoiseLine> lines;
  for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
    NoiseLine line = NoiseOf(plan.statistics[k], laws[k], shares[k], plan.groups());
    line.statistic = fmt::format("round {}: {}", round + 1, line.statistic);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<double> ScalesOf(const std::vector<NoiseLine>& lines) {
  std::vector<double> scales;
  for (const NoiseLine& line : lines) scales.push_back(line.scale);
  return scales;
}

Result<Priced> PriceWeights(const std::vector<double>& weights, const Price& price, double epsilon_total,
                            PlainUnits budget) {
  if (price.epsilon && !price.error_95 && !price.split.empty()) {
    return InvalidArgument("this takes no split: what its parts get of the price is its own matter", {},
                           "leave the split out")
        .For("price.split");
  }
  if (!price.epsilon || price.error_95) {
    return InvalidArgument("an analysis needs a price", {}, "give an epsilon such as 0.1, a part of the policy's")
        .For("price.epsilon");
  }
  auto shares = SharesOf(weights, *price.epsilon, epsilon_total, budget);
  if (!shares) return shares.error();
  Priced priced;
  priced.shares = std::move(*shares);
  priced.total = PlainUnits::Sum(priced.shares).value();  // at most the budget
  return priced;
}

/// How far the rounds are; whatever happens, it ends.
class RoundsShown {
 public:
  RoundsShown(const Call& call, std::size_t rounds) : progress_(call.progress), rounds_(rounds) {}
  RoundsShown(const RoundsShown&) = delete;
  RoundsShown& operator=(const RoundsShown&) = delete;
  ~RoundsShown() {
    if (progress_) progress_(1);
  }
  void At(std::size_t round) const {
    if (progress_) progress_(static_cast<double>(round) / static_cast<double>(rounds_));
  }

 private:
  const Progress& progress_;
  const std::size_t rounds_;
};

/// `claims`: what the way it was computed rests on, before those of the findings.
Answer AnswerOf(Findings findings, std::vector<NoiseLine> noise, std::vector<std::string> claims) {
  Answer answer;
  answer.columns = std::move(findings.columns);
  answer.rows = CellsOf(findings);
  answer.notes = std::move(findings.notes);
  answer.details = std::move(findings.details);
  answer.alarm = std::move(findings.alarm);
  answer.certificate.noise = std::move(noise);
  answer.certificate.claims = std::move(claims);
  for (std::string& claim : findings.claims) answer.certificate.claims.push_back(std::move(claim));
  return answer;
}

}  // namespace

std::vector<std::vector<AnswerCell>> CellsOf(const Findings& findings) {
  std::vector<std::vector<AnswerCell>> rows;
  for (std::size_t r = 0; r < findings.rows.size(); ++r) {
    auto& row = rows.emplace_back();
    for (std::size_t k = 0; k < findings.rows[r].size(); ++k) {
      const auto error = r < findings.errors_95.size() ? findings.errors_95[r][k] : std::nullopt;
      row.push_back({findings.rows[r][k], error});
    }
  }
  return rows;
}

Result<Priced> PriceAnalysis(const Analysis& analysis, const Price& price, double epsilon_total, PlainUnits budget) {
  std::vector<double> weights;
  for (const auto& round : analysis.Weights()) weights.insert(weights.end(), round.begin(), round.end());
  return PriceWeights(weights, price, epsilon_total, budget);
}

Result<Explanation> RehearseAnalysis(const Analysis& analysis, const Policy& policy, const Priced& priced) {
  Explanation out;
  std::vector<NoisyRound> rounds;
  std::size_t next = 0;
  for (std::size_t round = 0; round < analysis.Weights().size(); ++round) {
    auto next_round = NextRound(analysis, rounds, policy);
    if (!next_round) return next_round.error();
    Plan& plan = next_round->plan;
    const auto shares = SharesOfRound(plan, analysis, round, priced.shares, next);
    if (!shares) return shares.error();
    const auto laws = MechanismsOf(plan, *shares);
    if (!laws) return laws.error();
    const auto lines = LinesOf(plan, *laws, *shares, round);
    if (round == 0) {
      out.plan.notes = plan.notes;
      out.statements.push_back(plan.statement);
    }
    out.noise.insert(out.noise.end(), lines.begin(), lines.end());
    out.plan.statistics.insert(out.plan.statistics.end(), plan.statistics.begin(), plan.statistics.end());
    NoisyGroups zeros(plan.groups(), std::vector<Int128>(plan.statistics.size(), 0));
    rounds.push_back({std::move(plan), std::move(zeros), ScalesOf(lines)});
  }
  out.plan.normalised = analysis.Normalised();
  out.plan.charged = analysis.Charged();
  return out;
}

Result<Answer> RunAnalysis(const Analysis& analysis, const Policy& policy, const Vault& vault, const Priced& priced,
                           Paid& paid, const Call& call) {
  const RoundsShown shown(call, analysis.Weights().size());
  std::vector<NoisyRound> rounds;
  std::vector<NoiseLine> noise;
  std::vector<std::string> claims = {"RELEASE-7"};
  std::size_t next = 0;
  for (std::size_t round = 0; round < analysis.Weights().size(); ++round) {
    shown.At(round);
    auto next_round = NextRound(analysis, rounds, policy);
    if (!next_round) return next_round.error();
    Plan& plan = next_round->plan;
    const auto shares = SharesOfRound(plan, analysis, round, priced.shares, next);
    if (!shares) return shares.error();
    const auto laws = MechanismsOf(plan, *shares);
    if (!laws) return laws.error();
    const auto sealed = next_round->checked ? vault.Run(*next_round->checked) : analysis.Measure(plan, vault);
    if (!sealed) return sealed.error();
    auto noisy = vault.Open(*sealed, paid, {.shares = *shares});
    if (!noisy) return noisy.error();
    MakeConsistent(plan, *noisy);
    AddClaims(*laws, claims);
    const auto lines = LinesOf(plan, *laws, *shares, round);
    noise.insert(noise.end(), lines.begin(), lines.end());
    rounds.push_back({std::move(plan), std::move(*noisy), ScalesOf(lines)});
  }
  auto findings = analysis.Conclude(rounds);
  if (!findings) return findings.error();
  return AnswerOf(std::move(*findings), std::move(noise), std::move(claims));
}

Result<Priced> PriceStudy(const Study& study, const Price& price, double epsilon_total, PlainUnits budget) {
  return PriceWeights(study.Weights(), price, epsilon_total, budget);
}

namespace {

Result<std::vector<NoiseLine>> LinesOf(const StudyOutline& outline, const Priced& priced) {
  const std::vector<PlainUnits>& shares = priced.shares;
  if (outline.noise.size() != shares.size()) return InternalError("a study does not state what its shares buy");
  std::vector<NoiseLine> lines;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const NoisePart& part = outline.noise[k];
    lines.push_back({.statistic = part.name,
                     .share = shares[k],
                     .scale = part.scale,
                     .lattice = part.lattice,
                     .sensitivity = part.sensitivity,
                     .error_95 = part.error_95,
                     .error_95_all = part.error_95_all,
                     .law = part.law});
    if (k < priced.mu_shares.size())
      lines.back().mu = std::sqrt(Loss::Of(LossKind::kMu, priced.mu_shares[k]).value().value(LossKind::kMu));
  }
  return lines;
}

}  // namespace

Result<Explanation> OutlineStudy(const Study& study, const Priced& priced) {
  auto outline = study.Outline(priced.shares);
  if (!outline) return outline.error();
  auto lines = LinesOf(*outline, priced);
  if (!lines) return lines.error();
  Explanation out;
  out.noise = std::move(*lines);
  out.statements.push_back(std::move(outline->statement));
  out.plan.notes = std::move(outline->notes);
  out.plan.normalised = study.Normalised();
  out.plan.charged = study.Charged();
  return out;
}

Result<Answer> RunStudy(const Study& study, const Vault& vault, const Priced& priced, Paid& paid) {
  const auto outline = study.Outline(priced.shares);
  if (!outline) return outline.error();
  auto lines = LinesOf(*outline, priced);
  if (!lines) return lines.error();
  auto findings = study.Run(vault, paid, priced.shares);
  if (!findings) return Vault::AsOneSentence(findings.error());  // some still read rows themselves
  return AnswerOf(std::move(*findings), std::move(*lines), {"RELEASE-8"});
}

}  // namespace kith
