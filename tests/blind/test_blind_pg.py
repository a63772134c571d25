"""The blind test over the PostgreSQL protocol: the same messages to servers with different data get the same bytes, once noise is taken away."""
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

BUILD = pathlib.Path(os.environ.get("KITH", "build/kith")).resolve().parent
os.environ["KITH"] = str(BUILD / "tests" / "blind" / "kith_blind")
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from kith_case import ILL, POLICY  # noqa: E402
from pg_case import PgServer, Refused, error_of  # noqa: E402

BY_WARD = "SELECT ward, count(*) AS n, avg(age) AS a FROM people GROUP BY ward ORDER BY n DESC"
TOUR = [
    "SELECT relname, reltuples, relpages FROM pg_class", "SELECT * FROM information_schema.columns", "SELECT * FROM pg_catalog.pg_description", "SELECT pg_relation_size(16384)",
    ILL, "-- kith: epsilon 1\n" + ILL, "-- kith: epsilon 1\n" + ILL, "-- kith: error 20\n" + ILL, "SET kith.epsilon = 1", "EXPLAIN " + BY_WARD, "EXPLAIN (FORMAT JSON) " + ILL, BY_WARD,
    "SELECT median(age) AS m FROM people", "-- kith: intervals off\nSELECT median(age) AS m, max(age) - min(age) AS w FROM people", "SELECT max(age) FROM people", "SELECT count(*) FROM people WHERE age / 0 > 1", "SELECT avg(sqrt(age - 60)) FROM people",
    "-- kith: epsilon 500\n" + ILL, "SELECT ill FROM people", "SELECT * FROM people", "SELECT count(*) FROM people WHERE agee < 3", "SELECT count(*) FROM peeple",
    "WITH w AS (SELECT ward, count(*) AS n FROM people GROUP BY ward) SELECT max(n) AS most, sum(n) / 3 AS mean FROM w", "BEGIN", "SELECT sum(age) AS s FROM people", "ROLLBACK",
    "SELECT count(*) FROM people WHERE age <>> 3", "SELECT ward, ill, count(*) AS n FROM people GROUP BY ward, ill; SELECT 1",
]


def seen(server):
    """Every message of a session, as it came."""
    session = server.connect()
    everything = [[each for each in session.greeting if each[0] != b"K"]]
    for sql in TOUR:
        everything.append((sql, session.query(sql)))
        everything.append((sql, session.extended(sql, b"S", execute=False)))
    everything.append(session.extended("SELECT count(*) AS n FROM people WHERE ill = $1 AND age < $2", b"P", values=[(0, 0, b"yes"), (20, 0, b"40")], formats=[1]))
    session.close()
    try:
        server.connect(database="elsewhere")
    except Refused as refused:
        everything.append(refused.fields)
    return everything


class BlindPg(unittest.TestCase):
    def test_other_data_same_bytes(self):
        people = [(i, i // 3, "ABC"[i % 3]) for i in range(300)]
        tables = {"ordinary": lambda i: f"{20 + i % 60},{'yes' if i % 7 == 0 else 'no'}", "neighbour": lambda i: f"{99 if i == 5 else 20 + i % 60},{'yes' if i % 7 == 0 else 'no'}",
                  "empty": lambda i: ",", "hostile": lambda i: ["1e999,'", "-7,YES", "abc,nan", "0x10,yes"][i % 4], "old": lambda i: "120,yes"}
        first = None
        for name, secrets in tables.items():
            folder = pathlib.Path(tempfile.mkdtemp())
            self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
            (folder / "people.csv").write_text("id,house,ward,age,ill\n" + "".join(f"{i},{house},{ward},{secrets(i)}\n" for i, house, ward in people))
            (folder / "policy.toml").write_text(POLICY.replace("epsilon = 1.0", "epsilon = 100.0") + '[server]\ntick = "20ms"\n')
            server = PgServer(folder, "policy.toml", "--quiet")
            got = seen(server)
            self.assertEqual(server.stop(), 0, server.log())
            first = first or got
            for before, now in zip(first, got):
                self.assertEqual(before, now, name)
        answered = [step for step in first if isinstance(step, tuple) and "FROM people" in step[0] and error_of(step[1]) is None]
        self.assertGreaterEqual(len(answered), 12)  # it is answers that were compared


if __name__ == "__main__":
    unittest.main()
