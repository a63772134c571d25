// Every route in one table: which roles may use it, what it takes and gives, and who answers.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "people/people.h"
#include "server/http.h"

namespace kith::server {

class Api;
struct Asked;

/// Roles as a set.
constexpr unsigned SetOf(people::Role role) { return 1U << static_cast<unsigned>(role); }
inline constexpr unsigned kNobody = 0, kAnalyst = SetOf(people::Role::kAnalyst),
                          kAuditor = SetOf(people::Role::kAuditor), kCurator = SetOf(people::Role::kCurator),
                          kOperator = SetOf(people::Role::kOperator);
inline constexpr unsigned kReaders = kAnalyst | kAuditor | kCurator;

/// What a route has to do: which threads it waits for, and whether its time could depend on data.
enum class Work {
  kNow,  // a few microseconds: on the thread of the connections, whatever else is going on
  kQuick,
  kPlans,  // works out a question: some seconds at most
  kLong,   // computes
  kReads,  // charges and reads data: it answers at whole ticks of the dataset
};

struct Route {
  std::string_view method, pattern;  // "/v1/datasets/{dataset}/explain"
  unsigned roles;                    // any of these; kNobody: everybody, without a token
  Work work;
  std::string_view name, summary;
  std::string_view takes,
      gives;  // schemas of bodies: of openapi.cc (#...), or of docs/schema/kith.schema.json; empty: no JSON
  HttpResponse (Api::*answer)(const Asked&);
};

std::span<const Route> Routes();

struct Match {
  const Route* route = nullptr;           // none: no route has this path
  std::vector<std::string> values;        // of the pattern's parts in braces, in their order
  std::vector<std::string_view> allowed;  // if the path is known but not with this method
};
/// Names of a route are compared byte by byte; a dot segment is part of none. Values are decoded once ("%40"); what is
/// then not UTF-8, or holds '/' or a control character, matches no route.
Match Find(std::string_view method, std::string_view path);

/// {"limit": "10"}: a value of a query, or nothing.
std::optional<std::string> ValueIn(std::string_view query, std::string_view name);

/// Whether an answer of the route may have this status: all that OpenApi() lists, and nothing else [openapi.cc].
bool Gives(const Route& route, int status);

/// The routes as OpenAPI 3.1.
std::string OpenApi(const std::string& version);

}  // namespace kith::server
