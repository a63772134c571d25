// kith._native: opens policies, asks, and hands over documents as text. Everything that a person sees is in
// python/kith.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "app/python/local.h"
#include "app/python/workers.h"
#include "engine/duckdb/duckdb_engine.h"
#include "engine/frame.h"

namespace nb = nanobind;

namespace kith::python {
namespace {

/// A frame that Python holds; shared with the policies that were opened with it.
struct HeldFrame {
  std::shared_ptr<const Frame> frame;
};

struct HeldPolicy {
  std::shared_ptr<const Local> local;
};

/// Whether it worked, the document (of an error if not), and sentences about what happened in the meantime.
using Outcome = std::tuple<bool, std::string, std::vector<std::string>>;

Deadline In(double seconds) {
  constexpr double kMost = 1e9;
  const double within = seconds < 0 ? 0 : seconds < kMost ? seconds : kMost;
  return Deadline::In(std::chrono::microseconds(static_cast<std::int64_t>(within * 1e6)));
}

/// Works in its own thread, without Python's lock, while this one listens for signals: what Ctrl-C raises is
/// raised here once the work has stopped, with a note that says what became of the charge.
template <class Work>
Outcome Watched(std::optional<double> timeout, Work work) {
  struct Shared {
    std::mutex lock;
    std::condition_variable ended;
    bool done = false;
    std::vector<std::string> notices;
    Result<std::string> result = std::string();
  };
  const auto shared = std::make_shared<Shared>();  // the thread may let go of it last
  CancelFlag flag;
  std::optional<nb::python_error> raised;
  {
    const nb::gil_scoped_release free;
    Call call(flag);
    if (timeout) call = call.Until(In(*timeout));
    call.notice = [&](const std::string& text) {
      const std::lock_guard held(shared->lock);
      shared->notices.push_back(text);
    };
    Workers::Of().Do([&call, &work, shared] {
      auto result = work(call);
      const std::lock_guard held(shared->lock);
      shared->result = std::move(result);
      shared->done = true;
      shared->ended.notify_one();
    });
    std::unique_lock held(shared->lock);
    while (!shared->ended.wait_for(held, std::chrono::milliseconds(20), [&] { return shared->done; })) {
      held.unlock();
      {
        const nb::gil_scoped_acquire python;
        if (!raised && PyErr_CheckSignals() != 0) {
          raised.emplace();
          flag.Cancel();
        }
      }
      held.lock();
    }
  }
  const Result<std::string>& result = shared->result;
  if (raised) {
    const std::string text = result ? "kith had just finished: what was asked is in the ledger, and free if asked again"
                                    : result.error().Text();
    if (nb::hasattr(raised->value(), "add_note")) raised->value().attr("add_note")(text);
    throw nb::python_error(*raised);
  }
  return {result.has_value(), result ? *result : Document(result.error()), std::move(shared->notices)};
}

std::tuple<std::optional<HeldFrame>, std::string> TakeFrame(const nb::capsule& capsule) {
  constexpr char kName[] = "arrow_array_stream";
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), kName));
  if (stream == nullptr) throw nb::python_error();
  auto frame = Frame::Take(stream);
  if (!frame) return {std::nullopt, Document(frame.error())};
  return {HeldFrame{std::move(*frame)}, std::string()};
}

std::tuple<std::optional<HeldPolicy>, Outcome> OpenPolicy(const std::string& path,
                                                          const std::map<std::string, HeldFrame>& frames, int threads,
                                                          std::int64_t memory_bytes, std::optional<double> timeout,
                                                          bool remembered) {
  EngineOptions options;
  options.threads = threads;
  options.memory_bytes = memory_bytes;
  kith::Frames given;
  for (const auto& [name, held] : frames) given.emplace(name, held.frame);
  if (!given.empty()) options.engine = DuckDbEngine(std::move(given));
  HeldPolicy opened;
  Outcome outcome = Watched(timeout, [&](const Call& call) -> Result<std::string> {
    auto local = Local::Open(path, options, call, remembered);
    if (!local) return local.error();
    opened.local = std::move(*local);
    return std::string();
  });
  if (!opened.local) return {std::nullopt, std::move(outcome)};
  return {std::move(opened), std::move(outcome)};
}

}  // namespace
}  // namespace kith::python

NB_MODULE(_native, m) {
  nanobind::set_leak_warnings(false);  // a notebook keeps what it showed until its process ends
  using namespace kith::python;
  m.attr("version") = KITH_VERSION;
  nb::class_<HeldFrame>(m, "Frame")
      .def_prop_ro("rows", [](const HeldFrame& held) { return held.frame->rows(); })
      .def_prop_ro("names", [](const HeldFrame& held) {
        std::vector<std::string> names;
        for (const auto& column : held.frame->columns()) names.push_back(column.name);
        return names;
      });
  nb::class_<HeldPolicy>(m, "Policy")
      .def(
          "ask",
          [](const HeldPolicy& held, const std::string& what, const std::string& body, std::optional<double> timeout) {
            return Watched(timeout, [&](const kith::Call& call) { return held.local->Ask(what, body, call); });
          },
          nb::arg("what"), nb::arg("body"), nb::arg("timeout") = nb::none());
  m.def("take_frame", &TakeFrame, nb::arg("capsule"));
  m.def("open_policy", &OpenPolicy, nb::arg("path"), nb::arg("frames"), nb::arg("threads"), nb::arg("memory_bytes"),
        nb::arg("timeout") = nb::none(), nb::arg("remembered") = true);
  m.def(
      "compute",
      [](const std::string& what, const std::string& body, std::optional<double> timeout) {
        return Watched(timeout, [&](const kith::Call& call) { return Compute(what, body, call); });
      },
      nb::arg("what"), nb::arg("body"), nb::arg("timeout") = nb::none());
}
