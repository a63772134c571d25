#include "engine/duckdb/totals.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "engine/duckdb/duckdb_state.h"
#include "engine/memory/block.h"
#include "engine/memory/run.h"

namespace kith {
namespace {

using memory::Machine;

constexpr std::size_t kMostColumns = 3;

// The calls that are running, by the number that they have in their statements.
class Running {
 public:
  static Running& Of() {
    static Running all;
    return all;
  }
  std::optional<std::uint16_t> Add(const TotalsCall& call) {
    const std::lock_guard lock(mutex_);
    for (std::uint32_t tried = 0; tried <= UINT16_MAX; ++tried) {
      if (calls_.emplace(++last_, &call).second) return last_;
    }
    return std::nullopt;
  }
  void Remove(std::uint16_t number) {
    const std::lock_guard lock(mutex_);
    calls_.erase(number);
  }
  const TotalsCall* Find(std::uint16_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(number);
    return found == calls_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  std::uint16_t last_ = 0;
  std::map<std::uint16_t, const TotalsCall*> calls_;
};

struct State {
  const TotalsCall* call = nullptr;
  std::unique_ptr<Machine> machine = {};  // none: no rows yet
};

State& StateAt(duckdb_aggregate_state* states, idx_t k) { return *reinterpret_cast<State*>(states[k]); }

// DuckDB calls these; nothing may be thrown through it.

idx_t SizeOfState(duckdb_function_info) { return sizeof(State); }

void InitState(duckdb_function_info, duckdb_aggregate_state state) { new (state) State(); }

void DestroyStates(duckdb_aggregate_state* states, idx_t count) {
  for (idx_t k = 0; k < count; ++k) StateAt(states, k).~State();
}

void TakeChunk(State& state, duckdb_data_chunk chunk, idx_t count) {
  if (!state.machine) {
    const auto* number =
        static_cast<const std::uint16_t*>(duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, 0)));
    state.call = Running::Of().Find(*number);
    if (state.call == nullptr) throw std::bad_alloc();
    state.machine = std::make_unique<Machine>(state.call->program);
  }
  const TotalsCall& call = *state.call;
  std::size_t size = 0;
  for (const std::size_t place : call.places) size = std::max(size, place + 1);
  std::vector<memory::StoredColumn> columns(size);
  for (std::size_t k = 0; k < call.places.size(); ++k) {
    const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, k + 1);
    memory::StoredColumn& column = columns[call.places[k]];
    column.type = call.signature[k] == 'r' ? FrameType::kDouble : FrameType::kInteger;
    column.values = static_cast<const char*>(duckdb_vector_get_data(vector));
    column.valid = reinterpret_cast<const std::uint8_t*>(duckdb_vector_get_validity(vector));
  }
  state.machine->Take(columns, 0, static_cast<std::int64_t>(count));
}

// There are no groups but those of the program: all rows have the same state.
void Update(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_aggregate_state* states) {
  const idx_t count = duckdb_data_chunk_get_size(chunk);
  if (count == 0) return;
  try {
    TakeChunk(StateAt(states, 0), chunk, count);
  } catch (const std::exception&) {
    duckdb_aggregate_function_set_error(info, "not enough memory");
  }
}

void Combine(duckdb_function_info, duckdb_aggregate_state* sources, duckdb_aggregate_state* targets, idx_t count) {
  for (idx_t k = 0; k < count; ++k) {
    State &from = StateAt(sources, k), &into = StateAt(targets, k);
    if (!from.machine) continue;
    if (into.machine) {
      into.machine->Join(*from.machine);
    } else {
      into.call = from.call;
      into.machine = std::move(from.machine);
    }
  }
}

// The sums as a list; an empty one if there were no rows.
bool WriteSums(State& state, duckdb_vector result, duckdb_list_entry& list) {
  const std::vector<Int128> added = state.machine ? state.machine->sums() : std::vector<Int128>();
  const idx_t first = duckdb_list_vector_get_size(result), size = added.size();
  list = {first, size};
  if (size == 0) return true;
  if (duckdb_list_vector_reserve(result, first + size) != DuckDBSuccess ||
      duckdb_list_vector_set_size(result, first + size) != DuckDBSuccess)
    return false;
  auto* sums = static_cast<duckdb_hugeint*>(duckdb_vector_get_data(duckdb_list_vector_get_child(result)));
  for (idx_t i = 0; i < size; ++i) {
    const auto sum = static_cast<UInt128>(added[i]);
    sums[first + i] = {static_cast<std::uint64_t>(sum),
                       static_cast<std::int64_t>(static_cast<std::uint64_t>(sum >> 64))};
  }
  return true;
}

