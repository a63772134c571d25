#include "policy/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/json.h"
#include "policy/fields.h"
#include "policy/growth_words.h"

namespace kith {
namespace {

constexpr const char* kUndo = "undo that change in the policy; what was spent on these data stays spent";

std::vector<std::string> TextsOf(const Json& list) { return list.get<std::vector<std::string>>(); }

bool Contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// What a missing or undeclared value is read as.
std::string DefaultOf(const std::vector<std::string>& values) {
  return Contains(values, "NULL") ? "NULL" : values.front();
}

ColumnOrigins OriginsOf(const std::string& column, const std::vector<std::string>& before,
                        const std::vector<std::string>& after) {
  ColumnOrigins origins{column, {}};
  const std::string was = DefaultOf(before), is = DefaultOf(after);
  const auto add = [&](const std::string& to, const std::string& from) {
    auto& list = origins.from[to];
    if (!Contains(list, from)) list.push_back(from);
  };
  for (const auto& value : after) {
    if (value != "NULL") add(value, Contains(before, value) ? value : was);
  }
  for (const auto& value : before) {
    if (!Contains(after, value)) add(is, value);
  }
  add(is, was);
  return origins;
}

class Comparison {
 public:
  Comparison(const Json& before, const Json& after, const std::vector<ReleasedAttribute>& released)
      : before_(before), after_(after), released_(released) {
    for (const Json* policy : {&before_, &after_}) {
      const Json& unit = policy->at("unit");
      for (const char* role : {"key", "other_key"}) {
        if (unit.at(role).is_string()) keys_.insert(unit.at(role).get<std::string>());
      }
      for (const auto& [name, table] : policy->at("tables").items()) {
        if (OfUnits(table)) keys_.insert(table.at("key").get<std::string>());
        if (table.contains("other")) keys_.insert(table.at("other").at("column").get<std::string>());
      }
      if (unit.at("distance").is_object())
        for (const auto& column : unit.at("distance").at("columns")) places_.insert(column.get<std::string>());
      if (policy->at("stream").is_object()) times_.insert(policy->at("stream").at("time").get<std::string>());
      if (unit.at("within").is_string()) groups_.insert(unit.at("within").get<std::string>());
      const Json& by = policy->at("dependence").at("by");
      if (by.is_string()) groups_.insert(by.get<std::string>());
    }
  }

  Growth Run() {
    Unit();
    // Whatever else differs is about another unit: it would only hide the reason.
    if (before_.at("unit").at("table") == after_.at("unit").at("table")) {
      Tables();
      Records();
      CellsOfBoth();
    }
    Rest();
    return std::move(growth_);
  }

 private:
  void Add(GrowthVerdict verdict, std::string what, std::string why, std::string next = {}) {
    if (verdict == GrowthVerdict::kRefused && next.empty()) next = kUndo;
    growth_.changes.push_back({verdict, std::move(what), std::move(why), std::move(next)});
  }
  void Accept(std::string what, std::string why) { Add(GrowthVerdict::kAccepted, std::move(what), std::move(why)); }
  void Refuse(std::string what, std::string why) { Add(GrowthVerdict::kRefused, std::move(what), std::move(why)); }

  // A key whose row in the table of fields says by itself what a change of it means.
  void ByTable(const char* part, const char* key, std::string what) {
    const PolicyField& field = PolicyFieldOf(part, key);
    KITH_CHECK(field.change == FieldChange::kAccepted || field.change == FieldChange::kRefused);
    const bool accepted = field.change == FieldChange::kAccepted;
    Add(accepted ? GrowthVerdict::kAccepted : GrowthVerdict::kRefused, std::move(what), std::string(field.why));
  }
  /// The same if it changed. True if it did.
  bool ByTable(const char* part, const char* key, const std::string& name, const Json& was, const Json& is) {
    if (was != is) ByTable(part, key, FromTo(name, was, is));
    return was != is;
  }

