#include "leakage/leak_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/text_file.h"
#include "engine/engine.h"
#include "estimate/estimate_input.h"
#include "estimate/protected_file.h"
#include "kernel/opening.h"
#include "leakage/leak_reading.h"
#include "policy/one_sided_text.h"
#include "probe/bounds.h"
#include "query/one_sided_rows.h"
#include "release/release.h"
#include "release/upkeep/policy_diff.h"

namespace kith::leakage {
namespace {

namespace fs = std::filesystem;
using one_sided::LawSet;
using one_sided::Range;
using one_sided::SensitivityLaw;

/// A folder for the snapshot of the sample, deleted with this.
class Scratch {
 public:
  static Result<Scratch> Make() {
    std::error_code failed;
    std::string path = (fs::temp_directory_path(failed) / "kith-leakage-XXXXXX").string();
    if (failed || ::mkdtemp(path.data()) == nullptr)
      return StorageError("cannot make a temporary folder", {}, "set TMPDIR to a folder that can be written to");
    return Scratch(std::move(path));
  }
  Scratch(Scratch&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit Scratch(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// The policy as if it were about the rows of the sample, each by itself: with those declared columns that it has.
Result<Policy> ForSample(const Policy& policy, const std::string& file, const CancelFlag& cancel) {
  const auto has = estimate::ColumnsOf(file, cancel);
  if (!has) return has.error();
  Table table = policy.unit_table();
  std::erase_if(table.columns,
                [&](const Column& column) { return std::find(has->begin(), has->end(), column.name) == has->end(); });
  if (table.columns.empty())
    return InvalidArgument("the file has none of the columns that the policy declares", file,
                           "name its columns as in the policy");
  table.source = fs::absolute(file).string();
  table.more_sources.clear();
  Policy sample = policy;
  sample.engine = "duckdb";
  sample.unit = Unit{};
  sample.unit.table = table.name;
  sample.unit.presence = Presence::kPublic;
  sample.tables = {table};
  sample.dependence = Dependence{};
  sample.dependence.model = Independent{};
  sample.fixed_public_columns = false;
  sample.cells = Cells::Of(table, "");
  return sample;
}

Result<std::vector<OneSidedAttribute>> AttributesOf(const Policy& policy, const std::vector<std::string>& secrets) {
  std::vector<OneSidedAttribute> attributes = policy.one_sided;
  for (const std::string& text : secrets) {
    const auto equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
      return InvalidArgument("this secret is not complete: " + Quote(text), {},
                             "e.g. hours=hours < 5 (a name, and when it is sensitive)")
          .For("leakage.secret");
    const std::string name = text.substr(0, equals);
    if (std::any_of(attributes.begin(), attributes.end(), [&](const auto& one) { return one.name == name; }))
      return InvalidArgument("two attributes are called " + Quote(name), {}, "choose another name")
          .For("leakage.secret");
    attributes.push_back({name, {}, {}, text.substr(equals + 1), 0, 0});
  }
  if (attributes.size() > SensitivityLaw::kMostAttributes)
    return InvalidArgument("a joint law of more than 20 attributes is too large", {}, "leave some out");
  return attributes;
}

/// Rows of each cell, and what the cells are.
struct Counted {
  std::vector<std::int64_t> counts;
  std::vector<std::size_t> state, value;  // of each cell; value: which of `values`
  std::vector<std::string> values;
  std::int64_t rows = 0;
};

Result<Counted> Count(const std::vector<OneSidedAttribute>& attributes, const std::string& by, const Policy& sample,
                      const Call& call) {
  const auto plan = PlanStateCounts(attributes, by, sample);
  if (!plan) return plan.error();
  const auto scratch = Scratch::Make();
  if (!scratch) return scratch.error();
  Policy opened = sample;
  opened.file = fs::path(scratch->path()) / "sample.toml";
  opened.ledger = fs::path(scratch->path()) / "none.ledger";
  const auto session = ImportAndOpen(opened, {}, call);
  if (!session) return session.error();
  const auto table = (*session)->Run(plan->statement, call.cancel);
  if (!table) return table.error();
  const auto groups = ExactGroups(*plan, *table);
  if (!groups) return groups.error();
  Counted counted;
  std::size_t others = 1;
  for (std::size_t k = attributes.size(); k < plan->keys.size(); ++k) others *= plan->keys[k].values.size();
  for (std::size_t group = 0; group < groups->size(); ++group) {
    std::size_t rest = group, state = 0;
    std::string value;
    for (std::size_t k = plan->keys.size(); k-- > 0; rest /= plan->keys[k].values.size()) {
      const Value& key = plan->keys[k].values[rest % plan->keys[k].values.size()];
      if (k >= attributes.size())
        value = ToText(key) + (value.empty() ? "" : ", " + value);
      else if (key == Value(true))
        state |= std::size_t{1} << k;
    }
    if (counted.values.size() < others) counted.values.push_back(value);
    counted.counts.push_back(static_cast<std::int64_t>((*groups)[group][0]));
    counted.state.push_back(state);
    counted.value.push_back(group % others);
    counted.rows += counted.counts.back();
  }
  if (counted.rows == 0) return InvalidArgument("the sample has no rows", {}, "give a table with some");
  return counted;
}

Result<LeakageModel> CountModel(const PolicyLaw& asked, const Policy& policy, const Call& call) {
  if (auto ok = estimate::RefuseSources({asked.from}, asked.policy); !ok) return ok.error();
  const auto attributes = AttributesOf(policy, asked.secrets);
  if (!attributes) return attributes.error();
  const auto sample = ForSample(policy, asked.from, call.cancel);
  if (!sample) return sample.error();
  const auto counted = Count(*attributes, asked.about, *sample, call);
  if (!counted) return counted.error();
  std::vector<std::int64_t> states(std::size_t{1} << attributes->size(), 0);
  for (std::size_t cell = 0; cell < counted->counts.size(); ++cell)
    states[counted->state[cell]] += counted->counts[cell];
  if (states.size() > LawSet::kMostCells)
    return InvalidArgument("limits for more than 12 attributes are too many", asked.from, "leave some out");
  const double alpha = (1 - asked.confidence) / (asked.about.empty() ? 1 : 2);
  auto set = CountedLimits(states, alpha);
  if (!set) return set.error();
  auto law = SensitivityLaw::Make(set->inside());
  if (!law) return law.error();
  LeakageModel model{asked.source, static_cast<double>(counted->rows), {}, std::move(*law), {}, {}, {}};
  for (const auto& attribute : *attributes) model.names.push_back(attribute.name);
  model.worth.assign(model.names.size(), 1);
  model.kappa.resize(model.names.size());
  model.set = std::move(*set);
  model.confidence = asked.confidence;
  if (asked.about.empty()) return model;
  if (counted->counts.size() > LawSet::kMostCells)
    return InvalidArgument("the values make more than 4096 combinations", asked.about, "group them more coarsely");
  auto values = CountedLimits(counted->counts, alpha);
  if (!values) return values.error();
  model.values =
      ValueLaw{{{asked.about, counted->values, std::nullopt, counted->value}}, counted->state, std::move(*values)};
  return model;
}

Result<LeakageModel> ModelOf(const PolicyLaw& asked, const Policy& policy, const Call& call) {
  if (!asked.from.empty()) return CountModel(asked, policy, call);
  const auto text = ReadTextFile(asked.policy);
  if (!text) return text.error();
  const auto law = OneSidedModel(*text, asked.policy);
  if (!law) return law.error();
  if (law->empty())
    return InvalidArgument("the policy does not say how its attributes depend", asked.policy,
                           "write model = \"law.json\" under [one_sided], or give a table that is public or consented")
        .For("leakage.law");
  const fs::path path = fs::absolute(asked.policy).parent_path() / *law;
  const auto model = ReadTextFile(path);
  if (!model) return model.error();
  auto read = ReadLeakageModel(*model, *law);
  if (!read) return read.error();
  if (!read->applications.empty())
    return InvalidArgument("the law of a policy names applications, which the policy does itself", *law,
                           "remove \"applications\" from it");
  return read;
}

/// The policy's attributes as the model's applications, with what may be lost, and what was lost so far.
Result<void> AddAccounts(const Policy& policy, const BudgetReport& budget, const std::string& where,
                         LeakageModel& model) {
  for (const OneSidedAttribute& attribute : policy.one_sided) {
    const auto index = IndexOf(model.names, attribute.name);
    if (!index)
      return InvalidArgument(fmt::format("the law does not have the policy's attribute '{}'", attribute.name), where,
                             "name the law's attributes as in the policy");
    ReleasedSoFar account{attribute.name, attribute.application, attribute.sensitive, attribute.epsilon, 0, 0};
    for (const auto& line : budget.one_sided) {
      if (line.account.name == attribute.name) account.spent = line.account.spent.epsilon();
    }
    for (const HistoryLine& line : budget.history) account.releases += line.one_sided_account == attribute.name ? 1 : 0;
    model.accounts.push_back(account);
    const std::string name = attribute.application.empty() ? attribute.name : attribute.application;
    auto application = std::find_if(model.applications.begin(), model.applications.end(),
                                    [&](const Application& one) { return one.name == name; });
    if (application == model.applications.end())
      application = model.applications.insert(application, {name, std::vector<double>(model.names.size(), 0.0)});
    application->epsilons[*index] = attribute.epsilon;
  }
  return {};
}

}  // namespace

Result<LawSet> CountedLimits(const std::vector<std::int64_t>& counts, double alpha) {
  std::int64_t all = 0;
  for (const std::int64_t count : counts) all += count;
  std::vector<Range> limits;
  std::vector<double> law;
  const double each = alpha / (2 * static_cast<double>(counts.size()));
  for (const std::int64_t count : counts) {
    const probe::Hits seen{static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(all)};
    law.push_back(static_cast<double>(count) / static_cast<double>(all));
    limits.push_back({std::min(law.back(), std::max(0.0, probe::LowerBound(seen, each))),
                      std::max(law.back(), std::min(1.0, probe::UpperBound(seen, each)))});
  }
  return LawSet::Make(std::move(limits), std::move(law));
}

Result<LeakageModel> ReadPolicyModel(const PolicyLaw& asked, const Call& call) {
  const auto curator = Curator::Open(asked.policy, {}, call);
  if (!curator) return curator.error();
  const Policy& policy = curator->policy();
  if (policy.one_sided.empty())
    return InvalidArgument("the policy has no [one_sided]: no true records can be released under it", asked.policy,
                           "declare which rows are sensitive in [[one_sided.attribute]]");
  const auto budget = curator->Budget();
  if (!budget) return budget.error();
  auto model = ModelOf(asked, policy, call);
  if (!model) return model.error();
  if (auto added = AddAccounts(policy, *budget, asked.policy, *model); !added) return added.error();
  return model;
}

Result<WrittenEpsilons> WriteEpsilons(const LeakageModel& model, const std::string& policy, const std::string& target,
                                      const std::vector<std::pair<std::string, double>>& epsilons, const Call& call) {
  std::error_code failed;
  const fs::path from = fs::canonical(policy, failed);
  const fs::path to = fs::weakly_canonical(fs::absolute(target), failed);
  if (failed || from.parent_path() != to.parent_path())
    return InvalidArgument("a policy is written into its own folder: its paths mean files there", target,
                           "name a file beside the policy, or the policy itself");
  if (from != to && fs::exists(to, failed))
    return InvalidArgument("there is such a file already, and it is not the policy", target, "choose another name");
  const auto text = ReadTextFile(from);
  if (!text) return text.error();
  const auto changed = WithEpsilons(*text, policy, epsilons);
  if (!changed) return changed.error();
  fs::path beside = to;
  beside += ".new";
  if (auto written = WriteTextFile(beside, *changed); !written) return written.error();
  fs::permissions(beside, fs::status(from, failed).permissions(), failed);
  const auto judged = DiffPolicies(policy, beside, call);
  if (!judged || !judged->accepted) {
    fs::remove(beside, failed);
    return judged ? InvalidArgument("the ledger would not take the new policy: " + judged->reason, policy,
                                    "nothing was written")
                  : judged.error();
  }
  fs::rename(beside, to, failed);
  if (failed) return StorageError("cannot put the new policy into its place", target, "check the folder");
  WrittenEpsilons out{target, ChangedLines(*text, *changed), {}};
  for (const auto& [name, epsilon] : epsilons) {
    for (const ReleasedSoFar& account : model.accounts) {
      if (account.attribute == name && account.spent > epsilon) out.spent.push_back(name);
    }
  }
  return out;
}

}  // namespace kith::leakage
