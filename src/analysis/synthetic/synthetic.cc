#include "analysis/synthetic/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/derived/derived.h"
#include "mechanism/noise.h"
#include "mechanism/permute_and_flip.h"
#include "sql/quote.h"

namespace kith {
namespace {

using synthetic::Scope;

constexpr std::size_t kMaxPairCells = 20'000;
constexpr std::size_t kMaxCompositions = 5'000;
// What the parts of the price are for, in proportion.
constexpr double kColumns = 0.15, kChoices = 0.10, kPairs = 0.73, kAccuracy = 0.02;
constexpr double kGroups = 0.20, kGroupAccuracy = 0.03;
constexpr std::int64_t kRoundsPerColumn = 2;

std::optional<Error> OutOfRange(const SyntheticOptions& options) {
  if (options.columns.size() < 2 || options.columns.size() > SyntheticOptions::kMaxColumns) {
    return InvalidArgument(fmt::format("a synthetic table has 2 to {} columns", SyntheticOptions::kMaxColumns), {},
                           "name them, such as sex, age and income")
        .For("synthetic.columns");
  }
  const std::set<std::string> names(options.columns.begin(), options.columns.end());
  if (names.size() != options.columns.size())
    return InvalidArgument("a column is named twice", {}, "name each once").For("synthetic.columns");
  if (options.parts < 2 || options.parts > SyntheticOptions::kMaxParts)
    return InvalidArgument(fmt::format("bounds are cut into 2 to {} parts", SyntheticOptions::kMaxParts), {},
                           "leave the number of parts out")
        .For("synthetic.parts");
  if (options.rows && (*options.rows < 1 || *options.rows > SyntheticOptions::kMaxRows))
    return InvalidArgument(fmt::format("a synthetic table has 1 to {} rows", SyntheticOptions::kMaxRows), {},
                           "leave the number of rows out")
        .For("synthetic.rows");
  const bool of_these = std::all_of(options.together.begin(), options.together.end(),
                                    [&](const std::string& name) { return names.contains(name); });
  const std::set<std::string> together(options.together.begin(), options.together.end());
  if (options.together.size() > SyntheticOptions::kMaxTogether || !of_these ||
      together.size() != options.together.size())
    return InvalidArgument("what members of a household have in common is told from one or two of the columns", {},
                           "name one or two of them")
        .For("synthetic.together");
  return std::nullopt;
}

/// A question of counts, by these keys.
Result<Plan> CountsBy(const std::vector<std::string>& keys, const std::string& from, const std::string& where,
                      const Policy& policy) {
  std::string select, by;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    select += fmt::format("{} AS k{}, ", keys[k], k);
    by += fmt::format("{}{}", k == 0 ? "" : ", ", k + 1);
  }
  auto question = AskFor(fmt::format("SELECT {}count(*) AS n FROM {}{} GROUP BY {}", select, from,
                                     where.empty() ? "" : " WHERE " + where, by),
                         keys.size(), 1, policy);
  if (!question) return question.error();
  const Plan& plan = question->plan;
  if (plan.statistics.size() != 1 || plan.statistics.front().lattice.exponent != 0)
    return InternalError("a count is not a whole number");
  return question->plan;
}

void AddCells(const std::vector<bool>& charged, std::vector<bool>& all) {
  all.resize(charged.size());
  for (std::size_t k = 0; k < charged.size(); ++k) all[k] = all[k] || charged[k];
}

/// Of 1 to `size` members of this many types: (types + size choose size) - 1 compositions.
Result<void> FewCompositions(std::size_t types, std::size_t size) {
  double all = 1;  // exact as long as it is small
  for (std::size_t k = 1; k <= size && all <= 2.0 * kMaxCompositions; ++k)
    all = all * static_cast<double>(types + k) / static_cast<double>(k);
  if (all - 1 > static_cast<double>(kMaxCompositions)) {
    return InvalidArgument(fmt::format("households can have more than {} compositions", kMaxCompositions), {},
                           fmt::format("tell members apart by fewer values: at most {} compositions", kMaxCompositions))
        .For("synthetic.together");
  }
  // They are counted as groups, by how many members of each type there are: those of too many members included.
  const auto fits =
      static_cast<std::size_t>(std::floor(std::log(static_cast<double>(Plan::kMaxGroups)) /
                                              std::log(static_cast<double>(std::max<std::size_t>(size, 1)) + 1) +
                                          1e-9));
  if (types <= fits) return {};
  return InvalidArgument(
             fmt::format("members of {} types, up to {} of each in a household, are too many to count together", types,
                         size),
             {},
             fmt::format("tell members apart by at most {} types: {}^types is the number of groups, at most {}", fits,
                         size + 1, Plan::kMaxGroups))
      .For("synthetic.together");
}

/// The column that names a unit's household, where the policy says how many members one has at most.
std::optional<std::string> HouseholdColumn(const Policy& policy) {
  return policy.unit.within ? policy.unit.within : policy.dependence.by;
}

}  // namespace

