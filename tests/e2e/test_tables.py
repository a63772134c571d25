"""Several tables of the same units, from the command line."""
import json
import unittest

from kith_case import KithCase

POLICY = """[data]
tables.persons = "persons.csv"
{visits}
{data}
[unit]
table = "persons"
key = "id"
max_rows = 1
presence = "{presence}"
[columns.persons]
id = {{ type = "integer" }}
town = {{ values = ["A", "B"], public = true, required = true }}
age = {{ lower = 0, upper = 100, required = true }}
{columns}
[dependence]
source = "public"
kind = "independent"
{reviewed}
[budget]
epsilon = 1000
ledger = "persons.ledger"
"""
VISITS = 'tables.visits = {{ source = "visits.csv", key = "person", max_rows = {} }}'
COLUMNS = """[columns.visits]
person = { type = "integer" }
cost = { lower = 0, upper = 50 }
"""
JOIN = "FROM persons p JOIN visits v ON p.id = v.person"


class Tables(KithCase):
    """100 persons, half of them in A. Person i has i % 4 visits of 10 each; somebody else has one."""

    def setUp(self):
        super().setUp()
        self.write("persons.csv", "id,town,age\n" + "".join(f"{i},{'AB'[i % 2]},{i}\n" for i in range(100)))
        self.visits([(i, 10) for i in range(100) for _ in range(i % 4)] + [(999, 10)])
        self.policy()

    def visits(self, rows):
        self.write("visits.csv", "person,cost\n" + "".join(f"{person},{cost}\n" for person, cost in rows))

    def policy(self, rows=3, presence="public", visits=True, data="", reviewed=""):
        self.write("policy.toml", POLICY.format(visits=VISITS.format(rows) if visits else "", columns=COLUMNS if visits else "", presence=presence, data=data, reviewed=reviewed))

    def ask(self, sql, *more):
        done = self.run_kith("query", "policy.toml", sql, "--json", "--epsilon", *(more or ["50"]))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def value(self, sql):
        return self.ask(sql)["answer"]["rows"][0][0]

    def spent(self):
        budget = json.loads(self.run_kith("budget", "policy.toml", "--json").stdout)
        return {cell["name"]: cell["plain_spent"] for cell in budget["cells"]}

    def test_each_table_and_the_join_are_answered_and_certified(self):
        self.assertAlmostEqual(self.value("SELECT count(*) FROM visits"), 151, delta=8)
        self.assertAlmostEqual(self.value("SELECT count(DISTINCT person) FROM visits"), 76, delta=4)
        self.assertAlmostEqual(self.value(f"SELECT sum(v.cost) {JOIN}"), 1500, delta=80)
        self.assertAlmostEqual(self.value("SELECT count(*) FROM persons p LEFT JOIN visits v ON p.id = v.person"), 175, delta=8)
        self.assertEqual(self.value("SELECT count(*) FROM persons"), 100)
        answer = self.ask(f"SELECT count(*) {JOIN} WHERE p.age > 50")
        certificate = json.dumps(answer)
        self.assertIn("TABLES-2", certificate)
        self.assertIn("replace one unit's rows in persons and visits", certificate)

    def test_rows_beyond_the_limit_of_a_table_do_not_count(self):
        self.visits([(1, 10)] * 40 + [(2, 10)])
        self.assertAlmostEqual(self.value(f"SELECT count(*) {JOIN}"), 4, delta=4)

    def test_a_join_is_charged_to_the_cell_that_it_is_about_and_a_table_alone_to_all(self):
        self.ask(f"SELECT count(*) {JOIN} WHERE p.town = 'A'", "0.5")
        spent = self.spent()
        self.assertEqual((spent["town=A"], spent["town=B"]), (0.5, 0))
        self.ask("SELECT count(*) FROM visits", "0.25")
        spent = self.spent()
        self.assertEqual((spent["town=A"], spent["town=B"]), (0.75, 0.25))

    def test_what_is_not_proved_is_refused_before_the_charge(self):
        for sql, why in ((f"SELECT count(*) FROM persons p JOIN visits v ON p.age = v.person", "on their key alone"),
                         ("SELECT count(*) FROM visits v LEFT JOIN persons p ON p.id = v.person", "comes first")):
            done = self.run_kith("query", "policy.toml", sql, "--epsilon", "1")
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(why, done.stderr)
        self.policy(data="[stream]\ntime = \"age\"\nstep = 1\nwindow = 3")
        done = self.run_kith("query", "policy.toml", "SELECT count(*) FROM visits", "--epsilon", "1")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("proved for one table alone", done.stderr)

    def test_a_table_that_is_added_later_is_reviewed_and_one_that_goes_is_refused(self):
        self.policy(visits=False)
        self.ask("SELECT sum(age) FROM persons", "1")
        self.policy()
        diff = self.run_kith("query", "policy.toml", "SELECT count(*) FROM visits", "--epsilon", "1")
        self.assertNotEqual(diff.returncode, 0)
        self.assertIn("table visits is new", diff.stderr)
        self.policy(reviewed="reviewed = 2")
        self.assertEqual(self.run_kith("import", "policy.toml").returncode, 0)  # a file that was not read in yet
        self.ask("SELECT count(*) FROM visits", "1")
        self.assertEqual(set(self.spent().values()), {2})
        self.policy(rows=5, reviewed="reviewed = 2")
        first = self.ask("SELECT count(*) FROM visits", "1")  # another limit is another question
        self.assertEqual(set(self.spent().values()), {3})
        self.assertEqual(first["answer"], self.ask("SELECT count(*) FROM visits", "1")["answer"])
        self.assertEqual(set(self.spent().values()), {3})
        self.policy(visits=False, reviewed="reviewed = 2")
        gone = self.run_kith("query", "policy.toml", "SELECT sum(age) FROM persons", "--epsilon", "1")
        self.assertNotEqual(gone.returncode, 0)
        self.assertIn("table visits is gone", gone.stderr)

    def test_another_ledger_for_one_of_the_tables_is_noticed(self):
        self.ask("SELECT count(*) FROM visits", "1")
        self.write("other.toml", POLICY.format(visits="", columns="", presence="secret", data="", reviewed="").replace("persons.csv", "visits.csv").replace("persons", "visits")
                   .replace('key = "id"', 'key = "person"').replace("id = {", "person = {").replace('town = { values = ["A", "B"], public = true, required = true }\n', "")
                   .replace("age = { lower = 0, upper = 100, required = true }", "cost = { lower = 0, upper = 50 }"))
        done = self.run_kith("query", "other.toml", "SELECT count(*) FROM visits", "--epsilon", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("counts what was spent on the same table, visits", done.stdout + done.stderr)

    def test_all_tables_of_an_answer_are_of_one_import(self):
        self.value("SELECT count(*) FROM visits")
        self.visits([(1, 50)])
        self.assertAlmostEqual(self.value(f"SELECT sum(v.cost) {JOIN}"), 1500, delta=80)  # still the state of both
        done = self.run_kith("import", "policy.toml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(self.value(f"SELECT sum(v.cost) {JOIN}"), 50, delta=60)


if __name__ == "__main__":
    unittest.main()
