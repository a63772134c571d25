#include "graph/edges_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <limits>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"

namespace kith {
namespace {

// The statements' own names; no table of a policy has such a name.
constexpr char kNames[] = "kith.names", kEdges[] = "kith.edges", kFrom[] = "kith.from", kTo[] = "kith.to";
constexpr char kName[] = "kith_name", kOther[] = "kith_other", kRank[] = "kith_rank", kDegree[] = "kith_degree";

// Strengths travel as whole numbers of 2^-57: exact for doubles from 1/32 on, and rounded up below.
constexpr double kStrengthSteps = 0x1p57;
constexpr std::int64_t kHardSteps = std::int64_t{1} << 62, kNoStrength = -1;
static_assert(kHardTheta * kStrengthSteps < static_cast<double>(kHardSteps));

/// NaN is neither: engines that order it put it above all others, and its negative too.
sql::Term StrengthTerm(const sql::Term& theta) {
  const auto real = [](double value) { return sql::Constant(value, Type::kReal); };
  const auto whole = [](std::int64_t value) { return sql::Constant(value, Type::kInteger); };
  const sql::Term steps = sql::Call("ceil", {sql::Infix(" * ", {theta, real(kStrengthSteps)})});
  return sql::Case(
      {sql::All({sql::Infix(" >= ", {theta, real(0)}), sql::Infix(" <= ", {theta, real(kHardTheta)})}),
       sql::Cast(steps, sql::Stored::kWhole),
       sql::All({sql::Infix(" > ", {theta, real(kHardTheta)}), sql::Infix(" < ", {sql::Prefix("-", theta), real(0)})}),
       whole(kHardSteps), whole(kNoStrength)});
}

double StrengthOf(std::int64_t steps) {
  if (steps == kHardSteps) return std::numeric_limits<double>::infinity();
  return static_cast<double>(steps) / kStrengthSteps;
}

/// A policy with just this table, whose rows are nobody's secrets.
Policy OnlyEdges(const Policy& policy, const Table& table) {
  Policy only;
  only.file = policy.file;
  only.engine = policy.engine;
  only.server = policy.server;
  only.rows_out = policy.rows_out;
  only.tables = {table};
  only.tables[0].key.reset();
  only.unit.table = table.name;
  only.unit.presence = Presence::kPublic;
  only.dependence.source = "public";
  only.dependence.model = Independent{};
  only.epsilon_total = policy.epsilon_total;
  only.ledger = policy.ledger;
  return only;
}

std::int64_t NumberAt(const IntegerTable& table, std::size_t column) {
  return static_cast<std::int64_t>(table.rows.at(0).at(column).value_or(Int128{0}));
}

Error TooManyNames(std::int64_t records, const std::string& table) {
  return InvalidArgument(
      fmt::format("the table names more than {} records, which is all there are declared to be", records), table,
      "state how many records there are in the world");
}

/// The numbers of one piece of the stream, as a builder takes them.
struct Piece {
  std::vector<std::uint32_t> a, b;
  std::vector<double> theta;
};

}  // namespace

Error EdgesTable::Unreadable(const std::string& what) const {
  return InvalidArgument(what, "table " + edges_.source,
                         "correct the table: an edge that is left out is a dependence that is not accounted for");
}

Result<EdgesTable> EdgesTable::Open(const Policy& policy, const EngineOptions& options, const Call& call) {
  const EdgesFile& edges = *policy.dependence.edges;
  KITH_CHECK(edges.in_table());
  const Table* table = policy.FindTable(edges.source);
  const Column* from = table == nullptr ? nullptr : table->Find(edges.from);
  if (from == nullptr) return InternalError("the table of edges is not declared");
  const Policy only = OnlyEdges(policy, *table);
  if (NeedsImport(only)) {
    return InvalidArgument("edges are in a CSV file, which has no table of its own", "table " + edges.source,
                           fmt::format("write edges = \"{}\": a file of edges is read as it is", table->source));
  }
  EngineOptions reading = options;
  reading.output.clear();
  auto session = OpenSession(only, reading, call);
  if (!session) return session.error();
  return EdgesTable(edges, from->type == ColumnType::kText, std::move(*session));
}

sql::Term EdgesTable::NameTerm(const std::string& source, const std::string& column) const {
  const sql::Term name = sql::Column(source, column);
  return texts_ ? sql::Collated(name) : name;
}

sql::Statement EdgesTable::LookStatement() const {
  const sql::Term from = sql::Column("", edges_.from), to = sql::Column("", edges_.to);
  const sql::Term unnamed = sql::Infix(" OR ", {sql::Suffix(from, " IS NULL"), sql::Suffix(to, " IS NULL")});
  sql::Select look{.items = {{sql::CountRows()}, {sql::Where(sql::CountRows(), unnamed)}},
                   .from = sql::Table(edges_.source)};
  if (!texts_) {
    for (const sql::Term& ends : {sql::Min(from), sql::Min(to), sql::Max(from), sql::Max(to)})
      look.items.push_back({ends});
  }
  return sql::Selected(std::move(look));
}

sql::Statement EdgesTable::AllNames() const {
  const auto one = [&](const std::string& column) {
    return sql::Selected({.items = {{NameTerm("", column), kName}}, .from = sql::Table(edges_.source)});
  };
  return sql::United(one(edges_.from), one(edges_.to), false);
}

sql::Statement EdgesTable::NamesStatement() const {
  return sql::Selected({.items = {{sql::CountRows()}}, .from = sql::Rows(AllNames(), kNames)});
}

sql::Statement EdgesTable::DegreesStatement(const Part& part) const {
  const sql::Term from = NameTerm("", edges_.from), to = NameTerm("", edges_.to);
  const auto one_way = [&](const sql::Term& a, const sql::Term& b) {
    std::vector<sql::Term> where = {sql::Infix(" <> ", {from, to})};
    const auto whole = [](std::int64_t value) { return sql::Constant(value, Type::kInteger); };
    if (part.from) where.push_back(sql::Infix(" >= ", {a, whole(*part.from)}));
    if (part.to) where.push_back(sql::Infix(" < ", {a, whole(*part.to)}));
    return sql::Selected(
        {.items = {{a, kName}, {b, kOther}}, .from = sql::Table(edges_.source), .where = sql::All(std::move(where))});
  };
  // UNION keeps one of equal rows: each pair is there once in either direction.
  const sql::Statement both = sql::United(one_way(from, to), one_way(to, from), false);
  const sql::Statement degrees = sql::Selected(
      {.items = {{sql::CountRows(), kDegree}}, .from = sql::Rows(both, kEdges), .group_by = {sql::Name(kName)}});
  return sql::Selected(
      {.items = {{sql::Sum(sql::Name(kDegree))}, {sql::Max(sql::Name(kDegree))}}, .from = sql::Rows(degrees, kNames)});
}

sql::Statement EdgesTable::EdgesStatement(bool by_rank) const {
  const sql::Source edges = sql::Table(edges_.source, kEdges);
  sql::Select select{.items = {}, .from = edges};
  if (by_rank) {
    const sql::Term rank = sql::Infix(" - ", {sql::Window("row_number", nullptr, {sql::Name(kName)}), sql::Number(1)});
    const sql::Statement ranks =
        sql::Selected({.items = {{sql::Name(kName), kName}, {rank, kRank}}, .from = sql::Rows(AllNames(), kNames)});
    select.with = {{kNames, ranks, true}};
    for (const auto& [source, column] : {std::pair(kFrom, edges_.from), std::pair(kTo, edges_.to)}) {
      select.items.push_back({sql::Name(source, kRank)});
      select.joins.push_back(
          {false, sql::Own(kNames, source), sql::Infix(" = ", {NameTerm(kEdges, column), sql::Name(source, kName)})});
    }
  } else {
    select.items = {{sql::Column(kEdges, edges_.from)}, {sql::Column(kEdges, edges_.to)}};
  }
  if (!edges_.strength.empty()) select.items.push_back({StrengthTerm(sql::Column(kEdges, edges_.strength))});
  return sql::Selected(std::move(select));
}

/// Every name is in one of them, and so is each of its links.
std::vector<EdgesTable::Part> EdgesTable::Look::Parts(std::int64_t at_once) const {
  std::vector<Part> parts(1);
  if (!least || !greatest) return parts;
  const Int128 names = Int128{*greatest} - *least + 1;
  const Int128 count = std::min<Int128>((rows - 1) / at_once + 1, names);
  for (Int128 k = 1; k < count; ++k) {
    const auto begin = static_cast<std::int64_t>(*least + names * k / count);
    parts.back().to = begin;
    parts.push_back({.from = begin, .to = std::nullopt});
  }
  return parts;
}

Result<EdgesTable::Look> EdgesTable::LookAt(std::int64_t records, const CancelFlag& cancel) const {
  const auto found = session_->Run(LookStatement(), cancel);
  if (!found) return found.error();
  if (NumberAt(*found, 1) > 0) return Unreadable("an edge lacks the name of a record");
  Look look;
  look.rows = NumberAt(*found, 0);
  if (texts_) return look;
  const auto within = [&](std::size_t column) {
    const auto& end = found->rows.at(0).at(column);
    return !end || (*end >= 0 && *end < records);
  };
  look.numbered = within(2) && within(3) && within(4) && within(5);
  if (look.rows > 0) {
    look.least = std::min(NumberAt(*found, 2), NumberAt(*found, 3));
    look.greatest = std::max(NumberAt(*found, 4), NumberAt(*found, 5));
  }
  return look;
}

Result<std::int64_t> EdgesTable::CountNames(const CancelFlag& cancel) const {
  const auto names = session_->Run(NamesStatement(), cancel);
  if (!names) return names.error();
  return NumberAt(*names, 0);
}

Result<LinkCounts> EdgesTable::Count(const CancelFlag& cancel, std::int64_t at_once) const {
  const auto look = LookAt(edges_.nodes, cancel);
  if (!look) return look.error();
  const auto names = CountNames(cancel);
  if (!names) return names.error();
  if (*names > edges_.nodes) return TooManyNames(edges_.nodes, "table " + edges_.source);
  LinkCounts counts{look->rows, *names, 0, 0};
  std::int64_t ends = 0;  // each link has two
  for (const Part& part : look->Parts(at_once)) {
    const auto degrees = session_->Run(DegreesStatement(part), cancel);
    if (!degrees) return degrees.error();
    ends += NumberAt(*degrees, 0);
    counts.largest_degree = std::max(counts.largest_degree, NumberAt(*degrees, 1));
  }
  counts.links = ends / 2;
  return counts;
}

Result<Graph> EdgesTable::LoadAll(const GraphFile& wanted, const EngineOptions& options, const Call& call) const {
  const std::string where = "table " + edges_.source;
  const auto look = LookAt(wanted.records, call.cancel);
  if (!look) return look.error();
  if (wanted.needs_record_numbers && !look->numbered) {
    return InvalidArgument(fmt::format("records must be named 0 to {} here", wanted.records - 1), where,
                           "other parts of the model refer to records by these numbers");
  }
  // Far fewer edges than records: looking names up takes longer than counting by them.
  const bool leaves_out =
      wanted.may_leave_out_lonely && !wanted.needs_record_numbers && look->rows < wanted.records / 8;
  const bool by_rank = leaves_out || !look->numbered;
  std::int64_t records = wanted.records;
  if (by_rank) {
    const auto names = CountNames(call.cancel);
    if (!names) return names.error();
    if (*names > wanted.records) return TooManyNames(wanted.records, where);
    if (leaves_out) records = std::max<std::int64_t>(*names, 1);
  }
  auto builder = GraphBuilder::Make(records, edges_.theta, wanted.repeated);
  if (!builder) return builder.error();
  const sql::Statement statement = EdgesStatement(by_rank);
  const bool strengths = !edges_.strength.empty();
  Piece piece;
  const auto pass = [&](const auto& take) {
    return session_->Scan(
        statement,
        [&](IntegerColumns columns) -> Result<void> {
          const std::size_t count = columns[0].size();
          piece.a.resize(count);
          piece.b.resize(count);
          for (std::size_t k = 0; k < count; ++k) {
            const std::int64_t a = columns[0][k], b = columns[1][k];
            // A table without snapshots can change between two statements.
            if (a < 0 || b < 0 || a >= records || b >= records)
              return StorageError("the table changed while it was read", where, "wait until it is complete");
            piece.a[k] = static_cast<std::uint32_t>(a);
            piece.b[k] = static_cast<std::uint32_t>(b);
          }
          piece.theta.resize(strengths ? count : 0);
          for (std::size_t k = 0; k < piece.theta.size(); ++k) {
            if (columns[2][k] == kNoStrength)
              return Unreadable("the strength of an edge is missing, negative or not a number");
            piece.theta[k] = StrengthOf(columns[2][k]);
          }
          return take(EdgeColumns{piece.a, piece.b, piece.theta});
        },
        call.cancel);
  };
  if (auto counted = pass([&](const EdgeColumns& part) { return builder->Count(part); }); !counted)
    return counted.error();
  if (auto filled = pass([&](const EdgeColumns& part) { return builder->Fill(part); }); !filled) return filled.error();
  return builder->Finish(options.threads > 0 ? static_cast<unsigned>(options.threads)
                                             : std::thread::hardware_concurrency());
}

Result<Graph> EdgesTable::Load(const GraphFile& wanted, const EngineOptions& options, const Call& call) const {
  const Stage stage(call, "reading the graph");
  try {
    return LoadAll(wanted, options, call);
  } catch (const std::exception&) {
    return StorageError("not enough memory to read the graph", "table " + edges_.source);
  }
}

Result<void> MayReadWhole(const Policy& policy) {
  if (policy.rows_out || !policy.dependence.edges || !policy.dependence.edges->in_table()) return {};
  return Unsupported("this model needs the whole graph, and the policy keeps rows in the engine", "[data] rows_out",
                     "use kind = \"pairs\", for which the engine counts, or put the edges into a file");
}

Result<Graph> LoadGraphOf(const Policy& policy, GraphFile wanted, const EngineOptions& options, const Call& call) {
  const EdgesFile& edges = *policy.dependence.edges;
  wanted.records = edges.nodes;
  wanted.theta = edges.theta;
  if (!edges.in_table()) {
    wanted.path = (std::filesystem::absolute(policy.file).parent_path() / edges.source).string();
    return LoadGraph(wanted, options, call);
  }
  if (auto may = MayReadWhole(policy); !may) return may.error();
  const auto table = EdgesTable::Open(policy, options, call);
  if (!table) return table.error();
  return table->Load(wanted, options, call);
}

}  // namespace kith
