#include "audit/exact/exact_known.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kith::audit {
namespace {

using published::Network;

/// Products that somebody may wait for: some seconds.
constexpr double kMostWork = 4e9;

/// All sets of known records of a small joint law, for several scales at once.
class EverySet {
 public:
  EverySet(const Joint& joint, const FiniteLaw& law, const Additive& question, std::span<const double> scales)
      : joint_(joint), law_(law), scales_(scales), best_(scales.size()) {
    const std::size_t n = law.records();
    for (std::size_t row = 0; row < joint.law.size(); ++row) {
      std::size_t rest = row;
      std::int64_t answer = 0;
      std::vector<std::size_t>& values = values_.emplace_back(n);
      for (std::size_t i = n; i-- > 0; rest /= law.values[i]) values[i] = rest % law.values[i];
      for (std::size_t i = 0; i < n; ++i) answer += question.adds[i][values[i]];
      answers_.push_back(answer);
    }
    for (std::size_t row = 0; row < joint.law.size(); ++row) {
      if (joint.law[row] > 0) axis_.push_back(static_cast<double>(answers_[row]));
    }
    std::sort(axis_.begin(), axis_.end());
    axis_.erase(std::unique(axis_.begin(), axis_.end()), axis_.end());
    for (const std::int64_t answer : answers_) {
      const auto at = std::lower_bound(axis_.begin(), axis_.end(), static_cast<double>(answer));
      places_.push_back(static_cast<std::size_t>(at - axis_.begin()));
    }
    for (const double scale : scales) {
      auto& decay = decays_.emplace_back(1, 0.0);
      for (std::size_t k = 1; k < axis_.size(); ++k) decay.push_back(std::exp(-(axis_[k] - axis_[k - 1]) / scale));
    }
  }

  /// How many numbers the search multiplies.
  double Work() const {
    double sets = 1;
    for (const std::size_t v : law_.values) sets *= static_cast<double>(v + 1);
    const double laws = sets * static_cast<double>(law_.records());
    return laws * static_cast<double>(axis_.size() * (scales_.size() + 1)) +
           std::pow(2, static_cast<double>(law_.records())) * static_cast<double>(joint_.law.size() * law_.records());
  }

  std::vector<KnownLoss> Search() {
    for (std::size_t set = 0; set < std::size_t{1} << law_.records(); ++set) Try(set);
    return best_;
  }

 private:
  /// Sorts the rows by the values of the known records and looks at each combination.
  void Try(std::size_t set) {
    std::vector<std::pair<std::size_t, std::size_t>> rows;  // key, row
    for (std::size_t row = 0; row < joint_.law.size(); ++row) {
      if (!(joint_.law[row] > 0)) continue;
      std::size_t key = 0;
      for (std::size_t i = 0; i < law_.records(); ++i) {
        if ((set >> i & 1) != 0) key = key * law_.values[i] + values_[row][i];
      }
      rows.emplace_back(key, row);
    }
    std::sort(rows.begin(), rows.end());
    for (std::size_t from = 0; from < rows.size();) {
      std::size_t to = from;
      while (to < rows.size() && rows[to].first == rows[from].first) ++to;
      const std::span<const std::pair<std::size_t, std::size_t>> alike(rows.data() + from, to - from);
      for (std::size_t i = 0; i < law_.records() && alike.size() > 1; ++i) {
        if ((set >> i & 1) == 0 && law_.secret[i] != 0) Look(set, alike, i);
      }
      from = to;
    }
  }

  void Look(std::size_t set, std::span<const std::pair<std::size_t, std::size_t>> rows, std::size_t record) {
    laws_.assign(law_.values[record], {});
    for (const auto& [key, row] : rows) {
      auto& law = laws_[values_[row][record]];
      if (law.empty()) law.assign(axis_.size(), 0.0);
      law[places_[row]] += joint_.law[row];
    }
    std::vector<std::size_t> possible;
    for (std::size_t v = 0; v < laws_.size(); ++v) {
      if (laws_[v].empty()) continue;
      double p = 0;
      for (const double q : laws_[v]) p += q;
      for (double& q : laws_[v]) q /= p;
      possible.push_back(v);
    }
    if (possible.size() < 2) return;
    for (std::size_t s = 0; s < scales_.size(); ++s) {
      Worst worst = Ratio(s, possible);
      if (worst.loss <= best_[s].worst.loss) continue;
      worst.record = record;
      worst.answer = axis_[static_cast<std::size_t>(worst.answer)] - axis_.front();
      best_[s] = {worst, {}, {}};
      for (std::size_t i = 0; i < law_.records(); ++i) {
        if ((set >> i & 1) == 0) continue;
        best_[s].known.push_back(i);
        best_[s].values.push_back(values_[rows[0].second][i]);
      }
    }
  }

