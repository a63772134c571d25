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
        refused = self.leak(told, "--total", "0.2", "--closure", "refuse")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("no epsilon changes that", refused.stderr)

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
                (OFFICE, ["--suppressed", "nobody:1:1"], "no attribute 'nobody'")]:
            done = self.leak(model, *arguments)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(why, done.stderr)
        self.assertEqual(self.run_kith("leakage", "none.json").returncode, 2)


if __name__ == "__main__":
    unittest.main()
