// [unit] distance: a metric unit.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/text_file.h"
#include "policy/clock.h"
#include "policy/sections/sections.h"

namespace kith {
namespace {

constexpr const char* kExample =
    "distance = { columns = [\"lon\", \"lat\"], metric = \"great-circle\", delta = \"500 m\" }";
constexpr std::size_t kMaxSources = 10'000, kMaxSourceBytes = 1'000'000;

std::optional<double> NumberIn(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

class DistanceReader {
 public:
  DistanceReader(const Section& section, Policy& policy) : section_(section), policy_(policy) {}

  Result<void> Read() {
    if (auto ok = section_.AllowOnly("distance"); !ok) return ok;
    if (policy_.unit.max_rows != 1) {
      return section_.At(section_.line(), "a unit with a distance has one place, but max_rows is larger",
                         "write max_rows = 1 (a unit with several rows is placed at their mean), or row = true");
    }
    if (auto ok = ReadMetric(); !ok) return ok;
    if (auto ok = ReadPlaces(); !ok) return ok;
    if (auto ok = ReadDelta(); !ok) return ok;
    if (const std::string problem = ReachProblem(distance_); !problem.empty())
      return section_.At(section_.line(), problem, "declare tighter bounds of the columns, or another metric");
    if (auto ok = ReadSources(); !ok) return ok;
    policy_.unit.distance = std::move(distance_);
    return {};
  }

 private:
  Result<const Member*> Needed(const char* key) const {
    const Member* member = section_.Find(key);
    if (member == nullptr) return section_.Missing(key, fmt::format("write {}", kExample));
    return member;
  }

  Result<void> ReadMetric() {
    const auto member = Needed("metric");
    if (!member) return member.error();
    const auto text = section_.Text(**member);
    if (!text) return text.error();
    const std::vector<std::string> names = {"euclidean", "l1", "great-circle"};
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (*text != names[k]) continue;
      distance_.metric = static_cast<DistanceMetric>(k);
      return {};
    }
    return section_.At((*member)->line, fmt::format("unknown metric {}", Quote(*text)), Suggest(*text, names));
  }

  Result<void> ReadPlaces() {
    const auto member = Needed("columns");
    if (!member) return member.error();
    const Node& list = (*member)->value;
    const bool circle = distance_.metric == DistanceMetric::kGreatCircle;
    const std::size_t count = list.kind == NodeKind::kList ? list.items.size() : 0;
    if (count < 1 || count > 2 || (circle && count != 2)) {
      return section_.At((*member)->line, circle ? "great circles need two columns" : "columns must list one or two",
                         circle ? "name longitude first, then latitude" : fmt::format("write {}", kExample));
    }
    for (const Node& item : list.items) {
      if (item.kind != NodeKind::kText)
        return section_.At(item.line, "columns must be names", fmt::format("write {}", kExample));
      if (auto ok = AddColumn(item.line, std::get<std::string>(item.leaf)); !ok) return ok;
    }
    if (count == 2 && distance_.columns[0] == distance_.columns[1])
      return section_.At((*member)->line, "the two columns are the same", "name two");
    return {};
  }

  Result<void> AddColumn(int line, const std::string& name) {
    const Column* column = policy_.unit_table().Find(name);
    if (column == nullptr) {
      std::vector<std::string> names;
      for (const Column& c : policy_.unit_table().columns) names.push_back(c.name);
      return section_.At(line, fmt::format("table {} has no column {}", Quote(policy_.unit.table), Quote(name)),
                         Suggest(name, names));
    }
    const bool time = column->type == ColumnType::kDate || column->type == ColumnType::kTimestamp;
    const bool number = column->type == ColumnType::kReal || column->type == ColumnType::kInteger;
    if (!(number || time) || !column->lower || !(*column->lower < *column->upper) || !column->values.empty()) {
      return section_.At(column->line,
                         fmt::format("column {} is a place, so it must be a number with bounds, or a time", name),
                         fmt::format("write {} = {{ type = \"real\", lower = ..., upper = ..., required = true }}",
                                     name.substr(0, 60)));
    }
    if (column->is_public) {
      return section_.At(column->line, fmt::format("column {} is public, so there is no place to protect", Quote(name)),
                         "remove public = true, or the distance");
    }
    if (!column->required) {
      return section_.At(column->line, fmt::format("column {} is a place, so it must not be missing", Quote(name)),
                         "add required = true: a missing place is read as the lower bound");
    }
    if (time && distance_.metric == DistanceMetric::kGreatCircle)
      return section_.At(line, "times do not lie on great circles", "write metric = \"l1\"");
    if (distance_.metric == DistanceMetric::kGreatCircle && column->type != ColumnType::kReal)
      return section_.At(column->line, "longitudes and latitudes must be real numbers", "write type = \"real\"");
    distance_.columns.push_back(name);
    distance_.region.low.push_back(*column->lower);
    distance_.region.high.push_back(*column->upper);
    distance_.whole.push_back(column->type != ColumnType::kReal);
    if (time) time_ = column;
    return {};
  }

  // Times become whole minutes or days since the day of the lower bound began. Rounded down, two of them that are
  // delta apart, or less, are no farther apart than delta: it is a whole number of minutes or days as well.
  Result<void> ReadLengthOfTime() {
    if (distance_.columns.size() != 1) {
      return section_.At(section_.line(), "a time must be the only one: a number and a time have no common unit",
                         "name the time as the only column, or declare it as a number of minutes");
    }
    const auto member = Needed("delta");
    if (!member) return member.error();
    const bool days = time_->type == ColumnType::kDate;
    constexpr double kMinute = 60e6, kDay = 86'400e6;
    std::optional<std::int64_t> length;
    if ((*member)->value.kind == NodeKind::kText) length = LengthOfTime(std::get<std::string>((*member)->value.leaf));
    const auto unit = static_cast<std::int64_t>(days ? kDay : kMinute);
    if (!length || *length < unit || *length % unit != 0) {
      return section_.At((*member)->line,
                         days ? "delta must be a number of whole days" : "delta must be a number of whole minutes",
                         days ? "write delta = \"1 day\"" : "write delta = \"15 minutes\", \"1 hour\" or \"2 days\"");
    }
    const auto of_clock = [&](double time) {
      const double per_day = days ? 1 : kDay;
      const double since = time - std::floor(*time_->lower / per_day) * per_day;
      return days ? since : std::floor(since / kMinute);
    };
    distance_.region = {{of_clock(*time_->lower)}, {of_clock(*time_->upper)}};
    if (!(distance_.region.low[0] < distance_.region.high[0])) {
      return section_.At(time_->line, fmt::format("the bounds of {} are less than a minute apart", time_->name),
                         "widen them");
    }
    distance_.delta = static_cast<double>(*length / unit);
    distance_.metric = days ? DistanceMetric::kDays : DistanceMetric::kMinutes;
    return {};
  }

  Result<void> ReadDelta() {
    if (time_ != nullptr) return ReadLengthOfTime();
    const auto member = Needed("delta");
    if (!member) return member.error();
    const bool circle = distance_.metric == DistanceMetric::kGreatCircle;
    const Error wrong = section_.At(
        (*member)->line,
        circle ? "delta must be a length with its unit" : "delta must be a positive number, in the columns' own unit",
        circle ? "write delta = \"500 m\", \"2 km\" or \"0.01 degrees\"" : "write delta = 0.5");
    std::optional<double> delta;
    if ((*member)->value.kind == NodeKind::kText) {
      if (circle) delta = LengthIn(std::get<std::string>((*member)->value.leaf));
    } else if (!circle) {
      const auto number = section_.Number(**member);
      if (!number) return number.error();
      delta = *number;
    }
    if (!delta || !(*delta > 0 && std::isfinite(*delta))) return wrong;
    distance_.delta = *delta;
    if (Diameter(distance_) / distance_.delta > 1e12)
      return section_.At((*member)->line, "delta is far smaller than the resolution of positions",
                         "state a larger one");
    return {};
  }

  // Degrees are of arc: 1 degree of latitude is about 111 km. Turned into metres on the larger side.
  static std::optional<double> LengthIn(std::string_view text) {
    constexpr double kMetresPerDegree = 111'700;
    for (const auto& [unit, metres] : {std::pair<std::string_view, double>{"degrees", kMetresPerDegree},
                                       {"degree", kMetresPerDegree},
                                       {"km", 1000},
                                       {"m", 1}}) {
      if (!text.ends_with(unit)) continue;
      const auto number = NumberIn(text.substr(0, text.size() - unit.size()));
      return number ? std::optional(*number * metres) : std::nullopt;
    }
    return std::nullopt;
  }

  Result<void> ReadSources() {
    const Member* member = section_.Find("sources");
    const std::string choice =
        "write sources = \"everywhere\", [[x, y], ...], { low = [x, y], high = [x, y] } or \"places.csv\": where units "
        "can appear and disappear";
    const bool secret = policy_.unit.presence == Presence::kSecret;
    if (member == nullptr ||
        (member->value.kind == NodeKind::kText && std::get<std::string>(member->value.leaf) == "none")) {
      if (!secret) return {};
      return section_.At(
          member == nullptr ? section_.line() : member->line,
          "presence is secret, but without sources nobody can appear: the number of units would be revealed",
          choice + "; or presence = \"public\" in [unit]");
    }
    if (time_ != nullptr &&
        (member->value.kind != NodeKind::kText || std::get<std::string>(member->value.leaf) != "everywhere")) {
      return section_.At(member->line, "times at which units appear are not supported as sources",
                         "write sources = \"everywhere\", or presence = \"public\"");
    }
    if (!secret) {
      return section_.At(member->line, "sources are where units appear and disappear, but presence is public",
                         "remove sources, or write presence = \"secret\"");
    }
    const Node& node = member->value;
    distance_.sources.kind = Sources::Kind::kPlaces;
    if (node.kind == NodeKind::kText) return ReadNamed(*member, std::get<std::string>(node.leaf));
    if (node.kind == NodeKind::kTable) return ReadBox(*member);
    if (node.kind != NodeKind::kList || node.items.empty() || node.items.size() > kMaxSources)
      return section_.At(member->line, "sources are not places", choice);
    for (const Node& item : node.items) {
      const auto place = PlaceIn(item);
      if (!place) return place.error();
      if (auto ok = AddSource(item.line, {*place, *place}); !ok) return ok;
    }
    return {};
  }

  Result<std::vector<double>> PlaceIn(const Node& node) const {
    std::vector<double> place;
    for (const Node& item : node.items) {
      if (item.kind == NodeKind::kInteger) place.push_back(static_cast<double>(std::get<std::int64_t>(item.leaf)));
      if (item.kind == NodeKind::kReal) place.push_back(std::get<double>(item.leaf));
    }
    if (node.kind == NodeKind::kList && place.size() == distance_.columns.size() && node.items.size() == place.size())
      return place;
    return section_.At(node.line, fmt::format("a place is a list of {} numbers", distance_.columns.size()),
                       "write them in the order of the columns");
  }

  Result<void> AddSource(int line, PlaceBox box) {
    for (std::size_t k = 0; k < box.low.size(); ++k) {
      if (distance_.region.low[k] <= box.low[k] && box.low[k] <= box.high[k] && box.high[k] <= distance_.region.high[k])
        continue;
      return section_.At(line,
                         fmt::format("a source lies outside the bounds of column {}", Quote(distance_.columns[k])),
                         "correct it, or widen the bounds");
    }
    distance_.sources.places.push_back(std::move(box));
    return {};
  }

  Result<void> ReadBox(const Member& member) {
    const auto box = section_.Table(member, "sources", "sources = { low = [0, 0], high = [1, 1] }");
    if (!box) return box.error();
    if (auto ok = box->AllowOnly("place"); !ok) return ok;
    PlaceBox ends;
    for (const char* key : {"low", "high"}) {
      const Member* end = box->Find(key);
      if (end == nullptr) return box->Missing(key, "write { low = [x, y], high = [x, y] }");
      auto place = PlaceIn(end->value);
      if (!place) return place.error();
      (key[0] == 'l' ? ends.low : ends.high) = std::move(*place);
    }
    return AddSource(member.line, std::move(ends));
  }

  Result<void> ReadNamed(const Member& member, const std::string& name) {
    if (name == "everywhere") {
      distance_.sources.kind = Sources::Kind::kEverywhere;
      return {};
    }
    const std::filesystem::path path = policy_.file.parent_path() / name;
    if (auto regular = CheckRegular(section_, member, path); !regular) return regular;
    const auto text = ReadTextFile(path, kMaxSourceBytes);
    if (!text) return section_.At(member.line, text.error().what, "sources name a csv file of public places");
    std::size_t start = text->find('\n'), line = 1;
    const std::string header = text->substr(0, start);
    const std::string expected = fmt::format("{}", fmt::join(distance_.columns, ","));
    if (header != expected && header != expected + "\r") {
      return section_.At(member.line, "the first line of the file of sources does not name the columns",
                         fmt::format("begin it with {}", expected.substr(0, 60)));
    }
    while (start != std::string::npos && ++line <= kMaxSources + 1) {
      const std::size_t end = text->find('\n', start + 1);
      const std::string row = text->substr(start + 1, end == std::string::npos ? end : end - start - 1);
      start = end;
      if (row.empty() || row == "\r") continue;
      const std::size_t comma = row.find(',');
      std::vector<double> place;
      if (const auto x = NumberIn(std::string_view(row).substr(0, comma))) place.push_back(*x);
      if (comma != std::string::npos) {
        if (const auto y = NumberIn(std::string_view(row).substr(comma + 1))) place.push_back(*y);
      }
      if (place.size() != distance_.columns.size())
        return section_.At(member.line, fmt::format("line {} of the file of sources is not a place", line),
                           "correct it");
      if (auto ok = AddSource(member.line, {place, place}); !ok) return ok;
    }
    if (distance_.sources.places.empty() || start != std::string::npos)
      return section_.At(member.line, fmt::format("a file of sources has 1 to {} places", kMaxSources), "correct it");
    return {};
  }

  const Section& section_;
  Policy& policy_;
  Distance distance_;
  const Column* time_ = nullptr;  // the column, where it holds times
};

}  // namespace

Result<void> ReadDistance(const Section& unit, Policy& policy) {
  const Member* member = unit.Find("distance");
  if (member == nullptr) return {};
  const auto section = unit.Table(*member, "distance", kExample);
  if (!section) return section.error();
  return DistanceReader(*section, policy).Read();
}

}  // namespace kith
