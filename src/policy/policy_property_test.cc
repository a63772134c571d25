// Whatever the bytes: no crash, and either a policy that keeps its promises or an error that points at a line.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

#include "base/utf8.h"
#include "dependence/check.h"
#include "policy/document.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

std::vector<std::string> Seeds() {
  std::string field = testing::TwinsPolicyText();
  const auto begin = field.find("[dependence]");
  field.replace(begin, field.find("[budget]") - begin,
                "[dependence]\nsource = \"public\"\nkind = \"field\"\nnodes = 4\nedges = [[0, 1, 0.7], [1, 2, inf]]\n"
                "factors = [{ records = [0, 1, 2], theta = 0.8 }]\nhidden = [3]\nprevalence = [0, 0.05]\n\n");
  const std::string dates = R"([data]
engine = "postgresql"
host = "db.local"
port = 5432
database = "health"
user = "ann"
rows_out = false
tables = { "visits" = { source = 'public.visits' }, wards = { source = "wards", public = true } }
[unit]
table = "visits"
row = true
presence = "secret"
[columns.visits]
day.lower = 2020-01-01
day.upper = 2024-12-31
at = { values = [2024-01-31T10:20:30.5, 1999-12-31 23:59:59], public = true }
note = { type = "text" }   # """ '''
cost = { type = "real", lower = -1e3, upper = 1_000.5, required = true }
[columns.wards]
"the \u00e4rea" = { values = ["a", 'b', "", "ä", "c\\\""] }
[dependence]
source = "public"
kind = "tree"
parents = [-1, 0]
root = [0.5, 0.5]
tables = [[], [[0.8, 0.2], [0.2, 0.8]]]
[budget]
epsilon = 0x2
ledger = "/var/visits.ledger"
)";
  return {testing::TwinsPolicyText(), field, dates};
}

const char* const kPieces[] = {"\"",
                               "'",
                               "\"\"\"",
                               "'''",
                               "[",
                               "]",
                               "{",
                               "}",
                               ".",
                               "=",
                               ",",
                               "#",
                               "\n",
                               "\r",
                               "\\",
                               "\\u00",
                               "inf",
                               "nan",
                               "-",
                               "1e999",
                               "true",
                               "0x",
                               "[[",
                               "]]",
                               " ",
                               "\t",
                               "\xC3",
                               "\xF4\x90",
                               "a.b.c",
                               "2024-02-30",
                               "key",
                               "by",
                               "values",
                               "row",
                               "0",
                               "-0.0",
                               "\x7F",
                               "[columns.twins]",
                               "file = \"/dev/null\"\n",
                               "99999999999999999999",
                               "9223372036854775807"};

std::string Mutate(std::string text, std::mt19937_64& bits) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(bits() % n); };
  for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(text.size() - at, below(2) == 0 ? below(4) : below(40));
    switch (below(5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size() + 1), length));
        break;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      default:
        text.replace(at, length, kPieces[below(std::size(kPieces))]);
    }
  }
  return text;
}

// An error about the text carries file:line with a line that exists.
void ExpectPointsAtALine(const Error& error, const std::string& text) {
  ASSERT_EQ(error.code, Code::kInvalidArgument) << error.Text();
  ASSERT_FALSE(error.what.empty());
  ASSERT_FALSE(error.next.empty()) << error.Text();
  ASSERT_TRUE(error.where.starts_with("p.toml:")) << error.Text();
  int line = 0;
  std::from_chars(error.where.data() + 7, error.where.data() + error.where.size(), line);
  ASSERT_GE(line, 1) << error.Text();
  ASSERT_LE(line, 1 + std::count(text.begin(), text.end(), '\n')) << error.Text();
  ASSERT_TRUE(IsUtf8(error.Text())) << error.Text();
  ASSERT_LT(error.Text().size(), 1500U);
}

