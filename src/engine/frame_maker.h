// For tests: frames made by hand.
#pragma once
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "engine/frame.h"

namespace kith {

/// A frame made by hand, and the stream that hands it over. What it holds must outlive the frame.
class FrameMaker {
 public:
  struct Part {
    std::string name, format;
    std::vector<std::vector<char>> buffers;  // validity first; empty: none
    std::int64_t nulls = 0;
    std::int64_t offset = 0;
    std::shared_ptr<Part> dictionary = nullptr;
    std::int64_t length = 0;
  };

  template <class T>
  static std::vector<char> Bytes(const std::vector<T>& values) {
    std::vector<char> bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  static Part Texts(const std::string& name, const std::vector<std::string>& values) {
    std::vector<std::int32_t> offsets = {0};
    std::string all;
    for (const std::string& each : values) {
      all += each;
      offsets.push_back(static_cast<std::int32_t>(all.size()));
    }
    Part part{name, "u", {{}, Bytes(offsets), std::vector<char>(all.begin(), all.end())}};
    part.length = static_cast<std::int64_t>(values.size());
    return part;
  }
  template <class T>
  static Part Numbers(const std::string& name, const std::string& format, const std::vector<T>& values) {
    Part part{name, format, {{}, Bytes(values)}};
    part.length = static_cast<std::int64_t>(values.size());
    return part;
  }
  /// Bits of rows that are there.
  static Part Without(Part part, std::vector<char> valid) {
    part.buffers[0] = std::move(valid);
    part.nulls = -1;
    return part;
  }

  void Batch(std::vector<Part> parts) { batches_.push_back(std::move(parts)); }

  Result<std::shared_ptr<const Frame>> Take() {
    ArrowArrayStream stream{};
    stream.private_data = this;
    stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      *out = static_cast<FrameMaker*>(self->private_data)->Schema();
      return 0;
    };
    stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
      auto* maker = static_cast<FrameMaker*>(self->private_data);
      *out = maker->next_ < maker->batches_.size() ? maker->Array(maker->batches_[maker->next_++]) : ArrowArray{};
      return 0;
    };
    stream.get_last_error = [](ArrowArrayStream*) -> const char* { return "something about a value"; };
    stream.release = [](ArrowArrayStream* self) { self->release = nullptr; };
    return Frame::Take(&stream);
  }

  int held = 0;  // batches that were handed over and not given back

 private:
  ArrowSchema Schema() {
    ArrowSchema all{};
    all.format = "+s";
    all.name = "";
    auto& children = schemas_.emplace_back();
    for (const Part& part : batches_.front()) children.push_back(SchemaOf(part));
    all.n_children = static_cast<std::int64_t>(children.size());
    all.children = children.data();
    all.release = [](ArrowSchema* self) { self->release = nullptr; };
    return all;
  }
  ArrowSchema* SchemaOf(const Part& part) {
    ArrowSchema& schema = single_schemas_.emplace_back();
    schema.format = part.format.c_str();
    schema.name = part.name.c_str();
    if (part.dictionary) schema.dictionary = SchemaOf(*part.dictionary);
    return &schema;
  }
  ArrowArray Array(const std::vector<Part>& parts) {
    ArrowArray all{};
    auto& children = arrays_.emplace_back();
    for (const Part& part : parts) children.push_back(ArrayOf(part));
    all.length = parts.front().length;
    all.n_children = static_cast<std::int64_t>(children.size());
    all.children = children.data();
    all.private_data = this;
    ++held;
    all.release = [](ArrowArray* self) {
      --static_cast<FrameMaker*>(self->private_data)->held;
      self->release = nullptr;
    };
    return all;
  }
  ArrowArray* ArrayOf(const Part& part) {
    auto& buffers = buffers_.emplace_back();
    for (const auto& bytes : part.buffers) buffers.push_back(bytes.empty() ? nullptr : bytes.data());
    ArrowArray& array = single_arrays_.emplace_back();
    array.length = part.length;
    array.null_count = part.nulls;
    array.offset = part.offset;
    array.n_buffers = static_cast<std::int64_t>(buffers.size());
    array.buffers = buffers.data();
    if (part.dictionary) array.dictionary = ArrayOf(*part.dictionary);
    return &array;
  }

  std::deque<std::vector<Part>> batches_;
  std::size_t next_ = 0;
  std::deque<std::vector<ArrowSchema*>> schemas_;
  std::deque<ArrowSchema> single_schemas_;
  std::deque<std::vector<ArrowArray*>> arrays_;
  std::deque<ArrowArray> single_arrays_;
  std::deque<std::vector<const void*>> buffers_;
};

}  // namespace kith
