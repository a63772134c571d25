#include "tests/kernel_check/hostile.h"

#include <algorithm>
#include <stdexcept>

#include "sql/dialect.h"

namespace kith::testing::hostile {
namespace {

std::string Flags(Dice& dice, int open, bool keyed) {
  std::string flags;
  if (dice.Chance(open)) {
    flags = keyed && dice.Chance(20) ? ", public = \"per row\"" : ", public = true";
  } else if (keyed && dice.Chance(20)) {
    flags = ", constant = true";
  }
  return flags + (dice.Chance(35) ? ", required = true" : "");
}

std::string PolicyText(Dice& dice) {
  const bool keyed = dice.Chance(75), more = keyed && dice.Chance(35), pairs = more && dice.Chance(30);
  const bool nested = keyed && !more && dice.Chance(30);
  std::string g = Flags(dice, 55, keyed), h = Flags(dice, 35, keyed), x = Flags(dice, 10, keyed);
  if (more)  // refused beside other tables of the units
    for (std::string* flags : {&g, &h, &x})
      if (const auto at = flags->find("\"per row\""); at != std::string::npos) flags->replace(at, 9, "true");
  std::string text =
      "[data]\nfrozen = true\ntables.t = \"t.parquet\"\ntables.r = { source = \"r.parquet\", public = true, key = "
      "\"code\" }\n";
  if (more)
    text += "tables.v = { source = \"v.parquet\", key = \"who\", max_rows = " + std::to_string(dice.Between(1, 2)) +
            (pairs ? ", other = \"whom\", max_other = 1" : "") + " }\n";
  text += "[unit]\ntable = \"t\"\n";
  text += keyed ? "key = \"id\"\nmax_rows = " + std::to_string(dice.Between(1, 3)) + "\n" : "row = true\n";
  text += std::string("presence = \"") + (dice.Chance(50) ? "public" : "secret") + "\"\n";
  if (nested) text += "within = \"house\"\nsize = 2\n";
  text += "[columns.t]\n";
  if (keyed) text += "id = { type = \"integer\" }\n";
  if (nested) text += "house = { type = \"integer\", public = true }\n";
  text += "g = { values = [\"a\", \"b\"]" + g + " }\n";
  text += "h = { values = [1, 2]" + h + " }\n";
  const int low = dice.Between(-3, 2);
  text += "x = { lower = " + std::to_string(low) + ", upper = " + std::to_string(low + dice.Between(0, 4)) + x + " }\n";
  if (more)
    text +=
        "[columns.v]\nwho = { type = \"integer\" }\ny = { lower = -1, upper = 2 }\ns = { values = [\"a\", \"b\"] }\n" +
        std::string(pairs ? "whom = { type = \"integer\" }\n" : "");
  text +=
      "[columns.r]\ncode = { type = \"text\" }\nlevel = { lower = -1, upper = 2 }\n[dependence]\nsource = "
      "\"public\"\nkind = \"independent\"\n";
  return text + "[budget]\nepsilon = 1.0\nledger = \"l\"\n";
}

// Writes terms and sources, at times as a planner would, at times not.
class Maker {
 public:
  Maker(const World& world, Dice& dice)
      : world_(world), table_(world.policy.unit_table()), key_(world.policy.unit.key), dice_(dice) {}

