"""Data in a PostgreSQL server, through the command line: on a private server that this test starts and stops."""
import contextlib
import glob
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
if __name__ == "__main__" and "KITH_TEST_POSTGRESQL" not in os.environ:
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))[-1]
    start = str(HERE.parent / "support" / "with_postgresql")
    os.execv(start, [start, str(pathlib.Path(programs).parent), sys.executable, __file__, *sys.argv[1:]])

from kith_case import ILL, KITH, POLICY, KithCase  # noqa: E402

SERVER = dict(word.split("=") for word in os.environ.get("KITH_TEST_POSTGRESQL", "").split())
DATA = "[data]\n" + os.environ.get("KITH_TEST_PLACE", "") + 'user = "kith"\n'
ON_SERVER = POLICY.replace('[data]\ntables.people = "people.csv"', DATA + 'frozen = true\ntables.people = "public.people"')
VISITS = DATA + """
tables.visits = "public.visits"
[unit]
table = "visits"
key = "id"
max_rows = 2
presence = "secret"
[columns.visits]
age = { type = "integer", lower = 0, upper = 100 }
ward = { values = ["A", "B", "C"] }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 10.0
ledger = "visits.ledger"
"""
SLOW = "SELECT count(*) FROM visits WHERE age <> 77"


def psql():
    return ["psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-h", SERVER["host"], "-U", SERVER["user"], "-d", "postgres"]


