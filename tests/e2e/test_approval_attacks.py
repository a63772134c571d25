"""What somebody could try with approvals: use one twice, use another's, change what was approved, wait too long, decide about oneself."""
import json
import os
import sqlite3
import unittest

from kith_case import ILL, POLICY
from server_case import ServerCase, together, younger

SPACE = "/v1/datasets/policy/"
DEAR = {"question": ILL, "epsilon": 2}


class Approvals(ServerCase):
    def setUp(self):
        super().setUp()
        text = POLICY.replace("epsilon = 1.0", "epsilon = 20.0") + '[server]\napprove_above = 0.5\ntick = "0ms"\n'
        self.write("policy.toml", text)
        self.write("other.toml", text.replace("people.ledger", "other.ledger"))
        self.tokens = self.users("policy", "other")
        self.tokens["second"] = self.json(self.run_kith("user", "add", "second", "--role", "curator", "--state", "state", "--json"))["token"]
        self.tokens["mallory"] = self.json(self.run_kith("user", "add", "mallory", "--role", "analyst", "--dataset", "policy", "--epsilon", "100", "--state", "state", "--json"))["token"]
        self.server = self.serve("policy.toml", "other.toml", "--state", "state")

    def release(self, asked, who="analyst", space=SPACE, status=None):
        answer = self.server.request("POST", space + "release", asked, token=self.tokens[who])
        return answer if status is None else self.document(answer, status)

    def waits(self, asked=None, who="analyst", space=SPACE):
        """The number under which it waits now."""
        refused = self.release(asked or DEAR, who, space, 403)
        self.assertIn("a curator decides", refused["error"]["hint"])
        return self.document(self.server.request("GET", space + "approvals", token=self.tokens["curator"]))["approvals"][0]["id"]

    def decide(self, number, granted=True, who="curator", space=SPACE):
        return self.server.request("POST", f"{space}approvals/{number}", {"granted": granted}, token=self.tokens[who])

    def granted(self, asked=None, who="analyst", space=SPACE):
        number = self.waits(asked, who, space)
        self.document(self.decide(number, space=space))
        return number

    def charges(self):
        return len(self.document(self.server.request("GET", SPACE + "history", token=self.tokens["curator"]))["history"])

    def state(self, number):
        with sqlite3.connect(self.folder / "state" / "people.sqlite", timeout=10) as file:
            found = file.execute("SELECT state FROM approvals WHERE id = ?", (number,)).fetchone()
        file.close()
        return None if found is None else ("waiting", "granted", "refused", "lapsed", "taken")[found[0]]

    def later(self, number, seconds):
        with sqlite3.connect(self.folder / "state" / "people.sqlite", timeout=10) as file:
            file.execute("UPDATE approvals SET made = made - ?, lapses = lapses - ? WHERE id = ?", (seconds, seconds, number))
        file.close()

    def test_it_is_used_once_however_many_try_at_a_time(self):
        number = self.granted()
        answers = together(16, lambda k: self.release(dict(DEAR, approval=number)))
        given = [json.loads(answer[2]) for answer in answers if answer[0] == 200]
        self.assertEqual([answer["stored"] for answer in given], [False])
        self.assertEqual(sum(answer[0] == 403 for answer in answers), 15)
        self.assertEqual(self.charges(), 1)
        self.assertIn("used already", self.release(dict(DEAR, approval=number), status=403)["error"]["what"])

    def test_it_is_for_nobody_else(self):
        number = self.granted()
        unknown = self.release(dict(DEAR, approval=number + 1000), "mallory", status=403)
        self.assertIn("not for this question", self.release(dict(DEAR, approval=number), "mallory", status=403)["error"]["what"])
        self.assertIn("no such request", unknown["error"]["what"])
        self.assertEqual(self.document(self.server.request("GET", SPACE + "approvals", token=self.tokens["mallory"]))["approvals"], [])
        self.release(dict(DEAR, approval=number), space="/v1/datasets/other/", status=403)
        self.assertEqual((self.charges(), self.state(number)), (0, "granted"))
        self.release(dict(DEAR, approval=number), status=200)

    def test_it_is_for_nothing_else(self):
        number = self.granted()
        for change in ({"question": younger(30)}, {"question": ILL + " "}, {"question": ILL + " -- kith: epsilon 9"}, {"epsilon": 2.0000001}, {"epsilon": 1.9999}, {"epsilon": 12},
                       {"unit": "household"}, {"split": [1]}):
            refused = self.release({**DEAR, **change, "approval": number})
            self.assertIn(refused[0], (400, 403), change)
        wanted = {"question": ILL, "error": 5, "approval": number}
        self.release(wanted, status=403)
        self.document(self.server.request("POST", SPACE + "plan/release", {"questions": ILL + ";", "epsilon": 2, "approval": number}, token=self.tokens["analyst"]), 403)
        self.document(self.server.request("POST", SPACE + "analyses", {"analysis": "top", "epsilon": 2, "options": {"column": "ill", "count": 1}, "approval": number}, token=self.tokens["analyst"]), 403)
        for number_of in (-1, 0, 2**63, 1.5, "1", True, [1], None):
            self.assertIn(self.release(dict(DEAR, approval=number_of))[0], (400, 403), number_of)
        self.assertEqual((self.charges(), self.state(number)), (0, "granted"))
        self.release({"epsilon": 2.0, "unit": "person", "approval": number, "question": ILL}, status=200)  # the same in other words

    def test_it_lapses_decided_or_not(self):
        week = 7 * 86400
        number = self.waits()
        self.later(number, week)
        self.assertIn("lapsed", self.document(self.decide(number), 400)["error"]["what"])
        again = self.granted()
        self.assertNotEqual(again, number)
        self.later(again, week)
        self.assertIn("lapsed", self.release(dict(DEAR, approval=again), status=403)["error"]["what"])
        self.assertEqual(self.charges(), 0)

    def test_data_that_were_replaced_and_a_price_that_has_changed(self):
        number = self.granted()
        self.document(self.server.request("POST", SPACE + "import", token=self.tokens["curator"]))
        late = self.release(dict(DEAR, approval=number), status=403)
        self.assertIn("the data were replaced since this was approved; nothing was charged", late["error"]["what"])
        self.assertEqual(self.charges(), 0)
        dearer = {"question": younger(33), "epsilon": 2}
        number = self.granted(dearer)
        self.assertEqual(self.server.stop(), 0)
        # The same epsilon is now a larger part of a smaller budget, and so not the price that the curator saw.
        self.write("policy.toml", (self.folder / "policy.toml").read_text().replace("odds_ratio = 4", "odds_ratio = 1.2"))
        self.server = self.serve("policy.toml", "other.toml", "--state", "state")
        answer = self.release(dict(dearer, approval=number))
        self.assertIn(answer[0], (403, 422), answer[2])
        self.assertEqual(self.charges(), 0)

    def test_of_two_curators_one_decides(self):
        for k in range(10):
            number = self.waits({"question": younger(40 + k), "epsilon": 1 + k / 100})
            answers = together(2, lambda who: self.decide(number, who == 0, ("curator", "second")[who]))
            decided = [who for who in (0, 1) if answers[who][0] == 200]
            self.assertEqual(len(decided), 1, answers)
            self.assertIn("does not wait any more", self.document(answers[1 - decided[0]], 400)["error"]["what"])
            self.assertEqual(self.state(number), ("granted", "refused")[decided[0]])
            self.assertEqual(self.document(answers[decided[0]])["approvals"][0]["decided_by"], ("an_curator", "second")[decided[0]])
        # What was once refused is not granted afterwards, nor the other way round.
        refused = self.waits()
        self.document(self.decide(refused, False))
        self.document(self.decide(refused, True, "second"), 400)
        self.release(dict(DEAR, approval=refused), status=403)

    def test_nobody_decides_about_themselves(self):
        number = self.waits()
        for who in ("analyst", "mallory", "auditor", "operator"):
            self.document(self.decide(number, who=who), 403)
        # A name that becomes a curator's does not carry on what it asked for.
        self.ok(self.run_kith("user", "remove", "an_analyst", "--state", "state"))
        self.tokens["analyst"] = self.json(self.run_kith("user", "add", "an_analyst", "--role", "curator", "--state", "state", "--json"))["token"]
        self.document(self.decide(number, who="analyst"), 404)
        self.refused(self.run_kith("approvals", "grant", str(number), "--by", "an_analyst", "--state", "state"), 2)
        self.assertIsNone(self.state(number))

    def test_what_was_granted_ends_with_its_user(self):
        number = self.granted(who="mallory")
        self.ok(self.run_kith("user", "grant", "mallory", "--dataset", "policy", "--none", "--state", "state"))
        self.release(dict(DEAR, approval=number), "mallory", status=404)
        self.ok(self.run_kith("user", "remove", "mallory", "--state", "state"))
        self.tokens["mallory"] = self.json(self.run_kith("user", "add", "mallory", "--role", "analyst", "--dataset", "policy", "--epsilon", "100", "--state", "state", "--json"))["token"]
        self.assertIn("no such request", self.release(dict(DEAR, approval=number), "mallory", status=403)["error"]["what"])

    def test_on_the_command_line_against_the_server(self):
        address = f"http://127.0.0.1:{self.server.port}"

        def run(who, *words):
            return self.run_kith("--server", address, "approvals", *words, env=dict(os.environ, KITH_TOKEN=self.tokens[who]))
        number = str(self.waits())
        for who in ("analyst", "curator"):
            self.assertIn(f"number      {number}", self.ok(run(who, "list", "--dataset", "policy")))
        self.assertIn("No question waits", self.ok(run("mallory", "list", "--dataset", "policy")))
        self.refused(run("curator", "list"), 2, "--dataset")
        self.refused(run("analyst", "grant", number, "--dataset", "policy"), 2, "your role does not allow this")
        self.refused(run("curator", "grant", number, "--dataset", "other"), 2, "nothing of this number waits")
        self.refused(run("curator", "grant", number, "--dataset", "policy", "--by", "second"), 2, "leave --state and --by out")
        self.refused(self.run_kith("approvals", "grant", number, "--by", "second", "--dataset", "other", "--state", "state"), 2, "another dataset")
        self.refused(self.run_kith("approvals", "grant", number, "--state", "state"), 2, "--by")
        self.refused(self.run_kith("approvals", "list"), 2, "--state")
        decided = json.loads(self.ok(run("curator", "grant", number, "--dataset", "policy", "--reason", "fine", "--json")))["approvals"][0]
        self.assertEqual((decided["state"], decided["decided_by"], decided["reason"]), ("granted", "an_curator", "fine"))
        self.assertIn("No question waits", self.ok(run("analyst", "list", "--dataset", "policy")))
        self.assertIn("granted by an_curator", self.ok(run("analyst", "list", "--dataset", "policy", "--all")))
        # An audit, for those who may see one.
        for who in ("auditor", "curator"):
            there = self.ok(self.run_kith("--server", address, "audit", "policy", "--epsilon", "0.5", env=dict(os.environ, KITH_TOKEN=self.tokens[who])))
            here = self.ok(self.run_kith("audit", "policy.toml", "--epsilon", "0.5"))
            self.assertEqual(there.replace("policy.toml", "policy"), here.replace("policy.toml", "policy"))
        self.refused(self.run_kith("--server", address, "audit", "policy", env=dict(os.environ, KITH_TOKEN=self.tokens["analyst"])), 2, "your role does not allow this")
        self.refused(self.run_kith("--server", address, "audit", "policy", "other", env=dict(os.environ, KITH_TOKEN=self.tokens["auditor"])), 2, "not expected: other")

    def test_numbers_in_addresses_are_whole_numbers(self):
        number = self.waits()
        for text in (f"{number}x", f"{number}.0", f"{number}e0", f"+{number}", f"0x{number}", "-1", "", f"{number}%20", str(2**63), str(2**64 + number)):
            self.assertEqual(self.decide(text)[0], 404, text)
        self.document(self.decide(number, space="/v1/datasets/other/"), 404)
        self.assertEqual(self.state(number), "waiting")
        self.document(self.decide(number))

    def test_a_refusal_after_it_was_taken_gives_it_back(self):
        number = self.granted()
        self.ok(self.run_kith("user", "grant", "an_analyst", "--dataset", "policy", "--epsilon", "0", "--state", "state"))
        self.assertEqual(self.release(dict(DEAR, approval=number), status=403)["error"]["code"], "budget_exhausted")
        self.assertEqual((self.charges(), self.state(number)), (0, "granted"))
        self.ok(self.run_kith("user", "grant", "an_analyst", "--dataset", "policy", "--epsilon", "100", "--state", "state"))
        self.release(dict(DEAR, approval=number), status=200)
        self.assertEqual((self.charges(), self.state(number)), (1, "taken"))


if __name__ == "__main__":
    unittest.main()
