// kith experiment: figures of the publication on dependent differential privacy, done again.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/progress.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/json.h"
#include "base/text_file.h"
#include "lab/experiment_input.h"
#include "lab/laboratory.h"
#include "lab/sample.h"

namespace kith::cli {
namespace {

namespace fs = std::filesystem;
using experiment::Figure;
using experiment::Panel;

struct Options {
  std::vector<std::string> figures;
  std::string data, output;
  experiment::Settings settings;
  std::size_t people = 2000;
  bool json = false;
};

/// A folder that goes away with the object.
class Folder {
 public:
  Folder() = default;
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Result<fs::path> Path() {
    if (!path_.empty()) return path_;
    std::error_code failed;
    std::string name = (fs::temp_directory_path(failed) / "kith-data-XXXXXX").string();
    if (failed || ::mkdtemp(name.data()) == nullptr)
      return StorageError("cannot make a folder for temporary files", {}, "set TMPDIR to a folder that can be written");
    return path_ = name;
  }

 private:
  fs::path path_;
};

/// The folder with the data: given, or filled with a stand-in of that name.
Result<fs::path> DataFolder(const Options& options, const char* sample, Folder& folder) {
  if (!options.data.empty()) return fs::path(options.data);
  const auto path = folder.Path();
  if (!path) return path.error();
  for (const Sample& one : Samples()) {
    if (one.name != sample) continue;
    const auto written = one.write({options.people, options.settings.seed, *path});
    if (!written) return written.error();
  }
  return *path;
}

experiment::Sources SourcesOf(const Options& options, Folder& folder, const CancelFlag& cancel) {
  experiment::Sources sources;
  sources.data = options.data.empty() ? "Synthetic stand-in" : "Data of the folder";
  sources.city = [&options, &folder, &cancel]() -> Result<experiment::City> {
    const auto path = DataFolder(options, "gowalla-like", folder);
    if (!path) return path.error();
    auto input = ReadCity(*path, cancel);
    if (!input) return input.error();
    return experiment::City{std::move(input->visits), std::move(input->friends)};
  };
  sources.adult = [&options, &folder, &cancel]() -> Result<experiment::Adult> {
    const auto path = DataFolder(options, "adult-like", folder);
    if (!path) return path.error();
    return ReadAdult(*path, cancel);
  };
  sources.networks = [&options, &folder, &cancel]() -> Result<std::vector<experiment::Network>> {
    const auto path = DataFolder(options, "gowalla-like", folder);
    if (!path) return path.error();
    return ReadNetworks(*path, cancel);
  };
  return sources;
}

Result<void> WriteFigure(const Figure& figure, const fs::path& output) {
  const fs::path folder = output / figure.name;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return StorageError("cannot make the folder", folder.string(), "check its name and permissions");
  for (const Panel& panel : figure.panels) {
    if (auto done = WriteTextFile(folder / (panel.file + ".csv"), CsvOf(panel)); !done) return done;
    if (auto done = WriteTextFile(folder / (panel.file + ".svg"), report::Svg(ChartOf(panel))); !done) return done;
  }
  return {};
}

std::string Cell(const experiment::Estimate& y) {
  const double half = (y.high - y.low) / 2;
  return half > 0 ? fmt::format("{:.3g}±{:.1g}", y.mean, half) : fmt::format("{:.3g}", y.mean);
}

/// Methods down, at most five places of the x axis across.
std::string PanelText(const Panel& panel, std::size_t width) {
  std::vector<double> xs;
  for (const auto& point : panel.points) {
    if (point.method == panel.points.front().method) xs.push_back(point.x);
  }
  while (xs.size() > 5) xs.erase(xs.begin() + static_cast<std::ptrdiff_t>(xs.size() / 2 - xs.size() % 2));
  std::vector<std::string> head = {panel.title};
  for (const double x : xs) head.push_back(Short(x));
  TextTable table(head);
  for (const auto& first : panel.points) {
    if (first.x != panel.points.front().x) continue;
    std::vector<std::string> row = {first.method};
    for (const double x : xs) {
      for (const auto& point : panel.points) {
        if (point.method == first.method && point.x == x) row.push_back(Cell(point.y));
      }
    }
    table.Add(std::move(row));
  }
  return fmt::format("{} against {}\n\n{}", panel.y_label, panel.x_label, table.Render(width));
}

std::string FigureText(const Figure& figure, std::size_t width) {
  std::string text =
      Wrap(fmt::format("{}: {}", figure.name, figure.about), width, 0) + "\n" + Wrap(figure.setting, width, 0) + "\n\n";
  for (const Panel& panel : figure.panels) text += PanelText(panel, width) + "\n";
  for (const auto& note : figure.notes) text += Wrap("- " + note, width, 2) + "\n";
  return text;
}

nlohmann::json ToJson(const Figure& figure) {
  nlohmann::json out = {{"figure", figure.name},
                        {"about", figure.about},
                        {"setting", figure.setting},
                        {"notes", figure.notes},
                        {"panels", nlohmann::json::array()}};
  for (const Panel& panel : figure.panels) {
    nlohmann::json points = nlohmann::json::array();
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

int Run(const Options& options, const CancelFlag& cancel) {
  Folder folder;
  experiment::Laboratory laboratory(SourcesOf(options, folder, cancel));
  nlohmann::json all = nlohmann::json::array();
  for (const auto& name : options.figures) {
    auto settings = options.settings;
    const auto figure = [&] {
      Progress bar(name);
      settings.progress = [&bar](double done) { bar.At(done); };
      return laboratory.Run(name, settings, cancel);
    }();
    if (!figure) return Fail(figure.error(), options.json);
    if (!options.output.empty()) {
      const auto written = WriteFigure(*figure, options.output);
      if (!written) return Fail(written.error(), options.json);
    }
    if (options.json) {
      all.push_back(ToJson(*figure));
    } else {
      Show(FigureText(*figure, TerminalWidth()) + "\n");
    }
  }
  if (options.json) Show(JsonText(all) + "\n");
  if (!options.json && !options.output.empty()) Show(fmt::format("Tables and charts are in {}\n", options.output));
  return 0;
}

}  // namespace

void AddExperiment(Command& app, Context& context) {
  auto* command = app.AddVerb("experiment", "Reproduce figures of the publication: CSV tables and SVG charts");
  std::string names;
  std::vector<std::string> known;
  for (const auto& figure : experiment::FigureNames()) {
    names += fmt::format("  {:<8} {}\n", figure.name, figure.meaning);
    known.push_back(figure.name);
  }
  std::string methods;
  for (const auto& method : experiment::MethodNames())
    methods += fmt::format("  {:<9} {}\n", method.name, method.meaning);
  command->Footer(
      "Example:\n  kith experiment fig8a fig9c --repetitions 5 --output figures\n"
      "  kith experiment fig9a --data FOLDER --output figures   (adult.data.gz, checkins.tsv.gz, friends.tsv.gz)\n\n"
      "Without --data: synthetic stand-ins (kith sample).\n\nFigures:\n" +
      names + "\nMethods:\n" + methods);
  auto options = std::make_shared<Options>();
  command->AddOption("figures", options->figures, "Which ones")->Required()->OneOf(known);
  command->AddOption("--data", options->data, "Folder with the data sets; they are read, never copied");
  command->AddOption("--output", options->output, "Folder for CSV tables and SVG charts");
  command->AddOption("--people", options->people, "Of a synthetic stand-in")
      ->Within(std::size_t{200}, std::size_t{1'000'000})
      ->ShowDefault();
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
  command->Run([options, &context] { context.exit_code = Run(*options, *context.cancel); });
}

}  // namespace kith::cli
