#include "experiment/world.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "engine/read_once.h"
#include "release/analyse.h"
#include "release/compose_answer.h"
#include "release/joint_price.h"

namespace kith::experiment {

Result<World> World::Make(const std::string& csv, const std::string& unit, const std::string& columns,
                          std::uint64_t seed, const CancelFlag& cancel) {
  World world;
  world.bits_ = std::make_unique<SeededBits>(seed);
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
  auto engine = ImportAndOpen(*world.policy_, {}, cancel);
  if (!engine) return engine.error();
  world.engine_ = ReadOnce(std::move(*engine));
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
  return RunAnalysis(analysis, *policy_, *engine_, *paid, *bits_, cancel);
}

Result<Answer> World::Run(const Study& study, double plain, const CancelFlag& cancel) const {
  const auto budget = PlainUnits::Floor(plain);
  if (!budget) return budget.error();
  Price price;
  price.epsilon = plain;
  const auto paid = PriceStudy(study, price, plain, *budget);
  if (!paid) return paid.error();
  return RunStudy(study, *engine_, *paid, *bits_, cancel);
}

Result<Answer> World::Ask(const std::string& sql, double plain, const CancelFlag& cancel) const {
  const auto plan = PlanQuestion(sql, *policy_);
  if (!plan) return plan.error();
  const auto budget = PlainUnits::Floor(plain);
  if (!budget) return budget.error();
  Price price;
  price.epsilon = plain;
  const auto paid = PriceJointly(*plan, JointMovesOf(sql, *policy_, *plan), price, plain, *budget);
  if (!paid) return paid.error();
  const auto exact = ReadExact(*plan, *engine_, cancel);
  if (!exact) return exact.error();
  const auto noisy = AddNoise(*plan, *exact, paid->laws, *bits_);
  if (!noisy) return noisy.error();
  return ComposeAnswer(*plan, *noisy, *paid);
}

double NumberIn(const AnswerCell& cell) { return kith::NumberIn(cell.value).value_or(0); }

}  // namespace kith::experiment
