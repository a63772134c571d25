// A question on its way out.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "loss/loss_text.h"
#include "policy/growth.h"
#include "query/everybody.h"
#include "query/output/output.h"
#include "query/reordered.h"
#include "release/after_release.h"
#include "release/allowed.h"
#include "release/average_error.h"
#include "release/compose_answer.h"
#include "release/group_sizes.h"
#include "release/joint_price.h"
#include "release/noisy.h"
#include "release/pipeline.h"
#include "release/price_left.h"
#include "release/public_facts.h"
#include "release/ranks.h"
#include "release/strata.h"
#include "release/worth.h"
#include "transfer/idle_strength.h"

namespace kith {
namespace {

struct QuestionRelease final : Release {
  Plan plan;
  std::optional<double> units;  // how many there are, where that is public and known
  bool units_public = false;
  std::string idle_strength;    // a remark on it
  std::int64_t group_size = 0;  // of the declared dependence, if it is about groups
  std::int64_t max_rows = 1;
  std::optional<PublicPart> open;  // where units are public: whom each group can have
  RememberedGroups groups;
  const Account* account = nullptr;  // outlives the release
  double epsilon_total = 0;

  std::string sql;
  std::shared_ptr<const Policy> about;
  Price price;
  std::vector<JointMove> moves;
  std::vector<PlainUnits> apart;  // the shares of statistics that are priced one by one, as they once were

  // With its columns in another order, and the text that its key is made of.
  struct Twin {
    Reordered other;
    std::string key_text;
  };
  std::vector<Twin> Twins(const DataState& data) const {
    constexpr std::size_t kMostGroups = 4096;  // they are planned one by one
    const auto chosen = [](const Statistic& statistic) { return statistic.quantile != nullptr; };
    std::vector<Twin> twins;
    if (IsJoint(priced) && priced.shares != apart) {
      QuestionRelease before;
      before.normalised = normalised;
      before.level = level;
      before.priced.shares = apart;
      Reordered same{normalised, std::vector<std::size_t>(plan.outputs.size()), true};
      std::iota(same.outputs.begin(), same.outputs.end(), std::size_t{0});
      twins.push_back({std::move(same), before.KeyText(reads, data)});
    }
    if (!price.epsilon || !price.split.empty() || !priced.strata.empty() || plan.groups() > kMostGroups) return twins;
    if (std::any_of(plan.statistics.begin(), plan.statistics.end(), chosen)) return twins;
    for (Reordered& other : OtherOrdersOf(sql, *about)) {
      if (!other.same_rows && !ShowsItsKeys()) continue;
      const auto theirs = PlanQuestion(other.normalised, *about);
      if (!theirs || theirs->normalised != other.normalised) continue;
      const auto known = MovesInOrder(plan, moves, *theirs);
      const auto theirs_moves = known ? *known : JointMovesOf(other.normalised, *about, *theirs);
      auto paid = PriceJointly(*theirs, theirs_moves, price, epsilon_total, account->Budget(theirs->charged, level));
      if (!paid) continue;
      QuestionRelease twin;
      twin.normalised = other.normalised;
      twin.level = level;
      twin.priced = std::move(*paid);
      const std::string key = twin.KeyText(ReadingText(DescribePolicy(*about), other.normalised), data);
      twins.push_back({std::move(other), key});
    }
    return twins;
  }

  std::vector<std::string> OtherKeyTexts(const DataState& data) const override {
    std::vector<std::string> texts;
    for (Twin& twin : Twins(data)) texts.push_back(std::move(twin.key_text));
    return texts;
  }

  // Where rows can be put in order by what they show.
  bool ShowsItsKeys() const {
    std::set<std::size_t> shown;
    for (const OutputColumn& column : plan.outputs) {
      if (const auto key = column.expr->Key()) shown.insert(*key);
    }
    return shown.size() == plan.keys.size() && plan.order_by.empty();
  }

  // An answer to the same question with its columns in another order holds the same numbers.
  Result<std::optional<Answer>> Again(const Desk& desk, bool alone) override {
    auto found = Release::Again(desk, alone);
    if (!found || *found || alone) return found;
    for (const Twin& twin : Twins(desk.data())) {
      auto stored = StoredAnswerUnder(desk.book().KeyOf(twin.key_text), desk);
      if (!stored) return stored;
      if (!*stored || (*stored)->columns.size() != plan.outputs.size()) continue;
      PutInOrder(twin.other, **stored);
      return stored;
    }
    return found;
  }

