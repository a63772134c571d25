// Friendship graphs in a public table of the policy's engine: what a degree needs is counted there, and a graph that is
// needed as a whole comes as a stream of numbers. Claims: claims/graph_tables.md
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/result.h"
#include "dependence/graph.h"
#include "graph/edges.h"
#include "policy/policy.h"
#include "sql/statement.h"

namespace kith {

/// What is counted of a table of edges, each pair once, in whatever direction and however often it is listed, edges
/// from a record to itself left out.
struct LinkCounts {
  std::int64_t rows = 0;            // of the table
  std::int64_t records = 0;         // named in the table, even if only by an edge to themselves
  std::int64_t links = 0;           // different pairs
  std::int64_t largest_degree = 0;  // the most links that one record has
};

/// One state of the table that [dependence] names, opened, and nothing else in the policy. A graph is read before
/// anything is charged, so nothing secret may be read. Thread-safe.
/// Ensures [GRAPH-TABLE-1]: no other table of the policy is read, nor any promise about one checked.
class EdgesTable {
 public:
  /// Fails: kInvalidArgument (a CSV file, which would need an import; whatever OpenSession refuses), kStorage,
  /// kCancelled. Requires: policy.dependence.edges->in_table().
  static Result<EdgesTable> Open(const Policy& policy, const EngineOptions& options, const Call& call);

  /// Names the state that was opened (Session::version). Nothing: the engine has no name for it.
  std::optional<std::string> state() const { return session_->version(); }

  /// Counted by the engine: no row leaves it. Links are distinguished in the engine's memory: where records are named
  /// by integers, those of this many edges at once, one part of the names after another.
  /// Ensures [GRAPH-TABLE-2]: exactly the counts of the graph that Load would make of the same table.
  /// Fails: kInvalidArgument (an edge without the name of a record, more names than records), kStorage, kCancelled.
  Result<LinkCounts> Count(const CancelFlag& cancel, std::int64_t at_once = kEdgesAtOnce) const;
  static constexpr std::int64_t kEdgesAtOnce = 16'000'000;

  /// The graph as LoadGraph would read it from a file, whose `path` and `theta` are ignored, except that names
  /// are numbered in their order, not in that of the rows: so equal tables have equal graphs, however they are stored.
  /// Read twice, as a stream; only the graph itself is in memory.
  /// Ensures [GRAPH-TABLE-3]: no strength is below the table's; one of at least 1/32 is the table's.
  /// Fails: as LoadGraph.
  Result<Graph> Load(const GraphFile& wanted, const EngineOptions& options, const Call& call) const;

  // What the engine is asked: for tests.
  sql::Statement LookStatement() const;   // rows, those without a name, and least and greatest names if integers
  sql::Statement NamesStatement() const;  // how many different names
  /// Records whose names are at least `from` and below `to`, as far as these are given.
  struct Part {
    std::optional<std::int64_t> from, to;
  };
  sql::Statement DegreesStatement(const Part& part) const;  // their links, and the most of one
  sql::Statement EdgesStatement(bool by_rank) const;

 private:
  struct Look {
    std::int64_t rows = 0;
    bool numbered = false;                        // every name is an integer from 0 to records - 1
    std::optional<std::int64_t> least, greatest;  // of names that are integers

    std::vector<Part> Parts(std::int64_t at_once) const;
  };
  EdgesTable(EdgesFile edges, bool texts, std::shared_ptr<const Session> session)
      : edges_(std::move(edges)), texts_(texts), session_(std::move(session)) {}
  sql::Term NameTerm(const std::string& source, const std::string& column) const;
  sql::Statement AllNames() const;
  Result<Look> LookAt(std::int64_t records, const CancelFlag& cancel) const;
  Result<std::int64_t> CountNames(const CancelFlag& cancel) const;
  Result<Graph> LoadAll(const GraphFile& wanted, const EngineOptions& options, const Call& call) const;
  Error Unreadable(const std::string& what) const;

  EdgesFile edges_;
  bool texts_ = false;  // records are named by strings, not by integers
  std::shared_ptr<const Session> session_;
};

/// For whatever needs the graph as a whole. Fails: kUnsupportedQuery if it is in a table and [data] rows_out keeps rows
/// in their engine.
Result<void> MayReadWhole(const Policy& policy);

/// The graph that the policy's dependence names, from its file or table. `wanted.path`, `records` and `theta` are set
/// here. Fails: as LoadGraph, EdgesTable and MayReadWhole.
Result<Graph> LoadGraphOf(const Policy& policy, GraphFile wanted, const EngineOptions& options, const Call& call);

}  // namespace kith
