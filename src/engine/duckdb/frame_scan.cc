#include "engine/duckdb/frame_scan.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "engine/duckdb/duckdb_state.h"
#include "engine/duckdb/frame_cells.h"

namespace kith {
namespace {

using Shown = std::shared_ptr<const Frame>;  // what the function holds

// Rows that one thread reads before it takes others.
struct Stretch {
  std::size_t batch = 0;
  std::int64_t first = 0, end = 0;
};

// One scan: what is still to be read, and which columns are wanted.
struct Scan {
  std::vector<Stretch> stretches;
  std::atomic<std::size_t> next = 0;
  std::vector<idx_t> columns;  // as the table has them; beyond its end: none of them, only the number of rows counts
};

Scan* MakeScan(const Frame& frame, duckdb_init_info info) {
  constexpr std::int64_t kRows = 60 * 2048;
  auto scan = std::make_unique<Scan>();
  for (std::size_t k = 0; k < frame.batches(); ++k) {
    const std::int64_t length = frame.batch(k).length;
    for (std::int64_t first = 0; first < length; first += kRows)
      scan->stretches.push_back({k, first, std::min(length, first + kRows)});
  }
  const idx_t count = duckdb_init_get_column_count(info);
  for (idx_t k = 0; k < count; ++k) scan->columns.push_back(duckdb_init_get_column_index(info, k));
  return scan.release();
}

// DuckDB calls these; nothing may be thrown through it.

void Bind(duckdb_bind_info info) {
  const auto* shown = static_cast<const Shown*>(duckdb_bind_get_extra_info(info));
  for (const FrameColumn& column : (*shown)->columns()) {
    const OwnedType type(TypeOfColumn(column));
    duckdb_bind_add_result_column(info, column.name.c_str(), type.get());
  }
  duckdb_bind_set_cardinality(info, static_cast<idx_t>((*shown)->rows()), true);
}

void Init(duckdb_init_info info) {
  const auto* shown = static_cast<const Shown*>(duckdb_init_get_extra_info(info));
  try {
    Scan* scan = MakeScan(**shown, info);
    duckdb_init_set_init_data(info, scan, [](void* made) { delete static_cast<Scan*>(made); });
    duckdb_init_set_max_threads(info, std::max<idx_t>(1, scan->stretches.size()));
  } catch (const std::exception&) {
    duckdb_init_set_error(info, "not enough memory");
  }
}

void InitThread(duckdb_init_info info) {
  duckdb_init_set_init_data(info, new Stretch(), [](void* made) { delete static_cast<Stretch*>(made); });
}

void Copy(const Frame& frame, const Scan& scan, const Stretch& from, idx_t count, duckdb_data_chunk chunk) {
  const ArrowArray& batch = frame.batch(from.batch);
  for (idx_t k = 0; k < scan.columns.size(); ++k) {
    const duckdb_vector into = duckdb_data_chunk_get_vector(chunk, k);
    const idx_t column = scan.columns[k];
    if (column < frame.columns().size()) {
      CopyCells(frame.columns()[column], *batch.children[column], batch.offset + from.first, count, into);
    }
  }
}

void Fill(duckdb_function_info info, duckdb_data_chunk chunk) {
  const auto* shown = static_cast<const Shown*>(duckdb_function_get_extra_info(info));
  auto* scan = static_cast<Scan*>(duckdb_function_get_init_data(info));
  auto* own = static_cast<Stretch*>(duckdb_function_get_local_init_data(info));
  if (own->first >= own->end) {
    const std::size_t next = scan->next++;
    if (next >= scan->stretches.size()) {
      duckdb_data_chunk_set_size(chunk, 0);
      return;
    }
    *own = scan->stretches[next];
  }
  const auto count = std::min<idx_t>(duckdb_vector_size(), static_cast<idx_t>(own->end - own->first));
  try {
    Copy(**shown, *scan, *own, count, chunk);
  } catch (const std::exception&) {
    duckdb_function_set_error(info, "not enough memory");
    return;
  }
  own->first += static_cast<std::int64_t>(count);
  duckdb_data_chunk_set_size(chunk, count);
}

}  // namespace

Result<void> ShowFrame(const DuckDbConnection& connection, const std::string& name,
                       std::shared_ptr<const Frame> frame) {
  DuckDbOwned<duckdb_table_function, duckdb_destroy_table_function> function(duckdb_create_table_function());
  duckdb_table_function_set_name(function.get(), name.c_str());
  duckdb_table_function_set_extra_info(function.get(), new Shown(std::move(frame)),
                                       [](void* shown) { delete static_cast<Shown*>(shown); });
  duckdb_table_function_supports_projection_pushdown(function.get(), true);
  duckdb_table_function_set_bind(function.get(), Bind);
  duckdb_table_function_set_init(function.get(), Init);
  duckdb_table_function_set_local_init(function.get(), InitThread);
  duckdb_table_function_set_function(function.get(), Fill);
  if (duckdb_register_table_function(connection.state().connection, function.get()) != DuckDBSuccess)
    return InternalError("DuckDB does not take the reader of frames");
  return {};
}

}  // namespace kith
