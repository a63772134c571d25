#include "experiment/adult.h"

#include <algorithm>

namespace kith::experiment {

const std::vector<AdultName>& AdultNames() {
  static const std::vector<AdultName> kNames = {{"age", true},
                                                {"workclass", false},
                                                {"fnlwgt", true},
                                                {"education", false},
                                                {"education_num", true},
                                                {"marital_status", false},
                                                {"occupation", false},
                                                {"relationship", false},
                                                {"race", false},
                                                {"sex", false},
                                                {"capital_gain", true},
                                                {"capital_loss", true},
                                                {"hours_per_week", true},
                                                {"native_country", false}};
  return kNames;
}

const char* NameOf(Encoding encoding) {
  switch (encoding) {
    case Encoding::kCategories:
      return "categories";
    case Encoding::kMixed:
      return "mixed";
    case Encoding::kRaw:
      return "raw";
  }
  return "";
}

Profiles ProfilesOf(const Adult& adult, Encoding encoding) {
  constexpr std::uint32_t kThousandths = 1000;
  Profiles profiles;
  if (encoding == Encoding::kMixed) profiles.unit = kThousandths;
  for (const AdultColumn& column : adult.columns) {
    if (encoding == Encoding::kCategories || (encoding == Encoding::kMixed && !column.number)) {
      profiles.categories.push_back(column.values);
      continue;
    }
    auto& steps = profiles.numbers.emplace_back(column.values);
    if (encoding == Encoding::kRaw) {
      if (!column.number) {
        for (auto& value : steps) ++value;
      }
      continue;
    }
    const auto [low, high] = std::minmax_element(column.values.begin(), column.values.end());
    const std::uint64_t from = *low, width = std::max<std::uint64_t>(1, *high - *low);
    for (auto& value : steps) value = static_cast<std::uint32_t>(((value - from) * kThousandths + width / 2) / width);
  }
  return profiles;
}

std::vector<double> ScaledRows(const Adult& adult) {
  const std::size_t columns = adult.columns.size();
  std::vector<double> rows(adult.rows() * columns);
  for (std::size_t k = 0; k < columns; ++k) {
    const auto& values = adult.columns[k].values;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double from = *low, width = std::max(1.0, static_cast<double>(*high) - from);
    for (std::size_t i = 0; i < values.size(); ++i) rows[i * columns + k] = (values[i] - from) / width;
  }
  return rows;
}

}  // namespace kith::experiment
