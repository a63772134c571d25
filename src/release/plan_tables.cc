#include "release/plan_tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/json.h"
#include "kernel/statistic_mechanism.h"
#include "policy/growth.h"
#include "query/range/range_ops.h"

namespace kith {
namespace {

using workload::Attribute;
using workload::Measured;

constexpr std::size_t kMostNumbers = 1024;  // of a question that is answered from tables
constexpr std::size_t kMostNoises = 128;    // different ones among them

bool IsCounted(const Column& column) { return column.type == ColumnType::kInteger || column.type == ColumnType::kDate; }

Json AttributeToJson(const Attribute& attribute, const Table& table) {
  const Column& column = table.columns[attribute.column];
  Json out = {{"column", column.name}, {"null", attribute.may_null}, {"sizes", attribute.chain.sizes}};
  if (!column.values.empty()) return out;
  for (std::size_t k = 0; k < attribute.known(); ++k) {
    const Range& atom = attribute.atoms[k];
    out["parts"].push_back(
        IsCounted(column) ? Json::array({static_cast<std::int64_t>(atom.low), static_cast<std::int64_t>(atom.high)})
                          : Json::array({atom.real_low, atom.real_high}));
  }
  return out;
}

std::optional<Attribute> AttributeFrom(const Json& in, const Table& table) {
  const std::string name = in.at("column");
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const Column& column) { return column.name == name; });
  if (found == table.columns.end()) return std::nullopt;
  Attribute out;
  out.column = static_cast<std::size_t>(found - table.columns.begin());
  const Range whole = RangeOf(*found);
  if (in.at("null") != whole.may_null || in.contains("parts") == !found->values.empty()) return std::nullopt;
  out.may_null = whole.may_null;
  for (const Value& value : found->values) out.atoms.push_back(RangeOf(*found, value));
  for (const Json& part : in.value("parts", Json::array())) {
    out.ordered = true;
    if (IsCounted(*found)) {
      out.atoms.push_back(IntegerRange(part.at(0).get<std::int64_t>(), part.at(1).get<std::int64_t>()));
      continue;
    }
    Range& atom = out.atoms.emplace_back(whole);
    atom.may_null = false;
    atom.real_low = part.at(0);
    atom.real_high = part.at(1);
  }
  if (out.may_null) out.atoms.push_back(NullRange());
  out.chain.sizes = in.at("sizes").get<std::vector<std::size_t>>();
  if (out.chain.sizes.empty() || out.chain.values() < out.atoms.size()) return std::nullopt;
  return out;
}

/// One group of tables, read again.
class Tables {
 public:
  Tables(const QuestionRelease& question, const Ledger& book, const DataState& data)
      : question_(question), book_(book), data_(data) {
    view_.policy = question.asked.about;
  }

  bool Read(const Json& group, const Json& counts) {
    for (const Json& one : group.at("attributes")) {
      auto attribute = AttributeFrom(one, question_.asked.about->unit_table());
      if (!attribute) return false;
      view_.attributes.push_back(std::move(*attribute));
    }
    for (const Json& table : group.at("tables")) {
      if (!ReadTable(table, counts.at(table.at("release").get<std::size_t>()))) return false;
    }
    return !measured_.empty();
  }

  std::optional<KnownStatistics> Answer(const workload::Planned& planned, std::int64_t number) {
    const auto seen = workload::SeeOn(view_, planned);
    if (!seen) return std::nullopt;
    std::vector<workload::Chain> chains;
    for (const Attribute& attribute : view_.attributes) chains.push_back(attribute.chain);
    workload::LeastSquares squares(chains, measured_);
    KnownStatistics known;
    known.number = number;
    known.groups.resize(planned.plan.groups());
    for (const workload::Sum& sum : seen->statistics) {
      if (!squares.Answers(sum)) return std::nullopt;
      const auto values = squares.Estimates(sum, counts_);
      for (std::size_t g = 0; g < known.groups.size(); ++g) {
        std::size_t at = 0;
        std::vector<std::size_t> sides;
        for (const workload::Side& side : sum.sides) {
          sides.push_back(seen->RowOf(side, g));
          at = at * side.rows.size() + sides.back();
        }
        const double whole = std::round(values[at]);
        known.groups[g].push_back(
            {static_cast<Int128>(whole), values[at] - whole, NoiseOf(squares.Parts(sum, sides), known)});
        if (known.noises.size() > kMostNoises) return std::nullopt;
      }
    }
    return known;
  }

