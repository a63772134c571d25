#include "audit/exact/exact_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/json.h"
#include "dependence/check.h"
#include "dependence/model_json.h"
#include "transfer/pair/pair_world.h"

namespace kith::audit {
namespace {

using published::Network;
using published::NetworkOf;

/// All the numbers of a table of laws may be kept at once: 400 MB.
constexpr double kMostNumbers = 5e7;
/// Multiplications for the messages of a network; some 10 s.
constexpr double kMostSteps = 1e10;

FiniteLaw OfNetwork(Network network, Model model) {
  FiniteLaw law;
  for (const Law& marginal : network.marginals) law.values.push_back(marginal.size());
  law.secret.assign(law.values.size(), 1);
  law.law = std::move(network);
  law.model = std::move(model);
  return law;
}

FiniteLaw OfJoint(Joint joint) {
  FiniteLaw law;
  joint.law = Normalised(std::move(joint.law));
  for (const std::int64_t v : joint.values) law.values.push_back(static_cast<std::size_t>(v));
  law.secret.assign(law.values.size(), 1);
  law.law = std::move(joint);
  return law;
}

/// The middle and its neighbours as a tree; how likely the middle's values are does not matter to laws given them.
FiniteLaw OfStar(const Star& star) {
  const std::size_t values = star.neighbours.empty() ? 2 : star.neighbours[0].size();
  Tree tree{{-1}, {{Law(values, 1.0 / static_cast<double>(values))}}};
  for (const LawTable& table : star.neighbours) {
    tree.parents.push_back(0);
    tree.tables.push_back(table);
  }
  FiniteLaw law = OfNetwork(NetworkOf(tree), star);
  std::fill(law.secret.begin() + 1, law.secret.end(), 0);
  law.has_priors = false;
  return law;
}

/// A joint law with more rows than a transfer function takes.
Result<FiniteLaw> LargeJoint(const Json& json, const std::string& name) {
  Joint joint;
  try {
    joint.values = json.at("values").get<std::vector<std::int64_t>>();
    joint.law = json.at("law").get<Law>();
  } catch (const JsonError&) {
    return InvalidArgument("a joint law needs \"values\" and \"law\", lists of numbers", name,
                           R"(write {"kind":"joint","values":[2,2],"law":[0.4,0.1,0.1,0.4]})");
  }
  double rows = 1;
  for (const std::int64_t v : joint.values) {
    if (v < 1 || v > kMaxValues) return InvalidArgument("a record has 1 to 64 values", name, "check \"values\"");
    rows *= static_cast<double>(v);
  }
  if (joint.values.empty() || rows != static_cast<double>(joint.law.size())) {
    return InvalidArgument("\"law\" must have one number for each combination of values", name,
                           "the last record varies fastest");
  }
  double sum = 0;
  for (const double p : joint.law) {
    if (!(p >= 0 && p <= 1)) return InvalidArgument("a probability lies between 0 and 1", name, "check \"law\"");
    sum += p;
  }
  if (std::abs(sum - 1) > kProbabilitySlack * std::sqrt(rows)) {
    return InvalidArgument("the probabilities do not add up to 1", name, "check \"law\"");
  }
  return OfJoint(std::move(joint));
}

}  // namespace

Result<FiniteLaw> LawOf(Model model) {
  if (auto ok = Check(model); !ok) return ok.error();
  if (const auto* joint = std::get_if<Joint>(&model)) {
    FiniteLaw law = OfJoint(*joint);
    law.model = std::move(model);
    return law;
  }
  if (const auto* chain = std::get_if<Chain>(&model)) {
    if (chain->length > 100'000) {
      return InvalidArgument("the chain is too long for an exact audit", "length", "audit a shorter piece of it");
    }
    return OfNetwork(NetworkOf(*chain), model);
  }
  if (const auto* tree = std::get_if<Tree>(&model)) return OfNetwork(NetworkOf(*tree), model);
  if (const auto* star = std::get_if<Star>(&model)) return OfStar(*star);
  if (const auto* pairs = std::get_if<PairLaws>(&model)) {
    const auto world = MarkovWorld(*pairs);
    if (!world) {
      return InvalidArgument(
                 "pairs do not determine a joint law, and there is no Markov tree of at most 1,000 records and 16 "
                 "values that has these links and this table in both directions",
                 "kind", "state the joint law, or edges without a cycle")
          .For("audit.model");
    }
    FiniteLaw law = OfNetwork(NetworkOf(*world), *world);
    law.linked_only = true;
    return law;
  }
  if (std::holds_alternative<ChainRegion>(model) || std::holds_alternative<TreeRegion>(model)) {
    return InvalidArgument(
               "the tables of this model are known up to intervals, seasons or a beginning: there is no one law whose "
               "loss could be computed",
               "kind", "a transfer function bounds all of them; for an exact audit write one law of them")
        .For("audit.model");
  }
  return InvalidArgument(
             fmt::format("a model of kind {} states how strongly records depend, but no law", Kind(model)), "kind",
             "a transfer function bounds its loss; an exact audit needs a joint law, a chain, a tree, a star or pairs")
      .For("audit.model");
}

Result<FiniteLaw> LawFromJson(std::string_view text, const std::string& name) {
  const auto json = Json::parse(text, nullptr, false);
  const bool is_joint = json.is_object() && json.value("kind", Json()) == "joint";
  if (is_joint && json.contains("law") && json["law"].is_array() && json["law"].size() > kMaxJointStates) {
    if (json["law"].size() > kMostRows) {
      return InvalidArgument("the joint law has more than 1,048,576 rows", name, "audit fewer records at once");
    }
    return LargeJoint(json, name);
  }
  auto model = ModelFromJson(text, name);
  if (!model) return model.error();
  return LawOf(std::move(*model));
}

std::int64_t Additive::Range(std::size_t record) const {
  const auto [least, most] = std::minmax_element(adds[record].begin(), adds[record].end());
  return *most - *least;
}

std::int64_t Additive::Sensitivity() const {
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < adds.size(); ++i) largest = std::max(largest, Range(i));
  return largest;
}

