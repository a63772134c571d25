// A synthetic table, once it is paid for: exact counts, noise, choices, and what is made of noisy counts.
#include "analysis/synthetic/synthetic_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "mechanism/noise.h"
#include "mechanism/permute_and_flip.h"

namespace kith {

using synthetic::DrawnRow;
using synthetic::GraphModel;
using synthetic::Measurement;
using synthetic::Scope;

namespace {

constexpr std::size_t kMaxModelCells = std::size_t{1} << 18;

std::vector<std::int64_t> Rounded(std::span<const double> chances, double total) {
  std::vector<std::int64_t> out;
  for (const double chance : chances) out.push_back(std::llround(std::min(total * chance, 0x1p48)));
  return out;
}

double TotalVariation(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += std::fabs(a[k] - b[k]);
  return sum / 2;
}

}  // namespace

Result<void> SyntheticRun::Fit(std::size_t steps) {
  const Scope root = study_.groups_ ? study_.groups_->scope : Scope();
  auto model = GraphModel::Fit(study_.sizes_, measured_, model_, root, steps, cancel_);
  if (!model) return model.error();
  model_ = std::move(*model);
  total_ = synthetic::TotalOf(measured_);
  return {};
}

std::vector<std::size_t> SyntheticRun::Candidates() const {
  std::vector<Scope> scopes;
  if (study_.groups_) scopes.push_back(study_.groups_->scope);
  for (const Measurement& each : measured_) scopes.push_back(each.scope);
  std::vector<std::size_t> candidates;
  for (std::size_t k = 0; k < study_.pairs_.size(); ++k) {
    if (used_[k]) continue;
    scopes.push_back(study_.pairs_[k].scope);
    if (synthetic::JunctionTree::CellsFor(study_.sizes_, scopes, kMaxModelCells) <= kMaxModelCells)
      candidates.push_back(k);
    scopes.pop_back();
  }
  return candidates;
}

std::vector<std::vector<double>> SyntheticRun::PairsOfModel() const {
  std::vector<std::vector<double>> pairs, with;
  std::size_t column = study_.sizes_.size();
  for (const Synthetic::Table& pair : study_.pairs_) {
    if (pair.scope[0] != column) with = model_.PairsWith(column = pair.scope[0]);
    pairs.push_back(with[pair.scope[1]]);
  }
  return pairs;
}

namespace {

/// About how far counts measured at this share are off, added up: a cell that is expected to hold less than
/// the noise is corrected by the fit.
double NoiseLeft(const Synthetic::Table& table, const std::vector<std::int64_t>& expected, PlainUnits share) {
  const double scale = static_cast<double>(table.l1()) / share.epsilon();
  double noise = 0;
  for (const std::int64_t count : expected) noise += std::min(scale, static_cast<double>(count));
  return noise;
}

}  // namespace

Result<std::size_t> SyntheticRun::Choose(const std::vector<std::size_t>& candidates,
                                         const synthetic::Spending::Round& round) {
  if (!study_.parts_.choices || candidates.size() == 1) return candidates.front();
  const auto spread = Sensitivity::Make(study_.spread());
  if (!spread) return spread.error();
  const auto law = PermuteAndFlip::Make(*spread, round.choice);
  if (!law) return law.error();
  const std::vector<std::vector<double>> model = PairsOfModel();
  std::vector<std::int64_t> distances;
  for (const std::size_t k : candidates) {
    const Counts expected = Rounded(model[k], total_);
    const double noise = NoiseLeft(study_.pairs_[k], expected, round.pair);
    distances.push_back(Synthetic::DistanceOf(exact_[k], expected, std::llround(std::min(noise, 0x1p52))));
  }
  return candidates[law->Choose(distances, bits_)];
}

Result<void> SyntheticRun::MeasurePairs() {
  for (const Synthetic::Table& pair : study_.pairs_) {
    auto counts = Read(pair);
    if (!counts) return counts.error();
    exact_.push_back(std::move(*counts));
  }
  used_.assign(study_.pairs_.size(), false);
  const bool chooses = study_.parts_.choices.has_value();
  synthetic::Spending spending(chooses ? shares_[*study_.parts_.choices] : PlainUnits(), shares_[study_.parts_.pairs],
                               study_.rounds());
  while (spending.More()) {
    const std::vector<std::size_t> candidates = Candidates();
    if (candidates.empty()) break;
    const synthetic::Spending::Round round = spending.Next(candidates.size() == 1);
    const auto chosen = Choose(candidates, round);
    if (!chosen) return chosen.error();
    used_[*chosen] = true;
    const Synthetic::Table& table = study_.pairs_[*chosen];
    const std::vector<double> before = PairsOfModel()[*chosen];
    if (auto done = MeasureTable(table, exact_[*chosen], round.pair); !done) return done;
    if (auto done = Fit(kSteps); !done) return done;
    const double learnt = TotalVariation(before, model_.Of(table.scope));
    tables_.back()["learnt"] = learnt;
    tables_.back()["choice_share"] = round.choice.epsilon();
    if (chooses && 2 * total_ * learnt <= NoiseLeft(table, Rounded(before, total_), round.pair)) spending.Raise();
  }
  return Fit(kLastSteps);
}

void SyntheticRun::Draw() {
  constexpr double kMost = SyntheticOptions::kMaxRows;
  const auto rows =
      study_.options_.rows.value_or(static_cast<std::size_t>(std::llround(std::clamp(total_, 1.0, kMost))));
  if (!study_.groups_) {
    rows_.assign(rows, DrawnRow(study_.sizes_.size()));
    synthetic::Fill(model_, {}, rows_, bits_);
    return;
  }
  const Synthetic::Groups& groups = *study_.groups_;
  const std::vector<double> weights =
      synthetic::Tilted(groups.compositions, synthetic::WithoutNegative(composition_), model_.Of(groups.scope));
  members_ = synthetic::DrawGroups(groups.compositions, weights, rows, bits_);
  for (const synthetic::Member& member : members_) {
    DrawnRow& row = rows_.emplace_back(study_.sizes_.size());
    std::size_t rest = member.type;
    for (std::size_t k = groups.scope.size(); k-- > 0;) {
      const std::size_t size = study_.sizes_[groups.scope[k]];
      row[groups.scope[k]] = static_cast<std::uint32_t>(rest % size);
      rest /= size;
    }
  }
  synthetic::Fill(model_, groups.scope, rows_, bits_);
}

Result<void> SyntheticRun::MeasureAccuracy() {
  // Only tables that are counted whatever the noise is: a total of pairs that were chosen by noise has another law.
  const synthetic::CountedRows counted =
      synthetic::RowsOf(std::span(totals_).first(study_.ones_.size()), synthetic::kEachPart);
  synthetic::Apart apart(total_);
  for (std::size_t k = 0; k < study_.pairs_.size(); ++k) {
    const Scope& scope = study_.pairs_[k].scope;
    Counts shown(exact_[k].size());
    for (const DrawnRow& row : rows_) ++shown[row[scope[0]] * study_.sizes_[scope[1]] + row[scope[1]]];
    apart.Add(exact_[k], shown);
  }
  const auto all = Sensitivities::OfL1(study_.change_of_all_pairs());
  if (!all) return all.error();
  const auto noise = Noise::For(*all, shares_[study_.parts_.accuracy]);
  if (!noise) return noise.error();
  accuracy_ = synthetic::VariationOf(apart, noise->Release(apart.sum(), bits_), *noise, counted, study_.pairs_.size());
  if (!study_.groups_) return {};
  const synthetic::CountedRows groups = synthetic::RowsOf(std::span(&group_total_, 1), synthetic::kEachPart);
  synthetic::Apart groups_apart(groups.rows);
  groups_apart.Add(exact_groups_, synthetic::CountGroups(study_.groups_->compositions, members_));
  const auto group_noise =
      Noise::For(study_.groups_->plan.statistics.front().change, shares_[*study_.parts_.group_accuracy]);
  if (!group_noise) return group_noise.error();
  group_accuracy_ =
      synthetic::VariationOf(groups_apart, group_noise->Release(groups_apart.sum(), bits_), *group_noise, groups, 1);
  return {};
}

namespace {

std::string VariationText(const synthetic::Variation& found) {
  return found.nothing ? "nothing is known about it at this price, the bar covers all that is possible (measured, with "
                         "noise)"
                       : fmt::format("{:.4f} ± {:.4f} (measured, with noise)", found.value, found.error_95);
}

}  // namespace

Findings SyntheticRun::Show() {
  Findings out;
  if (study_.groups_) out.columns.push_back(study_.groups_->column);
  for (const std::string& name : study_.options_.columns) out.columns.push_back(name);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::vector<Value>& row = out.rows.emplace_back();
    if (study_.groups_) row.emplace_back(static_cast<std::int64_t>(members_[r].group) + 1);
    for (std::size_t k = 0; k < study_.shown_.size(); ++k)
      row.push_back(study_.shown_[k].Show(study_.values_[k][rows_[r][k]], bits_));
  }
  out.notes = study_.NotesFor(shares_);
  out.notes.push_back(
      {NoteKind::kAccuracy, fmt::format("total variation between the data and this table, as a mean over {} pairs of "
                                        "columns: {}",
                                        study_.pairs_.size(), VariationText(accuracy_))});
  Json details = {{"analysis", "synthetic"},
                  {"rows_counted", total_},
                  {"measured", tables_},
                  {"pairs_total_variation", accuracy_.value},
                  {"pairs_total_variation_error_95", accuracy_.error_95}};
  if (study_.groups_) {
    out.notes.push_back({NoteKind::kAccuracy,
                         fmt::format("total variation between the compositions of households in the data and in this "
                                     "table: {}",
                                     VariationText(group_accuracy_))});
    details["households_total_variation"] = group_accuracy_.value;
    details["households_total_variation_error_95"] = group_accuracy_.error_95;
  }
  out.details = JsonValue(std::move(details));
  out.claims = {"SYNTH-1", "SYNTH-3", "SYNTH-4", "PF-1", "DL-1"};
  if (study_.groups_) out.claims.insert(out.claims.begin() + 1, "SYNTH-2");
  return out;
}

Result<Findings> SyntheticRun::All() {
  if (auto done = MeasureColumns(); !done) return done.error();
  if (auto done = MeasureGroups(); !done) return done.error();
  if (auto done = MeasurePairs(); !done) return done.error();
  Draw();
  if (auto done = MeasureAccuracy(); !done) return done.error();
  return Show();
}

Result<Findings> Synthetic::Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const {
  const Vault::Unsealed raw = vault.Unseal(paid);
  if (shares.size() != weights_.size()) return InternalError("the parts of a synthetic table have a share each");
  return SyntheticRun(*this, raw.session, shares, raw.bits, raw.cancel).All();
}

}  // namespace kith
