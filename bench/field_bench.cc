// Messages on a power-law graph, compared with the fastest gather over the same index array and with DuckDB's own
// count; memory for each edge. Ratios within one run are compared.
//
//   field_bench [--nodes n] [--edges m] [--theta t] [--plain e] [--threads k] [--passes p] [--full]
//               [--households]
//
// --households adds an edge between every two of four people in a row: cliques inside the network.
//
// The standard graph has 10 M nodes and 100 M edges. --full takes the size of Google+ in 2011: 28.9 M users, 947.8 M
// edges, in 24 GB; it skips DuckDB and the edge list.
#include <duckdb.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/field_graph.h"
#include "dependence/graph_builder.h"
#include "transfer/check/node_losses.h"
#include "transfer/field/field_large.h"
#include "transfer/field/field_large_kernel.h"
#include "transfer/field/field_large_passes.h"
#include "transfer/star/star_degrees.h"

namespace kith::bench {
namespace {

struct Settings {
  std::uint64_t nodes = 10'000'000;
  std::uint64_t edges = 100'000'000;
  double theta = 0.001;
  double plain = 0.001;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  int passes = 5;
  bool full = false;
  bool households = false;
};

[[noreturn]] void Give(const std::string& why) {
  std::fprintf(stderr, "field_bench: %s\n", why.c_str());
  std::exit(1);
}

Settings Read(int argc, char** argv) {
  Settings settings;
  const auto number = [&](int& i) {
    if (++i == argc) Give("a number is missing");
    return std::atof(argv[i]);
  };
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--nodes")
      settings.nodes = static_cast<std::uint64_t>(number(i));
    else if (word == "--edges")
      settings.edges = static_cast<std::uint64_t>(number(i));
    else if (word == "--theta")
      settings.theta = number(i);
    else if (word == "--plain")
      settings.plain = number(i);
    else if (word == "--threads")
      settings.threads = static_cast<unsigned>(number(i));
    else if (word == "--passes")
      settings.passes = static_cast<int>(number(i));
    else if (word == "--households")
      settings.households = true;
    else if (word == "--full")
      settings.full = true;
    else
      Give("unknown: " + word);
  }
  if (settings.full) {
    settings.nodes = 28'900'000;
    settings.edges = 947'800'000;
  }
  return settings;
}

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double PeakGigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e6;
}

/// Calls work(begin, end) for equal parts of 0 .. count on all threads.
void InParallel(unsigned threads, std::uint64_t count, const std::function<void(std::uint64_t, std::uint64_t)>& work) {
  std::vector<std::thread> helpers;
  for (unsigned t = 0; t < threads; ++t) {
    helpers.emplace_back(work, count * t / threads, count * (t + 1) / threads);
  }
  for (std::thread& helper : helpers) helper.join();
}

/// The limit: nothing but reading one number for each index. Independent sums; without fetching ahead, into the first
/// cache, into the second: the fastest of them counts.
template <class Number>
double GatherSeconds(const Graph& graph, unsigned threads) {
  const std::uint32_t* index = graph.neighbours().data();
  BigArray<Number> numbers(graph.nodes(), Number{1});
  double best = 1e9;
  double checked = 0;
  for (int round = 0; round < 3; ++round) {
    for (const int ahead : {0, 1, 2}) {
      std::vector<double> sums(threads, 0);
      const auto work = [&](std::uint64_t begin, std::uint64_t end) {
        Number sum[8] = {};
        for (std::uint64_t i = begin; i + 8 <= end; i += 8) {
          if (ahead == 1) {
            for (int k = 0; k < 8; ++k) __builtin_prefetch(&numbers[index[i + 48 + static_cast<std::uint64_t>(k)]]);
          } else if (ahead == 2) {
            for (int k = 0; k < 8; ++k)
              __builtin_prefetch(&numbers[index[i + 240 + static_cast<std::uint64_t>(k)]], 0, 2);
          }
          for (int k = 0; k < 8; ++k) sum[k] += numbers[index[i + static_cast<std::uint64_t>(k)]];
        }
        double all = 0;
        for (const Number part : sum) all += static_cast<double>(part);
        sums[begin * threads / graph.slots()] = all;
      };
      const double seconds = Seconds([&] { InParallel(threads, graph.slots(), work); });
      best = std::min(best, seconds);
      for (const double sum : sums) checked += sum;
    }
  }
  if (checked == 0) Give("the gather read nothing");
  return best;
}

