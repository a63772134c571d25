// How a workload is answered: which of its questions share measured tables, which are asked by themselves, and what
// each part costs. Chosen only from the questions, the policy and the price.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "release/pipeline.h"
#include "workload/entry.h"
#include "workload/least_squares.h"
#include "workload/table_view.h"

namespace kith {

/// A question of a workload.
struct WorkloadQuestion {
  workload::Entry entry;
  std::optional<workload::Planned> planned;      // nothing: it is computed on noisy answers
  std::optional<workload::TableQuestion> table;  // set: it can be answered from measured tables
  std::optional<Priced> alone;                   // of a table question: if it is asked by itself
  double epsilon = 0;                            // its part of the price; IsFree: what it is priced at
  std::optional<std::size_t> same_as;            // an earlier question that asks the same
  std::optional<std::size_t> group;              // which measured tables answer it
  std::optional<std::size_t> own;                // otherwise: which release does
  std::optional<double> error_95, alone_95;      // of the row with the largest noise; nothing: no ordinary count or sum

  /// Public facts alone: they have no noise and cost nothing.
  bool IsFree() const { return planned && planned->plan.noisy().empty(); }
};

/// Questions that share measured tables.
struct WorkloadGroup {
  workload::TableView view;
  std::vector<std::size_t> members;
  std::vector<workload::Measured> measured;
  std::vector<std::size_t> releases;             // of each measured table
  std::vector<std::vector<std::size_t>> places;  // of each group of its plan
  double epsilon = 0;
};

struct WorkloadPlan {
  std::vector<WorkloadQuestion> questions;
  std::vector<WorkloadGroup> groups;
  std::vector<std::unique_ptr<Release>> releases;
};

/// Ensures [WORKLOAD-1]: made without data; and [WORKLOAD-2]: no cell is charged more, of any change or of presence,
/// than by the questions one by one at their parts of the price.
/// Fails: as MakeRelease; kInvalidArgument for a text that is not a workload.
Result<WorkloadPlan> PlanWorkload(const WorkloadRequest& request, const Price& price, const ReleaseContext& context);

/// The bar of one answer: from the laws of the noises in it [WORKLOAD-4].
double BarOf(const std::vector<workload::Part>& parts, const WorkloadGroup& group,
             const std::vector<std::unique_ptr<Release>>& releases);

}  // namespace kith
