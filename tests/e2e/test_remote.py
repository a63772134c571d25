"""kith --server: the same verbs and outputs as beside the policy."""
import os
import unittest

from kith_case import ILL
from server_case import PAIRS, PLACES, STREAM, ServerCase, together, younger


class Remote(ServerCase):
    def setUp(self):
        super().setUp()
        self.budget_of(50)
        self.server = self.serve()
        self.address = f"http://127.0.0.1:{self.server.port}"

    def both(self, *arguments, exit_code=0):
        """The output here and of the server, which must not differ."""
        here = self.run_kith(arguments[0], "policy.toml", *arguments[1:])
        there = self.run_kith("--server", self.address, arguments[0], "policy", *arguments[1:])
        self.assertEqual((there.returncode, there.stdout), (here.returncode, here.stdout), arguments)
        self.assertEqual(there.returncode, exit_code, there.stderr)
        return there

    def test_what_is_shown_is_the_same(self):
        self.write("questions.sql", f"{ILL};\n{younger(30)};\n")
        for form in ([], ["--json"]):
            self.both("explain", ILL, "--epsilon", "1", *form)
            self.both("explain", "SELECT ward, avg(age) AS a FROM people GROUP BY ward", "--epsilon", "2", *form)
            self.both("explain", ILL, "--epsilon", "80", *form, exit_code=3)
            self.both("explain", "SELECT ill FROM people", "--epsilon", "1", *form, exit_code=4)
            self.both("plan", "questions.sql", "--epsilon", "1", *form)
            self.both("columns", *form)
            self.both("analyse", "percentiles", "--column", "age", "--ranks", "0.25,0.5", "--epsilon", "1", "--explain", *form)
        self.both("explain", ILL, "--epsilon", "1", "--sql")
        # What was asked here first is answered there without charge, and the other way round.
        self.ask(ILL, "--epsilon", "1")
        for form in ([], ["--json"], ["--format", "csv"]):
            self.both("query", ILL, "--epsilon", "1", *form)
        self.ok(self.run_kith("--server", self.address, "query", "policy", younger(40), "--epsilon", "2"))
        self.both("query", younger(40), "--epsilon", "2", "--json")
        self.ok(self.run_kith("--server", self.address, "plan", "policy", "questions.sql", "--epsilon", "1", "--answer"))
        for form in ([], ["--json"]):
            self.both("plan", "questions.sql", "--epsilon", "1", "--answer", *form)
            self.both("budget", *form)

    def test_a_budget_of_more_than_a_page(self):
        self.write("policy.toml", (self.folder / "policy.toml").read_text().replace("epsilon = 50", "epsilon = 500") + '[server]\ntick = "0ms"\n')
        self.assertEqual(self.server.stop(), 0)
        self.server = self.serve()
        self.address = f"http://127.0.0.1:{self.server.port}"

        def ask(k):
            for i in range(251):
                question = f"SELECT count(*) AS n FROM people WHERE age > {i % 40} AND age < {41 + i // 40 + 7 * k}"
                self.document(self.server.request("POST", "/v1/datasets/policy/release", {"question": question, "epsilon": 0.01}))
        together(4, ask)
        history = self.json(self.both("budget", "--json"))["history"]
        self.assertEqual(len(history), 4 * 251)
        self.assertEqual([line["number"] for line in history], list(range(1, len(history) + 1)))

    def test_analyses_and_their_pictures(self):
        wanted = ("percentiles", "--column", "age", "--ranks", "0.25,0.5", "--epsilon", "3")
        self.ok(self.run_kith("--server", self.address, "analyse", "policy", *wanted, "--out", "there"))
        self.ok(self.run_kith("analyse", "policy.toml", *wanted, "--out", "here"))
        for file in ("answer.csv", "percentiles.svg"):
            self.assertEqual((self.folder / "here" / file).read_text(), (self.folder / "there" / file).read_text())
        wanted = ("cumulative", "--column", "age", "--cells", "12", "--range", "20,39", "--epsilon", "1")
        self.ok(self.run_kith("--server", self.address, "analyse", "policy", *wanted, "--out", "there"))
        self.ok(self.run_kith("analyse", "policy.toml", *wanted, "--out", "here"))
        for file in ("answer.csv", "cumulative.svg"):
            self.assertEqual((self.folder / "here" / file).read_text(), (self.folder / "there" / file).read_text())
        for wanted in (("kmeans", "--columns", "age", "--clusters", "2", "--epsilon", "1"), ("top", "--column", "ill", "-k", "1", "--epsilon", "1"),
                       ("contingency", "--rows", "ward", "--columns", "ill", "--epsilon", "1"),
                       ("cells", "--columns", "age,ill", "--false-cells", "0.5", "--units", "--most", "9", "--epsilon", "1")):
            self.ok(self.run_kith("--server", self.address, "analyse", "policy", *wanted, "--json"))
        self.refused(self.run_kith("--server", self.address, "analyse", "policy", "degrees", "--ends", "a,b", "--max-degree", "5", "--epsilon", "1"), 4, "not the first end")

    def test_what_cannot_be_asked(self):
        self.refused(self.run_kith("--server", self.address, "import", "policy"), 2, "cannot be asked for this: import")
        self.refused(self.run_kith("--server", self.address, "analyse", "policy", "records", "--epsilon", "1"), 2, "cannot be asked for this: analyse ... records")
        for words, said in ((("--follow",), "follows nothing"), (("--steps", "0..3", "--report", "x.html"), "beside the policy"), ((), "no steps were given"), (("--steps", "0..3"), "describes no stream")):
            self.refused(self.run_kith("--server", self.address, "analyse", "policy", "stream", "--statistic", "SELECT count(*) FROM people", "--epsilon", "1", *words), 2, said)
        self.refused(self.run_kith("--server", self.address, "query", "nothing", ILL, "--epsilon", "1"), 2, "no such dataset")
        self.refused(self.run_kith("--server", self.address, "query", "../etc", ILL, "--epsilon", "1"), 2, "not the name of a dataset")
        self.refused(self.run_kith("--server", "ftp://x", "budget", "policy"), 2, "not the address of a server")
        self.refused(self.run_kith("--server", "http://127.0.0.1:1", "budget", "policy"), 5, "cannot be reached")
        secret = dict(os.environ, KITH_TOKEN="kith_secret")
        self.assertNotIn("kith_secret", self.refused(self.run_kith("--server", "http://198.51.100.7", "budget", "policy", env=secret), 2, "without TLS"))
        (self.folder / "token").write_text("kith_secret\n")
        (self.folder / "token").chmod(0o644)
        self.refused(self.run_kith("--server", self.address, "budget", "policy", env=dict(os.environ, KITH_TOKEN_FILE="token")), 2, "others can read")