void ExpectKeepsItsPromises(const Policy& policy) {
  ASSERT_TRUE(policy.epsilon_total > 0 && std::isfinite(policy.epsilon_total));
  ASSERT_TRUE(policy.ledger.is_absolute());
  ASSERT_FALSE(policy.unit_table().is_public);
  ASSERT_GE(policy.unit.max_rows, 1);
  ASSERT_LE(policy.cells.size(), Cells::kMax);
  ASSERT_EQ(policy.dependence.source, "public");
  ASSERT_TRUE(policy.dependence.edges || Check(policy.dependence.model));
  for (std::size_t cell = 0; cell < policy.cells.size(); ++cell) {
    const auto* group = std::get_if<Group>(&policy.dependence.model);
    ASSERT_LT(policy.ClassOf(cell), group == nullptr ? 1U : group->classes.size());
  }
  for (const auto& table : policy.tables) {
    ASSERT_TRUE(table.is_public || table.name == policy.unit.table);
    for (const auto& column : table.columns) {
      ASSERT_EQ(column.lower.has_value(), column.upper.has_value());
      ASSERT_FALSE(column.lower && !column.values.empty());
      ASSERT_TRUE(!column.lower || std::isfinite(*column.upper - *column.lower));
      ASSERT_LE(column.lower.value_or(0), column.upper.value_or(0));
      ASSERT_TRUE(!column.required || column.lower || !column.values.empty());
    }
  }
  ASSERT_EQ(policy.fingerprint().size(), 64U);
}

TEST(PolicyProperty, AnyBytesGiveAPolicyOrALine) {
  std::mt19937_64 bits(0x706f6c696379);  // "policy"
  const auto seeds = Seeds();
  int accepted = 0;
  int past_toml = 0;
  constexpr int kRuns = 20'000;
  for (int run = 0; run < kRuns; ++run) {
    const std::string text = Mutate(seeds[static_cast<std::size_t>(run) % seeds.size()], bits);
    const auto policy = Policy::Parse(text, "p.toml");
    if (policy) {
      ++accepted;
      ExpectKeepsItsPromises(*policy);
    } else {
      past_toml += policy.error().what.find("TOML") == std::string::npos ? 1 : 0;
      ExpectPointsAtALine(policy.error(), text);
    }
    if (HasFatalFailure()) FAIL() << "run " << run << "\n" << text;
  }
  // The mutations must reach the checks after the parser, and some must be harmless.
  EXPECT_GT(accepted, kRuns / 50);
  EXPECT_GT(past_toml, kRuns / 10);
}

TEST(PolicyProperty, HostileShapesAreRefusedQuickly) {
  std::vector<std::string> texts;
  for (const std::string piece :
       {"[", "{", "a.", "\"a\".", "'x'.", "a={", "a=[", "[a.", "[[", "a=[[", "\\", "\"\"\"", "a = \"\"\"\\"}) {
    std::string text;
    while (text.size() < 900'000) text += piece;
    texts.push_back(text);
    texts.push_back("x = " + text);
    texts.push_back("[" + text + "]");
  }
  std::string sections, columns = "[columns.t]\n", keys, quoted = "\"=\"";
  for (int i = 0; i < 50'000; ++i) {
    sections += "[a" + std::to_string(i) + "]\n";
    columns += "c" + std::to_string(i) + "={values=[1]}\n";
    keys += "k" + std::to_string(i) + "=1\n";
    quoted += ".\"=\"";
  }
  texts.insert(
      texts.end(),
      {sections, keys, "[data]\ntables.t=\"t.csv\"\n[unit]\ntable=\"t\"\nrow=true\npresence=\"secret\"\n" + columns,
       "[unit]\n" + keys, quoted + "=1", "[" + quoted + "]", std::string(1'000'000, '\0'),
       std::string(1'000'000, '\n')});
  for (const auto& text : texts) {
    const auto policy = Policy::Parse(text, "p.toml");
    ASSERT_FALSE(policy) << text.substr(0, 40);
    ExpectPointsAtALine(policy.error(), text);
    if (HasFatalFailure()) FAIL() << text.substr(0, 40);
  }
}

}  // namespace
}  // namespace kith
