#include "app/cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <utility>

namespace kith::cli {
namespace {

// CLI11 says "Could not convert: --epsilon = abc".
std::string NotANumber(const std::string& what) {
  const auto colon = what.find(": ");
  return colon == std::string::npos ? what : "not a number: " + what.substr(colon + 2);
}

}  // namespace

Option* Option::Required() {
  option_->required();
  return this;
}

Option* Option::Separated() {
  option_->delimiter(',');
  return this;
}

Option* Option::Exactly(int values) {
  option_->expected(values);
  return this;
}

Option* Option::Repeatable() {
  option_->allow_extra_args(false);
  return this;
}

Option* Option::OneOf(const std::vector<std::string>& values) {
  option_->check(CLI::IsMember(values));
  choices_ = values;
  return this;
}

Option* Option::Within(double least, double most) {
  option_->check(CLI::Range(least, most));
  return this;
}

Option* Option::Within(std::size_t least, std::size_t most) {
  option_->check(CLI::Range(least, most));
  return this;
}

Option* Option::Positive() {
  option_->check(CLI::PositiveNumber);
  return this;
}

Option* Option::ShowDefault() {
  option_->capture_default_str();
  return this;
}

Option* Option::ShowDefault(const std::string& text) {
  option_->default_str(text);
  return this;
}

Option* Option::Needs(const Option* other) {
  option_->needs(other->option_);
  return this;
}

Option* Option::Excludes(const Option* other) {
  option_->excludes(other->option_);
  return this;
}

bool Option::given() const { return option_->count() > 0; }

Command::Command(CLI::App& app) : app_(app) {}
Command::~Command() = default;

Command* Command::AddVerb(const std::string& name, const std::string& help) {
  return verbs_.emplace_back(std::make_unique<Command>(*app_.add_subcommand(name, help))).get();
}

void Command::RequireVerb() { app_.require_subcommand(1); }

Option* Command::Keep(CLI::Option* option) { return options_.emplace_back(std::make_unique<Option>(option)).get(); }

template <class T>
Option* Command::AddOption(const std::string& name, T& variable, const std::string& help) {
  return Keep(app_.add_option(name, variable, help));
}

// The kinds of variables that options have.
template Option* Command::AddOption(const std::string&, std::string&, const std::string&);
template Option* Command::AddOption(const std::string&, double&, const std::string&);
template Option* Command::AddOption(const std::string&, std::int64_t&, const std::string&);
template Option* Command::AddOption(const std::string&, std::uint64_t&, const std::string&);
template Option* Command::AddOption(const std::string&, unsigned&, const std::string&);
template Option* Command::AddOption(const std::string&, std::optional<double>&, const std::string&);
template Option* Command::AddOption(const std::string&, std::optional<std::uint64_t>&, const std::string&);
template Option* Command::AddOption(const std::string&, std::optional<std::int64_t>&, const std::string&);
template Option* Command::AddOption(const std::string&, std::vector<std::int64_t>&, const std::string&);
template Option* Command::AddOption(const std::string&, std::vector<std::uint64_t>&, const std::string&);
template Option* Command::AddOption(const std::string&, std::vector<double>&, const std::string&);
template Option* Command::AddOption(const std::string&, std::vector<std::string>&, const std::string&);

Option* Command::AddFlag(const std::string& name, bool& variable, const std::string& help) {
  return Keep(app_.add_flag(name, variable, help));
}

void Command::Footer(const std::string& text) { app_.footer(text); }
void Command::Run(std::function<void()> action) { app_.callback(std::move(action)); }
std::string Command::name() const { return app_.get_name(); }

std::vector<std::string> Command::VerbNames() const {
  std::vector<std::string> names;
  for (const auto& verb : verbs_) names.push_back(verb->name());
  return names;
}

const Command* Command::Verb(const std::string& name) const {
  for (const auto& verb : verbs_) {
    if (verb->name() == name) return verb.get();
  }
  return nullptr;
}

bool Command::HasOption(const std::string& name) const { return app_.get_option_no_throw(name) != nullptr; }

VerbFacts Command::Facts() const {
  VerbFacts facts{app_.get_name(), app_.get_description(), app_.get_footer(), {}, {}};
  for (const CLI::Option* option : std::as_const(app_).get_options()) {
    OptionFacts each;
    for (const std::string& name : option->get_lnames()) each.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) each.names.push_back("-" + name);
    each.position = each.names.empty();
    if (each.position) each.names.push_back(option->get_name());
    each.help = option->get_description();
    each.shown_default = option->get_default_str();
    each.takes_value = option->get_items_expected_max() > 0;
    each.required = option->get_required();
    for (const auto& ours : options_) {
      if (ours->Is(option)) each.choices = ours->choices();
    }
    facts.options.push_back(std::move(each));
  }
  for (const auto& verb : verbs_) facts.verbs.push_back(verb->Facts());
  return facts;
}

std::string Command::Given() const {
  std::string line;
  for (const CLI::Option* option : std::as_const(app_).get_options()) {
    if (option->count() == 0) continue;
    if (!option->get_lnames().empty()) line += " --" + option->get_lnames().front();
    if (option->get_expected_max() > 0) line += fmt::format(" {}", fmt::join(option->results(), ","));
  }
  return line;
}

Program::Program(const std::string& about, const std::string& footer, const std::string& version)
    : app_(std::make_unique<CLI::App>(about, "kith")), command_(std::make_unique<Command>(*app_)) {
  app_->footer(footer);
  app_->require_subcommand(1);
  app_->set_version_flag("--version", version);
  app_->get_formatter()->column_width(34);
}

Program::~Program() = default;

std::optional<std::string> Program::Run(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      return error.get_name() == "ConversionError" ? NotANumber(error.what()) : error.what();
    app_->exit(error);  // --help and --version
    return std::nullopt;
  }
}

}  // namespace kith::cli
