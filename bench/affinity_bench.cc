// The affinity graph of a census of 30,162 rows and 14 attributes: every encoding and both formulas, all pairs, exact;
// compared with the same pairs tried one by one in whole numbers (on a part, scaled up).
// Usage: affinity_bench [FOLDER WITH adult.data]
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "base/check.h"
#include "experiment/experiment_input.h"
#include "experiment/sample.h"

namespace {

namespace fs = std::filesystem;
using kith::Affinity;
using kith::Similarity;
using kith::experiment::Encoding;

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

kith::experiment::Adult Read(int argc, char** argv) {
  if (argc > 1) return kith::cli::ReadAdult(argv[1], {}).value();
  std::string name = (fs::temp_directory_path() / "kith-affinity-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  KITH_CHECK(kith::cli::WriteAdultLike({30'720, 1, folder}).has_value());
  auto adult = kith::cli::ReadAdult(folder, {}).value();
  fs::remove_all(folder);
  return adult;
}

}  // namespace

int main(int argc, char** argv) {
  const auto adult = Read(argc, argv);
  const double pairs = 0.5 * static_cast<double>(adult.rows()) * static_cast<double>(adult.rows() - 1);
  fmt::print("{} rows, {} attributes, {:.0f} pairs, similarity > 0.8\n", adult.rows(), adult.columns.size(), pairs);
  for (const Encoding encoding : {Encoding::kCategories, Encoding::kMixed, Encoding::kRaw}) {
    for (const Similarity similarity : {Similarity::kCosine, Similarity::kPrinted}) {
      auto start = std::chrono::steady_clock::now();
      const auto join = Affinity::Make(ProfilesOf(adult, encoding), similarity, {4, 5}).value();
      const auto graph = Summarise(join, 0, {}).value();
      const double seconds = SecondsSince(start);
      start = std::chrono::steady_clock::now();
      const auto part = static_cast<std::uint32_t>(std::min<std::size_t>(adult.rows(), 1500));
      std::uint64_t found = 0;
      for (std::uint32_t a = 0; a < part; ++a) {
        for (std::uint32_t b = a + 1; b < part; ++b) found += join.Similar(a, b) ? 1 : 0;
      }
      const double plainly = SecondsSince(start) * pairs / (0.5 * part * (part - 1.0));
      fmt::print(
          "{:<10} {:<7}: {:>11} edges, largest degree {:>5}, largest part {:>5}: {:.2f} s (limit 5 s); one by one "
          "about "
          "{:.0f} s ({} of a part)\n",
          NameOf(encoding), similarity == Similarity::kCosine ? "cosine" : "printed", graph.edges, graph.largest_degree,
          graph.largest_component, seconds, plainly, found);
    }
  }
}
