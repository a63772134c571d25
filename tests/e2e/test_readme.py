"""README.md shows what the program prints: its first table is that of `make demo`, and the answer that it shows is the whole answer."""
import pathlib
import re
import subprocess
import unittest

from kith_case import KITH, KithCase

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOISY = 1  # the column with the answer
TWINS = "id,pair,zyg,sex,age,stutter\n" + "".join(f"{i},{i // 2},{('mz', 'dz', 'os')[i // 2 % 3]},{('female', 'male')[i % 2]},40,{'yes' if i % 18 == 0 else 'no'}\n" for i in range(600))


def first_table(text):
    """Names of the columns, and the rows, as text without its markup."""
    rows = [[cell.strip().strip("*") for cell in line.strip("|").split("|")] for line in re.search(r"(?:^\|.*\n)+", text, re.M)[0].splitlines()]
    return rows[0], rows[2:]


def printed_table(text):
    above, head, *rows = text.strip("\n").splitlines()
    names = re.split(r"\s{2,}", head.strip())
    what, under = above.split(":")
    of = under.strip().split(", ")
    return [f"{what.strip()}: {name}" if name in of else name for name in names], [re.split(r"\s{2,}", row.strip()) for row in rows]


def without_noise(table):
    head, rows = table
    return head, [[re.fullmatch(r"-?\d+", cell) and "a number" if k == NOISY else cell for k, cell in enumerate(row)] for row in rows]


def block(text, first):
    return re.search(rf"^```{first}\n(.*?)^```", text, re.M | re.S)[1]


def blurred(answer):
    """An answer as it is printed, without what is drawn for it."""
    return re.sub(r"head [0-9a-f]{16}", "head …", re.sub(r"^( +)\d+( +\d+)$", r"\1…\2", answer, flags=re.M)).strip().splitlines()


class Readme(KithCase):
    def setUp(self):
        super().setUp()
        self.text = (ROOT / "README.md").read_text()

    def demo_table(self):
        """The program's table about other twins: bars and losses are those of the policies, whoever is in the file."""
        self.write("twins.csv", TWINS)
        done = subprocess.run([ROOT / "examples/twins/side_by_side", self.folder], env={"KITH": str(KITH), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
                              text=True, capture_output=True, timeout=120)
        return printed_table(self.ok(done))

    def test_the_first_table_is_that_of_the_demo(self):
        shown, printed = first_table(self.text), self.demo_table()
        self.assertEqual(without_noise(shown), without_noise(printed))
        self.assertEqual([len(shown[0]), len(shown[1])], [6, 3])
        self.assertIn('"$here/side_by_side" .', (ROOT / "examples/twins/demo").read_text())
        # The planted faults: a loss from another column, a row that is missing, a bar of other noise.
        for old, new in (("1.72", "2"), ("0.8626", "0.863"), ("| 6 |", "| 5 |")):
            self.assertIn(old, self.text)
            self.assertNotEqual(without_noise(first_table(self.text.replace(old, new))), without_noise(printed), old)
        self.assertNotEqual(without_noise((shown[0], shown[1][:2])), without_noise(printed))

    def test_the_answer_is_the_whole_answer(self):
        (self.folder / "policy.toml").write_text(block(self.text, "toml file=policy.toml"))
        commands = block(self.text, "sh")
        self.assertEqual(commands.count("kith query"), 1)
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", re.sub(r"^kith (?!query)", r"kith >/dev/null 2>&1 ", commands, flags=re.M)], cwd=self.folder,
                              env={"PATH": f"{KITH.parent}:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        shown, printed = block(self.text, "console"), self.ok_text(done)
        self.assertEqual(blurred(shown), blurred(printed))
        # The planted fault: a line that the program prints is not shown.
        for line in [line for line in shown.splitlines() if line.strip()]:
            self.assertNotEqual(blurred(shown.replace(line + "\n", "")), blurred(printed), line)

    def ok_text(self, done):
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout


if __name__ == "__main__":
    unittest.main()
