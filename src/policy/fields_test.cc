// The table of fields says what is so: of each row an example is changed, and digests and growth must do as it says.
#include "policy/fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "policy/growth.h"
#include "policy/policy.h"
#include "tests/support/source_folder.h"

namespace kith {
namespace {

// Parts of a policy, by name, which examples replace.
using Parts = std::map<std::string, std::string>;

Parts Usual() {
  return {{"data",
           "tables.people = { source = \"people.csv\" }\n"
           "tables.wards = { source = \"wards.csv\", public = true, key = \"code\" }\n"
           "tables.visits = { source = \"visits.csv\", key = \"who\", max_rows = 3 }\n"},
          {"unit", "table = \"people\"\nkey = \"id\"\nmax_rows = 2\npresence = \"secret\"\n"},
          {"people",
           "id = { type = \"integer\" }\nward = { values = [\"A\", \"B\"], public = true }\n"
           "home = { type = \"text\", public = true }\nage = { lower = 0, upper = 100 }\n"
           "ill = { values = [\"no\", \"yes\"] }\nzip = { type = \"text\" }\nborn = { type = \"date\" }\n"},
          {"wards", "code = { type = \"text\" }\n"},
          {"visits", "who = { type = \"integer\" }\nwhom = { type = \"integer\" }\ncost = { lower = 0, upper = 9 }\n"},
          {"dependence", "source = \"public\"\nkind = \"independent\"\n"},
          {"budget", "epsilon = 1.0\nledger = \"people.ledger\"\n"},
          {"more", ""}};
}

std::string TextOf(const Parts& parts) {
  std::string text = "[data]\n" + parts.at("data") + "[unit]\n" + parts.at("unit");
  for (const char* table : {"people", "wards", "visits"}) {
    if (!parts.at(table).empty()) text += std::string("[columns.") + table + "]\n" + parts.at(table);
  }
  return text + "[dependence]\n" + parts.at("dependence") + "[budget]\n" + parts.at("budget") + parts.at("more");
}

Parts With(Parts parts, const Parts& others) {
  for (const auto& [name, text] : others) parts[name] = text;
  return parts;
}

// One table of single rows.
Parts Alone(const std::string& source = "people.csv") {
  return With(Usual(), {{"data", "tables.people = { source = \"" + source + "\" }\n"},
                        {"unit", "table = \"people\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n"},
                        {"wards", ""},
                        {"visits", ""}});
}

Parts OnServer(const std::string& engine, const std::string& more) {
  return With(Alone("clinic.people"),
              {{"data", "engine = \"" + engine + "\"\n" + more + "tables.people = \"clinic.people\"\n"}});
}
Parts OnPostgres(const std::string& more = "host = \"a\"\ndatabase = \"d\"\n") { return OnServer("postgresql", more); }
Parts OnTrino(const std::string& more = "host = \"a\"\ncatalog = \"c\"\nuser = \"u\"\n") {
  return OnServer("trino", more);
}
Parts Somewhere() {
  return With(Alone(), {{"unit",
                         "table = \"people\"\nkey = \"id\"\nmax_rows = 1\npresence = \"secret\"\n"
                         "distance = { columns = [\"x\", \"y\"], metric = \"l1\", delta = 1, "
                         "sources = { low = [0, 0], high = [1, 1] } }\n"},
                        {"people",
                         "id = { type = \"integer\" }\nx = { type = \"real\", lower = 0, upper = 9, required "
                         "= true }\ny = { type = \"real\", lower = 0, upper = 9, required = true }\n"}});
}
Parts Growing() {
  return With(Alone(), {{"more", "[stream]\ntime = \"born\"\nstep = \"1 day\"\nwindow = 2\n"},
                        {"unit",
                         "table = \"people\"\nkey = \"id\"\nmax_rows = 1\npresence = "
                         "\"secret\"\n"}});
}
Parts Served() { return With(Alone(), {{"more", "[one_sided]\nsensitive = \"age < 18\"\nepsilon = 1.0\n"}}); }
Parts ServedTwice() {
  return With(Alone(), {{"more", "[[one_sided.attribute]]\nname = \"a\"\nsensitive = \"age < 18\"\nepsilon = 1.0\n"}});
}
Parts WithDelta() {
  Parts parts = With(Alone(), {{"budget", "epsilon = 1.0\nledger = \"people.ledger\"\ndelta = 1e-6\n"}});
  parts["data"] += "public_columns = \"fixed\"\n";
  return parts;
}
Parts Housed(const std::string& dependence = Usual().at("dependence")) {
  Parts parts = With(Alone(), {{"dependence", dependence}});
  parts["unit"] += "within = \"home\"\nsize = 3\n";
  return parts;
}
Parts Model(const std::string& fields) { return With(Alone(), {{"dependence", "source = \"public\"\n" + fields}}); }
Parts Knowing(const std::string& known) { return Model("kind = \"independent\"\nknown = [" + known + "]\n"); }

struct Example {
  const char* field;  // "unit.key"
  Parts parts;
  const char* in;  // the part that is edited
  const char* from;
  const char* to;
  std::optional<GrowthVerdict> verdict = {};  // where it depends: of this example
};

constexpr GrowthVerdict kAccepted = GrowthVerdict::kAccepted, kReview = GrowthVerdict::kReview,
                        kRefused = GrowthVerdict::kRefused;

std::vector<Example> Examples() {
  const std::string chain = "kind = \"chain\"\nlength = 3\nstart = [0.5, 0.5]\ntransition = [[0.8, 0.2], [0.3, 0.7]]\n";
  const std::string group = "kind = \"group\"\nby = \"home\"\nsize = 4\nodds_ratio = 3\n";
  const std::string field = "kind = \"field\"\nnodes = 3\nedges = [[0, 1, 0.7]]\n";
  const std::string tree =
      "kind = \"tree\"\nparents = [-1, 0]\nroot = [0.5, 0.5]\ntables = [[], [[0.8, 0.2], [0.2, 0.8]]]\n";
  const std::string pairs = "accept = \"unproven\"\nkind = \"pairs\"\ntable = [[0.6, 0.4], [0.4, 0.6]]\ndegree = 1\n";
  const std::string tied = group + "attribute = \"ill\"\nties = \"non-negative\"\n";
  const std::string shared = "kind = \"group\"\nby = \"home\"\nsize = 4\nattribute = \"ill\"\nshared = { sd = 0.8 }\n";
  const std::string net = field + "attribute = \"ill\"\nties = \"non-negative\"\n";
  const std::string places =
      "accept = \"unproven\"\nkind = \"pairs\"\ndegree = 2\ndistance = { axes = [[0, 1]], b = 0.2, c = 1.05 }\n";
  return {
      {"policy.data", Usual(), "data", "people.csv", "others.csv"},
      {"policy.unit", Usual(), "unit", "max_rows = 2", "max_rows = 3"},
      {"policy.columns", Usual(), "people", "upper = 100", "upper = 90"},
      {"policy.dependence", Model(group), "dependence", "size = 4", "size = 5"},
      {"policy.stream", Growing(), "more", "window = 2", "window = 3"},
      {"policy.budget", Usual(), "budget", "epsilon = 1.0", "epsilon = 2.0"},
      {"policy.one_sided", Served(), "more", "epsilon = 1.0", "epsilon = 2.0"},
      {"policy.server", Usual(), "more", "", "[server]\nshared_history = true\n"},

      {"data.engine", Alone("people.parquet"), "data", "tables", "engine = \"postgresql\"\ndatabase = \"d\"\ntables"},
      {"data.service", OnPostgres("service = \"a\"\n"), "data", "\"a\"", "\"b\""},
      {"data.host", OnPostgres(), "data", "\"a\"", "\"b\""},
      {"data.socket", OnPostgres("socket = \"/a\"\ndatabase = \"d\"\n"), "data", "\"/a\"", "\"/b\""},
      {"data.port", OnPostgres(), "data", "host", "port = 1\nhost"},
      {"data.database", OnPostgres(), "data", "\"d\"", "\"e\""},
      {"data.url", OnTrino("url = \"https://a\"\ncatalog = \"c\"\nuser = \"u\"\n"), "data", "//a", "//b"},
      {"data.tls", OnTrino(), "data", "host", "tls = false\nhost"},
      {"data.catalog", OnTrino(), "data", "\"c\"", "\"d\""},
      {"data.schema",
       With(OnTrino(), {{"data",
                         "engine = \"trino\"\nhost = \"a\"\ncatalog = \"c\"\nuser = \"u\"\n"
                         "schema = \"s\"\ntables.people = \"people\"\n"}}),
       "data", "\"s\"", "\"t\""},
      {"data.user", OnPostgres(), "data", "host", "user = \"u\"\nhost"},
      {"data.rows_out", Usual(), "data", "tables.people", "rows_out = false\ntables.people"},
      {"data.tables", Usual(), "data", "tables.wards",
       "tables.towns = { source = \"t.csv\", public = true }\ntables.wards", kAccepted},
      {"data.tables", Usual(), "data", "max_rows = 3 }\n",
       "max_rows = 3 }\ntables.stays = { source = \"s.csv\", key = \"a\", max_rows = 1 }\n[columns.stays]\na = { type "
       "= "
       "\"integer\" }\n",
       kReview},
      {"data.name", Usual(), "data", "tables.people", "name = \"clinic\"\ntables.people"},
      {"data.version", Usual(), "data", "tables.people", "version = \"2\"\ntables.people"},
      {"data.public_columns", Usual(), "data", "tables.people", "public_columns = \"fixed\"\ntables.people"},
      {"data.frozen", Alone("people.parquet"), "data", "tables.people", "frozen = true\ntables.people"},

      {"table.source", Usual(), "data", "people.csv", "others.csv"},
      {"table.public", Usual(), "data", "key = \"who\", max_rows = 3", "public = true, key = \"who\""},
      {"table.key", Usual(), "data", "key = \"who\"", "key = \"whom\"", kRefused},
      {"table.key", Usual(), "data", ", key = \"code\"", "", kAccepted},
      {"table.max_rows", Usual(), "data", "max_rows = 3", "max_rows = 4"},
      {"table.other", Usual(), "data", "max_rows = 3", "max_rows = 3, other = \"whom\", max_other = 2"},
      {"table.max_other",
       With(Usual(), {{"data", Usual().at("data") + "tables.talks = { source = \"t.csv\", key = \"a\", "
                                                    "max_rows = 1, other = \"b\", max_other = 2 }\n"},
                      {"more", "[columns.talks]\na = { type = \"integer\" }\nb = { type = \"integer\" }\n"}}),
       "data", "max_other = 2", "max_other = 3", kRefused},
      {"table.separator", Usual(), "data", "\"people.csv\"", "\"people.csv\", separator = \";\"", kRefused},
      {"table.decimal", Usual(), "data", "\"people.csv\"", "\"people.csv\", separator = \";\", decimal = \",\"",
       kRefused},
      {"table.encoding", Usual(), "data", "\"people.csv\"", "\"people.csv\", encoding = \"latin-1\"", kRefused},
      {"table.row_names", Usual(), "data", "\"people.csv\"", "\"people.csv\", row_names = true", kRefused},
      {"table.missing", Usual(), "data", "\"people.csv\"", "\"people.csv\", missing = [\"NA\"]", kRefused},
      {"table.dates", Usual(), "data", "\"people.csv\"", "\"people.csv\", dates = \"%d.%m.%Y\"", kAccepted},

      {"unit.key", Alone(), "unit", "key = \"id\"", "key = \"nr\""},
      {"unit.row", Alone(), "unit", "key = \"id\"\nmax_rows = 1", "row = true"},
      {"unit.max_rows", Usual(), "unit", "max_rows = 2", "max_rows = 3"},
      {"unit.presence", Usual(), "unit", "\"secret\"", "\"public\""},
      {"unit.distance", Somewhere(), "unit", "delta = 1", "delta = 2"},
      {"unit.within", Alone(), "unit", "presence", "within = \"home\"\nsize = 3\npresence", kAccepted},
      {"unit.within", Housed(), "unit", "\"home\"", "\"ward\"", kRefused},
      {"unit.size", Housed(), "unit", "size = 3", "size = 2", kAccepted},
      {"unit.size", Housed(), "unit", "size = 3", "size = 4", kRefused},

      {"distance.columns", Somewhere(), "unit", "[\"x\", \"y\"]", "[\"y\", \"x\"]"},
      {"distance.metric", Somewhere(), "unit", "\"l1\"", "\"euclidean\""},
      {"distance.delta", Somewhere(), "unit", "delta = 1", "delta = 2"},
      {"distance.sources", Somewhere(), "unit", "{ low = [0, 0], high = [1, 1] }", "\"everywhere\""},
      {"place.low", Somewhere(), "unit", "low = [0, 0]", "low = [0, 1]"},
      {"place.high", Somewhere(), "unit", "high = [1, 1]", "high = [1, 2]"},

      {"column.values", Usual(), "people", "\"yes\"]", "\"yes\", \"perhaps\"]"},
      {"column.values", Usual(), "people", "\"B\"]", "\"B\", \"C\"]"},
      {"column.lower", Usual(), "people", "lower = 0", "lower = 1", kAccepted},
      {"column.lower", Somewhere(), "people", "lower = 0", "lower = -1", kAccepted},
      {"column.upper", Usual(), "people", "upper = 100", "upper = 90", kAccepted},
      {"column.upper", Somewhere(), "people", "upper = 9", "upper = 8", kRefused},
      {"column.type", Usual(), "people", "age = { lower", "age = { type = \"real\", lower", kAccepted},
      {"column.type", Usual(), "people", "home = { type = \"text\"", "home = { type = \"integer\"", kRefused},
      {"column.public", Usual(), "people", "\"yes\"] }", "\"yes\"], public = true }", kReview},
      {"column.public", Usual(), "people", "\"B\"], public = true }", "\"B\"] }", kRefused},
      {"column.required", Usual(), "people", "\"yes\"]", "\"yes\"], required = true"},
      {"column.constant", Usual(), "people", "\"yes\"]", "\"yes\"], constant = true", kAccepted},
      {"column.missing", Usual(), "people", "\"yes\"]", "\"yes\"], missing = [\"?\"]", kAccepted},
      {"column.missing", Usual(), "people", "home = { type = \"text\"", "home = { missing = [\"?\"], type = \"text\"",
       kRefused},
      {"column.dates", Usual(), "people", "born = { type = \"date\"", "born = { dates = \"%d.%m.%Y\", type = \"date\"",
       kAccepted},
      {"column.pattern", Usual(), "people", "zip = { type = \"text\"", "zip = { pattern = \"[0-9]{5}\""},

      {"dependence.kind", Usual(), "dependence", "kind = \"independent\"", "kind = \"group\"\nsize = 2"},
      {"dependence.accept", Usual(), "dependence", "kind", "accept = \"unproven\"\nkind"},
      {"dependence.confidence", Model(group), "dependence", "size", "confidence = 0.95\nsize"},
      {"dependence.unit", Housed("source = \"public\"\nkind = \"group\"\nby = \"home\"\nsize = 3\n"), "dependence",
       "by = \"home\"", "unit = \"household\"\nby = \"ward\""},
      {"dependence.by", Model(group), "dependence", "by = \"home\"\n", ""},
      {"dependence.size", Model(group), "dependence", "size = 4", "size = 5"},
      {"dependence.odds_ratio", Model(group), "dependence", "odds_ratio = 3", "odds_ratio = 4"},
      {"dependence.eta", Model("kind = \"overlap\"\nby = \"home\"\nsize = 3\neta = 0.01\n"), "dependence", "0.01",
       "0.02"},
      {"dependence.nodes", Model(field), "dependence", "nodes = 3", "nodes = 4"},
      {"dependence.edges", Model(field), "dependence", "[0, 1, 0.7]", "[0, 2, 0.7]"},
      {"dependence.theta", Model("kind = \"field\"\nnodes = 9\nedges = \"e.csv\"\ntheta = 0.5\n"), "dependence", "0.5",
       "0.6"},
      {"dependence.factors", Model(field), "dependence", "nodes",
       "factors = [{ records = [0, 1, 2], theta = 0.8 }]\nnodes"},
      {"dependence.hidden", Model(field), "dependence", "nodes", "hidden = [2]\nnodes"},
      {"dependence.prevalence", Model(field), "dependence", "nodes", "prevalence = [0, 0.05]\nnodes"},
      {"dependence.transition", Model(chain), "dependence", "[0.8, 0.2]", "[0.7, 0.3]"},
      {"dependence.seasons", Model(chain), "dependence", "transition = [[0.8, 0.2], [0.3, 0.7]]",
       "seasons = [[[0.8, 0.2], [0.3, 0.7]], [[0.7, 0.3], [0.3, 0.7]]]"},
      {"dependence.start", Model(chain), "dependence", "start = [0.5, 0.5]", "start = [0.4, 0.6]"},
      {"dependence.length", Model(chain), "dependence", "length = 3", "length = 4"},
      {"dependence.parents",
       Model("kind = \"tree\"\nparents = [-1, 0, 0]\nroot = [0.5, 0.5]\ntables = [[], [[0.8, 0.2], "
             "[0.2, 0.8]], [[0.8, 0.2], [0.2, 0.8]]]\n"),
       "dependence", "[-1, 0, 0]", "[-1, 0, 1]"},
      {"dependence.root", Model(tree), "dependence", "root = [0.5, 0.5]", "root = [0.4, 0.6]"},
      {"dependence.tables", Model(tree), "dependence", "[0.8, 0.2]", "[0.7, 0.3]"},
      {"dependence.neighbours", Model("kind = \"star\"\nneighbours = [[[0.8, 0.2], [0.2, 0.8]]]\n"), "dependence",
       "[0.8, 0.2]", "[0.7, 0.3]"},
      {"dependence.influence",
       With(Somewhere(), {{"dependence",
                           "source = \"public\"\nkind = \"lipschitz\"\n"
                           "influence = [[0, 0.5], [0.2, 0]]\n"}}),
       "dependence", "0.5", "0.4"},
      {"dependence.diameters",
       With(Somewhere(), {{"dependence",
                           "source = \"public\"\nkind = \"lipschitz\"\n"
                           "influence = [[0, 0.5], [0.2, 0]]\n"}}),
       "dependence", "influence", "diameters = [1, 2]\ninfluence"},
      {"dependence.values", Model("kind = \"joint\"\nvalues = [2, 3]\nlaw = [0.1, 0.2, 0.2, 0.1, 0.2, 0.2]\n"),
       "dependence", "[2, 3]", "[3, 2]"},
      {"dependence.law", Model("kind = \"joint\"\nvalues = [2, 2]\nlaw = [0.4, 0.1, 0.1, 0.4]\n"), "dependence",
       "[0.4, 0.1, 0.1, 0.4]", "[0.3, 0.2, 0.2, 0.3]"},
      {"dependence.table", Model(pairs), "dependence", "[[0.6, 0.4], [0.4, 0.6]]", "[[0.7, 0.3], [0.3, 0.7]]"},
      {"dependence.distance", Model(places), "dependence", "b = 0.2", "b = 0.3"},
      {"dependence.degree", Model(pairs), "dependence", "degree = 1", "degree = 2"},
      {"dependence.coefficient", Model(places), "dependence", "degree", "coefficient = \"eq18\"\ndegree"},
      {"dependence.attribute", Model(group), "dependence", "size", "attribute = \"ill\"\nsize"},
      {"dependence.ties", Model(tied), "dependence", "ties = \"non-negative\"\n", ""},
      {"dependence.shared", Model(shared), "dependence", "shared = { sd = 0.8 }", "odds_ratio = 2"},
      {"dependence.bound", Model(net), "dependence", "nodes", "bound = \"field-free\"\nnodes"},
      {"shared.sd", Model(shared), "dependence", "sd = 0.8", "sd = 0.9"},
      {"shared.range", Model(shared), "dependence", "sd = 0.8", "range = 0.8"},
      {"shared.odds_ratio", Model(shared), "dependence", "sd = 0.8", "odds_ratio = 2"},
      {"dependence.known", Knowing("\"total\""), "dependence", "known = [\"total\"]\n", ""},
      {"dependence.reviewed", Usual(), "dependence", "kind", "reviewed = 2\nkind"},
      {"total.total", Knowing("{ total = \"ill\", value = \"yes\" }"), "dependence", "\"ill\", value = \"yes\"",
       "\"age\""},
      {"total.value", Knowing("{ total = \"ill\", value = \"yes\" }"), "dependence", "\"yes\"", "\"no\""},
      {"total.by", Knowing("{ total = \"ill\", value = \"yes\" }"), "dependence", "\"yes\"", "\"yes\", by = \"ward\""},

      {"stream.time", With(Growing(), {{"people", Growing().at("people") + "died = { type = \"date\" }\n"}}), "more",
       "\"born\"", "\"died\""},
      {"stream.step", Growing(), "more", "1 day", "2 days"},
      {"stream.start", Growing(), "more", "step", "start = \"2026-01-31\"\nstep"},
      {"stream.window", Growing(), "more", "window = 2", "window = 3"},

      {"budget.epsilon", Usual(), "budget", "epsilon = 1.0", "epsilon = 2.0"},
      {"budget.ledger", Usual(), "budget", "people.ledger", "other.ledger"},
      {"budget.household", Housed(), "more", "", "[budget.household]\nepsilon = 2.0\n"},
      {"budget.neighbours", Usual(), "budget", "ledger", "neighbours = \"add-or-remove\"\nledger"},
      {"budget.delta", WithDelta(), "budget", "1e-6", "2e-6"},
      {"budget.keys_delta", WithDelta(), "budget", "delta", "keys_delta = 1e-7\ndelta"},
      {"budget.questions", WithDelta(), "budget", "delta", "questions = 9\ndelta"},
      {"budget.caps", WithDelta(), "more", "", "[budget.caps]\n\"ward=A\" = 0.1\n"},
      {"household.epsilon", With(Housed(), {{"more", "[budget.household]\nepsilon = 2.0\n"}}), "more", "2.0", "3.0"},

      {"one_sided.sensitive", Served(), "more", "< 18", "< 16", kAccepted},
      {"one_sided.columns", Served(), "more", "epsilon", "columns = [\"age\"]\nepsilon"},
      {"one_sided.epsilon", Served(), "more", "1.0", "2.0"},
      {"one_sided.application", Served(), "more", "epsilon", "application = \"a\"\nepsilon"},
      {"one_sided.accept", Served(), "more", "epsilon", "accept = \"unbounded\"\nepsilon"},
      {"one_sided.attribute", ServedTwice(), "more", "[[one",
       "[[one_sided.attribute]]\nname = \"b\"\nsensitive = \"age < 9\"\nepsilon = 1.0\n[[one", kAccepted},
      {"one_sided.model", Served(), "more", "epsilon", "model = \"l.json\"\nepsilon"},
      {"attribute.name", ServedTwice(), "more", "\"a\"", "\"b\"", kAccepted},
      {"attribute.application", ServedTwice(), "more", "epsilon", "application = \"a\"\nepsilon"},
      {"attribute.columns", ServedTwice(), "more", "epsilon", "columns = [\"age\"]\nepsilon"},
      {"attribute.sensitive", ServedTwice(), "more", "< 18", "< 16", kAccepted},
      {"attribute.epsilon", ServedTwice(), "more", "1.0", "2.0"},

      {"server.shared_history", Usual(), "more", "", "[server]\nshared_history = true\n"},
      {"server.tick", Usual(), "more", "", "[server]\ntick = \"1s\"\n"},
      {"server.approve_above", Usual(), "more", "", "[server]\napprove_above = 0.2\n"},
      {"server.approval_expires", Usual(), "more", "", "[server]\napproval_expires = \"1d\"\n"},
  };
}

// Nothing else can be written there, or it takes files.
const std::set<std::string> kNoExample = {"dependence.source", "dependence.file", "dependence.sampled", "unit.table"};

std::string Edited(const Example& example) {
  Parts parts = example.parts;
  std::string& text = parts.at(example.in);
  const auto at = text.find(example.from);
  EXPECT_NE(at, std::string::npos) << example.field << ": " << example.from;
  if (at != std::string::npos) text.replace(at, std::string(example.from).size(), example.to);
  return TextOf(parts);
}

std::string NameOf(const PolicyField& field) { return std::string(field.part) + "." + std::string(field.key); }

GrowthVerdict VerdictOf(FieldChange change) {
  return change == FieldChange::kRefused ? kRefused : change == FieldChange::kReview ? kReview : kAccepted;
}

// What the table says that is not so of an example; empty if all is.
std::string Wrong(const PolicyField& field, const Example& example) {
  const auto before = Policy::Parse(TextOf(example.parts), "policy.toml");
  const auto after = Policy::Parse(Edited(example), "policy.toml");
  if (!before || !after) return (before ? after : before).error().Text();
  const bool identity = before->identity_fingerprint() != after->identity_fingerprint();
  const bool answers = before->fingerprint() != after->fingerprint();
  std::string wrong;
  if (field.in != FieldPart::kReading && identity != (field.in == FieldPart::kIdentity)) wrong += "identity; ";
  if (answers != (field.in != FieldPart::kNone)) wrong += "answers; ";
  const auto growth = CompareGenerations(DescribePolicy(*before), DescribePolicy(*after), {});
  if (!growth) return wrong + growth.error().Text();
  const GrowthVerdict worst = growth->Has(kRefused) ? kRefused : growth->Has(kReview) ? kReview : kAccepted;
  if (field.change == FieldChange::kDepends) return example.verdict == worst ? wrong : wrong + "this change; ";
  if (growth->changes.empty() != (field.change == FieldChange::kFree)) wrong += "whether it is a change; ";
  if (worst != VerdictOf(field.change)) wrong += "the change; ";
  const bool said = field.why.empty() || std::any_of(growth->changes.begin(), growth->changes.end(),
                                                     [&](const auto& one) { return one.why == field.why; });
  return said ? wrong : wrong + "why; ";
}

TEST(PolicyFields, EachIsWhatTheTableSays_POLICY5) {
  std::set<std::string> shown;
  for (const Example& example : Examples()) {
    const std::string name = example.field;
    shown.insert(name);
    const auto dot = name.find('.');
    const PolicyField& field = PolicyFieldOf(name.substr(0, dot), name.substr(dot + 1));
    if (field.part == "policy") continue;  // a part is as its keys are
    EXPECT_EQ(Wrong(field, example), "") << name << " from " << example.from << " to " << example.to;
  }
  for (const PolicyField& field : PolicyFields())
    EXPECT_NE(shown.contains(NameOf(field)), kNoExample.contains(NameOf(field))) << NameOf(field);
}

TEST(PolicyFields, TheCheckAboveSeesARowThatSaysAnythingElse) {
  for (const Example& example : Examples()) {
    const std::string name = example.field;
    const auto dot = name.find('.');
    const PolicyField& field = PolicyFieldOf(name.substr(0, dot), name.substr(dot + 1));
    if (field.part == "policy") continue;
    for (const FieldPart in : {FieldPart::kNone, FieldPart::kAnswers, FieldPart::kIdentity}) {
      if (in == field.in || field.in == FieldPart::kReading) continue;
      PolicyField other = field;
      other.in = in;
      EXPECT_NE(Wrong(other, example), "") << name;
    }
    for (const FieldChange change :
         {FieldChange::kFree, FieldChange::kAccepted, FieldChange::kReview, FieldChange::kRefused}) {
      if (change == field.change || field.change == FieldChange::kDepends) continue;
      PolicyField other = field;
      other.change = change;
      EXPECT_NE(Wrong(other, example), "") << name;
    }
  }
}

// A key that no row has is refused; one of a row is known, whatever else is wrong with it.
TEST(PolicyFields, OnlyTheKeysOfTheTableAreKnown) {
  for (const char* part : {"data", "unit", "budget", "dependence"}) {
    Parts parts = Usual();
    parts[part] += "xyzzy = 1\n";
    const auto policy = Policy::Parse(TextOf(parts), "policy.toml");
    ASSERT_FALSE(policy) << part;
    EXPECT_NE(policy.error().what.find("unknown key 'xyzzy'"), std::string::npos) << policy.error().what;
  }
  std::set<std::string> names;
  for (const PolicyField& field : PolicyFields()) {
    EXPECT_TRUE(names.insert(NameOf(field)).second) << NameOf(field);
    EXPECT_FALSE(field.says.empty());
  }
}

// KITH_WRITE_GUIDE=1 writes it there.
TEST(PolicyFields, TheReferencePageShowsTheTable) {
  const auto path = testing::SourceFolder() / "docs/guide/policy_fields.md";
  std::stringstream read;
  read << std::ifstream(path).rdbuf();
  const std::string page = read.str(), from = "<!-- from here src/policy/fields.cc -->\n";
  const std::size_t begin = page.find(from);
  ASSERT_NE(begin, std::string::npos);
  const std::string head = page.substr(0, begin + from.size()), shown = "\n" + PolicyFieldsReference();
  if (std::getenv("KITH_WRITE_GUIDE") != nullptr)
    std::ofstream(path) << head << shown;
  else
    EXPECT_EQ(page.substr(head.size()), shown) << "KITH_WRITE_GUIDE=1 build/src/policy_tests writes it";
}

}  // namespace
}  // namespace kith
