#include "release/stream/maps.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "sql/quote.h"

namespace kith {
namespace {

using points::Method;

// Groups and quantiles are not counts of places.
bool IsMap(Method method) { return method != Method::kGroups && method != Method::kQuantiles; }

Error Wrong(const std::string& what) {
  return InvalidArgument(
             what, {},
             "write MAP OF x, y [BY pyramid] [ON 16 CELLS] [WHERE condition], with the method pyramid, hat, "
             "equi-width, quadtree or cumulative")
      .For("stream.statistic");
}

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  /// The next word, if it is this one.
  bool Take(std::string_view word) {
    const std::size_t before = at_;
    const std::string next = Word();
    bool same = next.size() == word.size();
    for (std::size_t k = 0; same && k < word.size(); ++k)
      same = std::toupper(static_cast<unsigned char>(next[k])) == word[k];
    if (!same) at_ = before;
    return same;
  }
  /// Letters, digits and what is in quotes; a comma by itself; empty at the end.
  std::string Word() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    if (at_ == text_.size()) return {};
    if (text_[at_] == ',') return text_.substr(at_++, 1);
    if (text_[at_] == '"') return Quoted();
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] != ',' && std::isspace(static_cast<unsigned char>(text_[at_])) == 0) ++at_;
    return text_.substr(from, at_ - from);
  }
  std::string Rest() { return text_.substr(std::min(at_, text_.size())); }
  bool AtEnd() {
    const std::size_t before = at_;
    const bool end = Word().empty();
    at_ = before;
    return end;
  }

 private:
  std::string Quoted() {
    std::string word;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"' && text_.substr(at_ + 1, 1) != "\"") break;
      if (text_[at_] == '"') ++at_;
      word += text_[at_];
    }
    ++at_;
    return word;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

Result<void> ReadMethod(Reader& reader, points::PointsOptions& options) {
  const std::string name = reader.Word();
  for (const auto& [known, method] : points::Methods()) {
    if (name == known && IsMap(method)) options.method = method;
  }
  if (!options.method) return Wrong(fmt::format("'{:.40}' is not a method of maps", name));
  return {};
}

Result<void> ReadCells(Reader& reader, points::PointsOptions& options) {
  const std::string number = reader.Word();
  const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), options.cells);
  if (failed != std::errc() || end != number.data() + number.size() || options.cells == 0 || !reader.Take("CELLS"))
    return Wrong("the number of cells cannot be read");
  return {};
}

}  // namespace

std::vector<std::string> StreamMaps::Columns() const {
  std::vector<std::string> columns;
  for (const std::string& name : options.columns) {
    columns.push_back(name + " from");
    columns.push_back(name + " to");
  }
  columns.emplace_back("points");
  return columns;
}

std::vector<std::string> StreamMaps::Claims() const {
  return {"ROWS-1", "RELEASE-8", "POINTS-7", options.columns.size() == 1 ? "POINTS-9" : "POINTS-6", "POINTS-8"};
}

Result<std::optional<StreamMaps>> MapsIn(const std::string& statistic) {
  Reader reader(statistic);
  if (!reader.Take("MAP") || !reader.Take("OF")) return std::optional<StreamMaps>();
  StreamMaps maps;
  do {
    maps.options.columns.push_back(reader.Word());
    if (maps.options.columns.back().empty() || maps.options.columns.back() == ",")
      return Wrong("a map needs the names of one or two columns");
  } while (reader.Take(","));
  if (reader.Take("BY")) {
    if (auto read = ReadMethod(reader, maps.options); !read) return read.error();
  }
  if (reader.Take("ON")) {
    if (auto read = ReadCells(reader, maps.options); !read) return read.error();
  }
  if (reader.Take("WHERE")) {
    maps.options.where = reader.Rest();
  } else if (!reader.AtEnd()) {
    return Wrong("what follows the columns of a map cannot be read");
  }
  constexpr std::size_t kPlane = 32, kLine = 64;
  if (maps.options.cells == 0) maps.options.cells = maps.options.columns.size() == 2 ? kPlane : kLine;
  return std::optional(std::move(maps));
}

std::string MapsText(const points::PointsOptions& options) {
  std::vector<std::string> columns;
  for (const std::string& name : options.columns) columns.push_back(QuotedName(name));
  std::string text = fmt::format("MAP OF {}", fmt::join(columns, ", "));
  for (const auto& [name, method] : points::Methods()) {
    if (options.method == method) text += " BY " + name;
  }
  if (options.cells != 0) text += fmt::format(" ON {} CELLS", options.cells);
  return options.where.empty() ? text : text + " WHERE " + options.where;
}

}  // namespace kith
