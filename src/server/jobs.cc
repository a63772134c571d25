#include "server/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <typeinfo>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/unexpected.h"
#include "document/codes.h"
#include "document/json_line.h"
#include "release/whole_ticks.h"

namespace kith::server {

struct Jobs::Job {
  std::string id, dataset, what, owner;
  std::int64_t number = 0, tick = 0;  // microseconds
  Work work;
  CancelFlag cancel;
  std::vector<std::string> stages;                             // the innermost last
  std::deque<std::pair<std::int64_t, std::string>> seen = {};  // which was the innermost, from when on
  std::int64_t began = 0, ended = 0;                           // SteadyMicroseconds; 0: not yet
  std::int64_t stops = 0;                                      // when it will be told to; 0: not wanted
  std::shared_ptr<const JobResult> result;  // shared with its readers: large ones are not copied with the lock

  /// The last whole tick at or before a moment, and the first at or after it.
  std::int64_t TickBefore(std::int64_t now) const { return tick == 0 ? now : now - (now - began) % tick; }
  std::int64_t TickAfter(std::int64_t now) const { return tick == 0 ? now : TickBefore(now + tick - 1); }

  /// Also when answers are kept: there is no second row of moments that would reveal more.
  std::int64_t StopAfter(std::int64_t now) const {
    const std::int64_t earlier = WholeTicks::Earlier(std::chrono::microseconds(tick)).count();
    return std::max(now, TickAfter(now + earlier) - earlier);
  }

  void Note(std::int64_t now) {
    while (seen.size() > 1 && seen[1].first <= TickBefore(now)) seen.pop_front();
    seen.emplace_back(now, stages.empty() ? std::string() : stages.back());
  }
  /// As of the last tick: when a stage ends can depend on the data, and callers may look as often as they like.
  std::string StageAt(std::int64_t now) const {
    std::string stage;
    for (const auto& [from, name] : seen) {
      if (from <= TickBefore(now)) stage = name;
    }
    return stage;
  }
};

Jobs::Jobs(const Limits& limits) : limits_(limits) {
  for (std::size_t k = 0; k < limits.threads; ++k) threads_.emplace_back([this] { Run(); });
  stopper_ = std::thread([this] { StopInTime(); });
}

Jobs::~Jobs() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (auto& [id, job] : jobs_) job->cancel.Cancel();
  }
  more_.notify_all();
  stops_.notify_all();
  for (std::thread& each : threads_) each.join();
  stopper_.join();
}

// Nothing may leave the thread: it would end the server.
JobResult Jobs::Guarded(const Job& job, const Call& call) {
  try {
    return job.work(call);
  } catch (const std::exception& thrown) {
    const Error error = Unexpected(thrown);
    return {document::HttpStatusOf(error.code), document::JsonLine(error), error.code};
  }
}

void Jobs::Run() {
  while (true) {
    std::shared_ptr<Job> job;
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
      if (job->result) continue;
      job->began = SteadyMicroseconds();
    }
    Call call(job->cancel);
    call.stages = [this, job](std::optional<std::string_view> begins) {
      const std::lock_guard lock(mutex_);
      if (begins) {
        job->stages.emplace_back(*begins);
      } else if (!job->stages.empty()) {
        job->stages.pop_back();
      }
      job->Note(SteadyMicroseconds());
    };
    auto result = std::make_shared<const JobResult>(Guarded(*job, call));
    std::unique_lock lock(mutex_);
    const std::int64_t end = job->TickAfter(SteadyMicroseconds());
    while (!stopping_ && SteadyMicroseconds() < end)
      stops_.wait_for(lock, std::chrono::microseconds(end - SteadyMicroseconds()));
    job->result = std::move(result);
    job->ended = SteadyMicroseconds();
    job->stops = 0;
    job->work = {};
    DropResults(*job);
  }
}

// Whether a job was stopped before its end reveals when the end was: so that, too, happens only at whole ticks.
void Jobs::StopInTime() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    std::int64_t next = 0;
    for (const auto& [id, job] : jobs_) {
      if (job->stops == 0) continue;
      if (SteadyMicroseconds() < job->stops) {
        next = next == 0 ? job->stops : std::min(next, job->stops);
        continue;
      }
      job->cancel.Cancel();
      job->stops = 0;
    }
    if (next == 0)
      stops_.wait(lock);
    else
      stops_.wait_for(lock, std::chrono::microseconds(std::max<std::int64_t>(1, next - SteadyMicroseconds())));
  }
}

