#include "analysis/learn/learn.h"

#include <fmt/format.h>

#include <cmath>
#include <new>

#include "analysis/learn/minimise.h"
#include "analysis/learn/report.h"

namespace kith {
namespace {

using learn::Examples;
using learn::Terms;

constexpr int kCoinDigits = 16;  // a unit is held out with a probability in steps of 2^-16

std::uint64_t CoinOf(double holdout) {
  return static_cast<std::uint64_t>(std::llround(std::ldexp(holdout, kCoinDigits)));
}

}  // namespace

/// The rows to fit and those to try.
struct Learn::Sides {
  Examples fitted, tried;
};

namespace learn {

Result<std::vector<Int128>> Release(const Examples& examples, Loss loss, const Terms& terms, BitSource& bits,
                                    const CancelFlag& cancel) {
  Problem problem{examples, loss, terms.pull, {}, terms.push_exponent};
  const auto& attributes = examples.shape().attributes();
  for (std::size_t k = 0; k < attributes.size(); ++k) {
    for (std::size_t j = 0; j < attributes[k].weights(); ++j) problem.push.push_back(terms.pushes[k].Draw(bits));
  }
  const auto minimum = Minimise(problem, terms.slack, terms.step_exponent, cancel);
  if (!minimum) return minimum.error();
  std::vector<Int128> released(minimum->steps.begin(), minimum->steps.end());
  terms.finish.ReleaseAll(released, bits);
  return released;
}

double ScoreOf(const Examples& examples, std::size_t row, const std::vector<double>& weights) {
  const auto& attributes = examples.shape().attributes();
  const std::int16_t* values = examples.At(row);
  double score = 0;
  for (std::size_t k = 0; k < attributes.size(); ++k) {
    score += attributes[k].categories == 0 ? weights[attributes[k].first] * (values[k] / double{Examples::kOne})
                                           : weights[attributes[k].first + static_cast<std::size_t>(values[k])];
  }
  return score;
}

}  // namespace learn

Result<std::unique_ptr<Learn>> Learn::Make(const LearnOptions& options, const Policy& policy) {
  if (!(options.holdout >= 0 && options.holdout <= 0.9)) {
    return InvalidArgument("the part of units to hold out must lie between 0 and 0.9", {},
                           "hold out 0.2: a fifth of all units")
        .For("learn.holdout");
  }
  auto design = learn::DesignOf(options.design, policy);
  if (!design) return design.error();
  return std::unique_ptr<Learn>(new Learn(options, std::move(*design), policy.unit.key && policy.unit.max_rows > 1));
}

Learn::Learn(const LearnOptions& options, learn::Design design, bool several_rows)
    : options_(options), design_(std::move(design)), several_rows_(several_rows) {}

std::string Learn::Normalised() const {
  std::string names;
  for (const std::string& name : options_.design.features) names += (names.empty() ? "" : ", ") + name;
  return fmt::format(
      "{} of {} = {} by {}: {}, regularise {}, hold out {}", options_.loss == learn::Loss::kHinge ? "svm" : "logistic",
      options_.design.label, ToText(design_.positive), names, design_.rows.normalised,
      options_.regularise ? fmt::format("{}", *options_.regularise) : "as priced", CoinOf(options_.holdout));
}

Result<Terms> Learn::TermsOf(std::span<const PlainUnits> shares) const {
  return learn::TermsFor(shares[0], design_.shape, options_.loss, design_.rows.max_rows, options_.regularise);
}

// With several rows of a unit, the last column numbers the units, so that all rows of one are on the same side.
sql::Statement Learn::StatementOf() const {
  const sql::Statement values = design_.rows.Values();
  if (!several_rows_ || options_.holdout == 0) return values;
  auto select = std::get<sql::Select>(values.query().part);
  const sql::Term rank = sql::Window("dense_rank", nullptr, {sql::Name("u")});
  select.items.push_back({sql::Infix(" - ", {rank, sql::Number(1)}), "n"});
  return sql::Selected(std::move(select));
}

Result<StudyOutline> Learn::Outline(std::span<const PlainUnits> shares) const {
  const auto terms = TermsOf(shares);
  if (!terms) return terms.error();
  StudyOutline outline;
  outline.statement = StatementOf();
  outline.notes = learn::NotesOf(design_, *terms, learn::BarsOf(design_.shape, *terms));
  outline.noise.push_back(learn::NoiseOf(design_, *terms));
  return outline;
}

Result<Learn::Sides> Learn::Read(const Session& engine, BitSource& bits, const CancelFlag& cancel) const {
  Sides sides{Examples(design_.shape), Examples(design_.shape)};
  const std::uint64_t coin = CoinOf(options_.holdout);
  const auto toss = [&] { return bits.Bits(kCoinDigits) < coin; };
  std::vector<bool> units;  // whether a unit is held out, for those that have come so far
  const std::size_t values = design_.rows.values.size();
  std::vector<std::int64_t> row(values);
  std::vector<std::int16_t> encoded;
  const auto take = [&](IntegerColumns columns) -> Result<void> {
    for (std::size_t i = 0; i < columns[0].size(); ++i) {
      for (std::size_t k = 0; k < values; ++k) row[k] = columns[k][i];
      bool held = false;
      if (coin > 0 && several_rows_) {
        const auto unit = static_cast<std::size_t>(columns[values][i]);
        while (units.size() <= unit) units.push_back(toss());
        held = units[unit];
      } else if (coin > 0) {
        held = toss();
      }
      design_.Encode(row, encoded);
      (held ? sides.tried : sides.fitted).Add(encoded, row[0] == 1);
    }
    return {};
  };
  try {
    const auto scanned = engine.Scan(StatementOf(), take, cancel);
    if (!scanned) return scanned.error();
  } catch (const std::bad_alloc&) {
    return StorageError("not enough memory for the rows: two bytes for each feature of each row", {},
                        "name fewer features, or take fewer rows by a condition")
        .For("learn.where");
  }
  return sides;
}

Result<Findings> Learn::Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const {
  const Vault::Unsealed raw = vault.Unseal(paid);
  const auto terms = TermsOf(shares);
  if (!terms) return terms.error();
  const auto sides = Read(raw.session, raw.bits, raw.cancel);
  if (!sides) return sides.error();
  const auto steps = learn::Release(sides->fitted, options_.loss, *terms, raw.bits, raw.cancel);
  if (!steps) return steps.error();
  learn::Fitted fitted{{}, std::nullopt};
  for (const Int128 step : *steps)
    fitted.weights.push_back(std::ldexp(static_cast<double>(step), terms->step_exponent));
  if (options_.holdout > 0) {
    // A unit is either fitted or tried: what is tried has its own whole price (LEARN-4).
    auto trial = learn::Try(sides->tried, fitted.weights, design_.rows.max_rows, shares[0], raw.bits);
    if (!trial) return trial.error();
    fitted.trial = std::move(*trial);
  }
  return learn::Report(design_, options_.loss, *terms, fitted);
}

}  // namespace kith
