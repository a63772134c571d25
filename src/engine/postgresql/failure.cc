#include "engine/postgresql/failure.h"

#include <fmt/format.h>

#include <algorithm>

namespace kith {

std::string SqlStateOf(std::string_view message) {
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.remove_suffix(1);
  constexpr std::size_t kLength = 5;
  if (message.size() < kLength + 2) return {};
  const std::string_view before = message.substr(message.size() - kLength - 2, 2);
  const std::string_view state = message.substr(message.size() - kLength);
  const auto plain = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); };
  return before == "  " && std::all_of(state.begin(), state.end(), plain) ? std::string(state) : std::string();
}

Error BeforeData(const std::string& sqlstate, const std::string& server) {
  if (sqlstate.empty()) {
    return StorageError("the database server cannot be reached", server,
                        "check host or socket, port, and that the server is running");
  }
  const auto of_class = [&](const char* start) { return sqlstate.starts_with(start); };
  std::string what = "the database server refused to go on", next = "ask whoever runs the server";
  if (of_class("28")) {
    what = "the database server does not let this user in";
    next = "check the user, and the password in the environment (PGPASSWORD), the password file or the service file";
  } else if (sqlstate == "3D000") {
    what = "the server has no such database";
    next = "check database under [data]";
  } else if (sqlstate == "42501") {
    what = "the database user may not read a table of the policy";
    next = "grant it SELECT on the policy's tables and USAGE on their schemas, and nothing else";
  } else if (sqlstate == "42P01" || sqlstate == "3F000") {
    what = "the database has no such table";
    next = "check the tables under [data]: each is \"schema.table\", in capital and small letters as stored";
  } else if (sqlstate == "53300") {
    what = "the database server takes no more connections";
    next = "ask again later, or raise max_connections";
  } else if (of_class("57")) {
    what = "the database server is starting, stopping or was told to end this connection";
    next = "ask again when it is up";
  }
  return StorageError(fmt::format("{} (SQLSTATE {})", what, sqlstate), server, next);
}

Error AfterData() {
  return StorageError("the database server did not finish the work, or the connection to it was lost", {},
                      "ask again when the server is up; its reason (SQLSTATE) is in the curator's log");
}

}  // namespace kith
