"""Checks of the declared dependence, the alarm that stays, and somebody who knows exact totals."""
import unittest

from kith_case import KithCase

POLICY = """
[data]
tables.twins = "twins.csv"
[unit]
table = "twins"
key = "id"
max_rows = 1
presence = "public"
[columns.twins]
id   = { type = "integer", public = true }
pair = { type = "integer", public = true }
ward = { values = ["A", "B"], public = true }
sick = { type = "boolean" }
[dependence]
source = "public"
%s
[budget]
epsilon = 1.0
ledger = "twins.ledger"
"""
PAIRS = 'kind = "group"\nby = "pair"\nsize = 2\nodds_ratio = 4'
ANY = 'kind = "group"\nby = "pair"\nsize = 2'  # twins that are always alike can contradict any odds ratio
SICK = "SELECT count(*) AS n FROM twins WHERE sick"
ALARM = "ALARM: a check found that the data contradict the declared dependence"


class Twins(KithCase):
    def twins(self, dependence=PAIRS, alike=True, pairs=4000):
        # One in four is sick: its twin always, or as often as anybody.
        rows = (f"{2 * p + k},{p},{'AB'[p % 2]},{str(p % 4 == 0 if k == 0 or alike else p // 4 % 4 == 0).lower()}" for p in range(pairs) for k in (0, 1))
        self.write("twins.csv", "id,pair,ward,sick\n" + "\n".join(rows) + "\n")
        self.write("twins.toml", POLICY % dependence)

    def check_it(self, *more):
        return self.run_kith("check", "twins.toml", "--epsilon", "0.2", *more)


# A silent check may raise an alarm by chance: here with at most this probability, and with far less where nothing is near the limit.
RARELY = ("--false-alarm", "0.000001")


class Check(Twins):
    # Noise of a scale of 14 hides 500 pairs of twins, all alike, with a probability below e^-50.
    def test_an_alarm_is_printed_until_the_declaration_changes(self):
        self.twins()
        self.assertNotIn("ALARM", self.ok(self.ask(SICK, policy="twins.toml")))
        before = self.json(self.run_kith("budget", "twins.toml", "--json"))["cells"][0]["plain_spent"]
        answer = self.json(self.check_it("--json"))
        self.assertEqual([row[2] for row in answer["answer"]["rows"]], ["contradicted"])
        self.assertTrue(answer["alarm"].startswith(ALARM))
        self.assertGreater(answer["plain"]["epsilon"], 0)
        self.assertNotIn("details", answer)
        after = self.json(self.run_kith("budget", "twins.toml", "--json"))["cells"][0]["plain_spent"]
        self.assertAlmostEqual(after - before, answer["plain"]["epsilon"])
        for shown in (self.ask(SICK, policy="twins.toml"), self.run_kith("budget", "twins.toml"), self.run_kith("audit", "twins.toml"),
                      self.run_kith("explain", "twins.toml", SICK, "--epsilon", "0.1"), self.check_it()):
            self.assertIn(ALARM, " ".join(self.ok(shown).split()))
        for _ in ("fresh", "stored"):
            lines = self.ok(self.ask(SICK, "--epsilon", "0.05", "--format", "csv", policy="twins.toml")).splitlines()
            self.assertTrue(lines[0].startswith("# " + ALARM) and lines[1].startswith("n,"), lines)
        again = self.json(self.check_it("--json"))
        self.assertTrue(again["stored"] and again["alarm"])
        self.twins(ANY)
        self.assertNotIn("ALARM", self.ok(self.ask(SICK, policy="twins.toml")))
        for less in (PAIRS.replace("odds_ratio = 4", "odds_ratio = 3"), PAIRS.replace("= 4", "= 4.0001"), PAIRS.replace("size = 2", "size = 3"),
                     'kind = "independent"', PAIRS.replace("odds_ratio = 4", 'odds_ratio = { ward = { A = 5000, B = 4 } }'), PAIRS):
            self.twins(less)
            self.assertIn("ALARM", self.ok(self.run_kith("budget", "twins.toml")), less)
        for ties, stands in ((PAIRS.replace("= 4", "= 5"), True), (ANY, False)):
            self.write("next.toml", POLICY % ties)
            diff = self.run_kith("policy", "diff", "twins.toml", "next.toml")
            self.assertEqual("ALARM" in diff.stdout, stands, diff.stdout + diff.stderr)
            self.assertEqual("alarm" in self.json(self.run_kith("policy", "diff", "twins.toml", "next.toml", "--json")), stands)
        self.write("next.toml", (POLICY % PAIRS).replace("twins.ledger", "next.ledger"))
        self.ok(self.run_kith("ledger", "carry", "twins.toml", "next.toml"))
        self.assertIn("ALARM", self.ok(self.run_kith("budget", "next.toml")), "it goes with what was spent")

    def test_silence_says_that_it_proves_nothing(self):
        self.twins(alike=False)
        answer = self.json(self.check_it(*RARELY, "--json"))
        self.assertEqual([row[2] for row in answer["answer"]["rows"]], ["not contradicted (groups of 2 only)"])
        self.assertNotIn("alarm", answer)
        self.assertTrue(any("silence proves nothing" in note for note in answer["notes"]))

    def test_power_is_shown_before_anything_is_paid(self):
        self.twins()
        shown = self.json(self.check_it("--explain", "--json"))
        power = {(line["groups"], line["share"]): line["noticed"] for line in shown["check"]["power"]}
        self.assertIsNone(power[200, 0.05])
        self.assertLess(power[200000, 0.5], 8)
        self.assertIn("would notice with 80 %", " ".join(self.ok(self.check_it("--explain")).split()))
        self.assertEqual(self.json(self.run_kith("budget", "twins.toml", "--json"))["history"], [])

    def test_what_cannot_be_checked_is_refused(self):
        self.twins('kind = "independent"')
        self.refused(self.check_it(), 4, "no table of groups can contradict")
        self.twins()
        self.refused(self.check_it("--column", "ward"), 2, "no secret column", "--column")
        self.refused(self.check_it("--false-alarm", "0.9"), 2, "--false-alarm")
        self.refused(self.check_it("--where", "sick"), 2, "reads a secret", "--where")

    def test_one_stratum_can_be_looked_at_alone(self):
        self.twins()
        answer = self.json(self.check_it("--where", "ward = 'A'", "--json"))
        self.assertEqual([row[2] for row in answer["answer"]["rows"]], ["contradicted"])
        self.assertEqual(self.json(self.run_kith("explain", "twins.toml", SICK, "--epsilon", "0.1", "--json"))["guarantee"]["alarm"], answer["alarm"])


    def test_what_was_not_looked_at_is_not_called_right(self):
        self.twins(PAIRS.replace("odds_ratio = 4", "odds_ratio = { ward = { A = 4, B = 4 } }"))
        answer = self.json(self.check_it("--where", "ward = 'A'", "--json"))
        self.assertEqual([row[2] for row in answer["answer"]["rows"]], ["contradicted", "not looked at"])
        self.twins(PAIRS.replace("size = 2", "size = 6"))
        self.write("twins.toml", (POLICY % PAIRS.replace("size = 2", "size = 6")).replace('"boolean" }', '"boolean", required = true }').replace("twins.ledger", "six.ledger"))
        answer = self.json(self.check_it(*RARELY, "--json"))
        self.assertEqual([row[2] for row in answer["answer"]["rows"]], ["not contradicted (groups of 6 only)"])
        self.assertTrue(any("exactly 6 members" in note for note in answer["notes"]))


