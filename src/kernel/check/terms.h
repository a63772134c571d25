// What a term over rows can be: one rule for each form of a term.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/check/rows.h"

namespace kith::check {

class Terms {
 public:
  Terms(const Rows& rows, const Context& context) : rows_(rows), context_(context) {}

  Possible Of(const sql::Term& term);
  /// Aggregates are terms as well, where rows are put together.
  using Aggregates = std::function<Possible(const sql::Node&)>;
  Terms(const Rows& rows, const Context& context, Aggregates aggregates)
      : rows_(rows), context_(context), aggregates_(std::move(aggregates)) {}

  /// From now on the condition is true: of the rows that pass it.
  void Assume(const sql::Term& condition);

 private:
  Possible ByForm(const sql::Node& node);
  Possible Infix(const sql::Node& node);
  Possible Suffix(const sql::Node& node);
  Possible Call(const sql::Node& node);
  Possible Case(const sql::Node& node);
  Possible SimpleCase(const sql::Node& node);
  Possible In(const sql::Node& node);
  Possible Position(const sql::Node& node);
  Possible Named(const sql::Node& node);
  Possible Clamped(const sql::Node& node);
  Possible KithSteps(const sql::Node& node);
  Possible DatePart(const sql::Node& node);
  bool IsAsStored(const sql::Node& name);  // of the unit's table
  std::vector<Possible> Args(const sql::Node& node, std::size_t from = 0);
  Possible Refuse(const std::string& why);

  const Rows& rows_;
  const Context& context_;
  Aggregates aggregates_;
  // What terms are, where a condition is known to be true. The last is the narrowest.
  std::vector<std::pair<sql::Term, Possible>> known_;
};

/// Windows over the rows of one unit or group: place numbers, counts, values of other rows. (windows.cc)
Possible WindowOf(const sql::Node& node, const Rows& rows, Terms& terms, const Context& context);
/// What a window divides rows by, where the term is one; nothing otherwise.
std::optional<sql::Terms> PartitionOf(const sql::Node& node);
/// The text of a Suffix that makes a window of what is before it.
struct WindowText {
  std::string partition, order;  // names; no order: empty
};
std::optional<WindowText> ReadWindowText(const std::string& text);
/// count, sum, min, max, bool_or, bool_and.
bool IsAggregate(const sql::Node& node);

}  // namespace kith::check
