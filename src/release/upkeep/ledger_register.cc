#include "release/upkeep/ledger_register.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <system_error>

#include "base/digest.h"
#include "base/json.h"
#include "engine/frame.h"
#include "ledger/peek.h"

namespace kith {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostLines = 10'000;

std::vector<Json> Lines(const fs::path& file) {
  std::vector<Json> lines;
  std::ifstream in(file);
  std::string line;
  while (lines.size() < kMostLines && std::getline(in, line)) {
    Json read = Json::parse(line, nullptr, false);
    if (read.is_object()) lines.push_back(std::move(read));
  }
  return lines;
}

// One write: lines of several processes do not mix.
void Append(const fs::path& file, const Json& line) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (descriptor < 0) return;
  const std::string text = JsonText(line) + "\n";
  const auto written = ::write(descriptor, text.data(), text.size());
  static_cast<void>(written);  // a register that cannot be written does not exist
  ::close(descriptor);
}

std::string TextOf(const Json& line, const char* field) {
  const auto found = line.find(field);
  return found != line.end() && found->is_string() ? found->get<std::string>() : "";
}

fs::path StateFolder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return fs::path(state) / "kith";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? fs::path(home) / ".local" / "state" / "kith" : fs::path();
}

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// A server's table, as one text for all the spellings that can be known to mean the same: with the usual port or
// without it, in capitals, this machine by name or by number; the catalog next to the table or before it. What a
// service, a socket or another name of a host leads to, only the server could say.
std::string PlaceOf(const Policy& policy) {
  Server server = policy.server;
  std::string table = policy.unit_table().source;
  const bool trino = policy.engine == "trino";
  const auto scheme = server.host.find("://");
  const std::string before = scheme == std::string::npos ? "" : server.host.substr(0, scheme + 3);
  std::string host = Lower(server.host.substr(before.size()));
  if (host == "127.0.0.1" || host == "::1") host = "localhost";
  server.host = before + host;
  if (trino) {
    if (server.port == 0) server.port = before == "https://" ? 443 : 80;
    table = Lower(std::count(table.begin(), table.end(), '.') == 1 ? server.database + "." + table : table);
    server.database.clear();
  } else {
    if (server.port == 5432 && server.service.empty()) server.port = 0;
    if (table.find('.') == std::string::npos) table = "public." + table;
  }
  return server.Text() + "\n" + table;
}

fs::path NamedAfter(const fs::path& folder, const Policy& policy, const std::string& place) {
  return folder / (Sha256(policy.engine + "\n" + place).substr(0, 32) + ".kith");
}

// Where it was written down at first: by the exact words of the policy.
fs::path FormerRegisterOf(const Policy& policy) {
  const fs::path folder = StateFolder();
  if (policy.engine == "duckdb" || folder.empty()) return {};
  const std::string& source = policy.unit_table().source;
  const std::string table = source.find('.') == std::string::npos ? "public." + source : source;
  return NamedAfter(folder, policy, policy.server.Text() + "\n" + table);
}

}  // namespace

fs::path RegisterOf(const Policy& policy) {
  if (const std::string frame = FrameNamed(policy.unit_table().source); policy.engine == "duckdb" && !frame.empty())
    return fs::path(policy.file).parent_path() / (frame + ".frame.kith");
  if (policy.engine == "duckdb") return fs::path(policy.file).parent_path() / (policy.unit_table().source + ".kith");
  const fs::path folder = StateFolder();
  if (folder.empty()) return {};
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  return NamedAfter(folder, policy, PlaceOf(policy));
}

