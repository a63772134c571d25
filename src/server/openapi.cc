// The table of routes as OpenAPI 3.1. docs/openapi.json is what this writes; a test drives all of it.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json.h"
#include "server/analyses.h"
#include "server/routes.h"

namespace kith::server {
namespace {

Json Object(Json properties, std::vector<std::string> required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

Json Text(const char* says) { return {{"type", "string"}, {"description", says}}; }
Json Number(const char* says) { return {{"type", "number"}, {"description", says}}; }
Json ListOf(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }
Json Ref(std::string_view name) {
  if (name.starts_with('#')) return {{"$ref", fmt::format("#/components/schemas/{}", name.substr(1))}};
  return {{"$ref", fmt::format("schema/kith.schema.json#/$defs/{}", name)}};
}

Json Schemas() {
  const Json unit = {{"enum", {"person", "household"}},
                     {"description", "Whose record the answer hides; a person's if left out"}};
  const Json approval = {{"type", "integer"},
                         {"description", "The number of a curator's approval, where the price needs one"}};
  const Json epsilon = Number("Price: how much of the policy's epsilon to spend");
  Json stream = {{"statistic", Text("One SELECT over the rows of a step, or MAP OF with one or two columns")},
                 {"epsilon", Number("This part of the policy's epsilon, for every window")},
                 {"rule", Text("uniform, harmonic, slack, rate, offline, bd or ba; uniform if left out")},
                 {"rate", Number("For the rule of this name: the share of steps that will be released")}};
  Json steps = stream;
  stream["steps"] = Text("For the rule offline: all steps that will ever be released");
  steps["steps"] = Text("Steps to release, in the past: 0..95, 0..95:4, 3,5,8..12; at most 1,000");
  const Json intervals = {
      {"type", "boolean"},
      {"description", "False: quantiles without 95 % intervals, whose values have their whole shares"}};
  const Json token_name = Text("The token's name");
  const Json expires = Text("When the token ends: 90d, 12h, never; 90d if left out");
  const Json job = Object({{"id", Text("Names the job in addresses")},
                           {"dataset", Text("What it asks about")},
                           {"what", Text("question, plan, or the name of the analysis")},
                           {"state", {{"enum", {"waiting", "running", "done", "failed", "cancelled"}}}},
                           {"stage", Text("What it is doing, by name; empty if it has not begun or has ended")},
                           {"seconds", {{"type", "integer"}, {"description", "Whole seconds that it has run"}}},
                           {"status", {{"type", "integer"}, {"description", "Once it has ended: of the result"}}},
                           {"result", {{"description", "Once it has ended: an answer or an error"}}}},
                          {"id", "dataset", "what", "state", "stage", "seconds"});
  return {
      {"Any", Json::object()},
      {"Health",
       Object({{"status", {{"enum", {"ok", "ready"}}}}, {"version", Text("Of kith")}}, {"status", "version"})},
      {"Question", Object({{"question", Text("One SELECT")},
                           {"epsilon", epsilon},
                           {"error", Number("Instead of a price: the largest acceptable 95 % error bar")},
                           {"split", ListOf(Number("Weight of one noisy statistic"))},
                           {"intervals", intervals},
                           {"unit", unit},
                           {"approval", approval}},
                          {"question"})},
      {"Decision", Object({{"granted", {{"type", "boolean"}}}, {"reason", Text("For the analyst")}}, {"granted"})},
      {"Plan", Object({{"questions", Text("SELECTs that end with semicolons, each with a hint if it needs one")},
                       {"epsilon", epsilon},
                       {"intervals", intervals},
                       {"unit", unit},
                       {"approval", approval}},
                      {"questions"})},
      {"Analysis", AnalysisSchema()},
      {"Stream", Object(stream, {"statistic", "epsilon"})},
      {"Steps", Object(steps, {"statistic", "epsilon", "steps"})},
      {"Transfer",
       Object({{"model", {{"type", "object"}, {"description", "A dependence model: docs/guide/dependence.md"}}},
               {"plain", Number("Plain loss")},
               {"dependent", Number("Or the dependent loss that it may become")},
               {"delta", Number("Plain delta beside the plain loss")}},
              {"model"})},
      {"Datasets",
       Object({{"datasets", ListOf(Object({{"name", Text("Names it in addresses")},
                                           {"epsilon_total", Number("The policy's epsilon")},
                                           {"tick_milliseconds", {{"type", "integer"}}},
                                           {"shared_history", {{"type", "boolean"}}}},
                                          {"name", "epsilon_total", "tick_milliseconds", "shared_history"}))}},
              {"datasets"})},
      {"History",
       Object({{"history", ListOf({{"$ref", "schema/kith.schema.json#/$defs/budget/properties/history/items"}})},
               {"more", {{"type", "boolean"}, {"description", "Whether a page follows"}}},
               {"ledger_hash", Text("Of the chain, now")}},
              {"history", "more", "ledger_hash"})},
      {"Me", Object({{"users", {{"type", "boolean"}, {"description", "Whether there are users: a token is needed"}}},
                     {"name", Text("Empty: nobody, or nobody needs a name")},
                     {"role", {{"enum", {"analyst", "auditor", "curator", "operator", nullptr}}}},
                     {"csrf", Text("Of a session: X-Kith-CSRF of every request that changes something")}},
                    {"users", "name", "role"})},
      {"LogIn",
       Object({{"name", Text("Of a user")}, {"password", Text("As it was set for the user")}}, {"name", "password"})},
      {"Dependence",
       Object(
           {{"kind", Text("As in the policy")},
            {"size", {{"type", "integer"}, {"description", "Of the largest group, the longest chain, or most ties"}}},
            {"odds_ratio", Number("The strongest")},
            {"stay", Number("Of a chain of two values: how likely the next is the same")},
            {"losses", ListOf(Object({{"plain", Number("As asked")},
                                      {"dependent", {{"$ref", "schema/kith.schema.json#/$defs/number"}}}},
                                     {"plain", "dependent"}))}},
           {"kind", "losses"})},
      {"PolicyText", Object({{"policy", Text("The text of a policy file")}}, {"policy"})},
      {"CompareNoise",
       Object({{"model", {{"type", "object"}, {"description", "A dependence model: docs/guide/dependence.md"}}},
               {"dependent", Number("The dependent loss of all counts together")},
               {"counts", {{"type", "integer"}, {"description", "How many; one if left out"}}}},
              {"model", "dependent"})},
      {"NewUser",
       Object({{"name", Text("1 to 64 letters, digits, '.', '_', '-' and '@', with a letter or digit first and last")},
               {"role", {{"enum", {"analyst", "auditor"}}}},
               {"grants", ListOf(Ref("#Grant"))},
               {"token", token_name},
               {"expires", expires}},
              {"name", "role"})},
      {"NewToken", Object({{"token", token_name}, {"expires", expires}}, {"token"})},
      {"Revoked", Object({{"token", Text("Its name; all tokens, and all sessions, if it is left out")}}, {})},
      {"Grant", Object({{"dataset", Text("One that this server has")},
                        {"epsilon", Number("An analyst's allowance: plain loss, over all time")},
                        {"none", {{"type", "boolean"}, {"description", "Takes the grant away"}}}},
                       {"dataset"})},
      {"DatasetUsers",
       Object({{"users", ListOf(Object({{"name", Text("Of the user")},
                                        {"role", {{"enum", {"analyst", "auditor"}}}},
                                        {"allowance", Number("Of an analyst: plain loss, over all time")},
                                        {"spent", Number("Of an analyst: what was used of it")}},
                                       {"name", "role"}))}},
              {"users"})},
      {"Job", job},
      {"Jobs", Object({{"jobs", ListOf(Ref("#Job"))}}, {"jobs"})},
  };
}

Json Content(std::string_view schema) { return {{"application/json", {{"schema", Ref(schema)}}}}; }

Json Parameters(const Route& route) {
  Json all = Json::array();
  for (std::size_t at = route.pattern.find('{'); at != std::string_view::npos; at = route.pattern.find('{', at + 1)) {
    const std::string name(route.pattern.substr(at + 1, route.pattern.find('}', at) - at - 1));
    all.push_back({{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
  }
  const auto add = [&](const char* name, const char* type) {
    all.push_back({{"name", name}, {"in", "query"}, {"required", false}, {"schema", {{"type", type}}}});
  };
  if (route.name == "history") {
    add("after", "integer"), add("limit", "integer");
    all.push_back({{"name", "order"},
                   {"in", "query"},
                   {"required", false},
                   {"schema", {{"enum", {"oldest", "newest"}}, {"default", "oldest"}}}});
  }
  if (route.name == "audit") add("epsilon", "number");
  if (route.name == "dependence") add("plain", "string");
  return all;
}

constexpr bool All(const Route&) { return true; }
constexpr bool Recognises(const Route& route) {
  return route.roles != kNobody || route.name == "me" || route.name == "log_in";
}
constexpr bool Takes(const Route& route) { return !route.takes.empty(); }
constexpr bool Asks(const Route& route) { return Takes(route) || route.pattern.starts_with("/v1/datasets/{"); }
constexpr bool Names(const Route& route) { return route.pattern.find('{') != std::string_view::npos; }
constexpr bool Begins(const Route& route) { return route.gives == "#Job" && route.method == "POST"; }

// Every status of a refusal, and which routes can give it.
struct Refusal {
  int status;
  const char* says;
  bool (*of)(const Route&);
};
constexpr std::array<Refusal, 16> kRefusals = {{
    {400, "The request is not as it must be", All},
    {401, "No token or session, or not a valid one; one answer for every reason", Recognises},
    {403, "The role or the budget does not allow it, or the request does not come from this server's page", All},
    {404, "There is no such thing, or not for this user", Names},
    {408, "The request did not come in time", All},
    {413, "The body is too long", All},
    {414, "The address is too long", All},
    {415, "The body is not declared as JSON", Takes},
    {421, "The request is for another host", All},
    {422, "The question cannot be answered privately, or not by kith", Asks},
    {429, "Too many failures: wait some minutes", Recognises},
    {431, "The header is too long, or has too many fields", All},
    {499, "It was stopped", Asks},
    {500, "A fault of kith's own", All},
    {503, "Storage failed, or too much is going on", All},
    {505, "This version of HTTP is not spoken here", All},
}};

Json Responses(const Route& route) {
  Json all;
  Json success = {{"description", "Done"}};
  if (!route.gives.empty()) {
    success["content"] = Content(route.gives);
  } else {
    success["content"] = {{route.name == "metrics" ? "text/plain" : "text/event-stream", Json::object()}};
  }
  if (Gives(route, 202))
    all["202"] = {{"description", "It goes on as a job; Location is its address"}, {"content", Content("#Job")}};
  if (Gives(route, 200)) all["200"] = success;
  for (const Refusal& each : kRefusals) {
    if (each.of(route))
      all[fmt::format("{}", each.status)] = {{"$ref", fmt::format("#/components/responses/{}", each.status)}};
  }
  return all;
}

}  // namespace

bool Gives(const Route& route, int status) {
  if (status == 200) return !Begins(route);
  if (status == 202) return Begins(route) || route.work == Work::kReads;
  return std::any_of(kRefusals.begin(), kRefusals.end(),
                     [&](const Refusal& each) { return each.status == status && each.of(route); });
}

std::string OpenApi(const std::string& version) {
  Json refusals;
  for (const Refusal& each : kRefusals)
    refusals[fmt::format("{}", each.status)] = {{"description", each.says}, {"content", Content("error")}};
  Json paths;
  for (const Route& route : Routes()) {
    Json one = {{"operationId", route.name}, {"summary", route.summary}, {"responses", Responses(route)}};
    if (const Json parameters = Parameters(route); !parameters.empty()) one["parameters"] = parameters;
    if (!route.takes.empty()) one["requestBody"] = {{"required", true}, {"content", Content(route.takes)}};
    Json roles = Json::array();
    for (const auto role :
         {people::Role::kAnalyst, people::Role::kAuditor, people::Role::kCurator, people::Role::kOperator}) {
      if ((route.roles & SetOf(role)) != 0) roles.push_back(people::NameOf(role));
    }
    one["x-roles"] = roles;
    one["security"] = route.roles == kNobody ? Json::array() : Json::array({{{"token", Json::array()}}});
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
    paths[std::string(route.pattern)][method] = std::move(one);
  }
  const Json all = {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "kith"},
        {"version", version},
        {"description",
         "Private answers over HTTP. Bodies are the documents that the command line prints for programs; "
         "docs/schema/kith.schema.json describes them. Errors hold no data. HEAD is answered like GET, without the "
         "body. docs/guide/server.md explains the rest."}}},
      {"paths", std::move(paths)},
      {"components",
       {{"schemas", Schemas()},
        {"responses", std::move(refusals)},
        {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}},
  };
  return all.dump(2) + "\n";
}

}  // namespace kith::server
