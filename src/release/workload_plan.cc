#include "release/workload_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "kernel/ranks.h"
#include "loss/loss_text.h"
#include "mechanism/noise_sum.h"
#include "query/output/output.h"
#include "release/allowed.h"
#include "release/cell_sums.h"
#include "release/chosen_rows.h"
#include "release/joint_price.h"
#include "release/presence_price.h"
#include "release/question_release.h"
#include "release/strata.h"

namespace kith {
namespace {

using workload::Planned;

constexpr int kMostTries = 24;         // of groups
constexpr double kRoom = 1 - 0x1p-20;  // for the rounding of many prices

Error OfQuestion(Error error, const workload::Entry& entry) {
  const std::string place = fmt::format("the question in line {}", entry.line);
  error.where = error.where.empty() ? place : place + ": " + error.where;
  return error;
}

class Planner {
 public:
  Planner(const WorkloadRequest& request, const Price& price, const ReleaseContext& context, const Policy& about)
      : request_(request), price_(price), ground_(context), about_(std::make_shared<const Policy>(about)) {}

  Result<WorkloadPlan> Make() {
    for (const auto& step :
         {&Planner::Read, &Planner::Share, &Planner::SeeTables, &Planner::MakeGroups, &Planner::MakeOwn}) {
      if (auto done = (this->*step)(); !done) return done.error();
    }
    return std::move(plan_);
  }

 private:
  using Chain = workload::Chain;

  Result<void> Read() {
    auto entries = workload::ReadEntries(request_.text);
    if (!entries) return entries.error();
    std::map<std::string, std::size_t> known;
    for (workload::Entry& entry : *entries) {
      WorkloadQuestion& question = plan_.questions.emplace_back();
      question.entry = std::move(entry);
      auto bound = BindQuestion(question.entry.sql, *about_, kMaxQuestionBytes);
      std::string text = question.entry.sql;
      if (bound) {
        auto plan = MakePlan(*bound);
        if (plan) {
          text = plan->normalised;
          if (!WantsIntervals(question.entry)) SetIntervals(*plan, false);
          question.planned = Planned{std::move(*bound), std::move(*plan)};
        }
      }
      const auto [first, fresh] = known.try_emplace(text, plan_.questions.size() - 1);
      if (fresh) continue;
      workload::Entry& before = plan_.questions[first->second].entry;
      const workload::Entry& now = question.entry;
      if (before.error_95 != now.error_95 || before.epsilon != now.epsilon ||
          WantsIntervals(before) != WantsIntervals(now))
        return InvalidArgument(fmt::format("the questions in lines {} and {} are the same, and want different things",
                                           before.line, now.line),
                               {}, "leave one of them out");
      before.weight = std::max(before.weight, now.weight);
      question.same_as = first->second;
    }
    return {};
  }

  bool WantsIntervals(const workload::Entry& entry) const { return entry.intervals.value_or(price_.intervals); }

  PlainUnits BudgetOf(const Plan& plan) const { return ground_.account.Budget(plan.charged, request_.unit); }

  // What an amount that was solved for is as a part of the policy's epsilon.
  double EpsilonOf(const Priced& priced, PlainUnits budget) const {
    const PlainUnits counted = ground_.account.counts_presence() ? priced.OfPresence() : priced.total;
    return counted.epsilon() / budget.epsilon() * ground_.policy.epsilon_total;
  }

  Result<Priced> PriceAlone(const Planned& planned, const Price& price) const {
    MovesOfBoth moves;
    if (planned.plan.statistics.size() > 1 && !ground_.policy.dependence.known)
      moves = MovesOfBothFor(planned.plan.normalised, *about_, planned.plan);
    return PriceBoth(
        planned.plan, moves,
        {price, ground_.policy.epsilon_total, BudgetOf(planned.plan), std::nullopt, ground_.account.counts_presence()});
  }

