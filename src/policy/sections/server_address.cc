#include "policy/sections/server_address.h"

#include <fmt/format.h>

#include <utility>

namespace kith {
namespace {

// It appears in messages, and libpq reads lists of hosts.
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
  return {};
}

Result<void> ReadPort(const Section& section, std::string_view usual, Server& server) {
  const Member* member = section.Find("port");
  if (member == nullptr) return {};
  auto port = section.Integer(*member);
  if (!port) return port.error();
  if (*port < 1 || *port > 65535)
    return section.At(member->line, "'port' of [data] must lie between 1 and 65535", std::string(usual));
  server.port = *port;
  return {};
}

bool IsHost(const std::string& host) {
  constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  return !host.empty() && host.size() <= 253 && host.find_first_not_of(kLetters) == std::string::npos;
}

// "https://host:port". Whatever else an address can hold (a user, a path, questions) has no place here.
Result<void> ReadUrl(const Section& section, const Member& member, Server& server) {
  auto text = section.Text(member);
  if (!text) return text.error();
  constexpr char kExample[] = "write url = \"https://trino.example:8443\"";
  if (text->find('@') != std::string::npos || FoldName(Decoded(*text)).find("password") != std::string::npos)
    return section.At(member.line, "a user or password does not belong in the address of [data]", kSecrets);
  const bool secure = text->starts_with("https://");
  if (!secure && !text->starts_with("http://"))
    return section.At(member.line, "'url' of [data] begins neither with https:// nor with http://", kExample);
  std::string rest = text->substr(text->find("://") + 3);
  if (rest.ends_with('/')) rest.pop_back();
  const auto colon = rest.find(':');
  const std::string host = rest.substr(0, colon), digits = colon == std::string::npos ? "" : rest.substr(colon + 1);
  const bool number = digits.size() <= 5 && digits.find_first_not_of("0123456789") == std::string::npos &&
                      (colon == std::string::npos || !digits.empty());
  std::int64_t port = 0;
  if (number) {
    for (const char c : digits) port = port * 10 + (c - '0');
  }
  if (!IsHost(host) || !number || port > 65535 || (!digits.empty() && port == 0))
    return section.At(member.line, "'url' of [data] is more, or less, than a host and a port", kExample);
  server.host = (secure ? "https://" : "http://") + host;
  server.port = port;
  return {};
}

// Where it is: as one address, or in parts.
Result<void> ReadTrinoPlace(const Section& section, Server& server) {
  const Member *url = section.Find("url"), *host = section.Find("host"), *tls = section.Find("tls");
  if (url != nullptr) {
    for (const char* key : {"host", "port", "tls"}) {
      if (const Member* member = section.Find(key))
        return section.At(member->line, fmt::format("'{}' of [data] is given beside a url, which says it", key),
                          "keep one of them");
    }
    return ReadUrl(section, *url, server);
  }
  if (host == nullptr) return section.Missing("url", "write url = \"https://trino.example:8443\"");
  if (auto ok = ReadWord(section, "host", &server.host); !ok) return ok;
  if (!IsHost(server.host))
    return section.At(host->line, "'host' of [data] is no single host", "write host = \"trino.example\"");
  bool secure = true;
  if (tls != nullptr) {
    auto flag = section.Boolean(*tls);
    if (!flag) return flag.error();
    secure = *flag;
  }
  server.host = (secure ? "https://" : "http://") + server.host;
  server.port = secure ? 8443 : 8080;
  return ReadPort(section, "Trino's is 8443, without TLS 8080", server);
}

}  // namespace

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

Result<void> ReadPostgreSqlAddress(const Section& section, Server& server) {
  for (const auto& [key, word] :
       {std::pair{"service", &server.service}, std::pair{"host", &server.host}, std::pair{"socket", &server.socket},
        std::pair{"database", &server.database}, std::pair{"user", &server.user}}) {
    if (auto ok = ReadWord(section, key, word); !ok) return ok;
  }
  if (auto ok = ReadPlace(section, server); !ok) return ok;
  if (auto ok = ReadPort(section, "PostgreSQL's is 5432", server); !ok) return ok;
  if (server.service.empty() && server.database.empty()) {
    return section.Missing("database",
                           "write database = \"name\", or service = \"name\" of an entry in a service file");
  }
  return {};
}

// The catalog is what a database is elsewhere; the schema goes before the names of tables (QualifyTables).
Result<void> ReadTrinoAddress(const Section& section, Server& server) {
  if (auto ok = ReadTrinoPlace(section, server); !ok) return ok;
  std::string schema;
  if (auto ok = ReadWord(section, "catalog", &server.database); !ok) return ok;
  if (auto ok = ReadWord(section, "schema", &schema); !ok) return ok;
  if (auto ok = ReadWord(section, "user", &server.user); !ok) return ok;
  for (const char* key : {"catalog", "schema"}) {
    const Member* member = section.Find(key);
    if (member != nullptr && (key[0] == 'c' ? server.database : schema).find_first_of(".$") != std::string::npos)
      return section.At(member->line, fmt::format("'{}' of [data] is more than one name", key), "write one name");
  }
  if (server.database.empty()) return section.Missing("catalog", "write catalog = \"name\" of one of Trino's catalogs");
  if (server.user.empty()) return section.Missing("user", "write user = \"name\": in whose name Trino is asked");
  return {};
}

}  // namespace kith
