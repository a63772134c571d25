#include "release/ledger_register.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/digest.h"
#include "base/json.h"

namespace kith {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostLines = 10'000;

std::vector<json> Lines(const fs::path& file) {
  std::vector<json> lines;
  std::ifstream in(file);
  std::string line;
  while (lines.size() < kMostLines && std::getline(in, line)) {
    json read = json::parse(line, nullptr, false);
    if (read.is_object()) lines.push_back(std::move(read));
  }
  return lines;
}

// One write: lines of several processes do not mix.
void Append(const fs::path& file, const json& line) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (descriptor < 0) return;
  const std::string text = JsonText(line) + "\n";
  const auto written = ::write(descriptor, text.data(), text.size());
  static_cast<void>(written);  // a register that cannot be written is none
  ::close(descriptor);
}

std::string TextOf(const json& line, const char* field) {
  const auto found = line.find(field);
  return found != line.end() && found->is_string() ? found->get<std::string>() : "";
}

fs::path StateFolder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return fs::path(state) / "kith";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? fs::path(home) / ".local" / "state" / "kith" : fs::path();
}

}  // namespace

fs::path RegisterOf(const Policy& policy) {
  const std::string& source = policy.unit_table().source;
  if (policy.engine == "duckdb") return fs::path(policy.file).parent_path() / (source + ".kith");
  const fs::path folder = StateFolder();
  if (folder.empty()) return {};
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  return folder / (Sha256(policy.engine + "\n" + source).substr(0, 32) + ".kith");
}

std::vector<std::string> RegisterLedger(const Policy& policy, const Ledger& book) {
  const fs::path file = RegisterOf(policy);
  if (file.empty()) return {};
  const std::string key = policy.unit.key.value_or("");
  const auto lines = Lines(file);
  std::vector<std::string> others, ids;
  bool known = false;
  for (const json& line : lines) {
    const std::string id = TextOf(line, "ledger");
    if (id.empty() || TextOf(line, "table") != policy.unit.table || TextOf(line, "key") != key) continue;
    known = id == book.id();
    if (known) break;
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) continue;
    const bool carried = std::any_of(lines.begin(), lines.end(), [&](const json& one) {
      return TextOf(one, "carried") == id && TextOf(one, "to") == book.id();
    });
    if (carried) continue;
    ids.push_back(id);
    others.push_back(TextOf(line, "file"));
  }
  if (!known)
    Append(file, {{"ledger", book.id()}, {"file", policy.ledger.string()}, {"table", policy.unit.table}, {"key", key}});
  return others;
}

void RegisterCarry(const Policy& policy, const std::string& from_id, const std::string& to_id) {
  if (const fs::path file = RegisterOf(policy); !file.empty()) Append(file, {{"carried", from_id}, {"to", to_id}});
}

}  // namespace kith