  // Each question's part of the price.
  Result<void> Share() {
    if (price_.error_95 || !price_.split.empty())
      return InvalidArgument("a plan takes one epsilon, or a hint beside every question; no single error bar or split",
                             {}, "write the bar that is wanted beside each question: -- kith: error 50")
          .For("price.epsilon");
    double fixed = 0, weights = 0;
    for (WorkloadQuestion& question : plan_.questions) {
      if (question.same_as) continue;
      if (question.IsFree()) {
        question.epsilon = price_.epsilon.value_or(ground_.policy.epsilon_total);
        continue;
      }
      if (question.entry.error_95) {
        auto epsilon = EpsilonForError(question);
        if (!epsilon) return OfQuestion(epsilon.error(), question.entry);
        question.epsilon = *epsilon;
      } else if (question.entry.epsilon) {
        question.epsilon = *question.entry.epsilon;
      } else {
        weights += question.entry.weight;
      }
      fixed += question.epsilon;
    }
    if (!price_.epsilon && weights > 0)
      return InvalidArgument("an epsilon for the whole plan is missing", {},
                             "offer one, or write beside every question what is wanted: -- kith: error 50 or -- kith: "
                             "epsilon 0.1")
          .For("price.epsilon");
    const double left = price_.epsilon.value_or(fixed) - fixed;
    if (price_.epsilon && (left < 0 || (weights > 0 && left <= 0)))
      return Error{Code::kBudgetExhausted,
                   fmt::format("the questions that name an error or an epsilon take {} together, and {} is "
                               "offered for the plan",
                               LossText(fixed), LeftText(*price_.epsilon)),
                   {},
                   "offer more, or ask for wider bars"}
          .For("price.epsilon");
    for (WorkloadQuestion& question : plan_.questions) {
      if (question.same_as || question.entry.has_price() || question.epsilon > 0) continue;
      question.epsilon = left * question.entry.weight / weights;
    }
    return {};
  }

  // For everybody, where their number is public: as a separate question buys it. An epsilon is divided into equal
  // parts, so each has to be what the dearest statistic needs. Nothing: no such question.
  std::optional<double> EpsilonForAverage(const WorkloadQuestion& question, const Price& price) const {
    const auto release = MakeRelease(QuestionRequest{question.entry.sql, request_.unit}, price, ground_);
    if (!release || !(*release)->priced.strata.empty()) return std::nullopt;
    const auto& shares = (*release)->priced.shares;
    const auto noisy = std::count_if(shares.begin(), shares.end(), [](PlainUnits share) { return share.count() > 0; });
    if (noisy == 0) return std::nullopt;
    const double dearest = std::max_element(shares.begin(), shares.end())->epsilon();
    const PlainUnits budget = ground_.account.Budget((*release)->charged, request_.unit);
    return dearest * static_cast<double>(noisy) / budget.epsilon() * ground_.policy.epsilon_total * (1 + 0x1p-24);
  }

  Result<double> EpsilonForError(const WorkloadQuestion& question) const {
    Price price;
    price.error_95 = question.entry.error_95;
    price.intervals = WantsIntervals(question.entry);
    if (!question.planned) {
      auto release = MakeRelease(QuestionRequest{question.entry.sql, request_.unit}, price, ground_);
      if (!release) return release.error();
      return EpsilonOf((*release)->priced, ground_.account.Budget((*release)->charged, request_.unit));
    }
    auto priced = PriceAlone(*question.planned, price);
    if (!priced && priced.error().code == Code::kUnsupportedQuery) {
      if (const auto epsilon = EpsilonForAverage(question, price)) return *epsilon;
      return Error{Code::kUnsupportedQuery,
                   "an error bar can be asked for counts, sums and quantiles (theirs in rows), and for averages and "
                   "shares of everybody where it is public and known how many they are",
                   {},
                   "write -- kith: epsilon 0.1 or -- kith: weight 2 beside this question"};
    }
    if (!priced) return priced.error();
    // A little more, so that what is bought by it is no less.
    return EpsilonOf(*priced, BudgetOf(question.planned->plan)) * (1 + 0x1p-24);
  }

