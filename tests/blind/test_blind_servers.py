"""The blind test on data in a server: KITH_TEST_POSTGRESQL (tests/support/with_postgresql) or KITH_TEST_TRINO (tests/trino/with_trino) says
where. One of everything in a few worlds, with tables that agree on public facts only. KITH_BLIND_ROUNDS=5 asks with more of them."""
import collections
import datetime
import math
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import questions
from harness import DataSet, Server, Session, check
from servers import ANY, PLACE, POSTGRESQL, execute, schema
from worlds import worlds

BUILD = pathlib.Path(os.environ.get("KITH", "build/kith")).resolve().parent
BLIND = BUILD / "tests" / "blind" / "kith_blind"
ROUNDS = int(os.environ.get("KITH_BLIND_ROUNDS", "1"))
SEED = os.environ.get("KITH_SEED", "1")
SCHEMA = schema("blind")
LEFT_OUT = ("rho", "predict")  # they look at no table of a server

# Types that a column may have there, and what such a type holds that nobody expects.
TYPES = {"number": ["bigint", "double", "decimal", "integer"], "text": ["text"], "date": ["date", "timestamp"], "time": ["timestamp"]}
NAMES = {"double": {"postgresql": "double precision", "trino": "double"}, "decimal": {"postgresql": "numeric(20, 4)", "trino": "decimal(20, 4)"},
         "text": {"postgresql": "text", "trino": "varchar"}, "timestamp": {"postgresql": "timestamp", "trino": "timestamp(6)"}}
ODD = {"bigint": ["9223372036854775807", "-9223372036854775808", "0", "-1"], "integer": ["2147483647", "-2147483648", "0"],
       "double": ["nan", "infinity", "-infinity", "1e308", "-1e308", "1e-300", "0.5"], "decimal": ["9999999999999999.9999", "-0.5", "120.5"],
       "date": ["0001-01-01", "9999-12-31", "1969-12-31", "1582-10-10"], "timestamp": ["0001-01-01 00:00:00", "9999-12-31 23:59:59.999999", "1969-12-31 23:59:59.5"],
       "text": ["", "é中😀", "'; DROP TABLE t; --", "x" * 3000, " yes", "YES"]}


def fits(text, kind):
    """The text as a value of this type, or nothing."""
    try:
        if kind in ("bigint", "integer"):
            return str(int(text)) if abs(int(text)) < 2**(63 if kind == "bigint" else 31) and text.isascii() else None
        if kind in ("double", "decimal"):
            return text if math.isfinite(float(text)) and abs(float(text)) < 1e15 and re.fullmatch(r"-?[0-9.]+", text) else None
        if kind == "date":
            return str(datetime.date.fromisoformat(text))
        if kind == "timestamp":
            return str(datetime.datetime.fromisoformat(text))
    except ValueError:
        return None
    return text.replace("\0", "")


class Somewhere(Server):
    """A blind kith whose data are in a server."""

    def place(self, version):
        for statement in version["t"]:
            execute(statement)


class Table:
    """A world's table in the server."""
    engine = "postgresql" if POSTGRESQL else "trino"
    place = SCHEMA + ".t"

    def __init__(self, rng, world):
        self.world = world
        self.types = [rng.choice(TYPES[c.pool]) if c.ordinary else "bigint" if c.pool == "number" else "text" for c in world.columns]

    def named(self, kind):
        return NAMES.get(kind, {}).get(self.engine, kind)

    def cell(self, rng, text, kind, secret):
        value = None if text == "" else fits(text, kind)
        if value is None and text and secret:
            value = rng.choice(ODD[kind])
        if value is None:
            return f"CAST(NULL AS {self.named(kind)})"
        return f"CAST('{value.replace(chr(39), chr(39) * 2)}' AS {self.named(kind)})"

    def version(self, rng, rows):
        columns = ", ".join(f'"{c.name}" {self.named(t)}' for c, t in zip(self.world.columns, self.types))
        made = [f"DROP TABLE IF EXISTS {self.place}", f"CREATE TABLE {self.place} ({columns})"]
        if rows:
            values = ", ".join("(" + ", ".join(self.cell(rng, text, t, c.ordinary) for text, t, c in zip(row, self.types, self.world.columns)) + ")" for row in rows)
            made.append(f"INSERT INTO {self.place} VALUES {values}")
        return {"t": made if self.engine == "trino" else [";\n".join(made)]}

    def policy(self):
        return self.world.policy("blind.t").replace("[data]\n", "[data]\n" + PLACE, 1)


@unittest.skipUnless(ANY, "no server")
class BlindOnAServer(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def sessions(self):
        chosen = ("secret-2",) if not POSTGRESQL else ("public", "secret-2") if ROUNDS == 1 else ("public", "secret-2", "rows-secret")
        for world in (w for w in worlds() if w.name in chosen):
            for k in range(ROUNDS):
                rng = random.Random(f"{SEED} {k} {world.name} server")
                table = Table(rng, world)
                facts = world.facts(rng)
                drawn = [("ordinary", world.rows(rng, facts, "ordinary"))]
                drawn += [("neighbour", world.neighbour(rng, drawn[0][1])), ("hostile", world.rows(rng, facts, "hostile"))]
                data = [DataSet(name, (table.version(rng, rows),)) for name, rows in drawn]
                asked = [step for step in questions.tour(world) if step[0] not in LEFT_OUT]
                if ROUNDS == 1:  # what needs rows, ranks, sums and a ledger: a third of the tour
                    asked = asked[:1] + [step for step in asked[1:] if "kmeans" in step or "svm" in step or "points" in step or "identity" in step][:4] + asked[1:4] + asked[-4:]
                if not POSTGRESQL:
                    asked = asked[:7]
                files = {"p.toml": table.policy(), "new.csv": questions.NEW_ROWS, "plan.sql": questions.PLAN, "homes.sql": questions.PLAN_OF_HOUSEHOLDS, **world.files()}
                yield Session(f"{world.name}/{table.engine}/{k}", files, [["import", "p.toml"], *asked], ("new.csv",)), data

    def test_everything_is_the_same_for_all_data(self):
        with Somewhere(BLIND, self.folder / "server") as server:
            execute("CREATE SCHEMA IF NOT EXISTS " + SCHEMA)
            runs = 0
            for session, data in self.sessions():
                statistics = collections.Counter()
                found = check(server, session, data, statistics=statistics)
                runs += statistics["runs"]
                self.assertFalse(found, "\n".join(map(str, found[:5])))
                self.assertGreater(statistics["exit 0"], 5, statistics)
                self.assertFalse([code for code in statistics if code.startswith("exit") and code != "exit 0"], statistics)
            print(f"  {runs} command lines")

    # The leak: `kith budget` shows what `kith import` tells the curator.
    def test_the_check_above_sees_what_only_the_curator_may(self):
        class Leaking(Somewhere):
            def run(self, arguments):
                return super().run(["import", "p.toml"] if arguments[0] == "budget" else arguments)

        with Leaking(BLIND, self.folder / "server") as server:
            execute("CREATE SCHEMA IF NOT EXISTS " + SCHEMA)
            session, data = next(self.sessions())
            session = Session(session.name, session.files, [["import", "p.toml"], ["budget", "p.toml"]], session.sources)
            self.assertTrue(check(server, session, data))


if __name__ == "__main__":
    unittest.main()
