// Every refusal of a policy: the exact line, what is wrong, and how to fix it.
#include <gtest/gtest.h>

#include "policy/policy.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

using testing::TwinsPolicyText;

struct Refusal {
  const char* name;
  const char* from;  // a part of the twins' policy, found once
  const char* to;    // what is there instead
  int line;          // where the error must point
  const char* what;  // part of the message
  const char* next;  // part of the advice
};

std::string Changed(const Refusal& refusal) {
  std::string text = TwinsPolicyText();
  const auto at = text.find(refusal.from);
  EXPECT_NE(at, std::string::npos) << "nothing to change";
  EXPECT_EQ(text.find(refusal.from, at + 1), std::string::npos) << "more than one place to change";
  return text.replace(at, std::string(refusal.from).size(), refusal.to);
}

class PolicyRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(PolicyRefusal, NamesLineAndFix) {
  const Refusal& refusal = GetParam();
  const auto policy = Policy::Parse(Changed(refusal), "some/policy.toml");
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().code, Code::kInvalidArgument);
  const std::string where = "some/policy.toml:" + std::to_string(refusal.line);
  EXPECT_EQ(policy.error().where.substr(0, policy.error().where.find(" (")), where) << policy.error().Text();
  EXPECT_NE(policy.error().what.find(refusal.what), std::string::npos) << policy.error().Text();
  EXPECT_NE(policy.error().next.find(refusal.next), std::string::npos) << policy.error().Text();
}

const auto kName = [](const auto& info) { return std::string(info.param.name); };

const Refusal kToml[] = {
    {"BrokenString", "\"twins.csv\"", "\"twins.csv", 2, "does not end on its line", "close the quotes"},
    {"DuplicateKey", "max_rows = 1\n", "max_rows = 1\nmax_rows = 2\n", 8, "cannot redefine", "once"},
    {"DuplicateSection", "[budget]", "[unit]\n[budget]", 23, "cannot redefine", "once"},
    {"SectionOverValue", "max_rows = 1\n", "max_rows = 1\n[unit.key]\nx = 1\n", 8, "cannot redefine", "once"},
    {"SectionBelowValue", "max_rows = 1\n", "max_rows = 1\n[unit.key.x]\n[other]\n", 8, "cannot redefine", "once"},
    {"NotUtf8", "twins.csv", "tw\xFFns.csv", 2, "not UTF-8", "UTF-8"},
    {"DateThatIsNone", "{ lower = 0, upper = 120 }", "{ lower = 2023-02-29, upper = 2024-01-01 }", 12, "not TOML",
     "correct"},
    {"LetterOutsideQuotes", "age =", "h\xC3\xB6he =", 12, "beyond ASCII", "into quotes"},
    {"SpaceOutsideQuotes", "age =", "age\xC2\xA0=", 12, "beyond ASCII", "into quotes"},
    {"BackslashBeforeLetter", "twins.csv", "tw\\\xC3\xA4ns.csv", 2, "a backslash", "remove it"},
    {"UnknownEscape", "twins.csv", "tw\\ins.csv", 2, "unknown escape", "correct"},
    {"UnknownEscapeBesideLetters", "twins.csv", "\xC3\xA4tw\\ins.csv", 2, "unknown escape", "correct"},
    {"MultiLineText", "\"twins.csv\"", "\"\"\"\\\n\xC3\xB6.csv\"\"\"", 2, "multi-line", "one line"},
    {"MultiLineLiteral", "\"twins.csv\"", "'''twins.csv'''", 2, "multi-line", "one line"},
    {"ManyBrackets", "[\"no\", \"yes\"]", "[[[[[[[[[[[[[[[[[[\"no\"]]]]]]]]]]]]]]]]]]", 11, "16 brackets",
     "four at most"},
    {"ManyKeyParts", "max_rows = 1", "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q = 1", 7, "16 parts", "three at most"},
};
INSTANTIATE_TEST_SUITE_P(Toml, PolicyRefusal, ::testing::ValuesIn(kToml), kName);

const Refusal kParts[] = {
    {"UnknownSection", "[budget]", "[bugdet]", 23, "unknown key 'bugdet'", "did you mean 'budget'?"},
    {"NoData", "[data]\ntables.twins = \"twins.csv\"", "", 24, "no [data]", "[data]"},
    {"NoUnit", "[unit]\ntable = \"twins\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"", "", 21, "no [unit]",
     "presence"},
    {"NoBudget", "[budget]\nepsilon = 1.0\nledger = \"twins.ledger\"\n", "", 22, "no [budget]", "epsilon"},
};
INSTANTIATE_TEST_SUITE_P(Parts, PolicyRefusal, ::testing::ValuesIn(kParts), kName);

