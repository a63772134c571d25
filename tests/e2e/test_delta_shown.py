"""A guarantee that has a delta is never shown without it: not by the program, the PostgreSQL protocol or the Python package."""
import importlib
import json
import pathlib
import sys
import types
import unittest

from kith_case import ILL, POLICY
from pg_case import PgCase, error_of, notices_of, rows_of

DELTA = POLICY.replace("epsilon = 1.0", "epsilon = 1.0\ndelta = 1e-6") + '[server]\ntick = "0ms"\n'
WITH_KEYS = (DELTA.replace("delta = 1e-6", "delta = 1e-6\nkeys_delta = 1e-6")
             .replace('house = { type = "integer", public = true }', 'house = { type = "integer", public = true }\ncode = { type = "text" }'))


def documents_of_the_package():
    """python/kith/documents.py without the module that is built."""
    if "kith_alone" not in sys.modules:
        alone = types.ModuleType("kith_alone")
        alone.__path__ = [str(pathlib.Path(__file__).resolve().parents[2] / "python" / "kith")]
        sys.modules["kith_alone"] = alone
    return importlib.import_module("kith_alone.documents")


def digits(number):
    """The ways in which a small number may be written, rounded up or not."""
    return {f"{number:.{n}{kind}}".replace("e-0", "e-") for n in (2, 3, 4) for kind in "ge"} | {f"{number:.4g}"}


