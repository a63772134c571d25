// [data]: the engine, and where its server is.
#include <fmt/format.h>

#include <algorithm>

#include "policy/fields.h"
#include "policy/sections/server_address.h"

namespace kith {
namespace {

bool HoldsPassword(const std::string& address) {
  const std::string rest = address.substr(address.find("://") + 3);
  const std::string authority = rest.substr(0, rest.find('/'));
  const auto at = authority.rfind('@');
  if (at != std::string::npos && authority.substr(0, at).find(':') != std::string::npos) return true;
  return FoldName(Decoded(address)).find("password") != std::string::npos;
}

Result<std::string> ReadName(const Section& section) {
  const Member* member = section.Find("engine");
  if (member == nullptr) return std::string("duckdb");
  auto engine = section.Text(*member);
  if (!engine || *engine == "duckdb" || *engine == "postgresql" || *engine == "trino") return engine;
  constexpr char kChoice[] =
      "write engine = \"duckdb\"; or engine = \"postgresql\" with host (or socket), database and user beside it; or "
      "engine = \"trino\" with url (or host), catalog, schema and user";
  if (!engine->starts_with("postgresql://") && !engine->starts_with("postgres://")) {
    // Not quoted: it may be a mistyped address with a password.
    return section.At(member->line, "unknown engine", kChoice);
  }
  if (HoldsPassword(*engine))
    return section.At(member->line, "a password does not belong in a policy, which is public", kSecrets);
  return section.At(member->line, "an engine has a name, not an address", kChoice);
}

}  // namespace

Result<void> ReadEngine(const Section& section, Policy& policy) {
  for (const char* secret : {"password", "passwd", "pgpassword", "passfile", "token", "secret"}) {
    if (const Member* member = section.Find(secret))
      return section.At(member->line, "a password does not belong in a policy, which is public", kSecrets);
  }
  auto engine = ReadName(section);
  if (!engine) return engine.error();
  policy.engine = *engine;
  const Member* rows = section.Find("rows_out");
  if (rows != nullptr) {
    auto out = section.Boolean(*rows);
    if (!out) return out.error();
    policy.rows_out = *out;
  }
  const auto among = [](const std::vector<std::string>& keys, const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  const bool postgresql = policy.engine == "postgresql", trino = policy.engine == "trino";
  for (const auto& member : section.members()) {
    if (!among(KeysOf("data"), member.key) || among(KeysOf("data", policy.engine), member.key)) continue;
    if (policy.engine == "duckdb") {
      return section.At(member.line, fmt::format("'{}' of [data] is for engines with a server", member.key),
                        fmt::format("add engine = \"{}\", or remove it",
                                    among(KeysOf("data", "postgresql"), member.key) ? "postgresql" : "trino"));
    }
    return section.At(member.line, fmt::format("'{}' of [data] is for another engine", member.key),
                      trino ? "Trino has url (or host, port, tls), catalog, schema and user"
                            : "PostgreSQL has service, host or socket, port, database and user");
  }
  if (postgresql) return ReadPostgreSqlAddress(section, policy.server);
  if (trino) return ReadTrinoAddress(section, policy.server);
  return {};
}

Result<void> QualifyTables(const Section& section, Policy& policy) {
  const Member* member = policy.engine == "trino" ? section.Find("schema") : nullptr;
  if (member == nullptr) return {};
  auto schema = section.Text(*member);
  if (!schema) return schema.error();
  for (Table& table : policy.tables) {
    if (table.source.find('.') == std::string::npos) table.source = fmt::format("{}.{}", *schema, table.source);
  }
  return {};
}

// A table of a server says itself what its columns are.
Result<void> CheckServerTable(const Section& section) {
  for (const char* key : {"separator", "decimal", "encoding", "row_names", "dates"}) {
    if (const Member* member = section.Find(key)) {
      return section.At(member->line, fmt::format("'{}' of {} is only for files", key, section.title()),
                        "remove it: a table of a server says this itself");
    }
  }
  return {};
}

std::string Server::Text() const {
  std::string text;
  const auto add = [&text](const char* name, const std::string& word) {
    if (!word.empty()) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, word);
  };
  if (host.find("://") != std::string::npos) {  // of Trino
    add("url", port == 0 ? host : fmt::format("{}:{}", host, port));
    add("catalog", database);
    return text;
  }
  add("service", service);
  add("host", host);
  add("socket", socket);
  add("port", port == 0 ? "" : fmt::format("{}", port));
  add("database", database);
  return text;
}

}  // namespace kith
