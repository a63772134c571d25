#include "app/cli/laboratory.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "app/cli/fail.h"

namespace kith::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "kith-lab";
constexpr auto kVerbs =
    std::to_array<std::string_view>({"affinity", "attack", "experiment", "leakage", "probe", "rho", "sample"});

/// Of `kith audit`: is anything asked that is not about the history of a policy?
bool AboutModels(const std::vector<std::string_view>& words) {
  bool found = false;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string_view word = words[k].substr(0, words[k].find('='));
    if (word == "--epsilon" || word == "--report") {
      k += word == words[k] ? 1 : 0;  // its value
    } else {
      found = found || word == "--query" || word == "--scale" || word == "--delta" ||
              (!word.starts_with("-") && !words[k].ends_with(".toml"));
    }
  }
  return found;
}

}  // namespace

bool IsLaboratoryVerb(std::string_view verb) { return std::find(kVerbs.begin(), kVerbs.end(), verb) != kVerbs.end(); }

bool IsForLaboratory(int argc, char** argv) {
  if (argc < 2) return false;
  const std::string_view verb = argv[1];
  const std::vector<std::string_view> words(argv + 2, argv + argc);
  if (verb == "audit") return AboutModels(words);
  if (verb == "transfer") {
    return std::any_of(words.begin(), words.end(), [](std::string_view word) {
      return word == "--compare" || word == "--table" || word.starts_with("--table=");
    });
  }
  return IsLaboratoryVerb(verb);
}

int RunLaboratory(int argc, char** argv) {
  std::error_code unknown;
  const fs::path beside = fs::read_symlink("/proc/self/exe", unknown).parent_path() / kProgram;
  if (!unknown) execv(beside.c_str(), argv);
  execvp(kProgram, argv);
  const bool as_json =
      std::any_of(argv + 1, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
  return Fail(
      InvalidArgument(std::string("kith ") + argv[1] + " is a part of the laboratory, and " + kProgram + " is not here",
                      beside.string(),
                      "build it in the source tree: make lab; then it is build/kith-lab, to be put beside kith or "
                      "into the PATH"),
      as_json);
}

}  // namespace kith::cli