class DeltaShown(PgCase):
    """Under caps of Gaussian loss."""
    price, plain = "0.001", None  # and what it loses without a delta

    def setUp(self):
        super().setUp()
        self.write("policy.toml", DELTA)

    def priced(self, sql):
        return f"-- kith: epsilon {self.price}\n{sql}"

    def write_codes(self):
        self.write("policy.toml", WITH_KEYS)
        lines = (self.folder / "people.csv").read_text().splitlines()
        self.write("people.csv", "\n".join([lines[0] + ",code", *(line + ",x" for line in lines[1:])]) + "\n")

    def shows(self, text, guarantee):
        """Both deltas, each beside its epsilon, and no pure total."""
        capped = guarantee["with_delta"]
        told = " ".join(text.split()).replace("e-0", "e-")
        for epsilon, delta in ((capped["epsilon"], capped["delta"]), (capped["plain_epsilon"], capped["plain_delta"])):
            self.assertGreater(delta, 0)
            pairs = [word for word in told.replace("),", ") ").split("(") if any(word.split(")")[0].endswith(", " + each) for each in digits(delta) | rounded_up(delta))]
            self.assertTrue(any(close(word.split(",")[0], epsilon) for word in pairs), f"{epsilon}, {delta}: {told}")

    def printed(self, *arguments):
        done = self.run_kith(*arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def capped(self):
        """An explanation, an answer and a budget under caps."""
        explanation = self.printed("explain", "policy.toml", ILL, "--epsilon", self.price)
        answer = self.printed("query", "policy.toml", ILL, "--epsilon", self.price)
        return explanation, answer, self.printed("budget", "policy.toml")

    def test_the_program(self):
        explanation, answer, budget = self.capped()
        for guarantee, arguments in ((explanation["guarantee"], ("explain", "policy.toml", ILL, "--epsilon", self.price)),
                                     (answer, ("query", "policy.toml", ILL, "--epsilon", self.price)), (budget["guarantee"], ("budget", "policy.toml"))):
            text = self.run_kith(*arguments).stdout
            self.shows(text, guarantee)
            for line in text.splitlines():
                if line.startswith("dependent"):
                    self.assertIn("(", line)

    def test_documents_say_it_in_words(self):
        explanation, answer, budget = self.capped()
        for guarantee in (explanation["guarantee"], answer, budget["guarantee"]):
            self.shows(guarantee["with_delta"]["in_words"], guarantee)

    def test_the_package(self):
        documents = documents_of_the_package()
        explanation, answer, budget = self.capped()
        shown = documents.Explanation(explanation)
        for text in (repr(shown), shown._repr_html_()):
            self.shows(text, explanation["guarantee"])
        self.assertEqual(shown.plain, self.plain)
        self.assertEqual(shown.delta, explanation["guarantee"]["with_delta"]["delta"])
        shown = documents.Answer(answer)
        for text in (repr(shown), repr(shown.certificate), shown._repr_html_()):
            self.shows(text, answer)
        self.assertEqual(shown.certificate.delta, answer["with_delta"]["delta"])
        self.assertNotIn("plain loss   for", repr(shown))
        shown = documents.Budget(budget)
        self.shows(repr(shown), budget["guarantee"])
        self.assertIsNone(shown.dependent_spent)  # no loss without a delta bounds normal noise

    def test_the_package_without_a_delta(self):
        documents = documents_of_the_package()
        answer = documents.Answer(self.printed("query", "policy.toml", ILL, "--epsilon", "1"))
        self.assertEqual(answer.certificate.delta, 0)
        self.assertAlmostEqual(answer.certificate.dependent_total, 1)
        self.assertIn("1 in all, by", repr(answer.certificate))
        self.assertAlmostEqual(documents.Budget(self.printed("budget", "policy.toml")).dependent_spent, 1)

    def test_the_protocol(self):
        explanation, _, _ = self.capped()
        session = self.connect(self.serve_pg())
        other = ILL.replace("yes", "no")
        lines = [row[0].decode() for row in rows_of(session.query("EXPLAIN " + self.priced(other)))]
        self.shows("\n".join(lines), explanation["guarantee"])
        for start in ("plain loss: ", "dependent loss: "):
            self.assertIn("(", next(line for line in lines if line.startswith(start)))
        told = [each["M"] for each in notices_of(session.query(self.priced(other))) if "dependent loss" in each["M"]]
        self.assertEqual(len(told), 1)
        self.shows(told[0], explanation["guarantee"])

    def test_the_protocol_explains_nothing_that_it_refuses(self):
        self.write_codes()
        session = self.connect(self.serve_pg())
        by_code = "SELECT code, count(*) AS n FROM people GROUP BY code"
        asked, explained = error_of(session.query(self.priced(by_code))), error_of(session.query("EXPLAIN " + self.priced(by_code)))
        self.assertEqual(asked["M"], explained["M"])
        # What looks for a delta sees where there is none.
        with self.assertRaises(AssertionError):
            self.shows("plain loss 0.1667 in all; dependent loss 1 in all", {"with_delta": {"epsilon": 1, "delta": 1e-6, "plain_epsilon": 0.1667, "plain_delta": 1e-7}})


class DeltaShownBesidePureLosses(DeltaShown):
    """After a question about keys that nobody declared, which had a pure loss beside its delta."""
    price, plain = "0.25", 0.25
    test_the_package_without_a_delta = None  # there is one from the beginning

    def setUp(self):
        super().setUp()
        self.write_codes()
        self.keys = self.printed("analyse", "policy.toml", "keys", "--columns", "code", "--epsilon", "0.25")
        self.plain = self.printed("explain", "policy.toml", ILL, "--epsilon", "0.25")["plain"]["epsilon"]  # of the plain budget

    def test_the_answer_itself(self):
        self.assertEqual(self.keys["with_delta"]["mu_cap"], 0)
        self.shows(self.keys["with_delta"]["in_words"], self.keys)
        text = self.run_kith("analyse", "policy.toml", "keys", "--columns", "code", "--epsilon", "0.25").stdout
        shown = documents_of_the_package().Answer(self.keys)
        for told in (text, repr(shown), shown._repr_html_()):
            self.shows(told, self.keys)
            self.shows(told, {"with_delta": {**self.keys["with_delta"], "plain_epsilon": self.keys["plain"]["epsilon"], "plain_delta": self.keys["plain"]["delta"]}})

    def test_the_history(self):
        self.assertIn("delta", " ".join(line for line in self.run_kith("budget", "policy.toml").stdout.splitlines() if "keys that nobody" in line or ", delta" in line))
        self.assertGreater(self.printed("budget", "policy.toml")["history"][0]["delta_units"], 0)


def rounded_up(number):
    """Four digits that are no less."""
    from decimal import ROUND_CEILING, Context, Decimal
    up = float(Context(prec=4, rounding=ROUND_CEILING).create_decimal(Decimal(number)))
    return digits(up)


def close(text, number):
    try:
        return abs(float(text) - number) <= 2e-3 * abs(number)
    except ValueError:
        return False


if __name__ == "__main__":
    unittest.main()
