#include "cli/attack_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/text.h"
#include "base/json.h"
#include "base/text_file.h"
#include "loss/loss_text.h"

namespace kith::cli::lab {
namespace {

using attack::After;
using attack::Estimate;

/// Whether the release added more than its method promised: on average, or for one user.
bool Breaks(const After& after) { return after.worst_bits > after.promised_bits * (1 + 1e-9); }

std::string Verdict(const AttackRun& run) {
  double friends = 0, release = 0;
  for (const auto& before : run.found.before) friends = std::max(friends, before.friends_bits);
  for (const auto& after : run.found.after) release = std::max(release, after.release_bits.mean);
  std::string text = fmt::format(
      "On average over users, friends alone, without any release, reveal up to {} bits about a pattern; a release adds "
      "up to "
      "{} bits.",
      Short(friends), Short(release));
  std::vector<std::string> broken;
  for (const auto& after : run.found.after) {
    if (Breaks(after) && std::find(broken.begin(), broken.end(), after.noise.method) == broken.end())
      broken.push_back(after.noise.method);
  }
  if (broken.empty()) return text + " No method was caught giving away more than it promised.";
  text += " Caught giving away more about a user than promised:";
  for (const auto& method : broken) text += " " + method;
  return text + ".";
}

Json ToJson(const Estimate& e) { return {{"mean", e.mean}, {"low", e.low}, {"high", e.high}}; }

std::string Quoted(const std::string& text) { return '"' + text + '"'; }

std::string BeforeCsv(const AttackRun& run) {
  std::string csv = "adversary,prior_entropy_bits,friends_bits,right_bits,error_km\n";
  for (const auto& b : run.found.before)
    csv +=
        fmt::format("{},{},{},{},{}\n", Quoted(b.adversary), b.entropy_bits, b.friends_bits, b.right_bits, b.error_km);
  return csv;
}

std::string AfterCsv(const AttackRun& run) {
  std::string csv =
      "method,epsilon,plain,adversary,error_km,error_low,error_high,release_bits,release_low,release_high,right_bits,"
      "worst_user_bits,bound_bits,promised_bits,mixed_bits,mixed_low,mixed_high\n";
  for (const auto& a : run.found.after) {
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", a.noise.method, a.noise.epsilon,
                       a.noise.plain, Quoted(a.adversary), a.error_km.mean, a.error_km.low, a.error_km.high,
                       a.release_bits.mean, a.release_bits.low, a.release_bits.high, a.right_bits.mean, a.worst_bits,
                       a.bound_bits, a.promised_bits, a.mixed_bits.mean, a.mixed_bits.low, a.mixed_bits.high);
  }
  return csv;
}

/// One line for one method and one adversary: `value` of every epsilon.
template <class F>
report::Series Line(const AttackRun& run, std::string name, const std::string& method, const std::string& adversary,
                    const F& value) {
  report::Series series;
  series.name = std::move(name);
  for (const auto& after : run.found.after) {
    if (after.noise.method != method || after.adversary != adversary) continue;
    const Estimate e = value(after);
    series.x.push_back(after.noise.epsilon);
    series.y.push_back(e.mean);
    series.low.push_back(e.low);
    series.high.push_back(e.high);
  }
  return series;
}

Estimate Exactly(double value) { return {value, value, value}; }
Estimate Error(const After& a) { return a.error_km; }
Estimate Mixed(const After& a) { return a.mixed_bits; }
Estimate Release(const After& a) { return a.release_bits; }

bool Has(const AttackRun& run, const std::string& method) {
  return std::find(run.methods.begin(), run.methods.end(), method) != run.methods.end();
}

report::LineChart Chart(std::string title, std::string y, bool log_y) {
  return {std::move(title), "epsilon that the method promises", std::move(y), true, log_y, {}};
}

void AddPromise(const AttackRun& run, report::LineChart* chart) {
  const auto& first = run.found.after.front();
  auto line = Line(run, "promised: K(epsilon)", first.noise.method, first.adversary,
                   [](const After& a) { return Exactly(a.promised_bits); });
  line.low.clear();
  line.high.clear();
  chart->series.push_back(std::move(line));
}

/// Figures 5 (a) and (b) of the paper, and the split that it does not make.
void ByAdversary(const AttackRun& run, const std::string& method, std::vector<NamedChart>* charts) {
  auto error = Chart("Inference error by adversary: " + method, "mean error, km", false);
  auto mixed = Chart("Leak as published, Eq. 11: " + method, "bits about a pattern", false);
  auto split = Chart("What the release adds: " + method, "bits about a pattern", true);
  for (const auto& before : run.found.before) {
    error.series.push_back(Line(run, before.adversary, method, before.adversary, Error));
    mixed.series.push_back(Line(run, before.adversary, method, before.adversary, Mixed));
    split.series.push_back(Line(run, before.adversary, method, before.adversary, Release));
  }
  AddPromise(run, &split);
  charts->push_back({"error", std::move(error)});
  charts->push_back({"leak_as_published", std::move(mixed)});
  charts->push_back({"leak_of_release", std::move(split)});
}

/// Figure 7: coefficients that are too small.
void Underestimated(const AttackRun& run, std::vector<NamedChart>* charts) {
  const std::string& who = run.found.before[std::min<std::size_t>(1, run.found.before.size() - 1)].adversary;
  auto chart = Chart("Underestimated coefficients, against \"" + who + "\"", "bits that the release adds", true);
  auto mixed =
      Chart("Underestimated coefficients, Eq. 11, against \"" + who + "\"", "bits as published, Eq. 11", false);
  for (const char* method : {"dpm-eq18", "dpm-eq18-0.9", "dpm-eq18-0.8"}) {
    if (!Has(run, method)) continue;
    chart.series.push_back(Line(run, method, method, who, Release));
    mixed.series.push_back(Line(run, method, method, who, Mixed));
  }
  if (chart.series.size() < 2) return;
  charts->push_back({"underestimated", std::move(chart)});
  charts->push_back({"underestimated_as_published", std::move(mixed)});
}

/// Figure 10 (a): methods against the adversary who knows most.
void ByMethod(const AttackRun& run, std::vector<NamedChart>* charts) {
  if (run.methods.size() < 2) return;
  const std::string& who = run.found.before.back().adversary;
  auto chart = Chart("Methods, against \"" + who + "\"", "bits that the release adds", true);
  for (const auto& method : run.methods) chart.series.push_back(Line(run, method, method, who, Release));
  AddPromise(run, &chart);
  charts->push_back({"methods", std::move(chart)});
  const std::string& published = run.found.before[std::min<std::size_t>(1, run.found.before.size() - 1)].adversary;
  auto mixed = Chart("Methods, Eq. 11, against \"" + published + "\"", "bits as published, Eq. 11", false);
  for (const auto& method : run.methods) mixed.series.push_back(Line(run, method, method, published, Mixed));
  charts->push_back({"methods_as_published", std::move(mixed)});
}

/// Figure 10 (b): the same method against more and more knowledge.
void ByKnowledge(const AttackRun& run, std::vector<NamedChart>* charts) {
  const std::string method = Has(run, "dpm-eq18") ? "dpm-eq18" : run.methods.front();
  auto chart = Chart("Knowledge of other users, " + method, "bits as published, Eq. 11", false);
  for (const attack::Adversary& who : run.adversaries) {  // those who follow expect friends to meet: another prior
    if (who.friends && who.follow == 0) chart.series.push_back(Line(run, who.name, method, who.name, Mixed));
  }
  if (chart.series.size() < 2) return;
  charts->push_back({"knowledge", std::move(chart)});
}

TextTable AfterTable(const AttackRun& run, double epsilon) {
  TextTable table({"method", "adversary", "km", "Eq. 11", "adds", "rightly", "worst"});
  for (const auto& a : run.found.after) {
    if (a.noise.epsilon != epsilon) continue;
    table.Add({a.noise.method, a.adversary, Short(a.error_km.mean), Short(a.mixed_bits.mean),
               Short(a.release_bits.mean), Short(a.right_bits.mean), LossText(a.worst_bits)});
  }
  return table;
}

/// "laplace 1, star 167": the noise of each method, as a multiple of the plain one.
std::string NoiseText(const AttackRun& run, double epsilon) {
  std::string text;
  for (const auto& a : run.found.after) {
    if (a.noise.epsilon != epsilon || a.adversary != run.found.after.front().adversary) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", a.noise.method, Short(a.noise.epsilon / a.noise.plain));
  }
  return text;
}

std::string Interval(const Estimate& e) {
  return e.low == e.high ? Short(e.mean) : fmt::format("{} ({} to {})", Short(e.mean), Short(e.low), Short(e.high));
}

}  // namespace

