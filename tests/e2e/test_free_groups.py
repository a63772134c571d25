"""Rows of groups are cut to the declared size, and their noise is made for it: under another size nothing of them is free."""
import unittest

from kith_case import POLICY, KithCase

ROWS = "SELECT sum(greatest(c - 1, 0)) AS s FROM (SELECT house, count(*) FILTER (WHERE ill = 'yes') AS c FROM people GROUP BY house) AS h"
PLAIN = "SELECT ward, count(*) AS n FROM people WHERE ill = 'yes' AND house > 3 GROUP BY ward"
LARGE = POLICY.replace("epsilon = 1.0", "epsilon = 400.0").replace("odds_ratio = 4\n", "")
BY = LARGE.replace("size = 3", "size = 30")
WITHIN = LARGE.replace('kind = "group"\nby = "house"\nsize = 3', 'kind = "independent"').replace('presence = "public"', 'presence = "public"\nwithin = "house"\nsize = 30')

QUERY = ("query", "policy.toml", ROWS, "--epsilon", "1")
PLAN = ("plan", "policy.toml", "q.sql", "--epsilon", "2", "--answer")


def smaller(policy):
    return policy.replace("size = 30", "size = 3")


def richer(policy):
    return policy.replace("epsilon = 400.0", "epsilon = 401.0")


def offered(policy, after, epsilon):
    """What buys as much noise: of a dependence inside groups of 3, ten times as little as inside groups of 30."""
    return epsilon / 10 if (policy, after) == (BY, smaller) else epsilon


class FreeGroups(KithCase):
    def is_free(self, command, policy, after, epsilon, sql=ROWS):
        """Whether a question is free under another policy than that under which something was paid, in a folder of its own."""
        super().setUp()
        self.write("q.sql", ROWS + ";\nSELECT ward, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY ward;\n")
        self.write("policy.toml", policy)
        self.ok(self.run_kith("import", "policy.toml"))
        self.ok(self.run_kith(*command))
        self.write("policy.toml", after(policy))
        epsilon = offered(policy, after, epsilon)
        explained = self.json(self.run_kith("explain", "policy.toml", sql, "--epsilon", str(epsilon), "--json"))
        answer = self.json(self.ask(sql, "--epsilon", str(epsilon), "--json"))
        self.assertEqual(explained.get("stored", False), answer["stored"])
        return answer["stored"]

    # At a lower price, and at the same.
    def test_rows_of_groups_of_another_size_are_not_free_FREE2(self):
        for policy in (WITHIN, BY):
            for epsilon in (0.9, 1):
                self.assertFalse(self.is_free(QUERY, policy, smaller, epsilon), (policy, epsilon))

    def test_neither_are_those_of_a_plan_FREE2(self):
        for policy in (WITHIN, BY):
            self.assertFalse(self.is_free(PLAN, policy, smaller, 0.5), policy)

    def test_the_check_above_sees_the_same_size(self):
        for policy in (WITHIN, BY):
            for command, epsilon in ((QUERY, 0.9), (QUERY, 1), (PLAN, 0.5)):
                self.assertTrue(self.is_free(command, policy, richer, epsilon), (policy, command))

    def test_what_has_no_such_rows_stays_free(self):
        for policy in (WITHIN, BY):
            self.assertTrue(self.is_free(("query", "policy.toml", PLAIN, "--epsilon", "1"), policy, smaller, 0.9, PLAIN), policy)

    def test_the_difference_of_two_policies_says_so(self):
        for policy in (WITHIN, BY):
            self.write("policy.toml", policy)
            self.write("new.toml", smaller(policy))
            diff = self.json(self.run_kith("policy", "diff", "policy.toml", "new.toml", "--json"))
            self.assertEqual((diff["accepted"], diff["asked_again"]), (True, ["people.house"]))


if __name__ == "__main__":
    unittest.main()
