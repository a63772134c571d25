// Whether two terms are the same, and whether what is written means what the tree says.
#pragma once
#include "sql/statement.h"

namespace kith::check {

/// The same tree.
bool Same(const sql::Term& a, const sql::Term& b);
/// Without parentheses, a collation or DESC around it.
sql::Term Bare(sql::Term term);
/// How tightly its text binds: arguments of an operator must bind tighter than the operator.
int Binding(const sql::Node& node);
/// Nothing in the text of the term is read in another way than its tree says.
bool IsWrittenAsMeant(const sql::Node& node);

}  // namespace kith::check
