"""A real `kith serve` in a scratch folder, and clients that are as polite or as rude as a test needs them."""
import hashlib
import http.client
import json
import pathlib
import re
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import threading

from kith_case import KITH, POLICY, KithCase

JSON = {"Content-Type": "application/json"}
OPENAPI = json.loads((pathlib.Path(__file__).parent.parent.parent / "docs" / "openapi.json").read_text())
# Separate policies: a stream of people in places, and pairs of people.
STREAM = """
[data]
tables.t = "t.csv"
[unit]
table = "t"
key = "id"
max_rows = 1
presence = "secret"
[columns.t]
at = { type = "integer" }
ward = { values = ["A", "B"] }
x = { lower = 0, upper = 1 }
y = { lower = 0, upper = 1 }
[dependence]
source = "public"
kind = "independent"
[stream]
time = "at"
step = 1
window = 4
[budget]
epsilon = 100.0
ledger = "t.ledger"
[server]
tick = "0ms"
"""
PLACES = STREAM[:STREAM.index("[stream]")] + STREAM[STREAM.index("[budget]"):].replace("t.ledger", "places.ledger")  # the same people, once
PAIRS = """
[data]
tables.friends = "friends.csv"
[unit]
table = "friends"
row = true
presence = "public"
[columns.friends]
a = { type = "integer" }
b = { type = "integer" }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 20.0
ledger = "friends.ledger"
[server]
tick = "0ms"
"""


def unlisted(method, path, status, described=OPENAPI):
    """What is wrong with this status as an answer of an operation; None: nothing, or there is no such operation."""
    path = path.split("?")[0]
    for pattern, methods in described["paths"].items():
        operation = methods.get("get" if method == "HEAD" else method.lower())
        if operation and re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(pattern)), path) and str(status) not in operation["responses"]:
            return f"{method} {pattern} answers {status}, which docs/openapi.json does not list"
    return None


class Server:
    """One that runs; `port` is its own choice."""

    def __init__(self, folder, *arguments, environment=None):
        self.process = subprocess.Popen([str(KITH), "serve", *map(str, arguments), "--listen", "127.0.0.1:0"], cwd=folder, text=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
        self.lines = []
        self.port = None
        for line in self.process.stderr:
            self.lines.append(line)
            found = re.search(r"listens on https?://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                break
        assert self.port, "".join(self.lines)
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr))
        self.reader.start()

    def stop(self, kill=False):
        """Its exit code."""
        (self.process.kill if kill else self.process.terminate)()
        code = self.process.wait(timeout=30)
        self.reader.join()
        self.process.stderr.close()
        return code

    def log(self):
        return "".join(self.lines)

    def request(self, method, path, body=None, headers=None, token=None):
        """(status, headers, text)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = dict(JSON if body is not None else {}, **(headers or {}), **({"Authorization": f"Bearer {token}"} if token else {}))
        connection.request(method, path, body if body is None or isinstance(body, (str, bytes)) else json.dumps(body), sent)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        assert not unlisted(method, path, answer.status), unlisted(method, path, answer.status)
        return answer.status, answer.headers, text.decode()

    def raw(self, data, wait=20):
        """What comes back for these bytes until the server closes, or says nothing more."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as connection:
            try:
                connection.sendall(data)
            except OSError:
                pass
            got = everything(connection)
        asked, said = re.match(rb"([A-Z]+) (/[!-~]*) HTTP/1.1\r\n", data), re.match(rb"HTTP/1.1 (\d+) ", got)
        if asked and said:
            fault = unlisted(asked[1].decode(), asked[2].decode(), int(said[1]))
            assert not fault, fault
        return got


def everything(connection):
    got = b""
    try:
        while True:
            more = connection.recv(65536)
            if not more:
                return got
            got += more
    except OSError:
        return got


def hash_quickly(state, passwords):
    """The first test logs in with passwords as kith stores them, which takes a tenth of a second each time; tests after it with hashes of the least work."""
    file = sqlite3.connect(pathlib.Path(state) / "people.sqlite")
    for name, password in passwords.items():
        salt = hashlib.sha256(name.encode()).digest()[:16]
        made = hashlib.scrypt(password.encode(), salt=salt, n=2, r=8, p=1, dklen=32)
        file.execute("UPDATE users SET password = ? WHERE name = ?", (f"scrypt$1${salt.hex()}${made.hex()}", name))
    file.commit()
    file.close()


class ServerCase(KithCase):
    def serve(self, *arguments, **options):
        server = Server(self.folder, *(arguments or ("policy.toml",)), **options)
        self.addCleanup(lambda: server.process.poll() is None and server.stop(kill=True))
        return server

    def document(self, answer, status=200):
        self.assertEqual(answer[0], status, answer[2])
        return json.loads(answer[2])

    made = {}  # state folders of tests before, with their tokens: users and passwords take longer to add than most tests take

    def users(self, *datasets, allowance=100, password=None):
        """A state folder with one user of each role, whose passwords are `password` and the role; their tokens by role."""
        key = (datasets, allowance, password)
        if key not in ServerCase.made:
            tokens = self.users_anew(*datasets, allowance=allowance)
            for role in tokens if password else ():
                self.ok(self.run_kith("user", "password", f"an_{role}", "--state", "state", input=f"{password} {role}\n"))
            kept = tempfile.TemporaryDirectory()
            shutil.copytree(self.folder / "state", kept.name, dirs_exist_ok=True)
            if password:
                hash_quickly(kept.name, {f"an_{role}": f"{password} {role}" for role in tokens})
            ServerCase.made[key] = tokens, kept
            return dict(tokens)
        tokens, kept = ServerCase.made[key]
        shutil.copytree(kept.name, self.folder / "state")
        return dict(tokens)

    def users_anew(self, *datasets, allowance):
        tokens = {}
        for role in ("analyst", "auditor", "curator", "operator"):
            granted = [word for name in datasets or ("policy",) for word in ("--dataset", name, "--epsilon", allowance)]
            more = granted if role == "analyst" else [word for word in granted if word not in ("--epsilon", allowance)] if role == "auditor" else []
            tokens[role] = self.json(self.run_kith("user", "add", f"an_{role}", "--role", role, *more, "--state", "state", "--json"))["token"]
        return tokens

    def budget_of(self, epsilon):
        self.write("policy.toml", POLICY.replace("epsilon = 1.0", f"epsilon = {epsilon}"))


def younger(age):
    return f"SELECT count(*) AS n FROM people WHERE age < {age} AND ill = 'yes'"


def together(count, action):
    """action(k) in a thread of its own for every k; what each returned."""
    results = [None] * count
    gate = threading.Barrier(count)

    def run(k):
        gate.wait()
        results[k] = action(k)
    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