def sql(text):
    done = subprocess.run(psql(), input=text, text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# Tables that agree on nothing but their columns: where presence is secret, an analyst must not be able to distinguish them.
WORLDS = {
    "none": "SELECT 1, 'no', 5, 1.5 WHERE false",
    "one row each": "SELECT i, 'no', i, i / 2.0 FROM generate_series(1, 40) AS i",
    "as many as are kept": "SELECT i / 2, 'yes', 3, -1e300 FROM generate_series(0, 79) AS i",
    "too many": "SELECT i % 5, 'yes', i, 2.5 FROM generate_series(1, 90) AS i",
    "keyless": "SELECT NULL, NULL, NULL, NULL FROM generate_series(1, 9) AS i",
    "hostile": "SELECT i, chr(228 + i), 2147483647, 'NaN'::float8 FROM generate_series(1, 20) AS i UNION ALL SELECT 7, '', -2147483648, '-Infinity'",
}
SECRET = DATA + """
tables.t = "public.t"
[unit]
table = "t"
key = "id"
max_rows = 2
presence = "secret"
[columns.t]
ill = { values = ["no", "yes"] }
age = { type = "integer", lower = 0, upper = 120 }
cost = { type = "real", lower = 0, upper = 500 }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 100
ledger = "t.ledger"
"""


class OnServer(KithCase):
    def setUp(self):
        super().setUp()
        os.environ["XDG_STATE_HOME"] = str(self.folder / "state")  # where ledgers of one table learn of each other


class Blind(OnServer):
    """The blind build, whose noise is a fixed function: whatever is in the server, everything that an analyst sees is the same."""

    def test_everything_is_the_same_for_all_data(self):
        asked = [["explain", "p.toml", "SELECT ill, count(*), avg(cost) FROM t GROUP BY ill", "--epsilon", "1", "--sql"],
                 ["query", "p.toml", "SELECT ill, count(*), avg(cost) FROM t GROUP BY ill", "--epsilon", "1", "--json"],
                 ["query", "p.toml", "SELECT count(DISTINCT id), median(age) FROM t WHERE age / (age - 3) > 1", "--epsilon", "1"],
                 ["analyse", "p.toml", "kmeans", "--columns", "age,cost", "-k", "2", "--epsilon", "1"],
                 ["analyse", "p.toml", "svm", "--label", "ill", "--features", "age,cost", "--epsilon", "1", "--json"],
                 ["analyse", "p.toml", "points", "--columns", "age,cost", "--cells", "8", "--epsilon", "1"],
                 ["query", "p.toml", "SELECT count(*) FROM t WHERE nothing = 1", "--epsilon", "1"], ["budget", "p.toml", "--json"]]
        blind = KITH.parent / "tests" / "blind" / "kith_blind"
        folder = self.folder / "run"
        seen = {}
        for name, rows in WORLDS.items():
            sql(f"DROP TABLE IF EXISTS t; CREATE TABLE t (id integer, ill text, age integer, cost double precision); INSERT INTO t {rows}")
            shutil.rmtree(folder, ignore_errors=True)
            shutil.rmtree(self.folder / "state", ignore_errors=True)
            folder.mkdir()
            (folder / "p.toml").write_text(SECRET)
            imported = subprocess.run([blind, "import", "p.toml"], cwd=folder, capture_output=True)
            self.assertEqual(imported.returncode, 0, imported.stderr)
            runs = [subprocess.run([blind, *command], cwd=folder, capture_output=True) for command in asked]
            seen[name] = [(run.returncode, run.stdout, run.stderr) for run in runs]
        self.assertEqual([code for code, _, _ in seen["none"]], [0, 0, 0, 0, 0, 0, 4, 0], seen["none"])
        for name, shown in seen.items():
            for command, one, other in zip(asked, seen["none"], shown):
                self.assertEqual(one, other, f"{name}: {command}")

    def test_the_product_tells_such_data_apart(self):
        answers = set()
        for rows in ("SELECT i, 'no', 1, 1 FROM generate_series(1, 4) AS i", "SELECT i, 'no', 1, 1 FROM generate_series(1, 900) AS i"):
            sql(f"DROP TABLE IF EXISTS t; CREATE TABLE t (id integer, ill text, age integer, cost double precision); INSERT INTO t {rows}")
            self.write("p.toml", SECRET.replace('"t.ledger"', f'"{len(answers)}.ledger"'))
            answers.add(self.json(self.ask("SELECT count(*) FROM t", "--epsilon", "20", "--json", policy="p.toml"))["answer"]["rows"][0][0] > 400)
        self.assertEqual(answers, {False, True})


class PostgreSql(OnServer):
    @classmethod
    def setUpClass(cls):
        sql("""CREATE TABLE people AS SELECT i AS id, i / 3 AS house, substr('ABC', i % 3 + 1, 1) AS ward, 20 + i % 60 AS age,
                 CASE WHEN i % 7 = 0 THEN 'yes' ELSE 'no' END AS ill FROM generate_series(0, 299) AS i;
               ALTER TABLE people ADD PRIMARY KEY (id);
               CREATE TABLE visits AS SELECT i % 24000 AS id, i % 101 AS age, substr('ABC', i % 3 + 1, 1) AS ward
                 FROM generate_series(1, 120000) AS i;
               CREATE INDEX by_age ON visits (age);""")

    def setUp(self):
        super().setUp()
        self.write("policy.toml", ON_SERVER)
        self.write("visits.toml", VISITS)

    def log(self):
        log = self.folder / ".kith" / "engine.log"
        return log.read_text() if log.exists() else ""

    def test_answers(self):
        answer = self.json(self.ask(ILL, "--epsilon", "0.4", "--json"))
        [[number]] = answer["answer"]["rows"]
        self.assertLess(abs(number - 43), 400)
        self.assertEqual(self.json(self.ask(ILL, "--epsilon", "0.4", "--json"))["answer"], answer["answer"])
        self.assertGreater(self.spent(), 0.1)
        explained = self.ok(self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.1", "--sql"))
        self.assertIn("COLLATE", explained)
        self.ok(self.ask("SELECT ward, count(*), avg(age) FROM people GROUP BY ward"))

    def test_another_ledger_of_the_table_is_known(self):
        self.ok(self.ask())
        self.write("policy.toml", ON_SERVER.replace("people.ledger", "other.ledger").replace("public.people", "people"))  # the same table
        done = self.ask()
        self.ok(done)
        self.assertIn("WARNING", done.stderr)
        self.assertIn("people.ledger", done.stderr)

    def test_counts_of_public_facts_are_exact(self):
        answer = self.json(self.ask("SELECT ward, count(*) FROM people GROUP BY ward", "--epsilon", "0.1", "--json"))
        self.assertEqual(answer["answer"]["rows"], [["A", 100], ["B", 100], ["C", 100]])

    def test_import_reports_and_begins_a_version(self):
        report = self.json(self.run_kith("import", "policy.toml", "--json"))
        [table] = report["tables"]
        self.assertEqual((table["name"], table["rows"]), ("people", 300))
        self.ok(self.ask())
        report = self.json(self.run_kith("import", "visits.toml", "--json"))
        units = report["units"]
        self.assertEqual((units["most_rows"], units["limits"][-1]["max_rows"], units["limits"][-1]["rows_beyond"]), (5, 8, 0))
        bought = self.json(self.run_kith("analyse", "visits.toml", "cutoff", "--epsilon", "1", "--json"))["answer"]["rows"][0]
        self.assertAlmostEqual(bought[2], units["units_over"], delta=60)  # scales of 2 and 40
        self.assertAlmostEqual(bought[3], units["rows_beyond"], delta=1000)

    def test_an_import_says_that_units_were_not_compared(self):
        self.assertNotIn("was not checked", self.run_kith("import", "policy.toml").stderr)
        done = self.run_kith("import", "policy.toml")
        self.ok(done)
        self.assertIn("keeps no earlier state of the table: whether units kept their groups and public columns was not checked", done.stderr)
        self.ok(self.run_kith("import", "visits.toml"))  # nothing that a unit has to keep
        self.assertNotIn("was not checked", self.run_kith("import", "visits.toml").stderr)

    def test_a_draft_from_the_catalog(self):
        sql("""CREATE TYPE mood AS ENUM ('SECRET-LABEL'); CREATE DOMAIN years AS smallint;
               CREATE TABLE stay (id bigint, age years, cost numeric(8, 2), at timestamptz, day date, ill boolean, m mood, u uuid, cash money, "Odd ""name" text, h jsonb);
               INSERT INTO stay (id, "Odd ""name") VALUES (4711, 'SECRET-VALUE'); CREATE VIEW seen AS SELECT * FROM stay""")
        self.write("server.toml", DATA + 'tables.stay = "public.stay"\n')
        draft = self.ok(self.run_kith("init", "server.toml"))
        for line in ('engine = "postgresql"', 'user = "kith"', 'tables.stay = "public.stay"', 'id = { type = "integer" }', 'age = { type = "integer" }', 'cost = { type = "real" }',
                     'at = { type = "timestamp" }', 'day = { type = "date" }', 'ill = { type = "boolean" }', 'm = { type = "text" }', 'u = { type = "text" }',
                     '"Odd \\"name" = { type = "text" }', "# column 9 is left out: the column is of type money", "# column 11 is left out: the column is of type jsonb"):
            self.assertIn("\n" + line, draft)
        self.assertNotIn("SECRET", draft)
        self.assertNotIn("4711", draft)
        self.write("draft.toml", draft)
        self.refused(self.run_kith("explain", "draft.toml", "SELECT count(*) FROM stay", "--epsilon", "0.1"), 2, "key")  # nothing is decided yet
        decided = draft
        for line in ('row = true', 'presence = "secret"', 'source = "public"', 'kind = "independent"', 'epsilon = 1.0'):
            decided = decided.replace("# " + line, line, 1)
        self.write("draft.toml", decided)
        self.ok(self.ask("SELECT count(*) FROM stay WHERE ill", "--epsilon", "0.1", policy="draft.toml"))
        for change, words in [(("public.stay", "public.seen"), "view"), (("public.stay", "public.none"), "no such table"), (("tables.stay", 'tables.x = "a.b"\ntables.stay'), "several tables"),
                              (('engine = "postgresql"', ""), "socket"), (("[data]", "[deta]"), "no [data]")]:
            self.write("server.toml", (DATA + 'tables.stay = "public.stay"\n').replace(*change))
            done = self.run_kith("init", "server.toml")
            self.assertIn(done.returncode, (2, 5))
            self.assertIn(words, done.stderr)
        self.write("files.toml", '[data]\ntables.people = "people.csv"\n')
        self.refused(self.run_kith("init", "files.toml"), 2, "name the file itself")

    def test_analyses(self):
        learn = ["analyse", "visits.toml", "logistic", "--label", "ward", "--positive", "A", "--features", "age", "--epsilon", "0.5"]
        self.ok(self.run_kith("analyse", "visits.toml", "kmeans", "--columns", "age", "-k", "2", "--epsilon", "0.5"))
        self.ok(self.ask("SELECT median(age) FROM visits", "--epsilon", "0.5", policy="visits.toml"))
        self.assertIn("rows leave the database server", self.ok(self.run_kith(*learn, "--explain")))
        self.ok(self.run_kith(*learn))
        self.write("visits.toml", VISITS.replace("tables.visits", "rows_out = false\ntables.visits"))
        self.refused(self.run_kith(*learn), 4, "rows_out")
        self.ok(self.run_kith("analyse", "visits.toml", "kmeans", "--columns", "age", "-k", "2", "--epsilon", "0.5"))
        self.ok(self.run_kith("analyse", "visits.toml", "synthetic", "--columns", "age,ward", "--rows", "20", "--epsilon", "0.5"))

    def test_one_sided_records_stay(self):
        self.write("policy.toml", ON_SERVER.replace("[budget]", """[one_sided]
accept = "unbounded"
columns = ["age"]
sensitive = "ill = 'yes'"
epsilon = 1
[budget]"""))
        self.refused(self.run_kith("analyse", "policy.toml", "records", "--epsilon", "0.5", "--output", "out.parquet"), 4, "no records")

    def test_refusals_name_what_is_wrong(self):
        for change, code, words in [
            (("user =", 'password = "pw"\nuser ='), 2, ["password", "PGPASSWORD"]),
            (('"postgres"', '"nowhere"'), 5, ["no such database", "3D000", "nothing was charged"]),
            (('user = "kith"', 'user = "nobody_here"'), 5, ["does not let", "28"]),
            (('public.people', 'public.peeple'), 5, ["no such table", "42P01"]),
            ((SERVER["host"], "/nonexistent"), 5, ["cannot be reached"]),
            (('ill   =', 'sick  ='), 2, ["no column \"sick\""]),
            (('{ values = ["no", "yes"] }', '{ type = "date" }'), 2, ["people.ill", "declares it as date"]),
        ]:
            self.write("policy.toml", ON_SERVER.replace(*change))
            done = self.ask("SELECT count(*) FROM people WHERE age > 30")
            self.refused(done, code, *words)

    def wait_for(self, condition, wanted):
        """Until the server says so; whether a machine is busy does not matter."""
        for _ in range(6000):
            if sql(condition) == wanted:
                return
            time.sleep(0.02)
        self.fail(f"two minutes, and never {wanted}: {condition}")

    @contextlib.contextmanager
    def held_up(self):
        """A question that is charged, and whose statement waits in the server: its plan needs an index that somebody holds."""
        self.ok(self.ask("SELECT count(*) FROM visits WHERE age <> 5", "--epsilon", "0.5", policy="visits.toml"))  # what is known about units is kept
        holder = subprocess.Popen(psql(), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            holder.stdin.write("BEGIN; REINDEX INDEX by_age; SELECT 'held';\n")
            holder.stdin.flush()
            self.assertEqual(holder.stdout.readline(), "held\n")
            asked = subprocess.Popen([str(KITH), "query", "visits.toml", SLOW, "--epsilon", "0.5"], cwd=self.folder, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.wait_for(f"SELECT count(*) {self.WAITING}", "1")
            yield asked
        finally:
            holder.communicate("ROLLBACK;\n", timeout=120)

    WAITING = "FROM pg_stat_activity WHERE application_name = 'kith' AND wait_event_type = 'Lock' AND query LIKE '%77%'"

    def test_a_killed_connection_leaves_its_charge(self):
        before = self.json(self.run_kith("budget", "visits.toml", "--json"))["cells"][0]["plain_spent"]
        with self.held_up() as asked:
            self.assertEqual(sql(f"SELECT pg_terminate_backend(pid) {self.WAITING}"), "t")
            out, err = asked.communicate(timeout=120)
        self.assertEqual(asked.returncode, 5, out + err)
        self.assertIn("the data could not be read", err)
        self.assertIn("stays", err)
        self.assertEqual(out, "")
        self.assertIn("57P01", self.log())
        spent = max(cell["plain_spent"] for cell in self.json(self.run_kith("budget", "visits.toml", "--json"))["cells"])
        self.assertAlmostEqual(spent - before, 0.5 + 0.5, places=3)
        self.ok(self.ask(SLOW, "--epsilon", "0.5", policy="visits.toml"))

    def test_a_stopped_question(self):
        with self.held_up() as asked:
            asked.send_signal(signal.SIGINT)
            out, err = asked.communicate(timeout=120)
            self.assertNotEqual(asked.returncode, 0)
            self.assertIn("stopped", err)
            self.wait_for("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'kith'", "0")

    def test_the_guide(self):
        root = HERE.parents[1]
        done = subprocess.run([sys.executable, str(root / "tools" / "check_docs.py"), str(KITH.parent), str(root / "docs/guide/engines.md")],
                              text=True, capture_output=True, timeout=120,
                              env=dict(os.environ, PGHOST=SERVER["host"], PGUSER=SERVER["user"], PGDATABASE="postgres"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_promises_are_checked(self):
        sql("CREATE TABLE crowd AS SELECT id, 1 AS house, ward, age, ill FROM people")
        self.write("policy.toml", ON_SERVER.replace("public.people", "public.crowd"))
        self.refused(self.ask(), 2, "more than 3 members")

    def test_zz_a_server_that_was_stopped(self):
        pid = pathlib.Path(SERVER["host"], "data", "postmaster.pid").read_text().split()[0]
        os.kill(int(pid), signal.SIGINT)
        for _ in range(2400):
            if not pathlib.Path(SERVER["host"], "data", "postmaster.pid").exists():
                break
            time.sleep(0.05)
        self.refused(self.ask(), 5, "cannot be reached", "nothing was charged")


if __name__ == "__main__":
    unittest.main()
