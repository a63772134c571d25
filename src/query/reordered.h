// The same question with its columns in another order: an answer to it is an answer to this one.
#pragma once
#include "query/question.h"

namespace kith {

/// What a question is without the names of its outputs and the order of its rows: an answer to it is an answer to all
/// that agree in this.
struct Bare {
  std::string text;
  bool any_order = false;  // the text leaves the order of rows out
};
/// Empty text: it is not a question.
Bare BareOf(const std::string& sql, const Policy& policy);

/// Questions whose answers hold the same numbers, with what is needed to put them in order. Empty: none, or the text is
/// not a question.
std::vector<Reordered> OtherOrdersOf(const std::string& sql, const Policy& policy);

/// The row of an answer to a reordered question in the order of this one.
template <class Cell>
std::vector<Cell> InOrder(const Reordered& other, const std::vector<Cell>& row) {
  std::vector<Cell> ordered(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) ordered.at(other.outputs.at(i)) = row[i];
  return ordered;
}

}  // namespace kith
