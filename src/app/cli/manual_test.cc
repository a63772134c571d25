#include "app/cli/manual.h"

#include <gtest/gtest.h>

namespace kith::cli {
namespace {

VerbFacts Program() {
  const OptionFacts policy{{"policy"}, "The policy file", "", {}, true, true, true};
  const OptionFacts format{{"--format", "-f"}, "How it's printed", "text", {"text", "csv"}, false, true, false};
  const OptionFacts help{{"--help", "-h"}, ".about this", "", {}, false, false, false};
  VerbFacts query{"query", "Answer", "Example:\n  kith query", {policy, format, help}, {}};
  VerbFacts carry{"carry", "Seal [one]", "", {policy, help}, {}};
  VerbFacts ledger{"ledger", "Move", "", {help}, {carry}};
  return {"kith", "About", "Exits", {help}, {query, ledger}};
}

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Manual, NamesEveryVerbAndOption) {
  const std::string all = ManualPage(Program(), "1.2");
  EXPECT_TRUE(Has(all, "\\fBkith\\-query\\fR(1)\nAnswer")) << all;
  EXPECT_TRUE(Has(all, "\\fBkith\\-ledger\\fR(1)"));
  const std::string query = ManualPageOf(Program().verbs[0], "1.2");
  EXPECT_TRUE(Has(query, "\\fBkith query\\fR \\fIPOLICY\\fR [\\fIOPTIONS\\fR]")) << query;
  EXPECT_TRUE(Has(query, "\\fB\\-\\-format, \\-f\\fR \\fItext|csv\\fR\nHow it's printed (default: text)")) << query;
  EXPECT_TRUE(Has(ManualPageOf(Program().verbs[1], "1.2"), ".SS \"kith ledger carry\"\nSeal [one]"));
}

// A line of help that begins with a period must not become a request.
TEST(Manual, TextIsNoRequest) {
  EXPECT_TRUE(Has(ManualPageOf(Program().verbs[0], "1"), "\n\\&.about this"));
  for (const char* word : {"\n.about", "\n'"}) EXPECT_FALSE(Has(ManualPage(Program(), "1"), word));
}

TEST(Completion, KnowsVerbsOptionsAndChoices) {
  const std::string bash = BashCompletion(Program());
  EXPECT_TRUE(Has(bash, "words='query ledger --help -h'")) << bash;
  EXPECT_TRUE(Has(bash, "'kith ledger carry')")) << bash;
  EXPECT_TRUE(Has(bash, "--format|-f) words='text csv'; only=1")) << bash;
  const std::string zsh = ZshCompletion(Program());
  EXPECT_TRUE(Has(zsh, "'*--format[How it'\\''s printed]:value:(text csv)'")) << zsh;
  EXPECT_TRUE(Has(zsh, "'carry:Seal \\[one\\]'")) << zsh;
  const std::string fish = FishCompletion(Program());
  EXPECT_TRUE(Has(fish, "-l format -s f -r -f -a 'text csv' -d 'How it\\'s printed'")) << fish;
  EXPECT_TRUE(Has(fish, "__fish_seen_subcommand_from ledger; and not __fish_seen_subcommand_from carry' -a carry"));
}

}  // namespace
}  // namespace kith::cli
