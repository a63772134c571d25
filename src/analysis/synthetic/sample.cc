#include "analysis/synthetic/sample.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace kith::synthetic {
namespace {

double Uniform(BitSource& bits) { return std::ldexp(static_cast<double>(bits.Bits(53)), -53); }

std::size_t CellOf(const Sizes& sizes, const Scope& scope, const DrawnRow& row) {
  std::size_t cell = 0;
  for (const std::size_t column : scope) cell = cell * sizes[column] + row[column];
  return cell;
}

void SetCell(const Sizes& sizes, const Scope& scope, std::size_t cell, DrawnRow& row) {
  for (std::size_t k = scope.size(); k-- > 0;) {
    row[scope[k]] = static_cast<std::uint32_t>(cell % sizes[scope[k]]);
    cell /= sizes[scope[k]];
  }
}

void Shuffle(std::vector<std::size_t>& items, BitSource& bits) {
  for (std::size_t k = items.size(); k > 1; --k) std::swap(items[k - 1], items[Below(k, bits)]);
}

// Of a node: cells by what is known about them, each with its probability.
void FillNode(const Sizes& sizes, const Scope& scope, const std::vector<double>& belief, const Scope& known,
              std::vector<DrawnRow>& rows, BitSource& bits) {
  const auto known_in = CellIn(sizes, scope, known);
  std::vector<std::vector<std::size_t>> cells(CellsOf(sizes, known)), alike(cells.size());
  for (std::size_t cell = 0; cell < belief.size(); ++cell) cells[known_in[cell]].push_back(cell);
  for (std::size_t row = 0; row < rows.size(); ++row) alike[CellOf(sizes, known, rows[row])].push_back(row);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (alike[k].empty()) continue;
    std::vector<double> weights;
    for (const std::size_t cell : cells[k]) weights.push_back(belief[cell]);
    const std::vector<std::size_t> shares = Shares(weights, alike[k].size(), bits);
    Shuffle(alike[k], bits);
    std::size_t next = 0;
    for (std::size_t c = 0; c < shares.size(); ++c) {
      for (std::size_t n = 0; n < shares[c]; ++n) SetCell(sizes, scope, cells[k][c], rows[alike[k][next++]]);
    }
  }
}

}  // namespace

std::vector<std::size_t> Shares(std::span<const double> weights, std::size_t total, BitSource& bits) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  // Marks at a distance of 1, the first at random: cell k gets as many as fall into its stretch.
  const double first = Uniform(bits), all = static_cast<double>(total);
  std::vector<std::size_t> shares;
  std::size_t given = 0;
  double reached = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    reached += sum > 0 ? weights[k] / sum : 1 / static_cast<double>(weights.size());
    const double marks = std::clamp(std::floor(reached * all + first), static_cast<double>(given), all);
    const std::size_t upto = k + 1 == weights.size() ? total : static_cast<std::size_t>(marks);
    shares.push_back(upto - given);
    given = upto;
  }
  return shares;
}

void Fill(const GraphModel& model, const Scope& given, std::vector<DrawnRow>& rows, BitSource& bits) {
  const JunctionTree& tree = model.tree();
  Scope known = given;
  for (std::size_t k = 0; k < tree.nodes().size(); ++k) {
    const Scope& scope = tree.nodes()[k].scope;
    FillNode(tree.sizes(), scope, model.Node(k), Common(scope, known), rows, bits);
    known = Both(known, scope);
  }
}

}  // namespace kith::synthetic
