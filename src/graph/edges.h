// Friendship graphs from files: two columns that name records, and a third with the edge's strength, unless there is
// one for all. A file with more columns is refused: what is not read would be declared and count for nothing.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/call.h"
#include "base/result.h"
#include "dependence/graph.h"
#include "dependence/graph_builder.h"
#include "engine/engine.h"

namespace kith {

/// What a graph file is declared to hold.
struct GraphFile {
  std::string path;             // csv, tsv, parquet, or file.duckdb:table
  std::int64_t records = 0;     // in the world, those without an edge included
  std::optional<double> theta;  // one strength for all edges; nothing: the third column
  RepeatedPairs repeated = RepeatedPairs::kRefuse;
  bool needs_record_numbers = false;  // other parts of the model (hidden causes, factors) refer to records by number
  // Records without an edge may be left out of the graph, where there are far more of them than others: they depend on
  // no other. The graph then has fewer records, numbered as they appear.
  bool may_leave_out_lonely = false;
};

/// Reads the file twice, a piece at a time: it is never in memory as a whole. Names may be integers or strings. If all
/// are integers from 0 to records - 1, they are the numbers of the records; otherwise names are numbered in the order
/// in which they appear. A line that cannot be read is an error, not a line to leave out: a missing edge is a
/// dependence that nobody accounts for. The file is public, so the error gives nothing away. Fails: kInvalidArgument
/// (no header, broken lines, more names than records, no strength, more columns than are read, other names where record
/// numbers are needed, whatever GraphBuilder refuses), kStorage, kCancelled.
Result<Graph> LoadGraph(const GraphFile& file, const EngineOptions& options, const Call& call);

}  // namespace kith
