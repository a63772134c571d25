"""kith experiment on synthetic stand-ins: figures, tables, charts, and what it refuses."""
import csv
import json
import unittest
import xml.etree.ElementTree as ElementTree

from kith_case import KithCase

FAST = ("--people", "300", "--repetitions", "2", "--epsilon", "0.5,100")


class Experiment(KithCase):
    def test_figures_are_written_as_tables_and_charts(self):
        done = self.run_kith("experiment", "fig8a", "fig8b", "fig9c", *FAST, "--output", "figures")
        self.ok(done)
        self.assertIn("fig9c:", done.stdout)
        self.assertIn("Synthetic stand-in", done.stdout)
        for name in ("fig8a/sum", "fig8a/theorem10", "fig8b/sum", "fig8b/theorem10", "fig9c/distance"):
            with open(self.folder / "figures" / f"{name}.csv") as table:
                rows = list(csv.DictReader(table))
            self.assertGreaterEqual({row["method"] for row in rows} & {"dpm", "zhu", "baseline"}, {"dpm", "zhu", "baseline"})
            for row in rows:
                self.assertLessEqual(float(row["low"]), float(row["mean"]))
                self.assertLessEqual(float(row["mean"]), float(row["high"]))
            ElementTree.parse(self.folder / "figures" / f"{name}.svg")

    def test_more_epsilon_sorts_more_people_alike(self):
        done = self.run_kith("experiment", "fig9a", *FAST, "--json")
        self.ok(done)
        points = json.loads(done.stdout)[0]["panels"][0]["points"]
        mean = {(p["method"], p["x"]): p["mean"] for p in points}
        self.assertGreater(mean["plain on centroids", 100], mean["baseline", 0.5])
        self.assertIn(("kith star", 100), mean)
        self.assertIn(("kith field", 100), mean)

    def test_a_classifier_learns_more_with_more_epsilon(self):
        done = self.run_kith("experiment", "fig9b", *FAST, "--json")
        self.ok(done)
        figure = json.loads(done.stdout)[0]
        mean = {(p["method"], p["x"]): p["mean"] for p in figure["panels"][0]["points"]}
        self.assertGreater(mean["without noise", 0.5], mean["always no", 0.5] - 0.1)
        self.assertGreater(mean["plain", 100], mean["baseline", 0.5] - 0.05)
        self.assertTrue(any("12 of 14" in note for note in figure["notes"]))

    def test_the_same_seed_gives_the_same_published_methods(self):
        def published():
            done = self.run_kith("experiment", "fig9c", *FAST, "--seed", "7", "--json")
            self.ok(done)
            return [p for p in json.loads(done.stdout)[0]["panels"][0]["points"] if p["method"] in ("dpm", "zhu", "baseline")]
        self.assertEqual(published(), published())

    def test_analyses_beside_their_peers(self):
        done = self.run_kith("experiment", "analyses", *FAST, "--json")
        self.ok(done)
        panels = {p["name"]: p["points"] for p in json.loads(done.stdout)[0]["panels"]}
        self.assertEqual(set(panels), {"count", "average", "median", "groups", "clusters", "degrees"})
        for points in panels.values():
            mean = {(p["method"], p["x"]): p["mean"] for p in points}
            self.assertLessEqual(mean["kith", 100], mean["kith", 0.5])

    def test_noise_on_a_network_is_between_plain_and_group(self):
        done = self.run_kith("experiment", "networks", "--people", "300", "--output", "figures", "--json")
        self.ok(done)
        figure = json.loads(done.stdout)[0]
        noise = {(p["method"], p["x"]): p["mean"] for p in figure["panels"][0]["points"]}
        for (method, ratio), times in noise.items():
            self.assertGreaterEqual(times, 1)
            self.assertLessEqual(times, noise["group privacy", ratio] * 1.001)
        self.assertLess(noise["at most 3", 1.1], noise["all pairs", 1.1] + 1e-9)
        self.assertTrue(any("promise about the world" in note for note in figure["notes"]))
        ElementTree.parse(self.folder / "figures" / "networks" / "friends.svg")

    def test_what_it_refuses(self):
        self.assertEqual(self.run_kith("experiment", "fig77").returncode, 2)
        nothing = self.run_kith("experiment", "fig9a", "--data", self.folder)
        self.assertEqual(nothing.returncode, 2)
        self.assertIn("visits.csv", nothing.stderr)
        self.assertEqual(self.run_kith("experiment", "fig8a", "--epsilon", "0").returncode, 2)


if __name__ == "__main__":
    unittest.main()
