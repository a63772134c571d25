"""kith serve --pg: sessions of psql, psycopg and SQLAlchemy, and of clients that mean no good."""
import json
import socket
import struct
import subprocess
import threading
import time
import unittest

import psycopg
import psycopg2
import sqlalchemy

from kith_case import ILL
from pg_case import PgCase, Refused, error_of, message, names_of, notices_of, rows_of, text
from server_case import everything, together, younger

SPACE = "/v1/datasets/policy/"
PRICED = "-- kith: epsilon 1\n"


class Psql(PgCase):
    def test_a_session(self):
        self.quick_policy()
        server = self.serve_pg()
        tables = self.psql(server, r"\dt")
        self.assertEqual(tables.stderr, "")
        self.assertIn(" public | people | table | kith", tables.stdout)
        table = self.psql(server, r"\d people")
        self.assertEqual(table.stderr, "")
        self.assertIn(' Table "public.people"', table.stdout)
        self.assertIn(" ward   | text   |           | not null | ", table.stdout)
        self.assertEqual(self.psql(server, r"\d nothing").stderr, 'Did not find any relation named "nothing".\n')
        for command in (r"\d", r"\d+", r"\d+ people", r"\dt+", r"\l", r"\dn", r"\du", r"\df", r"\dv", r"\di", r"\dT", r"\conninfo"):
            done = self.psql(server, command)
            self.assertEqual((done.returncode, done.stderr.replace("Did not find any relations.\n", "")), (0, ""), command)
        self.assertIn("from 0 to 120", self.psql(server, r"\d+ people").stdout)
        # A price by a hint, by SET, and by the connection; without one there is a refusal.
        asked = self.psql(server, PRICED + ILL)
        self.assertEqual(asked.returncode, 0, asked.stderr)
        self.assertRegex(asked.stdout, r"^ +n +\| +n_error_95 +\n-+\+-+\n +-?\d+ \| +[\d.]+\n\(1 row\)\n")
        self.assertIn("NOTICE:  plain loss", asked.stderr)
        self.assertIn('"ledger_entry":1', asked.stderr.replace(" ", ""))
        again = self.psql(server, "SET kith.epsilon = 1", ILL)
        self.assertIn("nothing was charged", again.stderr)
        self.assertEqual(again.stdout.split("SET\n")[1], asked.stdout)
        self.assertEqual(self.psql(server, ILL, options="-c kith.epsilon=1").stdout, asked.stdout)
        refused = self.psql(server, younger(30))
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("ERROR:  a question needs a price", refused.stderr)
        self.assertIn("HINT:", refused.stderr)
        self.assertIn("SET kith.epsilon = 0.1", refused.stderr)
        self.assertIn("HINT:", self.psql(server, "SET kith.epsilon = 1", "SELECT ill FROM people").stderr)
        wrong = self.psql(server, "SELECT count(*) FROM people WHERE WHERE age < 3")
        self.assertIn("LINE 1: SELECT count(*) FROM people WHERE WHERE age < 3", wrong.stderr)
        self.assertIn("^", wrong.stderr)
        self.assertIn("only SELECT is answered", self.psql(server, "DELETE FROM people").stderr)
        explained = self.psql(server, "EXPLAIN " + PRICED + ILL)
        self.assertIn("QUERY PLAN", explained.stdout)
        self.assertIn("nothing was charged", explained.stdout)
        self.assertEqual(len(self.document(server.request("GET", SPACE + "history"))["history"]), 1)
        self.assertEqual(server.stop(), 0)
        self.assertNotIn("ill =", server.log())  # no questions in the log
        self.assertRegex(server.log(), r"PG question 00000 \d+ms -\n")

    def test_quantiles_without_intervals(self):
        self.quick_policy()
        server = self.serve_pg()
        columns = "m|m_low_95|m_high_95|m_informative"
        with_them = self.psql(server, "-- kith: epsilon 1\nSELECT median(age) AS m FROM people", options="-c kith.intervals=on").stdout
        self.assertNotRegex(with_them, r"\|\s*\|")
        for first in ((), ("SET kith.intervals = off",)):
            hint = "" if first else "-- kith: intervals off\n"
            out = self.psql(server, *first, "-- kith: epsilon 0.9\n" + hint + "SELECT median(age) AS m FROM people")
            self.assertEqual(out.returncode, 0, out.stderr)
            shown = out.stdout.replace(" ", "").replace("SET\n", "").splitlines()
            self.assertEqual(shown[0], columns)
            self.assertRegex(shown[2], r"^-?\d+\|\|\|$")
            self.assertIn("it has no interval", out.stderr)
        explained = self.psql(server, "EXPLAIN SELECT median(age) AS m FROM people -- kith: epsilon 0.9")
        self.assertIn("with an interval", " ".join(explained.stdout.replace("+", " ").split()))

    def test_settings(self):
        self.quick_policy()
        server = self.serve_pg()
        self.assertIn("choose on or off", self.psql(server, "SET kith.intervals = maybe").stderr)
        for value in ("0", "-1", "'much'", "1e999"):
            self.assertIn("ERROR:  kith.epsilon cannot be set to this", self.psql(server, f"SET kith.epsilon = {value}").stderr)
        self.assertIn("kith has no such setting", self.psql(server, "SET kith.epslion = 1").stderr)
        self.assertIn("(not set)", self.psql(server, "SHOW kith.epsilon").stdout)
        self.assertIn("0.5", self.psql(server, "SET kith.epsilon = 0.5", "SHOW kith.epsilon").stdout)
        both = self.psql(server, "SET kith.epsilon = 0.5", "SET kith.error = 40", "SHOW kith.epsilon")
        self.assertIn("kith.epsilon is no longer set", both.stderr)
        self.assertIn("(not set)", both.stdout)
        self.assertIn("(not set)", self.psql(server, "SET kith.epsilon = 0.5", "RESET ALL", "SHOW kith.epsilon").stdout)
        self.assertIn("(not set)", self.psql(server, "BEGIN", "SET LOCAL kith.epsilon = 0.5", "COMMIT", "SHOW kith.epsilon").stdout)
        self.assertIn("(not set)", self.psql(server, "BEGIN", "SET kith.epsilon = 0.5", "ROLLBACK", "SHOW kith.epsilon").stdout)
        self.assertIn("this hint is not known", self.psql(server, "-- kith: epslion 1\n" + ILL).stderr)
        self.assertIn("FATAL:  kith.epsilon cannot be set to this", self.psql(server, ILL, options="-c kith.epsilon=0").stderr)


