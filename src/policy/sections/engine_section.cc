// [data]: the engine, and where its server is.
#include <fmt/format.h>

#include <array>

#include "base/utf8.h"
#include "policy/sections/sections.h"

namespace kith {
namespace {

constexpr char kSecrets[] =
    "remove it and put it in the environment (PGPASSWORD), in a password file (~/.pgpass) or in a service file";

// Percent-decoding as libpq does it, so that no spelling of "password" slips through.
std::string Decoded(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      decoded.push_back(static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])));
      i += 2;
    } else {
      decoded.push_back(text[i]);
    }
  }
  return decoded;
}

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
  if (!engine || *engine == "duckdb" || *engine == "postgresql") return engine;
  constexpr char kChoice[] =
      "write engine = \"duckdb\", or engine = \"postgresql\" with host (or socket), database and user beside it";
  if (!engine->starts_with("postgresql://") && !engine->starts_with("postgres://")) {
    // Not quoted: it may be a mistyped address with a password.
    return section.At(member->line, "unknown engine", kChoice);
  }
  if (HoldsPassword(*engine))
    return section.At(member->line, "a password does not belong in a policy, which is public", kSecrets);
  return section.At(member->line, "an engine has a name, not an address", kChoice);
}

// It stands in messages, and libpq reads lists of hosts.
std::string WordProblem(const std::string& word) {
  if (word.empty()) return "is empty";
  if (word.size() > 255) return "is longer than 255 bytes";
  for (const char c : word) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return "contains a control character";
  }
  return {};
}

Result<void> ReadWord(const Section& section, const char* key, std::string* word) {
  const Member* member = section.Find(key);
  if (member == nullptr) return {};
  auto text = section.Text(*member);
  if (!text) return text.error();
  if (const std::string problem = WordProblem(*text); !problem.empty())
    return section.At(member->line, fmt::format("'{}' of [data] {}", key, problem), "correct it, or leave it out");
  if (FoldName(*text).find("password") != std::string::npos || text->find("://") != std::string::npos)
    return section.At(member->line, fmt::format("'{}' of [data] is one word, not an address", key), kSecrets);
  *word = *text;
  return {};
}

Result<void> ReadPlace(const Section& section, Server& server) {
  if (!server.host.empty() && !server.socket.empty())
    return section.At(section.Find("socket")->line, "[data] names both a host and a socket", "keep one of them");
  if (server.host.find_first_of("/,@") != std::string::npos) {
    return section.At(section.Find("host")->line, "'host' of [data] is no single host",
                      "name one server, or the folder of its socket as socket = \"/run/postgresql\"");
  }
  if (!server.socket.empty() && (server.socket.front() != '/' || server.socket.find(',') != std::string::npos)) {
    return section.At(section.Find("socket")->line, "'socket' of [data] must be the absolute path of a folder",
                      "write socket = \"/run/postgresql\"");
  }
  const Member* member = section.Find("port");
  if (member == nullptr) return {};
  auto port = section.Integer(*member);
  if (!port) return port.error();
  if (*port < 1 || *port > 65535)
    return section.At(member->line, "'port' of [data] must lie between 1 and 65535", "PostgreSQL's is 5432");
  server.port = *port;
  return {};
}

constexpr std::array<const char*, 6> kOfServers = {"service", "host", "socket", "port", "database", "user"};

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
  if (policy.engine == "duckdb") {
    for (const char* key : kOfServers) {
      if (const Member* member = section.Find(key))
        return section.At(member->line, fmt::format("'{}' of [data] is for engines with a server", key),
                          "add engine = \"postgresql\", or remove it");
    }
    return {};
  }
  Server& server = policy.server;
  const std::array<std::string*, 6> words = {&server.service, &server.host,     &server.socket,
                                             nullptr,         &server.database, &server.user};
  for (std::size_t k = 0; k < kOfServers.size(); ++k) {
    if (words[k] == nullptr) continue;
    if (auto ok = ReadWord(section, kOfServers[k], words[k]); !ok) return ok;
  }
  if (auto ok = ReadPlace(section, server); !ok) return ok;
  if (server.service.empty() && server.database.empty()) {
    return section.Missing("database",
                           "write database = \"name\", or service = \"name\" of an entry in a service file");
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
  add("service", service);
  add("host", host);
  add("socket", socket);
  add("port", port == 0 ? "" : fmt::format("{}", port));
  add("database", database);
  return text;
}

}  // namespace kith
