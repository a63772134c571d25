#include "analysis/points/grid_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/points/depth.h"
#include "base/json.h"
#include "mechanism/noise.h"

namespace kith::points {
namespace {

constexpr std::int64_t kFinestStep = std::int64_t{1} << 28;  // steps in one point, at most
constexpr double kMostSteps = 0x1p30;

bool Touches(double low, double high, double from, double to) { return to >= low && from <= high; }

// The larger of two noise laws at a count: that of moves, or that of points that appear and disappear. POINTS-8 lets
// numbers of one release have laws of two scales, by adding up what each of them loses: that is about Laplace's law.
Result<DiscreteLaplace> LawOf(std::int64_t steps, PlainUnits share) {
  const auto sensitivity = Sensitivity::Make(steps);
  if (!sensitivity) return sensitivity.error();
  return DiscreteLaplace::Make(*sensitivity, share);
}

/// For readers: 487.2 becomes 490, 4,231 becomes 4,300.
double TwoDigitsUp(double value) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(1.0, value))) - 1));
  return std::ceil(value / unit) * unit;
}

}  // namespace

Result<GridStudy::Level> GridStudy::LevelOf(const Positions& positions, const Ladder& ladder, int log2_cells) {
  Level level;
  level.log2_cells = log2_cells;
  const auto whole = static_cast<double>(WholePoint(ladder, log2_cells));
  const std::int64_t width = kPositions >> log2_cells;
  const bool hats = ladder.basis() == Basis::kHats;
  const double change = !hats                    ? 1
                        : positions.ByDistance() ? HatSlope(positions.reach(), width)
                                                 : HatChange(positions.reach(), width);
  const auto points = static_cast<double>(positions.PointsOfUnit());
  const double moved = 2 * points * change * whole;
  const double touched = std::ldexp(1.0, ladder.dimensions());  // nodes around a position
  while (hats && (std::ldexp(whole, -level.shift) > static_cast<double>(kFinestStep) ||
                  std::ldexp(moved, -level.shift) > kMostSteps)) {
    ++level.shift;
  }
  // Rounded down, a count that changes can change by one step more; at most the nodes before and after do.
  const double rounded = level.shift > 0 ? 2 * points * touched : 0;
  const double moves = std::ceil(std::ldexp(moved, -level.shift) * (hats ? 1 + 1e-12 : 1)) + rounded;
  const double appears = std::ldexp(whole, -level.shift) + (level.shift > 0 ? touched : 0);
  if (std::max(moves, appears) > static_cast<double>(Sensitivity::kMax)) {
    return InvalidArgument("one unit could change these counts by more than kith can hide", {},
                           "declare a smaller max_rows, or ask for fewer cells");
  }
  level.moves = static_cast<std::int64_t>(moves);
  const bool appear = positions.AppearsAnywhere() || !positions.appears().empty();
  level.appears = appear ? static_cast<std::int64_t>(appears) : 0;
  level.step = std::ldexp(1 / whole, level.shift);
  if (positions.ByDistance()) {
    const double slack = std::ldexp(2 * HatRounding(positions.reach(), width) * whole, -level.shift) + rounded;
    if (!hats) {
      return Unsupported("a point that crosses the border of a grid cell changes its count, however short the move", {},
                         "use the method pyramid or hat: their losses are proportional to the distance")
          .For("points.method");
    }
    if (slack > Study::kMoveSlack * moves) {
      return Unsupported("delta is too small beside the region for losses proportional to the distance", {},
                         "declare tighter bounds of the columns, or a larger delta");
    }
  }
  return level;
}

