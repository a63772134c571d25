// The small examples of the papers: laws of a few records, exact losses, nothing drawn.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/catalogue.h"
#include "published/compare.h"
#include "published/laplace_loss.h"
#include "published/listed_law.h"

namespace kith::experiment {
namespace {

using published::ListedLaw;

Estimate Exactly(double value) { return {value, value, value}; }

constexpr std::size_t kSteps = 20;  // of D_i and X between 0 and 1

/// Example 1 of dependent differential privacy, D_j = D_i / 2 + X / 2, on a grid.
ListedLaw HalfAndHalf() {
  ListedLaw law;
  for (std::size_t d = 0; d <= kSteps; ++d) {
    for (std::size_t x = 0; x <= kSteps; ++x) {
      // From whole numbers: equal values of D_j must be equal doubles.
      const double i = static_cast<double>(d) / kSteps, j = static_cast<double>(d + x) / (2 * kSteps);
      law.push_back({{i, j}, 1.0 / ((kSteps + 1) * (kSteps + 1))});
    }
  }
  return law;
}

struct Asked {
  const char* name;
  published::Query query;
};

std::vector<Asked> Queries() {
  return {{"sum", published::Sum},
          {"subtraction", [](const std::vector<double>& v) { return std::vector<double>{v[0] - v[1]}; }},
          {"product", [](const std::vector<double>& v) { return std::vector<double>{v[0] * v[1]}; }}};
}

Result<double> LossOf(const ListedLaw& law, const published::Query& query, std::size_t record, double scale) {
  const auto secret = published::SecretOf(law, query, record);
  if (!secret) return secret.error();
  return published::LaplaceLoss(*secret, scale);
}

/// The mean of exp(-epsilon |s - a - x / 2|) over x in [0, 1]: the density of the noisy sum, up to a constant.
double Smeared(double s, double a, double epsilon) {
  const auto upto = [&](double y) {  // of exp(-epsilon |y|), from 0 to y
    const double size = -std::expm1(-epsilon * std::abs(y)) / epsilon;
    return y < 0 ? -size : size;
  };
  return 2 * (upto(s - a) - upto(s - a - 0.5));
}

Result<Figure> MakeExample1(Laboratory&, const Settings& settings, const CancelFlag&) {
  Figure figure;
  figure.about =
      "Two records, D_j = 0.5 D_i + 0.5 X: what a noisy sum says about D_i, with and without the dependence.";
  figure.setting = "No data: D_i and X are uniform on [0, 1], independent.";
  Panel ratio{"ratio",     "Log ratio of the densities given D_i = 0 and D_i = 1, noise for epsilon = 1",
              "noisy sum", "log ratio",
              false,       false,
              {}};
  for (int k = -20; k <= 40; ++k) {
    const double s = 0.1 * k;
    const double known = std::log(Smeared(s, 0, 1) / Smeared(s, 1.5, 1));
    const double ignored = std::abs(s - 1.5) - std::abs(s - 0.5);  // D_j = 0.5, whatever D_i
    ratio.points.push_back({"dependence known", s, Exactly(known), 1});
    ratio.points.push_back({"dependence ignored", s, Exactly(ignored), 1});
    ratio.points.push_back({"promised", s, Exactly(1), 0});
  }
  Panel loss{"loss", "Loss of a sum with noise 1/epsilon", "epsilon", "largest log ratio", true, true, {}};
  const auto law = HalfAndHalf();
  for (const double epsilon : settings.epsilons) {
    for (std::size_t record = 0; record < 2; ++record) {
      const auto found = LossOf(law, published::Sum, record, 1 / epsilon);
      if (!found) return found.error();
      loss.points.push_back({record == 0 ? "about D_i" : "about D_j", epsilon, Exactly(*found), epsilon});
    }
    loss.points.push_back({"promised", epsilon, Exactly(epsilon), epsilon});
  }
  figure.panels = {std::move(ratio), std::move(loss)};
  figure.published = "With noise 1/epsilon, whoever knows the dependence sees ratios up to exp(1.5 epsilon) about D_i.";
  const double about_i = *LossOf(law, published::Sum, 0, 1), about_j = *LossOf(law, published::Sum, 1, 1);
  figure.here = fmt::format("At epsilon 1: {} about D_i, {} about D_j.", Compact(about_i), Compact(about_j));
  figure.why =
      "1.5 for D_i, exactly as published. D_j is a record too, and worse off: D_j = 0 means D_i = 0, and D_j = 1 means "
      "D_i = 1, so the sum moves by 2.";
  figure.notes = {
      fmt::format("Losses on a grid of {0} x {0} values of D_i and X; the largest ratio is at its ends, "
                  "so the grid does not change it.",
                  kSteps + 1)};
  return figure;
}

Result<Figure> MakeFig6(Laboratory&, const Settings& settings, const CancelFlag&) {
  Figure figure;
  figure.about = "Separation of the answers to three questions about the two records of Example 1, against epsilon.";
  figure.setting = "No data: D_j = 0.5 D_i + 0.5 X; D_i and X are uniform on [0, 1], independent.";
  const auto law = HalfAndHalf();
  for (std::size_t record = 0; record < 2; ++record) {
    Panel panel{record == 0 ? "about_i" : "about_j",
                fmt::format("Separation about D_{}, noise 1/epsilon", record == 0 ? 'i' : 'j'),
                "epsilon",
                "largest log ratio",
                true,
                true,
                {}};
    for (const auto& [name, query] : Queries()) {
      for (const double epsilon : settings.epsilons) {
        const auto found = LossOf(law, query, record, 1 / epsilon);
        if (!found) return found.error();
        panel.points.push_back({name, epsilon, Exactly(*found), epsilon});
      }
    }
    for (const double epsilon : settings.epsilons)
      panel.points.push_back({"independent", epsilon, Exactly(epsilon), epsilon});
    figure.panels.push_back(std::move(panel));
  }
  const auto values = [&](std::size_t record) {
    std::string text;
    for (const auto& [name, query] : Queries())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, Compact(*LossOf(law, query, record, 1)));
    return text;
  };
  figure.published =
      "The separation is epsilon for each question if records are independent; under dependence it is larger for the "
      "sum, and differs from question to question.";
  figure.here = fmt::format("At epsilon 1 about D_i: {}; about D_j: {}.", values(0), values(1));
  figure.why =
      "Agrees: the sum is above epsilon, subtraction and product are below it, since D_j follows D_i and hides it "
      "there. About D_j the sum reaches twice epsilon.";
  figure.notes = {fmt::format("Losses on a grid of {0} x {0} values of D_i and X.", kSteps + 1)};
  return figure;
}

/// A family that is ill together or not at all.
ListedLaw Together(std::size_t people) {
  return {{std::vector<double>(people, 0.0), 0.9}, {std::vector<double>(people, 1.0), 0.1}};
}

Result<Figure> FamilyFigure(std::size_t people, const Settings& settings) {
  Figure figure;
  const auto law = Together(people);
  const double members = static_cast<double>(people);
  figure.setting = fmt::format("No data: {} people, all ill (probability 0.1) or none.", people);
  Panel panel{"loss",    fmt::format("Count of the ill among {} who are ill together", people),
              "epsilon", "log of the factor by which the odds can change",
              true,      true,
              {}};
  for (const double epsilon : settings.epsilons) {
    const auto one = LossOf(law, published::Sum, 0, 1 / epsilon),
               group = LossOf(law, published::Sum, 0, members / epsilon);
    if (!one) return one.error();
    if (!group) return group.error();
    panel.points.push_back({"noise for one person, 1/epsilon", epsilon, Exactly(*one), epsilon});
    panel.points.push_back(
        {fmt::format("noise for the group, {}/epsilon", people), epsilon, Exactly(*group), epsilon / members});
    panel.points.push_back({"promised", epsilon, Exactly(epsilon), epsilon});
  }
  figure.panels = {std::move(panel)};
  figure.here =
      fmt::format("At epsilon 1: {} with noise for one person, {} with noise for the group.",
                  Compact(*LossOf(law, published::Sum, 0, 1)), Compact(*LossOf(law, published::Sum, 0, members)));
  return figure;
}

Result<Figure> MakeFamilyOfTen(Laboratory&, const Settings& settings, const CancelFlag&) {
  auto figure = FamilyFigure(10, settings);
  if (!figure) return figure;
  figure->about = "Bob and nine relatives who are ill together: what a noisy count says about Bob.";
  figure->published = "The answer 12 is exp(10 epsilon) times likelier if Bob is ill, instead of exp(epsilon).";
  figure->why = "Agrees exactly. Group privacy (Proposition 3) keeps the promise at ten times the noise.";
  return figure;
}

Result<Figure> MakeTwoOfOneKind(Laboratory&, const Settings& settings, const CancelFlag&) {
  auto figure = FamilyFigure(2, settings);
  if (!figure) return figure;
  figure->about = "Two records that are equal: what the geometric mechanism's count says about the first.";
  figure->published = "The odds of X1 change by exp(2 epsilon) (Eq. 3), instead of exp(epsilon).";
  figure->why =
      "Agrees exactly: the largest ratio is at whole numbers, so the geometric mechanism and Laplace noise have the "
      "same.";
  return figure;
}

/// `people` who are each ill with probability 0.1, or all of them in an outbreak.
Joint Outbreak(std::size_t people, double outbreak) {
  Joint joint;
  joint.values.assign(people, 2);
  for (std::size_t row = 0; row < std::size_t{1} << people; ++row) {
    double p = 1 - outbreak;
    for (std::size_t k = 0; k < people; ++k) p *= (row >> k & 1) != 0 ? 0.1 : 0.9;
    joint.law.push_back(p + (row + 1 == std::size_t{1} << people ? outbreak : 0));
  }
  return joint;
}

Result<Figure> MakeRareEvents(Laboratory&, const Settings& settings, const CancelFlag& cancel) {
  constexpr std::size_t kPeople = 6;
  Figure figure;
  figure.about =
      "A rare outbreak that makes everybody ill: the noise that a count of the ill takes, against how rare it is.";
  figure.setting =
      fmt::format("No data: {} people, each ill with probability 0.1, or all of them in an outbreak.", kPeople);
  Panel noise{"noise",
              "Noise for a dependent loss of 1",
              "probability of an outbreak",
              "noise, times that of one person",
              true,
              false,
              {}};
  Panel loss{"loss",
             "True loss of noise that each method takes for 1",
             "probability of an outbreak",
             "dependent loss",
             true,
             false,
             {}};
  const std::vector<double> rare = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5};
  for (std::size_t k = 0; k < rare.size(); ++k) {
    if (cancel.cancelled()) return Cancelled("the experiment was stopped");
    const auto methods = published::CompareForCount(Outbreak(kPeople, rare[k]), 1);
    if (!methods) return methods.error();
    for (const auto& method : *methods) {
      noise.points.push_back({method.name, rare[k], Exactly(method.scale), 1 / method.scale});
      if (method.loss) loss.points.push_back({method.name, rare[k], Exactly(*method.loss), 1 / method.scale});
    }
    if (settings.progress) settings.progress(static_cast<double>(k + 1) / static_cast<double>(rare.size()));
  }
  figure.panels = {std::move(noise), std::move(loss)};
  figure.published =
      "\"Since these events are rare events, identity differential privacy can add relatively smaller noise by the "
      "probabilities of these events\" (Black Death, SARS); no number is given.";
  std::string values;
  for (const double r : {1e-6, 1e-3, 0.1}) {
    values += fmt::format("{}{}: kith {}, group {}", values.empty() ? "" : "; ", r,
                          ValueText(figure.panels[0], "kith", r), ValueText(figure.panels[0], "group", r));
  }
  figure.here = fmt::format("Noise by probability of an outbreak. {}.", values);
  figure.why =
      "As the paper hopes: the rarer the outbreak, the less noise. Formulas that look at pairs of people (DDP's sums) "
      "hardly notice an outbreak and promise more than they keep: their true loss is above 1.";
  return figure;
}

}  // namespace

std::vector<FigureEntry> ExampleFigures() {
  return {
      {"example1",
       "dependent",
       "Example 1 and figure 1: two dependent records and a noisy sum",
       {"fig1"},
       MakeExample1},
      {"fig6", "dependent", "separation of sum, subtraction and product under dependence", {}, MakeFig6},
  };
}

std::vector<FigureEntry> IdentityFigures() {
  return {
      {"idp-example1", "identity", "a family of ten who are ill together", {}, MakeFamilyOfTen},
      {"idp-example2", "identity", "two equal records and the geometric mechanism", {}, MakeTwoOfOneKind},
      {"idp-rare", "identity", "rare events: noise against the probability of an outbreak", {}, MakeRareEvents},
  };
}

}  // namespace kith::experiment