std::string AttackText(const AttackRun& run, std::size_t width) {
  std::string text = Wrap(run.setting, width, 0) + "\n" + Wrap(run.question, width, 0) + "\n\n";
  text += "Without any release (means over users; bits for a whole pattern):\n\n";
  TextTable before({"adversary", "prior bits", "friends reveal", "rightly", "error km"});
  for (const auto& b : run.found.before)
    before.Add({b.adversary, Short(b.entropy_bits), Short(b.friends_bits), Short(b.right_bits), Short(b.error_km)});
  text += before.Render(width);
  for (const double epsilon : run.epsilons) {
    double promised = 0;
    for (const auto& after : run.found.after)
      promised = after.noise.epsilon == epsilon ? after.promised_bits : promised;
    text += fmt::format("\nWith a release, epsilon {} (promised: at most {} bits more about anybody):\n{}\n\n{}",
                        LossText(epsilon), LossText(promised),
                        Wrap("Noise, times the plain one: " + NoiseText(run, epsilon), width, 2),
                        AfterTable(run, epsilon).Render(width));
  }
  text += "\n" +
          Wrap(
              "km: mean error (Eq. 10). Bits: Eq. 11 as published, which counts what friends say without any release; "
              "what the release adds; how much of it rightly; the most it added about one user (worst).",
              width, 0) +
          "\n";
  text += "\n" + Wrap(Verdict(run), width, 0) + "\n";
  for (const auto& note : run.notes) text += Wrap("- " + note, width, 2) + "\n";
  return text;
}

