"""Spreads, histograms, totals and joins through the program: good answers, and data with nothing in them."""
import json
import unittest

from kith_case import POLICY, KithCase

QUESTIONS = {
    "spread": "SELECT stddev(age) AS s, corr(age, CASE WHEN ill = 'yes' THEN 1 ELSE 0 END) AS c FROM people",
    "histogram": "SELECT histogram(age, 4) AS part, count(*) AS n FROM people GROUP BY part",
    "rollup": "SELECT ward, ill, count(*) AS n FROM people GROUP BY ROLLUP(ward, ill)",
    "join": "SELECT w.side, count(*) AS n FROM people LEFT JOIN wards w ON ward = w.code WHERE ill = 'yes' GROUP BY w.side",
}
JOINED = POLICY.replace("[unit]", 'tables.wards = { source = "wards.csv", public = true, key = "code" }\n[unit]').replace(
    "[dependence]", '[columns.wards]\ncode = { type = "text" }\nside = { values = ["north", "south"] }\n[dependence]')
WARDS = "code,side\nA,north\nB,south\n"


class MoreSql(KithCase):
    def setUp(self):
        super().setUp()
        self.write("wards.csv", WARDS)
        self.write("policy.toml", JOINED)

    def rows(self, name, epsilon="0.2"):
        return self.json(self.ask(QUESTIONS[name], "--epsilon", epsilon, "--json"))["answer"]["rows"]

    def test_every_kind_is_answered_in_the_terminal(self):
        self.write("policy.toml", JOINED.replace("epsilon = 1.0", "epsilon = 4.0"))
        for name, sql in QUESTIONS.items():
            out = self.ok(self.ask(sql, "--epsilon", "1"))  # noise of a scale of 4 leaves bars: 150 of 300 people are in one part
            self.assertTrue(all(len(line) <= 80 for line in out.splitlines()), out)
            self.assertEqual("█" in out, name == "histogram", out)

    def test_totals_are_the_sums_of_their_parts(self):
        rows = self.rows("rollup", "0.01")
        self.assertEqual(len(rows), 3 * 3 + 3 + 1)
        for ward in "ABC":
            parts = [n for w, ill, n in rows if w == ward and ill != "(all)"]
            self.assertEqual([ward, "(all)", sum(parts)], [row for row in rows if row[:2] == [ward, "(all)"]][0])
        self.assertEqual(["(all)", "(all)", sum(n for w, ill, n in rows if w != "(all)" and ill == "(all)")], rows[-1])

    def test_parts_of_a_histogram_come_in_order_and_with_null(self):
        names = ["[0, 30)", "[30, 60)", "[60, 90)", "[90, 120]", None]
        self.assertEqual([row[0] for row in self.rows("histogram")], names)
        out = self.json(self.ask(QUESTIONS["histogram"] + " ORDER BY part DESC", "--epsilon", "0.2", "--json"))
        self.assertEqual([row[0] for row in out["answer"]["rows"]], names[::-1])
        self.assertEqual(out["answer"]["histogram_columns"], [0])

    def test_spreads_are_possible_and_have_bars(self):
        out = self.json(self.ask(QUESTIONS["spread"], "--epsilon", "0.001", "--json"))
        deviation, correlation = out["answer"]["rows"][0]
        self.assertTrue(0 <= deviation <= 85)  # 60 times the root of 2
        self.assertTrue(correlation is None or -1 <= correlation <= 1)
        self.assertTrue(out["error_95"][0][0] > 0)

    def test_a_table_without_rows_with_one_row_and_with_nothing_but_nulls(self):
        for rows in ("", "1,1,A,50,yes\n", "1,1,A,,\n2,1,B,,\n"):
            self.write("people.csv", "id,house,ward,age,ill\n" + rows)
            (self.folder / "policy.toml").write_text(JOINED.replace("people.ledger", f"people{len(rows)}.ledger"))
            for name in QUESTIONS:
                self.assertGreater(len(self.rows(name)), 0)

    def test_a_key_that_comes_twice_is_refused_before_anything_is_charged(self):
        self.write("wards.csv", WARDS + "A,south\n")
        self.refused(self.ask(QUESTIONS["join"]), 2, "occurs more than once", "wards.code")

    def test_an_empty_public_table_matches_nothing(self):
        self.write("wards.csv", "code,side\n")
        self.assertEqual([row[0] for row in self.rows("join")], ["north", "south", None])

    def test_error_bars_cannot_be_ordered_for_levels(self):
        self.refused(self.ask(QUESTIONS["rollup"], "--error", "5"), 4, "one level", "--epsilon")


