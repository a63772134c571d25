// Work that takes longer than a client wants to hold a connection open. A job belongs to the user who began it, and is
// known by its id until it is old; it ends with the server.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/call.h"
#include "base/result.h"

namespace kith::server {

/// What became of it: a document, and the status that an answer with it has.
struct JobResult {
  int status = 200;
  std::string document;
  std::optional<Code> failed;
};

/// A job at one moment.
struct JobView {
  std::string id, dataset, what, owner;
  std::string state;                        // waiting, running, done, failed or cancelled
  std::string stage;                        // of one that is running; may be empty
  std::int64_t seconds = 0;                 // whole seconds since it began to run
  std::shared_ptr<const JobResult> result;  // once it has ended
  bool ended() const { return result != nullptr; }
};

class Jobs {
 public:
  using Work = std::function<JobResult(const Call&)>;
  struct Limits {
    std::size_t threads = 2, of_owner = 16, waiting = 256, kept = 1000, kept_of_owner = 100;
    std::int64_t kept_seconds = 24 * 3600;
    std::size_t bytes_of_owner = std::size_t{256} << 20;  // of results
  };

  explicit Jobs(const Limits& limits);
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// Its id: 128 random bits. Nothing: too many are waiting, of this owner or of all. `tick`: whatever can be seen of
  /// it changes at whole numbers of these after it began to run, and it is also stopped then; 0: at once.
  std::optional<std::string> Begin(const std::string& owner, const std::string& dataset, const std::string& what,
                                   Work work, std::chrono::milliseconds tick = std::chrono::milliseconds(0));
  /// Nothing: this owner has none.
  std::optional<JobView> Find(const std::string& owner, const std::string& id) const;
  std::vector<JobView> Of(const std::string& owner) const;
  /// One that is running stops when it next looks. False: this owner has none.
  bool Cancel(const std::string& owner, const std::string& id);
  std::size_t unfinished() const;

 private:
  struct Job;
  void Run();
  void StopInTime();
  static JobResult Guarded(const Job& job, const Call& call);
  JobView ViewOf(const Job& job) const;
  void Forget(const std::string& owner);
  void DropResults(const Job& newest);

  const Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable more_, stops_;
  std::map<std::string, std::shared_ptr<Job>> jobs_;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::int64_t next_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
  std::thread stopper_;
};

}  // namespace kith::server