  void Unit() {
    const Json &was = before_.at("unit"), &is = after_.at("unit");
    ByTable("unit", "table", "the unit's table", was.at("table"), is.at("table"));
    ByTable("unit", "key", "the unit's key", was.at("key"), is.at("key"));
    ByTable("unit", "key", "the unit's second key", was.at("other_key"), is.at("other_key"));
    ByTable("unit", "presence", "presence", was.at("presence"), is.at("presence"));
    if (was.at("distance") != is.at("distance")) ByTable("unit", "distance", "the unit's distance changed");
    if (was.at("by_distance") != is.at("by_distance"))
      Refuse(FromTo("whether losses are by distance only", was.at("by_distance"), is.at("by_distance")),
             "charges for any change and charges for moves cannot be taken for each other");
    if (ByTable("unit", "max_rows", "max_rows", was.at("max_rows"), is.at("max_rows"))) growth_.all_asked_again = true;
    constexpr const char* kHouseholds = "what was spent is evaluated again, for persons and for households";
    if (was.at("within") != is.at("within") || was.at("size") != is.at("size")) RowsOfGroups(was, is, "within");
    if (was.at("within") != is.at("within")) {
      const std::string what = FromTo("[unit] within", was.at("within"), is.at("within"));
      if (was.at("within").is_null())
        Accept(what, kHouseholds);
      else  // all members of one present household may have been in different ones before
        Refuse(what, "charges about households are about those that were declared then");
    } else if (was.at("size") < is.at("size")) {
      Refuse(FromTo("[unit] size", was.at("size"), is.at("size")),
             "answers about households got noise for households of the size that was declared then");
    } else if (was.at("size") != is.at("size")) {
      Accept(FromTo("[unit] size", was.at("size"), is.at("size")), kHouseholds);
    }
  }

  // Rows of groups are cut to the size that is declared.
  void RowsOfGroups(const Json& was, const Json& is, const char* of) {
    std::set<std::string> columns;
    for (const Json* policy : {&was, &is}) {
      if (policy->at(of).is_string()) columns.insert(policy->at(of).get<std::string>());
    }
    for (const std::string& column : columns) Anew(after_.at("unit").at("table").get<std::string>(), column);
  }

  void Tables() {
    const Json &was = before_.at("tables"), &is = after_.at("tables");
    const std::string unit = after_.at("unit").at("table");
    for (const auto& [name, table] : was.items()) {
      if (!is.contains(name)) {
        const std::string what = fmt::format("table {} is gone", name);
        if (OfUnits(table))
          Refuse(what, "earlier answers may have read it, and the declared dependence must go on covering it");
        else
          Accept(what, "everybody knows it: nothing was charged for it");
        continue;
      }
      const Json& now = is.at(name);
      if (ByTable("table", "public", fmt::format("table {}: public", name), table.at("public"), now.at("public")))
        continue;
      if (name == unit) {
        UnitTable(name, table, now);
      } else if (OfUnits(table)) {
        MoreOfUnits(name, table, now);
        UnitTable(name, table, now);
      } else {
        PublicTable(name, table, now);
      }
    }
    for (const auto& [name, table] : is.items()) {
      if (was.contains(name)) continue;
      if (OfUnits(table))
        Review(fmt::format("table {} is new, with rows of the same units", name),
               "it enlarges the record, and the declared dependence must hold for the larger one");
      else
        Accept(fmt::format("table {} is new", name), "everybody knows it");
    }
    if (before_.at("engine") != after_.at("engine")) {
      ByTable("data", "engine", "the engine is another one");
      growth_.other_data = true;
    }
  }

  static bool OfUnits(const Json& table) { return table.contains("max_rows"); }

  void MoreOfUnits(const std::string& name, const Json& was, const Json& is) {
    if (was.at("key") != is.at("key"))
      Refuse(FromTo(fmt::format("table {}: key", name), was.at("key"), is.at("key")),
             "a charge is about one unit's record, and its rows would be those of other units");
    SecondUnits(name, was.value("other", Json()), is.value("other", Json()));
    const std::string rows = fmt::format("table {}: max_rows", name);
    if (!ByTable("table", "max_rows", rows, was.at("max_rows"), is.value("max_rows", Json()))) return;
    for (const auto& [column, unused] : is.at("columns").items()) Anew(name, column);
  }

