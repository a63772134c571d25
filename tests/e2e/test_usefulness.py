"""What answers are worth: marks, impossible groups, public totals, notes of CSV, and what an explanation says of it."""
import unittest

from kith_case import ILL, POLICY, KithCase

VISITS = """
[data]
tables.visits = "visits.csv"
[unit]
table = "visits"
key = "id"
max_rows = 3
presence = "public"
[columns.visits]
id    = { type = "integer" }
ward  = { values = ["A", "B"], public = true, required = true }
state = { values = ["in", "out"], required = true }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1.0
ledger = "visits.ledger"
"""


class Usefulness(KithCase):
    def test_a_number_that_says_nothing_is_marked(self):
        sql = "SELECT ill, count(*) AS n FROM people GROUP BY ill"
        out = self.json(self.ask(sql, "--epsilon", "0.01", "--json"))
        self.assertEqual(out["only_noise"], [[False, True]] * 3)
        self.assertIn("n: 3 of 3 numbers are only noise", " ".join(out["notes"]))
        text = self.ok(self.ask(sql, "--epsilon", "0.01"))
        self.assertIn(" noise", text)
        again = self.json(self.ask(sql, "--epsilon", "0.01", "--json"))
        self.assertTrue(again["stored"])
        self.assertEqual(again["only_noise"], out["only_noise"])

    def test_a_number_that_says_something_is_not(self):
        out = self.json(self.ask(ILL, "--epsilon", "0.5", "--json"))
        self.assertNotIn("only_noise", out)

    def test_where_presence_is_secret_a_count_has_no_end(self):
        self.write("policy.toml", POLICY.replace('presence = "public"', 'presence = "secret"'))
        out = self.json(self.ask(ILL, "--epsilon", "0.001", "--json"))
        self.assertNotIn("only_noise", out)
        explained = self.json(self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.001", "--json"))
        self.assertNotIn("usefulness", explained)
        self.assertNotIn("not known yet", " ".join(explained["notes"]))
        self.assertFalse((self.folder / ".kith/people.ledger.units").exists())

    def test_notes_of_csv_go_to_standard_error(self):
        done = self.ask("SELECT count(*) AS n FROM people WHERE ill = 'Yes'", "--epsilon", "0.1", "--format", "csv")
        self.assertEqual(self.ok(done), "n\n0\n")
        self.assertIn("note: 'Yes' is not a declared value of ill", done.stderr)

    def test_csv_says_that_it_was_asked_before(self):
        for stored in (False, True):
            done = self.ask(ILL, "--epsilon", "0.1", "--format", "csv")
            self.assertEqual("asked before" in done.stderr, stored)
        explained = self.json(self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.1", "--json"))
        self.assertTrue(explained["stored"] and explained["affordable"])
        self.assertIn("asked before", self.ok(self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.1")))
        self.assertNotIn("stored", self.json(self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.2", "--json")))

    def test_columns_in_another_order_are_the_same_answer(self):
        by = {}
        for keys in ("ward, ill", "ill, ward"):
            sql = f"SELECT {keys}, count(*) AS n FROM people GROUP BY {keys}"
            explained = self.json(self.run_kith("explain", "policy.toml", sql, "--epsilon", "0.1", "--json"))
            out = self.json(self.ask(sql, "--epsilon", "0.1", "--json"))
            self.assertEqual((out["stored"], explained.get("stored", False)), (keys == "ill, ward",) * 2)
            by[keys] = out
        self.assertEqual(by["ill, ward"]["answer"]["columns"], ["ill", "ward", "n"])
        rows = [[ill, ward, n] for ward, ill, n in by["ward, ill"]["answer"]["rows"]]
        self.assertEqual(sorted(rows, key=str), sorted(by["ill, ward"]["answer"]["rows"], key=str))
        self.assertEqual([row[0] for row in by["ill, ward"]["answer"]["rows"]], ["no"] * 3 + ["yes"] * 3 + [None] * 3)
        again = self.json(self.ask("SELECT count(*) AS n, ward, ill FROM people GROUP BY ward, ill", "--epsilon", "0.1", "--json"))
        self.assertTrue(again["stored"])
        self.assertEqual([[w, i, n] for n, w, i in again["answer"]["rows"]], by["ward, ill"]["answer"]["rows"])

    def test_marks_know_how_large_a_public_group_is(self):
        # Each ward has 100 people, and all wards together 300: a bar of 150 says nothing about a ward.
        sql = "SELECT ward, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY ward"
        out = self.json(self.ask(sql, "--epsilon", "0.05", "--json"))
        self.assertTrue(100 < out["error_95"][0][1] < 300, out["error_95"])
        self.assertEqual(out["only_noise"], [[False, True]] * 3)
        explained = self.json(self.run_kith("explain", "policy.toml", sql, "--epsilon", "0.04", "--json"))
        self.assertEqual((explained["usefulness"][0]["high"], explained["usefulness"][0]["only_noise"]), (100, True))

    def test_shares_and_quantiles_have_a_worth_too(self):
        self.write("policy.toml", POLICY.replace("epsilon = 1.0", "epsilon = 0.05"))
        self.ok(self.run_kith("import", "policy.toml"))
        sql = "SELECT 100.0 * count(*) FILTER (WHERE ill = 'yes') / count(*) AS share, median(age) AS m FROM people"
        share, median = self.json(self.run_kith("explain", "policy.toml", sql, "--epsilon", "0.001", "--json"))["usefulness"]
        self.assertEqual((share["high"], share["only_noise"], share["beyond"]), (100, True, "budget"))
        self.assertEqual((median["high"], median["only_noise"], median["in_rows"]), (300, True, True))
        text = " ".join(self.ok(self.run_kith("explain", "policy.toml", sql, "--epsilon", "0.001")).split())
        self.assertIn("more than the whole budget", text)

    def test_an_explanation_says_what_the_answer_would_be_worth(self):
        sql = "SELECT count(*) AS n, avg(age) AS a FROM people WHERE ill = 'yes'"
        before = self.json(self.run_kith("explain", "policy.toml", sql, "--epsilon", "0.01", "--json"))
        self.assertNotIn("usefulness", before)
        self.assertIn("not known yet", " ".join(before["notes"]))
        self.ok(self.run_kith("import", "policy.toml"))
        after = self.json(self.run_kith("explain", "policy.toml", sql, "--epsilon", "0.01", "--json"))
        count, mean = after["usefulness"]
        self.assertEqual((count["output"], count["low"], count["high"], count["only_noise"]), ("n", 0, 300, True))
        self.assertEqual((mean["output"], mean["high"]), ("a", 120))
        self.assertLess(count["then_error_95"], 100)
        self.assertNotIn("not known yet", " ".join(after["notes"]))
        text = self.ok(self.run_kith("explain", "policy.toml", sql, "--epsilon", "0.01"))
        self.assertIn("of at most 300: this is only noise;", " ".join(text.split()))
        self.assertIn("times the epsilon", text)
        fine = self.json(self.run_kith("explain", "policy.toml", sql, "--epsilon", "1", "--json"))
        self.assertFalse(fine["usefulness"][0]["only_noise"])

    def test_an_explanation_knows_how_many_are_in_public_groups(self):
        rows = "".join(f"{i},{i // 3},{'A' if i < 4 else 'B' if i < 24 else 'C'},{i % 90},{'yes' if i % 4 else 'no'}\n" for i in range(300))
        self.write("people.csv", "id,house,ward,age,ill\n" + rows)
        self.ok(self.run_kith("import", "policy.toml"))
        def worth(sql):
            return self.json(self.run_kith("explain", "policy.toml", sql, "--epsilon", "0.5", "--json"))["usefulness"][0]
        one = worth("SELECT avg(age) AS a FROM people WHERE ward = 'A'")
        self.assertEqual((one["units"], one["only_noise"], one.get("all_in_one_group")), (4, True, None))
        self.assertEqual(worth("SELECT count(*) AS n FROM people WHERE ward IN ('A', 'B') AND ill = 'yes'")["high"], 24)
        several = worth("SELECT ward, avg(age) AS a FROM people GROUP BY ward")
        self.assertEqual((several["units"], several["largest_group"]), (276, True))
        odd = worth("SELECT avg(age) AS a FROM people WHERE house < 3")  # public, but these were not counted
        self.assertEqual((odd["units"], odd["all_in_one_group"]), (300, True))
        text = " ".join(self.ok(self.run_kith("explain", "policy.toml", "SELECT avg(age) AS a FROM people WHERE house < 3", "--epsilon", "1")).split())
        self.assertIn("if all 300 units were in it", text)

    def test_rows_that_are_no_units_are_not_remembered_as_units(self):
        def people(ill):
            return "id,house,ward,age,ill\n" + "".join(f"{i},{i // 3},{'A' if i < 90 else 'B'},{i % 90},{'yes' if i < ill else 'no'}\n" for i in range(300))
        cases = "SELECT house, count(*) FILTER (WHERE ill = 'yes') AS cases FROM people"
        before = ["SELECT avg(cases) AS m FROM (%s GROUP BY house) AS h" % cases, "SELECT avg(cases) AS m FROM (%s WHERE ward = 'A' GROUP BY house) AS h" % cases,
                  "SELECT avg(cases) AS m FROM (%s WHERE ill = 'yes' GROUP BY house) AS h" % cases, "SELECT avg(cases) AS m FROM (%s GROUP BY house HAVING bool_or(ill = 'yes')) AS h" % cases,
                  "SELECT ward, avg(a) AS m FROM (SELECT id, ward, max(age) AS a FROM people WHERE ill = 'yes' GROUP BY id, ward) AS u GROUP BY ward",
                  "SELECT ward, avg(r) AS m FROM (SELECT ward, row_number() OVER (PARTITION BY id ORDER BY age) AS r FROM people WHERE age > 30) AS w WHERE ward = 'A' GROUP BY ward"]
        after = [("SELECT median(age) AS m FROM people", 300), ("SELECT median(age) AS m FROM people WHERE ward = 'A'", 90), ("SELECT ward, median(age) AS m FROM people GROUP BY ward", 210)]
        seen = []
        for ill in (3, 4):  # one person is ill, or is not
            self.write("people.csv", people(ill))
            self.ok(self.run_kith("import", "policy.toml"))
            for sql in before:
                self.ok(self.ask(sql, "--epsilon", "0.02"))
            explained = [self.json(self.run_kith("explain", "policy.toml", sql, "--epsilon", "0.5", "--json")) for sql, _ in after]
            self.assertEqual([each["usefulness"][0]["units"] for each in explained], [units for _, units in after])
            seen.append([each["usefulness"] for each in explained])
        self.assertEqual(*seen)

    def test_a_largest_value_has_no_more_rows_above_it_than_there_are(self):
        self.ok(self.run_kith("import", "policy.toml"))
        for verb in ("explain", "query"):
            notes = " ".join(self.json(self.run_kith(verb, "policy.toml", "SELECT max(age) AS m FROM people", "--epsilon", "0.01", "--json"))["notes"])
            self.assertIn("any value may come out", notes)

    def test_groups_that_where_excludes_are_not_listed(self):
        out = self.json(self.ask("SELECT age, count(*) AS n FROM people WHERE age < 3 GROUP BY age", "--epsilon", "0.1", "--json"))
        self.assertEqual([row[0] for row in out["answer"]["rows"]], [0, 1, 2])
        out = self.json(self.ask("SELECT ward, count(*) AS n FROM people WHERE ward = 'B' AND ill = 'yes' GROUP BY ward", "--epsilon", "0.1", "--json"))
        self.assertEqual([row[0] for row in out["answer"]["rows"]], ["B"])

    def test_public_totals_are_exact_and_free(self):
        rows = self.json(self.ask("SELECT ward, ill, count(*) AS n FROM people GROUP BY ROLLUP(ward, ill)", "--epsilon", "0.05", "--json"))
        for row, bars in zip(rows["answer"]["rows"], rows["error_95"]):
            if row[1] == "(all)":
                self.assertEqual((row[2], bars[2]), (300 if row[0] == "(all)" else 100, None))
            else:
                self.assertGreater(bars[2], 0)
        for ward in "ABC":
            self.assertEqual(sum(n for w, ill, n in rows["answer"]["rows"] if w == ward and ill != "(all)"), 100)

    def test_people_are_counted_for_nothing_where_presence_is_public(self):
        self.write("visits.csv", "id,ward,state\n" + "".join(f"{i % 50},{'AB'[i % 2]},{'in' if i % 3 else 'out'}\n" for i in range(120)))
        self.write("visits.toml", VISITS)
        out = self.json(self.ask("SELECT ward, count(DISTINCT id) AS n FROM visits GROUP BY ward", "--json", policy="visits.toml"))
        self.assertEqual((out["answer"]["rows"], out["plain"]["epsilon"]), ([["A", 25], ["B", 25]], 0))
        out = self.json(self.ask("SELECT count(DISTINCT id) AS n FROM visits WHERE state = 'in'", "--epsilon", "0.1", "--json", policy="visits.toml"))
        self.assertGreater(out["plain"]["epsilon"], 0)

    def test_an_odds_ratio_that_buys_nothing_is_remarked_on(self):
        self.write("policy.toml", POLICY.replace("size = 3", "size = 12").replace("odds_ratio = 4", "odds_ratio = 20"))
        text = " ".join(self.ok(self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.1")).split())
        self.assertIn("an odds ratio of 20 in groups of 12 buys nothing", text)
        text = " ".join(self.ok(self.run_kith("transfer", "policy.toml", "--dependent", "1")).split())
        self.assertIn("an odds ratio of 20 in groups of 12 buys nothing", text)
        self.write("policy.toml", POLICY.replace("size = 3", "size = 2").replace("i // 3", "i // 2"))
        self.assertNotIn("buys nothing", self.ok(self.run_kith("transfer", "policy.toml", "--dependent", "1")))

    def test_the_bar_of_a_share_of_everybody_can_be_asked_for(self):
        sql = "SELECT 100.0 * count(*) FILTER (WHERE ill = 'yes') / count(*) AS share FROM people"
        self.refused(self.ask(sql, "--error", "30"), 4, "how many they are")
        self.ok(self.run_kith("import", "policy.toml"))
        out = self.json(self.ask(sql, "--error", "30", "--json"))
        self.assertEqual(out["answer"]["columns"], ["share"])
        self.assertTrue(0 < out["noise"][0]["error_95"] <= 90, out["noise"])  # 30 % of 300
        self.refused(self.ask(sql + " WHERE age > 30", "--error", "30"), 4, "depends on the answer")

    def test_shares_are_cut_to_what_is_possible(self):
        out = self.json(self.ask("SELECT 100.0 * count(*) FILTER (WHERE ill = 'yes') / count(*) AS share FROM people WHERE age > 30", "--epsilon", "0.01", "--json"))
        share, bar = out["answer"]["rows"][0][0], out["error_95"][0][0]
        self.assertTrue(0 <= share <= 100 and share - bar >= -100 and bar <= 100, (share, bar))


if __name__ == "__main__":
    unittest.main()
