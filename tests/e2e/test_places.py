"""Maps from the command line: files, ranges, refusals before the charge, and the example with a city."""
import json
import os
import pathlib
import subprocess
import unittest
import xml.etree.ElementTree

from kith_case import KITH, KithCase

CITY = pathlib.Path(__file__).resolve().parents[2] / "examples" / "city"


class Places(KithCase):
    def setUp(self):
        super().setUp()
        done = subprocess.run([str(CITY / "generate"), "people=3000", "seed=5"], text=True, capture_output=True, timeout=120)
        self.write("people.csv", self.ok(done))
        self.write("city.toml", (CITY / "city.toml").read_text())

    def points(self, *arguments):
        return self.run_kith("analyse", "city.toml", "points", "--columns", "lon,lat", *arguments)

    def test_times_are_places(self):
        self.write("seen.toml", """[data]
tables.t = "seen.csv"
[unit]
table = "t"
row = true
presence = "public"
distance = { columns = ["seen"], metric = "l1", delta = "15 min" }
[columns.t]
seen = { type = "timestamp", lower = 2026-03-02T00:00:00, upper = 2026-03-03T23:59:00, required = true }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 200
ledger = "seen.ledger"
""")
        times = [(2 + k % 2, 8 + k // 60 % 4, k % 60) for k in range(960)]
        self.write("seen.csv", "seen\n" + "".join(f"2026-03-{day:02} {hour:02}:{minute:02}:59\n" for day, hour, minute in times) + "2031-01-01 00:00:00\n")
        out = self.json(self.run_kith("analyse", "seen.toml", "points", "--columns", "seen", "--cells", "256", "--epsilon", "100", "--range", "0,600", "--range", "1920,2100",
                                      "--range", "0,2879", "--json"))
        self.assertIn("by at most 15 minutes (time distance of seen)", out["neighbours"])
        self.assertEqual(out["answer"]["columns"][0], "seen (minutes since 2026-03-02) from")
        for row, (low, high) in zip(out["answer"]["rows"], [(0, 600), (1920, 2100), (0, 2879)]):
            truth = sum(low <= (day - 2) * 1440 + hour * 60 + minute < high for day, hour, minute in times) + (high == 2879)
            self.assertLess(abs(row[2] - truth), 25, (row, truth))
        # Other analyses read the same minutes, even where the bounds do not begin at midnight.
        late = (self.folder / "seen.toml").read_text().replace("2026-03-02T00:00:00", "2026-03-02T08:00:00")
        self.write("late.toml", late.replace("seen.ledger", "late.ledger"))
        out = self.json(self.run_kith("analyse", "late.toml", "kmeans", "--columns", "seen", "-k", "2", "--epsilon", "100", "--json"))
        first, second = sorted(row[out["answer"]["columns"].index("seen")] for row in out["answer"]["rows"])
        self.assertLess(abs(first - 600), 60)
        self.assertLess(abs(second - 2040), 60)

    def test_a_map_with_its_files(self):
        box = "-74.02,40.70,-73.94,40.80"
        out = self.json(self.points("--epsilon", "1", "--range", box, "--synthetic", "200", "--out", "map", "--json"))
        self.assertEqual(out["answer"]["columns"], ["lon from", "lat from", "lon to", "lat to", "points", "blur"])
        self.assertGreater(out["error_95"][0][4], 0)
        self.assertIn("move one unit by at most 500 m", out["neighbours"])
        self.assertIn("137 x 1 = 137", out["moves"]["meaning"])
        self.assertAlmostEqual(out["moves"]["standard_epsilon_total"], 137, delta=0.01)
        people = [line.split(",") for line in (self.folder / "people.csv").read_text().splitlines()[1:]]
        truth = sum(-74.02 <= float(lon) < -73.94 and 40.70 <= float(lat) < 40.80 for _, lon, lat in people)
        self.assertLess(abs(out["answer"]["rows"][0][4] - truth), 400)
        grid = json.loads((self.folder / "map" / "map.geojson").read_text())
        self.assertEqual(len(grid["features"]), 129 * 129)
        self.assertAlmostEqual(sum(f["properties"]["points"] for f in grid["features"]), 3000, delta=1)
        corners = [c for f in grid["features"] for c in f["geometry"]["coordinates"][0]]
        self.assertAlmostEqual(min(c[0] for c in corners), -74.2589)
        self.assertAlmostEqual(max(c[1] for c in corners), 40.9176)
        self.assertEqual(len((self.folder / "map" / "map.csv").read_text().splitlines()), 1 + 129 * 129)
        invented = (self.folder / "map" / "synthetic.csv").read_text().splitlines()
        self.assertEqual((invented[0], len(invented)), ("lon,lat", 201))
        picture = xml.etree.ElementTree.fromstring((self.folder / "map" / "map.svg").read_text())
        self.assertTrue(picture.tag.endswith("svg"))
        again = self.json(self.points("--epsilon", "1", "--range", "-74.05,40.60,-73.80,40.70", "--json"))
        self.assertTrue(again["stored"])  # another range of the same map is free

    def test_nothing_is_charged_for_what_is_refused(self):
        refused = [["--range", "1,2"], ["--range", "a,b,c,d"], ["--range", "-73,41,-74,40"], ["--cells", "48"], ["--groups", "5"],
                   ["--where", "lon > -74"], ["--method", "cumulative"]]
        for wrong in refused:
            done = self.points("--epsilon", "1", *wrong)
            self.assertNotEqual(done.returncode, 0, wrong)
            self.assertIn("try:", done.stderr)
        done = self.run_kith("analyse", "city.toml", "points", "--columns", "lat,lon", "--epsilon", "1")
        self.assertIn("name lon,lat (--columns)", done.stderr)
        budget = self.json(self.run_kith("budget", "city.toml", "--json"))
        self.assertEqual(budget["cells"][0]["plain_spent"], 0)
        self.assertIn("ceil(r / 500 m)", budget["moves"])

    def test_explain_touches_no_data(self):
        (self.folder / "people.csv").unlink()
        out = self.json(self.points("--epsilon", "1", "--explain", "--json"))
        self.assertEqual([s["name"] for s in out["statistics"]][-1], "129 x 129 nodes, if the grid is as fine as this")
        self.assertTrue(out["affordable"])

    def change(self, policy, *pairs):
        for old, new in pairs:
            self.assertEqual(policy.count(old), 1, old)
            policy = policy.replace(old, new)
        return policy

    def test_sources_from_a_file(self):
        self.write("stations.csv", "lon,lat\n-73.99,40.73\n-73.79,40.65\n")
        policy = self.change((CITY / "city.toml").read_text(), ('presence = "public"', 'presence = "secret"'),
                             ('delta = "500 m"', 'delta = "500 m", sources = "stations.csv"'))
        self.write("city.toml", policy)
        out = self.json(self.points("--epsilon", "1", "--json"))
        self.assertIsNone(out["details"]["grid"]["total"])  # how many there are is a secret now
        self.assertIn("appears or goes within 500 m of a source", out["neighbours"])
        self.assertIn("present or absent", out["moves"]["meaning"])
        self.write("stations.csv", "lon,lat\n0,0\n")
        self.assertIn("outside the bounds", self.points("--epsilon", "1").stderr)

    def test_a_line(self):
        policy = self.change((CITY / "city.toml").read_text(),
                             ('columns = ["lon", "lat"], metric = "great-circle", delta = "500 m"',
                              'columns = ["lat"], metric = "l1", delta = 0.005'))
        self.write("city.toml", policy)
        ask = ["analyse", "city.toml", "points", "--columns", "lat", "--json", "--epsilon"]
        median = self.json(self.run_kith(*ask, "0.5", "--quantiles", "0.5"))["answer"]["rows"][0][1]
        places = sorted(float(line.split(",")[2]) for line in (self.folder / "people.csv").read_text().splitlines()[1:])
        self.assertAlmostEqual(median, places[len(places) // 2], delta=0.3)
        curve = self.json(self.run_kith(*ask, "0.5", "--range", "40.4774,40.9176", "--out", "line"))
        self.assertAlmostEqual(curve["answer"]["rows"][0][2], 3000, delta=1e-3)
        self.assertIn("</svg>", (self.folder / "line" / "map.svg").read_text())
        self.assertFalse((self.folder / "line" / "map.geojson").exists())
        groups = self.json(self.run_kith(*ask, "0.5", "--groups", "10"))["answer"]["rows"]
        means = [row[2] for row in groups]
        self.assertEqual((len(means), means), (10, sorted(means)))

    def test_friends_who_move_together(self):
        people = (self.folder / "people.csv").read_text().splitlines()
        self.write("people.csv", "\n".join(people[:3]) + "\n")
        policy = self.change((CITY / "city.toml").read_text(),
                             ('kind = "independent"', 'kind = "lipschitz"\ninfluence = [[0, 0.5], [0.5, 0]]'))
        self.write("city.toml", policy)
        out = self.json(self.points("--epsilon", "1", "--json"))
        self.assertAlmostEqual(out["dependent"]["epsilon_total"] / out["plain"]["spent_total"], 1.5, delta=0.01)
        done = self.run_kith("query", "city.toml", "SELECT count(*) FROM people WHERE lon > -74", "--epsilon", "0.1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("proportional to distance", done.stderr)

    def test_the_demo(self):
        work = self.folder / "demo"
        done = subprocess.run([str(CITY / "demo"), str(work)], text=True, capture_output=True, timeout=120,
                              env=dict(os.environ, KITH=str(KITH)))
        text = self.ok(done)
        self.assertIn("asked before", text)
        self.assertIn("</svg>", (work / "map" / "map.svg").read_text())
        self.assertEqual(len((work / "people.csv").read_text().splitlines()), 20001)


if __name__ == "__main__":
    unittest.main()