const Refusal kData[] = {
    {"KeyOfASecretTable", "\"twins.csv\"", "{ source = \"twins.csv\", key = \"id\" }", 2, "is public or has max_rows",
     "[unit]"},
    {"MoreRowsOfAPublicTable", "\"twins.csv\"\n",
     "\"twins.csv\"\ntables.w = { source = \"w.csv\", public = true, key = \"code\", max_rows = 2 }\n", 3,
     "a public table has no max_rows", "remove max_rows"},
    {"MoreRowsWithoutAKey", "\"twins.csv\"\n", "\"twins.csv\"\ntables.w = { source = \"w.csv\", max_rows = 2 }\n", 3,
     "does not say 'key'", "names the unit"},
    {"MoreRowsNone", "\"twins.csv\"\n",
     "\"twins.csv\"\ntables.w = { source = \"w.csv\", key = \"id\", max_rows = 0 }\n", 3, "max_rows must lie between",
     "the most rows"},
    {"RowsOfTheUnitTwice", "\"twins.csv\"\n", "{ source = \"twins.csv\", key = \"id\", max_rows = 2 }\n", 5,
     "are those of the unit", "in [unit]"},
    {"MoreRowsKeyNotDeclared", "\"twins.csv\"\n",
     "\"twins.csv\"\ntables.w = { source = \"w.csv\", key = \"who\", max_rows = 2 }\n", 11,
     "the key 'who' of table w is not declared", "[columns.w]"},
    {"KeyWithBounds", "\"twins.csv\"\n",
     "\"twins.csv\"\ntables.w = { source = \"w.csv\", public = true, key = \"code\" }\n[columns.w]\ncode = { lower = "
     "0, "
     "upper = 9 }\n",
     5, "is the table's key and cannot have 'lower'", "only its type"},
    {"KeyThatIsReal", "\"twins.csv\"\n",
     "\"twins.csv\"\ntables.w = { source = \"w.csv\", public = true, key = \"code\" }\n[columns.w]\ncode = { type = "
     "\"real\" }\n",
     5, "is the table's key and cannot be real", "integer"},
    {"KeyNotDeclared", "\"twins.csv\"\n",
     "\"twins.csv\"\ntables.w = { source = \"w.csv\", public = true, key = \"code\" }\n", 11, "is not declared",
     "[columns.w]"},
    {"UnknownKey", "tables.twins", "table.twins", 2, "unknown key 'table' in [data]", "did you mean 'tables'?"},
    {"UnknownEngine", "[data]", "[data]\nengine = \"oracle\"", 2, "unknown engine", "postgresql"},
    {"Password", "[data]", "[data]\nengine = \"postgresql://ann:pw@host/db\"", 2, "password", "PGPASSWORD"},
    {"PasswordParameter", "[data]", "[data]\nengine = \"postgresql://host/db?password=pw\"", 2, "password",
     "PGPASSWORD"},
    {"PasswordEncoded", "[data]", "[data]\nengine = \"postgresql:///db?%70assWord=pw\"", 2, "password", "PGPASSWORD"},
    {"EngineAddress", "[data]", "[data]\nengine = \"postgresql://ann@host/db\"", 2, "not an address", "database"},
    {"PasswordField", "[data]", "[data]\nengine = \"postgresql\"\npassword = \"pw\"", 3, "password", "PGPASSWORD"},
    {"PasswordFile", "[data]", "[data]\npassfile = \"x\"", 2, "password", "service file"},
    {"PasswordInDatabase", "[data]", "[data]\nengine = \"postgresql\"\ndatabase = \"a password=b\"", 3, "one word",
     "PGPASSWORD"},
    {"ServerWithoutDatabase", "[data]", "[data]\nengine = \"postgresql\"", 1, "database", "service"},
    {"ServerHostAndSocket", "[data]",
     "[data]\nengine = \"postgresql\"\ndatabase = \"a\"\nhost = \"h\"\nsocket = \"/s\"", 5, "both", "keep one"},
    {"ServerHosts", "[data]", "[data]\nengine = \"postgresql\"\ndatabase = \"a\"\nhost = \"h,i\"", 4, "single", "one"},
    {"HostWithUser", "[data]", "[data]\nengine = \"postgresql\"\ndatabase = \"a\"\nhost = \"ann:pw@h\"", 4, "single",
     "one"},
    {"ServerSocket", "[data]", "[data]\nengine = \"postgresql\"\ndatabase = \"a\"\nsocket = \"s\"", 4, "absolute",
     "/run"},
    {"ServerPort", "[data]", "[data]\nengine = \"postgresql\"\ndatabase = \"a\"\nport = 0", 4, "between 1", "5432"},
    {"HostOfFiles", "[data]", "[data]\nhost = \"h\"", 2, "engines with a server", "postgresql"},
    {"TrinoWithoutUrl", "[data]", "[data]\nengine = \"trino\"\ncatalog = \"c\"", 1, "url", "https://"},
    {"TrinoWithoutCatalog", "[data]", "[data]\nengine = \"trino\"\nurl = \"https://h\"\nuser = \"u\"", 1, "catalog",
     "catalog = "},
    {"TrinoPassword", "[data]", "[data]\nengine = \"trino\"\nurl = \"https://ann:pw@h\"", 3, "password",
     "KITH_TRINO_PASSWORD"},
    {"TrinoPath", "[data]", "[data]\nengine = \"trino\"\nurl = \"https://h/path\"", 3, "host and a port", "https://"},
    {"TrinoScheme", "[data]", "[data]\nengine = \"trino\"\nurl = \"trino://h\"", 3, "https://", "https://"},
    {"TrinoTwoPlaces", "[data]", "[data]\nengine = \"trino\"\nurl = \"https://h\"\nhost = \"h\"", 4, "beside a url",
     "keep one"},
    {"TrinoPort", "[data]", "[data]\nengine = \"trino\"\nhost = \"h\"\nport = 70000", 4, "between 1", "8443"},
    {"TrinoWithSocket", "[data]", "[data]\nengine = \"trino\"\nsocket = \"/s\"", 3, "another engine", "catalog"},
    {"PostgreSqlWithCatalog", "[data]", "[data]\nengine = \"postgresql\"\ncatalog = \"c\"", 3, "another engine",
     "database"},
    {"CatalogOfFiles", "[data]", "[data]\ncatalog = \"c\"", 2, "engines with a server", "trino"},
    {"RowsOutNoFlag", "[data]", "[data]\nrows_out = \"no\"", 2, "rows_out", "quotes"},
    {"EngineNoText", "[data]", "[data]\nengine = 5", 2, "must be a text, not a whole number", "engine = "},
    {"VersionNoText", "[data]", "[data]\nversion = 2", 2, "must be a text, not a whole number", "version = "},
    {"VersionADate", "[data]", "[data]\nversion = 2026-11-01", 2, "must be a text", "version = "},
    {"VersionEmpty", "[data]", "[data]\nversion = \"\"", 2, "is empty", "correct"},
    {"VersionBlank", "[data]", "[data]\nversion = \"  \"", 2, "blank", "version = "},
    {"VersionLong", "[data]", "[data]\nversion = \"12345678901234567890123456789012345678901234567890123456789012345\"",
     2, "longer than 64 bytes", "version = "},
    {"VersionControl", "[data]", "[data]\nversion = \"a\\u001b[2J\"", 2, "control character", "correct"},
    {"VersionControlBeyondAscii", "[data]", "[data]\nversion = \"a\\u009b2J\"", 2, "control character", "version = "},
    {"VersionBackwards", "[data]", "[data]\nversion = \"a\\u202eb\"", 2, "control character", "version = "},
    {"PublicColumnsOther", "[data]", "[data]\npublic_columns = \"constant\"", 2, "cannot be 'constant'", "fixed"},
    {"PublicColumnsNoText", "[data]", "[data]\npublic_columns = true", 2, "must be a text", "public_columns = "},
    {"FrozenNoFlag", "[data]", "[data]\nfrozen = \"true\"", 2, "must be true or false", "quotes"},
    {"FrozenCsv", "[data]", "[data]\nfrozen = true", 2, "a CSV file is not", "remove it"},
    {"GroupsInPlace", "\"twins.csv\"", "\"twins.parquet\"", 16, "names a unit's group", "frozen = true"},
    {"NoTables", "tables.twins = \"twins.csv\"", "", 1, "does not say 'tables'", "tables.people"},
    {"EmptyTables", "tables.twins = \"twins.csv\"", "tables = {}", 1, "does not say 'tables'", "tables.people"},
    {"TablesNoTable", "tables.twins = \"twins.csv\"", "tables = 3", 2, "must be a table", "tables.people"},
    {"SourceNoText", "\"twins.csv\"", "3", 2, "must be a table", "file.csv"},
    {"SourceMissing", "\"twins.csv\"", "{ public = true }", 2, "does not say 'source'", "source"},
    {"SourceUnknownKey", "\"twins.csv\"", "{ source = \"a.csv\", pubic = true }", 2, "unknown key 'pubic'",
     "did you mean 'public'?"},
    {"SourceEmpty", "\"twins.csv\"", "\"\"", 2, "empty", "correct"},
    {"SourceAddress", "\"twins.csv\"", "\"https://host/twins.csv\"", 2, "address", "fetch"},
    {"SourceManyFiles", "\"twins.csv\"", "\"twins-*.csv\"", 2, "many files", "one file"},
    {"TableTwice", "tables.twins", "tables.Twins = \"a.csv\"\ntables.twins", 3, "two tables", "rename"},
    {"TableNameControl", "tables.twins", "tables.\"a\\u0007\" = \"a.csv\"\ntables.twins", 2, "control character",
     "rename"},
    {"TableNameEmpty", "tables.twins", "tables.\"\" = \"a.csv\"\ntables.twins", 2, "is empty", "rename"},
};
INSTANTIATE_TEST_SUITE_P(Data, PolicyRefusal, ::testing::ValuesIn(kData), kName);

