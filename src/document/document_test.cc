// Documents come back as they were, and say what the values say.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/json.h"
#include "document/codes.h"
#include "document/from_json.h"
#include "document/to_json.h"
#include "tests/support/json_place.h"

namespace kith::document {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Guarantee Whole() {
  Guarantee g;
  g.plain = 0.25;
  g.dependent = 0.5;
  g.bound = "pair sum";
  g.adversary = "somebody";
  g.assumption = "no record has more than 2 links";
  g.source = "public";
  g.confidence = 0.95;
  g.alarm = "ALARM: x";
  g.neighbours = "replace one record";
  g.moves = "moves of 2 km";
  g.standard = kInfinity;
  g.version = "june";
  g.unproven = "UNPROVEN: x";
  g.audit = Audit{0.3, true, "against somebody who knows no record"};
  g.household = Guarantee::Household{"house", 6, 0.75, kInfinity, "replace one household", 1.5};
  g.strata = {{"persons=1", 0.25, 0.25, 1}, {"persons=6", 0.1, 0.5, 6}};
  return g;
}

// As text, as another program would get it.
Json Sent(const Json& document) { return Json::parse(JsonText(document)); }

TEST(DocumentTest, AGuaranteeComesBack) {
  Guarantee g = Whole();
  const Json sent = Sent(ToJson(g));
  EXPECT_EQ(sent.at("moves").at("standard_epsilon_total"), "inf");
  EXPECT_EQ(Sent(ToJson(GuaranteeFrom(sent).value())), sent);
  EXPECT_EQ(GuaranteeFrom(sent)->standard, kInfinity);
  EXPECT_EQ(GuaranteeFrom(sent)->dependent, 0.5);

  g.one_sided = "ONE-SIDED RELEASES: x";  // nothing bounds the loss of everything
  const Json alone = Sent(ToJson(g));
  EXPECT_TRUE(alone.at("dependent").is_null());
  EXPECT_EQ(GuaranteeFrom(alone)->dependent, 0.5);
  EXPECT_EQ(Sent(ToJson(GuaranteeFrom(alone).value())), alone);
}

// No label of a guarantee is lost on the way: each of them changes the document.
TEST(DocumentTest, EveryLabelOfAGuaranteeIsInItsDocument) {
  const Json whole = ToJson(Whole());
  const std::vector<void (*)(Guarantee&)> changes = {[](Guarantee& g) { g.plain += 1; },
                                                     [](Guarantee& g) { g.dependent += 1; },
                                                     [](Guarantee& g) { g.bound += "x"; },
                                                     [](Guarantee& g) { g.adversary += "x"; },
                                                     [](Guarantee& g) { g.assumption += "x"; },
                                                     [](Guarantee& g) { g.source += "x"; },
                                                     [](Guarantee& g) { g.confidence.reset(); },
                                                     [](Guarantee& g) { g.alarm.clear(); },
                                                     [](Guarantee& g) { g.neighbours += "x"; },
                                                     [](Guarantee& g) { g.moves += "x"; },
                                                     [](Guarantee& g) { g.standard.reset(); },
                                                     [](Guarantee& g) { g.version += "x"; },
                                                     [](Guarantee& g) { g.unproven += "x"; },
                                                     [](Guarantee& g) { g.audit.reset(); },
                                                     [](Guarantee& g) { g.household.reset(); },
                                                     [](Guarantee& g) { g.household->level += "x"; },
                                                     [](Guarantee& g) { g.household->size += 1; },
                                                     [](Guarantee& g) { g.household->plain += 1; },
                                                     [](Guarantee& g) { g.household->dependent = 1; },
                                                     [](Guarantee& g) { g.household->neighbours += "x"; },
                                                     [](Guarantee& g) { g.household->cap.reset(); },
                                                     [](Guarantee& g) { g.strata.pop_back(); },
                                                     [](Guarantee& g) { g.strata[1].name += "x"; },
                                                     [](Guarantee& g) { g.strata[1].plain += 1; },
                                                     [](Guarantee& g) { g.strata[1].dependent += 1; },
                                                     [](Guarantee& g) { g.strata[1].size += 1; },
                                                     [](Guarantee& g) { g.one_sided = "true records"; }};
  for (const auto& change : changes) {
    Guarantee g = Whole();
    change(g);
    EXPECT_NE(ToJson(g), whole);
  }
}

Answer SomeAnswer() {
  Answer answer;
  answer.columns = {"ward", "n"};
  answer.rows = {{{std::string("A\xff"), {}}, {std::int64_t{12}, 3.0}}, {{Null{}, {}}, {-0.5, kInfinity}}};
  answer.histograms = {0};
  answer.certificate.noise = {{"count(*)", PlainUnits::Of(77), 1.5, 1, 1, 3, 4}};
  answer.certificate.noise.push_back(answer.certificate.noise[0]);
  answer.certificate.noise[1].stratum = "persons=6";
  answer.certificate.guarantee = Whole();
  answer.certificate.plain_epsilon = 0.1;
  answer.certificate.unit = UnitLevel::kHousehold;
  answer.certificate.claims = {"PLAN-1"};
  answer.certificate.ledger_entry = 9;
  answer.certificate.ledger_hash = "abc";
  answer.notes = {{NoteKind::kCut, "age is cut"}};
  answer.details = JsonValue(Json{{"k", 3}});
  return answer;
}

TEST(DocumentTest, AnAnswerAndItsCertificateComeBack) {
  const Json sent = Sent(ToJson(SomeAnswer()));
  EXPECT_EQ(sent.at("error_95").at(1).at(1), "inf");
  const auto read = AnswerFrom(sent);
  ASSERT_TRUE(read) << read.error().Text();
  EXPECT_EQ(Sent(ToJson(*read)), sent);
  EXPECT_EQ(read->rows[1][1].error_95, kInfinity);
  EXPECT_EQ(read->notes, SomeAnswer().notes);
  EXPECT_EQ(read->details->at("k"), 3);
  EXPECT_EQ(read->histograms, SomeAnswer().histograms);
  EXPECT_EQ(read->certificate.unit, UnitLevel::kHousehold);
  const Json certificate = Sent(ToJson(SomeAnswer().certificate));
  EXPECT_EQ(Sent(ToJson(CertificateFrom(certificate).value())), certificate);
  EXPECT_EQ(CertificateFrom(certificate)->ledger_entry, 9);
}

TEST(DocumentTest, AnExplanationComesBack) {
  Explanation e;
  e.plan.normalised = "SELECT count(*) FROM people";
  e.plan.notes = {{NoteKind::kRowLimit, "at most 1 row of each id"}};
  e.plan.keys = {{"ward", {std::string("A"), std::string("B")}, false}, {"ill", {true, false, Null{}}, true}};
  e.plan.statistics.push_back({"count(*)", Lattice(), Sensitivities::None(), "a unit changes one group"});
  e.units = PlainUnits::Of(1234);
  e.noise = {{"count(*)", PlainUnits::Of(1234), 20, 1, 1, 60, 80}};
  e.averages = {{"a", {{1000, 0.5}, {10000, 0.05}}}};
  e.sql = "SELECT 1";
  e.plain_spent_before = 0.1;
  e.unit = UnitLevel::kHousehold;
  e.household_before = 0.6;
  e.dependent_before = 0.2;
  e.guarantee = Whole();
  e.charged_cells = 2;
  e.cells = 3;
  e.refusal = "too much";
  const Json sent = Sent(ToJson(e));
  EXPECT_EQ(sent.at("groups"), 6);
  const auto read = ExplanationFrom(sent);
  ASSERT_TRUE(read) << read.error().Text();
  EXPECT_EQ(Sent(ToJson(*read)), sent);
  EXPECT_EQ(read->plan.groups(), 6U);
  EXPECT_EQ(read->plan.notes, e.plan.notes);
  EXPECT_EQ(read->units, e.units);
}

TEST(DocumentTest, AnExplanationByStratumComesBack) {
  Explanation e;
  for (const char* name : {"count(*)", "sum(age)"})
    e.plan.statistics.push_back({name, Lattice(), Sensitivities::None(), std::string("why ") + name});
  for (const char* stratum : {"persons=6", "persons=1"}) {
    for (const Statistic& statistic : e.plan.statistics) {
      e.noise.push_back({statistic.name, PlainUnits::Of(1234), 20, 1, 1, 60, 80});
      e.noise.back().stratum = stratum;
    }
    e.averages.push_back({"a", {{1000, 0.5}}, stratum});
    e.usefulness.push_back({.output = "n", .error_95 = 3, .low = 0, .high = 9, .stratum = stratum});
  }
  e.guarantee = Whole();
  const Json sent = Sent(ToJson(e));
  EXPECT_EQ(sent.at("statistics").at(3).at("reason"), "why sum(age)");
  EXPECT_EQ(sent.at("statistics").at(3).at("stratum"), "persons=1");
  const auto read = ExplanationFrom(sent);
  ASSERT_TRUE(read) << read.error().Text();
  EXPECT_EQ(Sent(ToJson(*read)), sent);
  EXPECT_EQ(read->plan.statistics.size(), 2U);
  EXPECT_EQ(read->usefulness[1].stratum, "persons=1");
  EXPECT_EQ(read->averages[1].stratum, "persons=1");
}

BudgetReport SomeBudget() {
  BudgetReport report;
  report.epsilon_total = 1;
  report.cells = {{"ward=A", 0.1, 0.5, kInfinity, 0.02, 0.01}};
  HistoryLine& line = report.history.emplace_back();
  line.number = 1;
  line.question = "SELECT 1";
  line.units = PlainUnits::Of(5);
  line.cells = {0, 2};
  line.tick = 7;
  line.level = UnitLevel::kHousehold;
  line.caller = "anna";
  line.head = "abc";
  report.guarantee = Whole();
  report.head = "def";
  report.moved = true;
  report.versions = {{2, "june", 100, 1, true}};
  report.one_sided = {{{"arrival", PlainUnits::Of(9), {"a = 1"}}, 0.7}, {{"gone", PlainUnits::Of(1), {}}, {}}};
  return report;
}

TEST(DocumentTest, ABudgetComesBack) {
  const Json sent = Sent(ToJson(SomeBudget(), "in any stay"));
  EXPECT_EQ(sent.at("cells").at(0).at("dependent_spent"), "inf");
  EXPECT_EQ(sent.at("dependent_total"), "inf");
  const auto read = BudgetFrom(sent);
  ASSERT_TRUE(read) << read.error().Text();
  EXPECT_EQ(Sent(ToJson(*read, "in any stay")), sent);
  EXPECT_EQ(read->cells[0].dependent_spent, kInfinity);
  EXPECT_EQ(read->history[0].cells.size(), 2U);
  EXPECT_EQ(read->history[0].caller, "anna");
  EXPECT_EQ(read->history[0].level, UnitLevel::kHousehold);
  EXPECT_EQ(read->cells[0].plain_household, 0.01);

  BudgetReport alone = SomeBudget();
  alone.guarantee.one_sided = "ONE-SIDED RELEASES: x";
  const Json without = Sent(ToJson(alone, ""));
  EXPECT_TRUE(without.at("cells").at(0).at("dependent_spent").is_null());
  EXPECT_FALSE(without.at("history").at(0).contains("step"));
  EXPECT_EQ(BudgetFrom(without)->cells[0].dependent_spent, kInfinity);
}

TEST(DocumentTest, AStreamAndItsStepsComeBack) {
  StreamHead head{"stream of count(*)", {"n"}, "2026-01-01", {}};
  static_cast<Guarantee&>(head.guarantee) = Whole();
  head.guarantee.window = 4;
  head.guarantee.longer = {{2, 0.5, kInfinity}};
  head.guarantee.claims = {"DL-1"};
  head.guarantee.notes = {{NoteKind::kExceeded, "more"}};
  const Json sent = Sent(ToJson(head));
  const auto read = StreamHeadFrom(sent);
  ASSERT_TRUE(read) << read.error().Text();
  EXPECT_EQ(Sent(ToJson(*read)), sent);
  EXPECT_EQ(read->guarantee.longer[0].dependent, kInfinity);

  for (const StepState state : {StepState::kReleased, StepState::kRepeated, StepState::kSkipped, StepState::kLost}) {
    Answer step;
    step.step = StepRelease{3, "2026-01-04", state, PlainUnits::Of(3), PlainUnits::Of(9)};
    step.rows = {{{std::int64_t{5}, 2.0}}};
    step.certificate.ledger_entry = 2;
    step.stored = true;
    const Json line = Sent(StepToJson(step));
    EXPECT_EQ(Sent(StepToJson(StepFrom(line).value())), line);
    EXPECT_EQ(StepFrom(line)->step->state, state);
  }
}

PolicyAudit SomePolicyAudit() {
  PolicyAudit report;
  report.file = "policy.toml";
  report.epsilon_total = 1;
  report.answers = 2;
  report.dependence = "group";
  report.guarantee = Whole();
  report.guarantee.moves.clear();
  report.guarantee.standard.reset();
  report.leak.assumption = "no record has more than 2 links";
  report.leak.strata = {{{"ward=A", 0, 0.1}, {{"group", 0.2, 0.3, "somebody", true}}, 0.5, 0.6, 0.2, 0.3},
                        {{"ward=B", 0, 0.2}, {{"star", 0.7, 0.8, "anybody", false}}, 0.9, 1.1, 0.7, 0.8}};
  report.leak.places = {{"degree 2", 12, 0.7, 0.8}, {"degree 1", 0, 0.2, 0.3}};
  report.largest = 0.7;
  return report;
}

template <class T>
void ExpectComesBack(const T& value, Result<T> (*from)(const Json&)) {
  const Json sent = Sent(ToJson(value));
  const auto read = from(sent);
  ASSERT_TRUE(read) << read.error().Text() << JsonText(sent);
  EXPECT_EQ(Sent(ToJson(*read)), sent);
  const auto direct = from(ToJson(value));
  ASSERT_TRUE(direct) << direct.error().Text();
  EXPECT_EQ(ToJson(*direct), ToJson(value));
  Json later = sent;
  later["of_a_later_version"] = {1, 2};
  EXPECT_EQ(Sent(ToJson(from(later).value())), sent);
}

TEST(DocumentTest, APolicyAuditComesBack) {
  const PolicyAudit plain = SomePolicyAudit();
  ExpectComesBack(plain, PolicyAuditFrom);
  PolicyAudit read = PolicyAuditFrom(Sent(ToJson(plain))).value();
  EXPECT_EQ(read.dependence, "group");
  EXPECT_EQ(read.largest, 0.7);
  EXPECT_EQ(read.leak.places[1].units, 0U);
  EXPECT_EQ(read.guarantee.audit->of, plain.guarantee.audit->of);
  EXPECT_EQ(read.epsilon, std::nullopt);

  PolicyAudit more = plain;
  more.epsilon = 0.1;
  more.leak.more = 0.025;
  more.stay = "in any stay of at most 4 consecutive steps";
  ExpectComesBack(more, PolicyAuditFrom);
  EXPECT_EQ(PolicyAuditFrom(ToJson(more))->epsilon, 0.1);
  EXPECT_EQ(PolicyAuditFrom(ToJson(more))->stay, more.stay);

  PolicyAudit infinite = more;
  infinite.leak.strata[1].dependent_after = infinite.leak.strata[1].bits_after = kInfinity;
  infinite.leak.strata[1].bits_now = infinite.leak.strata[1].readings[0].after = kInfinity;
  infinite.leak.places[0].after = infinite.guarantee.dependent = kInfinity;
  ExpectComesBack(infinite, PolicyAuditFrom);
  EXPECT_EQ(PolicyAuditFrom(Sent(ToJson(infinite)))->leak.places[0].after, kInfinity);
}

TEST(DocumentTest, APolicyAuditWithOneSidedReleasesComesBack) {
  PolicyAudit alone = SomePolicyAudit();
  alone.guarantee.one_sided = "ONE-SIDED RELEASES: x";
  ExpectComesBack(alone, PolicyAuditFrom);
  const Json sent = Sent(ToJson(alone));
  EXPECT_TRUE(sent.at("strata").at(0).at("dependent").is_null());
  EXPECT_TRUE(sent.at("places").at(0).at("now").is_null());
  const PolicyAudit read = PolicyAuditFrom(sent).value();
  EXPECT_EQ(read.guarantee.one_sided, alone.guarantee.one_sided);
  EXPECT_EQ(read.leak.strata[1].dependent_now, 0.7);
  EXPECT_EQ(read.leak.strata[1].readings.size(), 1U);
  EXPECT_EQ(read.leak.places[0].now, 0.7);
}

TEST(DocumentTest, APolicyAuditOfAMetricUnitComesBack) {
  PolicyAudit moves = SomePolicyAudit();
  moves.guarantee = Whole();
  moves.any = 0.1;
  for (const double steps : {3.0, kInfinity}) {
    moves.steps = steps;
    for (const auto metric : {DistanceMetric::kEuclidean, DistanceMetric::kL1, DistanceMetric::kGreatCircle}) {
      Distance& distance = moves.distance.emplace();
      distance.columns = {"lon", "lat"};
      distance.metric = metric;
      distance.delta = 500;
      ExpectComesBack(moves, PolicyAuditFrom);
      const PolicyAudit read = PolicyAuditFrom(Sent(ToJson(moves))).value();
      EXPECT_EQ(read.distance->metric, metric);
      EXPECT_EQ(read.distance->columns, distance.columns);
      EXPECT_EQ(read.AnyChange(0.7), moves.AnyChange(0.7));
    }
  }
}

// Fields that only repeat what others say, or that may be left out, may be missing.
template <class T>
void ExpectPartsNeeded(const Json& whole, const std::string& at, const std::vector<std::string>& spare,
                       Result<T> (*from)(const Json&)) {
  Json copy = whole;
  for (const auto& [name, value] : test::PlaceIn(copy, at).items()) {
    const bool may_miss = std::find(spare.begin(), spare.end(), name) != spare.end();
    Json less = whole;
    test::PlaceIn(less, at).erase(name);
    const auto read = from(less);
    EXPECT_EQ(static_cast<bool>(read), may_miss) << at << "/" << name;
    if (!read) {
      EXPECT_EQ(read.error().code, Code::kInvalidArgument);
    }
    for (const Json& other : {Json(true), Json(-1.5), Json("x"), Json::array({-1}), Json{{"a", 1}}, Json()}) {
      Json changed = whole;
      test::PlaceIn(changed, at)[name] = other;
      if (const auto again = from(changed); !again) {
        EXPECT_EQ(again.error().code, Code::kInvalidArgument);
      }
    }
    Json changed = whole;
    test::PlaceIn(changed, at)[name] = {{"not", "this"}};
    const bool unread = name == "verdict" || name == "unproven" || name.starts_with("kept") || name == "fails" ||
                        name == "one_sided_warning" || name == "meaning";
    EXPECT_EQ(static_cast<bool>(from(changed)), unread) << at << "/" << name << " of another kind";
  }
}

TEST(DocumentTest, AnAuditThatIsNoneIsRefused) {
  PolicyAudit policy = SomePolicyAudit();
  policy.guarantee.moves = "moves of 2 km";
  policy.distance.emplace().delta = 2;
  policy.epsilon = 0.1;
  policy.stay = "in any stay";
  const Json plain = Sent(ToJson(policy));
  ExpectPartsNeeded(plain, "", {"verdict", "unproven", "epsilon", "about", "moves"}, PolicyAuditFrom);
  ExpectPartsNeeded(plain, "/moves", {"meaning"}, PolicyAuditFrom);
  for (const std::string part : {"/strata/1", "/strata/1/readings/0", "/places/0"})
    ExpectPartsNeeded(plain, part, {}, PolicyAuditFrom);
  policy.guarantee.one_sided = "ONE-SIDED RELEASES: x";
  const Json alone = Sent(ToJson(policy));
  for (const std::string part : {"/strata/1/noisy_answers_alone", "/places/0/noisy_answers_alone"})
    ExpectPartsNeeded(alone, part, {}, PolicyAuditFrom);
  Json none = plain;
  none["strata"] = Json::array();  // no verdict
  EXPECT_FALSE(PolicyAuditFrom(none));
  Json about = plain;
  about["about"] = "nobody";
  EXPECT_FALSE(PolicyAuditFrom(about));

  for (const Json& other : {Json(), Json(3), Json("x"), Json::array(), Json::object()}) {
    EXPECT_FALSE(PolicyAuditFrom(other));
  }
}

TEST(DocumentTest, AnErrorComesBack) {
  const Json sent = Sent(ToJson(Unsupported("w\xff", "x", "y").For("question")));
  const auto read = ErrorFrom(sent);
  ASSERT_TRUE(read);
  EXPECT_EQ(Sent(ToJson(*read)), sent);
  EXPECT_EQ(read->code, Code::kUnsupportedQuery);
  EXPECT_FALSE(ErrorFrom(Json::object()));
}

// Whatever a field is replaced by, reading fails or works, but never throws.
TEST(DocumentTest, ADocumentThatIsNoneIsRefused) {
  const Json answer = ToJson(SomeAnswer());
  for (const auto& [name, value] : answer.items()) {
    Json less = answer;
    less.erase(name);
    const auto read = AnswerFrom(less);
    EXPECT_TRUE(read || read.error().code == Code::kInvalidArgument) << name;
    for (const Json& other : {Json(), Json(3), Json("x"), Json::array({1}), Json{{"a", 1}}}) {
      Json changed = answer;
      changed[name] = other;
      const auto again = AnswerFrom(changed);
      EXPECT_TRUE(again || again.error().code == Code::kInvalidArgument) << name;
    }
  }
  EXPECT_FALSE(AnswerFrom(Json::object()));
  EXPECT_FALSE(GuaranteeFrom(Json::array()));
  EXPECT_FALSE(CertificateFrom(3));
  EXPECT_FALSE(ExplanationFrom(Json::object()));
  EXPECT_FALSE(BudgetFrom("x"));
  EXPECT_FALSE(StreamHeadFrom(nullptr));
  EXPECT_FALSE(StepFrom(Json::object()));
}

TEST(DocumentTest, InfiniteLossesAreWrittenAsSuch) {
  TransferredLoss found;
  found.result.dependent = kInfinity;
  found.result.bounds = {{"group", kInfinity, "somebody"}};
  EXPECT_EQ(ToJson(found).at("dependent"), "inf");
  EXPECT_EQ(ToJson(found).at("bounds").at("group"), "inf");
}

}  // namespace
}  // namespace kith::document
