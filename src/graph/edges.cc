#include "graph/edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/duckdb/csv_scan.h"
#include "engine/duckdb/duckdb_state.h"
#include "engine/duckdb/lockdown.h"
#include "engine/duckdb/sketch.h"
#include "engine/duckdb/tables.h"
#include "graph/edge_names.h"

namespace kith {

namespace {

enum class Naming { kRecordNumbers, kIntegers, kTexts };

/// The edges of one DuckDB chunk, by columns.
struct Part {
  std::vector<std::uint32_t> a, b;
  std::vector<double> theta;
};

/// Reads a graph file, once for each call of Pass.
class EdgeReader {
 public:
  EdgeReader(const GraphFile& file, Source source, const EngineOptions& options, const Call& call)
      : file_(file), source_(std::move(source)), options_(options), progress_(call.progress), cancel_(call.cancel) {
    options_.threads = 1;  // the order of lines decides the numbers of names
  }

  /// Finds the columns and how records are named.
  Result<Naming> Look();

  using Take = std::function<Result<void>(const EdgeColumns&)>;
  /// All edges to `take`. A name that is not a record number under kRecordNumbers sets out_of_range() and stops.
  Result<void> Pass(Naming naming, const Take& take);
  bool out_of_range() const { return out_of_range_; }
  /// Which rows a repeated pair is in: reads the file until its second one.
  std::optional<std::string> RowsOf(Naming naming, std::pair<std::uint32_t, std::uint32_t> pair);
  /// No file of this size and kind has more edges.
  Result<std::int64_t> MostEdges() const;

 private:
  struct Opened {
    DuckDb database;
    DuckDbConnection connection;
    std::string from;  // empty for a CSV file
  };
  Result<Opened> OpenSource() const;
  Result<void> PassCsv(const DuckDbConnection& connection, const Take& take);
  Result<void> PassChunks(const DuckDbConnection& connection, const std::string& from, const Take& take);
  Result<void> Convert(duckdb_data_chunk chunk, Part* part);
  Result<void> Names(duckdb_vector vector, idx_t size, std::vector<std::uint32_t>* numbers);
  Result<void> CheckUnchanged() const;
  Error Unreadable(const std::string& what) const;

