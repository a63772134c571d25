"""The dependence coefficient, edges from profiles, and releases by sums over pairs of real columns."""
import json
import pathlib
import unittest

from kith_case import KithCase

EXAMPLES = pathlib.Path(__file__).parent.parent.parent / "examples" / "papers"
XOR = '{"kind":"joint","values":[2,2,2],"law":[0.25,0,0,0.25,0,0.25,0.25,0]}'
LINKED = '{"kind":"pairs","table":[[0.8,0.2],[0.3,0.7]],"degree":2}'
PLACES = "id,lat,lon\n" + "".join(f"{i},{40.6 + i % 7 * 0.03},{-74 + i % 5 * 0.05}\n" for i in range(60))
ON_A_PLANE = """
[data]
tables.places = "places.csv"
[unit]
table = "places"
key = "id"
max_rows = 1
presence = "public"
[columns.places]
lat = { lower = 40.5, upper = 40.9, required = true }
lon = { lower = -74.2, upper = -73.7, required = true }
[dependence]
source = "public"
kind = "pairs"
accept = "unproven"
distance = { columns = ["lat", "lon"], axes = [[40.6, 40.7, 40.8], [-74.1, -73.9]], b = 0.003, c = 1.05 }
nodes = 100
edges = "links.csv"
[budget]
epsilon = 1.0
ledger = "places.ledger"
"""