  Asked Make() {
    sql::Select rows = Rows();
    Asked asked;
    const int keys = dice_.Pick<int>({0, 0, 1, 1, 1, 2});
    const bool ranked = keys > 0 && dice_.Chance(20);
    asked.claim.use.of_households = world_.policy.unit.within && dice_.Chance(60);
    const bool numbered_within = dice_.Chance(40);
    sql::Terms groups;
    std::vector<sql::Item> listed, outer;
    for (int k = 0; k < keys; ++k) {
      const std::string name = "k" + std::to_string(k);
      sql::Term key = Key();
      if (numbered_within) key = Numbered(key);
      rows.items.push_back({key, name});
      groups.push_back(sql::Name(name));
      listed.push_back({groups.back()});
      outer.push_back({Numbered(groups.back(), texts_.contains(name)), "i" + std::to_string(k)});
      if (text_key_) texts_.insert(name);
      if (text_key_) outer.back().term = Numbered(groups.back(), true);
    }
    const int numbers = ranked ? 1 : dice_.Between(1, 2);
    for (int k = 0; k < numbers; ++k) {
      sql::Term number = ranked && dice_.Chance(90) ? sql::CountRows() : Number(rows, k);
      listed.push_back({number, "s" + std::to_string(k)});
      outer.push_back({sql::Sum(sql::Name("s" + std::to_string(k))), "s" + std::to_string(k)});
    }
    if (rows.items.empty()) rows.items.push_back({sql::Number(1), "one"});
    const sql::Statement grouped =
        sql::Selected({.items = listed, .from = sql::Rows(sql::Selected(rows), "r"), .group_by = groups});
    asked.statement = grouped;
    if (keys > 0 && !numbered_within) {
      sql::Terms ordinals;
      for (int k = 1; k <= keys; ++k) ordinals.push_back(sql::Number(k));
      asked.statement = sql::Selected({.items = outer, .from = sql::Rows(grouped, "g"), .group_by = ordinals});
    }
    asked.claim.keys = static_cast<std::size_t>(keys);
    asked.claim.numbers.assign(static_cast<std::size_t>(numbers), {Sensitivities::None(), {}, {}});
    if (ranked) {
      const std::int64_t den = 2 * dice_.Between(1, 5);
      asked.claim.use.rank = check::Rank{dice_.Chance(50) ? den / 2 : dice_.Between(0, static_cast<int>(den)), den};
    } else if (keys > 0 && dice_.Chance(25)) {
      asked.claim.use.levels.emplace_back(keys, true);
      asked.claim.use.levels.emplace_back(keys, false);
      if (keys == 2) asked.claim.use.levels.push_back({true, false});
    }
    return asked;
  }

 private:
  using Names = std::vector<std::pair<std::string, std::string>>;

  bool Has(const std::string& column) const { return table_.Find(column) != nullptr; }

  // FROM something named t, with whole numbers ints_ and texts words_.
  sql::Select Rows() {
    ints_ = {{"t", "h"}, {"t", "x"}};
    words_ = {{"t", "g"}};
    std::vector<std::string> columns = {"id", "g", "h", "x"};
    if (world_.policy.unit.within) {
      ints_.push_back({"t", "house"});
      columns.push_back("house");
    }
    sql::Select rows;
    const bool more = world_.policy.FindTable("v") != nullptr;
    const int kind = dice_.Between(0, 9);
    if (more && kind < 2) {
      const Table& v = *world_.policy.FindTable("v");
      std::vector<std::string> names = {"who", "y", "s"};
      ints_ = {{"t", "y"}};
      if (v.other) names.push_back("whom");
      if (v.other) ints_.push_back({"t", "whom"});
      rows.from = Limit("v", "who", names, v.max_rows);
      words_ = {{"t", "s"}};
      key_name_ = "who";
      if (v.other && dice_.Chance(40)) {  // what either of them is in the unit's table
        sql::Source owner = Limit("t", "id", columns, world_.policy.unit.max_rows);
        owner.name = "j";
        rows.joins.push_back(
            {.left = dice_.Chance(60),
             .source = owner,
             .on = sql::Infix(" = ", {sql::Column("t", dice_.Chance(50) ? "whom" : "who"), sql::Column("j", "id")})});
        ints_.push_back({"j", "x"});
        words_.push_back({"j", "g"});
      }
      return WithWhere(rows);
    }
    rows.from =
        key_ && dice_.Chance(92) ? Limit("t", "id", columns, world_.policy.unit.max_rows) : sql::Table("t", "t");
    key_name_ = key_ ? "id" : "";
    if (kind == 2 || kind == 3) rows.from = PerUnit(rows.from);
    if (kind == 4) rows.from = PerGroup(rows.from);
    if (kind == 5 && key_) rows.from = Windows(rows.from);
    if (kind >= 2 && kind <= 5 && key_) std::erase_if(ints_, [](const auto& name) { return name.second == "house"; });
    if (dice_.Chance(20) && !words_.empty()) {
      rows.joins.push_back({.left = dice_.Chance(80),
                            .source = sql::Table("r", "j"),
                            .on = sql::Infix(" = ", {Word(), sql::Column("j", dice_.Chance(95) ? "code" : "code")})});
      ints_.push_back({"j", "level"});
    } else if (more && dice_.Chance(50) && kind > 5) {
      sql::Source right = Limit("v", "who", {"who", "y", "s"}, world_.policy.FindTable("v")->max_rows);
      right.name = "j";
      const std::string on = dice_.Chance(85) ? "id" : "h";
      rows.joins.push_back({.left = dice_.Chance(70),
                            .source = right,
                            .on = sql::Infix(" = ", {sql::Column("t", on), sql::Column("j", "who")})});
      ints_.push_back({"j", "y"});
      words_.push_back({"j", "s"});
    }
    return WithWhere(rows);
  }

