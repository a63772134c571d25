#include "dependence/graph.h"

#include <string_view>

#include "base/digest.h"

namespace kith {
namespace {

template <class T>
std::string DigestOf(std::span<const T> numbers) {
  return Sha256(std::string_view(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()));
}

}  // namespace

std::size_t Graph::Bytes() const {
  const auto of = [](const auto& array) { return array.capacity() * sizeof(array[0]); };
  return of(offsets_) + of(neighbours_) + of(strengths_) + of(thetas_) + of(node_of_) + of(component_of_) +
         of(component_records_);
}

std::string Graph::Fingerprint() const {
  return Sha256("kith graph 1\n" + std::to_string(records_) + "\n" + DigestOf(offsets()) +
                DigestOf(neighbours().first(slots())) + DigestOf(strengths()) + DigestOf(thetas()) +
                DigestOf(std::span<const std::uint32_t>(node_of_)));
}

}  // namespace kith
