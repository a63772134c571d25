"""A network that is simulated once: the sample in the policy, in every answer, and counted again by a program of its own."""
import json
import pathlib
import subprocess
import unittest

from kith_case import KithCase

PEOPLE = 200
THETA = 1.5
POLICY = f"""
data = {{ tables = {{ survey = "survey.csv" }} }}
unit = {{ table = "survey", key = "id", max_rows = 1, presence = "public" }}
budget = {{ epsilon = 1.0, ledger = "survey.ledger" }}
columns.survey.smokes = {{ values = ["no", "yes"], required = true }}
[dependence]
source = "public"
kind = "field"
nodes = {PEOPLE}
edges = "friends.csv"
theta = {THETA}
attribute = "smokes"
ties = "non-negative"
bound = "field-free"
"""
COUNT = "SELECT count(*) FROM survey WHERE smokes = 'yes'"
RESTS = "rests on a published inequality that kith has not proved itself"


class Network(KithCase):
    def setUp(self):
        super().setUp()
        ties = [(i, (i + step) % PEOPLE) for step in (1, 13) for i in range(PEOPLE)]
        self.write("friends.csv", "a,b\n" + "".join(f"{a},{b}\n" for a, b in ties))
        self.write("survey.csv", "id,smokes\n" + "".join(f"{i},{'yes' if i % 3 else 'no'}\n" for i in range(PEOPLE)))
        self.write("network.toml", POLICY)

    def sample(self, *more):
        return self.run_kith("transfer", "network.toml", "--dependent", "1", "--sample", "friends.sample.json", *more)

    def with_sample(self):
        self.write("network.toml", POLICY + 'sampled = "friends.sample.json"\n')

    def test_once_in_the_policy_and_in_every_answer(self):
        self.ok(self.sample("--runs", "600"))
        self.refused(self.sample("--runs", "600"), 2, "already")
        most = json.loads((self.folder / "friends.sample.json").read_text())["losses"][-1]["plain"]
        group = self.json(self.run_kith("transfer", "network.toml", "--plain", repr(most), "--json"))["dependent"]
        self.with_sample()
        self.refused(self.run_kith("transfer", "network.toml", "--dependent", "1", "--sample", "other.json"), 2, "has its sample")
        sampled = self.json(self.run_kith("transfer", "network.toml", "--plain", repr(most), "--json"))
        self.assertLess(sampled["dependent"], 0.8 * group)
        self.ok(self.run_kith("import", "network.toml"))
        answer = self.run_kith("query", "network.toml", COUNT, "--epsilon", "0.5", "--json")
        self.ok(answer)
        for text in (answer.stdout, self.run_kith("budget", "network.toml", "--json").stdout):
            self.assertIn(RESTS, text)
            self.assertIn("2^-60", text)

    def test_a_sample_is_of_one_network(self):
        self.ok(self.sample("--runs", "300"))
        self.with_sample()
        self.ok(self.run_kith("transfer", "network.toml", "--plain", "0.001"))
        self.write("network.toml", (POLICY + 'sampled = "friends.sample.json"\n').replace("theta = 1.5", "theta = 1.6"))
        self.refused(self.run_kith("transfer", "network.toml", "--plain", "0.001"), 2, "another network")

    def test_another_program_counts_the_same(self):
        self.ok(self.sample("--runs", "300"))
        source = pathlib.Path(__file__).resolve().parents[2] / "examples/verify/network.cc"
        subprocess.run(["g++", "-O1", "-std=c++20", "-o", self.folder / "verify", source], check=True)

        def verified():
            return subprocess.run(["./verify", "friends.sample.json", "friends.csv", str(THETA)], cwd=self.folder, capture_output=True, text=True)

        done = verified()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        sample = json.loads((self.folder / "friends.sample.json").read_text())
        limits = [float(line.split("at most ")[1]) for line in done.stdout.splitlines()]
        self.assertEqual(len(limits), len(sample["losses"]))
        # Its limits are those of kith, wherever no other bound is smaller.
        self.with_sample()
        for at, limit in zip(sample["losses"], limits):
            found = self.json(self.run_kith("transfer", "network.toml", "--plain", repr(at["plain"]), "--json"))
            self.assertLessEqual(found["dependent"], limit * (1 + 1e-6))
            if found["bound"] == "field-free":
                self.assertGreaterEqual(found["dependent"], min(limits) * (1 - 1e-6))
        # The planted fault: one hit fewer than there was.
        sample["losses"][-1]["largest"] -= 1
        self.write("friends.sample.json", json.dumps(sample))
        self.assertEqual(verified().returncode, 1)


if __name__ == "__main__":
    unittest.main()
