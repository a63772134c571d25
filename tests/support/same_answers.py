"""Every newer kind of question on files and on a server (KITH_TEST_POSTGRESQL or KITH_TEST_TRINO), at a price that leaves no noise: the answers are the same
to the last digit. Per public group, per unit, several tables, rows of two units, stages, after the noise, plans, and the analyses that are computed from one question."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from servers import ANY, PLACE, execute, schema

KITH = pathlib.Path(os.environ.get("KITH", "build/kith")).resolve()
SCHEMA = schema("answers")

PEOPLE = [(i, i // 3, "ABÖ"[i % 3], 20 + i * 7 % 60, "yes" if i % 7 == 0 else None if i % 11 == 0 else "no", int("0000111223"[i % 10]), i * 3 % 10, None if i % 13 == 0 else i * 37 % 500)
          for i in range(240)]
# Nobody has more visits than count: otherwise each engine would keep different ones.
VISITS = [(i * 7 % 240, i % 9, i * 17 % 90, "XYZ"[i % 3]) for i in range(600)]
# Who calls whom: a row is about both.
CALLS = [(i * 7 % 240, i * 11 % 260 if i % 17 else None, i * 17 % 90, "XYZ"[i % 3]) for i in range(500)]
ROWS = {"people": PEOPLE, "visits": VISITS, "calls": CALLS}
NAMES = {"calls": ("id", "pal", "cost", "kind"), "people": ("id", "house", "ward", "age", "ill", "level", "score", "income"), "visits": ("id", "day", "cost", "kind")}
TYPES = {"calls": ("bigint", "bigint", "integer", "varchar"), "people": ("bigint", "bigint", "varchar", "integer", "varchar", "integer", "integer", "bigint"), "visits": ("bigint", "integer", "integer", "varchar")}
COLUMNS = """[columns.people]
id     = { type = "integer" }
house  = { type = "integer", public = true }
ward   = { values = ["A", "B", "Ö"], public = true, required = true }
age    = { type = "integer", lower = 0, upper = 100 }
ill    = { values = ["no", "yes"] }
level  = { values = [0, 1, 2, 3] }
score  = { type = "integer", lower = 0, upper = 9 }
income = { type = "integer", lower = 0, upper = 400 }
"""
VISITS_COLUMNS = """[columns.visits]
id   = { type = "integer" }
day  = { type = "integer", lower = 0, upper = 8 }
cost = { type = "integer", lower = 0, upper = 60 }
kind = { values = ["X", "Y"] }
"""
CALLS_COLUMNS = VISITS_COLUMNS.replace("visits", "calls").replace("day  = { type = \"integer\", lower = 0, upper = 8 }", "pal  = { type = \"integer\" }")
MORE = {"visits": 'key = "id", max_rows = 3', "calls": 'key = "id", max_rows = 3, other = "pal", max_other = 2'}
END = '[dependence]\nsource = "public"\nkind = "independent"\n[budget]\nepsilon = 1048576\nledger = "a.ledger"\n'
UNIT = '[unit]\ntable = "people"\nkey = "id"\nmax_rows = 1\npresence = "public"\n'

CASES = "(SELECT house, count(*) AS size, count(*) FILTER (WHERE ill = 'yes') AS cases, max(income) AS most, bool_or(age > 60) AS old FROM people GROUP BY house) AS h"
FIRST = "SELECT id, day, cost, sum(cost) OVER (PARTITION BY id ORDER BY day) AS so_far, row_number() OVER (PARTITION BY id ORDER BY day, cost DESC) AS k FROM visits"
PLAN = """SELECT ward, level, count(*) AS n FROM people GROUP BY ward, level ORDER BY n DESC LIMIT 3;
SELECT ill, count(*) AS n FROM people GROUP BY ill; -- kith: weight 2
SELECT count(*) AS n FROM people WHERE age BETWEEN 30 AND 60 AND income < 100;
"""


def homes():
    yield from (["query", "p.toml", text] for text in (
        f"SELECT sum(cases) AS m, count(*) AS n FROM {CASES}",
        f"SELECT size, count(*) AS n, sum(most) AS s FROM {CASES} WHERE old GROUP BY size",
        "SELECT ward, count(*) AS n, sum(x) AS s FROM (SELECT id, ward, CASE WHEN ill = 'yes' THEN income ELSE age END AS x FROM people) AS u GROUP BY ward",
        "WITH line AS (SELECT count(*) AS v FROM people WHERE ill = 'yes') SELECT level, count(*) AS n, sum(income) AS s FROM people, line WHERE age > v GROUP BY level",
        "SELECT count(*) AS n FROM people WHERE age < (SELECT max(age) FROM people WHERE ill = 'yes')",
        "SELECT ward, level, n, 100.0 * n / sum(n) OVER () AS share FROM (SELECT ward, level, count(*) AS n FROM people WHERE ill = 'no' GROUP BY ward, level) AS x",
        "SELECT level, count(*) AS n FROM people GROUP BY level HAVING count(*) > 40 ORDER BY n DESC, level LIMIT 3",
        "SELECT a.n - b.n AS d FROM (SELECT count(*) AS n FROM people WHERE ill = 'yes') a, (SELECT sum(income) AS n FROM people WHERE level = 2) b",
        "SELECT ward, ill, count(*) AS n FROM people GROUP BY ROLLUP(ward, ill)",
        "SELECT level, ill, count(*) AS n FROM people GROUP BY CUBE(level, ill)",
        "SELECT histogram(age, 4) AS part, count(*) AS n, count(DISTINCT level) AS d FROM people GROUP BY part",
        "SELECT ward, median(age) AS m FROM people WHERE level > 0 GROUP BY ward"))
    yield ["query", "p.toml", f"SELECT cases, count(*) AS n FROM {CASES} GROUP BY cases", "--unit", "household"]
    yield ["plan", "p.toml", "plan.sql", "--answer"]
    analyse = ["analyse", "p.toml"]
    yield [*analyse, "survival", "--time", "age", "--event", "ill = 'yes'", "--step", "20", "--by", "ward"]
    yield [*analyse, "contingency", "--rows", "ill", "--columns", "level"]
    yield [*analyse, "regression", "--target", "score", "--features", "level"]
    yield [*analyse, "percentiles", "--column", "age", "--cells", "12"]
    yield [*analyse, "cumulative", "--column", "age", "--cells", "12"]
    yield [*analyse, "top", "--column", "level", "-k", "2"]


def tables():
    yield from (["query", "p.toml", text] for text in (
        "SELECT count(*) AS n, count(DISTINCT id) AS u, sum(cost) AS s FROM visits",
        "SELECT people.ward, visits.kind, count(*) AS n, sum(age) AS s FROM people JOIN visits ON people.id = visits.id GROUP BY people.ward, visits.kind",
        "SELECT ill, count(*) AS n, sum(visits.cost) AS c FROM people LEFT JOIN visits ON people.id = visits.id WHERE level = 2 GROUP BY ill",
        "SELECT sum(n) AS v, count(*) AS u FROM (SELECT people.id, count(visits.id) AS n FROM people LEFT JOIN visits ON people.id = visits.id GROUP BY people.id) AS u"))


def visits():
    yield from (["query", "p.toml", text] for text in (
        f"SELECT k, count(*) AS n, sum(so_far) AS s FROM ({FIRST}) AS w GROUP BY k",
        "SELECT count(*) AS n, sum(total) AS s FROM (SELECT id, sum(cost) AS total, count(*) FILTER (WHERE kind = 'X') AS x FROM visits GROUP BY id) AS u WHERE x > 0",
        "SELECT kind, count(*) AS n, count(DISTINCT id) AS u FROM visits WHERE day > 2 GROUP BY kind",
        "SELECT count(m) AS n, count(*) FILTER (WHERE m > 20) AS s FROM (SELECT id, median(cost) AS m FROM visits GROUP BY id) AS u",
        "SELECT k, count(*) AS n, count(*) FILTER (WHERE m > 20) AS s FROM (SELECT id, max(day) AS k, median(cost) FILTER (WHERE kind = 'X') AS m FROM visits GROUP BY id) AS u GROUP BY k",
        "SELECT median(m) AS m FROM (SELECT id, median(cost) AS m FROM visits GROUP BY id) AS u"))


def calls():
    yield from (["query", "p.toml", text] for text in (
        "SELECT kind, count(*) AS n, count(DISTINCT id) AS u, count(DISTINCT pal) AS p, sum(cost) AS s FROM calls GROUP BY kind",
        "SELECT a.ward, b.ill, count(*) AS n FROM calls JOIN people AS a ON calls.id = a.id LEFT JOIN people AS b ON calls.pal = b.id GROUP BY a.ward, b.ill",
        "SELECT n, count(*) AS u, count(*) FILTER (WHERE m > 20) AS s FROM (SELECT id, count(*) AS n, median(cost) AS m FROM calls GROUP BY id) AS u GROUP BY n",
        "SELECT median(cost) AS m FROM calls WHERE kind = 'X'"))


WORLDS = {
    "homes": (("people",), UNIT + 'within = "house"\nsize = 4\n' + COLUMNS, homes, 40000),
    "tables": (("people", "visits"), UNIT + COLUMNS + VISITS_COLUMNS, tables, 200000),
    "calls": (("people", "calls"), UNIT + COLUMNS + CALLS_COLUMNS, calls, 400000),
    "visits": (("visits",), UNIT.replace("people", "visits").replace("max_rows = 1", "max_rows = 3").replace("public", "secret") + VISITS_COLUMNS, visits, 300000),
}


def literal(value):
    return "NULL" if value is None else str(value) if isinstance(value, int) else f"'{value}'"


# Of what a server holds, and of no file that was imported.
PROMISED = "; the data are read in place and do not change under version 1"


def told(text):
    """Everything that was printed but the ledgers' own chains."""
    def stripped(value):
        if isinstance(value, dict):
            return {k: stripped(v) for k, v in value.items() if k != "ledger_hash"}
        return [stripped(v) for v in value] if isinstance(value, list) else value
    return stripped(json.loads(text))