Result<std::unique_ptr<Synthetic>> Synthetic::Make(const SyntheticOptions& options, const Policy& policy) {
  if (const auto error = OutOfRange(options)) return *error;
  std::unique_ptr<Synthetic> made(new Synthetic());
  made->options_ = options;
  std::string condition;
  if (!options.where.empty()) {
    if (auto one = IsOnePart(options.where, "the condition"); !one) return one.error();
    condition = fmt::format("({})", options.where);
  }
  for (const std::string& name : options.columns) {
    auto column = synthetic::TableColumn::Of(name, options.parts, policy);
    if (!column) return column.error();
    made->shown_.push_back(std::move(*column));
  }
  if (!options.together.empty()) {
    const auto household = HouseholdColumn(policy);
    if (!household) {
      return Unsupported("the policy does not say how many members a household has at most", {},
                         "declare within and size in [unit], or by and size in [dependence]")
          .For("synthetic.together");
    }
    made->groups_.emplace().column = *household;
    // Rows without a household are in no group: with them the two kinds of counts would be about different people.
    condition += fmt::format("{}{} IS NOT NULL", condition.empty() ? "" : " AND ", QuotedName(*household));
  }
  if (auto planned = made->PlanTables(policy, condition); !planned) return planned.error();
  if (made->groups_) {
    if (auto planned = made->PlanGroups(policy); !planned) return planned.error();
  }
  if (std::none_of(made->charged_.begin(), made->charged_.end(), [](bool cell) { return cell; })) {
    return Unsupported("nothing in these columns is secret: everybody can count them without kith", {},
                       "name columns that are not public")
        .For("synthetic.columns");
  }
  made->SetParts();
  return made;
}

Result<void> Synthetic::PlanTables(const Policy& policy, const std::string& condition) {
  const std::string from = QuotedName(policy.unit.table);
  for (std::size_t a = 0; a < shown_.size(); ++a) {
    auto plan = CountsBy({shown_[a].key()}, from, condition, policy);
    if (!plan) return plan.error();
    AddCells(plan->charged, charged_);
    values_.push_back(plan->keys.front().values);
    sizes_.push_back(values_.back().size());
    ones_.push_back({{a}, std::move(*plan)});
  }
  for (std::size_t a = 0; a < shown_.size(); ++a) {
    for (std::size_t b = a + 1; b < shown_.size(); ++b) {
      if (sizes_[a] * sizes_[b] > kMaxPairCells) {
        ++left_out_;
        continue;
      }
      auto plan = CountsBy({shown_[a].key(), shown_[b].key()}, from, condition, policy);
      if (!plan) return plan.error();
      if (plan->keys[0].values != values_[a] || plan->keys[1].values != values_[b])
        return InternalError("a column has other values beside another one");
      AddCells(plan->charged, charged_);
      pairs_.push_back({{a, b}, std::move(*plan)});
    }
  }
  if (pairs_.empty()) {
    return InvalidArgument("every two of these columns have too many cells together", {},
                           fmt::format("name columns of which two have at most {}", kMaxPairCells))
        .For("synthetic.columns");
  }
  return {};
}