  void SecondUnits(const std::string& name, const Json& was, const Json& is) {
    if (was == is) return;
    const auto column = [](const Json& other) { return other.is_null() ? Json() : other.at("column"); };
    if (ByTable("table", "other", fmt::format("table {}: other", name), column(was), column(is))) return;
    const std::string what = FromTo(fmt::format("table {}: max_other", name), was.at("most"), is.at("most"));
    if (is.at("most") > was.at("most"))
      Refuse(what, "earlier answers were charged for units that are named by fewer rows");
    else
      Accept(what, "earlier answers were charged for more rows");
  }

  void PublicTable(const std::string& name, const Json& was, const Json& is) {
    for (const char* part : {"source", "key", "reading"}) {
      if (was.at(part) == is.at(part)) continue;
      Accept(FromTo(fmt::format("table {}: {}", name, part), was.at(part), is.at(part)), "everybody knows the table");
      for (const auto& [column, unused] : is.at("columns").items()) Anew(name, column);
    }
    const Json &before = was.at("columns"), &after = is.at("columns");
    for (const auto& [column, declared] : before.items()) {
      if (after.contains(column) && after.at(column) == declared) continue;
      Accept(fmt::format("column {}.{} {}", name, column, after.contains(column) ? "changed" : "is gone"),
             "everybody knows the table");
      Anew(name, column);
    }
    for (const auto& [column, declared] : after.items()) {
      if (!before.contains(column))
        Accept(fmt::format("column {}.{} is new", name, column), "everybody knows the table");
    }
  }

  void UnitTable(const std::string& name, const Json& was, const Json& is) {
    if (was.at("source") != is.at("source")) {
      Accept(FromTo(fmt::format("table {}: source", name), was.at("source"), is.at("source")),
             "a new version of the data begins");
      growth_.other_data = true;
    }
    constexpr const char* kOther =
        "keys and public columns would be read in another way: nobody knows which unit is in which cell";
    const Json &read = was.at("reading"), &reads = is.at("reading");
    for (const char* part : {"separator", "encoding", "row_names"}) {
      if (read.at(part) != reads.at(part))
        Refuse(FromTo(fmt::format("table {}: {}", name, part), read.at(part), reads.at(part)), kOther);
    }
    if (read.value("undeclared", Json()) != reads.value("undeclared", Json()))
      Refuse(fmt::format("table {}: the key or group that has no declaration is read in another way", name), kOther);
    const Json &before = was.at("columns"), &after = is.at("columns");
    for (const auto& [column, declared] : before.items()) {
      if (after.contains(column)) {
        if (declared != after.at(column)) UnitColumn(name, column, declared, after.at(column));
        continue;
      }
      const std::string what = fmt::format("column {}.{} is gone", name, column);
      if (declared.at("public").get<bool>())
        Refuse(what, "neighbouring databases agree on it for all earlier answers, and would no longer");
      else
        Refuse(what, "earlier answers may have read it, and the declared dependence must go on covering it");
    }
    for (const auto& [column, declared] : after.items()) {
      if (before.contains(column)) continue;
      const bool is_public = declared.at("public");
      Review(fmt::format("column {}.{} is new and {}", name, column,
                         is_public ? PerRow(declared) ? "public per row" : "public" : "secret"),
             is_public ? "a public column changes what the declared strengths are conditional on"
                       : "it enlarges the record, and the declared dependence must hold for the larger one");
    }
  }