class Drivers(PgCase):
    def test_psycopg2(self):
        self.quick_policy()
        server = self.serve_pg()
        connection = psycopg2.connect(host="127.0.0.1", port=server.pg, user="somebody", dbname="policy")
        self.addCleanup(connection.close)
        cursor = connection.cursor()
        cursor.execute("SET kith.epsilon = %s", (1,))
        cursor.execute("SELECT ward, count(*) AS n, avg(age) AS a FROM people WHERE age < %s GROUP BY ward", (50,))
        self.assertEqual([column.name for column in cursor.description], ["ward", "n", "n_error_95", "a", "a_error_95"])
        rows = cursor.fetchall()
        self.assertEqual([row[0] for row in rows], ["A", "B", "C"])
        self.assertTrue(all(isinstance(row[1], int) and isinstance(row[2], float) for row in rows))
        certificate = json.loads(connection.notices[-1].split("DETAIL:", 1)[1])
        self.assertEqual(certificate["ledger_entry"], 1)
        connection.rollback()
        self.assertIn("a rollback does not give budget back", connection.notices[-1])
        cursor.execute("SHOW kith.epsilon")  # SET was taken back
        self.assertEqual(cursor.fetchone(), ("(not set)",))
        with self.assertRaises(psycopg2.errors.InvalidParameterValue):
            cursor.execute(younger(30))
        with self.assertRaises(psycopg2.errors.InFailedSqlTransaction):
            cursor.execute("SELECT 1")
        connection.rollback()
        with self.assertRaises(psycopg2.errors.ConfigurationLimitExceeded):
            cursor.execute("-- kith: epsilon 500\n" + younger(30))
        connection.rollback()
        self.assertEqual(len(self.document(server.request("GET", SPACE + "history"))["history"]), 1)

    def test_psycopg3(self):
        self.quick_policy()
        server = self.serve_pg()
        with psycopg.connect(host="127.0.0.1", port=server.pg, user="somebody", dbname="policy", options="-c kith.epsilon=1", autocommit=True) as connection:
            notices = []
            connection.add_notice_handler(lambda notice: notices.append((notice.message_primary, notice.message_detail)))
            for binary in (False, True):  # the second time it is a stored answer
                with connection.cursor(binary=binary) as cursor:
                    cursor.execute("SELECT count(*) AS n, avg(age) AS a FROM people WHERE ill = %s AND age < %s", ("yes", 50))
                    self.assertEqual([column.name for column in cursor.description], ["n", "n_error_95", "a", "a_error_95"])
                    row = cursor.fetchone()
                self.assertEqual([type(value) for value in row], [int, float, float, float])
                first = row if not binary else first
                self.assertEqual(row, first)
            self.assertEqual(json.loads(notices[-1][1])["ledger_entry"], 1)
            for age in range(20, 30):  # prepared by the driver after a while
                connection.execute("SELECT count(*) FROM people WHERE age < %s", (age,)).fetchone()
            with connection.transaction():
                self.assertEqual(connection.execute("SELECT 1 + %s", (1,)).fetchone(), (2,))
            with self.assertRaises(psycopg.errors.FeatureNotSupported) as refused:
                connection.execute("SELECT ill FROM people")
            self.assertTrue(refused.exception.diag.message_hint)
            self.assertEqual(connection.execute("SELECT version()").fetchone()[0][:12], "PostgreSQL 1")
            # A value is a value, whatever it looks like.
            with self.assertRaises(psycopg.Error):
                connection.execute("SELECT count(*) FROM people WHERE age < %s", ("1 OR true",))
            connection.execute("SELECT count(*) AS n FROM people WHERE ill = %s", ("'; SET kith.epsilon = 50; --",))
            self.assertEqual(connection.execute("SHOW kith.epsilon").fetchone(), ("1",))

    def test_sqlalchemy(self):
        self.quick_policy()
        server = self.serve_pg()
        engine = sqlalchemy.create_engine(f"postgresql+psycopg2://somebody@127.0.0.1:{server.pg}/policy", connect_args={"options": "-c kith.epsilon=1"})
        self.addCleanup(engine.dispose)
        found = sqlalchemy.inspect(engine)
        self.assertEqual(found.get_schema_names(), ["information_schema", "public"])
        self.assertEqual(found.get_table_names(), ["people"])
        columns = {column["name"]: column for column in found.get_columns("people")}
        self.assertEqual(list(columns), ["id", "house", "ward", "age", "ill"])
        self.assertEqual(str(columns["ill"]["type"]), "TEXT")
        self.assertFalse(columns["ward"]["nullable"])
        self.assertEqual((found.get_pk_constraint("people")["constrained_columns"], found.get_foreign_keys("people"), found.get_indexes("people"), found.get_view_names()), ([], [], [], []))
        self.assertTrue(found.has_table("people") and not found.has_table("nothing"))
        people = sqlalchemy.Table("people", sqlalchemy.MetaData(), autoload_with=engine)
        with engine.connect() as connection:
            asked = sqlalchemy.select(people.c.ward, sqlalchemy.func.count().label("n")).where(people.c.age < 50).group_by(people.c.ward)
            result = connection.execute(asked)
            self.assertEqual(list(result.keys()), ["ward", "n", "n_error_95"])
            self.assertEqual([row[0] for row in result], ["A", "B", "C"])

    def test_catalogs_tell_of_the_policy_alone(self):
        self.quick_policy()
        session = self.connect(self.serve_pg())
        self.assertEqual(rows_of(session.query("SELECT table_name, column_name FROM information_schema.columns ORDER BY ordinal_position")),
                         [[b"people", name] for name in (b"id", b"house", b"ward", b"age", b"ill")])
        self.assertEqual(rows_of(session.query("SELECT current_database(), current_schema(), current_user")), [[b"policy", b"public", b"kith"]])
        for sql in ("SELECT * FROM duckdb_settings()", "SELECT * FROM read_csv('people.csv')", "SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM pg_class, duckdb_tables()",
                    "SELECT * FROM glob('*')", "SELECT getenv('HOME')", "SELECT * FROM pg_class, 'people.csv'", "COPY people TO 'x.csv'", "SELECT * FROM query('SELECT 1')",
                    "SELECT count(*) FROM pg_class, generate_series(1, 100000000000)"):
            self.assertIsNotNone(error_of(session.query(sql)), sql)
        self.assertIsNone(error_of(session.query("SELECT 1")))


