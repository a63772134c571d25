"""Counts of keys that nobody declared, from the command line."""
import json
import unittest

from kith_case import KithCase

POLICY = """[data]
tables.people = "people.csv"
[unit]
table = "people"
key = "id"
max_rows = {rows}
presence = "secret"
[columns.people]
id      = {{ type = "integer" }}
surname = {{ type = "text" }}
town    = {{ type = "integer" }}
born    = {{ type = "date" }}
ill     = {{ values = ["no", "yes"] }}
[dependence]
source = "public"
{dependence}
[budget]
epsilon = 1.0
ledger = "people.ledger"
{budget}
"""
ALONE = 'kind = "independent"'
SIX = 'kind = "group"\nby = "house"\nsize = 6'
KEYS = "delta = 1e-6\nkeys_delta = 5e-7"
MANY = KEYS + "\nquestions = 1000"  # normal noise from the first question on
ALL = "delta = 1e-6\nkeys_delta = 1e-6"
SURNAMES = ["keys", "--columns", "surname"]
SQL = "SELECT surname, count(*) AS n FROM people GROUP BY surname"


class Keys(KithCase):
    def setUp(self):
        super().setUp()
        # 2000 of each of three surnames, 60 of a fourth, and a separate household of six for each of the last 300 people.
        rows = [(i, 100000 + i, ["Zola", "adams", "Żak"][i % 3]) for i in range(6000)]
        rows += [(10000 + i, 200000 + i, "Rare") for i in range(60)]
        rows += [(20000 + i, i // 6, f"Own{i // 6}") for i in range(300)]
        self.write("people.csv", "id,house,surname,town,born,ill\n" + "".join(f"{i},{house},{name},{i % 2},2000-01-{1 + i % 3:02d},{'yes' if i % 4 else 'no'}\n" for i, house, name in rows))
        self.policy()

    def policy(self, dependence=ALONE, budget=KEYS, rows=1):
        self.write("policy.toml", POLICY.format(dependence=dependence, budget=budget, rows=rows))

    def keys(self, *arguments, epsilon="1"):
        return self.run_kith("analyse", "policy.toml", *arguments, "--epsilon", epsilon)

    def plain(self, found):
        return [[cell["value"] if isinstance(cell, dict) else cell for cell in row] for row in found["answer"]["rows"]]

    def test_a_unit_that_counts_for_one_of_its_keys_does_not_always_count_for_the_same(self):
        """Each of 2000 has both keys. By a fair hash each key has 1000 +- 300 but for a probability of 1e-40."""
        self.write("people.csv", "id,house,surname,town,born,ill\n" + "".join(f"{i},{i},{name},1,2000-01-01,no\n" for i in range(2000) for name in ("Zola", "adams")))
        self.policy(rows=2)
        found = self.json(self.keys(*SURNAMES, "--keys-per-unit", "1", "--json"))
        counts = dict(self.plain(found))
        self.assertEqual(set(counts), {"Zola", "adams"})
        for count in counts.values():
            self.assertAlmostEqual(count, 1000, delta=300 + 100)  # and noise
        self.assertTrue(any("counted for a key" in note for note in found["notes"]), found["notes"])

    def test_a_split_is_refused_by_its_name(self):
        done = self.run_kith("query", "policy.toml", SQL, "--epsilon", "1", "--split", "1")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("takes no split", done.stderr)

    def test_the_first_of_them_says_that_it_fixes_caps(self):
        explained = self.json(self.keys(*SURNAMES, "--explain", "--json", epsilon="0.1"))
        self.assertTrue(any("fixes the caps, for good" in note for note in explained["notes"]), explained["notes"])
        self.json(self.keys(*SURNAMES, "--json", epsilon="0.1"))
        # What was kept for keys is that of the caps, whatever the policy says now.
        self.policy(budget="delta = 2e-6\nkeys_delta = 1e-6")
        explained = self.json(self.keys(*SURNAMES, "--explain", "--json", epsilon="0.2"))
        self.assertFalse(any("fixes the caps" in note for note in explained["notes"]), explained["notes"])
        self.assertTrue(any("a plain delta of 1e-07 of 5e-07 " in note for note in explained["notes"]), explained["notes"])

    def test_keys_of_many_appear_in_code_point_order_with_noisy_counts(self):
        # The threshold is 33 and sigma 6.2: nothing is said about Rare and about households, which may be shown or not.
        self.policy(budget=MANY)
        found = self.json(self.keys(*SURNAMES, "--json"))
        names = [row[0] for row in self.plain(found)]
        self.assertEqual([name for name in names if name in ("Zola", "adams", "Żak")], ["Zola", "adams", "Żak"])
        self.assertEqual(names, sorted(names))
        for row in self.plain(found):
            if row[0] in ("Zola", "adams", "Żak"):
                self.assertAlmostEqual(row[1], 2000, delta=100)
        self.assertEqual(found["details"]["threshold"], 33)
        self.assertEqual(found["noise"][0]["distribution"], "rounded normal")
        self.assertIsNone(found["plain"]["epsilon"])
        self.assertAlmostEqual(found["plain"]["delta"], 5e-7, delta=1e-12)
        self.assertEqual(found["plain"]["delta"], found["details"]["plain_delta"])
        self.assertNotEqual(found["plain"]["delta"], found["with_delta"]["plain_delta"])  # of all answers
        self.assertLessEqual(found["with_delta"]["delta"], 1e-6)
        for claim in ("KEYS-1", "KEYS-2", "KEYS-3", "NORMAL-1", "CAP-1", "CAP-2"):
            self.assertIn(claim, found["claims"])
        self.assertTrue(self.json(self.keys(*SURNAMES, "--json"))["stored"])

    def test_an_explanation_says_the_threshold_and_reads_nothing(self):
        (self.folder / "people.csv").unlink()
        self.policy(budget=MANY)
        text = " ".join(self.ok(self.keys(*SURNAMES, "--explain")).split())
        for part in ("a key appears when about 33 units hold it", "One that is shown does occur", "keys_delta", "affordable", "mu 0.229"):
            self.assertIn(part, text)
        self.policy(SIX, MANY)
        self.assertIn("a key appears when about 204 units hold it", " ".join(self.ok(self.keys(*SURNAMES, "--explain")).split()))

    def test_one_question_has_laplace_noise_beside_a_delta(self):
        for budget, threshold, people in ((KEYS, 28, 33), (ALL, 26, 31)):
            self.policy(budget=budget)
            text = " ".join(self.ok(self.keys(*SURNAMES, "--explain")).split())
            for part in (f"a key appears when about {threshold} units hold it", f"a key with {people} units is shown with 95 %", "Laplace noise, counted at its pure value beside a delta"):
                self.assertIn(part, text)
        self.assertNotIn("with normal noise", text)  # none of the delta is left for it
        self.policy()
        self.assertIn("33 units with Laplace noise and 43 with normal noise", " ".join(self.ok(self.keys(*SURNAMES, "--explain")).split()))
        found = self.json(self.keys(*SURNAMES, "--json", epsilon="0.9"))
        self.assertEqual(found["noise"][0]["distribution"], "discrete laplace")
        self.assertAlmostEqual(found["plain"]["epsilon"], 0.9, places=6)
        self.assertAlmostEqual(found["plain"]["delta"], 0.9 * 5e-7, delta=1e-14)
        self.assertNotIn("mu", found["plain"])
        self.assertNotIn("presence", found["plain"])
        for claim in ("KEYS-2", "KEYS-3", "KEYS-4", "DL-1", "CAP-6"):
            self.assertIn(claim, found["claims"])
        self.assertNotIn("CAP-1", found["claims"])
        for row in self.plain(found):
            if row[0] in ("Zola", "adams", "Żak"):
                self.assertAlmostEqual(row[1], 2000, delta=100)
        self.assertTrue(self.json(self.keys(*SURNAMES, "--json", epsilon="0.9"))["stored"])

    def test_from_the_first_delta_on_everything_states_one(self):
        """Whatever shows a loss shows the policy's delta with it, and not what was used of it, for that is no guarantee."""
        count = "SELECT count(*) AS n FROM people WHERE ill = 'yes'"
        self.policy(budget=ALL)
        self.assertNotIn("with_delta", json.loads(self.ok(self.run_kith("budget", "policy.toml", "--json")))["guarantee"])
        self.json(self.keys(*SURNAMES, "--json", epsilon="0.5"))
        self.write("plan.sql", count + ";\n")
        query, price = ["query", "policy.toml", count], ["--epsilon", "0.25"]
        shown = {
            "explanation": self.run_kith("explain", "policy.toml", count, *price), "keys explained": self.keys(*SURNAMES, "--where", "town = 1", "--explain", epsilon="0.25"),
            "answer": self.run_kith(*query, *price), "stored": self.run_kith(*query, *price), "keys": self.keys(*SURNAMES, epsilon="0.5"), "budget": self.run_kith("budget", "policy.toml"),
            "plan": self.run_kith("plan", "policy.toml", "plan.sql", *price),
        }
        for name, done in shown.items():
            with self.subTest(name):
                text = " ".join(self.ok(done).split())
                self.assertIn("(1, 1e-06)", text)
                self.assertNotIn("presence", text)
        self.assertIn("(0.5, 5e-07) for this answer", " ".join(shown["keys"].stdout.split()))
        self.assertIn("0.25 for this answer", " ".join(shown["answer"].stdout.split()))
        self.assertIn("0.5, delta 5e-07", shown["budget"].stdout)
        budget = json.loads(self.ok(self.run_kith("budget", "policy.toml", "--json")))
        self.assertAlmostEqual(budget["history"][0]["delta_units"], 5e-7 * 2**60, delta=5e-16 * 2**60)
        self.assertAlmostEqual(budget["cells"][0]["delta_spent"], 5e-7, delta=5e-16)
        self.assertAlmostEqual(budget["cells"][0]["delta_cap"], 1e-6, delta=1e-15)
        self.assertAlmostEqual(budget["epsilon_left"], 0.25, places=6)
        for document in (budget["guarantee"], json.loads(self.ok(self.run_kith(*query, *price, "--json"))), json.loads(self.ok(self.run_kith("explain", "policy.toml", count, "--epsilon", "0.2", "--json")))["guarantee"]):
            self.assertAlmostEqual(document["with_delta"]["delta"], 1e-6, delta=1e-12)
            self.assertEqual(document["with_delta"]["mu_cap"], 0)
            self.assertNotIn("pure", document["with_delta"])
        self.refused(self.run_kith("audit", "policy.toml"), 4, "counts with a delta")
        # The policy cannot forget it, nor make it smaller.
        self.policy(budget="")
        self.refused(self.run_kith("query", "policy.toml", count.replace("yes", "no"), *price), 2, "cannot be undone")
        self.assertFalse(json.loads(self.run_kith("explain", "policy.toml", count.replace("yes", "no"), *price, "--json").stdout)["affordable"])
        self.policy(budget="delta = 1e-6\nkeys_delta = 1e-7")
        self.refused(self.run_kith("query", "policy.toml", count.replace("yes", "no"), *price), 3, "allows less")
        self.assertEqual(json.loads(self.ok(self.run_kith("budget", "policy.toml", "--json")))["epsilon_left"], 0)

    def test_normal_noise_after_keys_begins_from_what_is_left(self):
        self.assertEqual(self.json(self.keys(*SURNAMES, "--json", epsilon="0.8"))["noise"][0]["distribution"], "discrete laplace")
        many = self.json(self.ask("SELECT count(*) AS n FROM people WHERE ill = 'yes'", "--epsilon", "0.001", "--json"))
        self.assertEqual(many["noise"][0]["distribution"], "rounded normal")
        self.assertLessEqual(many["with_delta"]["delta"], 1e-6)
        fresh = self.folder / "fresh"
        fresh.mkdir()
        for name in ("policy.toml", "people.csv"):
            (fresh / name).write_text((self.folder / name).read_text())
        whole = json.loads(self.ok(self.run_kith("query", "fresh/policy.toml", "SELECT count(*) AS n FROM people WHERE ill = 'yes'", "--epsilon", "0.001", "--json")))
        self.assertLess(many["with_delta"]["mu_cap"], 0.55 * whole["with_delta"]["mu_cap"])
        # 0.8 of what is kept for keys is gone: 0.1 of it fits, and then 0.2 does not.
        self.assertEqual(self.json(self.keys("keys", "--columns", "town", "--json", epsilon="0.1"))["noise"][0]["distribution"], "rounded normal")
        self.refused(self.keys("keys", "--columns", "born", epsilon="0.2"), 3)
        budget = json.loads(self.ok(self.run_kith("budget", "policy.toml", "--json")))
        self.assertAlmostEqual(budget["cells"][0]["delta_spent"], 0.9 * 5e-7, delta=1e-14)

    def test_all_of_the_delta_for_keys_leaves_laplace_noise_for_the_rest(self):
        self.policy(budget=ALL)
        self.assertEqual(self.json(self.ask("SELECT count(*) AS n FROM people", "--epsilon", "0.01", "--json"))["noise"][0]["distribution"], "discrete laplace")
        for k in range(9):
            self.ok(self.keys("keys", "--columns", "surname", "--where", f"town = {k}", epsilon="0.1"))
        self.refused(self.keys("keys", "--columns", "surname", "--where", "town = 9", epsilon="0.1"), 3, "0.09")
        budget = json.loads(self.ok(self.run_kith("budget", "policy.toml", "--json")))
        self.assertAlmostEqual(budget["guarantee"]["with_delta"]["delta"], 1e-6, delta=1e-12)
        self.assertEqual(budget["guarantee"]["with_delta"]["mu_cap"], 0)

    def test_a_surname_that_a_household_shares_does_not_appear(self):
        # One of 50 households is shown with a probability of at most 50 * 1e-12.
        self.policy(SIX, "delta = 1e-12\nkeys_delta = 5e-13")
        names = [row[0] for row in self.plain(self.json(self.keys(*SURNAMES, "--json")))]
        self.assertEqual([name for name in names if name in ("Zola", "adams", "Żak")], ["Zola", "adams", "Żak"])
        self.assertFalse([name for name in names if name.startswith("Own")])

    def test_whole_numbers_dates_and_several_columns(self):
        found = self.json(self.keys("keys", "--columns", "town,born", "--where", "ill = 'yes'", "--json", epsilon="0.5"))
        self.assertEqual([row[:2] for row in self.plain(found)], [[town, f"2000-01-{day:02d}"] for town in (0, 1) for day in (1, 2, 3)])
        self.assertEqual(found["answer"]["columns"], ["town", "born", "n"])

    def test_sql_asks_for_the_same(self):
        found = self.json(self.ask(SQL, "--epsilon", "0.5", "--json"))
        self.assertLessEqual({"Zola", "adams", "Żak"}, {row[0] for row in self.plain(found)})
        self.assertEqual(found["answer"]["columns"], ["surname", "n"])
        self.assertEqual(found["details"]["analysis"], "keys")
        self.refused(self.ask("SELECT surname, avg(town) AS n FROM people GROUP BY surname", "--epsilon", "0.1"), 4, "only counts")
        self.refused(self.ask(SQL + " ORDER BY n DESC LIMIT 3", "--epsilon", "0.1"), 4, "without HAVING, ORDER BY and LIMIT")
        self.policy(rows=2)
        self.refused(self.ask(SQL, "--epsilon", "0.1"), 4, "count(DISTINCT id)")
        explained = self.ok(self.run_kith("explain", "policy.toml", SQL.replace("*", "DISTINCT id"), "--epsilon", "0.1"))
        self.assertIn("keys_delta", explained)

    def test_pure_budgets_refuse_and_offer_declared_cells(self):
        for budget in ("", "delta = 1e-6"):
            self.policy(budget=budget)
            self.refused(self.keys(*SURNAMES), 4, "keeps a part of a delta", "kith analyse POLICY cells")
            self.refused(self.ask(SQL, "--epsilon", "1"), 4, "needs declared values", "under a budget with a delta", "kith analyse POLICY keys")
        self.policy()
        self.refused(self.keys("keys", "--columns", "ill"), 4, "no delta is needed")
        self.refused(self.keys("keys", "--columns", "id"), 4, "one unit")
        self.refused(self.keys("keys", "--columns", "surname", "--keys-per-unit", "2"), 2, "--keys-per-unit")
        self.assertEqual(self.spent(), 0)

    def test_both_budgets_end(self):
        for k in range(4):
            self.ok(self.keys("keys", "--columns", "surname", "--where", f"town = {k}", epsilon="0.25"))
        done = self.keys("keys", "--columns", "surname", "--where", "town = 9", epsilon="0.25")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(self.run_kith("query", "policy.toml", "SELECT count(*) AS n FROM people", "--epsilon", "0.1").returncode, 3)
        budget = json.loads(self.ok(self.run_kith("budget", "policy.toml", "--json")))
        self.assertLessEqual(budget["guarantee"]["with_delta"]["delta"], 1e-6)
        self.assertLess(budget["epsilon_left"], 1e-6)

    def test_a_ledger_without_a_part_for_keys_refuses_them_for_good(self):
        self.policy(budget="delta = 1e-6\nquestions = 1000")
        self.ok(self.run_kith("query", "policy.toml", "SELECT count(*) AS n FROM people", "--epsilon", "0.001"))
        self.policy()
        self.refused(self.keys(*SURNAMES, epsilon="0.1"), 3)

    def test_a_unit_counts_for_as_many_keys_as_was_said(self):
        self.write("people.csv", "id,house,surname,town,born,ill\n" + "".join(f"{i // 2},{i},{'AB'[i % 2]},0,2000-01-01,no\n" for i in range(8000)))
        self.policy(rows=2)
        both = self.plain(self.json(self.keys(*SURNAMES, "--json", epsilon="0.4")))
        self.assertAlmostEqual(sum(row[1] for row in both), 8000, delta=400)
        one = self.json(self.keys(*SURNAMES, "--keys-per-unit", "1", "--json", epsilon="0.4"))
        self.assertAlmostEqual(sum(row[1] for row in self.plain(one)), 4000, delta=400)
        self.assertEqual(one["details"]["keys_of_one_unit"], 1)

    def test_a_terminal_is_not_steered_by_keys(self):
        self.write("people.csv", "id,house,surname,town,born,ill\n" + "".join(f"{i},{i},\x1b[2J\u202eevil,0,2000-01-01,no\n" for i in range(3000)))
        text = self.ok(self.keys(*SURNAMES))
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\u202e", text)
        self.assertIn("\\x1b[2J\\u202eevil", text)


if __name__ == "__main__":
    unittest.main()