std::string AttackJson(const AttackRun& run) {
  Json out = {{"setting", run.setting}, {"question", run.question},       {"users", run.users},
              {"seed", run.seed},       {"repetitions", run.repetitions}, {"verdict", Verdict(run)},
              {"notes", run.notes},     {"before", Json::array()},        {"after", Json::array()}};
  for (const auto& b : run.found.before) {
    out["before"].push_back({{"adversary", b.adversary},
                             {"prior_entropy_bits", b.entropy_bits},
                             {"friends_bits", b.friends_bits},
                             {"right_bits", b.right_bits},
                             {"error_km", b.error_km}});
  }
  for (const auto& a : run.found.after) {
    out["after"].push_back({{"method", a.noise.method},
                            {"epsilon", a.noise.epsilon},
                            {"plain", a.noise.plain},
                            {"adversary", a.adversary},
                            {"error_km", ToJson(a.error_km)},
                            {"release_bits", ToJson(a.release_bits)},
                            {"right_bits", ToJson(a.right_bits)},
                            {"worst_user_bits", a.worst_bits},
                            {"bound_bits", a.bound_bits},
                            {"promised_bits", a.promised_bits},
                            {"mixed_bits", ToJson(a.mixed_bits)}});
  }
  return JsonText(out);
}

std::vector<NamedChart> AttackCharts(const AttackRun& run) {
  std::vector<NamedChart> charts;
  if (run.found.after.empty()) return charts;
  ByAdversary(run, Has(run, "laplace") ? "laplace" : run.methods.front(), &charts);
  Underestimated(run, &charts);
  ByMethod(run, &charts);
  ByKnowledge(run, &charts);
  return charts;
}

Result<void> WriteAttackFolder(const AttackRun& run, const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return StorageError("cannot make the folder", folder.string(), "check its name and permissions");
  if (auto done = WriteTextFile(folder / "before.csv", BeforeCsv(run)); !done) return done;
  if (auto done = WriteTextFile(folder / "after.csv", AfterCsv(run)); !done) return done;
  for (const auto& [file, chart] : AttackCharts(run)) {
    if (auto done = WriteTextFile(folder / (file + ".svg"), report::Svg(chart)); !done) return done;
  }
  return {};
}

Result<void> WriteAttackReport(const AttackRun& run, const std::string& file) {
  report::Page page;
  page.title = "What friends and a release give away about places";
  page.question = run.question;
  page.verdict = Verdict(run);
  page.tone = report::Page::Tone::kGood;
  for (const auto& after : run.found.after) {
    if (Breaks(after)) page.tone = report::Page::Tone::kBad;
  }
  report::Section before{"Without any release", {run.setting}, {}, {}};
  before.paragraphs.push_back(
      "Bits are about a whole pattern, means over users. \"Friends reveal\" is how far the prior with friendships has "
      "moved "
      "from the prior without them: no release is involved.");
  report::Table prior{"Priors", {"adversary", "prior bits", "friends reveal, bits", "rightly, bits", "error, km"}, {}};
  for (const auto& b : run.found.before)
    prior.rows.push_back(
        {b.adversary, Short(b.entropy_bits), Short(b.friends_bits), Short(b.right_bits), Short(b.error_km)});
  before.tables.push_back(std::move(prior));
  report::Section after{"With a release", {}, {}, {}};
  after.paragraphs.push_back(
      "\"Adds\" is the divergence of the posterior from the same adversary's prior. \"At most\" holds for every "
      "answer, "
      "given what the adversary assumes; \"promised\" is K(epsilon). Intervals: 95 %, over repetitions of the noise.");
  for (const auto& [name, chart] : AttackCharts(run)) after.svgs.push_back(report::Svg(chart));
  report::Table table{"Every method, epsilon and adversary",
                      {"method", "epsilon", "noise ×", "adversary", "error, km", "adds, bits", "rightly", "worst user",
                       "at most", "promised", "Eq. 11"},
                      {}};
  for (const auto& a : run.found.after) {
    table.rows.push_back({a.noise.method, LossText(a.noise.epsilon), Short(a.noise.epsilon / a.noise.plain),
                          a.adversary, Interval(a.error_km), Interval(a.release_bits), Short(a.right_bits.mean),
                          LossText(a.worst_bits), LossText(a.bound_bits), LossText(a.promised_bits),
                          Interval(a.mixed_bits)});
  }
  after.tables.push_back(std::move(table));
  page.sections = {std::move(before), std::move(after)};
  page.assumptions = run.notes;
  page.reproduce = {run.command};
  return WriteTextFile(file, report::Html(page));
}

}  // namespace kith::cli::lab
