"""What a proxy, a scraper, a guesser and an operator see of kith serve: packets, HEAD, addresses, readiness, TLS."""
import http.client
import json
import os
import shutil
import socket
import sqlite3
import ssl
import subprocess
import threading
import time
import unittest

from kith_case import ILL, POLICY
from server_case import OPENAPI, ServerCase, everything, hash_quickly, younger

SPACE = "/v1/datasets/policy/"
PASSWORD = "a password of some length"
FIELDS = b"POST " + SPACE.encode() + b"explain HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\n"


def answers(got, heads):
    """(status, bytes of the body) of each answer, of which those in `heads` have no body, whatever their length says."""
    found = []
    while got:
        head, _, got = got.partition(b"\r\n\r\n")
        length = 0 if len(found) in heads else int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        found.append((int(head[9:12]), got[:length]))
        got = got[length:]
    return found


class Packets(ServerCase):
    def setUp(self):
        super().setUp()
        self.budget_of(10)

    def in_two(self, server, first, second):
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(first)
            time.sleep(0.002)  # usually read by then; what is compared must not depend on it
            connection.sendall(second)
            got = everything(connection)
        return got[9:12], got.partition(b"\r\n\r\n")[2]

    def test_a_request_in_two_packets_is_the_same_request(self):
        tokens = self.users()
        server = self.serve("policy.toml", "--state", "state")
        body = json.dumps({"question": ILL, "epsilon": 0.5}).encode()
        chunk = b"%x\r\n%s\r\n0\r\n" % (len(body), body)
        token = b"Authorization: Bearer " + tokens["analyst"].encode() + b"\r\n"
        coded = b"Transfer-Encoding: chunked\r\n"
        for what, request, status in (("in its head", FIELDS + token + coded + b"\r\n" + chunk + b"\r\n", b"200"),
                                      ("after the body", FIELDS + coded + b"\r\n" + chunk + token + b"\r\n", b"401"),
                                      ("another host after the body", FIELDS + token + coded + b"\r\n" + chunk + b"Host: evil\r\nCookie: a=b\r\n" + token + b"\r\n", b"200"),
                                      ("two origins", FIELDS + token + b"Origin: http://127.0.0.1\r\nOrigin: http://evil\r\n\r\n", b"400")):
            whole = self.in_two(server, request, b"")
            self.assertEqual(whole[0], status, what)
            for at in range(1, len(request), 3):
                self.assertEqual(self.in_two(server, request[:at], request[at:]), whole, f"{what}, cut at {at}")

    def test_an_object_with_a_name_twice_is_refused(self):
        server = self.serve()
        for body in ('{"question": "SELECT 1", "question": %s, "epsilon": 0.1}' % json.dumps(ILL), '{"question": %s, "epsilon": 0.1, "epsilon": 0.1}' % json.dumps(ILL)):
            self.document(server.request("POST", SPACE + "explain", body), 400)
        model = '{"model": {"kind": "group", "size": 3, "size": 2, "odds_ratio": 4}, "plain": 0.1}'
        self.document(server.request("POST", "/v1/transfer", model), 400)
        self.document(server.request("POST", "/v1/transfer", model.replace('"size": 3, ', "")))

    def test_head_is_get_without_a_body(self):
        server = self.serve()
        self.document(server.request("POST", SPACE + "release", {"question": ILL, "epsilon": 0.5}))
        paths = [path.replace("{dataset}", "policy").replace("{number}", "1").replace("{job}", "0" * 32).replace("{user}", "x").replace("{approval}", "1")
                 for path in OPENAPI["paths"]]
        for path in [*paths, "/", "/console.js", "/v1/nothing", "/v1/datasets/nothing/budget"]:
            line = b" %s HTTP/1.1\r\nHost: 127.0.0.1\r\n" % path.encode()
            both = answers(server.raw(b"HEAD" + line + b"\r\nGET" + line + b"Connection: close\r\n\r\n"), heads=(0,))
            self.assertEqual(len(both), 2, path)
            self.assertEqual(both[0][0], both[1][0], path)
            self.assertTrue(both[1][1], path)
        # The reading above would see a body: as many bytes as the length says would be taken for the next answer.
        line = b" /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        with self.assertRaises((ValueError, IndexError)):
            answers(server.raw(b"GET" + line + b"\r\nGET" + line + b"Connection: close\r\n\r\n"), heads=(0,))
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        for method in ("HEAD", "GET"):
            connection.request(method, "/v1/openapi.json")
            answer = connection.getresponse()
            self.assertEqual((answer.status, int(answer.headers["Content-Length"]) > 1000, answer.read() == b""), (200, True, method == "HEAD"))
        connection.close()
        refused = server.request("PUT", "/v1/health")
        self.assertEqual((refused[0], refused[1]["Allow"]), (405, "GET, HEAD"))