const Refusal kUnit[] = {
    {"UnknownKey", "max_rows", "max_row", 7, "unknown key 'max_row' in [unit]", "did you mean 'max_rows'?"},
    {"Transposed", "presence", "presnece", 8, "unknown key 'presnece'", "did you mean 'presence'?"},
    {"NoTable", "table = \"twins\"\n", "", 4, "does not say 'table'", "protected"},
    {"OtherTable", "table = \"twins\"", "table = \"twin\"", 5, "no table 'twin'", "did you mean 'twins'?"},
    {"PublicTable", "\"twins.csv\"", "{ source = \"twins.csv\", public = true }", 5, "declared public",
     "public = true"},
    {"SecondSecretTable", "tables.twins", "tables.visits = \"v.csv\"\ntables.twins", 6,
     "neither the unit's table nor public", "public = true"},
    {"NoKeyNoRow", "key = \"id\"\n", "", 4, "'key' or 'row'", "row = true"},
    {"KeyAndRow", "key = \"id\"", "key = \"id\"\nrow = true", 7, "both", "keep one"},
    {"RowFalse", "key = \"id\"", "row = false", 6, "row = false", "row = true"},
    {"RowNoBoolean", "key = \"id\"", "row = \"true\"", 6, "must be true or false, not a text", "quotes"},
    {"BothEndsNotDeclared", "key = \"id\"\nmax_rows = 1\npresence = \"public\"",
     "key = [\"src\", \"dst\"]\nmax_rows = 1\npresence = \"secret\"", 4, "'src' names people", "type = \"integer\""},
    {"BothEndsPublicPresence", "key = \"id\"", "key = [\"src\", \"dst\"]", 8, "presence cannot be public",
     "presence = \"secret\""},
    {"BothEndsOfThree", "key = \"id\"", "key = [\"a\", \"b\", \"c\"]", 6, "lists 3 columns", "key = [\"a\", \"b\"]"},
    {"BothEndsOfOne", "key = \"id\"", "key = [\"a\", \"A\"]", 6, "one column twice", "key = [\"a\", \"b\"]"},
    {"BothEndsNoText", "key = \"id\"", "key = [1, 2]", 6, "not a text", "key = [\"a\", \"b\"]"},
    {"BothEndsControl", "key = \"id\"", "key = [\"a\", \"b\\u0007\"]", 6, "control character", "correct"},
    {"KeyNoText", "key = \"id\"", "key = 7", 6, "must be a text", "key = "},
    {"KeyTooLong", "key = \"id\"", "key = \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"", 6,
     "63 bytes", "correct"},
    {"NoMaxRows", "max_rows = 1\n", "", 4, "does not say 'max_rows'", "max_rows = n"},
    {"MaxRowsZero", "max_rows = 1", "max_rows = 0", 7, "between 1 and", "most rows"},
    {"MaxRowsHuge", "max_rows = 1", "max_rows = 1000001", 7, "between 1 and", "most rows"},
    {"MaxRowsReal", "max_rows = 1", "max_rows = 1.5", 7, "whole number", "correct"},
    {"MaxRowsOfRows", "key = \"id\"\nmax_rows = 1", "row = true\nmax_rows = 2", 7, "must be 1", "key"},
    {"NoPresence", "presence = \"public\"\n", "", 4, "does not say 'presence'", "presence = \"secret\""},
    {"PresenceUnknown", "presence = \"public\"", "presence = \"open\"", 8, "'open'", "presence = \"secret\""},
    {"PresenceBoolean", "presence = \"public\"", "presence = true", 8, "must be a text", "presence = "},
};
INSTANTIATE_TEST_SUITE_P(Unit, PolicyRefusal, ::testing::ValuesIn(kUnit), kName);