  Worst Ratio(std::size_t s, const std::vector<std::size_t>& possible) {
    if ((axis_.back() - axis_.front()) / scales_[s] > 500) return RatioOfLogs(s, possible);
    smooth_.assign(possible.size(), {});
    for (std::size_t t = 0; t < possible.size(); ++t) {
      const std::vector<double>& law = laws_[possible[t]];
      std::vector<double>& smooth = smooth_[t];
      smooth.resize(law.size());
      double sum = 0;
      for (std::size_t k = 0; k < law.size(); ++k) smooth[k] = sum = sum * decays_[s][k] + law[k];
      sum = 0;
      for (std::size_t k = law.size(); k-- > 0;) {
        smooth[k] += sum;
        sum = (sum + law[k]) * decays_[s][k];
      }
    }
    Worst worst{1, 0, 0, 0, 0};
    for (std::size_t k = 0; k < axis_.size(); ++k) {
      std::size_t low = 0;
      std::size_t high = 0;
      for (std::size_t t = 1; t < smooth_.size(); ++t) {
        if (smooth_[t][k] < smooth_[low][k]) low = t;
        if (smooth_[t][k] > smooth_[high][k]) high = t;
      }
      const double ratio = smooth_[high][k] / smooth_[low][k];
      if (ratio > worst.loss) worst = {ratio, 0, possible[high], possible[low], static_cast<double>(k)};
    }
    worst.loss = std::log(worst.loss);
    return worst;
  }

  Worst RatioOfLogs(std::size_t s, const std::vector<std::size_t>& possible) const {
    published::Secret secret;
    secret.axes = {axis_};
    for (const std::size_t v : possible) secret.given.push_back(laws_[v]);
    Worst worst = LargestRatio(secret, scales_[s]);
    worst.high = possible[worst.high];
    worst.low = possible[worst.low];
    return worst;
  }

  const Joint& joint_;
  const FiniteLaw& law_;
  std::span<const double> scales_;
  std::vector<KnownLoss> best_;
  std::vector<std::vector<std::size_t>> values_;  // of each row
  std::vector<std::int64_t> answers_;             // to each row
  std::vector<std::size_t> places_;               // of each row's answer on the axis
  published::Axis axis_;
  std::vector<std::vector<double>> decays_;  // [scale][place]: e^{-distance to the place before / scale}
  std::vector<std::vector<double>> laws_, smooth_;
};

/// With all others known the answer is what the record adds, and a constant. `distance` is then all that matters.
struct Step {
  std::int64_t distance = 0;
  std::size_t record = 0, high = 0, low = 0;
};

void Consider(Step& longest, const Additive& question, std::size_t record, std::size_t a, std::size_t b) {
  const std::int64_t distance = question.adds[record][a] - question.adds[record][b];
  if (distance > longest.distance) longest = {distance, record, a, b};
}

Step LongestStep(const Joint& joint, const FiniteLaw& law, const Additive& question) {
  Step longest;
  std::size_t stride = 1;
  for (std::size_t i = law.records(); i-- > 0; stride *= law.values[i]) {
    for (std::size_t row = 0; row < joint.law.size() && law.secret[i] != 0; ++row) {
      if ((row / stride) % law.values[i] != 0) continue;  // rows that differ only in record i, from its value 0
      for (std::size_t a = 0; a < law.values[i]; ++a) {
        for (std::size_t b = 0; b < law.values[i]; ++b) {
          if (joint.law[row + a * stride] > 0 && joint.law[row + b * stride] > 0) Consider(longest, question, i, a, b);
        }
      }
    }
  }
  return longest;
}

/// Two values of a record can both occur with the same neighbours, and so with all others alike.
bool CanSwap(const Network& network, std::size_t i, std::size_t a, std::size_t b) {
  if (!(network.marginals[i][a] > 0 && network.marginals[i][b] > 0)) return false;
  for (const published::Link& link : network.links[i]) {
    bool common = false;
    for (std::size_t v = 0; v < link.table[a].size(); ++v) common |= link.table[a][v] > 0 && link.table[b][v] > 0;
    if (!common) return false;
  }
  return true;
}

Step LongestStep(const Network& network, const FiniteLaw& law, const Additive& question) {
  Step longest;
  for (std::size_t i = 0; i < law.records(); ++i) {
    for (std::size_t a = 0; a < law.values[i] && law.secret[i] != 0; ++a) {
      for (std::size_t b = 0; b < law.values[i]; ++b) {
        if (CanSwap(network, i, a, b)) Consider(longest, question, i, a, b);
      }
    }
  }
  return longest;
}

}  // namespace

Result<std::vector<AdversaryLosses>> LossesOfAdversaries(const FiniteLaw& law, const Additive& question,
                                                         const ExactAudit& audit, std::span<const double> scales) {
  std::vector<AdversaryLosses> losses;
  const auto* joint = std::get_if<Joint>(&law.law);
  const Step longest =
      joint != nullptr ? LongestStep(*joint, law, question) : LongestStep(std::get<Network>(law.law), law, question);
  for (const double scale : scales) {
    const auto none = audit.Loss(scale);
    if (!none) return none.error();
    AdversaryLosses& of_scale = losses.emplace_back();
    of_scale.none.worst = *none;
    of_scale.all.worst = {static_cast<double>(longest.distance) / scale, longest.record, longest.high, longest.low, 0};
    for (std::size_t j = 0; j < law.records(); ++j) {
      if (j != longest.record && law.records() <= kMostRecordsForSets) of_scale.all.known.push_back(j);
    }
  }
  const auto rows = law.records() <= kMostRecordsForSets ? Expanded(law, kMostRowsForSets) : std::nullopt;
  if (!rows) return losses;
  EverySet sets(*rows, law, question, scales);
  if (sets.Work() > kMostWork) return losses;
  std::vector<KnownLoss> worst = sets.Search();
  for (std::size_t s = 0; s < losses.size(); ++s) losses[s].any = std::move(worst[s]);
  return losses;
}

}  // namespace kith::audit
