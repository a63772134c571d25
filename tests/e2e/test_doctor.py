"""The machine examined, and the command line described to shells and to man."""
import json
import os
import subprocess
import unittest

from kith_case import KITH, KithCase


class Doctor(KithCase):
    def findings(self, *arguments, code=0):
        done = self.run_kith("doctor", *arguments, "--json")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return {each["about"]: each for each in json.loads(done.stdout)["findings"]}

    def test_of_the_machine_alone(self):
        found = self.findings()
        self.assertEqual(set(found), {"engine", "randomness", "clock"})
        self.assertEqual({each["health"] for each in found.values()}, {"ok"})

    def test_of_a_policy(self):
        os.chmod(self.folder / "people.csv", 0o600)
        found = self.findings("policy.toml")
        self.assertEqual(found["sources"]["health"], "ok")
        self.assertIn("no ledger yet", found["permissions"]["what"])
        self.ok(self.ask())
        found = self.findings("policy.toml")
        self.assertIn("1 charges", found["ledger"]["what"])
        self.assertEqual(found["permissions"]["health"], "ok")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir() if "doctor" in p.name), [])

    def test_sees_what_is_wrong(self):
        self.ok(self.ask())
        os.chmod(self.folder / "people.csv", 0o644)
        os.chmod(self.folder / "people.ledger", 0o666)
        found = self.findings("policy.toml", code=5)
        self.assertEqual(found["sources"]["health"], "doubtful")
        self.assertEqual(found["permissions"]["health"], "bad")
        os.chmod(self.folder / "people.ledger", 0o600)
        whole = (self.folder / "people.ledger").read_bytes()
        (self.folder / "people.ledger").write_bytes(whole[:5000])
        self.assertEqual(self.findings("policy.toml", code=5)["ledger"]["health"], "bad")
        (self.folder / "people.csv").unlink()
        self.assertEqual(self.findings("policy.toml", code=5)["sources"]["health"], "bad")
        self.write("policy.toml", "nothing")
        self.assertEqual(self.findings("policy.toml", code=5)["policy"]["health"], "bad")

    def test_text_says_what_to_do(self):
        os.chmod(self.folder / "people.csv", 0o644)
        text = self.ok(self.run_kith("doctor", "policy.toml"))
        self.assertIn("doubtful", text)
        self.assertIn("chmod 600", text)


class Shells(KithCase):
    def completed(self, *words):
        script = self.ok(self.run_kith("completion", "bash"))
        self.write("kith.bash", script)
        line = " ".join(f"'{word}'" for word in ("kith", *words))
        done = subprocess.run(["bash", "-c", f". ./kith.bash; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _kith; "
                               "printf '%s\\n' \"${COMPREPLY[@]}\""], cwd=self.folder, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def test_bash_completes(self):
        self.assertEqual(self.completed("qu"), ["query"])
        self.assertIn("policy.toml", self.completed("query", "po"))
        self.assertEqual(self.completed("query", "policy.toml", "--eps"), ["--epsilon"])
        self.assertEqual(self.completed("analyse", "policy.toml", "kme"), ["kmeans"])
        self.assertIn("--clusters", self.completed("analyse", "policy.toml", "kmeans", "--"))
        self.assertEqual(self.completed("completion", "z"), ["zsh"])

    def test_other_shells_take_it(self):
        for shell in ("zsh", "fish"):
            self.assertIn("kmeans", self.ok(self.run_kith("completion", shell)))

    def test_every_verb_has_a_page(self):
        self.ok(self.run_kith("manual", "man1"))
        pages = {page.stem for page in (self.folder / "man1").iterdir()}
        help_text = self.ok(self.run_kith("--help"))
        self.assertIn("kith-query", pages)
        for page in pages - {"kith"}:
            self.assertIn(page.removeprefix("kith-"), help_text)
        self.assertGreater(len(pages), 20)
        self.assertIn("\\-\\-epsilon", (self.folder / "man1" / "kith-query.1").read_text())


if __name__ == "__main__":
    unittest.main()
