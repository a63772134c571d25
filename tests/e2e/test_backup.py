"""Copies of ledgers, ledgers that went back, and the unit of the service."""
import json
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile
import threading
import unittest

from kith_case import ILL, KITH, KithCase
from server_case import Server

ROOT = pathlib.Path(__file__).parent.parent.parent


class Backup(KithCase):
    def ask_for(self, epsilon, file=None):
        answer = self.json(self.ask(ILL, "--epsilon", str(epsilon), "--json"))
        if file:
            self.write(file, json.dumps(answer))
        return answer

    def verify(self, *arguments):
        return self.run_kith("ledger", "verify", "policy.toml", *arguments)

    def test_a_copy_is_whole_and_replaces_nothing(self):
        self.ask_for(0.1, "first.json")
        made = self.json(self.run_kith("ledger", "backup", "policy.toml", "copy", "--json"))
        self.assertEqual((made["ledger"], made["charges"]), ("copy", 1))
        self.assertEqual(stat.S_IMODE((self.folder / "copy").stat().st_mode), 0o600)
        self.assertEqual([f.name for f in self.folder.iterdir() if f.name.startswith("copy")], ["copy"], "one file")
        budget = self.json(self.run_kith("budget", "policy.toml", "--json"))
        self.assertEqual(made["ledger_hash"], budget["ledger_hash"])
        self.refused(self.run_kith("ledger", "backup", "policy.toml", "copy"), 2, "there is a file under this name already")
        self.assertEqual(self.json(self.verify("first.json", "--copy", "copy", "--json"))["certificates"], 1)
        # It takes the ledger's place on another machine, and continues counting there.
        (self.folder / "elsewhere").mkdir()
        for name in ("policy.toml", "people.csv"):
            shutil.copy(self.folder / name, self.folder / "elsewhere" / name)
        shutil.copy(self.folder / "copy", self.folder / "elsewhere" / "people.ledger")
        there = self.json(self.run_kith("budget", "elsewhere/policy.toml", "--json"))
        self.assertEqual(len(there["history"]), 1)

    def test_no_ledger_no_copy(self):
        self.refused(self.run_kith("ledger", "backup", "policy.toml", "copy"), 2, "there is no ledger yet")
        self.assertFalse((self.folder / "copy").exists())

    def test_copies_are_whole_while_a_server_charges(self):
        server = Server(self.folder, "policy.toml", "--quiet")
        done = threading.Event()
        answered = []

        def work(which):
            k = 0
            while not done.is_set() and k < 60:
                k += 1
                asked = json.dumps({"question": f"SELECT count(*) FROM people WHERE age >= {k} AND age < {60 + which}", "epsilon": 0.0001})
                shown = subprocess.run(["curl", "-s", f"http://127.0.0.1:{server.port}/v1/datasets/policy/release", "-H", "Content-Type: application/json",
                                        "-d", asked], capture_output=True, text=True, timeout=60)
                answered.append(json.loads(shown.stdout))

        try:
            first = threading.Thread(target=work, args=(0,))
            first.start()
            others = [threading.Thread(target=work, args=(k,)) for k in (1, 2)]
            for thread in others:
                thread.start()
            while len(answered) < 3:
                first.join(timeout=0.05)
            for k in range(3):
                before = len(answered)
                made = self.json(self.run_kith("ledger", "backup", "policy.toml", f"copy{k}", "--json"))
                self.assertGreaterEqual(made["charges"], before, "what was answered before the copy is in it")
            done.set()
            for thread in [first, *others]:
                thread.join()
        finally:
            done.set()
            server.stop()
        for k, answer in enumerate(answered):
            self.write(f"answer{k}.json", json.dumps(answer))
        files = [f"answer{k}.json" for k in range(len(answered))]
        self.assertEqual(self.json(self.verify(*files, "--json"))["certificates"], len(files))

    def older(self):
        self.ask_for(0.1, "first.json")
        self.ok(self.run_kith("ledger", "backup", "policy.toml", "old"))
        self.ask_for(0.2, "second.json")
        self.ok(self.verify("first.json", "second.json"))

    def test_an_older_copy_is_noticed_where_certificates_prove_it(self):
        self.older()
        self.ok(self.verify("first.json", "--copy", "old"))
        self.refused(self.verify("second.json", "--copy", "old"), 5, "has 1 charges, and this answer is of charge 2", "older copy")
        # Put in the ledger's place: the marker counts.
        shutil.copy(self.folder / "old", self.folder / "people.ledger")
        self.refused(self.ask(ILL, "--epsilon", "0.3"), 5, "the ledger went back")
        # Without it nothing is noticed, until an answer proves it: even after others were charged in place of the lost.
        shutil.rmtree(self.folder / ".kith")
        self.ok(self.run_kith("import", "policy.toml"))
        self.ask_for(0.25, "other.json")
        self.ok(self.verify("first.json", "other.json"))
        self.refused(self.verify("first.json", "second.json"), 5, "charge 2 of the ledger is not the one of this answer")

    def test_the_check_above_sees_a_ledger_that_only_counts(self):
        """Numbers alone would not do: the restored ledger has as many charges as before, and another chain."""
        self.older()
        shutil.copy(self.folder / "old", self.folder / "people.ledger")
        shutil.rmtree(self.folder / ".kith")
        self.ok(self.run_kith("import", "policy.toml"))
        other = self.ask_for(0.25)
        forged = json.loads((self.folder / "second.json").read_text())
        forged["ledger_hash"] = other["ledger_hash"]
        self.write("forged.json", json.dumps(forged))
        self.ok(self.verify("forged.json"))  # a check of only the number would pass as this does
        self.refused(self.verify("second.json"), 5, "is not the one of this answer")

    def test_what_is_no_certificate(self):
        self.ask_for(0.1)
        for text in ("", "[]", "{}", '{"ledger_entry": 0, "ledger_hash": ""}', '{"ledger_entry": "1", "ledger_hash": ""}'):
            self.write("what.json", text)
            self.refused(self.verify("what.json"), 2, "no answer and no certificate")
        self.write("damaged", "no ledger")
        self.assertEqual(self.verify("--copy", "damaged").returncode, 5)


class Unit(unittest.TestCase):
    def test_the_page_shows_the_unit_and_systemd_takes_it(self):
        unit = (ROOT / "service" / "kith.service").read_text()
        page = (ROOT / "docs" / "guide" / "operations.md").read_text()
        self.assertEqual(re.search(r"^```ini file=kith.service\n(.*?)^```", page, re.M | re.S).group(1), unit)
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "kith.service")
            file.write_text(unit.replace("/usr/local/bin/kith", str(KITH)))
            done = subprocess.run(["systemd-analyze", "verify", str(file)], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            wrong = file.read_text().replace("ProtectSystem=strict", "ProtectSystem=perhaps").replace("Type=exec", "Type=nothing")
            file.write_text(wrong)
            done = subprocess.run(["systemd-analyze", "verify", str(file)], capture_output=True, text=True, timeout=60)
            self.assertNotEqual((done.returncode, done.stderr), (0, ""), "the check above sees a unit that is wrong")


if __name__ == "__main__":
    unittest.main()