class Rho(KithCase):
    def rho(self, *arguments):
        return json.loads(self.ok(self.run_kith("rho", *arguments, "--json")))

    def test_understated_losses_are_named(self):
        self.write("xor.json", XOR)
        text = self.ok(self.run_kith("rho", "xor.json", "--report", "xor.html"))
        self.assertIn("UNDERSTATES", text)
        self.assertIn("<svg", (self.folder / "xor.html").read_text())
        eq14, eq18 = self.rho("xor.json")["equations"]
        self.assertAlmostEqual(eq14["true_loss"], 1.4338, places=4)
        self.assertEqual((eq14["most"], eq14["exceeded"], eq18["exceeded"]), (0, True, False))
        self.assertEqual(eq14["ordered_pairs"], 6)
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()))

    def test_example_1_and_figure_6(self):
        found = self.rho(EXAMPLES / "ddp_example1_sum.json", "--scale", "1")["equations"][0]
        self.assertAlmostEqual(found["per_record"][0], 1.5, places=9)
        self.assertAlmostEqual(found["dependent_sensitivity"], 2, places=9)
        names = ["ddp_example1_sum", "ddp_example1_both", "ddp_fig6_subtraction", "ddp_fig6_product", "idp_example1_family", "idp_example2_twins", "idp_rare_outbreak"]
        cases = json.loads(self.ok(self.run_kith("audit", *[EXAMPLES / f"{name}.json" for name in names], "--json")))["cases"]
        for case, true in zip(cases, [1.5, 2 / 1.5, 0.5, None, 10, 2, 1]):
            if true is not None:
                self.assertAlmostEqual(case["true"], true, places=6, msg=case["file"])
        self.assertLessEqual(cases[3]["true"], 1 + 1e-9)
        self.assertGreater(cases[3]["true"], 0.5)

    def test_pairs_are_compared_and_audited(self):
        self.write("linked.json", LINKED)
        self.assertIn("UNDERSTATES", self.ok(self.run_kith("rho", "linked.json")))
        methods = json.loads(self.ok(self.run_kith("transfer", "linked.json", "--dependent", 1, "--compare", "--json")))["methods"]
        named = {m["name"]: m for m in methods}
        self.assertGreater(named["published DDP, Eq. 14"]["loss"], 1.2)
        self.assertIn("UNPROVEN", named["kith"]["private_under"])
        audited = json.loads(self.ok(self.run_kith("audit", "linked.json", "--epsilon", 1, "--json")))
        line = next(m for m in audited["methods"] if m["name"] == "DDP, Eq. 14")
        self.assertAlmostEqual(line["scale"], named["published DDP, Eq. 14"]["scale"], places=6)
        self.assertFalse(line["kept"])
        self.assertIn("Markov tree", audited["not_shown"])

    def test_a_public_table(self):
        self.write("study.csv", "left,right,name\n" + "0,0,a\n1,1,b\n" * 9 + "0,1,a\n1,0,b\n,1,a\n")
        (self.folder / "policy.toml").unlink()
        found = self.rho("--table", "study.csv", "--columns", "left,right", "--scale", "1")
        self.assertEqual(found["names"], ["left", "right"])
        self.assertAlmostEqual(found["equations"][0]["most"], 0.776, places=3)
        self.assertIn("PUBLIC", found["notes"][0])
        self.assertIn("numbered", " ".join(self.rho("--table", "study.csv", "--columns", "left,name")["notes"]))
        self.refused(self.run_kith("rho", "--table", "study.csv", "--columns", "left"), 2, "--columns")
        self.refused(self.run_kith("rho", "--table", "study.csv", "--columns", "left,no"), 2, "no column")
        self.refused(self.run_kith("rho"), 2, "--table")

    def test_protected_tables_are_refused(self):
        self.refused(self.run_kith("rho", "--table", "people.csv", "--columns", "age,ill"), 2, "protect")
        self.refused(self.run_kith("affinity", "people.csv", "--id", "id", "--columns", "ward,ill", "--output", "e.csv"), 2, "protect")
        self.assertFalse((self.folder / "e.csv").exists())

    def test_every_kind(self):
        for model in ('{"kind":"independent"}', '{"kind":"group","size":4,"odds_ratio":2}', '{"kind":"overlap","size":10,"eta":0.01}',
                      '{"kind":"field","nodes":3,"edges":[[0,1,0.7],[1,2,0.5]]}', '{"kind":"chain","transition":[[0.8,0.2],[0.3,0.7]],"start":[0.6,0.4],"length":300}',
                      '{"kind":"chain","transition":[[[0.7,0.8],[0.2,0.3]],[0.3,0.7]],"start":"any","length":5}', '{"kind":"group","size":3,"odds_ratio":2,"hidden":true}',
                      '{"kind":"tree","parents":[-1,0],"root":[0.5,0.5],"tables":[null,[[0.8,0.2],[0.2,0.8]]]}', '{"kind":"star","neighbours":[[[0.8,0.2],[0.2,0.8]]]}',
                      '{"kind":"lipschitz","influence":[[0,0.5],[0.2,0]]}', '{"kind":"lipschitz","influence":[[0,0.5],[0.2,0]],"diameters":[1,2]}'):
            self.write("model.json", model)
            found = self.rho("model.json")
            self.assertTrue(found["notes"], model)
            for equation in found["equations"]:
                self.assertTrue(0 <= equation["least"] <= equation["most"] <= 1 + 1e-12, model)
        self.assertIn("policy", self.ok(self.run_kith("rho", "--help")))
        self.assertTrue(self.rho("policy.toml")["equations"][0]["at_most"])


