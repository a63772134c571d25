#include "audit/rho/rho_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "loss/loss_text.h"
#include "published/identity_overlap.h"
#include "transfer/transfer.h"

namespace kith::audit {
namespace {

/// [i][j]: the most that a release only about record j, of plain loss t, can lose about record i.
using Table = std::vector<std::vector<double>>;
using Allowed = std::function<Result<Table>(double t)>;

constexpr std::size_t kMostRecords = 32;

Result<Table> ByTransfer(const Transfer& transfer, double t) {
  const std::size_t n = transfer.records();
  Table table(n, std::vector<double>(n, 0.0));
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> plain(n, 0.0);
    plain[j] = t;
    const auto loss = transfer.LossPerRecord(plain);
    if (!loss) return loss.error();
    for (std::size_t i = 0; i < n; ++i) {
      const double most = loss->per_record.size() == n ? loss->per_record[i] : loss->dependent;
      table[i][j] = i == j ? t : std::min(t, most);  // whatever the law, nothing is lost but what record j gives
    }
  }
  return table;
}

double Worst(const Table& table) {
  double worst = 0;
  for (const auto& row : table) {
    double sum = 0;
    for (const double loss : row) sum += loss;
    worst = std::max(worst, sum);
  }
  return worst;
}

Result<RhoEquation> EquationAt(const Allowed& allowed, double t) {
  const auto table = allowed(t);
  if (!table) return table.error();
  RhoEquation found;
  found.name = "Eq. 14";
  found.at_most = true;
  found.scale = 1 / t;
  const std::size_t n = table->size();
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double loss = (*table)[i][j];
      sum += loss / t;
      if (i != j) found.pairs.push_back({i, j, loss / t, t, loss});
    }
    found.sensitivity.push_back(sum);
    found.largest = std::max(found.largest, sum);
  }
  found.claimed = found.largest * t;
  return found;
}

Result<void> AddAllowed(const Allowed& allowed, const Target& target, RhoReport& report) {
  double t = target.scale ? 1 / *target.scale : *target.epsilon;
  if (target.epsilon) {
    double low = 0;
    for (int step = 0; step < 26; ++step) {
      const auto table = allowed(step == 0 ? t : low + (t - low) / 2);
      if (!table) return table.error();
      const bool fits = Worst(*table) <= *target.epsilon;
      if (step == 0 && fits) break;
      if (step > 0) (fits ? low : t) = low + (t - low) / 2;
    }
    if (low > 0) t = low;
  }
  auto equation = EquationAt(allowed, t);
  if (!equation) return equation.error();
  report.records = equation->sensitivity.size();
  report.equations.push_back(std::move(*equation));
  return {};
}

/// What the numbers are about, in a sentence.
struct Note {
  std::string operator()(const Independent&) const {
    return "records are independent, so every rho by Eq. 14 is 0 and the dependent sensitivity of a record is its own; "
           "Eq. 18 is not 0 there: it does not compare two values of a record, and lies between 1/2 and 1 for every "
           "pair of records, however independent";
  }
  std::string operator()(const Group& g) const {
    if (!g.classes.front().odds_ratio) {
      return fmt::format(
          "nothing is declared about how strongly the members of a group depend on each other: rho may be 1 for all "
          "pairs, and the sensitivity is {} times that of one record (Theorem 7, the baseline)",
          g.size);
    }
    return "odds ratios are given, not a law: rho by Eq. 14 is the largest that they allow; Eq. 18 needs the law "
           "itself and may be 1";
  }
  std::string operator()(const HiddenCause&) const {
    return "a hidden cause declares how strongly it acts, not a law: rho by Eq. 14 is the largest that this allows; "
           "Eq. 18 needs the law itself and may be 1";
  }
  std::string operator()(const Overlap&) const {
    return "the law of the others moves by at most eta in total variation: rho by Eq. 14 is at most "
           "log(1 + eta (e^t - 1)) / t at a self indistinguishability of t; Eq. 18 needs the law itself and may be 1";
  }
  std::string operator()(const Field&) const {
    return "strengths of edges are given, not a law: rho by Eq. 14 is the largest that they allow, by walks as well as "
           "by edges; Eq. 18 needs the law itself and may be 1";
  }
  std::string operator()(const Lipschitz& m) const {
    if (m.diameters.empty()) {
      return "the domains are unbounded, so there is no largest change of a record, and rho is not defined; for a move "
             "of distance 1 what record j adds is its influence";
    }
    return "moving record i through its whole domain moves record j by at most influence times the diameter of i, so "
           "rho by Eq. 14 is at most influence[i][j] diameter[i] / diameter[j]; Eq. 18 needs the law";
  }
  std::string operator()(const ChainRegion&) const {
    return "the tables are known up to intervals or seasons: rho is a number of one law, and this is the largest by "
           "Eq. 14 that the declaration allows";
  }
  std::string operator()(const TreeRegion&) const {
    return "the tables are known up to intervals: rho is a number of one law, and this is the largest by Eq. 14 that "
           "the declaration allows";
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

void AddLipschitz(const Lipschitz& model, const Target& target, RhoReport& report) {
  if (model.diameters.empty()) return;
  const std::size_t n = model.influence.size();
  RhoEquation equation;
  equation.name = "Eq. 14";
  equation.at_most = true;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = model.diameters[i];
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j || !(model.diameters[j] > 0)) continue;
      const double rho = std::min(1.0, model.influence[i][j] * model.diameters[i] / model.diameters[j]);
      equation.pairs.push_back({i, j, rho, model.diameters[j], rho * model.diameters[j]});
      sum += rho * model.diameters[j];
    }
    equation.sensitivity.push_back(sum);
    equation.largest = std::max(equation.largest, sum);
  }
  equation.scale = target.scale ? *target.scale : equation.largest / *target.epsilon;
  equation.claimed = equation.largest / equation.scale;
  for (RhoPair& pair : equation.pairs) {
    pair.self /= equation.scale;
    pair.dependent /= equation.scale;
  }
  report.records = n;
  report.equations.push_back(std::move(equation));
}

