// kith attack: the inference attack of dependent differential privacy on a table of visits and a list of friends.
#include "attack/attack.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "app/cli/fail.h"
#include "app/cli/progress.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "attack/noise.h"
#include "cli/attack_output.h"
#include "cli/verbs.h"
#include "experiment/attack_input.h"
#include "experiment/sources.h"

namespace kith::cli::lab {
namespace {

struct Options {
  AttackFiles files;
  std::vector<double> epsilons;
  std::vector<std::string> methods = {"laplace", "group", "dpm-eq18", "star", "field"};
  std::string question = "kmeans";
  std::size_t clusters = 8, side = 20, places = 6, least = 1;
  std::vector<std::size_t> known;
  std::vector<std::string> cities;
  double follow = 0.1;
  bool per_cluster = false, json = false;
  double odds_ratio = 0;
  attack::Settings settings;
  std::string out, report, command;
};

std::string Number(std::size_t n) {
  std::string text = std::to_string(n);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::vector<attack::Adversary> AdversariesOf(const Options& options, std::size_t users) {
  std::vector<attack::Adversary> adversaries = {{"alone", false, {}, 0}, {"friends", true, {}, 0}};
  auto known = options.known;
  if (known.empty() && users > 1) known.push_back(users / 2);
  for (const std::size_t n : known) adversaries.push_back({fmt::format("friends ({})", n), true, n, 0});
  for (const std::size_t n : known) {
    if (options.follow > 0) adversaries.push_back({fmt::format("following ({})", n), true, n, options.follow});
  }
  return adversaries;
}

std::vector<std::string> NotesOf(const Options& options, const AttackInput& input) {
  std::vector<std::string> notes = {
      "alone: knows every other user, not the friendships (Eq. 8). friends: also the friendships (Eq. 9). N known: "
      "only "
      "N users, the rest at the mean of their cluster. following: unknown friends are where the user is with "
      "probability " +
          Short(options.follow) + " each, and the adversary knows it.",
      "\"adds\" counts what the release adds to the adversary's own prior; a release is not to blame for what friends "
      "reveal without it. \"rightly\" is how much likelier the true cells became: an adversary with wrong beliefs can "
      "change her mind greatly and be misled. K(epsilon) bits are promised for every user and answer.",
      "The noise is simulated. laplace ignores dependence and promises nothing about it; dpm-* are published formulas "
      "that are not proved on a connected graph; star is proved only for a user given whom all others are independent "
      "of each other, which a larger connected graph does not allow."};
  if (options.question == "kmeans")
    notes.push_back(
        "Clusters are assumed to be public, as published. Computed from the same data they are a separate leak, which "
        "is not counted here.");
  if (input.left_out_visits > 0)
    notes.push_back(
        "Lines of visits left out, without a user or a place on the globe: " + Number(input.left_out_visits) + ".");
  if (input.left_out_edges > 0)
    notes.push_back("Lines of friends left out, naming somebody without visits (a header does too): " +
                    Number(input.left_out_edges) + ".");
  return notes;
}

Result<attack::Query> QueryOf(const Options& options, const attack::Patterns& patterns, const attack::Grid& grid) {
  if (options.question == "cells") return attack::Query::CellCounts(patterns, grid);
  const auto spread = options.per_cluster ? attack::Spread::kPerCluster : attack::Spread::kUniform;
  return attack::Query::Centroids(patterns, grid, options.question == "mean" ? 1 : options.clusters, spread,
                                  options.settings.seed);
}

std::string QuestionText(const Options& options, const attack::Query& query) {
  if (options.question == "cells") return "Asked: how many users have each of their places in each cell.";
  if (options.question == "mean") return "Asked: the mean pattern of all users.";
  std::size_t smallest = query.users();
  for (std::size_t k = 0; k < query.clusters(); ++k) smallest = std::min(smallest, query.SizeOf(k));
  return fmt::format("Asked: the centroids of {} clusters of patterns, the smallest of {} users.", query.clusters(),
                     Number(smallest));
}

Result<std::vector<attack::Noise>> NoisesOf(const Options& options, const attack::Friends& friends) {
  attack::Strength strength;
  if (options.odds_ratio > 0) strength.odds_ratio = options.odds_ratio;
  auto calibration = attack::Calibration::Make(friends, strength);
  if (!calibration) return calibration.error();
  std::vector<attack::Noise> noises;
  for (const auto& method : options.methods) {
    for (const double epsilon : options.epsilons) {
      const auto plain = calibration->PlainLoss(method, epsilon);
      if (!plain) return plain.error();
      noises.push_back({method, epsilon, *plain});
    }
  }
  return noises;
}

Result<AttackRun> Execute(const Options& options, const CancelFlag& cancel) {
  auto circles = experiment::ParseCities(options.cities);
  if (!circles) return circles.error();
  Progress bar("attacking");
  auto input = ReadAttackInput(options.files, cancel);
  if (!input) return input.error();
  const std::size_t all_users = input->visits.users;
  experiment::City city{std::move(input->visits), std::move(input->friends), "", std::move(*circles)};
  if (!city.circles.empty()) attack::KeepCities(city.circles, &city.visits, &city.friends);
  const std::size_t in_cities = city.visits.users;
  attack::KeepActive(options.least, &city.visits, &city.friends);
  if (city.visits.users < 2)
    return InvalidArgument("fewer than two users are left", in_cities < 2 ? "--cities" : "--least",
                           in_cities < 2 ? "check where the cities are" : "lower --least");
  const auto patterns = attack::TopPlaces(city.visits, options.places);
  if (!patterns) return patterns.error();
  const auto grid = experiment::GridOf(city, options.side);
  if (!grid) return grid.error();
  const auto query = QueryOf(options, *patterns, *grid);
  if (!query) return query.error();
  const auto noises = NoisesOf(options, city.friends);
  if (!noises) return noises.error();
  attack::Settings settings = options.settings;
  settings.progress = [&bar](double done) { bar.At(done); };
  const auto adversaries = AdversariesOf(options, patterns->users);
  auto found = attack::RunAttack({*patterns, *grid, *query, city.friends}, adversaries, *noises, settings, cancel);
  if (!found) return found.error();
  AttackRun run;
  run.setting = fmt::format("{} users, {} visits to {} places, {} friendships; patterns of {} {} on {} × {} cells.",
                            Number(patterns->users), Number(attack::CheckIns(city.visits)),
                            Number(city.visits.places.size()), Number(attack::Friendships(city.friends)),
                            options.places, options.places == 1 ? "place" : "places", options.side, options.side);
  if (!city.circles.empty()) {
    run.setting += fmt::format(" A grid for each of {} cities", city.circles.size());
    run.setting += in_cities < all_users
                       ? fmt::format("; {} users who were in none of them left out.", Number(all_users - in_cities))
                       : ".";
  }
  if (patterns->users < in_cities)
    run.setting += fmt::format(" {} users with fewer than {} visits left out.", Number(in_cities - patterns->users),
                               options.least);
  run.question = QuestionText(options, *query);
  run.notes = NotesOf(options, *input);
  run.command = options.command;
  run.epsilons = options.epsilons;
  run.methods = options.methods;
  run.adversaries = adversaries;
  run.users = patterns->users;
  run.seed = settings.seed;
  run.repetitions = settings.repetitions;
  run.found = std::move(*found);
  return run;
}

int Run(const Options& options, const CancelFlag& cancel) {
  const auto start = std::chrono::steady_clock::now();
  const auto run = Execute(options, cancel);
  if (!run) return Fail(run.error(), options.json);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!options.out.empty()) {
    const auto written = WriteAttackFolder(*run, options.out);
    if (!written) return Fail(written.error(), options.json);
  }
  if (!options.report.empty()) {
    const auto written = WriteAttackReport(*run, options.report);
    if (!written) return Fail(written.error(), options.json);
  }
  if (options.json) {
    Show(AttackJson(*run) + "\n");
    return 0;
  }
  Show(AttackText(*run, TerminalWidth()));
  std::fflush(stdout);  // the next line goes to another stream, which may be the same file
  Tell(fmt::format("kith: took {:.1f} s\n", seconds));
  if (!options.out.empty()) Show(fmt::format("Tables and charts are in {}\n", options.out));
  if (!options.report.empty()) Show(fmt::format("The report is in {}\n", options.report));
  return 0;
}

void AddData(Command* command, Options& o) {
  command->AddOption("visits", o.files.visits, "Table of user, lat, lon (and place, time): csv, tsv, parquet; .gz")
      ->Required();
  command->AddOption("friends", o.files.friends, "Edge list: two columns that name users")->Required();
  command->AddOption("--columns", o.files.columns, "Column names of the visits, if they have no header");
  command->AddOption("--places", o.places, "Places in a pattern: the most visited ones")->ShowDefault();
  command->AddOption("--least", o.least, "Leave out users with fewer visits")->ShowDefault();
  command->AddOption("--cities", o.cities, "A grid for each: Name:lat:lon:km, with commas between them")->Separated();
  command->AddOption("--grid", o.side, "Cells on each side: the candidates")->ShowDefault();
}

void AddRelease(Command* command, Options& o) {
  command->AddOption("--epsilon", o.epsilons, "What each method promises; separate several with commas")
      ->Separated()
      ->Required();
  std::vector<std::string> names;
  for (const auto& method : attack::Methods()) names.push_back(method.name);
  command->AddOption("--methods", o.methods, "Whose noise; separate several with commas")
      ->Separated()
      ->OneOf(names)
      ->ShowDefault();
  command->AddOption("--question", o.question, "kmeans, mean or cells")
      ->OneOf({"kmeans", "mean", "cells"})
      ->ShowDefault();
  command->AddOption("--clusters", o.clusters, "Clusters of the kmeans question")->ShowDefault();
  command->AddFlag("--per-cluster", o.per_cluster, "Less noise for larger clusters, instead of one scale for all");
  command->AddOption("--odds-ratio", o.odds_ratio, "Between friends, for star and field; instead of Eq. 26")
      ->Within(1.0, 1e100);
}

void AddAdversary(Command* command, Options& o) {
  command
      ->AddOption("--known", o.known, "How many users the adversary knows; separate several with commas (half of them)")
      ->Separated();
  command->AddOption("--follow", o.follow, "Probability that an unknown friend is where the user is")
      ->Within(0.0, 0.999)
      ->ShowDefault();
  command->AddOption("--weight", o.settings.weight, "Eq. 9: a cell weighs 1 + weight x friends near it")->ShowDefault();
  command->AddOption("--radius", o.settings.radius_km, "How near, in km")->ShowDefault();
  command->AddOption("--smoothing", o.settings.smoothing, "Added to the count of every cell")->ShowDefault();
  command->AddOption("--repetitions", o.settings.repetitions, "Noisy answers for each method")->ShowDefault();
  command->AddOption("--seed", o.settings.seed, "Of simulated noise, clusters and known users")->ShowDefault();
  command->AddOption("--threads", o.settings.threads, "0: all cores; does not change the result")->ShowDefault();
}

}  // namespace

void AddAttack(Command& app, Context& context) {
  auto* command = app.AddVerb("attack", "Guess places from friends and a noisy release: see the leak, split in two");
  std::string methods;
  for (const auto& method : attack::Methods()) methods += fmt::format("  {:<13} {}\n", method.name, method.meaning);
  command->Footer(
      "Example:\n  kith sample gowalla-like --users 1000 --seed 1 --out sample\n"
      "  kith attack sample/visits.csv sample/friends.csv --epsilon 0.1,1,10 --out figures --report report.html\n\n"
      "A file without a header:\n  kith attack checkins.tsv.gz friends.tsv.gz --columns user,time,lat,lon,place "
      "--epsilon "
      "1\n\nMethods:\n" +
      methods);
  auto options = std::make_shared<Options>();
  options->settings.seed = 1;
  AddData(command, *options);
  AddRelease(command, *options);
  AddAdversary(command, *options);
  command->AddOption("--out", options->out, "Folder for CSV tables and SVG charts");
  command->AddOption("--report", options->report, "One self-contained HTML file");
  command->AddFlag("--json", options->json, "Machine-readable output, full precision");
  command->Run([options, command, &context] {
    options->command = "kith attack" + command->Given();
    context.exit_code = Run(*options, *context.cancel);
  });
}

}  // namespace kith::cli::lab
