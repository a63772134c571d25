"""Free answers: a question whose noisy statistics were paid for by another one is answered from the ledger."""
import unittest

from kith_case import POLICY, KithCase

ILL_BY_WARD = "FROM people WHERE ill = 'yes' GROUP BY ward"
BOTH = f"SELECT ward, avg(age) AS m, stddev(age) AS s, count(*) AS n, sum(age) AS t {ILL_BY_WARD}"
POLICY_8 = POLICY.replace("epsilon = 1.0", "epsilon = 8.0")


def numbers(answer, column):
    at = answer["answer"]["columns"].index(column)
    return [row[at] for row in answer["answer"]["rows"]]


def bars(answer, column):
    at = answer["answer"]["columns"].index(column)
    return [row[at] for row in answer["error_95"]]


class FreeAnswers(KithCase):
    def setUp(self):
        super().setUp()
        self.write("policy.toml", POLICY_8)
        self.ok(self.run_kith("import", "policy.toml"))

    def query(self, sql, epsilon):
        return self.json(self.ask(sql, "--epsilon", str(epsilon), "--json"))

    def is_free(self, sql, epsilon, before, column):
        """Nothing is spent, the numbers are those of before, and explain knew it."""
        explained = self.json(self.run_kith("explain", "policy.toml", sql, "--epsilon", str(epsilon), "--json"))
        spent = self.spent()
        answer = self.query(sql, epsilon)
        same = (self.spent() == spent and numbers(answer, column) == numbers(before, column) and answer["stored"]
                and "FREE-1" in answer["claims"])
        self.assertEqual(explained.get("stored", False), answer["stored"])
        unchanged = all(explained[f"{loss}_after"] == explained[f"{loss}_before"] for loss in ("plain_spent", "dependent"))
        self.assertEqual((unchanged, explained["charged_cells"] == 0), (answer["stored"], answer["stored"]))
        return same

    def test_parts_of_an_answer_cost_nothing_FREE1(self):
        before = self.query(BOTH, 4)
        self.assertTrue(self.is_free(f"SELECT ward, avg(age) AS m {ILL_BY_WARD}", 0.5, before, "m"))
        self.assertTrue(self.is_free(f"SELECT ward, count(*) AS n {ILL_BY_WARD}", 0.1, before, "n"))
        self.assertTrue(self.is_free(f"SELECT sum(age) AS t, ward {ILL_BY_WARD} ORDER BY t DESC", 0.1,
                                     {"answer": {"columns": ["t"], "rows": sorted(([t] for t in numbers(before, "t")), reverse=True)}}, "t"))
        # Made of the same statistics, though it was never shown.
        share = self.query(f"SELECT ward, 2 * count(*) AS n {ILL_BY_WARD}", 0.1)
        self.assertEqual(numbers(share, "n"), [2 * n for n in numbers(before, "n")])
        self.assertTrue(share["stored"])

    def test_the_check_above_sees_a_fresh_answer(self):
        before = self.query(BOTH, 0.2)
        self.assertFalse(self.is_free(f"SELECT ward, sum(age) AS t {ILL_BY_WARD}", 4, before, "t"))

    def test_an_answer_with_less_noise_is_bought(self):
        self.query(BOTH, 0.4)
        sql = f"SELECT ward, count(*) AS n {ILL_BY_WARD}"
        spent = self.spent()
        fresh = self.query(sql, 2)
        self.assertFalse(fresh["stored"])
        self.assertGreater(self.spent(), spent)

    def test_bars_are_those_of_the_noise_that_was_paid_for_FREE2(self):
        before = self.query(BOTH, 4)
        sql = f"SELECT ward, count(*) AS n, sum(age) AS t {ILL_BY_WARD}"
        answer = self.query(sql, 0.1)
        for column in ("n", "t"):
            self.assertEqual(bars(answer, column), bars(before, column))
        scales = {line["statistic"]: line["scale"] for line in before["noise"]}
        for line in answer["noise"]:
            self.assertEqual(line["scale"], scales[line["statistic"]])
        self.assertEqual(answer["ledger_entry"], before["ledger_entry"])

    def test_nothing_else_is_free_FREE2(self):
        self.query(BOTH, 3)
        for sql in ("SELECT ward, count(*) AS n FROM people WHERE ill = 'no' GROUP BY ward", "SELECT count(*) AS n FROM people WHERE ill = 'yes'",
                    "SELECT ward, count(*) AS n FROM people WHERE ill = 'yes' AND age > 30 GROUP BY ward", f"SELECT ward, sum(2 * age) AS n {ILL_BY_WARD}",
                    f"SELECT ward, count(*) FILTER (WHERE age > 30) AS n {ILL_BY_WARD}", f"SELECT ward, median(age) AS n {ILL_BY_WARD}"):
            self.assertFalse(self.query(sql, 0.05)["stored"], sql)
        # Another version of the data.
        part = f"SELECT ward, avg(age) AS m {ILL_BY_WARD}"
        self.assertTrue(self.query(part, 0.3)["stored"])
        self.write("policy.toml", POLICY_8.replace('tables.people = "people.csv"', 'tables.people = "people.csv"\nversion = "next"'))
        self.ok(self.run_kith("import", "policy.toml"))
        self.assertFalse(self.query(part, 0.3)["stored"])

    def test_other_units_and_other_declarations_are_not_free_FREE2(self):
        nested = POLICY_8.replace('presence = "public"', 'presence = "public"\nwithin = "house"\nsize = 3').replace("odds_ratio = 4\n", "").replace("people.ledger", "nested.ledger")
        self.write("policy.toml", nested)
        self.query(BOTH, 3)
        part = f"SELECT ward, avg(age) AS m {ILL_BY_WARD}"
        household = self.json(self.ask(part, "--epsilon", "0.2", "--unit", "household", "--json"))
        self.assertFalse(household["stored"])
        self.assertTrue(self.query(part, 0.2)["stored"])  # the twin: about the same unit it is free
        # Other bounds of a column that the stored answer reads; then those of before.
        self.write("policy.toml", nested.replace("upper = 120", "upper = 100"))
        self.assertFalse(self.query(part, 0.2)["stored"])
        self.write("policy.toml", nested)
        self.assertTrue(self.query(f"SELECT ward, count(*) AS n {ILL_BY_WARD}", 0.2)["stored"])

    def test_what_is_computed_on_a_private_question_is_free_as_that_is_FREE1(self):
        before = self.query(f"SELECT ward, n, t FROM (SELECT ward, count(*) AS n, sum(age) AS t {ILL_BY_WARD}) AS a ORDER BY ward", 3)
        self.assertFalse(before["stored"])
        self.assertTrue(self.is_free(f"SELECT ward, count(*) AS n {ILL_BY_WARD}", 0.5, before, "n"))
        # Computed on a part of what was paid for: explain knows it as well.
        self.assertTrue(self.is_free(f"SELECT n FROM (SELECT ward, count(*) AS n {ILL_BY_WARD}) AS a WHERE n > -1e9 ORDER BY ward", 0.4, before, "n"))

    def test_the_same_question_at_a_lower_price_is_free_FREE1(self):
        sql = f"SELECT ward, count(*) AS n, sum(age) AS t {ILL_BY_WARD}"
        before = self.query(sql, 2)
        self.assertTrue(self.is_free(sql, 0.5, before, "n"))
        self.assertEqual(bars(self.query(sql, 0.5), "t"), bars(before, "t"))
        spent = self.spent()
        self.assertFalse(self.query(sql, 3)["stored"])  # a smaller bar is bought
        self.assertGreater(self.spent(), spent)

    def test_the_same_quantile_at_a_lower_price_is_free_FREE1(self):
        sql = f"SELECT ward, median(age) AS m, count(*) AS n {ILL_BY_WARD}"
        before = self.query(sql, 2)
        self.assertTrue(self.is_free(sql, 0.5, before, "m"))
        free = self.query(sql, 0.5)
        self.assertEqual(free["interval_95"], before["interval_95"])
        self.assertEqual([line["error_95"] for line in free["noise"]], [line["error_95"] for line in before["noise"]])
        self.assertFalse(self.is_free(f"SELECT ward, quantile_cont(age, 0.4) AS m, count(*) AS n {ILL_BY_WARD}", 0.5, before, "m"))
        self.assertFalse(self.is_free(sql, 3, before, "m"))

    def without(self, sql, epsilon):
        return self.json(self.ask(sql, "--epsilon", str(epsilon), "--no-intervals", "--json"))

    def test_a_quantile_without_its_interval_QUANTILE6(self):
        sql = f"SELECT ward, median(age) AS m {ILL_BY_WARD}"
        before = self.query(sql, 3)
        # A third of the price buys as much of only the value: it is given, and nothing else of what was paid for.
        spent = self.spent()
        free = self.without(sql, 0.99)
        self.assertTrue(free["stored"])
        self.assertEqual(self.spent(), spent)
        self.assertEqual(free["answer"], before["answer"])
        self.assertNotIn("interval_95", free)
        self.assertEqual(free["ledger_entry"], before["ledger_entry"])
        self.assertLess(free["noise"][0]["error_95"], before["noise"][0]["error_95"])
        self.assertEqual(free["noise"][0]["scale"], before["noise"][0]["scale"])
        # More of it is bought; and an interval is never made from a value.
        alone = self.without(sql, 1.1)
        self.assertFalse(alone["stored"])
        self.assertGreater(self.spent(), spent)
        self.assertTrue(self.without(sql, 1.1)["stored"])
        other = f"SELECT ward, quantile_cont(age, 0.3) AS m, count(*) AS n {ILL_BY_WARD}"
        alone = self.without(other, 2)
        # The count next to it is free for anybody who asks for no quantile.
        count = self.query(f"SELECT ward, count(*) AS n {ILL_BY_WARD}", 0.5)
        self.assertTrue(count["stored"])
        self.assertEqual(count["ledger_entry"], alone["ledger_entry"])
        with_it = self.query(other, 0.1)
        self.assertFalse(with_it["stored"])
        self.assertIn("interval_95", with_it)
        # The same price and question, with and without: two answers.
        third = f"SELECT ward, quantile_cont(age, 0.8) AS m {ILL_BY_WARD}"
        self.assertFalse(self.without(third, 0.4)["stored"])
        self.assertFalse(self.query(third, 0.4)["stored"])

    def combined(self, first):
        """Whether a count is combined with what the first question paid for, and what explain says of it."""
        self.query(first, 0.5)
        sql = f"SELECT ward, count(*) AS n {ILL_BY_WARD}"
        explained = self.json(self.run_kith("explain", "policy.toml", sql, "--epsilon", "0.6", "--json"))
        spent = self.spent()
        answer = self.query(sql, 0.6)
        self.assertFalse(answer["stored"])
        self.assertGreater(self.spent(), spent)
        said = any("combined" in note for note in explained["notes"])
        narrower = all(bar < explained["statistics"][0]["error_95"] for bar in bars(answer, "n"))
        self.assertEqual((said, narrower), ("FREE-3" in answer["claims"],) * 2)
        self.assertEqual(numbers(self.query(sql, 0.6), "n"), numbers(answer, "n"))  # given again as it was
        self.assertEqual(bars(self.query(sql, 0.6), "n"), bars(answer, "n"))
        self.assertTrue(all(n == int(n) for n in numbers(answer, "n")))
        return narrower, answer

    def test_a_fresh_answer_is_combined_with_what_was_paid_for_FREE3(self):
        combined, answer = self.combined(f"SELECT ward, count(*) AS m {ILL_BY_WARD}")
        self.assertTrue(combined)
        # Both together are better than either: a price between them costs nothing.
        again = self.query(f"SELECT ward, count(*) AS n {ILL_BY_WARD}", 0.65)
        self.assertTrue(again["stored"])
        self.assertEqual((numbers(again, "n"), bars(again, "n")), (numbers(answer, "n"), bars(answer, "n")))
        # A caller that computes with the laws of the certificate gets the numbers that they are about.
        after = self.query(f"SELECT ward, 3 * n AS n FROM (SELECT ward, count(*) AS n {ILL_BY_WARD}) AS a ORDER BY ward", 0.6)
        self.assertTrue(after["stored"])
        self.assertNotIn("FREE-3", after["claims"])
        self.assertEqual(bars(after, "n")[0], 3 * answer["noise"][0]["error_95"])

    def test_the_check_above_sees_an_answer_that_is_not_combined(self):
        combined, _ = self.combined("SELECT ward, count(*) AS n FROM people WHERE ill = 'no' GROUP BY ward")
        self.assertFalse(combined)

    def test_free_answers_say_where_they_are_only_noise(self):
        sql = f"SELECT ward, count(*) AS n {ILL_BY_WARD}"
        before = self.query(sql, 0.02)
        free = self.query(sql, 0.01)
        self.assertTrue(free["stored"])
        self.assertTrue(before["only_noise"])
        self.assertEqual(free["only_noise"], before["only_noise"])
        # Sizes of public groups are kept with the noisy statistics: a part of them has the same marks.
        both = self.query(f"SELECT ward, count(*) AS n, sum(age) AS t {ILL_BY_WARD}".replace("'yes'", "'no'"), 0.02)
        part = self.query(f"SELECT ward, count(*) AS n {ILL_BY_WARD}".replace("'yes'", "'no'"), 0.005)
        self.assertTrue(part["stored"])
        self.assertIn("FREE-1", part["claims"])
        marks = [mark[:2] for mark in both.get("only_noise", [])]
        self.assertTrue(any(mark[1] for mark in marks))
        self.assertEqual(part["only_noise"], marks)

    def test_the_check_above_sees_a_part(self):
        self.query(BOTH, 3)
        self.assertTrue(self.query(f"SELECT ward, count(*) AS n {ILL_BY_WARD}", 0.05)["stored"])


if __name__ == "__main__":
    unittest.main()
