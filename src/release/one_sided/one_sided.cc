#include "release/one_sided/one_sided.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/json.h"
#include "loss/loss_text.h"
#include "mechanism/record_release.h"

namespace kith {
namespace {

double Sum(const std::vector<OneSidedAccount>& accounts) {
  PlainUnits sum;
  for (const OneSidedAccount& account : accounts) sum = PlainUnits::CutSum(sum, account.spent);
  return sum.epsilon();
}

std::vector<std::string> AllRules(const std::vector<OneSidedAccount>& accounts) {
  std::set<std::string> rules;
  for (const OneSidedAccount& account : accounts) rules.insert(account.rules.begin(), account.rules.end());
  return {rules.begin(), rules.end()};
}

std::string PerUnit(const Policy& policy) {
  if (!policy.unit.key) return "each row is a unit of its own";
  return fmt::format(
      "the loss is for one row; a unit ({}) all of whose rows are sensitive loses k times as much, where k is the "
      "larger "
      "number of its rows: those it has or those it might have instead; max_rows drops none here",
      *policy.unit.key);
}

}  // namespace

Result<const OneSidedAttribute*> FindOneSided(const Policy& policy, const std::string& name) {
  if (policy.one_sided.empty()) {
    return InvalidArgument("the policy does not say which rows are sensitive", policy.file.string(),
                           "add [one_sided] with sensitive = \"a condition\" and epsilon; docs/guide/one_sided.md");
  }
  std::string names;
  for (const OneSidedAttribute& attribute : policy.one_sided) {
    if (attribute.name == name) return &attribute;
    names += (names.empty() ? "" : ", ") + attribute.name;
  }
  if (name.empty() && policy.one_sided.size() == 1) return &policy.one_sided.front();
  return InvalidArgument(name.empty() ? "the policy has several attributes"
                                      : fmt::format("the policy has no attribute '{:.60}'", name),
                         policy.file.string(), "choose from: " + names)
      .For("records.attribute");
}

Result<OneSidedTerms> OneSidedTermsOf(const Policy& policy, const std::string& name, double epsilon) {
  if (policy.stream) {
    return Unsupported("true records of a stream are not released: its budget is counted step by step", "[stream]",
                       "describe the table without [stream]");
  }
  OneSidedTerms terms;
  const auto attribute = FindOneSided(policy, name);
  if (!attribute) return attribute.error();
  terms.attribute = *attribute;
  auto records = PlanRecords(**attribute, policy);
  if (!records) return records.error();
  terms.records = std::move(*records);
  const auto checked = Epsilon::Make(epsilon);
  if (!checked) return checked.error();
  const auto units = PlainUnits::Floor(epsilon), limit = PlainUnits::Floor((*attribute)->epsilon);
  if (!units) return units.error();
  if (!limit) return limit.error();
  if (const auto coin = RecordRelease::Make(*units); !coin) return coin.error();
  terms.units = *units;
  terms.limit = *limit;
  return terms;
}

OneSidedCertificate CertifyOneSided(const Policy& policy, const OneSidedTerms& terms, OneSidedKind kind,
                                    const std::vector<OneSidedAccount>& after, Guarantee noisy) {
  const OneSidedAttribute& attribute = *terms.attribute;
  const std::string& rule = terms.records.rule;
  const bool counts = kind == OneSidedKind::kCounts;
  OneSidedCertificate c;
  c.attribute = attribute.name;
  c.application = attribute.application;
  c.rule = rule;
  c.rules = AllRules(after);
  c.epsilon = terms.units.epsilon();
  c.limit = attribute.epsilon;
  bool one_rule = true;
  for (const OneSidedAccount& account : after) {
    if (account.name != attribute.name) continue;
    c.spent = account.spent.epsilon();
    one_rule = std::set<std::string>(account.rules.begin(), account.rules.end()).size() == 1;
  }
  c.one_sided_all = Sum(after);
  c.noisy = std::move(noisy);
  c.all = c.one_sided_all + c.noisy.plain;
  c.statement =
      counts
          ? fmt::format(
                "One-sided: sensitive rows ({}) are not counted; no outcome is more than e^{} times as likely with a "
                "sensitive row as with a row that is not sensitive in its place.",
                rule, LossText(c.epsilon))
          : fmt::format(
                "One-sided: sensitive rows ({}) are never released; when a row is missing, nobody can know whether it "
                "is sensitive or was only unlucky: the odds grow by at most e^{} through this release.",
                rule, LossText(c.epsilon));
  c.protects = fmt::format(
      "{} against exclusion attacks, by somebody who knows all other rows: no outcome is more than e^{} times as "
      "likely with such a row as with any other row in its place, over all releases of '{}'; rows that are sensitive "
      "by every rule used so far: e^{} over all releases, including the noisy answers",
      one_rule ? "sensitive rows" : "rows that are sensitive by every rule that this attribute ever had",
      LossText(c.spent), attribute.name, LossText(c.all));
  c.leaves_open =
      "rows that are not sensitive: they have no protection; what a row, released or missing, says about others that "
      "depend on it: no epsilon bounds that; an analysis of leakage computes it";
  c.per_unit = PerUnit(policy);
  c.claims = {"OSDP-1", "OSDP-5", "OSDP-6", "OSDP-7", "LEDGER-1", "LEDGER-5"};
  return c;
}

std::string OneSidedWarning(const std::vector<OneSidedAccount>& accounts) {
  if (accounts.empty()) return {};
  std::string spent;
  for (const OneSidedAccount& account : accounts)
    spent += fmt::format("{}{} {}", spent.empty() ? "" : ", ", account.name, LossText(account.spent.epsilon()));
  return fmt::format(
      "ONE-SIDED RELEASES: true records of these data, or counts of them, have been released (one-sided loss: {}). "
      "Plain and dependent loss here count noisy answers alone. With the records, rows that are not sensitive have no "
      "protection, dependent loss has no "
      "bound, and a row that is sensitive by every rule loses {} more, in one direction.",
      spent, LossText(Sum(accounts)));
}

bool MindsReleasedRecords(const Policy& policy) {
  const bool alone = std::holds_alternative<Independent>(policy.dependence.model) && !policy.dependence.known;
  return !alone && policy.one_sided.empty();
}

Result<void> AllowsNoisyAnswers(const Policy& policy, const std::vector<OneSidedAccount>& accounts) {
  if (accounts.empty() || !MindsReleasedRecords(policy)) return {};
  return Unsupported(
      "true records of these data were released, so the dependent loss that this policy limits no longer has a bound",
      policy.file.string(),
      "put [one_sided] with accept = \"unbounded\" back into the policy: answers then say so, or declare the records "
      "independent if they are");
}

std::string RecordsToJson(const RecordsReport& report) {
  const OneSidedCertificate& c = report.certificate;
  Json out = {{"statement", c.statement},
              {"output", report.output},
              {"columns", report.columns},
              {"released", report.released},
              {"rate", report.rate},
              {"attribute", c.attribute},
              {"application", c.application},
              {"sensitive", c.rule},
              {"one_sided",
               {{"epsilon", c.epsilon},
                {"spent", c.spent},
                {"limit", c.limit},
                {"all_attributes", c.one_sided_all},
                {"rules", c.rules}}},
              {"plain", {{"spent_total", c.noisy.plain}}},
              {"all_for_a_sensitive_row", c.all},
              {"dependent", {{"epsilon_total", nullptr}}},
              {"protects", c.protects},
              {"leaves_open", c.leaves_open},
              {"per_unit", c.per_unit},
              {"claims", c.claims},
              {"ledger_entry", c.ledger_entry},
              {"ledger_hash", c.ledger_hash}};
  PutNotes(report.notes, out);
  if (!c.noisy.alarm.empty()) out["alarm"] = c.noisy.alarm;
  if (!c.noisy.unproven.empty()) out["unproven"] = c.noisy.unproven;
  return JsonText(out);
}

}  // namespace kith
