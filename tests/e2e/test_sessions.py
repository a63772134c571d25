"""Logging in with a password, as a browser does, and what other pages could try."""
import re
import unittest

from server_case import ServerCase, hash_quickly, younger

SPACE = "/v1/datasets/policy/"
PASSWORD = "a password of some length"


class Sessions(ServerCase):
    def setUp(self):
        super().setUp()
        self.budget_of(10)
        self.tokens = self.users()
        if self._testMethodName == "test_a_session_asks_with_the_key_of_its_page":  # as kith stores it
            self.ok(self.run_kith("user", "password", "an_analyst", "--state", "state", input=PASSWORD + "\n"))
        else:
            hash_quickly(self.folder / "state", {"an_analyst": PASSWORD})
        self.server = self.serve("policy.toml", "--state", "state")

    def log_in(self, name="an_analyst", password=PASSWORD):
        return self.server.request("POST", "/v1/session", {"name": name, "password": password})

    def session(self):
        """Header fields of a browser that has logged in, and the key of its page."""
        answer = self.log_in()
        me = self.document(answer)
        self.assertEqual((me["name"], me["role"]), ("an_analyst", "analyst"))
        said = answer[1]["Set-Cookie"]
        self.assertRegex(said, r"^kith=[0-9a-f]{64}; Path=/; Max-Age=\d+; HttpOnly; SameSite=Strict$")
        self.assertNotIn("Secure", said, "without TLS it would never come back")
        return {"Cookie": said.split(";")[0]}, me["csrf"]

    def test_a_session_asks_with_the_key_of_its_page(self):
        cookie, key = self.session()
        self.assertEqual(self.document(self.server.request("GET", "/v1/me", headers=cookie))["csrf"], key)
        self.document(self.server.request("GET", SPACE + "budget", headers=cookie))
        asked = {"question": younger(30), "epsilon": 0.5}
        answer = self.document(self.server.request("POST", SPACE + "release", asked, dict(cookie, **{"X-Kith-CSRF": key})))
        self.assertFalse(answer["stored"])
        asked = self.document(self.server.request("GET", SPACE + "history", headers=cookie))
        self.assertEqual([line["caller"] for line in asked["history"]], ["an_analyst"])
        self.document(self.server.request("GET", "/v1/users", headers=cookie), 403)  # a role is a role

    def test_what_another_page_could_send_changes_nothing(self):
        cookie, key = self.session()
        other = self.session()[1]
        self.assertNotEqual(key, other)
        asked = {"question": younger(30), "epsilon": 0.5}
        for wrong in (None, "", "0" * 64, other, key[:-1], key + "0"):
            headers = dict(cookie, **({} if wrong is None else {"X-Kith-CSRF": wrong}))
            for path in ("release", "explain", "analyses"):
                answer = self.document(self.server.request("POST", SPACE + path, asked, headers), 403)
                self.assertIn("not the key of its page", answer["error"]["what"])
            self.document(self.server.request("DELETE", "/v1/session", headers=headers), 403)
        # A page of another port is of the same site for SameSite; its Origin is another, and the key is not known there.
        foreign = dict(cookie, **{"X-Kith-CSRF": key, "Origin": "http://127.0.0.1:1"})
        self.document(self.server.request("POST", SPACE + "release", asked, foreign), 403)
        asked = self.document(self.server.request("GET", SPACE + "history", headers=cookie))
        self.assertEqual(asked["history"], [])
        self.assertEqual(self.server.raw(b"GET /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: a=b\r\nCookie: c=d\r\nConnection: close\r\n\r\n")[9:12], b"400")

    def test_the_check_above_sees_a_key_that_is_accepted(self):
        cookie, key = self.session()
        asked = {"question": younger(30), "epsilon": 0.5}
        self.document(self.server.request("POST", SPACE + "release", asked, dict(cookie, **{"X-Kith-CSRF": key})))
        self.assertEqual(len(self.document(self.server.request("GET", SPACE + "history", headers=cookie))["history"]), 1)

    def test_it_ends(self):
        cookie, key = self.session()
        out = self.server.request("DELETE", "/v1/session", headers=dict(cookie, **{"X-Kith-CSRF": key}))
        self.document(out)
        self.assertIn("Max-Age=0", out[1]["Set-Cookie"])
        self.document(self.server.request("GET", SPACE + "budget", headers=cookie), 401)
        gone = self.server.request("GET", "/v1/me", headers=cookie)
        self.document(gone, 401)
        self.assertIn("Max-Age=0", gone[1]["Set-Cookie"], "the browser forgets it")
        cookie, key = self.session()
        self.ok(self.run_kith("user", "remove", "an_analyst", "--state", "state"))
        self.document(self.server.request("GET", SPACE + "budget", headers=cookie), 401)

    def test_wrong_names_and_passwords_look_the_same(self):
        wrong = [self.log_in(password="another password"), self.log_in("nobody"), self.log_in("an_operator"), self.log_in("an_analyst", "")]
        self.assertEqual({(answer[0], answer[2]) for answer in wrong}, {(401, wrong[0][2])})
        for answer in wrong:
            self.assertIsNone(answer[1]["Set-Cookie"])
        for _ in range(12):
            last = self.log_in(password="another password")
        self.assertEqual(last[0], 429)
        self.assertEqual(self.log_in()[0], 429, "guessing one password at a time is over for this name")
        self.assertNotIn(PASSWORD, self.server.log())
        self.assertTrue(re.search(r"POST /v1/session 401", self.server.log()))

    def test_a_token_goes_before_a_cookie(self):
        cookie, _ = self.session()
        me = self.document(self.server.request("GET", "/v1/me", headers=cookie, token=self.tokens["curator"]))
        self.assertEqual(me["role"], "curator")
        self.document(self.server.request("GET", "/v1/users", headers=cookie, token=self.tokens["curator"]))


if __name__ == "__main__":
    unittest.main()