class Guessing(ServerCase):
    def setUp(self):
        super().setUp()
        self.budget_of(10)
        self.tokens = self.users()
        hash_quickly(self.folder / "state", {f"an_{role}": PASSWORD for role in self.tokens})

    def log_in(self, server, name="an_analyst", password=PASSWORD, of=None):
        return server.request("POST", "/v1/session", {"name": name, "password": password}, {"X-Forwarded-For": of} if of else None)[0]

    def test_requests_without_a_token_or_with_an_old_one_keep_nobody_out(self):
        server = self.serve("policy.toml", "--state", "state")
        for _ in range(60):
            self.assertEqual(server.request("GET", "/v1/datasets")[0], 401)
        self.assertEqual(server.request("GET", "/v1/metrics", headers={"Authorization": "Bearer"})[0], 401)
        for _ in range(60):
            last = server.request("GET", "/v1/metrics", token="kith_old")[0]
        self.assertEqual(last, 429)
        self.assertEqual(self.log_in(server), 200)

    def test_behind_a_proxy_that_is_named_everybody_has_an_address(self):
        server = self.serve("policy.toml", "--state", "state", "--proxy", "127.0.0.1")
        self.assertEqual(self.log_in(server, of="198.51.100.1"), 200)
        wrong = 0
        while wrong < 13:  # then it is eight seconds, longer than what follows takes on any machine
            wrong += self.log_in(server, password="guess", of=f"198.51.100.1, 203.0.113.{wrong}") == 401
            time.sleep(0.05 if wrong > 10 else 0)
        self.assertEqual(self.log_in(server, of="203.0.113.99"), 429, "the name must wait, from wherever it is guessed")
        self.assertEqual(self.log_in(server, of="198.51.100.1"), 200, "but where this name logged in before")
        self.assertEqual(self.log_in(server, "an_auditor", of="203.0.113.1"), 200, "and nobody else")

    def test_who_comes_back_logs_in_while_many_networks_guess(self):
        server = self.serve("policy.toml", "--state", "state", "--proxy", "127.0.0.1")
        self.assertEqual(self.log_in(server, of="198.51.100.1"), 200)
        ended, found = threading.Event(), set()

        def guess(k):
            for n in range(10_000):
                if ended.is_set():
                    break
                found.add(self.log_in(server, f"nobody{k}x{n}", "guess", of=f"203.0.113.{k}"))

        flood = [threading.Thread(target=guess, args=(k,)) for k in range(48)]
        for thread in flood:
            thread.start()
        try:
            while 503 not in found:
                time.sleep(0.01)
            self.assertEqual([self.log_in(server, of="198.51.100.1") for _ in range(20)], [200] * 20)
        finally:
            ended.set()
            for thread in flood:
                thread.join()

    def test_nobody_else_says_whose_a_request_is(self):
        server = self.serve("policy.toml", "--state", "state", "--proxy", "192.0.2.1")
        for k in range(11):
            last = self.log_in(server, password="guess", of=f"203.0.113.{k}")
        self.assertEqual(last, 429)
        self.assertEqual(self.log_in(server, of="198.51.100.1"), 429)
        self.refused(self.run_kith("serve", "policy.toml", "--listen", "127.0.0.1:0", "--proxy", "localhost"), 2, "not the address of a proxy")

    def test_names_that_differ_in_capitals_are_one(self):
        add = ("--role", "analyst", "--state", "state")
        self.refused(self.run_kith("user", "add", "AN_Analyst", *add), 2, "already", "an_analyst")
        server = self.serve("policy.toml", "--state", "state")
        self.document(server.request("POST", "/v1/users", {"name": "AN_ANALYST", "role": "analyst"}, token=self.tokens["curator"]), 400)
        self.document(server.request("POST", "/v1/users", {"name": "an_analyst2", "role": "analyst"}, token=self.tokens["curator"]))


