#include "release/answer_json.h"

#include "base/json.h"
#include "release/cells_json.h"
#include "release/guarantee_json.h"

namespace kith {

namespace {
constexpr const char* kByRank = "permute and flip, by rank";
}  // namespace

Json NoiseToJson(const NoiseLine& line) {
  Json out = {{"statistic", line.statistic},
              {"distribution", line.sensitivity == 0 ? "none: public facts only"
                               : line.law.empty()    ? kByRank
                                                     : line.law},
              {"in_rows", line.in_rows},
              {"scale", line.scale},
              {"lattice", line.lattice},
              {"sensitivity", line.sensitivity},
              {"plain_epsilon", line.share.epsilon()},
              {"plain_units", line.share.count()},
              {"error_95", line.error_95},
              {"error_95_all", line.error_95_all}};
  if (!line.stratum.empty()) out["stratum"] = line.stratum;
  if (line.mu > 0) out["mu"] = line.mu;
  return out;
}

NoiseLine NoiseFromJson(const Json& j) {
  NoiseLine line;
  line.statistic = j.at("statistic");
  line.scale = NumberFromJson(j.at("scale"));
  line.lattice = NumberFromJson(j.at("lattice"));
  line.sensitivity = NumberFromJson(j.at("sensitivity"));
  line.share = PlainUnits::Of(j.at("plain_units"));
  line.error_95 = NumberFromJson(j.at("error_95"));
  line.error_95_all = NumberFromJson(j.at("error_95_all"));
  line.in_rows = j.value("in_rows", false);
  if (line.sensitivity != 0 && j.at("distribution") != kByRank) line.law = j.at("distribution");
  line.stratum = j.value("stratum", std::string());
  line.mu = j.value("mu", 0.0);
  return line;
}

void PutRows(const std::vector<std::vector<AnswerCell>>& rows, Json& values, Json& errors) {
  values = Json::array();
  errors = Json::array();
  for (const auto& row : rows) {
    Json cells = Json::array(), bars = Json::array();
    for (const AnswerCell& cell : row) {
      cells.push_back(ValueToJson(cell.value));
      bars.push_back(cell.error_95 ? NumberToJson(*cell.error_95) : Json());
    }
    values.push_back(std::move(cells));
    errors.push_back(std::move(bars));
  }
}

namespace {

Json IntervalToJson(const std::optional<Interval>& interval) {
  if (!interval) return {};
  return {{"low", ValueToJson(interval->low)},
          {"high", ValueToJson(interval->high)},
          {"informative", !interval->everything}};
}

// Only answers with a quantile have them.
void PutIntervals(const std::vector<std::vector<AnswerCell>>& rows, Json& out) {
  bool any = false;
  Json intervals = Json::array();
  for (const auto& row : rows) {
    Json cells = Json::array();
    for (const AnswerCell& cell : row) {
      cells.push_back(IntervalToJson(cell.interval_95));
      any = any || cell.interval_95;
    }
    intervals.push_back(std::move(cells));
  }
  if (any) out["interval_95"] = std::move(intervals);
}

void ReadIntervals(const Json& intervals, std::vector<std::vector<AnswerCell>>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < rows[i].size(); ++k) {
      const Json& in = intervals.at(i).at(k);
      if (in.is_null()) continue;
      rows[i][k].interval_95 =
          Interval{ValueFromJson(in.at("low")), ValueFromJson(in.at("high")), !in.at("informative").get<bool>()};
    }
  }
}

}  // namespace

std::vector<std::vector<AnswerCell>> RowsFromJson(const Json& values, const Json& errors) {
  std::vector<std::vector<AnswerCell>> rows;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<AnswerCell>& row = rows.emplace_back();
    for (std::size_t k = 0; k < values[i].size(); ++k) {
      AnswerCell cell{ValueFromJson(values[i][k]), std::nullopt};
      if (const Json& bar = errors.at(i).at(k); !bar.is_null()) cell.error_95 = NumberFromJson(bar);
      row.push_back(std::move(cell));
    }
  }
  return rows;
}

// Which numbers are only noise, in the shape of the rows; left out if none is.
void PutNoise(const std::vector<std::vector<AnswerCell>>& rows, Json& out) {
  Json marks = Json::array();
  bool any = false;
  for (const auto& row : rows) {
    Json cells = Json::array();
    for (const AnswerCell& cell : row) {
      cells.push_back(cell.only_noise);
      any = any || cell.only_noise;
    }
    marks.push_back(std::move(cells));
  }
  if (any) out["only_noise"] = std::move(marks);
}

void ReadNoise(const Json& in, std::vector<std::vector<AnswerCell>>& rows) {
  if (!in.contains("only_noise")) return;
  const Json& marks = in.at("only_noise");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < rows[i].size(); ++k) rows[i][k].only_noise = marks.at(i).at(k);
  }
}

void PutCells(const std::vector<std::vector<AnswerCell>>& rows, Json& into) {
  PutRows(rows, into["rows"], into["error_95"]);
  PutNoise(rows, into);
  PutIntervals(rows, into);
}

std::vector<std::vector<AnswerCell>> CellsFrom(const Json& in) {
  auto rows = RowsFromJson(in.at("rows"), in.at("error_95"));
  ReadNoise(in, rows);
  if (in.contains("interval_95")) ReadIntervals(in.at("interval_95"), rows);
  return rows;
}

