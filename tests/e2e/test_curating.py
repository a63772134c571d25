"""What curators do over HTTP: people and allowances, the policy and its checks; and what not even they do from there."""
import json
import os
import socket
import threading
import unittest

from kith_case import ILL, POLICY
from server_case import ServerCase, younger

SPACE = "/v1/datasets/policy/"


class Curating(ServerCase):
    def setUp(self):
        super().setUp()
        self.budget_of(50)
        self.tokens = self.users()
        self.server = self.serve("policy.toml", "--state", "state")

    def call(self, method, path, body=None, status=200, who="curator"):
        return self.document(self.server.request(method, path, body, token=self.tokens[who]), status)

    def add(self, name="ada", role="analyst", grants=({"dataset": "policy", "epsilon": 0.5},), status=200, **more):
        return self.call("POST", "/v1/users", {"name": name, "role": role, "grants": list(grants), **more}, status)

    def listed(self):
        return self.json(self.run_kith("user", "list", "--state", "state", "--json"))["users"]

    def test_a_life_of_a_user(self):
        made = self.add(expires="30d", token="laptop")
        self.assertRegex(made["token"], r"^kith_[0-9a-f]{16}_[0-9a-f]{64}$")
        self.assertEqual((made["user"], made["name"], made["expires"] - made["created"]), ("ada", "laptop", 30 * 86400))
        self.tokens["ada"] = made["token"]
        self.assertEqual(self.call("GET", "/v1/me", who="ada")["role"], "analyst")
        self.call("POST", SPACE + "release", {"question": ILL, "epsilon": 0.1}, who="ada")
        (ada, other, auditor) = sorted(self.call("GET", SPACE + "users")["users"], key=lambda user: (user["name"] != "ada", user["role"]))
        self.assertEqual((ada["allowance"], other["name"], other["spent"], auditor), (0.5, "an_analyst", 0, {"name": "an_auditor", "role": "auditor"}))
        spent = max(cell["plain_spent"] for cell in self.call("GET", SPACE + "budget")["cells"])
        self.assertEqual(ada["spent"], spent)
        self.assertGreater(spent, 0)
        # Less than was used: nothing more, and nothing comes back.
        self.assertEqual(self.call("POST", "/v1/users/ada/grants", {"dataset": "policy", "epsilon": spent})["users"][0]["grants"][0]["allowance"], spent)
        self.assertEqual(self.call("POST", SPACE + "release", {"question": younger(30), "epsilon": 0.1}, 403, "ada")["error"]["code"], "budget_exhausted")
        self.call("POST", "/v1/users/ada/grants", {"dataset": "policy", "epsilon": 5})
        self.call("POST", SPACE + "release", {"question": younger(30), "epsilon": 0.1}, who="ada")
        second = self.call("POST", "/v1/users/ada/tokens", {"token": "desk", "expires": "never"})
        self.assertIsNone(second["expires"])
        self.assertEqual([token["revoked"] for token in self.call("POST", "/v1/users/ada/revoke", {"token": "laptop"})["users"][0]["tokens"]], [True, False])
        self.call("GET", "/v1/datasets", status=401, who="ada")
        self.tokens["ada"] = second["token"]
        self.call("GET", "/v1/datasets", who="ada")
        self.assertEqual(self.call("POST", "/v1/users/ada/grants", {"dataset": "policy", "none": True})["users"][0]["grants"], [])
        self.call("GET", SPACE + "budget", status=404, who="ada")
        self.call("POST", "/v1/users/ada/revoke", {})
        self.call("GET", "/v1/datasets", status=401, who="ada")
        self.assertNotIn("ada", [user["name"] for user in self.call("DELETE", "/v1/users/ada")["users"]])
        self.assertEqual(self.call("GET", "/v1/users"), {"users": self.listed()})
        self.assertEqual(self.server.stop(), 0)
        for token in (made["token"], second["token"]):
            self.assertNotIn(token, self.server.log())
            for file in (self.folder / "state").iterdir():
                self.assertNotIn(token.encode()[22:], file.read_bytes())
        # Who a change was about is in the log; what was asked for in vain is not.
        for line in (r"POST /v1/users/\{user\}/grants 200 \d+ms an_curator about ada\n", r"POST /v1/users 200 \d+ms an_curator about ada\n",
                     r"POST /v1/users/\{user\}/tokens 200 \d+ms an_curator about ada\n", r"DELETE /v1/users/\{user\} 200 \d+ms an_curator about ada\n"):
            self.assertRegex(self.server.log(), line)

    def test_names_in_addresses_are_decoded_once(self):
        self.add("ada@clinic", token="one")
        self.call("POST", "/v1/users/ada%40clinic/grants", {"dataset": "policy", "epsilon": 1})
        self.call("POST", "/v1/users/ada@clinic/grants", {"dataset": "policy", "epsilon": 2})
        for name in ("ada%2540clinic", "ada%40clinic%00", "ada%40clinic%0a", "ada%2fclinic", "ada%40clini%", "ada%40clini%6", "ada%4gclinic", "%ff", "%c3%28", "%2e%2e%2fusers", "ada%40clinic%7f"):
            self.call("POST", f"/v1/users/{name}/grants", {"dataset": "policy", "epsilon": 3}, 404)
        self.call("GET", "/v1/datasets/%70olicy/budget")
        self.call("GET", "/v1/%64atasets/policy/budget", status=404)
        self.call("DELETE", "/v1/users/ada%40clinic")
        self.assertNotIn("ada@clinic", [user["name"] for user in self.listed()])
        self.assertEqual(self.server.stop(), 0)
        self.assertIn("an_curator about ada@clinic\n", self.server.log())
        for piece in ("%", "ada/clinic", "\x00"):
            self.assertNotIn(piece, self.server.log())

    def test_what_cannot_be_is_refused_and_leaves_nobody(self):
        before = self.listed()
        for body, status in (({"name": "a b", "role": "analyst"}, 400), ({"name": "ada", "role": "king"}, 400), ({"name": "ada", "role": "analyst", "grants": [{"dataset": "policy"}]}, 400),
                             ({"name": "ada", "role": "analyst", "grants": [{"dataset": "nothing", "epsilon": 1}]}, 400), ({"name": "ada", "role": "analyst", "grants": [{"dataset": "policy", "epsilon": -1}]}, 400),
                             ({"name": "ada", "role": "analyst", "grants": [{"dataset": "policy", "epsilon": 1e300}]}, 400), ({"name": "ada", "role": "analyst", "grants": ["policy"]}, 400),
                             ({"name": "ada", "role": "analyst", "grants": [{"dataset": "policy", "epsilon": 1, "none": True}]}, 400), ({"name": "ada", "role": "analyst", "expires": "soon"}, 400),
                             ({"name": "ada", "role": "analyst", "token": ""}, 400), ({"name": "ada", "role": "analyst", "password": "x" * 20}, 400), ({"name": "an_analyst", "role": "analyst"}, 400)):
            self.call("POST", "/v1/users", body, status)
        for path, body in (("an_analyst/grants", {"dataset": "policy"}), ("an_analyst/grants", {"dataset": "policy", "epsilon": 1, "none": True}), ("an_analyst/tokens", {"token": "first"}),
                           ("an_analyst/tokens", {"token": "x", "expires": "-1d"}), ("an_analyst/revoke", {"token": "none of this name"}), ("an_analyst/revoke", {"token": ""})):
            self.call("POST", "/v1/users/" + path, body, 400)
        for path in ("nobody/grants", "nobody/tokens", "nobody/revoke"):
            self.call("POST", "/v1/users/" + path, {"token": "x"} if "grants" not in path else {"dataset": "policy", "epsilon": 1}, 404)
        self.call("DELETE", "/v1/users/nobody", status=404)
        self.assertEqual(self.listed(), before)

    def test_nobody_is_lifted_up_or_taken_out_by_a_curator_who_was_robbed(self):
        self.json(self.run_kith("user", "add", "second", "--role", "curator", "--state", "state", "--json"))
        before = self.listed()
        for role in ("curator", "operator"):
            self.add("eve", role, (), 403)
        for name in ("second", "an_operator", "an_curator"):
            self.call("POST", f"/v1/users/{name}/tokens", {"token": "stolen", "expires": "never"}, 403)
            self.call("DELETE", f"/v1/users/{name}", status=403)
            self.call("POST", f"/v1/users/{name}/grants", {"dataset": "policy", "epsilon": 1}, 403)
        for name in ("second", "an_operator"):
            self.call("POST", f"/v1/users/{name}/revoke", {}, 403)
        self.assertEqual(self.listed(), before)
        self.call("POST", "/v1/users/an_curator/revoke", {})  # one's own, if it was lost
        self.call("GET", "/v1/users", status=401)

    def test_the_policy_is_checked_and_stays_as_it_is(self):
        text = self.call("GET", SPACE + "policy")["policy"]
        self.assertEqual(text, (self.folder / "policy.toml").read_text())
        self.assertEqual(self.call("POST", SPACE + "policy/check", {"policy": text})["changes"], [])
        self.write("stronger.toml", text.replace("odds_ratio = 4", "odds_ratio = 8"))
        here = json.loads(self.run_kith("policy", "diff", "policy.toml", "stronger.toml", "--json").stdout)
        there = self.call("POST", SPACE + "policy/check", {"policy": text.replace("odds_ratio = 4", "odds_ratio = 8")})
        self.assertEqual((there["before"], there["after"]), ("policy", "policy"))
        for names in ("before", "after", "reason"):
            here.pop(names), there.pop(names)
        self.assertEqual(there, here)
        before = sorted(file.name for file in self.folder.iterdir())
        # Text that names other files is refused before they are looked for: the answer is the same whether they exist or not.
        self.write("secret.csv", "a,b\nhush,hush\n")
        os.mkfifo(self.folder / "pipe.json")
        said = set()
        for name in ("pipe.json", "/dev/stdin", "/etc/passwd", "/etc/shadow", "/nowhere/at/all", "secret.csv"):
            wrong = POLICY[:POLICY.index("[dependence]")] + f'[dependence]\nsource = "public"\nfile = "{name}"\n' + POLICY[POLICY.index("[budget]"):]
            error = self.call("POST", SPACE + "policy/check", {"policy": wrong}, 400)["error"]
            said.add(json.dumps(error))
            self.assertIn("kith policy diff", error["hint"])
        self.assertEqual(len(said), 1, said)
        for part in ('[dependence]\nsource = "public"\nkind = "field"\nedges = "secret.csv"\n', '[dependence]\nsource = "public"\nkind = "field"\nnodes = 3\nedges = "/etc/passwd"\n'):
            wrong = POLICY[:POLICY.index("[dependence]")] + part + POLICY[POLICY.index("[budget]"):]
            said = self.server.request("POST", SPACE + "policy/check", {"policy": wrong}, token=self.tokens["curator"])
            self.assertEqual(said[0], 400, said[2])
            self.assertIn("kith policy diff", said[2])
            for word in ("hush", "root:", "/bin/"):
                self.assertNotIn(word, said[2])
        for wrong in ("", "[", "x = 1", "[data]\n" * 1000, "\u0000"):
            self.assertIn(self.server.request("POST", SPACE + "policy/check", {"policy": wrong}, token=self.tokens["curator"])[0], (400, 422), wrong)
        self.assertEqual(sorted(file.name for file in self.folder.iterdir() if file.name not in ("secret.csv", "pipe.json")), before)
        self.assertEqual((self.folder / "policy.toml").read_text(), text)

    def test_a_text_cannot_send_the_server_to_another_one(self):
        """Not even where the ledger judges the text, for which edges in tables are read: the password would go there."""
        text = (self.folder / "policy.toml").read_text()
        self.ok(self.ask())
        self.write("policy.toml", text.replace("odds_ratio = 4", "odds_ratio = 3"))  # the ledger's last generation is different
        self.ok(self.ask(younger(30)))
        self.write("policy.toml", text)
        there = text[:text.index("[dependence]")].replace('tables.people = "people.csv"', 'tables.people = "a.people"\ntables.friends = { source = "a.friends", public = true }')
        there += '[columns.friends]\na = { type = "integer" }\nb = { type = "integer" }\n[dependence]\nsource = "public"\nkind = "field"\nnodes = 300\ntheta = 0.01\nedges = { table = "friends", from = "a", to = "b" }\n'
        there += text[text.index("[budget]"):]
        visits = []
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]

            def open_the_door():
                while True:
                    visitor, _ = other.accept()
                    with visitor:
                        visits.append(visitor.recv(1000))
                    if visits[-1] == b"end":
                        return

            door = threading.Thread(target=open_the_door)
            door.start()
            try:
                for engine in (f'engine = "trino"\nurl = "http://127.0.0.1:{port}"\ncatalog = "c"\nuser = "u"\n', f'engine = "postgresql"\nhost = "127.0.0.1"\nport = {port}\ndatabase = "d"\nuser = "u"\n'):
                    status, _, said = self.server.request("POST", SPACE + "policy/check", {"policy": there.replace("[data]\n", "[data]\n" + engine, 1)}, token=self.tokens["curator"])
                    self.assertEqual(visits, [], said)
                    self.assertEqual(status, 400, said)
                    self.assertIn("kith policy diff", said)
                    self.assertIn('"policy:', said)
            finally:
                with socket.create_connection(("127.0.0.1", port)) as last:
                    last.sendall(b"end")
                door.join()

    def test_without_users_there_is_nobody_to_change(self):
        server = self.serve("policy.toml")
        self.document(server.request("POST", "/v1/users", {"name": "ada", "role": "analyst"}), 403)  # anybody there is an analyst
        self.assertEqual(len(self.listed()), 4)


if __name__ == "__main__":
    unittest.main()
