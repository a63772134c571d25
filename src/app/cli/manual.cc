#include "app/cli/manual.h"

#include <fmt/format.h>

#include <cctype>

namespace kith::cli {
namespace {

// A line that begins with a period or an apostrophe would be a request to troff, and a backslash or a dash something
// other than itself.
std::string Roff(const std::string& text) {
  std::string out;
  bool fresh = true;
  for (const char each : text) {
    if (fresh && (each == '.' || each == '\'')) out += "\\&";
    if (each == '\\') {
      out += "\\e";
    } else if (each == '-') {
      out += "\\-";
    } else {
      out += each;
    }
    fresh = each == '\n';
  }
  return out;
}

std::string Upper(std::string text) {
  for (char& each : text) each = static_cast<char>(std::toupper(static_cast<unsigned char>(each)));
  return text;
}

std::string Heading(const std::string& name, const std::string& version) {
  return fmt::format(".TH {} 1 \"\" \"kith {}\" \"User commands\"\n", Upper(name), version);
}

std::string ValueOf(const OptionFacts& option) {
  if (!option.takes_value) return {};
  return option.choices.empty() ? std::string("VALUE") : fmt::format("{}", fmt::join(option.choices, "|"));
}

std::string Entry(const OptionFacts& option) {
  const std::string value = option.position ? "" : ValueOf(option);
  std::string text = ".TP\n\\fB" + Roff(fmt::format("{}", fmt::join(option.names, ", "))) + "\\fR";
  if (!value.empty()) text += " \\fI" + Roff(value) + "\\fR";
  text += "\n" + Roff(option.help);
  if (!option.shown_default.empty()) text += Roff(fmt::format(" (default: {})", option.shown_default));
  if (option.required && !option.position) text += " (required)";
  return text + "\n";
}

std::string Synopsis(const std::string& words, const VerbFacts& verb) {
  std::string line = "\\fB" + Roff(words) + "\\fR";
  bool any = false;
  for (const OptionFacts& option : verb.options) {
    if (option.position)
      line += (option.required ? " \\fI" : " [\\fI") + Roff(Upper(option.names.front())) +
              (option.required ? "\\fR" : "\\fR]");
    any = any || !option.position;
  }
  if (any) line += " [\\fIOPTIONS\\fR]";
  return line + (verb.verbs.empty() ? "\n" : " \\fIVERB\\fR ...\n");
}

std::string Options(const VerbFacts& verb) {
  std::string text;
  for (const OptionFacts& option : verb.options) text += Entry(option);
  return text;
}

// As it is set: examples are commands, line by line.
std::string Footer(const VerbFacts& verb) {
  return verb.footer.empty() ? std::string() : ".PP\n.nf\n" + Roff(verb.footer) + "\n.fi\n";
}

void Parts(const std::string& words, const VerbFacts& verb, std::string& text) {
  for (const VerbFacts& part : verb.verbs) {
    const std::string name = words + " " + part.name;
    text += ".SS \"" + Roff(name) + "\"\n" + Roff(part.help) + "\n.PP\n" + Synopsis(name, part) + Options(part) +
            Footer(part);
    Parts(name, part, text);
  }
}

}  // namespace

std::string ManualPage(const VerbFacts& program, const std::string& version) {
  std::string text = Heading("kith", version);
  text += ".SH NAME\nkith \\- private answers about dependent data\n.SH SYNOPSIS\n" + Synopsis("kith", program);
  text += ".SH DESCRIPTION\n.nf\n" + Roff(program.help) + "\n.fi\n.SH VERBS\n";
  for (const VerbFacts& verb : program.verbs)
    text += ".TP\n\\fB" + Roff("kith-" + verb.name) + "\\fR(1)\n" + Roff(verb.help) + "\n";
  return text + ".SH OPTIONS\n" + Options(program) + ".SH EXIT STATUS\n.nf\n" + Roff(program.footer) + "\n.fi\n";
}

std::string ManualPageOf(const VerbFacts& verb, const std::string& version) {
  const std::string name = "kith-" + verb.name, words = "kith " + verb.name;
  std::string text = Heading(name, version);
  text += ".SH NAME\n" + Roff(name) + " \\- " + Roff(verb.help) + "\n.SH SYNOPSIS\n" + Synopsis(words, verb);
  text += ".SH OPTIONS\n" + Options(verb) + Footer(verb);
  if (!verb.verbs.empty()) {
    text += ".SH VERBS\n";
    Parts(words, verb, text);
  }
  return text + ".SH SEE ALSO\n\\fBkith\\fR(1)\n";
}

}  // namespace kith::cli
