#include "experiment/occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiment/simulate.h"

namespace kith::experiment {
namespace {

constexpr int kDayBegins = 4 * 60, kWorkFrom = 8 * 60, kWorkTo = 17 * 60;

// Whether large values of an attribute are the sensitive ones.
constexpr std::array<bool, kAttributes> kLargeIsSensitive = {true, false, true, true, false};

}  // namespace

Result<const Building*> Occupancy::Called(const std::string& name) const {
  for (const Building& building : buildings) {
    if (building.name == name) return &building;
  }
  return InvalidArgument(fmt::format("there is no building '{}' in the data", name), {},
                         "put the data set it is made from into the folder, or name no folder")
      .For("experiment.data");
}

const std::array<std::string, kAttributes>& AttributeNames() {
  static const std::array<std::string, kAttributes> names = {"start", "leave", "absences", "absence", "level"};
  return names;
}

std::string Clock(double minute) {
  const auto whole = static_cast<int>(std::lround(minute));
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::vector<std::uint8_t> WithoutShortAbsences(const std::vector<std::uint8_t>& there, int shortest) {
  std::vector<std::uint8_t> filled(there);
  std::fill(filled.begin(), filled.begin() + kDayBegins, 0);
  int last = -1;
  for (int minute = kDayBegins; minute < kMinutes; ++minute) {
    if (!filled[static_cast<std::size_t>(minute)]) continue;
    if (last >= 0 && minute - last - 1 < shortest)
      std::fill(filled.begin() + last + 1, filled.begin() + minute, std::uint8_t{1});
    last = minute;
  }
  return filled;
}

std::optional<std::array<double, kAttributes>> AttributesOf(const std::vector<std::uint8_t>& there, int shortest) {
  const auto filled = WithoutShortAbsences(there, shortest);
  const auto first = std::find(filled.begin(), filled.end(), 1);
  if (first == filled.end()) return std::nullopt;
  const auto last = std::find(filled.rbegin(), filled.rend(), 1).base();
  int absences = 0, away = 0;
  for (auto minute = first; minute != last; ++minute) {
    away += *minute == 0;
    absences += *minute == 0 && *(minute - 1) == 1;
  }
  const auto at_work = std::count(filled.begin() + kWorkFrom, filled.begin() + kWorkTo, 1);
  return std::array<double, kAttributes>{static_cast<double>(first - filled.begin()),
                                         static_cast<double>(last - filled.begin()), static_cast<double>(absences),
                                         absences == 0 ? 0.0 : static_cast<double>(away) / absences,
                                         static_cast<double>(at_work) / (kWorkTo - kWorkFrom)};
}

std::vector<DayRecord> RecordsOf(const Building& building) {
  std::vector<DayRecord> records;
  for (std::size_t space = 0; space < building.spaces.size(); ++space) {
    for (const OccupiedDay& day : building.spaces[space].days) {
      if (const auto values = AttributesOf(day.there, building.shortest_absence))
        records.push_back({space, day.number, *values});
    }
  }
  return records;
}

bool SensitiveRule::Sensitive(const DayRecord& record, std::size_t attribute) const {
  return kLargeIsSensitive[attribute] ? record.values[attribute] > limit[attribute]
                                      : record.values[attribute] < limit[attribute];
}

std::string SensitiveRule::Words(std::size_t attribute) const {
  switch (attribute) {
    case 0:
      return "a start after " + Clock(limit[0]);
    case 1:
      return "leaving before " + Clock(limit[1]);
    case 2:
      return fmt::format("more than {:g} absences", limit[2]);
    case 3:
      return fmt::format("absences of more than {:.0f} minutes on average", limit[3]);
    default:
      return fmt::format("a level below {:.2f}", limit[4]);
  }
}

SensitiveRule QuartileRule(const std::vector<DayRecord>& records) {
  SensitiveRule rule;
  for (std::size_t k = 0; k < kAttributes && !records.empty(); ++k) {
    std::vector<double> values;
    for (const DayRecord& record : records) values.push_back(record.values[k]);
    std::sort(values.begin(), values.end());
    const auto n = values.size();
    rule.limit[k] = values[std::min(n - 1, kLargeIsSensitive[k] ? n * 3 / 4 : n / 4)];
  }
  return rule;
}

Halves Split(const std::vector<DayRecord>& records) {
  Halves halves;
  std::map<std::size_t, std::size_t> seen;
  for (const DayRecord& record : records)
    ((seen[record.space]++ + record.space) % 2 == 0 ? halves.consented : halves.held_out).push_back(record);
  return halves;
}

Result<one_sided::SensitivityLaw> LawOf(const std::vector<DayRecord>& records, const SensitiveRule& rule) {
  std::vector<double> counts(std::size_t{1} << kAttributes, 0.0);
  for (const DayRecord& record : records) {
    std::size_t state = 0;
    for (std::size_t k = 0; k < kAttributes; ++k) state |= rule.Sensitive(record, k) ? 0 : std::size_t{1} << k;
    ++counts[state];
  }
  return one_sided::SensitivityLaw::FromCounts(counts, 0.1);
}

HourlyCounts CountByHour(const Building& building) {
  std::int64_t first = INT64_MAX, last = INT64_MIN;
  for (const Space& space : building.spaces) {
    if (space.days.empty()) continue;
    first = std::min(first, space.days.front().number);
    last = std::max(last, space.days.back().number);
  }
  HourlyCounts counts;
  if (first > last) return counts;
  counts.first_hour = first * 24;
  counts.people.assign(static_cast<std::size_t>(last - first + 1) * 24, 0);
  for (const Space& space : building.spaces) {
    std::vector<std::uint8_t> in(counts.people.size(), 0);
    for (const OccupiedDay& day : space.days) {
      for (std::size_t minute = 0; minute < kMinutes; ++minute) {
        if (day.there[minute]) in[static_cast<std::size_t>(day.number - first) * 24 + minute / 60] = 1;
      }
    }
    std::int64_t run = 0, longest = 0;
    for (std::size_t hour = 0; hour < in.size(); ++hour) {
      counts.people[hour] += in[hour];
      run = in[hour] ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    counts.longest_stay.push_back(longest);
  }
  return counts;
}

namespace {

void Fill(std::vector<std::uint8_t>& there, double from, double to) {
  const auto at = [](double minute) { return static_cast<std::ptrdiff_t>(std::clamp(minute, 0.0, 1440.0)); };
  if (to > from) std::fill(there.begin() + at(from), there.begin() + at(to), std::uint8_t{1});
}

/// A day with a start, an end and breaks; an odd one starts late, ends early and has more of them.
std::vector<std::uint8_t> InventedDay(Simulated& draws, bool odd, double opens) {
  std::vector<std::uint8_t> there(kMinutes, 0);
  const double start = draws.Bell(opens + (odd ? 110 : 0), 35), end = draws.Bell(opens + (odd ? 440 : 520), 40);
  Fill(there, start, end);
  const std::size_t breaks = 1 + draws.Below(odd ? 6 : 3);
  for (std::size_t k = 0; k < breaks; ++k) {
    const double from = draws.Between(start, end), length = draws.Between(10, odd ? 90 : 50);
    std::vector<std::uint8_t> out(kMinutes, 0);
    Fill(out, from, std::min(end, from + length));
    for (std::size_t minute = 0; minute < kMinutes; ++minute) there[minute] = there[minute] && !out[minute];
  }
  return there;
}

Building InventedBuilding(const std::string& name, std::size_t spaces, std::int64_t days, double opens,
                          std::uint64_t seed) {
  Simulated draws(seed);
  Building building{name, "somebody is there (invented)", 5, {}};
  for (std::size_t s = 0; s < spaces; ++s) {
    Space space{fmt::format("{}", s + 1), {}};
    const double habit = draws.Between(0.05, 0.5);
    const double own = draws.Bell(opens, 40);
    for (std::int64_t day = 0; day < days; ++day) {
      if (day % 7 < 5) space.days.push_back({day, InventedDay(draws, draws.Chance(habit), own)});
    }
    building.spaces.push_back(std::move(space));
  }
  return building;
}

}  // namespace

Occupancy InventedOccupancy(std::size_t people, std::uint64_t seed) {
  const std::size_t staff = std::clamp<std::size_t>(people / 20, 10, 200);
  return {{InventedBuilding("office", 1, 14, 8.5 * 60, SeedOf(seed, 1)),
           InventedBuilding("homes", 4, 42, 7.5 * 60, SeedOf(seed, 2)),
           InventedBuilding("workplace", staff, 14, 9 * 60, SeedOf(seed, 3)),
           InventedBuilding("hospital", staff, 7, 8 * 60, SeedOf(seed, 4)),
           InventedBuilding("conference", staff, 3, 9 * 60, SeedOf(seed, 5))}};
}

}  // namespace kith::experiment
