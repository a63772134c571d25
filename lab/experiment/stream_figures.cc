#include "experiment/stream_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/conclusion.h"
#include "experiment/seeded_bits.h"
#include "experiment/simulate.h"
#include "kernel/differs.h"
#include "mechanism/noise.h"
#include "release/stream/stream_step.h"

namespace kith::experiment {
namespace {

using stream::Sharing;
using stream::Spent;

constexpr std::int64_t kWindow = 12;

/// One stream in the making, as kith releases it: the same shares, the same test, the same noise, no ledger.
class Publisher {
 public:
  Publisher(const stream::Terms& terms, BitSource& bits) : terms_(terms), bits_(bits) {}

  Result<double> Step(std::int64_t tick, std::int64_t count) {
    while (!past_.empty() && past_.front().tick <= tick - 2 * terms_.window()) past_.erase(past_.begin());
    while (!steps_.empty() && steps_.front() <= tick - terms_.window()) steps_.erase(steps_.begin());
    steps_.push_back(tick);
    const bool adaptive = stream::IsAdaptive(terms_.sharing());
    const PlainUnits share =
        adaptive ? terms_.Publication(tick, past_, steps_.front()) : terms_.Release(tick, Window(tick));
    if (share < LeastOfUse(terms_)) return last_;
    if (adaptive) {
      spent_.push_back({tick, terms_.Test().count()});
      const Int128 exact = count, last = static_cast<Int128>(last_);
      const auto differs = Differs({&exact, 1}, {&last, 1}, *Sensitivity::Make(1), terms_.Test(), share, bits_);
      if (!differs) return differs.error();
      if (!*differs) return last_;
    }
    const auto change = Sensitivities::OfL1(1);
    if (!change) return change.error();
    const auto law = kith::Noise::For(*change, share);
    if (!law) return law.error();
    past_.push_back({tick, share.count()});
    spent_.push_back(past_.back());
    ++published_;
    return last_ = static_cast<double>(law->Release(count, bits_));
  }

  std::size_t published() const { return published_; }
  /// The largest sum of units over consecutive steps of a window's length.
  std::int64_t WorstWindow() const {
    std::int64_t worst = 0, sum = 0;
    std::size_t from = 0;
    for (const Spent& spent : spent_) {
      sum += spent.units;
      while (spent_[from].tick <= spent.tick - terms_.window()) sum -= spent_[from++].units;
      worst = std::max(worst, sum);
    }
    return worst;
  }

 private:
  std::span<const Spent> Window(std::int64_t tick) const {
    const auto first = std::find_if(past_.begin(), past_.end(),
                                    [&](const Spent& spent) { return spent.tick > tick - terms_.window(); });
    return {first, past_.end()};
  }

  const stream::Terms& terms_;
  BitSource& bits_;
  std::vector<Spent> past_, spent_;
  std::vector<std::int64_t> steps_;
  double last_ = 0;
  std::size_t published_ = 0;
};

const std::vector<Sharing>& Rules() {
  static const std::vector<Sharing> rules = {Sharing::kOffline,   Sharing::kSlack,   Sharing::kHarmonic,
                                             Sharing::kRate,      Sharing::kUniform, Sharing::kDistribution,
                                             Sharing::kAbsorption};
  return rules;
}

/// From 7:00 to 19:00, as anybody can know.
std::vector<std::int64_t> AskedHours(std::size_t hours) {
  std::vector<std::int64_t> asked;
  for (std::size_t hour = 0; hour < hours; ++hour) {
    if (hour % 24 >= 7 && hour % 24 < 19) asked.push_back(static_cast<std::int64_t>(hour));
  }
  return asked;
}

/// This many hours of a day, evenly spread. Requires: times divides 24.
std::vector<std::int64_t> SpreadHours(std::size_t hours, std::size_t times) {
  std::vector<std::int64_t> asked;
  for (std::size_t hour = 0; hour < hours; ++hour) {
    if ((hour + 12) % (24 / times) == 0) asked.push_back(static_cast<std::int64_t>(hour));
  }
  return asked;
}

struct Race {
  const HourlyCounts& counts;
  std::vector<std::int64_t> asked;
  const Settings& settings;
  const CancelFlag& cancel;