  void PutInOrder(const Reordered& other, Answer& answer) const {
    answer.columns = InOrder(other, answer.columns);
    for (auto& row : answer.rows) row = InOrder(other, row);
    for (std::size_t& column : answer.histograms) column = other.outputs.at(column);
    if (other.same_rows) return;
    std::map<std::string, std::size_t> place;  // of a group's keys
    for (std::size_t group = 0; group < plan.groups(); ++group) {
      std::string keys;
      for (const Value& key : plan.ShownKeys(group)) keys += ToText(key) + "\n";
      place.emplace(std::move(keys), group);
    }
    const auto place_of = [&](const std::vector<AnswerCell>& row) {
      std::vector<std::string> texts(plan.keys.size());
      for (std::size_t k = 0; k < plan.outputs.size(); ++k) {
        if (const auto key = plan.outputs[k].expr->Key()) texts[*key] = ToText(row[k].value);
      }
      std::string keys;
      for (const std::string& text : texts) keys += text + "\n";
      return place[keys];
    };
    std::stable_sort(answer.rows.begin(), answer.rows.end(),
                     [&](const auto& a, const auto& b) { return place_of(a) < place_of(b); });
  }

  // The largest group, as far as it is known.
  struct Largest {
    InGroup most;
    bool several = false, assumed = true;

    std::vector<Worth> Describe(std::vector<Worth> all) const {
      for (Worth& worth : all) {
        worth.units = most.units.value_or(0);
        worth.several = several;
        worth.assumed = assumed;
      }
      return all;
    }
  };
  Largest LargestOf(const std::vector<std::size_t>& among) const {
    Largest largest{{units, units}, among.size() > 1};
    if (!open || !units) return largest;
    if (open->everybody) largest.assumed = false;
    if (const auto sizes = GroupsOfCells(*open, plan, about->cells, groups.cells)) {
      double most = 0;
      for (const std::size_t group : among) most = std::max(most, sizes->units[group]);
      if (most <= *units) largest.most = {most, most};
      largest.assumed = !open->cells_say_all;
    }
    const auto found = groups.most.find(open->plan.normalised);
    if (found == groups.most.end()) return largest;
    if (priced.strata.empty()) largest.assumed = false;
    largest.most.units = std::min(*largest.most.units, found->second.units);
    if (found->second.households > 0)
      largest.most.households = std::min(*largest.most.households, found->second.households);
    return largest;
  }
  std::vector<Worth> WorthIn(const std::vector<std::size_t>& among, const Priced& at) const {
    const Largest largest = LargestOf(among);
    return largest.Describe(WorthOf(plan, at, largest.most, max_rows));
  }
  std::vector<std::size_t> FinestGroups() const {
    std::vector<std::size_t> all(plan.finest_groups());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  // What would make it better than noise may be more than there is.
  Worth::Beyond BeyondOf(const Worth& worth, const Totals& so_far) const {
    const auto budget = static_cast<double>(account->Budget(charged, level).count());
    const double wanted = worth.times * static_cast<double>(priced.total.count());
    if (!worth.only_noise || !(budget > 0)) return Worth::Beyond::kNothing;
    if (wanted > budget) return Worth::Beyond::kBudget;
    const double left = PriceLeft(*account, so_far, {charged, covers, level}, epsilon_total);
    return wanted * epsilon_total > left * budget ? Worth::Beyond::kLeft : Worth::Beyond::kNothing;
  }

  Result<Explanation> Explain(const Totals& so_far) const override {
    Explanation out;
    out.plan = plan;
    if (priced.strata.empty()) {
      out.averages = AverageErrors(plan, priced);
      out.worth = WorthIn(FinestGroups(), priced);
      for (Worth& worth : out.worth) {
        worth.group = group_size;
        worth.beyond = BeyondOf(worth, so_far);
      }
    }
    for (const PricedStratum& stratum : priced.strata) AddBars(stratum, out);
    if (units_public && !units && !plan.noisy().empty())
      out.plan.notes.push_back({NoteKind::kAccuracy,
                                "how many units there are is public, but not known yet: after an import by the "
                                "curator, or the first answer, this shows what an answer would be worth"});
    if (IsJoint(priced)) {
      const auto sum = std::accumulate(priced.shares.begin(), priced.shares.end(), 0.0,
                                       [](double all, PlainUnits share) { return all + share.epsilon(); });
      out.plan.notes.push_back(
          {NoteKind::kMethod,
           fmt::format("priced together: no record can move all of these statistics at once as far as each by itself; "
                       "the shares add up to {}, and the answer loses {}",
                       LossText(sum), LossText(priced.total.epsilon()))});
    }
    if (!idle_strength.empty()) out.plan.notes.push_back({NoteKind::kMethod, idle_strength});
    out.noise = priced.noise;
    out.statements.push_back(plan.statement);
    std::optional<double> most_rows = LargestOf(FinestGroups()).most.units;
    if (most_rows) *most_rows *= static_cast<double>(max_rows);
    for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
      const Statistic& statistic = plan.statistics[k];
      if (!statistic.quantile) continue;
      if (statistic.noisy()) AddRankNotes(statistic, k, priced, out.plan.notes, most_rows);
      out.statements.push_back(statistic.quantile->statement);
    }
    return out;
  }

