// What may be looked at without asking anything: datasets, budgets, histories, audits, transfer functions.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/json.h"
#include "document/columns.h"
#include "document/json_line.h"
#include "document/to_json.h"
#include "document/words.h"
#include "lab/policy_audit.h"
#include "server/api.h"
#include "server/requests.h"

namespace kith::server {
namespace {

template <class Number>
Result<std::optional<Number>> NumberIn(const HttpRequest& request, const char* name) {
  const auto text = ValueIn(request.query, name);
  if (!text) return std::optional<Number>();
  Number value{};
  const auto [end, wrong] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (wrong != std::errc() || end != text->data() + text->size() || !(value >= 0))
    return InvalidArgument(fmt::format("'{}' is not a number that it can be", name), {},
                           fmt::format("write {}=10", name));
  return std::optional(value);
}

}  // namespace

HttpResponse Api::Health(const Asked&) {
  return Documented(JsonText({{"status", "ok"}, {"version", options_.version}}) + "\n");
}

HttpResponse Api::Ready(const Asked&) {
  return Documented(JsonText({{"status", "ready"}, {"version", options_.version}}) + "\n");
}

HttpResponse Api::OpenApiFile(const Asked&) { return Documented(OpenApi(options_.version)); }

HttpResponse Api::Datasets(const Asked& asked) {
  Json all = Json::array();
  for (const Dataset& each : options_.datasets) {
    if (!asked.who.may_see(each.name)) continue;
    all.push_back({{"name", each.name},
                   {"epsilon_total", each.curator->policy().epsilon_total},
                   {"tick_milliseconds", each.tick().count()},
                   {"shared_history", each.curator->policy().serving.shared_history}});
  }
  return Documented(JsonText({{"datasets", std::move(all)}}) + "\n");
}

HttpResponse Api::Columns(const Asked& asked) {
  return Documented(document::JsonLine(document::FactsOf(asked.dataset->curator->policy())));
}

HttpResponse Api::Budget(const Asked& asked) {
  const auto report = asked.dataset->curator->Budget(CallerOf(asked));
  if (!report) return Failure(report.error());
  return Documented(document::JsonLine(*report, document::StayOf(asked.dataset->curator->policy())));
}

HttpResponse Api::History(const Asked& asked) {
  const auto after = NumberIn<std::int64_t>(asked.http, "after");
  if (!after) return Failure(after.error());
  const auto limit = NumberIn<std::int64_t>(asked.http, "limit");
  if (!limit) return Failure(limit.error());
  constexpr std::int64_t kMost = 1000, kUsual = 100;
  const std::int64_t count = std::min(limit->value_or(kUsual), kMost);
  const Curator& curator = *asked.dataset->curator;
  const Caller who = CallerOf(asked);
  Caller nobody;  // has no history: the page is read by itself
  nobody.own_history = true;
  auto report = curator.Budget(nobody);
  if (!report) return Failure(report.error());
  if (const std::int64_t before = after->value_or(0); before < std::numeric_limits<std::int64_t>::max()) {
    auto lines =
        curator.History({.from = before + 1, .count = count + 1, .caller = who.own_history ? who.name : std::string()});
    if (!lines) return Failure(lines.error());
    report->history = std::move(*lines);
  }
  const bool more = static_cast<std::int64_t>(report->history.size()) > count;
  if (more) report->history.pop_back();
  Json whole = document::ToJson(*report, document::StayOf(curator.policy()));
  return Documented(
      JsonText({{"history", std::move(whole.at("history"))}, {"more", more}, {"ledger_head", report->head}}) + "\n");
}

HttpResponse Api::Audit(const Asked& asked) {
  const auto epsilon = NumberIn<double>(asked.http, "epsilon");
  if (!epsilon) return Failure(epsilon.error());
  auto audit = AuditPolicy(*asked.dataset->curator, *epsilon, asked.call);
  if (!audit) return Failure(audit.error());
  audit->file = asked.dataset->name;
  return Documented(document::JsonLine(*audit));
}

HttpResponse Api::Transfer(const Asked& asked) {
  const auto found = TransferredIn(asked.http.body);
  return found ? Documented(document::JsonLine(*found)) : Failure(found.error());
}

}  // namespace kith::server