void Finalize(duckdb_function_info info, duckdb_aggregate_state* states, duckdb_vector result, idx_t count,
              idx_t offset) {
  auto* lists = static_cast<duckdb_list_entry*>(duckdb_vector_get_data(result));
  bool written = true;
  try {
    for (idx_t k = 0; k < count && written; ++k) written = WriteSums(StateAt(states, k), result, lists[offset + k]);
  } catch (const std::exception&) {
    written = false;
  }
  if (!written) duckdb_aggregate_function_set_error(info, "not enough memory");
}

// Is the condition about real columns and nothing else?
bool ReadsRealsAlone(const memory::Program& program) {
  memory::Program condition;
  condition.steps = program.steps;
  condition.where = program.where;
  const std::vector<bool> needed = condition.Needed();
  for (std::size_t k = 0; k < needed.size(); ++k) {
    const memory::Step& step = program.steps[k];
    if (needed[k] && step.what == memory::Do::kColumn && step.kind != memory::Kind::kReal) return false;
  }
  return true;
}

}  // namespace

std::optional<TotalsCall> TotalsCallOf(memory::Program program, const FramedTable& table) {
  if (!ReadsRealsAlone(program)) program.where = -1;
  TotalsCall call{std::move(program), {}, {}, {}};
  const std::vector<bool> needed = call.program.Needed();
  for (const auto& [kind, letter] : {std::pair{memory::Kind::kReal, 'r'}, std::pair{memory::Kind::kWhole, 'w'}}) {
    for (std::size_t k = 0; k < needed.size(); ++k) {
      const memory::Step& step = call.program.steps[k];
      if (needed[k] && step.what == memory::Do::kCode) return std::nullopt;  // DuckDB hands over only numbers
      if (!needed[k] || step.what != memory::Do::kColumn || step.kind != kind) continue;
      call.signature += letter;
      call.places.push_back(step.place);
      for (const FramedColumn& column : table.columns) {
        if (column.place == step.place) call.columns.push_back(column.name);
      }
    }
  }
  // For whole numbers only, DuckDB's own sums also take one pass.
  const bool worth = call.signature.starts_with('r') && call.places.size() <= kMostColumns;
  if (!worth || call.columns.size() != call.places.size()) return std::nullopt;
  return call;
}

Result<void> RegisterTotals(const DuckDbConnection& connection, const std::string& signature) {
  const DuckDbOwned<duckdb_aggregate_function, duckdb_destroy_aggregate_function> function(
      duckdb_create_aggregate_function());
  const OwnedType number(duckdb_create_logical_type(DUCKDB_TYPE_USMALLINT)),
      real(duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE)), whole(duckdb_create_logical_type(DUCKDB_TYPE_BIGINT)),
      huge(duckdb_create_logical_type(DUCKDB_TYPE_HUGEINT)), list(duckdb_create_list_type(huge.get()));
  duckdb_aggregate_function_set_name(function.get(), ("kith_totals_" + signature).c_str());
  duckdb_aggregate_function_add_parameter(function.get(), number.get());
  for (const char kind : signature)
    duckdb_aggregate_function_add_parameter(function.get(), kind == 'r' ? real.get() : whole.get());
  duckdb_aggregate_function_set_return_type(function.get(), list.get());
  duckdb_aggregate_function_set_special_handling(function.get());  // NULL is handled by the program
  duckdb_aggregate_function_set_functions(function.get(), SizeOfState, InitState, Update, Combine, Finalize);
  duckdb_aggregate_function_set_destructor(function.get(), DestroyStates);
  if (duckdb_register_aggregate_function(connection.state().connection, function.get()) != DuckDBSuccess)
    return InternalError("DuckDB does not take kith's own functions");
  return {};
}

Result<IntegerTable> RunTotals(const DuckDbConnection& connection, const TotalsCall& call, const sql::Dialect& dialect,
                               const CancelFlag& cancel) {
  const auto number = Running::Of().Add(call);
  if (!number) return InternalError("too many statements at once");
  std::string columns;
  for (const std::string& name : call.columns) columns += fmt::format(", t.{}", QuotedName(name));
  std::string sql = fmt::format("SELECT unnest(kith_totals_{}({}::USMALLINT{})) FROM {} AS t", call.signature, *number,
                                columns, QuotedName(call.program.table));
  if (call.program.condition && call.program.where < 0) sql += " WHERE " + dialect.Write(call.program.condition);
  auto listed = connection.Integers(sql, cancel);
  Running::Of().Remove(*number);
  if (!listed) return listed.error();
  std::vector<Int128> sums(call.program.groups() * call.program.totals.size());
  if (!listed->rows.empty() && listed->rows.size() != sums.size())
    return InternalError("the engine gave another number of sums than the program has");
  for (std::size_t k = 0; k < listed->rows.size(); ++k) sums[k] = listed->rows[k][0].value_or(0);
  return memory::TableOf(call.program, sums);
}

}  // namespace kith