 private:
  bool ReadTable(const Json& in, const Json& noisy) {
    Measured& one = measured_.emplace_back();
    for (const Json& level : in.at("levels")) one.levels += static_cast<char>(level.get<int>());
    if (one.levels.size() != view_.attributes.size()) return false;
    double sizes = 1;
    for (std::size_t k = 0; k < one.levels.size(); ++k) {
      const auto level = static_cast<std::size_t>(one.levels[k]);
      if (level >= view_.attributes[k].chain.sizes.size()) return false;
      sizes *= static_cast<double>(view_.attributes[k].chain.sizes[level]);
    }
    // That it was counted under what is declared now, of this version and at this share, is what its key says.
    const auto bound = BindQuestion(in.at("question").get<std::string>(), *question_.asked.about, kMaxQuestionBytes);
    if (!bound) return false;
    const auto plan = MakePlan(*bound);
    if (!plan || plan->statistics.size() != 1) return false;
    Priced priced;
    priced.shares = {PlainUnits::Of(in.at("share").get<std::int64_t>())};
    const std::string text =
        KeyTextOf(bound->bare, ReadingText(*question_.asked.about, bound->bare), data_, question_.level, false, priced);
    if (book_.KeyOf(text) != in.at("key").get<std::string>()) return false;
    const std::int64_t change = plan->statistics.front().change.l1().steps();
    if (in.value("change", change) != change) return false;  // what its noise was made for
    const auto laws = MechanismsOf(*plan, priced.shares);
    if (!laws) return false;
    const Noise& noise = laws->front().noise;
    if (plan->statistics.front().noisy()) {
      if (noise.Name().id != kDiscreteLaplaceName.id) return false;
      one.variance = noise.variance();
      one.precision = sizes / one.variance;
    } else {
      one.precision = in.at("precision");
    }
    scales_.push_back(noise.scale());
    const auto places = in.at("places").get<std::vector<std::size_t>>();
    if (places.size() != plan->groups() || noisy.size() != places.size()) return false;
    auto& cells = counts_.emplace_back(view_.CellsOf(one.levels), 0.0);
    for (std::size_t g = 0; g < places.size(); ++g) cells.at(places[g]) = noisy.at(g);
    return true;
  }

  // Numbers that have the same noises, except for their signs, share them.
  std::size_t NoiseOf(const std::vector<workload::Part>& parts, KnownStatistics& known) {
    std::vector<std::vector<double>> key;
    for (const workload::Part& part : parts)
      key.push_back({static_cast<double>(part.table), std::round(std::fabs(part.weight) * 1e9), part.cells});
    const auto [at, fresh] = noises_.try_emplace(std::move(key), known.noises.size());
    if (!fresh) return at->second;
    std::vector<WeightedNoise> noises;
    double variance = 0;
    for (const workload::Part& part : parts) {
      noises.push_back({part.weight, scales_[part.table], 1, part.cells});
      variance += part.weight * part.weight * measured_[part.table].variance * part.cells;
    }
    known.noises.push_back(NoiseIn::Of(std::move(noises), variance));
    return at->second;
  }

  const QuestionRelease& question_;
  const Ledger& book_;
  const DataState& data_;
  workload::TableView view_;
  std::vector<Measured> measured_;
  std::vector<double> scales_;
  std::vector<std::vector<double>> counts_;
  std::map<std::vector<std::vector<double>>, std::size_t> noises_;
};

}  // namespace

Json TablesToJson(const WorkloadPlan& plan, const Ledger& book, const DataState& data) {
  Json out = Json::array();
  for (const WorkloadGroup& group : plan.groups) {
    Json attributes = Json::array(), tables = Json::array();
    for (const Attribute& attribute : group.view.attributes)
      attributes.push_back(AttributeToJson(attribute, group.view.policy->unit_table()));
    for (std::size_t m = 0; m < group.measured.size(); ++m) {
      const Measured& one = group.measured[m];
      const QuestionRelease& release = *plan.releases[group.releases[m]]->AsQuestion();
      Json levels = Json::array();
      for (const char level : one.levels) levels.push_back(static_cast<int>(level));
      tables.push_back({{"release", group.releases[m]},
                        {"question", release.normalised},
                        {"levels", std::move(levels)},
                        {"share", release.priced.shares.front().count()},
                        {"key", book.KeyOf(release.KeyText(release.reads, data))},
                        {"change", release.asked.plan.statistics.front().change.l1().steps()},
                        {"precision", one.precision},
                        {"places", group.places[m]}});
    }
    out.push_back({{"attributes", std::move(attributes)}, {"tables", std::move(tables)}});
  }
  return out;
}

std::optional<KnownStatistics> KnownFromTables(const Json& details, std::int64_t number,
                                               const QuestionRelease& question, const workload::Planned& planned,
                                               const Ledger& book, const DataState& data) {
  if (!details.contains("measured") || planned.plan.groups() * planned.plan.statistics.size() > kMostNumbers)
    return std::nullopt;
  for (const Json& group : details.at("measured")) {
    Tables tables(question, book, data);
    if (!tables.Read(group, details.at("counts"))) continue;
    auto known = tables.Answer(planned, number);
    if (known) return known;
  }
  return std::nullopt;
}

}  // namespace kith