Result<std::unique_ptr<Study>> GridStudy::Make(Positions positions, Ladder ladder, std::optional<int> finest,
                                               bool several) {
  auto study = std::unique_ptr<GridStudy>(new GridStudy(std::move(positions), ladder));
  study->asked_ = finest.has_value();
  study->several_ = several;
  if (finest) {
    for (const int l : several ? PyramidTo(*finest) : std::vector<int>{*finest}) {
      const auto level = LevelOf(study->positions_, ladder, l);
      if (!level) return level.error();
      study->levels_.push_back(*level);
      study->weights_.push_back(study->WeightOf(*level));
    }
    return std::unique_ptr<Study>(std::move(study));
  }
  for (int l = 0; l <= (ladder.dimensions() == 2 ? 9 : 12); ++l) {
    const auto level = LevelOf(study->positions_, ladder, l);
    if (!level && l <= 1) return level.error();
    if (!level) break;  // the lattice is too coarse for more
    study->levels_.push_back(*level);
  }
  study->weights_ = study->positions_.TotalKnown() ? std::vector<double>{1} : std::vector<double>{1, 49};
  return std::unique_ptr<Study>(std::move(study));
}

double GridStudy::WeightOf(const Level& level) const {
  const double worst = static_cast<double>(std::max(level.moves, level.appears)) * level.step;
  return LevelWeight(ladder_, level.log2_cells, worst);
}

GridStudy::Plan GridStudy::PlanFor(int finest, PlainUnits share) const {
  Plan plan;
  std::vector<double> weights;
  double sum = 0;
  for (const int l : several_ ? PyramidTo(finest) : std::vector<int>{finest}) {
    plan.levels.push_back(levels_[static_cast<std::size_t>(l)]);
    weights.push_back(WeightOf(plan.levels.back()));
    sum += weights.back();
  }
  PlainUnits left = share;
  for (const double weight : weights) {
    // Rounding up in the division cannot take more than there is.
    const auto part = static_cast<std::int64_t>(std::floor(static_cast<double>(share.count()) * (weight / sum)));
    plan.shares.push_back(std::min(PlainUnits::Of(part), left));
    left = left - plan.shares.back();
  }
  return plan;
}

int GridStudy::FinestFor(double points, PlainUnits share) const {
  const auto change = [&](int l) {
    const Level& level = levels_[static_cast<std::size_t>(l)];
    return static_cast<double>(level.moves) * level.step / 2;
  };
  return DepthFor(ladder_, points, share.epsilon(), change, static_cast<int>(levels_.size()) - 1);
}

std::string GridStudy::Normalised() const {
  const char* what = ladder_.basis() == Basis::kHats ? "hats" : "cells";
  if (Chosen()) {
    return fmt::format("points by {} on {}, as fine as points allow: {}", what, several_ ? "a pyramid" : "a grid",
                       positions_.Normalised());
  }
  return fmt::format("points by {} on {}..{} cells: {}", what, 1 << levels_.front().log2_cells,
                     1 << levels_.back().log2_cells, positions_.Normalised());
}

std::string GridStudy::LevelName(const Level& level) const {
  const std::size_t side = ladder_.Side(level.log2_cells);
  const char* what = ladder_.basis() == Basis::kHats ? "nodes" : "cells";
  return ladder_.dimensions() == 1 ? fmt::format("{} {}", side, what) : fmt::format("{} x {} {}", side, side, what);
}

Result<NoisePart> GridStudy::PartOfLevel(const Level& level, PlainUnits share) const {
  const auto law = LawOf(level.moves, share);
  if (!law) return law.error();
  const auto count = static_cast<std::uint64_t>(ladder_.Size(level.log2_cells));
  return NoisePart{.name = LevelName(level),
                   .scale = law->scale() * level.step,
                   .lattice = level.step,
                   .sensitivity = static_cast<double>(level.moves) * level.step,
                   .error_95 = law->ErrorBar(0.95) * level.step,
                   .error_95_all = law->ErrorBarAll(0.95, count) * level.step,
                   .law = std::string(kDiscreteLaplaceName.id)};
}

