#include "analysis/keys/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/json.h"
#include "loss/loss_text.h"
#include "sql/quote.h"

namespace kith {
namespace {

constexpr const char* kCount = "n";

/// A key that passed.
using Shown = Vault::ShownKey;

// Whole numbers by their size, strings and dates by their bytes, which is the order of their code points. The values of
// one column are of one type.
bool Precedes(const Value& a, const Value& b) {
  const auto *x = std::get_if<std::int64_t>(&a), *y = std::get_if<std::int64_t>(&b);
  return x != nullptr && y != nullptr ? *x < *y : ToText(a) < ToText(b);
}

bool ByKey(const Shown& a, const Shown& b) {
  return std::lexicographical_compare(a.key.begin(), a.key.end(), b.key.begin(), b.key.end(), Precedes);
}

bool ByCount(const Shown& a, const Shown& b) { return a.count != b.count ? a.count > b.count : ByKey(a, b); }

}  // namespace

Result<std::unique_ptr<KeyCounts>> KeyCounts::Make(const KeysOptions& options, const Policy& policy) {
  if (options.most < 1 || options.most > KeysOptions::kMost)
    return InvalidArgument(fmt::format("1 to {} keys can be shown", KeysOptions::kMost), {},
                           "choose a number in this range")
        .For("cells.most");
  std::vector<SparseQuestion::Output> outputs;
  for (std::size_t k = 0; k < options.columns.size(); ++k) outputs.push_back({k, options.columns[k]});
  outputs.push_back({std::nullopt, kCount});
  if (std::find(options.columns.begin(), options.columns.end(), kCount) != options.columns.end())
    return Unsupported("a column is called n, as the counts are", {},
                       "ask in SQL, where the count can have another name");
  auto plan = PlanOpenKeys(options.columns, options.where, options.per_unit, policy);
  if (!plan) return plan.error();
  return std::unique_ptr<KeyCounts>(new KeyCounts(options.most, std::move(*plan), std::move(outputs)));
}

Result<std::unique_ptr<KeyCounts>> KeyCounts::Make(const SparseQuestion& question, const Policy& policy) {
  auto plan = PlanOpenKeys(question.columns, question.where, std::nullopt, policy);
  if (!plan) return plan.error();
  return std::unique_ptr<KeyCounts>(new KeyCounts(KeysOptions().most, std::move(*plan), question.outputs));
}

std::string KeyCounts::Normalised() const {
  std::string shown;
  for (const auto& output : outputs_) {
    shown += fmt::format("{}{} AS {}", shown.empty() ? "" : ", ",
                         output.key ? fmt::format("key {}", *output.key) : "count", IdentifierText(output.name));
  }
  return fmt::format("keys that nobody declared, at most {}, as {}: {}", most_, shown, plan_.normalised);
}

Result<std::shared_ptr<const DeltaStudy>> KeyCounts::AtDelta(const Loss& loss, std::int64_t delta) const {
  auto other = std::make_shared<KeyCounts>(*this);
  other->loss_ = loss;
  other->delta_ = delta;
  return std::shared_ptr<const DeltaStudy>(std::move(other));
}

Result<double> KeyCounts::SeenFrom() const {
  const auto law = Law();
  if (!law) return law.error();
  return law->ShownWith(0.95);
}

std::vector<Note> KeyCounts::NotesFor(const PartitionSelection& law) const {
  std::vector<Note> notes = plan_.notes;
  notes.push_back(
      {NoteKind::kMethod,
       fmt::format("a key appears when about {} units hold it: each that occurs gets noise, and is shown if "
                   "its noisy count is {} or more",
                   law.threshold(), law.threshold())});
  if (law.cut())
    notes.push_back({NoteKind::kMethod,
                     "the noise is drawn again where it alone would reach that number: this makes it "
                     "smaller than Laplace noise that is not truncated, and the number lower"});
  notes.push_back({NoteKind::kMethod,
                   fmt::format("a key that a single unit holds is shown with a probability of at most {}, all of its "
                               "keys together",
                               LossText(std::ldexp(static_cast<double>(delta_), -60), 3))});
  notes.push_back({NoteKind::kAccuracy,
                   fmt::format("a key with {:.0f} units is shown with 95 %. One that is not shown may occur: it has, "
                               "with 95 %, fewer units than this. One that is shown does occur",
                               law.ShownWith(0.95))});
  notes.push_back(
      {NoteKind::kAccuracy,
       "counts are of units, and are shown because they are large, noise included: those near the threshold "
       "are too large on average, and have no error bar"});
  if (plan_.cut)
    notes.push_back(
        {NoteKind::kLeftOut,
         fmt::format("a unit counts for at most {} of its keys, chosen by a hash of unit and key: numbers are of units "
                     "that are counted for a key, not of all that have it",
                     plan_.most_keys)});
  notes.push_back(
      {NoteKind::kLeftOut,
       fmt::format("rows without a value in one of the columns have no key, and texts of more than {} bytes "
                   "are never shown",
                   OpenKeysPlan::kLongest)});
  return notes;
}

Result<StudyOutline> KeyCounts::Outline(std::span<const PlainUnits>) const {
  const auto law = Law();
  if (!law) return law.error();
  StudyOutline outline;
  outline.noise.push_back(PartOf("units with each key", law->noise(), 1, 1));
  outline.statement = plan_.statement;
  outline.notes = NotesFor(*law);
  return outline;
}

Result<Findings> KeyCounts::Run(const Vault& vault, Paid& paid, std::span<const PlainUnits>) const {
  const auto law = Law();
  if (!law) return law.error();
  auto shown = vault.OpenKeys(plan_, loss_, delta_, paid);
  if (!shown) return shown.error();
  std::vector<Shown>& passed = *shown;
  Findings out;
  out.notes = NotesFor(*law);
  if (passed.size() > most_) {
    out.notes.push_back({NoteKind::kFinding, fmt::format("{} keys reached the threshold; the {} with the largest noisy "
                                                         "counts are shown",
                                                         passed.size(), most_)});
    std::nth_element(passed.begin(), passed.begin() + static_cast<std::ptrdiff_t>(most_), passed.end(), ByCount);
    passed.resize(most_);
  }
  std::sort(passed.begin(), passed.end(), ByKey);
  for (const auto& output : outputs_) out.columns.push_back(output.name);
  for (const Shown& one : passed) {
    constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max();
    const Value count(static_cast<std::int64_t>(std::min(one.count, kMost)));
    auto& row = out.rows.emplace_back();
    for (const auto& output : outputs_) row.push_back(output.key ? one.key[*output.key] : count);
  }
  out.details = JsonValue(Json{{"analysis", "keys"},
                               {"threshold", law->threshold()},
                               {"shown_with_95", law->ShownWith(0.95)},
                               {"keys_of_one_unit", plan_.most_keys},
                               {"plain_delta", std::ldexp(static_cast<double>(delta_), -60)}});
  out.claims = {law->cut() ? "KEYS-4" : "KEYS-1", "KEYS-2", "KEYS-3", law->cut() ? "DL-1" : "NORMAL-1"};
  return out;
}

}  // namespace kith
