#include "pgwire/settings.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/spelling.h"

namespace kith::pgwire {
namespace {

const std::vector<std::string>& OwnNames() {
  static const std::vector<std::string> names = {"kith.epsilon",   "kith.error", "kith.split",
                                                 "kith.intervals", "kith.unit",  "kith.approval"};
  return names;
}

std::optional<double> NumberOf(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool read = error == std::errc() && end == text.data() + text.size();
  if (!read || !std::isfinite(value) || value <= 0) return std::nullopt;
  return value;
}

std::optional<std::vector<double>> WeightsOf(const std::string& text) {
  std::vector<double> weights;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const std::size_t begin = std::min(text.find_first_not_of(' ', from), end);
    const auto weight = NumberOf(text.substr(begin, end - begin));
    if (!weight) return std::nullopt;
    weights.push_back(*weight);
    from = end + 1;
  }
  return weights;
}

// As PostgreSQL writes them.
std::optional<bool> IsOn(const std::string& text) {
  const std::string folded = FoldCase(text);
  if (folded == "on" || folded == "true" || folded == "yes" || folded == "1") return true;
  if (folded == "off" || folded == "false" || folded == "no" || folded == "0") return false;
  return std::nullopt;
}

Result<void> CheckOwn(const std::string& name, const std::string& value) {
  const auto wrong = [&](const char* next) {
    return InvalidArgument(fmt::format("{} cannot be set to this", name), {}, next);
  };
  if (name == "kith.epsilon" || name == "kith.error")
    return NumberOf(value) ? Result<void>() : wrong("give a number above 0");
  if (name == "kith.split") return WeightsOf(value) ? Result<void>() : wrong("give weights above 0, such as '2, 1'");
  if (name == "kith.intervals") return IsOn(value) ? Result<void>() : wrong("choose on or off");
  if (name == "kith.unit")
    return value == "person" || value == "household" ? Result<void>() : wrong("choose person or household");
  if (name == "kith.approval") {
    const auto number = NumberOf(value);
    const bool whole = number && *number == std::floor(*number) && *number < 1e15;
    return whole ? Result<void>() : wrong("give the number that the refusal named");
  }
  return InvalidArgument("kith has no such setting", {},
                         DidYouMean(name, OwnNames()) + fmt::format("choose from: {}", fmt::join(OwnNames(), ", ")));
}

bool IsUtf8Name(const std::string& name) {
  const std::string folded = FoldCase(name);
  return folded == "utf8" || folded == "utf-8" || folded == "unicode" || folded == "sql_ascii" || folded == "default";
}

}  // namespace

Settings::Settings() {
  values_ = {{"application_name", ""},
             {"client_encoding", "UTF8"},
             {"datestyle", "ISO, MDY"},
             {"default_transaction_isolation", "repeatable read"},
             {"default_transaction_read_only", "on"},
             {"extra_float_digits", "1"},
             {"integer_datetimes", "on"},
             {"intervalstyle", "postgres"},
             {"is_superuser", "off"},
             {"lc_monetary", "C"},
             {"max_identifier_length", "63"},
             {"max_index_keys", "32"},
             {"search_path", "public"},
             {"server_encoding", "UTF8"},
             {"server_version", "15.0"},
             {"server_version_num", "150000"},
             {"standard_conforming_strings", "on"},
             {"timezone", "UTC"},
             {"transaction_isolation", "repeatable read"},
             {"transaction_read_only", "on"}};
  defaults_ = values_;
}

Result<std::string> Settings::Set(const std::string& given, const std::string& value, bool local) {
  const std::string name = FoldCase(given);
  if (value.size() > 4096 || values_.size() > 200)
    return InvalidArgument("too much is set", {}, "set less, and shorter values");
  std::string changed;
  if (name.starts_with("kith.")) {
    if (auto fine = CheckOwn(name, value); !fine) return fine.error();
    const std::string other = name == "kith.epsilon" ? "kith.error" : name == "kith.error" ? "kith.epsilon" : "";
    if (!other.empty() && values_.erase(other) > 0)
      changed = fmt::format("{} is no longer set: a price and an error bar cannot both be chosen", other);
  } else if (name == "client_encoding" && !IsUtf8Name(value)) {
    return InvalidArgument("texts are in UTF-8 here", {}, "set client_encoding to UTF8, or leave it");
  } else if (name == "standard_conforming_strings" && FoldCase(value) != "on") {
    return InvalidArgument("backslashes stand for themselves here", {}, "leave standard_conforming_strings on");
  } else if (name == "statement_timeout" && value != "0") {
    changed = "statement_timeout is not heeded: what a question takes can depend on data";
  }
  if (name == "client_encoding") {
    values_[name] = "UTF8";
  } else {
    values_[name] = value;
  }
  if (local && before_) local_.insert(name);
  return changed;
}

void Settings::Reset(const std::string& given) {
  const std::string name = FoldCase(given);
  const auto found = defaults_.find(name);
  if (found == defaults_.end()) {
    values_.erase(name);
  } else {
    values_[name] = found->second;
  }
}

void Settings::ResetAll() { values_ = defaults_; }

std::optional<std::string> Settings::Find(const std::string& name) const {
  const auto found = values_.find(FoldCase(name));
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

void Settings::End(bool commit) {
  if (before_ && !commit) values_ = *before_;
  if (before_ && commit) {
    for (const std::string& name : local_) {
      const auto found = before_->find(name);
      if (found == before_->end()) {
        values_.erase(name);
      } else {
        values_[name] = found->second;
      }
    }
  }
  before_.reset();
  local_.clear();
}

Result<server::WantedQuestion> Settings::WantedOf(const Statement& statement) const {
  server::WantedQuestion wanted;
  if (const auto unit = Find("kith.unit")) {
    const auto level = server::UnitNamed(*unit);
    if (!level) return level.error();
    wanted.unit = *level;
  }
  wanted.price = statement.price;
  if (wanted.price.none()) {
    if (const auto epsilon = Find("kith.epsilon")) wanted.price.epsilon = NumberOf(*epsilon);
    if (const auto error = Find("kith.error")) wanted.price.error_95 = NumberOf(*error);
  }
  if (const auto split = Find("kith.split")) wanted.price.split = WeightsOf(*split).value_or(std::vector<double>());
  wanted.price.intervals = statement.intervals.value_or(IsOn(Find("kith.intervals").value_or("on")).value_or(true));
  if (const auto approval = Find("kith.approval"))
    wanted.approval = static_cast<std::size_t>(NumberOf(*approval).value_or(0));
  wanted.request = QuestionRequest{statement.text, wanted.unit};
  wanted.text = server::QuestionText(wanted);
  return wanted;
}

}  // namespace kith::pgwire
