#include "engine/duckdb/held_rows.h"

#include <string>
#include <string_view>

#include "engine/duckdb/duckdb_state.h"
#include "engine/memory/run.h"
#include "sql/quote.h"

namespace kith {

using Texts = std::map<std::string, std::int64_t, std::less<>>;

namespace {

std::int64_t NumberOf(std::string_view text, Texts& texts) {
  const auto known = texts.find(text);
  if (known != texts.end()) return known->second;
  return texts.emplace(text, static_cast<std::int64_t>(texts.size())).first->second;
}

duckdb_type StoredAs(ColumnType type) {
  if (type == ColumnType::kReal) return DUCKDB_TYPE_DOUBLE;
  return type == ColumnType::kInteger ? DUCKDB_TYPE_BIGINT : DUCKDB_TYPE_VARCHAR;
}

}  // namespace

bool HeldRows::IsHeld(ColumnType type) {
  return type == ColumnType::kReal || type == ColumnType::kInteger || type == ColumnType::kText;
}

struct HeldRows::Held {
  std::vector<std::int64_t> whole;  // or numbers of strings
  std::vector<double> real;
  std::vector<std::uint8_t> valid;  // bits

  /// One column of a chunk, after the rows before it.
  void Append(duckdb_vector vector, duckdb_type type, std::size_t before, std::size_t size, Texts& texts);
};

HeldRows::HeldRows() = default;
HeldRows::~HeldRows() = default;

void HeldRows::Held::Append(duckdb_vector vector, duckdb_type type, std::size_t before, std::size_t size,
                            Texts& texts) {
  std::uint64_t* const validity = duckdb_vector_get_validity(vector);
  const void* const data = duckdb_vector_get_data(vector);
  valid.resize((before + size + 7) / 8);
  for (std::size_t row = 0; row < size; ++row) {
    const bool there = validity == nullptr || duckdb_validity_row_is_valid(validity, row);
    const std::size_t bit = before + row;
    if (there) valid[bit / 8] = static_cast<std::uint8_t>(valid[bit / 8] | (1U << (bit % 8)));
    if (type == DUCKDB_TYPE_DOUBLE) {
      real.push_back(there ? static_cast<const double*>(data)[row] : 0.0);
    } else if (type == DUCKDB_TYPE_BIGINT) {
      whole.push_back(there ? static_cast<const std::int64_t*>(data)[row] : 0);
    } else {
      auto text = there ? static_cast<const duckdb_string_t*>(data)[row] : duckdb_string_t();
      whole.push_back(there ? NumberOf({duckdb_string_t_data(&text), duckdb_string_t_length(text)}, texts) : 0);
    }
  }
}

Result<std::unique_ptr<const HeldRows>> HeldRows::Read(const DuckDbConnection& connection, FramedTable wanted,
                                                       const CancelFlag& cancel) {
  std::unique_ptr<HeldRows> made(new HeldRows());
  made->table_ = std::move(wanted);
  std::string sql;
  for (const FramedColumn& column : made->table_.columns)
    sql += (sql.empty() ? "SELECT " : ", ") + QuotedName(column.name);
  const std::vector<FramedColumn>& columns = made->table_.columns;
  if (columns.empty()) return InternalError("a table without columns that can be held");
  Texts texts;
  made->held_.resize(columns.size());
  std::size_t rows = 0;
  const auto take = [&](duckdb_result* result, duckdb_data_chunk chunk) {
    const std::size_t size = duckdb_data_chunk_get_size(chunk);
    if ((rows + size) * columns.size() > kMostValues) return false;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const duckdb_type type = duckdb_column_type(result, k);
      if (type != StoredAs(columns[k].type)) return false;
      made->held_[k].Append(duckdb_data_chunk_get_vector(chunk, k), type, rows, size, texts);
    }
    rows += size;
    return true;
  };
  auto read = TakeChunks(connection, sql + " FROM " + QuotedName(made->table_.name), cancel, take);
  if (!read) return read.error();
  made->rows_ = static_cast<std::int64_t>(rows);
  made->table_.texts = std::make_shared<const Texts>(std::move(texts));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Held& held = made->held_[k];
    const bool real = columns[k].type == ColumnType::kReal;
    made->stored_.push_back(
        {real ? FrameType::kDouble : FrameType::kInteger, 8, true,
         real ? reinterpret_cast<const char*>(held.real.data()) : reinterpret_cast<const char*>(held.whole.data()),
         held.valid.data(), 0});
  }
  return std::unique_ptr<const HeldRows>(std::move(made));
}

IntegerTable HeldRows::Run(const memory::Program& program) const {
  memory::Machine machine(program);
  machine.Take(stored_, 0, rows_);
  return memory::TableOf(program, machine.sums());
}

}  // namespace kith
