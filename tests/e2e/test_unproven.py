"""Releases with a published formula that is not proved: only when the policy accepts it, and never without its label."""
import json
import unittest

from kith_case import ILL, POLICY, KithCase

PAIRS = """kind = "pairs"
table = [[0.8, 0.2], [0.3, 0.7]]
"""

ANALYSIS = ["analyse", "policy.toml", "logistic", "--label", "ill", "--features", "CASE WHEN ward = 'A' THEN 1 ELSE 0 END",
            "--epsilon", "0.1"]

STREAM = """
[data]
tables.t = "t.csv"
[unit]
table = "t"
key = "id"
max_rows = 1
presence = "public"
[columns.t]
at = { type = "integer" }
ill = { values = ["no", "yes"], required = true }
[stream]
time = "at"
step = 1
window = 2
[budget]
epsilon = 1.0
ledger = "t.ledger"
[dependence]
source = "public"
accept = "unproven"
"""


class Unproven(KithCase):
    def policy(self, model, accept=True):
        """The usual policy with yes/no records and another dependence part."""
        head, tail = POLICY.split("[dependence]")
        tail = "[budget]" + tail.split("[budget]")[1]
        head = head.replace('age   = { lower = 0, upper = 120 }\n', "").replace('["no", "yes"] }', '["no", "yes"], required = true }')
        accepted = 'accept = "unproven"\n' if accept else ""
        self.write("policy.toml", head + '[dependence]\nsource = "public"\n' + accepted + model + tail)

    def ways(self):
        """Every way to see a guarantee of this policy, in text."""
        yield ["query", "policy.toml", ILL, "--epsilon", "0.1"]
        yield ["explain", "policy.toml", ILL, "--epsilon", "0.1"]
        yield ANALYSIS
        yield [*ANALYSIS, "--explain"]
        yield ["budget", "policy.toml"]
        yield ["audit", "policy.toml"]

    def first_lines(self):
        for arguments in (["query", "policy.toml", ILL, "--epsilon", "0.1", "--format", "csv"], *self.ways()):
            yield arguments, self.ok(self.run_kith(*arguments)).splitlines()[0]

    def test_refused_unless_accepted(self):
        self.policy(PAIRS + "degree = 2\n", accept=False)
        message = self.refused(self.ask(), 2, "not proved", 'accept = "unproven"', "field")
        self.assertNotIn("ledger", message)

    def test_every_first_line_says_so(self):
        self.policy(PAIRS + "degree = 2\n")
        for arguments, line in self.first_lines():
            self.assertIn("UNPROVEN", line, arguments)

    def test_every_json_says_so(self):
        self.policy(PAIRS + "degree = 2\n")
        for arguments in self.ways():
            out = self.json(self.run_kith(*arguments, "--json"))
            self.assertTrue(out["unproven"].startswith("UNPROVEN"), arguments)
        for arguments in (["explain", "policy.toml", ILL, "--epsilon", "0.1"], ["budget", "policy.toml"]):
            self.assertTrue(self.json(self.run_kith(*arguments, "--json"))["audit"]["exact"], arguments)
            self.assertIn("audit the true loss is", " ".join(self.ok(self.run_kith(*arguments)).split()), arguments)

    def test_a_stream_never_needs_it(self):
        """Its records are whole stays, which tables of single values do not describe. Who allows it must label it."""
        self.write("policy.toml", STREAM + PAIRS + "degree = 2\n")
        self.write("t.csv", "id,at,ill\n1,0,no\n")
        self.refused(self.run_kith("analyse", "policy.toml", "stream", "--statistic", "SELECT count(*) AS n FROM t WHERE ill = 'yes'",
                                   "--epsilon", "1", "--explain"), 2, "whole stay")

    def test_records_say_so(self):
        self.policy(PAIRS + "degree = 2\n")
        text = (self.folder / "policy.toml").read_text()
        self.write("policy.toml", text + '[one_sided]\nsensitive = "ill = \'yes\'"\nepsilon = 1\ncolumns = ["ward"]\naccept = "unbounded"\n')
        command = ["analyse", "policy.toml", "records", "--epsilon", "0.5"]
        self.assertIn("UNPROVEN", self.ok(self.run_kith(*command, "--explain")))
        self.assertIn("unproven", self.json(self.run_kith(*command, "--output", "r.csv", "--json")))
        self.assertIn("unproven", self.json(self.run_kith("budget", "policy.toml", "--json")))

    def test_the_certificate_says_so_and_has_the_audit_beside_it(self):
        self.policy(PAIRS + "degree = 2\n")
        out = self.json(self.ask(ILL, "--epsilon", "1", "--json"))
        self.assertTrue(out["unproven"].startswith("UNPROVEN"))
        self.assertNotIn("TRANSFER-1", out["claims"])
        self.assertLessEqual(out["dependent"]["epsilon_total"], 1)
        self.assertTrue(out["audit"]["exact"])
        self.assertGreater(out["audit"]["dependent"], 1.4)
        # The plain loss is that of the noise, whatever the formula claims.
        self.assertAlmostEqual(out["noise"][0]["scale"] * out["plain"]["epsilon"], 1, places=6)
        self.assertAlmostEqual(out["plain"]["epsilon"], 0.4976, places=3)
        self.assertAlmostEqual(self.spent(), out["plain"]["epsilon"])
        text = self.ok(self.ask(ILL, "--epsilon", "1"))
        self.assertIn("UNPROVEN", text.splitlines()[0])  # also the stored answer
        self.assertIn("ABOVE the claimed", " ".join(text.split()))

    def test_a_stored_answer_has_the_audit_of_its_total(self):
        self.policy(PAIRS + "degree = 2\n")
        self.ok(self.ask(ILL, "--epsilon", "0.1"))
        later = self.json(self.ask(ILL + " AND ward = 'A'", "--epsilon", "0.8", "--json"))
        again = self.json(self.ask(ILL, "--epsilon", "0.1", "--json"))
        self.assertTrue(again["stored"])
        self.assertEqual(again["audit"], later["audit"])
        self.assertEqual(again["dependent"], later["dependent"])

    def test_an_audit_of_the_policy_promises_nothing(self):
        self.policy(PAIRS + "degree = 2\n")
        self.ok(self.ask(ILL, "--epsilon", "0.1"))
        text = " ".join(self.ok(self.run_kith("audit", "policy.toml")).split())
        self.assertIn("unproven formula", text)
        self.assertNotIn("at most", text.split("1 answer so far reveals")[1])

    def test_no_audit_is_said_as_well(self):
        self.policy(PAIRS + "nodes = 300\nedges = [[0, 1], [1, 2], [2, 0]]\n")
        self.assertIn("audit none", " ".join(self.ok(self.ask()).split()))

    def test_a_theorem_needs_no_label(self):
        self.policy(PAIRS + "degree = 1\n", accept=False)
        for arguments, line in self.first_lines():
            self.assertNotIn("UNPROVEN", line, arguments)
        out = self.json(self.ask(ILL, "--epsilon", "0.1", "--json"))
        self.assertNotIn("unproven", out)
        self.assertIn("TRANSFER-1", out["claims"])

    def test_accepting_changes_nothing_else(self):
        self.write("policy.toml", POLICY.replace("[dependence]\n", '[dependence]\naccept = "unproven"\n'))
        for arguments, line in self.first_lines():
            self.assertNotIn("UNPROVEN", line, arguments)

    def test_places_by_distance(self):
        self.policy('kind = "pairs"\ndegree = 2\ndistance = { axes = [[0, 1]], b = 0.196, c = 1.05 }\n')
        self.assertIn("UNPROVEN", self.ok(self.ask()).splitlines()[0])

    def test_records_of_other_values_are_refused(self):
        self.policy('kind = "pairs"\ndegree = 1\ntable = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]\n')
        self.refused(self.ask(), 2, "do not describe this table's records")

    def test_transfer_says_so(self):
        self.write("pairs.json", '{"kind":"pairs","table":[[0.8,0.2],[0.3,0.7]],"degree":2}')
        text = self.ok(self.run_kith("transfer", "pairs.json", "--dependent", "1"))
        self.assertIn("UNPROVEN", text.splitlines()[0])
        self.assertIn("unproven", json.loads(self.ok(self.run_kith("transfer", "pairs.json", "--plain", "1", "--json"))))


if __name__ == "__main__":
    unittest.main()
