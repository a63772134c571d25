"""Persons and households under one ledger, from the command line."""
import json
import unittest

from kith_case import KithCase

POLICY = """[data]
tables.people = "people.csv"
[unit]
table = "people"
key = "id"
max_rows = {rows}
presence = "public"
within = "house"
size = {size}
[columns.people]
house = {{ type = "integer", public = true }}
ward = {{ values = ["A", "B"], public = true, required = true }}
street = {{ type = "integer", public = true }}
age = {{ lower = 0, upper = 100 }}
ill = {{ values = ["no", "yes"] }}
[dependence]
source = "public"
{dependence}
[budget]
epsilon = {epsilon}
ledger = "{ledger}"
{more}
"""
INSIDE = 'kind = "group"\nby = "house"\nsize = 3'
HOMES = "SELECT count(DISTINCT house) AS n FROM people WHERE ill = 'yes'"
PERSONS = "SELECT count(*) AS n FROM people WHERE ill = 'yes'"


class Nested(KithCase):
    """200 persons: 60 households of three and 20 persons without one; the first of each household is in ward A, the others in ward B."""

    def setUp(self):
        super().setUp()
        rows = []
        for i in range(200):
            house = str(i // 3) if i < 180 else ""
            rows.append(f"{i},{house},{'A' if i % 3 == 0 else 'B'},{i // 6 + (i == 0)},{i % 100},{'yes' if i % 6 in (0, 1) else 'no'}\n")
        self.write("people.csv", "id,house,ward,street,age,ill\n" + "".join(rows))
        self.policy()

    def policy(self, size=3, dependence='kind = "independent"', epsilon=1.0, more="", rows=1, ledger="people.ledger"):
        self.write("policy.toml", POLICY.format(size=size, dependence=dependence, epsilon=epsilon, more=more, rows=rows, ledger=ledger))

    def ask(self, sql, *more):
        done = self.run_kith("query", "policy.toml", sql, "--json", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def budget(self):
        return json.loads(self.run_kith("budget", "policy.toml", "--json").stdout)

    def test_both_losses_are_counted_and_printed(self):
        first = self.ask(PERSONS, "--epsilon", "0.125")
        self.assertEqual(first["unit"], "person")
        self.assertEqual((first["plain"]["spent_total"], first["household"]["plain"]), (0.125, 0.375))
        second = self.ask(HOMES, "--unit", "household", "--epsilon", "0.25")
        self.assertEqual(second["unit"], "household")
        self.assertEqual((second["plain"]["spent_total"], second["household"]["plain"]), (0.375, 0.625))
        self.assertEqual((second["household"]["level"], second["household"]["size"], second["household"]["allowed"]), ("house", 3, None))
        self.assertIn("NEST-1", second["claims"])
        budget = self.budget()
        self.assertEqual([line["unit"] for line in budget["history"]], ["person", "household"])
        self.assertEqual([line["cells"] for line in budget["history"]], [2, 2])
        self.assertEqual({cell["plain_household"] for cell in budget["cells"]}, {0.25})
        self.assertEqual(budget["guarantee"]["household"]["plain"], 0.625)
        text = self.run_kith("budget", "policy.toml").stdout
        self.assertIn("about households: SELECT count(DISTINCT house)", text)
        self.assertRegex(text, r"0\.625\S* in all, of a household")
        shown = self.run_kith("query", "policy.toml", HOMES, "--unit", "household", "--epsilon", "0.25").stdout
        self.assertIn("asked before", shown)
        self.assertRegex(shown, r"0\.25\S* for this answer, of a household; 0\.375\S* in all, of a person")

    def test_the_level_is_part_of_the_question(self):
        self.policy(epsilon=100)
        person = self.ask(PERSONS, "--epsilon", "1")
        household = self.ask(PERSONS, "--unit", "household", "--epsilon", "1")
        self.assertFalse(household["stored"])
        self.assertEqual(household["noise"][0]["sensitivity"], 3 * person["noise"][0]["sensitivity"])
        self.assertTrue(self.ask(PERSONS, "--unit", "household", "--epsilon", "1")["stored"])
        self.assertTrue(self.ask(PERSONS, "--unit", "person", "--epsilon", "1")["stored"])

    def test_answers_are_near_the_truth(self):
        # Households with somebody ill: those whose first person has an even number; a person without one is in none.
        for rows in (1, 2):
            self.policy(epsilon=100000, rows=rows, ledger=f"{rows}.ledger")
            for sql, expected in ((HOMES, [[30]]), ("SELECT count(*) AS n FROM people WHERE ill = 'yes'", [[68]]),
                                  ("SELECT ward, count(DISTINCT house) AS n FROM people WHERE ill = 'yes' GROUP BY ward", [["A", 30], ["B", 30]]),
                                  ("SELECT ill, count(DISTINCT house) AS n, count(DISTINCT id) AS m FROM people GROUP BY ill", [["no", 60, 132], ["yes", 30, 68], [None, 0, 0]])):
                self.assertEqual(self.ask(sql, "--unit", "household", "--epsilon", "10000")["answer"]["rows"], expected)

    def test_households_have_a_row_each(self):
        # Of 60 households of three, every other one has two cases and the others none.
        cases = "(SELECT house, count(*) AS members, count(*) FILTER (WHERE ill = 'yes') AS cases, bool_or(ill = 'yes') AS hit FROM people GROUP BY house) AS h"
        attack = "sum(greatest(cases - 1, 0)) AS others, sum(members - 1) AS exposed"
        # One person changes a sum of cases by 1, a condition on cases by the whole row; a household one row, whatever is asked.
        for sql, expected, of_person, of_household in (
                (f"SELECT sum(cases) AS n FROM {cases}", [[60]], [1], [3]), (f"SELECT avg(cases) AS n, count(*) AS homes FROM {cases}", [[1, 60]], [1], [3]),
                (f"SELECT count(*) AS n FROM {cases} WHERE hit", [[30]], [1], [1]), (f"SELECT cases, count(*) AS n FROM {cases} GROUP BY cases", [[0, 30], [1, 0], [2, 30], [3, 0]], [2], [2]),
                (f"SELECT members, sum(cases) AS n FROM {cases} GROUP BY members", [[1, 0], [2, 0], [3, 60]], [1], [3]), (f"SELECT {attack} FROM {cases} WHERE cases > 0", [[30, 60]], [2, 2], [2, 2]),
                (f"SELECT cases, count(*) AS n FROM {cases} GROUP BY cases HAVING count(*) > 10", [[0, 30], [2, 30]], [2], [2])):
            self.policy(epsilon=1000000, ledger=f"{abs(hash(sql))}.ledger", dependence=INSIDE)
            for unit, changes in (("person", of_person), ("household", of_household)):
                answer = self.ask(sql, "--unit", unit, "--epsilon", "100000")
                self.assertEqual(answer["answer"]["rows"], expected, sql)
                self.assertEqual([line["sensitivity"] for line in answer["noise"] if line["sensitivity"]], changes, (sql, unit))
            self.assertEqual([line["unit"] for line in self.budget()["history"]], ["person", "household"])

    def test_a_question_must_fit_both_budgets(self):
        self.policy(more="[budget.household]\nepsilon = 1.5")
        self.ask(PERSONS, "--epsilon", "0.375")  # 1.125 of a household
        self.refused(self.run_kith("query", "policy.toml", "SELECT house, count(*) FROM people GROUP BY house", "--epsilon", "0.01"), 4, "would show every household by itself",
                     "count(DISTINCT house)")
        refused = self.run_kith("query", "policy.toml", "SELECT avg(age) FROM people", "--epsilon", "0.25")
        self.refused(refused, 3, "an epsilon of at most 0.125 is left")
        explained = json.loads(self.run_kith("explain", "policy.toml", "SELECT avg(age) FROM people", "--epsilon", "0.25", "--json").stdout)
        self.assertFalse(explained["affordable"])
        self.assertIn("household", explained["refusal"])
        self.assertEqual((explained["household_before"], explained["guarantee"]["household"]["plain"]), (1.125, 1.875))
        self.ask(HOMES, "--unit", "household", "--epsilon", "0.375")
        self.assertEqual(self.budget()["guarantee"]["household"], {
            "level": "house", "size": 3, "plain": 1.5, "dependent": 1.5, "allowed": 1.5,
            "neighbours": "replace the records of all persons of one household; public columns are kept"})
        self.refused(self.run_kith("query", "policy.toml", HOMES.replace("yes", "no"), "--unit", "household", "--epsilon", "0.01"), 3, "nothing is left")

    def test_dependence_inside_the_household_costs_questions_about_it_nothing(self):
        self.policy(dependence=INSIDE)
        answer = self.ask(HOMES, "--unit", "household", "--epsilon", "0.4")
        self.assertEqual((answer["plain"]["epsilon"], answer["dependent"]["epsilon_total"], answer["dependent"]["bound"]),
                         (answer["household"]["plain"], answer["household"]["plain"], "household"))
        answer = self.ask(PERSONS, "--epsilon", "0.3")  # a third of that for each of three persons
        self.assertAlmostEqual(answer["plain"]["epsilon"], 0.1, 6)
        self.assertAlmostEqual(answer["dependent"]["epsilon_total"], 0.7, 6)
        self.refused(self.run_kith("query", "policy.toml", HOMES, "--unit", "household", "--epsilon", "0.5"), 3, "is left")
        self.ask(HOMES, "--unit", "household", "--epsilon", "0.25")

    def test_households_that_depend_on_each_other(self):
        self.policy(dependence='unit = "household"\nkind = "group"\nby = "street"\nsize = 6')
        self.refused(self.run_kith("query", "policy.toml", HOMES, "--unit", "household", "--epsilon", "0.4"), 2, "different groups of households")
        table = (self.folder / "people.csv").read_text()
        self.write("people.csv", table.replace("0,0,A,1,", "0,0,A,0,", 1))
        self.policy(dependence='unit = "household"\nkind = "group"\nby = "street"\nsize = 1')
        self.refused(self.run_kith("query", "policy.toml", HOMES, "--unit", "household", "--epsilon", "0.4"), 2, "more than 1 member")
        # Two households in a street, or six persons who are each a household of one.
        self.policy(dependence='unit = "household"\nkind = "group"\nby = "street"\nsize = 6')
        answer = self.ask(HOMES, "--unit", "household", "--epsilon", "0.4")
        self.assertAlmostEqual(answer["household"]["plain"], 0.4 / 6, 6)
        self.assertAlmostEqual(answer["household"]["dependent"], 0.4, 6)
        self.assertAlmostEqual(answer["dependent"]["epsilon_total"], 0.4, 6)

    def test_rows_beyond_the_limit_do_not_show(self):
        lines = (self.folder / "people.csv").read_text().splitlines(keepends=True)
        self.write("people.csv", "".join(lines[:3] + [lines[1]] + lines[3:]))
        answer = self.ask("SELECT count(DISTINCT house) AS n FROM people WHERE age >= 0", "--unit", "household", "--epsilon", "1")
        self.assertEqual(len(answer["answer"]["rows"]), 1)

    def test_one_household_has_one_size(self):
        self.policy(dependence=INSIDE.replace("3", "4"))
        self.refused(self.run_kith("query", "policy.toml", HOMES, "--unit", "household", "--epsilon", "1"), 2, "same size in both")

    def test_a_household_larger_than_declared_is_refused(self):
        self.policy(size=2)
        self.refused(self.run_kith("query", "policy.toml", PERSONS, "--epsilon", "0.1"), 2, "a household with more than 2 persons")

    def test_nobody_changes_the_household(self):
        self.ask(PERSONS, "--epsilon", "0.125")
        table = (self.folder / "people.csv").read_text()
        self.write("people.csv", table.replace("\n0,0,A,", "\n0,,A,", 1))
        self.refused(self.run_kith("import", "policy.toml"), 2, "another group")

    def test_an_audit_is_about_persons(self):
        for dependence in ('kind = "independent"', INSIDE):
            self.policy(dependence=dependence, epsilon=3, ledger="audit" + dependence[8] + ".ledger")
            self.ask(PERSONS, "--epsilon", "0.25")
            self.ask(HOMES, "--unit", "household", "--epsilon", "0.5")
            audit = self.json(self.run_kith("audit", "policy.toml", "--json"))
            guarantee = self.budget()["guarantee"]
            self.assertEqual({s["dependent"] for s in audit["strata"]}, {guarantee["dependent"]})
            self.assertEqual(audit["guarantee"], guarantee)
            readings = {r["name"]: r["now"] for r in audit["strata"][0]["bounds"] if r["theorem"] and r["name"] != "plain"}
            self.assertEqual("household" in readings, dependence == INSIDE)  # otherwise it says nothing about a person
            self.assertAlmostEqual(min(readings.values()), guarantee["dependent"], places=9)
            self.assertLessEqual(max((place["now"] for place in audit["places"]), default=0), guarantee["dependent"] + 1e-9)
            self.assertIn("in all, of a household (", self.ok(self.run_kith("audit", "policy.toml")))
        self.policy(dependence='unit = "household"\nkind = "group"\nby = "street"\nsize = 2', ledger="homes.ledger")
        self.refused(self.run_kith("audit", "policy.toml"), 4, "the model is about households")

    def test_what_cannot_be_asked(self):
        self.refused(self.run_kith("query", "policy.toml", HOMES, "--epsilon", "0.1"), 4, "--unit household")
        self.write("plain.toml", (self.folder / "policy.toml").read_text().replace('within = "house"\nsize = 3\n', ""))
        self.refused(self.run_kith("query", "plain.toml", PERSONS, "--unit", "household", "--epsilon", "0.1"), 2, "what a household is")
        self.assertNotEqual(self.run_kith("query", "policy.toml", PERSONS, "--unit", "town", "--epsilon", "0.1").returncode, 0)

    def test_new_data_keep_both_losses(self):
        self.ask("SELECT count(*) AS n FROM people WHERE ill = 'yes' AND ward = 'A'", "--epsilon", "0.25")
        self.ask(HOMES, "--unit", "household", "--epsilon", "0.25")
        self.assertEqual(self.run_kith("import", "policy.toml").returncode, 0)
        cells = self.budget()["cells"]
        self.assertEqual([(c["plain_spent"], c["plain_household"]) for c in cells], [(0.5, 0.25)] * 2)
        self.assertEqual(self.budget()["guarantee"]["household"]["plain"], 1.0)


if __name__ == "__main__":
    unittest.main()
