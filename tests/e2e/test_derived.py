"""Analyses that are computed from the answer to one ordinary question, from the command line."""
import math
import random
import unittest

from kith_case import KithCase

TRIAL = """
[data]
tables.trial = "trial.csv"
[unit]
table = "trial"
key = "id"
max_rows = 1
presence = "secret"
[columns.trial]
id   = { type = "integer" }
arm  = { values = ["old", "new"], required = true }
days = { lower = 0, upper = 719 }
died = { values = ["no", "yes"] }
dose = { lower = 0.0, upper = 10.0 }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 60
ledger = "trial.ledger"
"""
SURVIVAL = ["survival", "--time", "days", "--event", "died = 'yes'", "--step", "60", "--by", "arm"]


class Derived(KithCase):
    def setUp(self):
        super().setUp()
        draw = random.Random(4)
        self.rows = []
        for i in range(4000):
            event, censored = draw.expovariate(1 / (200, 500)[i % 2]), draw.uniform(0, 1000)
            self.rows.append((i, ("old", "new")[i % 2], int(min(event, censored, 719)), "yes" if event < min(censored, 720) else "no", round(draw.uniform(0, 10), 2)))
        self.write("trial.csv", "id,arm,days,died,dose\n" + "".join(",".join(map(str, row)) + "\n" for row in self.rows))
        self.write("policy.toml", TRIAL)

    def analyse(self, *arguments, epsilon="2", policy="policy.toml"):
        return self.run_kith("analyse", policy, *arguments, "--epsilon", epsilon)

    def curve(self, arm, step=60):
        """The actuarial estimate of the rows, by its definition."""
        left, out = 1.0, {}
        for k in range(720 // step):
            at_risk = sum(r[1] == arm and r[2] >= k * step for r in self.rows)
            events = sum(r[1] == arm and k * step <= r[2] < (k + 1) * step and r[3] == "yes" for r in self.rows)
            censored = sum(r[1] == arm and k * step <= r[2] < (k + 1) * step and r[3] == "no" for r in self.rows)
            left *= 1 - events / (at_risk - censored / 2)
            out[(k + 1) * step] = left
        return out

    def exact_curve(self, arm, time):
        """Kaplan-Meier of the days themselves."""
        left, rows = 1.0, [r for r in self.rows if r[1] == arm]
        for day in sorted({r[2] for r in rows if r[2] < time and r[3] == "yes"}):
            left *= 1 - sum(r[2] == day and r[3] == "yes" for r in rows) / sum(r[2] >= day for r in rows)
        return left

    def test_survival_is_near_the_curve_without_noise(self):
        out = self.json(self.analyse(*SURVIVAL, "--json", "--out", "out", epsilon="20"))
        self.assertEqual(out["answer"]["columns"], ["arm", "time", "at_risk", "events", "censored", "survival", "low_95", "high_95"])
        self.assertEqual(len(out["answer"]["rows"]), 24)
        for arm, time, _, _, _, survival, low, high in out["answer"]["rows"]:
            truth = self.curve(arm)[time]
            self.assertLess(abs(survival - truth), 0.03, (arm, time))  # noise of scale 0.1 among hundreds
            self.assertTrue(low <= survival <= high and low <= truth <= high)
            if time % 240 == 0:
                self.assertTrue(low <= self.exact_curve(arm, time) <= high, (arm, time))
        self.assertIn("SURVIVAL-1", out["claims"])
        medians = {line["group"]: line["median"] for line in out["details"]["survival"]["medians"]}
        self.assertEqual(medians, {arm: min(t for t, left in self.curve(arm).items() if left <= 0.5) for arm in ("old", "new")})
        for name in ["answer.json", "answer.csv", "survival.svg"]:
            self.assertGreater((self.folder / "out" / name).stat().st_size, 100)
        text = self.ok(self.analyse(*SURVIVAL, epsilon="20"))
        self.assertIn("half are left at", text)
        self.assertNotIn("…", text)
        short = self.json(self.analyse("survival", "--time", "CASE WHEN days >= 9 THEN days - 9 END", "--event", "died = 'yes'", "--step", "60", "--json"))
        self.assertEqual([row[0] for row in short["answer"]["rows"]], [60 * k for k in range(1, 13)])

    def test_hazards_are_compared(self):
        def rate(arm, k):
            here = [r for r in self.rows if r[1] == arm and r[2] >= 60 * k]
            events = sum(r[2] < 60 * (k + 1) and r[3] == "yes" for r in here)
            exposed = len(here) - sum(r[2] < 60 * (k + 1) and r[3] == "no" for r in here) / 2
            return events, -events / math.log(1 - events / exposed)
        above = below = 0
        for k in range(12):  # Mantel and Haenszel's ratio of the rows, by its definition
            (old, a), (new, b) = rate("old", k), rate("new", k)
            above, below = above + new * a / (a + b), below + old * b / (a + b)
        compare = [*SURVIVAL[:-2], "--compare", "arm"]
        out = self.json(self.analyse(*compare, "--json", "--out", "out", epsilon="50"))
        found = out["details"]["survival"]["hazard_ratio"]
        self.assertEqual((found["of"], found["against"], found["until"]), ("new", "old", 720))
        self.assertAlmostEqual(found["ratio"], above / below, delta=1e-4 + found["error_95"])
        self.assertLess(found["error_95"], 0.01)
        self.assertTrue(found["low_95"] < 0.4 < found["high_95"])  # 200 days on average, and 500
        self.assertIn("HAZARD-1", out["claims"])
        self.assertEqual(len(out["answer"]["rows"]), 24)
        self.assertGreater((self.folder / "out" / "survival.svg").stat().st_size, 100)
        self.assertTrue(self.json(self.analyse(*SURVIVAL, "--json", epsilon="50"))["stored"])  # the same question
        self.assertIn("hazard ratio of arm = new against old: 0.", self.ok(self.analyse(*compare, epsilon="50")))
        true = self.json(self.analyse(*SURVIVAL[:-2], "--compare", "arm = 'new'", "--json", epsilon="8"))["details"]["survival"]["hazard_ratio"]
        self.assertEqual((true["of"], true["against"]), (True, False))
        self.assertAlmostEqual(true["ratio"], above / below, delta=0.05)
        none = self.json(self.analyse(*compare, "--where", "dose > 9.99", "--json", epsilon="0.5"))
        self.assertIsNone(none["details"]["survival"]["hazard_ratio"])
        self.refused(self.analyse(*SURVIVAL, "--compare", "arm"), 2, "--compare")
        self.refused(self.analyse(*SURVIVAL[:-2], "--compare", "floor(days / 240)"), 2, "two declared values")

    def same_as_asked(self, question, epsilon):
        """The private answer of the analysis beside that of the question by itself, and what both cost."""
        analysis = self.json(self.analyse(*SURVIVAL, "--json"))
        alone = self.json(self.ask(question or analysis["details"]["asked"]["question"], "--epsilon", epsilon, "--json"))
        return alone["stored"] and alone["answer"]["rows"] == analysis["details"]["asked"]["rows"] and abs(self.spent() - analysis["plain"]["epsilon"]) < 1e-6

    def test_the_question_alone_is_charged_and_shared(self):
        self.assertTrue(self.same_as_asked(None, "2"))
        self.assertTrue(self.json(self.analyse(*SURVIVAL, "--json"))["stored"])

    def test_the_comparison_above_sees_a_second_question(self):
        self.assertFalse(self.same_as_asked(None, "3"))

    def test_explain_touches_nothing(self):
        (self.folder / "trial.csv").unlink()
        out = self.json(self.analyse(*SURVIVAL, "--explain", "--json"))
        self.assertTrue(out["affordable"])
        self.assertTrue(any("Kaplan-Meier" in note for note in out["notes"]))
        self.assertFalse((self.folder / "trial.ledger").exists())

    def test_few_rows_are_answered_without_a_curve(self):
        for rows in ["", "1,old,5,yes,1\n", "1,,,,\n2,new,,yes,\n"]:
            self.write("trial.csv", "id,arm,days,died,dose\n" + rows)
            out = self.json(self.analyse(*SURVIVAL, "--json", epsilon="0.5"))
            self.assertEqual(len(out["answer"]["rows"]), 24)

    def test_bad_input_is_refused_and_costs_nothing(self):
        def survival(time="days", event="died = 'yes'", step="60", *more):
            return self.analyse("survival", "--time", time, "--event", event, "--step", step, *more)
        self.refused(survival(step="0"), 2, "--step")
        self.refused(survival(time="dose", step="0.001"), 2, "steps of time")
        self.refused(survival(time="-5 - days"), 2, "below 0")
        self.refused(survival(time="nothing"), 4)
        self.refused(survival(event="died = 'yes') OR (TRUE"), 2, "not one expression")
        self.refused(survival("days", "died = 'yes'", "60", "--where", "TRUE) GROUP BY (arm"), 2, "not one expression")
        self.refused(survival("days", "died = 'yes'", "60", "--by", "id"), 4)
        self.refused(self.analyse(*SURVIVAL, epsilon="61"), 3)
        self.write("several.toml", TRIAL.replace("max_rows = 1", "max_rows = 3"))
        self.refused(self.analyse(*SURVIVAL, policy="several.toml"), 4, "--from")
        self.assertFalse((self.folder / "trial.ledger").exists())

    def test_other_noise_is_refused_before_the_charge(self):
        columns = 'id   = { type = "integer", public = true }\nhome = { type = "integer", public = true }\npersons = { values = [5, 2], public = true, required = true }'
        strata = TRIAL.replace('id   = { type = "integer" }', columns).replace('presence = "secret"', 'presence = "public"')
        strata = strata.replace('kind = "independent"', 'kind = "group"\nby = "home"\nodds_ratio = 4\nsize = "persons"').replace("[unit]", 'public_columns = "fixed"\n[unit]')
        self.write("strata.toml", strata)
        done = self.analyse("survival", "--time", "days", "--event", "died = 'yes'", "--step", "60", "--by", "persons", policy="strata.toml")
        self.refused(done, 4, "different sizes")
        self.assertFalse((self.folder / "trial.ledger").exists())

    def test_percentiles_are_monotone_and_near_the_truth(self):
        out = self.json(self.analyse("percentiles", "--column", "days", "--cells", "144", "--json", "--out", "out", epsilon="10"))
        self.assertEqual(out["answer"]["columns"], ["rank", "days", "low_95", "high_95"])
        days = sorted(row[2] for row in self.rows)
        before = 0
        for rank, value, low, high in out["answer"]["rows"]:
            self.assertTrue(before <= value and low <= value <= high)
            before = value
            at = days[int(rank * len(days))]
            self.assertTrue(low - 20 <= at <= high + 20, (rank, at, low, high))  # noise of scale 0.2 in 144 cells of 5 days
        self.assertEqual(len(out["answer"]["rows"]), 99)
        few = self.json(self.analyse("percentiles", "--column", "days", "--cells", "144", "--ranks", "0.25,0.5", "--json", epsilon="10"))
        self.assertTrue(few["stored"])  # other ranks of the same histogram are free
        self.assertEqual([row for row in out["answer"]["rows"] if row[0] in (0.25, 0.5)], few["answer"]["rows"])
        self.assertGreater((self.folder / "out" / "percentiles.svg").stat().st_size, 100)
        self.refused(self.analyse("percentiles", "--column", "arm"), 2, "not a number")
        self.refused(self.analyse("percentiles", "--column", "days", "--ranks", "0.5,0.2"), 2, "--ranks")
        self.refused(self.analyse("percentiles", "--column", "days", "--cells", "1"), 2, "--cells")

    def test_a_table_is_tested_with_its_noise(self):
        out = self.json(self.analyse("contingency", "--rows", "arm", "--columns", "died", "--json", epsilon="2"))
        self.assertEqual(out["answer"]["columns"], ["arm", "died", "n", "expected", "residual"])
        self.assertEqual(len(out["answer"]["rows"]), 4)
        self.assertLess(out["details"]["chi_square"]["p_value"], 0.001)  # half as many die in one arm
        again = self.json(self.analyse("contingency", "--rows", "arm", "--columns", "died", "--json", epsilon="2"))
        self.assertTrue(again["stored"])
        self.assertEqual(out["details"], again["details"])
        nothing = self.json(self.analyse("contingency", "--rows", "arm", "--columns", "dose > 5", "--json", "--out", "out", epsilon="2"))
        self.assertGreater(nothing["details"]["chi_square"]["p_value"], 1e-4)
        self.assertGreater((self.folder / "out" / "residuals.svg").stat().st_size, 100)
        self.refused(self.analyse("contingency", "--rows", "days", "--columns", "floor(dose)"), 2, "cells")

    def test_a_regression_finds_the_line(self):
        self.write("trial.csv", "id,arm,days,died,dose\n" + "".join(f"{r[0]},old,{int(100 + 40 * r[4] + r[0] % 7)},no,{r[4]}\n" for r in self.rows))
        out = self.json(self.analyse("regression", "--target", "days", "--features", "dose", "--json", epsilon="20"))
        (name, level, low0, high0), (feature, slope, low, high) = out["answer"]["rows"]
        self.assertEqual([name, feature], ["(intercept)", "dose"])
        self.assertTrue(abs(slope - 40) < 2 and abs(level - 102.5) < 15, (level, slope))
        self.assertTrue(low <= slope <= high and low0 <= level <= high0)
        self.assertIn("REGRESSION-1", out["claims"])
        self.write("trial.csv", "id,arm,days,died,dose\n1,old,5,yes,1\n")
        out = self.json(self.analyse("regression", "--target", "days", "--features", "dose", "--json", "--where", "died = 'yes'"))
        self.assertEqual([row[1] for row in out["answer"]["rows"]], [None, None])
        self.refused(self.analyse("regression", "--target", "days", "--features", "days"), 2, "twice")
        self.refused(self.analyse("regression", "--target", "days", "--features", "arm"), 2, "not a number")

    def test_the_most_frequent_are_named(self):
        drugs = "abcdefgh"
        visits = [(i, drugs[k]) for i in range(900) for k in range(8) if i % (k + 2) == 0]
        self.write("visits.csv", "id,drug\n" + "".join(f"{i},{drug}\n" for i, drug in visits))
        self.write("visits.toml", """
[data]
tables.visits = "visits.csv"
[unit]
table = "visits"
key = "id"
max_rows = 20
presence = "secret"
[columns.visits]
id   = { type = "integer" }
drug = { values = ["a", "b", "c", "d", "e", "f", "g", "h"] }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 60
ledger = "visits.ledger"
""")
        out = self.json(self.analyse("top", "--column", "drug", "-k", "2", "--json", epsilon="10", policy="visits.toml"))
        self.assertEqual(out["answer"]["rows"], [[1, "a"], [2, "b"]])  # 450 and 300 units, the next has 225; e^(-75 * 10 / 4) is nothing
        self.assertIn("TOP-1", out["claims"])
        self.assertAlmostEqual(out["plain"]["epsilon"], 10, places=4)
        self.assertTrue(self.json(self.analyse("top", "--column", "drug", "-k", "2", "--json", epsilon="10", policy="visits.toml"))["stored"])
        explained = self.ok(self.analyse("top", "--column", "drug", "-k", "5", "--explain", policy="visits.toml"))
        self.assertIn("permute-and-flip", explained)
        self.refused(self.analyse("top", "--column", "drug", "-k", "8", policy="visits.toml"), 2, "-k")
        self.refused(self.analyse("top", "--column", "drug", "-k", "2", "--where", "TRUE) OR (TRUE", policy="visits.toml"), 2, "not one expression")

        # Only counts leave the engine.
        self.write("stay.toml", (self.folder / "visits.toml").read_text().replace("tables.visits", "rows_out = false\ntables.visits"))
        self.assertIn("permute-and-flip", self.ok(self.analyse("top", "--column", "drug", "-k", "5", "--explain", policy="stay.toml")))

    def test_units_with_several_rows_take_a_sub_select(self):
        self.write("visits.toml", TRIAL.replace("max_rows = 1", "max_rows = 3"))
        each = "SELECT id, max(days) AS days, bool_or(died = 'yes') AS died FROM trial GROUP BY id"
        out = self.json(self.analyse("survival", "--from", each, "--time", "days", "--event", "died", "--step", "120", "--json", policy="visits.toml", epsilon="10"))
        self.assertEqual(len(out["answer"]["rows"]), 6)


if __name__ == "__main__":
    unittest.main()
