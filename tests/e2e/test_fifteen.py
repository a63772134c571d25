"""The fifteen questions of docs/guide/questions.md: everything that is asked there has an answer with a bar or an interval for each noisy number, near the truth."""
import json
import pathlib
import re
import shlex
import subprocess
import unittest

from kith_case import KithCase

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "guide" / "questions.md"
BLOCK = re.compile(r"^```(\S*)[ \t]*([^\n]*)\n(.*?)^```[ \t]*$", re.M | re.S)
EXACT = {"homes"}  # public facts
KEYS = {"infector", "infected", "before", "state", "worst", "region", "job", "high", "letter", "feature"}
# Budgets and prices are this many times those of the page: noise then moves no number by a hundredth of what would be noticed.
TIMES = 2000
# What is true of the data that the page makes.
TRUTH = {"generation_time": (9.1, 9.5), "to_first": (2.2, 2.33), "visits": (4.8, 4.95), "gini": (0.31, 0.34), "homes": (2000, 2000), "log_dose": (3.1, 3.23), "poor": (19, 20)}


class Fifteen(KithCase):
    def setUp(self):
        super().setUp()
        self.commands = []
        for language, option, body in BLOCK.findall(PAGE.read_text()):
            if option.startswith("file="):
                self.write(option[5:], re.sub(r"^epsilon = (\d+)\.0$", lambda found: f"epsilon = {int(found[1]) * TIMES}.0", body, flags=re.M))
            elif language == "sh":
                self.commands += [(line, option == "exit=4") for line in body.splitlines()]

    def bars(self, answer):
        """Columns with noisy numbers, some of which have neither a bar nor an interval."""
        columns, bare = answer["answer"]["columns"], set()
        intervals = answer.get("interval_95") or [[None] * len(columns)] * len(answer["answer"]["rows"])
        for row, errors, ends in zip(answer["answer"]["rows"], answer["error_95"], intervals):
            if "(all)" in row:  # some totals are public
                continue
            for name, value, error, interval in zip(columns, row, errors, ends):
                if isinstance(value, (int, float)) and not isinstance(value, bool) and error is None and interval is None:
                    bare.add(name)
        return bare - KEYS - EXACT

    def test_each_is_asked_and_has_a_bar_or_a_reason(self):
        asked, seen = 0, set()
        for line, refused in self.commands:
            words = [str(TIMES * int(word)) if before == "--epsilon" else word for before, word in zip(["", *shlex.split(line)], shlex.split(line))]
            if words[0] != "kith":
                subprocess.run(["bash", "-c", line], cwd=self.folder, check=True)
                continue
            if words[1] in ("query", "analyse"):
                words.append("--json")
            done = self.run_kith(*words[1:])
            if refused:
                self.refused(done, 4, "try")
                asked += 1
                continue
            self.ok(done)
            if "--json" not in words:
                continue
            answer = json.loads(done.stdout)
            asked += 1
            self.assertTrue(answer["answer"]["rows"], line)
            if words[1] == "query":
                self.assertEqual(self.bars(answer), set(), line)
                for name, (low, high) in TRUTH.items():
                    if name in answer["answer"]["columns"]:
                        [value] = [row[answer["answer"]["columns"].index(name)] for row in answer["answer"]["rows"]][:1]
                        self.assertTrue(low <= value <= high, (line, value))
                        seen.add(name)
        self.assertGreaterEqual(asked, 27)
        self.assertEqual(seen, set(TRUTH))

    def test_the_check_above_sees_a_number_without_a_bar(self):
        self.write("survey.csv", "id,home,region,job,age,income\n1,1,East,Nurse,30,20000\n")
        sql = "SELECT max(n) AS most FROM (SELECT region, count(*) AS n FROM survey WHERE income > 10 GROUP BY region) AS x"
        answer = self.json(self.run_kith("query", "survey.toml", sql, "--epsilon", "1", "--json"))
        self.assertEqual(self.bars(answer), {"most"})


if __name__ == "__main__":
    unittest.main()
