// One commit for many: making a charge durable takes a disk longer than everything else about it, and what other
// threads bring in the meantime can go into the next commit together.
#include <algorithm>
#include <exception>
#include <utility>

#include "base/meter.h"
#include "ledger/marker.h"
#include "ledger/state.h"

namespace kith {

namespace {

// Calls what it was given when it goes out of scope, however that happens.
template <class Last>
class AtEnd {
 public:
  explicit AtEnd(Last last) : last_(std::move(last)) {}
  ~AtEnd() { last_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  Last last_;
};

}  // namespace

// A waiting thread must not wait for ever, and must not be told of a success that was none: what is said when memory
// runs out is prepared before any work, and handed out without taking memory.
Result<void> Ledger::State::Share(std::function<Result<void>()> add, bool charges) {
  const Meter::Pause whole;               // a thread that leads also writes what others bring
  if (getpid() != owner) return Ready();  // the leader from before a fork no longer leads
  Addition own{std::move(add), charges};
  own.no_memory = StorageError("memory ran out while the ledger was written", places.file.string(),
                               "ask again; the budget shows whether it was charged")
                      .That(charges ? Charged::kMaybe : Charged::kNo);
  std::unique_lock lock(queueing);
  queue.push_back(&own);
  if (std::exchange(leading, true)) {
    lock.unlock();
    own.turn.Wait();
    if (!own.leads) return std::move(own.result);
    lock.lock();
  }
  std::vector<Addition*> together;
  {
    // Threads that are done are called, and one more to lead: the others in the queue sleep on.
    const AtEnd over([&] {
      if (!lock.owns_lock()) lock.lock();
      std::erase(queue, &own);
      Addition* const next = queue.empty() ? nullptr : queue.front();
      leading = next != nullptr;
      if (leading) next->leads = true;
      lock.unlock();
      if (next != nullptr) next->turn.Call();
      for (Addition* each : together) {
        if (each != &own) each->turn.Call();  // it ends with its thread's call
      }
    });
    lock.unlock();
    const std::lock_guard writing(mutex);
    lock.lock();
    together.swap(queue);  // this one is among them
    lock.unlock();
    try {
      WriteTogether(together);
    } catch (const std::exception&) {  // of memory
      for (Addition* each : together) each->result = std::move(each->no_memory);
    }
    try {
      MakeBeside();
    } catch (const std::exception&) {  // looks wait, as before
    }
  }
  return std::move(own.result);
}

// A stream counts in windows, which follow the entries of whole transactions: there each has its own.
void Ledger::State::WriteTogether(const std::vector<Addition*>& together) {
  const std::size_t most = windows ? 1 : together.size();
  for (std::size_t first = 0; first < together.size(); first += most) {
    const auto from = together.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<Addition*> batch(from, from + static_cast<std::ptrdiff_t>(most));
    const auto written = WriteBatch(batch);
    if (written) continue;
    // What was refused was perhaps refused because of something that is not durable now: nobody is told more than that.
    // A disk that failed may have kept a commit.
    for (Addition* each : batch)
      each->result = Error(written.error()).That(each->charges ? Charged::kMaybe : Charged::kNo);
  }
}

Result<void> Ledger::State::WriteBatch(const std::vector<Addition*>& batch) {
  const bool charges = std::any_of(batch.begin(), batch.end(), [](const Addition* each) { return each->charges; });
  const Result<void> may = charges ? Accept() : Result<void>();
  auto transaction = BeginWrite();
  if (!transaction) {
    for (Addition* each : batch) {
      Error failed = may ? transaction.error() : may.error();
      if (each->charges && may)
        failed.next = std::string("nothing was charged") + (failed.next.empty() ? "" : "; " + failed.next);
      each->result = each->charges ? failed : transaction.error();
    }
    return {};
  }
  struct Under {  // throws everything away, unless it is committed
    State& state;
    ledger::View before;
    bool committed = false;
    explicit Under(State& of) : state(of), before(of.view) {
      state.under_way.clear();
      state.lent_texts.clear();
      state.lent_data.clear();
      state.broken.reset();
    }
    ~Under() {
      if (!committed) state.view = std::move(before);
    }
    Under(const Under&) = delete;
    Under& operator=(const Under&) = delete;
  } under(*this);
  for (Addition* each : batch) {
    each->result = each->charges && !may ? may : each->add();
    if (broken) return *broken;
  }
  if (under_way.empty()) return {};
  if (auto done = store->WriteSummary(view); !done) return done;
  if (auto done = transaction->Commit(); !done) return done;
  under.committed = true;
  known_at = written_at;
  for (const Step& step : under_way) Follow(step.entry, step.after);
  // A commit to a file that nobody will find is not a charge.
  if (auto there = store->StillInPlace(); !there) return there;
  if (view.charges > under.before.charges) ledger::NoteCharges(places, store->birth().ledger_id, view.charges);
  return {};
}

Result<void> Ledger::State::Add(std::vector<Step> steps, const std::string* answer) {
  const auto append = [&]() -> Result<void> {
    for (const Step& step : steps) {
      if (auto done = store->Append(step.entry, step.after.head); !done) return done;
    }
    return answer != nullptr ? store->AppendText(steps.back().entry.position, *answer) : Result<void>();
  };
  if (auto done = append(); !done) {
    broken = done.error();
    return done;
  }
  view = steps.back().after;
  for (Step& step : steps) under_way.push_back(std::move(step));
  return {};
}

}  // namespace kith