class Totals(Twins):
    def test_somebody_who_knows_totals_is_named_and_paid_for(self):
        self.twins('kind = "independent"')
        alone = self.json(self.run_kith("explain", "twins.toml", SICK, "--epsilon", "0.5", "--json"))
        self.json(self.run_kith("query", "twins.toml", SICK, "--epsilon", "0.5", "--json"))
        before = self.json(self.run_kith("budget", "twins.toml", "--json"))["guarantee"]["dependent"]
        self.assertAlmostEqual(before, 0.5)
        known = 'kind = "independent"\nknown = [{ total = "sick" }, { total = "sick", by = "ward" }]'
        self.twins(known)
        words = "the exact number of units with sick = true, over all units and by ward"
        budget = self.json(self.run_kith("budget", "twins.toml", "--json"))
        self.assertAlmostEqual(budget["guarantee"]["dependent"], 2 * before, msg="what was spent is evaluated again, at twice the factor")
        self.assertIn(words, budget["adversary"])
        self.assertIn(words, budget["assumption"])
        self.refused(self.ask(SICK + " AND ward = 'A'", policy="twins.toml"), 3)
        self.write("twins.toml", (POLICY % known).replace("twins.ledger", "new.ledger"))
        knows = self.json(self.run_kith("explain", "twins.toml", SICK, "--epsilon", "0.5", "--json"))
        self.assertAlmostEqual(knows["plain"]["epsilon"], alone["plain"]["epsilon"] / 2)
        self.assertEqual(knows["bound"], "totals")
        audit = self.ok(self.run_kith("audit", "twins.toml"))
        self.assertIn("knows the exact number of units with sick", " ".join(audit.split()))

    def test_a_unit_loses_its_own_part_and_the_largest_of_another(self):
        self.twins('kind = "independent"\nknown = ["total"]')
        self.ok(self.ask(SICK + " AND ward = 'A'", "--epsilon", "0.4", policy="twins.toml"))
        cells = self.json(self.run_kith("budget", "twins.toml", "--json"))["cells"]
        lost = {cell["name"]: (cell["plain_spent"], cell["dependent_spent"]) for cell in cells}
        self.assertEqual((round(lost["ward=A"][0], 6), round(lost["ward=A"][1], 6)), (0.2, 0.4))
        self.assertEqual((lost["ward=B"][0], round(lost["ward=B"][1], 6)), (0, 0.2))

    def test_crossing_totals_are_refused(self):
        self.twins('kind = "independent"\nknown = [{ total = "sick", by = "ward" }, { total = "sick", by = "pair" }]')
        self.refused(self.run_kith("budget", "twins.toml"), 2, "cross", "no bound is known")
        self.twins(PAIRS.replace("4", "40") + '\nknown = ["total"]')
        self.refused(self.run_kith("budget", "twins.toml"), 2, "above 4")


if __name__ == "__main__":
    unittest.main()
