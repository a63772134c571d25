"""Two losses of every answer, by presence and by any change, and a budget that counts the first."""
import json
import unittest

from kith_case import KithCase

POLICY = """[data]
tables.people = "people.csv"
[unit]
table = "people"
key = "id"
max_rows = 1
presence = "{presence}"
[columns.people]
house = {{ type = "integer", public = true }}
ward = {{ values = ["A", "B", "C"], public = true, required = true }}
age = {{ lower = 0, upper = 120 }}
ill = {{ values = ["no", "yes"] }}
[dependence]
source = "public"
{dependence}
[budget]
epsilon = 1.0
ledger = "people.ledger"
{neighbours}
"""
ADD_OR_REMOVE = 'neighbours = "add-or-remove"'
BY_ILL = "SELECT ill, count(*) AS n FROM people GROUP BY ill"


class AddOrRemove(KithCase):
    def policy(self, neighbours=ADD_OR_REMOVE, presence="secret", dependence='kind = "independent"', name="policy.toml"):
        self.write(name, POLICY.format(neighbours=neighbours, presence=presence, dependence=dependence))

    def json(self, *arguments):
        done = self.run_kith(*arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def query(self, epsilon, sql=BY_ILL):
        return self.json("query", "policy.toml", sql, "--epsilon", epsilon)

    def test_the_same_price_buys_half_the_noise_of_secret_groups(self):
        scales = {}
        for neighbours in ("", ADD_OR_REMOVE):
            self.policy(neighbours)
            explained = self.json("explain", "policy.toml", BY_ILL, "--epsilon", "0.5")
            scales[neighbours] = explained["statistics"][0]["scale"]
            plain = explained["plain"]
            self.assertEqual(plain["epsilon"], 2 * plain["presence"]["epsilon"])
            self.assertEqual(explained["guarantee"]["presence"]["limited"], neighbours != "")
        self.assertEqual(scales[""], 4)
        self.assertEqual(scales[ADD_OR_REMOVE], 2)  # as with libraries that count neighbours this way: 1 / 0.5

    def test_the_budget_counts_presence(self):
        self.policy()
        first = self.query("0.5")
        self.assertEqual(first["plain"]["epsilon"], 1)
        self.assertEqual(first["plain"]["presence"], {"epsilon": 0.5, "spent_total": 0.5, "limited": True})
        self.assertEqual(first["dependent"]["epsilon_total"], 1)  # of any change
        self.assertIn("ADDREM-1", first["claims"])
        self.assertIn("add or remove", first["neighbours"])
        self.query("0.5", BY_ILL.replace("people", "people WHERE age > 30"))
        refused = self.run_kith("query", "policy.toml", "SELECT count(*) FROM people", "--epsilon", "0.1")
        self.assertEqual(refused.returncode, 3, refused.stderr)
        budget = self.json("budget", "policy.toml")
        self.assertEqual(budget["epsilon_left"], 0)
        self.assertEqual(budget["guarantee"]["presence"], {"plain": 1, "limited": True})
        self.assertEqual(budget["guarantee"]["plain"], 2)
        self.assertEqual(budget["dependent_total"], 2)
        self.assertEqual([(line["plain_units"], line["presence_units"]) for line in budget["history"]], [(2**32, 2**31)] * 2)
        shown = self.run_kith("budget", "policy.toml").stdout
        self.assertRegex(shown, "charged for +plain spent +presence +budget +dependent")
        self.assertRegex(" ".join(shown.split()), "at most 2 of dependent loss.*; the budget limits presence to 1")

    def test_certificates_and_explanations_say_both(self):
        for neighbours, limits in (("", "of being in the table; the other losses are of any change to a record"),
                                   (ADD_OR_REMOVE, "which is what the budget limits")):
            self.policy(neighbours)
            for verb, when in (("explain", "question"), ("query", "answer")):
                text = " ".join(self.run_kith(verb, "policy.toml", BY_ILL, "--epsilon", "0.125").stdout.split())
                amount = "0.125" if neighbours else "0.0625"
                self.assertIn(f"presence {amount} for this {when};", text)
                self.assertIn(limits, text)
        # Where presence is public there is nothing to say about it.
        self.policy("", presence="public")
        self.assertNotIn("presence ", self.run_kith("explain", "policy.toml", BY_ILL, "--epsilon", "0.5").stdout)

    def test_a_question_without_secret_groups_loses_the_same_by_both(self):
        self.policy()
        for sql in ("SELECT ward, count(*) AS n FROM people GROUP BY ward", "SELECT sum(age) AS s FROM people",
                    "SELECT quantile_cont(age, 0.9) AS q FROM people"):
            plain = self.json("explain", "policy.toml", sql, "--epsilon", "0.25")["plain"]
            self.assertEqual(plain["epsilon"], plain["presence"]["epsilon"], sql)
            self.assertLessEqual(plain["epsilon"], 0.25)
        # One person more or less moves a median's rank by half a row, somebody who changes sides by a whole one.
        plain = self.json("explain", "policy.toml", "SELECT median(age) AS m FROM people", "--epsilon", "0.25")["plain"]
        self.assertEqual((plain["presence"]["epsilon"], plain["epsilon"]), (0.25, 0.5))

    def test_the_choice_may_change_and_counts_for_all_that_was_spent(self):
        self.policy("")
        self.query("1")  # presence 0.5, content 1
        self.assertEqual(self.run_kith("query", "policy.toml", "SELECT count(*) FROM people", "--epsilon", "0.5").returncode, 3)
        self.policy()
        again = self.query("0.5")
        self.assertTrue(again["stored"], "the same noise: it was bought before")
        self.query("0.5", "SELECT count(*) FROM people")
        self.assertEqual(self.json("budget", "policy.toml")["guarantee"]["policy_version"], 2)
        self.policy("")
        budget = self.json("budget", "policy.toml")
        self.assertEqual(budget["epsilon_left"], 0)
        self.assertEqual(budget["guarantee"]["plain"], 1.5)

    def test_the_new_ledger_of_a_carried_one_has_both(self):
        self.policy()
        self.query("0.5")
        text = (self.folder / "policy.toml").read_text()
        self.write("next.toml", text.replace("people.ledger", "next.ledger"))
        carried = self.run_kith("ledger", "carry", "policy.toml", "next.toml")
        self.assertEqual(carried.returncode, 0, carried.stderr)
        guarantee = self.json("budget", "next.toml")["guarantee"]
        self.assertEqual((guarantee["plain"], guarantee["presence"]["plain"]), (1, 0.5))

    def test_where_records_depend_it_is_refused(self):
        self.policy(dependence='kind = "group"\nby = "house"\nsize = 3')
        refused = self.run_kith("explain", "policy.toml", BY_ILL, "--epsilon", "0.5")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("records depend on each other (group)", " ".join(refused.stderr.split()))


if __name__ == "__main__":
    unittest.main()
