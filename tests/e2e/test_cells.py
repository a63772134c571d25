"""Counts of very many declared cells, from the command line."""
import unittest

from kith_case import KithCase

CLINIC = """
[data]
tables.visits = "visits.csv"
[unit]
table = "visits"
key = "patient"
max_rows = 2
presence = "secret"
[columns.visits]
patient   = { type = "integer" }
postcode  = { pattern = "[0-9]{5}" }
diagnosis = { pattern = "[A-Z][0-9]{2}" }
seen      = { lower = 2020-01-01, upper = 2024-12-31 }
dose      = { lower = 0, upper = 999999999 }
note      = { type = "text" }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 20
ledger = "clinic.ledger"
"""
CELLS = ["cells", "--columns", "postcode,diagnosis"]


class Cells(KithCase):
    def setUp(self):
        super().setUp()
        rows = "".join(f"{i},{10115 if i % 5 == 0 else 20000 + i:05d},{'J06' if i % 3 == 0 else 'K21'},2023-05-{1 + i % 28:02d},{i % 7},x\n" for i in range(3000))
        # A seventh string of the diagnosis does not fit its pattern, nor does a postcode of four digits.
        self.write("visits.csv", "patient,postcode,diagnosis,seen,dose,note\n" + rows + "9000,10115,j06,2023-05-01,3,x\n9001,1011,J06,2023-05-01,3,x\n")
        self.write("policy.toml", CLINIC)

    def cells(self, *arguments, epsilon="4"):
        return self.run_kith("analyse", "policy.toml", *arguments, "--epsilon", epsilon)

    def test_large_cells_are_shown_in_the_order_of_their_keys(self):
        # 600 rows in the postcode, 200 with one diagnosis and 400 with the other; noise of scale 1. Anything else has a probability below 1e-20.
        found = self.json(self.cells(*CELLS, "--threshold", "90", "--json"))
        self.assertEqual([row[:2] for row in self.plain(found)], [["10115", "J06"], ["10115", "K21"]])
        for row, exact in zip(self.plain(found), (200, 400)):
            self.assertAlmostEqual(row[2], exact, delta=60)
        self.assertEqual(found["details"]["threshold"], 90)
        self.assertEqual(found["details"]["declared_cells"], 2.6e8)
        days = self.json(self.cells("cells", "--columns", "seen", "--threshold", "60", "--units", "--json"))
        self.assertEqual([row[0] for row in self.plain(days)], [f"2023-05-{k:02d}" for k in range(1, 29)])
        whole = self.json(self.cells("cells", "--columns", "dose,diagnosis", "--threshold", "50", "--where", "seen < DATE '2023-05-20'", "--json"))
        self.assertEqual([row[0] for row in self.plain(whole)], [k for k in range(7) for _ in range(len(self.plain(whole)) // 7)])

    def plain(self, found):
        return [[cell["value"] if isinstance(cell, dict) else cell for cell in row] for row in found["answer"]["rows"]]

    def test_an_explanation_says_what_a_threshold_means_and_reads_nothing(self):
        (self.folder / "visits.csv").unlink()
        text = self.ok(self.cells(*CELLS, "--false-cells", "0.5", "--explain"))
        for part in ("2.6e+08 declared cells", "are shown that hold nothing", "is shown with 95 %", "not empty for that"):
            self.assertIn(part, " ".join(text.split()))

    def test_the_same_question_is_answered_from_the_ledger(self):
        first, second = (self.ok(self.cells(*CELLS, "--threshold", "90")) for _ in range(2))
        self.assertEqual(first.split("\n")[:3], second.split("\n")[:3])
        self.assertEqual(self.spent(), 4)

    def test_sql_with_a_threshold_asks_for_large_cells(self):
        sql = "SELECT diagnosis AS d, count(*) AS rows, postcode FROM visits WHERE seen < DATE '2025-01-01' GROUP BY postcode, 1 HAVING count(*) >= 90"
        found = self.json(self.ask(sql, "--epsilon", "4", "--json"))
        self.assertEqual(found["answer"]["columns"], ["d", "rows", "postcode"])
        self.assertEqual([(row[0], row[2]) for row in self.plain(found)], [("J06", "10115"), ("K21", "10115")])
        self.assertEqual(self.json(self.ask("SELECT count(DISTINCT patient) AS n FROM visits GROUP BY postcode HAVING count(DISTINCT patient) > 89", "--epsilon", "4", "--json"))["details"]["threshold"], 90)
        self.assertIn("declared cells", self.ok(self.run_kith("explain", "policy.toml", sql, "--epsilon", "4")))
        self.refused(self.ask("SELECT postcode, count(*) FROM visits GROUP BY postcode"), 4, "very many cells", "kith analyse")
        for wrong in ("HAVING sum(dose) > 3", "HAVING count(*) < 50", "HAVING count(*) >= 90 ORDER BY 1", "HAVING count(*) >= -5"):
            self.refused(self.ask(f"SELECT postcode, count(*) AS n FROM visits GROUP BY postcode {wrong}"), 4)
        self.refused(self.ask("SELECT postcode, avg(dose) AS n FROM visits GROUP BY postcode HAVING count(*) >= 50"), 4)
        # Few groups are all shown, whatever HAVING leaves out after the noise.
        self.ok(self.ask("SELECT dose < 3 AS few, count(*) AS n FROM visits GROUP BY few HAVING count(*) >= 50"))

    def test_refusals_charge_nothing(self):
        self.refused(self.cells("cells", "--columns", "note", "--threshold", "9"), 4, "does not say which values", "pattern")
        self.refused(self.cells("cells", "--columns", "none", "--threshold", "9"), 2, "no declared column")
        self.refused(self.cells("cells", "--columns", "patient", "--threshold", "9"), 4, "one unit")
        self.refused(self.cells(*CELLS), 2, "threshold or a number of false cells", "--false-cells")
        self.refused(self.cells(*CELLS, "--threshold", "1"), 2, "hold nothing would be shown")
        self.refused(self.cells(*CELLS, "--threshold", "9", "--where", "TRUE) OR (TRUE"), 2)
        self.assertEqual(self.spent(), 0)

    def test_patterns_of_a_policy_are_checked(self):
        for pattern, words in (('"[0-9"', "not closed"), ('"[0]{40}"', "places"), ('""', "empty"), ("5", "text")):
            self.write("policy.toml", CLINIC.replace('"[0-9]{5}"', pattern))
            self.refused(self.cells(*CELLS, "--threshold", "9"), 2, words)
        self.write("policy.toml", CLINIC)
        self.assertIn("[0-9]{5}", self.ok(self.run_kith("columns", "policy.toml")))


if __name__ == "__main__":
    unittest.main()
