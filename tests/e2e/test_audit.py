"""kith audit from the command line: counterexamples, models, and what a policy's history gives away."""
import json
import math
import pathlib
import unittest
import xml.etree.ElementTree

from kith_case import ILL, PEOPLE, POLICY, KithCase

GALLERY = sorted((pathlib.Path(__file__).resolve().parents[2] / "examples" / "counterexamples").glob("*.json"))
XOR = {"kind": "joint", "values": [2, 2, 2], "law": [0.25, 0, 0, 0.25, 0, 0.25, 0.25, 0]}

LINE = """
[data]
tables.people = "people.csv"
[unit]
table = "people"
key = "id"
max_rows = 1
presence = "public"
distance = { columns = ["x"], metric = "euclidean", delta = 1 }
[columns.people]
x = { type = "real", lower = 0, upper = 100, required = true }
[dependence]
source = "public"
kind = "lipschitz"
influence = [[0, 0.2], [0.2, 0]]
[budget]
epsilon = 1.0
ledger = "people.ledger"
"""
STREAM = """
[data]
tables.people = "people.csv"
[unit]
table = "people"
key = "id"
max_rows = 1
presence = "secret"
[columns.people]
at = { type = "integer" }
[dependence]
source = "public"
kind = "independent"
[stream]
time = "at"
step = 1
window = 4
[budget]
epsilon = 1.0
ledger = "people.ledger"
"""