  Result<void> SeeTables() {
    std::vector<const Planned*> all;
    for (const WorkloadQuestion& question : plan_.questions)
      all.push_back(question.planned && !question.same_as ? &*question.planned : nullptr);
    std::vector<std::optional<workload::TableQuestion>> seen;
    view_ = workload::ViewOf(about_, all, seen);
    for (std::size_t q = 0; q < all.size(); ++q) {
      WorkloadQuestion& question = plan_.questions[q];
      if (!seen[q] || NoiseChooses(question.planned->plan)) continue;
      Price price;
      price.epsilon = question.epsilon;
      // Where groups have their own prices, noise differs from cell to cell: such questions stay by themselves.
      const auto strata = PriceByStratum(question.planned->plan, price, ground_.policy, ground_.account, request_.unit);
      if (!strata) return OfQuestion(strata.error(), question.entry);
      if (*strata) continue;
      auto alone = PriceAlone(*question.planned, price);
      if (!alone) return OfQuestion(alone.error(), question.entry);
      question.alone = std::move(*alone);
      question.table = std::move(seen[q]);
    }
    return {};
  }

  // Questions that charge the same cells can share tables.
  Result<void> MakeGroups() {
    std::map<std::vector<bool>, std::vector<std::size_t>> by_cells;
    for (std::size_t q = 0; q < plan_.questions.size(); ++q) {
      if (plan_.questions[q].table) by_cells[plan_.questions[q].planned->plan.charged].push_back(q);
    }
    for (const auto& [charged, questions] : by_cells) {
      // Those that a group leaves out may form another group.
      std::vector<std::size_t> left = questions;
      for (int tries = kMostTries; tries > 0 && left.size() > 1;) {
        bool found = false;
        for (std::vector<std::size_t>& members : Families(left)) {
          if (tries-- == 0) break;
          auto group = FindGroup(charged, members);
          if (!group) return group.error();
          if (!*group) continue;
          for (const std::size_t q : members) plan_.questions[q].group = plan_.groups.size();
          plan_.groups.push_back(std::move(**group));
          found = true;
          break;
        }
        if (!found) break;
        std::erase_if(left, [&](std::size_t q) { return plan_.questions[q].group.has_value(); });
      }
    }
    return {};
  }