class Releases(KithCase):
    def setUp(self):
        super().setUp()
        self.write("places.csv", PLACES)
        self.write("places.toml", ON_A_PLANE)
        self.write("links.csv", "a,b\n1,2\n2,3\n3,4\n4,3\n")  # one of them twice

    def loss(self, policy):
        answer = json.loads(self.ok(self.run_kith("query", policy, "SELECT avg(lat) FROM places", "--epsilon", 0.5, "--json")))
        self.assertIn("UNPROVEN", answer["unproven"])
        return answer

    def test_latitude_and_longitude_with_links_in_a_file(self):
        eq14 = self.loss("places.toml")
        self.assertEqual(eq14["dependent"]["bound"], "pair sum")
        self.assertIn("audit", eq14)  # the links are a path: there is a tree with these pairs
        text = self.ok(self.run_kith("analyse", "places.toml", "kmeans", "--columns", "lat,lon", "--clusters", 2, "--epsilon", 0.4))
        self.assertIn("UNPROVEN", text.splitlines()[0])
        self.assertIn("dependent sensitivity", self.ok(self.run_kith("rho", "places.toml")))
        self.assertIn("UNPROVEN", self.ok(self.run_kith("transfer", "places.toml", "--plain", 0.1)))

    def test_eq18_takes_other_noise_and_says_so(self):
        self.write("other.toml", ON_A_PLANE.replace('accept = "unproven"\n', 'accept = "unproven"\ncoefficient = "eq18"\n').replace("places.ledger", "other.ledger"))
        eq18 = self.loss("other.toml")
        self.assertEqual(eq18["dependent"]["bound"], "pair sum, Eq. 18")
        self.assertIn("Eq. 18", eq18["unproven"])

    def test_refused_unless_accepted_and_complete(self):
        self.write("places.toml", ON_A_PLANE.replace('accept = "unproven"\n', ""))
        self.refused(self.run_kith("query", "places.toml", "SELECT count(*) FROM places", "--epsilon", 0.1), 2, "not proved")
        self.write("places.toml", ON_A_PLANE.replace("upper = 40.9, required = true", "upper = 40.9"))
        self.refused(self.run_kith("query", "places.toml", "SELECT count(*) FROM places", "--epsilon", 0.1), 2, "missing")
        self.write("places.toml", ON_A_PLANE)
        (self.folder / "links.csv").unlink()
        self.refused(self.run_kith("query", "places.toml", "SELECT count(*) FROM places", "--epsilon", 0.1), 2, "edges")

    def test_links_with_strengths_are_refused(self):
        """A third column was ignored: strengths that somebody had declared counted for nothing."""
        self.write("places.toml", ON_A_PLANE)
        links = (self.folder / "links.csv").read_text().splitlines()
        self.write("links.csv", "\n".join([links[0] + ",theta", *(line + ",0.7" for line in links[1:])]) + "\n")
        self.write("linked.json", '{"kind":"pairs","table":[[0.8,0.2],[0.3,0.7]],"nodes":100,"edges":"links.csv"}')
        for command in (["query", "places.toml", "SELECT count(*) FROM places", "--epsilon", 0.1], ["transfer", "linked.json", "--plain", 0.1], ["rho", "places.toml"]):
            self.refused(self.run_kith(*command), 2, "more than the two columns", "leave the other columns out", 'kind = "field"')
        self.assertFalse((self.folder / "places.ledger").exists())
        self.write("links.csv", "\n".join(links) + "\n")
        self.ok(self.run_kith("transfer", "linked.json", "--plain", 0.1))

    def test_a_graph_by_eq14_claims_no_more_than_by_eq18(self):
        said = {}
        for coefficient in ("eq14", "eq18"):
            self.write(f"{coefficient}.toml", ON_A_PLANE.replace('accept =', f'coefficient = "{coefficient}"\naccept =').replace("places.ledger", f"{coefficient}.ledger"))
            said[coefficient] = self.loss(f"{coefficient}.toml")["dependent"]["adversary"]
        self.assertEqual(said["eq14"], said["eq18"])
        self.assertIn("no other record", said["eq14"])

    def test_edges_from_profiles(self):
        rows = [(1, "A", "x", "r", "g", "c"), (2, "A", "x", "r", "g", "c"), (3, "A", "x", "b", "g", "c"), (4, "B", "y", "b", "j", "n"), (5, "B", "y", "b", "j", "n")]
        self.write("profiles.csv", "name,p,q,r,s,t\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
        found = json.loads(self.ok(self.run_kith("affinity", "profiles.csv", "--id", "name", "--columns", "p,q,r,s,t", "--threshold", 0.7, "--output", "links.csv", "--json")))
        alike = {(a[0], b[0]) for a in rows for b in rows if a[0] < b[0] and sum(x == y for x, y in zip(a[1:], b[1:])) > 3.5}
        lines = (self.folder / "links.csv").read_text().splitlines()
        self.assertEqual({tuple(map(int, line.split(","))) for line in lines[1:]}, alike)
        self.assertEqual((found["edges"], found["largest_degree"], found["largest_component"]), (4, 2, 3))
        self.assertNotIn("audit", self.loss("places.toml"))  # a triangle: no tree has these links
        self.refused(self.run_kith("affinity", "profiles.csv", "--id", "p", "--columns", "q,r", "--output", "e.csv"), 2, "alike")


if __name__ == "__main__":
    unittest.main()
