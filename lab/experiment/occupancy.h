// When spaces are occupied, minute by minute, and what the one-sided paper reads out of it: start time, leaving time,
// number of absences, mean absence, average level. Which of them are sensitive together, in days of people who agreed.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "leakage/leakage.h"

namespace kith::experiment {

inline constexpr int kMinutes = 1440;

struct OccupiedDay {
  std::int64_t number = 0;          // days since some day
  std::vector<std::uint8_t> there;  // of each minute
};

/// A room, or a person: whatever is or is not there.
struct Space {
  std::string name;
  std::vector<OccupiedDay> days;  // ascending
};

struct Building {
  std::string name;          // also of files
  std::string meaning;       // what "there" means
  int shortest_absence = 0;  // minutes; less is not seen as one
  std::vector<Space> spaces;
};

struct Occupancy {
  std::vector<Building> buildings;
  /// Fails: kInvalidArgument if there is none of that name.
  Result<const Building*> Called(const std::string& name) const;
};

inline constexpr std::size_t kAttributes = 5;
const std::array<std::string, kAttributes>& AttributeNames();  // start, leave, absences, absence, level

/// One day of one space: minutes after midnight, minutes, a number, a share of 8:00 to 17:00.
struct DayRecord {
  std::size_t space = 0;
  std::int64_t day = 0;
  std::array<double, kAttributes> values{};
};

/// The minutes that count: absences shorter than that are filled. Before 4:00 is the evening before: nobody.
std::vector<std::uint8_t> WithoutShortAbsences(const std::vector<std::uint8_t>& there, int shortest);
/// Nothing on a day when nobody was there.
std::optional<std::array<double, kAttributes>> AttributesOf(const std::vector<std::uint8_t>& there, int shortest);
std::vector<DayRecord> RecordsOf(const Building& building);

/// The policy function P: late, early, many, long, little; each beyond the quartile of the days that it is made from.
struct SensitiveRule {
  std::array<double, kAttributes> limit{};
  bool Sensitive(const DayRecord& record, std::size_t attribute) const;
  std::string Words(std::size_t attribute) const;  // "a start after 10:05"
};
SensitiveRule QuartileRule(const std::vector<DayRecord>& records);

/// Days of people who agreed to be counted, and the others, which are protected: alternate days of each space.
struct Halves {
  std::vector<DayRecord> consented, held_out;
};
Halves Split(const std::vector<DayRecord>& records);

/// Which of the attributes are sensitive together; a tenth of a day is added to each of the 32 cases.
Result<one_sided::SensitivityLaw> LawOf(const std::vector<DayRecord>& records, const SensitiveRule& rule);

/// How many are there in each hour, from the first day to the last, and for how many hours on end one of them is.
struct HourlyCounts {
  std::vector<std::int64_t> people;
  std::vector<std::int64_t> longest_stay;  // of each space, in hours
  std::int64_t first_hour = 0;             // hours since midnight of day 0
};
HourlyCounts CountByHour(const Building& building);

/// Invented: an office whose people have odd days now and then, a home, and a ward. For trying the figures.
Occupancy InventedOccupancy(std::size_t people, std::uint64_t seed);

std::string Clock(double minute);  // "9:05"

}  // namespace kith::experiment