Result<StudyOutline> GridStudy::Outline(std::span<const PlainUnits> shares) const {
  StudyOutline outline;
  if (Chosen()) {
    auto chosen = OutlineChosen(shares);
    if (!chosen) return chosen.error();
    outline = std::move(*chosen);
  }
  for (std::size_t l = 0; l < levels_.size() && !Chosen(); ++l) {
    auto part = PartOfLevel(levels_[l], shares[l]);
    if (!part) return part.error();
    outline.noise.push_back(std::move(*part));
  }
  outline.statement = positions_.StatementOf();
  outline.notes.insert(outline.notes.begin(), positions_.notes().begin(), positions_.notes().end());
  if (levels_.front().appears > levels_.front().moves)
    outline.notes.push_back(
        {NoteKind::kAccuracy, "near sources, where units appear and disappear, the noise is that of a whole point"});
  return outline;
}

// How fine the grid will be is not known before the number of points is.
Result<StudyOutline> GridStudy::OutlineChosen(std::span<const PlainUnits> shares) const {
  StudyOutline outline;
  if (!positions_.TotalKnown()) {
    const auto law = LawOf(positions_.PointsOfUnit(), shares[0]);
    if (!law) return law.error();
    outline.noise.push_back({.name = "number of points",
                             .scale = law->scale(),
                             .lattice = 1,
                             .sensitivity = static_cast<double>(positions_.PointsOfUnit()),
                             .error_95 = law->ErrorBar(0.95),
                             .error_95_all = law->ErrorBar(0.95),
                             .law = std::string(kDiscreteLaplaceName.id)});
  }
  const PlainUnits share = shares.back();
  const int most = static_cast<int>(levels_.size()) - 1, typical = std::min(most, 7);
  std::string from;
  // Every grid that may be chosen must be affordable, so that nothing can fail once the price is paid.
  for (int finest = std::min(3, most); finest <= most; ++finest) {
    const Plan plan = PlanFor(finest, share);
    for (std::size_t l = 0; l < plan.levels.size(); ++l) {
      auto part = PartOfLevel(plan.levels[l], plan.shares[l]);
      if (!part) return part.error();
      if (finest != typical || l + 1 < plan.levels.size()) continue;
      part->name += ", if the grid is as fine as this";
      outline.noise.push_back(std::move(*part));
    }
    const Level& level = levels_[static_cast<std::size_t>(finest)];
    const double change = static_cast<double>(level.moves) * level.step / 2;
    if (finest > 4)
      from += fmt::format("{}{} from {:.0f} points on", from.empty() ? "" : ", ", 1 << finest,
                          TwoDigitsUp(LeastPoints(ladder_, finest, share.epsilon(), change)));
  }
  if (!from.empty()) outline.notes.push_back({NoteKind::kMethod, fmt::format("grid cells along each side: {}", from)});
  return outline;
}

std::vector<bool> GridStudy::NearSources(int log2_cells) const {
  const std::size_t side = ladder_.Side(log2_cells);
  const auto width = static_cast<double>(kPositions >> log2_cells);
  const auto line = [&](const PositionBox& box, std::size_t axis) {
    std::vector<bool> near(side);
    for (std::size_t k = 0; k < side; ++k) {
      const double at = static_cast<double>(k) * width;
      const double before = ladder_.basis() == Basis::kHats ? width : 0;
      near[k] = Touches(box.low[axis], box.high[axis], at - before, at + width);
    }
    return near;
  };
  std::vector<bool> near(ladder_.Size(log2_cells), positions_.AppearsAnywhere());
  for (const PositionBox& box : positions_.appears()) {
    const auto x = line(box, 0);
    const auto y = ladder_.dimensions() == 2 ? line(box, 1) : std::vector<bool>();
    for (std::size_t k = 0; k < near.size(); ++k)
      near[k] = near[k] || (y.empty() ? x[k] : (x[k / side] && y[k % side]));
  }
  return near;
}

