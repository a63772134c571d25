#include "experiment/occupancy_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiment/conclusion.h"
#include "experiment/simulate.h"

namespace kith::experiment {
namespace {

constexpr double kDefaultOn = 8 * 60, kLate = 9 * 60;

/// Corners of a 0/1 line, so that it is drawn with steps.
Panel PatternPanel(const Building& building, const Space& space, const OccupiedDay& day) {
  Panel panel{building.name + "_pattern",
              fmt::format("Occupancy of one day: {}, {}", building.name, space.name),
              "hour of the day",
              "occupancy level",
              false,
              false,
              {}};
  const auto add = [&](std::size_t minute, std::uint8_t level) {
    panel.points.push_back({"occupied", static_cast<double>(minute) / 60, Exactly(level), 0});
  };
  add(0, day.there[0]);
  for (std::size_t minute = 1; minute < day.there.size(); ++minute) {
    if (day.there[minute] == day.there[minute - 1]) continue;
    add(minute, day.there[minute - 1]);
    add(minute, day.there[minute]);
  }
  add(day.there.size(), day.there.back());
  return panel;
}

/// One attribute or two of a space by day.
Panel DaysPanel(const Building& building, const std::string& file, const std::string& y_label,
                const std::vector<std::pair<std::string, std::size_t>>& attributes, double divide) {
  Panel panel{building.name + "_" + file,
              fmt::format("{}: attributes by day, {}", building.name, building.spaces[0].name),
              "day",
              y_label,
              false,
              false,
              {}};
  const auto& days = building.spaces[0].days;
  for (const auto& [name, k] : attributes) {
    for (const OccupiedDay& day : days) {
      if (const auto values = AttributesOf(day.there, building.shortest_absence))
        panel.points.push_back(
            {name, static_cast<double>(day.number - days.front().number + 1), Exactly((*values)[k] / divide), 0});
    }
  }
  return panel;
}

/// The day in the middle of those on which somebody was there.
const OccupiedDay* TypicalDay(const Building& building) {
  std::vector<const OccupiedDay*> days;
  for (const OccupiedDay& day : building.spaces[0].days) {
    if (AttributesOf(day.there, building.shortest_absence)) days.push_back(&day);
  }
  return days.empty() ? nullptr : days[days.size() / 2];
}

std::string InWords(const std::array<double, kAttributes>& values) {
  return fmt::format("start {}, leaving {}, {:g} {} of {:.0f} minutes on average, level {:.2f} of 8:00 to 17:00",
                     Clock(values[0]), Clock(values[1]), values[2], values[2] == 1 ? "absence" : "absences", values[3],
                     values[4]);
}

}  // namespace

Result<Figure> OccupancyPattern(const Occupancy& occupancy) {
  Figure figure{"osdp-fig1", "when a space is occupied over a day, and what can be read out of it", "", {}, {}};
  std::string read;
  for (const char* name : {"office", "homes"}) {
    const auto building = occupancy.Called(name);
    if (!building) continue;
    const OccupiedDay* day = TypicalDay(**building);
    if (day == nullptr) continue;
    figure.panels.push_back(PatternPanel(**building, (*building)->spaces[0], *day));
    figure.panels.push_back(DaysPanel(**building, "times", "hour of the day", {{"start", 0}, {"leaving", 1}}, 60));
    figure.panels.push_back(DaysPanel(**building, "absences", "number of absences", {{"absences", 2}}, 1));
    figure.panels.push_back(DaysPanel(**building, "absence", "minutes", {{"mean absence", 3}}, 1));
    figure.panels.push_back(DaysPanel(**building, "level", "share of 8:00 to 17:00", {{"level", 4}}, 1));
    const auto records = RecordsOf(**building);
    read += fmt::format("{}{}: the day shown has {}; {} days in all", read.empty() ? "" : ". ", name,
                        InWords(*AttributesOf(day->there, (*building)->shortest_absence)), records.size());
    figure.notes.push_back(fmt::format("{}: {}; absences of less than {} minutes are not counted.", name,
                                       (*building)->meaning, (*building)->shortest_absence));
  }
  if (figure.panels.empty())
    return InvalidArgument("there is neither the office nor a home in the data", {},
                           "put occupancy_uci or aras into the folder, or name no folder")
        .For("experiment.data");
  Conclude(
      figure,
      "one day of an office, level 0 or 1, from the Building Analytics App; start and leaving time and absences can "
      "be read off by eye.",
      read + ".",
      "the picture is of the same kind with other rooms; all five attributes that the paper names are computed from "
      "it, so that nothing has to be read by eye.");
  return figure;
}

double LightsOn(const std::vector<double>& starts) {
  if (starts.empty()) return kDefaultOn;
  const double mean = std::accumulate(starts.begin(), starts.end(), 0.0) / static_cast<double>(starts.size());
  return mean > kLate ? mean : kDefaultOn;
}

Result<Counted> CountBuilding(const Occupancy& occupancy, const std::string& name) {
  const auto building = occupancy.Called(name);
  if (!building) return building.error();
  auto records = RecordsOf(**building);
  auto halves = Split(records);
  if (halves.consented.size() < 4 || halves.held_out.size() < 4)
    return InvalidArgument("there are too few days to count anything", name, "use more data").For("experiment.data");
  const SensitiveRule rule = QuartileRule(halves.consented);
  auto law = LawOf(halves.consented, rule);
  if (!law) return law.error();
  auto other = LawOf(halves.held_out, rule);
  if (!other) return other.error();
  return Counted{*building, std::move(records), std::move(halves), rule, std::move(*law), std::move(*other)};
}

std::string NameOf(const OrderedPair& pair) { return AttributeNames()[pair.i] + " -> " + AttributeNames()[pair.j]; }

std::vector<OrderedPair> PairsOf(const one_sided::SensitivityLaw& law) {
  std::vector<OrderedPair> pairs;
  for (std::size_t i = 0; i < law.attributes(); ++i) {
    for (std::size_t j = 0; j < law.attributes(); ++j) {
      if (i == j) continue;
      if (const auto dependence = one_sided::Dependence(law, i, j)) pairs.push_back({i, j, *dependence});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const OrderedPair& a, const OrderedPair& b) { return a.Limit() < b.Limit(); });
  return pairs;
}

namespace {

struct Schedule {
  double kept = 0;  // share of spaces with the same decision: default or own time
  double off = 0;   // minutes, on average over spaces
};

/// The starts of each space; `keep(record)` says which are seen.
template <class Keep>
std::vector<std::vector<double>> StartsBySpace(const Counted& counted, const Keep& keep) {
  std::vector<std::vector<double>> starts(counted.building->spaces.size());
  for (const DayRecord& record : counted.records) {
    if (keep(record)) starts[record.space].push_back(record.values[0]);
  }
  return starts;
}

std::vector<double> LightsOf(const std::vector<std::vector<double>>& starts) {
  std::vector<double> lights;
  for (const auto& one : starts) lights.push_back(LightsOn(one));
  return lights;
}

Schedule Compare(const std::vector<double>& lights, const std::vector<double>& truth) {
  Schedule schedule;
  for (std::size_t s = 0; s < truth.size(); ++s) {
    schedule.kept += (lights[s] > kDefaultOn) == (truth[s] > kDefaultOn);
    schedule.off += std::abs(lights[s] - truth[s]);
  }
  schedule.kept /= static_cast<double>(truth.size());
  schedule.off /= static_cast<double>(truth.size());
  return schedule;
}

/// What the lighting gets: the light of each space, from draws.
using Lighting = std::function<std::vector<double>(double epsilon, Simulated& draws)>;

struct LightingPanels {
  Panel kept, off;
};

Result<void> AddLighting(LightingPanels& panels, const std::string& name, const std::vector<double>& truth,
                         const Lighting& lighting, const Settings& settings, const CancelFlag& cancel) {
  for (const double epsilon : settings.epsilons) {
    Simulated draws(SeedOf(settings.seed, 11));
    std::vector<double> kept, off;
    for (std::size_t r = 0; r < 10 * settings.repetitions; ++r) {
      if (cancel.cancelled()) return Cancelled("the experiment was stopped");
      const Schedule schedule = Compare(lighting(epsilon, draws), truth);
      kept.push_back(schedule.kept);
      off.push_back(schedule.off);
    }
    panels.kept.points.push_back({name, epsilon, MeanWithInterval(kept), epsilon});
    panels.off.points.push_back({name, epsilon, MeanWithInterval(off), epsilon});
  }
  return {};
}

Result<LightingPanels> LightingOf(const Counted& counted, const Settings& settings, const CancelFlag& cancel) {
  const std::string& name = counted.building->name;
  LightingPanels panels{
      {name + "_decision", name + ": is the decision kept?", "epsilon", "share of spaces", true, false, {}},
      {name + "_minutes", name + ": how far is the light off?", "epsilon", "minutes", true, false, {}}};
  const auto all = StartsBySpace(counted, [](const DayRecord&) { return true; });
  const auto truth = LightsOf(all);
  const auto open = [&](const DayRecord& record) { return !counted.rule.Sensitive(record, 0); };
  auto done = AddLighting(
      panels, "OSDPRR", truth,
      [&](double epsilon, Simulated& draws) {
        return LightsOf(StartsBySpace(
            counted, [&](const DayRecord& record) { return open(record) && draws.Chance(-std::expm1(-epsilon)); }));
      },
      settings, cancel);
  if (!done) return done.error();
  done = AddLighting(
      panels, "all that is not sensitive", truth,
      [&](double, Simulated&) { return LightsOf(StartsBySpace(counted, open)); }, settings, cancel);
  if (!done) return done.error();
  // The mean of each space with noise: one day replaced moves it by at most 20 hours over the number of days.
  done = AddLighting(
      panels, "mean with Laplace noise", truth,
      [&](double epsilon, Simulated& draws) {
        std::vector<double> lights;
        for (const auto& starts : all) {
          if (starts.empty()) {
            lights.push_back(kDefaultOn);
            continue;
          }
          const auto n = static_cast<double>(starts.size());
          const double mean = std::accumulate(starts.begin(), starts.end(), 0.0) / n;
          lights.push_back(LightsOn({std::clamp(mean + draws.Laplace(1200 / (n * epsilon)), 240.0, 1440.0)}));
        }
        return lights;
      },
      settings, cancel);
  if (!done) return done.error();
  done = AddLighting(
      panels, "nothing released", truth,
      [&](double, Simulated&) { return std::vector<double>(truth.size(), kDefaultOn); }, settings, cancel);
  if (!done) return done.error();
  return panels;
}

const Point& At(const Panel& panel, const std::string& method, double x) {
  const Point* best = &panel.points.front();
  for (const Point& point : panel.points) {
    if (point.method == method && (best->method != method || std::abs(point.x - x) < std::abs(best->x - x)))
      best = &point;
  }
  return *best;
}

}  // namespace

Result<Figure> LightingSchedule(const Occupancy& occupancy, const Settings& settings, const CancelFlag& cancel) {
  Figure figure{
      "osdp-lighting", "the lighting schedule from released start times beside the one from all of them", "", {}, {}};
  std::string here;
  for (const char* name : {"workplace", "homes"}) {
    const auto counted = CountBuilding(occupancy, name);
    if (!counted) continue;
    auto panels = LightingOf(*counted, settings, cancel);
    if (!panels) return panels.error();
    const Point &low = At(panels->off, "OSDPRR", 0.1), &high = At(panels->off, "OSDPRR", 10),
                &naive = At(panels->off, "all that is not sensitive", 1),
                &laplace = At(panels->off, "mean with Laplace noise", 1), &one = At(panels->off, "OSDPRR", 1);
    here += fmt::format(
        "{}{}: {} spaces, {} days; the light is {:.0f} minutes off at epsilon {:g}, {:.0f} at {:g}, {:.0f} at {:g}, "
        "and "
        "{:.0f} if everything that is not sensitive were released{} ({:.0f} with Laplace noise on each mean at {:g})",
        here.empty() ? "" : ". ", name, counted->building->spaces.size(), counted->records.size(), low.y.mean, low.x,
        one.y.mean, one.x, high.y.mean, high.x, naive.y.mean,
        high.y.mean > low.y.mean ? ": here a larger epsilon makes it worse" : "", laplace.y.mean, laplace.x);
    figure.notes.push_back(fmt::format("{}: sensitive is {}, the latest quarter of consented days; {}.", name,
                                       counted->rule.Words(0), counted->building->meaning));
    figure.panels.push_back(std::move(panels->kept));
    figure.panels.push_back(std::move(panels->off));
  }
  if (figure.panels.empty()) return CountBuilding(occupancy, "workplace").error();
  figure.notes.emplace_back(
      "Lights go on at 8:00, or at the space's mean start where that is after 9:00 (the paper's example); a space "
      "without a released record keeps 8:00. Laplace noise hides one day of one space, sensitive or not.");
  Conclude(
      figure,
      "lighting control needs mean start times, and higher epsilons release more of them; no measurement is given.",
      here + ".",
      "epsilon buys records, not the late starts: these are sensitive and never released, so that the mean of what is "
      "released stays too early however large epsilon is. The schedule ends where naive suppression ends.");
  return figure;
}

}  // namespace kith::experiment