Result<void> Synthetic::PlanGroups(const Policy& policy) {
  Groups& groups = *groups_;
  for (const std::string& name : options_.together) {
    const auto at = std::find(options_.columns.begin(), options_.columns.end(), name) - options_.columns.begin();
    groups.scope.push_back(static_cast<std::size_t>(at));
  }
  std::sort(groups.scope.begin(), groups.scope.end());
  const std::size_t types = synthetic::CellsOf(sizes_, groups.scope);
  const std::string where = options_.where.empty() ? "" : fmt::format(" WHERE ({})", options_.where);
  const auto counted = [&](const std::string& inner, const std::vector<std::string>& keys) {
    return CountsBy(keys,
                    fmt::format("({} FROM {}{} GROUP BY {}) AS h", inner, QuotedName(policy.unit.table), where,
                                QuotedName(groups.column)),
                    "", policy);
  };
  // Before anything that long is written down: how many members of one type a household can have.
  const auto sized = counted(fmt::format("SELECT {}, count(*) AS m0", QuotedName(groups.column)), {"m0"});
  if (!sized) return sized.error();
  std::size_t size = 0;
  for (const Value& value : sized->keys.front().values)
    size = std::max(size, static_cast<std::size_t>(NumberIn(value).value_or(0)));
  if (auto few = FewCompositions(types, size); !few) return few;
  std::string inner = fmt::format("SELECT {}", QuotedName(groups.column));
  std::vector<std::string> keys;
  for (std::size_t type = 0; type < types; ++type) {
    std::string is;
    std::size_t rest = type;
    for (std::size_t k = groups.scope.size(); k-- > 0;) {
      const std::size_t column = groups.scope[k];
      is = fmt::format("{}{}{}", shown_[column].Is(values_[column][rest % sizes_[column]]), is.empty() ? "" : " AND ",
                       is);
      rest /= sizes_[column];
    }
    inner += fmt::format(", count(*) FILTER (WHERE {}) AS m{}", is, type);
    keys.push_back(fmt::format("m{}", type));
  }
  auto plan = counted(inner, keys);
  if (!plan) return plan.error();
  AddCells(plan->charged, charged_);
  groups.plan = std::move(*plan);
  groups.compositions = synthetic::AllCompositions(types, size);
  return {};
}

void Synthetic::SetParts() {
  weights_ = {kColumns, kPairs, kAccuracy};
  const auto add = [&](double weight) {
    weights_.push_back(weight);
    return weights_.size() - 1;
  };
  if (rounds() < static_cast<std::int64_t>(pairs_.size())) parts_.choices = add(kChoices);
  if (!groups_) return;
  parts_.groups = add(kGroups);
  parts_.group_accuracy = add(kGroupAccuracy);
}

std::int64_t Synthetic::rounds() const {
  return std::min(static_cast<std::int64_t>(pairs_.size()),
                  kRoundsPerColumn * static_cast<std::int64_t>(shown_.size()));
}

std::int64_t Synthetic::spread() const {
  std::int64_t most = 0;
  for (const Table& pair : pairs_) most = std::max(most, pair.l1());
  return 2 * most;  // one of them nearer, another farther
}

std::string Synthetic::Normalised() const {
  std::string text = fmt::format(
      "synthetic {} rows, {} parts: ", options_.rows ? fmt::format("{}", *options_.rows) : "all", options_.parts);
  for (const Table& table : ones_) text += table.plan.normalised + "; ";
  if (groups_) text += "households: " + groups_->plan.normalised;
  return text;
}

std::int64_t Synthetic::DistanceOf(std::span<const std::int64_t> counts, std::span<const std::int64_t> expected,
                                   std::int64_t noise) {
  constexpr Int128 kMost = Int128{1} << 52;
  Int128 apart = 0;
  for (std::size_t cell = 0; cell < counts.size(); ++cell) {
    const Int128 difference = Int128{counts[cell]} - expected[cell];
    apart += difference < 0 ? -difference : difference;
  }
  return static_cast<std::int64_t>(kMost - std::min(apart, kMost) + std::clamp<Int128>(noise, 0, kMost));
}

}  // namespace kith
