#include "transfer/check/field_small.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/meter.h"
#include "transfer/association.h"
#include "transfer/rounding.h"

namespace kith {

using rounding::AddUp;
using rounding::SubtractUp;

SmallField::SmallField(const Field& model, PassOn pass)
    : members_of_(static_cast<std::size_t>(model.nodes)),
      hidden_(static_cast<std::size_t>(model.nodes), false),
      prevalence_(pass == Phi ? model.prevalence : std::nullopt),
      pass_(pass) {
  for (const auto h : model.hidden) hidden_[h] = true;
  AddTies(model);
  FindComponents();
}

void SmallField::AddTies(const Field& model) {
  std::map<std::vector<std::uint32_t>, double> strength;
  const auto add = [&](std::vector<std::uint32_t> records, double theta) {
    std::sort(records.begin(), records.end());
    double& sum = strength[std::move(records)];
    sum = AddUp(sum, theta);
  };
  for (const auto& e : model.edges) add({e.a, e.b}, e.theta);
  for (const auto& f : model.factors) add(f.records, f.theta);
  for (const auto& [records, theta] : strength) {
    if (theta == 0) continue;
    const auto tie = static_cast<std::uint32_t>(ties_.size());
    ties_.push_back({static_cast<std::uint32_t>(members_.size()), static_cast<std::uint32_t>(records.size()), theta});
    for (const auto r : records) {
      members_of_[r].push_back(static_cast<std::uint32_t>(members_.size()));
      members_.push_back({r, tie});
    }
  }
}

void SmallField::FindComponents() {
  constexpr std::uint32_t kNone = 0xffffffff;
  component_of_.assign(nodes(), kNone);
  std::vector<bool> met(ties_.size(), false);
  for (std::uint32_t first = 0; first < nodes(); ++first) {
    if (component_of_[first] != kNone) continue;
    const auto id = static_cast<std::uint32_t>(components_.size());
    std::vector<std::uint32_t> found = {first};
    component_of_[first] = id;
    for (std::size_t k = 0; k < found.size(); ++k) {
      for (const auto m : members_of_[found[k]]) {
        const std::uint32_t tie = members_[m].tie;
        if (met[tie]) continue;
        met[tie] = true;
        const Tie& t = ties_[tie];
        for (std::uint32_t o = t.first; o < t.first + t.size; ++o) {
          const std::uint32_t node = members_[o].node;
          if (component_of_[node] != kNone) continue;
          component_of_[node] = id;
          found.push_back(node);
        }
      }
    }
    components_.push_back(std::move(found));
  }
}

std::vector<double> SmallField::Plain(const PlainLosses& plain) const {
  std::vector<double> losses(nodes());
  for (std::size_t i = 0; i < nodes(); ++i) losses[i] = hidden_[i] ? 0 : plain[i];
  return losses;
}

std::vector<double> SmallField::ComponentSums(const std::vector<double>& plain) const {
  std::vector<double> sums;
  for (const auto& component : components_) {
    double sum = 0;
    for (const auto node : component) sum = AddUp(sum, plain[node]);
    sums.push_back(sum);
  }
  return sums;
}

double SmallField::Passed(const Tie& tie, double others, std::uint32_t other) const {
  if (prevalence_ && tie.size == 2 && !hidden_[other]) return PhiWithPrevalence(tie.theta, others, *prevalence_);
  return pass_(tie.theta, others);
}

double SmallField::FromTie(std::uint32_t m, const std::vector<double>& messages) const {
  const Tie& t = ties_[members_[m].tie];
  double others = 0;
  std::uint32_t other = 0;
  for (std::uint32_t o = t.first; o < t.first + t.size; ++o) {
    if (o == m) continue;
    others = AddUp(others, messages[o]);
    other = members_[o].node;
  }
  return Passed(t, others, other);
}

double SmallField::GroupMessage(std::uint32_t m, const std::vector<double>& plain,
                                const std::vector<double>& sums) const {
  const Tie& t = ties_[members_[m].tie];
  double message = sums[component_of_[members_[m].node]];
  for (std::uint32_t o = t.first; o < t.first + t.size; ++o) {
    if (o != m) message = std::max(plain[members_[m].node], SubtractUp(message, plain[members_[o].node]));
  }
  return message;
}

std::vector<double> SmallField::BlockLosses(const std::vector<double>& plain) const {
  const std::vector<double> sums = ComponentSums(plain);
  std::vector<double> losses(nodes());
  for (std::size_t node = 0; node < nodes(); ++node) {
    double theta = 0;
    for (const auto m : members_of_[node]) theta = AddUp(theta, ties_[members_[m].tie].theta);
    losses[node] = BlockLoss(plain[node], SubtractUp(sums[component_of_[node]], plain[node]), theta, pass_);
  }
  return losses;
}

}  // namespace kith
