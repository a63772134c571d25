#include "workload/least_squares.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace kith::workload {
namespace {

/// Of one side at the level of a measured table: what each row has of each part, by blocks.
struct SideParts {
  std::size_t attribute = 0, blocks = 0, rows = 0;
  std::size_t first_level = 0;
  std::vector<std::vector<double>> matrices;  // per level from the first: [row * blocks + block]
};

SideParts PartsOfSide(const Side& side, const std::vector<std::size_t>* only, std::size_t position, const Chain& chain,
                      std::size_t level) {
  SideParts out{side.attribute, chain.blocks(level), only ? 1 : side.rows.size(), level, {}};
  out.matrices.assign(chain.sizes.size() - level, std::vector<double>(out.rows * out.blocks));
  for (std::size_t row = 0; row < out.rows; ++row) {
    const auto means = MeansOf(chain, side.rows[only ? (*only)[position] : row]);
    for (std::size_t k = level; k < chain.sizes.size(); ++k) {
      const std::size_t ratio = chain.sizes[k] / chain.sizes[level];
      for (std::size_t block = 0; block < out.blocks; ++block) {
        double part = means[k][block / ratio];
        if (k < chain.top()) part -= means[k + 1][block * chain.sizes[level] / chain.sizes[k + 1]];
        out.matrices[k - level][row * out.blocks + block] = part;
      }
    }
  }
  return out;
}

// The table summed over the columns that are not among the sides. Requires: sides ascend by attribute.
std::vector<double> Reduced(const std::vector<double>& cells, const Levels& levels, const std::vector<Chain>& chains,
                            const std::vector<SideParts>& sides) {
  std::vector<std::size_t> stride(chains.size(), 0);  // in what is left
  std::size_t size = 1;
  for (std::size_t k = sides.size(); k-- > 0;) {
    stride[sides[k].attribute] = size;
    size *= sides[k].blocks;
  }
  std::vector<double> out(size, 0.0);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    std::size_t rest = cell, at = 0;
    for (std::size_t k = chains.size(); k-- > 0;) {
      const std::size_t blocks = chains[k].blocks(static_cast<std::size_t>(levels[k]));
      at += rest % blocks * stride[k];
      rest /= blocks;
    }
    out[at] += cells[cell];
  }
  return out;
}

// Along the first of its dimensions, which becomes the last.
std::vector<double> Times(const std::vector<double>& matrix, std::size_t rows, std::size_t blocks,
                          const std::vector<double>& table) {
  const std::size_t rest = table.size() / blocks;
  std::vector<double> out(rest * rows, 0.0);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t block = 0; block < blocks; ++block) {
      const double factor = matrix[row * blocks + block];
      if (factor == 0) continue;
      for (std::size_t k = 0; k < rest; ++k) out[k * rows + row] += factor * table[block * rest + k];
    }
  }
  return out;
}

void AddEstimates(const std::vector<SideParts>& sides, std::size_t side, const Levels& at,
                  const std::vector<double>& table, double precision, Precisions& precisions,
                  std::vector<double>& out) {
  if (side == sides.size()) {
    const double factor = precision / precisions.At(at);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += factor * table[k];
    return;
  }
  const SideParts& of = sides[side];
  for (std::size_t k = 0; k < of.matrices.size(); ++k) {
    const auto& matrix = of.matrices[k];
    if (std::all_of(matrix.begin(), matrix.end(), [](double x) { return std::fabs(x) < 1e-14; })) continue;
    Levels next = at;
    next[of.attribute] = static_cast<char>(of.first_level + k);
    AddEstimates(sides, side + 1, next, Times(matrix, of.rows, of.blocks, table), precision, precisions, out);
  }
}

/// Blocks of a side that have the same parts, and how many there are.
using Classes = std::map<std::vector<double>, double>;

