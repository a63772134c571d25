// A census like Adult: the same columns and about the same shares, drawn person by person. Education, age, marriage,
// hours and gains decide who earns more, by a logistic law, so that a linear classifier has something to find.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <fstream>
#include <random>

#include "attack/kmeans.h"
#include "experiment/sample.h"

namespace kith::cli {
namespace adult_like {

struct Word {
  const char* text;
  double share;
};

using Words = std::vector<Word>;
const Words kWork = {{"Private", .74},   {"Self-emp-not-inc", .08}, {"Local-gov", .07},
                     {"State-gov", .04}, {"Self-emp-inc", .04},     {"Federal-gov", .03}};
const Words kJobs = {{"Prof-specialty", .13},
                     {"Craft-repair", .13},
                     {"Exec-managerial", .13},
                     {"Adm-clerical", .12},
                     {"Sales", .12},
                     {"Other-service", .11},
                     {"Machine-op-inspct", .07},
                     {"Transport-moving", .05},
                     {"Handlers-cleaners", .05},
                     {"Farming-fishing", .03},
                     {"Tech-support", .03},
                     {"Protective-serv", .02},
                     {"Priv-house-serv", .01}};
const Words kRaces = {
    {"White", .86}, {"Black", .09}, {"Asian-Pac-Islander", .03}, {"Other", .01}, {"Amer-Indian-Eskimo", .01}};
const Words kCountries = {{"United-States", .912}, {"Mexico", .02}, {"Philippines", .006}, {"Germany", .005},
                          {"Canada", .004},        {"India", .004}, {"England", .003},     {"China", .003}};
struct School {
  const char* text;
  int years;
  double share;
};
const std::vector<School> kSchools = {{"HS-grad", 9, .33},       {"Some-college", 10, .22}, {"Bachelors", 13, .17},
                                      {"Masters", 14, .054},     {"Assoc-voc", 11, .043},   {"11th", 7, .035},
                                      {"Assoc-acdm", 12, .033},  {"10th", 6, .027},         {"7th-8th", 4, .018},
                                      {"Prof-school", 15, .018}, {"9th", 5, .015},          {"Doctorate", 16, .012}};

class Census {
 public:
  explicit Census(std::uint64_t seed) : engine_(seed) {}

  std::string Person() {
    const auto& school = Choose(kSchools);
    const int age = 17 + static_cast<int>(73 * std::pow(Draw(), 1.6) * (0.6 + 0.4 * Draw()));
    const bool man = Draw() < 0.67;
    const bool married = Draw() < (age < 24 ? 0.06 : 0.56);
    const int hours = Draw() < 0.47 ? 40 : std::clamp(static_cast<int>(40 + 14 * Normal()), 1, 99);
    const int gain = Draw() < 0.084 ? static_cast<int>(std::exp(8.5 + 1.1 * Normal())) : 0;
    const int loss = gain == 0 && Draw() < 0.05 ? static_cast<int>(1870 + 300 * Normal()) : 0;
    const double score = -7.1 + 0.36 * (school.years - 9) + 0.028 * (age - 38) + 3.0 * (married ? 1 : 0) +
                         0.03 * (hours - 40) + (gain > 5000 ? 4.0 : 0.0) + 0.2 * (man ? 1 : 0) + 2.6;
    const bool more = Draw() < 1 / (1 + std::exp(-score));
    const char* status = married ? "Married-civ-spouse" : Draw() < 0.65 || age < 24 ? "Never-married" : "Divorced";
    const char* relation = !married ? age < 24 ? "Own-child" : "Not-in-family" : man ? "Husband" : "Wife";
    return fmt::format("{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}\n", age, Choose(kWork).text,
                       static_cast<int>(std::clamp(std::exp(12.0 + 0.55 * Normal()), 13000.0, 1480000.0)), school.text,
                       school.years, status, Draw() < 0.018 ? "?" : Choose(kJobs).text, relation, Choose(kRaces).text,
                       man ? "Male" : "Female", std::min(gain, 99999), std::clamp(loss, 0, 4356), hours,
                       Choose(kCountries).text, more ? ">50K" : "<=50K");
  }

 private:
  double Draw() { return attack::Uniform(engine_); }
  double Normal() {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += Draw();
    return sum;
  }
  /// By share; what is left over goes to the first.
  template <class T>
  const T& Choose(const std::vector<T>& words) {
    double left = Draw();
    for (const auto& word : words) {
      if (left < word.share) return word;
      left -= word.share;
    }
    return words.front();
  }

  std::mt19937_64 engine_;
};

}  // namespace adult_like

Result<std::vector<SampleFile>> WriteAdultLike(const SampleOptions& options) {
  adult_like::Census census(options.seed);
  std::ofstream file(options.folder / "adult.data");
  for (std::size_t row = 0; row < options.users; ++row) file << census.Person();
  if (!file.flush())
    return StorageError("cannot write the sample", options.folder.string(), "check the folder and its permissions");
  return std::vector<SampleFile>{{"adult.data", fmt::format("{} people", options.users)}};
}

}  // namespace kith::cli
