// A question on its way out: what it is made of, and what is said about it before and after it is paid for.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/checked_plan.h"
#include "policy/growth.h"
#include "query/plan.h"
#include "query/question.h"
#include "release/accountant.h"
#include "release/combine.h"
#include "release/group_sizes.h"
#include "release/pipeline.h"
#include "release/presence_price.h"
#include "release/public_facts.h"
#include "release/usefulness.h"

namespace kith {

/// A question with its plan, at a price, and all that is public and that its answer is composed with.
struct PricedQuestion {
  QuestionRequest request;
  Price price;
  std::shared_ptr<const Policy> about;
  std::shared_ptr<const Question> bound;  // the text, read once
  Plan plan;
  std::optional<Readings> readings;  // what questions can read of the policy
  MovesOfBoth moves;
  const Accountant* account = nullptr;  // outlives it
  double epsilon_total = 0;
  std::int64_t max_rows = 1;
  bool units_public = false;
  std::optional<PublicPart> open;  // where units are public: which units each group can have
  RememberedGroups groups;
  std::string idle_strength;    // a remark on the declared strength
  std::int64_t group_size = 0;  // of the declared dependence, if it is about groups
};

/// Made by MakeRelease. Its key is made of the question without the names of its outputs.
struct QuestionRelease final : Release {
  explicit QuestionRelease(PricedQuestion of) : asked(std::move(of)) {}

  PricedQuestion asked;
  std::optional<CheckedPlan> checked;  // its plan, as it is run; with numbers of earlier stages, once they are known
  std::optional<double> units;         // how many there are, where that is public and known
  std::optional<GroupSizes> sizes;     // the same of each group
  // Besides the answer, the ledger keeps its noisy statistics, from which other answers can be made [free_answer.h].
  NoisyGroups noisy;                   // as computed
  std::vector<KnownStatistics> known;  // what stored answers have of the same statistics [FREE-3]

  /// Whether fresh statistics are combined with what is known of them.
  bool combines() const { return !asked.request.one_law; }
  const QuestionRelease* AsQuestion() const override { return this; }
  std::set<std::string> UnitTables(const Policy& policy) const override;
  Result<void> AddRemarks(const Pipeline& pipeline, Answer& answer) const override;
  std::string Kept(const Answer& answer) const override;

  // Stored answers that hold the same numbers, with their columns in another order [question_twins.cc].
  void Rename(Answer& answer) const;
  void SortByGroup(Answer& answer) const;
  struct Twin {
    Reordered other;
    std::string key_text;
  };
  std::vector<Twin> Twins(const DataState& data) const;
  MovesOfBoth MovesOf(const std::string& other, const Plan& theirs) const;
  std::vector<std::string> OtherKeyTexts(const DataState& data) const override;
  bool ShowsItsKeys() const;  // where rows can be put in order by what they show
  Result<std::optional<Answer>> FindStored(const Pipeline& pipeline, bool alone) override;
  void PutInOrder(const Reordered& other, Answer& answer) const;

  // What an answer is worth compared with those whom it is about [question_worth.cc].
  // The largest group, as far as it is known.
  struct Largest {
    InGroup most;
    bool several = false, assumed = true;

    std::vector<Usefulness> Describe(std::vector<Usefulness> all) const {
      for (Usefulness& worth : all) {
        worth.units = most.units.value_or(0);
        worth.several = several;
        worth.assumed = assumed;
      }
      return all;
    }
  };
  Largest LargestOf(const std::vector<std::size_t>& among) const;
  std::vector<Usefulness> UsefulnessIn(const std::vector<std::size_t>& among, const Priced& at) const;
  std::vector<std::size_t> FinestGroups() const;
  Usefulness::Beyond BeyondOf(const Usefulness& worth, const Totals& so_far) const;
  void AddBars(const PricedStratum& stratum, Explanation& out) const;

  std::vector<PlainUnits> PureCharges() const override;
  Result<Explanation> Explain(const Totals& so_far) const override;
  /// Reads its numbers, and opens them with the noise that was paid for.
  Result<NoisyGroups> Noisy(Pipeline& pipeline) const;
  Result<Answer> Compute(Pipeline& pipeline, const Call& call) override;
  std::optional<GroupSizes> SizesOf(const Pipeline& pipeline) const;
};

}  // namespace kith
