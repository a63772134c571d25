"""Columns that everybody knows of each row, from the command line."""
import json
import unittest

from kith_case import KithCase

POLICY = """[data]
tables.study = "study.csv"
{data}
[unit]
table = "study"
key = "patient"
max_rows = {rows}
presence = "public"
[columns.study]
visit = {{ values = [1, 2, 3], public = "per row", required = true }}
pain = {{ lower = 0, upper = 10, required = true }}
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1.0
ledger = "study.ledger"
"""
SUM = "SELECT sum(pain) AS s FROM study WHERE visit = {}"


class Rows(KithCase):
    """100 patients; all come to visit 1, every second one to visit 2."""

    def setUp(self):
        super().setUp()
        self.rows = [(i, visit, (i + visit) % 11) for i in range(100) for visit in ([1, 2] if i % 2 else [1])]
        self.data(self.rows)
        self.policy()

    def data(self, rows):
        self.write("study.csv", "patient,visit,pain\n" + "".join(f"{p},{v},{x}\n" for p, v, x in rows))

    def policy(self, rows=2, data=""):
        self.write("policy.toml", POLICY.format(rows=rows, data=data))

    def ask(self, sql, *more):
        done = self.run_kith("query", "policy.toml", sql, "--json", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def spent(self):
        budget = json.loads(self.run_kith("budget", "policy.toml", "--json").stdout)
        return {cell["name"]: cell["plain_spent"] for cell in budget["cells"]}

    def test_counts_of_rows_are_free_and_exact(self):
        answer = self.ask("SELECT visit, count(*) AS n FROM study GROUP BY visit", "--epsilon", "0.1")
        self.assertEqual(answer["answer"]["rows"], [[1, 100], [2, 50], [3, 0]])
        self.assertEqual(set(self.spent().values()), {0})

    def test_sums_are_charged_visit_by_visit_and_units_to_all(self):
        self.ask(SUM.format(1), "--epsilon", "0.25")
        answer = self.ask(SUM.format(2), "--epsilon", "0.25")
        self.assertIn("with which visit", json.dumps(answer))
        self.assertEqual(self.spent(), {"visit=1": 0.25, "visit=2": 0.25, "visit=3": 0})
        self.ask("SELECT count(DISTINCT patient) AS n FROM study WHERE visit = 1 AND pain > 5", "--epsilon", "0.25")
        self.assertEqual(self.spent(), {"visit=1": 0.5, "visit=2": 0.5, "visit=3": 0.25})

    def test_more_rows_than_declared_are_refused(self):
        self.policy(rows=1)
        done = self.run_kith("query", "policy.toml", SUM.format(1), "--epsilon", "0.25")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("a unit has more than 1 row, and rows are public", done.stderr)

    def test_rows_stay_where_that_is_promised(self):
        self.policy(data='public_columns = "fixed"')
        self.ask(SUM.format(1), "--epsilon", "0.25")
        self.data(self.rows[1:])  # patient 0 is gone
        self.assertEqual(self.run_kith("import", "policy.toml").returncode, 0)
        self.data([(p, 3 if (p, v) == (1, 2) else v, x) for p, v, x in self.rows])
        done = self.run_kith("import", "policy.toml")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("1 unit has lost rows", done.stderr)
        self.data(self.rows + [(2, 3, 5)])
        self.assertEqual(self.run_kith("import", "policy.toml").returncode, 0)
        self.assertEqual(self.spent(), {"visit=1": 0.25, "visit=2": 0, "visit=3": 0})

    def test_raising_max_rows_merges_the_cells_of_rows(self):
        self.ask(SUM.format(1), "--epsilon", "0.25")
        self.policy(rows=3)
        self.ask(SUM.format(2), "--epsilon", "0.25")
        self.assertEqual(self.spent(), {"visit=1": 0.25, "visit=2": 0.5, "visit=3": 0.25})

    def test_columns_say_so(self):
        columns = json.loads(self.run_kith("columns", "policy.toml", "--json").stdout)["tables"][0]["columns"]
        self.assertEqual({c["name"]: c.get("per_row", False) for c in columns}, {"visit": True, "pain": False})


if __name__ == "__main__":
    unittest.main()
