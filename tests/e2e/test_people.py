"""Users, tokens, grants and approvals on the command line."""
import json
import os
import re
import stat
import unittest

from kith_case import ILL, POLICY, KithCase

TOKEN = re.compile(r"^kith_[0-9a-f]{16}_[0-9a-f]{64}$")


class People(KithCase):
    def user(self, *arguments, **options):
        return self.run_kith("user", *arguments, "--state", "state", **options)

    def add(self, name="ada", *arguments):
        return self.json(self.user("add", name, "--role", "analyst", "--dataset", "policy", "--epsilon", "0.5", "--json", *arguments))

    def users(self):
        return self.json(self.user("list", "--json"))["users"]

    def test_a_token_is_printed_once_and_kept_nowhere(self):
        out = self.ok(self.user("add", "ada", "--role", "analyst", "--dataset", "policy", "--epsilon", "0.5"))
        token = out.splitlines()[0]
        self.assertRegex(token, TOKEN)
        self.assertIn("shown once", out)
        for file in (self.folder / "state").iterdir():
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600, file)
            self.assertNotIn(token.encode()[22:], file.read_bytes())
        self.assertEqual(stat.S_IMODE((self.folder / "state").stat().st_mode), 0o700)
        listed = self.ok(self.user("list"))
        self.assertIn("policy (up to 0.5)", listed)
        self.assertNotIn(token, listed)
        ada = self.users()[0]
        self.assertEqual(ada["grants"], [{"dataset": "policy", "allowance": 0.5, "allowance_units": 2**31}])
        self.assertEqual(ada["tokens"][0]["expires"] - ada["tokens"][0]["created"], 90 * 86400)

    def test_a_life_of_a_user(self):
        first = self.add()
        second = self.json(self.user("token", "ada", "--token", "laptop", "--expires", "never", "--json"))
        self.assertNotEqual(first["token"], second["token"])
        self.assertIsNone(second["expires"])
        self.refused(self.user("token", "ada", "--token", "laptop"), 2, "has a token of this name")
        self.json(self.user("grant", "ada", "--dataset", "policy", "--epsilon", "0.75", "--json"))
        self.json(self.user("grant", "ada", "--dataset", "school", "--epsilon", "0.25", "--json"))
        self.assertEqual([grant["allowance"] for grant in self.users()[0]["grants"]], [0.75, 0.25])
        self.json(self.user("grant", "ada", "--dataset", "school", "--none", "--json"))
        self.assertEqual(len(self.users()[0]["grants"]), 1)
        self.json(self.user("password", "ada", "--json", input="correct horse battery\n"))
        self.assertTrue(self.users()[0]["password"])
        self.json(self.user("revoke", "ada", "--token", "laptop", "--json"))
        self.assertEqual([token["revoked"] for token in self.users()[0]["tokens"]], [False, True])
        self.json(self.user("revoke", "ada", "--json"))
        self.assertTrue(all(token["revoked"] for token in self.users()[0]["tokens"]))
        self.assertEqual(self.json(self.user("remove", "ada", "--json"))["users"], [])

    def test_what_cannot_be_is_refused_and_leaves_nobody(self):
        self.refused(self.user("list"), 2, "there are no users", "--state FOLDER")
        self.refused(self.user("add", "a b", "--role", "analyst"), 2, "cannot be the name")
        self.refused(self.user("add", "ada", "--role", "king"), 2, "--role")
        self.refused(self.user("add", "ada", "--role", "analyst", "--dataset", "policy"), 2, "needs its allowance")
        self.refused(self.user("add", "ada", "--role", "analyst", "--dataset", "policy", "--epsilon", "-1"), 2, "plain loss")
        self.refused(self.user("add", "ada", "--role", "curator", "--dataset", "policy"), 2, "granted no dataset")
        self.refused(self.user("add", "ada", "--role", "analyst", "--expires", "soon"), 2, "no length of time")
        self.assertEqual(self.users(), [])
        self.add()
        self.refused(self.user("add", "ada", "--role", "curator"), 2, "already")
        self.refused(self.user("grant", "ada", "--dataset", "policy"), 2, "needs an allowance")
        self.refused(self.user("token", "eve", "--token", "x"), 2, "no such user")
        self.refused(self.user("password", "ada", input="short\n"), 2, "12 to 1024")
        os.chmod(self.folder / "state" / "people.sqlite", 0o644)
        self.refused(self.user("list"), 5, "others may read")

    def test_the_history_of_one_user_is_a_budget_without_the_questions_of_others(self):
        self.add()
        self.ok(self.ask(ILL, "--epsilon", "0.1"))
        own = self.json(self.user("history", "ada", "policy.toml", "--json"))
        self.assertEqual(own["history"], [])
        self.assertEqual(own["allowance"], {"name": "ada", "plain": 0.5, "plain_units": 2**31, "spent": 0, "spent_units": 0})
        self.assertGreater(own["cells"][0]["plain_spent"], 0, "the total counts everybody")
        self.assertIn("'ada' has used 0 of 0.5", self.ok(self.user("history", "ada", "policy.toml")))
        # The name of the data decides which grant it is.
        self.write("policy.toml", POLICY.replace("[data]", "[data]\nname = \"clinic\""))
        self.assertEqual(self.json(self.user("history", "ada", "policy.toml", "--json"))["allowance"]["plain"], 0)

    def test_settings_of_the_server_are_checked_and_change_no_answer(self):
        answer = self.json(self.ask(ILL, "--epsilon", "0.1", "--json"))
        self.write("policy.toml", POLICY + "\n[server]\nshared_history = true\ntick = \"250ms\"\napprove_above = 0.2\napproval_expires = \"3d\"\n")
        again = self.json(self.ask(ILL, "--epsilon", "0.1", "--json"))
        self.assertTrue(again["stored"])
        self.assertEqual(again["answer"], answer["answer"])
        for line, words in {"tick = \"1h\"": "tick", "tick = 5": "tick", "approve_above = -1": "plain loss", "approval_expires = \"1s\"": "approval_expires",
                            "shared = true": "shared"}.items():
            self.write("policy.toml", POLICY + "\n[server]\n" + line + "\n")
            self.refused(self.run_kith("budget", "policy.toml"), 2, words, "policy.toml:")
        self.write("policy.toml", POLICY.replace("[data]", "[data]\nname = \"a b\""))
        self.refused(self.run_kith("budget", "policy.toml"), 2, "name of the data")

    def test_approvals_are_listed_and_only_curators_decide(self):
        self.add()
        self.assertEqual(self.json(self.run_kith("approvals", "list", "--state", "state", "--json")), {"approvals": []})
        self.assertIn("No question waits", self.ok(self.run_kith("approvals", "list", "--state", "state")))
        self.refused(self.run_kith("approvals", "grant", "1", "--by", "nobody", "--state", "state"), 2, "no such user")
        self.refused(self.run_kith("approvals", "grant", "1", "--by", "ada", "--state", "state"), 2, "no such request")


if __name__ == "__main__":
    unittest.main()
