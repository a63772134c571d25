// From trees to a statement that the scratch database runs. What is not known here by name is refused: a statement is
// written from scratch, part by part, and nothing of a person's text is passed on unchanged. Internal to after.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "postprocess/postprocess.h"
#include "postprocess/tree.h"

struct PgQuery__AExpr;
struct PgQuery__AConst;
struct PgQuery__CaseExpr;
struct PgQuery__ColumnRef;
struct PgQuery__TypeCast;
struct PgQuery__WindowDef;

namespace kith::postprocess {

/// An expression as SQL, and how it depends on noise.
struct Piece {
  std::string sql;
  Dependence dependence = Dependence::kNone;
  FormulaPtr formula;  // up to kArithmetic

  bool noisy() const { return dependence != Dependence::kNone; }
};

struct Scoped {
  std::string table, name;
  Piece piece;
};
/// What FROM gives.
struct Relation {
  std::string sql;
  std::vector<Scoped> columns;
  bool by_noise = false;  // which rows it has depends on noise
};
/// What a SELECT gives.
struct Selected {
  std::string sql;
  std::vector<Scoped> columns;  // as its reader sees them; formulas are of columns that are not seen
  bool by_noise = false;
};

class Compiler {
 public:
  explicit Compiler(const Policy& policy) : policy_(policy) {}

  /// Requires: not Kind::kRows.
  Result<Outer> Outermost(const PgQuery__SelectStmt& select, const Names& around = {});
  /// The place of a private question, which is planned if it is new.
  Result<std::size_t> Asked(const std::string& sql);
  const std::vector<Inner>& inner() const { return inner_; }
  std::vector<Inner> TakeInner() && { return std::move(inner_); }
  std::vector<Stage>& stages() { return stages_; }

 private:
  /// Where an expression occurs.
  struct Place {
    const std::vector<Scoped>& columns;
    const std::map<std::string, std::size_t>* taken = nullptr;  // columns that expressions have become
    const Names& names;
    bool rows_by_noise = false;  // what aggregates and windows see depends on noise
    bool in_aggregate = false;
    int depth = 0;
  };
  /// A SELECT over answers, ready to be put together.
  struct Body {
    Names names;
    Relation from;
    std::map<std::string, std::size_t> taken;
    bool lifted = false;  // `taken` counts
    std::string where, group_by, having;
    std::vector<std::pair<std::string, Piece>> targets;  // by name
    bool aggregates = false, windows = false;
    bool by_noise = false;  // which rows it has depends on noise, and that cannot be set apart
    std::string keep;       // a condition of noisy numbers that can: not part of where and having
    std::vector<std::string> sort_keys;
    std::vector<std::string> sort_ways;
    bool sorted_by_noise = false;
    std::string limits;
    bool limited = false;
    std::vector<std::string> identity;  // what no noise changes and identifies rows, as far as anything does
  };

  Result<Selected> Select(const PgQuery__SelectStmt& select, const Names& around, int depth);
  Result<Body> BodyOf(const PgQuery__SelectStmt& select, const Names& around, bool outermost, int depth);
  Result<void> AddTargets(const PgQuery__SelectStmt& select, const Place& place, Body& body);
  Result<void> AddGroups(const PgQuery__SelectStmt& select, const Place& place, Body& body);
  Result<void> AddConditions(const PgQuery__SelectStmt& select, const Place& place, bool outermost, Body& body);
  Result<void> AddOrder(const PgQuery__SelectStmt& select, const Place& place, Body& body);
  Result<Relation> From(const PgQuery__Node& node, const Names& names, int depth);
  Result<Relation> Join(const PgQuery__Node& node, const Names& names, int depth);
  Result<Relation> UnionOf(const PgQuery__SelectStmt& select, const Names& names, int depth);
  Result<Body> BodyOfUnion(const PgQuery__SelectStmt& select, Names names, bool outermost, int depth);
  Result<Relation> FromSelect(const FromItem& source, int depth);
  /// The answer to a private question.
  Result<Relation> Answer(const std::string& sql, const std::string& alias);

  Result<Piece> Expression(const PgQuery__Node& node, const Place& place);
  Result<std::vector<Piece>> Expressions(PgQuery__Node* const* nodes, std::size_t count, const Place& place);
  Result<Piece> Column(const PgQuery__ColumnRef& reference, const Place& place);
  Result<Piece> Constant(const PgQuery__AConst& constant);
  Result<Piece> Operator(const PgQuery__AExpr& expr, const Place& place);
  Result<Piece> Case(const PgQuery__CaseExpr& expr, const Place& place);
  Result<Piece> Cast(const PgQuery__TypeCast& cast, const Place& place);
  Result<Piece> Function(const PgQuery__FuncCall& call, const Place& place);
  Result<Piece> AggregateOrWindow(const PgQuery__FuncCall& call, const std::string& name, const Place& place);
  Result<std::string> Window(const PgQuery__WindowDef& window, const Place& place, bool& by_noise);
  Result<Piece> SubSelect(const PgQuery__Node& node, const Place& place);

  const Policy& policy_;
  std::vector<Inner> inner_;
  std::vector<Stage> stages_;
  std::size_t hidden_ = 0;     // names of columns that nobody sees
  bool noise_orders_ = false;  // rows are put in order by noise somewhere on the way
};

/// The refusal of what is not computed on answers.
Error NotAfter(const std::string& what);
/// A piece that is a function of others, all of which are numbers that no noise has chosen: its bar can be simulated.
Piece FunctionOf(std::string sql, const std::vector<Piece>& of);
/// A piece that depends on others in a way that has no bar; of nothing noisy it is not noisy.
Piece Mixed(std::string sql, const std::vector<Piece>& of);

}  // namespace kith::postprocess