  void UnitColumn(const std::string& table, const std::string& column, const Json& was, const Json& is) {
    const std::string name = fmt::format("column {}.{}", table, column);
    Anew(table, column);
    if (const std::string* rule = RuleOf(column)) {
      Refuse(name + " changed", fmt::format("records were released by the rule {:.80}, which mentions it", *rule));
      return;
    }
    if (keys_.contains(column)) {
      Refuse(name + " changed", "it names the units: they would be others");
      return;
    }
    if (times_.contains(column)) {
      Refuse(name + " changed", "it says to which step a row belongs");
      return;
    }
    if (places_.contains(column)) {
      Place(name, was, is);
      return;
    }
    const bool was_public = was.at("public"), is_public = is.at("public");
    if (was_public && !is_public)
      Refuse(name + " was public and is now secret", "earlier answers told it: nothing was charged for it");
    if (!was_public && is_public)
      Review(fmt::format("{} was secret and is now public{}", name, PerRow(is) ? " per row" : ""),
             "it changes what the declared strengths are conditional on");
    if (was_public && is_public && PerRow(was) != PerRow(is))
      Refuse(fmt::format("{} was public per {} and is now public per {}", name, PerRow(was) ? "row" : "unit",
                         PerRow(is) ? "row" : "unit"),
             "records that can be taken for each other would be others: rows of a unit keep such a column, or their "
             "number does not matter");
    const bool was_one = was.value("of_household", false), is_one = is.value("of_household", false);
    if (was_one != is_one)
      Accept(fmt::format("{} is {} declared to be the same for a household", name, is_one ? "now" : "no longer"),
             "earlier answers lost what they were charged");
    const bool fixed = was_public || is_public || groups_.contains(column);
    for (const char* part : {"type", "constant", "reading"}) {
      if (was.at(part) == is.at(part)) continue;
      const std::string what = FromTo(fmt::format("{}: {}", name, part), was.at(part), is.at(part));
      if (fixed)
        Refuse(what, "who is in which cell or group would be read in another way");
      else
        Accept(what, kFunction);
    }
    Domain(name, was, is, fixed);
  }

  void Domain(const std::string& name, const Json& was, const Json& is, bool fixed) {
    const char* why = fixed ? "cells that share a raw value take the largest of their totals" : kFunction;
    if (was.at("values") != is.at("values"))
      Accept(fmt::format("{}: {}", name, ValuesFromTo(was.at("values"), is.at("values"))), why);
    if (was.at("required") != is.at("required"))
      Accept(name + (is.at("required").get<bool>() ? " is now required" : " is no longer required"), why);
    for (const char* part : {"lower", "upper"}) {
      if (was.at(part) != is.at(part))
        Accept(FromTo(fmt::format("{}: {}", name, part), was.at(part), is.at(part)), kFunction);
    }
    ByTable("column", "pattern", name + ": pattern", was.value("pattern", Json()), is.value("pattern", Json()));
  }

  // Cutting places to a larger region of a plane never brings two of them nearer to each other than cutting them to a
  // smaller one.
  void Place(const std::string& name, const Json& was, const Json& is) {
    Json rest_was = was, rest_is = is;
    for (const char* part : {"lower", "upper"}) {
      rest_was.erase(part);
      rest_is.erase(part);
    }
    const Json& distance = before_.at("unit").at("distance");
    const bool plane = distance.is_object() && distance.at("plane").get<bool>();
    const bool numbers = was.at("lower").is_number() && is.at("lower").is_number();
    if (rest_was == rest_is && plane && numbers && is.at("lower") <= was.at("lower") &&
        is.at("upper") >= was.at("upper"))
      Accept(name + ": its bounds are wider", "on a plane no two places come nearer to each other by that");
    else
      Refuse(name + " changed", "it is a unit's position: places would be at other distances from each other");
  }

  void Records() {
    const Json &was = before_.at("one_sided"), &is = after_.at("one_sided");
    for (const auto& [name, rule] : is.items()) {
      if (!was.contains(name)) {
        if (Used(name))
          Refuse(fmt::format("the one-sided attribute {} is there again", name),
                 "records were released under its name before; give it another name");
        else
          Accept(fmt::format("the one-sided attribute {} is new", name), "nothing was released by it");
      } else if (was.at(name) != rule) {
        const std::string what =
            FromTo(fmt::format("the rule of the one-sided attribute {}", name), was.at(name), rule);
        if (Used(name))
          Refuse(what, "records were released by the rule as it was");
        else
          Accept(what, "nothing was released by it");
      }
    }
    for (const auto& [name, rule] : was.items()) {
      if (!is.contains(name))
        Accept(fmt::format("the one-sided attribute {} is gone", name), "what was released stays in its account");
    }
  }