/// Theorem 4 of identity differential privacy, as printed and sharpened.
void AddTheorem4(const Overlap& model, const Target& target, RhoReport& report) {
  if (!target.epsilon) return;
  const auto records = static_cast<double>(model.size);
  const auto printed = published::PublishedOverlapLoss(*target.epsilon, records, model.eta);
  report.notes.push_back(fmt::format(
      "identity differential privacy, Theorem 4, for a plain loss of {} over {}: {} as printed, {} sharpened",
      LossText(*target.epsilon), model.size, printed ? LossText(*printed) : "no number (its condition is not met)",
      LossText(published::SharpOverlapLoss(*target.epsilon, records, model.eta))));
}

}  // namespace

Result<RhoReport> RhoAllowed(const Model& model, const Target& target) {
  const auto good = [](const std::optional<double>& x) { return !x || (*x > 0 && std::isfinite(*x)); };
  if (target.epsilon.has_value() == target.scale.has_value() || !good(target.epsilon) || !good(target.scale)) {
    return InvalidArgument("the coefficient depends on the noise: one positive number is needed", "rho",
                           "name a loss such as 1, or a noise scale such as 2.5")
        .For("audit.target");
  }
  RhoReport report;
  report.question = "any sum to which every record adds between 0 and 1";
  report.target = target;
  report.notes.push_back(std::visit(Note(), model));
  if (std::holds_alternative<Independent>(model)) return report;
  if (const auto* lipschitz = std::get_if<Lipschitz>(&model)) {
    report.question = "any sum of the records' places";
    AddLipschitz(*lipschitz, target, report);
    return report;
  }
  if (const auto* overlap = std::get_if<Overlap>(&model)) {
    AddTheorem4(*overlap, target, report);
    const auto n = static_cast<std::size_t>(std::min<std::int64_t>(overlap->size, kMostRecords));
    const double eta = overlap->eta;
    const Allowed allowed = [n, eta](double t) -> Result<Table> {
      Table table(n, std::vector<double>(n, std::log1p(eta * std::expm1(t))));
      for (std::size_t i = 0; i < n; ++i) table[i][i] = t;
      return table;
    };
    if (static_cast<std::int64_t>(n) < overlap->size)
      report.notes.push_back(fmt::format("of {} records {} are shown; all pairs are alike", overlap->size, n));
    if (auto ok = AddAllowed(allowed, target, report); !ok) return ok.error();
    return report;
  }
  Model shown = model;
  if (auto* group = std::get_if<Group>(&shown); group != nullptr && group->classes.size() > 1) {
    const auto weaker = [](const GroupClass& a, const GroupClass& b) {
      return a.odds_ratio.has_value() && (!b.odds_ratio || *a.odds_ratio < *b.odds_ratio);
    };
    group->classes = {*std::max_element(group->classes.begin(), group->classes.end(), weaker)};
    group->classes.front().size.reset();
    report.notes.push_back(fmt::format("of several classes of groups the one with the strongest ties is shown"));
  }
  const auto transfer = Transfer::Make(AboutEveryRecord(std::move(shown)));
  if (!transfer) return transfer.error();
  if (transfer->records() < 2 || transfer->records() > kMostRecords) {
    report.notes.push_back(
        fmt::format("a table of all pairs is shown for 2 to {} records; here there are {}", kMostRecords,
                    transfer->records() == 0 ? "as many as there are" : std::to_string(transfer->records())));
    return report;
  }
  const Allowed allowed = [&transfer](double t) { return ByTransfer(*transfer, t); };
  if (auto ok = AddAllowed(allowed, target, report); !ok) return ok.error();
  return report;
}

}  // namespace kith::audit
