// The answer and its certificate as JSON: what the command line prints with --json and what the ledger keeps.
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "release/release.h"

namespace kith {
namespace {

using nlohmann::json;

json NoiseJson(const NoiseLine& line) {
  return {{"statistic", line.statistic},
          {"law", line.sensitivity == 0 ? "none: public facts only"
                  : line.in_rows        ? "permute and flip, by rank"
                                        : line.law},
          {"in_rows", line.in_rows},
          {"scale", line.scale},
          {"lattice", line.lattice},
          {"sensitivity", line.sensitivity},
          {"plain_epsilon", line.share.epsilon()},
          {"plain_units", line.share.count()},
          {"error_95", line.error_95},
          {"error_95_all", line.error_95_all}};
}

NoiseLine NoiseOf(const json& j) {
  NoiseLine line;
  line.statistic = j.at("statistic");
  line.scale = j.at("scale");
  line.lattice = j.at("lattice");
  line.sensitivity = j.at("sensitivity");
  line.share = PlainUnits::Of(j.at("plain_units"));
  line.error_95 = j.at("error_95");
  line.error_95_all = j.at("error_95_all");
  line.in_rows = j.value("in_rows", false);
  if (line.sensitivity != 0 && !line.in_rows) line.law = j.at("law");
  return line;
}

void WriteRows(const Answer& answer, json& out) {
  json rows = json::array(), errors = json::array();
  for (const auto& row : answer.rows) {
    json values = json::array(), bars = json::array();
    for (const auto& cell : row) {
      values.push_back(ValueToJson(cell.value));
      bars.push_back(cell.error_95 ? json(*cell.error_95) : json(nullptr));
    }
    rows.push_back(std::move(values));
    errors.push_back(std::move(bars));
  }
  out["answer"] = {{"columns", answer.columns}, {"rows", std::move(rows)}};
  out["error_95"] = std::move(errors);
}

void ReadRows(const json& in, Answer& answer) {
  answer.columns = in.at("answer").at("columns").get<std::vector<std::string>>();
  const json& rows = in.at("answer").at("rows");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<AnswerCell> row;
    for (std::size_t k = 0; k < rows[i].size(); ++k) {
      AnswerCell cell{ValueFromJson(rows[i][k]), std::nullopt};
      const json& bar = in.at("error_95").at(i).at(k);
      if (!bar.is_null()) cell.error_95 = bar.get<double>();
      row.push_back(std::move(cell));
    }
    answer.rows.push_back(std::move(row));
  }
}

}  // namespace

std::string AnswerToJson(const Answer& answer) {
  const Certificate& c = answer.certificate;
  const Guarantee& g = c.guarantee;
  json out;
  WriteRows(answer, out);
  out["noise"] = json::array();
  for (const auto& line : c.noise) out["noise"].push_back(NoiseJson(line));
  out["plain"] = {{"epsilon", c.plain_epsilon}, {"delta", 0}, {"spent_total", g.plain}};
  if (c.sides == Sides::kOne) {  // its loss in the other direction has no bound
    out["plain"]["epsilon"] = nullptr;
    out["plain"]["noisy_part"] = c.plain_epsilon;
  }
  out["dependent"] = {{"epsilon_total", g.dependent}, {"transfer", g.bound}, {"adversary", g.adversary}};
  if (!g.unproven.empty()) out["unproven"] = g.unproven;
  if (!g.one_sided.empty()) {  // the totals are not those of everything that was released
    out["one_sided"] = g.one_sided;
    out["dependent"]["epsilon_total"] = nullptr;
    out["dependent"]["noisy_answers_alone"] = g.dependent;
  }
  if (g.audit) out["audit"] = {{"dependent", g.audit->dependent}, {"exact", g.audit->exact}, {"of", g.audit->of}};
  out["assumes"] = g.assumes;
  out["dependence_source"] = g.source;
  out["neighbours"] = g.neighbours;
  if (!g.version.empty()) out["data_version"] = g.version;
  if (!g.moves.empty()) {
    out["moves"] = {{"meaning", g.moves}, {"standard_epsilon_total", g.standard ? json(*g.standard) : json()}};
  }
  out["claims"] = c.claims;
  out["ledger_entry"] = c.ledger_entry;
  out["ledger_head"] = c.ledger_head;
  out["stored"] = answer.stored;
  PutNotes(answer.notes, out);
  if (!answer.details.empty()) out["details"] = json::parse(answer.details);
  return JsonText(out);
}

Result<Answer> AnswerFromJson(const std::string& text) {
  try {
    const json in = json::parse(text);
    Answer answer;
    ReadRows(in, answer);
    Certificate& c = answer.certificate;
    Guarantee& g = c.guarantee;
    for (const auto& line : in.at("noise")) c.noise.push_back(NoiseOf(line));
    const json& plain = in.at("plain");
    if (plain.at("epsilon").is_null()) c.sides = Sides::kOne;
    c.plain_epsilon = plain.at(plain.at("epsilon").is_null() ? "noisy_part" : "epsilon");
    g.plain = in.at("plain").at("spent_total");
    g.one_sided = in.value("one_sided", std::string());
    g.dependent = in.at("dependent").at(g.one_sided.empty() ? "epsilon_total" : "noisy_answers_alone");
    g.bound = in.at("dependent").at("transfer");
    g.adversary = in.at("dependent").at("adversary");
    g.unproven = in.value("unproven", std::string());
    if (in.contains("audit"))
      g.audit = Audit{in.at("audit").at("dependent"), in.at("audit").at("exact"), in.at("audit").at("of")};
    g.assumes = in.at("assumes");
    g.source = in.at("dependence_source");
    g.neighbours = in.at("neighbours");
    g.version = in.value("data_version", std::string());
    if (in.contains("moves")) {
      g.moves = in.at("moves").at("meaning");
      const json& standard = in.at("moves").at("standard_epsilon_total");
      if (!standard.is_null()) g.standard = standard.get<double>();
    }
    c.claims = in.at("claims").get<std::vector<std::string>>();
    c.ledger_entry = in.at("ledger_entry");
    c.ledger_head = in.at("ledger_head");
    answer.stored = in.at("stored");
    answer.notes = NotesFrom(in);
    if (in.contains("details")) answer.details = in.at("details").dump();
    return answer;
  } catch (const json::exception&) {
    return StorageError("a stored answer in the ledger cannot be read", {},
                        "ask at another price: the question is then answered again");
  }
}

}  // namespace kith
