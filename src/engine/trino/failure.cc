#include "engine/trino/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace kith::trino {

namespace {

struct Known {
  std::string_view name;
  const char *what, *next;
};

constexpr std::array<Known, 6> kKnown = {{
    {"PERMISSION_DENIED", "the user of the policy may not read what the policy names",
     "grant SELECT on the policy's tables, and reading of information_schema and system.metadata"},
    {"CATALOG_NOT_FOUND", "the server has no such catalog", "check catalog under [data]"},
    {"SCHEMA_NOT_FOUND", "the catalog has no such schema", "check schema and the tables under [data]"},
    {"TABLE_NOT_FOUND", "the server has no such table",
     "check the tables under [data]: each is \"table\", \"schema.table\" or \"catalog.schema.table\""},
    {"SERVER_STARTING_UP", "the server is starting", "ask again when it is up"},
    {"NO_NODES_AVAILABLE", "the server has no workers", "ask again when they are up"},
}};

}  // namespace

Error BeforeData(const Failure& failure, const std::string& server) {
  switch (failure.kind) {
    case Failure::Kind::kCancelled:
      return Cancelled("stopped before the server had answered");
    case Failure::Kind::kRefused:
      if (failure.name.find("login") != std::string::npos) {
        return StorageError("the Trino server does not let this user in", server,
                            "check the user, and the password or token in the environment (KITH_TRINO_PASSWORD, "
                            "KITH_TRINO_TOKEN, or files named by KITH_TRINO_PASSWORD_FILE, KITH_TRINO_TOKEN_FILE)");
      }
      if (failure.name.find("HTTPS") != std::string::npos) {
        return InvalidArgument("a password or token is not sent over an open connection", server,
                               "use https (tls = true), or take the secret out of the environment");
      }
      if (failure.name.find("certificate") != std::string::npos) {
        return StorageError("the Trino server cannot be asked: its certificate is not trusted", server,
                            "name a file of certificates to trust in KITH_TRINO_CERTIFICATES, and check that url names "
                            "the server as its certificate does");
      }
      return StorageError(fmt::format("the Trino server cannot be asked: {}", failure.name), server,
                          "check url, or host and port, and that the server is running");
    case Failure::Kind::kStatement: {
      const auto known =
          std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& one) { return one.name == failure.name; });
      if (known == kKnown.end()) break;
      return StorageError(fmt::format("{} ({})", known->what, failure.name), server, known->next);
    }
    case Failure::Kind::kLost:
      break;
  }
  return StorageError(fmt::format("the Trino server refused to go on ({})", failure.name), server,
                      "ask whoever runs the server");
}

Error AfterData() {
  return StorageError("the Trino server did not finish the work, or the connection to it was lost", {},
                      "ask again when the server is up; its word for the reason is in the curator's log");
}

bool IsAboutWords(const Failure& failure) {
  constexpr std::array<std::string_view, 8> kWords = {
      "SYNTAX_ERROR",   "COLUMN_NOT_FOUND", "FUNCTION_NOT_FOUND", "TYPE_MISMATCH",
      "TYPE_NOT_FOUND", "AMBIGUOUS_NAME",   "MISSING_GROUP_BY",   "EXPRESSION_NOT_AGGREGATE"};
  return failure.kind == Failure::Kind::kStatement &&
         std::find(kWords.begin(), kWords.end(), failure.name) != kWords.end();
}

}  // namespace kith::trino
