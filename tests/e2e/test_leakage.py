"""kith leakage from the command line: factors, odds, information, chosen parameters, bad input."""
import json
import math
import unittest
import xml.etree.ElementTree

from kith_case import KithCase

OFFICE = {"source": "declared", "attributes": ["arrival", "level"],
          "law": [{"sensitive": [], "p": 0.5}, {"sensitive": ["arrival"], "p": 0.1},
                  {"sensitive": ["level"], "p": 0.2}, {"sensitive": ["arrival", "level"], "p": 0.2}],
          "applications": {"heating": {"arrival": 0.7}, "cleaning": {"level": 1.1}}}
XOR = {"source": "declared", "attributes": ["a", "b", "c"],
       "law": [{"sensitive": s, "p": 0.25} for s in (["a", "b", "c"], ["a"], ["b"], ["c"])],
       "applications": {"one": {"a": 1}, "two": {"b": 1}}}


class Leakage(KithCase):
    def leak(self, model, *arguments):
        self.write("model.json", json.dumps(model))
        return self.run_kith("leakage", "model.json", *arguments)

    def page(self, name):
        return xml.etree.ElementTree.fromstring((self.folder / name).read_text().replace("<!DOCTYPE html>", ""))

    def test_factors_information_and_odds_of_the_published_example(self):
        out = self.json(self.leak(OFFICE, "--json"))
        pair = next(p for p in out["pairs"] if p["served"] == "arrival" and p["about"] == "level")
        self.assertAlmostEqual(pair["d1"], 0.5)
        self.assertAlmostEqual(pair["f1"], 1.2890757, places=6)
        self.assertAlmostEqual(pair["f2"], 0.6)
        odds = {line["about"]: line for line in out["odds"]}
        self.assertAlmostEqual(odds["level"]["posterior"], 2.5817316, places=6)
        self.assertTrue(odds["level"]["multiplies"])
        nats = {(line["application"], line["about"]): line["nats"] for line in out["information"]}
        self.assertGreaterEqual(nats[(None, "level")], nats[("cleaning", "level")])
        text = self.ok(self.leak(OFFICE, "--suppressed", "arrival:3:0.7", "--report", "leak.html"))
        self.assertIn("2.089", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.page("leak.html")

    def test_colluding_applications_learn_what_neither_knows(self):
        out = self.json(self.leak(XOR, "--json"))
        odds = next(line for line in out["odds"] if line["about"] == "c")
        self.assertAlmostEqual(odds["pairwise"], 1)
        self.assertAlmostEqual(odds["posterior"], 1.5430806, places=6)
        self.assertFalse(odds["multiplies"])
        nats = {(line["application"], line["about"]): line["nats"] for line in out["information"]}
        self.assertAlmostEqual(nats[("one", "c")], 0, places=12)
        self.assertGreater(nats[(None, "c")], 0.01)
        out = self.json(self.leak(XOR, "--released", "a:1", "--released", "b:1", "--json"))
        self.assertEqual(next(line for line in out["odds"] if line["about"] == "c")["posterior"], "inf")

    def test_chosen_parameters(self):
        out = self.json(self.leak(OFFICE, "--total", "0.2", "--json"))
        chosen = [line["epsilon"] for line in out["attributes"]]
        self.assertAlmostEqual(chosen[0], 0.5846349, places=5)
        self.assertAlmostEqual(chosen[1], 0.1486452, places=5)
        self.assertLessEqual(out["leakage"], 0.2)
        curve = out["curve"]
        self.assertTrue(all(a[1] <= b[1] for a, b in zip(curve, curve[1:])))
        text = self.ok(self.leak(OFFICE, "--total", "0.2", "--report", "choice.html"))
        self.assertIn("the total", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertTrue(self.page("choice.html").findall(".//{http://www.w3.org/2000/svg}svg"))
        text = self.ok(self.leak(OFFICE, "--total", "0.75", "--objective", "sum-epsilon", "--largest-epsilon", "10"))
        self.assertIn("poor objective", text)

    def test_a_release_that_tells_too_much_is_closed(self):
        told = dict(OFFICE, kappa={"level": 0.1}, law=[{"sensitive": [], "p": 0.01}, {"sensitive": ["arrival"], "p": 0.49},
                                                       {"sensitive": ["level"], "p": 0.45},
                                                       {"sensitive": ["arrival", "level"], "p": 0.05}])
        out = self.json(self.leak(told, "--json"))
        self.assertAlmostEqual(out["closure"][0]["f2"], 45)
        self.assertIn("whatever epsilon is", " ".join(self.ok(self.leak(told)).split()))
        out = self.json(self.leak(told, "--total", "0.2", "--json"))
        self.assertEqual(out["attributes"][0]["epsilon"], 0)
        self.assertIn("closed", out["attributes"][0]["binds"])
        self.assertGreater(out["possible"], 0.4)  # what could be released if nothing were closed
        refused = self.leak(told, "--total", "0.2", "--closure", "refuse")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("no epsilon changes that", refused.stderr)

    def policy(self, more=""):
        self.write("days.csv", "office,day,arrival,people\n" + "".join(
            f"{k},{k % 7},{480 + 37 * k % 240},{k % 8}\n" for k in range(60)))
        # Late arrivals and full offices come together.
        self.write("agreed.csv", "arrival,people,hours\n" + "".join(
            f"{480 + 37 * k % 240},{5 + k % 3 if 37 * k % 240 > 150 and k % 5 or k % 9 == 0 else k % 5},{4 if k % 4 == 0 else 8}\n"
            for k in range(800)))
        self.write("policy.toml", f"""[data]
tables.days = "days.csv"
[unit]
table = "days"
row = true
presence = "public"
[columns.days]
office = {{ type = "integer", public = true }}
day = {{ type = "integer", public = true }}
arrival = {{ lower = 0, upper = 1440 }}
people = {{ type = "integer", lower = 0, upper = 9 }}
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1.0
ledger = "days.ledger"
[one_sided]{more}
[[one_sided.attribute]]
name = "arrival"
application = "heating"
columns = ["office", "arrival"]
sensitive = "arrival > 630"
epsilon = 2.0   # in all
[[one_sided.attribute]]
name = "people"
application = "cleaning"
columns = ["office", "people"]
sensitive = "people >= 5"
epsilon = 1.0
""")

    def leak_policy(self, *arguments):
        return self.run_kith("leakage", "policy.toml", *arguments)

    def test_a_policy_its_ledger_and_a_consented_table(self):
        self.policy()
        self.assertIn("does not say how its attributes depend", self.leak_policy().stderr)
        self.assertIn("nobody said where", self.leak_policy("--from", "agreed.csv").stderr)
        sample = ["--from", "agreed.csv", "--source", "consented"]
        self.assertIn("which protects it", self.leak_policy("--from", "days.csv", "--source", "public").stderr)
        self.write("stay.toml", (self.folder / "policy.toml").read_text().replace("tables.days", "rows_out = false\ntables.days"))
        self.refused(self.run_kith("analyse", "stay.toml", "records", "--attribute", "arrival", "--epsilon", "0.5", "--output", "no.csv"), 4, "rows_out")
        out = self.json(self.leak_policy(*sample, "--json"))
        self.assertEqual([(r["attribute"], r["releases"], r["spent"], r["limit"]) for r in out["released"]],
                         [("arrival", 0, 0, 2), ("people", 0, 0, 1)])
        self.assertEqual(out["sample"], 800)
        # Counted as awk would: the rules are the policy's.
        rows = [tuple(map(int, line.split(","))) for line in (self.folder / "agreed.csv").read_text().split()[1:]]
        late = sum(arrival > 630 for arrival, _, _ in rows) / 800
        self.assertAlmostEqual(out["attributes"][0]["sensitive"], late)
        pair = next(p for p in out["pairs"] if p["served"] == "arrival" and p["about"] == "people")
        full = [arrival > 630 for arrival, people, _ in rows if people >= 5]
        self.assertAlmostEqual(pair["d1"], sum(full) / len(full))
        self.assertGreater(pair["worst"]["f1"], pair["f1"])
        self.assertGreaterEqual(pair["f1_limit"], pair["f1"])
        # After a release the ledger's charges are what was seen.
        self.ok(self.run_kith("analyse", "policy.toml", "records", "--attribute", "arrival", "--epsilon", "0.5",
                              "--output", "a.csv"))
        self.ok(self.run_kith("analyse", "policy.toml", "records", "--attribute", "arrival", "--epsilon", "0.25",
                              "--output", "b.csv"))
        out = self.json(self.leak_policy(*sample, "--json"))
        self.assertEqual([(r["releases"], r["spent"]) for r in out["released"]], [(2, 0.75), (0, 0)])
        odds = {line["about"]: line for line in out["odds"]}
        self.assertAlmostEqual(odds["arrival"]["factor"], math.exp(0.75))
        self.assertGreater({line["about"]: line for line in out["allowed"]}["arrival"]["factor"], math.exp(2))
        text = self.ok(self.leak_policy(*sample, "--about", "people", "--naive", "--report", "leak.html"))
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertIn("exclusion attack", text)
        self.assertIn("Reinforcing", text)
        self.assertGreaterEqual(len(self.page("leak.html").findall(".//{http://www.w3.org/2000/svg}svg")), 4)

    def test_the_law_of_a_policy_and_epsilons_written_back(self):
        self.policy("\nmodel = \"law.json\"")
        law = {key: value for key, value in OFFICE.items() if key != "applications"}
        self.write("law.json", json.dumps(law))
        self.assertIn("does not have the policy's attribute 'people'", self.leak_policy().stderr)
        self.write("law.json", json.dumps(OFFICE).replace("level", "people"))
        self.assertIn("names applications", self.leak_policy().stderr)
        self.write("law.json", json.dumps(law).replace("level", "people"))
        self.ok(self.run_kith("analyse", "policy.toml", "records", "--attribute", "people", "--epsilon", "0.3",
                              "--output", "a.csv"))
        before = (self.folder / "policy.toml").read_text()
        self.assertIn("+epsilon = 0.584", self.ok(self.leak_policy("--total", "0.2", "--write", "beside.toml")))
        self.assertEqual(before, (self.folder / "policy.toml").read_text())
        text = self.ok(self.leak_policy("--total", "0.2", "--write", "policy.toml"))
        self.assertIn("+epsilon = 0.584", text)
        self.assertIn("'people' has lost more already", " ".join(text.split()))
        after = (self.folder / "policy.toml").read_text()
        self.assertIn("epsilon = 0.58463", after)
        self.assertIn("# in all", after)
        self.assertEqual(len(before.splitlines()), len(after.splitlines()))
        # The ledger accepts the new policy: what is left of 'arrival' can be released, and nothing of 'people'.
        self.ok(self.run_kith("analyse", "policy.toml", "records", "--attribute", "arrival", "--epsilon", "0.5",
                              "--output", "b.csv"))
        self.assertEqual(self.run_kith("analyse", "policy.toml", "records", "--attribute", "people", "--epsilon", "0.1",
                                       "--output", "c.csv").returncode, 3)
        # A rule that was used cannot change; an epsilon can.
        self.write("other.toml", after.replace("people >= 5", "people >= 6"))
        refused = self.run_kith("policy", "diff", "policy.toml", "other.toml")
        self.assertIn("records were released by the rule as it was", " ".join((refused.stdout + refused.stderr).split()))
        self.assertIn("it is not the policy", self.leak_policy("--total", "0.2", "--write", "other.toml").stderr)

    def test_limits_values_and_observations(self):
        limits = dict(OFFICE, law=[{"sensitive": [], "p": [0.45, 0.55]}, {"sensitive": ["arrival"], "p": [0.05, 0.15]},
                                   {"sensitive": ["level"], "p": [0.15, 0.25]},
                                   {"sensitive": ["arrival", "level"], "p": [0.15, 0.25]}])
        out = self.json(self.leak(limits, "--json"))
        pair = next(p for p in out["pairs"] if p["served"] == "arrival" and p["about"] == "level")
        self.assertAlmostEqual(pair["f1"], 1.2890757, places=6)
        # By hand: d1 = .25/.4, d2 = .05/.6 is the worst law.
        grow = math.exp(0.7) - 1
        self.assertAlmostEqual(pair["worst"]["f1"], (.625 * grow + 1) / (.05 / .6 * grow + 1), places=6)
        chosen = self.json(self.leak(limits, "--total", "0.2", "--json"))
        self.assertLessEqual(chosen["worst"], 0.2)
        self.assertLess(chosen["leakage"], 0.2)
        pairs = {"source": "declared", "attributes": ["arrival", "level"], "prior": {"level": [0.3, 0.5]},
                 "given": [{"served": "arrival", "about": "level", "if_sensitive": [0.4, 0.6], "if_not": [0.1, 0.2]}],
                 "applications": {"heating": {"arrival": 0.7}}}
        out = self.json(self.leak(pairs, "--json"))
        self.assertAlmostEqual(out["pairs"][1]["f1"][1], (.6 * grow + 1) / (.1 * grow + 1))
        pairs["given"] = []
        unknown = self.json(self.leak(pairs, "--json"))["pairs"][1]
        self.assertAlmostEqual(unknown["f1"][1], math.exp(0.7))  # never more than its own record
        self.assertEqual(unknown["f2"][1], "inf")
        self.assertIn("At worst", self.ok(self.leak(pairs, "--report", "pairs.html")))
        values = {"source": "declared", "attributes": ["arrival", "level"],
                  "values": {"arrival": ["early", "late"], "level": ["none", "some", "full"]},
                  "sensitive": {"arrival": ["late"], "level": ["full"]},
                  "law": [{"arrival": "early", "level": "none", "p": 0.3}, {"arrival": "early", "level": "some", "p": 0.3},
                          {"arrival": "late", "level": "none", "p": 0.2}, {"arrival": "late", "level": "full", "p": 0.2}],
                  "applications": {"heating": {"arrival": 0.7}}}
        out = self.json(self.leak(values, "--json"))
        after = {(v["of"], v["value"]): v["after"] for v in out["values"]}
        away = math.exp(-0.7)
        self.assertAlmostEqual(after[("level", "none")], (.3 * away + .2) / (.6 * away + .4))
        out = self.json(self.leak(values, "--released", "arrival=early:0.7", "--json"))
        self.assertAlmostEqual({v["value"]: v["after"] for v in out["values"]}["some"], 0.5)
        # Theta after arrival was suppressed is 0.4624: 140 of 300 may be chance, 190 are not.
        fits = self.json(self.leak(OFFICE, "--suppressed", "arrival:1:0.7", "--observed", "level:140:300", "--json"))
        self.assertFalse(fits["observed"]["alarm"])
        self.assertLessEqual(fits["observed"]["false_alarm"], 0.01)
        text = self.ok(self.leak(OFFICE, "--suppressed", "arrival:1:0.7", "--observed", "level:190:300"))
        self.assertIn("disagree beyond chance", " ".join(text.split()))
        # Among sensitive and other rows each: 0.7483 and 0.5805 of them should be missing.
        fits = self.json(self.leak(OFFICE, "--suppressed", "arrival:1:0.7", "--observed", "level:299:645:400:1000", "--json"))
        self.assertFalse(fits["observed"]["alarm"])
        self.assertAlmostEqual(fits["observed"]["factor"], 299 / 346 / (400 / 600))
        off = self.json(self.leak(OFFICE, "--suppressed", "arrival:1:0.7", "--observed", "level:299:710:400:1000", "--json"))
        self.assertTrue(off["observed"]["alarm"])

    def test_naive_rejection_gives_what_is_missing_away(self):
        out = self.json(self.leak(OFFICE, "--suppressed", "arrival:1:0.7", "--naive", "--json"))
        naive = {line["about"]: line["factor"] for line in out["naive"]}
        self.assertEqual(naive["arrival"], "inf")
        self.assertAlmostEqual(naive["level"], 3)
        self.assertIn("∞", self.ok(self.leak(OFFICE, "--suppressed", "arrival:1:inf")))

    def test_bad_input(self):
        nothing = {key: value for key, value in OFFICE.items() if key != "applications"}
        unsourced = {key: value for key, value in OFFICE.items() if key != "source"}
        for model, arguments, why in [
                (unsourced, [], "where its law comes from"),
                (dict(OFFICE, law=OFFICE["law"][:3]), [], "do not add up to 1"),
                (nothing, [], "nothing is served"),
                (OFFICE, ["--total", "0"], "positive number of nats"),
                (OFFICE, ["--total", "-1"], "positive number of nats"),
                (OFFICE, ["--total", "0.2", "--objective", "sum-epsilon"], "--largest-epsilon"),
                (OFFICE, ["--total", "0.2", "--suppressed", "arrival:1:1"], "before anything is observed"),
                (OFFICE, ["--suppressed", "nobody:1:1"], "no attribute 'nobody'"),
                (OFFICE, ["--from", "a.csv", "--source", "public"], "are for a policy"),
                (OFFICE, ["--observed", "level:9:3"], "must not be larger")]:
            done = self.leak(model, *arguments)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(why, done.stderr)
        self.assertEqual(self.run_kith("leakage", "none.json").returncode, 2)


if __name__ == "__main__":
    unittest.main()