const Refusal kColumns[] = {
    {"ConstantNoBoolean", "upper = 120 }", "upper = 120, constant = \"yes\" }", 12, "neither true nor",
     "constant = \"household\""},
    {"PublicNeither", "\"os\"], public = true", "\"os\"], public = \"each row\"", 13, "neither true nor",
     "public = \"per row\""},
    {"PerRowStrength", "\"os\"], public = true", "\"os\"], public = \"per row\"", 13, "for the unit as a whole",
     "public = true"},
    {"PerRowConstant", "\"male\"], public = true", "\"male\"], constant = true, public = \"per row\"", 14,
     "declared to be constant", "remove 'constant'"},
    {"PerRowKey", "[columns.twins]\n", "[columns.twins]\nid = { type = \"integer\", public = \"per row\" }\n", 11,
     "the same in all rows that it names", "public = true"},
    {"PerRowOfRows",
     "key = \"id\"\nmax_rows = 1\npresence = \"public\"\n\n[columns.twins]\nstutter = { values = [\"no\", \"yes\"] }",
     "row = true\npresence = \"public\"\n\n[columns.twins]\nstutter = { type = \"boolean\", public = \"per row\" }", 10,
     "each row is a unit of its own", "public = true"},
    {"HouseholdWithoutOne", "\"male\"], public = true", "\"male\"], constant = \"household\", public = true", 14,
     "constant in households", "'within'"},
    {"ConstantPublic", "\"os\"], public = true", "\"os\"], public = true, constant = true", 13, "it is public",
     "remove constant"},
    {"ConstantRows",
     "key = \"id\"\nmax_rows = 1\npresence = \"public\"\n\n[columns.twins]\nstutter = { values = [\"no\", \"yes\"] }",
     "row = true\npresence = \"public\"\n\n[columns.twins]\nstutter = { type = \"boolean\", constant = true }", 10,
     "units have no single key", "name one column as key"},
    {"ConstantKey", "[columns.twins]\n", "[columns.twins]\nid = { type = \"integer\", constant = true }\n", 11,
     "cannot have 'constant'", "only its type"},
    {"ConstantBesideATable",
     "\"twins.csv\"\n\n[unit]\ntable = \"twins\"\nkey = \"id\"\nmax_rows = 1\npresence = "
     "\"public\"\n\n[columns.twins]\n"
     "stutter = { values = [\"no\", \"yes\"] }",
     "\"twins.csv\"\ntables.Twins_Units = { source = \"u.csv\", public = true }\n[unit]\ntable = \"twins\"\nkey = "
     "\"id\"\n"
     "max_rows = 1\npresence = \"public\"\n\n[columns.twins]\nstutter = { type = \"boolean\", constant = true }",
     1, "as the table of units", "rename it"},
    {"UnknownTable", "[columns.twins]", "[columns.twin]", 10, "no table 'twin'", "did you mean 'twins'?"},
    {"UnknownKey", "upper = 120", "uper = 120", 12, "unknown key 'uper' in column 'age'", "did you mean 'upper'?"},
    {"NoTable", "{ lower = 0, upper = 120 }", "\"integer\"", 12, "must be a table, not a text", "type = \"text\""},
    {"NothingSaid", "{ lower = 0, upper = 120 }", "{}", 12, "does not say 'type'", "values = [...]"},
    {"UnknownType", "{ lower = 0, upper = 120 }", "{ type = \"weight\" }", 12, "unknown type 'weight'",
     "choose from: text, integer"},
    {"OtherNameOfAType", "{ lower = 0, upper = 120 }", "{ type = \"Float\" }", 12, "unknown type 'Float'",
     "write type = \"real\""},
    {"MisspeltType", "{ lower = 0, upper = 120 }", "{ type = \"integr\" }", 12, "unknown type",
     "did you mean 'integer'?"},
    {"OneBound", "{ lower = 0, upper = 120 }", "{ lower = 0 }", 12, "only one bound", "both"},
    {"BoundsReversed", "{ lower = 0, upper = 120 }", "{ lower = 120, upper = 0 }", 12, "above upper", "swap"},
    {"BoundNotFinite", "{ lower = 0, upper = 120 }", "{ lower = 0.0, upper = inf }", 12, "not finite", "finite"},
    {"BoundNotANumber", "{ lower = 0, upper = 120 }", "{ lower = nan, upper = 1.0 }", 12, "not finite", "finite"},
    {"BoundsTooFarApart", "{ lower = 0, upper = 120 }", "{ lower = -1e308, upper = 1e308 }", 12, "too far apart",
     "tighter"},
    {"BoundBeyondExact", "{ lower = 0, upper = 120 }", "{ lower = 0, upper = 9007199254740993 }", 12, "beyond 2^53",
     "rescale"},
    {"RealBoundOfInteger", "{ lower = 0, upper = 120 }", "{ type = \"integer\", lower = 0, upper = 1.5 }", 12,
     "type integer", "type = \"real\""},
    {"TextBound", "{ lower = 0, upper = 120 }", "{ lower = \"a\", upper = \"b\" }", 12, "are texts", "values"},
    {"QuotedDates", "{ lower = 0, upper = 120 }", "{ lower = \"2020-01-01\", upper = \"2021-01-01\" }", 12, "are texts",
     "without quotes: lower = 2020-01-01"},
    {"QuotedDateBound", "{ lower = 0, upper = 120 }",
     "{ type = \"date\", lower = \"2020-01-01\", upper = \"2021-01-01\" }", 12, "type date", "without quotes"},
    {"MixedBounds", "{ lower = 0, upper = 120 }", "{ lower = 2020-01-01, upper = 120 }", 12,
     "type date but lists a whole number", "2024-01-31"},
    {"TimestampTooLate", "{ lower = 0, upper = 120 }", "{ lower = 2020-01-01T00:00:00, upper = 2300-01-01T00:00:00 }",
     12, "1685 to 2254", "bounds"},
    {"ZonedTimestamp", "{ lower = 0, upper = 120 }", "{ lower = 2020-01-01T00:00:00Z, upper = 2020-01-01T00:00:00Z }",
     12, "cannot hold a time of day", "timestamps"},
    {"TimeOfDay", "[\"no\", \"yes\"]", "[10:20:30]", 11, "cannot hold a time of day", "timestamps"},
    {"ValuesAndBounds", "{ lower = 0, upper = 120 }", "{ values = [1], lower = 0, upper = 1 }", 12,
     "both values and bounds", "keep"},
    {"ValuesNoList", "[\"no\", \"yes\"]", "\"no, yes\"", 11, "must be a list", "values"},
    {"ValuesNoListTyped", "values = [\"no\", \"yes\"]", "type = \"text\", values = \"no\"", 11, "must be a list",
     "values = "},
    {"ValuesEmpty", "values = [\"no\", \"yes\"]", "type = \"text\", values = []", 11,
     "must be a list that is not empty", "values = "},
    {"ValueTwice", "[\"no\", \"yes\"]", "[\"no\",\n\"yes\",\n\"no\"]", 13, "lists 'no' twice", "once"},
    {"ValueTwiceAsReal", "[\"no\", \"yes\"]", "[1, 1.0]", 11, "lists '1' twice", "once"},
    {"ZeroTwice", "[\"no\", \"yes\"]", "[0.0, -0.0]", 11, "twice", "once"},
    {"ValuesMixed", "[\"no\", \"yes\"]", "[\"no\", 1]", 11, "type text but lists a whole number", "quotes"},
    {"ValuesMixedNumberFirst", "[\"no\", \"yes\"]", "[1, \"no\"]", 11, "type text but lists a whole number", "quotes"},
    {"ValuesNested", "[\"no\", \"yes\"]", "[[\"no\"]]", 11, "cannot hold a list", "texts"},
    {"ValueNul", "[\"no\", \"yes\"]", "[\"n\\u0000\"]", 11, "NUL", "remove"},
    {"BooleanValueQuoted", "values = [\"no\", \"yes\"]", "type = \"boolean\", values = [\"true\"]", 11, "type boolean",
     "without quotes"},
    {"PublicNoBoolean", "{ values = [\"female\", \"male\"], public = true, required = true }",
     "{ type = \"text\", public = 1 }", 14, "must be true or false", "correct"},
    {"RequiredOpenColumn", "{ lower = 0, upper = 120 }", "{ type = \"integer\", required = true }", 12,
     "neither values nor bounds", "lower"},
    {"ColumnTwice", "age =", "Sex = { type = \"text\" }\nage =", 15, "two columns", "rename"},
    {"ColumnNameEmpty", "age =", "\"\" =", 12, "is empty", "rename"},
    {"ColumnNameTooLong", "age =", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa =", 12,
     "63 bytes", "rename"},
    {"KeyWithValues", "age =", "id = { values = [1, 2] }\nage =", 12, "the unit's key", "only its type"},
    {"KeyWithBounds", "age =", "id = { lower = 1, upper = 2 }\nage =", 12, "the unit's key", "only its type"},
    {"KeyReal", "age =", "id = { type = \"real\" }\nage =", 12, "cannot be real", "text"},
    {"KeySpeltOtherwise", "age =", "ID = { type = \"integer\" }\nage =", 12, "spells the key 'id'", "one spelling"},
};
INSTANTIATE_TEST_SUITE_P(Columns, PolicyRefusal, ::testing::ValuesIn(kColumns), kName);