  sql::Select WithWhere(sql::Select rows) {
    if (dice_.Chance(45)) rows.where = Condition(2);
    return rows;
  }

  sql::Source Limit(const std::string& table, const std::string& key, std::vector<std::string> columns,
                    std::int64_t rows) {
    sql::Terms order;
    if (dice_.Chance(85)) {
      sql::Terms hashed;
      for (const std::string& c : columns) hashed.push_back(sql::Column("t", c));
      order.push_back(sql::RowHash(hashed));
    }
    for (const std::string& c : columns)
      if (c != key && dice_.Chance(97)) order.push_back(sql::Column("t", c));
    if (order.empty()) order.push_back(sql::Column("t", key));
    std::set<std::string> constant;
    for (const std::string& c : columns) {
      const Column* declared = table == "t" ? table_.Find(c) : nullptr;
      if ((declared && declared->constant && dice_.Chance(95)) || (c != key && dice_.Chance(4))) constant.insert(c);
    }
    const std::string by = dice_.Chance(96) ? key : dice_.Pick(columns);
    return sql::Rows(
        sql::Limited({.columns = columns,
                      .constant = constant,
                      .from = sql::Table(table, "t"),
                      .key = sql::Column("t", by),
                      .order = order,
                      .rows = dice_.Chance(94)
                                  ? std::optional(dice_.Chance(85) ? rows : std::int64_t{dice_.Between(1, 3)})
                                  : std::nullopt,
                      .number = "kith_row",
                      .of_unit_table = table == "t" && dice_.Chance(50)}),
        "t");
  }

  // One row for each unit, with its key, a word and two numbers.
  sql::Source PerUnit(const sql::Source& from) {
    if (!key_) return from;
    sql::Select rows;
    rows.from = from;
    rows.items = {{sql::Column("t", "id"), "u"}, {Word(), "c0"}, {Int(2), "v0"}, {Condition(1), "f0"}};
    if (dice_.Chance(30)) rows.where = Condition(2);
    std::vector<sql::Item> items = {{sql::Name("u"), "id", true},
                                    {sql::Max(sql::Name("c0")), "g", true},
                                    {OverRows("v0"), "h", true},
                                    {OverRows("v0"), "x", true}};
    return sql::Rows(sql::Selected({.items = items,
                                    .from = sql::Rows(sql::Selected(rows), "r"),
                                    .group_by = {sql::Name(dice_.Chance(96) ? "u" : "v0")}}),
                     "t");
  }

  // One row for each value of something, with two numbers.
  sql::Source PerGroup(const sql::Source& from) {
    sql::Select rows;
    rows.from = from;
    rows.items = {{Word(), "g0"}, {Int(1), "v0"}, {Condition(1), "f0"}};
    if (dice_.Chance(40)) rows.where = Condition(1);
    std::vector<sql::Item> items = {
        {sql::Name("g0"), "g", true}, {OverRows("v0"), "h", true}, {OverRows("v0"), "x", true}};
    if (dice_.Chance(20)) items[0].term = sql::Where(sql::Max(sql::Name("g0")), sql::Name("f0"));
    key_name_ = "";
    return sql::Rows(
        sql::Selected({.items = items, .from = sql::Rows(sql::Selected(rows), "r"), .group_by = {sql::Name("g0")}}),
        "t");
  }

  sql::Term OverRows(const std::string& name) {
    const sql::Term v = sql::Name(name), f = dice_.Chance(40) ? sql::Name("f0") : nullptr;
    switch (dice_.Between(0, 4)) {
      case 0:
        return sql::Where(sql::CountRows(), f);
      case 1:
        return sql::Where(sql::Sum(v), f);
      case 2:
        return sql::Where(sql::Min(v), f);
      case 3:
        return sql::Where(sql::CountDistinct(v), f);
      default:
        return sql::Infix(" + ", {sql::Where(sql::Max(v), f), sql::Number(dice_.Between(-1, 2))});
    }
  }

