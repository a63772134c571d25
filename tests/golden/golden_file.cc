// Reader of golden files: one pass over the lines.
#include "tests/golden/golden_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/support/source_folder.h"

namespace kith::testing {
namespace {

std::filesystem::path Folder() { return SourceFolder() / "tests" / "golden"; }

std::string Trim(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at = text.find(separator); at != std::string::npos; at = text.find(separator, from)) {
    parts.push_back(Trim(text.substr(from, at - from)));
    from = at + 1;
  }
  parts.push_back(Trim(text.substr(from)));
  return parts;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), in_(path) {
    if (!in_) throw std::runtime_error("cannot open " + path);
    file_.name = std::filesystem::path(path).stem().string();
  }

  GoldenFile Read() {
    std::string line;
    while (Next(line)) {
      if (line.empty()) continue;
      if (line.front() == '#')
        Comment(line);
      else if (line.rfind("use ", 0) == 0)
        Use(Trim(line.substr(4)));
      else if (line == "policy")
        where_.policy = Block();
      else if (line.rfind("table ", 0) == 0)
        TableBlock(Trim(line.substr(6)));
      else if (line.rfind("public ", 0) == 0)
        PublicBlock(Trim(line.substr(7)));
      else if (line.rfind("of_units ", 0) == 0)
        PublicBlock(Trim(line.substr(9)));
      else if (line == "accept")
        Accept();
      else if (line == "choose")
        Choose();
      else if (line.rfind("refuse ", 0) == 0)
        Refuse(Trim(line.substr(7)));
      else if (line == "same")
        Pair(Record::Kind::kSame);
      else if (line == "differ")
        Pair(Record::Kind::kDiffer);
      else
        Fail("what is '" + line + "'?");
    }
    if (file_.rule.empty()) Fail("no '# Rule:' in its head");
    return std::move(file_);
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    throw std::runtime_error(path_ + ":" + std::to_string(line_) + ": " + what);
  }
  bool Next(std::string& line) {
    if (!std::getline(in_, line)) return false;
    ++line_;
    line = Trim(line);
    return true;
  }
  std::string NeedLine() {
    std::string line;
    if (!Next(line)) Fail("the file ends inside a block");
    return line;
  }
  std::string Block() {
    std::string text;
    for (std::string line = NeedLine(); line != "end"; line = NeedLine()) text += line + "\n";
    return text;
  }
  void Comment(const std::string& line) {
    if (line.rfind("# Rule:", 0) == 0) file_.rule = Trim(line.substr(7));
    if (line.rfind("# Mutants:", 0) == 0) file_.mutants = Split(line.substr(10), ',');
  }
  // "use clinic" takes the policy and the table of clinic.world.
  void Use(const std::string& world) {
    Reader reader((Folder() / (world + ".world")).string());
    reader.file_.rule = "a world has none";
    reader.Read();
    where_ = reader.where_;
  }
  void TableBlock(const std::string& name) {
    where_.table = name;
    where_.data.clear();
    where_.header = Split(NeedLine(), '|');
    for (std::string line = NeedLine(); line != "end"; line = NeedLine()) {
      where_.data.push_back(Split(line, '|'));
      if (where_.data.back().size() != where_.header.size()) Fail("a row of another width than the header");
    }
  }
  void PublicBlock(const std::string& name) {
    PublicTable table{name, Split(NeedLine(), '|'), {}};
    for (std::string line = NeedLine(); line != "end"; line = NeedLine()) table.data.push_back(Split(line, '|'));
    where_.publics.push_back(std::move(table));
  }
  Record Begin(Record::Kind kind) {
    Record record = where_;
    record.kind = kind;
    record.line = line_;
    return record;
  }
  // One statistic: "sum(age) : 120", "sum(x) : 4 step 2^-28", "count(*) : 3 brute 2".
  ExpectedStatistic Statistic(const std::string& line) const {
    const std::size_t colon = line.rfind(" : ");
    if (colon == std::string::npos) Fail("a statistic is 'aggregate : sensitivity'");
    ExpectedStatistic statistic;
    statistic.aggregate = Trim(line.substr(0, colon));
    const std::vector<std::string> words = Split(Trim(line.substr(colon + 3)), ' ');
    statistic.sensitivity = std::stold(words.at(0));
    statistic.brute = statistic.sensitivity;
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
      if (words[i] == "step" && words[i + 1].rfind("2^", 0) == 0)
        statistic.exponent = std::stoi(words[i + 1].substr(2));
      else if (words[i] == "brute")
        statistic.brute = std::stold(words[i + 1]);
      else
        Fail("'" + words[i] + "' in a statistic");
    }
    if (words.size() % 2 == 0) Fail("a statistic has a word too many");
    return statistic;
  }
  // "integer 0 | 1 | NULL": the type, then the values.
  std::vector<std::string> Groups(const std::string& line) const {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) Fail("groups are 'type value | value'");
    std::vector<std::string> groups = Split(line.substr(space + 1), '|');
    groups.insert(groups.begin(), line.substr(0, space));
    return groups;
  }
  // "real 0 to 60 : 30.5", "integer 0 to 9 or NULL : 4": what it is cut to, and the number that is put in its place.
  ExpectedStage Stage(const std::string& line) const {
    const std::size_t colon = line.rfind(" : ");
    if (colon == std::string::npos) Fail("a stage is 'type low to high : number'");
    const std::vector<std::string> words = Split(Trim(line.substr(0, colon)), ' ');
    const bool may_null = words.size() == 6 && words[4] == "or" && words[5] == "NULL";
    if ((words.size() != 4 && !may_null) || words[2] != "to") Fail("a stage is 'type low to high : number'");
    return {words[0], std::stod(words[1]), std::stod(words[3]), may_null, Trim(line.substr(colon + 3))};
  }
  // The n-th number is called kith_stage_n.value.
  void PutStages(Record& record) const {
    if (record.stages.empty()) return;
    record.staged = record.question;
    for (std::size_t k = 0; k < record.stages.size(); ++k) {
      const std::string name = "kith_stage_" + std::to_string(k + 1) + ".value";
      if (record.question.find(name) == std::string::npos) Fail("the question has no " + name);
      for (std::size_t at = 0; (at = record.question.find(name)) != std::string::npos;)
        record.question.replace(at, name.size(), record.stages[k].value);
    }
  }
  void Accept() {
    Record record = Begin(Record::Kind::kAccept);
    bool in_question = true;
    bool in_rows = false;
    for (std::string line = NeedLine(); line != "end"; line = NeedLine()) {
      const bool starts_rows = line == "rows";
      if (in_rows)
        record.rows.push_back(Split(line, '|'));
      else if (starts_rows)
        in_rows = true;
      else if (line.rfind("statistic ", 0) == 0)
        record.statistics.push_back(Statistic(line.substr(10)));
      else if (line.rfind("stage ", 0) == 0)
        record.stages.push_back(Stage(Trim(line.substr(6))));
      else if (line.rfind("charges ", 0) == 0)
        record.charges = Trim(line.substr(8));
      else if (line.rfind("changes ", 0) == 0)
        record.changes = Trim(line.substr(8));
      else if (line.rfind("columns ", 0) == 0)
        record.columns = Split(line.substr(8), '|');
      else if (line.rfind("groups ", 0) == 0)
        record.groups.push_back(Groups(line.substr(7)));
      else if (line.rfind("note ", 0) == 0)
        record.notes.push_back(Trim(line.substr(5)));
      else if (in_question)
        record.question += (record.question.empty() ? "" : "\n") + line;
      else
        Fail("what is '" + line + "'?");
      if (line.rfind("statistic ", 0) == 0) in_question = false;
    }
    if (record.statistics.empty() || record.charges.empty() || record.columns.empty() || record.rows.empty())
      Fail("an accepted question needs statistics, charges, columns and rows");
    if (record.changes.empty()) record.changes = record.charges;
    PutStages(record);
    file_.records.push_back(std::move(record));
  }
  // "median(age) : 1 of 121".
  ExpectedChoice Choice(const std::string& line) const {
    const std::size_t colon = line.rfind(" : "), of = line.rfind(" of ");
    if (colon == std::string::npos || of == std::string::npos || of < colon)
      Fail("a choice is 'name : rows of values'");
    return {Trim(line.substr(0, colon)), std::stold(line.substr(colon + 3)), std::stoul(line.substr(of + 4))};
  }
  void Choose() {
    Record record = Begin(Record::Kind::kChoose);
    bool in_rows = false;
    for (std::string line = NeedLine(); line != "end"; line = NeedLine()) {
      if (in_rows)
        record.rows.push_back(Split(line, '|'));
      else if (line == "rows")
        in_rows = true;
      else if (line.rfind("choice ", 0) == 0)
        record.choices.push_back(Choice(line.substr(7)));
      else if (line.rfind("stage ", 0) == 0)
        record.stages.push_back(Stage(Trim(line.substr(6))));
      else if (line.rfind("charges ", 0) == 0)
        record.charges = Trim(line.substr(8));
      else if (line.rfind("columns ", 0) == 0)
        record.columns = Split(line.substr(8), '|');
      else
        record.question += (record.question.empty() ? "" : "\n") + line;
    }
    if (record.choices.empty() || record.charges.empty() || record.columns.empty() || record.rows.empty())
      Fail("a question about quantiles needs choices, charges, columns and rows");
    PutStages(record);
    file_.records.push_back(std::move(record));
  }
  void Refuse(const std::string& code) {
    Record record = Begin(Record::Kind::kRefuse);
    record.code = code;
    for (std::string line = NeedLine(); line != "end"; line = NeedLine()) {
      if (line.rfind("because ", 0) == 0)
        record.because = Trim(line.substr(8));
      else if (line.rfind("instead ", 0) == 0)
        record.instead = Trim(line.substr(8));
      else
        record.question += (record.question.empty() ? "" : "\n") + line;
    }
    if (record.because.empty()) Fail("a refused question needs 'because'");
    file_.records.push_back(std::move(record));
  }
  void Pair(Record::Kind kind) {
    Record record = Begin(kind);
    record.question = NeedLine();
    record.other = NeedLine();
    if (NeedLine() != "end") Fail("a pair has two lines");
    file_.records.push_back(std::move(record));
  }

  std::string path_;
  std::ifstream in_;
  int line_ = 0;
  GoldenFile file_;
  Record where_;
};

}  // namespace

GoldenFile ReadGoldenFile(const std::string& path) { return Reader(path).Read(); }

std::vector<std::string> GoldenPaths() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(Folder()))
    if (entry.path().extension() == ".test") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace kith::testing