const char* const kOdds = "odds_ratio = { zyg = { mz = 40, dz = 2.5, os = 2.5 } }";

const Refusal kDependence[] = {
    {"UnknownKey", "odds_ratio", "odd_ratio", 21, "unknown key 'odd_ratio'", "did you mean 'odds_ratio'?"},
    {"MisspeltSource", "source =", "sorce =", 17, "unknown key 'sorce'", "did you mean 'source'?"},
    {"NoSource", "source = \"public\"\n", "", 16, "does not say 'source'", "source = \"public\""},
    {"PrivateSource", "source = \"public\"", "source = \"private\"", 17, "would itself be a release",
     "known without the data"},
    {"OtherSource", "source = \"public\"", "source = \"census\"", 17, "source cannot be 'census'",
     "source = \"public\""},
    {"NoKind", "kind = \"group\"\n", "", 16, "does not say 'kind'", "independent"},
    {"UnknownKind", "kind = \"group\"", "kind = \"groups\"", 18, "unknown kind of dependence 'groups'",
     "did you mean 'group'?"},
    {"KeyOfOtherKind", "kind = \"group\"", "kind = \"independent\"", 19, "unknown key 'by'",
     "choose from: source, kind, accept"},
    {"AcceptUnknown", "source = \"public\"", "source = \"public\"\naccept = \"all\"", 18, "accept cannot be 'all'",
     "unproven"},
    {"ConfidenceInPercent", "source = \"public\"", "source = \"public\"\nconfidence = 95", 18, "between 0.5 and 1",
     "0.95"},
    {"ConfidenceOfAFact", "source = \"public\"", "source = \"public\"\nconfidence = 1", 18, "between 0.5 and 1",
     "remove the line"},
    {"NoSize", "size = 2\n", "", 16, "does not say 'size'", "relatives outside"},
    {"SizeZero", "size = 2", "size = 0", 20, "between 1 and", "relatives outside"},
    {"SizeReal", "size = 2", "size = 2.5", 20, "whole number", "correct"},
    {"ByIsTheKey", "by = \"pair\"", "by = \"id\"", 19, "the unit's key", "share"},
    {"ByIsASecret", "by = \"pair\"", "by = \"stutter\"", 19, "must be public", "public = true"},
    {"ByIsRequired", "by = \"pair\"", "by = \"sex\"", 14, "names groups", "promised size"},
    {"BySpeltOtherwise", "by = \"pair\"", "by = \"Sex\"", 19, "spelled 'sex'", "one spelling"},
    {"NoByForStrengths", "by = \"pair\"\n", "", 16, "does not say 'by'", "same for all its members"},
    {"OddsBelowOne", kOdds, "odds_ratio = 0.5", 21, "below 1", "inverse"},
    {"OddsNotANumber", kOdds, "odds_ratio = nan", 21, "not a number", "correct"},
    {"OddsText", kOdds, "odds_ratio = \"2\"", 21, "must be a number, not a text", "quotes"},
    {"OddsOfRequiredColumn", kOdds, "odds_ratio = { sex = { female = 2, male = 3 } }", 21, "not have the strongest",
     "first"},
    {"OddsOfRequiredColumnAnything", kOdds, "odds_ratio = { sex = { female = 2, male = inf } }", 21,
     "not have the strongest", "first"},
    {"OddsTwoColumns", kOdds, "odds_ratio = { zyg = { mz = 1 }, sex = { male = 1 } }", 21, "exactly one column",
     "column = {"},
    {"OddsNoColumn", kOdds, "odds_ratio = {}", 21, "exactly one column", "column = {"},
    {"OddsBySecretColumn", kOdds, "odds_ratio = { stutter = { no = 1, yes = 2 } }", 21,
     "public column with declared values", "public = true"},
    {"OddsByUnknownColumn", kOdds, "odds_ratio = { zig = { mz = 1 } }", 21, "which 'zig' is not",
     "did you mean 'zyg'?"},
    {"OddsByNoTable", kOdds, "odds_ratio = { zyg = 3 }", 21, "must be a table", "column = {"},
    {"OddsValueMissing", kOdds, "odds_ratio = { zyg = { mz = 40, dz = 2.5 } }", 21, "does not say 'os'",
     "every declared value"},
    {"OddsValueUnknown", kOdds, "odds_ratio = { zyg = { mz = 40, dz = 2.5, os = 2, ox = 3 } }", 21, "no value 'ox'",
     "choose from: mz, dz, os"},
    {"OddsValueBelowOne", kOdds, "odds_ratio = { zyg = { mz = 40, dz = -1, os = 2 } }", 21, "'dz' is below 1",
     "inverse"},
};
INSTANTIATE_TEST_SUITE_P(Dependence, PolicyRefusal, ::testing::ValuesIn(kDependence), kName);

