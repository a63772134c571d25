"""Synthetic tables from the command line: what they look like, what they cost, what is refused."""
import csv
import io
import json
import os
import random
import subprocess
import unittest

from kith_case import KITH, KithCase

POLICY = """
[data]
tables.people = "people.csv"
[unit]
table = "people"
key = "id"
max_rows = 1
presence = "secret"
within = "house"
size = 3
[columns.people]
id    = { type = "integer" }
house = { type = "integer", public = true }
sex   = { values = ["f", "m"], required = true }
age   = { lower = 0, upper = 99 }
dose  = { lower = 0.0, upper = 1.0, required = true }
ill   = { values = ["no", "yes"], required = true }
note  = { type = "text" }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 10000
ledger = "people.ledger"
"""
COLUMNS = ["--columns", "sex,age,dose,ill"]


class Synthetic(KithCase):
    def setUp(self):
        super().setUp()
        draw = random.Random(8)
        self.people = []
        for house in range(1000):
            ill = draw.random() < 0.3
            for _ in range(3):
                self.people.append((len(self.people), house, draw.choice("fm"), draw.randrange(20, 60) if ill else draw.randrange(60, 90), 0.25 if ill else 1, "yes" if ill else "no", "x"))
        self.write("people.csv", "id,house,sex,age,dose,ill,note\n" + "".join(",".join(map(str, row)) + "\n" for row in self.people))
        self.write("policy.toml", POLICY)

    def made(self, *arguments, epsilon="2000"):
        return self.run_kith("analyse", "policy.toml", "synthetic", *arguments, "--epsilon", epsilon)

    def test_the_files_are_there_even_if_nobody_reads_to_the_end(self):
        """| head ends the program while it prints more than a pipe holds: what was paid for is in the folder all the same."""
        for verb, arguments in (("synthetic", [*COLUMNS, "--rows", "20000", "--parquet", "made.parquet"]), ("percentiles", ["--column", "age"])):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([str(KITH), "analyse", "policy.toml", verb, *arguments, "--epsilon", "10", "--format", "csv", "--out", verb], cwd=self.folder, stdout=writer, stderr=subprocess.DEVNULL, timeout=120)
            os.close(writer)
            self.assertNotEqual(done.returncode, 0, "nobody read")
            answer = json.loads((self.folder / verb / "answer.json").read_text())
            self.assertEqual(len((self.folder / verb / "answer.csv").read_text().splitlines()) - 1, len(answer["answer"]["rows"]))
        self.assertGreater((self.folder / "made.parquet").stat().st_size, 1000)

    def test_rows_look_like_the_data_where_noise_is_small(self):
        """At a price of 2000 no count has noise, but for a probability of 1e-9: the scale is at most 1/30. Rows are drawn so that they meet the tables up to whole numbers."""
        answer = self.json(self.made(*COLUMNS, "--together", "ill", "--json"))
        self.assertEqual(answer["answer"]["columns"], ["house", "sex", "age", "dose", "ill"])
        rows = answer["answer"]["rows"]
        self.assertLess(abs(len(rows) - 3000), 30)
        homes = {}
        # A fitted weight is an exponential, and never quite 0: a row can be drawn from a cell that nobody is in.
        self.assertLess(sum(age is None or dose is None for _, _, age, dose, _ in rows), 30)
        for house, sex, age, dose, ill in rows:
            homes.setdefault(house, []).append(ill)
            self.assertIn(sex, ("f", "m"))
            if age is None or dose is None:
                continue
            self.assertTrue(0 <= age <= 99 and age == int(age))
            self.assertTrue(0 <= dose <= 1)
        same = sum(len(set(members)) == 1 and len(members) == 3 for members in homes.values())
        self.assertGreater(same, 0.98 * len(homes))  # ill together or not at all
        sick = sum(row[4] == "yes" for row in rows) / len(rows)
        self.assertAlmostEqual(sick, sum(p[5] == "yes" for p in self.people) / len(self.people), delta=0.01)
        old = sum((row[2] or 0) >= 56 and row[4] == "yes" for row in rows) / len(rows)  # whole parts of 7 years
        self.assertAlmostEqual(old, sum(p[3] >= 56 and p[5] == "yes" for p in self.people) / len(self.people), delta=0.02)
        self.assertLess(answer["details"]["pairs_total_variation"], 0.05)
        self.assertLess(answer["details"]["households_total_variation"], 0.03)
        self.assertIn("SYNTH-2", answer["claims"])

    def test_without_together_rows_have_no_household(self):
        answer = self.json(self.made(*COLUMNS, "--rows", "50", "--json"))
        self.assertEqual(answer["answer"]["columns"], ["sex", "age", "dose", "ill"])
        self.assertEqual(len(answer["answer"]["rows"]), 50)
        self.assertNotIn("SYNTH-2", answer["claims"])

    def test_the_same_table_is_free_and_another_price_is_another_table(self):
        first = self.json(self.made(*COLUMNS, "--rows", "40", "--json", epsilon="3"))
        again = self.json(self.made(*COLUMNS, "--rows", "40", "--json", epsilon="3"))
        self.assertEqual(first["answer"]["rows"], again["answer"]["rows"])
        self.assertAlmostEqual(self.spent(), 3, delta=1e-6)
        self.json(self.made(*COLUMNS, "--rows", "40", "--json", epsilon="4"))
        self.assertAlmostEqual(self.spent(), 7, delta=1e-6)

    def test_files(self):
        done = self.made(*COLUMNS, "--rows", "30", "--format", "csv", "--out", "out", "--parquet", "made.parquet")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(len(rows), 30)
        self.assertEqual(set(rows[0]), {"sex", "age", "dose", "ill"})
        self.assertTrue((self.folder / "made.parquet").read_bytes().startswith(b"PAR1"))
        self.assertTrue((self.folder / "out" / "pairs.svg").read_text().startswith("<svg"))
        self.assertEqual(len(json.loads((self.folder / "out" / "answer.json").read_text())["answer"]["rows"]), 30)
        self.refused(self.made(*COLUMNS, "--rows", "20", "--parquet", "made.parquet"), 2, "--parquet")

    def test_refusals_charge_nothing(self):
        for arguments, words in ((["--columns", "sex"], "2 to 40"), (["--columns", "sex,note"], "no finite domain"), (["--columns", "sex,none"], "no column none"),
                                 (["--columns", "sex,sex"], "named twice"), ([*COLUMNS, "--together", "house"], "one or two of the columns"), ([*COLUMNS, "--parts", "100", "--together", "age,dose"], "more than 5000 compositions"), ([*COLUMNS, "--parts", "9", "--together", "dose"], "too many to count together"), ([*COLUMNS, "--rows", "0"], "1 to 200000 rows"),
                                 ([*COLUMNS, "--parts", "1"], "2 to 1000 parts"), ([*COLUMNS, "--where", "TRUE) OR (TRUE"], "condition")):
            self.refused(self.made(*arguments, epsilon="1"), 2, words)
        self.assertEqual(self.spent(), 0)

    def test_explain_states_the_split(self):
        done = self.made(*COLUMNS, "--together", "ill", "--explain", epsilon="1.21")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("counts by one column (4)", "counts by two columns (6)", "households by composition", "accuracy of pairs", "accuracy of compositions"):
            self.assertIn(words, done.stdout)


if __name__ == "__main__":
    unittest.main()
