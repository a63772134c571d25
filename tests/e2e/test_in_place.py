"""Data that are read in place, and change under one version: every charge is to all public cells unless the policy promises something."""
import json
import subprocess
import unittest

from kith_case import KITH, KithCase

MAKER = KITH.parent / "tests" / "blind" / "blind_data"
POLICY = """[data]
tables.t = "{source}"
{data}[unit]
table = "t"
{unit}
presence = "{presence}"
[columns.t]
id = {{ type = "integer" }}
w = {{ values = ["a", "b"], public = true, required = true }}
{columns}
ill = {{ values = ["no", "yes"], required = true }}
age = {{ lower = 0, upper = 90, required = true }}
[dependence]
source = "public"
{dependence}
{stream}[budget]
epsilon = {epsilon}
ledger = "p.ledger"
{budget}
"""
ALONE = 'kind = "independent"'
IN_A = "SELECT count(*) AS n FROM t WHERE w = 'a' AND ill = 'yes'"
IN_B = IN_A.replace("'a'", "'b'")
FROZEN, FIXED = "frozen = true\n", 'public_columns = "fixed"\n'


class InPlace(KithCase):
    def data(self, wards="aab", visits=(1, 2, 1)):
        """Person k is in ward wards[k - 1]; the first one is ill."""
        rows = ", ".join(f"({k}, '{ward}', {visit}, '{'yes' if k == 1 else 'no'}', {20 * k}, {k // 2})" for k, (ward, visit) in enumerate(zip(wards, visits), 1))
        (self.folder / "t.duckdb").unlink(missing_ok=True)
        table = f"SELECT * FROM (VALUES {rows}) AS v(id, w, visit, ill, age, home)"
        lines = ["open :memory:", f"sql COPY ({table}) TO '{self.folder}/t.parquet' (FORMAT parquet)", f"open {self.folder}/t.duckdb",
                 f"sql CREATE TABLE t AS {table}", "sql CHECKPOINT", "open :memory:"]
        subprocess.run([MAKER], input="\n".join(lines), text=True, check=True)

    def policy(self, data="", source="t.parquet", unit='key = "id"\nmax_rows = 1', presence="public", columns="", dependence=ALONE, stream="", epsilon=1000, budget=""):
        self.write("p.toml", POLICY.format(**{k: v for k, v in locals().items() if k != "self"}))

    def query(self, sql, epsilon="1", *more):
        return self.run_kith("query", "p.toml", sql, "--epsilon", epsilon, *more)

    def cells(self):
        return [round(cell["plain_spent"], 6) for cell in self.json(self.run_kith("budget", "p.toml", "--json"))["cells"]]

    def assumed(self, document):
        return document["certificate"]["assumption"]

    def move(self, data="", source="t.parquet", epsilon=1):
        """Person 1 moves from a to b while both are asked about."""
        self.data()
        self.policy(data, source, epsilon=epsilon)
        self.ok(self.query(IN_A))
        self.data("bab")
        return self.query(IN_B)

    def test_somebody_who_moves_under_one_version_is_counted_for_both(self):
        for source in ("t.parquet", "t.duckdb:t", "t*.parquet"):
            with self.subTest(source=source):
                self.setUp()
                self.refused(self.move(source=source), 3, "nothing is left")
                self.assertEqual(self.cells(), [1, 1])
        self.setUp()
        self.assertIn("2", self.ok(self.move(epsilon=3)))
        self.assertEqual(self.cells(), [2, 2])

    def test_the_promise_keeps_cells_apart_and_stands_everywhere(self):
        """The planted fault is a promise that is broken: printed 1, lost 2."""
        for data, words in ((FROZEN, "read in place and do not change under version 1"), (FIXED, "changed, neither between versions of the data nor under one")):
            with self.subTest(data=data):
                self.setUp()
                self.ok(self.move(data))
                self.assertEqual(self.cells(), [1, 1])
                budget = self.ok(self.run_kith("budget", "p.toml"))
                self.assertIn("at most 1 ", budget)
                self.assertIn(words, " ".join(budget.split()))
                for done in (self.run_kith("explain", "p.toml", IN_A, "--epsilon", "1"), self.query(IN_A, "1", "--json")):
                    self.assertIn(words, " ".join(self.ok(done).split()))

    def test_every_charge_is_to_all_cells(self):
        one = {"epsilon": "1"}
        kinds = [
            ("a cell", {}, ["query", "p.toml", IN_A]),
            ("a condition", {}, ["query", "p.toml", "SELECT sum(age) FROM t WHERE w = 'b'"]),
            ("rows", {"columns": 'visit = { values = [1, 2], public = "per row", required = true }', "unit": 'key = "id"\nmax_rows = 2'},
             ["query", "p.toml", "SELECT count(*) FROM t WHERE visit = 1 AND ill = 'yes'"]),
            ("rows of rows", {"unit": "row = true"}, ["query", "p.toml", IN_A]),
            ("the table of units", {"columns": 'home = { values = [0, 1], constant = true }', "unit": 'key = "id"\nmax_rows = 2'},
             ["query", "p.toml", "SELECT count(*) FROM t_units WHERE w = 'a' AND home = 1"]),
            ("per unit", {"unit": 'key = "id"\nmax_rows = 2'},
             ["query", "p.toml", "SELECT count(*) FROM (SELECT id, w, sum(age) AS s FROM t GROUP BY id, w) AS u WHERE w = 'a' AND s > 30"]),
            ("presence", {"presence": "secret"}, ["query", "p.toml", "SELECT count(*) FROM t WHERE w = 'a'"]),
            ("a study", {}, ["analyse", "p.toml", "kmeans", "--columns", "age", "-k", "2", "--where", "w = 'a'"]),
            ("a quantile", {}, ["query", "p.toml", "SELECT median(age) FROM t WHERE w = 'a'"]),
            ("a delta", {"budget": "delta = 1e-6", "epsilon": 100}, ["query", "p.toml", IN_A]),
            ("normal noise", {"budget": "delta = 1e-6\nquestions = 1000", "epsilon": 10}, ["query", "p.toml", IN_A]),
            ("presence and content", {"presence": "secret", "budget": 'neighbours = "add-or-remove"'}, ["query", "p.toml", IN_A]),
            ("a stream", {"presence": "secret", "columns": 'visit = { type = "integer" }', "stream": '[stream]\ntime = "visit"\nstep = 1\nwindow = 2\n'},
             ["analyse", "p.toml", "stream", "--statistic", IN_A, "--rule", "uniform", "--steps", "0..2", "--out", "s.jsonl"]),
        ]
        for name, parts, command in kinds:
            for data in ("", FROZEN):
                with self.subTest(kind=name, data=data):
                    self.setUp()
                    self.data()
                    self.policy(data, **parts)
                    self.ok(self.run_kith(*command, *(word for key, value in one.items() for word in ("--" + key, value))))
                    budget = self.json(self.run_kith("budget", "p.toml", "--json"))
                    spent = [cell["plain_spent"] or cell.get("mu_spent", 0) for cell in budget["cells"]]
                    charged = [line["cells"] for line in budget["history"]]
                    if data:
                        self.assertTrue(all(0 < cells < len(spent) for cells in charged), f"{charged}: no test of anything")
                    else:
                        self.assertEqual(set(charged), {len(spent)})
                        self.assertEqual(len(set(spent)), 1, spent)
                        self.assertGreater(spent[0], 0)

    def test_questions_of_one_plan_add_up(self):
        """Of disjoint cells they would not."""
        for data, expected in (("", 2), (FROZEN, 1)):
            self.setUp()
            self.data()
            self.policy(data)
            self.write("plan.sql", f"-- kith: epsilon 1\n{IN_A};\n-- kith: epsilon 1\n{IN_B};\n")
            self.ok(self.run_kith("plan", "p.toml", "plan.sql", "--epsilon", "2", "--answer"))
            self.assertAlmostEqual(max(self.cells()), expected, delta=0.01)

    def test_what_rests_on_a_group_needs_a_promise(self):
        self.data("abb")
        group = 'kind = "group"\nby = "home"\nsize = 2\n'
        home = 'home = { type = "integer", public = true }'
        by_ward = group + "odds_ratio = { w = { a = 3, b = 2 } }"
        for name, parts in (("group", {"dependence": group}), ("group", {"dependence": by_ward}),
                            ("household", {"unit": 'key = "id"\nmax_rows = 1\nwithin = "home"\nsize = 2'})):
            for source in ("t.parquet", "t.duckdb:t"):
                self.policy(source=source, columns=home, **parts)
                self.refused(self.query(IN_A), 2, f"names a unit's {name}", "frozen = true", "fixed")
                for data in (FROZEN, FIXED):
                    with self.subTest(name=name, source=source, data=data):
                        (self.folder / "p.ledger").unlink(missing_ok=True)
                        (self.folder / "p.ledger-wal").unlink(missing_ok=True)
                        for file in (self.folder / ".kith").glob("*.created") if (self.folder / ".kith").exists() else []:
                            file.unlink()
                        self.policy(data, source=source, columns=home, **parts)
                        self.ok(self.query(IN_A))

    def test_a_promise_that_is_withdrawn_and_made_again(self):
        self.data()
        self.policy(FROZEN)
        self.ok(self.query(IN_A))
        self.assertEqual(self.cells(), [1, 0])
        self.policy()
        self.assertEqual(self.cells(), [1, 1])
        budget = " ".join(self.ok(self.run_kith("budget", "p.toml")).split())
        self.assertIn("while charges were to single public cells", budget)
        self.assertNotIn("data: version 2", budget, "who only looks writes nothing")
        self.ok(self.query(IN_B))
        self.assertEqual(self.cells(), [2, 2])
        self.assertIn("data: version 2; every cell starts with the most", " ".join(self.ok(self.run_kith("budget", "p.toml")).split()))
        self.policy(FROZEN)
        self.ok(self.query(IN_B + " AND age > 3"))
        self.assertEqual(self.cells(), [2, 3])
        budget = " ".join(self.ok(self.run_kith("budget", "p.toml")).split())
        self.assertIn("do not change under version 2; while charges were to single public cells, the data did not change under one version", budget)

    def csv(self, wards="aab"):
        """The same people as a CSV file, imported."""
        self.write("t.csv", "id,w,ill,age\n" + "".join(f"{k},{ward},{'yes' if k == 1 else 'no'},{20 * k}\n" for k, ward in enumerate(wards, 1)))
        self.ok(self.run_kith("import", "p.toml"))

    def test_what_charges_by_cell_rested_on_stays_in_the_assumption(self):
        """Other data, another ledger or another promise does not make true what was promised when they were made."""
        sentence = "while charges were to single public cells, the data did not change under one version"

        def budget():
            return " ".join(self.ok(self.run_kith("budget", "p.toml")).split())
        for promise, later in ((FROZEN, ""), (FIXED, ""), (FIXED, FIXED)):
            with self.subTest(promise=promise, later=later):
                self.setUp()
                self.ok(self.move(promise, epsilon=9))
                self.assertNotIn(sentence, budget())
                self.write("old.toml", (self.folder / "p.toml").read_text().replace("p.ledger", "old.ledger"))
                self.ok(self.run_kith("query", "old.toml", IN_A, "--epsilon", "1"))
                self.policy(later, "t.csv", epsilon=9)
                self.csv()
                self.ok(self.query(IN_A))
                self.assertIn(sentence, budget())
                # Carried to a ledger that has charged nothing.
                self.policy(later, "t.csv", epsilon=9)
                self.write("p.toml", (self.folder / "p.toml").read_text().replace("p.ledger", "new.ledger"))
                self.ok(self.query(IN_A))
                self.assertNotIn(sentence, budget())
                self.ok(self.run_kith("ledger", "carry", "old.toml", "p.toml"))
                self.assertIn(sentence, budget())

    def test_losses_are_carried_to_all_cells_although_the_versions_have_one_name(self):
        """Two imports under one name, and somebody who moved in between: 2 for everybody, and not 1 in each cell."""
        self.policy('version = "may"\n', "t.csv", epsilon=1)
        self.csv()
        self.ok(self.query(IN_A))
        text = (self.folder / "p.toml").read_text()
        self.write("old.toml", text)
        self.write("p.toml", text.replace("p.ledger", "new.ledger"))
        self.csv("bab")
        self.ok(self.query(IN_B))
        self.assertEqual(self.cells(), [0, 1])
        self.ok(self.run_kith("ledger", "carry", "old.toml", "p.toml"))
        self.assertEqual(self.cells(), [2, 2])

    def test_the_check_above_sees_losses_that_are_carried_from_cell_to_cell(self):
        """The planted fault is a promise of fixed public columns that is broken: printed 1, lost 2."""
        self.data()
        self.policy(FIXED, epsilon=1)
        self.ok(self.query(IN_A))
        text = (self.folder / "p.toml").read_text()
        self.write("old.toml", text)
        self.write("p.toml", text.replace("p.ledger", "new.ledger"))
        self.data("bab")
        self.ok(self.query(IN_B))
        self.ok(self.run_kith("ledger", "carry", "old.toml", "p.toml"))
        self.assertEqual(self.cells(), [1, 1])

    def test_frozen_is_about_one_version(self):
        self.data()
        self.policy(FROZEN + 'version = "may"\n')
        self.ok(self.run_kith("import", "p.toml"))
        self.ok(self.query(IN_A))
        self.refused(self.run_kith("import", "p.toml"), 2, "a promise about one version", "fixed")
        self.policy(FROZEN + 'version = "june"\n')
        self.refused(self.query(IN_B), 2, "a promise about one version")
        self.policy(FIXED + 'version = "june"\n')
        self.ok(self.query(IN_B))
        self.assertEqual(self.cells(), [1, 1])

    def test_the_curator_is_told(self):
        self.data()
        for data, told in (("", True), (FROZEN, False), (FIXED, False)):
            self.setUp()
            self.data()
            self.policy(data)
            done = self.run_kith("import", "p.toml")
            self.ok(done)
            self.assertEqual("every charge is to all public cells" in " ".join(done.stderr.split()), told, done.stderr)

    def test_several_ledgers_before_are_one_warning(self):
        self.data()
        for k in range(3):
            self.policy()
            self.write("p.toml", (self.folder / "p.toml").read_text().replace("p.ledger", f"{k}.ledger"))
            done = self.query(IN_A)
            self.ok(done)
            self.assertEqual(done.stderr.count("WARNING"), min(k, 1), done.stderr)
        self.assertIn("the ledgers '", done.stderr)
        self.assertIn("0.ledger", done.stderr)
        self.assertIn("1.ledger", done.stderr)
        self.assertIn("the sum of all", " ".join(done.stderr.split()))


if __name__ == "__main__":
    unittest.main()
