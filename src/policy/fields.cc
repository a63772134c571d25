#include "policy/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"

namespace kith {
namespace {

using enum FieldPart;
using enum FieldChange;

constexpr std::string_view kWho = "a charge is about one unit's record, and the units would be others";
constexpr std::string_view kRows = "earlier answers are functions of the unit's rows, and lost what they were charged";
constexpr std::string_view kRaw = "earlier answers are functions of the raw record, and lost what they were charged";
constexpr std::string_view kAgain = "all that was ever spent is evaluated again under the new declaration";
constexpr std::string_view kSteps = "charges are for the steps that were declared";
constexpr std::string_view kMoves = "what a charge says is about moves of the distance that was declared then";
constexpr std::string_view kVersion = "a new version of the data begins";

constexpr PolicyField OfServer(std::string_view key, std::string_view written, std::string_view says,
                               std::string_view engines) {
  return {"data", key, written, says, kAnswers, kAccepted, kVersion, engines};
}
constexpr PolicyField OfDistance(std::string_view part, std::string_view key, std::string_view written,
                                 std::string_view says) {
  return {part, key, written, says, kIdentity, kRefused, kMoves};
}
constexpr PolicyField OfStream(std::string_view key, std::string_view written, std::string_view says) {
  return {"stream", key, written, says, kIdentity, kRefused, kSteps};
}
constexpr PolicyField OfModel(std::string_view key, std::string_view written, std::string_view says,
                              std::string_view kinds = {}) {
  return {"dependence", key, written, says, kAnswers, kAccepted, kAgain, kinds};
}
constexpr PolicyField OfTotal(std::string_view key, std::string_view written, std::string_view says) {
  return {"total", key, written, says, kAnswers, kAccepted, kAgain};
}

// Kinds of dependence; "file" is a model in a file. What is read before the kind is known belongs to none.
constexpr std::string_view kAnyKind = "any";
constexpr std::string_view kStated = "group overlap field chain tree star pairs lipschitz joint file";

constexpr auto kFields = std::to_array<PolicyField>({
    {"policy", "data", "a table", "where the rows are"},
    {"policy", "unit", "a table", "whose secrets are protected"},
    {"policy", "columns", "a table for each table", "public facts about columns"},
    {"policy", "dependence", "a table", "who depends on whom"},
    {"policy", "stream", "a table", "a table that grows with time"},
    {"policy", "budget", "a table", "how much may be revealed"},
    {"policy", "one_sided", "a table", "true records of rows that are not sensitive"},
    {"policy", "server", "a table", "how a server answers"},

    {"data", "engine", R"("duckdb", "postgresql", "trino")", "what reads the rows; DuckDB if it is left out", kAnswers,
     kAccepted, kVersion},
    OfServer("service", "a name", "an entry of the service file", "postgresql"),
    OfServer("host", "a name or address", "of the server", "postgresql trino"),
    OfServer("socket", "an absolute path", "the folder of the server's socket", "postgresql"),
    OfServer("port", "1 to 65535", "of the server", "postgresql trino"),
    OfServer("database", "a name", "on the server", "postgresql"),
    OfServer("url", "`https://host:port`", "in place of `host`, `port` and `tls`", "trino"),
    OfServer("tls", "`true`, `false`", "whether the server is asked over TLS, as it is if nothing is said", "trino"),
    OfServer("catalog", "a name", "on the server", "trino"),
    {"data", "schema", "a name", "goes before names of tables that have none", kIdentity, kAccepted, kVersion, "trino"},
    {"data", "user", "a name", "in whose name the server is asked", kNone, kFree, {}, "postgresql trino"},
    {"data", "rows_out", "`true`, `false`", "false: rows stay in the engine, only sums and counts leave it"},
    {"data", "tables", "a table of sources", "name and source of each table", kIdentity, kDepends},
    {"data", "name", "1 to 64 letters, digits, `_`, `-`, `.`", "what a server calls the data"},
    {"data", "version", "1 to 64 bytes", "the curator's name for the present version of the data"},
    {"data", "public_columns", R"("fixed")",
     "promise: no unit's public columns change between versions of the data, nor within one", kAnswers, kAccepted},
    {"data", "frozen", "`true`, `false`", "promise: data in place do not change under this version", kAnswers,
     kAccepted},

    {"table", "source", "a file, a list of Parquet files, a table of the engine", "where the rows are", kIdentity,
     kAccepted},
    {"table", "public", "`true`, `false`", "everybody may know all of this table", kIdentity, kRefused,
     "a table that everybody knows and one that holds secrets cannot be taken for each other"},
    {"table", "key", "a column", "public: each value is there once. Of units: names the unit of a row", kIdentity,
     kDepends},
    {"table", "max_rows", "a whole number", "of another table of the units: the most rows of a unit that count",
     kIdentity, kAccepted, kRows},
    {"table", "other", "a column", "of such a table: names a second unit that a row is about", kIdentity, kRefused,
     "earlier answers hid other units than those that rows would name now"},
    {"table", "max_other", "a whole number", "promise: in how many rows of all others one unit is named at most",
     kIdentity, kDepends},
    {"table", "separator", "a comma, `;`, a bar, a tab, a blank", "of CSV files: between fields", kIdentity, kDepends},
    {"table", "decimal", R"(".", ",")", "of CSV files: in numbers", kReading, kDepends},
    {"table", "encoding", "a name", "of CSV files: how bytes are letters", kIdentity, kDepends},
    {"table", "row_names", "`true`, `false`", "of CSV files: the first field has no name in the header", kIdentity,
     kDepends},
    {"table", "missing", "a list of texts", "what is read as a missing value", kReading, kDepends},
    {"table", "dates", "a format such as `%d.%m.%Y`", "how dates are written", kReading, kDepends},

    {"unit", "table", "a table", "whose rows are the units' secrets", kIdentity, kRefused, kWho},
    {"unit", "key", "a column, or two", "names the unit of a row", kIdentity, kRefused, kWho},
    {"unit", "row", "`true`", "in place of `key`: each row is a unit", kIdentity, kRefused, kWho},
    {"unit", "max_rows", "a whole number", "the most rows of a unit that count", kIdentity, kAccepted, kRows},
    {"unit", "presence", R"("secret", "public")", "whether everybody knows who is in the table", kIdentity, kRefused,
     "earlier answers were priced for the other pairs of databases"},
    {"unit", "distance", "a table", "where units are, and how long a move must stay hidden", kIdentity, kRefused,
     kMoves},
    {"unit", "within", "a public column", "names the household of a person", kIdentity, kDepends},
    {"unit", "size", "a whole number", "the most persons of a household", kIdentity, kDepends},

    OfDistance("distance", "columns", "one or two columns", "where a unit is"),
    OfDistance("distance", "metric", R"("euclidean", "l1", "great-circle")", "how far two places are apart"),
    OfDistance("distance", "delta", R"(a number, `"500 m"`, `"15 minutes"`)", "a move that must stay hidden"),
    OfDistance("distance", "sources", R"("none", "everywhere", places, a box, a file)",
               "where units can appear and disappear, if presence is secret"),
    OfDistance("place", "low", "numbers", "the lower corner of a box of sources"),
    OfDistance("place", "high", "numbers", "the upper corner"),

    {"column", "values", "a list", "every value that there can be; others are missing", kIdentity, kAccepted},
    {"column", "lower", "a number or a time", "values below are read as it", kIdentity, kDepends},
    {"column", "upper", "a number or a time", "values above are read as it", kIdentity, kDepends},
    {"column", "type", R"("text", "integer", "real", "boolean", "date", "timestamp")", "what it holds", kIdentity,
     kDepends},
    {"column", "public", R"(`true`, `false`, "per row")", "everybody knows it: of each unit, or of each row", kIdentity,
     kDepends},
    {"column", "required", "`true`, `false`", "never missing: read as the first value, or as `lower`", kIdentity,
     kAccepted},
    {"column", "constant", R"(`true`, `false`, "household")", "one for each unit, or for each household", kIdentity,
     kDepends},
    {"column", "missing", "a list of texts", "what is read as a missing value, for this column", kReading, kDepends},
    {"column", "dates", "a format such as `%d.%m.%Y`", "how dates are written, for this column", kReading, kDepends},
    {"column", "pattern", "characters by position", "of text: what can be distinguished in very many cells", kIdentity,
     kAccepted, kRaw},

    OfModel("source", R"("public")", "where the knowledge comes from"),
    OfModel("kind", "one of them", "how records depend on each other"),
    OfModel("accept", R"("unproven")", "formulas that are not proved may be used"),
    {"dependence",
     "confidence",
     "0.5 to 1",
     "the strength is an upper limit with this confidence",
     kNone,
     kFree,
     {},
     kStated},
    OfModel("file", "a file", "the model in its JSON form", "file"),
    OfModel("unit", R"("person", "household")", "whose records the model is about", "group field"),
    OfModel("by", "a public column", "names the group, or chain, of a unit", "group overlap chain file"),
    OfModel("size", "a whole number, a column, sizes by value", "the largest group in the world", "group overlap"),
    OfModel("odds_ratio", "a number from 1, numbers by value", "how strongly members depend on each other", "group"),
    OfModel("eta", "0 to 1", "how far one record moves the law of all others", "overlap"),
    OfModel("nodes", "a whole number", "units in the world", "field pairs"),
    OfModel("edges", "a list, a file, a table", "who depends on whom", "field pairs"),
    OfModel("theta", "a number from 0", "one strength for all edges", "field"),
    OfModel("factors", "a list", "several records that are tied together", "field"),
    OfModel("hidden", "nodes, or a column", "causes that are nobody's record", "group field"),
    OfModel("prevalence", "two probabilities", "of a yes, whatever all others are", "field"),
    OfModel("transition", "rows of probabilities", "from one step to the next", "chain"),
    OfModel("seasons", "a list of such rows", "in place of `transition`", "chain"),
    OfModel("start", R"(probabilities, "any")", "of the first step", "chain"),
    OfModel("length", "a whole number", "of the longest chain", "chain"),
    OfModel("parents", "a list", "the parent of each node, -1 for the root", "tree"),
    OfModel("root", "probabilities", "of the root", "tree"),
    OfModel("tables", "rows of probabilities", "of each node given its parent", "tree"),
    OfModel("neighbours", "rows of probabilities", "of each neighbour given the centre", "star"),
    OfModel("influence", "a matrix", "how far each record moves the law of each other", "lipschitz"),
    OfModel("diameters", "numbers", "how far two values of a record can be apart", "lipschitz"),
    OfModel("values", "whole numbers", "how many values each record has", "joint"),
    OfModel("law", "probabilities", "of all combinations", "joint"),
    OfModel("table", "rows of probabilities", "of a record given the one it is linked with", "pairs"),
    OfModel("distance", "a table", "a law by distance", "star pairs"),
    OfModel("degree", "a whole number", "the most links of a record", "pairs"),
    OfModel("coefficient", R"("eq18")", "a published formula that is not proved", "pairs"),
    OfModel("attribute", "a column that is yes or no", "through which alone members depend on each other",
            "group field"),
    OfModel("ties", R"("non-negative")", "whoever else has it, nobody has it less often for that", "group field"),
    OfModel("shared", "`{ sd = x }`, `{ range = x }`, `{ odds_ratio = x }`",
            "one cause that acts in the same direction on all members", "group"),
    OfModel("bound", R"("field-free")", "a published inequality that is not proved here may price answers", "field"),
    OfModel("sampled", "a file", "a limit from a public simulation", "field"),
    OfModel("known", "a list of totals", "exact totals that somebody may know", kAnyKind),
    {"dependence",
     "reviewed",
     "a whole number",
     "the generation for which the declared dependence was looked at again",
     kNone,
     kFree,
     {},
     kAnyKind},
    {"shared", "sd", "a number from 0", "of a normal cause, at most", kAnswers, kAccepted, kAgain},
    {"shared", "range", "a number from 0", "how far values of the cause are apart, at most", kAnswers, kAccepted,
     kAgain},
    {"shared", "odds_ratio", "a number from 1", "what the cause does to the odds of two members", kAnswers, kAccepted,
     kAgain},
    OfTotal("total", "a column", "of which somebody may know the total"),
    OfTotal("value", "a declared value", "how many units have it"),
    OfTotal("by", "public columns", "the total of each of their groups"),

    OfStream("time", "a column", "when a row is"),
    OfStream("step", R"(a whole number, `"1 hour"`)", "how long a step is"),
    OfStream("start", "a time", "when step 0 begins"),
    OfStream("window", "a whole number", "promise: for how many consecutive steps a unit is present"),

    {"budget", "epsilon", "a positive number", "the most that all answers together may reveal", kAnswers, kAccepted,
     "what was spent stays spent"},
    {"budget", "ledger", "a file", "that records what was spent"},
    {"budget", "household", "a table", "the same for households", kAnswers},
    {"budget", "neighbours", R"("replace", "add-or-remove")", "what `epsilon` limits", kAnswers, kAccepted,
     "the ledger holds both amounts of every answer: the limit is about the other one from now on, of all that was "
     "ever spent"},
    {"budget", "delta", "2.3e-16 to 0.1", "all answers together are then (epsilon, delta)-private", kAnswers, kAccepted,
     "once a ledger counts with a delta its caps are fixed, and it never counts without one again; what was spent "
     "before stays at its pure value"},
    {"budget", "keys_delta", "at most `delta`", "the part of it that is kept for keys that nobody declared", kAnswers},
    {"budget", "questions", "a whole number", "how many questions are expected in all"},
    {"budget", "caps", "cells and numbers", "the largest Gaussian loss of a cell"},
    {"household", "epsilon", "a positive number", "the most that all answers together may reveal about a household",
     kAnswers},

    {"one_sided", "sensitive", "a condition as in SQL", "which rows are never released", kNone, kDepends},
    {"one_sided", "columns", "a list", "what is released of a row; all declared columns if it is left out"},
    {"one_sided", "epsilon", "a positive number", "the most that all releases together may lose, for one row"},
    {"one_sided", "application", "a name", "whom the records are served to"},
    {"one_sided", "accept", R"("unbounded")", "records are released although others depend on them"},
    {"one_sided", "attribute", "a list of tables", "several rules, each with a name", kNone, kDepends},
    {"one_sided", "model", "a file", "how attributes depend on each other, for the analysis of leakage alone"},
    {"attribute", "name", "a name", "what the release is called", kNone, kDepends},
    {"attribute", "application", "a name", "whom the records are served to"},
    {"attribute", "columns", "a list", "what is released of a row"},
    {"attribute", "sensitive", "a condition as in SQL", "which rows are never released", kNone, kDepends},
    {"attribute", "epsilon", "a positive number", "the most that its releases together may lose, for one row"},

    {"server", "shared_history", "`true`, `false`", "analysts see each other's questions"},
    {"server", "tick", R"(`"0ms"` to `"10s"`)", "answers leave at multiples of it"},
    {"server", "approve_above", "a plain price", "a question at a higher one waits for a curator"},
    {"server", "approval_expires", "a length of time", "how long a question waits"},
});

bool IsOf(const PolicyField& field, std::string_view kind) {
  return field.kinds.empty() || fmt::format(" {} ", field.kinds).find(fmt::format(" {} ", kind)) != std::string::npos;
}

}  // namespace

std::span<const PolicyField> PolicyFields() { return kFields; }

const PolicyField& PolicyFieldOf(std::string_view part, std::string_view key) {
  const auto* field = std::find_if(kFields.begin(), kFields.end(),
                                   [&](const PolicyField& one) { return one.part == part && one.key == key; });
  KITH_CHECK(field != kFields.end());
  return *field;
}

std::vector<std::string> KeysOf(std::string_view part, std::string_view kind) {
  std::vector<std::string> keys;
  for (const PolicyField& field : kFields) {
    if (field.part == part && (kind.empty() || IsOf(field, kind))) keys.emplace_back(field.key);
  }
  return keys;
}

}  // namespace kith
