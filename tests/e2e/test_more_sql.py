"""Spreads, histograms, totals and joins through the program: good answers, and data with nothing in them."""
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


if __name__ == "__main__":
    unittest.main()
