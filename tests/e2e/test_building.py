"""The example with offices: the generator's days depend on each other, and the demo runs to its end."""
import gzip
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
        done = subprocess.run([str(BUILDING / "generate"), "offices=3"], text=True, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 2)
        self.assertIn("seed=", done.stderr)


class RealSeries(KithCase):
    """Attributes of the one-sided paper from occupied minutes."""

    def attributes(self, minutes, gap=5):
        text = "".join(f"{space},{day},{minute}\n" for space, day, minute in minutes)
        done = subprocess.run([str(BUILDING / "attributes"), f"gap={gap}"], input=text, text=True, capture_output=True,
                              timeout=120)
        return self.ok(done).splitlines()

    def test_attributes_of_a_day(self):
        # 8:30 to 12:00 with two minutes out at 9:00, 12:40 to 17:00; somebody up late before, who is not of the day.
        there = [*range(0, 30), *range(510, 540), *range(542, 720), *range(760, 1020)]
        lines = self.attributes([("a", "d1", m) for m in there] + [("b", "d1", m) for m in range(100)])
        self.assertEqual(lines, ["id,space,day,start,leave,absences,absence,level",
                                 f"1,a,d1,510,1020,1,40,{470 / 540:.3f}"])
        self.assertEqual(self.attributes([("a", "d1", m) for m in there], gap=1)[1].split(",")[5], "2")
        done = subprocess.run([str(BUILDING / "attributes")], input="", text=True, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 2)

    def test_the_example_with_badges(self):
        """A tiny workplace in the form of the published file."""
        lines = ["time,node_a,node_b,datetime"]
        for person in range(6):
            for day in range(1, 9):
                start = 480 + 17 * ((person * day) % 9)
                for minute in range(start, start + 500 - 30 * ((person + day) % 4), 20):
                    lines.append(f"0,{person},99,2013-06-{day:02} {minute // 60:02}:{minute % 60:02}:00")
        folder = self.folder / "data" / "sociopatterns"
        folder.mkdir(parents=True)
        with gzip.open(folder / "workplace.csv.gz", "wt") as out:
            out.write("\n".join(lines) + "\n")
        done = subprocess.run([str(BUILDING / "real"), str(self.folder / "data"), str(self.folder / "work")], text=True,
                              capture_output=True, timeout=120, env=dict(os.environ, KITH=str(KITH)))
        text = self.ok(done)
        self.assertIn("workplace_days: 56 days", text)
        self.assertRegex(text, r"released: mean start \d+:\d\d of \d+ days, lights on at")
        model = json.loads((self.folder / "work" / "workplace_days" / "model.json").read_text())
        self.assertEqual(sum(state["n"] for state in model["counts"]), 28)

    def test_figures_from_files_as_they_are_published(self):
        """The office of UCI (its header lacks a name) and a home of ARAS, a few days of each."""
        data = self.folder / "data"
        (data / "occupancy_uci").mkdir(parents=True)
        (data / "aras").mkdir()
        with gzip.open(data / "occupancy_uci" / "datatraining.txt.gz", "wt") as out:
            out.write('"date","Temperature","Humidity","Light","CO2","HumidityRatio","Occupancy"\n')
            for minute in range(1440):  # 8:30 to 17:00 with half an hour out; seconds as the sensor reports them
                there = int(510 <= minute < 1020 and not 720 <= minute < 750)
                out.write(f'"{minute}","2015-02-05 {minute // 60:02}:{minute % 60:02}:00",23.1,27.2,426,721.25,0.0048,{there}\n')
        with gzip.open(data / "aras" / "house1_activities.csv.gz", "wt") as out:
            out.write("day,start_second,length,activity_resident1,activity_resident2\n")
            for day in range(1, 21):  # asleep (11), up, out (2), back; resident 2 sleeps all day
                up, away = 6 * 3600 + day * 300, 9 * 3600
                for start, end, one in [(0, up, 11), (up, away, 12), (away, 17 * 3600, 2), (17 * 3600, 86400, 12)]:
                    out.write(f"{day},{start},{end - start},{one},11\n")
        done = self.run_kith("experiment", "osdp-fig1", "osdp-lighting", "--data", "data", "--repetitions", "2", "--json")
        self.ok(done)
        fig1, lighting = json.loads(done.stdout)
        self.assertIn("start 8:30, leaving 17:00, 1 absence of 30 minutes on average, level 0.89", fig1["here"])
        self.assertIn("start 6:55, leaving 24:00, 1 absence of 480 minutes", fig1["here"])
        panels = {panel["name"]: panel["points"] for panel in fig1["panels"]}
        self.assertEqual([(p["x"], p["mean"]) for p in panels["office_pattern"]],
                         [(0, 0), (8.5, 0), (8.5, 1), (12, 1), (12, 0), (12.5, 0), (12.5, 1), (17, 1), (17, 0), (24, 0)])
        self.assertEqual({panel["name"] for panel in lighting["panels"]}, {"homes_decision", "homes_minutes"})


if __name__ == "__main__":
    unittest.main()
