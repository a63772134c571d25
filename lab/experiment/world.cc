#include "experiment/world.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "engine/read_once.h"
#include "kernel/unbooked.h"
#include "release/analyse.h"
#include "release/compose_answer.h"
#include "release/joint_price.h"
#include "release/levels.h"

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
  const auto priced = PriceAnalysis(analysis, price, plain, *budget);
  if (!priced) return priced.error();
  Paid paid = Unbooked::Of(priced->total, policy_->cells.size());
  return RunAnalysis(analysis, *policy_, Vault(*policy_, *engine_, *bits_, cancel), *priced, paid, cancel);
}

Result<Answer> World::Run(const Study& study, double plain, const CancelFlag& cancel) const {
  const auto budget = PlainUnits::Floor(plain);
  if (!budget) return budget.error();
  Price price;
  price.epsilon = plain;
  const auto priced = PriceStudy(study, price, plain, *budget);
  if (!priced) return priced.error();
  Paid paid = Unbooked::Of(priced->total, policy_->cells.size());
  return RunStudy(study, Vault(*policy_, *engine_, *bits_, cancel), *priced, paid);
}

Result<Answer> World::Ask(const std::string& sql, double plain, const CancelFlag& cancel) const {
  const auto plan = PlanQuestion(sql, *policy_);
  if (!plan) return plan.error();
  const auto budget = PlainUnits::Floor(plain);
  if (!budget) return budget.error();
  Price price;
  price.epsilon = plain;
  const MovesOfBoth moves{JointMovesOf(sql, *policy_, *plan), {}};
  const auto priced = PriceJointly(*plan, moves.any, price, plain, *budget);
  if (!priced) return priced.error();
  const auto checked = CheckPlan(*plan, *policy_);
  if (!checked) return checked.error();
  const Vault vault(*policy_, *engine_, *bits_, cancel);
  const auto sealed = vault.Run(*checked);
  if (!sealed) return sealed.error();
  Paid paid = Unbooked::Of(priced->total, policy_->cells.size());
  auto noisy = vault.Open(*sealed, paid, {.shares = priced->shares, .moves = &moves});
  if (!noisy) return noisy.error();
  MakeConsistent(*plan, *noisy);
  return ComposeAnswer(*plan, *noisy, *priced);
}

double NumberIn(const AnswerCell& cell) { return kith::NumberIn(cell.value).value_or(0); }

}  // namespace kith::experiment