  // What its price buys in one stratum.
  void AddBars(const PricedStratum& stratum, Explanation& out) const {
    for (AverageError& line : AverageErrors(plan, stratum.priced)) {
      line.stratum = stratum.name;
      out.averages.push_back(std::move(line));
    }
    for (Worth& worth : WorthIn(stratum.groups, stratum.priced)) {
      worth.group = stratum.size;
      worth.stratum = stratum.name;
      out.worth.push_back(std::move(worth));
    }
  }

  Result<NoisyGroups> Noisy(const Exact& exact) const {
    BitSource& bits = SystemBits::ForThisThread();
    if (priced.strata.empty()) return AddNoise(plan, exact, priced.laws, bits);
    std::vector<GroupLaws> parts;
    for (const PricedStratum& stratum : priced.strata) parts.push_back({stratum.groups, stratum.priced.laws});
    return AddNoise(plan, exact, parts, bits);
  }

  Result<Answer> Compute(Desk& desk, const Call& call) override {
    const auto exact = ReadExact(plan, desk.engine(), call.cancel);
    if (!exact) return exact.error();
    const auto noisy = Noisy(*exact);
    if (!noisy) return noisy.error();
    if (!plan.noisy().empty()) units = CountUnits(desk.curator(), desk.data(), desk.engine(), call.cancel);
    Answer answer = ComposeAnswer(plan, *noisy, priced, units, SizesOf(desk, call), max_rows);
    if (IsJoint(priced)) {
      for (const char* claim : {"JOINT-1", "JOINT-2"}) answer.certificate.claims.emplace_back(claim);
    }
    return answer;
  }

  std::optional<GroupSizes> SizesOf(const Desk& desk, const Call& call) const {
    const bool nobody = !open || (open->everybody && open->plan.statistics.size() == 1);
    if (plan.noisy().empty() || nobody || !units || *units > kMostCounted) return std::nullopt;
    const auto sizes = CountGroups(*open, plan, desk.engine(), call.cancel);
    if (sizes)
      RememberGroups(desk.curator(), desk.data(), open->plan.normalised, {sizes->most_units, sizes->most_households});
    return sizes;
  }
};

}  // namespace

Result<std::unique_ptr<Release>> MakeRelease(const QuestionRequest& request, const Price& price, const Ground& ground) {
  if (auto may = MayCharge(ground.policy, false); !may) return may.error();
  const auto about = AskedAbout(ground.policy, request.unit);
  if (!about) return about.error();
  auto plan = PlanQuestion(request.sql, *about);
  if (!plan) {
    if (plan.error().code != Code::kUnsupportedQuery) return plan.error();
    auto after = MakeAfterRelease(request, price, ground, *about);
    if (after && !*after) return plan.error();
    return after;
  }
  const bool everybody = price.error_95 && request.unit == UnitLevel::kPerson && ground.policy.unit.max_rows == 1 &&
                         IsAboutEverybody(request.sql, ground.policy);
  const PlainUnits budget = ground.account.Budget(plan->charged, request.unit);
  const auto known = everybody ? ground.units : std::nullopt;
  auto priced = PriceQuestion(*plan, price, ground.policy.epsilon_total, budget, known);
  if (!priced) return priced.error();
  std::vector<PlainUnits> apart = priced->shares;
  auto by_stratum = PriceByStratum(*plan, price, ground.policy, ground.account, request.unit);
  if (!by_stratum) return by_stratum.error();
  std::vector<JointMove> moves;
  if (*by_stratum) {
    priced = std::move(**by_stratum);
  } else if (!ground.policy.dependence.known) {
    moves = JointMovesOf(request.sql, *about, *plan);
    priced = PriceJointly(*plan, moves, price, ground.policy.epsilon_total, budget, known);
    if (!priced) return priced.error();
  }
  auto release = std::make_unique<QuestionRelease>();
  release->normalised = plan->normalised;
  release->reads = ReadingText(DescribePolicy(*about), plan->normalised);
  release->charged = plan->charged;
  release->level = request.unit;
  release->priced = std::move(*priced);
  release->plan = std::move(*plan);
  release->units = ground.units;
  release->open = PublicPartOf(request.sql, *about);
  release->groups = ground.groups;
  release->account = &ground.account;
  release->epsilon_total = ground.policy.epsilon_total;
  release->max_rows = about->unit.max_rows;
  release->sql = request.sql;
  release->about = std::make_shared<const Policy>(*about);
  release->price = price;
  release->moves = std::move(moves);
  release->apart = std::move(apart);
  release->units_public = UnitsArePublic(ground.policy);
  if (ground.explains && !ground.policy.dependence.known)
    release->idle_strength = IdleStrength(ground.policy.dependence.model, ground.policy.epsilon_total);
  if (const auto* group = std::get_if<Group>(&ground.policy.dependence.model)) release->group_size = group->size;
  return release;
}

}  // namespace kith
