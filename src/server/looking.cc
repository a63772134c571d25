// What may be looked at without asking anything: datasets, budgets, histories, audits, transfer functions.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "audit/policy_audit.h"
#include "base/json.h"
#include "document/columns.h"
#include "document/json_line.h"
#include "document/to_json.h"
#include "document/words.h"
#include "policy/stay.h"
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

// Once a second at most: verifying a long ledger takes a while, and anybody may ask. Which one cannot be used is for
// those who run the server.
void Api::LookAtLedgers() {
  if (looked_ && std::chrono::steady_clock::now() - *looked_ < std::chrono::seconds(1)) return;
  std::string found;
  for (const Dataset& each : options_.datasets) {
    const auto ready = each.curator->Ready();
    if (found.empty() && !ready) found = ready.error().Text();
  }
  if (options_.tell && found != unready_) options_.tell(found.empty() ? "ready again" : "not ready: " + found);
  unready_ = std::move(found);
  looked_ = std::chrono::steady_clock::now();
}

HttpResponse Api::Ready(const Asked&) {
  const std::lock_guard lock(looking_);
  LookAtLedgers();
  if (!unready_.empty())
    return Failure(StorageError("a ledger cannot be used: what is asked about its data is refused", {},
                                "tell whoever runs the server: its log says why"));
  return Documented(JsonText({{"status", "ready"}, {"version", options_.version}}) + "\n");
}

HttpResponse Api::OpenApiFile(const Asked&) { return Documented(OpenApi(options_.version)); }

HttpResponse Api::Datasets(const Asked& asked) {
  Json all = Json::array();
  for (const Dataset& each : options_.datasets) {
    if (!asked.who.MaySee(each.name)) continue;
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
  const Curator& curator = *asked.dataset->curator;
  const auto report = curator.Budget(CallerOf(asked), /*with_history=*/false);
  if (!report) return Failure(report.error());
  Json totals = document::ToJson(*report, StayOf(curator.policy()));
  totals.erase("history");  // has pages of its own
  return Documented(JsonText(totals) + "\n");
}

HttpResponse Api::History(const Asked& asked) {
  const auto after = NumberIn<std::int64_t>(asked.http, "after");
  if (!after) return Failure(after.error());
  const auto limit = NumberIn<std::int64_t>(asked.http, "limit");
  if (!limit) return Failure(limit.error());
  if (*limit == 0) return Failure(InvalidArgument("a page of the history has lines", {}, "write limit=10"));
  const auto order = ValueIn(asked.http.query, "order");
  const bool newest = order == "newest";
  if (order && !newest && order != "oldest")
    return Failure(InvalidArgument("'order' is not one of the history", {}, "choose oldest or newest"));
  constexpr std::int64_t kMost = 1000, kUsual = 100, kLast = std::numeric_limits<std::int64_t>::max();
  const std::int64_t count = std::min(limit->value_or(kUsual), kMost);
  const Curator& curator = *asked.dataset->curator;
  const Caller who = CallerOf(asked);
  auto report = curator.Budget({}, /*with_history=*/false);  // the page is read by itself
  if (!report) return Failure(report.error());
  // Of the newest, 0 is the last of all, and before the first there is none.
  const std::int64_t before = after->value_or(0), from = newest ? std::max<std::int64_t>(0, before - 1) : before;
  if (newest ? before != 1 : before < kLast) {
    auto lines = curator.History({.from = newest ? from : from + 1,
                                  .count = count + 1,
                                  .newest_first = newest,
                                  .caller = who.own_history ? who.name : std::string()});
    if (!lines) return Failure(lines.error());
    report->history = std::move(*lines);
  }
  const bool more = static_cast<std::int64_t>(report->history.size()) > count;
  if (more) report->history.pop_back();
  Json whole = document::ToJson(*report, StayOf(curator.policy()));
  return Documented(
      JsonText({{"history", std::move(whole.at("history"))}, {"more", more}, {"ledger_hash", report->head}}) + "\n");
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
  const auto found = TransferredIn(asked.http.body, asked.call.cancel);
  return found ? Documented(document::JsonLine(*found)) : Failure(found.error());
}

}  // namespace kith::server
