"""SQL over noisy answers: what it costs, what it gives, and what it may not see."""
import unittest

from kith_case import KithCase

INNER = "SELECT ward, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY ward"
SHARE = f"SELECT ward, n, 100.0 * n / sum(n) OVER () AS share FROM ({INNER}) x ORDER BY ward"


class After(KithCase):
    def answer(self, sql, epsilon="0.2"):
        return self.json(self.ask(sql, "--epsilon", epsilon, "--json"))

    def test_the_private_answer_is_charged_once_and_shared(self):
        first = self.answer(SHARE)
        self.assertFalse(first["stored"])
        self.assertEqual(first["answer"]["columns"], ["ward", "n", "share"])
        self.assertIn("AFTER-1", first["claims"])
        counts = [row[1] for row in first["answer"]["rows"]]
        for row in first["answer"]["rows"]:
            self.assertAlmostEqual(row[2], 100.0 * row[1] / sum(counts))
        # The private question itself, and whatever else is computed on its answer, is free from now on.
        plain = self.answer(INNER)
        self.assertTrue(plain["stored"])
        self.assertEqual([row[1] for row in plain["answer"]["rows"]], counts)
        for sql in (SHARE, f"SELECT sum(n) AS total FROM ({INNER}) x", f"WITH x AS ({INNER}) SELECT ward, sum(n) OVER (ORDER BY ward) AS c FROM x"):
            again = self.answer(sql)
            self.assertTrue(again["stored"], sql)
            self.assertEqual(again["ledger_entry"], first["ledger_entry"])
        self.assertEqual(self.answer(SHARE)["answer"], first["answer"])
        self.assertEqual(self.answer(SHARE)["error_95"], first["error_95"])

    def test_a_simulated_bar_says_that_it_is_one_and_stays(self):
        sql = f"SELECT 1 - sum(n * n) / (sum(n) * sum(n)) AS mixed, power(sum(n), 1) AS total FROM ({INNER}) x"
        first = self.answer(sql, epsilon="0.4")
        self.assertIn("AFTER-3", first["claims"])
        for k, name in enumerate(("mixed", "total")):
            said = [note for note in first["notes"] if name in note and "error bar" in note]
            self.assertEqual(len(said), 1, first["notes"])
            self.assertEqual(said[0].startswith("simulated"), first["error_95"][0][k] is not None)
        again = self.answer(sql, epsilon="0.4")
        self.assertTrue(again["stored"])
        self.assertEqual((again["answer"], again["error_95"]), (first["answer"], first["error_95"]))

    def test_having_filters_the_noisy_answer(self):
        out = self.answer(INNER + " HAVING count(*) > 0 ORDER BY n DESC")
        all_rows = out["details"]["after"]["answers"][0]["rows"]
        self.assertEqual([row[1] for row in out["answer"]["rows"]], sorted((row[1] for row in all_rows if row[1] > 0), reverse=True))
        self.assertTrue(any("all rows that could have" in note for note in out["notes"]) or not out["answer"]["rows"])

    def test_a_union_of_answers_keeps_their_bars(self):
        out = self.answer(f"WITH x AS ({INNER}) SELECT ward, n FROM x UNION ALL SELECT 'all', sum(n) FROM x ORDER BY n")
        parts = [(row[1], bars[1]) for row, bars in zip(out["answer"]["rows"], out["error_95"]) if row[0] != "all"]
        total = [(row[1], bars[1]) for row, bars in zip(out["answer"]["rows"], out["error_95"]) if row[0] == "all"]
        self.assertEqual([n for n, _ in total], [sum(n for n, _ in parts)])
        self.assertEqual(len({bar for _, bar in parts}), 1)
        self.assertGreater(total[0][1], parts[0][1])
        self.assertTrue(self.answer(INNER)["stored"])
        self.refused(self.ask("SELECT ward FROM people UNION SELECT ward FROM people", "--epsilon", "0.2"), 4, "UNION")

    def test_two_private_answers_are_one_charge(self):
        sql = (f"SELECT a.ward, a.n AS ill, b.n AS old, a.n - b.n AS d FROM ({INNER}) a JOIN "
               "(SELECT ward, count(*) AS n FROM people WHERE age > 60 GROUP BY ward) b ON a.ward = b.ward ORDER BY 1")
        explained = self.json(self.run_kith("explain", "policy.toml", sql, "--epsilon", "0.2", "--json"))
        first = self.answer(sql)
        self.assertAlmostEqual(first["plain"]["epsilon"], explained["plain"]["epsilon"])
        self.assertLessEqual(first["plain"]["epsilon"], 0.2)
        self.assertEqual([line["statistic"] for line in first["noise"]], ["stage 1: count(*)", "stage 2: count(*)"])
        self.assertTrue(any(note.startswith("stage 2: ") for note in first["notes"]), first["notes"])
        self.assertFalse(any("a private question" in note for note in first["notes"]), first["notes"])
        for ward, ill, old, d in first["answer"]["rows"]:
            self.assertEqual(d, ill - old)
        self.assertTrue(all(bars[3] > bars[1] for bars in first["error_95"]), first["error_95"])
        again = self.answer(sql)
        self.assertTrue(again["stored"])
        self.assertEqual(again["answer"], first["answer"])
        self.assertEqual(len(self.json(self.run_kith("budget", "policy.toml", "--json"))["history"]), 1)

    def test_a_mistake_costs_nothing(self):
        for sql, words in ((f"SELECT m FROM ({INNER}) x", "no column m"), (f"SELECT random() FROM ({INNER}) x", "random"),
                           (f"SELECT n FROM ({INNER}) x, people", "one row"), (f"SELECT ward + n AS s FROM ({INNER}) x", "does not work"),
                           (f"SELECT * FROM read_csv('people.csv') r, ({INNER}) x", "neither a table nor a sub-select"),
                           ("WITH l AS (SELECT median(age) AS v FROM people) SELECT v, count(*) FROM people, l WHERE age < v GROUP BY v", "earlier stage")):
            self.refused(self.ask(sql, "--epsilon", "0.2"), 4, words)
        self.assertEqual(self.json(self.run_kith("budget", "policy.toml", "--json"))["history"], [])

    def test_explain_shows_the_stages(self):
        out = self.ok(self.run_kith("explain", "policy.toml", SHARE, "--epsilon", "0.2"))
        self.assertIn("stage 1", out)
        self.assertIn("stage 2", out)
        self.assertIn("free of charge", " ".join(out.split()))

    def test_one_row_for_each_unit_goes_with_what_is_done_after(self):
        inner = "SELECT worst, count(*) AS n FROM (SELECT id, max(ill) AS worst FROM people GROUP BY id) p GROUP BY worst"
        first = self.answer(inner + " HAVING count(*) > -1000")
        self.assertEqual(first["answer"]["columns"], ["worst", "n"])
        share = self.answer(f"SELECT worst, n, 100.0 * n / sum(n) OVER () AS share FROM ({inner}) x")
        self.assertTrue(share["stored"])
        self.assertEqual(len(share["answer"]["rows"]), 3)  # with NULL

    def test_stages_are_one_charge_and_say_what_the_number_was(self):
        with_line = "WITH line AS (SELECT 0.6 * median(age) AS v FROM people) SELECT count(*) AS n FROM people, line WHERE age < v"
        explained = self.json(self.run_kith("explain", "policy.toml", with_line, "--epsilon", "0.4", "--json"))
        self.assertEqual([stage["question"].count("median") for stage in explained["stages"]], [1, 0])
        self.assertEqual(explained["stages"][1]["constants"][0]["name"], "line.v")
        self.assertAlmostEqual(sum(stage["plain_epsilon"] for stage in explained["stages"]), explained["plain"]["epsilon"])
        first = self.answer(with_line, "0.4")
        self.assertAlmostEqual(first["plain"]["epsilon"], explained["plain"]["epsilon"])
        number = first["details"]["after"]["numbers"][0]
        low, high = (explained["stages"][1]["constants"][0][end] for end in ("low", "high"))
        self.assertTrue(low <= number["value"] <= high, number)
        self.assertTrue(any(note.startswith("line.v was ") for note in first["notes"]), first["notes"])
        self.assertIn("STAGE-3", first["claims"])
        again = self.answer("SELECT count(*) AS c FROM people WHERE age < (SELECT 0.6 * median(age) FROM people)", "0.4")
        self.assertTrue(again["stored"])
        self.assertEqual(again["answer"]["rows"], first["answer"]["rows"])
        self.assertEqual(len(self.json(self.run_kith("budget", "policy.toml", "--json"))["history"]), 1)

    def test_an_error_bar_is_asked_of_the_private_question(self):
        for sql in (INNER + " HAVING count(*) > 3", SHARE, "SELECT ln(count(*)) AS l FROM people WHERE ill = 'yes'"):
            self.refused(self.ask(sql, "--error", "60"), 4, "by itself")
        bars = self.json(self.ask(INNER + " ORDER BY n DESC LIMIT 1", "--error", "60", "--json"))["error_95"]
        self.assertTrue(50 < bars[0][1] <= 60, bars)

    def test_what_has_no_value_is_null(self):
        out = self.answer(f"SELECT ward, ln(n - n) AS l, sqrt(n - n - 1) AS s, power(n - n + 10, 400) AS p FROM ({INNER}) x")
        self.assertEqual(out["answer"]["columns"], ["ward", "l", "s", "p"])
        self.assertTrue(all(row[1:] == [None] * 3 for row in out["answer"]["rows"]), out["answer"])
        out = self.answer("SELECT (SELECT count(*) FROM people WHERE ill = 'yes') * 1.0 / (SELECT count(*) FROM people WHERE age > 60) AS q")
        self.assertEqual(out["answer"]["columns"], ["q"])

    def test_division_by_a_noisy_zero_is_null(self):
        out = self.answer(f"SELECT ward, n / (n - n) AS q FROM ({INNER}) x")
        self.assertTrue(all(row[1] is None for row in out["answer"]["rows"]))


if __name__ == "__main__":
    unittest.main()
