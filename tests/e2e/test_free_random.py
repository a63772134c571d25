"""Random questions after random stored answers, many of them free: all that is given without a charge, or combined, is right about the rows."""
import os
import random
import shutil
import sqlite3
import tempfile
import unittest

from kith_case import KithCase
from test_plan import POLICY, csv_of, rows_of

# At these prices noise moves no number: its scale is below 1/100 of a step, so that one of 10^5 numbers is moved with a probability below 1e-30.
HUGE = POLICY.replace("epsilon = 20.0", "epsilon = 900000.0").format(rows=1, presence="secret", ward="public = true, required = true")
PRICE, HIGHER, LOWER = 20000, 30000, 100
AGGREGATES = ["count(*)", "count(age)", "sum(age)", "sum(age * age)", "count(*) FILTER (WHERE ill = 'yes')", "sum(age) FILTER (WHERE age > 3)", "sum(8 - age)"]
KEYS = [[], ["ward"], ["ill"], ["age"], ["ward", "ill"], ["ill", "ward"]]
WHERE = ["", "age < 4", "age BETWEEN 1 AND 6", "ill = 'yes'", "ward = 'A'", "ill IN ('no', 'dead')", "age > 2 AND ill = 'no'"]
NEARLY = {"": "age >= 0", "age < 4": "age <= 4", "age BETWEEN 1 AND 6": "age BETWEEN 1 AND 5", "ill = 'yes'": "ill = 'no'", "ward = 'A'": "ward = 'B'",
          "ill IN ('no', 'dead')": "ill IN ('no', 'yes')", "age > 2 AND ill = 'no'": "age > 3 AND ill = 'no'"}
OTHERS = {"count(*)": "count(*) FILTER (WHERE age > 2)", "count(age)": "count(cost)", "sum(age)": "sum(7 - age)", "sum(age * age)": "sum(2 * age * age)",
          "count(*) FILTER (WHERE ill = 'yes')": "count(*) FILTER (WHERE ill = 'no')", "sum(age) FILTER (WHERE age > 3)": "sum(age) FILTER (WHERE age > 4)", "sum(8 - age)": "sum(9 - age)"}


def text(keys, aggregates, where, order=""):
    """Keys are named k0, k1, ... and numbers n0, n1, ..."""
    shown = [f"{key} AS k{k}" for k, key in enumerate(keys)] + [f"{one} AS n{k}" for k, one in enumerate(aggregates)]
    return (f"SELECT {', '.join(shown)} FROM t" + (f" WHERE {where}" if where else "")
            + (" GROUP BY " + ", ".join(keys) if keys else "") + (f" ORDER BY {order}" if order else ""))


def truth(question, keys, rows):
    """As another engine computes it; sums of nothing are 0."""
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (id, ward, ill, age, cost)")
    base.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows)
    groups = {tuple(row[:keys]): [value or 0 for value in row[keys:]] for row in base.execute(question)}
    base.close()
    return groups


def right(answer, question, keys, rows):
    found = truth(question, keys, rows)
    numbers = len(answer["answer"]["columns"]) - keys
    return all(abs(given - wanted) <= 1e-6 * (1 + abs(wanted))
               for row in answer["answer"]["rows"] for given, wanted in zip(row[keys:], found.get(tuple(row[:keys]), [0] * numbers)))


CASES = int(os.environ.get("KITH_FREE_CASES", "20"))


