// LEARN-1 by trying everything: the law of the exact minimum, computed without the proof, for all tiny tables and all
// records of one unit. With one weight the law needs no density: the minimum is at most t exactly if the slope at t is
// not negative, which is an event of the noise. With two weights it is the density at many places.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "analysis/learn/objective.h"
#include "analysis/learn/terms.h"
#include "tests/support/stat.h"

namespace kith::learn {
namespace {

struct Row {
  std::vector<double> x;
  int side = 0;  // 0: no row
};
using Record = std::vector<Row>;

/// What the mechanism takes for its noise and pull; faults are planted by changing it.
struct Law {
  Loss loss;
  double pull;
  std::vector<double> scales;  // for each weight
  double loss_bound;           // that is claimed for the exact minimum
};

Law LawOf(Loss loss, const Shape& shape, double epsilon, std::int64_t max_rows) {
  const auto terms = TermsFor(PlainUnits::Floor(epsilon).value(), shape, loss, max_rows, std::nullopt).value();
  Law law{loss, terms.pull, {}, terms.push_share.epsilon() + terms.curvature_share.epsilon()};
  for (std::size_t k = 0; k < shape.attributes().size(); ++k) {
    for (std::size_t j = 0; j < shape.attributes()[k].weights(); ++j)
      law.scales.push_back(terms.pushes[k].scale() * std::ldexp(1, terms.push_exponent));
  }
  return law;
}

// Of the losses and the pull, without noise.
double SlopeAt(const Law& law, const Record& others, const Record& own, const std::vector<double>& w, std::size_t j) {
  double slope = law.pull * w[j];
  for (const Record* rows : {&others, &own}) {
    for (const Row& row : *rows) {
      double t = 0;
      for (std::size_t k = 0; k < w.size(); ++k) t += w[k] * row.x[k];
      slope -= row.side * row.x[j] * Slope<double>(law.loss, row.side * t);
    }
  }
  return slope;
}

double LaplaceBelow(double x, double scale) { return x < 0 ? std::exp(x / scale) / 2 : 1 - std::exp(-x / scale) / 2; }

// P[low < minimum <= high] for one weight; the sides of the box belong to the outer parts.
std::vector<double> Parts(const Law& law, const Record& others, const Record& own, const std::vector<double>& cuts) {
  std::vector<double> below;  // P[minimum <= cut] = P[noise >= -slope]
  for (const double cut : cuts) below.push_back(LaplaceBelow(SlopeAt(law, others, own, {cut}, 0), law.scales[0]));
  std::vector<double> parts = {below.front()};
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) parts.push_back(below[i + 1] - below[i]);
  parts.push_back(1 - below.back());
  return parts;
}

std::vector<Record> Records(std::int64_t max_rows, const std::vector<Row>& rows) {
  std::vector<Record> records = {{}};
  for (std::size_t done = 0, round = 0; round < static_cast<std::size_t>(max_rows); ++round) {
    const std::size_t size = records.size();
    for (; done < size; ++done) {
      for (const Row& row : rows) {
        Record more = records[done];
        more.push_back(row);
        records.push_back(std::move(more));
      }
    }
  }
  return records;
}

// The largest log ratio that any record of one unit makes, over tables of others and parts of the line.
double WorstWithOneWeight(const Law& law, std::int64_t max_rows) {
  std::vector<Row> rows;
  for (const double x : {-1.0, -0.4, 0.0, 0.7, 1.0}) {
    for (const int side : {-1, 1}) rows.push_back({{x}, side});
  }
  std::vector<double> cuts;
  for (double cut = -6; cut <= 6; cut += 0.005) cuts.push_back(cut);
  double worst = 0;
  for (const Record& others : {Record{}, Record{{{1.0}, 1}}, Record{{{1.0}, 1}, {{0.7}, -1}, {{-0.4}, 1}}}) {
    std::vector<std::vector<double>> laws;
    for (const Record& own : Records(max_rows, rows)) laws.push_back(Parts(law, others, own, cuts));
    for (std::size_t i = 0; i < laws[0].size(); ++i) {
      double least = INFINITY, most = 0;
      for (const auto& parts : laws) {
        least = std::min(least, parts[i]);
        most = std::max(most, parts[i]);
      }
      worst = std::max(worst, std::log(most / least));
    }
  }
  return worst;
}

double LogDensity(const Law& law, const Record& others, const Record& own, const std::vector<double>& w) {
  double log = 0;
  for (std::size_t j = 0; j < 2; ++j) log -= std::abs(SlopeAt(law, others, own, w, j)) / law.scales[j];
  double a = law.pull, b = 0, c = law.pull;
  for (const Record* rows : {&others, &own}) {
    for (const Row& row : *rows) {
      const double bend = Curvature(law.loss, row.side * (w[0] * row.x[0] + w[1] * row.x[1]));
      a += bend * row.x[0] * row.x[0];
      b += bend * row.x[0] * row.x[1];
      c += bend * row.x[1] * row.x[1];
    }
  }
  return log + std::log(a * c - b * b);
}

double WorstWithTwoWeights(const Law& law) {
  std::vector<Row> rows;
  for (const double x : {-1.0, 0.0, 1.0}) {
    for (const double y : {-1.0, 0.5, 1.0}) {
      for (const int side : {-1, 1}) rows.push_back({{x, y}, side});
    }
  }
  double worst = 0;
  for (const Record& others : {Record{}, Record{{{1.0, -1.0}, 1}, {{0.0, 0.5}, -1}}}) {
    for (double v = -4; v <= 4; v += 0.2) {
      for (double u = -4; u <= 4; u += 0.2) {
        double least = INFINITY, most = -INFINITY;
        for (const Record& own : Records(1, rows)) {
          const double log = LogDensity(law, others, own, {u, v});
          least = std::min(least, log);
          most = std::max(most, log);
        }
        worst = std::max(worst, most - least);
      }
    }
  }
  return worst;
}

Shape Numbers(std::size_t count) {
  Shape shape;
  for (std::size_t k = 0; k < count; ++k) shape.AddNumber();
  return shape;
}

constexpr double kRounding = 1e-6;  // of logarithms of small differences of probabilities
const std::vector<double> kEpsilons = {0.3, 1.0, 4.0};

TEST(LearnProperty, NoRecordMovesTheMinimumMoreThanSaid_LEARN1) {
  for (const Loss loss : {Loss::kLogistic, Loss::kHinge}) {
    for (const double epsilon : kEpsilons) {
      for (const std::int64_t max_rows : {1, 2}) {
        const Law law = LawOf(loss, Numbers(1), epsilon, max_rows);
        const double worst = WorstWithOneWeight(law, max_rows);
        EXPECT_LE(worst, law.loss_bound + kRounding);
        // With one weight a logistic slope and that of the other side add up to 1: a record moves the sum by 1, not 2.
        EXPECT_GT(worst, (loss == Loss::kHinge ? 0.8 : 0.4) * law.loss_bound) << "the tables are too tame to tell";
      }
      const Law law = LawOf(loss, Numbers(2), epsilon, 1);
      EXPECT_LE(WorstWithTwoWeights(law), law.loss_bound + kRounding);
    }
  }
}

TEST(LearnProperty, TheCheckAboveSeesHalfTheNoise) {
  for (const Loss loss : {Loss::kLogistic, Loss::kHinge}) {
    Law one = LawOf(loss, Numbers(1), 1, 1), two = LawOf(loss, Numbers(2), 1, 1);
    one.scales[0] /= loss == Loss::kHinge ? 2 : 4;
    for (double& scale : two.scales) scale /= 2;
    EXPECT_GT(WorstWithOneWeight(one, 1), one.loss_bound + kRounding);
    EXPECT_GT(WorstWithTwoWeights(two), two.loss_bound + kRounding);
  }
}

// Forgetting that the curvature changes would claim only the noise's share, and allow no pull at all.
TEST(LearnProperty, TheCheckAboveSeesAForgottenCurvature) {
  for (const Loss loss : {Loss::kLogistic, Loss::kHinge}) {
    Law law = LawOf(loss, Numbers(1), 1, 1);
    law.pull = 0.01;
    EXPECT_GT(WorstWithOneWeight(law, 1), law.loss_bound + kRounding);
  }
}

// One unit's rows change the slope of an attribute's weights by at most 2 for each row, and can change it that far.
TEST(LearnProperty, RowsHaveTheLengthThatTermsCountOn_LEARN1) {
  Shape shape;
  shape.AddNumber();
  shape.AddCategories(3);
  const std::vector<double> far = {40, 0, 0, 0};
  double most = 0;
  for (const std::int16_t number : std::vector<std::int16_t>{-16384, 0, 777, 16384}) {
    for (const std::int16_t category : std::vector<std::int16_t>{0, 1, 2}) {
      for (const bool positive : {false, true}) {
        Examples examples(shape);
        examples.Add(std::vector<std::int16_t>{number, category}, positive);
        const Problem problem{examples, Loss::kHinge, 1, std::vector<Int128>(4), -24};
        const auto seen = Objective<double>(problem).At(far);
        const double own = std::abs(seen.gradient[1]) + std::abs(seen.gradient[2]) + std::abs(seen.gradient[3]);
        EXPECT_LE(own, 1);
        EXPECT_LE(std::abs(seen.gradient[0] - 40), 1);
        most = std::max(most, own);
      }
    }
  }
  EXPECT_EQ(most, 1);
}

}  // namespace
}  // namespace kith::learn