Classes ClassesOf(const SideParts& side) {
  Classes classes;
  for (std::size_t block = 0; block < side.blocks; ++block) {
    std::vector<double> parts;
    for (const auto& matrix : side.matrices) parts.push_back(std::round(matrix[block] * 1e12) / 1e12);
    classes[parts] += 1;
  }
  return classes;
}

double WeightOf(const std::vector<SideParts>& sides, const std::vector<const std::vector<double>*>& parts,
                std::size_t side, const Levels& at, double product, Precisions& precisions) {
  if (side == sides.size()) return product / precisions.At(at);
  double sum = 0;
  for (std::size_t k = 0; k < parts[side]->size(); ++k) {
    const double part = (*parts[side])[k];
    if (part == 0) continue;
    Levels next = at;
    next[sides[side].attribute] = static_cast<char>(sides[side].first_level + k);
    sum += WeightOf(sides, parts, side + 1, next, product * part, precisions);
  }
  return sum;
}

}  // namespace

Levels LeastSquares::Top() const {
  Levels top;
  for (const Chain& chain : chains_) top += static_cast<char>(chain.top());
  return top;
}

std::vector<double> LeastSquares::Estimates(const Sum& sum, const std::vector<std::vector<double>>& counts) {
  std::size_t size = 1;
  for (const Side& side : sum.sides) size *= side.rows.size();
  std::vector<double> out(size, 0.0);
  const auto measured = precisions_.measured();
  for (std::size_t m = 0; m < measured.size(); ++m) {
    const Levels& levels = measured[m].levels;
    std::vector<SideParts> sides;
    for (const Side& side : sum.sides)
      sides.push_back(
          PartsOfSide(side, nullptr, 0, chains_[side.attribute], static_cast<std::size_t>(levels[side.attribute])));
    AddEstimates(sides, 0, Top(), Reduced(counts[m], levels, chains_, sides), measured[m].precision, precisions_, out);
  }
  return out;
}

std::vector<Part> LeastSquares::Parts(const Sum& sum, const std::vector<std::size_t>& rows) {
  std::vector<Part> out;
  const auto measured = precisions_.measured();
  for (std::size_t m = 0; m < measured.size(); ++m) {
    if (measured[m].exact()) continue;
    const Levels& levels = measured[m].levels;
    double outside = 1;
    std::vector<bool> inside(chains_.size(), false);
    std::vector<SideParts> sides;
    std::vector<Classes> classes;
    for (std::size_t k = 0; k < sum.sides.size(); ++k) {
      const Side& side = sum.sides[k];
      inside[side.attribute] = true;
      sides.push_back(
          PartsOfSide(side, &rows, k, chains_[side.attribute], static_cast<std::size_t>(levels[side.attribute])));
      classes.push_back(ClassesOf(sides.back()));
    }
    for (std::size_t k = 0; k < chains_.size(); ++k) {
      if (!inside[k]) outside *= static_cast<double>(chains_[k].blocks(static_cast<std::size_t>(levels[k])));
    }
    // Every combination of classes.
    std::vector<Classes::const_iterator> at;
    for (const Classes& of : classes) at.push_back(of.begin());
    for (bool more = true; more;) {
      double cells = outside;
      std::vector<const std::vector<double>*> parts;
      for (const auto& one : at) {
        cells *= one->second;
        parts.push_back(&one->first);
      }
      const double weight = measured[m].precision * WeightOf(sides, parts, 0, Top(), 1, precisions_);
      if (std::fabs(weight) > 1e-12) out.push_back({m, weight, cells});
      more = false;
      for (std::size_t k = at.size(); k-- > 0;) {
        if (++at[k] != classes[k].end()) {
          more = true;
          break;
        }
        at[k] = classes[k].begin();
      }
    }
  }
  return out;
}

bool LeastSquares::Answers(const Sum& sum) {
  std::vector<std::size_t> rows(sum.sides.size(), 0);
  const Variances variances = VariancesOf(ShapeOf(sum, chains_), Top(), precisions_);
  return std::isfinite(variances.mean) && std::isfinite(variances.largest);
}

}  // namespace kith::workload