const Refusal kBudget[] = {
    {"UnknownKey", "epsilon = 1.0", "epsillon = 1.0", 24, "unknown key 'epsillon'", "did you mean 'epsilon'?"},
    {"NoEpsilon", "epsilon = 1.0\n", "", 23, "does not say 'epsilon'", "epsilon = x"},
    {"EpsilonZero", "epsilon = 1.0", "epsilon = 0", 24, "above 0", "positive"},
    {"EpsilonNegative", "epsilon = 1.0", "epsilon = -1", 24, "above 0", "positive"},
    {"EpsilonNotANumber", "epsilon = 1.0", "epsilon = nan", 24, "not a number", "correct"},
    {"EpsilonInfinite", "epsilon = 1.0", "epsilon = inf", 24, "at most", "positive"},
    {"EpsilonText", "epsilon = 1.0", "epsilon = \"1\"", 24, "must be a number, not a text", "quotes"},
    {"NoLedger", "ledger = \"twins.ledger\"", "", 23, "does not say 'ledger'", "ledger = "},
    {"LedgerEmpty", "\"twins.ledger\"", "\"\"", 25, "empty", "correct"},
    {"LedgerFolder", "\"twins.ledger\"", "\"folder/\"", 25, "folder, not a file", "ledger = "},
};
INSTANTIATE_TEST_SUITE_P(Budget, PolicyRefusal, ::testing::ValuesIn(kBudget), kName);

