"""What the end-to-end tests share: a scratch folder with a policy and data, and a way to run the program."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import documents

KITH = pathlib.Path(os.environ.get("KITH", "build/kith")).resolve()

PEOPLE = "id,house,ward,age,ill\n" + "".join(
    f"{i},{i // 3},{'ABC'[i % 3]},{20 + i % 60},{'yes' if i % 7 == 0 else 'no'}\n" for i in range(300))

POLICY = """
[data]
tables.people = "people.csv"
[unit]
table = "people"
key = "id"
max_rows = 1
presence = "public"
[columns.people]
id    = { type = "integer", public = true }
house = { type = "integer", public = true }
ward  = { values = ["A", "B", "C"], public = true, required = true }
age   = { lower = 0, upper = 120 }
ill   = { values = ["no", "yes"] }
[dependence]
source = "public"
kind = "group"
by = "house"
size = 3
odds_ratio = 4
[budget]
epsilon = 1.0
ledger = "people.ledger"
"""
ILL = "SELECT count(*) AS n FROM people WHERE ill = 'yes'"


class KithCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.write("people.csv", PEOPLE)
        self.write("policy.toml", POLICY)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def run_kith(self, *arguments, **options):
        done = subprocess.run([str(KITH), *map(str, arguments)], cwd=self.folder, text=True, capture_output=True, timeout=120,
                              **options)
        documents.check(arguments, done.stdout)
        return done

    def ask(self, sql=ILL, *arguments, policy="policy.toml", **options):
        return self.run_kith("query", policy, sql, *(arguments or ("--epsilon", "0.1")), **options)

    def ok(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def json(self, done):
        return json.loads(self.ok(done))

    def refused(self, done, code, *fragments):
        """The exit code, words that must be in the message, and a next step."""
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for fragment in fragments:
            self.assertIn(fragment, done.stderr)
        return done.stderr

    def spent(self):
        return max(cell["plain_spent"] for cell in self.json(self.run_kith("budget", "policy.toml", "--json"))["cells"])