class RandomFree(KithCase):
    def setUp(self):
        super().setUp()
        self.rows = list(rows_of(5, 400))
        self.write("p.toml", HUGE)
        self.write("t.csv", csv_of(self.rows))
        self.rng = random.Random(23)
        self.stored = []
        while len(self.stored) < 7:
            one = (self.rng.choice(KEYS), self.rng.sample(AGGREGATES, self.rng.choice([2, 3, 4])), WHERE[len(self.stored)])
            self.stored.append(one)

    bought = None  # the folder in which the stored answers are, once for all tests
    given = None  # questions made of them with their answers, and what was spent before and after

    def buy(self):
        if RandomFree.bought is None:
            for keys, aggregates, where in self.stored:
                self.answer(text(keys, aggregates, where), PRICE)
            RandomFree.bought = tempfile.TemporaryDirectory()
            shutil.copytree(self.folder, RandomFree.bought.name, dirs_exist_ok=True)
        else:
            shutil.copytree(RandomFree.bought.name, self.folder, dirs_exist_ok=True)

    def parts(self):
        """Questions made of what was bought, asked once for the test and its twin."""
        if RandomFree.given is None:
            self.buy()
            before = self.spent()
            RandomFree.given = self.asked(CASES), before, self.spent()
        return RandomFree.given

    def answer(self, question, epsilon):
        return self.json(self.run_kith("query", "p.toml", question, "--epsilon", str(epsilon), "--json"))

    def is_free(self, question):
        return self.json(self.run_kith("explain", "p.toml", question, "--epsilon", str(LOWER), "--json")).get("stored", False)

    def spent(self):
        return self.json(self.run_kith("budget", "p.toml", "--json"))["guarantee"]["plain"]

    def part(self):
        """Made of the statistics of a stored answer: some of them, in another order, multiplied, divided, sorted."""
        keys, aggregates, where = self.rng.choice(self.stored)
        some = self.rng.sample(aggregates, self.rng.randrange(1, len(aggregates) + 1))
        made = [self.rng.choice([one, one, f"3 * {one}", f"{one} + {self.rng.choice(aggregates)}", f"{one} - 0.5 * {some[0]}"]) for one in some]
        order = self.rng.choice(["", "", "n0 DESC", "k0"]) if keys else ""
        return text(keys, made, where, order), keys

    def near_miss(self):
        """The same but for a condition or a statistic: a fault that takes one for the other gives a wrong number."""
        keys, aggregates, where = self.rng.choice(self.stored)
        some = self.rng.sample(aggregates, self.rng.randrange(1, len(aggregates) + 1))
        if self.rng.random() < 0.5:
            return text(keys, some, NEARLY[where]), text(keys, some, where), keys
        changed = [OTHERS[one] if k == 0 else one for k, one in enumerate(some)]
        return text(keys, changed, where), text(keys, some, where), keys

    def asked(self, tries):
        """[(question, number of keys, its answer, None if it is not free)] of questions made of stored statistics."""
        found = []
        for _ in range(tries):
            question, keys = self.part()
            answer = self.answer(question, LOWER) if self.is_free(question) else None
            self.assertTrue(answer is None or answer["stored"], question)
            found.append((question, len(keys), answer))
        return found

    def free(self, asked, rows):
        """How many are free, and whether all of these are right about the rows."""
        free = [one for one in asked if one[2] is not None]
        return len(free), all(right(answer, question, keys, rows) for question, keys, answer in free)

    def test_what_is_made_of_stored_statistics_is_free_and_right_FREE1(self):
        asked, before, after = self.parts()
        self.assertEqual(self.free(asked, self.rows), (CASES, True))
        self.assertEqual(before, after)

    # The twin: right about these rows only.
    def test_the_check_above_sees_numbers_of_other_rows(self):
        asked, _, _ = self.parts()
        self.assertEqual(self.free(asked[:10], list(rows_of(6, 400))), (10, False))

    def test_near_misses_are_not_free_FREE2(self):
        self.buy()
        seen = 0
        for _ in range(CASES):
            question, like, keys = self.near_miss()
            self.assertFalse(self.is_free(question), question)
            # A stored answer that was given for it would be seen to be wrong.
            seen += truth(question, len(keys), self.rows) != truth(like, len(keys), self.rows)
        self.assertGreaterEqual(seen, 0.9 * CASES)

    def test_what_is_combined_is_right_FREE3(self):
        self.buy()
        combined = 0
        for keys, aggregates, where in self.stored:
            for some in (aggregates[:1], aggregates[::-1]):
                question = text(keys, some, where)
                answer = self.answer(question, HIGHER)
                self.assertTrue(right(answer, question, len(keys), self.rows), question)
                combined += "FREE-3" in answer["claims"]
        self.assertGreaterEqual(combined, 7)

    # A plan's own questions are those that no table of counts answers.
    def test_what_a_plan_asked_by_itself_is_free_later_FREE1(self):
        sums = [(keys, [one for one in aggregates if "sum" in one] or ["sum(age)"], where) for keys, aggregates, where in self.stored]
        self.write("q.sql", "".join(text(*one) + ";\n" for one in sums))
        plan = self.json(self.run_kith("plan", "p.toml", "q.sql", "--epsilon", str(8 * PRICE), "--answer", "--json"))
        self.assertTrue(plan["details"]["plan"]["answers"])
        self.stored = sums
        spent = self.spent()
        self.assertEqual(self.free(self.asked(CASES // 2), self.rows), (CASES // 2, True))
        self.assertEqual(self.spent(), spent)
        for keys, aggregates, where in sums:  # their bars are what the plan gave them
            self.assertFalse(self.is_free(text(keys, aggregates, NEARLY[where])))


if __name__ == "__main__":
    unittest.main()
