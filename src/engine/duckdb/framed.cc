#include "engine/duckdb/framed.h"

#include <algorithm>
#include <exception>
#include <thread>

#include "engine/memory/run.h"

namespace kith {
namespace {

FramedTable FramedTableOf(const Table& table, const OpenedTable& opened, std::shared_ptr<const Frame> frame) {
  FramedTable framed{table.name, std::move(frame), {}};
  const std::vector<FrameColumn>& stored = framed.frame->columns();
  for (const ReadColumn& column : opened.columns) {
    const auto named = [&](const FrameColumn& other) { return other.name == column.shown.name; };
    const auto place = std::find_if(stored.begin(), stored.end(), named);
    if (place == stored.end() || !column.shown.type || !IsFramed(*place, *column.shown.type)) continue;
    const std::string plain = QuotedName(column.shown.name);
    if (column.read != plain && column.read != TryCast(plain, DuckDbType(*column.shown.type))) continue;
    framed.columns.push_back({column.shown.name, static_cast<std::size_t>(place - stored.begin()), *column.shown.type});
  }
  return framed;
}

}  // namespace

std::vector<FramedTable> FramedTables(const Policy& policy, const EngineOptions& options,
                                      const std::vector<OpenedTable>& tables) {
  std::vector<FramedTable> framed;
  for (std::size_t k = 0; k < tables.size(); ++k) {
    if (tables[k].source.kind == SourceKind::kFrame) {
      framed.push_back(
          FramedTableOf(policy.tables[k], tables[k], FramesOf(options).at(FrameNamed(policy.tables[k].source))));
      continue;
    }
    FramedTable table{policy.tables[k].name, nullptr, {}};
    const std::vector<Column>& columns = policy.tables[k].columns;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].type == ColumnType::kReal || columns[c].type == ColumnType::kInteger)
        table.columns.push_back({columns[c].name, c, columns[c].type});
    }
    framed.push_back(std::move(table));
  }
  return framed;
}

// The statement as a program over the rows of a frame. Nothing: it is not one.
std::optional<Result<IntegerTable>> RunInFrames(const sql::Statement& statement, const sql::UnitRows& known,
                                                const std::vector<FramedTable>& tables, int threads,
                                                const CancelFlag& cancel) {
  try {
    for (const FramedTable& table : tables) {
      if (!table.frame) continue;
      if (const auto program = memory::Compile(statement, known, table))
        return memory::Run(*program, *table.frame, threads, cancel);
    }
    return std::nullopt;
  } catch (const std::exception&) {
    return StorageError("memory ran out while rows were read");
  }
}

int ThreadsOf(const EngineOptions& options) {
  return options.threads > 0 ? options.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace kith