  // All of them; then those that read only columns that one of them reads, the largest such sets first.
  std::vector<std::vector<std::size_t>> Families(const std::vector<std::size_t>& questions) const {
    constexpr std::size_t kMost = 8;
    std::map<std::size_t, std::set<std::size_t>> reads;  // attributes
    for (const std::size_t q : questions) {
      std::set<std::size_t>& of = reads[q];
      for (const workload::Sum& sum : plan_.questions[q].table->statistics) {
        for (const workload::Side& side : sum.sides) of.insert(side.attribute);
      }
    }
    std::set<std::vector<std::size_t>> known;
    std::vector<std::vector<std::size_t>> families;
    std::set<std::set<std::size_t>> tried;
    for (const auto& [q, all] : reads) {
      if (!tried.insert(all).second) continue;
      std::vector<std::size_t> members;
      for (const std::size_t other : questions) {
        const std::set<std::size_t>& of = reads[other];
        if (std::includes(all.begin(), all.end(), of.begin(), of.end())) members.push_back(other);
      }
      if (members.size() > 1 && members.size() < questions.size() && known.insert(members).second)
        families.push_back(std::move(members));
    }
    std::stable_sort(families.begin(), families.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    if (families.size() > kMost) families.resize(kMost);
    families.insert(families.begin(), questions);
    return families;
  }

  // Takes off members until the others gain. Nothing: none does.
  Result<std::optional<WorkloadGroup>> FindGroup(const std::vector<bool>& charged, std::vector<std::size_t>& members) {
    while (members.size() > 1) {
      const std::size_t before = members.size();
      auto group = TryGroup(charged, members);
      if (!group || *group || members.size() == before) return group;
    }
    return std::optional<WorkloadGroup>();
  }

  // By how much more the largest variance of a question is than if it is asked by itself; 1: the same.
  static double Beside(const WorkloadQuestion& question, const workload::TableQuestion& table,
                       workload::LeastSquares& answers, double scale, const std::vector<Chain>& chains) {
    double worst = 0;
    for (std::size_t k = 0; k < table.statistics.size(); ++k) {
      const auto shape = workload::ShapeOf(table.statistics[k], chains);
      const auto variances = workload::VariancesOf(shape, answers.Top(), answers.precisions());
      worst = std::max(worst, variances.largest * scale / question.alone->laws[k].noise.variance());
    }
    return worst;
  }

  // Nothing: by itself each is as good; or some were taken off `members`, and the others may be tried again.
  Result<std::optional<WorkloadGroup>> TryGroup(const std::vector<bool>& charged, std::vector<std::size_t>& members) {
    WorkloadGroup group;
    group.view = view_;
    std::vector<std::optional<workload::TableQuestion>> tables;
    for (const std::size_t q : members) tables.push_back(plan_.questions[q].table);
    workload::Simplify(tables, group.view);
    for (const std::size_t q : members) group.epsilon += plan_.questions[q].epsilon;
    group.epsilon *= kRoom;
    const double budget = ground_.account.Budget(charged, request_.unit).epsilon();
    const double plain = group.epsilon * budget / ground_.policy.epsilon_total;
    std::vector<workload::Wanted> wanted;
    for (std::size_t k = 0; k < members.size(); ++k) {
      const std::size_t q = members[k];
      workload::Wanted& one = wanted.emplace_back();
      one.question = &*tables[k];
      one.weight = static_cast<double>(plan_.questions[q].planned->plan.shown_groups());  // every number counts
      for (const StatisticMechanism& law : plan_.questions[q].alone->laws)
        one.alone.push_back(law.noise.variance() * plain * plain);
    }
    const workload::Probe probe = [&](const std::vector<bool>& attributes) {
      return Probed(group.view, attributes, charged);
    };
    std::optional<workload::Strategy> strategy;
    std::vector<double> beside;
    double least = HUGE_VAL;  // of the worst question, over the rounds
    constexpr int kRounds = 6;
    for (int round = 0; round < kRounds && least > 1; ++round) {
      auto now = workload::ChooseStrategy(group.view, wanted, probe, strategy ? &strategy->chains : nullptr);
      if (!now) break;
      workload::LeastSquares answers(now->chains, now->measured);
      std::vector<double> of_now;
      for (std::size_t k = 0; k < members.size(); ++k) {
        of_now.push_back(Beside(plan_.questions[members[k]], *tables[k], answers, 1 / (plain * plain), now->chains));
        if (of_now.back() > 1) wanted[k].weight *= of_now.back();
      }
      const double worst = *std::max_element(of_now.begin(), of_now.end());
      if (worst >= least) continue;
      least = worst;
      beside = std::move(of_now);
      strategy = std::move(now);
    }
    if (!strategy) return std::optional<WorkloadGroup>();
    if (LeaveOut(members, beside, 1)) return std::optional<WorkloadGroup>();
    constexpr double kGain = 0.999;
    if (std::all_of(beside.begin(), beside.end(), [](double times) { return times > kGain; }))
      return std::optional<WorkloadGroup>();
    group.members = members;
    for (std::size_t k = 0; k < strategy->chains.size(); ++k) group.view.attributes[k].chain = strategy->chains[k];
    group.measured = std::move(strategy->measured);
    auto measured = Measure(group);
    if (!measured) return measured.error();
    if (!*measured) {
      members.clear();
      return std::optional<WorkloadGroup>();
    }
    // With the laws as they are, and bars instead of variances.
    workload::LeastSquares answers(strategy->chains, group.measured);
    beside.clear();
    for (std::size_t k = 0; k < members.size(); ++k)
      beside.push_back(BarBeside(plan_.questions[members[k]], *tables[k], answers, group, **measured));
    if (LeaveOut(members, beside, 1)) return std::optional<WorkloadGroup>();
    for (std::size_t k = 0; k < members.size(); ++k) plan_.questions[members[k]].table = std::move(tables[k]);
    for (auto& release : **measured) {
      group.releases.push_back(plan_.releases.size());
      plan_.releases.push_back(std::move(release));
    }
    return std::optional<WorkloadGroup>(std::move(group));
  }

  // Takes off a quarter of those that lose, the worst: without them the others may all gain.
  static bool LeaveOut(std::vector<std::size_t>& members, const std::vector<double>& beside, double most) {
    std::vector<std::size_t> losers;
    for (std::size_t k = 0; k < beside.size(); ++k) {
      if (beside[k] > most) losers.push_back(k);
    }
    if (losers.empty()) return false;
    std::stable_sort(losers.begin(), losers.end(), [&](std::size_t a, std::size_t b) { return beside[a] > beside[b]; });
    losers.resize((losers.size() + 3) / 4);
    std::sort(losers.begin(), losers.end());
    for (std::size_t k = losers.size(); k-- > 0;)
      members.erase(members.begin() + static_cast<std::ptrdiff_t>(losers[k]));
    return true;
  }

  static double BarBeside(WorkloadQuestion& question, const workload::TableQuestion& table,
                          workload::LeastSquares& answers, const WorkloadGroup& group,
                          const std::vector<std::unique_ptr<Release>>& releases) {
    question.error_95 = question.alone_95 = 0;
    double worst = 0;
    for (std::size_t k = 0; k < table.statistics.size(); ++k) {
      const workload::Sum& sum = table.statistics[k];
      const auto shape = workload::ShapeOf(sum, ChainsOf(group));
      const auto variances = workload::VariancesOf(shape, answers.Top(), answers.precisions());
      const double bar = BarOf(answers.Parts(sum, variances.rows), group, releases);
      const double alone = question.alone->noise[k].error_95;
      question.error_95 = std::max(*question.error_95, bar);
      question.alone_95 = std::max(*question.alone_95, alone);
      worst = std::max({worst, bar / alone, variances.largest / question.alone->laws[k].noise.variance()});
    }
    return worst;
  }

  static std::vector<Chain> ChainsOf(const WorkloadGroup& group) {
    std::vector<Chain> chains;
    for (const workload::Attribute& attribute : group.view.attributes) chains.push_back(attribute.chain);
    return chains;
  }

  std::optional<workload::Sensitivity> Probed(const workload::TableView& view, const std::vector<bool>& attributes,
                                              const std::vector<bool>& charged) const {
    workload::Levels levels = view.Top();
    for (std::size_t k = 0; k < attributes.size(); ++k) {
      if (attributes[k]) levels[k] = 0;
    }
    if (view.CellsOf(levels) > Plan::kMaxGroups) return std::nullopt;
    const auto plan = PlanQuestion(view.SqlOf(levels), *about_);
    if (!plan || plan->statistics.size() != 1) return std::nullopt;
    const Statistic& statistic = plan->statistics.front();
    if (!statistic.noisy()) return workload::Sensitivity{0};
    for (std::size_t cell = 0; cell < charged.size(); ++cell) {
      if (plan->charged[cell] && !charged[cell]) return std::nullopt;
    }
    const Sensitivities& change = ground_.account.counts_presence() ? statistic.OfPresence() : statistic.change;
    return workload::Sensitivity{static_cast<double>(change.l1().steps())};
  }

  // The measured tables as questions, with the noise that they will have. Nothing: they cannot be, or would charge more
  // than the questions one by one.
  Result<std::optional<std::vector<std::unique_ptr<Release>>>> Measure(WorkloadGroup& group) const {
    constexpr int kAttempts = 3;
    double factor = 1;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      std::vector<std::unique_ptr<Release>> releases;
      group.places.clear();
      for (workload::Measured& one : group.measured) {
        Price price;
        price.epsilon = one.exact() ? group.epsilon : one.share * group.epsilon * factor;
        auto release = MakeRelease(QuestionRequest{group.view.SqlOf(one.levels), request_.unit}, price, ground_);
        if (!release) return std::optional<std::vector<std::unique_ptr<Release>>>();
        const QuestionRelease* question = (*release)->AsQuestion();
        if (!question || !question->priced.strata.empty())
          return std::optional<std::vector<std::unique_ptr<Release>>>();
        const bool noisy = !question->asked.plan.noisy().empty();
        if (noisy == one.exact()) return InternalError("a measured table is noisy where it should not be");
        double sizes = 1;
        for (std::size_t k = 0; k < one.levels.size(); ++k)
          sizes *= static_cast<double>(group.view.attributes[k].chain.sizes[static_cast<std::size_t>(one.levels[k])]);
        if (noisy) {
          one.variance = question->priced.laws.front().noise.variance();
          one.precision = sizes / one.variance;
        }
        auto places = group.view.PlacesOf(one.levels, question->asked.plan);
        if (!places) return places.error();
        group.places.push_back(std::move(*places));
        releases.push_back(std::move(*release));
      }
      const double most = MostBeside(group, releases);
      if (most <= 1) return std::optional(std::move(releases));
      factor *= kRoom / most;
    }
    return std::optional<std::vector<std::unique_ptr<Release>>>();
  }