class OtherPolicies(ServerCase):
    """What needs a policy of its own: streams, places, pairs, values of all units, one-sided histograms."""

    def start(self, policy, **files):
        self.write("policy.toml", policy)
        for name, text in files.items():
            self.write(f"{name}.csv", text)
        server = self.serve()
        return f"http://127.0.0.1:{server.port}"

    def both(self, address, *words):
        """Asked there, then here, where it is stored: the same but for what says so."""
        there = self.ok(self.run_kith("--server", address, "analyse", "policy", *words))
        self.assertEqual(self.ok(self.run_kith("--server", address, "analyse", "policy", *words)), self.ok(self.run_kith("analyse", "policy.toml", *words)), words)
        return there

    ROWS = "id,at,ward,x,y\n" + "".join(f"{t * 10 + i},{t},{'AB'[i % 2]},0.{1 + i},0.{9 - i}\n" for t in range(30) for i in range(1 + t // 5))

    def test_streams(self):
        address = self.start(STREAM, t=self.ROWS)
        count = ("stream", "--statistic", "SELECT ward, count(*) AS n FROM t GROUP BY ward")
        for form in ((), ("--json",)):
            self.both(address, *count, "--epsilon", "2", "--explain", *form)
            self.both(address, *count, "--epsilon", "2", "--steps", "0..5", *form)
            self.both(address, *count, "--epsilon", "1", "--rule", "ba", "--steps", "0..5", *form)
            self.both(address, "stream", "--points", "x,y", "--cells", "8", "--epsilon", "1", "--steps", "0..2", *form)
            self.both(address, "stream", "--points", "x,y", "--cells", "8", "--epsilon", "1", "--steps", "0..2", "--range", "0,0,0.5,0.5", *form)
        for where, words in (("there", ("--server", address, "analyse", "policy")), ("here", ("analyse", "policy.toml"))):
            self.ok(self.run_kith(*words, *count, "--epsilon", "2", "--steps", "0..5", "--out", f"{where}.csv"))
        self.assertEqual((self.folder / "there.csv").read_text(), (self.folder / "here.csv").read_text())
        self.ok(self.run_kith("--server", address, "analyse", "policy", *count, "--epsilon", "2", "--steps", "3"))
        self.refused(self.run_kith("--server", address, "analyse", "policy", *count, "--epsilon", "2", "--steps", "0..2000"), 2, "more than 1000")
        self.refused(self.run_kith("--server", address, "analyse", "policy", *count, "--epsilon", "2", "--steps", "0..9999999", "--explain"), 2, "more than 1000")
        self.refused(self.run_kith("--server", address, "analyse", "policy", *count, "--epsilon", "900", "--steps", "9"), 3)

    def test_places(self):
        address = self.start(PLACES, t=self.ROWS)
        self.both(address, "points", "--columns", "x,y", "--epsilon", "1", "--cells", "8")
        self.both(address, "points", "--columns", "x,y", "--epsilon", "1", "--cells", "8", "--range", "0,0,0.5,0.5", "--range", "0.5,0.5,1,1")
        self.both(address, "points", "--columns", "x,y", "--epsilon", "1", "--cells", "8", "--method", "hat", "--json")
        self.refused(self.run_kith("--server", address, "analyse", "policy", "points", "--columns", "x", "--epsilon", "1", "--quantiles", "0.5"), 4, "how far units move")
        self.refused(self.run_kith("--server", address, "analyse", "policy", "points", "--columns", "x,y", "--epsilon", "1", "--range", "1,2"), 2, "--range x0,y0,x1,y1")
        self.refused(self.run_kith("--server", address, "analyse", "policy", "points", "--columns", "x,y", "--epsilon", "1", "--groups", "3"), 2)

    def test_pairs(self):
        address = self.start(PAIRS, friends="a,b\n" + "".join(f"{i},{(i * 7 + 1) % 50}\n" for i in range(50)))
        for form in ((), ("--json",)):
            self.both(address, "degrees", "--ends", "a,b", "--max-degree", "5", "--people", "50", "--once", "--epsilon", "2", *form)
            self.both(address, "degrees", "--ends", "a,b", "--max-degree", "5", "--epsilon", "2", "--explain", *form)
        self.refused(self.run_kith("--server", address, "analyse", "policy", "degrees", "--ends", "a,b", "--max-degree", "0", "--epsilon", "2"), 2)

    def test_values_of_all_units_and_one_sided_histograms(self):
        self.budget_of(50)
        text = (self.folder / "policy.toml").read_text()
        address = self.start(text + '[server]\ntick = "0ms"\n')
        self.both(address, "identity", "--columns", "age", "--units", "0,20", "--epsilon", "2", "--format", "csv")
        self.refused(self.run_kith("--server", address, "analyse", "policy", "histogram", "--by", "ward", "--epsilon", "1"), 2, "--one-sided")
        self.refused(self.run_kith("--server", address, "analyse", "policy", "histogram", "--one-sided", "--by", "ward", "--epsilon", "1"), 2)
        self.refused(self.run_kith("--server", address, "analyse", "policy", "histogram", "--one-sided", "--by", "ward", "--method", "dawaz", "--epsilon", "1"), 2, "--noisy-epsilon")


if __name__ == "__main__":
    unittest.main()
