#include "audit/rho/rho.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "audit/exact/exact_pairs.h"
#include "audit/rho/rho_bounds.h"
#include "audit/rho/rho_rows.h"
#include "dependence/check.h"
#include "published/laplace_loss.h"
#include "transfer/pair/pair_world.h"

namespace kith::audit {
namespace {

using published::Coefficient;
using published::Pairs;

using Truth = std::function<Result<std::optional<double>>(double scale)>;

/// What the formulas look at, and how often each record occurs (of the linked records of a degree there are many).
struct Seen {
  Pairs pairs;
  std::vector<double> times;
  bool proved = false;
};

RhoEquation At(const Seen& seen, Coefficient which, double scale) {
  RhoEquation found;
  found.scale = scale;
  const Pairs& pairs = seen.pairs;
  const std::size_t n = pairs.sensitivities.size();
  for (std::size_t i = 0; i < n; ++i) {
    double sum = pairs.sensitivities[i];
    for (std::size_t j = 0; j < n; ++j) {
      const double moves = pairs.sensitivities[j], diameter = pairs.domains[j].Diameter();
      const auto& given = pairs.given[i][j];
      if (j == i || moves == 0 || diameter == 0 || given.given.empty()) continue;
      // Only one value: there is no other that it could be compared with. Rounding may leave [0, 1].
      double rho = 0;
      if (given.given.size() > 1)
        rho = std::clamp(DependenceCoefficient(which, given, pairs.domains[j], scale * diameter / moves), 0.0, 1.0);
      found.pairs.push_back({i, j, rho, moves / scale, rho * moves / scale});
      sum += seen.times[j] * moves * rho;
    }
    found.sensitivity.push_back(sum);
    found.largest = std::max(found.largest, sum);
  }
  found.claimed = found.largest / scale;
  found.proved = seen.proved;
  return found;
}

/// The one root of DS(scale) = scale * epsilon: DS(scale) / scale falls.
double ScaleFor(const Seen& seen, Coefficient which, double epsilon) {
  double high = 0;
  for (std::size_t j = 0; j < seen.times.size(); ++j) high += seen.times[j] * seen.pairs.sensitivities[j];
  double low = *std::max_element(seen.pairs.sensitivities.begin(), seen.pairs.sensitivities.end()) / epsilon;
  high = high / epsilon;
  const auto fits = [&](double scale) { return At(seen, which, scale).claimed <= epsilon; };
  if (fits(low)) return low;
  while (high - low > high * 1e-13) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

Result<void> AddEquations(const Seen& seen, const Target& target, const Truth& truth, RhoReport& report) {
  for (const auto& [name, which] : {std::pair("Eq. 14", Coefficient::kEq14), {"Eq. 18", Coefficient::kEq18a}}) {
    const double scale = target.scale ? *target.scale : ScaleFor(seen, which, *target.epsilon);
    RhoEquation& equation = report.equations.emplace_back(At(seen, which, scale));
    equation.name = name;
    if (target.epsilon && std::abs(equation.claimed - *target.epsilon) <= 1e-9 * *target.epsilon)
      equation.claimed = *target.epsilon;
    const auto loss = truth(scale);
    if (!loss) return loss.error();
    equation.truth = *loss;
  }
  return {};
}

Result<void> Usable(const Pairs& pairs, const Target& target) {
  const auto good = [](const std::optional<double>& x) { return !x || (*x > 0 && std::isfinite(*x)); };
  if (target.epsilon.has_value() == target.scale.has_value() || !good(target.epsilon) || !good(target.scale)) {
    return InvalidArgument("the coefficient depends on the noise: one positive number is needed", "rho",
                           "name a loss such as 1, or a noise scale such as 2.5")
        .For("audit.target");
  }
  const auto& moves = pairs.sensitivities;
  if (*std::max_element(moves.begin(), moves.end()) > 0) return {};
  return InvalidArgument("no record can move this answer", "query", "ask about values that differ");
}

constexpr char kConservative[] =
    "Eq. 18 does not compare two values of a record, so it never sees independence: it is at least 1/2, and 1 wherever "
    "a record has two values";

/// A record's part of the answer: the numbers that its values add, or the places that they are.
Result<Seen> SeenOfPairs(const PairLaws& model, const std::string& query, RhoReport& report) {
  const std::size_t values = model.table.size();
  std::vector<published::Axis> axes = model.axes;
  std::vector<published::Atoms> laws;
  std::vector<std::vector<double>> at(values);
  if (!query.empty() || axes.empty()) {
    auto one = LawOf(Joint{{static_cast<std::int64_t>(values)}, Law(values, 1.0 / static_cast<double>(values))});
    if (!one) return one.error();
    const auto question = QuestionFrom(query.empty() ? "sum" : query, *one);
    if (!question) return question.error();
    report.question = question->words;
    for (std::size_t v = 0; v < values; ++v) at[v] = {static_cast<double>(question->adds[0][v])};
  } else {
    report.question = "sum of places, in each direction";
    for (std::size_t v = 0; v < values; ++v) {
      at[v].resize(axes.size());
      std::size_t rest = v;
      for (std::size_t k = axes.size(); k-- > 0; rest /= axes[k].size()) at[v][k] = axes[k][rest % axes[k].size()];
    }
  }
  for (const Law& law : model.table) {
    const Law normal = Normalised(law);
    published::Atoms& atoms = laws.emplace_back();
    for (std::size_t v = 0; v < values; ++v) atoms.push_back({at[v], normal[v]});
  }
  auto table = OnGrid(0, {}, laws);
  if (!table) return table.error();
  const published::Box domain = published::Around(table->axes);
  const double range = domain.Diameter();
  Seen seen{{{range, range}, {domain, domain}, std::vector(2, std::vector<published::Secret>(2))}, {1, 1}, false};
  seen.pairs.given[0][1] = seen.pairs.given[1][0] = std::move(*table);
  const auto degree = static_cast<double>(LargestDegree(model));
  seen.times = {degree, degree};
  seen.proved = degree == 1;
  report.names = {fmt::format("record"), fmt::format("linked")};
  return seen;
}

Result<RhoReport> RhoOfPairs(const PairLaws& model, const std::string& query, const Target& target) {
  RhoReport report;
  report.records = 2;
  report.target = target;
  const auto seen = SeenOfPairs(model, query, report);
  if (!seen) return seen.error();
  if (auto ok = Usable(seen->pairs, target); !ok) return ok.error();
  const auto world = query.empty() && !model.axes.empty() ? std::nullopt : MarkovWorld(model);
  Truth truth = [](double) -> Result<std::optional<double>> { return std::optional<double>(); };
  std::optional<ExactAudit> audit;
  if (world) {
    auto law = LawOf(*world);
    if (!law) return law.error();
    const auto question = QuestionFrom(query.empty() ? "sum" : query, *law);
    if (!question) return question.error();
    auto made = ExactAudit::Make(*law, *question);
    if (!made) return made.error();
    audit = std::move(*made);
    truth = [&audit](double scale) -> Result<std::optional<double>> {
      const auto loss = audit->Loss(scale);
      if (!loss) return loss.error();
      return std::optional(loss->loss);
    };
    report.notes.push_back(fmt::format(
        "the true loss is that of one world in which linked records look like this, a Markov tree of {} records{}",
        law->records(), model.links.empty() ? " whose records have that many links" : " with these links"));
  } else {
    report.notes.push_back(fmt::format(
        "{}", query.empty() && !model.axes.empty()
                  ? "the true loss of a sum of places is not computed; that of a count or of numbers that places add is"
                  : "the true loss cannot be had: pairs do not determine a joint law, and no tree was found"));
  }
  if (auto ok = AddEquations(*seen, target, truth, report); !ok) return ok.error();
  report.notes.insert(report.notes.begin(),
                      fmt::format("every link has the same coefficient; a record has at most {} of them, so its "
                                  "sensitivity is its own plus {} times what one link adds",
                                  LargestDegree(model), LargestDegree(model)));
  report.notes.push_back(fmt::format("{}", kConservative));
  return report;
}

}  // namespace

double RhoEquation::Least() const {
  double least = pairs.empty() ? 0 : pairs[0].rho;
  for (const RhoPair& pair : pairs) least = std::min(least, pair.rho);
  return least;
}

double RhoEquation::Most() const {
  double most = 0;
  for (const RhoPair& pair : pairs) most = std::max(most, pair.rho);
  return most;
}

std::optional<RhoPair> RhoEquation::MostAsymmetric() const {
  const std::size_t n = sensitivity.size();
  std::vector<double> rho(n * n, std::nan(""));
  for (const RhoPair& pair : pairs) rho[pair.i * n + pair.j] = pair.rho;
  std::optional<RhoPair> found;
  double most = -1;
  for (const RhoPair& pair : pairs) {
    const double gap = pair.rho - rho[pair.j * n + pair.i];
    if (!(gap > most)) continue;  // also where the other direction is not there
    most = gap;
    found = pair;
    found->dependent = gap;
  }
  return found;
}

Result<RhoReport> RhoOfLaw(const FiniteLaw& law, const Additive& question, const Target& target) {
  auto pairs = PairsSeen(law, question);
  if (!pairs) {
    return InvalidArgument("there are too many records, or too many values, for a table of all pairs", "model",
                           "at most 128 records; state a shorter piece of a chain, or fewer records");
  }
  if (auto ok = Usable(*pairs, target); !ok) return ok.error();
  auto audit = ExactAudit::Make(law, question);
  if (!audit) return audit.error();
  const Truth truth = [&audit](double scale) -> Result<std::optional<double>> {
    const auto loss = audit->Loss(scale);
    if (!loss) return loss.error();
    return std::optional(loss->loss);
  };
  RhoReport report{question.words, law.records(), {}, target, {}, {}};
  for (std::size_t i = 0; i < law.records(); ++i) {
    if (law.secret[i] == 0) pairs->given[i].assign(law.records(), published::Secret());
  }
  Seen seen{std::move(*pairs), std::vector<double>(law.records(), 1.0), PairsAreEnough(law)};
  if (!law.has_priors) {
    report.notes.push_back(fmt::format(
        "a star declares the law of its neighbours given the middle; the other direction, rho of the middle given a "
        "neighbour, needs the law of the middle, which is not declared"));
  }
  if (auto ok = AddEquations(seen, target, truth, report); !ok) return ok.error();
  report.notes.push_back(fmt::format("{}", kConservative));
  return report;
}

Result<RhoReport> RhoOfRows(const published::ListedLaw& law, const Target& target) {
  const std::size_t n = law.empty() ? 0 : law[0].values.size();
  if (n < 2 || n > 16) {
    return InvalidArgument("between 2 and 16 records are needed", "table", "name two or more columns").For("rho.table");
  }
  std::vector<double> moves(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto less = [i](const auto& a, const auto& b) { return a.values[i] < b.values[i]; };
    const auto [least, most] = std::minmax_element(law.begin(), law.end(), less);
    moves[i] = most->values[i] - least->values[i];
  }
  auto pairs = PairsOf(law, moves, {});
  if (!pairs) return pairs.error();
  if (auto ok = Usable(*pairs, target); !ok) return ok.error();
  const auto secrets = Secrets(law, published::Sum);
  if (!secrets) return secrets.error();
  const Truth truth = [&secrets](double scale) -> Result<std::optional<double>> {
    return std::optional(published::LaplaceLoss(*secrets, scale));
  };
  RhoReport report{"sum of the values", n, {}, target, {}, {}};
  const Seen seen{std::move(*pairs), std::vector<double>(n, 1.0), n == 2};
  if (auto ok = AddEquations(seen, target, truth, report); !ok) return ok.error();
  report.notes.push_back(fmt::format("{}", kConservative));
  for (std::string& note : MoreOnRows(law, report.equations[0].scale)) report.notes.push_back(std::move(note));
  return report;
}

Result<RhoReport> RhoOfModel(const Model& model, const std::string& query, const Target& target) {
  if (auto ok = Check(model); !ok) return ok.error();
  if (const auto* pairs = std::get_if<PairLaws>(&model)) return RhoOfPairs(*pairs, query, target);
  constexpr std::int64_t kMost = 128;
  Model shown = model;
  std::string shortened;
  if (auto* chain = std::get_if<Chain>(&shown); chain != nullptr && chain->length > kMost) {
    shortened = fmt::format("of {} records the first {} are looked at: the sensitivity of the whole chain is larger",
                            chain->length, kMost);
    chain->length = kMost;
  }
  const bool has_law = std::holds_alternative<Joint>(shown) || std::holds_alternative<Chain>(shown) ||
                       std::holds_alternative<Tree>(shown) || std::holds_alternative<Star>(shown);
  if (!has_law) return RhoAllowed(model, target);
  const auto law = LawOf(shown);
  if (!law) return law.error();
  const auto question = QuestionFrom(query.empty() ? "sum" : query, *law);
  if (!question) return question.error();
  auto report = RhoOfLaw(*law, *question, target);
  if (const auto* joint = std::get_if<Joint>(&model); joint != nullptr && report && query.empty()) {
    for (std::string& note : MoreOnRows(published::Listed(*joint), report->equations[0].scale))
      report->notes.push_back(std::move(note));
  }
  if (report && !shortened.empty()) report->notes.insert(report->notes.begin(), shortened);
  return report;
}

}  // namespace kith::audit