class Ready(ServerCase):
    def setUp(self):
        super().setUp()
        self.budget_of(10)
        self.ledger = self.folder / "people.ledger"

    def ready(self, server, wanted):
        """The status is looked at again after a second."""
        end = time.monotonic() + 20
        while True:
            answer = server.request("GET", "/v1/ready")
            if answer[0] == wanted or time.monotonic() > end:
                break
            time.sleep(0.1)
        said = self.document(answer, wanted)
        if wanted != 200:
            self.assertNotIn(str(self.folder), answer[2])
            self.assertNotIn("people", answer[2])
            self.assertIn("not ready: ", server.log())
        else:
            self.assertEqual(said["status"], "ready")

    def copy(self, name):
        """Of the ledger as it is, and back."""
        for ending in ("", "-wal"):
            if (self.folder / f"people.ledger{ending}").exists():
                shutil.copy(self.folder / f"people.ledger{ending}", self.folder / f"{name}{ending}")

    def restore(self, name):
        for file in self.folder.glob("people.ledger*"):
            file.unlink()
        for ending in ("", "-wal"):
            if (self.folder / f"{name}{ending}").exists():
                shutil.copy(self.folder / f"{name}{ending}", self.folder / f"people.ledger{ending}")

    def test_it_says_no_while_a_ledger_cannot_be_used(self):
        server = self.serve()
        self.ready(server, 200)  # there is none yet
        self.assertEqual(server.stop(), 0)
        self.ok(self.ask(younger(30)))
        self.copy("older")
        self.ok(self.ask(younger(40)))
        self.copy("newest")
        damaged = bytearray((self.folder / "newest").read_bytes())
        damaged[4096:8192] = os.urandom(4096)
        for what, change in (("an older copy", lambda: self.restore("older")), ("other bytes", lambda: self.ledger.write_bytes(os.urandom(20000))),
                             ("a damaged page", lambda: self.ledger.write_bytes(damaged)), ("nothing", lambda: [file.unlink() for file in self.folder.glob("people.ledger*")]),
                             ("an empty file", lambda: self.ledger.write_bytes(b"")), ("a folder", lambda: (self.restore("none"), self.ledger.mkdir()))):
            with self.subTest(what):
                change()
                server = self.serve()
                self.ready(server, 503)
                self.assertEqual(server.request("GET", "/v1/health")[0], 200)
                self.assertEqual(server.request("POST", SPACE + "release", {"question": younger(50), "epsilon": 0.1})[0], 503)
                if self.ledger.is_dir():
                    self.ledger.rmdir()
                self.restore("newest")
                self.ready(server, 200)
                self.assertIn("ready again", server.log())
                self.document(server.request("POST", SPACE + "release", {"question": younger(40), "epsilon": 0.1}))
                self.assertEqual(server.stop(), 0)

    def test_it_sees_a_damaged_page_that_only_a_charge_would_meet(self):
        self.ok(self.ask(younger(30)))
        file = sqlite3.connect(f"file:{self.ledger}?mode=ro", uri=True)
        indexes = file.execute("SELECT name, rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE type = 'index'").fetchall()
        file.close()
        whole = self.ledger.read_bytes()
        self.assertGreater(len(indexes), 2)
        for name, page, size in indexes:
            with self.subTest(name):
                self.ledger.write_bytes(whole[:size * (page - 1)] + os.urandom(size) + whole[size * page:])
                server = self.serve()
                self.ready(server, 503)
                self.assertEqual(server.stop(), 0)
        self.ledger.write_bytes(whole)
        self.ready(self.serve(), 200)

    def test_it_notices_what_happens_while_it_runs(self):
        for what, change in (("an older copy", lambda: self.restore("older")), ("nothing", lambda: [file.unlink() for file in self.folder.glob("people.ledger*")])):
            with self.subTest(what):
                server = self.serve()
                self.document(server.request("POST", SPACE + "release", {"question": younger(30), "epsilon": 0.1}))
                self.copy("older")
                self.document(server.request("POST", SPACE + "release", {"question": younger(40 + len(what)), "epsilon": 0.1}))
                self.ready(server, 200)
                self.copy("newest")
                change()
                self.ready(server, 503)
                server.stop(kill=True)
                self.restore("newest")


