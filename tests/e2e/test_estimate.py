"""kith estimate from the command line: studies from files and typed in, declarations that a policy accepts, refusals."""
import math
import os
import random
import unittest
import xml.etree.ElementTree

from kith_case import POLICY, KithCase

PUBLIC = ("--source", "public")


def twins(counts, first="a", second="b"):
    """A study with so many pairs of neither, one and both."""
    rows = ["no,no"] * counts[0] + ["yes,no", "no,yes"] * (counts[1] // 2) + ["yes,yes"] * counts[2]
    return f"{first},{second}\n" + "\n".join(rows) + "\n"


class Estimate(KithCase):
    def estimate(self, *arguments):
        return self.run_kith("estimate", *arguments)

    def test_a_file_and_counts_say_the_same_and_meet_the_exact_limit(self):
        self.write("study.csv", twins((60, 24, 16)))
        typed = self.json(self.estimate("pairs", "--counts", "60,24,16", *PUBLIC, "--json"))
        read = self.json(self.estimate("pairs", "study.csv", "--left", "a", "--right", "b", "--exchangeable", *PUBLIC, "--json"))
        self.assertEqual(typed["strengths"], read["strengths"])
        known = self.json(self.estimate("pairs", "--counts", "60,25,15", *PUBLIC, "--json"))
        self.assertAlmostEqual(known["strengths"][0]["theta"], 2.712614274783153, places=7)
        self.assertEqual(known["strengths"][0]["odds_ratio"], 15.1)
        self.assertIn("odds_ratio = 15.1  # 95 % upper limit from 100 pairs (typed in, public)", known["declaration"])
        noise = known["strengths"][0]["noise"]
        self.assertGreater(noise, 1)
        self.assertLess(noise, known["strengths"][0]["group_noise"])

    def test_a_published_random_intercept(self):
        cause = ("cause", "--by", "house", "--attribute", "ill", "--size", "6", *PUBLIC)
        out = self.json(self.estimate(*cause, "--sd", "0.4,0.8", "--json"))
        self.assertEqual(out["sd"], 0.8)  # the upper end
        self.assertAlmostEqual(out["odds_ratio"], math.exp(0.64), places=9)
        self.assertLess(out["noise"], out["either_noise"])
        self.assertLess(out["either_noise"], out["group_noise"])
        latent = self.json(self.estimate(*cause, "--icc", "0.05,0.163", "--icc-scale", "latent", "--json"))
        self.assertAlmostEqual(latent["sd"], math.sqrt(0.163 / 0.837 * math.pi ** 2 / 3), delta=0.001)
        text = self.ok(self.estimate(*cause, "--sd", "0.4,0.8"))
        self.assertIn("shared = { sd = 0.8 }", text)
        self.assertIn("infect each other", " ".join(text.split()))
        for scale in ("observed", "linear"):
            refused = self.estimate(*cause, "--icc", "0.05,0.163", "--icc-scale", scale)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("how common yes is", " ".join(refused.stderr.split()))
        for wrong in (("--sd", "0.8,0.4"), ("--icc", "0.1,0.2"), ("--icc", "0.1,1", "--icc-scale", "latent"), ("--sd", "1,40"), ()):
            self.assertEqual(self.estimate(*cause, *wrong).returncode, 2, wrong)

    def test_groups_that_share_one_cause(self):
        rows = [(i // 3, random.Random(i).random() < (0.5 if random.Random(i // 3 + 10 ** 6).random() < 0.5 else 0.25)) for i in range(6000)]
        self.write("study.csv", "h,ill\n" + "".join(f"{h},{'yes' if ill else 'no'}\n" for h, ill in rows))
        study = ("households", "study.csv", "--by", "h", "--value", "ill", *PUBLIC, "--json")
        either, shared = self.json(self.estimate(*study)), self.json(self.estimate(*study, "--shared"))
        self.assertIn('attribute = "ill"\nshared = { odds_ratio = ', shared["declaration"])
        self.assertLessEqual(shared["strengths"][0]["noise"], either["strengths"][0]["noise"])
        head, tail = POLICY.split("[dependence]")
        self.write("policy.toml", head + shared["declaration"].replace('by = "h"', 'by = "house"') + tail[tail.index("[budget]"):])
        answer = self.json(self.ask("SELECT count(*) AS n FROM people", "--epsilon", "0.1", "--json"))
        self.assertIn("one cause that acts in the same direction on all", answer["assumption"])

    def test_more_data_and_the_picture(self):
        out = self.json(self.estimate("pairs", "--counts", "60,25,15", *PUBLIC, "--json", "--plot", "limit.svg"))
        odds = [line["odds_ratio"] for line in out["outlook"]]
        self.assertEqual(odds, sorted(odds, reverse=True))
        self.assertGreater(out["half_with_times"], 1)
        xml.etree.ElementTree.fromstring((self.folder / "limit.svg").read_text())
        text = self.ok(self.estimate("pairs", "--counts", "60,25,15", *PUBLIC))
        self.assertIn("Half of it needs", " ".join(text.split()))
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        many = self.ok(self.estimate("pairs", "--counts", "6000,2500,1500", *PUBLIC))
        self.assertIn("would halve it", " ".join(many.split()))
        words = self.ok(self.estimate("pairs", "--counts", "60,25,15", *PUBLIC, "--explain"))
        self.assertIn("95 % sure", " ".join(words.split()))

    def test_the_declaration_is_accepted_and_the_certificate_states_its_confidence(self):
        self.write("study.csv", "h,ill\n" + "".join(f"{i // 3},{'yes' if random.Random(i // 3 if i % 2 else i).random() < 0.4 else 'no'}\n"
                                                    for i in range(3000)))
        out = self.json(self.estimate("households", "study.csv", "--by", "h", "--value", "ill", *PUBLIC, "--json"))
        self.assertEqual(len(out["findings"]), 2)
        head, tail = POLICY.split("[dependence]")
        declared = out["declaration"].replace('by = "h"', 'by = "house"')
        self.write("policy.toml", head + declared + tail[tail.index("[budget]"):])
        answer = self.json(self.ask("SELECT count(*) AS n FROM people", "--epsilon", "0.1", "--json"))
        self.assertEqual(answer["confidence"], 0.95)
        self.assertIn("with 95 % confidence in the declared strength", answer["assumption"])
        self.assertIn("with 95 % confidence in the declared strength", " ".join(self.ok(self.run_kith("budget", "policy.toml")).split()))
        self.write("policy.toml", (self.folder / "policy.toml").read_text().replace("confidence = 0.95", "confidence = 95"))
        self.assertEqual(self.ask().returncode, 2)

    def test_a_common_odds_ratio_where_a_combination_is_missing(self):
        rows = []
        for house, ill in enumerate([()] * 300 + [(0,), (1,), (2,), (3,)] * 12 + [(0, 1), (1, 2), (2, 3), (0, 3)] * 6):
            rows += [f"{house},{int(k in ill)}\n" for k in range(4)]
        self.write("study.csv", "h,ill\n" + "".join(rows))
        about = ("households", "study.csv", "--by", "h", "--value", "ill", *PUBLIC, "--json")
        self.assertEqual(self.json(self.estimate(*about))["strengths"][0]["odds_ratio"], "inf")
        out = self.json(self.estimate(*about, "--common"))
        self.assertEqual(out["sample"], 372)
        self.assertGreater(out["strengths"][0]["odds_ratio"], 1)
        self.assertLess(out["strengths"][0]["odds_ratio"], 1000)
        self.assertIn('kind = "group"', out["declaration"])

    def test_strata_are_kept_apart(self):
        rows = [(zygosity, pair) for zygosity, counts in (("mz", (270, 18, 12)), ("dz", (240, 50, 10)))
                for pair in twins(counts).splitlines()[1:]]
        self.write("twins.csv", "zygosity,a,b\n" + "".join(f"{z},{p}\n" for z, p in rows))
        out = self.json(self.estimate("pairs", "twins.csv", "--left", "a", "--right", "b", "--exchangeable", "--stratum", "zygosity", *PUBLIC, "--json"))
        self.assertEqual([s["stratum"] for s in out["strengths"]], ["dz", "mz"])
        self.assertGreater(out["strengths"][1]["odds_ratio"], out["strengths"][0]["odds_ratio"])
        self.assertIn('odds_ratio = { "zygosity" = { "dz" = ', out["declaration"])

    def test_concordance_takes_the_worst_table_that_rounds_to_it(self):
        exact = self.json(self.estimate("pairs", "--counts", "270,18,12", *PUBLIC, "--json"))["strengths"][0]["theta"]
        for arguments in (("--concordance", "0.57"), ("--concordance", "0.40", "--concordance-kind", "pairwise")):
            out = self.json(self.estimate("pairs", *arguments, "--prevalence", "0.070", "--pairs", "300", *PUBLIC, "--json"))
            self.assertGreaterEqual(out["strengths"][0]["theta"], exact - 1e-9)
        self.assertEqual(self.estimate("pairs", "--concordance", "0.5", *PUBLIC).returncode, 2)

    def test_a_chain_becomes_a_model_that_transfer_reads(self):
        rng, state, rows = random.Random(5), 0, []
        for day in range(4000):
            state = int(rng.random() < (0.2, 0.7)[state])
            rows.append(f"{day},{'high' if state else 'low'}\n")
        rng.shuffle(rows)
        self.write("days.csv", "day,level\n" + "".join(rows))
        out = self.json(self.estimate("chain", "days.csv", "--order", "day", "--value", "level", "--length", "100", "--model", "chain.json", *PUBLIC, "--json"))
        self.assertEqual(out["sample"], 3999)
        self.assertGreater(out["strengths"][0]["theta"], math.log(0.7 / 0.3 * 0.8 / 0.2))
        self.assertLess(out["strengths"][0]["noise"], 6)
        self.assertIn('kind = "chain"', out["declaration"])
        self.assertIn('start = "any"', out["declaration"])
        self.assertRegex(out["declaration"], r"transition = \[\[\[0\.\d+, 0\.\d+\], ")
        plain = self.json(self.run_kith("transfer", "chain.json", "--dependent", "1", "--json"))["plain"]
        self.assertAlmostEqual(1 / plain, out["strengths"][0]["noise"], places=6)

    def test_a_network_uses_pairs_that_are_apart(self):
        rng = random.Random(3)
        people, ties = [], []
        for k in range(400):  # pairs on their own, and a few with a common friend
            ill = rng.random() < 0.5
            people += [f"{2 * k},{'yes' if ill else 'no'}", f"{2 * k + 1},{'yes' if rng.random() < (0.7 if ill else 0.3) else 'no'}"]
            ties.append(f"{2 * k},{2 * k + 1}")
        ties += [f"{2 * k},{2 * k + 2}" for k in range(0, 40, 2)]
        self.write("people.txt", "id\till\n" + "\n".join(people).replace(",", "\t") + "\n")
        self.write("ties.csv", "x,y\n" + "\n".join(ties) + "\n")
        out = self.json(self.estimate("network", "people.txt", "--id", "id", "--value", "ill", "--edges", "ties.csv", *PUBLIC, "--json"))
        self.assertEqual(out["sample"], 400 - 20)
        self.assertGreater(out["strengths"][0]["odds_ratio"], 49 / 9)
        self.assertEqual(out["size"], 800)
        self.assertIn('edges = "ties.csv"', out["declaration"])

    def test_protected_data_are_refused_by_name_and_by_their_columns(self):
        about = ("--by", "house", "--value", "ill", *PUBLIC)
        for file in ("people.csv", "./people.csv", str(self.folder / "people.csv")):
            done = self.estimate("households", file, *about)
            self.assertEqual(done.returncode, 2)
            self.assertIn("which protects it", done.stderr)
        os.symlink(self.folder / "people.csv", self.folder / "study.csv")
        self.assertIn("which protects it", self.estimate("households", "study.csv", *about).stderr)
        (self.folder / "elsewhere").mkdir()
        (self.folder / "policy.toml").rename(self.folder / "elsewhere" / "policy.toml")
        text = (self.folder / "elsewhere" / "policy.toml").read_text()
        self.write("elsewhere/policy.toml", text.replace('"people.csv"', '"../people.csv"'))
        self.assertIn("which protects it", self.estimate("households", "people.csv", *about, "--policy", "elsewhere/policy.toml").stderr)
        self.write("copy.csv", (self.folder / "people.csv").read_text())
        done = self.estimate("households", "copy.csv", *about, "--policy", "elsewhere/policy.toml")
        self.assertIn("all the columns of table 'people'", " ".join(done.stderr.split()))
        self.assertEqual(done.returncode, 2)
        self.write("other.csv", twins((60, 24, 16)))
        self.ok(self.estimate("pairs", "other.csv", "--left", "a", "--right", "b", "--policy", "elsewhere/policy.toml", *PUBLIC))

    def test_the_check_above_sees_a_file_that_is_read(self):
        # The same file where no policy protects it, and a copy for a policy about other columns: each is read, and a strength comes out.
        about = ("--by", "house", "--value", "ill", *PUBLIC)
        (self.folder / "policy.toml").rename(self.folder / "other.txt")
        self.assertGreater(self.json(self.estimate("households", "people.csv", *about, "--json"))["sample"], 0)
        self.write("copy.csv", (self.folder / "people.csv").read_text())
        (self.folder / "elsewhere").mkdir()
        policy = (self.folder / "other.txt").read_text().replace("age   =", "years =")
        self.assertIn("years =", policy)
        self.write("elsewhere/policy.toml", policy)
        self.assertGreater(self.json(self.estimate("households", "copy.csv", *about, "--policy", "elsewhere/policy.toml", "--json"))["sample"], 0)

    def distances(self, rows, *arguments):
        self.write("friends.csv", "a,b,x,y\n" + "".join(f"{a},{b},{x},{y}\n" for a, b, x, y in rows))
        return self.estimate("distances", "friends.csv", "--id", "a,b", "--left", "x", "--right", "y", "--axis", "0,1,2,3", *PUBLIC, *arguments)

    def test_distances_need_people_who_are_in_one_pair(self):
        random_places = random.Random(5)
        apart = []
        for k in range(400):
            x = random_places.randrange(4)
            apart.append((f"p{k}", f"q{k}", x, random_places.choices(range(4), [1 / (abs(x - y) + 1) for y in range(4)])[0]))
        out = self.json(self.distances(apart, "--json"))
        self.assertEqual(out["sample"], 400)
        self.assertTrue(any("nobody is in two of them, which was checked" in each for each in out["conditions"]), out["conditions"])
        # As a list of friendships has them: one person on the left twice, on the right twice, on either side, with themselves, and each pair both ways.
        for more, people in (([("p3", "new", 0, 1)], 1), ([("new", "q3", 0, 1)], 1), ([("new", "p3", 0, 1)], 1), ([("new", "new", 1, 1)], 1),
                             ([(b, a, y, x) for a, b, x, y in apart], 800)):
            done = self.distances(apart + more)
            self.assertEqual(done.returncode, 2, done.stdout)
            text = " ".join(done.stderr.split())
            self.assertIn(f"{people} {'person is' if people == 1 else 'people are'} in more than one pair", text)
            self.assertIn("keep one pair of each person", text)
            self.assertNotIn("p3", text)
        self.assertEqual(self.json(self.distances(apart + [("", "q3b", 0, 1), ("", "q4b", 0, 1)], "--json"))["left_out"], 2)
        self.assertEqual(self.estimate("distances", "friends.csv", "--left", "x", "--right", "y", "--axis", "0,1,2,3", *PUBLIC).returncode, 2)

    def test_the_check_above_sees_pairs_that_are_listed_many_times(self):
        # The fault, by names that hide it: the same 600 pairs eight times over pass for 4800, and the limit falls although nothing more is known.
        one = random.Random(8)
        pairs = []
        for k in range(600):
            x = one.randrange(4)
            pairs.append((x, one.choices(range(4), [(abs(x - y) + 1.0) ** -1.05 for y in range(4)])[0]))
        few = self.json(self.distances([(f"a{k}", f"b{k}", x, y) for k, (x, y) in enumerate(pairs)], "--json"))
        hidden = self.json(self.distances([(f"a{t}-{k}", f"b{t}-{k}", x, y) for t in range(8) for k, (x, y) in enumerate(pairs)], "--json"))
        self.assertEqual(hidden["sample"], 4800)
        limit = [math.inf if s["odds_ratio"] == "inf" else s["odds_ratio"] for s in (few["strengths"][0], hidden["strengths"][0])]
        self.assertLess(limit[1], limit[0] / 1.5)
        self.assertEqual(self.distances([(f"a{k}", f"b{k}", x, y) for _ in range(8) for k, (x, y) in enumerate(pairs)]).returncode, 2)

    def test_bad_input_is_refused_with_what_to_do(self):
        self.write("study.csv", "a,b,c\n1,0,x\n0,0,y\n")
        for arguments, says in ((("study.csv", "--left", "a", "--right", "z"), "no column 'z'"), (("study.csv", "--left", "a", "--right", "c"), "--yes"),
                                (("none.csv", "--left", "a", "--right", "b"), "no such file"), (("--table", "1,2,3,4", "--counts", "1,2,3"), "several studies"),
                                ((), "there is no study"), (("--counts", "0,0,0"), "no pairs to count"), (("--counts", "60,25,15", "--confidence", "1"), "--confidence"),
                                (("--counts", "60,-25,15"), "negative")):
            done = self.estimate("pairs", *arguments, *PUBLIC)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(says, " ".join(done.stderr.split()), arguments)
        self.assertEqual(self.estimate("pairs", "--counts", "60,25,15").returncode, 2)  # whose data?
        out = self.json(self.estimate("pairs", "--counts", "190,10,0", *PUBLIC, "--json"))
        self.assertEqual(out["strengths"][0]["odds_ratio"], "inf")
        self.assertIn("odds_ratio = inf", out["declaration"])


if __name__ == "__main__":
    unittest.main()