  // The rows of each unit, with what the others say.
  sql::Source Windows(const sql::Source& from) {
    sql::Select rows;
    rows.from = from;
    sql::Terms order;
    if (dice_.Chance(85)) order.push_back(sql::RowHash({sql::Column("t", "x"), sql::Column("t", "h")}));
    for (const char* c : {"g", "h", "x"})
      if (dice_.Chance(95)) order.push_back(sql::Column("t", c));
    if (order.empty()) order.push_back(sql::Column("t", "id"));
    rows.items = {{sql::Column("t", "id"), "u"},
                  {sql::Column("t", "g"), "c0"},
                  {Int(1), "v0"},
                  {sql::Window("row_number", sql::Column("t", dice_.Chance(94) ? "id" : "g"), order), "o0"}};
    const std::string over = dice_.Chance(95) ? " OVER (PARTITION BY u" : " OVER (PARTITION BY c0";
    const auto window = [&](sql::Term f, bool ordered) {
      return sql::Suffix(std::move(f), over + (ordered ? " ORDER BY o0)" : ")"));
    };
    std::vector<sql::Item> items = {{sql::Name("u"), "id", true}, {sql::Name("c0"), "g", true}};
    items.push_back(
        {dice_.Chance(50) ? sql::Name("o0") : window(sql::Sum(sql::Name("v0")), dice_.Chance(50)), "h", true});
    items.push_back({dice_.Chance(50) ? window(sql::Call("lag", {sql::Name("v0"), sql::Number(1)}), true)
                                      : window(sql::CountRows(), dice_.Chance(50)),
                     "x", true});
    return sql::Rows(sql::Selected({.items = items, .from = sql::Rows(sql::Selected(rows), "r")}), "t");
  }

  sql::Term Named(const Names& names) {
    const auto& [source, name] = dice_.Pick(names);
    return sql::Column(source, name);
  }
  sql::Term Word() { return words_.empty() ? sql::Literal("a", Type::kText) : Named(words_); }
  sql::Term Whole(int n) { return dice_.Chance(50) ? sql::Constant(std::int64_t{n}, Type::kInteger) : sql::Number(n); }

  // As declared columns are read, or in ways of its own.
  sql::Term Read() {
    const sql::Term raw = Named(ints_);
    const int low = dice_.Between(-3, 1), high = low + dice_.Between(0, 4);
    const sql::Term from = sql::Number(low), to = sql::Number(high);
    const bool never_null = dice_.Chance(40);
    switch (dice_.Between(0, 4)) {
      case 0:
        return raw;
      case 1: {
        sql::Terms parts = {sql::In(raw, {std::int64_t{1}, std::int64_t{2}}, Type::kInteger), raw};
        if (never_null) parts.push_back(sql::Number(1));
        return sql::Paren(sql::Case(parts));
      }
      case 2: {
        sql::Terms parts = {sql::Between(raw, from, to),  raw, sql::Infix(" < ", {raw, from}), from,
                            sql::Infix(" > ", {raw, to}), to};
        if (never_null) parts.push_back(from);
        return sql::Clamped(raw, from, to, sql::Case(parts), never_null, "");
      }
      case 3:
        return sql::Within(raw, low, high, dice_.Chance(15));
      default: {
        sql::Terms parts = {sql::Between(raw, from, to), raw};
        if (never_null) parts.push_back(from);
        return sql::Paren(sql::Case(parts));
      }
    }
  }

