"""A limit on the size of files (ulimit -f): a write beyond it is an error in words, never an end without one, and what was charged is told."""
import json
import resource
import signal
import subprocess
import unittest

from kith_case import ILL, KithCase

KIB = 1024


class FileLimit(KithCase):
    def limited(self, kib, *arguments):
        size = int(kib * KIB)
        return self.run_kith(*arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))

    def test_the_limit_reaches_the_program(self):
        """The planted fault: a program that does nothing about it is killed."""
        done = subprocess.run(["dd", "if=/dev/zero", "of=big", "bs=4096", "count=4"], cwd=self.folder, capture_output=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (KIB, KIB)))
        self.assertEqual(done.returncode, -signal.SIGXFSZ)

    def test_every_limit_ends_with_words(self):
        self.ok(self.run_kith("import", "policy.toml"))
        codes = set()
        for kib in (0, 1, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 64, 96, 128, 200, 260, 300, 400, 520, 800, 1100):
            before = self.entries()
            question = ILL + f" AND house <> {kib}"
            done = self.limited(kib, "query", "policy.toml", question, "--epsilon", "0.01", "--json")
            codes.add(done.returncode)
            self.assertIn(done.returncode, (0, 5), f"{kib} KiB: {done.stdout}{done.stderr}")
            after = self.entries()
            self.assertLessEqual(after - before, 1)
            if done.returncode == 0:
                self.assertEqual(after - before, 1, kib)
                continue
            error = json.loads(done.stdout)["error"]
            said = "stays: a plain loss" in error["what"] or "may be counted" in error["what"]
            self.assertTrue(said or after == before, f"{kib} KiB: {error}")
            if "nothing was charged" in error["what"]:
                self.assertEqual(after, before, f"{kib} KiB: {error}")
        self.assertIn(5, codes)
        self.assertIn(0, codes)

    def entries(self):
        """Without a limit; checks the chain as well."""
        return len(self.json(self.run_kith("budget", "policy.toml", "--json"))["history"])

    def test_a_page_that_does_not_fit(self):
        self.ok(self.ask())
        done = self.limited(0, "audit", "policy.toml", "--report", "page.html")
        self.assertEqual(done.returncode, 5, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