std::shared_ptr<const Graph> BuildGraph(const Settings& settings) {
  const PowerLawEdges stream(settings.nodes, settings.edges);
  auto builder = GraphBuilder::Make(static_cast<std::int64_t>(settings.nodes), settings.theta, RepeatedPairs::kLargest);
  if (!builder) Give(builder.error().Text());
  const auto each = [&](Result<void> (GraphBuilder::*step)(const EdgeColumns&)) {
    return Seconds([&] {
      stream.ForEachPart(settings.threads, [&](const auto& a, const auto& b) {
        if (auto good = ((*builder).*step)({a, b, {}}); !good) Give(good.error().Text());
      });
      for (std::uint32_t first = 0; settings.households && first + 4 <= settings.nodes; first += 4) {
        const std::uint32_t a[] = {first, first, first, first + 1, first + 1, first + 2};
        const std::uint32_t b[] = {first + 1, first + 2, first + 3, first + 2, first + 3, first + 3};
        if (auto good = ((*builder).*step)({a, b, {}}); !good) Give(good.error().Text());
      }
    });
  };
  const double counting = each(&GraphBuilder::Count);
  const double filling = each(&GraphBuilder::Fill);
  std::shared_ptr<const Graph> graph;
  const double finishing = Seconds([&] {
    auto built = builder->Finish(settings.threads);
    if (!built) Give(built.error().Text());
    graph = std::make_shared<const Graph>(std::move(*built));
  });
  std::uint64_t largest = 0;
  for (std::uint32_t v = 0; v < graph->nodes(); ++v) {
    largest = std::max(largest, graph->offsets()[v + 1] - graph->offsets()[v]);
  }
  std::printf("graph: %u nodes, %lu edges (%lu repeated, joined), largest degree %lu, %zu components\n", graph->nodes(),
              graph->edges(), graph->repeats(), largest, graph->component_records().size());
  std::printf("built in %.1f s: count %.1f, fill %.1f (drawing edges included), sort and components %.1f\n",
              counting + filling + finishing, counting, filling, finishing);
  return graph;
}

void Messages(const Settings& settings, const std::shared_ptr<const Graph>& graph) {
  const double slots = static_cast<double>(graph->slots());
  const double gather4 = GatherSeconds<float>(*graph, settings.threads);
  const double gather8 = GatherSeconds<double>(*graph, settings.threads);
  std::printf("bare gather: %.3f s for 4-byte numbers (%.0f M/s), %.3f s for 8-byte numbers (%.0f M/s)\n", gather4,
              slots / gather4 / 1e6, gather8, slots / gather8 / 1e6);

  const NodeLosses losses(*graph, {}, PlainLosses::All(settings.plain));
  const GraphBlocks none = *GraphBlocks::Make(graph, {}, {});
  field_large::Messages<float> messages(losses, none);
  double best = 1e9;
  for (int pass = 1; pass <= settings.passes; ++pass) {
    field_large::PassFound found;
    const double seconds = Seconds([&] { found = messages.Pass(settings.threads, nullptr); });
    best = std::min(best, seconds);
    std::printf("pass %d: %.3f s, dependent loss at most %.6g (%s)\n", pass, seconds, found.worst.value,
                found.worst.name);
  }
  FieldOptions options;
  options.threads = settings.threads;
  options.precision = FieldOptions::Precision::kSingle;
  const LargeField field = LargeField::Make(graph, {}, options).value();
  const double edges = static_cast<double>(graph->edges());
  // Index and message are read, the message is written back; what is seen of the neighbours comes on top.
  const double streamed = slots * 12.0;
  std::printf("best pass: %.3f s, %.0f M messages/s on %u threads (%s), %.1f GB/s streamed\n", best, slots / best / 1e6,
              settings.threads, field_large::VectorTarget(), streamed / best / 1e9);
  std::printf("ratio to the 4-byte gather: %.0f %% (required: 35 %%), to the 8-byte gather: %.0f %%\n",
              100 * gather4 / best, 100 * gather8 / best);
  std::printf("memory: %.1f bytes an edge (allowed: 24), peak of the process %.1f GB\n",
              static_cast<double>(field.Bytes()) / edges, PeakGigabytes());
}

