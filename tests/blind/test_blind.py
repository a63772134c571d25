"""Nothing but noise may tell data sets apart. The blind build (kith_blind) is all of kith with noise, coins, choices, random names and the time
replaced by fixed functions of their position. With it, everything an analyst can see must be the same, byte for byte, for any two data sets that
agree on public facts. KITH_BLIND_ROUNDS=20 asks more (default 1), KITH_SEED=5 asks something else."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

import hostile
import questions
import sessions
from harness import LEGITIMATE, DataSet, Replace, Server, Session, check, observe
from worlds import AGE, AT, ILL, World, worlds

BUILD = pathlib.Path(os.environ.get("KITH", "build/kith")).resolve().parent
KITH = BUILD / "kith"
BLIND = BUILD / "tests" / "blind" / "kith_blind"
LEAKY = BUILD / "tests" / "blind" / "kith_blind_leaky"
OWN = BUILD / "tests" / "blind" / "own_blind"
DATA = BUILD / "tests" / "blind" / "blind_data"
ROUNDS = int(os.environ.get("KITH_BLIND_ROUNDS", "1"))
SEED = os.environ.get("KITH_SEED", "1")
SOURCES = {"csv": "t.csv", "parquet": "t.parquet", "duckdb": "t.duckdb:t"}


def shown(differences):
    """One line for each kind of difference, the first of its kind in full."""
    first = {}
    for difference in differences:
        first.setdefault((difference.session, difference.step, difference.what), difference)
    return f"{len(differences)} differences\n" + "\n".join(map(str, list(first.values())[:12]))


class BlindCase(unittest.TestCase):
    def setUp(self):
        memory = pathlib.Path("/dev/shm")  # thousands of small ledgers: in memory, where there is a place for it
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def world(self, name):
        return next(w for w in worlds() if w.name == name)

    def server(self, program=BLIND, **environment):
        server = Server(program, self.folder / f"server{len(list(self.folder.iterdir()))}", environment)
        self.enterContext(server)
        return server

    def session(self, name, world, steps, kind="csv", **files):
        made = {"p.toml": world.policy(SOURCES[kind]), **world.files(), **files}
        return Session(name, made, steps, (SOURCES[kind].split(":")[0],))

    def table(self, world, rows):
        return hostile.csv_bytes(random.Random(1), world.columns, rows, 0)

    def same(self, differences):
        self.assertFalse(differences, shown(differences))


class OneWorld(BlindCase):
    """Every step in one world: the short form of what follows, for make test."""

    def test_everything_is_the_same_for_all_data(self):
        [name] = sessions.WHOLE
        planned = sessions.plan(SEED, 1, 3, 2, self.folder / "data", DATA, only=f"{name}/")
        asked = {tuple(step) for session, _ in planned for step in session.steps}
        self.assertEqual([], [step for step in questions.tour(self.world(name)) if tuple(step) not in asked])
        differences, _ = sessions.run(BLIND, planned, self.folder)
        self.same(differences)


class Blind(BlindCase):
    def test_everything_is_the_same_for_all_data(self):
        planned = sessions.plan(SEED, ROUNDS, 3, 4 if ROUNDS > 1 else 2, self.folder / "data", DATA)
        asked = {tuple(step) for session, _ in planned if "/tour/" in session.name for step in session.steps}
        self.assertEqual([], [(world.name, step) for world in worlds() for step in questions.tour(world) if tuple(step) not in asked], "in no world")
        elsewhere = {tuple(step) for session, _ in planned if "/tour/" in session.name and session.name.split("/")[0] not in sessions.WHOLE for step in session.steps}
        for name in sessions.WHOLE:
            self.assertEqual([], [step for step in questions.tour(self.world(name), own=False) if tuple(step) not in elsewhere], "in no other world")
        differences, statistics = sessions.run(BLIND, planned, self.folder)
        print(f"  {len(planned)} sessions, {statistics['data']} data sets, {statistics['runs']} command lines; by exit code: "
              + ", ".join(f"{n} x {code[5:]}" for code, n in sorted(statistics.items()) if code.startswith("exit")))
        self.same(differences)
        self.assertFalse([line for line in statistics if line.startswith("refused")], "one of everything is to be answered")

    # Rows that are not sensitive leave as they are. With coins that always say yes, the files must be the same for data sets that agree on those
    # rows, wherever they are.
    def test_records_that_leave_say_nothing_about_those_that_stay(self):
        dice = random.Random(SEED)
        server = self.server(KITH_BLIND_RECORDS="1")
        for name in ("one-sided", "one-sided-secret"):
            world = self.world(name)
            keys = 1 if world.key else 0
            ages = [c.name for c in world.columns].index("age")
            fixed = len(world.columns) - world.secret_columns()

            def row(unit, age):
                made = world.row(dice, unit, 0.2 if age is None else 0)
                made[ages] = dice.choice(["61", "120", "999", "", "nan", "x"]) if age is None else str(age)
                return made

            # Open rows come first in the list of units; which places they have in the file is another matter.
            opened = [row(world.register(i), 7 * i) for i in range(8)]
            sets = []
            for k in range(6):
                hidden = [row(world.register(20 + i), None) for i in range(9 if world.presence == "public" else dice.randrange(12))]
                if world.presence == "public":  # their public columns are known
                    hidden = [world.register(20 + i) + h[fixed:] for i, h in enumerate(hidden)]
                rows = opened + hidden
                if keys == 0 and world.presence == "public":
                    rows = opened[:4] + hidden + opened[4:]
                else:
                    dice.shuffle(rows)
                sets.append(DataSet(f"sensitive rows #{k}", ({"t.csv": self.table(world, rows)},)))
            steps = [["import", "p.toml"]] + [["analyse", "p.toml", "records", "--attribute", "age", "--epsilon", "1", "--output", f"r.{end}", *more]
                                              for end, more in (("csv", []), ("parquet", ["--json"]))]
            steps += [["budget", "p.toml", "--json"]]
            session = self.session(f"records of {name}", world, steps)
            self.same(check(server, session, sets))
            self.assertEqual(len((server.folder / "r.csv").read_text().splitlines()), 1 + len(opened))

    def test_own_statistics(self):
        example = pathlib.Path(__file__).resolve().parents[2] / "examples" / "own_statistic"
        seen = set()
        for litres in (lambda i: i, lambda i: "", lambda i: "nan", lambda i: 10**30, lambda i: "x"):
            folder = self.folder / "run"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            shutil.copy(example / "policy.toml", folder)
            (folder / "water.csv").write_text("id,house,litres,people\n" + "".join(f"{i},{i // 4},{litres(i)},{1 + i % 6}\n" for i in range(40)))
            done = [subprocess.run([OWN, folder / "policy.toml", "1"], capture_output=True) for _ in range(2)]
            self.assertEqual(done[0].returncode, 0, done[0].stderr)
            seen.add(tuple((d.returncode, d.stdout, d.stderr) for d in done))
        self.assertEqual(len(seen), 1)


    # A file that is read in place is written anew under one version, and somebody has moved to another ward: nothing shows it, neither prices nor
    # totals nor versions.
    def test_a_file_in_place_that_changed_is_like_one_that_did_not(self):
        for kind in ("parquet", "duckdb"):
            for data in ("", "frozen = true\n"):
                world = World("moving", "secret", public=("ward",), columns=[AGE, ILL], data=data)
                maker = hostile.Maker(DATA, self.folder / f"{kind}{len(data)}")
                rows = [[str(i), "ABC"[i % 3], str(20 + i), "no"] for i in range(9)]
                places = [maker.table(random.Random(1), kind, "t", world.columns, ["BIGINT", "VARCHAR", "BIGINT", "VARCHAR"], changed, 0)
                          for changed in (rows, [["0", "B", "90", "yes"], *rows[1:]], rows[1:])]
                read = maker.finish()
                first, moved, gone = ({SOURCES[kind].split(":")[0]: read(place)} for place in places)
                sets = [DataSet("stays", (first, first, first)), DataSet("moves", (first, moved, first)), DataSet("leaves", (first, gone, moved))]
                about = [["query", "p.toml", f"SELECT count(*) FROM t WHERE ward = '{ward}' AND ill = 'yes'", "--epsilon", "1", "--json"] for ward in "AB"]
                budget = ["budget", "p.toml", "--json"]
                steps = [["import", "p.toml"], about[0], budget, Replace(1), about[0], about[1], budget, Replace(2), *about, ["explain", *about[1][1:5]], budget]
                server = self.server()
                self.same(check(server, self.session(f"moving {kind} {data}", world, steps, kind), sets))
                spent = [cell["plain_spent"] for cell in json.loads(observe(server, self.session("last", world, steps, kind), sets[1])[-1]["stdout"])["cells"]]
                self.assertEqual([round(each, 6) for each in spent], [1, 1, 0] if data else [2, 2, 2])


class Seam(BlindCase):
    """The blind build itself: blind, and out of the product's reach."""

    QUESTION = ["query", "p.toml", "SELECT ill, count(*) AS n, avg(age), median(cost) FROM t GROUP BY ill", "--epsilon", "100", "--json"]

    def two(self):
        world = self.world("public")
        units = [world.register(i) for i in range(30)]
        low = [unit + ["1", "2", "no", "1", "2024-01-01", "2024-01-01", ""] for unit in units]
        high = [unit + ["119", "480", "yes", "3", "2024-12-31", "2024-12-31", "x"] for unit in units]
        session = self.session("two tables", world, [self.QUESTION])
        return session, [DataSet(name, ({"t.csv": self.table(world, rows)},)) for name, rows in (("low", low), ("high", high))]

    def answers(self, program):
        session, sets = self.two()
        seen = []
        for data in sets:
            folder = self.folder / "run"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            for name, content in {**session.files, **data.versions[0]}.items():
                (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
            done = subprocess.run([program, *self.QUESTION], cwd=folder, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            seen.append(done.stdout)
        return seen

    def test_answers_depend_on_values_in_the_product_and_not_in_the_blind_build(self):
        low, high = self.answers(BLIND)
        self.assertEqual(low, high)
        low, high = self.answers(KITH)
        self.assertNotEqual(low.split(b'"assumption"')[0], high.split(b'"assumption"')[0])  # noise of a tenth on differences of thirty

    def test_a_child_of_the_server_says_what_a_process_of_its_own_says(self):
        session, sets = self.two()
        server = self.server()
        self.assertEqual(observe(server, session, sets[0])[0]["stdout"], self.answers(BLIND)[0])

    def test_other_positions_give_other_numbers(self):
        session, sets = self.two()
        one, other = (observe(self.server(KITH_BLIND=seed), session, sets[0]) for seed in ("0", "1"))
        self.assertNotEqual(one[0]["stdout"], other[0]["stdout"])

    def test_nothing_of_it_is_in_the_product(self):
        for mark in (b"KITH_BLIND", b"KITH_PLANT"):
            self.assertNotIn(mark, KITH.read_bytes())
        self.assertIn(b"KITH_BLIND", BLIND.read_bytes())

    def test_the_list_of_what_may_differ_is_short(self):
        self.assertLessEqual(len(LEGITIMATE), 2)


class RowsOfUnits(BlindCase):
    """Whether a unit has more rows than are kept decides which statement runs, and shows nowhere."""

    def tables(self, world):
        """One row each, as many as are kept, too many, equal ones, some without a key."""
        def rows(copies, seed):
            return [world.row(random.Random(100 * i + seed * k), world.register(i), 0) for i in range(9) for k in range(copies)]
        keyless = [[""] + row[1:] for row in rows(1, 7)[:3]]
        made = {"one": rows(1, 1), "as many": rows(2, 0), "as many, different": rows(2, 1), "too many": rows(5, 1), "keyless": rows(1, 1) + keyless,
                "too many, keyless": rows(5, 1) + keyless}
        return {name: self.table(world, table) for name, table in made.items()}

    def test_both_sides_of_the_limit_look_the_same(self):
        asked = ["SELECT count(*) FROM t", "SELECT ill, count(*), avg(cost) FROM t GROUP BY ill", "SELECT level, count(DISTINCT id) FROM t GROUP BY level", "SELECT median(age) FROM t"]
        for name in ("secret-2", "constant-secret", "nested-secret"):
            world = self.world(name)
            more = ["SELECT ill, avg(cost) FROM t_units GROUP BY ill"] if world.constant else []
            whole = name == "secret-2" or ROUNDS > 1  # also with an import, as a table, paid for again, and of tables between the others
            steps = [["import", "p.toml"]] if whole else []
            for sql in asked + more:
                steps += [["explain", "p.toml", sql, "--epsilon", "1", "--sql"], ["query", "p.toml", sql, "--epsilon", "1", "--json"]]
                if whole:
                    steps += [["query", "p.toml", sql, "--epsilon", "2"]]
            if "within" in world.unit:
                for sql in ("SELECT count(DISTINCT house) FROM t", "SELECT ill, count(DISTINCT house), count(*) FROM t GROUP BY ill"):
                    steps += [["query", "p.toml", sql, "--unit", "household", "--epsilon", "1", "--json"]]
            tables = self.tables(world)
            steps += [Replace(1), ["query", "p.toml", "SELECT count(*) FROM t WHERE age > 3", "--epsilon", "1"], ["budget", "p.toml", "--json"]]
            last = "as many" if world.constant else "too many, keyless"  # where a column is constant: units whose rows agree
            kinds = tables if whole else ("one", "as many, different", "too many", last)
            sets = [DataSet(kind, ({"t.csv": tables[kind]}, {"t.csv": tables["too many"]})) for kind in kinds]
            self.same(check(self.server(), self.session(name, world, steps), sets))


class Twins(BlindCase):
    """Leaks that kith once had, planted again (leaks.h): the same comparison finds each of them, and nothing without them."""

    def caught(self, leak, session, sets):
        self.same(check(self.server(LEAKY), session, sets))
        differences = check(self.server(LEAKY, KITH_PLANT=leak), session, sets)
        self.assertTrue(differences, f"the planted leak '{leak}' was not seen")
        return differences

    def people(self, world, change):
        """Two tables; in the second, `change` is made to one person's row."""
        rows = [world.row(random.Random(i), world.register(i), 0) for i in range(12)]
        ill = [c.name for c in world.columns].index("ill")
        for row in rows:
            row[ill] = "no"
        other = [list(row) for row in rows]
        other[4][ill] = change
        return self.table(world, rows), self.table(world, other)

    def test_a_head_made_of_the_data(self):
        world = self.world("public")
        session = self.session("head", world, [["import", "p.toml"], ["query", "p.toml", "SELECT count(*) FROM t", "--epsilon", "1", "--json"]])
        sets = [DataSet(name, ({"t.csv": table},)) for name, table in zip(("no", "yes"), self.people(world, "yes"))]
        [difference] = self.caught("key", session, sets)
        self.assertIn("ledger_hash", difference.one)

    def test_an_answer_given_again_as_long_as_the_bytes_are_the_same(self):
        world = self.world("secret")
        free = ["query", "p.toml", "SELECT count(*) FROM t WHERE FALSE", "--epsilon", "1", "--json"]
        session = self.session("stored", world, [["import", "p.toml"], free, Replace(1), free, Replace(2), free])
        before, after = ({"t.csv": table} for table in self.people(world, "yes"))
        sets = [DataSet("nothing happened", (before, before, before)), DataSet("somebody fell ill, and is well again", (before, after, before))]
        self.caught("key", session, sets)
        quiet, told = (observe(self.server(LEAKY, KITH_PLANT="key"), session, data) for data in sets)
        stored = [[json.loads(seen[step]["stdout"])["stored"] for step in (1, 3, 5)] for seen in (quiet, told)]
        self.assertEqual(stored, [[False, True, True], [False, False, True]])

    def test_a_condition_that_breaks_out_of_its_place(self):
        world = self.world("public")
        feature = "CASE WHEN ill = 'yes' THEN NULL WHEN age > 50 THEN 1 ELSE 0 END"
        session = self.session("pasted", world, [["import", "p.toml"], ["analyse", "p.toml", "svm", "--label", "ill", "--features", feature, "--where",
                                                                       "house = 1) --", "--epsilon", "0.000001"]])
        sets = [DataSet(name, ({"t.csv": table},)) for name, table in zip(("no", "yes"), self.people(world, "yes"))]
        self.assertIn("exit", [difference.what for difference in self.caught("pasted", session, sets)])

    def test_one_time_that_no_cast_survives(self):
        world = World("times", "public", public=(), columns=[AT, ILL])
        maker = hostile.Maker(DATA, self.folder / "data")
        places = []
        for moment in ("1700000002", "9223372036855"):
            places.append(maker.folder / f"{moment}.duckdb")
            maker.lines += [f"open {places[-1]}", "sql CREATE TABLE t (id BIGINT, \"at\" TIMESTAMP_S, ill BIGINT)", "raw t 0 1700000000 0", f"raw t 1 {moment} 1",
                            "sql CHECKPOINT"]
        read = maker.finish()
        sets = [DataSet(place.name, ({"t.duckdb": read(place)},)) for place in places]
        session = self.session("times", world, [["import", "p.toml"], ["query", "p.toml", "SELECT count(*) FROM t WHERE ill = 'yes'", "--epsilon", "0.000001"]],
                               kind="duckdb")
        self.assertIn("exit", [difference.what for difference in self.caught("time", session, sets)])


if __name__ == "__main__":
    unittest.main()
