"""Streams as a whole program: every step once, resumed after kill -9 at any moment, within every window; help, pictures, the example.
KITH_KILLS=500 kills five hundred times (a few minutes)."""
import collections
import json
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

import documents
from kith_case import KITH, KithCase

LOBBY = pathlib.Path(__file__).resolve().parents[2] / "examples" / "lobby"
WINDOW = 4
STEPS = 120

POLICY = f"""
[data]
tables.t = "t.csv"
[unit]
table = "t"
key = "id"
max_rows = 1
presence = "secret"
[columns.t]
at = {{ type = "integer" }}
ward = {{ values = ["A", "B"] }}
[dependence]
source = "public"
kind = "independent"
[stream]
time = "at"
step = 1
window = {WINDOW}
[budget]
epsilon = 1.0
ledger = "t.ledger"
"""
COUNT = "SELECT count(*) AS n FROM t"


class Stream(KithCase):
    def setUp(self):
        super().setUp()
        self.write("policy.toml", POLICY)
        self.write("t.csv", "id,at,ward\n" + "".join(f"{t * 10 + i},{t},{'AB'[i % 2]}\n" for t in range(STEPS) for i in range(1 + t // 9)))

    def arguments(self, rule, out, epsilon, ticks=f"0..{STEPS - 1}"):
        return ["analyse", "policy.toml", "stream", "--statistic", COUNT, "--rule", rule, "--epsilon", epsilon, "--steps", ticks, "--out",
                out, "--json"]

    def windows(self):
        """The largest sum of WINDOW consecutive steps, in units, from the ledger's history; no step is charged twice."""
        history = self.json(self.run_kith("budget", "policy.toml", "--json"))["history"]
        spent = collections.Counter()
        seen = set()
        for line in history:
            self.assertNotIn((line["question"], line["step"]), seen)
            seen.add((line["question"], line["step"]))
            spent[line["step"]] += round(line["plain_epsilon"] * 2**32)
        return max(sum(spent[t + k] for k in range(WINDOW)) for t in range(-WINDOW, STEPS)), history

    def steps(self, out):
        lines = [json.loads(line) for line in (self.folder / out).read_text().splitlines()]
        self.assertEqual([wrong for line in lines for wrong in documents.faults(line, ["stream_head", "stream_step"])], [])
        return [line for line in lines if "step" in line]

    def test_killed_at_any_moment(self):
        kills = int(os.environ.get("KITH_KILLS", "10"))
        dice = random.Random(7)
        killed = lost = 0
        while killed < kills:
            for left in ["t.ledger", "t.ledger-wal", "t.ledger-shm", "u.jsonl"]:
                (self.folder / left).unlink(missing_ok=True)
            for left in (self.folder / ".kith").glob("t.ledger*"):
                left.unlink()
            rule = dice.choice(["uniform", "slack", "harmonic", "ba", "bd"])
            finished = False
            while not finished and killed < kills:
                child = subprocess.Popen([str(KITH), *self.arguments(rule, "u.jsonl", "1")], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL)
                for _ in range(dice.randrange(40)):
                    if not child.stdout.readline():
                        break
                time.sleep(dice.random() * 0.02)
                if child.poll() is None:
                    os.kill(child.pid, signal.SIGKILL)
                    killed += 1
                child.stdout.close()
                finished = child.wait() == 0
                if (self.folder / "t.ledger").exists():
                    largest, _ = self.windows()
                    self.assertLessEqual(largest, 2**32)
            self.ok(self.run_kith(*self.arguments(rule, "u.jsonl", "1")))
            largest, history = self.windows()
            self.assertLessEqual(largest, 2**32)
            steps = self.steps("u.jsonl")
            self.assertEqual([step["step"] for step in steps], list(range(STEPS)))  # each once, none missing
            lost += sum(step["state"] == "lost" for step in steps)
            self.assertEqual(sum(not line["answered"] for line in history if "publication" not in line["question"]),
                             sum(step["state"] == "lost" for step in steps))
        print(f"{killed} kills, {lost} steps lost", flush=True)
        self.assertLessEqual(lost, killed)

    def test_the_check_of_windows_sees_a_step_too_many(self):
        self.ok(self.run_kith(*self.arguments("uniform", "u.jsonl", "1", "0..9")))
        largest, history = self.windows()
        self.assertLessEqual(largest, 2**32)
        spent = [round(line["plain_epsilon"] * 2**32) for line in history]
        self.assertGreater(sum(spent[:WINDOW + 1]), 2**32)  # a window that is one step too long would be exceeded

    def test_a_map_at_every_step(self):
        self.write("policy.toml", POLICY.replace('presence = "secret"', 'presence = "public"\ndistance = { columns = ["x", "y"], metric = "l1", delta = 0.05 }')
                   .replace('ward = { values = ["A", "B"] }', "".join(f'{c} = {{ type = "real", lower = 0, upper = 1, required = true }}\n' for c in "xy")))
        self.write("t.csv", "id,at,x,y\n" + "".join(f"{i},{t},{(i % 20) / 20 + t / 100},{i / 200}\n" for t in range(9) for i in range(200)))
        maps = ["analyse", "policy.toml", "stream", "--points", "x,y", "--cells", "8", "--epsilon", "1"]
        explained = self.ok(self.run_kith(*maps, "--explain"))
        for words in ["by at most 0.05 (L1 distance of x, y) at each of at most 4 consecutive steps", "at most 0.25 by this stream", "any two tracks in the region",
                      "with 95 %, for a step that gets an even share of its window: a count of 3 x 3 nodes ±"]:
            self.assertIn(words, " ".join(explained.split()))
        child = subprocess.Popen([str(KITH), *maps, "--steps", "0..8", "--out", "m.jsonl", "--json"], cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _ in range(4):
            child.stdout.readline()
        os.kill(child.pid, signal.SIGKILL)
        child.stdout.close()
        child.wait()
        self.ok(self.run_kith(*maps, "--steps", "0..8", "--out", "m.jsonl", "--report", "m.svg"))
        steps = self.steps("m.jsonl")
        self.assertEqual([step["step"] for step in steps], list(range(9)))
        self.assertLessEqual(sum(step["state"] == "lost" for step in steps), 1)
        self.assertEqual({len(step["details"]["grid"]["counts"]) for step in steps if step["state"] == "released"}, {81})
        largest, history = self.windows()
        self.assertLessEqual(largest, 2**32)
        self.assertEqual(len(history), 9)
        self.assertEqual((self.folder / "m.svg").read_text().count("<text"), (self.folder / "m.svg").read_text().count("</text>"))
        self.assertTrue("at each of at most 4 consecutive steps" in (self.folder / "m.svg").read_text())
        areas = self.ok(self.run_kith(*maps, "--steps", "0..8", "--range", "0,0,0.5,1", "--range", "0,0,1,1", "--out", "m.csv"))
        self.assertRegex(areas, r"points = 200(\.0*)? ")  # how many there are is public
        lines = (self.folder / "m.csv").read_text().splitlines()
        self.assertTrue(lines[0].startswith("step,time,state,x from,"), lines[0])
        self.assertEqual(len(lines), 1 + sum(2 if step["state"] == "released" else 1 for step in steps))
        self.assertEqual(len(self.json(self.run_kith("budget", "policy.toml", "--json"))["history"]), 9)  # read off the maps: free
        self.refused(self.run_kith(*maps[:-1], "0.5", "--steps", "0..8"), 3, "have used up the windows of all steps")
        self.refused(self.run_kith(*maps, "--steps", "0..8", "--statistic", COUNT), 2, "a statistic or a map")

    def test_goes_on_where_it_stopped(self):
        self.ok(self.run_kith(*self.arguments("slack", "u.jsonl", "0.5", "0..9")))
        first = self.steps("u.jsonl")
        self.ok(self.run_kith(*self.arguments("slack", "u.jsonl", "0.5", "0..19")))
        second = self.steps("u.jsonl")
        self.assertEqual(second[:10], first)
        self.assertEqual(len(second), 20)
        again = self.json(self.run_kith("budget", "policy.toml", "--json"))
        self.assertEqual(len(again["history"]), 20)

    def test_follows_the_clock_and_stops_between_steps(self):
        now = time.gmtime(time.time() - 5)
        self.write("policy.toml", POLICY.replace('type = "integer"', 'type = "timestamp"').replace("step = 1\n", 'step = "1 second"\n')
                   .replace("window = 4", time.strftime('window = 4\nstart = "%Y-%m-%d %H:%M:%S"', now)))
        self.write("t.csv", "id,at,ward\n1,2026-01-01 00:00:00,A\n")
        child = subprocess.Popen([str(KITH), "analyse", "policy.toml", "stream", "--statistic", COUNT, "--epsilon", "1", "--follow", "--from", "0",
                                  "--out", "f.csv", "--json"], cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        guarantee = json.loads(child.stdout.readline())
        self.assertEqual(guarantee["guarantee"]["window"], 4)
        steps = [json.loads(child.stdout.readline())["step"] for _ in range(6)]
        self.assertEqual(steps, list(range(6)))
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=120)
        self.assertEqual(child.returncode, 0, err)
        self.assertIn("stopped between two steps", err)
        lines = (self.folder / "f.csv").read_text().splitlines()
        self.assertTrue(lines[0].startswith("step,time,state,n,n_error_95"))
        self.assertEqual([int(line.split(",")[0]) for line in lines[1:7]], list(range(6)))

    def test_refusals(self):
        self.refused(self.ask(COUNT), 4, "step by step")
        self.refused(self.run_kith(*self.arguments("uniform", "u.txt", "1")), 2, ".jsonl")
        self.refused(self.run_kith(*self.arguments("magic", "u.csv", "1")), 2, "uniform, harmonic")
        self.refused(self.run_kith(*self.arguments("uniform", "u.csv", "2")), 3, "whole epsilon")
        self.refused(self.run_kith("analyse", "policy.toml", "stream", "--statistic", COUNT, "--epsilon", "1"), 2, "--steps")
        self.refused(self.run_kith("analyse", "policy.toml", "stream", "--statistic", COUNT, "--epsilon", "1", "--follow"), 2, "clock")
        self.refused(self.run_kith("analyse", "policy.toml", "stream", "--statistic", "SELECT avg(at) FROM t", "--epsilon", "1", "--steps", "0"), 4)
        self.assertFalse((self.folder / "t.ledger").exists())
        self.assertIn("Example", self.ok(self.run_kith("analyse", "policy.toml", "stream", "--help")))

    def test_steps_that_are_not_over_are_refused_before_any_is_charged(self):
        self.write("policy.toml", POLICY.replace('at = { type = "integer" }', 'at = { type = "timestamp" }').replace("step = 1", 'step = "1 hour"\nstart = "2026-01-01"'))
        self.write("t.csv", "id,at,ward\n1,2026-01-01 00:10:00,A\n2,2026-01-01 01:10:00,B\n")
        # The last of the first list is so far away that its time does not fit into 64 bits.
        for ticks, words in (("69898607,2600000000", "not over yet"), ("0,2600000000", "there is no step 2600000000"), ("0,69898607", "not over yet"), ("0,9223372036854775807", "there is no step")):
            self.refused(self.run_kith("analyse", "policy.toml", "stream", "--statistic", COUNT, "--epsilon", "1", "--steps", ticks), 2, words)
        self.assertEqual(self.json(self.run_kith("budget", "policy.toml", "--json"))["history"], [])
        self.ok(self.run_kith("analyse", "policy.toml", "stream", "--statistic", COUNT, "--epsilon", "1", "--steps", "0,1"))

    def test_groups_pictures_and_pages(self):
        text = self.ok(self.run_kith("analyse", "policy.toml", "stream", "--statistic", "SELECT ward, count(*) AS n FROM t GROUP BY ward",
                                     "--epsilon", "1", "--steps", "0..30", "--out", "g.csv", "--report", "page.html"))
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        self.assertIn("ward = A", text)
        page = (self.folder / "page.html").read_text()
        self.assertIn("</html>", page)
        self.assertGreaterEqual(page.count("<svg"), 2)
        self.assertEqual(len((self.folder / "g.csv").read_text().splitlines()), 1 + 31 * 3)  # A, B and neither

    def test_the_lobby(self):
        done = subprocess.run([str(LOBBY / "demo"), str(self.folder / "demo")], text=True, capture_output=True, timeout=240,
                              env=dict(os.environ, KITH=str(KITH)))
        text = self.ok(done)
        self.assertIn("at most 10 consecutive steps", text)
        people = (self.folder / "demo" / "people.csv").read_text().splitlines()
        self.assertEqual(len(people), 1 + 168)
        noon = [int(line.split(",")[3]) for line in people[1:] if " 12:00:00" in line]
        self.assertGreater(sum(noon[:5]), 5 * 80)  # working days are busy, with room for the noise
        for file in ["people.html", "page_ba.html", "people.svg"]:
            self.assertIn("<svg", (self.folder / "demo" / file).read_text())


if __name__ == "__main__":
    unittest.main()