  const GraphFile& file_;
  const Source source_;
  EngineOptions options_;
  const Progress& progress_;
  const CancelFlag& cancel_;
  FileIdentity identity_;
  std::vector<std::string> columns_;  // two or three
  Naming naming_ = Naming::kTexts;
  IntegerNames integers_;
  TextNames texts_;
  bool out_of_range_ = false;
};

std::optional<std::int64_t> ToInteger(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Error EdgeReader::Unreadable(const std::string& what) const {
  return InvalidArgument(what, source_.name,
                         "correct the file: an edge that is left out is a dependence that is not accounted for");
}

Result<Naming> EdgeReader::Look() {
  auto identity = Identify(source_.path);
  if (!identity) return identity.error();
  identity_ = *identity;
  auto sketch = SketchSource(source_, kith::Look::kAsDeclared, cancel_);
  if (!sketch) return sketch.error();
  const std::vector<ColumnSketch>& found = sketch->columns;
  const std::size_t needed = file_.theta ? 2 : 3;
  if (found.size() < 2) {
    return InvalidArgument("a graph file has two columns that name records", source_.name, "separate them by a comma");
  }
  if (found.size() < needed) {
    return InvalidArgument("there is no strength: neither theta nor a third column", source_.name,
                           "state theta, or add a column with the strength of each edge");
  }
  if (found.size() > needed) {
    return InvalidArgument(
        file_.theta ? "edges have no strengths of their own here, and the file has more than the two columns that name "
                      "records"
                    : "the file has more than two columns that name records and one with strengths",
        source_.name,
        "leave the other columns out, and declare what covers the strongest edge; kind = \"field\" without theta takes "
        "a strength for each edge from a third column");
  }
  for (std::size_t k = 0; k < needed; ++k) columns_.push_back(found[k].name);
  const bool integers = found[0].type == ColumnType::kInteger && found[1].type == ColumnType::kInteger;
  return integers ? Naming::kRecordNumbers : Naming::kTexts;
}

Result<void> EdgeReader::CheckUnchanged() const {
  const auto now = Identify(source_.path);
  if (now && *now == identity_) return {};
  return StorageError("the file changed while it was read", source_.name, "wait until it is complete");
}

Result<EdgeReader::Opened> EdgeReader::OpenSource() const {
  auto database = DuckDb::Open("", LockedSettings(options_, {}));
  if (!database) return database.error();
  auto connection = database->Connect();
  if (!connection) return connection.error();
  std::string from;
  std::vector<std::string> files;
  if (source_.kind == SourceKind::kParquet) {
    from = ReadParquet(source_.path);
    files = {source_.path};
  } else if (source_.kind == SourceKind::kDuckDb) {
    const std::string attach = fmt::format("ATTACH {} AS kith_0 (READ_ONLY)", QuotedText(source_.path));
    if (auto attached = connection->Execute(attach, cancel_); !attached) return attached.error();
    from = "kith_0." + source_.inner_table;
  }
  if (auto locked = LockDown(*connection, files, cancel_); !locked) return locked.error();
  return Opened{std::move(*database), std::move(*connection), std::move(from)};
}

Result<std::int64_t> EdgeReader::MostEdges() const {
  constexpr std::int64_t kShortestLine = 4;  // two names, a comma and the end of the line
  if (source_.kind == SourceKind::kCsv) return identity_.size / kShortestLine;
  auto opened = OpenSource();
  if (!opened) return opened.error();
  auto counted = opened->connection.Integers("SELECT count(*) FROM " + opened->from, cancel_);
  if (!counted) return counted.error();
  return static_cast<std::int64_t>(counted->rows[0][0].value_or(0));
}

Result<void> EdgeReader::Pass(Naming naming, const Take& take) {
  naming_ = naming;
  out_of_range_ = false;
  auto opened = OpenSource();
  if (!opened) return opened.error();
  auto done =
      opened->from.empty() ? PassCsv(opened->connection, take) : PassChunks(opened->connection, opened->from, take);
  if (auto unchanged = CheckUnchanged(); !unchanged) return unchanged.error();
  return done;
}

std::optional<std::string> EdgeReader::RowsOf(Naming naming, std::pair<std::uint32_t, std::uint32_t> pair) {
  std::uint64_t row = 0;
  std::vector<std::uint64_t> rows;
  const auto read = Pass(naming, [&](const EdgeColumns& part) -> Result<void> {
    for (std::size_t i = 0; i < part.a.size() && rows.size() < 2; ++i) {
      ++row;
      if (std::minmax(part.a[i], part.b[i]) == std::minmax(pair.first, pair.second)) rows.push_back(row);
    }
    return {};
  });
  if (!read || rows.size() < 2) return std::nullopt;
  return fmt::format("{}, row {} repeats row {} (counted from 1, without the header)", source_.name, rows[1], rows[0]);
}

Result<void> EdgeReader::PassCsv(const DuckDbConnection& connection, const Take& take) {
  auto csv = CsvFile::Open(source_.path, {.shape = source_.csv}, cancel_);
  if (!csv) return csv.error();
  std::vector<std::size_t> wanted(columns_.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] = k;
  CsvScan scan(*csv, std::move(wanted), cancel_, progress_);
  if (auto registered = scan.Register(connection, "kith_csv"); !registered) return registered.error();
  auto done = PassChunks(connection, "kith_csv()", take);
  if (const auto error = scan.error()) return *error;
  if (!done) return done.error();
  if (scan.broken_lines() > 0 && !out_of_range_) {
    return Unreadable(fmt::format("{} lines have broken quotes or a wrong number of fields", scan.broken_lines()));
  }
  return {};
}

Result<void> EdgeReader::PassChunks(const DuckDbConnection& connection, const std::string& from, const Take& take) {
  const bool csv = source_.kind == SourceKind::kCsv;
  // Text is turned into integers below, strictly: the engine would read 1.5 as 2.
  const std::string type = csv || naming_ == Naming::kTexts ? "VARCHAR" : "BIGINT";
  std::string list;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const std::string column = csv ? fmt::format("c{}", k) : QuotedName(columns_[k]);
    list += (k == 0 ? "" : ", ") + TryCast(column, k == 2 ? "DOUBLE" : type);
  }
  const std::string sql = fmt::format("SELECT {} FROM {}", list, from);
  const duckdb_connection handle = connection.state().connection;
  const Interrupter interrupter(handle, cancel_);
  OwnedPrepared prepared;
  if (duckdb_prepare(handle, sql.c_str(), prepared.out()) != DuckDBSuccess) {
    return FromDuckDb(duckdb_prepare_error(prepared.get()));
  }
  DuckDbOwned<duckdb_pending_result, duckdb_destroy_pending> pending;
  OwnedResult result;
  if (duckdb_pending_prepared_streaming(prepared.get(), pending.out()) != DuckDBSuccess) {
    return FromDuckDb(duckdb_pending_error(pending.get()));
  }
  if (duckdb_execute_pending(pending.get(), result.out()) != DuckDBSuccess) {
    return FromDuckDb(duckdb_result_error(result.out()));
  }
  Part part;
  while (true) {
    const OwnedChunk chunk(duckdb_fetch_chunk(result.get()));
    if (cancel_.cancelled()) return Cancelled("stopped while reading a graph");
    if (chunk.get() == nullptr) break;
    if (auto converted = Convert(chunk.get(), &part); !converted) return converted.error();
    if (out_of_range_) return {};
    if (auto taken = take({part.a, part.b, part.theta}); !taken) return taken.error();
  }
  // A stream that fails ends early; its error shows only here.
  const char* failed = duckdb_result_error(result.out());
  if (failed != nullptr && *failed != '\0') return FromDuckDb(failed);
  return {};
}

Result<void> EdgeReader::Names(duckdb_vector vector, idx_t size, std::vector<std::uint32_t>* numbers) {
  numbers->resize(size);
  std::uint64_t* validity = duckdb_vector_get_validity(vector);
  for (idx_t row = 0; row < size && validity != nullptr; ++row) {
    if (!duckdb_validity_row_is_valid(validity, row)) {
      return Unreadable("an edge lacks the name of a record");
    }
  }
  auto* texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
  const auto text = [texts](idx_t row) {
    return std::string_view(duckdb_string_t_data(&texts[row]), duckdb_string_t_length(texts[row]));
  };
  for (idx_t row = 0; row < size && !out_of_range_; ++row) {
    if (naming_ == Naming::kTexts) {
      (*numbers)[row] = texts_.Number(text(row));
      continue;
    }
    std::optional<std::int64_t> name;
    if (source_.kind == SourceKind::kCsv) {
      name = ToInteger(text(row));
    } else {
      name = static_cast<const std::int64_t*>(duckdb_vector_get_data(vector))[row];
    }
    if (!name) return Unreadable("most records are named by integers, but not all");
    if (naming_ == Naming::kIntegers) {
      (*numbers)[row] = integers_.Number(*name);
    } else {
      out_of_range_ = *name < 0 || *name >= file_.records;
      (*numbers)[row] = static_cast<std::uint32_t>(*name);
    }
  }
  return {};
}

Result<void> EdgeReader::Convert(duckdb_data_chunk chunk, Part* part) {
  const idx_t size = duckdb_data_chunk_get_size(chunk);
  for (std::size_t k = 0; k < 2 && !out_of_range_; ++k) {
    auto named = Names(duckdb_data_chunk_get_vector(chunk, k), size, k == 0 ? &part->a : &part->b);
    if (!named) return named.error();
  }
  if (std::max(integers_.count(), texts_.count()) > file_.records) {
    return InvalidArgument(
        fmt::format("the file names more than {} records, which is all there are declared to be", file_.records),
        source_.name, "state how many records there are in the world");
  }
  part->theta.clear();
  if (file_.theta) return {};
  const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, 2);
  const auto* strengths = static_cast<const double*>(duckdb_vector_get_data(vector));
  std::uint64_t* validity = duckdb_vector_get_validity(vector);
  for (idx_t row = 0; row < size; ++row) {
    if (!duckdb_validity_row_is_valid(validity, row)) return Unreadable("the strength of an edge is not a number");
    part->theta.push_back(strengths[row]);
  }
  return {};
}

Result<Graph> Load(const GraphFile& file, const EngineOptions& options, const Call& call) {
  auto source = ResolveSource(file.path, "edges", {});
  if (!source) return source.error();
  EdgeReader reader(file, *source, options, call);
  auto naming = reader.Look();
  if (!naming) return naming.error();
  std::int64_t records = file.records;
  if (file.may_leave_out_lonely && !file.needs_record_numbers) {
    const auto edges = reader.MostEdges();
    if (!edges) return edges.error();
    // Far fewer: looking names up takes longer than counting by them.
    if (*edges < records / 8) {
      records = 2 * *edges + 1;
      if (*naming == Naming::kRecordNumbers) naming = Naming::kIntegers;
    }
  }
  while (true) {
    if (file.needs_record_numbers && *naming != Naming::kRecordNumbers) {
      return InvalidArgument(fmt::format("records must be named 0 to {} here", file.records - 1), source->name,
                             "other parts of the model refer to records by these numbers");
    }
    auto builder = GraphBuilder::Make(records, file.theta, file.repeated);
    if (!builder) return builder.error();
    auto counted = reader.Pass(*naming, [&](const EdgeColumns& part) { return builder->Count(part); });
    if (!counted) return counted.error();
    if (reader.out_of_range()) {
      naming = Naming::kIntegers;  // integers, but not the records' own numbers
      continue;
    }
    auto filled = reader.Pass(*naming, [&](const EdgeColumns& part) { return builder->Fill(part); });
    if (!filled) return filled.error();
    auto graph = builder->Finish(options.threads > 0 ? static_cast<unsigned>(options.threads)
                                                     : std::thread::hardware_concurrency());
    if (graph || !builder->refused()) return graph;
    Error error = graph.error();
    if (const auto where = reader.RowsOf(*naming, *builder->refused())) error.where = *where;
    return error;
  }
}

}  // namespace

Result<Graph> LoadGraph(const GraphFile& file, const EngineOptions& options, const Call& call) {
  const Stage stage(call, "reading the graph");
  try {
    return Load(file, options, call);
  } catch (const std::exception&) {
    return StorageError("not enough memory to read the graph", file.path);
  }
}

}  // namespace kith
