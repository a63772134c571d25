#include "analysis/points/line_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "analysis/points/isotonic.h"
#include "analysis/points/ordered.h"
#include "analysis/points/smooth.h"
#include "base/json.h"
#include "mechanism/noise.h"
#include "mechanism/noise_sum.h"

namespace kith::points {
namespace {

constexpr std::size_t kMaxQuantiles = 1024;

const char* NameOf(Method method) {
  for (const auto& [name, known] : Methods()) {
    if (known == method) return name.c_str();
  }
  return "";
}

// How much the counts between edges differ from the middle of their neighbours: the root mean square over nine of them.
// Where they do, points inside are not spread evenly either.
std::vector<double> Roughness(const std::vector<double>& prefix, double points) {
  std::vector<double> counts;
  for (std::size_t k = 0; k <= prefix.size(); ++k)
    counts.push_back((k < prefix.size() ? prefix[k] : points) - (k > 0 ? prefix[k - 1] : 0));
  const std::size_t n = counts.size();
  std::vector<double> squares(n, 0.0), rough(n, 0.0);
  for (std::size_t k = 0; k < n && n > 1; ++k) {
    const double before = counts[k > 0 ? k - 1 : 1], after = counts[k + 1 < n ? k + 1 : n - 2];
    const double gap = counts[k] - (before + after) / 2;
    squares[k] = gap * gap;
  }
  constexpr std::size_t kAround = 4;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t from = k > kAround ? k - kAround : 0, to = std::min(n, k + kAround + 1);
    rough[k] = std::sqrt(std::accumulate(squares.begin() + static_cast<std::ptrdiff_t>(from),
                                         squares.begin() + static_cast<std::ptrdiff_t>(to), 0.0) /
                         static_cast<double>(to - from));
  }
  return rough;
}

Result<void> CheckUnit(const Positions& positions, Method method) {
  if (!positions.metric()) {
    return Unsupported("sorted points and prefix counts change much when a point may go anywhere", {},
                       "declare how far units move ([unit] distance), or use the method hat or equi-width")
        .For("points.method");
  }
  if (positions.AppearsAnywhere() || !positions.appears().empty()) {
    return Unsupported("a point that appears changes all prefix counts and ranks after it", {},
                       "use the method hat, or public presence without sources")
        .For("points.method");
  }
  if (!positions.ByDistance()) return {};
  if (method == Method::kCumulative) {
    return Unsupported("a point that crosses an edge changes a prefix count, however short the move", {},
                       "use the method groups, quantiles or hat: their losses are proportional to the distance")
        .For("points.method");
  }
  const MoveReach& reach = positions.reach();
  if (reach.slack[0] > Study::kMoveSlack * (reach.semi[0] + reach.slack[0])) {
    return Unsupported("delta is too small beside the region for losses proportional to the distance", {},
                       "declare tighter bounds of the column, or a larger delta");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Study>> LineStudy::Make(Positions positions, Method method, const PointsOptions& options) {
  if (auto ok = CheckUnit(positions, method); !ok) return ok.error();
  auto study = std::unique_ptr<LineStudy>(new LineStudy(std::move(positions), method));
  const std::int64_t move = LargestMove(study->positions_.reach());
  study->sensitivity_ = move;
  if (method == Method::kCumulative) {
    // As fine as possible so that a move still crosses only one edge.
    const auto chosen = std::bit_floor(static_cast<std::uint64_t>(kPositions / std::max<std::int64_t>(move, 1)));
    study->cells_ = options.cells != 0 ? options.cells : std::clamp<std::size_t>(chosen, 2, 4096);
    study->sensitivity_ = PrefixSensitivity(move, kPositions / static_cast<std::int64_t>(study->cells_));
  }
  if (method == Method::kGroups) {
    study->groups_ = options.groups;
    if (study->groups_ < 1 || study->groups_ > PointsOptions::kMaxGroups)
      return InvalidArgument(fmt::format("groups need a number from 1 to {}", PointsOptions::kMaxGroups), {},
                             "ask for 100, for example")
          .For("points.groups");
  }
  if (method == Method::kQuantiles) {
    study->quantiles_ = options.quantiles;
    std::sort(study->quantiles_.begin(), study->quantiles_.end());
    if (study->quantiles_.empty() || study->quantiles_.size() > kMaxQuantiles ||
        !(study->quantiles_.front() > 0 && study->quantiles_.back() < 1)) {
      return InvalidArgument("quantiles are numbers between 0 and 1", {}, "ask for 0.25, 0.5 and 0.75, for example")
          .For("points.quantiles");
    }
  }
  return std::unique_ptr<Study>(std::move(study));
}

std::string LineStudy::Normalised() const {
  std::string list;
  for (const double quantile : quantiles_) list += fmt::format("{}{}", list.empty() ? "" : ",", quantile);
  return fmt::format("points by {} {} {} [{}]: {}", NameOf(method_), cells_, groups_, list, positions_.Normalised());
}

Result<Noise> LineStudy::LawFor(PlainUnits share) const {
  const auto change = Sensitivities::OfL1(sensitivity_);
  if (!change) return change.error();
  return Noise::For(*change, share);
}

Result<StudyOutline> LineStudy::Outline(std::span<const PlainUnits> shares) const {
  const auto law = LawFor(shares[0]);
  if (!law) return law.error();
  const auto& axis = positions_.axes()[0];
  const double step = method_ == Method::kCumulative ? 1 : (axis.high - axis.low) / static_cast<double>(kPositions);
  const std::size_t numbers = method_ == Method::kCumulative ? cells_ - 1
                              : method_ == Method::kGroups   ? groups_
                                                             : quantiles_.size();
  const char* name = method_ == Method::kCumulative ? "prefix counts"
                     : method_ == Method::kGroups   ? "sums of groups"
                                                    : "sums around quantiles";
  StudyOutline outline;
  outline.noise.push_back(PartOf(name, *law, step, std::max<std::size_t>(1, numbers)));
  outline.statement = positions_.StatementOf();
  outline.notes = positions_.notes();
  if (method_ != Method::kCumulative) {
    outline.notes.push_back({NoteKind::kAccuracy,
                             "this noise is for a sum: a mean has as many times less of it as there are points in it"});
  }
  return outline;
}

std::vector<std::int64_t> LineStudy::Ranks(std::int64_t points) const {
  std::vector<std::int64_t> ranks;
  for (const double q : quantiles_)
    ranks.push_back(std::clamp(static_cast<std::int64_t>(std::ceil(q * static_cast<double>(points))) - 1,
                               std::int64_t{0}, std::max<std::int64_t>(0, points - 1)));
  return ranks;
}

// The mean of a hundredth of all points on either side has far less noise than one point, and is about the same. Ranks
// and their number are public, and so are the windows.
std::vector<LineStudy::Window> LineStudy::Windows(std::int64_t points) const {
  auto ranks = Ranks(points);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::vector<Window> windows;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    std::int64_t half = std::max<std::int64_t>(0, std::min({points / 100, ranks[k], points - 1 - ranks[k]}));
    if (k > 0) half = std::min(half, (ranks[k] - ranks[k - 1] - 1) / 2);
    if (k + 1 < ranks.size()) half = std::min(half, (ranks[k + 1] - ranks[k] - 1) / 2);
    windows.push_back({ranks[k] - half, ranks[k] + half});
  }
  return windows;
}

std::vector<std::int64_t> LineStudy::Exact(const Histogram& histogram, std::int64_t points) const {
  std::vector<std::int64_t> exact;
  if (method_ == Method::kCumulative) {
    const auto width = static_cast<std::size_t>(kPositions) / cells_;
    std::int64_t below = 0;
    for (std::size_t edge = 1; edge < cells_; ++edge) {
      for (std::size_t p = (edge - 1) * width; p < edge * width; ++p) below += histogram[p];
      exact.push_back(below);
    }
    return exact;
  }
  if (method_ == Method::kGroups) {
    const std::int64_t size = std::max<std::int64_t>(1, (points - 1) / static_cast<std::int64_t>(groups_) + 1);
    std::int64_t sum = 0, held = 0;
    for (std::size_t p = 0; p < histogram.size(); ++p) {
      for (std::int64_t left = histogram[p]; left > 0;) {
        const std::int64_t taken = std::min(left, size - held);
        sum += taken * static_cast<std::int64_t>(p);
        held += taken;
        left -= taken;
        if (held < size) continue;
        exact.push_back(sum);
        sum = held = 0;
      }
    }
    if (held > 0) exact.push_back(sum);
    return exact;
  }
  const auto windows = Windows(points);
  std::int64_t below = 0, sum = 0;
  for (std::size_t p = 0; p < histogram.size() && exact.size() < windows.size(); ++p) {
    if (histogram[p] == 0) continue;
    const std::int64_t before = below;
    below += histogram[p];
    while (exact.size() < windows.size()) {
      const Window& window = windows[exact.size()];
      const std::int64_t here = std::min(below, window.last + 1) - std::max(before, window.first);
      if (here > 0) sum += here * static_cast<std::int64_t>(p);
      if (window.last >= below) break;
      exact.push_back(sum);
      sum = 0;
    }
  }
  exact.resize(windows.size(), 0);  // no points at all
  return exact;
}

Result<Findings> LineStudy::Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const {
  const Vault::Unsealed raw = vault.Unseal(paid);
  Histogram histogram(static_cast<std::size_t>(kPositions) + 1, 0);
  std::int64_t points = 0;  // their number is public: presence is, and there are no sources
  const auto scanned = positions_.Scan(
      raw.session,
      [&](std::span<const std::span<const std::int32_t>> p) {
        points += static_cast<std::int64_t>(p[0].size());
        for (const std::int32_t x : p[0]) ++histogram[static_cast<std::size_t>(x)];
      },
      raw.cancel);
  if (!scanned) return scanned.error();
  const auto law = LawFor(shares[0]);
  if (!law) return law.error();
  std::vector<double> noisy;
  for (const std::int64_t number : Exact(histogram, points))
    noisy.push_back(static_cast<double>(law->Release(number, raw.bits)));
  Findings findings = method_ == Method::kCumulative ? Cumulative(noisy, *law, static_cast<double>(points))
                      : method_ == Method::kGroups   ? Groups(noisy, *law, points)
                                                     : Quantiles(noisy, law->ErrorBar(0.95), points);
  findings.notes.insert(findings.notes.begin(), positions_.notes().begin(), positions_.notes().end());
  findings.claims = law->Claims();
  for (const char* claim :
       {method_ == Method::kCumulative ? "POINTS-3" : "POINTS-4", "POINTS-7", "POINTS-9", "DISTANCE-1", "DISTANCE-2"})
    findings.claims.emplace_back(claim);
  return findings;
}

JsonValue LineStudy::Curve(const std::vector<CurvePoint>& points, double deviation) const {
  Json list = Json::array(), misfit = Json::array(), rough = Json::array();
  for (const CurvePoint& point : points) {
    list.push_back({NumberOfDigits(point.x, 9), NumberOfDigits(point.count, 8)});
    misfit.push_back(NumberOfDigits(point.misfit, 4));
    rough.push_back(NumberOfDigits(point.rough, 4));
  }
  Json out = {{"curve",
               {{"name", positions_.axes()[0].name},
                {"method", NameOf(method_)},
                {"deviation", NumberOfDigits(deviation)},
                {"points", std::move(list)},
                {"misfit", std::move(misfit)},
                {"rough", std::move(rough)}}}};
  return JsonValue(std::move(out));
}

Findings LineStudy::Cumulative(const std::vector<double>& noisy, const Noise& law, double points) const {
  const double variance = law.variance();
  const double of_two = BarOfSum({{.weight = 1, .scale = law.scale(), .step = 1, .count = 2}}, 0.95);
  const std::vector<double> curve = points::Cumulative(Smooth(noisy, variance, 0, points), points);
  Findings findings;
  const std::string name = positions_.axes()[0].name;
  findings.columns = {name + " from", name + " to", "points"};
  const std::size_t blocks = std::min<std::size_t>(16, cells_), each = cells_ / blocks;
  const auto edge = [&](std::size_t k) {
    return InColumn(static_cast<double>(k) * static_cast<double>(kPositions) / static_cast<double>(cells_));
  };
  for (std::size_t b = 0; b < blocks; ++b) {
    findings.rows.push_back({edge(b * each), edge((b + 1) * each), curve[(b + 1) * each] - curve[b * each]});
    findings.errors_95.push_back({std::nullopt, std::nullopt, of_two});
  }
  // A smooth curve may leave out what is there. How far it is from the noisy counts says how much, and a little more.
  std::vector<CurvePoint> at;
  for (std::size_t k = 0; k < curve.size(); ++k) {
    const bool end = k == 0 || k + 1 == curve.size();
    at.push_back({edge(k), curve[k], end ? 0 : std::abs(curve[k] - noisy[k - 1]), 0});
  }
  const std::vector<double> rough = Roughness(noisy, points);
  for (std::size_t k = 0; k < rough.size(); ++k) at[k].rough = rough[k];
  findings.details = Curve(at, std::sqrt(2 * variance));
  return findings;
}

Findings LineStudy::Groups(const std::vector<double>& noisy, const Noise& law, std::int64_t points) const {
  const std::int64_t size = std::max<std::int64_t>(1, (points - 1) / static_cast<std::int64_t>(groups_) + 1);
  std::vector<double> means;
  for (std::size_t k = 0; k < noisy.size(); ++k) {
    const std::int64_t held = std::min(size, points - static_cast<std::int64_t>(k) * size);
    means.push_back(noisy[k] / static_cast<double>(held));
  }
  Findings findings;
  const std::string name = positions_.axes()[0].name;
  findings.columns = {"group", "points", "mean " + name};
  const auto& axis = positions_.axes()[0];
  const double step = (axis.high - axis.low) / static_cast<double>(kPositions);
  std::vector<CurvePoint> at = {{axis.low, 0, 0, static_cast<double>(size)}};
  const std::vector<double> ordered = Isotonic(means);
  for (std::size_t k = 0; k < ordered.size(); ++k) {
    const std::int64_t before = static_cast<std::int64_t>(k) * size, held = std::min(size, points - before);
    const double mean = InColumn(std::clamp(ordered[k], 0.0, static_cast<double>(kPositions)));
    findings.rows.push_back({static_cast<std::int64_t>(k) + 1, held, mean});
    findings.errors_95.push_back({std::nullopt, std::nullopt, law.ErrorBar(0.95) * step / static_cast<double>(held)});
    const double half = static_cast<double>(held) / 2;
    at.push_back({mean, static_cast<double>(before) + half, half, static_cast<double>(size)});
  }
  at.push_back({axis.high, static_cast<double>(points), 0, 0});
  findings.details = Curve(at, 0);
  return findings;
}

Findings LineStudy::Quantiles(const std::vector<double>& noisy, double bar, std::int64_t points) const {
  const auto windows = Windows(points);
  std::vector<double> means;
  std::int64_t largest = 1;
  for (std::size_t k = 0; k < noisy.size(); ++k) {
    means.push_back(noisy[k] / static_cast<double>(windows[k].size()));
    largest = std::max(largest, windows[k].size());
  }
  const std::vector<double> ordered = Isotonic(means);
  const auto ranks = Ranks(points);
  Findings findings;
  const auto& axis = positions_.axes()[0];
  findings.columns = {"quantile", axis.name};
  const double step = (axis.high - axis.low) / static_cast<double>(kPositions);
  std::size_t at = 0;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    if (k > 0 && ranks[k] != ranks[k - 1]) ++at;
    findings.rows.push_back({quantiles_[k], InColumn(std::clamp(ordered[at], 0.0, static_cast<double>(kPositions)))});
    findings.errors_95.push_back({std::nullopt, bar * step / static_cast<double>(windows[at].size())});
  }
  if (largest > 1) {
    findings.notes.push_back(
        {NoteKind::kAccuracy, fmt::format("a quantile is the mean of up to {} points around its rank, which has less "
                                          "noise than one of them; bars are for noise",
                                          largest)});
  }
  return findings;
}

}  // namespace kith::points