// The oldest ones that have ended, if there are too many: of one owner, who must not push out what others have, or of
// all. Called with the lock.
void Jobs::Forget(const std::string& owner) {
  const std::int64_t old = SteadyMicroseconds() - limits_.kept_seconds * 1'000'000;
  std::erase_if(jobs_, [&](const auto& each) { return each.second->result && each.second->ended < old; });
  const auto keep = [this](std::size_t most, const auto& counts) {
    while (static_cast<std::size_t>(std::count_if(jobs_.begin(), jobs_.end(), counts)) > most) {
      auto oldest = jobs_.end();
      for (auto each = jobs_.begin(); each != jobs_.end(); ++each) {
        if (counts(*each) && each->second->result &&
            (oldest == jobs_.end() || each->second->number < oldest->second->number))
          oldest = each;
      }
      if (oldest == jobs_.end()) return;
      jobs_.erase(oldest);
    }
  };
  keep(limits_.kept_of_owner, [&](const auto& each) { return each.second->owner == owner; });
  keep(limits_.kept, [](const auto&) { return true; });
}

// The oldest of an owner's results, if they are too large together; never the newest one. The jobs stay. Called with
// the lock.
void Jobs::DropResults(const Job& newest) {
  static const auto dropped = [] {
    const Error error = StorageError("the result is no longer kept: later ones of yours needed its room", {},
                                     "ask the same again: what was answered is stored, and costs nothing more");
    return std::make_shared<const JobResult>(JobResult{410, document::JsonLine(error), error.code});
  }();
  std::vector<Job*> own;
  std::size_t bytes = 0;
  for (const auto& [id, job] : jobs_) {
    if (job->owner != newest.owner || !job->result || job->result == dropped) continue;
    bytes += job->result->document.size();
    if (job.get() != &newest) own.push_back(job.get());
  }
  std::sort(own.begin(), own.end(), [](const Job* a, const Job* b) { return a->number < b->number; });
  for (Job* job : own) {
    if (bytes <= limits_.bytes_of_owner) return;
    bytes -= job->result->document.size();
    job->result = dropped;
  }
}

std::optional<std::string> Jobs::Begin(const std::string& owner, const std::string& dataset, const std::string& what,
                                       Work work, std::chrono::milliseconds tick) {
  const auto job = std::make_shared<Job>();
  job->id = RandomHex(16);
  job->owner = owner;
  job->dataset = dataset;
  job->what = what;
  job->work = std::move(work);
  job->tick = std::chrono::microseconds(tick).count();
  {
    const std::lock_guard lock(mutex_);
    const auto unfinished = std::count_if(jobs_.begin(), jobs_.end(), [&](const auto& each) {
      return each.second->owner == owner && !each.second->result;
    });
    if (stopping_ || waiting_.size() >= limits_.waiting || static_cast<std::size_t>(unfinished) >= limits_.of_owner)
      return std::nullopt;
    job->number = ++next_;
    jobs_[job->id] = job;
    waiting_.push_back(job);
    Forget(owner);
  }
  more_.notify_one();
  return job->id;
}

JobView Jobs::ViewOf(const Job& job) const {
  JobView view{job.id, job.dataset, job.what, job.owner, "waiting", {}, 0, job.result};
  if (job.began != 0) {
    view.state = "running";
    view.seconds = ((job.ended != 0 ? job.ended : SteadyMicroseconds()) - job.began) / 1'000'000;
    view.stage = job.StageAt(SteadyMicroseconds());
  }
  if (job.result) {
    view.state = !job.result->failed ? "done" : *job.result->failed == Code::kCancelled ? "cancelled" : "failed";
    view.stage.clear();
  }
  return view;
}

std::optional<JobView> Jobs::Find(const std::string& owner, const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || found->second->owner != owner) return std::nullopt;
  return ViewOf(*found->second);
}

std::vector<JobView> Jobs::Of(const std::string& owner) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const Job>> own;
  for (const auto& [id, job] : jobs_) {
    if (job->owner == owner) own.push_back(job);
  }
  std::sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a->number > b->number; });
  std::vector<JobView> views;
  for (const auto& job : own) views.push_back(ViewOf(*job));
  return views;
}

bool Jobs::Cancel(const std::string& owner, const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || found->second->owner != owner) return false;
  Job& job = *found->second;
  if (job.began == 0 || job.tick == 0)
    job.cancel.Cancel();
  else if (!job.result && job.stops == 0)
    job.stops = job.StopAfter(SteadyMicroseconds());
  stops_.notify_all();
  return true;
}

std::size_t Jobs::unfinished() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(jobs_.begin(), jobs_.end(), [](const auto& each) { return !each.second->result; }));
}

}  // namespace kith::server
