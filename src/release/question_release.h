// A question on its way out: what it is made of, and what is said about it before and after it is paid for.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policy/growth.h"
#include "query/plan.h"
#include "query/question.h"
#include "release/account.h"
#include "release/combine.h"
#include "release/group_sizes.h"
#include "release/noisy.h"
#include "release/pipeline.h"
#include "release/presence_price.h"
#include "release/public_facts.h"
#include "release/worth.h"

namespace kith {

/// Made by MakeRelease.
struct QuestionRelease final : Release {
  Plan plan;
  std::optional<double> units;      // how many there are, where that is public and known
  std::optional<GroupSizes> sizes;  // the same of each group
  bool units_public = false;
  std::string idle_strength;    // a remark on it
  std::int64_t group_size = 0;  // of the declared dependence, if it is about groups
  std::int64_t max_rows = 1;
  std::optional<PublicPart> open;  // where units are public: which units each group can have
  RememberedGroups groups;
  const Account* account = nullptr;  // outlives the release
  double epsilon_total = 0;

  std::string sql;
  std::shared_ptr<const Policy> about;
  std::shared_ptr<const Question> bound;  // the text, read once
  std::optional<Readings> readings;       // what questions can read of the policy
  Price price;
  MovesOfBoth moves;
  std::vector<PlainUnits> apart;  // the shares of statistics that are priced one by one, as they once were
  std::string whole_policy;       // what keys were made of before generations of policies

  // Stored answers that hold the same numbers [question_twins.cc]. They are found by the question without the names of
  // its outputs and, where all keys are shown, without the order of its rows: the ledger then has them in the order of
  // groups.
  Bare bare;                // empty text: as the normalised one
  std::string named_reads;  // what keys were made of in the policy as long as names belonged to them
  std::string KeyText(const std::string& policy, const DataState& data) const override;
  std::set<std::string> UnitTables(const Policy& policy) const override;
  Result<void> Accompany(const Desk& desk, Answer& answer) const override;
  void Rename(Answer& answer) const;
  void SortByGroup(Answer& answer) const;
  // With its columns in another order, and the text that its key is made of.
  struct Twin {
    Reordered other;
    std::string key_text;
  };
  std::vector<Twin> Twins(const DataState& data) const;
  MovesOfBoth MovesOf(const std::string& other, const Plan& theirs) const;
  std::vector<std::string> OtherKeyTexts(const DataState& data) const override;
  bool ShowsItsKeys() const;  // where rows can be put in order by what they show
  Result<std::optional<Answer>> Again(const Desk& desk, bool alone) override;
  void PutInOrder(const Reordered& other, Answer& answer) const;

  // Besides the answer, the ledger keeps its noisy statistics, from which other answers can be made [free_answer.h].
  NoisyGroups noisy;  // as computed
  // What stored answers have of the same statistics: the fresh ones are combined with them [FREE-3].
  bool combines = true;
  std::vector<KnownStatistics> known;
  std::string Kept(const Answer& answer) const override;

  // What an answer is worth compared with those whom it is about [question_worth.cc].
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
  Largest LargestOf(const std::vector<std::size_t>& among) const;
  std::vector<Worth> WorthIn(const std::vector<std::size_t>& among, const Priced& at) const;
  std::vector<std::size_t> FinestGroups() const;
  Worth::Beyond BeyondOf(const Worth& worth, const Totals& so_far) const;
  void AddBars(const PricedStratum& stratum, Explanation& out) const;

  std::vector<PlainUnits> PureCharges() const override;
  Result<Explanation> Explain(const Totals& so_far) const override;
  Result<NoisyGroups> Noisy(const Exact& exact) const;
  Result<Answer> Compute(Desk& desk, const Call& call) override;
  std::optional<GroupSizes> SizesOf(const Desk& desk, const Call& call) const;
};

}  // namespace kith
