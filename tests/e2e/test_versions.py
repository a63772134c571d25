"""Data that change, and equal questions at the same moment, from the command line."""
import json
import os
import subprocess
import unittest

from kith_case import KITH, KithCase

POLICY = """[data]
tables.people = "people.csv"
{data}[unit]
table = "people"
key = "id"
max_rows = 1
presence = "public"
[columns.people]
ward = {{ values = ["A", "B"], public = true, required = true }}
ill = {{ values = ["no", "yes"] }}
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 10.0
ledger = "people.ledger"
"""
SECRET = "SELECT count(*) FROM people WHERE ill = 'yes'"
SHELLS = 24 * int(os.environ.get("KITH_MORE_TRIALS", "1"))  # that ask at the same time


class Versions(KithCase):
    def setUp(self):
        super().setUp()
        self.write("policy.toml", POLICY.format(data=""))
        self.people("A")

    def people(self, ward):
        rows = [f"{i},{ward if i == 0 else 'AB'[i % 2]},{'yes' if i % 3 == 0 else 'no'}\n" for i in range(300)]
        self.write("people.csv", "id,ward,ill\n" + "".join(rows))

    def ask(self, question, *more):
        return self.run_kith("query", "policy.toml", question, "--json", *more)

    def test_equal_questions_are_charged_once(self):
        self.assertEqual(self.run_kith("import", "policy.toml").returncode, 0)
        shells = [subprocess.Popen([KITH, "query", "policy.toml", SECRET, "--epsilon", "0.1", "--json"], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(SHELLS)]
        answers = [json.loads(shell.communicate(timeout=240)[0]) for shell in shells]
        self.assertEqual([shell.returncode for shell in shells], [0] * SHELLS)
        self.assertEqual(len({json.dumps(answer["answer"]) for answer in answers}), 1)
        self.assertEqual({answer["ledger_entry"] for answer in answers}, {1})
        self.assertEqual(sum(not answer["stored"] for answer in answers), 1)
        budget = json.loads(self.run_kith("budget", "policy.toml", "--json").stdout)
        self.assertEqual(len(budget["history"]), 1)
        # Another price is another question.
        self.assertEqual(json.loads(self.ask(SECRET, "--epsilon", "0.2").stdout)["ledger_entry"], 2)

    def test_versions_are_told_by_import_and_budget(self):
        self.ask(SECRET, "--epsilon", "1")
        done = self.run_kith("import", "policy.toml")
        self.assertIn("version 2", done.stdout)
        self.assertIn("has not changed since the previous import", done.stderr)
        budget = self.run_kith("budget", "policy.toml")
        self.assertIn("data: version 2; every cell starts with the most that anybody can have lost", budget.stdout)
        versions = json.loads(self.run_kith("budget", "policy.toml", "--json").stdout)["versions"]
        self.assertEqual([line["cells_merged"] for line in versions], [False, True])
        self.assertEqual(json.loads(self.ask(SECRET, "--epsilon", "1").stdout)["data_version"], "2")

    def test_a_declared_version_that_is_not_imported_is_an_error_that_says_what_to_do(self):
        self.ask(SECRET, "--epsilon", "1")
        self.write("policy.toml", POLICY.format(data='version = "june"\n'))
        self.refused(self.ask(SECRET, "--epsilon", "1"), 2, "kith import")
        self.assertIn("version june", self.run_kith("import", "policy.toml").stdout)
        self.assertEqual(json.loads(self.ask(SECRET, "--epsilon", "1").stdout)["data_version"], "june")

    def test_nothing_of_the_data_is_in_a_head(self):
        # Two folders with the same secret would be needed to compare heads; here: no head of an equal history repeats.
        heads = set()
        for _ in range(3):
            for name in ("people.ledger", "people.ledger-wal", "people.ledger-shm", ".kith"):
                subprocess.run(["rm", "-rf", self.folder / name], check=True)
            heads.add(json.loads(self.ask("SELECT count(*) FROM people").stdout)["ledger_hash"])
        self.assertEqual(len(heads), 3)


if __name__ == "__main__":
    unittest.main()
