"""Cumulative curves from the command line: what is measured, what is charged, and that the curve holds the data."""
import json
import unittest

from kith_case import KithCase

POLICY = """[data]
tables.people = "people.csv"
[unit]
table = "people"
key = "id"
max_rows = {rows}
presence = "{presence}"
[columns.people]
id     = {{ type = "integer"{public} }}
age    = {{ lower = 0, upper = 119 }}
weight = {{ type = "real", lower = 0, upper = 100 }}
ward   = {{ values = ["A", "B", "C"] }}
open   = {{ lower = 0, upper = 9{public} }}
[dependence]
source = "public"
{dependence}
[budget]
epsilon = 1.0
ledger = "{ledger}.ledger"
{budget}
"""
AGE = ["cumulative", "--column", "age", "--cells", "120"]


def ages(i):
    return (i * i * 31 + i) % 90


class Cumulative(KithCase):
    def setUp(self):
        super().setUp()
        self.write("people.csv", "id,age,weight,ward,open\n" + "".join(f"{i},{ages(i)},{ages(i) + 0.5},{'ABC'[i % 3]},{i % 9}\n" for i in range(6000)))
        self.policy()

    def policy(self, budget="", rows=1, presence="public", dependence='kind = "independent"', ledger="people"):
        public = ", public = true" if presence == "public" else ""
        self.write("policy.toml", POLICY.format(budget=budget, rows=rows, presence=presence, public=public, dependence=dependence, ledger=ledger))

    def analyse(self, *arguments, epsilon="0.5"):
        return self.run_kith("analyse", "policy.toml", *arguments, "--epsilon", epsilon)

    def curve(self, found):
        return [[cell["value"] if isinstance(cell, dict) else cell for cell in row] for row in found["answer"]["rows"]]

    def holds(self, found, column=ages, of=6000):
        """All sums are in the band with 95 %; forty standard errors beyond it no noise of any run is (e^-40)."""
        rows = self.curve(found)
        room = 40 * found["details"]["standard_error"] + 3
        for value, n, low, high in rows:
            exact = sum(column(i) <= value for i in range(of))
            self.assertLessEqual(low - room, exact)
            self.assertGreaterEqual(high + room, exact)
            self.assertLessEqual(low, n)
            self.assertLessEqual(n, high)
        for column in range(4):
            self.assertEqual([row[column] for row in rows], sorted(row[column] for row in rows))
        return rows

    def test_a_curve_of_blocks_under_a_pure_budget(self):
        found = self.json(self.analyse(*AGE, "--json", "--out", "out"))
        rows = self.holds(found)
        self.assertEqual([row[0] for row in rows], list(range(120)))
        self.assertEqual(found["details"]["measured"], "tree")
        self.assertEqual({line["distribution"] for line in found["noise"]}, {"discrete laplace"})
        self.assertEqual(len(found["noise"]), 3)
        for claim in ("PREFIX-1", "PREFIX-3", "PREFIX-4", "DL-1"):
            self.assertIn(claim, found["claims"])
        self.assertGreater((self.folder / "out" / "cumulative.svg").stat().st_size, 100)
        self.assertEqual([rank["rank"] for rank in found["details"]["percentiles"]], [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99])
        for rank in found["details"]["percentiles"]:
            self.assertTrue(rank["low_95_all"] <= rank["value"] <= rank["high_95_all"], rank)

    def test_the_charge_is_the_price_and_is_made_once(self):
        found = self.json(self.analyse(*AGE, "--json"))
        self.assertAlmostEqual(found["plain"]["epsilon"], 0.5, delta=1e-6)
        again = self.json(self.analyse(*AGE, "--json"))
        self.assertTrue(again["stored"])
        self.assertEqual(again["answer"], found["answer"])
        self.assertEqual(self.analyse(*AGE, "--where", "ward = 'A'", epsilon="0.6").returncode, 3)  # nothing is left for it
        self.assertAlmostEqual(self.spent(), 0.5, delta=1e-6)

    def test_square_root_weights_under_a_budget_with_a_delta(self):
        self.policy(budget="delta = 1e-6")
        explained = " ".join(self.ok(self.analyse(*AGE, "--explain", epsilon="0.1")).split())
        self.assertIn("It is normal noise, and caps will be fixed", explained)
        self.assertIn("weights of a square root", explained)
        found = self.json(self.analyse(*AGE, "--json", epsilon="0.1"))
        self.holds(found)
        self.assertEqual(found["details"]["measured"], "toeplitz")
        self.assertEqual([line["distribution"] for line in found["noise"]], ["rounded normal"])
        self.assertIn("with_delta", found)
        for claim in ("PREFIX-1", "PREFIX-3", "NORMAL-1", "CAP-1", "CAP-4"):
            self.assertIn(claim, found["claims"])
        self.assertTrue(self.json(self.analyse(*AGE, "--json", epsilon="0.1"))["stored"])
        # The whole budget at once is better spent without a delta: as long as no caps are fixed.
        self.policy(budget="delta = 1e-6", ledger="other")
        explained = " ".join(self.ok(self.analyse("cumulative", "--column", "age", "--cells", "12", "--explain", epsilon="1")).split())
        self.assertIn("It is Laplace noise, and nothing is counted with the delta yet", explained)

    def test_ranges_and_ranks_are_read_off_the_curve_for_free(self):
        curve = self.curve(self.json(self.analyse(*AGE, "--json")))
        found = self.json(self.analyse(*AGE, "--range", "30,59", "--range", "0,29", "--range", "-5,500", "--json", "--out", "out"))
        self.assertTrue(found["stored"])
        self.assertEqual(self.curve(found), [[30, 59, curve[59][1] - curve[29][1]], [0, 29, curve[29][1]], [0, 119, curve[119][1]]])
        self.assertEqual(found["details"]["curve"], curve)
        self.assertGreater((self.folder / "out" / "cumulative.svg").stat().st_size, 100)
        ranks = self.curve(self.json(self.analyse(*AGE, "--ranks", "0.05,0.5,0.9", "--json")))
        self.assertEqual([row[0] for row in ranks], [0.05, 0.5, 0.9])
        for rank, value, low, high in ranks:
            self.assertTrue(low <= value <= high)
        self.assertAlmostEqual(self.spent(), 0.5, delta=1e-6)
        for arguments in (["--ranks", "0.5,0.2"], ["--ranks", "0"], ["--range", "5"], ["--range", "7,5"], ["--range", "x,y"], ["--range", "1,2", "--ranks", "0.5"]):
            self.refused(self.analyse(*AGE, *arguments, epsilon="0.1"), 2, "--r")
        self.assertAlmostEqual(self.spent(), 0.5, delta=1e-6)

    def test_ranges_are_made_of_whole_cells(self):
        found = self.json(self.analyse("cumulative", "--column", "weight", "--cells", "10", "--range", "12,30", "--json"))
        self.assertEqual(self.curve(found)[0][:2], [10, 30])
        self.assertTrue(any("whole cells" in note for note in found["notes"]))

    def test_what_was_predicted_is_what_the_certificate_says(self):
        explained = self.json(self.analyse(*AGE, "--explain", "--json"))
        found = self.json(self.analyse(*AGE, "--json"))
        self.assertEqual([line["scale"] for line in explained["statistics"]], [line["scale"] for line in found["noise"]])
        error = found["details"]["standard_error"]
        self.assertTrue(any(f"standard error of {error:.4g}" in note for note in explained["notes"]), explained["notes"])

    def test_several_rows_and_secret_presence(self):
        self.write("people.csv", "id,age,weight,ward,open\n" + "".join(f"{i // 3},{ages(i)},{ages(i) + 0.5},{'ABC'[i % 3]},1\n" for i in range(6000)))
        self.policy(rows=3, presence="secret")
        found = self.json(self.analyse(*AGE, "--json", epsilon="1"))
        self.holds(found)
        self.assertEqual(found["noise"][0]["sensitivity"], 6)
        self.policy(rows=3, presence="secret", budget="delta = 1e-6", ledger="other")
        found = self.json(self.analyse(*AGE, "--json", epsilon="0.1"))
        self.assertEqual(found["details"]["measured"], "toeplitz")
        self.holds(found)

    def test_real_numbers_end_with_the_upper_bound(self):
        found = self.json(self.analyse("cumulative", "--column", "weight", "--cells", "10", "--json"))
        rows = self.curve(found)
        self.assertEqual([row[0] for row in rows], [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 100])

    def test_as_many_cells_as_there_are_values_are_one_question(self):
        found = self.json(self.analyse("cumulative", "--column", "age", "--json"))
        once = self.spent()
        for cells in ("120", "4096"):
            again = self.json(self.analyse("cumulative", "--column", "age", "--cells", cells, "--json"))
            self.assertEqual(self.curve(again), self.curve(found))
        self.assertEqual(self.spent(), once)
        self.ok(self.analyse("cumulative", "--column", "age", "--cells", "60"))
        self.assertAlmostEqual(self.spent(), 2 * once)

    def test_what_cannot_be_counted_is_refused_before_the_charge(self):
        for arguments, code in ((["--column", "ward"], 2), (["--column", "nothing"], 2), (["--column", "age", "--cells", "1"], 2), (["--column", "age", "--cells", "9999"], 2),
                                (["--column", "open"], 4), (["--column", "age", "--where", "TRUE) OR (TRUE"], 2)):
            done = self.analyse("cumulative", *arguments)
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(self.spent(), 0)

    def test_the_table_of_errors(self):
        rows = {row["cells"]: row for row in json.loads(self.ok(self.run_kith("transfer", "--table", "prefix-sums", "--json")))["prefix_sums"]}
        for cells, wanted in ((1024, (64, 31.5, 135, 18.6)), (65536, (512, 62, 1081, 26.5))):
            found = tuple(rows[cells][name] for name in ("laplace_cells", "simple_tree", "normal_cells", "toeplitz"))
            for a, b in zip(found, wanted):
                self.assertAlmostEqual(a / b, 1, delta=0.004)
        self.assertLess(rows[1024]["tree"], 21.3)


if __name__ == "__main__":
    unittest.main()
