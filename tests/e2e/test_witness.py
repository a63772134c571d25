"""Witnesses of dependent losses (kith transfer --witness), verified by a program that shares nothing with kith. Claim: WITNESS-4."""
import hashlib
import json
import math
import pathlib
import random
import subprocess
import sys
import unittest

from kith_case import KithCase

VERIFY = pathlib.Path(__file__).resolve().parents[2] / "examples/verify/verify.py"


def edges(n, chance, seed):
    rng = random.Random(seed)
    return [[a, b, round(rng.uniform(0.1, 1.5), 3)] for a in range(n) for b in range(a + 1, n) if rng.random() < chance]


FIELDS = {
    "a path": {"kind": "field", "nodes": 6, "edges": [[i, i + 1, 0.7] for i in range(5)]},
    "triangles, which are blocks": {"kind": "field", "nodes": 9, "edges": edges(9, 0.5, 1)},
    "a graph with walks": {"kind": "field", "nodes": 30, "edges": edges(30, 0.1, 2)},
    "a clique of ten": {"kind": "field", "nodes": 12, "edges": [[a, b, 0.26] for a in range(10) for b in range(a + 1, 10)] + [[9, 10, 0.8], [10, 11, 0.8]]},
    "larger ties": {"kind": "field", "nodes": 5, "edges": [[0, 1, 0.5]], "factors": [{"records": [1, 2, 3], "theta": 0.8}, {"records": [3, 4], "theta": 0.4}]},
    "hidden causes and hard constraints": {"kind": "field", "nodes": 7, "hidden": [6], "edges": [[i, 6, 0.9] for i in range(6)] + [[0, 1, "inf"]]},
    "strong dependence, resting on the group": {"kind": "field", "nodes": 5, "edges": [[a, b, 4] for a in range(5) for b in range(a)]},
}
JOINT = {"kind": "joint", "values": [2, 3, 2], "law": [0.1, 0.02, 0.03, 0.15, 0.1, 0.1, 0.05, 0.05, 0.1, 0.1, 0.1, 0.1]}


class Witnesses(KithCase):
    def witness(self, model, *how):
        self.write("model.json", json.dumps(model))
        out = self.ok(self.run_kith("transfer", "model.json", *how, "--witness", "w.json"))
        self.assertIn("SHA-256", out)
        return json.loads((self.folder / "w.json").read_text())

    def verify(self, witness):
        self.write("checked.json", json.dumps(witness))
        return subprocess.run([sys.executable, VERIFY, self.folder / "checked.json"], capture_output=True, text=True, timeout=300)

    def verified(self, witness):
        done = self.verify(witness)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("verified", done.stdout)

    def not_verified(self, witness):
        done = self.verify(witness)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("NOT verified", done.stderr)

    def large(self):
        """More edges than a list is worked through with, as a compact graph: a ring with a triangle at every fourth record."""
        n = 17_000
        return {"kind": "field", "nodes": n, "edges": [[i, (i + 1) % n, 0.4] for i in range(n)] + [[i, (i + 2) % n, 0.3] for i in range(0, n, 4)]}

    def test_every_kind_is_verified(self):
        for name, model in FIELDS.items():
            for how in (["--plain", "0.3"], ["--gaussian", "--mu", "0.2"]):
                with self.subTest(name, how=how):
                    self.verified(self.witness(model, *how))
        with self.subTest("a joint law"):
            self.verified(self.witness(JOINT, "--plain", "0.4"))
        with self.subTest("a big graph"):
            self.verified(self.witness(self.large(), "--plain", "0.1"))

    def test_the_file_states_what_the_command_prints(self):
        for name, model in [*FIELDS.items(), ("a joint law", JOINT)]:
            with self.subTest(name):
                bound = self.witness(model, "--plain", "0.3")["bound"]
                said = self.json(self.run_kith("transfer", "model.json", "--plain", "0.3", "--json", "--witness", "w.json"))
                self.assertEqual(said["witness"], hashlib.sha256((self.folder / "w.json").read_bytes()).hexdigest())
                printed = said["dependent"]
                self.assertTrue(math.isclose(bound, printed, rel_tol=1e-12), (bound, printed))
        bound = self.witness(self.large(), "--plain", "0.1")["bound"]
        printed = self.json(self.run_kith("transfer", "model.json", "--plain", "0.1", "--json"))["dependent"]
        self.assertTrue(bound <= printed <= bound * (1 + 1e-5), (bound, printed))

    def test_a_number_that_is_lowered_is_seen(self):
        """Each number of each witness, lowered by 1e-9 of itself; and the bound."""
        lower = 1 - 1e-9
        for name, model in FIELDS.items():
            for how in (["--plain", "0.3"], ["--gaussian", "--mu", "0.2"]):
                witness = self.witness(model, *how)
                places = [(row, i) for row in witness["messages"] for i in range(len(row))] + [(b["inside"], i) for b in witness["blocks"] for i in range(len(b["inside"]))]
                for numbers, i in random.Random(3).sample(places, min(6, len(places))):
                    kept = numbers[i]
                    if not kept:  # infinite: says nothing
                        continue
                    numbers[i] = kept * lower
                    with self.subTest(name, how=how, number=kept):
                        self.not_verified(witness)
                    numbers[i] = kept
                witness["bound"] *= lower
                with self.subTest(name, how=how, number="bound"):
                    self.not_verified(witness)
        with self.subTest("a big graph"):
            witness = self.witness(self.large(), "--plain", "0.1")
            for numbers in (next(row for row in witness["messages"] if row[0]), witness["blocks"][0]["inside"]):
                kept, numbers[0] = numbers[0], numbers[0] * lower
                self.not_verified(witness)
                numbers[0] = kept
        with self.subTest("a joint law"):
            witness = self.witness(JOINT, "--plain", "0.4")
            self.assertTrue(witness["proofs"])
            self.not_verified({**witness, "bound": witness["bound"] * lower})
            proof = max(witness["proofs"], key=lambda p: p["ratio"])
            self.not_verified({**witness, "proofs": [p for p in witness["proofs"] if p is not proof]})

    def test_a_weaker_model_is_not_what_it_proves(self):
        witness = self.witness(FIELDS["triangles, which are blocks"], "--plain", "0.3")
        witness["model"]["ties"][0][1] *= 1.01
        self.not_verified(witness)

    def test_formulas_have_no_witness(self):
        self.write("group.json", '{"kind":"group","size":4,"odds_ratio":2}')
        self.refused(self.run_kith("transfer", "group.json", "--plain", "0.3", "--witness", "w.json"), 2, "formula")
        self.refused(self.run_kith("transfer", "group.json", "--gaussian", "--dependent", "1", "--delta", "1e-6", "--witness", "w.json"), 2, "--mu")
        self.assertFalse((self.folder / "w.json").exists())


if __name__ == "__main__":
    unittest.main()