@unittest.skipUnless(ANY, "no server")
class SameAnswers(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        execute("CREATE SCHEMA IF NOT EXISTS " + SCHEMA)
        for name, rows in ROWS.items():
            execute(f"DROP TABLE IF EXISTS {SCHEMA}.{name}")
            typed = ", ".join(f"CAST({c} AS {t}) AS {c}" for c, t in zip(NAMES[name], TYPES[name]))
            values = ", ".join("(" + ", ".join(map(literal, row)) + ")" for row in rows)
            execute(f"CREATE TABLE {SCHEMA}.{name} AS SELECT {typed} FROM (VALUES {values}) AS v({', '.join(NAMES[name])})")

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def place(self, where, named, rest):
        folder = self.folder / f"{where}{len(list(self.folder.iterdir()))}"
        folder.mkdir()
        data = "[data]\n" + ("frozen = true\n" + PLACE if where == "server" else "")
        for k, name in enumerate(named):
            source = f"answers.{name}" if where == "server" else f"{name}.csv"
            data += f'tables.{name} = ' + (f'"{source}"\n' if k == 0 else f'{{ source = "{source}", {MORE[name]} }}\n')
            rows = [",".join("" if value is None else str(value) for value in row) for row in ROWS[name]]
            (folder / f"{name}.csv").write_text("\n".join([",".join(NAMES[name]), *rows]) + "\n")
        (folder / "p.toml").write_text(data + rest + END)
        (folder / "plan.sql").write_text(PLAN)
        return folder

    def ask(self, folder, command, epsilon=40000):
        done = subprocess.run([str(KITH), *command, "--epsilon", str(epsilon), "--json"], cwd=folder, text=True, capture_output=True, timeout=300,
                              env=dict(os.environ, XDG_STATE_HOME=str(self.folder / "state" / folder.name)))
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return told(done.stdout.replace(PROMISED, ""))

    def check(self, world):
        named, rest, asked, epsilon = WORLDS[world]
        for number, command in enumerate(asked()):
            if number % 2 == 0:  # this few fit into one budget
                here, there = self.place("files", named, rest), self.place("server", named, rest)
            with self.subTest(command=command):
                self.assertEqual(self.ask(there, command, epsilon), self.ask(here, command, epsilon))

    def test_homes(self):
        self.check("homes")

    def test_tables(self):
        self.check("tables")

    def test_calls(self):
        self.check("calls")

    def test_visits(self):
        self.check("visits")

    def test_the_comparison_sees_one_row_more(self):
        named, rest, *_ = WORLDS["homes"]
        here, there = self.place("files", named, rest), self.place("server", named, rest)
        with open(here / "people.csv", "a") as file:
            file.write("900,900,A,30,yes,1,3,5\n")
        command = next(homes())
        self.assertNotEqual(self.ask(there, command), self.ask(here, command))


if __name__ == "__main__":
    unittest.main()
