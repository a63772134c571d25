// Private answers that are used in private questions as numbers. Internal to after. Claims: claims/stages.md
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "postprocess/compile.h"
#include "postprocess/tree.h"
#include "query/parse/syntax.h"

namespace kith::postprocess {

/// Finds one-row answers next to tables, and sub-selects used as numbers in what is computed on rows; each
/// becomes a stage of the compiler, and the tree names its numbers instead. The tree is restored when this ends.
class Stager {
 public:
  /// Both must outlive this.
  Stager(const Policy& policy, Compiler& compiler) : policy_(policy), keys_(KeysOfRows(policy)), compiler_(compiler) {}
  Stager(const Stager&) = delete;
  Stager& operator=(const Stager&) = delete;
  ~Stager();

  /// `tree` must outlive this. Fails: kUnsupportedQuery, kInvalidArgument; also as PlanQuestion.
  Result<void> Run(const SyntaxTree& tree, const std::string& sql);

 private:
  /// One-row answers that were in the FROM of one SELECT: whose columns are known by which names.
  struct Beside {
    std::string alias;
    std::vector<std::string> columns;
    std::size_t stage = 0;
  };

  Result<void> Visit(PgQuery__SelectStmt& select, const Names& around, int depth);
  Result<void> VisitFrom(const PgQuery__Node& from, const Names& names, int depth);
  Result<void> VisitInside(const PgQuery__Node& expression, const Names& names, int depth);
  /// What is left of a part of FROM when answers are gone; nullptr: nothing.
  Result<PgQuery__Node*> WithoutAnswers(PgQuery__Node* from, const Names& names, PgQuery__SelectStmt& select,
                                        std::vector<Beside>& beside);
  Result<Beside> MakeBeside(const PgQuery__Node& from, const Names& names);
  Result<std::size_t> MakeStage(const PgQuery__SelectStmt& select, const Names& around);
  bool GivesOneRow(const PgQuery__SelectStmt& select, const Names& around, int depth) const;
  Result<void> Replace(PgQuery__Node& node, const Names& names, const std::vector<Beside>& beside, bool of_rows);
  Result<void> ReplaceColumn(PgQuery__Node& node, const std::vector<Beside>& beside);
  Result<void> ReplaceSubSelect(PgQuery__Node& node, const Names& names);
  /// Puts the number's name in place of the node.
  Result<void> PutNumber(PgQuery__Node& node, std::size_t stage, std::size_t column, const std::string& shown);
  Result<StageConstant> ConstantOf(std::size_t stage, std::size_t column) const;
  bool IsNumber(const PgQuery__Node& node) const;

  template <class T>
  void Put(T& place, T value) {
    undo_.push_back([&place, old = place] { place = old; });
    place = value;
  }

  const Policy& policy_;
  const std::vector<RowKey> keys_;
  Compiler& compiler_;
  std::vector<SyntaxTree> parts_;  // that own what was put in
  std::set<const PgQuery__SelectStmt*> visited_;
  std::map<const PgQuery__SelectStmt*, std::size_t> stage_of_;
  std::vector<std::function<void()>> undo_;
};

}  // namespace kith::postprocess
