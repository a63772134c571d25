#include "transfer/field/network_sampling.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/digest.h"
#include "transfer/field/random_cluster.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

/// 4 artanh of a probability, rounded up.
double LossAt(double connected) {
  if (connected >= 1) return std::numeric_limits<double>::infinity();
  return 2 * rounding::Log1pUp(rounding::DivUp(2 * connected, rounding::NextDown(1 - connected)));
}

double LogAlpha(std::uint32_t records) {
  return -60 * std::log(2.0) - std::log(static_cast<double>(records) * NetworkSample::kMostLosses) - 1e-9;
}

/// One simulation after another, with one bar of progress for all: a share of it is done when a run of all is.
class Simulation {
 public:
  Simulation(const Graph& graph, const SamplingOptions& options, const Call& call)
      : graph_(graph), options_(options), call_(call) {}

  void Expect(double runs) { expected_ = done_ + runs; }

  Result<SampledLoss> At(double plain, std::uint64_t runs, const StreamKey& key, std::uint32_t part) {
    Call call = call_;
    if (call_.progress) {
      call.progress = [this, runs](double share) {
        call_.progress(std::min(1.0, (done_ + share * static_cast<double>(runs)) / expected_));
      };
    }
    const auto hits = ClusterHits(graph_,
                                  {.plain = plain,
                                   .runs = runs,
                                   .sweeps = options_.sweeps,
                                   .key = key,
                                   .part = part,
                                   .threads = options_.threads},
                                  call);
    if (!hits) return hits.error();
    done_ += static_cast<double>(runs);
    const auto most = std::max_element(hits->begin(), hits->end());
    const auto bytes = std::as_bytes(std::span(*hits));
    return SampledLoss{plain,
                       part,
                       runs,
                       *most,
                       static_cast<std::uint32_t>(most - hits->begin()),
                       Sha256({reinterpret_cast<const char*>(bytes.data()), bytes.size()})};
  }

 private:
  const Graph& graph_;
  const SamplingOptions& options_;
  const Call& call_;
  double done_ = 0, expected_ = 1;
};

}  // namespace

double LimitAt(const SampledLoss& at, std::uint32_t records) {
  return std::max(at.plain, LossAt(MostLikely(at.largest, at.runs, LogAlpha(records))));
}

Result<NetworkSample> SampleNetwork(const Graph& graph, double dependent, const SamplingOptions& options,
                                    SystemBits& bits, const Call& call) {
  if (!(dependent > 0) || std::isinf(dependent))
    return InvalidArgument("the dependent loss must be above 0", "dependent");
  constexpr int kLooks = 12;
  const std::uint64_t few = std::max<std::uint64_t>(options.runs / 40, 50), some = options.runs / 4 + 1;
  Simulation simulation(graph, options, call);
  const double most_runs = kLooks * static_cast<double>(few) + static_cast<double>(2 * options.runs + 3 * some);
  simulation.Expect(most_runs);

  // What the limit will be for all runs, judged by a few: as if the same part of them were hits.
  const auto limit_of_all = [&](const SampledLoss& seen) {
    const double part = static_cast<double>(seen.largest) / static_cast<double>(seen.runs);
    SampledLoss all = seen;
    all.runs = options.runs;
    all.largest = static_cast<std::uint64_t>(part * static_cast<double>(options.runs));
    return LimitAt(all, graph.records());
  };
  const StreamKey thrown_away = NewStreamKey(bits);
  const std::uint32_t largest = *std::max_element(graph.component_records().begin(), graph.component_records().end());
  double low = dependent / largest, high = dependent;
  for (int look = 0; look < kLooks && high > low * 1.02; ++look) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    const auto seen = simulation.At(middle, few, thrown_away, 0);
    if (!seen) return seen.error();
    (limit_of_all(*seen) <= dependent ? low : high) = middle;
  }
  // A few runs see the place roughly. Near it the limit is nearly proportional to the plain loss.
  auto near = simulation.At(low, some, thrown_away, 1);
  if (!near) return near.error();

  NetworkSample sample;
  sample.graph = graph.Fingerprint();
  sample.records = graph.records();
  sample.edges = graph.edges();
  sample.key = NewStreamKey(bits);
  sample.sweeps = options.sweeps;
  std::uint32_t part = 0;
  const auto add = [&](double plain, std::uint64_t runs) -> Result<double> {
    auto at = simulation.At(plain, runs, sample.key, part++);
    if (!at) return at.error();
    sample.losses.push_back(*at);
    return LimitAt(*at, graph.records());
  };
  // A little less than where the limit is expected to be the target, for chance: it must not be missed from above.
  constexpr double kAside = 0.97;
  const double aim = low * std::min(2.0, dependent / limit_of_all(*near));
  double best = 0, next = kAside * aim;
  for (const double aside : {kAside, 0.9, 1.0}) {
    const auto limit = add(next, options.runs);
    if (!limit) return limit.error();
    const bool first = sample.losses.size() == 1, fits = *limit <= dependent;
    if (fits) best = std::max(best, next);
    if ((fits && *limit >= 0.95 * dependent) || (best > 0 && !first)) break;
    next *= aside * std::min(1.2, dependent / *limit);
  }
  if (best == 0) best = next;
  simulation.Expect(2 * static_cast<double>(some));
  for (const double share : {0.5, 0.25}) {
    if (auto less = add(best * share, some); !less) return less.error();
  }
  std::sort(sample.losses.begin(), sample.losses.end(),
            [](const SampledLoss& a, const SampledLoss& b) { return a.plain < b.plain; });
  return sample;
}

}  // namespace kith
