"""What somebody could try with sessions of browsers: planted, stolen, ended and foreign cookies, guessed keys and passwords."""
import http.client
import json
import pathlib
import sqlite3
import ssl
import subprocess
import unittest

from kith_case import ILL
from server_case import JSON, ServerCase, younger

SPACE = "/v1/datasets/policy/"
PASSWORD = "a password of some length"
ROLES = ("analyst", "auditor", "curator", "operator")
OPENAPI = json.loads((pathlib.Path(__file__).parent.parent.parent / "docs" / "openapi.json").read_text())


class SessionCase(ServerCase):
    tls = ()

    def setUp(self):
        super().setUp()
        self.budget_of(10)
        self.tokens = self.users(password=PASSWORD)
        self.server = self.serve("policy.toml", "--state", "state", *self.tls)

    def log_in(self, role="analyst", headers=None, password=None):
        return self.server.request("POST", "/v1/session", {"name": f"an_{role}", "password": password or f"{PASSWORD} {role}"}, headers)

    def session(self, role="analyst", headers=None):
        """(cookie, key)"""
        answer = self.log_in(role, headers)
        return answer[1]["Set-Cookie"].split(";")[0], self.document(answer)["csrf"]

    def look(self, cookie, status=200):
        return self.document(self.server.request("GET", SPACE + "budget", headers={"Cookie": cookie}), status)

    def ask(self, cookie, key, status=200, question=None, **headers):
        asked = {"question": question or younger(30), "epsilon": 0.5}
        return self.document(self.server.request("POST", SPACE + "release", asked, {"Cookie": cookie, "X-Kith-CSRF": key, **headers}), status)

    def sessions(self, change, *values):
        """Changes the file of users, as time would."""
        with sqlite3.connect(self.folder / "state" / "people.sqlite", timeout=10) as file:
            self.assertGreaterEqual(file.execute(change, values).rowcount, 1)
        file.close()


