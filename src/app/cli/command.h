// Verbs and options of the command line. CLI11 reads them; only command.cc knows it, since every file that includes it
// takes seconds longer to compile.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/facts.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kith::cli {

/// One option of a verb; lives as long as its Command. Functions that describe it return it, to be chained.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option* Required();
  /// Several values in one word, with commas between them.
  Option* Separated();
  Option* Exactly(int values);
  /// One value each time, as often as it is given.
  Option* Repeatable();
  Option* OneOf(const std::vector<std::string>& values);
  Option* Within(double least, double most);
  Option* Within(std::size_t least, std::size_t most);
  Option* Positive();
  /// The help shows the value that the variable has now.
  Option* ShowDefault();
  Option* ShowDefault(const std::string& text);
  Option* Needs(const Option* other);
  Option* Excludes(const Option* other);
  /// Whether it was given.
  bool given() const;
  const std::vector<std::string>& choices() const { return choices_; }
  bool Is(const CLI::Option* option) const { return option == option_; }

 private:
  CLI::Option* option_;
  std::vector<std::string> choices_;
};

/// A verb, or the program itself.
class Command {
 public:
  explicit Command(CLI::App& app);
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Command* AddVerb(const std::string& name, const std::string& help);
  /// One of these verbs must follow.
  void RequireVerb();
  /// `variable` gets the value: text, a number, an optional or a list of them. A name without dashes is positional.
  template <class T>
  Option* AddOption(const std::string& name, T& variable, const std::string& help);
  Option* AddFlag(const std::string& name, bool& variable, const std::string& help);
  /// Shown below the options in the help.
  void Footer(const std::string& text);
  /// What the verb does.
  void Run(std::function<void()> action);
  std::string name() const;
  std::vector<std::string> VerbNames() const;
  /// Null: there is no such verb.
  const Command* Verb(const std::string& name) const;
  bool HasOption(const std::string& name) const;
  /// All that --help says, here and for every verb below.
  VerbFacts Facts() const;
  /// The options that were given, with their values, as they could be typed.
  std::string Given() const;

 private:
  Option* Keep(CLI::Option* option);

  CLI::App& app_;
  std::vector<std::unique_ptr<Option>> options_;
  std::vector<std::unique_ptr<Command>> verbs_;
};

/// The program, with the command line that it was given.
class Program {
 public:
  Program(const std::string& about, const std::string& footer, const std::string& version);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Command& command() { return *command_; }
  /// Why a command line could not be read. Nothing: its verb was run, or help or the version was shown.
  std::optional<std::string> Run(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<Command> command_;
};

}  // namespace kith::cli
