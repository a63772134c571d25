#include "app/experiment/world.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "random/bits.h"
#include "release/analyse.h"
#include "release/compose_answer.h"

namespace kith::experiment {
namespace {

/// Answers the same statement again from memory: a figure asks dozens of times about one table, and only the noise is
/// new. For one thread.
class ReadOnce final : public Engine {
 public:
  explicit ReadOnce(std::unique_ptr<Engine> inner) : inner_(std::move(inner)) {}
  Dialect dialect() const override { return inner_->dialect(); }
  Result<std::string> DataVersion() const override { return inner_->DataVersion(); }
  bool Current() const override { return inner_->Current(); }
  Result<IntegerTable> Run(const std::string& sql, const CancelFlag& cancel) const override {
    if (const auto known = tables_.find(sql); known != tables_.end()) return known->second;
    auto table = inner_->Run(sql, cancel);
    if (tables_.size() > 64) tables_.clear();  // steps of k-means are all different
    if (table) tables_.emplace(sql, *table);
    return table;
  }
  Result<void> Scan(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const override {
    if (sql != sql_) {
      columns_.clear();
      sql_.clear();
      const auto read = inner_->Scan(
          sql,
          [&](IntegerColumns chunk) -> Result<void> {
            columns_.resize(chunk.size());
            for (std::size_t k = 0; k < chunk.size(); ++k)
              columns_[k].insert(columns_[k].end(), chunk[k].begin(), chunk[k].end());
            return {};
          },
          cancel);
      if (!read) return read;
      sql_ = sql;
    }
    if (columns_.empty()) return {};
    const std::vector<std::span<const std::int64_t>> chunk(columns_.begin(), columns_.end());
    return sink(chunk);
  }

 private:
  std::unique_ptr<Engine> inner_;
  mutable std::map<std::string, IntegerTable> tables_;
  mutable std::string sql_;  // whose rows are kept
  mutable std::vector<std::vector<std::int64_t>> columns_;
};

}  // namespace

Result<World> World::Make(const std::string& csv, const std::string& unit, const std::string& columns,
                          const CancelFlag& cancel) {
  World world;
  std::error_code failed;
  std::string name = (std::filesystem::temp_directory_path(failed) / "kith-experiment-XXXXXX").string();
  const char* made = ::mkdtemp(name.data());
  if (failed || made == nullptr)
    return StorageError("cannot make a folder for temporary files", {}, "set TMPDIR to a folder that can be written");
  world.folder_ = made;
  std::ofstream file(world.folder_ / "t.csv", std::ios::binary);
  file << csv;
  file.close();
  if (!file) return StorageError("cannot write a temporary file", world.folder_.string(), "is the disk full?");
  auto policy = Policy::Parse(fmt::format("[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\n{}\n[columns.t]\n{}\n"
                                          "[dependence]\nsource = \"public\"\nkind = \"independent\"\n"
                                          "[budget]\nepsilon = 1\nledger = \"none\"\n",
                                          unit, columns),
                              world.folder_ / "policy.toml");
  if (!policy) return policy.error();
  world.policy_ = std::make_unique<Policy>(std::move(*policy));
  auto engine = OpenEngine(*world.policy_, {}, cancel);
  if (!engine) return engine.error();
  world.engine_ = std::make_unique<ReadOnce>(std::move(*engine));
  return world;
}

World::World(World&& other) noexcept = default;
World& World::operator=(World&& other) noexcept = default;

World::~World() {
  engine_.reset();
  std::error_code ignored;
  if (policy_) std::filesystem::remove_all(folder_, ignored);
}

Result<Answer> World::Run(const Analysis& analysis, double plain, const CancelFlag& cancel) const {
  const auto budget = PlainUnits::Floor(plain);
  if (!budget) return budget.error();
  Price price;
  price.epsilon = plain;
  const auto paid = PriceAnalysis(analysis, price, plain, *budget);
  if (!paid) return paid.error();
  return RunAnalysis(analysis, *engine_, *paid, SystemBits::ForThisThread(), cancel);
}

Result<Answer> World::Run(const Study& study, double plain, const CancelFlag& cancel) const {
  const auto budget = PlainUnits::Floor(plain);
  if (!budget) return budget.error();
  Price price;
  price.epsilon = plain;
  const auto paid = PriceStudy(study, price, plain, *budget);
  if (!paid) return paid.error();
  return RunStudy(study, *engine_, *paid, SystemBits::ForThisThread(), cancel);
}

Result<Answer> World::Ask(const std::string& sql, double plain, const CancelFlag& cancel) const {
  const auto plan = PlanQuestion(sql, *policy_);
  if (!plan) return plan.error();
  const auto budget = PlainUnits::Floor(plain);
  if (!budget) return budget.error();
  Price price;
  price.epsilon = plain;
  const auto paid = PriceQuestion(*plan, price, plain, *budget);
  if (!paid) return paid.error();
  const auto exact = ReadExact(*plan, *engine_, cancel);
  if (!exact) return exact.error();
  const auto noisy = AddNoise(*plan, *exact, paid->shares, SystemBits::ForThisThread());
  if (!noisy) return noisy.error();
  return ComposeAnswer(*plan, *noisy, *paid);
}

double NumberIn(const AnswerCell& cell) {
  const auto* real = std::get_if<double>(&cell.value);
  const auto* whole = std::get_if<std::int64_t>(&cell.value);
  return real ? *real : whole ? static_cast<double>(*whole) : 0;
}

}  // namespace kith::experiment
