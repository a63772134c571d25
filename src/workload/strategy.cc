#include "workload/strategy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

namespace kith::workload {
namespace {

constexpr std::size_t kMostCells = 20'000;    // of one measured table
constexpr std::size_t kMostCandidates = 400;  // tables to choose among
constexpr std::size_t kMostParts = 20'000;    // of all questions together
constexpr std::size_t kMostSets = 96;         // of columns
constexpr double kExactPrecision = 1e15;      // of public facts, next to precisions around 1
constexpr double kShares = 4096;              // shares are multiples of 1 / 4096

using Set = std::vector<bool>;

Set UnionOf(const Set& a, const Set& b) {
  Set all = a;
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = all[k] || b[k];
  return all;
}

/// Calls `visit` with every combination of levels below `most` in the columns of a set; the others stay as in `at`.
template <class Visit>
void ForEachLevels(const Set& set, const std::vector<std::size_t>& count, Levels at, std::size_t from,
                   const Visit& visit) {
  while (from < set.size() && !set[from]) ++from;
  if (from == set.size()) return visit(at);
  for (std::size_t level = 0; level < std::max<std::size_t>(count[from], 1); ++level) {
    at[from] = static_cast<char>(level);
    ForEachLevels(set, count, at, from + 1, visit);
  }
}

/// What can be measured, what is asked, and how they meet.
struct Problem {
  struct Candidate {
    Levels levels;
    double per_share = 0;  // precision = per_share * share^2
    bool exact = false;
    std::vector<std::size_t> serves;  // parts
  };
  std::vector<Candidate> candidates;
  std::vector<Levels> parts;
  std::vector<double> weights;  // of the parts

  std::vector<double> fixed;  // precision of the parts by exact tables

  /// The objective for shares; `slope`: minus its derivatives, if wanted.
  double At(const std::vector<double>& shares, std::vector<double>* slope) const {
    std::vector<double> precision = fixed;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const double own = candidates[c].per_share * shares[c] * shares[c];
      if (own == 0) continue;
      for (const std::size_t part : candidates[c].serves) precision[part] += own;
    }
    double sum = 0;
    std::vector<double> each(parts.size());
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (weights[part] == 0) continue;
      if (precision[part] <= 0) return HUGE_VAL;
      sum += weights[part] / precision[part];
      each[part] = weights[part] / (precision[part] * precision[part]);
    }
    if (slope) {
      slope->assign(candidates.size(), 0.0);
      for (std::size_t c = 0; c < candidates.size(); ++c) {
        if (shares[c] == 0) continue;
        double all = 0;
        for (const std::size_t part : candidates[c].serves) all += each[part];
        (*slope)[c] = all * 2 * candidates[c].per_share * shares[c];
      }
    }
    return sum;
  }
};

void Normalise(std::vector<double>& shares) {
  double sum = 0;
  for (const double share : shares) sum += share;
  if (sum <= 0) return;
  for (double& share : shares) share /= sum;
}

// At the best shares all slopes are equal: shares grow where theirs is larger.
double Descend(const Problem& problem, int rounds, std::vector<double>& shares) {
  Normalise(shares);
  std::vector<double> slope, best = shares;
  double least = problem.At(shares, &slope);
  if (!std::isfinite(least)) return least;
  for (int round = 0; round < rounds; ++round) {
    double mean = 0;
    for (std::size_t c = 0; c < shares.size(); ++c) mean += shares[c] * slope[c];
    if (mean <= 0) break;
    for (std::size_t c = 0; c < shares.size(); ++c) {
      shares[c] *= std::sqrt(slope[c] / mean);
      if (shares[c] < 1e-7) shares[c] = 0;
    }
    Normalise(shares);
    const double now = problem.At(shares, &slope);
    if (now < least) {
      const bool done = least - now < 1e-7 * least;
      least = now;
      best = shares;
      if (done) break;
    }
  }
  shares = best;
  return least;
}

