"""What an import tells the curator, and what a terminal shows while something takes long."""
import fcntl
import json
import os
import pty
import re
import stat
import subprocess
import threading
import time
import unittest

from kith_case import ILL, KITH, PEOPLE, POLICY, KithCase

FOR_THE_CURATOR = "For the curator alone"


class Report(KithCase):
    def setUp(self):
        super().setUp()
        rows = PEOPLE.splitlines()
        rows[1] = "0,0,A,20,Yes"
        rows[2] = "1,0,B,old,TRUE"
        rows[3] = "2,0,C,200,"
        rows[4] = "3,1,A,23,never asked"
        rows[6] = "x,1,B,24,no"
        rows.append("7,2,B,24,no")  # a second row of a unit
        self.write("people.csv", "\n".join(rows) + "\n")

    def column(self, document, name):
        return next(c for c in document["tables"][0]["columns"] if c["name"] == name)

    def test_a_document(self):
        report = self.json(self.run_kith("import", "policy.toml", "--json"))
        self.assertEqual(report["audience"], "curator")
        self.assertEqual(report["version"], "1")
        table = report["tables"][0]
        self.assertEqual((table["rows"], table["dropped_lines"], table["first_dropped"]), (301, 0, []))
        ill = self.column(report, "ill")
        self.assertEqual((ill["empty"], ill["unreadable"], ill["undeclared"]), (1, 0, 3))
        self.assertAlmostEqual(ill["null_share_stored"], 1 / 301)
        self.assertAlmostEqual(ill["null_share_read"], 4 / 301)
        nearest = {one["text"]: one["nearest"] for one in ill["undeclared_spellings"]["most_frequent"]}
        self.assertEqual(nearest, {"Yes": "yes", "TRUE": "yes", "never asked": None})
        age = self.column(report, "age")
        self.assertEqual((age["unreadable"], age["above"], age["below"]), (1, 1, 0))
        self.assertEqual(age["unreadable_spellings"]["most_frequent"], [{"text": "old", "rows": 1, "nearest": None}])
        key = self.column(report, "id")
        self.assertEqual((key["unreadable"], key["unreadable_spellings"]["most_frequent"]), (1, []))  # keys name people
        units = report["units"]
        self.assertEqual({name: units[name] for name in units if name != "limits"},
                         {"table": "people", "key": "id", "max_rows": 1, "rows_without_key": 1, "rows": 300, "units": 299, "most_rows": 2, "units_over": 1,
                          "rows_beyond": 1, "proposed_max_rows": 1, "others": None})
        self.assertEqual([(one["max_rows"], one["units_over"], one["rows_beyond"]) for one in units["limits"]], [(1, 1, 1), (2, 0, 0)])
        self.assertEqual((report["more_units"], report["only_look"]), ([], False))
        self.assertEqual(report["groups"], [{"column": "house", "declared_size": 3, "rows_without_group": 0, "groups": 100, "largest": 3, "over": 0}])

    def test_a_table(self):
        out = self.ok(self.run_kith("import", "policy.toml"))
        self.assertTrue(out.startswith(FOR_THE_CURATOR), out)
        flat = " ".join(out.split())
        for part in ("301 rows read, 0 lines dropped", "'Yes' once (nearest: 'yes')", "1 value cannot be read as integer", "1 row has no key (id)",
                     "people: 1 unit (0.3 %) has more than 1 row (max_rows): 1 row (0.3 %) does not count; the largest has 2", "299 units by id", "100 groups by house",
                     "The data of policy.toml are ready, as version 1."):
            self.assertIn(part, flat)
        self.assertLessEqual(max(map(len, out.splitlines())), 80)

    def test_a_page_is_the_curators_file(self):
        (self.folder / "import.html").write_text("open to all")
        (self.folder / "import.html").chmod(0o644)
        self.ok(self.run_kith("import", "policy.toml", "--page", "import.html"))
        page = (self.folder / "import.html").read_text()
        self.assertIn(FOR_THE_CURATOR, page)
        self.assertIn("never asked", page)
        self.assertEqual(stat.S_IMODE((self.folder / "import.html").stat().st_mode), 0o600)
        self.refused(self.run_kith("import", "policy.toml", "--page", "none/import.html"), 5, "cannot write")

    def test_nothing_is_left_of_a_column(self):
        self.write("people.csv", PEOPLE.replace(",yes\n", ",Yes\n").replace(",no\n", ",No\n"))
        flat = " ".join(self.ok(self.run_kith("import", "policy.toml")).split())
        self.assertIn("!! people.ill: EVERY value is read as missing", flat)
        self.assertIn("'No' 257 times (nearest: 'no')", flat)

    def test_everything_is_as_declared(self):
        self.write("people.csv", PEOPLE)
        out = " ".join(self.ok(self.run_kith("import", "policy.toml")).split())
        self.assertIn("All that is counted here is as declared. Only promised, and not counted: nothing that the policy declares", out)
        self.assertNotIn("Everything is as declared.", out)

    def test_a_refused_import_is_not_as_declared(self):
        """A person changed the group: nothing that is counted is wrong."""
        self.write("people.csv", PEOPLE)
        self.write("policy.toml", POLICY.replace("[data]", '[data]\npublic_columns = "fixed"').replace("size = 3", "size = 4"))
        self.ok(self.run_kith("import", "policy.toml"))
        self.ok(self.ask())
        self.write("people.csv", PEOPLE.replace("\n0,0,A,", "\n0,1,A,"))
        told = self.run_kith("import", "policy.toml", "--page", "import.html")
        self.refused(told, 2, "read 300 rows")
        self.assertNotIn("imported 300", told.stderr)
        for text in (told.stdout, (self.folder / "import.html").read_text()):
            flat = " ".join(text.split())
            self.assertNotIn("is as declared.", flat)
            self.assertIn("Everything counted here is as declared; the import was refused for another reason", flat)
            self.assertIn("Only promised, and not counted: ", flat)

    def test_a_key_without_a_type_is_text(self):
        self.write("policy.toml", POLICY.replace('id    = { type = "integer", public = true }\n', ""))
        (self.folder / "people.csv").write_bytes(PEOPLE.encode().replace(b"\n0,0,A,", b"\n\xff,0,A,"))
        self.assertIn("people.id: 1 value cannot be read as text and is read as missing", " ".join(self.run_kith("import", "policy.toml").stdout.split()))

    def test_groups_are_counted_by_stratum(self):
        self.write("people.csv", PEOPLE)
        self.write("policy.toml", POLICY.replace("odds_ratio = 4", "odds_ratio = { ward = { A = 4, B = 2, C = 1.5 } }"))
        told = self.run_kith("import", "policy.toml", "--json")
        self.assertEqual(json.loads(told.stdout)["groups"][0]["strata"], {"column": "ward", "over": 0, "mixed": 100})
        told = self.run_kith("import", "policy.toml")
        self.refused(told, 2, "differs within a group")
        self.assertIn("!! 100 groups by house have members that differ in ward", told.stdout)
        rows = [row.split(",") for row in PEOPLE.splitlines()]
        for k, row in enumerate(rows[1:]):
            row[2] = "2" if k < 9 else "3"
        self.write("people.csv", "\n".join(",".join(row) for row in rows) + "\n")
        self.write("policy.toml", POLICY.replace('ward  = { values = ["A", "B", "C"]', "ward  = { values = [3, 2]").replace(
            "size = 3", 'size = "ward"').replace("[data]", '[data]\npublic_columns = "fixed"'))
        told = self.run_kith("import", "policy.toml")
        self.refused(told, 2, "more members than its stratum declares")
        self.assertIn("!! 3 groups by house have more members than ward declares", told.stdout)

    def test_a_line_that_cannot_be_read_is_named_and_refused(self):
        rows = PEOPLE.splitlines()
        rows[5] = '"4,1,B,24,no'
        self.write("people.csv", "\n".join(rows) + "\n")
        asked = self.ask()
        self.refused(asked, 2, "the data have not been imported")
        self.assertNotIn("line", asked.stdout + asked.stderr)
        done = self.run_kith("import", "policy.toml", "--json")
        self.assertEqual(done.returncode, 2)
        report = json.loads(done.stdout)
        self.assertEqual((report["version"], report["tables"][0]["dropped_lines"], report["tables"][0]["first_dropped"]), (None, 1, [6]))
        self.assertIn("line 6 cannot be read", report["error"]["what"])
        told = self.run_kith("import", "policy.toml")
        self.assertIn("1 line was dropped (line 6)", " ".join(told.stdout.split()))
        self.refused(told, 2, "line 6 cannot be read")
        self.assertEqual(self.ask().stderr, asked.stderr)
        self.write("people.csv", PEOPLE)
        self.ok(self.run_kith("import", "policy.toml"))
        self.ok(self.ask())

    def test_a_required_column_that_is_empty_is_not_as_declared(self):
        self.write("people.csv", PEOPLE.replace("\n0,0,A,", "\n0,0,,"))
        out = " ".join(self.ok(self.run_kith("import", "policy.toml")).split())
        self.assertIn("people.ward: 1 row has no value, though the column is required; read as the first declared value", out)
        self.assertIn("Only promised, and not counted: ", out)
        self.assertNotIn("as declared.", out)

    def test_a_refused_import_has_a_report(self):
        self.write("people.csv", PEOPLE)
        self.write("policy.toml", POLICY.replace("size = 3", "size = 2"))
        done = self.run_kith("import", "policy.toml", "--json")
        self.assertEqual(done.returncode, 2)
        report = json.loads(done.stdout)
        self.assertEqual((report["version"], report["groups"][0]["largest"], report["groups"][0]["over"]), (None, 3, 100))
        self.assertIn("more than 2 members", report["error"]["what"])
        told = self.run_kith("import", "policy.toml")
        self.assertIn("100 groups by house have more than 2 members, the declared size; the largest has 3",
                      " ".join(told.stdout.split()))
        self.refused(told, 2, "more than 2 members")

    def test_an_analyst_sees_nothing_of_it(self):
        secrets = ("never asked", "dropped", "undeclared", "not in the declared list", FOR_THE_CURATOR)
        told = [self.ask(), self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.1"), self.run_kith("budget", "policy.toml", "--json")]
        self.ok(self.run_kith("import", "policy.toml"))
        told += [self.ask(), self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.1"), self.run_kith("budget", "policy.toml", "--json")]
        for done in told:
            for secret in secrets:
                self.assertNotIn(secret, self.ok(done) + done.stderr)
        ledger = b"".join(path.read_bytes() for path in self.folder.glob("people.ledger*"))
        self.assertTrue(ledger)
        self.assertNotIn(b"never asked", ledger)


class Stages(KithCase):
    """Held up by a lock, an import takes as long as the test wants it to."""

    def held_import(self, errors, enough):
        (self.folder / ".kith").mkdir(mode=0o700)
        with open(self.folder / ".kith" / "import.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            running = subprocess.Popen([str(KITH), "import", "policy.toml"], cwd=self.folder, stdout=subprocess.PIPE, stderr=errors)
            enough()
        out, err = running.communicate(timeout=120)
        self.assertEqual(running.returncode, 0)
        return out.decode(), (err or b"").decode()

    def test_a_terminal_shows_what_takes_long(self):
        here, there = pty.openpty()
        heard = []
        ticks = re.compile(rb"waiting for another import  (\d+) s")
        twice = threading.Event()

        def listen():
            while True:
                try:
                    part = os.read(here, 65536)
                except OSError:
                    return
                if not part:
                    return
                heard.append(part)
                if len(set(ticks.findall(b"".join(heard)))) >= 2:
                    twice.set()

        listener = threading.Thread(target=listen)
        listener.start()
        out, _ = self.held_import(there, lambda: self.assertTrue(twice.wait(120), heard))
        os.close(there)
        listener.join(timeout=120)
        os.close(here)
        text = b"".join(heard).decode()
        seconds = [int(tick) for tick in ticks.findall(b"".join(heard))]
        self.assertEqual(seconds, sorted(seconds))
        self.assertGreater(min(seconds), 0)  # short work shows nothing
        self.assertTrue(text.rindex("\033[K") > text.rindex("waiting for another import"), text)  # the line is gone at the end
        self.assertIn("are ready, as version 1", out)
        self.assertNotIn("waiting", out)

    def test_nobody_watches(self):
        out, err = self.held_import(subprocess.PIPE, lambda: time.sleep(2.5))
        self.assertNotIn("  1 s", err)
        self.assertNotIn("\r", err)
        self.assertIn("are ready, as version 1", out)


if __name__ == "__main__":
    unittest.main()
