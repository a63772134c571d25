// Rows as a linear classifier sees them: a few small numbers for each attribute, and a side.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kith::learn {

/// One attribute of a row: a number in [-1, 1] with one weight, or one of several categories with a weight each.
struct Attribute {
  std::size_t first = 0;       // its first weight
  std::size_t categories = 0;  // 0: a number

  std::size_t weights() const { return categories == 0 ? 1 : categories; }
};

/// What weights there are. A row's vector of features x has one entry for each attribute that is not 0, of size at most
/// 1: so |x|_1 and |x|_2^2 are at most the number of attributes.
class Shape {
 public:
  void AddNumber() { Add(0); }
  /// Requires: 1 <= categories <= kMaxCategories.
  void AddCategories(std::size_t categories) { Add(categories); }

  const std::vector<Attribute>& attributes() const { return attributes_; }
  std::size_t weights() const { return weights_; }

  static constexpr std::size_t kMaxCategories = 32767;

 private:
  void Add(std::size_t categories) {
    attributes_.push_back({weights_, categories});
    weights_ += attributes_.back().weights();
  }
  std::vector<Attribute> attributes_;
  std::size_t weights_ = 0;
};

/// The rows. Each attribute is stored as a whole number: of steps of 2^-14 (a number) or that of its category.
class Examples {
 public:
  static constexpr std::int16_t kOne = 1 << 14;

  explicit Examples(Shape shape) : shape_(std::move(shape)) {}

  /// Requires: one value for each attribute: in [-kOne, kOne], or below the number of categories.
  void Add(std::span<const std::int16_t> values, bool positive);

  std::size_t size() const { return sides_.size(); }
  const Shape& shape() const { return shape_; }
  const std::int16_t* At(std::size_t row) const { return values_.data() + row * shape_.attributes().size(); }
  /// +1 or -1.
  int Side(std::size_t row) const { return sides_[row]; }

 private:
  Shape shape_;
  std::vector<std::int16_t> values_;
  std::vector<std::int8_t> sides_;
};

}  // namespace kith::learn