// Noise adds up in squares and shares do not: few tables are often better than many.
double Thin(const Problem& problem, double least, std::vector<double>& shares) {
  constexpr std::size_t kMostTried = 40;
  for (bool better = true; better;) {
    better = false;
    std::vector<std::pair<double, std::size_t>> active;
    for (std::size_t c = 0; c < shares.size(); ++c) {
      if (shares[c] > 0) active.emplace_back(shares[c], c);
    }
    std::sort(active.begin(), active.end());
    if (active.size() > kMostTried) active.resize(kMostTried);
    for (const auto& [share, c] : active) {
      std::vector<double> without = shares;
      without[c] = 0;
      const double now = Descend(problem, 25, without);
      if (now >= least * (1 - 1e-9)) continue;
      least = now;
      shares = std::move(without);
      better = true;
      break;
    }
  }
  return least;
}

// Whole multiples, downwards; what is left goes to the largest.
void RoundShares(const Problem& problem, std::vector<double>& shares) {
  double left = kShares;
  std::size_t largest = 0;
  for (std::size_t c = 0; c < shares.size(); ++c) {
    const double whole = std::floor(shares[c] * kShares);
    shares[c] = whole / kShares;
    left -= whole;
    if (!problem.candidates[c].exact && shares[c] > shares[largest]) largest = c;
  }
  if (shares[largest] > 0) shares[largest] += left / kShares;
}

class Search {
 public:
  Search(const TableView& view, const std::vector<Wanted>& wanted, const Probe& probe)
      : wanted_(wanted), probe_(probe) {
    for (const Attribute& attribute : view.attributes) {
      chains_.push_back(attribute.chain);
      options_.push_back({attribute.chain});
    }
    std::set<Set> supports;
    std::vector<bool> ranged(chains_.size(), false);
    for (const Wanted& one : wanted_) {
      for (const Sum& sum : one.question->statistics) {
        Set set(chains_.size(), false);
        for (const Side& side : sum.sides) {
          set[side.attribute] = true;
          // A column whose single values are asked for gains nothing from blocks.
          for (const Indicator& row : side.rows)
            ranged[side.attribute] = ranged[side.attribute] || std::count(row.begin(), row.end(), 1) > 1;
        }
        supports.insert(std::move(set));
      }
    }
    for (std::size_t k = 0; k < chains_.size(); ++k) {
      if (ranged[k]) options_[k] = ChainsFor(view.attributes[k].atoms.size(), view.attributes[k].ordered);
    }
    supports_.assign(supports.begin(), supports.end());
    sets_ = SetsToTry();
  }

  std::optional<Strategy> Find(const std::vector<Chain>* chains) {
    if (chains) {
      chains_ = *chains;
    } else {
      ChooseChains();
    }
    auto best = Try(true);
    if (!best) return std::nullopt;
    return std::move(best->first);
  }

 private:
  void ChooseChains() {
    double least = HUGE_VAL;
    if (const auto first = Try(false)) least = first->second;
    for (std::size_t k = 0; k < chains_.size(); ++k) {
      Chain kept = chains_[k];
      for (const Chain& option : options_[k]) {
        if (option.sizes == kept.sizes) continue;
        chains_[k] = option;
        const auto now = Try(false);
        if (!now || now->second >= least) continue;
        least = now->second;
        kept = option;
      }
      chains_[k] = kept;
    }
  }

  // What is asked, unions of it, and the parts of small ones.
  std::vector<Set> SetsToTry() const {
    std::vector<Set> sets = supports_;
    std::set<Set> known(sets.begin(), sets.end());
    const auto add = [&](Set set) {
      if (sets.size() < kMostSets && known.insert(set).second) sets.push_back(std::move(set));
    };
    Set all(chains_.size(), false);
    for (const Set& set : supports_) all = UnionOf(all, set);
    add(all);
    add(Set(chains_.size(), false));
    for (std::size_t k = 0; k < chains_.size(); ++k) {
      Set single(chains_.size(), false);
      single[k] = all[k];
      add(single);
    }
    for (std::size_t a = 0; a < sets.size() && sets.size() < kMostSets; ++a) {
      for (std::size_t b = 0; b < a; ++b) add(UnionOf(sets[a], sets[b]));
    }
    return sets;
  }

