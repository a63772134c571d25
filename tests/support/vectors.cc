#include "tests/support/vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/check.h"
#include "base/json.h"
#include "tests/support/source_folder.h"

namespace kith::testing {

struct JsonReader {
  static Json Read(const kith::Json& read) {
    Json made;
    if (read.is_boolean()) {
      made.kind_ = Json::kBoolean;
      made.integer_ = read.get<bool>() ? 1 : 0;
    } else if (read.is_number()) {
      made.kind_ = Json::kNumber;
      made.number_ = read.get<double>();
      made.integer_ = read.get<std::int64_t>();
    } else if (read.is_string()) {
      made.kind_ = Json::kString;
      made.string_ = read.get<std::string>();
    } else if (read.is_array()) {
      made.kind_ = Json::kArray;
      for (const auto& element : read) made.members_.emplace_back("", Read(element));
    } else if (read.is_object()) {
      made.kind_ = Json::kObject;
      for (const auto& [name, value] : read.items()) made.members_.emplace_back(name, Read(value));
    }
    return made;
  }
};

Json Json::Parse(const std::string& text) { return JsonReader::Read(kith::Json::parse(text)); }

Json Json::array(std::initializer_list<Json> elements) {
  Json made;
  made.kind_ = kArray;
  for (const Json& element : elements) made.members_.emplace_back("", element);
  return made;
}

const Json& Json::at(const std::string& name) const {
  KITH_CHECK(kind_ == kObject);
  const auto found =
      std::find_if(members_.begin(), members_.end(), [&](const auto& member) { return member.first == name; });
  KITH_CHECK(found != members_.end());
  return found->second;
}

const Json& Json::at(std::size_t index) const {
  KITH_CHECK(kind_ == kArray && index < members_.size());
  return members_[index].second;
}

bool Json::contains(const std::string& name) const {
  return kind_ == kObject &&
         std::any_of(members_.begin(), members_.end(), [&](const auto& member) { return member.first == name; });
}

std::string Json::value(const std::string& name, const std::string& otherwise) const {
  return contains(name) ? at(name).AsString() : otherwise;
}

const Json& Json::Iterator::operator*() const { return at_->second; }

Json::Iterator& Json::Iterator::operator++() {
  ++at_;
  return *this;
}

Json::Iterator Json::begin() const { return Iterator(members_.data()); }
Json::Iterator Json::end() const { return Iterator(members_.data() + members_.size()); }

bool Json::AsBoolean() const {
  KITH_CHECK(kind_ == kBoolean);
  return integer_ == 1;
}

std::int64_t Json::AsInteger() const {
  KITH_CHECK(kind_ == kNumber);
  return integer_;
}

double Json::AsNumber() const {
  KITH_CHECK(kind_ == kNumber);
  return number_;
}

const std::string& Json::AsString() const {
  KITH_CHECK(kind_ == kString);
  return string_;
}

const std::vector<std::pair<std::string, Json>>& Json::Elements() const {
  KITH_CHECK(kind_ == kArray);
  return members_;
}

std::string Json::Text() const {
  if (kind_ == kNull) return "null";
  if (kind_ == kBoolean) return integer_ == 1 ? "true" : "false";
  if (kind_ == kNumber) return fmt::format("{}", number_);
  if (kind_ == kString) return string_;
  std::string text;
  for (const auto& [name, value] : members_)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name.empty() ? "" : name + ": ", value.Text());
  return fmt::format("[{}]", text);
}

std::vector<Vector> Vectors(const std::string& file, const std::string& prefix) {
  std::ifstream in(SourceFolder() / "tests/vectors" / (file + ".json"));
  KITH_CHECK(in.good());
  const auto read = kith::Json::parse(in);
  const auto& all = read.is_object() ? read.at("vectors") : read;
  std::vector<Vector> found;
  for (const auto& v : all) {
    const auto id = v.at("id").get<std::string>();
    if (id.rfind(prefix, 0) != 0) continue;
    found.push_back(
        {id, JsonReader::Read(v.at("inputs")), JsonReader::Read(v.at("expected")), v.value("tolerance", 1e-9)});
  }
  KITH_CHECK(!found.empty());
  return found;
}

}  // namespace kith::testing