  // What the tables charge the cell that they charge most, compared with what the questions one by one charge it.
  double MostBeside(const WorkloadGroup& group, const std::vector<std::unique_ptr<Release>>& releases) const {
    const std::size_t cells = ground_.policy.cells.size();
    CellSums apart(cells), together(cells);
    for (const std::size_t q : group.members)
      apart.Add(plan_.questions[q].planned->plan.charged, *plan_.questions[q].alone);
    for (const auto& release : releases) together.Add(release->charged, release->priced);
    double most = 0;
    const auto compare = [&](PlainUnits now, PlainUnits before) {
      if (now.count() == 0) return;
      most =
          std::max(most, before.count() == 0 ? HUGE_VAL
                                             : static_cast<double>(now.count()) / static_cast<double>(before.count()));
    };
    for (std::size_t cell = 0; cell < cells; ++cell) {
      compare(together.any(cell), apart.any(cell));
      compare(together.presence(cell), apart.presence(cell));
    }
    return most;
  }

  // Everything else is asked as it is.
  Result<void> MakeOwn() {
    for (WorkloadQuestion& question : plan_.questions) {
      if (question.group || question.same_as) continue;
      Price price;
      price.epsilon = question.epsilon;
      price.intervals = WantsIntervals(question.entry);
      auto release = MakeRelease(QuestionRequest{question.entry.sql, request_.unit}, price, ground_);
      if (!release) return OfQuestion(release.error(), question.entry);
      question.own = plan_.releases.size();
      question.error_95 = question.alone_95 = BarAlone(**release);
      plan_.releases.push_back(std::move(*release));
    }
    return {};
  }

