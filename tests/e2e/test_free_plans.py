"""Questions that are sums of the cells that a stored plan measured: free, right, and nothing else is."""
import random
import unittest

from kith_case import KithCase
from test_plan import POLICY, cells, csv_of, rows_of, some_question

HUGE = POLICY.replace("epsilon = 20.0", "epsilon = 4000.0").format(rows=1, presence="secret", ward="public = true, required = true")
PLAN = """SELECT ward, ill, count(*) AS n FROM t GROUP BY ward, ill;
SELECT ill, age, count(*) AS n FROM t GROUP BY ill, age;
SELECT age, count(*) AS n FROM t GROUP BY age;
SELECT cost <= 2.5 AS cheap, count(*) AS n FROM t GROUP BY cheap;
SELECT count(*) AS n FROM t WHERE age BETWEEN 2 AND 5;
"""


def right(answer, question, rows):
    counts = cells(question, rows)
    return all(row[-1] == counts.get(tuple(row[:-1]), 0) for row in answer["answer"]["rows"])


class FreePlans(KithCase):
    def setUp(self):
        super().setUp()
        self.rows = list(rows_of(3, 300))
        self.write("p.toml", HUGE)
        self.write("t.csv", csv_of(self.rows))

    def plan(self, text=PLAN, epsilon=1000):
        self.write("q.sql", text)
        return self.json(self.run_kith("plan", "p.toml", "q.sql", "--epsilon", str(epsilon), "--answer", "--json"))

    def is_free(self, question, epsilon=0.01):
        return self.json(self.run_kith("explain", "p.toml", question, "--epsilon", str(epsilon), "--json")).get("stored", False)

    def answer(self, question, epsilon=0.01):
        return self.json(self.run_kith("query", "p.toml", question, "--epsilon", str(epsilon), "--json"))

    given = None  # random questions that were free with their answers, and what was spent before and after: once for the test and its twin

    def asked(self):
        if FreePlans.given is None:
            tables = self.plan()["details"]["plan"]["tables"]
            self.assertTrue(all(table["scale"] < 1 / 28 for table in tables))  # no draw of noise that would be seen is likely
            before, rng, free = self.spent(), random.Random(11), []
            for _ in range(60):
                question = some_question(rng)
                if self.is_free(question):
                    free.append((question, self.answer(question)))
            FreePlans.given = free, before, self.spent()
        return FreePlans.given

    def spent(self):
        return self.json(self.run_kith("budget", "p.toml", "--json"))["guarantee"]["plain"]

    def right(self, free, rows):
        """Whether all of these are right about the rows."""
        for _, answer in free:
            self.assertTrue(answer["stored"])
            self.assertIn("FREE-4", answer["claims"])
        return all(right(answer, question, rows) and all(row[-1] <= 1 for row in answer["error_95"]) for question, answer in free)

    # With hardly any noise an answer is right to the last unit, however it is made from the tables.
    def test_sums_of_measured_cells_are_free_and_right_FREE4(self):
        free, before, after = self.asked()
        self.assertGreater(len(free), 8)
        self.assertTrue(self.right(free, self.rows))
        self.assertEqual(before, after)

    def test_what_is_made_of_counts_is_free_too(self):
        self.plan()
        share = self.answer("SELECT 100.0 * count(*) FILTER (WHERE ill = 'yes') / count(*) AS part FROM t")
        self.assertTrue(share["stored"])
        truth = 100.0 * sum(row[2] == "yes" for row in self.rows) / len(self.rows)
        self.assertAlmostEqual(share["answer"]["rows"][0][0], truth, places=6)

    # The twin: right about these rows only.
    def test_the_check_above_sees_counts_of_another_plan(self):
        free, _, _ = self.asked()
        self.assertGreater(len(free), 8)
        self.assertFalse(self.right(free, list(rows_of(4, 300))))

    def test_nothing_else_is_free_FREE4(self):
        self.plan()
        self.assertTrue(self.is_free("SELECT count(*) AS n FROM t WHERE age < 3"))
        for question in ("SELECT ward, age, count(*) AS n FROM t GROUP BY ward, age", "SELECT count(*) AS n FROM t WHERE cost < 7", "SELECT sum(age) AS n FROM t",
                         "SELECT count(*) AS n FROM t WHERE age < 3 OR ill = 'yes'", "SELECT median(age) AS n FROM t"):
            self.assertFalse(self.is_free(question), question)
        self.assertFalse(self.is_free("SELECT count(*) AS n FROM t WHERE age < 3", 2500))  # a smaller bar is bought
        # Other declarations of what is read, another unit's rows, another version; and those of before again.
        question = "SELECT count(*) AS n FROM t WHERE age = 3"
        for old, new in (("upper = 7", "upper = 9"), ("max_rows = 1", "max_rows = 2"), ('tables.t = "t.csv"', 'tables.t = "t.csv"\nversion = "two"')):
            self.write("p.toml", HUGE.replace(old, new))
            done = self.run_kith("explain", "p.toml", question, "--epsilon", "0.01", "--json")
            if done.returncode == 0:
                self.assertFalse(self.json(done).get("stored", False), new)
            self.write("p.toml", HUGE)
        self.assertTrue(self.is_free(question))

    def test_what_several_measurements_of_one_plan_say_is_called_a_mean(self):
        self.plan()
        answer = self.answer("SELECT count(*) AS n FROM t WHERE age BETWEEN 2 AND 5")
        self.assertTrue(answer["stored"])
        self.assertTrue(any("means by inverse variance" in note for note in answer["notes"]), answer["notes"])

    def test_a_fresh_answer_is_combined_with_the_tables_of_a_plan(self):
        self.write("p.toml", HUGE.replace("4000.0", "8.0"))
        self.plan(epsilon=0.02)
        question = "SELECT ill, count(*) AS n FROM t GROUP BY ill"
        explained = self.json(self.run_kith("explain", "p.toml", question, "--epsilon", "0.02", "--json"))
        answer = self.answer(question, 0.02)
        self.assertFalse(answer["stored"])
        self.assertIn("FREE-4", answer["claims"])
        self.assertTrue(all(row[-1] < explained["statistics"][0]["error_95"] for row in answer["error_95"]))


if __name__ == "__main__":
    unittest.main()
