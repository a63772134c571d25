// Golden questions: what kith must make of a question, written by hand. FORMAT.md describes the files.
#pragma once
#include <string>
#include <vector>

namespace kith::testing {

/// One expected statistic: an aggregate, how much one unit can change it (in the aggregate's own units), its lattice.
struct ExpectedStatistic {
  std::string aggregate;  // SQL, evaluated by the reference: "count(*)", "sum(age - 60)"
  long double sensitivity = 0;
  long double brute = 0;  // what trying all neighbours finds; smaller than sensitivity only where the rule is not tight
  int exponent = 0;       // lattice step 2^exponent
};

/// A public table that questions may join.
struct PublicTable {
  std::string name;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> data;
};

/// One expected quantile: its name, how much one unit can change its rank (twice that is the spread), how many values
/// can be chosen.
struct ExpectedChoice {
  std::string name;
  long double rows = 0;
  std::size_t candidates = 0;
};

/// A number of an earlier stage, which the question's price does not know.
struct ExpectedStage {
  std::string type;  // "integer" or "real"
  double low = 0, high = 0;
  bool may_null = false;
  std::string value;  // the number that the question is asked with, as SQL
};

struct Record {
  enum class Kind { kAccept, kChoose, kRefuse, kSame, kDiffer };
  Kind kind = Kind::kAccept;
  int line = 0;
  std::string question;  // with the numbers of its stages in place
  std::string staged;    // as it is planned, with their names; empty without stages
  std::vector<ExpectedStage> stages;
  // accept
  std::vector<ExpectedStatistic> statistics;
  std::string charges;  // "everyone", "nobody", or "ward=A; ward=B, sex=f"
  std::string changes;  // the cells that all neighbours really change; as charges unless written
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;    // the answer without noise, as text
  std::vector<std::vector<std::string>> groups;  // values of each key, the type in front; none if all are columns
  std::vector<std::string> notes;                // each is part of a note of the plan
  // choose: as accept, with these instead of statistics
  std::vector<ExpectedChoice> choices;
  // refuse
  std::string code;     // "unsupported" or "invalid"
  std::string because;  // part of the error text
  std::string
      instead;  // the same question without the fault: accepted. Also what a planner that overlooks the fault sees
  // same, differ
  std::string other;
  // where it is
  std::string policy;  // TOML
  std::string table;   // name
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> data;
  std::vector<PublicTable> publics;
};

struct GoldenFile {
  std::string name;                  // without path and .test
  std::string rule;                  // what only this file exercises
  std::vector<std::string> mutants;  // planners without the rule; each must fail the file
  std::vector<Record> records;
};

/// Throws std::runtime_error with file and line.
GoldenFile ReadGoldenFile(const std::string& path);
/// The paths of tests/golden/*.test, sorted.
std::vector<std::string> GoldenPaths();

}  // namespace kith::testing
