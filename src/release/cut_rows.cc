#include "release/cut_rows.h"

#include <algorithm>
#include <mutex>

#include "analysis/cutoff/cutoff.h"
#include "query/output/output.h"
#include "release/answer_json.h"

namespace kith {
namespace {

// Charges that may be answered yet are among the last of the history.
constexpr std::int64_t kUnderWay = 256;

/// The number of the last answered charge of the question about these data; 0: there is none. What was looked through
/// is not read again.
Result<std::int64_t> LastBought(const CuratorState& curator, const Ledger& book, const DataState& data,
                                const std::string& question) {
  const auto head = book.Head();
  if (!head) return head.error();
  const std::lock_guard lock(curator.cut_rows_reading);
  CuratorState::CutRows& seen = curator.cut_rows[question];
  if (seen.data != data.number) seen = {.data = data.number};
  if (seen.looked_to >= head->number) return seen.found;
  const auto history = book.History({.from = seen.looked_to + 1, .parts = {question}});
  if (!history) return history.error();
  seen.looked_to = head->number;
  for (const HistoryLine& line : *history) {
    if (!line.question.starts_with(question) || line.data != seen.data) continue;
    if (line.answered)
      seen.found = std::max(seen.found, line.number);
    else if (line.number + kUnderWay > head->number)
      seen.looked_to = std::min(seen.looked_to, line.number - 1);
  }
  return seen.found;
}

std::optional<CutoffNumbers> NumbersOf(const std::string& text, const std::string& table) {
  const auto answer = AnswerFromJson(text);
  if (!answer || answer->rows.size() != 1 || answer->rows[0].size() != 5) return std::nullopt;
  const auto& row = answer->rows[0];
  const auto whole = [&row](std::size_t k) { return static_cast<std::int64_t>(NumberIn(row[k].value).value_or(0)); };
  return CutoffNumbers{table,
                       whole(1),
                       whole(4),
                       NumberIn(row[2].value).value_or(0),
                       row[2].error_95.value_or(0),
                       NumberIn(row[3].value).value_or(0),
                       row[3].error_95.value_or(0)};
}

}  // namespace

Result<void> TellOfCutRows(const CuratorState& curator, const Ledger& book, const DataState& data,
                           const Release& release, std::vector<Note>& notes) {
  const Policy& policy = curator.policy;
  if (policy.stream || policy.unit.distance) return {};  // it cannot be bought
  for (const std::string& table : release.UnitTables(policy)) {
    const auto question = CutoffQuestion(policy, table);
    if (!question || release.normalised.starts_with(*question)) continue;
    const auto number = LastBought(curator, book, data, *question);
    if (!number) return number.error();
    if (*number == 0) continue;
    const auto stored = book.AnswerTo(*number);
    if (!stored) return stored.error();
    const auto bought = *stored ? NumbersOf((*stored)->answer, table) : std::nullopt;
    if (bought) notes.push_back({NoteKind::kLeftOut, CutoffText(*bought)});
  }
  return {};
}

}  // namespace kith
