// kith experiment: figures of the papers, reproduced.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>

#include "app/cli/fail.h"
#include "app/cli/progress.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/json.h"
#include "cli/verbs.h"
#include "experiment/catalogue.h"
#include "experiment/figure_files.h"
#include "experiment/laboratory.h"

namespace kith::cli::lab {
namespace {

using experiment::Figure;
using experiment::Panel;

struct Options {
  std::vector<std::string> figures;
  std::string data, output, label, command;
  std::vector<std::string> cities;
  experiment::Settings settings;
  std::size_t people = 2000;
  bool json = false, force = false, brief = false;
};

std::string Cell(const experiment::Estimate& y) {
  const double half = (y.high - y.low) / 2;
  if (!(half > 0)) return experiment::Compact(y.mean);
  const double unit = std::pow(10, std::floor(std::log10(half)));
  return fmt::format("{}±{}", experiment::Compact(y.mean), experiment::Compact(std::round(half / unit) * unit));
}

/// At most `most` of them: first and last, what the papers quote, and what is nearest to it.
std::vector<double> Shown(std::vector<double> xs, std::size_t most) {
  const auto quoted = [](double x) { return x == 0.9 || x == 1; };
  while (xs.size() > std::max<std::size_t>(2, most)) {
    std::size_t drop = xs.size();
    for (std::size_t k = 1; k + 1 < xs.size(); ++k) {
      if (!quoted(xs[k]) && (drop == xs.size() || k <= xs.size() / 2)) drop = k;
    }
    if (drop == xs.size()) drop = xs.size() > 3 || !quoted(xs[0]) ? 0 : xs.size() - 1;
    xs.erase(xs.begin() + static_cast<std::ptrdiff_t>(drop));
  }
  return xs;
}

/// Methods down, places of the x axis across: as many as fit whole.
std::string PanelText(const Panel& panel, std::size_t width) {
  std::vector<std::string> methods;
  std::vector<double> all;
  for (const auto& point : panel.points) {
    if (std::find(methods.begin(), methods.end(), point.method) == methods.end()) methods.push_back(point.method);
    if (point.method == panel.points.front().method) all.push_back(point.x);
  }
  std::string text;
  for (std::size_t most = 5; most >= 1; --most) {
    const auto xs = panel.SingleNumbers() ? std::vector<double>{0} : Shown(all, most);
    std::vector<std::string> head = {panel.title};
    for (const double x : xs) head.push_back(panel.SingleNumbers() ? panel.y_label : Short(x));
    TextTable table(head);
    for (const auto& method : methods) {
      std::vector<std::string> row = {method};
      for (const double x : xs) {
        const auto* point = experiment::PointAt(panel, method, x);
        row.push_back(point != nullptr && (panel.SingleNumbers() || point->x == x) ? Cell(point->y) : "");
      }
      table.Add(std::move(row));
    }
    text = table.Render(width);
    const std::size_t rule = text.find('\n') + 1;  // the line under the header is as wide as the table
    const bool fits = DisplayWidth(text.substr(rule, text.find('\n', rule) - rule)) <= width;
    if ((fits && text.find("…") == std::string::npos) || xs.size() <= 2) break;
  }
  return panel.SingleNumbers() ? text : fmt::format("{} against {}\n\n{}", panel.y_label, panel.x_label, text);
}

std::string FigureText(const Figure& figure, std::size_t width) {
  std::string text =
      Wrap(fmt::format("{}: {}", figure.name, figure.about), width, 0) + "\n" + Wrap(figure.setting, width, 0) + "\n\n";
  for (const Panel& panel : figure.panels) text += PanelText(panel, width) + "\n";
  const std::pair<const char*, const std::string*> parts[] = {
      {"Published", &figure.published}, {"Here", &figure.here}, {"Why", &figure.why}};
  for (const auto& [title, part] : parts) {
    if (!part->empty()) text += Wrap(fmt::format("{}: {}", title, *part), width, 2) + "\n";
  }
  for (const auto& note : figure.notes) text += Wrap("- " + note, width, 2) + "\n";
  return text;
}

Json ToJson(const Figure& figure) {
  Json out = {{"figure", figure.name},         {"about", figure.about},  {"setting", figure.setting},
              {"published", figure.published}, {"here", figure.here},    {"why", figure.why},
              {"notes", figure.notes},         {"panels", Json::array()}};
  for (const Panel& panel : figure.panels) {
    Json points = Json::array();
    for (const auto& point : panel.points)
      points.push_back({{"method", point.method},
                        {"x", point.x},
                        {"mean", point.y.mean},
                        {"low", point.y.low},
                        {"high", point.y.high},
                        {"plain_epsilon", point.plain}});
    out["panels"].push_back(
        {{"name", panel.file}, {"x", panel.x_label}, {"y", panel.y_label}, {"points", std::move(points)}});
  }
  return out;
}

/// What the words on the command line refer to, each figure once.
std::vector<std::string> NamesOf(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const auto& word : words) {
    for (const auto& name : experiment::FiguresCalled(word)) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

/// A figure that is asked for by its own name needs its data; in a list of many, stand-ins do.
bool StandIns(const Options& options) {
  return std::any_of(options.figures.begin(), options.figures.end(), [](const std::string& word) {
    return word == "all" || experiment::FiguresCalled(word).size() > 3;
  });
}

Result<std::vector<attack::Circle>> CitiesOf(const Options& options) {
  if (options.cities.empty()) return experiment::PublishedCities();
  return experiment::ParseCities(options.cities);
}

std::string TextOf(const Figure& figure, const Options& options, double seconds) {
  if (!options.brief) return FigureText(figure, TerminalWidth()) + "\n";
  return Wrap(fmt::format("{} ({:.0f} s): {}", figure.name, seconds, figure.here.empty() ? figure.about : figure.here),
              TerminalWidth(), 2) +
         "\n";
}

int Run(const Options& options, const CancelFlag& cancel) {
  const auto cities = CitiesOf(options);
  if (!cities) return Fail(cities.error(), options.json);
  experiment::Laboratory laboratory(experiment::FolderSources(options.data, StandIns(options), options.people,
                                                              options.settings.seed, *cities, cancel));
  const std::string data =
      options.data.empty() ? fmt::format("stand-ins of {} people", options.people) : experiment::DataMark(options.data);
  const auto names = NamesOf(options.figures);
  Json all = Json::array();
  for (std::size_t n = 0; n < names.size(); ++n) {
    const std::string& name = names[n];
    const std::string mark = experiment::MarkOf(
        name, options.settings, fmt::format("{} {}", data, fmt::join(options.cities, ",")), KITH_VERSION);
    if (!options.output.empty() && !options.force && !options.json && experiment::IsThere(options.output, name, mark)) {
      Show(fmt::format("{}: is there already\n", name));
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    auto settings = options.settings;
    const auto figure = [&] {
      Progress bar(names.size() == 1 ? name : fmt::format("{} ({} of {})", name, n + 1, names.size()));
      settings.progress = [&bar](double done) { bar.At(done); };
      return laboratory.Run(name, settings, cancel);
    }();
    if (!figure) return Fail(figure.error(), options.json);
    if (!options.output.empty()) {
      const auto written = experiment::WriteFigure(*figure, options.output, mark,
                                                   "kith experiment " + name + options.command, options.label);
      if (!written) return Fail(written.error(), options.json);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (options.json) {
      all.push_back(ToJson(*figure));
    } else {
      Show(TextOf(*figure, options, seconds));
      std::fflush(stdout);  // a long run into a file can be followed
    }
  }
  if (options.json) Show(JsonText(all) + "\n");
  if (options.output.empty()) return 0;
  if (const auto written = experiment::WriteIndex(options.output); !written) return Fail(written.error(), options.json);
  if (!options.json) Show(fmt::format("Tables are in {0}; lab/figures/draw.py {0} draws them\n", options.output));
  return 0;
}

/// What makes the same figure again, without names of folders.
std::string CommandOf(const Options& options) {
  const auto& s = options.settings;
  std::string text = options.data.empty() ? fmt::format(" --people {}", options.people) : " --data FOLDER";
  std::string epsilons;
  for (const double epsilon : s.epsilons) epsilons += fmt::format("{}{}", epsilons.empty() ? "" : ",", epsilon);
  text += fmt::format(" --epsilon {} --repetitions {} --seed {}", epsilons, s.repetitions, s.seed);
  if (s.least > 1) text += fmt::format(" --least {}", s.least);
  if (!options.cities.empty()) text += fmt::format(" --cities \"{}\"", fmt::join(options.cities, ","));
  return text + " --output FOLDER";
}

}  // namespace

void AddExperiment(Command& app, Context& context) {
  auto* command = app.AddVerb("experiment", "Reproduce figures of the papers: CSV tables, what differs and why");
  std::string names, paper;
  for (const auto& figure : experiment::Catalogue()) {
    if (figure.paper != paper) names += fmt::format("{}: {}\n", figure.paper, experiment::PaperTitle(figure.paper));
    paper = figure.paper;
    names += fmt::format("  {:<14} {}\n", figure.name, figure.meaning);
  }
  std::string methods;
  for (const auto& method : experiment::MethodNames())
    methods += fmt::format("  {:<9} {}\n", method.name, method.meaning);
  command->Footer(
      "Example:\n  kith experiment fig8a fig9c --repetitions 5 --output figures\n"
      "  kith experiment all --data FOLDER --output figures   (docs/guide/experiments.md names the files)\n\n"
      "Without --data: synthetic stand-ins (kith sample). A name is that of a figure, of a paper (the word before the "
      "colon), or all.\n\nFigures:\n" +
      names + "\nMethods:\n" + methods);
  auto options = std::make_shared<Options>();
  command->AddOption("figures", options->figures, "Which ones; all: every one")
      ->Required()
      ->OneOf(experiment::FigureWords());
  command->AddOption("--data", options->data, "Folder with the data sets; they are read, never copied");
  command->AddOption("--output", options->output, "Folder for tables and an index; figures it has are not redone");
  command->AddFlag("--force", options->force, "Make figures again that are there already");
  command->AddFlag("--brief", options->brief, "Say one sentence for each figure");
  command->AddOption("--label", options->label, "Written beside the figures, such as a commit");
  command->AddOption("--people", options->people, "Of a synthetic stand-in")
      ->Within(std::size_t{200}, std::size_t{1'000'000})
      ->ShowDefault();
  command->AddOption("--least", options->settings.least, "Leave out people with fewer visits")->ShowDefault();
  command
      ->AddOption("--cities", options->cities,
                  "Several cities with a grid each: Name:lat:lon:km, with commas between them (New York, San "
                  "Francisco, Los Angeles)")
      ->Separated();
  command->AddOption("--epsilon", options->settings.epsilons, "What methods promise; separate several with commas")
      ->Separated()
      ->Positive()
      ->ShowDefault();
  command->AddOption("--repetitions", options->settings.repetitions, "Of everything that is drawn")
      ->Within(std::size_t{2}, std::size_t{100'000})
      ->ShowDefault();
  command->AddOption("--seed", options->settings.seed, "Of stand-ins, splits and simulated noise")->ShowDefault();
  command->AddOption("--threads", options->settings.threads, "0: all cores; does not change the result")->ShowDefault();
  command->AddFlag("--json", options->json, "Machine-readable output, full precision");
  command->Run([options, &context] {
    options->command = CommandOf(*options);
    context.exit_code = Run(*options, *context.cancel);
  });
}

}  // namespace kith::cli::lab
