// A census table with a label, as the Adult data set has it: six numbers, eight categories, and who earns more. What is
// known about somebody beforehand (all fourteen attributes) decides who counts as similar to whom.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "affinity/affinity.h"

namespace kith::experiment {

struct AdultColumn {
  std::string name;
  bool number = false;
  std::vector<std::uint32_t> values;  // a number as it is; a category's code, from 0
};

struct Adult {
  std::vector<AdultColumn> columns;  // 14
  std::vector<bool> label;           // of each row: earns more
  std::string words{};               // which data these are

  std::size_t rows() const { return label.size(); }
};

/// The names of the 14 columns in the order of the file, and which of them are numbers.
struct AdultName {
  const char* name;
  bool number;
};
const std::vector<AdultName>& AdultNames();

/// How attributes become a vector; the publication does not say.
enum class Encoding {
  kCategories,  // every attribute is one-hot, numbers by their values
  kMixed,       // categories one-hot, numbers scaled to [0, 1] by their range, in thousandths
  kRaw,         // numbers as they are, categories as codes from 1
};
const char* NameOf(Encoding encoding);
Profiles ProfilesOf(const Adult& adult, Encoding encoding);

/// Rows as vectors of dimension 14 with every attribute scaled to [0, 1] (categories by their code): row by row.
std::vector<double> ScaledRows(const Adult& adult);

}  // namespace kith::experiment
