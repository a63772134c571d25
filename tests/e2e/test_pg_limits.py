"""kith serve --pg: how much one client may send, hold and try, and what is counted of it."""
import contextlib
import socket
import struct
import unittest

from kith_case import ILL
from pg_case import PgCase, Refused, error_of, fields_of, message, rows_of, text
from server_case import everything

SPACE = "/v1/datasets/policy/"
PRICED = "-- kith: epsilon 1\n"


class Lengths(PgCase):
    def test_messages_have_the_length_that_is_allowed_and_not_a_byte_more(self):
        self.quick_policy()
        server = self.serve_pg()
        longest = 1 << 20  # of a message, its length included
        for length, fine in ((longest, True), (longest + 1, False)):
            session = self.connect(server)
            head, body = b"Q" + struct.pack("!i", length), b"SELECT 1".ljust(length - 5) + b"\0"
            if fine:
                session.socket.sendall(head + body)
                self.assertEqual(rows_of(session.until_ready()), [[b"1"]])
                continue
            session.socket.sendall(head + body[:1000])  # what is never read would break the connection before its end
            with self.assertRaises(Refused) as refused:
                session.until_ready()
            self.assertEqual(refused.exception.fields["C"], "08P01")
        for length, fine in ((10_000, True), (10_001, False)):
            named = text("user") + text("somebody") + text("database") + text("policy") + text("application_name")
            named += b"x" * (length - 8 - len(named) - 2) + b"\0\0"
            with socket.create_connection(("127.0.0.1", server.pg), timeout=20) as connection:
                connection.sendall(struct.pack("!ii", length, 196608) + named)
                with contextlib.suppress(OSError):  # a refused client may be disconnected by now
                    connection.shutdown(socket.SHUT_WR)
                got = everything(connection)
            self.assertEqual(got != b"", fine)  # an answer, even if only that the name is too long
        self.alive(server)

    def test_what_one_message_or_one_session_makes_is_not_endless(self):
        self.quick_policy()
        server = self.serve_pg()
        session = self.connect(server)
        got = session.query("; ".join(["SELECT repeat('x', 5000000)"] * 30))
        self.assertEqual(error_of(got)["C"], "0A000")
        self.assertTrue(13 <= len(rows_of(got)) <= 15, len(rows_of(got)))
        self.assertEqual(rows_of(session.query("SELECT 1")), [[b"1"]])
        for k in range(40):
            session.send(b"P", text(f"s{k}") + b"SELECT '" + b"x" * 1_000_000 + b"'\0\0\0")
        session.send(b"S")
        got = session.until_ready()
        self.assertEqual(error_of(got)["C"], "22023")
        self.assertTrue(5 <= [kind for kind, _ in got].count(b"1") <= 10)
        self.alive(server)


class Logins(PgCase):
    def test_whoever_fails_all_the_time_is_not_even_asked(self):
        self.quick_policy(10)
        tokens = self.users(allowance=1)
        server = self.serve_pg("policy.toml", "--state", "state")

        def first_of(name):
            """What comes before anything was proved."""
            with socket.create_connection(("127.0.0.1", server.pg), timeout=20) as connection:
                named = text("user") + text(name) + b"\0"
                connection.sendall(struct.pack("!ii", 8 + len(named), 196608) + named)
                return connection.recv(1000)

        def fail(k):
            with socket.create_connection(("127.0.0.1", server.pg), timeout=60) as connection, connection.makefile("rb") as file:
                named = text("user") + text(f"nobody{k}") + b"\0"
                connection.sendall(struct.pack("!ii", 8 + len(named), 196608) + named)
                file.read(5 + 4 + len("SCRAM-SHA-256") + 2)
                connection.sendall(message(b"p", text("SCRAM-SHA-256") + struct.pack("!i", 10) + b"n,,n=,r=xy"))
                challenge = file.read(struct.unpack("!i", file.read(5)[1:])[0] - 4)[4:].decode()
                nonce = challenge.split(",")[0]
                connection.sendall(message(b"p", f"c=biws,{nonce},p={'A' * 43}=".encode()))
                return fields_of(file.read())["C"] if file.read(5)[:1] == b"E" else ""
        codes = [fail(k) for k in range(500)]
        self.assertEqual(set(codes), {"28P01", "53300"})
        self.assertEqual(codes.count("28P01"), 50)  # of one address: the others are told that it was too often
        self.assertIn(b"53300", first_of("an_analyst"))
        self.assertEqual(self.refused(server, user="an_analyst", password=tokens["analyst"])["C"], "53300")
        # HTTP has its own limits, which let a good token in.
        self.assertEqual(server.request("GET", SPACE + "budget", token=tokens["analyst"])[0], 200)
        counted = server.request("GET", "/v1/metrics", token=tokens["operator"])[2]
        self.assertIn('kith_pg_statements_total{kind="connect",sqlstate="28P01"} 50\n', counted)

    def test_metrics_count_statements_and_name_nobody(self):
        self.quick_policy(10)
        tokens = self.users(allowance=1)
        server = self.serve_pg("policy.toml", "--state", "state")
        session = self.connect(server, user="an_analyst", password=tokens["analyst"])
        session.query(ILL)  # without a price
        session.query(PRICED + ILL)
        session.query("SELECT 1")
        counted = server.request("GET", "/v1/metrics", token=tokens["operator"])[2]
        for line in ('kith_pg_connections 1', 'kith_pg_statements_total{kind="connect",sqlstate="00000"} 1', 'kith_pg_statements_total{kind="catalog",sqlstate="00000"} 1',
                     'kith_pg_statements_total{kind="question",sqlstate="00000"} 1', 'kith_pg_statements_total{kind="question",sqlstate="22023"} 1'):
            self.assertIn(line + "\n", counted)
        self.assertRegex(counted, r'kith_pg_statement_seconds_total\{kind="question",sqlstate="00000"\} \d+\.\d{6}\n')
        for word in ("an_analyst", "policy", "people", "ill"):
            self.assertNotIn(word, "".join(line for line in counted.splitlines() if "kith_pg" in line))


if __name__ == "__main__":
    unittest.main()
