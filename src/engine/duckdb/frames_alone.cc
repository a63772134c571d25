#include "engine/duckdb/frames_alone.h"

#include <algorithm>
#include <mutex>

#include "engine/duckdb/framed.h"
#include "engine/duckdb/unit_rows.h"
#include "engine/key_scan.h"
#include "engine/promises.h"
#include "engine/shape_runner.h"

namespace kith {
namespace {

// Frames whose rows are units, about which nothing is promised: there is nothing to check before the first question.
// Most questions about them are programs; DuckDB is loaded and opened, which takes longer than those, when the first
// one is not.
class FramesAlone final : public Session, public KeyScan, public ShapeRunner {
 public:
  FramesAlone(const Policy& policy, const EngineOptions& options, const std::vector<OpenedTable>& tables, OpenNow open)
      : policy_(policy),
        options_(options),
        open_(std::move(open)),
        state_(StateOf(tables)),
        framed_(FramedTables(policy, options, tables)),
        threads_(ThreadsOf(options)) {}

  const sql::Dialect& dialect() const override { return sql::DuckDb(); }
  std::optional<std::string> version() const override { return state_; }
  bool Current() const override { return true; }

  Result<IntegerTable> RunText(const std::string& sql, const CancelFlag& cancel) const override {
    const auto opened = Opened(cancel);
    if (!opened) return opened.error();
    return (*opened)->RunText(sql, cancel);
  }
  Result<IntegerTable> RunShape(const sql::Statement& statement, const CancelFlag& cancel) const override {
    return Run(statement, cancel);
  }
  Result<void> ScanText(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const override {
    const auto opened = Opened(cancel);
    if (!opened) return opened.error();
    return (*opened)->ScanText(sql, sink, cancel);
  }
  Result<void> ScanKeysText(const std::string& sql, const KeySink& sink, const CancelFlag& cancel) const override {
    const auto opened = Opened(cancel);
    if (!opened) return opened.error();
    return dynamic_cast<const KeyScan&>(**opened).ScanKeysText(sql, sink, cancel);
  }

 private:
  std::optional<Result<IntegerTable>> RunShort(const sql::Statement& statement,
                                               const CancelFlag& cancel) const override {
    return RunInFrames(statement, {}, framed_, threads_, cancel);
  }

  Result<const Session*> Opened(const CancelFlag& cancel) const {
    const std::lock_guard lock(mutex_);
    if (!opened_) {
      auto opened = open_(policy_, options_, Call(cancel));
      if (!opened) return opened.error();
      opened_ = std::move(*opened);
    }
    return opened_.get();
  }

  const Policy policy_;
  const EngineOptions options_;
  const OpenNow open_;
  const std::string state_;
  const std::vector<FramedTable> framed_;
  const int threads_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Session> opened_;
};

}  // namespace

Result<std::unique_ptr<Session>> OpenFramesAlone(const Policy& policy, const EngineOptions& options, OpenNow open) {
  const auto is_frame = [](const Table& table) { return !FrameNamed(table.source).empty(); };
  if (!std::all_of(policy.tables.begin(), policy.tables.end(), is_frame) || policy.unit.key ||
      !options.output.empty() || !PromisesOf(policy).empty())
    return std::unique_ptr<Session>();
  std::vector<OpenedTable> tables;
  for (const Table& table : policy.tables) {
    auto described = DescribeFrame(table, policy, FramesOf(options), {});
    if (!described) return described.error();
    tables.push_back(std::move(*described));
  }
  return std::make_unique<FramesAlone>(policy, options, tables, std::move(open));
}

}  // namespace kith
