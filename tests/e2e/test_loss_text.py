"""What people read is never less than what was lost: the printed losses beside those of --json, which keep every digit."""
import re
import unittest

from kith_case import ILL, KithCase

NUMBER = r"([0-9.]+(?:e-?[0-9]+)?)"


def shown(text, pattern):
    """The numbers that a pattern with # for each of them finds in printed text."""
    found = re.search(pattern.replace("#", NUMBER), " ".join(text.split()))
    if found is None:
        raise AssertionError(f"{pattern} is not in {text}")
    return [float(number) for number in found.groups()]


def too_small(printed, true):
    return [(p, t) for p, t in zip(printed, true, strict=True) if p < t]


class PrintedLosses(KithCase):
    EPSILONS = ("0.05", "0.0777", "0.031", "0.123", "0.0419")

    def test_certificates_and_explanations(self):
        pairs = []
        for k, epsilon in enumerate(self.EPSILONS):
            sql = ILL + f" AND house <> {k}"
            before = self.run_kith("explain", "policy.toml", sql, "--epsilon", epsilon)
            exact = self.json(self.run_kith("explain", "policy.toml", sql, "--epsilon", epsilon, "--json"))
            pairs.append((shown(self.ok(before), "plain loss # for this question; # in all afterwards dependent # before, # afterwards"),
                          [exact["plain"]["epsilon"], exact["plain_spent_after"], exact["dependent_before"], exact["dependent_after"]]))
            out = self.json(self.ask(sql, "--epsilon", epsilon, "--json"))
            text = self.ok(self.ask(sql, "--epsilon", epsilon))  # the same again
            pairs.append((shown(text, "plain loss # for this answer; # in all .* dependent # in all"),
                          [out["plain"]["epsilon"], out["plain"]["spent_total"], out["dependent"]["epsilon_total"]]))
        self.hold(pairs)

    def test_budget_audit_and_refusals(self):
        pairs = []
        for k, epsilon in enumerate(self.EPSILONS):
            self.ok(self.ask(ILL + f" AND house <> {k}", "--epsilon", epsilon))
            exact = self.json(self.run_kith("budget", "policy.toml", "--json"))
            cell = exact["cells"][0]
            spent, budget, dependent, _ = shown(self.ok(self.run_kith("budget", "policy.toml")), r"ward=A # # # # %")
            pairs.append(([spent, dependent], [cell["plain_spent"], cell["dependent_spent"]]))
            self.assertLessEqual(budget, cell["plain_budget"])
            audited = self.json(self.run_kith("audit", "policy.toml", "--json"))["strata"][0]
            pairs.append((shown(self.ok(self.run_kith("audit", "policy.toml")), r"bits ─+ ─+ ─+ ─+ ward=A # # #"),
                          [audited["plain"], audited["dependent"], audited["bits"]]))
        refused = self.ask(ILL, "--epsilon", "0.9")
        spent, allowed, wanted = shown(refused.stderr, "plain loss # was spent, # is allowed, this would make it #")
        self.assertLessEqual(allowed, cell["plain_budget"])
        pairs.append(([spent, wanted], [cell["plain_spent"], cell["plain_spent"] + 0.9 * cell["plain_budget"] - 1e-6]))
        self.hold(pairs)
        left = shown(refused.stderr, "an epsilon of at most # is left")[0]
        self.ok(self.ask(ILL, "--epsilon", left))  # what is said to be left is

    def hold(self, pairs):
        self.assertEqual([wrong for pair in pairs for wrong in too_small(*pair)], [])
        # The planted fault: the nearest decimal of four digits would be too small somewhere.
        self.assertNotEqual([wrong for _, true in pairs for wrong in too_small([float(f"{t:.4g}") for t in true], true)], [])


if __name__ == "__main__":
    unittest.main()
