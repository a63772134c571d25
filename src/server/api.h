// What is asked by HTTP, translated into calls of the library and back. Thread-safe.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "release/release.h"
#include "release/whole_ticks.h"
#include "server/http.h"
#include "server/jobs.h"
#include "server/places.h"
#include "server/routes.h"
#include "server/traffic.h"

namespace kith::server {

/// A policy that is served, under a name.
struct Dataset {
  std::string name;
  std::shared_ptr<const Curator> curator;
  /// Answers leave at whole numbers of these.
  std::chrono::milliseconds tick() const { return curator->policy().serving.tick; }
};

struct Wanted;  // question.h

/// One request after its client was recognised.
struct Asked {
  const HttpRequest& http;
  const Route& route;
  people::Identity who;
  std::vector<std::string> values;   // of the path
  const Dataset* dataset = nullptr;  // if the route has one
  Call call;
};

/// Who asks, for the ledger.
Caller CallerOf(const Asked& asked);
Caller CallerOf(const people::Identity& who, const Dataset* dataset);

/// Only those who run the server may know where files are, and only curators besides them where a database server is.
Error WithoutPlaces(Error error, bool curator = false);

/// A document as an answer.
HttpResponse Documented(std::string document, int status = 200);
/// An error as an answer. `status` 0: by its code.
HttpResponse Failure(const Error& error, int status = 0);
/// The same for somebody who was not recognised, with what HTTP then requires.
HttpResponse NotRecognised(const Error& error);
/// The token of "Bearer TOKEN"; empty: none.
std::string TokenIn(const std::string& authorization);
/// Error::parameter: a request with a cookie that did not come from this server's own page.
inline constexpr char kOtherPage[] = "login.page";

class Api {
 public:
  struct Options {
    std::vector<Dataset> datasets;
    std::shared_ptr<people::People> people;                  // null: there are no users
    people::Identity anybody = people::Identity::Anybody();  // who asks then
    std::string version;
    bool only_loopback = true;                     // Host must then be a name of this machine
    std::function<void(const std::string&)> tell;  // a line for those who run the server; may be empty
    std::function<void(const std::string&)> log =
        {};  // of each request: method, route, status, time and user; may be empty
    std::function<std::size_t()> connections = {};
    std::function<std::string()> more_metrics = {};  // of other protocols; may be empty
  };
  explicit Api(Options options);

  Service AsService();
  bool IsQuestion(const HttpRequest& request) const;
  HttpResponse Handle(const HttpRequest& request, const CancelFlag& left);

  // The routes.
  HttpResponse Health(const Asked& asked);
  HttpResponse Ready(const Asked& asked);
  HttpResponse Metrics(const Asked& asked);
  HttpResponse OpenApiFile(const Asked& asked);
  HttpResponse Datasets(const Asked& asked);
  HttpResponse Columns(const Asked& asked);
  HttpResponse Explain(const Asked& asked);
  HttpResponse Release(const Asked& asked);
  HttpResponse ExplainPlan(const Asked& asked);
  HttpResponse ReleasePlan(const Asked& asked);
  HttpResponse ExplainAnalysis(const Asked& asked);
  HttpResponse BeginAnalysis(const Asked& asked);
  HttpResponse ExplainStream(const Asked& asked);
  HttpResponse ReleaseSteps(const Asked& asked);
  HttpResponse Approvals(const Asked& asked);
  HttpResponse Decide(const Asked& asked);
  HttpResponse Budget(const Asked& asked);
  HttpResponse History(const Asked& asked);
  HttpResponse Audit(const Asked& asked);
  HttpResponse Transfer(const Asked& asked);
  HttpResponse ListJobs(const Asked& asked);
  HttpResponse ShowJob(const Asked& asked);
  HttpResponse WatchJob(const Asked& asked);
  HttpResponse CancelJob(const Asked& asked);
  HttpResponse Me(const Asked& asked);
  HttpResponse LogIn(const Asked& asked);
  HttpResponse LogOut(const Asked& asked);
  HttpResponse AnswerOfHistory(const Asked& asked);
  HttpResponse Dependence(const Asked& asked);
  HttpResponse CompareNoise(const Asked& asked);
  HttpResponse ImportData(const Asked& asked);
  HttpResponse Users(const Asked& asked);
  HttpResponse UsersOfDataset(const Asked& asked);
  HttpResponse AddUser(const Asked& asked);
  HttpResponse RemoveUser(const Asked& asked);
  HttpResponse AddToken(const Asked& asked);
  HttpResponse Revoke(const Asked& asked);
  HttpResponse Grant(const Asked& asked);
  HttpResponse PolicyText(const Asked& asked);
  HttpResponse CheckPolicy(const Asked& asked);

 private:
  HttpResponse Dispatch(const HttpRequest& request, const CancelFlag& left);
  HttpResponse Guarded(const Asked& asked);
  /// By the token, otherwise by the session of a browser, whose key against other pages comes with it [sessions.cc].
  Result<std::pair<people::Identity, std::string>> Recognise(const HttpRequest& request) const;
  HttpResponse ReleaseWanted(const Asked& asked, const Wanted& wanted);
  /// Now, or as a job if the client prefers that, or always.
  HttpResponse NowOrLater(const Asked& asked, const std::string& what, bool always, Jobs::Work work);
  /// What computes for long, unless too much does: questions keep their own threads.
  HttpResponse Answered(const Asked& asked);
  static HttpResponse Busy();
  /// Whether ledgers can be used, if that was not looked at just now; tells those who run the server. Requires the
  /// lock.
  void LookAtLedgers();
  void Done(const Exchange& exchange);

  const Options options_;
  Jobs jobs_;
  // Of questions. Many of those that have one wait for a commit of the ledger, which they share; those that wait for a
  // tick need none.
  Turns turns_{16};
  Traffic traffic_;
  Places long_{6, 4}, plans_{64, 16};  // of Work::kLong, and of Work::kPlans
  Places strangers_{32, 16};           // who log in: by network
  Places returning_{32, 4};            // the same where the name logged in from before: by name
  std::mutex looking_;                 // for the next two: whether the ledgers can be used
  std::optional<std::chrono::steady_clock::time_point> looked_;
  std::string unready_;  // why not
};

}  // namespace kith::server
