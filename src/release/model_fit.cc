#include "release/model_fit.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/clock.h"

namespace kith {
namespace {

constexpr std::int64_t kMostValues = 1 << 20;

// The number of values of each record; empty for models that hold for records of any kind.
struct States {
  std::vector<std::int64_t> operator()(const Independent&) const { return {}; }
  std::vector<std::int64_t> operator()(const Group&) const { return {}; }
  std::vector<std::int64_t> operator()(const Overlap&) const { return {}; }
  std::vector<std::int64_t> operator()(const Field&) const { return {}; }
  std::vector<std::int64_t> operator()(const Lipschitz&) const { return {}; }
  std::vector<std::int64_t> operator()(const Chain& m) const { return {static_cast<std::int64_t>(m.start.size())}; }
  std::vector<std::int64_t> operator()(const Joint& m) const { return m.values; }
  std::vector<std::int64_t> operator()(const Tree& m) const {
    std::vector<std::int64_t> states;
    for (const auto& table : m.tables) states.push_back(table.empty() ? 0 : static_cast<std::int64_t>(table[0].size()));
    return states;
  }
  std::vector<std::int64_t> operator()(const Star& m) const {
    std::vector<std::int64_t> states;
    for (const auto& table : m.neighbours) {
      states.push_back(static_cast<std::int64_t>(table.size()));
      states.push_back(table.empty() ? 0 : static_cast<std::int64_t>(table[0].size()));
    }
    return states;
  }
  std::vector<std::int64_t> operator()(const PairLaws& m) const { return {static_cast<std::int64_t>(m.table.size())}; }
  std::vector<std::int64_t> operator()(const ChainRegion& m) const {
    return {static_cast<std::int64_t>(m.seasons.front().low.size())};
  }
  std::vector<std::int64_t> operator()(const TreeRegion& m) const {
    std::vector<std::int64_t> states;
    for (const auto& table : m.tables) states.push_back(static_cast<std::int64_t>(table.low.front().size()));
    return states;
  }
  std::vector<std::int64_t> operator()(const HiddenCause&) const { return {}; }
};

// A loss for moves of delta says little about longer ones, so what is declared about others must be by distance too.
Result<void> MetricUnitFits(const Policy& policy) {
  const auto* lipschitz = std::get_if<Lipschitz>(&policy.dependence.model);
  if (lipschitz == nullptr) {
    if (std::holds_alternative<Independent>(policy.dependence.model)) return {};
    return InvalidArgument(
        "the unit is protected against moves of delta, but under this kind of dependence others can move any distance "
        "with "
        "it",
        "[dependence] kind", "use kind = \"independent\" or \"lipschitz\" with a distance, or remove [unit] distance");
  }
  if (policy.unit.distance->metric == DistanceMetric::kMinutes ||
      policy.unit.distance->metric == DistanceMetric::kDays) {
    return InvalidArgument("a lipschitz model has losses in proportion to the distance, but times are rounded down",
                           "[unit] distance", "declare the time as a real number, or kind = \"independent\"");
  }
  if (policy.unit.presence == Presence::kSecret) {
    return InvalidArgument("a lipschitz model is about moves; presence must be public", "[unit] presence",
                           "write presence = \"public\", or kind = \"independent\"");
  }
  if (!lipschitz->diameters.empty()) {
    return InvalidArgument("the policy's epsilon is for moves of delta, but diameters ask for whole ranges",
                           "[dependence] diameters", "remove them");
  }
  const auto& places = policy.unit.distance->columns;
  for (const Column& column : policy.unit_table().columns) {
    const bool name = policy.unit.key && column.name == *policy.unit.key;
    if (column.is_public || name || std::find(places.begin(), places.end(), column.name) != places.end()) continue;
    return InvalidArgument(
        "a lipschitz model is about places, but a record has another secret, which may go with others' places as well",
        fmt::format("column {}", column.name), "declare the column public, or leave it out of the policy");
  }
  return {};
}

// A model of pairs whose values are cells of a grid over numeric columns: these must be the whole secret of a record.
Result<void> PlacesFit(const Policy& policy, const PairLaws& pairs) {
  const auto refuse = [](std::string what, const std::string& column) {
    return InvalidArgument(std::move(what), fmt::format("[dependence] distance, column {}", column),
                           "the columns of the distance must be all that is secret about a record: numbers with lower "
                           "and upper, required, at most one row for each unit, presence = \"public\"");
  };
  if (policy.unit.max_rows > 1 || policy.dependence.of_households || policy.unit.presence == Presence::kSecret ||
      policy.HasMoreTables())
    return refuse("a record is one place of a unit that is known to be there", pairs.columns.front());
  const auto named = [&](const std::string& column) {
    return std::find(pairs.columns.begin(), pairs.columns.end(), column) != pairs.columns.end();
  };
  for (const std::string& name : pairs.columns) {
    const Column* column = policy.unit_table().Find(name);
    if (column == nullptr) return refuse("there is no such column", name);
    if (!column->lower || !column->upper) return refuse("a place needs the range of its column", name);
    if (!column->required) return refuse("a place must not be missing", name);
    if (column->is_public) return refuse("a public place is no secret", name);
  }
  for (const Column& column : policy.unit_table().columns) {
    const bool key = policy.unit.key && column.name == *policy.unit.key;
    if (column.is_public || key || named(column.name)) continue;
    return refuse("a record has a secret that the model says nothing about", column.name);
  }
  return {};
}

}  // namespace

std::optional<std::int64_t> RecordValues(const Policy& policy) {
  if (policy.unit.max_rows > 1 || policy.dependence.of_households || policy.HasMoreTables()) return std::nullopt;
  std::int64_t product = 1;
  for (const Column& column : policy.unit_table().columns) {
    const bool name = policy.unit.key && column.name == *policy.unit.key;
    if (column.is_public || name) continue;
    if (policy.stream && column.name == policy.stream->time) continue;  // a record is a state at one given step
    if (column.values.empty()) return std::nullopt;
    product *= static_cast<std::int64_t>(column.values.size()) + (column.required ? 0 : 1);
    if (product > kMostValues) return std::nullopt;
  }
  return product + (policy.unit.presence == Presence::kSecret ? 1 : 0);
}

Result<void> ModelFitsTable(const Policy& policy) {
  if (!policy.dependence.accept_unproven && !UnprovenOn(policy.dependence.model).empty()) {
    const auto* pairs = std::get_if<PairLaws>(&policy.dependence.model);
    return InvalidArgument(
        pairs != nullptr && pairs->coefficient == PairCoefficient::kEq18
            ? "a sum over pairs by Eq. 18 is not proved for every question: the true loss can be larger"
            : "a sum over pairs is not proved where a record has two or more links: the true loss can be larger",
        "[dependence] kind",
        "use kind = \"field\" or \"tree\", which are proved; or write accept = \"unproven\", and every answer will say "
        "so");
  }
  if (policy.unit.distance) return MetricUnitFits(policy);
  if (std::holds_alternative<Lipschitz>(policy.dependence.model)) {
    return InvalidArgument(
               "a lipschitz model bounds the loss by the distance that a record moves, but a question in SQL is "
               "charged for any change of a record, however far",
               "[dependence] kind",
               "declare where units are ([unit] distance), or kind = \"group\" or \"field\" for questions; a transfer "
               "function alone works with lipschitz models")
        .For("dependence.kind");
  }
  if (const auto* field = std::get_if<Field>(&policy.dependence.model);
      field != nullptr && field->prevalence && RecordValues(policy) != 2) {
    return InvalidArgument(
        "prevalence bounds the probability of yes, but a record can take more than two values here (every secret "
        "column, NULL unless required, absence where presence is secret): what else is in it may depend on others "
        "more strongly",
        "[dependence] prevalence",
        "leave prevalence out; or keep one secret column of two values, required, with public presence");
  }
  if (const auto* pairs = std::get_if<PairLaws>(&policy.dependence.model); pairs != nullptr && !pairs->columns.empty())
    return PlacesFit(policy, *pairs);
  const auto states = std::visit(States{}, policy.dependence.model);
  const auto values = RecordValues(policy);
  if (std::all_of(states.begin(), states.end(), [&](std::int64_t s) { return values && s == *values; })) return {};
  return InvalidArgument(
      fmt::format("the tables of the dependence model do not describe this table's records: a record can take {} here "
                  "(secret columns with their declared values, NULL unless required{})",
                  values ? fmt::format("{} values", *values) : "more values than can be listed",
                  policy.unit.presence == Presence::kSecret ? ", absence" : ""),
      "[dependence]",
      policy.dependence.by && policy.unit.presence == Presence::kSecret
          ? "whether a row is there is a secret too, so the tables of a chain need a state for its absence beside its "
            "values; or write presence = \"public\" if everybody knows which rows there are"
          : "state the tables for exactly these values, declare further columns public, or use a group or field");
}

}  // namespace kith
