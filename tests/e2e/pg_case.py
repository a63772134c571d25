"""`kith serve --pg` in a scratch folder, and a client that speaks the protocol byte by byte."""
import base64
import hashlib
import hmac
import os
import re
import socket
import struct
import subprocess

from server_case import Server, ServerCase


class PgServer(Server):
    def __init__(self, folder, *arguments, environment=None):
        super().__init__(folder, *arguments, "--pg", "127.0.0.1:0", environment=environment)
        self.pg = int(re.search(r"postgresql://127\.0\.0\.1:(\d+)", self.log()).group(1))

    def connect(self, **options):
        return Raw(self.pg, **options)


class Refused(Exception):
    """An ErrorResponse; its fields by their letters."""

    def __init__(self, fields):
        super().__init__(fields)
        self.fields = fields


def fields_of(body):
    return {part[:1].decode(): part[1:].decode() for part in body.split(b"\0") if part}


def message(kind, body=b""):
    return kind + struct.pack("!i", len(body) + 4) + body


def text(value):
    return value.encode() + b"\0"


class Raw:
    """A session. What the server sends is kept as it came, message by message."""

    def __init__(self, port, user="somebody", database="policy", password=None, timeout=60, **parameters):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.file = self.socket.makefile("rb")
        self.key = None
        named = b"".join(text(name) + text(value) for name, value in dict(parameters, user=user, database=database).items())
        self.socket.sendall(struct.pack("!ii", 9 + len(named), 196608) + named + b"\0")
        self.greeting = []
        while True:
            kind, body = self.read()
            self.greeting.append((kind, body))
            if kind == b"R" and body[:4] == struct.pack("!i", 10):
                self.first = "n=,r=abcdefghijklmnopqr"
                self.send(b"p", text("SCRAM-SHA-256") + struct.pack("!i", len(self.first) + 3) + b"n,," + self.first.encode())
            elif kind == b"R" and body[:4] == struct.pack("!i", 11):
                self.challenge = body[4:].decode()
                self.send(b"p", self.proof(password or "").encode())
            elif kind == b"K":
                self.key = body
            elif kind == b"Z":
                return

    def proof(self, password):
        parts = dict(part.split("=", 1) for part in self.challenge.split(","))
        salted = hashlib.pbkdf2_hmac("sha256", password.encode(), base64.b64decode(parts["s"]), int(parts["i"]))
        client = hmac.digest(salted, b"Client Key", "sha256")
        bare = f"c=biws,r={parts['r']}"
        signed = hmac.digest(hashlib.sha256(client).digest(), f"{self.first},{self.challenge},{bare}".encode(), "sha256")
        return f"{bare},p={base64.b64encode(bytes(a ^ b for a, b in zip(client, signed))).decode()}"

    def send(self, kind, body=b""):
        self.socket.sendall(message(kind, body))

    def read(self):
        head = self.file.read(5)
        if len(head) < 5:
            raise ConnectionError("closed")
        body = self.file.read(struct.unpack("!i", head[1:])[0] - 4)
        if head[:1] == b"E":
            fields = fields_of(body)
            if fields["S"] == "FATAL":
                raise Refused(fields)
        return head[:1], body

    def until_ready(self):
        """All messages up to ReadyForQuery."""
        got = []
        while not got or got[-1][0] != b"Z":
            got.append(self.read())
        return got

    def query(self, sql):
        self.send(b"Q", text(sql))
        return self.until_ready()

    def extended(self, sql, describe=b"", execute=True, values=(), formats=(), most=0):
        """Parse, Bind, Describe (S or P), Execute, Sync in one packet. Values: (oid, format, bytes)."""
        sent = message(b"P", text("") + text(sql) + struct.pack("!h", len(values)) + b"".join(struct.pack("!i", oid) for oid, _, _ in values))
        if describe == b"S":
            sent += message(b"D", b"S\0")
        if execute or describe == b"P":
            sent += message(b"B", b"\0\0" + struct.pack("!h", len(values)) + b"".join(struct.pack("!h", form) for _, form, _ in values) + struct.pack("!h", len(values)) +
                            b"".join(struct.pack("!i", -1) if value is None else struct.pack("!i", len(value)) + value for _, _, value in values) +
                            struct.pack("!h", len(formats)) + b"".join(struct.pack("!h", form) for form in formats))
        if describe == b"P":
            sent += message(b"D", b"P\0")
        if execute:
            sent += message(b"E", b"\0" + struct.pack("!i", most))
        self.socket.sendall(sent + message(b"S"))
        return self.until_ready()

    def close(self):
        self.file.close()
        self.socket.close()


def error_of(messages):
    """The fields of the first error, or nothing."""
    return next((fields_of(body) for kind, body in messages if kind == b"E"), None)


def notices_of(messages):
    return [fields_of(body) for kind, body in messages if kind == b"N"]


def names_of(messages):
    """(name, oid) of each column of the first description."""
    body = next(body for kind, body in messages if kind == b"T")
    (count,), rest, found = struct.unpack("!h", body[:2]), body[2:], []
    for _ in range(count):
        name, rest = rest.split(b"\0", 1)
        found.append((name.decode(), struct.unpack("!i", rest[6:10])[0]))
        rest = rest[18:]
    return found


def rows_of(messages):
    rows = []
    for kind, body in messages:
        if kind != b"D":
            continue
        (count,), rest, row = struct.unpack("!h", body[:2]), body[2:], []
        for _ in range(count):
            (size,), rest = struct.unpack("!i", rest[:4]), rest[4:]
            row.append(None if size < 0 else rest[:size])
            rest = rest[max(size, 0):]
        rows.append(row)
    return rows


class PgCase(ServerCase):
    def serve_pg(self, *arguments, **options):
        server = PgServer(self.folder, *(arguments or ("policy.toml",)), **options)
        self.addCleanup(lambda: server.process.poll() is None and server.stop(kill=True))
        return server

    def connect(self, server, **options):
        session = server.connect(**options)
        self.addCleanup(session.close)
        return session

    def alive(self, server):
        session = server.connect()
        self.assertEqual(rows_of(session.query("SELECT 1")), [[b"1"]])
        session.close()

    def refused(self, server, **options):
        with self.assertRaises(Refused) as refused:
            server.connect(**options).close()
        return refused.exception.fields

    def psql(self, server, *commands, user="somebody", database="policy", password="", options=""):
        """stdout and stderr of psql, which runs the commands one after another."""
        environment = dict(os.environ, PGPASSWORD=password, PGOPTIONS=options, LC_ALL="C", PSQLRC="/dev/null", PAGER="cat")
        done = subprocess.run(["psql", "-X", "-h", "127.0.0.1", "-p", str(server.pg), "-U", user, "-d", database, *[word for each in commands for word in ("-c", each)]],
                              text=True, capture_output=True, timeout=120, env=environment)
        return done

    def quick_policy(self, epsilon=100):
        """Without ticks, so that tests need not wait."""
        self.budget_of(epsilon)
        policy = self.folder / "policy.toml"
        policy.write_text(policy.read_text() + '[server]\ntick = "0ms"\n')
