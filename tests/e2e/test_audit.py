"""kith audit from the command line: counterexamples, models, and what a policy's history gives away."""
import json
import math
import pathlib
import unittest
import xml.etree.ElementTree

from kith_case import ILL, PEOPLE, POLICY, KithCase

GALLERY = sorted((pathlib.Path(__file__).resolve().parents[2] / "examples" / "counterexamples").glob("*.json"))
XOR = {"kind": "joint", "values": [2, 2, 2], "law": [0.25, 0, 0, 0.25, 0, 0.25, 0.25, 0]}


class Audit(KithCase):
    def page(self, name):
        return xml.etree.ElementTree.fromstring((self.folder / name).read_text().replace("<!DOCTYPE html>", ""))

    def test_the_gallery_prints_claimed_and_true_loss(self):
        out = self.json(self.run_kith("audit", *GALLERY, "--json"))
        true = {case["file"]: case["true"] for case in out["cases"]}
        self.assertEqual(len(true), len(GALLERY))
        self.assertTrue(all(case["fails"] for case in out["cases"]))
        self.assertAlmostEqual(true["xor"], 1 + math.log(math.cosh(1)), places=9)
        self.assertAlmostEqual(true["parallel"], 2, places=9)
        self.assertEqual(true["two_released_records"], "inf")
        text = self.ok(self.run_kith("audit", *GALLERY, "--report", "gallery.html"))
        for number in ["1.434", "3.247", "30.69", "3.885", "1.681", "4.401", "1.009", "1.236", "2.75"]:
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
        readings = {reading["name"]: reading for reading in worst["readings"]}
        self.assertAlmostEqual(readings["group"]["now"], 3 * worst["plain"], places=9)
        self.assertFalse(readings["star"]["theorem"])
        self.assertEqual(after["places"][0]["shape"], "in a group of 3")
        # Nothing was charged, and the report says so in words.
        self.assertAlmostEqual(self.spent(), worst["plain"])
        text = self.ok(self.run_kith("audit", "policy.toml", "--epsilon", "0.25", "--report", "leak.html"))
        self.assertIn("1 answer tells so far", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.page("leak.html")

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
