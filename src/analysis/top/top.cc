#include "analysis/top/top.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/derived/derived.h"
#include "kernel/largest.h"
#include "mechanism/noise.h"
#include "sql/quote.h"

namespace kith {
namespace {

// Of another table of the units, with the name of that table or without.
const Table* OtherTableOf(const std::string& column, const Policy& policy) {
  if (policy.unit_table().Find(column) != nullptr) return nullptr;
  for (const Table& table : policy.tables) {
    if (!table.OfUnits()) continue;
    const std::string prefix = table.name + ".";
    const bool named = column.starts_with(prefix) && table.Find(column.substr(prefix.size())) != nullptr;
    if (named || table.Find(column) != nullptr) return &table;
  }
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<Top>> Top::Make(const TopOptions& options, const Policy& policy) {
  if (options.count < 1 || options.count > TopOptions::kMax)
    return InvalidArgument(fmt::format("1 to {} values can be named", TopOptions::kMax), {},
                           "choose a number in this range")
        .For("top.k");
  if (const Table* other = OtherTableOf(options.column, policy)) {
    return Unsupported(fmt::format("the values of a column of {} are counted; {} is in the table {}", policy.unit.table,
                                   options.column, other->name),
                       {}, "ask for noisy counts by this column, in the order of the count, with LIMIT");
  }
  if (!options.where.empty()) {
    if (auto one = IsOnePart(options.where, "the condition"); !one) return one.error();
  }
  // Of units, not of rows: whatever a unit's rows are, it adds at most 1 to each count.
  const std::string column = QuotedName(options.column);
  const std::string units =
      policy.unit.key ? fmt::format("count(DISTINCT {})", QuotedName(*policy.unit.key)) : std::string("count(*)");
  const std::string where = options.where.empty() ? "" : fmt::format(" AND ({})", options.where);
  auto question = AskFor(fmt::format("SELECT {0} AS part, {1} AS n FROM {2} WHERE {0} IS NOT NULL{3} GROUP BY 1",
                                     column, units, QuotedName(policy.unit.table), where),
                         1, 1, policy);
  if (!question) return question.error();
  Plan& plan = question->plan;
  const Statistic& counts = plan.statistics.front();
  if (plan.statistics.size() != 1 || counts.lattice.exponent != 0)
    return InternalError("a count of units is not a whole number");
  if (!counts.noisy()) {
    return Unsupported("nothing in this column is secret: everybody can count it without kith", {},
                       "ask for the counts themselves");
  }
  std::vector<Value> values = plan.keys.front().values;
  std::erase_if(values, [](const Value& value) { return std::holds_alternative<Null>(value); });
  if (values.size() <= options.count) {
    return InvalidArgument(fmt::format("the column has {} values, and all of them would be named", values.size()), {},
                           "name fewer than there are")
        .For("top.k");
  }
  const std::int64_t spread = std::min<std::int64_t>(2, counts.change.l1().steps());
  return std::unique_ptr<Top>(new Top(options, std::move(plan), std::move(values), spread));
}

std::string Top::Normalised() const { return fmt::format("top {} of: {}", options_.count, plan_.normalised); }

std::uint64_t Top::Others() const {
  std::uint64_t others = 0;
  for (std::size_t k = 0; k < options_.count; ++k) others += values_.size() - 1 - k;
  return others;
}

Result<PermuteAndFlip> Top::LawFor(std::span<const PlainUnits> shares) const {
  if (shares.size() != 1) return InternalError("the choices have one share");
  return LawOfLargest(spread_, options_.count, shares.front());
}

Result<StudyOutline> Top::Outline(std::span<const PlainUnits> shares) const {
  const auto law = LawFor(shares);
  if (!law) return law.error();
  const double spread = static_cast<double>(spread_) * static_cast<double>(options_.count);
  const auto reach = static_cast<double>(law->Reach(Others()));
  StudyOutline outline;
  outline.noise.push_back(
      {.name = fmt::format("choices of the most frequent values of {}: {}", options_.column, options_.count),
       .scale = spread / shares.front().epsilon(),
       .lattice = 1,
       .sensitivity = spread,
       .error_95 = reach,
       .error_95_all = reach,
       .law = "permute-and-flip"});
  outline.statement = plan_.statement;
  outline.notes = plan_.notes;
  outline.notes.push_back(
      {NoteKind::kMethod, fmt::format("{} of the {} declared values chosen one after the other, by permute-and-flip; "
                                      "their counts are not released",
                                      options_.count, values_.size())});
  outline.notes.push_back(
      {NoteKind::kAccuracy,
       fmt::format(
           "with 95 % no value that is not yet named has more than {:.0f} units more than the one that is named "
           "next, in all choices at once",
           reach)});
  const auto noise = Noise::For(plan_.statistics.front().change, shares.front());
  // Two noisy counts are in the wrong order only if one of them is off by half of their difference.
  if (noise && 2 * noise->ErrorBarAll(0.95, values_.size()) <= reach) {
    outline.notes.push_back(
        {NoteKind::kAccuracy,
         "noisy counts of all values would name them as well at this price, and show the counts: ask for count(*) by "
         "this column, in the order of the count, with LIMIT"});
  }
  return outline;
}

Result<Findings> Top::Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const {
  const auto outline = Outline(shares);
  if (!outline) return outline.error();
  const auto counts = vault.RunUnchecked(plan_);
  if (!counts) return counts.error();
  const auto chosen = vault.Largest(*counts, options_.count, values_.size(), shares.front(), paid);  // NULL is the last
  if (!chosen) return chosen.error();
  Findings out;
  out.columns = {"place", options_.column};
  std::int64_t place = 0;
  for (const std::size_t k : *chosen) out.rows.push_back({Value(++place), values_[k]});
  out.notes = outline->notes;
  out.claims = {"TOP-1", "PF-1", "PF-2"};
  return out;
}

}  // namespace kith
