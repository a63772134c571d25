// kith transfer --table prefix-sums: what to measure for cumulative sums.
#include <fmt/format.h>

#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "app/cli/transfer_gaussian.h"
#include "document/json_line.h"
#include "document/prefix_sums.h"
#include "loss/loss_text.h"
#include "transfer/gaussian/probit.h"

namespace kith::cli {
namespace {

std::string Text(const document::PrefixSumsTable& table, std::size_t width) {
  TextTable rows({"cells", "Laplace, cells", "simple tree", "best tree", "normal, cells", "square root"});
  for (const auto& row : table.rows) {
    rows.Add({std::to_string(row.cells), Short(row.laplace_cells), Short(row.simple_tree), Short(row.tree),
              Short(row.normal_cells), Short(row.toeplitz)});
  }
  return fmt::format(
             "Errors of cumulative sums (root mean square) at a plain loss of {}, or of ({}, {}) with normal "
             "noise:\n\n",
             LossText(table.epsilon), LossText(table.epsilon), LossText(table.delta, 3)) +
         rows.Render(width) + "\n" +
         Wrap(
             "simple tree: blocks of one fan-out, equal shares, each sum from as few blocks as possible. best tree: "
             "shares by level, put together by least squares. square root: sums with the weights 1, 1/2, 3/8, ... "
             "Dependence multiplies all errors of one law of noise alike.",
             width, 0) +
         "\n";
}

}  // namespace

int RunPrefixSums(double epsilon, double delta, bool as_json, const Call& call) {
  document::PrefixSumsTable table{epsilon, delta, 0, {}};
  if (!(epsilon > 0 && epsilon <= 1e3) || !(delta > 0 && delta < 1))
    return Fail(InvalidArgument("the table needs a loss above 0 and a delta between 0 and 1", "--table",
                                "--dependent 1 --delta 1e-6"),
                as_json);
  table.mu = LargestMu(epsilon, delta);
  {
    const Stage stage(call, "comparing what to measure");
    for (const std::size_t cells : {64, 1024, 65536}) {
      auto errors = workload::ErrorsOfPrefixSums(cells, epsilon, table.mu);
      if (!errors) return Fail(errors.error(), as_json);
      table.rows.push_back(*errors);
    }
  }
  Show(as_json ? document::JsonLine(table) : Text(table, TerminalWidth()));
  return 0;
}

}  // namespace kith::cli