TEST(PolicyRefusalOf, ASectionThatIsAValue) {
  const auto refused = Policy::Parse("# no sections\ndata = 1\n", "p.toml");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "p.toml:2");
  EXPECT_EQ(refused.error().what, "[data] must be a table, not a whole number");
}

TEST(PolicyRefusalOf, ValuesBeyondTheLimit) {
  std::string list = "[0";
  for (int i = 1; i <= 65'536; ++i) list += "," + std::to_string(i);
  std::string text = TwinsPolicyText();
  const std::string old = "{ lower = 0, upper = 120 }";
  text.replace(text.find(old), old.size(), "{ values = " + list + "] }");
  const auto refused = Policy::Parse(text, "p.toml");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "p.toml:12");
  EXPECT_NE(refused.error().what.find("65537 values"), std::string::npos) << refused.error().Text();
  text.replace(text.find(",65536]"), 7, "]");
  EXPECT_TRUE(Policy::Parse(text, "p.toml"));
}

TEST(PolicyRefusalOf, TextBeyondTheLimit) {
  std::string text = TwinsPolicyText();
  text += '#';
  text.append(1'000'000, 'x');
  const auto refused = Policy::Parse(text, "p.toml");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("larger than 1000000 bytes"), std::string::npos);
}

TEST(PolicyRefusalOf, PasswordIsNotRepeated) {
  const auto refused = Policy::Parse("[data]\nengine = \"postgresql://ann:hunter2@host/db\"\n", "p.toml");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().Text().find("hunter2"), std::string::npos);
}

TEST(PolicyRefusalOf, LongNamesAreCutInMessages) {
  const auto refused = Policy::Parse("[data]\n" + std::string(100'000, 'k') + " = 1\n", "p.toml");
  ASSERT_FALSE(refused);
  EXPECT_LT(refused.error().Text().size(), 300U);
}

}  // namespace
}  // namespace kith
