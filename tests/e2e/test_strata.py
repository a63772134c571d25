"""Strata: sizes of groups by a public column, with prices and losses of their own."""
import json
import unittest

from kith_case import KithCase

POLICY = """[data]
{data}
tables.people = "people.csv"
[unit]
table = "people"
key = "id"
max_rows = 1
presence = "public"
{unit}
[columns.people]
house = {{ type = "integer", public = true }}
persons = {{ values = [6, 2, 1], public = true, required = true }}
ward = {{ values = ["A", "B"], public = true, required = true }}
age = {{ lower = 0, upper = 100 }}
ill = {{ values = ["no", "yes"] }}
[dependence]
source = "public"
kind = "group"
by = "house"
size = {size}
odds_ratio = 4
[budget]
epsilon = 1.0
ledger = "people.ledger"
"""
BY_SIZE = "SELECT persons, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY persons ORDER BY persons"


def people(sizes):
    rows, unit = [], 0
    for house, size in enumerate(sizes):
        for _ in range(size):
            unit += 1
            rows.append(f"{unit},{house},{size},{'AB'[unit % 2]},{unit % 100},{'yes' if unit % 3 == 0 else 'no'}\n")
    return "id,house,persons,ward,age,ill\n" + "".join(rows)


class Strata(KithCase):
    def setUp(self):
        super().setUp()
        self.write("people.csv", people([1, 2, 6] * 100))
        self.policy()

    def policy(self, size='"persons"', data='public_columns = "fixed"', unit=""):
        self.write("policy.toml", POLICY.format(size=size, data=data, unit=unit))

    def ask(self, sql, *more):
        done = self.run_kith("query", "policy.toml", sql, "--json", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_singles_have_less_noise_and_every_stratum_loses_the_price(self):
        answer = self.ask(BY_SIZE, "--epsilon", "0.5")
        scales = {line["stratum"]: line["scale"] for line in answer["noise"]}
        self.assertEqual(set(scales), {"persons=6", "persons=2", "persons=1"})
        self.assertEqual(scales["persons=1"], 2)
        self.assertAlmostEqual(scales["persons=6"] / scales["persons=1"], 5.7, delta=0.05)
        bars = {row[0]: bar[1] for row, bar in zip(answer["answer"]["rows"], answer["error_95"])}
        self.assertLess(5 * bars[1], bars[6])
        self.assertLess(bars[1], bars[2])
        self.assertIn("STRATA-2", answer["claims"])
        self.assertEqual(answer["plain"]["epsilon"], 0.5)
        strata = {line["name"]: line for line in answer["strata"]}
        self.assertEqual((strata["persons=1"]["plain"], strata["persons=1"]["size"]), (0.5, 1))
        self.assertLess(strata["persons=6"]["plain"], 0.09)
        self.assertLessEqual(max(line["dependent"] for line in answer["strata"]), 0.51)
        # One more answer may make another stratum the worst: today's verdict is about today's worst.
        audit = json.loads(self.run_kith("audit", "policy.toml", "--epsilon", "0.1", "--json").stdout)
        self.assertIn(f"(dependent loss {max(s['dependent'] for s in audit['strata']):.4g}, of 1 allowed)", audit["verdict"])
        self.assertIn("no unit's public columns changed", audit["assumption"])
        # Again: free. The other half: all of the budget, in every stratum at once.
        self.assertTrue(self.ask(BY_SIZE, "--epsilon", "0.5")["stored"])
        last = self.ask(BY_SIZE.replace("yes", "no"), "--epsilon", "0.5")
        for line in last["strata"]:
            self.assertLessEqual(line["dependent"], 1)
            self.assertGreater(line["dependent"], 0.99)
        done = self.run_kith("query", "policy.toml", "SELECT count(*) FROM people WHERE ill = 'yes' AND persons = 1", "--epsilon", "0.1")
        self.assertEqual(done.returncode, 3)
        budget = json.loads(self.run_kith("budget", "policy.toml", "--json").stdout)
        self.assertEqual([line["cells"] for line in budget["history"]], [6, 6])
        self.assertEqual(budget["history"][0]["plain_epsilon"], 0.5)
        for cell in budget["cells"]:
            self.assertAlmostEqual(cell["plain_spent"], cell["plain_budget"], places=8)

    def test_explanations_show_every_stratum(self):
        done = self.run_kith("explain", "policy.toml", "SELECT persons, count(*), avg(age), median(age) FROM people GROUP BY persons", "--epsilon", "1", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        explained = json.loads(done.stdout)
        self.assertEqual(len(explained["statistics"]) % 3, 0)
        self.assertEqual({line["stratum"] for line in explained["statistics"]}, {"persons=6", "persons=2", "persons=1"})
        self.assertTrue(all(line["reason"] for line in explained["statistics"]))
        self.assertEqual({line["stratum"] for line in explained["averages"]}, {"persons=6", "persons=2", "persons=1"})
        self.assertEqual(len(explained["guarantee"]["strata"]), 3)
        text = self.run_kith("explain", "policy.toml", BY_SIZE, "--epsilon", "1").stdout
        self.assertRegex(text, r"count\(\*\) +persons=6 ")
        self.assertIn("at most 6 records for 6, 2 records for 2 and 1 record for 1, given", " ".join(text.split()))
        self.assertIn("persons=1: 1 plain, 1 dependent", text)

    def test_a_refusal_says_what_is_left_for_all_strata(self):
        self.ask("SELECT count(*) AS n FROM people WHERE ill = 'yes' AND persons = 6", "--epsilon", "0.75")
        done = self.run_kith("query", "policy.toml", BY_SIZE, "--epsilon", "0.5")
        self.assertEqual(done.returncode, 3)
        self.assertIn("an epsilon of at most 0.25", done.stderr)
        self.assertEqual(self.ask(BY_SIZE, "--epsilon", "0.25")["answer"]["columns"], ["persons", "n"])

    def test_one_number_about_everybody_has_one_noise(self):
        answer = self.ask("SELECT count(*) AS n FROM people WHERE ill = 'yes'", "--epsilon", "0.5")
        self.assertEqual([line.get("stratum") for line in answer["noise"]], [None])
        self.assertAlmostEqual(answer["noise"][0]["scale"], 11.4, delta=0.1)
        self.assertEqual(len({line["plain"] for line in answer["strata"]}), 1)

    def test_persons_in_households_have_strata_too(self):
        self.policy(unit='within = "house"\nsize = 6')
        answer = self.ask(BY_SIZE, "--epsilon", "0.5")
        self.assertEqual({line["stratum"] for line in answer["noise"]}, {"persons=6", "persons=2", "persons=1"})
        self.assertLessEqual(max(line["dependent"] for line in answer["strata"]), 0.51)
        done = self.run_kith("query", "policy.toml", BY_SIZE.replace("yes", "no"), "--epsilon", "0.6")
        self.assertEqual(done.returncode, 3)
        self.assertIn("an epsilon of at most 0.5", done.stderr)

    def test_a_larger_household_than_its_stratum_says_is_refused(self):
        self.write("people.csv", people([1, 2, 6]) + "99,0,1,A,3,no\n")
        done = self.run_kith("query", "policy.toml", BY_SIZE, "--epsilon", "0.5")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("more members than its stratum declares", done.stderr)

    def test_nobody_changes_the_stratum(self):
        self.policy(data="")
        self.assertIn("hold only while no unit's value changes", self.run_kith("explain", "policy.toml", BY_SIZE, "--epsilon", "1").stderr)
        self.policy()
        self.ask(BY_SIZE, "--epsilon", "0.5")
        self.write("people.csv", people([6, 2, 1] * 100))
        self.assertNotEqual(self.run_kith("import", "policy.toml").returncode, 0)

    def test_strata_can_be_declared_later(self):
        """One size becomes several: what was spent is counted again, by stratum."""
        self.policy(size="6")
        self.ask(BY_SIZE, "--epsilon", "0.5")
        self.policy()
        answer = self.ask(BY_SIZE.replace("yes", "no"), "--epsilon", "0.25")
        self.assertEqual(answer["policy_version"], 2)
        strata = {line["name"]: line for line in answer["strata"]}
        self.assertLess(strata["persons=1"]["dependent"], 0.35)
        self.assertGreater(strata["persons=6"]["dependent"], 0.7)


if __name__ == "__main__":
    unittest.main()
