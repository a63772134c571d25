"""Panels: many chains of rows, told apart by a column; tables within intervals; groups with a hidden cause."""
import unittest

from kith_case import KithCase

VISITS = "patient,month,state\n" + "".join(
    f"{p},{m},{'ill' if (p * 7 + m * 5) % 11 < 4 else 'well'}\n" for p in range(60) for m in range(1 + p % 12))
POLICY = """
[data]
tables.visits = "visits.csv"
[unit]
table = "visits"
row = true
presence = "public"
[columns.visits]
patient = { type = "integer", public = true }
month = { values = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], public = true, required = true }
state = { values = ["well", "ill"], required = true }
[dependence]
source = "public"
kind = "chain"
by = "patient"
transition = [[0.8, 0.2], [0.3, 0.7]]
start = [0.6, 0.4]
length = 12
[budget]
epsilon = 1.0
ledger = "visits.ledger"
"""
ILL = "SELECT count(*) AS n FROM visits WHERE state = 'ill'"
CERTIFICATE = ("--epsilon", "0.3", "--json")


class Panel(KithCase):
    def policy(self, *changes):
        text = POLICY
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        self.write("policy.toml", text)

    def setUp(self):
        super().setUp()
        self.write("visits.csv", VISITS)
        self.policy()

    def test_many_chains_are_one_declaration(self):
        guarantee = self.json(self.ask(ILL, *CERTIFICATE))
        self.assertIn("not all rows of one patient", guarantee["neighbours"])
        self.assertIn("a chain is the rows of one patient", guarantee["assumption"])
        self.assertLess(guarantee["dependent"]["epsilon_total"], 0.31)
        text = self.ok(self.ask(ILL, "--epsilon", "0.3"))
        self.assertIn("the values of one row, not those of all rows of one patient", " ".join(text.split()))
        self.assertIn("patient", self.ok(self.run_kith("budget", "policy.toml")))
        self.ok(self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.1"))
        self.ok(self.run_kith("audit", "policy.toml"))
        self.ok(self.run_kith("transfer", "policy.toml", "--dependent", "1"))

    def test_rows_beyond_the_declared_length_are_refused(self):
        self.policy(("length = 12", "length = 11"))
        self.refused(self.ask(ILL, *CERTIFICATE), 2, "a chain with more than 11 rows")

    def test_intervals_seasons_and_any_start_cost_more(self):
        left = {}
        interval = "transition = [[[0.75, 0.85], [0.15, 0.25]], [[0.25, 0.35], [0.65, 0.75]]]"
        for name, changes in {
            "exact": [],
            "any": [("start = [0.6, 0.4]", 'start = "any"')],
            "interval": [("transition = [[0.8, 0.2], [0.3, 0.7]]", interval), ("start = [0.6, 0.4]", 'start = "any"')],
            "seasons": [("transition = [[0.8, 0.2], [0.3, 0.7]]", "seasons = [[[0.8, 0.2], [0.3, 0.7]], [[0.6, 0.4], [0.5, 0.5]]]")],
        }.items():
            self.policy(*changes)
            left[name] = self.json(self.run_kith("transfer", "policy.toml", "--dependent", "1", "--json"))["plain"]
        self.assertLessEqual(left["any"], left["exact"] * 1.0000001)
        self.assertLess(left["interval"], left["any"])
        self.assertGreater(left["seasons"], left["exact"])
        self.policy(("transition = [[0.8, 0.2], [0.3, 0.7]]", interval), ("start = [0.6, 0.4]", 'start = "any"\nconfidence = 0.95'))
        guarantee = self.json(self.ask(ILL, *CERTIFICATE))
        self.assertIn("each probability lies in its declared interval", guarantee["assumption"])
        self.assertIn("95 % confidence", guarantee["assumption"])
        self.ok(self.run_kith("audit", "policy.toml"))

    def test_absence_is_a_state_where_it_is_secret(self):
        self.policy(('presence = "public"', 'presence = "secret"'))
        self.refused(self.ask(ILL, *CERTIFICATE), 2, "a state for its absence")

    def test_a_hidden_cause_for_each_group(self):
        head, tail = POLICY.split('kind = "chain"')
        tail = tail.split("[budget]")[1]
        self.write("policy.toml", head + 'kind = "group"\nhidden = "patient"\nsize = 12\nodds_ratio = 3\n[budget]' + tail)
        guarantee = self.json(self.ask(ILL, *CERTIFICATE))
        self.assertIn("one hidden cause", guarantee["assumption"])
        self.write("model.json", '{"kind":"group","size":12,"odds_ratio":3,"hidden":true}')
        hidden = self.json(self.run_kith("transfer", "model.json", "--dependent", "1", "--json"))["plain"]
        self.write("model.json", '{"kind":"group","size":12}')
        self.assertGreater(hidden, 2 * self.json(self.run_kith("transfer", "model.json", "--dependent", "1", "--json"))["plain"])

    def test_an_exact_audit_needs_one_law(self):
        self.write("model.json", '{"kind":"chain","transition":[[[0.7,0.8],[0.2,0.3]],[0.3,0.7]],"start":"any","length":5}')
        self.refused(self.run_kith("audit", "model.json", "--epsilon", "1"), 2, "known up to intervals")
        self.ok(self.run_kith("transfer", "model.json", "--dependent", "1", "--compare"))


if __name__ == "__main__":
    unittest.main()