class Attacks(SessionCase):
    def test_a_planted_cookie_is_never_taken_over(self):
        planted = "kith=" + "ab" * 32
        self.look(planted, 401)
        cookie, _ = self.session(headers={"Cookie": planted})
        self.assertNotEqual(cookie, planted)
        self.look(planted, 401)  # logging in has not made it good
        # A cookie of the attacker's own session stays the attacker's: anybody who logs in with it in the browser gets another.
        own, _ = self.session("auditor")
        victim, _ = self.session("analyst", {"Cookie": own})
        self.assertNotEqual(victim, own)
        for held, role in ((own, "auditor"), (victim, "analyst")):
            self.assertEqual(self.document(self.server.request("GET", "/v1/me", headers={"Cookie": held}))["role"], role)

    def test_two_cookies_are_one_session_or_none(self):
        analyst, key = self.session("analyst")
        curator, other = self.session("curator")
        for cookies, keys in ((f"{analyst}; {curator}", other), (f"{curator}; {analyst}", key)):
            self.assertIn("not the key of its page", self.ask(cookies, keys, 403)["error"]["what"])
        for wrong in (analyst + "0", analyst[:-1], analyst.upper(), analyst.replace("kith=", "Kith="), "kith=", "kith", analyst.replace("kith=", "kith= "), f"x{analyst}"):
            self.assertIn(self.server.request("GET", SPACE + "budget", headers={"Cookie": wrong})[0], (401,), wrong)
        self.look(f"other=1; {analyst}; third=2")

    def test_a_session_ends_with_time(self):
        idle, _ = self.session()
        self.sessions("UPDATE sessions SET seen = seen - 1790")
        self.look(idle)  # and this counts as use
        self.sessions("UPDATE sessions SET seen = seen - 1790")
        self.look(idle)
        self.sessions("UPDATE sessions SET seen = seen - 1800")
        self.look(idle, 401)
        busy, key = self.session()
        self.sessions("UPDATE sessions SET made = made - 43200")  # however much it was used
        self.look(busy, 401)
        self.ask(busy, key, 401)

    def test_logging_out_ends_this_session_alone_and_for_good(self):
        first, key = self.session()
        second, _ = self.session()
        self.document(self.server.request("DELETE", "/v1/session", headers={"Cookie": first, "X-Kith-CSRF": key}))
        self.look(first, 401)
        self.ask(first, key, 401)
        self.look(second)
        again, _ = self.session()
        self.assertNotIn(again, (first, second))
        self.look(first, 401)

    def test_whoever_is_taken_out_is_out_at_once(self):
        cookie, key = self.session()
        self.ok(self.run_kith("user", "revoke", "an_analyst", "--token", "first", "--state", "state"))
        self.look(cookie)  # it was opened by the password, and one token is not everything
        self.ok(self.run_kith("user", "revoke", "an_analyst", "--state", "state"))
        self.look(cookie, 401)
        cookie, key = self.session()
        self.ok(self.run_kith("user", "grant", "an_analyst", "--dataset", "policy", "--none", "--state", "state"))
        self.look(cookie, 404)
        self.ask(cookie, key, 404)
        self.ok(self.run_kith("user", "password", "an_analyst", "--state", "state", input="another password, longer\n"))
        self.look(cookie, 401)
        self.assertEqual(self.log_in()[0], 401)
        auditor, _ = self.session("auditor")
        self.ok(self.run_kith("user", "remove", "an_auditor", "--state", "state"))
        self.look(auditor, 401)
        self.json(self.run_kith("user", "add", "an_auditor", "--role", "curator", "--state", "state", "--json"))
        self.look(auditor, 401)  # the name is somebody else's now

    def test_no_change_without_the_key_on_any_route(self):
        """Generated from the OpenAPI file: every method but GET, with each role's own cookie."""
        cookies = {role: self.session(role) for role in ROLES}
        other = self.session("curator")[1]
        before = self.look(cookies["curator"][0])
        tried = 0
        for path, methods in OPENAPI["paths"].items():
            here = path.replace("{dataset}", "policy").replace("{user}", "an_analyst").replace("{job}", "0" * 32).replace("{approval}", "1").replace("{number}", "1")
            for method, operation in methods.items():
                if method == "get" or operation["operationId"] == "log_in":
                    continue
                for role, (cookie, key) in cookies.items():
                    for wrong in (None, "", "0" * 64, other, key[:-1], key + "0", key.upper()):
                        headers = {"Cookie": cookie, **JSON, **({} if wrong is None else {"X-Kith-CSRF": wrong})}
                        answer = self.server.request(method.upper(), here, "{}" if "requestBody" in operation else None, headers)
                        self.assertEqual((answer[0], "not the key of its page" in answer[2]), (403, True), f"{method} {path} as {role}: {answer[2]}")
                        tried += 1
        self.assertGreater(tried, 400)
        self.assertEqual(self.look(cookies["curator"][0]), before)
        self.assertEqual(len(self.document(self.server.request("GET", "/v1/users", token=self.tokens["curator"]))["users"]), 4)
        self.ask(*cookies["analyst"])  # all sessions are still there, and one with its own key can ask

    def test_a_session_has_the_rights_of_its_role_and_no_others(self):
        cookies = {role: self.session(role) for role in ROLES}
        for path, methods in OPENAPI["paths"].items():
            here = path.replace("{dataset}", "policy").replace("{user}", "nobody").replace("{job}", "0" * 32).replace("{approval}", "1").replace("{number}", "1")
            for method, operation in methods.items():
                roles = operation["x-roles"]
                for role, (cookie, key) in cookies.items():
                    if not roles:
                        continue
                    answer = self.server.request(method.upper(), here, "{}" if "requestBody" in operation else None, {"Cookie": cookie, "X-Kith-CSRF": key, **JSON})
                    refused = answer[0] == 403 and "your role does not allow this" in answer[2]
                    self.assertEqual(refused, role not in roles, f"{method} {path} as {role}: {answer[2][:200]}")

    def test_other_sites_neither_ask_nor_log_anybody_in(self):
        cookie, key = self.session()
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{self.server.port}", f"http://localhost:{self.server.port}", f"http://127.0.0.1:{self.server.port}.evil.example"):
            self.ask(cookie, key, 403, Origin=origin)
            answer = self.log_in(headers={"Origin": origin})
            self.assertEqual((answer[0], answer[1]["Set-Cookie"]), (403, None), origin)
        self.ask(cookie, key, Origin=f"http://127.0.0.1:{self.server.port}")
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):  # what a form can send without asking first
            answer = self.server.request("POST", "/v1/session", json.dumps({"name": "an_analyst", "password": f"{PASSWORD} analyst"}), {"Content-Type": kind})
            self.assertEqual((answer[0], answer[1]["Set-Cookie"]), (415, None), kind)
        answer = self.server.request("OPTIONS", SPACE + "release", headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"})
        self.assertEqual([name for name in answer[1].keys() if name.lower().startswith("access-control")], [])

    def test_a_token_that_is_wrong_is_not_saved_by_a_cookie(self):
        cookie, key = self.session()
        for token in ("kith_0000000000000000_" + "0" * 64, "x"):
            self.document(self.server.request("GET", SPACE + "budget", headers={"Cookie": cookie}, token=token), 401)
        # Nor does a good token need a key, whatever the cookie is.
        self.document(self.server.request("POST", SPACE + "explain", {"question": ILL, "epsilon": 1}, {"Cookie": cookie}, token=self.tokens["analyst"]))

    def test_guessing_is_slowed_down_by_name_and_by_address(self):
        for k in range(10):
            self.assertEqual(self.log_in(password=f"guess number {k}")[0], 401)
        self.assertEqual(self.log_in()[0], 429)  # also the right one, for a while
        for header in ("X-Forwarded-For", "X-Real-IP", "Forwarded", "Client-IP"):
            self.assertEqual(self.log_in(headers={header: "203.0.113.9"})[0], 429)
        cookie, key = self.session("curator")  # others log in
        # Forty-one more from here: five at names of nobody, the rest at users whose stored passwords are hashed in no time, nine at each.
        for k in range(4):
            self.sessions("INSERT INTO users SELECT ?, role, made, ? FROM users WHERE name = 'an_auditor'", f"guest{k}", "scrypt$1$" + "00" * 16 + "$" + "0" * 64)
        for name in [f"nobody{k}" for k in range(5)] + 9 * [f"guest{k}" for k in range(4)]:
            self.assertIn(self.server.request("POST", "/v1/session", {"name": name, "password": "guess"})[0], (401, 429))
        self.assertEqual(self.log_in("auditor")[0], 429)
        self.look(cookie)  # sessions and tokens go on: nobody guesses those
        self.document(self.server.request("GET", SPACE + "budget", token=self.tokens["analyst"]))

    def test_secrets_are_in_no_log_and_in_no_file(self):
        self.ok(self.run_kith("user", "password", "an_analyst", "--state", "state", input=f"{PASSWORD} analyst\n"))  # as kith stores it
        cookie, key = self.session()
        self.ask(cookie, key)
        self.ask(cookie, "0" * 64, 403)
        self.assertEqual(self.server.stop(), 0)
        for secret in (cookie.split("=")[1], key, PASSWORD):
            self.assertNotIn(secret, self.server.log())
            for file in (self.folder / "state").iterdir():
                self.assertNotIn(secret.encode(), file.read_bytes(), file)


class ByTls(SessionCase):
    tls = ("--tls-certificate", "cert.pem", "--tls-key", "key.pem")

    def setUp(self):
        self.server = None
        super().setUp()

    def serve(self, *arguments, **options):
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2",
                               "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"], cwd=self.folder, capture_output=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        server = super().serve(*arguments, **options)
        trusted = ssl.create_default_context(cafile=str(self.folder / "cert.pem"))

        def request(method, path, body=None, headers=None, token=None):
            connection = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=60, context=trusted)
            sent = dict(JSON if body is not None else {}, **(headers or {}), **({"Authorization": f"Bearer {token}"} if token else {}))
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            answer = connection.getresponse()
            text = answer.read()
            connection.close()
            return answer.status, answer.headers, text.decode()
        server.request = request
        return server

    def test_the_cookie_is_of_this_host_alone_and_never_travels_in_the_clear(self):
        answer = self.log_in()
        said = answer[1]["Set-Cookie"]
        self.assertRegex(said, r"^__Host-kith=[0-9a-f]{64}; Path=/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$")
        self.assertNotIn("domain", said.lower())
        cookie, key = said.split(";")[0], self.document(answer)["csrf"]
        self.look(cookie)
        self.look(cookie.replace("__Host-", ""), 401)  # a name that another host of the same domain could set
        self.document(self.server.request("POST", SPACE + "explain", {"question": ILL, "epsilon": 1}, {"Cookie": cookie, "X-Kith-CSRF": key, "Origin": f"http://127.0.0.1:{self.server.port}"}), 403)
        self.document(self.server.request("POST", SPACE + "explain", {"question": ILL, "epsilon": 1}, {"Cookie": cookie, "X-Kith-CSRF": key, "Origin": f"https://127.0.0.1:{self.server.port}"}))


if __name__ == "__main__":
    unittest.main()