Result<NoisyLevel> GridStudy::Release(const Level& level, const std::vector<Int128>& exact, PlainUnits share,
                                      BitSource& bits) const {
  const auto far = LawOf(level.moves, share), near = LawOf(std::max(level.moves, level.appears), share);
  if (!far) return far.error();
  if (!near) return near.error();
  const auto is_near = level.appears > level.moves ? NearSources(level.log2_cells) : std::vector<bool>(exact.size());
  const auto precision = [&](const DiscreteLaplace& law) {
    const double scale = law.scale() * level.step;
    return 1 / (2 * scale * scale);
  };
  NoisyLevel noisy{level.log2_cells, std::vector<double>(exact.size()), std::vector<double>(exact.size()), level.step};
  for (std::size_t k = 0; k < exact.size(); ++k) {
    const DiscreteLaplace& law = is_near[k] ? *near : *far;
    noisy.counts[k] = static_cast<double>(law.Release(exact[k] >> level.shift, bits)) * level.step;
    noisy.precision[k] = precision(law);
  }
  return noisy;
}

Result<Findings> GridStudy::Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const {
  const Vault::Unsealed raw = vault.Unseal(paid);
  int level = levels_.back().log2_cells;
  Counts counts(ladder_, level);
  const auto scanned = positions_.Scan(
      raw.session, [&](std::span<const std::span<const std::int32_t>> p) { counts.Add(p); }, raw.cancel);
  if (!scanned) return scanned.error();
  const std::int64_t points = counts.points();
  Plan plan{levels_, {shares.begin(), shares.end()}};
  if (Chosen()) {
    double about = static_cast<double>(points);
    if (!positions_.TotalKnown()) {
      const auto law = LawOf(positions_.PointsOfUnit(), shares[0]);
      if (!law) return law.error();
      about = static_cast<double>(law->Release(points, raw.bits));
    }
    plan = PlanFor(FinestFor(about, shares.back()), shares.back());
  }
  std::vector<Int128> exact = counts.Take();
  std::vector<NoisyLevel> noisy(plan.levels.size());
  for (std::size_t l = plan.levels.size(); l-- > 0;) {
    while (level > plan.levels[l].log2_cells) exact = CoarserCounts(ladder_, exact, level--);
    auto released = Release(plan.levels[l], exact, plan.shares[l], raw.bits);
    if (!released) return released.error();
    noisy[l] = std::move(*released);
  }
  return Conclude(noisy, points);
}

// On a plane, where noise is for moves, coarse levels are nearly exact and hold sums in place: with half the error of
// the unbiased fit, all that was measured is within its bars. A single level holds nothing, and levels whose noise is
// for any change hold too little: there sums of the mix are many bars off.
bool GridStudy::HoldsSums() const {
  return several_ && ladder_.basis() == Basis::kHats && ladder_.dimensions() == 2 && positions_.metric() &&
         positions_.TotalKnown();
}

std::vector<double> GridStudy::ForSums(const Fit& fit) const { return HoldsSums() ? fit.Nearest() : fit.counts; }