/// Seconds of all threads together, so that what else runs on the machine counts for less.
struct Taken {
  double looking = 0;
  double pass = 0;
};

Taken Whole(const Settings& settings, const std::shared_ptr<const Graph>& graph, bool cliques) {
  FieldOptions options;
  options.threads = settings.threads;
  options.cliques = cliques;
  std::optional<LargeField> field;
  const std::clock_t start = std::clock();
  const double looking = Seconds([&] { field = LargeField::Make(graph, {}, options).value(); });
  const double looking_work = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (cliques) {
    std::uint64_t pairs = 0;
    for (std::size_t c = 0; c < field->blocks().count(); ++c) {
      const std::uint64_t size = field->blocks().Members(c).size();
      pairs += size * (size - 1) / 2;
    }
    std::printf("cliques: %zu with %.1f %% of the edges, found in %.1f s; memory: %.1f bytes an edge\n",
                field->blocks().count(), 100 * static_cast<double>(pairs) / static_cast<double>(graph->edges()),
                looking, static_cast<double>(field->Bytes()) / static_cast<double>(graph->edges()));
  }
  FieldBound bound;
  const std::clock_t before = std::clock();
  const double seconds = Seconds([&] { bound = field->Loss(PlainLosses::All(settings.plain)).value(); });
  const double work = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  std::printf(
      "whole bound: %.1f s, %d passes, plain %g -> dependent %.6g by %s (messages %.6g, block %.6g, group %.6g)\n",
      seconds, bound.passes, settings.plain, bound.dependent, bound.bound.c_str(), bound.messages, bound.block,
      bound.group);
  const NodeLosses losses(*graph, {}, PlainLosses::All(settings.plain));
  const auto found = field->Find(losses).value();
  const double check = Seconds([&] { (void)ProvedOnGraph(*graph, losses, field->blocks(), found.witness, false); });
  std::printf("of this the check, on one thread: %.2f s\n", check);
  return {looking_work, work / bound.passes};
}

/// One bound with and without cliques.
void WithCliques(const Settings& settings, const std::shared_ptr<const Graph>& graph) {
  const Taken without = Whole(settings, graph, false);
  const Taken with = Whole(settings, graph, true);
  std::printf(
      "ratio of a pass with cliques to one without: %.2f (allowed: 1.50); looking for them, once, takes as long "
      "as %.1f passes\n",
      with.pass / without.pass, with.looking / without.pass);
}

class Duck {
 public:
  explicit Duck(unsigned threads) {
    Need(duckdb_open(nullptr, &database_) == DuckDBSuccess, "opening DuckDB");
    Need(duckdb_connect(database_, &connection_) == DuckDBSuccess, "connecting to DuckDB");
    Run("SET threads = " + std::to_string(threads));
    Run("SET preserve_insertion_order = false");
  }
  ~Duck() {
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }
  Duck(const Duck&) = delete;
  Duck& operator=(const Duck&) = delete;