class Protocol(PgCase):
    def test_describing_plans_and_charges_nothing(self):
        self.quick_policy()
        server = self.serve_pg()
        session = self.connect(server)
        expected = [("ward", 25), ("n", 20), ("n_error_95", 701)]
        by_ward = "SELECT ward, count(*) AS n FROM people WHERE age < $1 GROUP BY ward"
        for describe in (b"S", b"P"):
            got = session.extended(by_ward, describe, execute=False, values=[(20, 0, b"50")])
            self.assertIsNone(error_of(got))
            self.assertEqual(names_of(got), expected)  # also without a price
        self.assertEqual(names_of(session.extended("WITH x AS (SELECT ward, count(*) AS n FROM people GROUP BY ward) SELECT ward, n * 2 AS twice FROM x", b"P", execute=False))[0], ("ward", 25))
        self.assertEqual(self.document(server.request("GET", SPACE + "history"))["history"], [])
        self.assertEqual(error_of(session.extended(by_ward, b"P", values=[(20, 0, b"50")]))["C"], "22023")
        self.assertEqual(self.document(server.request("GET", SPACE + "history"))["history"], [])
        session.query("SET kith.epsilon = 1")
        got = session.extended(by_ward, b"P", values=[(23, 1, struct.pack("!i", 50))], formats=[1])
        self.assertEqual(names_of(got), expected)
        rows = rows_of(got)
        self.assertEqual([row[0] for row in rows], [b"A", b"B", b"C"])
        self.assertEqual({(len(row[1]), len(row[2])) for row in rows}, {(8, 8)})
        same = rows_of(session.extended(by_ward, values=[(0, 0, b"50")])) or rows_of(session.extended(by_ward, values=[(20, 0, b"50")]))
        self.assertEqual([int(row[1]) for row in same], [struct.unpack("!q", row[1])[0] for row in rows])
        self.assertEqual(len(self.document(server.request("GET", SPACE + "history"))["history"]), 1)
        # Some rows at a time: one question.
        some = session.extended(by_ward, values=[(20, 0, b"50")], most=2)
        self.assertEqual([len(rows_of(some)), [kind for kind, _ in some][-2]], [2, b"s"])

    def test_the_check_above_sees_an_execution(self):
        self.quick_policy()
        server = self.serve_pg()
        session = self.connect(server, **{"kith.epsilon": "1"})
        session.extended(ILL, b"P", execute=True)
        self.assertNotEqual(self.document(server.request("GET", SPACE + "history"))["history"], [])

    def test_parameters_are_values_of_their_types(self):
        self.quick_policy()
        session = self.connect(self.serve_pg(), **{"kith.epsilon": "0.1"})
        younger_than = "SELECT count(*) FROM people WHERE age < $1"
        for oid, form, value in [(23, 0, b"1e3"), (23, 0, b"1; SELECT 1"), (23, 1, b"\0\0"), (20, 0, b"99999999999999999999"), (701, 0, b"nan"), (701, 0, b"inf"), (1700, 0, b"1 OR 1=1"),
                                 (16, 0, b"maybe"), (25, 0, b"\xff"), (1082, 0, b"' OR '"), (600, 0, b"(1,2)"), (23, 2, b"1"), (1700, 1, b"\0")]:
            self.assertIn(error_of(session.extended(younger_than, values=[(oid, form, value)]))["C"], ("22023", "0A000"), (oid, value))
        for oid, form, value in [(21, 1, struct.pack("!h", 40)), (20, 1, struct.pack("!q", 41)), (701, 1, struct.pack("!d", 42.5)), (700, 1, struct.pack("!f", 43.5)), (1700, 0, b"44.25"), (20, 0, b"-45")]:
            self.assertIsNone(error_of(session.extended(younger_than, values=[(oid, form, value)])), (oid, value))

    def test_errors_until_sync_and_names(self):
        self.quick_policy()
        session = self.connect(self.serve_pg())
        session.socket.sendall(message(b"B", b"\0nothing\0\0\0\0\0\0\0") + message(b"E", b"\0\0\0\0\0") + message(b"S"))
        got = session.until_ready()
        self.assertEqual([kind for kind, _ in got], [b"E", b"Z"])
        self.assertEqual(error_of(got)["C"], "26000")
        self.assertEqual([kind for kind, _ in session.query("")], [b"I", b"Z"])
        self.assertEqual([kind for kind, _ in session.query("SET a.b = 1; SELECT 1; SELECT 2")].count(b"C"), 3)
        self.assertEqual(session.query("BEGIN")[-1][1], b"T")
        self.assertEqual(session.query("SELECT nonsense")[-1][1], b"E")
        self.assertEqual(error_of(session.query("SELECT 1"))["C"], "25P02")
        self.assertEqual(session.query("ROLLBACK")[-1][1], b"I")
        session.send(b"?", b"")
        with self.assertRaises((ConnectionError, Refused)):
            while True:
                session.read()

    def test_a_cancelled_question(self):
        self.quick_policy()
        server = self.serve_pg()
        session = self.connect(server, **{"kith.epsilon": "1"})
        for key in (session.key, session.key[:4] + bytes(4), b"\0" * 8):  # the right one, while nothing is asked; and wrong ones
            with socket.create_connection(("127.0.0.1", server.pg)) as other:
                other.sendall(struct.pack("!ii", 16, 80877102) + key)
                self.assertEqual(everything(other), b"")
        self.assertIsNone(error_of(session.query(ILL)))
        began = time.monotonic()
        session.send(b"Q", text("SELECT count(*) FROM pg_class a, generate_series(1, 100000) b, generate_series(1, 100000) c, generate_series(1, 100000) d"))
        time.sleep(0.3)
        with socket.create_connection(("127.0.0.1", server.pg)) as other:
            other.sendall(struct.pack("!ii", 16, 80877102) + session.key)
        self.assertEqual(error_of(session.until_ready())["C"], "57014")
        self.assertLess(time.monotonic() - began, 8)

    def test_answers_leave_at_whole_ticks(self):
        self.quick_policy()
        policy = self.folder / "policy.toml"
        policy.write_text(policy.read_text().replace('"0ms"', '"200ms"'))
        session = self.connect(self.serve_pg(), **{"kith.epsilon": "1"})
        session.query(ILL)
        for sql in (ILL, "SELECT ill FROM people", PRICED.replace("1", "700") + ILL):
            for ask in (session.query, session.extended):
                began = time.monotonic()
                ask(sql)
                self.assertGreaterEqual(time.monotonic() - began, 0.199)