  std::optional<Sensitivity> Probed(const Set& set) {
    const auto found = probed_.find(set);
    if (found != probed_.end()) return found->second;
    return probed_.emplace(set, probe_(set)).first->second;
  }

  std::vector<std::size_t> LevelCounts(std::size_t more) const {
    std::vector<std::size_t> counts;
    for (const Chain& chain : chains_) counts.push_back(chain.top() + more);
    return counts;
  }

  Levels Top() const {
    Levels top;
    for (const Chain& chain : chains_) top += static_cast<char>(chain.top());
    return top;
  }

  void AddCandidates(Problem& problem) {
    const Levels top = Top();
    std::set<Levels> known;
    for (const Set& set : sets_) {
      const auto sensitivity = Probed(set);
      if (!sensitivity) continue;
      ForEachLevels(set, LevelCounts(0), top, 0, [&](const Levels& levels) {
        if (problem.candidates.size() >= kMostCandidates) return;
        double cells = 1, sizes = 1;
        for (std::size_t k = 0; k < levels.size(); ++k) {
          const auto level = static_cast<std::size_t>(levels[k]);
          cells *= static_cast<double>(chains_[k].blocks(level));
          sizes *= static_cast<double>(chains_[k].sizes[level]);
        }
        if (cells > static_cast<double>(kMostCells) || !known.insert(levels).second) return;
        const bool exact = sensitivity->change == 0;
        const double change = sensitivity->change;
        problem.candidates.push_back(
            {levels, exact ? sizes * kExactPrecision : sizes / (2 * change * change), exact, {}});
      });
    }
  }

  bool AddParts(Problem& problem) {
    std::map<Levels, std::size_t> known;
    const Levels top = Top();
    for (const Wanted& one : wanted_) {
      double statistics = 0;
      for (const Sum& sum : one.question->statistics) {
        const Shape shape = ShapeOf(sum, chains_);
        const double alone = one.alone[static_cast<std::size_t>(statistics)];
        statistics += 1;
        AddParts(shape, 0, one.weight / alone * shape.outside, top, known, problem);
        if (problem.parts.size() > kMostParts) return false;
      }
    }
    problem.fixed.assign(problem.parts.size(), 0.0);
    for (auto& candidate : problem.candidates) {
      for (std::size_t part = 0; part < problem.parts.size(); ++part) {
        if (!IsWithin(candidate.levels, problem.parts[part])) continue;
        if (candidate.exact)
          problem.fixed[part] += candidate.per_share;
        else
          candidate.serves.push_back(part);
      }
    }
    return true;
  }

  static void AddParts(const Shape& shape, std::size_t side, double weight, const Levels& at,
                       std::map<Levels, std::size_t>& known, Problem& problem) {
    if (side == shape.sides.size()) {
      const auto [found, fresh] = known.try_emplace(at, problem.parts.size());
      if (fresh) {
        problem.parts.push_back(at);
        problem.weights.push_back(0);
      }
      problem.weights[found->second] += weight;
      return;
    }
    const auto& of = shape.sides[side];
    for (std::size_t level = 0; level < of.mean.size(); ++level) {
      if (of.mean[level] <= 1e-12) continue;
      Levels next = at;
      next[of.attribute] = static_cast<char>(level);
      AddParts(shape, side + 1, weight * of.mean[level], next, known, problem);
    }
  }

