"""Questions from the command line: answers, certificates, prices and the budget."""
import json
import os
import pathlib
import unittest

from kith_case import ILL, PEOPLE, POLICY, KithCase


class Questions(KithCase):
    def test_the_certificate_has_every_field(self):
        out = self.json(self.ask(ILL, "--epsilon", "0.1", "--json"))
        for field in ["answer", "error_95", "noise", "plain", "dependent", "assumption", "dependence_source", "neighbours", "claims",
                      "ledger_entry", "ledger_hash"]:
            self.assertIn(field, out)
        self.assertEqual(out["answer"]["columns"], ["n"])
        self.assertGreater(out["dependent"]["epsilon_total"], out["plain"]["spent_total"])
        self.assertLessEqual(out["dependent"]["epsilon_total"], 0.1 * 1.2)
        self.assertEqual(out["noise"][0]["sensitivity"], 1)
        self.assertAlmostEqual(out["noise"][0]["scale"] * out["plain"]["epsilon"], 1, places=6)

    def test_the_same_question_is_free_and_equal(self):
        first = self.json(self.ask(ILL, "--epsilon", "0.1", "--json"))
        again = self.json(self.ask("select COUNT(*) as n from people where (ill='yes')", "--epsilon", "0.1", "--json"))
        self.assertFalse(first["stored"])
        self.assertTrue(again["stored"])
        self.assertEqual(first["answer"], again["answer"])
        self.assertAlmostEqual(self.spent(), first["plain"]["epsilon"])

    def test_ten_tenths_fit_and_an_eleventh_does_not(self):
        for i in range(10):
            self.ok(self.ask(f"SELECT count(*) FROM people WHERE ill = 'yes' AND age > {i}", "--epsilon", "0.1"))
        self.refused(self.ask("SELECT count(*) FROM people WHERE ill = 'yes' AND age > 11", "--epsilon", "0.1"), 3, "try:")
        report = self.json(self.run_kith("budget", "policy.toml", "--json"))
        worst = max(cell["dependent_spent"] for cell in report["cells"])
        self.assertLessEqual(worst, 1.0)
        self.assertGreater(worst, 0.99)

    def test_disjoint_wards_are_affordable_only_because_of_public_cells(self):
        for ward in "ABC":
            self.ok(self.ask(f"SELECT count(*) FROM people WHERE ill = 'yes' AND ward = '{ward}'", "--epsilon", "0.9"))
        self.refused(self.ask(ILL, "--epsilon", "0.9"), 3)

    def test_secret_columns_are_not_cells(self):
        self.ok(self.ask("SELECT count(*) FROM people WHERE ill = 'yes' AND age < 50", "--epsilon", "0.9"))
        self.refused(self.ask("SELECT count(*) FROM people WHERE ill = 'yes' AND age >= 50", "--epsilon", "0.9"), 3)

    def test_every_group_appears(self):
        out = self.json(self.ask("SELECT ward, ill, count(*) AS n FROM people GROUP BY ward, ill", "--epsilon", "0.1", "--json"))
        self.assertEqual(len(out["answer"]["rows"]), 9)  # three wards; no, yes and NULL

    def test_an_error_bar_buys_its_price(self):
        out = self.json(self.ask(ILL, "--error", "30", "--json"))
        self.assertLessEqual(out["error_95"][0][0], 30)
        self.assertGreaterEqual(out["error_95"][0][0], 29)

    def test_explain_charges_nothing_and_needs_no_data(self):
        (self.folder / "people.csv").unlink()
        out = self.json(self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.1", "--json"))
        self.assertTrue(out["affordable"])
        self.assertFalse((self.folder / "people.ledger").exists())

    def test_answers_are_near_the_truth(self):
        out = self.json(self.ask("SELECT count(*) AS n, avg(age) AS a FROM people WHERE ill = 'yes'", "--epsilon", "1", "--json"))
        n, _ = out["answer"]["rows"][0]
        # 43 people are ill; 40 scales is beyond e^-40 for discrete Laplace noise: a false alarm below 1e-17.
        self.assertLess(abs(n - 43), 40 * max(line["scale"] for line in out["noise"][:2]) + 1)

    def test_formats(self):
        self.assertIn("n,n_error_95", self.ok(self.ask(ILL, "--epsilon", "0.1", "--format", "csv")))
        table = self.ok(self.ask(ILL, "--epsilon", "0.1"))
        self.assertIn("assumption", table)
        self.assertTrue(all(len(line) <= 80 for line in table.splitlines()), table)

    def test_csv_has_error_columns_for_noisy_numbers_only(self):
        out = self.ok(self.ask("SELECT ward, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY ward", "--epsilon", "0.1",
                               "--format", "csv"))
        self.assertEqual(out.splitlines()[0], "ward,n,n_error_95")
        self.assertEqual({line.count(",") for line in out.splitlines()}, {2})

    def test_the_budget_in_a_file_has_whole_questions(self):
        long = ILL + " AND age > 3 AND age < 117 AND age <> 50 AND age <> 51"
        self.ok(self.ask(long, "--epsilon", "0.1"))
        question = self.json(self.run_kith("budget", "policy.toml", "--json"))["history"][0]["question"]
        self.assertIn(question, self.ok(self.run_kith("budget", "policy.toml")))

    def test_explain_shows_how_far_an_average_can_be_off(self):
        sql = "SELECT ward, avg(age) AS a FROM people WHERE ill = 'yes' GROUP BY ward"
        text = self.ok(self.run_kith("explain", "policy.toml", sql, "--epsilon", "0.5"))
        self.assertRegex(text, r"a: about [0-9.]+ with 1,000")
        self.assertNotRegex(text, r"\de\+")
        out = self.json(self.run_kith("explain", "policy.toml", sql, "--epsilon", "0.5", "--json"))
        bars = [at["error_95"] for at in out["averages"][0]["by_rows"]]
        self.assertEqual(bars, sorted(bars, reverse=True))

    def test_a_question_from_standard_input(self):
        out = self.json(self.run_kith("query", "policy.toml", "-", "--epsilon", "0.1", "--json", input=ILL + "\n"))
        self.assertEqual(out["answer"]["columns"], ["n"])

    def test_transfer_takes_a_policy(self):
        self.write("model.json", '{"kind":"group","size":3,"odds_ratio":4}')
        by_model = self.json(self.run_kith("transfer", "model.json", "--plain", "0.25", "--json"))
        by_policy = self.json(self.run_kith("transfer", "policy.toml", "--plain", "0.25", "--json"))
        self.assertEqual(by_model["dependent"], by_policy["dependent"])
        classes = POLICY.replace("odds_ratio = 4", "odds_ratio = { ward = { A = 4, B = 2, C = 1.5 } }")
        self.write("classes.toml", classes)
        strongest = self.json(self.run_kith("transfer", "classes.toml", "--plain", "0.25", "--json"))
        self.assertEqual(by_model["dependent"], strongest["dependent"])

    def test_the_assumption_is_one_sentence(self):
        self.write("policy.toml", POLICY.replace("odds_ratio = 4", "odds_ratio = { ward = { A = 4, B = 2, C = 1.5 } }"))
        assumes = self.json(self.run_kith("budget", "policy.toml", "--json"))["assumption"]
        self.assertEqual(assumes.count("groups are independent"), 1)
        self.assertIn("at most 4 for A, 2 for B and 1.5 for C", assumes)

    def test_a_new_dependence_counts_the_history_anew(self):
        self.ok(self.ask(ILL, "--epsilon", "0.5"))
        before = self.json(self.run_kith("budget", "policy.toml", "--json"))
        self.write("policy.toml", POLICY.replace("odds_ratio = 4", "odds_ratio = 100"))
        after = self.json(self.run_kith("budget", "policy.toml", "--json"))
        self.assertTrue(after["policy_changed"])
        self.assertEqual(before["cells"][0]["plain_spent"], after["cells"][0]["plain_spent"])
        self.assertGreater(after["cells"][0]["dependent_spent"], before["cells"][0]["dependent_spent"])

    def test_a_relative_in_another_cell_is_not_at_zero(self):
        self.ok(self.ask(ILL + " AND ward = 'A'", "--epsilon", "0.5"))
        cells = self.json(self.run_kith("budget", "policy.toml", "--json"))["cells"]
        by_name = {cell["name"]: cell for cell in cells}
        self.assertEqual(by_name["ward=B"]["plain_spent"], 0)
        self.assertEqual(by_name["ward=B"]["dependent_spent"], by_name["ward=A"]["dependent_spent"])

    def test_names_and_the_order_of_rows_are_no_other_question(self):
        def asked(sql):
            out = self.json(self.ask(sql, "--epsilon", "0.1", "--json"))
            return out["stored"], out["answer"]["columns"], out["answer"]["rows"]
        stored, columns, rows = asked("SELECT ward, ill, count(*) AS n FROM people GROUP BY ward, ill ORDER BY n DESC")
        self.assertEqual((stored, columns), (False, ["ward", "ill", "n"]))
        self.assertEqual([row[2] for row in rows], sorted((row[2] for row in rows), reverse=True))
        spent = self.spent()
        stored, columns, plain = asked("SELECT ward, ill, count(*) FROM people GROUP BY ward, ill")
        self.assertEqual((stored, columns), (True, ["ward", "ill", "count(*)"]))
        wards = [row[0] for row in plain]
        self.assertEqual(wards, [ward for k, ward in enumerate(wards) for _ in range(wards.count(ward)) if ward not in wards[:k]], "by groups")
        self.assertEqual(sorted(map(str, plain)), sorted(map(str, rows)))
        self.assertEqual(asked("SELECT ward, ill, count(*) AS n FROM people GROUP BY ward, ill ORDER BY n DESC"), (True, ["ward", "ill", "n"], rows))
        self.assertEqual(asked("SELECT ward AS age, ill AS w, count(*) AS ill FROM people GROUP BY 1, 2 ORDER BY 3"),
                         (True, ["age", "w", "ill"], sorted(plain, key=lambda row: row[2])))
        stored, columns, turned = asked("SELECT count(*) AS k, ill, ward AS w FROM people GROUP BY ill, ward ORDER BY k DESC")
        self.assertEqual((stored, columns), (True, ["k", "ill", "w"]))
        self.assertEqual(sorted(str([w, ill, k]) for k, ill, w in turned), sorted(map(str, rows)))
        self.assertEqual([row[0] for row in turned], [row[2] for row in rows])
        # Other questions, made of the same noisy counts.
        top = "SELECT ward, ill, count(*) AS n FROM people GROUP BY ward, ill ORDER BY n DESC LIMIT 2"
        self.assertEqual([row[2] for row in asked(top)[2]], [row[2] for row in rows[:2]])
        chosen = self.json(self.ask(top, "--epsilon", "0.1", "--json"))["error_95"]
        whole = self.json(self.ask("SELECT ward, ill, count(*) FROM people GROUP BY ward, ill", "--epsilon", "0.1", "--json"))["error_95"]
        self.assertGreater(chosen[0][2], whole[0][2])
        self.assertEqual(asked("SELECT count(*) AS n FROM people GROUP BY ward, ill ORDER BY n DESC")[2], [[row[2]] for row in rows])
        self.assertEqual(asked("SELECT count(*) AS n FROM people GROUP BY ward, ill")[2], [[row[2]] for row in plain])
        self.assertEqual(self.spent(), spent)

    def test_a_stored_answer_carries_the_totals_of_now(self):
        first = self.json(self.ask(ILL, "--epsilon", "0.1", "--json"))
        self.ok(self.ask(ILL + " AND age > 3", "--epsilon", "0.1"))
        again = self.json(self.ask(ILL, "--epsilon", "0.1", "--json"))
        self.assertTrue(again["stored"])
        self.assertAlmostEqual(again["plain"]["spent_total"], 2 * first["plain"]["spent_total"])

    def test_a_stored_answer_names_the_adversary_of_its_total(self):
        """At small totals a bound wins that covers more knowledge than the one that wins later."""
        head, tail = POLICY.split("[dependence]")
        head = head.replace('age   = { lower = 0, upper = 120 }\n', "").replace('["no", "yes"] }', '["no", "yes"], required = true }')
        links = [[a, b, 2.0] for a in range(10) for b in range(a)]
        model = f'[dependence]\nsource = "public"\nkind = "field"\nnodes = 10\nedges = {links}\nprevalence = [0.3, 0.7]\n'
        self.write("policy.toml", head + model + "[budget]" + tail.split("[budget]")[1].replace("1.0", "9.0"))
        self.write("people.csv", "".join(PEOPLE.splitlines(True)[:11]))
        first = self.json(self.ask(ILL, "--epsilon", "0.01", "--json"))
        later = self.json(self.ask(ILL.replace("yes", "no"), "--epsilon", "8.9", "--json"))
        again = self.json(self.ask(ILL, "--epsilon", "0.01", "--json"))
        self.assertTrue(again["stored"])
        self.assertNotEqual(first["dependent"]["adversary"], later["dependent"]["adversary"])
        self.assertEqual(again["dependent"], later["dependent"])

    def test_an_analyst_sees_no_exact_counts_of_an_import(self):
        self.write("policy.toml", POLICY.replace('presence = "public"', 'presence = "secret"'))
        self.write("people.csv", PEOPLE + "broken\n")
        done = self.ask(ILL, "--epsilon", "0.1")
        self.ok(done)
        self.assertNotRegex(done.stderr, r"\d")
        (self.folder / "people.csv").write_text(PEOPLE + "broken,again\n")
        self.assertIn("300", self.run_kith("import", "policy.toml").stderr)

    def test_a_graph_that_changes_is_read_again(self):
        policy = POLICY.replace('kind = "group"\nby = "house"\nsize = 3\nodds_ratio = 4',
                                'kind = "field"\nedges = "e.csv"\nnodes = 300')
        self.write("policy.toml", policy)
        self.write("e.csv", "a,b,theta\n0,1,0.1\n1,2,0.1\n")
        os.utime(self.folder / "e.csv", (1, 1))
        weak = self.json(self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.5", "--json"))
        self.write("e.csv", "a,b,theta\n0,1,9.1\n1,2,9.1\n")
        os.utime(self.folder / "e.csv", (1, 1))  # the same size and date
        strong = self.json(self.run_kith("explain", "policy.toml", ILL, "--epsilon", "0.5", "--json"))
        self.assertLess(strong["plain"]["epsilon"], weak["plain"]["epsilon"])
        self.assertEqual(weak["bound"], "field")

    def test_transfer_gives_the_vector(self):
        self.write("model.json", '{"kind":"group","size":4,"odds_ratio":2}')
        out = self.json(self.run_kith("transfer", "model.json", "--plain", "0.25", "--json"))
        vectors = json.loads((pathlib.Path(__file__).parent.parent / "vectors" / "transfer.json").read_text())
        wanted = next(v for v in vectors if v["id"] == "transfer.group.odds.4.2.0.25")
        self.assertAlmostEqual(out["dependent"], wanted["expected"]["dependent"], delta=wanted["tolerance"])
        self.assertGreaterEqual(out["dependent"], wanted["expected"]["dependent"])  # rounded to the safe side
        self.assertEqual(out["bound"], "association")
        back = self.json(self.run_kith("transfer", "model.json", "--dependent", str(out["dependent"]), "--json"))
        self.assertAlmostEqual(back["plain"], 0.25, places=9)
        self.assertLessEqual(back["dependent"], out["dependent"])

    def test_help_has_an_example_for_every_verb(self):
        for verb in ["init", "import", "explain", "query", "budget", "transfer"]:
            self.assertIn("Example:", self.ok(self.run_kith(verb, "--help")))

    def test_init_writes_a_policy_to_fill_in(self):
        text = self.ok(self.run_kith("init", "people.csv"))
        self.assertIn("[unit]", text)
        self.assertNotIn("299", text)  # no value of the data
        self.write("new.toml", text)
        self.refused(self.ask(ILL, policy="new.toml"), 2, "new.toml")


if __name__ == "__main__":
    unittest.main()
