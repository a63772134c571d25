"""Policies that change under a used ledger, from the command line."""
import json
import unittest

from kith_case import ILL, POLICY, KithCase

OLD = "SELECT count(*) AS n FROM people WHERE age > 50"


class Growth(KithCase):
    def setUp(self):
        super().setUp()
        self.first = self.json(self.ask(ILL, "--epsilon", "0.2", "--json"))
        self.old = self.json(self.ask(OLD, "--epsilon", "0.1", "--json"))

    def grown(self, *changes):
        text = POLICY
        for before, after in changes:
            self.assertIn(before, text)
            text = text.replace(before, after)
        self.write("new.toml", text)

    def diff(self, code=0):
        done = self.run_kith("policy", "diff", "policy.toml", "new.toml", "--json")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_a_policy_that_the_data_contradict_can_be_corrected(self):
        self.grown(("[dependence]\n", "[dependence]\nreviewed = 2\n"), ("[columns.people]\n", "[columns.people]\nweigth = { lower = 0, upper = 200 }\n"))
        self.refused(self.run_kith("import", "new.toml"), 2, "weigth")
        self.refused(self.ask(OLD, "--epsilon", "0.05", policy="new.toml"), 5, "nothing was charged")
        self.ok(self.ask(OLD, "--epsilon", "0.05"))
        self.assertEqual(len(self.json(self.run_kith("budget", "policy.toml", "--json"))["policy_versions"]), 1)

    def test_the_number_is_that_of_the_ledger(self):
        """Where the ledger went on under another policy than the old one."""
        self.grown(("upper = 120", "upper = 130"))
        self.ok(self.run_kith("import", "new.toml"))
        self.ok(self.ask(OLD, "--epsilon", "0.05", policy="new.toml"))
        diff = self.diff()
        self.assertEqual((diff["accepted"], diff["policy_version"]), (True, 2))
        self.assertIn("under the new policy already", diff["reason"])
        self.grown(("[columns.people]\n", "[columns.people]\nweight = { lower = 0, upper = 200 }\n"))
        self.assertIn("reviewed = 3", self.diff(2)["reason"])
        self.grown(("[dependence]\n", "[dependence]\nreviewed = 3\n"), ("[columns.people]\n", "[columns.people]\nweight = { lower = 0, upper = 200 }\n"))
        diff = self.diff()
        self.assertEqual((diff["accepted"], diff["policy_version"]), (True, 3))
        self.assertIn("(generation 2)", diff["reason"])

    def test_a_long_declaration_is_cut_between_words(self):
        known = ", ".join(f"{{ total = \"ill\", value = \"yes\"{by} }}" for by in ("", ', by = "ward"'))
        self.grown(('kind = "group"\nby = "house"\nsize = 3\nodds_ratio = 4', f'kind = "independent"\nknown = [{known}]'))
        changes = [c["what"] for c in self.diff()["changes"] if "known" in c["what"]]
        self.assertEqual(len(changes), 1)
        self.assertTrue(changes[0].endswith("(a unit moves it by 1)") or changes[0].endswith(" …"), changes[0])

    def test_bounds_grow_and_what_reads_nothing_of_them_stays_free(self):
        self.assertNotIn("policy_version", self.first)
        self.grown(("upper = 120", "upper = 130"))
        diff = self.diff()
        self.assertEqual((diff["accepted"], diff["policy_version"], diff["asked_again"]), (True, 2, ["people.age"]))
        self.assertEqual([c["verdict"] for c in diff["changes"]], ["accepted"])
        stored = self.json(self.ask(ILL, "--epsilon", "0.2", "--json", policy="new.toml"))
        self.assertTrue(stored["stored"])
        self.assertEqual(stored["answer"], self.first["answer"])
        self.assertEqual(stored["policy_version"], 2)
        anew = self.json(self.ask(OLD, "--epsilon", "0.1", "--json", policy="new.toml"))
        self.assertFalse(anew["stored"])
        budget = self.json(self.run_kith("budget", "new.toml", "--json"))
        self.assertEqual([(g["number"], g["after_charge"]) for g in budget["policy_versions"]], [(1, 0), (2, 2)])
        self.assertEqual(len(budget["history"]), 3)
        self.assertIn("generation 2", self.run_kith("budget", "new.toml").stdout)

    def test_a_new_column_must_be_reviewed_for_this_generation(self):
        column = ("ill   =", "fat   = { type = \"boolean\" }\nill   =")
        self.grown(column)
        self.assertEqual([c["verdict"] for c in self.diff(2)["changes"]], ["review"])
        refused = self.ask(ILL, "--epsilon", "0.2", policy="new.toml")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("reviewed = 2", refused.stderr)
        self.assertIn("kith policy diff", refused.stderr)
        self.grown(column, ('kind = "group"', 'kind = "group"\nreviewed = 1'))
        self.assertEqual(self.ask(ILL, "--epsilon", "0.2", policy="new.toml").returncode, 2)
        self.grown(column, ('kind = "group"', 'kind = "group"\nreviewed = 2'))
        self.assertTrue(self.diff()["accepted"])
        imported = self.run_kith("import", "new.toml")
        self.assertIn("fat", imported.stdout + imported.stderr)

    def test_a_new_public_value_starts_with_the_total_of_what_it_was_read_as(self):
        self.ok(self.ask("SELECT count(*) FROM people WHERE ward = 'B' AND ill = 'yes'", "--epsilon", "0.1"))
        self.grown(('["A", "B", "C"]', '["A", "B", "D"]'))
        diff = self.diff()
        self.assertEqual(diff["cells"], [{"column": "ward", "from": {"A": ["A", "C"], "B": ["B"], "D": ["A"]}}])
        before = {c["name"]: c["plain_spent"] for c in self.json(self.run_kith("budget", "policy.toml", "--json"))["cells"]}
        after = {c["name"]: c["plain_spent"] for c in self.json(self.run_kith("budget", "new.toml", "--json"))["cells"]}
        self.assertGreater(before["ward=B"], before["ward=A"])
        self.assertEqual(after, {"ward=A": before["ward=A"], "ward=B": before["ward=B"], "ward=D": before["ward=A"]})
        self.assertIn("ward = D starts with the largest total of: A", self.run_kith("policy", "diff", "policy.toml", "new.toml").stdout)

    def test_what_cannot_be_sound_is_refused_with_the_reason(self):
        for change, reason in [(('presence = "public"', 'presence = "secret"'), "presence was public and is now secret"),
                               (("age   = { lower = 0, upper = 120 }\n", ""), "people.age is gone"),
                               (('id    = { type = "integer", public = true }', 'id    = { type = "text", public = true }'), "it names the units")]:
            self.grown(change)
            self.assertEqual(self.diff(2)["accepted"], False)
            refused = self.ask(ILL, "--epsilon", "0.2", policy="new.toml")
            self.assertEqual(refused.returncode, 2)
            self.assertIn(reason, " ".join(refused.stderr.split()))
        self.assertEqual(self.json(self.run_kith("budget", "policy.toml", "--json"))["policy_versions"][-1]["number"], 1)

    def test_going_back_is_a_generation_too(self):
        self.grown(("epsilon = 1.0", "epsilon = 2.0"))
        self.ok(self.ask(ILL, "--epsilon", "0.3", policy="new.toml"))
        back = self.json(self.ask(ILL, "--epsilon", "0.2", "--json"))
        self.assertTrue(back["stored"])
        self.assertEqual(back["policy_version"], 3)

    def test_another_ledger_knows_nothing_of_what_was_spent(self):
        self.grown(("people.ledger", "fresh.ledger"))
        self.assertIn("does not know what was spent", self.diff(2)["reason"])

    def test_a_fresh_ledger_hears_of_the_other_one_until_its_totals_are_carried_over(self):
        self.grown(("people.ledger", "fresh.ledger"))
        asked = self.ask(ILL, "--epsilon", "0.1", policy="new.toml")
        self.assertIn("WARNING: the ledger", asked.stderr)
        self.assertIn("people.ledger", asked.stderr)
        self.assertIn("kith ledger carry OLD.toml NEW.toml", " ".join(asked.stderr.split()))
        self.assertNotIn("WARNING", self.ask(OLD, "--epsilon", "0.1").stderr)
        before = {c["name"]: c["plain_spent"] for c in self.json(self.run_kith("budget", "new.toml", "--json"))["cells"]}
        for again in range(2):
            carried = self.json(self.run_kith("ledger", "carry", "policy.toml", "new.toml", "--json"))
        self.assertFalse(carried["exceeds"])
        self.assertLess(carried["epsilon_left"], 1)
        after = {c["name"]: c["plain_spent"] for c in self.json(self.run_kith("budget", "new.toml", "--json"))["cells"]}
        old = {c["name"]: c["plain_spent"] for c in self.json(self.run_kith("budget", "policy.toml", "--json"))["cells"]}
        for name in after:
            self.assertEqual(after[name], before[name] + old[name])
        refused = self.ask("SELECT count(*) FROM people WHERE age > 70", "--epsilon", "0.1")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("fresh.ledger", refused.stderr)
        self.assertNotIn("WARNING", self.ask(OLD, "--epsilon", "0.1", policy="new.toml").stderr)
        other = POLICY.replace("people.ledger", "third.ledger")
        self.write("third.toml", other)
        self.refused(self.run_kith("ledger", "carry", "policy.toml", "third.toml"), 2, "is sealed and continues in")

    def test_only_ledgers_that_count_are_warned_of(self):
        self.write("unused.toml", POLICY.replace("people.ledger", "unused.ledger"))
        self.ok(self.run_kith("import", "unused.toml"))
        self.write("rows.toml", POLICY.replace("people.ledger", "rows.ledger").replace('key = "id"\nmax_rows = 1', "row = true"))
        warned = self.ask(ILL, "--epsilon", "0.1", policy="rows.toml").stderr
        self.assertIn("by the key id", " ".join(warned.split()))
        self.assertNotIn("unused.ledger", warned)

    def test_a_carried_total_beyond_the_new_budget_is_said(self):
        self.grown(("people.ledger", "fresh.ledger"), ("epsilon = 1.0", "epsilon = 0.01"))
        text = " ".join(self.ok(self.run_kith("ledger", "carry", "policy.toml", "new.toml")).split())
        self.assertIn("is more than the epsilon of 0.01 that the new policy allows", text)

    def test_what_growth_refuses_is_not_carried_over_either(self):
        self.grown(("people.ledger", "fresh.ledger"), (', public = true, required = true }', ', required = true }'))
        self.refused(self.run_kith("ledger", "carry", "policy.toml", "new.toml"), 2, "was public and is now secret")
        self.ok(self.ask("SELECT count(*) FROM people WHERE age > 70", "--epsilon", "0.1"))  # the old ledger is not sealed

    def test_nothing_is_carried_into_a_sealed_ledger(self):
        for name in ("second", "third"):
            self.write(f"{name}.toml", POLICY.replace("people.ledger", f"{name}.ledger"))
            self.ok(self.ask(ILL, "--epsilon", "0.1", policy=f"{name}.toml"))
        self.ok(self.run_kith("ledger", "carry", "second.toml", "third.toml"))
        self.refused(self.run_kith("ledger", "carry", "policy.toml", "second.toml"), 2, "is sealed itself")
        self.ok(self.run_kith("ledger", "carry", "policy.toml", "third.toml"))


if __name__ == "__main__":
    unittest.main()
