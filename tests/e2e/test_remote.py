"""kith --server: the same verbs and outputs as beside the policy."""
import os
import unittest

from kith_case import ILL
from server_case import ServerCase, younger


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

    def test_analyses_and_their_pictures(self):
        wanted = ("percentiles", "--column", "age", "--ranks", "0.25,0.5", "--epsilon", "3")
        self.ok(self.run_kith("--server", self.address, "analyse", "policy", *wanted, "--out", "there"))
        self.ok(self.run_kith("analyse", "policy.toml", *wanted, "--out", "here"))
        for file in ("answer.csv", "percentiles.svg"):
            self.assertEqual((self.folder / "here" / file).read_text(), (self.folder / "there" / file).read_text())
        for wanted in (("kmeans", "--columns", "age", "--clusters", "2", "--epsilon", "1"), ("top", "--column", "ill", "-k", "1", "--epsilon", "1"),
                       ("contingency", "--rows", "ward", "--columns", "ill", "--epsilon", "1"),
                       ("cells", "--columns", "age,ill", "--false-cells", "0.5", "--units", "--most", "9", "--epsilon", "1")):
            self.ok(self.run_kith("--server", self.address, "analyse", "policy", *wanted, "--json"))
        self.refused(self.run_kith("--server", self.address, "analyse", "policy", "degrees", "--ends", "a,b", "--max-degree", "5", "--epsilon", "1"), 2, "choose from: cells, contingency")

    def test_what_cannot_be_asked(self):
        self.refused(self.run_kith("--server", self.address, "import", "policy"), 2, "cannot be asked for this: import")
        self.refused(self.run_kith("--server", self.address, "analyse", "policy", "stream", "--statistic", "x", "--epsilon", "1"), 2, "cannot be asked for this: analyse")
        self.refused(self.run_kith("--server", self.address, "query", "nothing", ILL, "--epsilon", "1"), 2, "no such dataset")
        self.refused(self.run_kith("--server", self.address, "query", "../etc", ILL, "--epsilon", "1"), 2, "not the name of a dataset")
        self.refused(self.run_kith("--server", "ftp://x", "budget", "policy"), 2, "not the address of a server")
        self.refused(self.run_kith("--server", "http://127.0.0.1:1", "budget", "policy"), 5, "cannot be reached")
        secret = dict(os.environ, KITH_TOKEN="kith_secret")
        self.assertNotIn("kith_secret", self.refused(self.run_kith("--server", "http://198.51.100.7", "budget", "policy", env=secret), 2, "without TLS"))
        (self.folder / "token").write_text("kith_secret\n")
        (self.folder / "token").chmod(0o644)
        self.refused(self.run_kith("--server", self.address, "budget", "policy", env=dict(os.environ, KITH_TOKEN_FILE="token")), 2, "others can read")


if __name__ == "__main__":
    unittest.main()
