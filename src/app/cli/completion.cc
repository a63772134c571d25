#include <fmt/format.h>

#include <algorithm>

#include "app/cli/manual.h"

namespace kith::cli {
namespace {

// In single quotes a shell takes everything literally except the quote.
std::string Quoted(const std::string& text, const char* quote) {
  std::string out = "'";
  for (const char each : text) out += each == '\'' ? std::string(quote) : std::string(1, each);
  return out + "'";
}

std::vector<std::string> WordsOf(const VerbFacts& verb) {
  std::vector<std::string> words;
  for (const VerbFacts& each : verb.verbs) words.push_back(each.name);
  for (const OptionFacts& option : verb.options) {
    const auto& more = option.position ? option.choices : option.names;
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

// One case for each verb, named by the verbs that lead to it: "kith", "kith analyse", "kith analyse kmeans".
void BashCases(const std::string& path, const VerbFacts& verb, std::string& text) {
  text += fmt::format("    {})\n", Quoted(path, "'\\''"));
  std::string choices;
  for (const OptionFacts& option : verb.options) {
    if (!option.takes_value || option.position) continue;
    choices += fmt::format(
        "        {}) {} ;;\n", fmt::join(option.names, "|"),
        option.choices.empty()
            ? std::string("return 0")
            : fmt::format("words={}; only=1", Quoted(fmt::format("{}", fmt::join(option.choices, " ")), "'\\''")));
  }
  text += fmt::format("      words={}\n", Quoted(fmt::format("{}", fmt::join(WordsOf(verb), " ")), "'\\''"));
  if (!choices.empty()) text += "      case \"$before\" in\n" + choices + "      esac\n";
  text += "      ;;\n";
  for (const VerbFacts& part : verb.verbs) BashCases(path + " " + part.name, part, text);
}

void PathsOf(const std::string& path, const VerbFacts& verb, std::vector<std::string>& all) {
  all.push_back(path);
  for (const VerbFacts& part : verb.verbs) PathsOf(path + " " + part.name, part, all);
}

constexpr const char* kBash = R"(# Completion of kith for bash. Made by: kith completion bash
_kith() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} path=kith words='' only='' k
  for ((k = 1; k < COMP_CWORD; ++k)); do
    case "$path ${{COMP_WORDS[k]}}" in
      {}) path+=" ${{COMP_WORDS[k]}}" ;;
    esac
  done
  case "$path" in
{}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [ -z "$only" ] && [[ "$current" != -* ]]; then
    local files
    mapfile -t files < <(compgen -f -- "$current")
    COMPREPLY+=("${{files[@]}}")
  fi
}}
complete -o filenames -o bashdefault -F _kith kith
)";

// What _arguments takes for a special sign inside a description.
std::string Plain(const std::string& text) {
  std::string out;
  for (const char each : text) {
    if (each == '[' || each == ']' || each == ':' || each == '\\') out += '\\';
    out += each == '\n' ? ' ' : each;
  }
  return out;
}

std::string ZshArgument(const OptionFacts& option) {
  const std::string values =
      option.choices.empty() ? std::string("_files") : fmt::format("({})", fmt::join(option.choices, " "));
  if (option.position) return Quoted(fmt::format(":{}:{}", Plain(option.names.front()), values), "'\\''");
  std::string all;
  for (const std::string& name : option.names) {
    const std::string value = option.takes_value ? fmt::format(":value:{}", values) : "";
    all += (all.empty() ? "" : " ") + Quoted(fmt::format("*{}[{}]{}", name, Plain(option.help), value), "'\\''");
  }
  return all;
}

// One function for each verb; a verb with parts offers them after its own positions.
void ZshFunctions(const std::string& name, const VerbFacts& verb, std::string& text) {
  std::string lines;
  for (const OptionFacts& option : verb.options) lines += " \\\n    " + ZshArgument(option);
  if (verb.verbs.empty()) {
    text += fmt::format("{}() {{\n  _arguments -s{}\n}}\n", name, lines);
    return;
  }
  std::string list, cases;
  for (const VerbFacts& part : verb.verbs) {
    list += fmt::format(" \\\n      {}", Quoted(fmt::format("{}:{}", part.name, Plain(part.help)), "'\\''"));
    cases += fmt::format("        {}) {}_{} ;;\n", part.name, name, part.name);
  }
  text += fmt::format(
      "{}() {{\n  local context state line\n  typeset -A opt_args\n  _arguments -s -C{} \\\n    ':verb:->verb' "
      "'*::rest:->rest'\n  case $state in\n    verb)\n      local -a verbs=({})\n      _describe verb verbs ;;\n    "
      "rest)\n      case $line[{}] in\n{}      esac ;;\n  esac\n}}\n",
      name, lines, list,
      1 + std::count_if(verb.options.begin(), verb.options.end(),
                        [](const OptionFacts& each) { return each.position; }),
      cases);
  for (const VerbFacts& part : verb.verbs) ZshFunctions(name + "_" + part.name, part, text);
}

void FishLines(const std::vector<std::string>& path, const VerbFacts& verb, std::string& text) {
  std::string seen;
  for (const std::string& word : path) seen += fmt::format("__fish_seen_subcommand_from {}; and ", word);
  std::vector<std::string> parts;
  for (const VerbFacts& part : verb.verbs) parts.push_back(part.name);
  const std::string here =
      parts.empty() ? seen + "true" : fmt::format("{}not __fish_seen_subcommand_from {}", seen, fmt::join(parts, " "));
  const auto line = [&](const std::string& rest, const std::string& help) {
    text += fmt::format("complete -c kith -n {} {} -d {}\n", Quoted(here, "\\'"), rest, Quoted(help, "\\'"));
  };
  for (const VerbFacts& part : verb.verbs) line("-a " + part.name, part.help);
  for (const OptionFacts& option : verb.options) {
    if (option.position) continue;
    std::string rest;
    for (const std::string& name : option.names)
      rest += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
    if (option.takes_value) rest += " -r";
    if (!option.choices.empty())
      rest += fmt::format(" -f -a {}", Quoted(fmt::format("{}", fmt::join(option.choices, " ")), "\\'"));
    line(rest.substr(1), option.help);
  }
  for (const VerbFacts& part : verb.verbs) {
    auto deeper = path;
    deeper.push_back(part.name);
    FishLines(deeper, part, text);
  }
}

}  // namespace

std::string BashCompletion(const VerbFacts& program) {
  std::string cases;
  BashCases("kith", program, cases);
  std::vector<std::string> paths;
  PathsOf("kith", program, paths);
  std::string known;
  for (std::size_t k = 1; k < paths.size(); ++k) known += (k == 1 ? "" : "|") + Quoted(paths[k], "'\\''");
  return fmt::format(kBash, known, cases);
}

std::string ZshCompletion(const VerbFacts& program) {
  std::string text = "#compdef kith\n# Completion of kith for zsh. Made by: kith completion zsh\n";
  ZshFunctions("_kith", program, text);
  return text + "_kith \"$@\"\n";
}

std::string FishCompletion(const VerbFacts& program) {
  std::string text = "# Completion of kith for fish. Made by: kith completion fish\n";
  FishLines({}, program, text);
  return text;
}

}  // namespace kith::cli
