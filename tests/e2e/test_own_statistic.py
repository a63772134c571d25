"""A program of somebody else on kith: the example is built against the build folder and run on a made-up town."""
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

from kith_case import KITH

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "own_statistic"


class OwnStatistic(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.built = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.built, ignore_errors=True)
        for command in (["cmake", "-S", EXAMPLE, "-B", cls.built, f"-Dkith_DIR={KITH.parent}", "-DCMAKE_BUILD_TYPE=Debug"],
                        ["cmake", "--build", cls.built]):
            done = subprocess.run(command, text=True, capture_output=True)
            assert done.returncode == 0, done.stdout + done.stderr
        random.seed(1)
        households = [(i, i // 4, round(random.uniform(50, 900), 1), random.randint(1, 6)) for i in range(4000)]
        cls.table = "id,house,litres,people\n" + "".join(f"{i},{h},{l},{p}\n" for i, h, l, p in households)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        shutil.copy(EXAMPLE / "policy.toml", self.folder)
        (self.folder / "water.csv").write_text(self.table)

    def run_it(self, *arguments):
        return subprocess.run([self.built / "own_statistic", self.folder / "policy.toml", *arguments], text=True,
                              capture_output=True, timeout=120)

    def test_explains_without_touching_data(self):
        (self.folder / "water.csv").unlink()
        done = self.run_it("1", "--explain")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("households: a household moves it by 2 at the most", done.stdout)
        self.assertIn("score: a household moves it by 4 at the most", done.stdout)

    def test_answers_once_and_gives_the_same_answer_for_free(self):
        first = self.run_it("1")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("OWN-1", first.stdout)
        self.assertIn("charged", first.stdout)
        counts = [float(line.split(":")[1].split()[0]) for line in first.stdout.splitlines() if "litres:" in line]
        self.assertEqual(len(counts), 8)
        # Eight noises of scale 2 / (2/3 of the plain budget), which is above 0.4: nothing near 400 off in all.
        self.assertLess(abs(sum(counts) - 4000), 400)
        again = self.run_it("1")
        self.assertIn("asked before", again.stdout)
        self.assertEqual(first.stdout.splitlines()[:9], again.stdout.splitlines()[:9])

    def test_the_budget_ends(self):
        self.assertEqual(self.run_it("1.5").returncode, 0)
        refused = self.run_it("1")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("budget", refused.stderr)


if __name__ == "__main__":
    unittest.main()
