#include "app/cli/option_flags.h"

namespace kith::cli {

std::string FlagsOf(const OptionSpec& option) {
  return option.letter == 0 ? option.Flag() : std::string("-") + option.letter + "," + option.Flag();
}

Option* AddOption(Command& command, const OptionSpec& option, const std::string& flags) {
  Option* added = std::visit(
      [&](auto* place) {
        if constexpr (std::is_same_v<decltype(place), bool*>) {
          return command.AddFlag(flags, *place, option.help);
        } else {
          return command.AddOption(flags, *place, option.help);
        }
      },
      option.place);
  if (option.needed) added->Required();
  if (option.repeated) added->Repeatable();
  if (option.IsList() && !option.expressions && !option.repeated) added->Separated();
  if (option.exactly != 0) added->Exactly(static_cast<int>(option.exactly));
  if (!option.choices.empty()) added->OneOf(option.choices);
  if (option.shows_default) added->ShowDefault();
  return added;
}

}  // namespace kith::cli