class Audit(KithCase):
    def page(self, name):
        return xml.etree.ElementTree.fromstring((self.folder / name).read_text().replace("<!DOCTYPE html>", ""))

    def test_the_verdict_names_the_adversary_and_judges_all_by_the_same(self):
        self.write("xor.json", json.dumps(XOR))
        command = ["audit", "xor.json", "--query", "sum", "--epsilon", "1"]
        text = " ".join(self.ok(self.run_kith(*command)).split())
        out = self.json(self.run_kith(*command, "--json"))
        self.assertIn(out["verdict"], text)
        none, others = out["verdict"].split(". Against somebody who knows others as well, ")
        self.assertTrue(none.startswith("Against somebody who knows no other record, "))
        self.assertIn("kith keeps its claim, which covers nobody else", none)
        for line in out["methods"]:
            worst = max(line[who]["loss"] for who in ("knows_none", "knows_some", "knows_all"))
            self.assertEqual(f"{line['name']} (" in none, line["knows_none"]["loss"] > line["claimed"] + 1e-9, line)
            self.assertEqual(f"{line['name']} (" in others, worst > line["claimed"] + 1e-9, line)
            self.assertEqual(line["kept_against_anybody"], worst <= line["claimed"] + 1e-9, line)
        self.assertIn("exact calibration (1.49 for 1, not claimed)", others)
        self.assertEqual({line["name"]: line["claimed_against"] for line in out["methods"]}["laplace"], "all")

    def test_the_gallery_prints_claimed_and_true_loss(self):
        out = self.json(self.run_kith("audit", *GALLERY, "--json"))
        true = {case["file"]: case["true"] for case in out["cases"]}
        self.assertEqual(len(true), len(GALLERY))
        self.assertTrue(all(case["fails"] for case in out["cases"]))
        self.assertAlmostEqual(true["xor"], 1 + math.log(math.cosh(1)), places=9)
        self.assertAlmostEqual(true["parallel"], 2, places=9)
        self.assertEqual(true["two_released_records"], "inf")
        text = self.ok(self.run_kith("audit", *GALLERY, "--report", "gallery.html"))
        for number in ["1.434", "3.248", "30.7", "3.885", "1.681", "4.402", "1.01", "1.236", "2.75"]:
            self.assertIn(number, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.page("gallery.html")

    def test_a_model_shows_every_method_and_adversary(self):
        self.write("xor.json", json.dumps(XOR))
        out = self.json(self.run_kith("audit", "xor.json", "--epsilon", "1", "--delta", "0.5", "--json"))
        methods = {method["name"]: method for method in out["methods"]}
        for name in ["laplace", "group", "DDP, Eq. 14", "DDP, Eq. 18", "wasserstein", "exact calibration", "kith"]:
            self.assertIn(name, methods)
        self.assertFalse(methods["DDP, Eq. 14"]["kept"])
        self.assertTrue(methods["kith"]["kept"])
        self.assertAlmostEqual(methods["laplace"]["knows_some"]["loss"], 2, places=9)
        self.assertEqual(len(methods["laplace"]["knows_some"]["known"]), 1)
        self.assertAlmostEqual(methods["exact calibration"]["scale"], 1.342389877933634, places=7)
        self.assertGreater(methods["laplace"]["delta"], 0)
        self.assertLessEqual(out["information"]["nats"], out["information"]["bound"])
        text = self.ok(self.run_kith("audit", "xor.json", "--scale", "2", "--query", "sum", "--report", "xor.html"))
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.page("xor.html")

    def test_a_star_is_audited_for_its_neighbours_too(self):
        """A middle that is yes in 3 %: the loss about its neighbour is 1.935 at a plain loss of 1, about itself 1.618."""
        head, tail = POLICY.split("[dependence]")
        head = head.replace('age   = { lower = 0, upper = 120 }\n', "").replace('["no", "yes"] }', '["no", "yes"], required = true }')
        star = '[dependence]\nsource = "public"\nkind = "star"\nneighbours = [[[0.999, 0.001], [0.5, 0.5]]]\n'
        self.write("policy.toml", head + star + "[budget]" + tail.split("[budget]")[1].replace("1.0", "2.0"))
        self.write("people.csv", "".join(PEOPLE.splitlines(True)[:3]))
        out = self.json(self.ask(ILL, "--epsilon", "2", "--json"))
        stratum = self.json(self.run_kith("audit", "policy.toml", "--json"))["strata"][0]
        self.assertAlmostEqual(stratum["dependent"], out["dependent"]["epsilon_total"], places=9)
        law = [0.97 * 0.999, 0.97 * 0.001, 0.03 * 0.5, 0.03 * 0.5]
        self.write("joint.json", json.dumps({"kind": "joint", "values": [2, 2], "law": law}))
        plain = str(stratum["plain"])
        truth = self.json(self.run_kith("transfer", "joint.json", "--plain", plain, "--json"))["dependent"]
        for told in (stratum["dependent"], self.json(self.run_kith("transfer", "policy.toml", "--plain", plain, "--json"))["dependent"]):
            self.assertGreaterEqual(told, truth)

    def test_a_policy_before_and_after_answers(self):
        before = self.json(self.run_kith("audit", "policy.toml", "--json"))
        self.assertEqual(max(stratum["dependent"] for stratum in before["strata"]), 0)
        self.ok(self.ask(ILL, "--epsilon", "0.25"))
        after = self.json(self.run_kith("audit", "policy.toml", "--epsilon", "0.25", "--json"))
        worst = max(after["strata"], key=lambda stratum: stratum["dependent"])
        self.assertGreater(worst["dependent"], worst["plain"])
        self.assertLessEqual(worst["dependent"], 0.3)
        self.assertGreater(worst["dependent_after"], worst["dependent"])
        self.assertLessEqual(worst["dependent_after"], 1)
        self.assertLess(worst["bits"], worst["dependent"])
        readings = {reading["name"]: reading for reading in worst["bounds"]}
        self.assertAlmostEqual(readings["group"]["now"], 3 * worst["plain"], places=9)
        self.assertFalse(readings["star"]["theorem"])
        self.assertEqual(after["places"][0]["shape"], "in a group of 3")
        # Nothing was charged, and the report says so in words.
        self.assertAlmostEqual(self.spent(), worst["plain"])
        text = self.ok(self.run_kith("audit", "policy.toml", "--epsilon", "0.25", "--report", "leak.html"))
        self.assertIn("1 answer so far reveals", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.page("leak.html")

    def test_adversary_and_promises_are_those_of_the_budget(self):
        """Pairs, where the sum over pairs is as small and covers less; public columns promised; chains of rows."""
        _, tail = POLICY.split("[dependence]")
        chains = POLICY.replace('key = "id"\nmax_rows = 1', "row = true").replace('["no", "yes"] }', '["no", "yes"], required = true }').replace(
            "age   = { lower = 0, upper = 120 }\n", "").split("[dependence]")[0]
        chains += ('[dependence]\nsource = "public"\nkind = "chain"\nby = "house"\ntransition = [[0.8, 0.2], [0.3, 0.7]]\nstart = "any"\nlength = 3\n'
                   "[budget]" + tail.split("[budget]")[1])
        self.write("people.csv", PEOPLE)
        pairs = POLICY.replace("size = 3", "size = 2").replace("[data]", '[data]\npublic_columns = "fixed"')
        for name, policy, promise in (("pairs", pairs, "no unit's public columns changed"), ("chains", chains, "values of one row")):
            self.write("policy.toml", policy.replace("people.ledger", name + ".ledger").replace("people.csv", name + ".csv"))
            rows = PEOPLE if name == "chains" else "".join(PEOPLE.splitlines(True)[:1] + [r for r in PEOPLE.splitlines(True)[1:] if int(r.split(",")[0]) % 3])
            self.write(name + ".csv", rows)
            answer = self.json(self.ask(ILL, "--epsilon", "0.25", "--json"))
            out = self.json(self.run_kith("audit", "policy.toml", "--json"))
            self.assertIn(promise, out["assumption"])
            self.assertEqual(out["assumption"], out["guarantee"]["assumption"])
            self.assertEqual(max(s["dependent"] for s in out["strata"]), answer["dependent"]["epsilon_total"])
            told = []
            for verb in ("budget", "audit"):
                text = " ".join(self.ok(self.run_kith(verb, "policy.toml")).split())
                told.append((text.split(", by ")[1].split()[0], text.split(" adversary ")[1].split(" assumption ")[0]))
            self.assertEqual(told[0], told[1])

    def test_cells_of_rows_show_their_own_totals(self):
        self.write("people.csv", "id,visit,ill\n1,1,no\n1,2,yes\n2,1,no\n2,2,no\n")
        start, rest = POLICY.replace("max_rows = 1", "max_rows = 2").split("[columns.people]")
        self.write("policy.toml", start + '[columns.people]\nvisit = { values = [1, 2], public = "per row", required = true }\n'
                   'ill = { values = ["no", "yes"] }\n[dependence]\nsource = "public"\nkind = "independent"\n' + rest[rest.index("[budget]"):])
        self.ok(self.ask(ILL + " AND visit = 2", "--epsilon", "0.25"))
        cells = self.json(self.run_kith("budget", "policy.toml", "--json"))["cells"]
        strata = self.json(self.run_kith("audit", "policy.toml", "--json"))["strata"]
        self.assertEqual([s["plain"] for s in strata], [cell["plain_spent"] for cell in cells])
        self.assertEqual([s["dependent"] for s in strata], [cell["dependent_spent"] for cell in cells])
        self.assertLess(strata[0]["plain"], strata[1]["plain"])
        self.assertIn("plain is what was charged to the rows", self.ok(self.run_kith("audit", "policy.toml")))

    def test_cells_of_independent_records_show_their_own_loss(self):
        start, rest = POLICY.split("[dependence]")
        for dependence, others in (('kind = "independent"\n', 0), (rest[rest.index("kind"):rest.index("[budget]")], None)):
            self.write("policy.toml", start + '[dependence]\nsource = "public"\n' + dependence + rest[rest.index("[budget]"):].replace("people.ledger", f"{others}.ledger"))
            self.ok(self.ask(ILL + " AND ward = 'A'", "--epsilon", "0.4"))
            cells = {cell["name"]: cell for cell in self.json(self.run_kith("budget", "policy.toml", "--json"))["cells"]}
            own = cells.pop("ward=A")
            self.assertGreater(own["dependent_spent"], 0.39)
            self.assertEqual([cell["plain_spent"] for cell in cells.values()], [0] * len(cells))
            # Relatives may be in any cell where records depend on each other.
            self.assertEqual({cell["dependent_spent"] for cell in cells.values()}, {own["dependent_spent"] if others is None else others})

    def change(self, *pairs):
        policy = (self.folder / "policy.toml").read_text()
        for old, new in pairs:
            self.assertEqual(policy.count(old), 1, old)
            policy = policy.replace(old, new)
        self.write("policy.toml", policy)

    def test_records_that_have_left_come_first(self):
        start, rest = POLICY.split("[dependence]")
        one_sided = "[one_sided]\nsensitive = \"ill = 'yes'\"\nepsilon = 5.0\n"
        self.write("policy.toml", start + '[dependence]\nsource = "public"\nkind = "independent"\n' + rest[rest.index("[budget]"):] + one_sided)
        self.ok(self.ask(ILL, "--epsilon", "0.1"))
        before = self.json(self.run_kith("audit", "policy.toml", "--json"))
        self.assertNotIn("one_sided_warning", before)
        self.assertAlmostEqual(before["strata"][0]["dependent"], 0.1, places=6)
        for k in range(2):
            self.ok(self.run_kith("analyse", "policy.toml", "records", "--epsilon", "1", "--output", f"r{k}.csv"))
        out = self.json(self.run_kith("audit", "policy.toml", "--epsilon", "0.1", "--json"))
        self.assertEqual(out["answers"], 1)
        self.assertIn("true records", out["one_sided_warning"])
        for stratum in out["strata"]:
            for field in ("dependent", "dependent_after", "bits", "bits_after"):
                self.assertIsNone(stratum[field])
                self.assertIsNotNone(stratum["noisy_answers_alone"][field])
            self.assertEqual(stratum["bounds"], [])
        text = self.ok(self.run_kith("audit", "policy.toml", "--report", "leak.html"))
        self.assertTrue(text.startswith("ONE-SIDED RELEASES"))
        self.assertIn("Noisy answers alone: 1 answer so far reveals", text)
        self.assertIn("there is no bound", " ".join(text.split()))
        page = "".join(self.page("leak.html").itertext())
        self.assertIn("ONE-SIDED RELEASES", page)
        self.assertIn("(noisy answers alone)", page)
        self.assertIn("noisy answers alone, by independent", self.ok(self.run_kith("budget", "policy.toml")))
        budget = self.json(self.run_kith("budget", "policy.toml", "--json"))
        self.assertIsNone(budget["dependent_total"])
        self.assertIsNone(budget["cells"][0]["dependent_spent"])
        self.assertAlmostEqual(budget["cells"][0]["noisy_answers_alone"], 0.1, places=6)

    def test_a_metric_unit_is_told_for_the_whole_region(self):
        self.write("people.csv", "id,x\n1,20\n2,70\n")
        self.write("policy.toml", LINE)
        self.assertEqual(self.json(self.run_kith("audit", "policy.toml", "--json"))["strata"][0]["bits"], 0)
        answer = self.json(self.run_kith("analyse", "policy.toml", "points", "--columns", "x", "--quantiles", "0.5", "--epsilon", "0.5", "--json"))
        out = self.json(self.run_kith("audit", "policy.toml", "--json"))
        stratum = out["strata"][0]
        self.assertEqual(stratum["dependent"], answer["dependent"]["epsilon_total"])  # both with the slack of the lattice
        self.assertEqual(stratum["bounds"][1]["now"], stratum["dependent"])
        self.assertGreater(stratum["dependent"], 1.2001 * stratum["plain"])
        loss = answer["moves"]["standard_epsilon_total"]
        self.assertAlmostEqual(loss, 50, places=5)
        c = loss / -math.expm1(-loss)
        self.assertAlmostEqual(stratum["bits"], (c - 1 - math.log(c)) / math.log(2), places=6)
        self.assertEqual(out["moves"]["meaning"], answer["moves"]["meaning"])
        text = self.ok(self.run_kith("audit", "policy.toml", "--epsilon", "0.1", "--report", "leak.html"))
        self.assertIn("moves       two places at distance r", text)
        self.assertIn("for moves of 1; 50 for any change", " ".join(text.split()))
        self.assertIn("two places at distance r", "".join(self.page("leak.html").itertext()))

    def test_no_bound_where_no_move_leads_to_the_next_place(self):
        self.write("people.csv", "id,x\n1,20\n2,70\n")
        self.write("policy.toml", LINE.replace('type = "real"', 'type = "integer"').replace("delta = 1", "delta = 0.5").replace(
            'kind = "lipschitz"\ninfluence = [[0, 0.2], [0.2, 0]]', 'kind = "independent"'))
        self.ok(self.run_kith("analyse", "policy.toml", "points", "--columns", "x", "--quantiles", "0.5", "--epsilon", "0.5"))
        out = self.json(self.run_kith("audit", "policy.toml", "--json"))
        self.assertEqual(out["strata"][0]["bits"], "inf")
        self.assertEqual(out["moves"]["any_change"], "inf")
        self.assertIn("no bound in bits", out["verdict"])

    def test_a_lowered_epsilon_does_not_undo_what_was_spent(self):
        self.ok(self.ask(ILL, "--epsilon", "0.8"))
        self.assertIn("at most 1 of dependent loss, by", self.ok(self.run_kith("budget", "policy.toml")))
        self.change(("epsilon = 1.0", "epsilon = 0.5"))
        budget = self.json(self.run_kith("budget", "policy.toml", "--json"))
        spent = max(cell["dependent_spent"] for cell in budget["cells"])
        self.assertGreater(spent, 0.7)
        self.assertEqual(budget["dependent_total"], spent)
        text = " ".join(self.ok(self.run_kith("budget", "policy.toml")).split())
        self.assertIn(f"at most {spent:.4g} of dependent loss", text)
        self.assertIn("more than the 0.5 that the policy now allows", text)
        self.assertNotIn("at most 0.5", text)

    def test_a_stream_is_about_stays(self):
        self.write("people.csv", "id,at\n" + "".join(f"{t * 10 + i},{t}\n" for t in range(20) for i in range(3)))
        self.write("policy.toml", STREAM)
        self.ok(self.run_kith("analyse", "policy.toml", "stream", "--statistic", "SELECT count(*) AS n FROM people", "--rule", "uniform",
                              "--epsilon", "1", "--steps", "0..11", "--out", "steps.csv"))
        out = self.json(self.run_kith("audit", "policy.toml", "--json"))
        self.assertEqual(out["answers"], 12)
        self.assertLessEqual(out["strata"][0]["dependent"], 1)  # of four steps, not of twelve
        stay = "in any stay of at most 4 consecutive steps"
        for text in (out["verdict"], out["about"], self.ok(self.run_kith("audit", "policy.toml", "--report", "leak.html")),
                     "".join(self.page("leak.html").itertext()), self.ok(self.run_kith("budget", "policy.toml")),
                     self.json(self.run_kith("budget", "policy.toml", "--json"))["about"]):
            self.assertIn(stay, " ".join(text.split()))
        self.refused(self.run_kith("audit", "policy.toml", "--epsilon", "0.1"), 2, "window")

    def test_a_stream_of_chains_is_about_single_states(self):
        self.write("people.csv", "id,at,ill\n1,0,no\n2,0,yes\n1,1,no\n2,1,no\n")
        self.write("policy.toml", STREAM.replace("[dependence]", 'ill = { values = ["no", "yes"], required = true }\n[dependence]').replace(
            'kind = "independent"', 'kind = "chain"\ntransition = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]\nstart = [0.4, 0.3, 0.3]\nlength = 4'))
        for verb in ("audit", "budget"):
            text = " ".join(self.ok(self.run_kith(verb, "policy.toml")).split())
            self.assertIn("in its state at any one step", text)

    def test_a_policy_is_audited_without_its_data(self):
        (self.folder / "people.csv").unlink()
        self.ok(self.run_kith("audit", "policy.toml", "--epsilon", "0.1"))

    def test_neighbourhoods_of_a_graph_by_shape(self):
        self.write("friends.csv", "a,b\n0,1\n0,2\n0,3\n4,5\n")
        policy = (self.folder / "policy.toml").read_text()
        start, rest = policy.split("[dependence]")
        budget = rest[rest.index("[budget]"):]
        self.write("policy.toml", start + '[dependence]\nsource = "public"\nkind = "field"\nnodes = 300\n'
                   'edges = "friends.csv"\ntheta = 0.7\n' + budget)
        out = self.json(self.run_kith("audit", "policy.toml", "--epsilon", "0.5", "--json"))
        shapes = {place["shape"]: place for place in out["places"]}
        self.assertEqual(out["places"][0]["shape"], "3 neighbours, component of 4")
        self.assertEqual(shapes["0 neighbours, component of 1"]["units"], 294)
        self.assertNotIn("people", json.dumps(out["places"]))

    def test_mistakes_are_explained(self):
        self.write("xor.json", json.dumps(XOR))
        self.write("group.json", '{"kind":"group","size":4}')
        self.write("broken.json", "{")
        self.refused(self.run_kith("audit", "xor.json"), 2, "--epsilon 1 or --scale")
        self.refused(self.run_kith("audit", "xor.json", "--epsilon", "0"), 2, "try:")
        self.refused(self.run_kith("audit", "xor.json", "--epsilon", "1", "--query", "mean"), 2, "ask count")
        self.refused(self.run_kith("audit", "group.json", "--epsilon", "1"), 2, "no law", "kith transfer")
        self.refused(self.run_kith("audit", "broken.json", "--epsilon", "1"), 2, "broken.json")
        self.refused(self.run_kith("audit", "none.json"), 2, "no such file", "none.json")
        self.refused(self.run_kith("audit", "policy.toml", "--scale", "2"), 2, "about models")
        self.refused(self.run_kith("audit", "xor.json", "group.json", "--epsilon", "1"), 2, "one by one")
        self.refused(self.run_kith("audit", "policy.toml", "--epsilon", "-1"), 2)
        self.refused(self.run_kith("audit", "xor.json", "--epsilon", "1", "--report", "no/such/folder.html"), 5, "folder")


if __name__ == "__main__":
    unittest.main()
