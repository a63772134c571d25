#include <gtest/gtest.h>

#include <thread>

#include "query/parse/syntax.h"

namespace kith {
namespace {

std::string Repeat(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

std::optional<Code> CodeOf(const std::string& sql) {
  const auto checked = CheckText(sql);
  return checked ? std::nullopt : std::optional(checked.error().code);
}

TEST(TextGuard, LongTextIsRefused) {
  EXPECT_TRUE(CheckText("SELECT 1" + std::string(kMaxQuestionBytes - 8, ' ')).has_value());
  EXPECT_EQ(CodeOf("SELECT 1" + std::string(kMaxQuestionBytes - 7, ' ')), Code::kUnsupportedQuery);
  EXPECT_EQ(CodeOf("SELECT " + std::string(1 << 20, '1')), Code::kUnsupportedQuery);
}

TEST(TextGuard, TextMustBeUtf8WithoutZeroBytes) {
  EXPECT_EQ(CodeOf(std::string("SELECT 1\0", 9)), Code::kInvalidArgument);
  for (const char* bad : {"\xFF", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC3", "\xE2\x82"}) {
    EXPECT_EQ(CodeOf("SELECT '" + std::string(bad)), Code::kInvalidArgument) << bad;
  }
  EXPECT_TRUE(CheckText("SELECT 'Zo\xC3\xAB \xE2\x82\xAC \xF0\x9F\x8E\xB2'").has_value());
}

TEST(TextGuard, OnlySelectStartsAQuestion) {
  EXPECT_TRUE(CheckText("  -- a remark\n seLECT 1").has_value());
  EXPECT_EQ(CodeOf("DELETE FROM people"), Code::kUnsupportedQuery);
  EXPECT_EQ(CodeOf("EXPLAIN SELECT 1"), Code::kUnsupportedQuery);
  EXPECT_EQ(CodeOf("   "), Code::kInvalidArgument);
}

TEST(TextGuard, DeepNestingIsRefusedWhereverItHides) {
  const std::size_t many = 2000;
  const std::string deep[] = {
      "SELECT " + Repeat("(", 100) + "1" + Repeat(")", 100),
      "SELECT 1" + Repeat("+1", many),
      "SELECT " + Repeat("+ ", many) + "1",
      "SELECT " + Repeat("NOT ", many) + "true",
      "SELECT E'\\'' " + Repeat("+ ", many) + "1",    // a quote that is not one
      "SELECT /* ' */ " + Repeat("+ ", many) + "1",   // a quote in a comment
      "SELECT /* -- */ " + Repeat("+ ", many) + "1",  // a comment in a comment
      "SELECT $$'$$ || " + Repeat("+ ", many) + "1",  // a quote in a dollar quote
  };
  for (const std::string& sql : deep) EXPECT_EQ(CodeOf(sql), Code::kUnsupportedQuery) << sql.substr(0, 40);
}

TEST(TextGuard, LongListsAreNoNesting) {
  EXPECT_TRUE(CheckText("SELECT count(*) FROM people WHERE age IN (1" + Repeat(",1", 3000) + ")").has_value());
  EXPECT_TRUE(CheckText("SELECT count(*) FROM people WHERE name IN ('x'" + Repeat(",'((('", 1000) + ")").has_value());
}

TEST(Syntax, NegativeNumbersSurvive) { EXPECT_TRUE(SyntaxTree::Parse("SELECT -5").has_value()); }

TEST(Syntax, ErrorsSayWhere) {
  const auto error = SyntaxTree::Parse("SELECT count(* FROM people").error();
  EXPECT_EQ(error.code, Code::kInvalidArgument);
  EXPECT_NE(error.where.find("character"), std::string::npos) << error.Text();
  EXPECT_EQ(SyntaxTree::Parse("SELECT 'Zo\xC3\xAB' FROM FROM").error().where, "character 19: FROM");
}

TEST(Syntax, OneStatementAtATime) {
  EXPECT_TRUE(SyntaxTree::Parse("SELECT 1;").has_value());
  EXPECT_EQ(SyntaxTree::Parse("SELECT 1; SELECT 2").error().code, Code::kUnsupportedQuery);
  EXPECT_EQ(SyntaxTree::Parse("SELECT 1; DROP TABLE people").error().code, Code::kUnsupportedQuery);
}

// Questions come in on many threads at once; the parser keeps its memory for each thread.
TEST(Syntax, ThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  std::vector<int> bad(8, 0);
  for (std::size_t k = 0; k < bad.size(); ++k) {
    threads.emplace_back([&bad, k] {
      for (int i = 0; i < 200; ++i) {
        bad[k] += !SyntaxTree::Parse("SELECT count(*) FROM people WHERE age > " + std::to_string(i)).has_value();
        bad[k] += SyntaxTree::Parse("SELECT FROM WHERE").has_value();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(bad, std::vector<int>(8, 0));
}

// As deep as the guard lets through, on the smallest stack a thread of ours has.
TEST(Syntax, WhatTheGuardAllowsFitsTheStack) {
  const std::string deep[] = {"SELECT 1" + Repeat("+x", TextLimits::kTokens / 2 - 2),
                              "SELECT " + Repeat("NOT ", TextLimits::kTokens - 3) + "x"};
  for (const std::string& sql : deep) {
    ASSERT_TRUE(CheckText(sql).has_value());
    std::thread([&] { EXPECT_TRUE(SyntaxTree::Parse(sql).has_value()); }).join();
  }
}

}  // namespace
}  // namespace kith