  bool Used(const std::string& name) const {
    return std::any_of(released_.begin(), released_.end(), [&](const auto& used) { return used.name == name; });
  }

  // The rule of a release that mentions a column. Any occurrence of the name counts, as it is or within quotes.
  const std::string* RuleOf(const std::string& column) const {
    std::string quoted;
    for (const char c : column) quoted.append(c == '"' ? 2 : 1, c);
    for (const ReleasedAttribute& used : released_) {
      for (const std::string& rule : used.rules) {
        if (rule.find(column) != std::string::npos || rule.find(quoted) != std::string::npos) return &rule;
      }
    }
    return nullptr;
  }

  void Review(const std::string& what, const std::string& why) {
    const std::string kind = TablesOverValues(after_.at("dependence").at("kind"));
    if (kind.empty()) {
      Add(GrowthVerdict::kReview, what, why,
          "make sure that the declared dependence holds, and say so under [dependence]");
      return;
    }
    Add(GrowthVerdict::kRefused, what,
        fmt::format("a model of kind '{}' has tables over the values of a record, which another record does not fit",
                    kind),
        "declare another kind of dependence, or undo that change in the policy");
  }

  void CellsOfBoth() {
    std::vector<std::string> was, is;
    for (const Json& column : before_.at("cells")) was.push_back(column.at("column"));
    for (const Json& column : after_.at("cells")) {
      is.push_back(column.at("column"));
      for (const Json& other : before_.at("cells")) {
        if (other.at("column") != column.at("column")) continue;
        auto origins = OriginsOf(is.back(), TextsOf(other.at("values")), TextsOf(column.at("values")));
        if (MoreRows() && PerRow(ColumnOf(before_, is.back()))) {
          for (const auto& value : TextsOf(column.at("values"))) origins.from[value] = TextsOf(other.at("values"));
        }
        growth_.origins.push_back(std::move(origins));
      }
    }
    if (was != is && std::is_permutation(was.begin(), was.end(), is.begin(), is.end()))
      Accept("the public columns are in another order", "cells are known by column and value");
    else if (was != is)
      Accept(fmt::format("units are divided into cells by {}, before by {}", Listed(is), Listed(was)),
             "cells that share a raw value take the largest of their totals");
  }

  static bool PerRow(const Json& column) { return column.value("per_row", false); }

  static const Json& ColumnOf(const Json& policy, const std::string& column) {
    return policy.at("tables").at(policy.at("unit").at("table").get_ref<const std::string&>()).at("columns").at(column);
  }

  // Rows that could not be there before can be in new cells: then a unit's earlier loss, which is shared out
  // among its rows, counts for each of them in full [ROW-3].
  bool MoreRows() const { return after_.at("unit").at("max_rows") > before_.at("unit").at("max_rows"); }

  static std::string Listed(const std::vector<std::string>& names) {
    return names.empty() ? "no column" : fmt::format("{:.120}", fmt::join(names, ", "));
  }

  static Json Totals(const Json& known) {
    if (known.is_null()) return "no total";
    return fmt::format("{} (a unit moves it by {})", known.at("of").get<std::string>(),
                       known.at("range").get<std::int64_t>());
  }

