#include "engine/read_once.h"

#include <map>
#include <utility>
#include <vector>

#include "engine/key_scan.h"

namespace kith {
namespace {

constexpr std::size_t kKept = 64;  // steps of k-means are all different

template <class Result>
void Keep(std::map<std::string, Result>& known, const std::string& sql, Result result) {
  if (known.size() >= kKept) known.clear();
  known.emplace(sql, std::move(result));
}

class ReadOnceSession final : public Session, public KeyScan {
 public:
  explicit ReadOnceSession(std::unique_ptr<Session> inner) : inner_(std::move(inner)) {}
  const sql::Dialect& dialect() const override { return inner_->dialect(); }
  std::optional<std::string> version() const override { return inner_->version(); }
  bool Current() const override { return inner_->Current(); }
  sql::UnitRows unit_rows() const override { return inner_->unit_rows(); }

  Result<IntegerTable> RunText(const std::string& sql, const CancelFlag& cancel) const override {
    if (const auto known = tables_.find(sql); known != tables_.end()) return known->second;
    auto table = inner_->RunText(sql, cancel);
    if (table) Keep(tables_, sql, *table);
    return table;
  }

  Result<void> ScanText(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const override {
    if (!scans_.contains(sql)) {
      Columns columns;
      const auto take = [&](IntegerColumns chunk) -> Result<void> {
        columns.resize(chunk.size());
        for (std::size_t k = 0; k < chunk.size(); ++k)
          columns[k].insert(columns[k].end(), chunk[k].begin(), chunk[k].end());
        return {};
      };
      if (auto read = inner_->ScanText(sql, take, cancel); !read) return read.error();
      Keep(scans_, sql, std::move(columns));
    }
    const Columns& columns = scans_.at(sql);
    if (columns.empty()) return {};  // no rows
    const std::vector<std::span<const std::int64_t>> spans(columns.begin(), columns.end());
    return sink(spans);
  }

  Result<void> ScanKeysText(const std::string& sql, const KeySink& sink, const CancelFlag& cancel) const override {
    const auto* keys = dynamic_cast<const KeyScan*>(inner_.get());
    if (keys == nullptr) return InternalError("this engine hands over no keys");
    return keys->ScanKeysText(sql, sink, cancel);
  }

 private:
  using Columns = std::vector<std::vector<std::int64_t>>;
  std::unique_ptr<Session> inner_;
  mutable std::map<std::string, IntegerTable> tables_;
  mutable std::map<std::string, Columns> scans_;
};

}  // namespace

std::unique_ptr<Session> ReadOnce(std::unique_ptr<Session> inner) {
  return std::make_unique<ReadOnceSession>(std::move(inner));
}

}  // namespace kith
