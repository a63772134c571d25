#include "server/routes.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "server/api.h"

namespace kith::server {
namespace {

constexpr unsigned kAskers = kAnalyst | kCurator;
constexpr unsigned kWatchers = kOperator | kCurator;

constexpr auto kRoutes = std::to_array<Route>({
    {"GET", "/v1/health", kNobody, Work::kNow, "health", "Whether the server runs", "", "#Health", &Api::Health},
    {"GET", "/v1/ready", kNobody, Work::kQuick, "ready", "Whether it takes questions: whether every ledger can be used",
     "", "#Health", &Api::Ready},
    {"GET", "/v1/openapi.json", kNobody, Work::kQuick, "openapi", "This description", "", "#Any", &Api::OpenApiFile},
    {"GET", "/v1/metrics", kWatchers, Work::kQuick, "metrics", "Counts and times of requests, for Prometheus; no data",
     "", "", &Api::Metrics},
    {"GET", "/v1/datasets", kReaders, Work::kQuick, "datasets", "What may be asked about", "", "#Datasets",
     &Api::Datasets},
    {"GET", "/v1/datasets/{dataset}", kReaders, Work::kQuick, "columns",
     "Tables and columns, what is public about them, and what may be asked", "", "columns", &Api::Columns},
    {"POST", "/v1/datasets/{dataset}/explain", kAskers, Work::kPlans, "explain",
     "What a question would cost and give; touches no data, charges nothing", "#Question", "explanation",
     &Api::Explain},
    {"POST", "/v1/datasets/{dataset}/release", kAskers, Work::kReads, "release",
     "Asks a question: charges, reads data, answers with noise", "#Question", "answer", &Api::Release},
    {"POST", "/v1/datasets/{dataset}/plan/explain", kAskers, Work::kLong, "explain_plan",
     "What many questions would cost and give as a whole; touches no data", "#Plan", "explanation", &Api::ExplainPlan},
    {"POST", "/v1/datasets/{dataset}/plan/release", kAskers, Work::kReads, "release_plan",
     "Asks many questions as a whole: charges once and answers them all", "#Plan", "answer", &Api::ReleasePlan},
    {"POST", "/v1/datasets/{dataset}/analyses/explain", kAskers, Work::kLong, "explain_analysis",
     "What an analysis would cost and give; touches no data", "#Analysis", "explanation", &Api::ExplainAnalysis},
    {"POST", "/v1/datasets/{dataset}/analyses", kAskers, Work::kLong, "analyse", "Begins an analysis, as a job",
     "#Analysis", "#Job", &Api::BeginAnalysis},
    {"POST", "/v1/datasets/{dataset}/streams/explain", kAskers, Work::kPlans, "explain_stream",
     "What holds for everybody who is in a stream; touches no data, charges nothing", "#Stream", "stream_head",
     &Api::ExplainStream},
    {"POST", "/v1/datasets/{dataset}/streams", kAskers, Work::kPlans, "release_steps",
     "Begins to release steps of a stream, as a job; a step that was released before is given again, free", "#Steps",
     "#Job", &Api::ReleaseSteps},
    {"GET", "/v1/datasets/{dataset}/approvals", kAskers, Work::kQuick, "approvals",
     "Questions that wait for a curator because of their price; of an analyst all of their own", "", "approvals",
     &Api::Approvals},
    {"POST", "/v1/datasets/{dataset}/approvals/{approval}", kCurator, Work::kQuick, "decide",
     "Grants or refuses one of them", "#Decision", "approvals", &Api::Decide},
    {"GET", "/v1/datasets/{dataset}/budget", kReaders, Work::kQuick, "budget",
     "What was spent and what is left; the charges are in the history", "", "budget", &Api::Budget},
    {"GET", "/v1/datasets/{dataset}/history", kReaders, Work::kQuick, "history",
     "Charges, a page at a time: limit of them after a number, in the order oldest or newest; of an analyst their own, "
     "unless the policy shares them",
     "", "#History", &Api::History},
    {"GET", "/v1/datasets/{dataset}/audit", kAuditor | kCurator, Work::kLong, "audit",
     "What the answers so far give away, and one more at a price (epsilon)", "", "policy_audit", &Api::Audit},
    {"POST", "/v1/transfer", kReaders, Work::kLong, "transfer", "Turns plain loss into dependent loss, or back",
     "#Transfer", "transferred", &Api::Transfer},
    {"GET", "/v1/jobs", kAskers, Work::kQuick, "jobs", "The jobs of whoever asks, the newest first", "", "#Jobs",
     &Api::ListJobs},
    {"GET", "/v1/jobs/{job}", kAskers, Work::kQuick, "job", "Where a job is; once it has ended, with its result", "",
     "#Job", &Api::ShowJob},
    {"GET", "/v1/jobs/{job}/events", kAskers, Work::kQuick, "job_events",
     "Stages and seconds of a job as server-sent events, until it has ended", "", "", &Api::WatchJob},
    {"DELETE", "/v1/jobs/{job}", kAskers, Work::kQuick, "cancel_job",
     "Asks a job to stop; what was charged stays charged", "", "#Job", &Api::CancelJob},
    {"GET", "/v1/me", kNobody, Work::kQuick, "me", "Who the token or session belongs to, and whether one is needed", "",
     "#Me", &Api::Me},
    {"POST", "/v1/session", kNobody, Work::kLong, "log_in",
     "Begins the session of a browser, by name and password; its cookie comes with the answer", "#LogIn", "#Me",
     &Api::LogIn},
    {"DELETE", "/v1/session", kNobody, Work::kQuick, "log_out", "Ends the session of the cookie", "", "#Me",
     &Api::LogOut},
    {"GET", "/v1/datasets/{dataset}/history/{number}", kReaders, Work::kQuick, "history_answer",
     "An answer of the history with its certificate, as it was given", "", "answer", &Api::AnswerOfHistory},
    {"GET", "/v1/datasets/{dataset}/dependence", kReaders, Work::kQuick, "dependence",
     "The declared dependence in numbers, and what plain losses (plain) become under it", "", "#Dependence",
     &Api::Dependence},
    {"POST", "/v1/transfer/compare", kReaders, Work::kLong, "compare_noise",
     "The noise of counts for a dependent loss, beside that without dependence and of groups", "#CompareNoise",
     "comparison", &Api::CompareNoise},
    {"POST", "/v1/datasets/{dataset}/import", kCurator, Work::kLong, "import",
     "Imports the data and reports what was found: exact, for the curator alone", "", "import", &Api::ImportData},
    {"GET", "/v1/users", kCurator, Work::kQuick, "users", "Who may ask, about what, and how much", "", "users",
     &Api::Users},
    {"POST", "/v1/users", kCurator, Work::kQuick, "add_user",
     "Adds an analyst or an auditor, with grants and a first token, which is shown this once", "#NewUser", "token",
     &Api::AddUser},
    {"DELETE", "/v1/users/{user}", kCurator, Work::kQuick, "remove_user",
     "Removes an analyst or an auditor with tokens, sessions and grants; what was used stays used", "", "users",
     &Api::RemoveUser},
    {"POST", "/v1/users/{user}/tokens", kCurator, Work::kQuick, "add_token",
     "Makes another token of an analyst or an auditor, which is shown this once", "#NewToken", "token", &Api::AddToken},
    {"POST", "/v1/users/{user}/revoke", kCurator, Work::kQuick, "revoke",
     "Ends a token at once, or all tokens and sessions of a user", "#Revoked", "users", &Api::Revoke},
    {"POST", "/v1/users/{user}/grants", kCurator, Work::kQuick, "grant",
     "Says what a user may use of a dataset from now on; what was used stays used", "#Grant", "users", &Api::Grant},
    {"GET", "/v1/datasets/{dataset}/users", kCurator, Work::kLong, "dataset_users",
     "Who may ask about it, and what each analyst has used of the allowance", "", "#DatasetUsers",
     &Api::UsersOfDataset},
    {"GET", "/v1/datasets/{dataset}/policy", kCurator, Work::kQuick, "policy", "The policy's file", "", "#PolicyText",
     &Api::PolicyText},
    {"POST", "/v1/datasets/{dataset}/policy/check", kCurator, Work::kLong, "check_policy",
     "What of a changed policy would be accepted, and why; changes nothing", "#PolicyText", "policy_diff",
     &Api::CheckPolicy},
});

// The next part of a path, which begins with '/'.
std::string_view Part(std::string_view& path) {
  path.remove_prefix(1);
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view part = path.substr(0, end);
  path.remove_prefix(end);
  return part;
}

int Digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::optional<std::string> Decoded(std::string_view part) {
  std::string text;
  for (std::size_t at = 0; at < part.size(); ++at) {
    char byte = part[at];
    if (byte == '%') {
      if (at + 2 >= part.size() || Digit(part[at + 1]) < 0 || Digit(part[at + 2]) < 0) return std::nullopt;
      byte = static_cast<char>(16 * Digit(part[at + 1]) + Digit(part[at + 2]));
      at += 2;
    }
    const auto number = static_cast<unsigned char>(byte);
    if (byte == '/' || number < 0x20 || number == 0x7f) return std::nullopt;
    text += byte;
  }
  return IsUtf8(text) ? std::optional(std::move(text)) : std::nullopt;
}

bool Fits(std::string_view pattern, std::string_view path, std::vector<std::string>& values) {
  values.clear();
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = Part(pattern), part = Part(path);
    if (wanted.starts_with('{')) {
      auto value = Decoded(part);
      if (!value || value->empty()) return false;
      values.push_back(std::move(*value));
    } else if (wanted != part) {
      return false;
    }
  }
  return pattern.empty() && path.empty();
}

}  // namespace

std::span<const Route> Routes() { return kRoutes; }

Match Find(std::string_view method, std::string_view path) {
  Match match;
  if (!path.starts_with('/')) return match;
  if (method == "HEAD") method = "GET";  // answered without the body
  for (const Route& route : kRoutes) {
    std::vector<std::string> values;
    if (!Fits(route.pattern, path, values)) continue;
    if (route.method == method) return {&route, std::move(values), {}};
    match.allowed.push_back(route.method);
    if (route.method == "GET") match.allowed.emplace_back("HEAD");
  }
  return match;
}

std::optional<std::string> ValueIn(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name) return std::string(pair.substr(equals + 1));
  }
  return std::nullopt;
}

}  // namespace kith::server
