// Terms over the rows of a frame as steps of a program. Internal to engine/memory.
#pragma once
#include <map>
#include <optional>

#include "engine/memory/program.h"

namespace kith::memory {

/// Makes steps, each only once. A term of a kind that it does not know makes no step: -1.
class StepMaker {
 public:
  StepMaker(const FramedTable& table, const sql::UnitRows& known) : table_(table), known_(known) {}

  /// `names`: what the statement itself has given names to.
  using Names = std::map<std::string, sql::Term>;
  int Of(const sql::Term& term, const Names& names = {});
  /// a - low where low <= a <= high, otherwise the number after that: `high - low + 1`, or what `otherwise` says.
  int Index(int a, std::int64_t low, std::int64_t high, std::int64_t otherwise);
  int JoinIndex(int a, std::int64_t size, int b);

  /// Which of the strings the column of this name holds. -1 if it is not a column of strings, or is compared with
  /// others too.
  int Code(const std::string& name, const Names& names, std::vector<std::string> texts, std::int64_t otherwise);

  const std::vector<std::vector<std::string>>& texts() const { return texts_; }
  const std::vector<Step>& steps() const { return steps_; }
  Kind kind(int step) const { return steps_[static_cast<std::size_t>(step)].kind; }

 private:
  int Add(Step step);
  int Of(const sql::Node& node);
  int Column(const sql::Node& node);
  int Text(const Value& value);
  int Constant(const Value& value, Type type);
  int Whole(Int128 value);
  int Infix(const sql::Node& node);
  int Fold(const sql::Terms& args, Do what);
  int Both(Do what, int a, int b);
  int Arithmetic(Do what, int a, int b);
  int Compare(std::string_view sign, int a, int b);
  int CompareReal(std::string_view sign, int a, double end);
  int And(int a, int b);
  int Not(int a);
  int Select(int when, int then, int otherwise);
  int Call(const sql::Node& node);
  int CastOf(const sql::Node& node);
  int CaseOf(const sql::Node& node);
  int InOf(const sql::Node& node);
  int Extreme(const sql::Terms& args, bool greatest);
  int Suffix(const sql::Node& node);
  int One(Do what, Kind kind, int a);
  const Step& At(int step) const { return steps_[static_cast<std::size_t>(step)]; }
  std::optional<double> Real(const sql::Term& term);
  std::optional<double> RealAt(int step) const;

  const FramedTable& table_;
  const sql::UnitRows& known_;
  const Names* names_ = nullptr;
  std::vector<Step> steps_;
  std::map<std::string, std::int64_t> strange_;  // strings that no row has, below 0
  std::vector<std::vector<std::string>> texts_;
};

}  // namespace kith::memory
