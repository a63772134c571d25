"""kith analyse svm and logistic, and kith predict, from the command line: answers, files, bad input."""
import json
import random
import unittest

from kith_case import KithCase

POLICY = """
[data]
tables.people = "people.csv"
[unit]
table = "people"
{unit}
[columns.people]
id    = {{ type = "integer"{public} }}
age   = {{ lower = 20, upper = 60 }}
free  = {{ type = "real" }}
town  = {{ values = ["A", "B", "C"] }}
rich  = {{ values = ["no", "yes"] }}
level = {{ values = [1, 2, 3] }}
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 500
ledger = "people.ledger"
"""
KEYED = POLICY.format(unit='key = "id"\nmax_rows = 1\npresence = "public"', public=", public = true")
SEVERAL = POLICY.format(unit='key = "id"\nmax_rows = 3\npresence = "secret"', public="")


class Learn(KithCase):
    def setUp(self):
        super().setUp()
        self.write("policy.toml", KEYED)
        draw = random.Random(7)
        self.rows = []
        for i in range(3000):
            age, town = draw.randrange(20, 61), draw.choice(["A", "B", "C", ""])
            rich = age + {"A": 20, "B": 0, "C": -20, "": 0}[town] + draw.gauss(0, 4) > 40
            self.rows.append((i, age, town, "yes" if rich else "no", 1 + i % 3))
        self.people(self.rows)

    def people(self, rows):
        self.write("people.csv", "id,age,free,town,rich,level\n" + "".join(f"{i},{a},1,{t},{r},{l}\n" for i, a, t, r, l in rows))

    def learn(self, *arguments, kind="svm", epsilon="2", label="rich", features="age,town"):
        return self.run_kith("analyse", "policy.toml", kind, "--label", label, "--features", features, "--epsilon", epsilon, *arguments)

    def test_weights_point_the_right_way_and_new_rows_are_told(self):
        for kind in ("svm", "logistic"):
            out = self.json(self.learn("--json", "--model", "model.json", "--out", "out", "--holdout", "0.3", kind=kind))
            self.assertEqual(out["answer"]["columns"], ["feature", "value", "weight", "per unit"])
            age = out["answer"]["rows"][0]
            self.assertEqual(age[0], "age")
            self.assertAlmostEqual(age[3], 2 * age[2] / 40, delta=1e-6 + abs(age[2]) * 1e-3)
            self.assertTrue(all(row[3] is None for row in out["answer"]["rows"] if row[0] == "town"))
            # Bars follow only from the price, in the units of their column; the model also has them.
            bars = out["error_95"][0]
            self.assertAlmostEqual(bars[3], 2 * bars[2] / 40, delta=1e-6 + bars[2] * 1e-3)
            self.assertLess(bars[2], 2)
            model = json.loads((self.folder / "model.json").read_text())
            self.assertAlmostEqual(model["features"][0]["error_95"], bars[2], delta=1e-3 * bars[2])
            self.assertGreater(model["features"][0]["error_95_all"], model["features"][0]["error_95"])
            weights = {(row[0], row[1]): row[2] for row in out["answer"]["rows"]}
            self.assertEqual(len(weights), 5)  # age, three towns and no town
            # Noise of a scale below 20 on slopes of hundreds: the signs would flip with a probability below 1e-9.
            self.assertGreater(weights["age", None], 0)
            self.assertGreater(weights["town", "A"], weights["town", "C"])
            self.assertTrue((self.folder / "out" / "weights.svg").exists())
            self.assertTrue((self.folder / "out" / "held_out.svg").exists())
            self.write("new.csv", "town,age,more\r\nA,60,x\r\nC,20,x\r\n,twenty,x\r\nnowhere,60,\r\n")
            told = self.ok(self.run_kith("predict", "model.json", "--csv", "new.csv")).splitlines()
            self.assertEqual([line.split(",")[0] for line in told], ["prediction", "yes", "no", "", "yes"])
            lines = [json.loads(line) for line in
                     self.ok(self.run_kith("predict", "model.json", "--csv", "new.csv", "--json")).splitlines()]
            self.assertEqual("probability" in lines[0], kind == "logistic")
            self.assertIsNone(lines[2]["prediction"])

    def test_a_condition_can_be_the_label(self):
        out = self.json(self.learn("--json", "--model", "model.json", label="age > 40", features="age,town", epsilon="4"))
        weights = {(row[0], row[1]): row[2] for row in out["answer"]["rows"]}
        self.assertGreater(weights["age", None], 0)  # half of 3000 people on either side
        self.assertEqual(json.loads((self.folder / "model.json").read_text())["positive"], "age > 40")
        self.write("new.csv", "town,age\nA,60\nA,20\n")
        told = self.ok(self.run_kith("predict", "model.json", "--csv", "new.csv")).splitlines()
        self.assertEqual([line.split(",")[0] for line in told], ["prediction", "age > 40", "NOT (age > 40)"])
        same = self.json(self.learn("--json", label="age > 40", features="age,town", epsilon="4"))
        self.assertTrue(same["stored"])
        self.refused(self.learn("--positive", "yes", label="age > 40"), 2, "--positive")
        self.refused(self.learn(label="age > 40) OR (TRUE"), 2, "not one expression")
        self.refused(self.learn(label="age + 40"), 4, "a condition is needed")
        self.refused(self.learn(label="nothing > 40"), 4)

    def test_the_model_says_of_old_rows_what_the_held_out_counts_say(self):
        # At this price the counts are exact, and nearly all units are held out.
        out = self.json(self.learn("--json", "--model", "model.json", "--holdout", "0.9", epsilon="400"))
        held = out["answer"]["details"]["held_out"] if "details" in out["answer"] else json.loads((self.folder / "model.json").read_text())["held_out"]
        told = self.ok(self.run_kith("predict", "model.json", "--csv", "people.csv")).splitlines()[1:]
        right = sum(line.split(",")[0] == row[3] for line, row in zip(told, self.rows)) / len(self.rows)
        self.assertGreater(right, 0.8)
        self.assertLess(abs(right - held["accuracy"][1]), 0.03)

    def test_explain_charges_nothing_and_the_same_again_is_free(self):
        explained = self.ok(self.learn("--explain"))
        self.assertIn("affordable", explained)
        self.assertIn("bars of weights", explained)
        self.assertEqual(self.spent(), 0)
        self.ok(self.learn())
        spent = self.spent()
        self.assertIn("asked before", self.ok(self.learn()))
        self.assertEqual(self.spent(), spent)

    def test_several_rows_of_a_unit(self):
        self.write("policy.toml", SEVERAL)
        self.people([(i // 2, a, t, r, l) for i, a, t, r, l in self.rows])
        out = self.json(self.learn("--json", "--holdout", "0.2"))
        self.assertEqual(len(out["answer"]["rows"]), 5)

    def test_tables_with_little_to_learn_from(self):
        for name, rows in {"empty": [], "one row": self.rows[:1], "one label": [(i, a, t, "no", l) for i, a, t, r, l in self.rows],
                           "no labels": [(i, a, t, "", l) for i, a, t, r, l in self.rows],
                           "all NULL": [(i, "", "", "", "") for i in range(50)]}.items():
            with self.subTest(name):
                self.people(rows)
                for kind in ("svm", "logistic"):
                    out = self.json(self.learn("--json", "--holdout", "0.5", kind=kind))
                    self.assertEqual(len(out["answer"]["rows"]), 5)

    def test_bad_input_is_refused_before_a_charge(self):
        self.refused(self.learn(features="free"), 2, "free has no bounds", "declare lower and upper")
        self.refused(self.learn(label="level"), 2, "3 values", "such as 1", "--positive")
        self.refused(self.learn(label="age", features="town"), 2, "two declared values")
        self.refused(self.learn("--regularise", "0.0001"), 2, "too weak", "at least")
        self.refused(self.learn("--holdout", "2"), 2, "hold out")
        self.refused(self.learn("--where", "free > 'a"), 2, "not one expression")
        self.refused(self.learn(epsilon="0.00000001"), 2)
        self.assertEqual(self.spent(), 0)
        self.ok(self.learn("--positive", "2", label="level"))

    def test_predict_refuses_what_is_no_model(self):
        self.write("new.csv", "age\n3\n")
        self.refused(self.run_kith("predict", "none.json", "--csv", "new.csv"), 2, "no file")
        for text in ("", "{}", "[1]", '{"analysis": "kmeans"}', '{"analysis": "svm", "positive": 1, "negative": [2], "features": [{}]}'):
            self.write("model.json", text)
            self.refused(self.run_kith("predict", "model.json", "--csv", "new.csv"), 2, "not a model")
        self.ok(self.learn("--model", "model.json"))
        self.refused(self.run_kith("predict", "model.json", "--csv", "new.csv"), 2, "no column town")
        self.refused(self.run_kith("predict", "model.json", "--csv", "gone.csv"), 2, "no file")


if __name__ == "__main__":
    unittest.main()
