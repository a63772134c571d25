"""Budgets with a delta: caps that are fixed with the first charge that needs them, normal noise, and what certificates say."""
import json
import math
import unittest

from kith_case import KithCase

POLICY = """[data]
tables.people = "people.csv"
{data}
[unit]
table = "people"
{unit}
presence = "{presence}"
[columns.people]
id    = {{ type = "integer", public = true }}
house = {{ type = "integer", public = true }}
ward  = {{ values = ["A", "B", "C"], public = true, required = true }}
{secret}
[dependence]
source = "public"
{dependence}
{extra}
[budget]
epsilon = 1.0
ledger = "people.ledger"
{budget}
"""
KEY = 'key = "id"\nmax_rows = 1'
SIX = 'kind = "group"\nby = "house"\nsize = 6\nodds_ratio = 4'
ILL = "SELECT count(*) AS n FROM people WHERE ill = 'yes'"
DELTA = "delta = 1e-6"
SECRET = 'age   = { lower = 0, upper = 120 }\nill   = { values = ["no", "yes"] }'


class Delta(KithCase):
    def policy(self, budget=DELTA, dependence='kind = "independent"', unit=KEY, extra="", data="", presence="public", secret=SECRET, name="policy.toml"):
        self.write(name, POLICY.format(budget=budget, dependence=dependence, unit=unit, extra=extra, data=data, presence=presence, secret=secret))

    def json(self, *arguments):
        done = self.run_kith(*arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def query(self, epsilon, sql=ILL, policy="policy.toml"):
        return self.json("query", policy, sql, "--epsilon", epsilon)

    def refused(self, *arguments):
        done = self.run_kith(*arguments)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        return done.stderr

    def test_a_question_that_costs_everything_stays_pure(self):
        self.policy()
        explained = self.json("explain", "policy.toml", ILL, "--epsilon", "1")
        self.assertEqual(explained["plain"]["epsilon"], 1)
        self.assertTrue(any("Laplace noise at its pure value" in note for note in explained["notes"]), explained["notes"])
        answer = self.query("1")
        self.assertEqual(answer["noise"][0]["distribution"], "discrete laplace")
        self.assertNotIn("with_delta", answer)
        self.assertEqual(answer["dependent"]["epsilon_total"], 1)

    def test_many_cheap_questions_get_normal_noise_and_caps(self):
        self.policy(dependence=SIX)
        explained = self.json("explain", "policy.toml", ILL, "--epsilon", "0.001")
        answer = self.query("0.001")
        line = answer["noise"][0]
        self.assertEqual(line["distribution"], "rounded normal")
        # A thousand counts in households of six at a dependent (1, 1e-6): docs/guide/which_noise.md.
        self.assertAlmostEqual(line["scale"], 761, delta=8)
        self.assertAlmostEqual(explained["statistics"][0]["scale"], line["scale"])
        self.assertIsNone(answer["plain"]["epsilon"])
        with_delta = answer["with_delta"]
        self.assertEqual(with_delta["epsilon"], 1)
        self.assertLessEqual(with_delta["delta"], 1e-6)
        self.assertGreater(with_delta["delta"], 0.9e-6)
        self.assertNotIn("pure", with_delta)
        # The delta of one answer is its own, which normal and pure noise have none of; the other is about all answers.
        self.assertEqual((answer["plain"]["delta"], answer["plain"]["epsilon"]), (0, None))
        self.assertGreater(with_delta["plain_delta"], 0)
        pure = self.query("0.001", "SELECT median(age) AS m FROM people")
        self.assertEqual(pure["plain"]["delta"], 0)
        self.assertIsNotNone(pure["plain"]["epsilon"])
        self.assertEqual(self.query("0.001")["plain"], answer["plain"])  # as it was stored
        self.assertGreater(len(with_delta["curve"]), 2)
        self.assertAlmostEqual(with_delta["mu_spent"] ** 2, with_delta["mu_cap"] ** 2 / 1000, delta=with_delta["mu_cap"] ** 2 / 50000)
        for claim in ("CAP-1", "CAP-2", "CAP-4", "NORMAL-1", "PLAN-4", "FILTER-1"):
            self.assertIn(claim, answer["claims"])
        budget = self.json("budget", "policy.toml")
        self.assertAlmostEqual(budget["epsilon_left"], 0.998, places=4)
        self.assertEqual(self.query("0.001")["stored"], True)

    def test_no_pair_of_a_curve_says_less_than_another(self):
        for budget in (DELTA, DELTA + "\nkeys_delta = 5e-7"):
            with self.subTest(budget):
                self.policy(dependence=SIX, budget=budget)
                found = self.json("explain", "policy.toml", ILL, "--epsilon", "0.001")["guarantee"]["with_delta"]
                pairs = sorted([(at["epsilon"], at["delta"]) for at in found["curve"]])
                self.assertTrue(all(a[1] > b[1] for a, b in zip(pairs, pairs[1:])), pairs)
                self.assertTrue(all(delta < found["delta"] for epsilon, delta in pairs if epsilon >= found["epsilon"]), pairs)

    def test_secret_groups_cost_the_root_of_two(self):
        self.policy()
        by_ill = "SELECT ill, count(*) AS n FROM people GROUP BY ill"
        one = self.json("explain", "policy.toml", ILL, "--epsilon", "0.001")["statistics"][0]["scale"]
        two = self.json("explain", "policy.toml", by_ill, "--epsilon", "0.001")["statistics"][0]["scale"]
        self.assertAlmostEqual(two / one, math.sqrt(2), places=3)

    def test_the_switch_keeps_what_was_spent_and_cannot_be_undone(self):
        self.policy(budget="")
        self.query("0.5")
        self.policy()
        answer = self.query("0.001", ILL.replace("yes", "no"))
        self.assertEqual(answer["noise"][0]["distribution"], "rounded normal")
        fresh = self.folder / "fresh"
        fresh.mkdir()
        self.policy(name="fresh/policy.toml")
        (fresh / "people.csv").write_text((self.folder / "people.csv").read_text())
        whole = self.json("query", "fresh/policy.toml", ILL, "--epsilon", "0.001")
        # Half of the plain loss is gone: less than half of the Gaussian loss is left.
        self.assertLess(answer["with_delta"]["mu_cap"], 0.55 * whole["with_delta"]["mu_cap"])
        self.assertLessEqual(answer["with_delta"]["delta"], 1e-6)
        self.policy(budget="")
        self.assertIn("cannot be undone", self.refused("query", "policy.toml", "SELECT count(*) FROM people WHERE age > 50", "--epsilon", "0.1"))
        self.assertIn("with_delta", self.json("budget", "policy.toml")["guarantee"])
        # A smaller delta than the caps were fixed for is no longer kept by them.
        self.policy(budget="delta = 1e-9")
        other = ["SELECT count(*) FROM people WHERE age > 50", "--epsilon", "0.001"]
        refused = " ".join(self.refused("query", "policy.toml", *other).split())
        self.assertIn("allows less", refused)
        self.assertIn("go back to an epsilon", refused)  # no smaller price would do
        self.assertNotIn("is left for this question", refused)
        # What is said before agrees.
        explained = json.loads(self.run_kith("explain", "policy.toml", *other, "--json").stdout)
        self.assertFalse(explained["affordable"])
        self.assertIn("allows less", explained["refusal"])
        budget = self.json("budget", "policy.toml")
        self.assertEqual([budget["epsilon_left"], *(cell["epsilon_left"] for cell in budget["cells"])], [0] * (1 + len(budget["cells"])))
        self.assertIn("allows less than the caps", " ".join(self.run_kith("budget", "policy.toml").stdout.split()))
        self.policy()
        self.assertGreater(self.json("budget", "policy.toml")["epsilon_left"], 0.99)

    def test_a_better_answer_from_before_the_switch_is_free(self):
        self.policy()
        before = self.query("0.5")
        self.assertEqual(before["noise"][0]["distribution"], "discrete laplace")
        self.assertIn("with_delta", self.query("0.001", ILL.replace("yes", "no")))
        again = self.query("0.001")  # normal noise of this price is far wider
        self.assertTrue(again["stored"])
        self.assertEqual(again["noise"][0]["distribution"], "discrete laplace")
        self.assertEqual(again["answer"]["rows"][0], before["answer"]["rows"][0])

    def test_an_explanation_shows_the_gaussian_loss_of_normal_noise(self):
        self.policy()
        text = " ".join(self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.01").stdout.split())
        self.assertIn("mu 0.02", text)
        self.assertIn("1 % of the budget", text)

    def test_a_plan_of_a_thousand_sums_is_convolved(self):
        # Each by itself: counts would be read from a few tables, with less noise still. docs/guide/which_noise.md: 189 and 1075 in place of 1414 and 8044.
        self.write("many.sql", "".join(f"SELECT sum(CASE WHEN age * 9 % 1009 > {k} THEN 1 ELSE 0 END) AS n FROM people;\n" for k in range(1000)))
        for dependence, deviation in (('kind = "independent"', 189), (SIX, 1075)):
            self.policy(dependence=dependence)
            explained = self.json("plan", "policy.toml", "many.sql", "--epsilon", "1")
            self.assertEqual(len(explained["statistics"]), 1000)
            for line in explained["statistics"]:
                self.assertAlmostEqual(line["scale"] * math.sqrt(2), deviation, delta=0.01 * deviation)
            self.assertLessEqual(explained["guarantee"]["with_delta"]["delta"], 1e-6)

    def test_the_budget_ends_at_the_caps(self):
        self.policy()
        self.query("0.1")
        for k in range(3):
            self.query("0.25", f"SELECT count(*) AS n FROM people WHERE age > {10 * k}")
        done = self.run_kith("query", "policy.toml", "SELECT count(*) AS n FROM people WHERE age > 77", "--epsilon", "0.5")
        self.assertEqual(done.returncode, 3, done.stderr)

    # What each policy has that goes with no delta, and what the refusal says of it.
    DISTANCE = {"unit": KEY + '\ndistance = { columns = ["age"], metric = "euclidean", delta = 1 }', "secret": "age = { lower = 0, upper = 120, required = true }"}
    WITHOUT_DELTA = [
        ("a distance", DISTANCE, "a loss per distance"),
        ("lipschitz", {**DISTANCE, "dependence": 'kind = "lipschitz"\ninfluence = [[0, 0.2], [0.2, 0]]'}, "a loss per distance"),
        ("a stream", {"extra": '[stream]\ntime = "age"\nstep = 1\nwindow = 2', "secret": "age = { type = \"integer\" }"}, "windows of a stream"),
        ("households", {"unit": KEY + '\nwithin = "house"\nsize = 6'}, "persons in households"),
        ("add-or-remove", {"presence": "secret", "more": 'neighbours = "add-or-remove"'}, "add-or-remove"),
        ("unproven", {"secret": 'ill = { values = ["no", "yes"], required = true }', "dependence": 'accept = "unproven"\nkind = "pairs"\ntable = [[0.8, 0.2], [0.3, 0.7]]\ndegree = 2'}, "is not proved"),
        ("one-sided", {"extra": "[one_sided]\nsensitive = \"ill = 'yes'\"\nepsilon = 5.0"}, "true records have no delta"),
        ("caps of cells", {"caps": '[budget.caps]\n"ward=A" = 0.1'}, "nobody ever changes the cell"),
    ]

    def accepted(self, unseen=None):
        """The policies of WITHOUT_DELTA that kith accepts with a delta. `unseen`: a check that does not see the delta, or not what else is there."""
        accepted = []
        for name, change, words in self.WITHOUT_DELTA:
            change = {"more": "", "caps": "", **({} if unseen == "change" else change)}
            delta = "" if unseen == "delta" else DELTA
            if unseen == "delta" and change["caps"]:
                change["caps"] = ""  # caps without a delta are refused for that
            self.policy(budget="\n".join([change.pop("more"), delta, change.pop("caps")]), **change)
            done = self.run_kith("budget", "policy.toml")
            if done.returncode == 0:
                accepted.append(name)
            else:
                self.assertIn(words, " ".join(done.stderr.split()), name)
        return accepted

    def test_what_has_no_delta_refuses_it_by_name(self):
        self.assertEqual(self.accepted(), [])
        for budget, words in [("delta = 0.5", "between"), ("delta = 1e-6\nkeys_delta = 2e-6", "larger than delta"), ("questions = 10", "belongs to a budget with a delta")]:
            self.policy(budget=budget)
            self.assertIn(words, self.refused("budget", "policy.toml"))
        self.policy(budget='delta = 1e-6\n[budget.caps]\n"ward=D" = 0.1', data='public_columns = "fixed"')
        self.assertIn("names no cell", self.refused("budget", "policy.toml"))

    def test_the_check_above_sees_policies_that_are_wrongly_accepted(self):
        # Whether the delta or the other part is overlooked: every one of these policies is then accepted, and named. Nothing else is wrong with it.
        everything = [name for name, _, _ in self.WITHOUT_DELTA]
        self.assertEqual(self.accepted("delta"), everything)
        self.assertEqual(self.accepted("change"), everything)

    def test_caps_of_cells(self):
        self.policy(budget='delta = 1e-6\n[budget.caps]\n"ward=A" = 0.1', data='public_columns = "fixed"')
        self.query("0.001")
        caps = {cell["name"]: cell["mu_cap"] for cell in self.json("budget", "policy.toml")["cells"]}
        self.assertAlmostEqual(caps["ward=A"], 0.1, places=6)
        self.assertGreater(caps["ward=B"], 0.2)


if __name__ == "__main__":
    unittest.main()
