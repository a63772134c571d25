"""kith analyse from the command line: answers, files, prices, bad input."""
import json
import random
import unittest

from kith_case import KithCase

PLACES = """
[data]
tables.places = "places.csv"
[unit]
table = "places"
key = "id"
max_rows = 1
presence = "public"
[columns.places]
id   = { type = "integer", public = true }
x    = { type = "real", lower = 0, upper = 10 }
y    = { lower = 0, upper = 100 }
free = { type = "real" }
kind = { values = ["a", "b"] }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 20
ledger = "places.ledger"
"""
FRIENDS = """
[data]
tables.friends = "friends.csv"
[unit]
table = "friends"
row = true
presence = "secret"
[columns.friends]
a = { type = "integer" }
b = { type = "integer" }
c = { lower = 0, upper = 5 }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 40
ledger = "friends.ledger"
"""


class Analyses(KithCase):
    def setUp(self):
        super().setUp()
        self.write("policy.toml", PLACES)
        draw = random.Random(5)
        self.places([(i, draw.gauss((2, 8)[i % 2], 0.5), draw.randrange(10, 20) + 60 * (i % 2), "ab"[i % 2]) for i in range(4000)])

    def places(self, rows):
        self.write("places.csv", "id,x,y,free,kind\n" + "".join(f"{i},{x},{y},1,{k}\n" for i, x, y, k in rows))

    def kmeans(self, *arguments, epsilon="2"):
        return self.run_kith("analyse", "policy.toml", "kmeans", "--columns", "x,y", "--epsilon", epsilon, *arguments)

    def test_clusters_are_found(self):
        out = self.json(self.kmeans("--clusters", "2", "--json", "--out", "out"))
        self.assertEqual(out["answer"]["columns"], ["cluster", "size", "x", "y"])
        centres = sorted((row[2], row[3], row[1]) for row in out["answer"]["rows"])
        # The noise of a mean has a scale below 0.02 in x and 0.2 in y: 40 scales are beyond 1e-15.
        for (x, y, size), (true_x, true_y) in zip(centres, [(2, 14.5), (8, 74.5)]):
            self.assertLess(abs(x - true_x), 1)
            self.assertLess(abs(y - true_y), 10)
            self.assertLess(abs(size - 2000), 800)
        self.assertIn("KMEANS-1", out["claims"])
        self.assertIn("inertia", out["details"])
        for name in ["answer.json", "answer.csv", "sizes.svg", "centres.svg"]:
            self.assertGreater((self.folder / "out" / name).stat().st_size, 100)
        self.assertEqual(json.loads((self.folder / "out" / "answer.json").read_text())["answer"], out["answer"])
        self.assertAlmostEqual(self.spent(), out["plain"]["epsilon"])

    def test_again_is_free_and_another_condition_is_not(self):
        first = self.json(self.kmeans("--clusters", "2", "--json"))
        again = self.json(self.kmeans("-k", "2", "--json"))
        self.assertTrue(again["stored"])
        self.assertEqual(first["answer"], again["answer"])
        self.assertFalse(self.json(self.kmeans("-k", "2", "--where", "kind = 'a'", "--json"))["stored"])
        self.assertAlmostEqual(self.spent(), 2 * first["plain"]["epsilon"])

    def test_explain_touches_nothing(self):
        (self.folder / "places.csv").unlink()
        out = self.json(self.kmeans("-k", "3", "--steps", "5", "--explain", "--json"))
        self.assertTrue(out["affordable"])
        self.assertEqual(len(out["statistics"]), 1 + 5 * 3 + 1)
        self.assertLessEqual(sum(line["plain_epsilon"] for line in out["statistics"]), 2.0000001)
        self.assertFalse((self.folder / "places.ledger").exists())
        self.assertIn("nothing was charged", self.ok(self.kmeans("-k", "3", "--explain")))

    def test_few_rows_are_answered_with_noise(self):
        for rows in [[], [(1, 5, 50, "a")], [(1, "", "", ""), (2, "", "", "")]]:
            self.places(rows)
            out = self.json(self.kmeans("-k", "5", "--json", epsilon="0.5"))
            self.assertEqual(len(out["answer"]["rows"]), 5)
            for _, _, x, y in out["answer"]["rows"]:
                self.assertTrue(0 <= x <= 10 and 0 <= y <= 100)

    def test_bad_input_is_refused_and_costs_nothing(self):
        def kmeans(columns, *arguments):
            return self.run_kith("analyse", "policy.toml", "kmeans", "--columns", columns, "--epsilon", "1", *arguments)
        self.refused(kmeans("x,z", "-k", "2"), 2, "no column z")
        self.refused(kmeans("x,free", "-k", "2"), 2, "free has no bounds")
        self.refused(kmeans("x,kind", "-k", "2"), 2, "kind is not a number")
        self.refused(kmeans("x,x", "-k", "2"), 2, "twice")
        self.refused(kmeans("x,y", "-k", "1"), 2, "2 to 256")
        self.refused(kmeans("x,y", "-k", "2", "--steps", "0"), 2, "steps")
        self.refused(kmeans("x,y", "-k", "2", "--where", "x >"), 2)
        self.refused(kmeans("x,y", "-k", "2", "--where", "TRUE) GROUP BY (kind"), 2, "not one expression")
        self.refused(kmeans("x,y", "-k", "2", "--where", "x > 1) GROUP BY kind HAVING (TRUE"), 2, "not one expression")
        self.refused(kmeans("x,y", "-k", "2", "--where", "x > 1) LIMIT (1"), 2)
        self.refused(kmeans("x,y", "-k", "2", "--where", "secret = 1"), 4, "secret")
        self.refused(kmeans("x,y"), 2, "--clusters")
        self.refused(self.run_kith("analyse", "policy.toml"), 2)
        self.refused(self.kmeans("-k", "2", epsilon="21"), 3)
        self.assertFalse((self.folder / "places.ledger").exists())

    def friends(self, rows, *arguments, epsilon="20"):
        self.write("friends.toml", FRIENDS)
        self.write("friends.csv", "a,b,c\n" + "".join(f"{a},{b},1\n" for a, b in rows))
        return self.run_kith("analyse", "friends.toml", "degrees", "--epsilon", epsilon, "--ends", "a,b", *arguments)

    def test_degrees_of_a_ring_with_loops_and_duplicates(self):
        ring = [(i, (i + 1) % 1000) for i in range(1000)]
        rows = ring + [(b, a) for a, b in ring] + [(i, i) for i in range(500)] + [("", 7)] * 10
        out = self.json(self.friends(rows, "--max-degree", "4", "--people", "1000", "--json", "--out", "out"))
        self.assertEqual([row[0] for row in out["answer"]["rows"]], [1, 2, 3, 4])
        people = [row[1] for row in out["answer"]["rows"]]
        self.assertLess(abs(people[1] - 1000), 50)
        self.assertLess(abs(people[0]) + abs(people[2]) + abs(people[3]), 50)
        self.assertLess(abs(out["details"]["mean_degree"] - 2), 0.1)
        at_least = [row[2] for row in out["answer"]["rows"]]
        self.assertEqual(at_least, sorted(at_least, reverse=True))
        self.assertGreater((self.folder / "out" / "at_least.svg").stat().st_size, 100)

    def people(self, rows, *arguments, epsilon="20", kind="integer"):
        policy = FRIENDS.replace("row = true", 'key = ["a", "b"]\nmax_rows = 50').replace('"integer"', f'"{kind}"').replace("friends.ledger", kind + ".ledger")
        policy = policy.replace("[unit]", 'tables.members = { source = "members.csv", public = true }\n[unit]')
        self.write("people.toml", policy + f'[columns.members]\nid = {{ type = "{kind}" }}\nteam = {{ values = ["red", "blue"] }}\n')
        self.write("members.csv", "id,team\n" + "".join(f"{i},{('red', 'blue')[i % 2]}\n" for i in range(900)))
        self.write("friends.csv", "a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
        return self.run_kith("analyse", "people.toml", "degrees", "--epsilon", epsilon, "--ends", "a,b", *arguments)

    # A hub knows everybody in a ring, which has loops, duplicates and missing ends.
    def hub(self, name):
        ring = [(i, (i + 1) % 1000, 1) for i in range(1000)]
        return (ring + [(b, a, c) for a, b, c in ring] + [(i, i, 1) for i in range(500)] + [("", 7, 1)] * 10 +
                [(name, i, 5) for i in range(1000)])

    def test_degrees_of_people_are_projected(self):
        for kind, name in [("integer", 1000), ("integer", 10**15), ("integer", -3), ("text", "hub")]:
            out = self.json(self.people(self.hub(name), "--max-degree", "4", "--json", epsilon="9", kind=kind))
            at_least = [row[2] for row in out["answer"]["rows"]]
            # The ring has room; four of the hub's thousand friends are kept. Noise of counts has the scale 8 / 7.65, that of the sum
            # 8 / 1.35: what is allowed is more than 33 scales.
            for count, truth in zip(at_least, [1001, 1001, 5, 1]):
                self.assertLess(abs(count - truth), 40)
            self.assertLess(abs(out["details"]["sum_of_degrees"] - 2008), 200)
            self.assertEqual(out["details"]["unit"], "person")
            self.assertIn("DEGREES-4", out["claims"])

    def test_degrees_of_people_by_group_and_condition(self):
        out = self.json(self.people(self.hub(1000), "--max-degree", "3", "--by", "members.team", "--names", "id", "--where",
                                    "c < 5", "--json", "--out", "out", epsilon="30"))
        self.assertEqual(out["answer"]["columns"], ["team", "degree", "people", "at_least"])
        found = {(row[0], row[1]): row[3] for row in out["answer"]["rows"]}
        for team, people in [("red", 450), ("blue", 450), (None, 100)]:
            for degree, truth in [(1, people), (2, people), (3, 0)]:
                self.assertLess(abs(found[team, degree] - truth), 40)
        self.assertEqual(len(out["details"]["groups"]), 3)
        self.assertGreater((self.folder / "out" / "people.svg").stat().st_size, 100)

    def test_degrees_of_nobody_and_of_one_pair(self):
        for rows in [[], [(1, 2, 1)], [("", "", "")] * 3, [(1, 1, 1)]]:
            out = self.json(self.people(rows, "--max-degree", "2", "--json", epsilon="0.5"))
            self.assertEqual(len(out["answer"]["rows"]), 2)

    def test_tables_of_pairs_refuse_what_they_cannot_hide(self):
        self.refused(self.people([], "--max-degree", "51"), 2, "more than the 50 rows")
        self.refused(self.people([], "--max-degree", "5", "--by", "members.id", "--names", "id"), 2, "no list of groups")
        self.refused(self.people([], "--max-degree", "5", "--by", "friends.c", "--names", "id"), 2, "public table")
        self.refused(self.people([], "--max-degree", "5", "--by", "members.team", "--names", "team"), 2, "--names")
        self.refused(self.people([], "--max-degree", "5", "--by", "members.team", "--names", "id", "--people", "9"), 2, "leave one")
        self.refused(self.people([], "--max-degree", "5", "--where", "d = 1"), 4)
        self.refused(self.people([], "--max-degree", "5", "--where", "TRUE) GROUP BY (c"), 2, "not one expression")
        self.refused(self.run_kith("analyse", "people.toml", "degrees", "--epsilon", "1", "--ends", "a,c", "--max-degree", "5"), 2,
                     "not the columns that name the units")
        self.refused(self.run_kith("query", "people.toml", "SELECT count(*) FROM friends", "--epsilon", "1"), 4, "kith analyse")
        self.refused(self.run_kith("analyse", "people.toml", "kmeans", "--columns", "c", "-k", "2", "--epsilon", "1"), 4, "kith analyse")
        self.assertFalse((self.folder / "integer.ledger").exists())

    def test_degrees_refuse_what_they_cannot_hide(self):
        self.refused(self.friends([], "--max-degree", "0"), 2, "1 to 4096")
        self.write("friends.toml", FRIENDS)
        ends = ["analyse", "friends.toml", "degrees", "--epsilon", "1", "--max-degree", "5", "--ends"]
        self.refused(self.run_kith(*ends, "a,c"), 2, "does not name people")
        self.refused(self.run_kith(*ends, "a,a"), 2, "one column")
        self.write("friends.toml", FRIENDS.replace("row = true", 'key = "c"\nmax_rows = 3').replace("c = { lower = 0, upper = 5 }", ""))
        self.refused(self.run_kith(*ends, "a,b"), 4, "not the first end")

    def test_lists_of_people(self):
        self.write("lists.toml", FRIENDS.replace("row = true", 'key = "a"\nmax_rows = 5').replace("a = { type = \"integer\" }\n", ""))
        self.write("friends.csv", "a,b,c\n" + "".join(f"{i},{i + k},1\n" for i in range(600) for k in range(1, 3)))
        lists = ["analyse", "lists.toml", "degrees", "--epsilon", "20", "--ends", "a,b", "--json", "--max-degree"]
        out = self.json(self.run_kith(*lists, "5"))
        self.assertLess(abs(out["answer"]["rows"][1][1] - 600), 50)
        self.assertIn("DEGREES-2", out["claims"])
        self.refused(self.run_kith(*lists, "6"), 2, "5 rows")

    def test_identity(self):
        identity = ["identity", "--columns", "x,y", "--epsilon", "10", "--json", "--units"]
        out = self.json(self.run_kith("analyse", "policy.toml", *identity, "0,3999"))
        self.assertEqual([row[0] for row in out["answer"]["rows"]], list(range(4000)))
        mean = sum(row[1] for row in out["answer"]["rows"]) / 4000
        self.assertLess(abs(mean - 5), 1.5)  # noise of the mean: scale 2 / sqrt(4000)
        self.refused(self.run_kith("analyse", "policy.toml", *identity, "5,4"), 2, "1 to 1000000")
        self.write("policy.toml", PLACES.replace('presence = "public"', 'presence = "secret"'))
        self.refused(self.run_kith("analyse", "policy.toml", *identity, "0,9"), 4, "presence is secret")
        # One value of each unit is a row, and rows may have to stay in the engine.
        self.write("policy.toml", PLACES.replace("tables.places", "rows_out = false\ntables.places"))
        self.refused(self.run_kith("analyse", "policy.toml", *identity, "0,9"), 4, "rows_out")


if __name__ == "__main__":
    unittest.main()