class Abuse(PgCase):
    def raw(self, server, data):
        with socket.create_connection(("127.0.0.1", server.pg), timeout=20) as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            return everything(connection)

    def test_bytes_that_are_no_startup(self):
        server = self.serve_pg()
        for data in (b"", b"\0", b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 100, struct.pack("!ii", 8, 0), struct.pack("!ii", -5, 196608), struct.pack("!ii", 2**30, 196608), struct.pack("!ii", 4, 196608),
                     struct.pack("!ii", 30, 196608) + b"user", struct.pack("!ii", 20, 196608) + b"no zero here", struct.pack("!ii", 8, 80877103) * 10, struct.pack("!ii", 8, 80877104) * 10,
                     struct.pack("!ii", 8, 80877102), struct.pack("!ii", 9000, 80877102) + bytes(8992)):
            self.assertLess(len(self.raw(server, data)), 400, data[:20])
        self.assertEqual(self.raw(server, struct.pack("!ii", 8, 80877103)), b"N")
        self.assertEqual(self.raw(server, struct.pack("!ii", 8, 80877104)), b"N")
        self.assertIn(b"3D000", self.raw(server, struct.pack("!ii", 20, 196608) + b"user\0nobody\0"))
        self.alive(server)

    def test_messages_that_are_too_long_or_none(self):
        self.quick_policy()
        server = self.serve_pg()
        for data in (b"Q" + struct.pack("!i", 2**30), b"Q" + struct.pack("!i", -1), b"Q" + struct.pack("!i", 3), b"Q" + struct.pack("!i", 2 << 20) + b"x" * 1000):
            session = self.connect(server)
            session.socket.sendall(data)
            with self.assertRaises(Refused) as refused:
                session.read()
            self.assertEqual(refused.exception.fields["C"], "08P01")
        session = self.connect(server)
        for kind, body in ((b"Q", b"no zero"), (b"P", b""), (b"B", b"\0\0\x7f\xff"), (b"B", b"\0\0\0\0\x7f\xff\x7f\xff\xff\xff"), (b"D", b"X\0"), (b"E", b"\0"), (b"C", b""), (b"Q", b"SELECT '\xff'\0"),
                           (b"Q", b"SELECT '\0"), (b"Q", b"/* \0"), (b"Q", b"SELECT $0\0"), (b"Q", b"SELECT $1\0"), (b"P", b"\0SELECT $99999\0\0\0"), (b"F", b"\0" * 20)):
            if session.socket.fileno() < 0:
                session = self.connect(server)
            session.send(kind, body)
            session.send(b"S")
            try:
                self.assertIsNotNone(error_of(session.until_ready()), (kind, body))
                if kind == b"Q":
                    session.until_ready()
            except (ConnectionError, Refused):
                session.close()
        many = self.connect(server)
        for k in range(1100):
            many.send(b"P", text(f"s{k}") + text("SELECT 1") + b"\0\0")
        many.send(b"S")
        self.assertEqual(error_of(many.until_ready())["C"], "22023")
        deep = self.connect(server, **{"kith.epsilon": "1"})
        for sql in ("SELECT count(*) FROM people WHERE " + "(" * 5000 + "true" + ")" * 5000, "SELECT " + "(" * 100000 + "1" + ")" * 100000, "SELECT count(*) FROM people WHERE age < 1" + " OR age < 1" * 50000):
            self.assertIsNotNone(error_of(deep.query(sql)))
        self.alive(server)

    def test_slow_and_silent_clients_hold_nobody_up(self):
        server = self.serve_pg("policy.toml", "--patience", "1")
        idle = [socket.create_connection(("127.0.0.1", server.pg)) for _ in range(300)]
        slow = socket.create_connection(("127.0.0.1", server.pg), timeout=20)
        slow.sendall(struct.pack("!i", 50))
        half = self.connect(server)
        half.socket.sendall(b"Q\0\0")
        self.alive(server)
        began = time.monotonic()
        self.assertEqual(everything(slow), b"")
        with self.assertRaises(Refused):
            half.read()
        self.assertLess(time.monotonic() - began, 10)
        for each in [*idle, slow]:
            each.close()
        self.assertEqual(server.stop(), 0)

    def test_a_client_that_leaves_in_the_middle(self):
        self.quick_policy()
        server = self.serve_pg()
        for sent in (message(b"Q", text(PRICED + ILL))[:-5], message(b"Q", text(PRICED + ILL)), message(b"P", text("") + text(PRICED + ILL) + b"\0\0")):
            session = server.connect()
            session.socket.sendall(sent)
            session.close()
        self.alive(server)
        session = self.connect(server)
        self.assertIsNone(error_of(session.query(PRICED + ILL)))
        self.assertLessEqual(len(self.document(server.request("GET", SPACE + "history"))["history"]), 2)


