#include "probe/probe.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <span>
#include <unordered_map>

#include "probe/features.h"

namespace kith::probe {
namespace {

constexpr std::size_t kFewest = 100;     // runs
constexpr std::size_t kTested = 8;       // events, at most, that are counted on the second half
constexpr std::size_t kPerFeature = 2;   // of them from one feature
constexpr std::size_t kThresholds = 32;  // for intervals

using Half = std::span<const Outcome>;

// low <= feature <= high, or text; with the direction and how much it promises.
struct Candidate {
  const Feature* feature = nullptr;  // null: the whole outcome is the text
  double low = -INFINITY, high = INFINITY;
  std::string text;
  bool left_likelier = true;
  double score = -INFINITY;

  bool Holds(const Outcome& outcome) const {
    if (feature == nullptr) return outcome.text == text;
    const double value = feature->value(outcome);
    return value >= low && value <= high;
  }
};

// As many digits as distinguish this number from its neighbours, and no more.
std::string Digits(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string Quoted(const std::string& text) {
  constexpr std::size_t kMost = 60;
  return "the output is \"" + text.substr(0, kMost) + (text.size() > kMost ? "…\"" : "\"");
}

std::string Words(const Candidate& c) {
  if (c.feature == nullptr) return Quoted(c.text);
  if (c.low == c.high) return c.feature->name + " is " + Digits(c.low);
  if (std::isinf(c.low)) return c.feature->name + " is at most " + Digits(c.high);
  if (std::isinf(c.high)) return c.feature->name + " is at least " + Digits(c.low);
  return c.feature->name + " is from " + Digits(c.low) + " to " + Digits(c.high);
}

// What counts like these would prove, quickly and roughly: only the choice of events depends on it.
double Promise(double hits, double trials, double hits_other, double trials_other, double delta) {
  static const double z = std::sqrt(2 * std::log(2 * kTested / kFalseAlarm));
  const double root = std::max(0.0, std::sqrt(hits) - z / 2);
  const double low = root * root / trials - delta;
  const double root_other = std::sqrt(hits_other + 1) + z / 2;
  return low > 0 ? std::log(low / std::min(1.0, root_other * root_other / trials_other)) : -INFINITY;
}

// Finds the best event of each shape for one feature, in both directions.
class Search {
 public:
  Search(const Feature& feature, Half left, Half right, double delta)
      : feature_(feature),
        left_(Values(left)),
        right_(Values(right)),
        delta_(delta),
        trials_left_(static_cast<double>(left.size())),
        trials_right_(static_cast<double>(right.size())) {}

  std::vector<Candidate> Best() {
    std::vector<double> all(left_);
    all.insert(all.end(), right_.begin(), right_.end());
    if (all.empty()) return {};
    std::sort(all.begin(), all.end());
    std::vector<double> distinct(all);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (distinct.size() < all.size()) {
      for (const double value : distinct) Try(0, value, value);
    }
    for (const double value : distinct) {
      Try(1, -INFINITY, value);
      Try(2, value, INFINITY);
    }
    std::vector<double> some;
    for (std::size_t k = 0; k <= kThresholds; ++k) some.push_back(all[k * (all.size() - 1) / kThresholds]);
    some.erase(std::unique(some.begin(), some.end()), some.end());
    for (std::size_t a = 0; a < some.size(); ++a) {
      for (std::size_t b = a + 1; b < some.size(); ++b) Try(3, some[a], some[b]);
    }
    std::vector<Candidate> found;
    for (const auto& [key, candidate] : best_) found.push_back(candidate);
    return found;
  }

 private:
  std::vector<double> Values(Half half) const {
    std::vector<double> values;
    for (const Outcome& outcome : half) {
      if (const double value = feature_.value(outcome); !std::isnan(value)) values.push_back(value);
    }
    std::sort(values.begin(), values.end());
    return values;
  }

  static double Between(const std::vector<double>& sorted, double low, double high) {
    return static_cast<double>(std::upper_bound(sorted.begin(), sorted.end(), high) -
                               std::lower_bound(sorted.begin(), sorted.end(), low));
  }

  void Try(int shape, double low, double high) {
    const double left = Between(left_, low, high), right = Between(right_, low, high);
    Keep(shape, {&feature_, low, high, {}, true, Promise(left, trials_left_, right, trials_right_, delta_)});
    Keep(shape, {&feature_, low, high, {}, false, Promise(right, trials_right_, left, trials_left_, delta_)});
  }
  void Keep(int shape, const Candidate& candidate) {
    Candidate& best = best_[{shape, candidate.left_likelier}];
    if (candidate.score > best.score) best = candidate;
  }

  const Feature& feature_;
  std::vector<double> left_, right_;  // sorted
  double delta_, trials_left_, trials_right_;
  std::map<std::pair<int, bool>, Candidate> best_;
};

// Whole outputs, failures among them.
std::vector<Candidate> BestTexts(Half left, Half right, double delta) {
  std::unordered_map<std::string, std::pair<double, double>> counts;
  for (const Outcome& outcome : left) ++counts[outcome.text].first;
  for (const Outcome& outcome : right) ++counts[outcome.text].second;
  Candidate best[2];
  const auto n_left = static_cast<double>(left.size()), n_right = static_cast<double>(right.size());
  for (const auto& [text, count] : counts) {
    const double scores[2] = {Promise(count.first, n_left, count.second, n_right, delta),
                              Promise(count.second, n_right, count.first, n_left, delta)};
    for (const int way : {0, 1}) {
      // Equal promises: the smaller text, so that the order of the table does not show.
      const bool better = scores[way] > best[way].score || (scores[way] == best[way].score && text < best[way].text);
      if (better && std::isfinite(scores[way])) best[way] = {nullptr, 0, 0, text, way == 0, scores[way]};
    }
  }
  return {best[0], best[1]};
}

std::vector<Candidate> Choose(const std::vector<Feature>& features, Half left, Half right, double delta) {
  std::vector<Candidate> all = BestTexts(left, right, delta);
  for (const Feature& feature : features) {
    for (Candidate& candidate : Search(feature, left, right, delta).Best()) all.push_back(std::move(candidate));
  }
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  std::vector<Candidate> chosen;
  std::map<const Feature*, std::size_t> from;
  for (Candidate& candidate : all) {
    // What promises nothing would only take alpha from the others; but one event is always tested.
    if (chosen.size() == kTested || (candidate.score <= 0 && !chosen.empty())) break;
    if (!std::isfinite(candidate.score)) break;
    if (from[candidate.feature]++ < kPerFeature) chosen.push_back(std::move(candidate));
  }
  return chosen;
}

Hits Count(const Candidate& candidate, Half half) {
  Hits seen{0, half.size()};
  for (const Outcome& outcome : half) seen.hits += candidate.Holds(outcome) ? 1 : 0;
  return seen;
}

std::vector<std::string> Notes(Half left, Half right) {
  std::vector<std::string> notes;
  const auto look = [&](Half half, const std::string& side) {
    const auto same = std::count_if(half.begin(), half.end(), [&](const Outcome& o) { return o.text == half[0].text; });
    const auto none = std::count_if(half.begin(), half.end(), [](const Outcome& o) { return o.numbers.empty(); });
    if (static_cast<std::size_t>(same) == half.size()) {
      notes.push_back(
          "every run on the " + side +
          " gave the same output: there is no noise, or the program stores its answers and the runs are not "
          "independent (put {run} into the question to make each one new)");
    }
    if (none > 0)
      notes.push_back(std::to_string(none) + " of " + std::to_string(half.size()) + " runs on the " + side +
                      " gave no number");
  };
  look(left, "left");
  look(right, "right");
  return notes;
}

}  // namespace

Result<Proof> ProvenLoss(const std::vector<Outcome>& left, const std::vector<Outcome>& right, double delta) {
  if (left.size() < kFewest || right.size() < kFewest)
    return InvalidArgument("too few runs to prove anything", "runs",
                           "use at least 100 on each side; 20000 show most faults");
  if (!(delta >= 0 && delta < 1)) return InvalidArgument("delta must be at least 0 and below 1", "delta");
  const Half all_left(left), all_right(right);
  const Half choose_left = all_left.first(left.size() / 2), test_left = all_left.subspan(left.size() / 2);
  const Half choose_right = all_right.first(right.size() / 2), test_right = all_right.subspan(right.size() / 2);
  const auto features = Features(choose_left, choose_right);
  const auto chosen = Choose(features, choose_left, choose_right, delta);
  Proof proof;
  proof.delta = delta;
  proof.runs_left = left.size();
  proof.runs_right = right.size();
  proof.notes = Notes(all_left, all_right);
  const double alpha = kFalseAlarm / static_cast<double>(std::max<std::size_t>(1, chosen.size()));
  proof.false_alarm = alpha * static_cast<double>(chosen.size());
  for (const Candidate& candidate : chosen) {
    TestedEvent event{candidate.feature ? candidate.feature->family : "whole output",
                      Words(candidate),
                      candidate.left_likelier,
                      {},
                      {},
                      0};
    event.likelier = Count(candidate, candidate.left_likelier ? test_left : test_right);
    event.other = Count(candidate, candidate.left_likelier ? test_right : test_left);
    event.loss_at_least = LossLowerBound(event.likelier, event.other, delta, alpha);
    proof.loss_at_least = std::max(proof.loss_at_least, event.loss_at_least);
    proof.events.push_back(std::move(event));
  }
  std::stable_sort(proof.events.begin(), proof.events.end(),
                   [](const TestedEvent& a, const TestedEvent& b) { return a.loss_at_least > b.loss_at_least; });
  return proof;
}

}  // namespace kith::probe