  sql::Term Int(int depth) {
    if (depth == 0 || dice_.Chance(35)) return dice_.Chance(85) ? Read() : Whole(dice_.Between(-2, 3));
    switch (dice_.Between(0, 13)) {
      case 9:
        return Real(depth - 1);
      case 10:
        return sql::Cast(Int(depth - 1), dice_.Chance(70) ? sql::Stored::kWide : sql::Stored::kNarrow);
      case 11:
        return Date(depth - 1);
      case 12:
        return sql::Paren(sql::Infix(" % ", {sql::Paren(Int(depth - 1)), Whole(dice_.Between(1, 3))}));
      case 13:
        return sql::IntegerDivide(sql::Paren(Int(depth - 1)), Whole(dice_.Pick<int>({-2, 1, 2, 3})));
      case 0:
        return sql::Paren(sql::Infix(" + ", {Int(depth - 1), Int(depth - 1)}));
      case 1:
        return sql::Paren(sql::Infix(" - ", {Int(depth - 1), Int(depth - 1)}));
      case 2:
        return sql::Paren(sql::Infix(" * ", {Int(depth - 1), Int(depth - 1)}));
      case 3:
        return sql::Call("abs", {Int(depth - 1)});
      case 4:
        return sql::Call("coalesce", {Int(depth - 1), Int(depth - 1)});
      case 5:
        return dice_.Chance(50) ? sql::Greatest({Int(depth - 1), Int(depth - 1)})
                                : sql::Least({Int(depth - 1), Int(depth - 1)});
      case 6:
        return sql::Paren(sql::SimpleCase(
            {Word(), sql::Literal("a", Type::kText), Int(depth - 1), sql::Literal("b", Type::kText), Int(depth - 1)}));
      case 7:
        return sql::Call("nullif", {Int(depth - 1), Whole(dice_.Between(-1, 2))});
      default:
        return sql::Paren(sql::Case({Condition(depth - 1), Int(depth - 1), Int(depth - 1)}));
    }
  }

  // Whole numbers made of reals.
  sql::Term Real(int depth) {
    const sql::Term x = sql::Cast(Int(depth), sql::Stored::kReal);
    const auto real = [](double value) { return sql::Literal(value, Type::kReal); };
    const sql::Term half = sql::Paren(sql::Infix(" * ", {x, real(dice_.Pick<double>({-0.5, 0.25, 1.5}))}));
    const double low = dice_.Between(-3, 1), high = low + dice_.Between(0, 4);
    switch (dice_.Between(0, 4)) {
      case 0:
        return sql::Call("kith_steps", {half, real(low), real(high), real(dice_.Chance(50) ? 0.0 : low), real(2)});
      case 1:
        return sql::Cast(sql::Call("floor", {half}), sql::Stored::kWide);
      case 2:
        return sql::Steps(sql::Paren(sql::Infix(" / ", {x, real(2)})), dice_.Chance(50));
      case 3:
        return sql::Steps(
            sql::Infix(" * ", {sql::Call("kith_clamp", {half, real(low), real(high), real(0.125)}), real(4)}), true);
      default:
        return sql::Cast(half, sql::Stored::kWide);
    }
  }

  // Whole numbers made of dates.
  sql::Term Date(int depth) {
    const sql::Term date = sql::Cast(Int(depth), sql::Stored::kDate),
                    epoch = sql::Literal(std::int64_t{2}, Type::kDate);
    if (dice_.Chance(40)) return sql::Paren(sql::DaysBetween(date, epoch));
    return sql::PartOf(dice_.Pick<DatePart>({DatePart::kYear, DatePart::kMonth, DatePart::kDay}), date);
  }

  sql::Term Condition(int depth) {
    if (depth > 0 && dice_.Chance(40)) {
      const bool both = dice_.Chance(60);
      sql::Terms parts = {Condition(depth - 1), Condition(depth - 1)};
      if (dice_.Chance(20)) return sql::Paren(sql::Prefix("NOT ", sql::Paren(parts[0])));
      return sql::Paren(sql::Infix(both ? " AND " : " OR ", parts));
    }
    switch (dice_.Between(0, 7)) {
      case 6:
        return sql::Paren(sql::Like(Word(), dice_.Pick<std::string>({"a%", "%", "_", "b"}), false));
      case 7:
        return sql::Paren(sql::Infix(dice_.Pick<std::string>({" = ", " < ", " >= "}),
                                     {sql::Paren(sql::Infix(" / ", {sql::Paren(Int(0)), Whole(2)})),
                                      sql::Literal(dice_.Between(-2, 3) / 2.0, Type::kReal)}));
      case 0:
        return sql::Paren(sql::In(Word(), {std::string(dice_.Chance(50) ? "a" : "b")}, Type::kText));
      case 1:
        return sql::Paren(
            sql::Suffix(dice_.Chance(50) ? Word() : Named(ints_), dice_.Chance(50) ? " IS NULL" : " IS NOT NULL"));
      case 2:
        return sql::Paren(sql::Between(Read(), Whole(dice_.Between(-2, 1)), Whole(dice_.Between(0, 3))));
      case 3:
        return sql::Paren(sql::IsNotTrue(sql::Paren(sql::In(Word(), {std::string("a")}, Type::kText))));
      case 4:
        return sql::Paren(sql::Infix(" IS DISTINCT FROM ", {sql::Paren(Int(0)), Whole(dice_.Between(-2, 3))}));
      default:
        return sql::Paren(sql::Infix(dice_.Pick<std::string>({" = ", " <> ", " < ", " <= ", " > ", " >= "}),
                                     {sql::Paren(Int(1)), Whole(dice_.Between(-2, 3))}));
    }
  }

