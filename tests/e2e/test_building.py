"""The example with offices: the generator's days depend on each other, and the demo runs to its end."""
import json
import os
import pathlib
import subprocess
import unittest

from kith_case import KITH, KithCase

BUILDING = pathlib.Path(__file__).resolve().parents[2] / "examples" / "building"


class Building(KithCase):
    def test_the_demo(self):
        done = subprocess.run([str(BUILDING / "demo"), str(self.folder)], text=True, capture_output=True, timeout=120,
                              env=dict(os.environ, KITH=str(KITH)))
        text = self.ok(done)
        shown = [line for line in text.splitlines() if not line.startswith(("$ kith", "Reports:"))]
        self.assertLessEqual(max(map(len, shown)), 80)
        days = (self.folder / "days.csv").read_text().splitlines()
        self.assertEqual(len(days), 1 + 200 * 20)
        for report in ["leakage.html", "choice.html"]:
            self.assertIn("</html>", (self.folder / report).read_text())
        model = json.loads((self.folder / "building.json").read_text())
        self.assertEqual(sum(state["n"] for state in model["counts"]), 4000)
        out = self.json(self.run_kith("leakage", "building.json", "--json"))
        nats = {(line["application"], line["about"]): line["nats"] for line in out["information"]}
        for application in ["heating", "cleaning"]:
            self.assertGreater(nats[(application, "hours")], 1e-3)  # hours are served to nobody, and leak
            self.assertGreater(nats[(None, "hours")], nats[(application, "hours")])
        chosen = self.json(self.run_kith("leakage", "building.json", "--total", "0.1", "--json"))
        self.assertLessEqual(chosen["leakage"], 0.1)
        self.assertGreater(min(line["epsilon"] for line in chosen["attributes"]), 0)

    def test_the_generator_wants_all_its_numbers(self):
        done = subprocess.run([str(BUILDING / "generate"), "offices=3"], text=True, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("seed=", done.stderr)


if __name__ == "__main__":
    unittest.main()
