#include "app/cli/records_output.h"

#include <fmt/format.h>

#include "app/cli/text.h"
#include "app/cli/unproven.h"
#include "loss/loss_text.h"

namespace kith::cli {

std::string RecordsText(const RecordsReport& report, bool explain, std::size_t width) {
  const OneSidedCertificate& c = report.certificate;
  std::string text =
      Wrap(c.statement, width, 0) + "\n\n" + Warning(c.noisy.alarm, width) + Warning(c.noisy.unproven, width);
  const auto line = [&](const char* label, const std::string& words) { text += Labelled(label, words, width); };
  if (!explain) line("records", fmt::format("{} rows in {}", report.released, report.output));
  line("columns", fmt::format("{}", fmt::join(report.columns, ", ")));
  line("rate", fmt::format("{} of the rows that are not sensitive", Short(report.rate)));
  line("one-sided", fmt::format("{} for this release; {} of {} for '{}'; {} for all attributes", LossText(c.epsilon),
                                LossText(c.spent), LeftText(c.limit), c.attribute, LossText(c.one_sided_all)));
  line("protects", c.protects);
  line("not", c.leaves_open);
  line("per unit", c.per_unit);
  std::string verdict = "affordable";
  for (const auto& note : report.notes) {
    if (note.kind == NoteKind::kRefused)
      verdict = note.text;
    else
      line("note", note.text);
  }
  if (explain)
    line("verdict", verdict + "; no data was touched and nothing was charged");
  else
    line("ledger", fmt::format("entry {}, head {}", c.ledger_entry, c.ledger_hash.substr(0, 16)));
  return text;
}

}  // namespace kith::cli