  Result<Estimate> ErrorOf(Sharing rule, std::int64_t window, double epsilon) const {
    const auto terms = TermsOf(counts.people, asked, rule, window, epsilon);
    if (!terms) return terms.error();
    std::vector<double> errors;
    for (std::size_t r = 0; r < settings.repetitions; ++r) {
      if (cancel.cancelled()) return Cancelled("the experiment was stopped");
      SeededBits bits(SeedOf(settings.seed, 70 + static_cast<std::uint64_t>(rule), r));
      const auto stream = PublishStream(counts.people, asked, *terms, bits);
      if (!stream) return stream.error();
      double sum = 0;
      for (std::size_t k = 0; k < asked.size(); ++k)
        sum += std::abs(stream->values[k] - static_cast<double>(counts.people[static_cast<std::size_t>(asked[k])]));
      errors.push_back(sum / static_cast<double>(asked.size()));
    }
    return attack::EstimateOf(errors);
  }
  double MeanCount() const {
    double sum = 0;
    for (const std::int64_t hour : asked) sum += static_cast<double>(counts.people[static_cast<std::size_t>(hour)]);
    return sum / static_cast<double>(asked.size());
  }
};

}  // namespace

Result<stream::Terms> TermsOf(const std::vector<std::int64_t>& counts, const std::vector<std::int64_t>& asked,
                              Sharing rule, std::int64_t window, double epsilon) {
  const auto units = PlainUnits::Floor(epsilon);
  if (!units) return units.error();
  const double rate = static_cast<double>(asked.size()) / static_cast<double>(std::max<std::size_t>(1, counts.size()));
  return stream::Terms::Make(rule, window, *units, std::min(1.0, rate), asked);
}

Result<PublishedStream> PublishStream(const std::vector<std::int64_t>& counts, const std::vector<std::int64_t>& asked,
                                      const stream::Terms& terms, BitSource& bits) {
  Publisher publisher(terms, bits);
  PublishedStream out;
  for (const std::int64_t tick : asked) {
    const auto value = publisher.Step(tick, counts[static_cast<std::size_t>(tick)]);
    if (!value) return value.error();
    out.values.push_back(*value);
  }
  out.window_spent = static_cast<double>(publisher.WorstWindow()) / static_cast<double>(PlainUnits::kOne);
  out.published = publisher.published();
  return out;
}

Result<Figure> StreamsFigure(const Occupancy& occupancy, const Settings& settings, const CancelFlag& cancel) {
  Figure figure{
      "delta-streams", "error of an hourly count of people that is published without end, by rule", "", {}, {}};
  std::string here;
  double done = 0;
  const std::vector<std::string> names = {"hospital", "workplace", "conference", "homes"};
  for (const std::string& name : names) {
    const auto building = occupancy.Called(name);
    if (!building) continue;
    const HourlyCounts counts = CountByHour(**building);
    const Race race{counts, AskedHours(counts.people.size()), settings, cancel};
    if (race.asked.empty()) continue;
    const double mean = race.MeanCount();
    Panel by_epsilon{name + "_epsilon",
                     fmt::format("{}: hourly count, window of {} hours", name, kWindow),
                     "epsilon",
                     "mean absolute error, people",
                     true,
                     true,
                     {}};
    Panel by_window{name + "_window",
                    fmt::format("{}: hourly count, epsilon 1", name),
                    "window, hours",
                    "mean absolute error, people",
                    true,
                    true,
                    {}};
    Panel by_asked{name + "_asked",
                   fmt::format("{}: epsilon 1, window of 24 hours", name),
                   "hours a day that are asked for",
                   "mean absolute error, people",
                   true,
                   true,
                   {}};
    std::string best;
    double least = 1e300;
    for (const Sharing rule : Rules()) {
      for (const std::size_t times : {1, 2, 4, 8, 24}) {
        const Race sparse{counts, SpreadHours(counts.people.size(), times), settings, cancel};
        const auto error = sparse.ErrorOf(rule, 24, 1);
        if (!error) return error.error();
        by_asked.points.push_back({stream::NameOf(rule), static_cast<double>(times), *error, 1});
      }
      for (const double epsilon : settings.epsilons) {
        const auto error = race.ErrorOf(rule, kWindow, epsilon);
        if (!error) return error.error();
        by_epsilon.points.push_back({stream::NameOf(rule), epsilon, *error, epsilon});
        if (epsilon == 1 && rule != Sharing::kOffline && error->mean < least) {
          least = error->mean;
          best = stream::NameOf(rule);
        }
      }
      for (const std::int64_t window : {1, 2, 4, 8, 12, 24, 48}) {
        const auto error = race.ErrorOf(rule, window, 1);
        if (!error) return error.error();
        by_window.points.push_back({stream::NameOf(rule), static_cast<double>(window), *error, 1});
      }
    }
    for (const double epsilon : settings.epsilons) by_epsilon.points.push_back({"always 0", epsilon, Exactly(mean), 0});
    const auto longer = std::count_if(counts.longest_stay.begin(), counts.longest_stay.end(),
                                      [](std::int64_t stay) { return stay > kWindow; });
    if (least < 1e300) {
      here += fmt::format(
          "{}{}: {:.1f} people an hour on average; at epsilon 1 the best online rule is {} with an error "
          "of {:.1f}",
          here.empty() ? "" : ". ", name, mean, best, least);
    }
    figure.notes.push_back(fmt::format(
        "{}: {} people, {} hours, {} of these asked for (7:00 to 19:00); the longest stay is {} hours, {} of "
        "them stay longer than {} at least once: for these the epsilon of one window is no bound.",
        name, (*building)->spaces.size(), counts.people.size(), race.asked.size(),
        *std::max_element(counts.longest_stay.begin(), counts.longest_stay.end()), longer, kWindow));
    figure.panels.push_back(std::move(by_epsilon));
    figure.panels.push_back(std::move(by_window));
    figure.panels.push_back(std::move(by_asked));
    if (settings.progress) settings.progress(done += 1.0 / static_cast<double>(names.size()));
  }
  if (figure.panels.empty()) return occupancy.Called("hospital").error();
  figure.notes.emplace_back(
      "A stay is there or not: one person in each hour's count. Hours that are skipped repeat the last number. The "
      "rate "
      "rule knows the share of hours that ask, offline knows all of them. The office of UCI is not here: a room that "
      "is "
      "empty or not has no count of people.");
  Conclude(
      figure,
      "budgets can be shared so that publishing never ends, offline with the least noise, online nearly so; counts at "
      "the level of a building survive (the paper's reference on streaming occupancy), those of few people do not. No "
      "numbers are in the part that was at hand.",
      here.empty() ? "The tables have every rule; a sentence is written for an epsilon of 1, which was not asked for."
                   : here + ".",
      "hours that ask come in runs of twelve here. A window of twelve is full of them, and then an even share is the "
      "best there is, offline or online; in longer windows offline does not pay for the nights, and where few hours "
      "ask "
      "(the third chart) slack, rate and harmonic do not either, as published. A count of a few people is smaller "
      "than its noise: nothing at all (always 0) is nearer to the truth.");
  return figure;
}

}  // namespace kith::experiment
