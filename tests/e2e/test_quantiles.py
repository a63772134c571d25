"""Quantiles from the command line: answers, words about ranks, and tables that have little or nothing in them."""
import json
import unittest

from kith_case import POLICY, KithCase

RICH = POLICY.replace("epsilon = 1.0", "epsilon = 900.0").replace('kind = "group"\nby = "house"\nsize = 3\nodds_ratio = 4', 'kind = "independent"')
QUESTION = "SELECT median(age) AS m, min(age) AS low, max(age) AS high, count(*) AS n FROM people"
ONE = "SELECT median(age) AS m, count(*) AS n FROM people"


class Quantiles(KithCase):
    def setUp(self):
        super().setUp()
        self.write("policy.toml", RICH)

    def answer(self, sql, epsilon):
        return self.json(self.ask(sql, "--epsilon", epsilon, "--json"))

    def test_with_a_large_budget_they_are_exact(self):
        # Of 300 people five each are 20, 21, ... 79. A coin of tails has a probability below e^-100.
        out = self.answer(QUESTION, "800")
        self.assertIn(out["answer"]["rows"][0][0], (49, 50))
        self.assertEqual(out["answer"]["rows"][0][1:3], [20, 79])
        self.assertEqual(out["error_95"][0][:3], [None, None, None])
        self.assertEqual([line["in_rows"] for line in out["noise"]], [True, True, True, False])
        # This little noise is less than half a row, even on every one of 121 counts.
        self.assertEqual(out["noise"][0]["distribution"], "discrete laplace, rows at every value")
        self.assertIn("QUANTILE-4", out["claims"])
        interval = out["interval_95"][0]
        self.assertEqual(interval[0], {"low": 49, "high": 50, "informative": True})
        self.assertEqual(interval[1:], [{"low": 0, "high": 20, "informative": True}, {"low": 79, "high": 120, "informative": True}, None])
        again = self.answer(QUESTION, "800")
        self.assertTrue(again["stored"])
        self.assertEqual(again["interval_95"], out["interval_95"])

    def test_intervals_in_tables_and_csv(self):
        text = self.ok(self.ask("SELECT median(age) AS m FROM people", "--epsilon", "300"))
        self.assertIn("49 to 50", text)
        rows = self.ok(self.ask("SELECT median(age) AS m, count(*) AS n FROM people WHERE ill = 'yes'", "--epsilon", "300", "--format", "csv")).splitlines()
        self.assertEqual(rows[0], "m,m_low_95,m_high_95,m_informative,n,n_error_95")
        self.assertEqual(rows[1].split(",")[3], "true")
        # With this much noise an interval is as wide as the bounds, except for one in twenty: of nine groups, some always are.
        sql = "SELECT ward, ill, median(age) AS m FROM people GROUP BY ward, ill"
        text = self.ok(self.ask(sql, "--epsilon", "0.01"))
        intervals = [row[2] for row in self.answer(sql, "0.01")["interval_95"]]
        self.assertEqual(len(intervals), 9)
        self.assertIn({"low": 0, "high": 120, "informative": False}, intervals)
        self.assertEqual(text.count("anything from 0 to 120"), sum(not each["informative"] for each in intervals))
        for each in intervals:
            self.assertEqual(each["informative"], (each["low"], each["high"]) != (0, 120))
        # What is computed from quantiles has a bar.
        out = self.answer("SELECT max(age) - min(age) AS width FROM people", "200")
        self.assertGreaterEqual(out["error_95"][0][0], 40)
        self.assertNotIn("interval_95", out)

    def alone(self, sql, epsilon, *more):
        return self.json(self.ask(sql, "--epsilon", epsilon, "--no-intervals", "--json", *more))

    def test_without_intervals_QUANTILE6(self):
        # ln(20 * 120) * 2 rows for one choice with the whole share.
        with_them, alone = self.answer(ONE, "1"), self.alone(ONE, "1")
        self.assertAlmostEqual(alone["noise"][0]["error_95"], 15.6, delta=0.51)
        self.assertAlmostEqual(with_them["noise"][0]["scale"], 3 * alone["noise"][0]["scale"], places=6)
        self.assertEqual(alone["noise"][0]["plain_units"], with_them["noise"][0]["plain_units"])
        self.assertIn("interval_95", with_them)
        self.assertNotIn("interval_95", alone)
        self.assertEqual(alone["error_95"][0][0], None)
        self.assertNotIn("only_noise", alone)
        self.assertIn("it has no interval", " ".join(alone["notes"]))
        self.assertLessEqual({"QUANTILE-1", "QUANTILE-2", "QUANTILE-6"}, set(alone["claims"]))
        self.assertNotIn("QUANTILE-3", alone["claims"])
        self.assertIn(self.alone(ONE, "200")["answer"]["rows"][0][0], (49, 50))
        # What is computed with such a quantile has no bar, and is not called noise for that reason.
        out = self.alone("SELECT 2 * median(age) AS twice, max(age) - min(age) AS width, count(*) FILTER (WHERE ill = 'yes') AS n FROM people", "150")
        self.assertEqual(out["error_95"][0][:2], [None, None])
        self.assertIsNotNone(out["error_95"][0][2])
        self.assertIn("without an error bar: twice, width; computed with a quantile that has no interval", out["notes"])
        self.assertNotIn("only_noise", out)
        rows = self.ok(self.ask(ONE, "--epsilon", "1", "--no-intervals", "--format", "csv")).splitlines()
        self.assertEqual(rows[0], "m,n")  # how many people there are is public here
        # Where noise reaches all rows, the value says nothing.
        out = self.alone("SELECT median(age) AS m FROM people", "0.01")
        self.assertEqual(out["only_noise"], [[True]])
        self.assertIn("m: this number is only noise: it reaches all rows", out["notes"])
        # Groups, several ranks of one column, an error in rows.
        out = self.alone("SELECT ward, median(age) AS m, quantile_cont(age, 0.9) AS old FROM people GROUP BY ward", "200")
        for _, middle, old in out["answer"]["rows"]:
            self.assertTrue(45 <= middle <= 54 and 70 <= old <= 76)
        alone, with_them = (self.json(self.ask("SELECT min(age) AS low FROM people", "--error", "20", "--json", *more)) for more in (["--no-intervals"], []))
        for out in (with_them, alone):
            self.assertFalse(out["stored"])
            self.assertLessEqual(out["noise"][0]["error_95"], 20)
        self.assertLess(1.9 * alone["noise"][0]["plain_units"], with_them["noise"][0]["plain_units"])

    def test_explain_says_what_an_interval_costs(self):
        for more in ([], ["--no-intervals"]):
            shown = json.loads(self.ok(self.run_kith("explain", "policy.toml", ONE, "--epsilon", "1", "--json", *more)))
            errors = shown["statistics"][0]["interval"]
            self.assertAlmostEqual(errors["error_95_with"], 50.8, delta=0.51)
            self.assertAlmostEqual(errors["error_95_without"], 15.6, delta=0.51)
            self.assertEqual(shown["statistics"][0]["error_95"], errors["error_95_without" if more else "error_95_with"])
            self.assertNotIn("interval", shown["statistics"][1])
            self.assertIn("median(age): at this price an error of at most 51 rows with an interval, 16 rows without", shown["notes"])

    def test_stages_without_intervals(self):
        sql = "WITH line AS (SELECT median(age) AS v FROM people) SELECT count(*) AS n FROM people, line WHERE age < v"
        with_them, alone = self.answer(sql, "400"), self.alone(sql, "400")
        self.assertFalse(alone["stored"])
        for out in (with_them, alone):
            self.assertTrue(130 <= out["answer"]["rows"][0][0] <= 170)
        self.assertIn("interval_95", with_them["details"]["after"]["numbers"][0])
        self.assertEqual({"name", "stage", "value"}, set(alone["details"]["after"]["numbers"][0]))
        self.assertTrue(self.alone(sql, "400")["stored"])
        # The number of a stage is a quantile among other values: no interval comes back with it.
        sql = "WITH line AS (SELECT avg(age) AS v FROM people) SELECT median(age) AS m FROM people, line WHERE age < v"
        self.assertNotIn("interval_95", self.alone(sql, "40"))
        # Formulas on noisy answers.
        out = self.alone("SELECT m + 1 AS more FROM (SELECT median(age) AS m FROM people) AS a", "30")
        self.assertEqual(out["error_95"], [[None]])

    def test_plans_without_intervals(self):
        self.write("questions.sql", "SELECT median(age) AS m FROM people; -- kith: intervals off\nSELECT quantile_cont(age, 0.9) AS q FROM people;\n")
        out = self.json(self.run_kith("plan", "policy.toml", "questions.sql", "--epsilon", "20", "--answer", "--json"))
        first, second = out["details"]["plan"]["answers"]
        self.assertNotIn("interval_95", first)
        self.assertIn("interval_95", second)
        out = self.json(self.run_kith("plan", "policy.toml", "questions.sql", "--epsilon", "20", "--no-intervals", "--answer", "--json"))
        self.assertFalse(out["stored"])
        for answer in out["details"]["plan"]["answers"]:
            self.assertNotIn("interval_95", answer)
        self.write("both.sql", "SELECT median(age) AS m FROM people; -- kith: intervals off\nSELECT median(age) AS m FROM people;\n")
        self.refused(self.run_kith("plan", "policy.toml", "both.sql", "--epsilon", "20"), 2, "want different things")
        self.write("wrong.sql", "SELECT median(age) AS m FROM people; -- kith: intervals maybe\n")
        self.refused(self.run_kith("plan", "policy.toml", "wrong.sql", "--epsilon", "20"), 2, "intervals off")

    def test_an_error_in_rows(self):
        out = self.json(self.ask("SELECT median(age) AS m, quantile_cont(age, 0.9) AS old FROM people", "--error", "4", "--json"))
        for line in out["noise"]:
            self.assertLessEqual(line["error_95"], 4)
        self.assertGreater(max(line["error_95"] for line in out["noise"]), 3.99)
        for (cell, interval) in zip(out["answer"]["rows"][0], out["interval_95"][0]):
            self.assertTrue(interval["low"] <= cell <= interval["high"])
        self.refused(self.ask("SELECT median(age) FROM people", "--error", "0.0000000001"), 3, "more than any budget")

    def test_words_about_ranks(self):
        text = self.ok(self.run_kith("explain", "policy.toml", ONE, "--epsilon", "1"))
        self.assertIn("rows lie between it and the true one", " ".join(text.split()))
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        shown = json.loads(self.ok(self.run_kith("explain", "policy.toml", ONE, "--epsilon", "1", "--json")))
        self.assertIn("GROUP BY", shown["sql"])
        # ln(20 * 2 * 120) * 2 rows for each end, which has a third of the share; the count is public
        self.assertAlmostEqual(shown["statistics"][0]["error_95"], 50.8, delta=0.51)
        self.assertIn("permute-and-flip by rank", self.ok(self.ask(ONE, "--epsilon", "1")))
        out = self.answer(ONE, "1")
        self.assertEqual(out["noise"][0]["distribution"], "permute and flip, by rank")
        self.assertLessEqual({"QUANTILE-1", "QUANTILE-3"}, set(out["claims"]))
        few = self.ok(self.ask("SELECT median(div(age, 30)) AS m FROM people", "--epsilon", "3"))
        self.assertIn("discrete Laplace on the rows at every value", " ".join(few.split()))

    def test_several_ranks_are_read_from_one_measurement(self):
        shown = json.loads(self.ok(self.run_kith("explain", "policy.toml", QUESTION, "--epsilon", "3", "--json")))
        self.assertLess(max(line["error_95"] for line in shown["statistics"]), 45)  # 50.8 or more with a share for each
        out = self.answer(QUESTION, "3")
        self.assertEqual([line["distribution"] for line in out["noise"][:3]], 3 * ["discrete laplace, rows at every value"])
        self.assertIn("QUANTILE-5", out["claims"])
        for text in (" ".join(out["notes"]), " ".join(shown["notes"])):
            self.assertIn("median(age), min(age), max(age): read from one noisy count of the rows at every value", text)
        low, middle, high = (out["answer"]["rows"][0][k] for k in (1, 0, 2))
        self.assertTrue(low <= middle <= high)  # one noise: they cannot cross

    def test_groups_and_conditions_beside_other_aggregates(self):
        out = self.answer("SELECT ward, quantile_cont(age, 0.9) AS old, avg(age) AS mean FROM people WHERE ill = 'no' GROUP BY ward ORDER BY old DESC", "800")
        self.assertEqual(sorted(row[0] for row in out["answer"]["rows"]), ["A", "B", "C"])
        for row in out["answer"]["rows"]:
            self.assertIn(row[1], range(72, 75))

    def test_what_is_no_quantile_is_refused_before_anything_is_charged(self):
        for sql, code, word in [("SELECT quantile_cont(age, 1.5) FROM people", 2, "from 0 to 1"),
                                ("SELECT percentile_cont(-0.1) WITHIN GROUP (ORDER BY age) FROM people", 2, "from 0 to 1"),
                                ("SELECT median(house) FROM people", 4, "no bounds"),
                                ("SELECT max(ill) FROM people", 4, "not for text"),
                                ("SELECT median(DISTINCT age) FROM people", 4, "DISTINCT")]:
            self.refused(self.ask(sql), code, word)
        self.refused(self.ask("SELECT 2 * median(age) FROM people", "--error", "5"), 4, "--epsilon")
        self.assertEqual(self.spent(), 0)

    def test_tables_with_little_in_them(self):
        for rows in ["", "1,1,A,40,no\n", "".join(f"{i},{i},A,,no\n" for i in range(5))]:
            self.write("people.csv", "id,house,ward,age,ill\n" + rows)
            row = self.answer(QUESTION, "40")["answer"]["rows"][0]
            for value in row[:3]:
                self.assertIn(value, range(0, 121))


if __name__ == "__main__":
    unittest.main()
