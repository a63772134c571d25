"""What an analyst can see besides noisy integers must not depend on data: exit codes, messages, what was charged."""
import itertools
import shutil
import unittest

from kith_case import KithCase

FLU = """
data       = { tables = { flu = "flu.csv" } }
unit       = { table = "flu", key = "id", max_rows = 1, presence = "public" }
budget     = { epsilon = 1.0, ledger = "flu.ledger" }
[columns.flu]
household  = { type = "integer", public = true }
ill        = { values = ["no", "yes"], required = true }
y          = { lower = 0, upper = 100 }
[dependence]
source     = "public"
kind       = "group"
by         = "household"
size       = 6
odds_ratio = 4
"""
ONE_SIDED = """[one_sided]
accept = "unbounded"
[[one_sided.attribute]]
name = "y"
columns = ["y"]
sensitive = "ill = 'yes'"
epsilon = 1.0
"""
PAIRS = """
[data]
tables.pairs = "pairs.csv"
[unit]
table = "pairs"
row = true
presence = "public"
[columns.pairs]
a = { type = "integer" }
b = { type = "integer" }
w = { type = "integer" }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 10
ledger = "pairs.ledger"
"""
# NULL for anybody who is ill: the one who asks chooses what makes a value NULL.
TELLTALE = "CASE WHEN ill = 'yes' THEN NULL WHEN household > 500 THEN 1 ELSE 0 END"
HOSTILE = ["household = 334) --", "household = 334) OR (FALSE", "TRUE) OR (TRUE", "TRUE) --", "TRUE) /* */ OR (TRUE",
           "household = 334 --", "household = 334; SELECT 1", "household = 334 FOR READ ONLY", "TRUE GROUP BY ill"]


class PastedTexts(KithCase):
    """A text that closes its parenthesis once moved the tests for NULL aside: the exit code told one person's secret."""

    def setUp(self):
        super().setUp()
        self.write("policy.toml", FLU)

    def flu(self, secret):
        """Person 1003 of household 334, whose housemates are not ill, is ill or not; her y is there or not."""
        lines = ["id,household,ill,y"]
        for i in range(1200):
            ill = secret if i == 1003 else "no" if i % 9 else "yes"
            lines.append(f"{i},{i // 3},{ill},{'' if i == 1003 and secret == 'yes' else i % 100}")
        self.write("flu.csv", "\n".join(lines) + "\n")
        for old in self.folder.glob("flu.ledger*"):
            old.unlink()
        shutil.rmtree(self.folder / ".kith", ignore_errors=True)

    def seen(self, *arguments):
        done = self.run_kith("analyse", "policy.toml", *arguments)
        return done.returncode, done.stdout, done.stderr

    def same_for_both(self, *arguments):
        """Refused before any charge, in the same words for both data sets, and not because of the policy."""
        both = []
        for secret in ("no", "yes"):
            self.flu(secret)
            both.append(self.seen(*arguments))
            self.assertIn(both[-1][0], (2, 4), both[-1])
            self.assertNotIn("policy.toml", both[-1][2])
            self.assertFalse((self.folder / "flu.ledger").exists(), "something was charged")
        self.assertEqual(*both)

    def test_a_condition_that_closes_its_parenthesis_is_refused(self):
        for method, where in itertools.product(("svm", "logistic"), HOSTILE):
            with self.subTest(method=method, where=where):
                self.same_for_both(method, "--label", "ill", "--features", TELLTALE, "--where", where, "--epsilon", "0.000001")
        for analysis, where in itertools.product((["points", "--columns", "y", "--method", "hat"],
                                                  ["kmeans", "--columns", "y", "--clusters", "2"]), HOSTILE):
            with self.subTest(analysis=analysis, where=where):
                self.same_for_both(*analysis, "--where", where, "--epsilon", "0.01")

    def test_a_feature_that_closes_its_parenthesis_is_refused(self):
        for text in (f"{TELLTALE}) FROM flu WHERE household = 334 --", f"{TELLTALE}) --", f"({TELLTALE}", "y AS z", "DISTINCT y",
                     "y FROM flu", "(SELECT max(y) FROM flu)", "sum(y) OVER ()", "*"):
            with self.subTest(text=text):
                self.same_for_both("svm", "--label", "ill", "--features", text, "--epsilon", "0.000001")

    def test_what_to_group_by_is_columns_and_expressions_and_nothing_more(self):
        self.write("policy.toml", FLU + ONE_SIDED)
        self.flu("no")
        code, out, words = self.seen("histogram", "--one-sided", "--by", "ill, width_bucket(y, 0, 100, 4)", "--epsilon", "0.1")
        self.assertEqual(code, 0, out + words)
        for by in ("household % 2) --", "household % 2 ORDER BY 1", "household % 2; SELECT 1", "household % 2 HAVING TRUE",
                   "ROLLUP(ill)", "ill UNION SELECT 1"):
            with self.subTest(by=by):
                self.same_for_both("histogram", "--one-sided", "--by", by, "--epsilon", "0.1")

    def test_a_condition_that_one_row_can_make_fail_is_refused_for_all(self):
        """An overflow in the condition of degrees was an error after the charge, if somebody had a large value."""
        self.write("pairs.toml", PAIRS)
        both = []
        for weight in (1, 9 * 10**18):
            self.write("pairs.csv", f"a,b,w\n1,2,3\n2,3,{weight}\n")
            done = self.run_kith("analyse", "pairs.toml", "degrees", "--ends", "a,b", "--max-degree", "3", "--where", "w * 3 > 5",
                                 "--epsilon", "0.5")
            self.refused(done, 4, "could overflow")
            self.assertFalse((self.folder / "pairs.ledger").exists())
            both.append((done.stdout, done.stderr))
        self.assertEqual(*both)

    def test_what_a_person_means_is_answered_whoever_is_ill(self):
        # Distinguished by what the feature says about one person, and by nothing else that can be seen.
        for method in ("svm", "logistic"):
            codes = []
            for secret in ("no", "yes"):
                self.flu(secret)
                codes.append(self.seen(method, "--label", "ill", "--features", TELLTALE, "--where", "household = 334 OR FALSE",
                                       "--epsilon", "0.000001", "--json")[0])
            self.assertEqual(codes, [0, 0])

    def test_features_are_taken_apart_by_the_grammar_not_by_commas(self):
        self.flu("no")
        done = self.run_kith("analyse", "policy.toml", "svm", "--label", "ill", "--features", "coalesce(y, 50), greatest(y, 3)",
                             "--epsilon", "0.1", "--json")
        features = {row[0] for row in self.json(done)["answer"]["rows"]}
        self.assertLessEqual({"coalesce(y, 50)", "greatest(y, 3)"}, features)


if __name__ == "__main__":
    unittest.main()
