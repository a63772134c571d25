"""Verbs of the laboratory are reached through kith, which says what is missing where kith-lab is not installed."""
import json
import os
import shutil
import subprocess
import unittest

from kith_case import KITH, KithCase


class Laboratory(KithCase):
    def run_alone(self, *arguments, **options):
        """kith in a folder of its own."""
        alone = self.folder / "alone" / "kith"
        alone.parent.mkdir(exist_ok=True)
        if not alone.exists():
            shutil.copy(KITH, alone)
        return subprocess.run([alone, *arguments], cwd=self.folder, capture_output=True, text=True, **options)

    def test_its_verbs_are_verbs_of_kith(self):
        self.assertIn("kith-lab", self.ok(self.run_kith("--help")))
        (self.folder / "twins.json").write_text('{"kind":"joint","values":[2,2],"law":[0.45,0.05,0.05,0.45]}')
        through = self.ok(self.run_kith("rho", "twins.json"))
        itself = subprocess.run([KITH.parent / "kith-lab", "rho", "twins.json"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(through, itself.stdout)
        self.assertEqual(self.run_kith("attack").returncode, 2)

    def test_it_is_found_in_the_path_and_missed_where_it_is_not(self):
        for command in (["rho", "twins.json"], ["audit", "twins.json"], ["transfer", "--table", "many-answers"]):
            done = self.run_alone(*command, env={"PATH": "/nowhere"})
            self.assertEqual(done.returncode, 2)
            self.assertIn("kith-lab", done.stderr)
            self.assertIn("make lab", done.stderr)
        done = self.run_alone("sample", "x", "--out", "y", "--json", env={"PATH": "/nowhere"})
        self.assertIn("laboratory", json.loads(done.stdout)["error"]["what"])
        found = self.run_alone("transfer", "--table", "prefix-sums", env={**os.environ, "PATH": f"{KITH.parent}:{os.environ['PATH']}"})
        self.assertEqual(found.returncode, 0, found.stderr)

    def test_a_server_is_not_asked(self):
        done = self.run_kith("--server", "http://127.0.0.1:1", "rho", "x.json")
        self.refused(done, 2, "a server cannot be asked for this: rho")


if __name__ == "__main__":
    unittest.main()