std::string UnitName(UnitLevel level) { return level == UnitLevel::kHousehold ? "household" : "person"; }

// Only where units are nested is it said whom something is about.
UnitLevel UnitFromJson(const Json& in) {
  return in.value("unit", std::string()) == "household" ? UnitLevel::kHousehold : UnitLevel::kPerson;
}

void PutCertificate(const Certificate& c, Json& out) {
  const Guarantee& g = c.guarantee;
  out["noise"] = Json::array();
  for (const auto& line : c.noise) out["noise"].push_back(NoiseToJson(line));
  out["plain"] = {{"epsilon", c.plain_epsilon}, {"delta", 0}, {"spent_total", g.plain}};
  if (c.delta > 0) out["plain"]["delta"] = c.delta;
  if (c.sides == Sides::kOne) {  // its loss in the other direction has no bound
    out["plain"]["epsilon"] = nullptr;
    out["plain"]["noisy_part"] = c.plain_epsilon;
  }
  if (c.mu > 0) {
    out["plain"]["mu"] = c.mu;
    if (c.plain_epsilon == 0) out["plain"]["epsilon"] = nullptr;  // no pure loss bounds it
  }
  if (const auto presence = PresenceOf(c)) {
    out["plain"]["presence"] = {
        {"epsilon", *presence}, {"spent_total", *g.plain_presence}, {"limited", g.counts_presence}};
  }
  out["dependent"] = {{"epsilon_total", g.dependent}, {"bound", g.bound}, {"adversary", g.adversary}};
  if (!g.one_sided.empty()) {  // the totals are not those of everything that was released
    out["dependent"]["epsilon_total"] = nullptr;
    out["dependent"]["noisy_answers_alone"] = g.dependent;
  }
  PutLabels(g, out);
  if (g.household) out["unit"] = UnitName(c.unit);
  out["claims"] = c.claims;
  out["ledger_entry"] = c.ledger_entry;
  out["ledger_hash"] = c.ledger_hash;
}

Certificate CertificateFrom(const Json& in) {
  Certificate c;
  Guarantee& g = c.guarantee;
  for (const auto& line : in.at("noise")) c.noise.push_back(NoiseFromJson(line));
  const Json& plain = in.at("plain");
  c.mu = plain.value("mu", 0.0);
  c.delta = plain.value("delta", 0.0);
  if (plain.at("epsilon").is_null()) {
    if (c.mu == 0) c.sides = Sides::kOne;
    c.plain_epsilon = plain.value("noisy_part", 0.0);
  } else {
    c.plain_epsilon = plain.at("epsilon");
  }
  ReadLabels(in, g);
  g.plain = NumberFromJson(plain.at("spent_total"));
  if (plain.contains("presence")) {
    const Json& presence = plain.at("presence");
    c.plain_presence = NumberFromJson(presence.at("epsilon"));
    g.plain_presence = NumberFromJson(presence.at("spent_total"));
    g.counts_presence = presence.at("limited");
  }
  g.dependent = NumberFromJson(in.at("dependent").at(g.one_sided.empty() ? "epsilon_total" : "noisy_answers_alone"));
  g.bound = in.at("dependent").at("bound");
  g.adversary = in.at("dependent").at("adversary");
  c.unit = UnitFromJson(in);
  c.claims = in.at("claims").get<std::vector<std::string>>();
  c.ledger_entry = in.at("ledger_entry");
  c.ledger_hash = in.at("ledger_hash");
  return c;
}

Json AnswerValue(const Answer& answer) {
  Json out = {{"answer", {{"columns", answer.columns}}}};
  PutRows(answer.rows, out["answer"]["rows"], out["error_95"]);
  PutNoise(answer.rows, out);
  PutIntervals(answer.rows, out);
  if (!answer.histograms.empty()) out["answer"]["histogram_columns"] = answer.histograms;
  PutCertificate(answer.certificate, out);
  out["stored"] = answer.stored;
  PutNotes(answer.notes, out);
  if (!answer.details.empty()) out["details"] = *answer.details;
  return out;
}

Answer AnswerOf(const Json& in) {
  Answer answer;
  answer.columns = in.at("answer").at("columns").get<std::vector<std::string>>();
  answer.rows = RowsFromJson(in.at("answer").at("rows"), in.at("error_95"));
  ReadNoise(in, answer.rows);
  if (in.contains("interval_95")) ReadIntervals(in.at("interval_95"), answer.rows);
  answer.histograms = in.at("answer").value("histogram_columns", std::vector<std::size_t>());
  answer.certificate = CertificateFrom(in);
  answer.stored = in.at("stored");
  answer.notes = NotesFrom(in);
  if (in.contains("details")) answer.details = JsonValue(in.at("details"));
  return answer;
}

std::string AnswerToJson(const Answer& answer) { return JsonText(AnswerValue(answer)); }

Result<Answer> AnswerFromJson(const std::string& text) {
  try {
    return AnswerOf(Json::parse(text));
  } catch (const JsonError&) {
    return StorageError("a stored answer in the ledger cannot be read", {},
                        "ask at another price: the question is then answered again");
  }
}

}  // namespace kith
