// What must be true of every answer of the planner, whatever it was asked: for mutated and fuzzed questions.
#pragma once
#include <string>

#include "query/output/output.h"
#include "query/parse/syntax.h"
#include "query/plan.h"

namespace kith {

/// Empty if all is well; otherwise what is wrong.
inline std::string PlanFault(const Result<Plan>& plan, const Policy& policy) {
  if (!plan) {
    const Error& error = plan.error();
    if (error.what.empty()) return "an error without words";
    if (error.code != Code::kUnsupportedQuery && error.code != Code::kInvalidArgument)
      return "a bug was reported: " + error.what;
    return {};
  }
  if (plan->statistics.empty() || plan->outputs.empty()) return "nothing is asked for";
  if (plan->charged.size() != policy.cells.size()) return "cells are missing";
  if (plan->groups() == 0 || plan->groups() > Plan::kMaxGroups) return "the number of groups is wrong";
  bool charged = false, noisy = false;
  for (const bool cell : plan->charged) charged = charged || cell;
  for (const Statistic& s : plan->statistics) {
    noisy = noisy || s.noisy();
    if (s.name.empty() || s.reason.empty()) return "a statistic without a name or a reason";
  }
  if (charged != noisy) return "cells are charged for nothing, or noise is added without a charge";
  for (const OrderBy& order : plan->order_by) {
    if (order.output >= plan->outputs.size()) return "ordered by nothing";
  }
  std::vector<Value> keys;
  for (const GroupKey& key : plan->keys) keys.push_back(key.values.at(0));
  const std::vector<Estimate> zeros(plan->statistics.size());
  for (const OutputColumn& output : plan->outputs) output.expr->Evaluate(keys, zeros);
  bool sums = false;
  for (const Statistic& s : plan->statistics) {
    sums = sums || !s.quantile;
    if (s.quantile && (s.quantile->candidates.empty() || s.quantile->statement.empty()))
      return "nothing to choose from";
  }
  if (plan->statement.empty() == sums) return "no statement, or one for nothing";
  return {};
}

/// What a plan's question normalises to is the same question. (Unless it became too long or too deep to be read again:
/// signs get parentheses.)
inline std::string NormalFormFault(const Plan& plan, const Policy& policy) {
  const auto again = PlanQuestion(plan.normalised, policy);
  if (!again)
    return CheckText(plan.normalised) ? "the normalised text is refused: " + again.error().Text() : std::string();
  if (again->normalised != plan.normalised) return "normalised twice it is another question: " + again->normalised;
  if (again->charged != plan.charged) return "the normalised question charges other cells";
  return {};
}

/// All of this for a question.
inline std::string QuestionFault(const std::string& sql, const Policy& policy) {
  const auto plan = PlanQuestion(sql, policy);
  if (auto fault = PlanFault(plan, policy); !fault.empty() || !plan) return fault;
  return NormalFormFault(*plan, policy);
}

}  // namespace kith