  // All candidates; what is asked; everything at once; and tables of one or two more columns than are asked for: a few
  // of them can answer many questions.
  std::vector<std::vector<double>> Starts(const Problem& problem) const {
    const auto finest = [&](const Set& set) {
      Levels levels = Top();
      for (std::size_t k = 0; k < set.size(); ++k) {
        if (set[k]) levels[k] = 0;
      }
      return levels;
    };
    std::set<Levels> own;
    Set all(chains_.size(), false);
    for (const Set& set : supports_) {
      own.insert(finest(set));
      all = UnionOf(all, set);
    }
    const Levels whole = finest(all);
    std::vector<double> every(problem.candidates.size(), 0.0), asked = every, single = every, wide = every,
                                                               wider = every;
    std::size_t widest = 0;
    const auto columns = [&](const Levels& levels) {
      std::size_t count = 0;
      for (std::size_t k = 0; k < levels.size(); ++k)
        count += static_cast<std::size_t>(levels[k]) == chains_[k].top() ? 0 : 1;
      return count;
    };
    for (const Levels& levels : own) widest = std::max(widest, columns(levels));
    for (std::size_t c = 0; c < every.size(); ++c) {
      if (problem.candidates[c].exact) continue;
      const Levels& levels = problem.candidates[c].levels;
      every[c] = 1;
      asked[c] = own.contains(levels) ? 1 : 0;
      single[c] = levels == whole ? 1 : 0;
      wide[c] = columns(levels) == widest + 1 ? 1 : 0;
      wider[c] = columns(levels) == widest + 2 ? 1 : 0;
    }
    return {every, asked, single, wide, wider};
  }

  std::optional<std::pair<Strategy, double>> Try(bool thoroughly) {
    Problem problem;
    AddCandidates(problem);
    if (!AddParts(problem)) return std::nullopt;
    double least = HUGE_VAL;
    std::vector<double> best;
    auto starts = Starts(problem);
    if (!thoroughly) starts.resize(2);
    for (std::vector<double>& shares : starts) {
      double now = Descend(problem, thoroughly ? 300 : 30, shares);
      if (thoroughly && std::isfinite(now)) now = Thin(problem, now, shares);
      if (now >= least) continue;
      least = now;
      best = shares;
    }
    if (best.empty()) return std::nullopt;
    RoundShares(problem, best);
    least = problem.At(best, nullptr);
    if (!std::isfinite(least)) return std::nullopt;
    Strategy strategy;
    strategy.chains = chains_;
    for (std::size_t c = 0; c < best.size(); ++c) {
      const auto& candidate = problem.candidates[c];
      if (candidate.exact ? !Needed(problem, c) : best[c] == 0) continue;
      strategy.measured.push_back({candidate.levels, best[c], candidate.exact ? 0.0 : 1.0,
                                   candidate.per_share * (candidate.exact ? 1 : best[c] * best[c])});
    }
    return std::pair(std::move(strategy), least);
  }

  // A public fact that no finer one says.
  static bool Needed(const Problem& problem, std::size_t c) {
    const Levels& levels = problem.candidates[c].levels;
    return std::none_of(problem.candidates.begin(), problem.candidates.end(), [&](const Problem::Candidate& other) {
      return other.exact && other.levels != levels && IsWithin(other.levels, levels);
    });
  }

  const std::vector<Wanted>& wanted_;
  const Probe& probe_;
  std::vector<Chain> chains_;
  std::vector<std::vector<Chain>> options_;
  std::vector<Set> supports_, sets_;
  std::map<Set, std::optional<Sensitivity>> probed_;
};

double VarianceOf(const Shape& shape, std::size_t side, double product, const Levels& at,
                  const std::function<const std::vector<double>&(std::size_t)>& lengths, Precisions& precisions) {
  if (side == shape.sides.size()) return product / precisions.At(at);
  double sum = 0;
  const std::vector<double>& of = lengths(side);
  for (std::size_t level = 0; level < of.size(); ++level) {
    if (of[level] <= 1e-12) continue;
    Levels next = at;
    next[shape.sides[side].attribute] = static_cast<char>(level);
    sum += VarianceOf(shape, side + 1, product * of[level], next, lengths, precisions);
  }
  return sum;
}

