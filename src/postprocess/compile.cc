#include "postprocess/compile.h"

#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <utility>

#include "base/spelling.h"
#include "query/bind/bind.h"
#include "query/output/output.h"
#include "sql/quote.h"

namespace kith::postprocess {
namespace {

constexpr int kMostLevels = 20;
constexpr std::size_t kMostInner = 8;

// What the tables of the scratch database hold.
ScratchType TypeOf(const std::vector<Value>& values) {
  bool whole = true, number = true, truth = true;
  for (const Value& value : values) {
    if (std::holds_alternative<Null>(value)) continue;
    whole = whole && std::holds_alternative<std::int64_t>(value);
    number = number && NumberIn(value).has_value();
    truth = truth && std::holds_alternative<bool>(value);
  }
  return whole ? ScratchType::kWhole : number ? ScratchType::kReal : truth ? ScratchType::kTruth : ScratchType::kText;
}

Inner::Column ColumnOf(const Plan& plan, const OutputColumn& output) {
  Inner::Column column;
  column.name = output.name;
  for (const std::size_t k : output.expr->Reads()) column.noisy = column.noisy || plan.statistics[k].noisy();
  if (const auto key = output.expr->Key()) {
    column.type = plan.levels.empty() ? TypeOf(plan.keys[*key].values) : ScratchType::kText;
    return column;
  }
  const std::vector<Estimate> zeros(plan.statistics.size());
  const Value example = output.expr->Evaluate(plan.ShownKeys(0), zeros).value;
  const bool date = output.expr->IsDate() || std::holds_alternative<std::string>(example);
  const bool as_it_is = output.expr->Statistic() || output.expr->Quantile();
  const bool whole = as_it_is && std::holds_alternative<std::int64_t>(example);
  column.type = date ? ScratchType::kText : whole ? ScratchType::kWhole : ScratchType::kReal;
  const auto multiple = output.expr->AsMultiple();
  if (plan.levels.empty() && multiple && multiple->statistic && !plan.statistics[*multiple->statistic].quantile) {
    column.statistic = multiple->statistic;
    column.factor = multiple->factor;
  } else if (plan.levels.empty() && output.expr->Statistic() && !output.expr->Quantile()) {
    column.statistic = output.expr->Statistic();
  }
  return column;
}

// Without ON, for which the tree has an empty node.
bool IsDistinct(const PgQuery__SelectStmt& s) {
  return s.n_distinct_clause == 1 && s.distinct_clause[0]->node_case == PG_QUERY__NODE__NODE__NOT_SET;
}

std::optional<Error> NotSupported(const PgQuery__SelectStmt& s, bool of_answers) {
  const bool grouped = s.n_group_clause > 0 || s.having_clause;
  if (s.n_distinct_clause > 0 && (!of_answers || !IsDistinct(s) || grouped))
    return Unsupported("SELECT DISTINCT is supported over answers alone, without ON and GROUP BY", {}, "use GROUP BY");
  if (s.n_values_lists > 0) return NotAfter("VALUES");
  if (s.into_clause) return Unsupported("SELECT INTO is not supported: kith writes no tables", {}, "leave INTO out");
  if (s.n_locking_clause > 0) return Unsupported("FOR UPDATE and the like are not supported", {}, "leave it out");
  if (s.group_distinct) return Unsupported("GROUP BY DISTINCT is not supported", {}, "leave DISTINCT out");
  if (s.n_window_clause > 0) return NotAfter("WINDOW");
  if (s.limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES)
    return Unsupported("WITH TIES is not supported", {}, "use LIMIT");
  return std::nullopt;
}

// As PostgreSQL names a column that has no name.
std::string NaturalName(const PgQuery__Node& node) {
  if (node.node_case == PG_QUERY__NODE__NODE_COLUMN_REF) {
    const PgQuery__Node& last = *node.column_ref->fields[node.column_ref->n_fields - 1];
    if (last.node_case == PG_QUERY__NODE__NODE_STRING) return last.string->sval;
  }
  if (node.node_case == PG_QUERY__NODE__NODE_FUNC_CALL) return FunctionName(*node.func_call);
  return "column";
}

std::string Comma(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

std::string AnswerName(std::size_t k) { return fmt::format("kith_answer_{}", k + 1); }

namespace {

// Names of numbers as the person wrote them.
std::string Spelled(std::string text, const std::vector<Stage>& stages) {
  for (const Stage& stage : stages) {
    for (const auto& number : stage.numbers) {
      const std::string name = number.constant.Name();
      for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
        const char next = at + name.size() < text.size() ? text[at + name.size()] : ' ';
        if (next == '_') {  // of another column
          at += name.size();
          continue;
        }
        text.replace(at, name.size(), number.shown);
        at += number.shown.size();
      }
    }
  }
  return text;
}

}  // namespace

Result<std::size_t> Compiler::Asked(const std::string& sql) {
  auto at = std::find_if(inner_.begin(), inner_.end(), [&](const Inner& inner) { return inner.sql == sql; });
  if (at != inner_.end()) return static_cast<std::size_t>(at - inner_.begin());
  if (inner_.size() == kMostInner)
    return Unsupported(fmt::format("more than {} private questions in one", kMostInner), {}, "ask several questions");
  Inner inner;
  inner.sql = sql;
  inner.shown = Spelled(sql, stages_);
  for (const Stage& stage : stages_) {
    for (const auto& number : stage.numbers) {
      // A name may begin like another: one more in the policy makes no difference.
      if (sql.find(number.constant.Name()) != std::string::npos) inner.constants.push_back(number.constant);
    }
  }
  auto plan = Result<Plan>(Plan());
  if (inner.constants.empty()) {
    plan = PlanQuestion(sql, policy_);
  } else {
    inner.policy = WithConstants(policy_, inner.constants);
    auto staged = StagedQuestion::Make(sql, *inner.policy, inner.constants);
    plan = staged ? Result<Plan>(staged->plan()) : Result<Plan>(staged.error());
    if (staged) inner.staged = std::move(*staged);
  }
  if (!plan) {
    Error error = plan.error();
    for (std::string* const text : {&error.what, &error.where, &error.next}) *text = Spelled(std::move(*text), stages_);
    error.where = error.where.substr(0, error.where.find(kStageWord));  // a name that the end of a piece cut
    return error;
  }
  const auto same = [&](const Inner& other) { return other.plan.normalised == plan->normalised; };
  at = std::find_if(inner_.begin(), inner_.end(), same);  // one answer, with one noise
  if (at != inner_.end()) return static_cast<std::size_t>(at - inner_.begin());
  for (const OutputColumn& output : plan->outputs) inner.columns.push_back(ColumnOf(*plan, output));
  inner.plan = std::move(*plan);
  inner_.push_back(std::move(inner));
  return inner_.size() - 1;
}

Result<Relation> Compiler::Answer(const std::string& sql, const std::string& alias) {
  const auto place = Asked(sql);
  if (!place) return place.error();
  const auto at = inner_.begin() + static_cast<std::ptrdiff_t>(*place);
  const bool chosen = at->plan.limit || at->plan.offset != 0;
  for (const OrderBy& order : at->plan.order_by) noise_orders_ = noise_orders_ || at->columns[order.output].noisy;
  Relation relation;
  relation.sql =
      fmt::format("{} AS {}", QuotedName(AnswerName(static_cast<std::size_t>(at - inner_.begin()))), QuotedName(alias));
  for (std::size_t k = 0; k < at->columns.size(); ++k) {
    const Inner::Column& column = at->columns[k];
    const std::string reference = fmt::format("{}.c{}", QuotedName(alias), k);
    const bool number = column.type == ScratchType::kWhole || column.type == ScratchType::kReal;
    Piece piece{reference, Dependence::kNone, Part(reference, false)};
    if (column.noisy && number && !(chosen && noise_orders_))
      piece = {reference, Dependence::kLinear, Part(reference, true)};
    if (column.noisy && !piece.noisy()) piece = {reference, Dependence::kOther, nullptr};
    relation.columns.push_back({alias, column.name, std::move(piece)});
  }
  relation.by_noise = chosen && noise_orders_;
  return relation;
}

Result<Relation> Compiler::FromSelect(const FromItem& source, int depth) {
  const std::string& alias = source.called;
  const std::size_t count = source.n_renamed;
  auto selected = Select(*source.select, *source.sees, depth + 1);
  if (!selected) return selected.error();
  Relation relation{fmt::format("({}) AS {}", selected->sql, QuotedName(alias)), {}, selected->by_noise};
  if (count > selected->columns.size())
    return InvalidArgument(fmt::format("{:.60} has fewer columns than are named", alias));
  for (std::size_t k = 0; k < selected->columns.size(); ++k) {
    Scoped column = std::move(selected->columns[k]);
    const auto from_here = [&](const std::string& name) {
      return fmt::format("{}.{}", QuotedName(alias), QuotedName(name));
    };
    column.piece.sql = from_here(column.name);
    if (column.piece.formula) {
      std::vector<FormulaPtr> parts;
      CollectParts(column.piece.formula, parts);
      std::vector<std::string> texts;
      for (const FormulaPtr& part : parts) texts.push_back(from_here(part->sql));
      std::size_t next = 0;
      column.piece.formula = WithParts(column.piece.formula, texts, next);
    }
    column.table = alias;
    if (k < count) column.name = source.renamed[k]->string->sval;
    relation.columns.push_back(std::move(column));
  }
  return relation;
}

Result<Relation> Compiler::Join(const PgQuery__Node& node, const Names& names, int depth) {
  const PgQuery__JoinExpr& join = *node.join_expr;
  if (join.is_natural || join.alias) return NotAfter("NATURAL JOIN, or a join with a name,");
  auto left = From(*join.larg, names, depth + 1);
  if (!left) return left;
  auto right = From(*join.rarg, names, depth + 1);
  if (!right) return right;
  static const std::map<int, std::string> kinds = {{PG_QUERY__JOIN_TYPE__JOIN_INNER, "JOIN"},
                                                   {PG_QUERY__JOIN_TYPE__JOIN_LEFT, "LEFT JOIN"},
                                                   {PG_QUERY__JOIN_TYPE__JOIN_RIGHT, "RIGHT JOIN"},
                                                   {PG_QUERY__JOIN_TYPE__JOIN_FULL, "FULL JOIN"}};
  const auto kind = kinds.find(join.jointype);
  if (kind == kinds.end()) return NotAfter("a join of this kind");
  Relation both{{}, left->columns, left->by_noise || right->by_noise};
  both.columns.insert(both.columns.end(), right->columns.begin(), right->columns.end());
  std::string on;
  if (join.n_using_clause > 0) {
    for (std::size_t k = 0; k < join.n_using_clause; ++k) {
      const std::string name = join.using_clause[k]->string->sval;
      std::vector<const Scoped*> sides;
      for (const Relation* side : {&*left, &*right}) {
        for (const Scoped& column : side->columns) {
          if (FoldCase(column.name) == FoldCase(name)) sides.push_back(&column);
        }
      }
      if (sides.size() != 2) return InvalidArgument("a column of USING must be in both answers", {}, "use ON");
      both.by_noise = both.by_noise || sides[0]->piece.noisy() || sides[1]->piece.noisy();
      on += fmt::format("{}{} = {}", on.empty() ? "" : " AND ", sides[0]->piece.sql, sides[1]->piece.sql);
      // One column of that name is left: that of the side whose rows are all there.
      const bool keep_right = join.jointype == PG_QUERY__JOIN_TYPE__JOIN_RIGHT;
      const Scoped* gone = keep_right ? sides[0] : sides[1];
      const std::string table = gone->table;
      std::erase_if(both.columns,
                    [&](const Scoped& c) { return c.table == table && FoldCase(c.name) == FoldCase(name); });
    }
    if (join.jointype == PG_QUERY__JOIN_TYPE__JOIN_FULL) return NotAfter("FULL JOIN with USING");
  } else if (join.quals) {
    const Place place{both.columns, nullptr, names};
    const auto condition = Expression(*join.quals, place);
    if (!condition) return condition.error();
    both.by_noise = both.by_noise || condition->noisy();
    on = condition->sql;
  } else {
    both.sql = fmt::format("({} CROSS JOIN {})", left->sql, right->sql);
    return both;
  }
  both.sql = fmt::format("({} {} {} ON {})", left->sql, kind->second, right->sql, on);
  return both;
}

Result<Relation> Compiler::From(const PgQuery__Node& node, const Names& names, int depth) {
  if (depth > kMostLevels) return Unsupported("sub-selects are nested too deeply", {}, "ask a simpler question");
  if (node.node_case == PG_QUERY__NODE__NODE_JOIN_EXPR) return Join(node, names, depth);
  if (node.node_case == PG_QUERY__NODE__NODE_RANGE_SUBSELECT && node.range_subselect->lateral)
    return Unsupported("LATERAL is not supported", {}, "leave LATERAL out");
  const auto source = FromItemOf(node, names);
  if (!source || !source->select) return InternalError("there is a table among the answers");  // KindOf sees none
  return FromSelect(*source, depth);
}

Result<void> Compiler::AddTargets(const PgQuery__SelectStmt& select, const Place& place, Body& body) {
  for (std::size_t k = 0; k < select.n_target_list; ++k) {
    const PgQuery__ResTarget& target = *select.target_list[k]->res_target;
    const PgQuery__Node& value = *target.val;
    if (value.node_case == PG_QUERY__NODE__NODE_COLUMN_REF) {
      const PgQuery__ColumnRef& reference = *value.column_ref;
      if (reference.fields[reference.n_fields - 1]->node_case == PG_QUERY__NODE__NODE_A_STAR) {
        const std::string of = reference.n_fields > 1 ? reference.fields[0]->string->sval : "";
        for (const Scoped& column : place.columns) {
          if (of.empty() || FoldCase(of) == FoldCase(column.table))
            body.targets.emplace_back(column.name, column.piece);
        }
        continue;
      }
    }
    auto piece = Expression(value, place);
    if (!piece) return piece.error();
    const std::string name = target.name;
    body.targets.emplace_back(name.empty() ? NaturalName(value) : name, std::move(*piece));
  }
  if (body.targets.empty()) return Unsupported("the question has no columns", {}, "name some after SELECT");
  return {};
}

Result<void> Compiler::AddGroups(const PgQuery__SelectStmt& select, const Place& place, Body& body) {
  std::vector<std::string> keys;
  // DISTINCT is GROUP BY all that is chosen.
  for (std::size_t k = 0; IsDistinct(select) && k < select.n_target_list; ++k) {
    const auto piece = Expression(*select.target_list[k]->res_target->val, place);
    if (!piece) return piece.error();
    body.by_noise = body.by_noise || piece->noisy();
    keys.push_back(piece->sql);
    if (!piece->noisy()) body.identity.push_back(piece->sql);
  }
  for (std::size_t k = 0; k < select.n_group_clause; ++k) {
    const PgQuery__Node* node = select.group_clause[k];
    if (node->node_case == PG_QUERY__NODE__NODE_GROUPING_SET) return NotAfter("ROLLUP, CUBE and GROUPING SETS");
    if (const auto number = WholeConstant(*node)) {
      if (*number < 1 || static_cast<std::size_t>(*number) > select.n_target_list)
        return InvalidArgument(fmt::format("GROUP BY {}: there is no such column of the answer", *number));
      node = select.target_list[*number - 1]->res_target->val;
    }
    auto piece = Expression(*node, place);
    if (!piece && node->node_case == PG_QUERY__NODE__NODE_COLUMN_REF) {  // perhaps it is an alias
      for (std::size_t t = 0; t < select.n_target_list; ++t) {
        const PgQuery__ResTarget& target = *select.target_list[t]->res_target;
        const PgQuery__Node& field = *node->column_ref->fields[0];
        if (field.node_case == PG_QUERY__NODE__NODE_STRING && std::string(target.name) == field.string->sval)
          piece = Expression(*target.val, place);
      }
    }
    if (!piece) return piece.error();
    if (piece->noisy()) body.by_noise = true;
    keys.push_back(piece->sql);
    if (!piece->noisy()) body.identity.push_back(piece->sql);
  }
  body.group_by = Comma(keys);
  return {};
}

Result<void> Compiler::AddConditions(const PgQuery__SelectStmt& select, const Place& place, bool outermost,
                                     Body& body) {
  // A condition on noisy numbers can be set apart where nothing is computed from the rows that pass.
  const auto add = [&](const PgQuery__Node& node, bool apart, std::string& clause) -> Result<void> {
    const auto condition = Expression(node, place);
    if (!condition) return condition.error();
    if (condition->noisy() && apart && outermost && !body.by_noise) {
      body.keep = body.keep.empty() ? condition->sql : fmt::format("({} AND {})", body.keep, condition->sql);
      return {};
    }
    clause = condition->sql;
    body.by_noise = body.by_noise || condition->noisy();
    return {};
  };
  // For a question that was taken out, HAVING is a condition on the rows of its answer.
  if (select.where_clause && !body.lifted) {
    if (auto added = add(*select.where_clause, !body.aggregates && !body.windows, body.where); !added) return added;
  }
  if (select.having_clause) {
    if (auto added = add(*select.having_clause, !body.windows, body.lifted ? body.where : body.having); !added)
      return added;
  }
  return {};
}

Result<void> Compiler::AddOrder(const PgQuery__SelectStmt& select, const Place& place, Body& body) {
  for (std::size_t k = 0; k < select.n_sort_clause; ++k) {
    const PgQuery__SortBy& key = *select.sort_clause[k]->sort_by;
    if (key.n_use_op > 0) return NotAfter("ORDER BY ... USING");
    Piece piece;
    bool found = false;
    if (const auto number = WholeConstant(*key.node)) {
      if (*number < 1 || static_cast<std::size_t>(*number) > body.targets.size())
        return InvalidArgument(fmt::format("ORDER BY {}: there is no such column of the answer", *number));
      piece = body.targets[*number - 1].second;
      found = true;
    } else if (key.node->node_case == PG_QUERY__NODE__NODE_COLUMN_REF && key.node->column_ref->n_fields == 1 &&
               key.node->column_ref->fields[0]->node_case == PG_QUERY__NODE__NODE_STRING) {
      const std::string name = key.node->column_ref->fields[0]->string->sval;
      for (const auto& [target, of] : body.targets) {
        if (found || target != name) continue;
        piece = of;
        found = true;
      }
    }
    if (!found) {
      auto expression = Expression(*key.node, place);
      if (!expression) return expression.error();
      piece = std::move(*expression);
    }
    body.sorted_by_noise = body.sorted_by_noise || piece.noisy();
    body.sort_keys.push_back(piece.sql);
    const bool down = key.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
    bool nulls_first = down;
    if (key.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST) nulls_first = true;
    if (key.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_LAST) nulls_first = false;
    body.sort_ways.push_back(fmt::format("{} NULLS {}", down ? "DESC" : "ASC", nulls_first ? "FIRST" : "LAST"));
  }
  for (const auto& [node, word] : {std::pair(select.limit_count, "LIMIT"), std::pair(select.limit_offset, "OFFSET")}) {
    if (!node) continue;
    if (node->node_case == PG_QUERY__NODE__NODE_A_CONST && node->a_const->isnull) continue;
    const auto number = WholeConstant(*node);
    if (!number || *number < 0) return InvalidArgument(fmt::format("{} must be a whole number", word));
    body.limits += fmt::format(" {} {}", word, *number);
    body.limited = true;
  }
  return {};
}

Result<Compiler::Body> Compiler::BodyOf(const PgQuery__SelectStmt& select, const Names& around, bool outermost,
                                        int depth) {
  if (depth > kMostLevels) return Unsupported("sub-selects are nested too deeply", {}, "ask a simpler question");
  auto names = NamesIn(select, around);
  if (!names) return names.error();
  const auto kind = KindOf(select, *names, KeysOfRows(policy_));
  if (!kind) return kind.error();
  if (*kind == Kind::kRows)
    return Unsupported("rows of a table are used where an answer is needed", {},
                       "aggregate them: use GROUP BY with count(*)");
  if (auto refused = NotSupported(select, *kind == Kind::kAnswers)) return *refused;
  if (IsUnion(select)) return BodyOfUnion(select, std::move(*names), outermost, depth);
  Body body;
  body.names = std::move(*names);
  if (*kind == Kind::kPrivate) {
    auto taken = TakeOut(select, body.names);
    if (!taken) return taken.error();
    body.lifted = true;
    auto from = Answer(taken->sql, fmt::format("kith_of_{}", ++hidden_));
    if (!from) return from.error();
    body.from = std::move(*from);
    body.taken = std::move(taken->columns);
    if (taken->as_it_is) {
      for (const Scoped& column : body.from.columns) body.targets.emplace_back(column.name, column.piece);
      return body;
    }
  } else {
    for (std::size_t k = 0; k < select.n_from_clause; ++k) {
      auto next = From(*select.from_clause[k], body.names, depth);
      if (!next) return next.error();
      body.from.sql += (k == 0 ? "" : ", ") + next->sql;
      body.from.by_noise = body.from.by_noise || next->by_noise;
      body.from.columns.insert(body.from.columns.end(), next->columns.begin(), next->columns.end());
    }
    if (select.n_from_clause == 0) body.from.sql = "(SELECT 1) AS kith_nothing";
    body.aggregates = select.n_group_clause > 0 || select.having_clause;
  }
  const auto look = [&](const PgQuery__Node& node) {
    body.windows = body.windows || Contains(node, IsWindowCall);
    if (!body.lifted) body.aggregates = body.aggregates || Contains(node, IsAggregateCall);
  };
  for (std::size_t k = 0; k < select.n_target_list; ++k) look(*select.target_list[k]);
  for (std::size_t k = 0; k < select.n_sort_clause; ++k) look(*select.sort_clause[k]);
  if (IsDistinct(select)) {
    if (body.aggregates || body.windows)
      return Unsupported("SELECT DISTINCT of aggregates or windows is not supported", {}, "put them into a sub-select");
    body.aggregates = true;  // rows become one
  }
  body.by_noise = body.from.by_noise;
  Place place{body.from.columns, body.lifted ? &body.taken : nullptr, body.names};
  if (!body.lifted) {
    if (auto added = AddGroups(select, place, body); !added) return added.error();
  }
  if (auto added = AddConditions(select, place, outermost, body); !added) return added.error();
  place.rows_by_noise = body.by_noise;
  if (auto added = AddTargets(select, place, body); !added) return added.error();
  if (auto added = AddOrder(select, place, body); !added) return added.error();
  if (!outermost) noise_orders_ = noise_orders_ || body.sorted_by_noise;
  for (const Scoped& column : body.from.columns) {
    if (!body.aggregates && !column.piece.noisy()) body.identity.push_back(column.piece.sql);
  }
  return body;
}

// A select whose columns have formulas shows their parts too, under names that nobody can write.
Result<Selected> Compiler::Select(const PgQuery__SelectStmt& select, const Names& around, int depth) {
  auto body = BodyOf(select, around, false, depth);
  if (!body) return body.error();
  Selected out;
  out.by_noise = body->by_noise || (body->limited && (body->sorted_by_noise || noise_orders_));
  std::vector<std::string> shown;
  for (auto& [name, piece] : body->targets) {
    if (FoldCase(name).starts_with("kith_"))
      return InvalidArgument("names that begin with kith_ are reserved", {}, "name the column otherwise");
    for (const Scoped& other : out.columns) {
      if (FoldCase(other.name) == FoldCase(name))
        return InvalidArgument(fmt::format("two columns of a sub-select are called {:.60}", name), {},
                               "name them with AS");
    }
    shown.push_back(fmt::format("{} AS {}", piece.sql, QuotedName(name)));
    if (piece.dependence == Dependence::kArithmetic) {
      std::vector<FormulaPtr> parts;
      CollectParts(piece.formula, parts);
      std::vector<std::string> texts;
      for (const FormulaPtr& part : parts) {
        texts.push_back(fmt::format("kith_part_{}", ++hidden_));
        shown.push_back(fmt::format("{} AS {}", part->sql, QuotedName(texts.back())));
      }
      std::size_t next = 0;
      piece.formula = WithParts(piece.formula, texts, next);
    } else if (piece.formula) {
      piece.formula = Part(name, piece.noisy());
    }
    if (out.by_noise && piece.noisy()) piece = {piece.sql, Dependence::kOther, nullptr};
    out.columns.push_back({{}, name, std::move(piece)});
  }
  out.sql = fmt::format("SELECT {} FROM {}", Comma(shown), body->from.sql);
  if (!body->where.empty()) out.sql += " WHERE " + body->where;
  if (!body->group_by.empty()) out.sql += " GROUP BY " + body->group_by;
  if (!body->having.empty()) out.sql += " HAVING " + body->having;
  // Without LIMIT an order inside means nothing, but whatever counts rows around it would see it.
  for (std::size_t k = 0; body->limited && k < body->sort_keys.size(); ++k)
    out.sql += fmt::format("{}{} {}", k == 0 ? " ORDER BY " : ", ", body->sort_keys[k], body->sort_ways[k]);
  out.sql += body->limits;
  return out;
}

Result<Outer> Compiler::Outermost(const PgQuery__SelectStmt& select, const Names& around) {
  noise_orders_ = false;
  auto body = BodyOf(select, around, true, 0);
  if (!body) return body.error();
  Outer outer;
  std::vector<std::string> shown, measured, order;
  // What depends on noise in its own way is left out where weights are measured: it could move rows.
  const auto add = [&](const std::string& sql, bool measure) {
    measured.push_back(fmt::format("{} AS kith_{}", measure ? sql : "NULL", shown.size()));
    shown.push_back(fmt::format("{} AS kith_{}", sql, shown.size()));
    return shown.size() - 1;
  };
  for (const auto& [name, piece] : body->targets) {
    outer.outputs.push_back({name, piece.dependence, nullptr, {}});
    Dependence& dependence = outer.outputs.back().dependence;
    if (body->by_noise && piece.noisy()) dependence = Dependence::kOther;
    add(piece.sql, dependence < Dependence::kFunction);
  }
  for (std::size_t k = 0; k < outer.outputs.size(); ++k) {
    Outer::Output& output = outer.outputs[k];
    if (output.dependence != Dependence::kArithmetic) continue;
    output.formula = body->targets[k].second.formula;
    std::vector<FormulaPtr> parts;
    CollectParts(output.formula, parts);
    for (const FormulaPtr& part : parts) output.parts.push_back(add(part->sql, true));
  }
  for (std::size_t k = 0; k < body->sort_keys.size(); ++k)
    order.push_back(fmt::format("kith_{} {}", add(body->sort_keys[k], false), body->sort_ways[k]));
  const std::string keep = body->keep.empty() ? "" : fmt::format(" WHERE kith_{}", add(body->keep, false));
  for (const std::string& sql : body->identity) outer.identity.push_back(add(sql, true));
  outer.noise_orders = noise_orders_;
  const bool by_identity = noise_orders_ && !body->identity.empty();
  const std::size_t number = add(
      fmt::format("row_number() OVER ({}{})", by_identity ? "ORDER BY " : "", by_identity ? Comma(body->identity) : ""),
      true);
  order.push_back(fmt::format("kith_{}", number));
  std::string rest = " FROM " + body->from.sql;
  if (!body->where.empty()) rest += " WHERE " + body->where;
  if (!body->group_by.empty()) rest += " GROUP BY " + body->group_by;
  if (!body->having.empty()) rest += " HAVING " + body->having;
  outer.by_noise = !body->keep.empty() || (body->limited && (body->sorted_by_noise || noise_orders_));
  outer.chosen = fmt::format("SELECT * FROM (SELECT {}{}) AS kith_all{} ORDER BY {}{}", Comma(shown), rest, keep,
                             Comma(order), body->limits);
  const auto is_drawn = [](const Outer::Output& output) { return output.dependence == Dependence::kFunction; };
  if (!outer.by_noise && !noise_orders_ && std::any_of(outer.outputs.begin(), outer.outputs.end(), is_drawn)) {
    std::vector<std::string> drawn = body->identity;
    for (std::size_t k = 0; k < outer.outputs.size(); ++k)
      if (is_drawn(outer.outputs[k])) drawn.push_back(body->targets[k].second.sql);
    outer.drawn = fmt::format("SELECT {}{}", Comma(drawn), rest);
  }
  outer.all = fmt::format("SELECT * FROM (SELECT {}{}) AS kith_all ORDER BY kith_{}", Comma(measured), rest, number);
  return outer;
}

}  // namespace kith::postprocess
