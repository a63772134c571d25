"""Several tables of the same units, from the command line."""
import json
import unittest

from kith_case import KithCase

POLICY = """[data]
tables.persons = "persons.csv"
tables.visits = { source = "visits.csv", key = "person", max_rows = 3 }
[unit]
table = "persons"
key = "id"
max_rows = 1
presence = "public"
[columns.persons]
id = { type = "integer" }
town = { values = ["A", "B"], public = true, required = true }
age = { lower = 0, upper = 100, required = true }
[columns.visits]
person = { type = "integer" }
cost = { lower = 0, upper = 50 }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1000
ledger = "persons.ledger"
"""
OTHER = """[data]
tables.visits = "visits.csv"
[unit]
table = "visits"
key = "person"
max_rows = 3
presence = "secret"
[columns.visits]
cost = { lower = 0, upper = 50 }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 10
ledger = "visits.ledger"
"""
JOIN = "FROM persons p JOIN visits v ON p.id = v.person"


class Tables(KithCase):
    """100 persons, half of them in A. Person i has i % 4 visits of 10 each; somebody else has one."""

    def setUp(self):
        super().setUp()
        self.write("persons.csv", "id,town,age\n" + "".join(f"{i},{'AB'[i % 2]},{i}\n" for i in range(100)))
        self.visits([(i, 10) for i in range(100) for _ in range(i % 4)] + [(999, 10)])
        self.write("policy.toml", POLICY)

    def visits(self, rows):
        self.write("visits.csv", "person,cost\n" + "".join(f"{person},{cost}\n" for person, cost in rows))

    def ask(self, sql, *more):
        done = self.run_kith("query", "policy.toml", sql, "--json", "--epsilon", *(more or ["50"]))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def value(self, sql):
        return self.ask(sql)["answer"]["rows"][0][0]

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

    def test_what_is_not_proved_is_refused_before_the_charge(self):
        for sql, why in (("SELECT count(*) FROM persons p JOIN visits v ON p.age = v.person", "on their key alone"),
                         ("SELECT count(*) FROM visits v LEFT JOIN persons p ON p.id = v.person", "comes first")):
            done = self.run_kith("query", "policy.toml", sql, "--epsilon", "1")
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(why, " ".join(done.stderr.split()))

    def test_rows_that_name_two_people(self):
        """Person i infects 2 i + 1 and 2 i + 2: a tree of 100."""
        self.write("met.csv", "a,b,place\n" + "".join(f"{i},{j},{'hw'[j % 2]}\n" for i in range(50) for j in (2 * i + 1, 2 * i + 2) if j < 100))
        table = 'tables.met = { source = "met.csv", key = "a", max_rows = 2, other = "b", max_other = 1 }\n[unit]'
        columns = '[columns.met]\na = { type = "integer" }\nb = { type = "integer" }\nplace = { values = ["h", "w"] }\n[dependence]'
        self.write("policy.toml", POLICY.replace("[unit]", table).replace("[dependence]", columns))
        answer = self.ask("SELECT p.town, q.town, count(*) AS n FROM met JOIN persons p ON met.a = p.id JOIN persons q ON met.b = q.id GROUP BY p.town, q.town")
        counts = {(row[0], row[1]): row[2] for row in answer["answer"]["rows"]}
        self.assertAlmostEqual(counts["A", "B"], 25, delta=6)
        self.assertAlmostEqual(sum(counts.values()), 99, delta=12)
        certificate = " ".join(json.dumps(answer).split())
        for text in ("TABLES-3", "promised by the policy: ", "no unit is named in b by more than 1 row of met", "with all rows of met that name it in b"):
            self.assertIn(text, certificate)
        infectors = self.ask("SELECT n, count(*) AS k FROM (SELECT a, count(*) AS n FROM met GROUP BY a) AS each GROUP BY n")
        self.assertAlmostEqual({row[0]: row[1] for row in infectors["answer"]["rows"]}[2], 49, delta=4)
        self.assertIn("UNIT-1", json.dumps(infectors))
        self.assertAlmostEqual(self.value("SELECT count(DISTINCT a) FROM met"), 50, delta=4)
        refused = self.run_kith("query", "policy.toml", "SELECT count(*) FROM persons p JOIN met ON p.id = met.a", "--epsilon", "1")
        self.assertEqual(refused.returncode, 4, refused.stderr)
        self.assertIn("begins with this table", " ".join(refused.stderr.split()))

    def test_the_curator_is_told_what_does_not_count_and_which_promise_is_broken(self):
        """Everybody meets the first person; the second has three rows where one counts."""
        self.write("met.csv", "a,b\n" + "".join(f"{i},0\n" for i in range(1, 40)) + "2,5\n2,6\n")
        table = 'tables.met = { source = "met.csv", key = "a", max_rows = 1, other = "b", max_other = 3 }\n[unit]'
        columns = '[columns.met]\na = { type = "integer" }\nb = { type = "integer" }\n[dependence]'
        self.write("policy.toml", POLICY.replace("[unit]", table).replace("[dependence]", columns).replace("max_rows = 3", "max_rows = 2"))
        broken = "!! met: the policy promises that no unit is named in b by more than 3 rows of met (max_other), but 1 is, by 39. It loses more than any answer states, and questions are still answered"
        before = self.files()
        looked = " ".join(self.ok(self.run_kith("import", "policy.toml", "--check")).split())
        self.assertEqual(self.files(), before)
        imported = " ".join(self.ok(self.run_kith("import", "policy.toml")).split())
        for out in (looked, imported):
            for part in (broken, "Only promised, and not counted: ", "visits: 25 units (32.9 %) have more than 2 rows (max_rows): 25 rows (16.6 %) do not count",
                         "met: 1 unit (2.6 %) has more than 1 row (max_rows): 2 rows (4.9 %) do not count; the largest has 3",
                         "A number that is chosen by looking at the data is not covered by the guarantee"):
                self.assertIn(part, out)
            self.assertNotIn("as declared.", out)
        self.assertIn("Nothing was imported, and nothing was written.", looked)
        self.ask("SELECT count(*) FROM met", "50")
        report = self.json(self.run_kith("import", "policy.toml", "--check", "--json"))
        self.assertEqual((report["only_look"], report["version"]), (True, None))
        self.assertEqual([one["table"] for one in report["more_units"]], ["visits", "met"])
        self.assertEqual(report["more_units"][1]["others"], {"column": "b", "max_other": 3, "most_rows": 39, "units_over": 1})

    def files(self):
        """Everything beside the policy, and what is in it."""
        return {path.relative_to(self.folder): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def test_a_look_checks_promises_and_leaves_what_is_there(self):
        self.ask("SELECT count(*) FROM visits", "5")
        before = self.files()
        self.write("persons.csv", "id,town,age\n1,A,30\n1,B,30\n")
        self.refused(self.run_kith("import", "policy.toml", "--check"), 2, "public column differs")
        self.write("persons.csv", before[[name for name in before if name.name == "persons.csv"][0]].decode())
        self.ok(self.run_kith("import", "policy.toml", "--check"))
        self.assertEqual(self.files(), before)
        self.assertEqual(self.ask("SELECT count(*) FROM visits", "5")["data_version"], "1")

    def test_what_is_not_counted_can_be_bought_and_is_said_then(self):
        self.write("policy.toml", POLICY.replace("max_rows = 3", "max_rows = 1"))
        self.assertIn("further ones are neither in the answer nor in its error bar", " ".join(self.ok(self.run_kith("query", "policy.toml", "SELECT count(*) FROM visits", "--epsilon", "5")).split()))
        explained = self.ok(self.run_kith("analyse", "policy.toml", "cutoff", "--table", "visits", "--epsilon", "50", "--explain"))
        self.assertIn("at most 10 of one unit are counted: there may be more", " ".join(explained.split()))
        bought = self.json(self.run_kith("analyse", "policy.toml", "cutoff", "--table", "visits", "--epsilon", "50", "--json"))
        table, max_rows, units, rows, at_most = bought["answer"]["rows"][0]
        self.assertEqual((table, max_rows, at_most), ("visits", 1, 10))
        self.assertAlmostEqual(units, 50, delta=3)
        self.assertAlmostEqual(rows, 75, delta=20)
        self.assertIn("CUTOFF-1", bought["certificate"]["claims"] if "certificate" in bought else bought["claims"])
        again = " ".join(self.ok(self.run_kith("query", "policy.toml", "SELECT count(*) FROM visits", "--epsilon", "5")).split())
        self.assertIn("units have more than 1 row of visits; at least about", again)
        explained = " ".join(self.ok(self.run_kith("explain", "policy.toml", "SELECT sum(cost) FROM visits", "--epsilon", "5")).split())
        self.assertIn("units have more than 1 row of visits; at least about", explained)
        self.refused(self.run_kith("analyse", "policy.toml", "cutoff", "--table", "nobody", "--epsilon", "50"), 2, "not a table of the units")
        before = self.ok(self.run_kith("budget", "policy.toml"))
        self.refused(self.run_kith("analyse", "policy.toml", "cutoff", "--epsilon", "50"), 2, "several tables", "persons, visits", "--table")
        self.assertEqual(self.ok(self.run_kith("budget", "policy.toml")), before)

    def test_init_shows_what_max_rows_would_leave_out(self):
        done = self.run_kith("init", "visits.csv", "--key", "person")
        policy, told = self.ok(done), " ".join(done.stderr.split())
        self.assertNotIn("units with more", policy)  # a policy is public
        self.assertIn("For the curator alone", told)
        self.assertIn("least together at max_rows = 2.", told)
        self.assertIn("is not covered by the guarantee", told)
        self.refused(self.run_kith("init", "visits.csv", "--key", "nobody"), 2, "nobody")

    def test_households_around_persons_lose_what_their_persons_lose(self):
        self.write("persons.csv", "id,town,age,home\n" + "".join(f"{i},{'AB'[i % 2]},{i},{i // 4}\n" for i in range(100)))
        homes = POLICY.replace('presence = "public"', 'presence = "public"\nwithin = "home"\nsize = 4').replace("id = {", 'home = { type = "integer", public = true }\nid = {', 1)
        self.write("policy.toml", homes)
        self.ask("SELECT count(*) FROM visits", "2")
        self.ask(f"SELECT count(*) {JOIN}", "1")
        budget = self.json(self.run_kith("budget", "policy.toml", "--json"))
        self.assertAlmostEqual(budget["guarantee"]["plain"], 3, places=6)
        self.assertAlmostEqual(budget["guarantee"]["household"]["plain"], 12, places=6)
        for sql in ("SELECT count(*) FROM visits", f"SELECT count(*) {JOIN}"):
            done = self.run_kith("query", "policy.toml", sql, "--unit", "household", "--epsilon", "1")
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("the unit's table alone", " ".join(done.stderr.split()))

    def test_another_ledger_for_one_of_the_tables_is_noticed(self):
        self.ask("SELECT count(*) FROM visits", "1")
        self.write("other.toml", OTHER)
        done = self.run_kith("query", "other.toml", "SELECT count(*) FROM visits", "--epsilon", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("counts what was spent on the same table, visits", " ".join((done.stdout + done.stderr).split()))


if __name__ == "__main__":
    unittest.main()