  // Where every number is a count or a sum as it is.
  static std::optional<double> BarAlone(const Release& release) {
    const QuestionRelease* question = release.AsQuestion();
    if (!question) return std::nullopt;
    for (const OutputColumn& output : question->asked.plan.outputs) {
      if (!output.expr->Key() && !output.expr->Statistic()) return std::nullopt;
    }
    double bar = 0;
    for (const NoiseLine& line : question->priced.noise) {
      if (line.in_rows) return std::nullopt;
      bar = std::max(bar, line.error_95);
    }
    return bar;
  }

  const WorkloadRequest& request_;
  const Price& price_;
  const ReleaseContext& ground_;
  const std::shared_ptr<const Policy> about_;
  workload::TableView view_;
  WorkloadPlan plan_;
};

}  // namespace

double BarOf(const std::vector<workload::Part>& parts, const WorkloadGroup& group,
             const std::vector<std::unique_ptr<Release>>& releases) {
  constexpr double kConfidence = 0.95;
  std::vector<WeightedNoise> noises;
  for (const workload::Part& part : parts) {
    // Before the releases of a group are among all others they are counted from 0.
    const std::size_t at = group.releases.empty() ? part.table : group.releases[part.table];
    const NoiseLine& line = releases[at]->priced.noise.front();
    noises.push_back({part.weight, line.scale, line.lattice, part.cells});
  }
  return BarOfSum(noises, kConfidence);
}

Result<WorkloadPlan> PlanWorkload(const WorkloadRequest& request, const Price& price, const ReleaseContext& context) {
  if (auto may = MayCharge(context.policy, false); !may) return may.error();
  const auto about = AskedAbout(context.policy, request.unit);
  if (!about) return about.error();
  return Planner(request, price, context, *about).Make();
}

}  // namespace kith