  void Rest() {
    ByTable("stream", "step", "[stream]", before_.at("stream"), after_.at("stream"));
    const Json &was = before_.at("dependence"), &is = after_.at("dependence");
    ByTable("dependence", "by", "[dependence] by", was.at("by"), is.at("by"));
    const Json knew = was.value("known", Json()), knows = is.value("known", Json());
    if (knew != knows) ByTable("dependence", "known", FromTo("[dependence] known", Totals(knew), Totals(knows)));
    Json rest_was = was, rest_is = is;
    for (const char* part : {"by", "known"}) {
      rest_was.erase(part);
      rest_is.erase(part);
    }
    if (rest_was != rest_is) ByTable("dependence", "kind", "[dependence] changed");
    if (was.at("by") != is.at("by") || was.at("model") != is.at("model")) RowsOfGroups(was, is, "by");
    ByTable("budget", "epsilon", "[budget] epsilon", before_.at("budget"), after_.at("budget"));
    ByTable("budget", "delta", "[budget] delta", before_.value("delta", Json()), after_.value("delta", Json()));
    ByTable("budget", "neighbours", "[budget] neighbours", before_.value("neighbours", "replace"),
            after_.value("neighbours", "replace"));
    const bool promised = before_.at("fixed_public_columns"), promises = after_.at("fixed_public_columns");
    growth_.was_fixed = promised;
    if (promised != promises)
      Accept(promises ? "public columns are promised to be fixed" : "public columns are no longer promised to be fixed",
             promises ? "the promise holds from now on" : "the next charge merges all cells");
    const bool froze = before_.value("frozen", false), freezes = after_.value("frozen", false);
    if (growth_.other_data && freezes && !promises)
      Accept("frozen = true is a promise about one version of the data, and another one begins",
             "refused once units were charged: public_columns = \"fixed\" is about all versions");
    if (froze != freezes)
      Accept(freezes ? "data in place are promised not to change under one version"
                     : "data in place are no longer promised not to change under one version",
             freezes || promises ? "the promise holds from now on"
                                 : "every cell takes the largest total of any, and is charged whatever another one is");
    if (growth_.changes.empty() && before_.at("identity") != after_.at("identity"))
      Refuse("the policy declares something that this version cannot compare",
             "it could be about other units or columns");
  }

  void Anew(const std::string& table, const std::string& column) {
    growth_.asked_again.push_back(fmt::format("{}.{}", table, column));
  }

  static constexpr const char* kFunction =
      "earlier answers are functions of the raw record, and lost what they were charged";

  const Json &before_, &after_;
  const std::vector<ReleasedAttribute>& released_;
  std::set<std::string> keys_, places_, times_, groups_;
  Growth growth_;
};

Result<Json> Read(const std::string& text) {
  Json read = Json::parse(text, nullptr, false);
  if (read.is_object() && read.value("kith", 0) == 1) return read;
  return InvalidArgument("what the ledger keeps of an earlier policy is not what this version writes", {},
                         "use the version that wrote it, or a newer one");
}

}  // namespace

bool Growth::Has(GrowthVerdict verdict) const {
  return std::any_of(changes.begin(), changes.end(), [&](const auto& change) { return change.verdict == verdict; });
}

std::string TablesOverValues(const std::string& kind) {
  return kind == "chain" || kind == "tree" || kind == "star" || kind == "joint" ? kind : "";
}

Result<Growth> CompareGenerations(const std::string& before, const std::string& after,
                                  const std::vector<ReleasedAttribute>& released) {
  const auto was = Read(before);
  if (!was) return was.error();
  const auto is = Read(after);
  if (!is) return is.error();
  try {
    return Comparison(*was, *is, released).Run();
  } catch (const JsonError&) {
    return Read("").error();
  }
}

Result<void> AcceptGrowth(const Growth& growth, std::int64_t generation, std::int64_t reviewed) {
  for (const PolicyChange& change : growth.changes) {
    if (change.verdict == GrowthVerdict::kRefused) {
      return InvalidArgument("the policy changed since the first answer in a way that its ledger does not allow: " +
                                 change.what + " (" + change.why + ")",
                             {}, change.next + ". Name a new ledger file only for other data")
          .For("policy.growth");
    }
  }
  if (!growth.Has(GrowthVerdict::kReview) || reviewed == generation) return {};
  const auto change = std::find_if(growth.changes.begin(), growth.changes.end(),
                                   [](const auto& one) { return one.verdict == GrowthVerdict::kReview; });
  return InvalidArgument(
             fmt::format("the policy grew in a way that must be reviewed: {} ({})", change->what, change->why), {},
             fmt::format(
                 "make sure that the declared dependence holds for the new record, and write reviewed = {} under "
                 "[dependence]: the number of the generation that this policy will be",
                 generation))
      .For("policy.growth");
}

}  // namespace kith