class EngineDown(ServerCase):
    def test_where_the_engine_is_is_for_curators(self):
        place = '[data]\nfrozen = true\nengine = "postgresql"\nhost = "127.0.0.1"\nport = 1\ndatabase = "secret_place"\nuser = "kith"\ntables.people = "public.people"'
        self.write("policy.toml", POLICY.replace('[data]\ntables.people = "people.csv"', place).replace("epsilon = 1.0", "epsilon = 50.0"))
        tokens = self.users()
        server = self.serve("policy.toml", "--state", "state")
        analysis = {"analysis": "percentiles", "epsilon": 1, "options": {"column": "age", "ranks": [0.5]}}
        for role, told in (("analyst", False), ("curator", True)):
            said = [server.request("POST", SPACE + "release", {"question": ILL, "epsilon": 0.5}, token=tokens[role])]
            job = self.document(server.request("POST", SPACE + "analyses", analysis, token=tokens[role]), 202)["id"]
            server.request("GET", f"/v1/jobs/{job}/events", token=tokens[role])
            said.append(server.request("GET", f"/v1/jobs/{job}", token=tokens[role]))
            self.assertEqual(said[0][0], 503)
            for answer in said:
                self.assertIn("cannot be reached", answer[2])
                for part in ("127.0.0.1", "secret_place", "port=1"):
                    self.assertEqual(part in answer[2], told, (role, answer[2]))


class ByTls(ServerCase):
    def setUp(self):
        super().setUp()
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost",
                               "-addext", "subjectAltName=IP:127.0.0.1"], cwd=self.folder, capture_output=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.tls = ("policy.toml", "--tls-certificate", "cert.pem", "--tls-key", "key.pem")

    def meet(self, server, ciphers=None):
        """The cipher that was agreed upon; None: there was none."""
        trusted = ssl.create_default_context(cafile=str(self.folder / "cert.pem"))
        if ciphers:
            trusted.maximum_version = ssl.TLSVersion.TLSv1_2
            trusted.set_ciphers(ciphers + ":@SECLEVEL=0")
        try:
            with socket.create_connection(("127.0.0.1", server.port), timeout=20) as plain, trusted.wrap_socket(plain, server_hostname="127.0.0.1") as secure:
                return secure.cipher()[0]
        except ssl.SSLError:
            return None

    def test_forward_secrecy_alone_and_browsers_come_back_by_tls(self):
        (self.folder / "key.pem").chmod(0o600)
        server = self.serve(*self.tls)
        for weak in ("AES128-SHA", "AES256-SHA", "AES128-SHA256", "AES128-GCM-SHA256", "AES256-GCM-SHA384", "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES256-SHA384"):
            self.assertIsNone(self.meet(server, weak), weak)
        for strong in ("ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305"):
            self.assertEqual(self.meet(server, strong), strong)
        self.assertIn("TLS_", self.meet(server))
        trusted = ssl.create_default_context(cafile=str(self.folder / "cert.pem"))
        for path in ("/", "/v1/health", "/v1/nothing"):
            connection = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=20, context=trusted)
            connection.request("GET", path)
            self.assertEqual(connection.getresponse().headers["Strict-Transport-Security"], "max-age=31536000", path)
            connection.close()
        self.assertEqual(server.stop(), 0)
        self.assertIsNone(self.serve().request("GET", "/v1/health")[1]["Strict-Transport-Security"])

    def test_a_key_that_others_may_read_is_refused(self):
        for mode in (0o644, 0o604, 0o660, 0o602):
            (self.folder / "key.pem").chmod(mode)
            self.refused(self.run_kith("serve", *self.tls, "--listen", "127.0.0.1:0"), 2, "others may read or change the private key")
            self.refused(self.run_kith("serve", *self.tls, "--listen", "127.0.0.1:0", "--pg", "127.0.0.1:0"), 2, "others may read")
        (self.folder / "key.pem").chmod(0o400)
        self.assertEqual(self.serve(*self.tls).stop(), 0)


if __name__ == "__main__":
    unittest.main()
