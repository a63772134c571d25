"""What the program says to somebody who asks: what is left, what may be asked, what was probably meant."""
import json
import sqlite3
import unittest

from kith_case import ILL, POLICY, KithCase

# Budgets of several cells, and a price that leaves a little.
ALL = "SELECT ward, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY ward"


class Left(KithCase):
    def test_what_is_left_is_a_price(self):
        self.ok(self.ask(ALL, "--epsilon", "0.7"))
        self.ok(self.ask("SELECT count(*) FROM people WHERE ill = 'no' AND ward = 'A'", "--epsilon", "0.2"))
        text = self.ok(self.run_kith("budget", "policy.toml"))
        self.assertIn("as --epsilon", text)
        self.assertIn("a question about everybody may cost up to --epsilon 0.1 of the policy's 1", " ".join(text.split()))
        exact = self.json(self.run_kith("budget", "policy.toml", "--json"))
        self.assertAlmostEqual(exact["epsilon_left"], 0.1, delta=1e-6)
        left = {cell["name"]: cell["epsilon_left"] for cell in exact["cells"]}
        self.assertAlmostEqual(left["ward=A"], 0.1, delta=1e-6)
        self.assertAlmostEqual(left["ward=B"], 0.3, delta=1e-6)
        # A question about everybody is refused without the name of one cell; one about A with it.
        refused = self.refused(self.ask(ILL, "--epsilon", "0.2"), 3, "at most 0.1 is left")
        self.assertNotIn("ward=", refused)
        self.refused(self.ask("SELECT count(*) FROM people WHERE ill = 'yes' AND ward = 'A'", "--epsilon", "0.2"), 3, "ward=A")
        self.refused(self.ask("SELECT count(*) FROM people WHERE ill = 'yes' AND ward <> 'C'", "--epsilon", "0.2"), 3, "2 of 3 public cells")
        self.ok(self.ask(ILL, "--epsilon", "0.0999"))

    def test_where_nothing_is_left_that_is_said(self):
        self.ok(self.ask(ALL, "--epsilon", "1"))
        text = " ".join(self.ok(self.run_kith("budget", "policy.toml")).split())
        self.assertIn("left nothing for a question about everybody", text)
        self.assertNotIn("--epsilon 0 of", text)

    def test_spent_is_never_shown_above_the_budget(self):
        for k in range(8):
            self.ok(self.ask(ILL + f" AND age > {k}", "--epsilon", "0.125"))
        lines = [line.split() for line in self.ok(self.run_kith("budget", "policy.toml")).splitlines() if line.startswith("ward=")]
        self.assertEqual(len(lines), 3)
        for line in lines:
            self.assertLessEqual(float(line[1]), float(line[2]))

    def test_explain_of_what_cannot_be_paid(self):
        self.ok(self.ask(ALL, "--epsilon", "0.9"))
        done = self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.2")
        self.assertEqual(done.returncode, 3)
        self.assertIn("refused", done.stdout)
        self.assertNotIn("ward=A", done.stdout.split("verdict")[1])
        done = self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.2", "--json")
        self.assertEqual(done.returncode, 3)
        self.assertFalse(json.loads(done.stdout)["affordable"])
        self.ok(self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.05"))
        done = self.run_kith("analyse", "policy.toml", "kmeans", "--columns", "age", "-k", "2", "--epsilon", "0.2", "--explain")
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_a_ledger_that_is_locked_says_one_thing(self):
        self.ok(self.ask())
        other = sqlite3.connect(self.folder / "people.ledger", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        said = self.refused(self.ask(ILL + " AND age > 3"), 5, "nothing was charged")
        self.assertNotIn("may be counted", said)
        other.execute("ROLLBACK")


class Columns(KithCase):
    def test_tables_and_columns(self):
        (self.folder / "people.csv").unlink()  # only the policy is read
        text = self.ok(self.run_kith("columns", "policy.toml"))
        for word in ["people", "age", "0 to 120", "no, yes", "A, B, C", "public", "secret", "count(DISTINCT id)"]:
            self.assertIn(word, text)
        self.assertNotIn("…", text)  # nothing is cut in a pipe
        table, = self.json(self.run_kith("columns", "policy.toml", "--json"))["tables"]
        columns = {column["name"]: column for column in table["columns"]}
        self.assertEqual((columns["age"]["lower"], columns["age"]["upper"], columns["age"]["public"]), (0, 120, False))
        self.assertEqual(columns["ward"]["values"], ["A", "B", "C"])
        self.assertIn("group", columns["ward"]["may_ask"])
        self.assertIn("sum", columns["age"]["may_ask"])
        self.refused(self.run_kith("columns", "nowhere.toml"), 2, "nowhere.toml")
        self.refused(self.ask("DESCRIBE people"), 4, "kith columns")


class Meant(KithCase):
    def sql(self, text):
        return self.refused(self.run_kith("explain", "policy.toml", text, "--epsilon", "0.1"), 4)

    def test_names_in_sql(self):
        said = self.sql("SELECT avg(AEG) FROM people")
        self.assertIn("no declared column AEG", said)
        self.assertIn("did you mean age?", said)
        self.assertIn("id, house, ward, age, ill", said)
        self.assertIn("did you mean people?", self.sql("SELECT count(*) FROM poeple"))
        self.assertIn("did you mean median?", self.sql("SELECT medain(age) FROM people"))
        for text, instead in [("SELECT count(*) FROM people WHERE ill = yes", "single quotes: 'yes'"), ("SELECT count(*) FROM people WHERE age = '30'", "without quotes: 30"),
                              ("SELECT count(*) FROM people WHERE ill = 3", "in single quotes"), ("SELECT cnt(*) FROM people", "did you mean count?"),
                              ("SELECT percentile(age, 50) FROM people", "percentile_cont"), ("SELECT count_if(age > 3) FROM people", "FILTER"), ("SELECT count(*) FROM people WHERE datediff(age, age) > 1", "date_diff('day'"),
                              ("SELECT count(*) FROM people WHERE date_format(age, '%Y') = '2'", "date_trunc"), ("SELECT count(*) FROM people WHERE age == 3", "a = b"),
                              ("SELECT count(*) FROM people WHERE age // 3 = 1", "div(a, b)")]:
            self.assertIn(instead, self.sql(text), text)

    def test_what_cannot_overflow_and_decades(self):
        def explained(sql):
            return self.ok(self.run_kith("explain", "policy.toml", sql, "--epsilon", "0.1"))
        explained("SELECT count(*) FROM people WHERE house % 100 = 1 AND ill = 'yes'")
        for decade in ["div(age, 10) * 10", "age - age % 10", "floor(age / 10) * 10", "round(age / 10) * 10"]:
            text = explained(f"SELECT {decade} AS decade, count(*) FROM people GROUP BY decade")
            self.assertIn("14, the empty ones included", text, decade)  # 0 to 120, and NULL
        out = self.json(self.ask("SELECT floor(age / 10) * 10 AS decade, count(*) FROM people GROUP BY decade", "--epsilon", "0.9", "--json"))
        self.assertEqual([row[0] for row in out["answer"]["rows"]], [*range(0, 130, 10), None])

    def test_types_kinds_and_what_is_really_wrong(self):
        for old, new, word in [('age   = { lower = 0, upper = 120 }', 'age   = { type = "int", lower = 0, upper = 120 }', 'type = "integer"'),
                               ('age   = { lower = 0, upper = 120 }', 'age   = { type = "float", lower = 0, upper = 120 }', 'type = "real"'),
                               ('age   = { lower = 0, upper = 120 }', 'age   = { lower = "2020-01-01", upper = "2021-01-01" }', "without quotes: lower = 2020-01-01"),
                               ('ill   = { values = ["no", "yes"] }', 'ill   = { values = "no, yes" }', 'must be a list'),
                               ('kind = "group"', 'kind = "household"', 'kind = "group"'),
                               ('house = { type = "integer", public = true }', 'house = { type = "integer" }', "leave the column undeclared")]:
            self.assertIn(old, POLICY)
            self.write("policy.toml", POLICY.replace(old, new))
            said = " ".join(self.refused(self.run_kith("columns", "policy.toml"), 2).split())
            self.assertIn(word, said)

    def test_commands(self):
        self.refused(self.run_kith("qurey", "policy.toml"), 2, "kith query")
        self.refused(self.run_kith("analyse", "policy.toml", "kmean", "--columns", "age"), 2, "did you mean kmeans?")
        self.refused(self.run_kith("analyse", "policy.toml"), 2, "choose from: kmeans")
        self.refused(self.run_kith("analyse", "policy.toml", "kmeans", "--colums", "age"), 2, "kith analyse policy.toml kmeans --help")

    def test_usage_errors_are_json_too(self):
        for arguments in [("query", "policy.toml", ILL, "--epsilon", "x", "--json"), ("query", "policy.toml", ILL, "--epsilno", "1", "--json"), ("qurey", "--json"),
                          ("analyse", "policy.toml", "kmean", "--json"), ("query", "policy.toml", ILL, "--epsilon", "0.1", "--json", "--format", "csv")]:
            done = self.run_kith(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(json.loads(done.stdout)["error"]["code"], "invalid_argument", arguments)
        self.assertEqual(self.spent(), 0)


if __name__ == "__main__":
    unittest.main()