// The row of each side with the largest variance.
void Worst(const Shape& shape, std::size_t side, std::vector<std::size_t>& at, const Levels& top,
           Precisions& precisions, Variances& out) {
  if (side == shape.sides.size()) {
    const double variance = VarianceOf(
        shape, 0, shape.outside, top,
        [&](std::size_t k) -> const std::vector<double>& { return shape.sides[k].rows[at[k]]; }, precisions);
    if (variance <= out.largest) return;
    out.largest = variance;
    out.rows.clear();
    for (std::size_t k = 0; k < at.size(); ++k) out.rows.push_back(shape.sides[k].first[at[k]]);
    return;
  }
  for (at[side] = 0; at[side] < shape.sides[side].rows.size(); ++at[side])
    Worst(shape, side + 1, at, top, precisions, out);
}

// All combinations are tried: where there are too many, those with the most values.
Shape WithFewRows(Shape shape) {
  constexpr double kMostTried = 2000;
  double tried = 1;
  for (const auto& side : shape.sides) tried *= static_cast<double>(side.rows.size());
  if (tried <= kMostTried) return shape;
  const auto most = static_cast<std::size_t>(std::pow(kMostTried, 1.0 / static_cast<double>(shape.sides.size())));
  for (auto& side : shape.sides) {
    std::vector<std::size_t> order(side.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto length = [&](std::size_t row) {
      return std::accumulate(side.rows[row].begin(), side.rows[row].end(), 0.0);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return length(a) > length(b); });
    order.resize(std::min(order.size(), most));
    Shape::SideShape kept{side.attribute, side.mean, {}, {}};
    for (const std::size_t row : order) {
      kept.rows.push_back(side.rows[row]);
      kept.first.push_back(side.first[row]);
    }
    side = std::move(kept);
  }
  return shape;
}

}  // namespace

double Precisions::At(const Levels& part) {
  const auto [found, fresh] = known_.try_emplace(part, 0.0);
  if (fresh) {
    for (const Measured& one : measured_) {
      if (IsWithin(one.levels, part)) found->second += one.precision;
    }
  }
  return found->second;
}

Shape ShapeOf(const Sum& sum, const std::vector<Chain>& chains) {
  Shape shape;
  std::vector<bool> inside(chains.size(), false);
  for (const Side& side : sum.sides) inside[side.attribute] = true;
  for (std::size_t k = 0; k < chains.size(); ++k) {
    if (!inside[k]) shape.outside *= static_cast<double>(chains[k].values());
  }
  for (const Side& side : sum.sides) {
    Shape::SideShape& of = shape.sides.emplace_back();
    of.attribute = side.attribute;
    of.mean.assign(chains[side.attribute].sizes.size(), 0.0);
    std::set<std::vector<double>> known;
    for (std::size_t row = 0; row < side.rows.size(); ++row) {
      const Chain& chain = chains[side.attribute];
      std::vector<double> lengths = LengthsOf(chain, MeansOf(chain, side.rows[row]));
      for (double& length : lengths) length = length < 1e-12 ? 0 : std::round(length * 1e9) / 1e9;
      for (std::size_t level = 0; level < lengths.size(); ++level)
        of.mean[level] += lengths[level] / static_cast<double>(side.rows.size());
      if (!known.insert(lengths).second) continue;
      of.rows.push_back(std::move(lengths));
      of.first.push_back(row);
    }
  }
  return shape;
}

Variances VariancesOf(const Shape& shape, const Levels& top, Precisions& precisions) {
  Variances out;
  out.mean = VarianceOf(
      shape, 0, shape.outside, top, [&](std::size_t k) -> const std::vector<double>& { return shape.sides[k].mean; },
      precisions);
  out.largest = -1;
  std::vector<std::size_t> at(shape.sides.size(), 0);
  Worst(WithFewRows(shape), 0, at, top, precisions, out);
  return out;
}

std::optional<Strategy> ChooseStrategy(const TableView& view, const std::vector<Wanted>& wanted, const Probe& probe,
                                       const std::vector<Chain>* chains) {
  return Search(view, wanted, probe).Find(chains);
}

}  // namespace kith::workload