// Only noisy counts, and the number of points where it is public.
Findings GridStudy::Conclude(const std::vector<NoisyLevel>& noisy, std::int64_t points) const {
  const auto total = positions_.TotalKnown() ? std::optional(static_cast<double>(points)) : std::nullopt;
  const Fit fit = FitLevels(ladder_, noisy, total);
  const std::vector<double> counts = ForSums(fit);
  const int finest = noisy.back().log2_cells;
  const std::size_t blocks = std::min<std::size_t>(8, std::size_t{1} << finest);
  const auto inside = [&](std::size_t block) {
    const auto n = static_cast<double>(blocks);
    return InsideOf(ladder_.basis(), finest, static_cast<double>(block) / n, static_cast<double>(block + 1) / n);
  };
  const std::size_t side = ladder_.Side(finest);
  const bool plane = ladder_.dimensions() == 2;
  const auto functional = [&](std::size_t a, std::size_t b) {
    const auto x = inside(a), y = plane ? inside(b) : std::vector<double>{1};
    std::vector<double> all(counts.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = plane ? x[k / side] * y[k % side] : x[k];
    return all;
  };
  // A block at the corner, at a side and in the middle: the largest bar is used for all. It is that of the unbiased
  // fit, whose noise is larger.
  const Variances variances(ladder_, noisy, total.has_value());
  double variance = 0;
  for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 0}, {0, blocks / 2}, {blocks / 2, blocks / 2}})
    variance = std::max(variance, variances.Of(functional(a, b)));
  Findings findings;
  for (const auto& axis : positions_.axes()) {
    findings.columns.push_back(axis.name + " from");
    findings.columns.push_back(axis.name + " to");
  }
  findings.columns.emplace_back("points");
  for (std::size_t a = 0; a < blocks; ++a) {
    for (std::size_t b = 0; b < (plane ? blocks : 1); ++b) {
      const auto weights = functional(a, b);
      double sum = 0;
      for (std::size_t k = 0; k < counts.size(); ++k) sum += weights[k] * counts[k];
      std::vector<Value> row;
      for (std::size_t axis = 0; axis < positions_.axes().size(); ++axis) {
        const auto at = static_cast<double>(axis == 0 ? a : b) * static_cast<double>(kPositions);
        const auto n = static_cast<double>(blocks);
        row.emplace_back(positions_.axes()[axis].InColumn(at / n));
        row.emplace_back(positions_.axes()[axis].InColumn((at + static_cast<double>(kPositions)) / n));
      }
      row.emplace_back(sum);
      std::vector<std::optional<double>> bars(row.size());
      bars.back() = BarOfFit(variance, noisy);
      findings.rows.push_back(std::move(row));
      findings.errors_95.push_back(std::move(bars));
    }
  }
  findings.notes = positions_.notes();
  findings.notes.push_back({NoteKind::kAccuracy,
                            "bars are for noise; inside a grid cell points are assumed to be spread evenly, which adds "
                            "an error of its own"});
  if (Chosen()) {
    const std::size_t cells = std::size_t{1} << finest;
    findings.notes.push_back(
        {NoteKind::kMethod, plane ? fmt::format("{} x {} grid cells, for this price and number of points", cells, cells)
                                  : fmt::format("{} grid cells, for this price and number of points", cells)});
  }
  findings.claims = Claims();
  findings.details = Details(noisy, fit, total);
  return findings;
}

std::vector<std::string> GridStudy::Claims() const {
  std::vector<std::string> claims = {"DL-1", "POINTS-6", "POINTS-7", "POINTS-8"};
  if (Chosen()) claims.emplace_back("POINTS-11");
  if (positions_.metric()) claims.insert(claims.end(), {"DISTANCE-1", "DISTANCE-2"});
  return claims;
}

JsonValue GridStudy::Details(const std::vector<NoisyLevel>& noisy, const Fit& fit, std::optional<double> total) const {
  Json axes = Json::array(), levels = Json::array();
  for (const auto& axis : positions_.axes())
    axes.push_back({{"name", axis.name}, {"low", NumberOfDigits(axis.low)}, {"high", NumberOfDigits(axis.high)}});
  for (const NoisyLevel& level : noisy) {
    const double least = *std::min_element(level.precision.begin(), level.precision.end());
    levels.push_back({{"log2_cells", level.log2_cells},
                      {"deviation", NumberOfDigits(std::sqrt(1 / least))},
                      {"step", NumberOfDigits(level.step)}});
  }
  const auto list = [](const std::vector<double>& counts) {
    Json numbers = Json::array();
    for (const double count : counts) numbers.push_back(NumberOfDigits(count, 6));
    return numbers;
  };
  Json out = {{"grid",
               {{"axes", std::move(axes)},
                {"basis", ladder_.basis() == Basis::kHats ? "hats" : "cells"},
                {"log2_cells", noisy.back().log2_cells},
                {"total", total ? NumberOfDigits(*total) : Json()},
                {"levels", std::move(levels)},
                {"fit", HoldsSums() ? "nearest" : "unbiased"},
                {"counts", list(ForSums(fit))},
                {"not_negative", list(fit.not_negative)}}}};
  return JsonValue(std::move(out));
}

}  // namespace kith::points