VISITS = """[data]
tables.visits = "visits.csv"
[unit]
table = "visits"
key = "patient"
max_rows = 3
presence = "secret"
[columns.visits]
day   = { lower = 0, upper = 30 }
state = { values = ["well", "ill"] }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 200.0
ledger = "visits.ledger"
"""
PER_UNIT = {
    "SELECT avg(n) AS o FROM (SELECT patient, count(*) AS n FROM visits GROUP BY patient) AS p": [[2]],
    "SELECT avg(m) AS o FROM (SELECT patient, median(day) AS m FROM visits GROUP BY patient) AS p": [[10]],
    "SELECT n, count(*) AS o FROM (SELECT patient, count(*) AS n FROM visits GROUP BY patient) AS p GROUP BY n": [[1, 200], [2, 200], [3, 200]],
    "SELECT count(DISTINCT patient) AS o FROM (SELECT patient, bool_or(state = 'ill') AS ever FROM visits GROUP BY patient) AS p WHERE ever": [[400]],
    "SELECT last, count(*) AS o FROM (SELECT patient, arg_max(state, day) AS last FROM visits GROUP BY patient) AS p GROUP BY last": [["well", 400], ["ill", 200], [None, 0]],
    "SELECT sum(days) AS o FROM (SELECT patient, min(day) FILTER (WHERE state = 'ill') - min(day) AS days FROM visits GROUP BY patient) AS p": [[4000]],
    "SELECT before, state, count(*) AS o FROM (SELECT state, lag(state) OVER (PARTITION BY patient ORDER BY day) AS before FROM visits) AS v WHERE before = 'well' GROUP BY before, state":
        [["well", "well", 0], ["well", "ill", 400], ["well", None, 0]],
    "SELECT sum(longest) AS o FROM (SELECT patient, max(gap) AS longest FROM (SELECT patient, day - lag(day) OVER (PARTITION BY patient ORDER BY day) AS gap FROM visits) AS v GROUP BY patient) AS p": [[4000]],
}


class PerUnit(KithCase):
    def setUp(self):
        super().setUp()
        rows = [f"{p},{day},{state}" for p in range(600) for day, state in [(5, "well"), (15, "ill"), (20, "well")][: p % 3 + 1]]
        self.write("visits.csv", "patient,day,state\n" + "\n".join(rows[::-1]) + "\n")
        self.write("visits.toml", VISITS)

    def answer(self, sql, epsilon="20"):
        return self.json(self.run_kith("query", "visits.toml", sql, "--epsilon", epsilon, "--json"))

    def test_the_rows_of_a_unit_are_asked_about_together(self):
        for sql, expected in PER_UNIT.items():
            rows = self.answer(sql)["answer"]["rows"]
            self.assertEqual([row[:-1] for row in rows], [row[:-1] for row in expected], sql)
            for row, (*_, number) in zip(rows, expected):
                tolerance = 0.5 if "avg" in sql else 30 + 0.05 * number  # noise of that size is beyond belief
                self.assertLess(abs(row[-1] - number), tolerance, (sql, rows))

    def test_another_spelling_is_the_same_question(self):
        first, *_ = PER_UNIT
        self.answer(first)
        spent = self.json(self.run_kith("budget", "visits.toml", "--json"))["cells"]
        again = self.answer("WITH p AS (SELECT count(*) AS visits, patient FROM visits v GROUP BY 2) SELECT avg(p.visits) AS o FROM p")
        self.assertEqual(again["answer"]["rows"], self.answer(first)["answer"]["rows"])
        self.assertEqual(self.json(self.run_kith("budget", "visits.toml", "--json"))["cells"], spent)

    def test_made_columns_have_the_names_that_were_given(self):
        ask = lambda name: self.answer(f"SELECT avg({name}), count(*) FROM (SELECT patient, count(*) AS {name} FROM visits GROUP BY patient) AS p")
        first, again = ask("visits"), ask("n")
        self.assertEqual((first["answer"]["columns"], again["answer"]["columns"]), (["avg(visits)", "count(*)"], ["avg(n)", "count(*)"]))
        self.assertTrue(again["stored"])
        self.assertIn("for avg(visits)", json.dumps(first["noise"]))

    def test_what_is_not_of_one_unit_is_refused(self):
        ask = lambda sql: self.run_kith("query", "visits.toml", sql, "--epsilon", "1")
        answer = self.json(self.run_kith("query", "visits.toml", "SELECT avg(n) FROM (SELECT state, count(*) AS n FROM visits GROUP BY state) AS p", "--epsilon", "1", "--json"))
        self.assertIn("AFTER-1", answer["claims"], "that is computed on noisy counts")
        self.refused(ask("SELECT avg(d) FROM (SELECT lag(day) OVER (ORDER BY day) AS d FROM visits) AS p"), 4, "PARTITION BY patient")
        for inner, words in [("stddev(day) AS n", "stddev is not available for one unit's rows"),
                             ("last(day) AS n", "last is not available"), ("state, count(*) AS n", "state is neither in GROUP BY")]:
            self.refused(ask(f"SELECT avg(n) FROM (SELECT patient, {inner} FROM visits GROUP BY patient) AS p"), 4, words)
        self.refused(ask("SELECT avg(n) FROM (SELECT count(*) AS n FROM visits GROUP BY patient, state) AS p"), 4, "state may differ")
        for sql in ["SELECT patient, count(*) FROM visits GROUP BY patient", "SELECT v.patient AS p, count(*) FROM visits AS v GROUP BY p"]:
            self.refused(ask(sql), 4, "GROUP BY patient would show every unit by itself")
        self.refused(ask("SELECT lag(day) OVER (PARTITION BY patient ORDER BY day) FROM visits"), 4, "sub-select in FROM, with PARTITION BY patient")
        self.write("visits.toml", VISITS.replace("state =", "state = { values = [\"well\", \"ill\"], constant = true }\n#"))
        self.refused(ask("SELECT state, avg(n) FROM (SELECT patient, state, count(*) AS n FROM visits GROUP BY patient) AS p GROUP BY state"), 4, "add state to GROUP BY")


if __name__ == "__main__":
    unittest.main()
