#include "analysis/learn/examples.h"

#include "base/check.h"

namespace kith::learn {

void Examples::Add(std::span<const std::int16_t> values, bool positive) {
  KITH_CHECK(values.size() == shape_.attributes().size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::size_t categories = shape_.attributes()[k].categories;
    const std::int16_t value = values[k];
    KITH_CHECK(categories == 0 ? -kOne <= value && value <= kOne
                               : value >= 0 && static_cast<std::size_t>(value) < categories);
  }
  values_.insert(values_.end(), values.begin(), values.end());
  sides_.push_back(positive ? 1 : -1);
}

}  // namespace kith::learn