  // What rows are grouped by: a word or a number.
  sql::Term Key() {
    text_key_ = dice_.Chance(60);
    return text_key_ ? Word() : sql::Paren(Int(1));
  }
  sql::Term Numbered(const sql::Term& key) { return Numbered(key, text_key_); }
  sql::Term Numbered(const sql::Term& key, bool text) {
    if (text) return sql::Position(key, {std::string("a"), std::string("b")}, Type::kText, dice_.Chance(85) ? 2 : 0);
    if (dice_.Chance(50))
      return sql::Position(key, {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}}, Type::kInteger, 3);
    return sql::Case({sql::Between(key, sql::Number(-1), sql::Number(2)), sql::Infix(" - ", {key, sql::Number(-1)}),
                      sql::Number(4)});
  }

  sql::Term Number(sql::Select& rows, int k) {
    const std::string v = "v" + std::to_string(k), f = "f" + std::to_string(k);
    sql::Term filter;
    if (dice_.Chance(30)) {
      rows.items.push_back({Condition(1), f});
      filter = sql::Name(f);
    }
    switch (dice_.Between(0, 6)) {
      case 0:
        return sql::Where(sql::CountRows(), filter);
      case 1:
        rows.items.push_back({Int(2), v});
        return sql::Where(sql::Count(sql::Name(v)), filter);
      case 2:
        if (!key_name_.empty()) {
          rows.items.push_back({sql::Column("t", key_name_), v});
          return sql::Where(sql::CountDistinct(sql::Name(v)), filter);
        }
        [[fallthrough]];
      case 3:
        rows.items.push_back({Int(1), v});
        return sql::Where(sql::CountDistinct(sql::Name(v)), filter);
      default: {
        rows.items.push_back({Int(2), v});
        const int low = dice_.Between(-4, 1), high = low + dice_.Between(0, 5);
        const sql::Term x = dice_.Chance(60) ? sql::Within(sql::Name(v), low, high, false) : sql::Name(v);
        sql::Term sum = sql::Where(sql::Sum(x, dice_.Chance(10) ? 5 : 0), filter);
        if (dice_.Chance(25)) {
          const sql::Term each = sql::Cast(sql::Number(dice_.Between(-2, 3)), sql::Stored::kWide);
          sum = sql::Infix(
              " - ", {sum, sql::Infix(" * ", {each, sql::Where(sql::Count(x), dice_.Chance(95) ? filter : nullptr)})});
        }
        return sql::Call("coalesce", {sum, sql::Number(0)});
      }
    }
  }

  const World& world_;
  const Table& table_;
  const std::optional<std::string> key_;
  Dice& dice_;
  Names ints_, words_;
  std::set<std::string> texts_;
  std::string key_name_;
  bool text_key_ = false;
};

}  // namespace

World::World(Dice& dice) {
  for (;;) {
    text = PolicyText(dice);
    auto parsed = Policy::Parse(text, "hostile.toml");
    if (!parsed) {
      if (parsed.error().code == Code::kInvalidArgument || parsed.error().code == Code::kUnsupportedQuery) continue;
      throw std::runtime_error(parsed.error().Text());
    }
    policy = *std::move(parsed);
    facts = check::FactsOf(policy).value();
    return;
  }
}

Asked RandomStatement(const World& world, Dice& dice) { return Maker(world, dice).Make(); }

std::string About(const World& world, const Asked& asked) {
  std::string text = world.text + sql::DuckDb().Write(asked.statement);
  if (asked.claim.use.of_households) text += "\nabout households";
  if (const auto& rank = asked.claim.use.rank)
    text += "\nrank " + std::to_string(rank->num) + "/" + std::to_string(rank->den);
  text += "\nlevels:";
  for (const auto& level : asked.claim.use.levels) {
    text += " ";
    for (const bool key : level) text += key ? '1' : '0';
  }
  return text;
}

}  // namespace kith::testing::hostile