class People(PgCase):
    def test_tokens_are_passwords(self):
        self.quick_policy(10)
        tokens = self.users(allowance=1)
        blind = self.json(self.run_kith("user", "add", "blind", "--role", "analyst", "--state", "state", "--json"))["token"]
        server = self.serve_pg("policy.toml", "--state", "state")
        good = tokens["analyst"]
        for user, password in (("an_analyst", ""), ("an_analyst", good[:-1]), ("an_analyst", tokens["curator"]), ("nobody", good), ("", good), ("an_analyst\t", good)):
            self.assertEqual(self.refused(server, user=user, password=password), dict(self.refused(server, user="an_analyst", password="wrong"), S="FATAL"), user)
        # The same salt each time, for names that exist and names that do not.
        salts = {}
        for name in ("an_analyst", "nobody", "nobody2") * 2:
            with socket.create_connection(("127.0.0.1", server.pg), timeout=20) as connection:
                named = text("user") + text(name) + b"\0"
                connection.sendall(struct.pack("!ii", 8 + len(named), 196608) + named)
                connection.recv(1000)
                connection.sendall(message(b"p", text("SCRAM-SHA-256") + struct.pack("!i", 10) + b"n,,n=,r=xy"))
                challenge = connection.recv(1000).decode()
            salts.setdefault(name, set()).add(challenge.split("s=")[1])
        self.assertEqual([len(each) for each in salts.values()], [1, 1, 1])
        self.assertEqual(len({next(iter(each)) for each in salts.values()}), 3)
        self.assertEqual({len(next(iter(each))) for each in salts.values()}, {len("AAAAAAAAAAAAAAAAAAAAAA==,i=4096")})
        session = self.connect(server, user="an_analyst", password=good, **{"kith.epsilon": "0.5"})
        self.assertIsNone(error_of(session.query(ILL)))
        self.assertEqual(error_of(session.query("-- kith: epsilon 5\n" + younger(30)))["C"], "53400")  # beyond the allowance
        curator = self.connect(server, user="an_curator", password=tokens["curator"])
        self.assertIsNone(error_of(curator.query("-- kith: epsilon 5\n" + younger(30))))
        # An auditor sees what there is and asks nothing; an operator, or anybody who was not granted it, sees no dataset.
        auditor = self.connect(server, user="an_auditor", password=tokens["auditor"])
        self.assertEqual(rows_of(auditor.query("SELECT table_name FROM information_schema.tables")), [[b"people"]])
        for got in (auditor.query(PRICED + ILL), auditor.query("EXPLAIN " + PRICED + ILL), auditor.extended(PRICED + ILL, b"P")):
            self.assertEqual(error_of(got)["C"], "42501")
        for user, password, database in (("an_operator", tokens["operator"], "policy"), ("blind", blind, "policy"), ("an_analyst", good, "elsewhere")):
            self.assertEqual(self.refused(server, user=user, password=password, database=database)["C"], "3D000")
        history = self.document(server.request("GET", SPACE + "history", token=good))["history"]
        self.assertEqual([line["question"] for line in history], [ILL])  # as over HTTP: one's own
        # A token that is taken back ends the connections that it opened, whatever they ask next.
        catalog = self.connect(server, user="an_analyst", password=good)
        described = self.connect(server, user="an_analyst", password=good)
        self.ok(self.run_kith("user", "revoke", "an_analyst", "--state", "state"))
        self.assertEqual(error_of(self.until_closed(session, ILL))["C"], "28000")
        tables = "SELECT table_name FROM information_schema.tables"
        got = self.until_closed(catalog, tables)
        self.assertEqual((error_of(got)["C"], rows_of(got)), ("28000", []))
        described.socket.sendall(message(b"P", text("") + text(tables) + b"\0\0") + message(b"D", b"S\0") + message(b"S"))
        with self.assertRaises((ConnectionError, OSError)):
            while True:
                kind, body = described.read()
                self.assertNotEqual(kind, b"T")
        self.assertEqual(server.stop(), 0)
        for token in tokens.values():
            self.assertNotIn(token, server.log())

    def until_closed(self, session, sql):
        session.send(b"Q", text(sql))
        got = []
        try:
            while True:
                got.append(session.read())
        except (ConnectionError, OSError):
            return got

    def test_a_curator_approves_what_is_dear(self):
        self.quick_policy(10)
        policy = self.folder / "policy.toml"
        policy.write_text(policy.read_text() + "approve_above = 0.5\n")
        tokens = self.users()
        server = self.serve_pg("policy.toml", "--state", "state")
        session = self.connect(server, user="an_analyst", password=tokens["analyst"], **{"kith.epsilon": "6"})
        refused = error_of(session.query(ILL))
        self.assertEqual(refused["C"], "42501")
        self.assertIn("SET kith.approval = 1", refused["H"])
        session.query("SET kith.approval = 1")
        self.assertEqual(error_of(session.query(ILL))["C"], "42501")
        self.document(server.request("POST", SPACE + "approvals/1", {"granted": True}, token=tokens["curator"]))
        self.assertIsNone(error_of(session.query(ILL)))
        self.assertEqual(rows_of(session.query("SHOW kith.approval")), [[b"(not set)"]])
        # HTTP knows it as the same request.
        self.assertTrue(self.document(server.request("POST", SPACE + "release", {"question": ILL, "epsilon": 6}, token=tokens["analyst"]))["stored"])

    def test_a_rollback_speaks_of_charges_only_where_something_was_charged(self):
        self.quick_policy(10)
        policy = self.folder / "policy.toml"
        policy.write_text(policy.read_text() + "approve_above = 0.5\n")
        tokens = self.users()
        server = self.serve_pg("policy.toml", "--state", "state")
        session = self.connect(server, user="an_analyst", password=tokens["analyst"], **{"kith.epsilon": "6"})

        def history():
            return self.document(server.request("GET", SPACE + "history", token=tokens["curator"]))["history"]

        for refused, state in ((ILL, "42501"), ("SELECT sum(nobody) FROM people", None), ("SELECT count(*) FROM people WHERE (", "42601")):
            session.query("BEGIN")
            error = error_of(session.query(refused))
            self.assertEqual(error["R"], "charged=no")
            self.assertIn(error["C"], (state, error["C"]) if state is None else (state,))
            self.assertEqual(notices_of(session.query("ROLLBACK")), [])
        self.assertEqual(history(), [])
        # Twin: of a question that was charged, it says so.
        session.query("SET kith.epsilon = 0.2")
        session.query("BEGIN")
        self.assertIsNone(error_of(session.query(ILL)))
        self.assertIn("what was charged stays charged", notices_of(session.query("ROLLBACK"))[0]["M"])
        self.assertEqual(len(history()), 1)

    def test_tls(self):
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2",
                               "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"], cwd=self.folder, capture_output=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.quick_policy()
        tokens = self.users()
        tls = ("--tls-certificate", "cert.pem", "--tls-key", "key.pem")
        server = self.serve_pg("policy.toml", "--state", "state", *tls)
        with psycopg.connect(host="127.0.0.1", port=server.pg, user="an_analyst", password=tokens["analyst"], dbname="policy", sslmode="verify-full", sslrootcert=str(self.folder / "cert.pem")) as connection:
            self.assertTrue(connection.pgconn.ssl_in_use)
            self.assertEqual(connection.execute(PRICED + ILL).description[0].name, "n")
        # What comes before TLS is not part of what comes with it.
        with socket.create_connection(("127.0.0.1", server.pg), timeout=20) as connection:
            named = text("user") + text("an_analyst") + b"\0"
            connection.sendall(struct.pack("!ii", 8, 80877103) + struct.pack("!ii", 8 + len(named), 196608) + named)
            self.assertNotIn(b"SCRAM", everything(connection))
        self.assertEqual(server.stop(), 0)
        for arguments in [tls, ("--state", "state"), ()]:
            refused = self.run_kith("serve", "policy.toml", "--listen", "127.0.0.1:0", "--pg", "0.0.0.0:0", *arguments)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("other machines", refused.stderr)
        everywhere = subprocess.Popen([*map(str, (self.kith(), "serve", "policy.toml", "--listen", "127.0.0.1:0", "--pg", "0.0.0.0:0", "--state", "state", *tls))], cwd=self.folder, text=True, stderr=subprocess.PIPE)
        self.addCleanup(everywhere.wait)
        self.addCleanup(everywhere.terminate)
        port = int(everywhere.stderr.readline().rsplit(":", 1)[1])
        self.addCleanup(everywhere.stderr.close)
        from pg_case import Raw
        with self.assertRaises(Refused) as refused:
            Raw(port, user="an_analyst", password=tokens["analyst"])
        self.assertEqual(refused.exception.fields["C"], "28000")  # nothing without TLS

    @staticmethod
    def kith():
        from kith_case import KITH
        return KITH