  void Run(const std::string& sql) { Need(duckdb_query(connection_, sql.c_str(), nullptr) == DuckDBSuccess, sql); }
  std::int64_t Number(const std::string& sql) {
    duckdb_result result;
    Need(duckdb_query(connection_, sql.c_str(), &result) == DuckDBSuccess, sql);
    const std::int64_t value = duckdb_value_int64(&result, 0, 0);
    duckdb_destroy_result(&result);
    return value;
  }
  void Load(const PowerLawEdges& stream, unsigned threads) {
    Run("CREATE TABLE edges (a UINTEGER, b UINTEGER)");
    duckdb_appender appender;
    Need(duckdb_appender_create(connection_, nullptr, "edges", &appender) == DuckDBSuccess, "appending to DuckDB");
    duckdb_logical_type type = duckdb_create_logical_type(DUCKDB_TYPE_UINTEGER);
    duckdb_logical_type types[] = {type, type};
    duckdb_data_chunk chunk = duckdb_create_data_chunk(types, 2);
    stream.ForEachPart(threads, [&](const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
      for (std::size_t at = 0; at < a.size(); at += duckdb_vector_size()) {
        const std::size_t count = std::min<std::size_t>(duckdb_vector_size(), a.size() - at);
        duckdb_data_chunk_reset(chunk);
        std::memcpy(duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, 0)), &a[at], 4 * count);
        std::memcpy(duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, 1)), &b[at], 4 * count);
        duckdb_data_chunk_set_size(chunk, count);
        Need(duckdb_append_data_chunk(appender, chunk) == DuckDBSuccess, "appending to DuckDB");
      }
    });
    duckdb_destroy_data_chunk(&chunk);
    duckdb_destroy_logical_type(&type);
    Need(duckdb_appender_destroy(&appender) == DuckDBSuccess, "appending to DuckDB");
  }

 private:
  static void Need(bool fine, const std::string& what) {
    if (!fine) Give(what + " failed");
  }
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

/// The same edges in memory for both: two arrays here, a table there. DuckDB counts only one end of each edge, which is
/// half of the work and the least one could ask of it; both ends are shown as well.
void Star(const Settings& settings) {
  const PowerLawEdges stream(settings.nodes, settings.edges);
  double ours = 1e9;
  std::uint32_t largest = 0;
  {
    std::vector<std::uint32_t> a;
    std::vector<std::uint32_t> b;
    a.reserve(settings.edges);
    b.reserve(settings.edges);
    stream.ForEachPart(settings.threads, [&](const auto& from, const auto& to) {
      a.insert(a.end(), from.begin(), from.end());
      b.insert(b.end(), to.begin(), to.end());
    });
    for (int round = 0; round < 3; ++round) {
      ours = std::min(ours, Seconds([&] {
                        std::vector<DegreeCounter> counters;
                        for (unsigned t = 0; t < settings.threads; ++t) {
                          counters.push_back(DegreeCounter::Make(static_cast<std::int64_t>(settings.nodes)).value());
                        }
                        InParallel(settings.threads, settings.edges, [&](std::uint64_t begin, std::uint64_t end) {
                          DegreeCounter& counter = counters[begin * settings.threads / settings.edges];
                          const auto part = [&](const auto& column) {
                            return std::span<const std::uint32_t>(column).subspan(begin, end - begin);
                          };
                          if (!counter.Count(part(a), part(b))) Give("counting failed");
                        });
                        for (unsigned t = 1; t < settings.threads; ++t) {
                          if (!counters[0].Join(counters[t])) Give("joining failed");
                        }
                        largest = counters[0].Largest();
                      }));
    }
  }
  Duck duck(settings.threads);
  duck.Load(stream, settings.threads);
  std::int64_t found = 0;
  const double one_end =
      Seconds([&] { found = duck.Number("SELECT max(n) FROM (SELECT count(*) AS n FROM edges GROUP BY a)"); });
  std::int64_t both = 0;
  const double both_ends = Seconds([&] {
    both = duck.Number(
        "SELECT max(n) FROM (SELECT count(*) AS n FROM (SELECT a FROM edges WHERE a <> b UNION ALL SELECT b "
        "FROM edges WHERE a <> b) GROUP BY a)");
  });
  if (found <= 0 || both != largest) Give("DuckDB and kith disagree about the largest degree");
  std::printf("star: largest degree %u in %.3f s; DuckDB GROUP BY over one end %.3f s, over both ends %.3f s\n",
              largest, ours, one_end, both_ends);
  std::printf("ratio to DuckDB: %.2f of its time for one end (required: 1.00), %.2f for both\n", ours / one_end,
              ours / both_ends);
}

}  // namespace
}  // namespace kith::bench

int main(int argc, char** argv) {
  using namespace kith::bench;
  const Settings settings = Read(argc, argv);
  const auto graph = BuildGraph(settings);
  Messages(settings, graph);
  WithCliques(settings, graph);
  if (!settings.full) Star(settings);
}