namespace {

Result<std::vector<std::int64_t>> Numbers(std::string_view text) {
  std::vector<std::int64_t> numbers;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    std::int64_t number = 0;
    const auto [end, bad] = std::from_chars(word.data(), word.data() + word.size(), number);
    constexpr std::int64_t kLargest = 1'000'000;
    if (bad != std::errc() || end != word.data() + word.size() || std::abs(number) > kLargest) {
      return InvalidArgument("a question takes whole numbers of at most a million", {}, "ask sum:0,3,10, for example")
          .For("audit.query");
    }
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

Result<Additive> QuestionFrom(const std::string& words, const FiniteLaw& law) {
  const std::string kind = words.substr(0, words.find(':'));
  const auto numbers =
      Numbers(kind.size() == words.size() ? std::string_view() : std::string_view(words).substr(kind.size() + 1));
  if (!numbers) return numbers.error();
  const bool count = kind == "count" && numbers->size() <= 1;
  if (!count && kind != "sum") {
    return InvalidArgument("unknown question", {}, "ask count, count:2, sum or sum:0,3,10").For("audit.query");
  }
  Additive question;
  for (const std::size_t values : law.values) {
    if (!count && !numbers->empty() && numbers->size() < values) {
      return InvalidArgument("a record has more values than the question names numbers", {},
                             "name what each value adds: the first number is for value 0")
          .For("audit.query");
    }
    auto& adds = question.adds.emplace_back();
    for (std::size_t v = 0; v < values; ++v) {
      const auto value = static_cast<std::int64_t>(v);
      if (count) {
        adds.push_back(numbers->empty() ? value != 0 : value == numbers->front());
      } else {
        adds.push_back(numbers->empty() ? value : (*numbers)[v]);
      }
    }
  }
  question.words = count ? (numbers->empty() ? "how many records are not 0"
                                             : fmt::format("how many records are {}", numbers->front()))
                         : (numbers->empty() ? "the sum of all values" : "the sum of what the values add");
  return question;
}

namespace {

std::int64_t Least(const std::vector<std::int64_t>& adds) { return *std::min_element(adds.begin(), adds.end()); }

/// How many different answers there are from the smallest to the largest.
double Places(const Additive& question) {
  double places = 1;
  for (std::size_t i = 0; i < question.adds.size(); ++i) places += static_cast<double>(question.Range(i));
  return places;
}

published::Axis Steps(std::size_t places) {
  published::Axis axis(places);
  for (std::size_t k = 0; k < places; ++k) axis[k] = static_cast<double>(k);
  return axis;
}

/// sums[value][answer], not yet divided by the probability of the value.
std::optional<RecordAnswers> Conditioned(std::size_t record, std::vector<std::vector<double>> sums) {
  RecordAnswers found;
  found.secret.record = record;
  const std::size_t places = sums[0].size();
  for (std::size_t v = 0; v < sums.size(); ++v) {
    double p = 0;
    for (const double q : sums[v]) p += q;
    if (!(p > 0)) continue;
    for (double& q : sums[v]) q /= p;
    found.values.push_back(v);
    found.secret.prior.push_back(p);
    found.secret.given.push_back(std::move(sums[v]));
  }
  if (found.values.size() < 2) return {};
  found.secret.axes = {Steps(places)};
  return found;
}

std::vector<RecordAnswers> OfRows(const Joint& joint, const FiniteLaw& law, const Additive& question,
                                  std::size_t places) {
  const std::size_t n = law.records();
  std::vector<std::vector<std::vector<double>>> sums(n);
  std::vector<std::size_t> value(n, 0);
  std::vector<std::vector<std::size_t>> adds(n);
  for (std::size_t i = 0; i < n; ++i) {
    sums[i].assign(law.values[i], std::vector<double>(places, 0.0));
    for (const std::int64_t a : question.adds[i])
      adds[i].push_back(static_cast<std::size_t>(a - Least(question.adds[i])));
  }
  std::size_t answer = 0;
  for (std::size_t i = 0; i < n; ++i) answer += adds[i][0];
  for (const double p : joint.law) {
    if (p > 0) {
      for (std::size_t i = 0; i < n; ++i) sums[i][value[i]][answer] += p;
    }
    for (std::size_t i = n; i-- > 0;) {  // the next row
      answer -= adds[i][value[i]];
      value[i] = value[i] + 1 == law.values[i] ? 0 : value[i] + 1;
      answer += adds[i][value[i]];
      if (value[i] != 0) break;
    }
  }
  std::vector<RecordAnswers> answers;
  for (std::size_t i = 0; i < n; ++i) {
    auto found = law.secret[i] != 0 ? Conditioned(i, std::move(sums[i])) : std::nullopt;
    if (found) answers.push_back(std::move(*found));
  }
  return answers;
}

std::vector<RecordAnswers> OfMessages(const Network& network, const FiniteLaw& law, const Additive& question) {
  published::Contributions adds;
  for (const auto& of_record : question.adds) {
    adds.emplace_back();
    for (const std::int64_t a : of_record) adds.back().push_back(static_cast<std::size_t>(a - Least(of_record)));
  }
  std::vector<RecordAnswers> answers;
  for (published::Secret& secret : SumSecrets(network, adds)) {
    if (law.secret[secret.record] == 0) continue;
    RecordAnswers& found = answers.emplace_back();
    const Law& marginal = network.marginals[secret.record];
    for (std::size_t v = 0; v < marginal.size(); ++v) {
      if (marginal[v] > 0) found.values.push_back(v);
    }
    found.secret = std::move(secret);
  }
  return answers;
}

}  // namespace

Result<std::vector<RecordAnswers>> AnswersOf(const FiniteLaw& law, const Additive& question) {
  if (question.adds.size() != law.records()) {
    return InvalidArgument("the question is about a different number of records", "query",
                           "give one list for each record");
  }
  double values = 0;
  for (std::size_t i = 0; i < law.records(); ++i) {
    if (question.adds[i].size() != law.values[i]) {
      return InvalidArgument("the question names a different number of values", "query",
                             "give one number for each value");
    }
    values += static_cast<double>(law.values[i]);
  }
  const double places = Places(question);
  // Laws of all records; along a network two polynomials are multiplied for each.
  const bool rows = std::holds_alternative<Joint>(law.law);
  if (places * values > kMostNumbers || (!rows && places * places * values / 6 > kMostSteps)) {
    return InvalidArgument("there are too many records and answers for an exact audit", "query",
                           "ask for smaller numbers, or audit fewer records at once");
  }
  if (rows) return OfRows(std::get<Joint>(law.law), law, question, static_cast<std::size_t>(places));
  return OfMessages(std::get<Network>(law.law), law, question);
}

bool NothingUnderflows(const FiniteLaw& law) {
  const auto* network = std::get_if<Network>(&law.law);
  if (network == nullptr) return true;
  double log_least = 0;
  for (std::size_t j = 0; j < network->links.size(); ++j) {
    double least = 1;
    for (const double p : network->marginals[j]) {
      if (p > 0) least = std::min(least, p);
    }
    for (const published::Link& link : network->links[j]) {
      for (const Law& row : link.table) {
        for (const double p : row) {
          if (p > 0) least = std::min(least, p);
        }
      }
    }
    log_least += std::log(least);
  }
  return log_least > -600;
}

std::optional<Joint> Expanded(const FiniteLaw& law, std::size_t most) {
  double rows = 1;
  for (const std::size_t v : law.values) rows *= static_cast<double>(v);
  if (rows > static_cast<double>(most)) return {};
  if (const auto* joint = std::get_if<Joint>(&law.law)) return *joint;
  const auto& network = std::get<Network>(law.law);
  Joint joint;
  for (const std::size_t v : law.values) joint.values.push_back(static_cast<std::int64_t>(v));
  std::vector<std::size_t> value(law.records(), 0);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    std::size_t rest = row;
    for (std::size_t i = law.records(); i-- > 0; rest /= law.values[i]) value[i] = rest % law.values[i];
    double p = 1;
    for (std::size_t j = 0; j < law.records(); ++j) {
      const std::size_t parent = network.parents[j];
      if (parent == j) {
        p *= network.marginals[j][value[j]];
        continue;
      }
      for (const published::Link& link : network.links[parent]) {
        if (link.to == j) p *= link.table[value[parent]][value[j]];
      }
    }
    joint.law.push_back(p);
  }
  return joint;
}

}  // namespace kith::audit