namespace {

Json LineOf(const Policy& policy, const std::string& id) {
  return {{"ledger", id},
          {"file", policy.ledger.string()},
          {"table", policy.unit.table},
          {"key", policy.unit.key.value_or("")}};
}

// Ledgers with one key, in one warning. Under another key than the policy's they count other units, made of the same
// people's rows.
std::string WarningOf(const Policy& policy, const std::vector<std::string>& files, const std::string& key) {
  const bool same = key == policy.unit.key.value_or(""), one = files.size() == 1;
  const std::string by = same ? "" : key.empty() ? ", row by row" : fmt::format(", by the key {:.60}", key);
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> named;
  for (const std::string& file : files) {
    if (named.size() < kNamed) named.push_back(fmt::format("'{}'", file));
  }
  if (files.size() > kNamed) named.push_back(fmt::format("{} more", files.size() - kNamed));
  return fmt::format(
      "WARNING: the {} what was spent on the same table, {}{}, before this one, which knows nothing of {}: what "
      "people lost is the sum of {}. {}",
      one ? fmt::format("ledger {} counts", named[0]) : fmt::format("ledgers {} count", fmt::join(named, ", ")),
      policy.unit.table, by, one ? "it" : "them", one ? "both" : "all",
      same ? fmt::format("{}, or go on with {}", kCarryOver, one ? "that one" : "one of them")
           : fmt::format("{} units are others, so {} cannot be carried over: go on with {}; a policy can be about "
                         "persons and their households under one ledger (within = \"column\" in [unit])",
                         one ? "Its" : "Their", one ? "it" : "they", one ? "that one" : "one of them"));
}

bool Counts(const std::string& file) {
  const auto use = PeekLedger(file);
  return !use || (use->used && !use->sealed);  // what cannot be examined may count
}

// The policy itself, and again for each other table of the units, as if that were the unit's: another policy may be
// about it.
std::vector<Policy> OfEachTable(const Policy& policy) {
  std::vector<Policy> all = {policy};
  for (const Table& table : policy.tables) {
    if (!table.OfUnits()) continue;
    all.push_back(policy);
    all.back().unit.table = table.name;
    all.back().unit.key = table.key;
  }
  return all;
}

std::vector<std::string> RegisterTable(const Policy& policy, const Ledger& book) {
  const fs::path file = RegisterOf(policy);
  if (file.empty()) return {};
  auto lines = Lines(file);
  if (const fs::path former = FormerRegisterOf(policy); !former.empty() && former != file) {
    const auto older = Lines(former);
    lines.insert(lines.begin(), older.begin(), older.end());
  }
  std::vector<std::string> ids;
  std::map<std::string, std::vector<std::string>> by_key;  // files of ledgers that count
  bool known = false;
  for (const Json& line : lines) {
    const std::string id = TextOf(line, "ledger");
    if (id.empty() || TextOf(line, "table") != policy.unit.table) continue;
    known = id == book.id();
    if (known) break;
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) continue;
    ids.push_back(id);
    const bool carried = std::any_of(lines.begin(), lines.end(), [&](const Json& one) {
      return TextOf(one, "carried") == id && TextOf(one, "to") == book.id();
    });
    const std::string other = TextOf(line, "file");
    if (!carried && Counts(other)) by_key[TextOf(line, "key")].push_back(other);
  }
  if (!known) Append(file, LineOf(policy, book.id()));
  std::vector<std::string> warnings;
  for (const auto& [key, files] : by_key) warnings.push_back(WarningOf(policy, files, key));
  return warnings;
}

void RegisterCarryOfTable(const Policy& policy, const std::string& from_id, const std::string& to_id) {
  const fs::path file = RegisterOf(policy);
  if (file.empty()) return;
  const auto lines = Lines(file);
  const auto is_it = [&](const Json& line) { return TextOf(line, "ledger") == to_id; };
  if (std::none_of(lines.begin(), lines.end(), is_it)) Append(file, LineOf(policy, to_id));
  Append(file, {{"carried", from_id}, {"to", to_id}});
}

}  // namespace

std::vector<std::string> RegisterLedger(const Policy& policy, const Ledger& book) {
  std::vector<std::string> warnings;
  for (const Policy& one : OfEachTable(policy)) {
    for (std::string& warning : RegisterTable(one, book)) warnings.push_back(std::move(warning));
  }
  return warnings;
}

void RegisterCarry(const Policy& policy, const std::string& from_id, const std::string& to_id) {
  for (const Policy& one : OfEachTable(policy)) RegisterCarryOfTable(one, from_id, to_id);
}

}  // namespace kith
