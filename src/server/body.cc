#include "server/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/spelling.h"

namespace kith::server {

Result<Json> ObjectIn(const std::string& text) {
  constexpr int kDeepest = 16;
  auto read = Json::parse(text, nullptr, false, kDeepest);
  if (read.is_discarded() || !read.is_object())
    return InvalidArgument("the body of the request is not a JSON object", {},
                           "send one, in UTF-8, with every name once");
  return read;
}

bool Fields::Take(const Json& in, std::string& into) {
  if (!in.is_string()) return false;
  into = in.get<std::string>();
  return into.find('\0') == std::string::npos;
}
bool Fields::Take(const Json& in, double& into) {
  if (!in.is_number()) return false;
  into = in.get<double>();
  return std::isfinite(into);
}
bool Fields::Take(const Json& in, bool& into) {
  if (!in.is_boolean()) return false;
  into = in.get<bool>();
  return true;
}
bool Fields::Take(const Json& in, std::size_t& into) {
  if (!in.is_number_unsigned()) return false;
  into = in.get<std::size_t>();
  return true;
}
// A number that is larger than any that could be meant is cut.
bool Fields::Take(const Json& in, std::int64_t& into) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  if (!in.is_number_integer()) return false;
  into = in.is_number_unsigned() ? static_cast<std::int64_t>(std::min(in.get<std::uint64_t>(), kMost))
                                 : in.get<std::int64_t>();
  return true;
}
bool Fields::Take(const Json& in, Json& into) {
  into = in;
  return in.is_object();
}

const Json* Fields::Find(const std::string& name) const {
  if (!body_) return nullptr;
  const auto found = body_->find(name);
  return found == body_->end() ? nullptr : &*found;
}

void Fields::Refuse(const std::string& name, const std::string& wanted) {
  if (error_) return;
  error_ = InvalidArgument(fmt::format("the request has no '{}' that is {}", name, wanted), where_,
                           fmt::format("\"{}\" is {}", name, wanted));
  error_->parameter = name;
}

Fields& Fields::Read(std::span<const OptionSpec> options) {
  for (const OptionSpec& option : options) {
    std::visit([&](auto* place) { option.needed ? Must(option.name, *place) : May(option.name, *place); },
               option.place);
  }
  return *this;
}

Result<void> Fields::Finish() const {
  if (!body_) return body_.error();
  if (error_) return *error_;
  for (const auto& [name, value] : body_->items()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    return InvalidArgument("the request has a field that is not known here", where_,
                           DidYouMean(name, known_) + fmt::format("choose from: {}", fmt::join(known_, ", ")));
  }
  return {};
}

}  // namespace kith::server
