// kith analyse policy.toml synthetic: the table as a file, and pictures.
#include <fmt/format.h>

#include <filesystem>

#include "app/cli/analyse.h"
#include "base/json.h"
#include "engine/duckdb/scratch.h"
#include "report/chart.h"
#include "sql/quote.h"

namespace kith::cli {
namespace {

// How much each pair of columns that was counted had to teach.
std::vector<Picture> DrawLearnt(const Answer& answer) {
  report::BarChart chart{
      "What the counted pairs of columns changed", "total variation between the model before and after", {}, {}, {}};
  if (answer.details.empty()) return {};
  for (const auto& table : answer.details->at("measured")) {
    if (!table.contains("learnt")) continue;
    chart.bars.push_back(
        {fmt::format("{}, {}", table["columns"][0].get<std::string>(), table["columns"][1].get<std::string>()),
         table["learnt"].get<double>(),
         {},
         {}});
  }
  return {{"pairs.svg", report::Svg(chart)}};
}

ScratchType TypeOf(const Answer& answer, std::size_t column) {
  for (const auto& row : answer.rows) {
    const Value& value = row[column].value;
    if (std::holds_alternative<std::int64_t>(value)) return ScratchType::kWhole;
    if (std::holds_alternative<double>(value)) return ScratchType::kReal;
    if (std::holds_alternative<bool>(value)) return ScratchType::kTruth;
    if (std::holds_alternative<std::string>(value)) return ScratchType::kText;
  }
  return ScratchType::kText;
}

Result<void> WriteParquet(const Answer& answer, const std::string& file) {
  auto scratch = Scratch::OpenForFile(file);
  if (!scratch) return scratch.error();
  std::vector<ScratchType> types;
  std::string names;
  for (std::size_t k = 0; k < answer.columns.size(); ++k) {
    types.push_back(TypeOf(answer, k));
    names += fmt::format("{}c{} AS {}", k == 0 ? "" : ", ", k, QuotedName(answer.columns[k]));
  }
  std::vector<std::vector<Value>> rows;
  for (const auto& row : answer.rows) {
    auto& values = rows.emplace_back();
    for (const AnswerCell& cell : row) values.push_back(cell.value);
  }
  if (auto made = scratch->Create("t", types, rows); !made) return made;
  return scratch->Execute(fmt::format("COPY (SELECT {} FROM t) TO {} (FORMAT parquet)", names, QuotedText(file)));
}

}  // namespace

Shown ShowSynthetic(Command& command, const AnalysisForm&) {
  const auto parquet = std::make_shared<std::string>();
  command.AddOption("--parquet", *parquet, "A new file for the table");
  Shown shown;
  shown.check = [parquet]() -> Result<void> {
    if (!parquet->empty() && std::filesystem::exists(*parquet))
      return InvalidArgument("there is a file of this name already", *parquet, "name a new file")
          .For("synthetic.parquet");
    return {};
  };
  shown.keep = [parquet](const Answer& answer) -> Result<void> {
    return parquet->empty() ? Result<void>() : WriteParquet(answer, *parquet);
  };
  shown.draw = [](const Answer& answer, const Policy*) { return DrawLearnt(answer); };
  return shown;
}

}  // namespace kith::cli