class Accounts(PgCase):
    def test_a_race_over_both_protocols_for_the_last_of_the_budget(self):
        self.quick_policy(1)
        server = self.serve_pg()
        self.document(server.request("POST", SPACE + "release", {"question": ILL, "epsilon": 0.1}))
        sessions = [self.connect(server, **{"kith.epsilon": "0.25"}) for _ in range(24)]

        def ask(k):
            if k % 2 == 0:
                return server.request("POST", SPACE + "release", {"question": younger(20 + k), "epsilon": 0.25})[0] == 200
            return error_of(sessions[k // 2].query(younger(20 + k))) is None
        given = together(48, ask)
        self.assertEqual(sum(given), 3)  # 0.1 + 3 * 0.25 of 1
        report = self.document(server.request("GET", SPACE + "budget"))
        for cell in report["cells"]:
            self.assertLessEqual(cell["plain_spent"], cell["plain_budget"])
        self.assertEqual(len(self.document(server.request("GET", SPACE + "history"))["history"]), 4)

    def test_what_clients_were_told_is_in_the_ledger_of_a_killed_server(self):
        self.quick_policy(1000)
        server = self.serve_pg()
        self.document(server.request("POST", SPACE + "release", {"question": ILL, "epsilon": 1}))
        told, clients = [], 6

        def ask(k):
            try:
                session = server.connect(**{"kith.epsilon": str(1 + k / 100)})
                for age in range(1, 100):
                    notice = notices_of(session.query(younger(age)))[-1]
                    if "nothing was charged" not in notice["M"]:
                        told.append(json.loads(notice["D"])["ledger_entry"])
            except (OSError, ConnectionError, Refused, IndexError, ValueError):
                pass
        threads = [threading.Thread(target=ask, args=(k,)) for k in range(clients)]
        for thread in threads:
            thread.start()
        end = time.monotonic() + 30
        while len(told) < 40 and time.monotonic() < end:
            time.sleep(0.01)
        server.stop(kill=True)
        for thread in threads:
            thread.join()
        lines = {line["number"]: line for line in self.json(self.run_kith("budget", "policy.toml", "--json"))["history"]}
        self.assertGreaterEqual(len(told), 40)
        self.assertTrue(all(lines[number]["answered"] for number in told))
        self.assertEqual(len(set(told)), len(told))
        self.assertLessEqual(len(lines), 1 + len(told) + clients)


if __name__ == "__main__":
    unittest.main()
