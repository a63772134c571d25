// Reads gallery files.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "audit/gallery/gallery.h"
#include "base/json.h"

namespace kith::audit {
namespace {

/// Thrown and caught in this file only, as what JSON throws is: a nested document is read in one sweep.
struct Bad {
  std::string what, next;
};

const std::map<std::string, Recipe> kRecipes = {
    {"laplace", Recipe::kLaplace},
    {"ddp eq14", Recipe::kEq14},
    {"ddp eq14, units as printed", Recipe::kEq14Literal},
    {"ddp eq14, one shot", Recipe::kEq14OneShot},
    {"ddp eq18", Recipe::kEq18},
    {"exact calibration", Recipe::kExact},
    {"zhu", Recipe::kZhu},
    {"stated scale", Recipe::kScale},
    {"no noise", Recipe::kNone},
};

void OnlyKeys(const Json& object, const std::set<std::string>& known) {
  if (!object.is_object()) throw Bad{"an object is expected", "see docs/guide/audit.md"};
  for (const auto& [key, value] : object.items()) {
    if (known.count(key) == 0) throw Bad{fmt::format("unknown field '{:.40}'", key), "see docs/guide/audit.md"};
  }
}

double Number(const Json& value, const char* name) {
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    throw Bad{fmt::format("{} must be a number", name), ""};
  return value.get<double>();
}

std::vector<std::size_t> Records(const Json& list, std::size_t records) {
  std::vector<std::size_t> found;
  for (const auto& entry : list) {
    const double number = Number(entry, "a record");
    if (!(number >= 0 && number < static_cast<double>(records)) || number != std::floor(number)) {
      throw Bad{"the law has no such record", "records are numbered from 0"};
    }
    found.push_back(static_cast<std::size_t>(number));
  }
  return found;
}

published::ListedLaw RowsFrom(const Json& rows) {
  published::ListedLaw law;
  double sum = 0;
  for (const auto& row : rows) {
    OnlyKeys(row, {"x", "p"});
    published::Database database{{}, Number(row.at("p"), "p")};
    for (const auto& x : row.at("x")) database.values.push_back(Number(x, "x"));
    if (!(database.p >= 0) || database.values.size() != rows[0].at("x").size()) {
      throw Bad{"rows need the same number of values each, and probabilities that are not negative", ""};
    }
    sum += database.p;
    law.push_back(std::move(database));
  }
  if (law.empty() || law[0].values.empty() || std::abs(sum - 1) > 1e-9) {
    throw Bad{"the probabilities of the rows must add up to 1", "check \"p\""};
  }
  constexpr std::size_t kMost = 4096;
  if (law.size() > kMost) throw Bad{"a case has at most 4,096 rows", "audit the law itself as a model"};
  for (published::Database& database : law) database.p /= sum;
  return law;
}

/// Records that depend on each other only through something that is not a person's record: record 0 of the law.
FiniteLaw CommonCause(const Json& cause) {
  OnlyKeys(cause, {"cause", "table", "records"});
  Tree tree{{-1}, {{cause.at("cause").get<Law>()}}};
  const double records = Number(cause.at("records"), "records");
  if (!(records >= 1 && records <= 1000)) throw Bad{"a common cause has 1 to 1,000 records", ""};
  for (double i = 0; i < records; ++i) {
    tree.parents.push_back(0);
    tree.tables.push_back(cause.at("table").get<LawTable>());
  }
  auto law = LawOf(tree);
  if (!law) throw Bad{law.error().what, law.error().next};
  law->secret[0] = 0;
  return std::move(*law);
}

void ReadLaw(const Json& law, GalleryCase& c) {
  if (law.contains("rows")) {
    OnlyKeys(law, {"rows", "hidden"});
    c.law = RowsFrom(law.at("rows"));
    c.secret.assign(std::get<published::ListedLaw>(c.law)[0].values.size(), 1);
  } else if (law.contains("common_cause")) {
    OnlyKeys(law, {"common_cause"});
    c.law = CommonCause(law.at("common_cause"));
    c.secret = std::get<FiniteLaw>(c.law).secret;
  } else {
    Json model = law;
    model.erase("hidden");
    auto found = LawFromJson(model.dump(), "law");
    if (!found) throw Bad{found.error().what, found.error().next};
    c.secret = found->secret;
    c.law = std::move(*found);
  }
  if (law.contains("hidden")) {
    for (const std::size_t i : Records(law.at("hidden"), c.secret.size())) c.secret[i] = 0;
  }
  if (auto* finite = std::get_if<FiniteLaw>(&c.law)) finite->secret = c.secret;
}

Question QuestionOf(const Json& terms, const GalleryCase& c) {
  Question question;
  for (const auto& term : terms) {
    OnlyKeys(term, {"of", "factor", "modulo", "at_least", "parity", "product"});
    Term& found = question.emplace_back();
    for (std::size_t i = 0; i < c.secret.size(); ++i) {
      if (c.secret[i] != 0) found.of.push_back(i);  // everybody; hidden causes are nobody
    }
    if (term.contains("of")) found.of = Records(term.at("of"), c.secret.size());
    if (term.contains("factor")) found.factor = Number(term.at("factor"), "factor");
    if (term.contains("modulo")) found.modulo = Number(term.at("modulo"), "modulo");
    if (term.contains("at_least")) found.at_least = Number(term.at("at_least"), "at_least");
    found.parity = term.value("parity", false);
    found.product = term.value("product", false);
    if (found.parity && found.product) throw Bad{"a part is a parity or a product, not both", "keep one"};
    if (found.modulo && !(*found.modulo > 0)) throw Bad{"modulo must be positive", ""};
  }
  if (question.empty()) throw Bad{"a question has at least one part", "write \"ask\": \"sum\""};
  return question;
}

void ReadAsk(const Json& ask, GalleryCase& c) {
  const Json questions = ask == "sum" ? Json::parse("[[{}]]") : ask;
  if (!questions.is_array()) throw Bad{"ask is \"sum\" or a list of questions", "see docs/guide/audit.md"};
  for (const auto& question : questions) c.ask.push_back(QuestionOf(question, c));
  if (c.ask.empty()) throw Bad{"nothing is asked", "write \"ask\": \"sum\""};
}

void ReadClaim(const Json& file, GalleryCase& c) {
  const auto recipe = kRecipes.find(file.at("noise").get<std::string>());
  if (recipe == kRecipes.end()) throw Bad{"unknown way to set the noise", "see docs/guide/audit.md"};
  c.recipe = recipe->second;
  const std::string claim = file.value("claim", "epsilon");
  if (claim == "sum") c.claim = Claim::kSum;
  if (claim == "largest") c.claim = Claim::kLargest;
  if (claim != "epsilon" && claim != "sum" && claim != "largest") throw Bad{"claim is epsilon, sum or largest", ""};
  if (file.contains("epsilon")) c.epsilon = Number(file.at("epsilon"), "epsilon");
  if (file.contains("scale")) c.scale = Number(file.at("scale"), "scale");
  const bool needs_epsilon = c.recipe != Recipe::kScale && c.recipe != Recipe::kNone;
  if (!(c.epsilon >= 0) || (needs_epsilon && !(c.epsilon > 0))) throw Bad{"epsilon must be a positive number", ""};
  if (c.recipe == Recipe::kScale && !(c.scale > 0)) throw Bad{"scale must be a positive number", ""};
  const double times = file.contains("times") ? Number(file.at("times"), "times") : 1;
  if (times != 1 && times != 2) throw Bad{"times is 1 or 2", "more answers need a grid of too many outputs"};
  c.times = static_cast<std::size_t>(times);
  const std::string measure = file.value("measure", "loss");
  if (measure != "loss" && measure != "information") throw Bad{"measure is loss or information", ""};
  c.information = measure == "information";
}

GalleryCase CaseFrom(const Json& file) {
  OnlyKeys(file, {"title", "refutes", "shows", "law", "domains", "ask", "times", "noise", "epsilon", "scale", "claim",
                  "known", "secrets", "measure"});
  GalleryCase c;
  c.title = file.at("title").get<std::string>();
  c.refutes = file.value("refutes", "");
  c.shows = file.value("shows", "");
  ReadLaw(file.at("law"), c);
  ReadAsk(file.at("ask"), c);
  ReadClaim(file, c);
  if (file.contains("secrets")) {
    std::fill(c.secret.begin(), c.secret.end(), 0);
    for (const std::size_t i : Records(file.at("secrets"), c.secret.size())) c.secret[i] = 1;
    if (auto* finite = std::get_if<FiniteLaw>(&c.law)) finite->secret = c.secret;
  }
  if (file.contains("known")) c.known = Records(file.at("known"), c.secret.size());
  if (file.contains("domains")) {
    for (const auto& domain : file.at("domains")) {
      c.domains.emplace_back(Number(domain.at(0), "a domain"), Number(domain.at(1), "a domain"));
    }
    if (c.domains.size() != c.secret.size()) throw Bad{"domains must have one pair for each record", ""};
  }
  return c;
}

}  // namespace

bool IsGalleryCase(std::string_view text) {
  const auto file = Json::parse(text, nullptr, false);
  return file.is_object() && file.contains("law") && file.contains("ask");
}

Result<GalleryCase> GalleryCaseFromJson(std::string_view text, const std::string& name) {
  try {
    return CaseFrom(Json::parse(text));
  } catch (const Bad& bad) {
    return InvalidArgument(bad.what, name, bad.next);
  } catch (const JsonError&) {
    return InvalidArgument("this is not a counterexample: a field is missing or has the wrong type", name,
                           "see docs/guide/audit.md and examples/counterexamples");
  }
}

}  // namespace kith::audit
