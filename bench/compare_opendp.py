#!/usr/bin/env python3
"""Noise of 1, 20 and 1,000 counts, and counts by keys that nobody declared, at (1, 1e-6), independent records, beside OpenDP, and of keys beside PipelineDP, which is
Google's library from Python. Not a part of the tests: it needs packages of its own.

    python3 -m venv venv && venv/bin/pip install opendp pipeline-dp && KITH=build/kith venv/bin/python bench/compare_opendp.py

OpenDP's best of two: discrete Laplace with basic composition, and its Gaussian mechanism, whose zCDP is converted. kith: what `kith explain` says of one of
the counts, asked one after another at an equal part of the budget. Of keys: how many people must hold one so that it is shown with 95 % with its noisy count, where a person
may exchange one key for another. PipelineDP: the better of Laplace and Gaussian thresholding, of a person who counts for two keys. Its truncated geometric choice shows
keys without counts, and is shown in brackets. All questions are answered from one
ledger, once with all of the delta kept for keys and once with half of it. Fails if kith has more noise, or needs more people, anywhere."""
import importlib.metadata
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
import opendp.prelude as dp  # noqa: E402
import pipeline_dp  # noqa: E402
from pipeline_dp import partition_selection  # noqa: E402

KITH = pathlib.Path(os.environ.get("KITH", "build/kith")).resolve()
EPSILON, DELTA = 1.0, 1e-6
POLICY = f"""[data]
tables.people = "people.csv"
[unit]
table = "people"
key = "id"
max_rows = 1
presence = "public"
[columns.people]
id  = {{ type = "integer", public = true }}
ill = {{ values = ["no", "yes"] }}
name = {{ type = "text" }}
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = {EPSILON}
delta = {DELTA}
ledger = "people.ledger"
"""
def explained(policy, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "people.csv").write_text("id,ill,name\n1,no,a\n2,yes,b\n")
        (pathlib.Path(folder) / "policy.toml").write_text(policy)
        return json.loads(subprocess.run([KITH, *arguments, "--json"], cwd=folder, text=True, capture_output=True, check=True).stdout)


def of_kith(counts):
    line = explained(POLICY, "explain", "policy.toml", "SELECT count(*) AS n FROM people WHERE ill = 'yes'", "--epsilon", str(EPSILON / counts))["statistics"][0]
    law = line.get("distribution", "discrete laplace")
    return line["scale"] * (1 if law == "rounded normal" else math.sqrt(2)), law


def of_opendp(counts):
    vector = dp.vector_domain(dp.atom_domain(T=int))

    def by_gaussian(scale):
        mechanism = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(vector, dp.l2_distance(T=float), scale=scale))
        return mechanism.map(math.sqrt(counts)).epsilon(DELTA) <= EPSILON

    def by_laplace(scale):
        return dp.m.make_laplace(vector, dp.l1_distance(T=float), scale=scale).map(float(counts)) <= EPSILON

    return min(dp.binary_search(by_gaussian, bounds=(0.1, 1e6)), math.sqrt(2) * dp.binary_search(by_laplace, bounds=(0.1, 1e6)))


def keys_of_kith(questions, kept, sql):
    """What the program says before each of them, with an equal part of the budget, and the same words with every answer: for the first question and the last."""
    shown = re.compile(r"a key with (\d+) units is shown with 95 %")
    price = ["--epsilon", str(EPSILON / questions)]
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "people.csv").write_text("id,ill,name\n1,no,a\n2,yes,b\n")
        (pathlib.Path(folder) / "policy.toml").write_text(POLICY + f"keys_delta = {kept * DELTA}\n")

        def said(*arguments):
            done = subprocess.run([KITH, *arguments, *price, "--json"], cwd=folder, text=True, capture_output=True)
            if done.returncode != 0:
                sys.exit(done.stderr)
            return int(shown.search(" ".join(json.loads(done.stdout)["notes"])).group(1))

        numbers = []
        for k in range(questions):
            where = f"id <> {k + 7}"
            if sql:
                numbers.append(said("query", "policy.toml", f"SELECT name, count(*) AS n FROM people WHERE {where} GROUP BY name"))
            else:
                numbers.append(said("analyse", "policy.toml", "keys", "--columns", "name", "--where", where))
        return max(numbers)


def keys_of_pipelinedp(questions):
    """(with noisy counts, keys alone): basic composition, and for Gaussian thresholding the exact one of normal noise, with the delta divided as it is best among tenths."""
    strategies, each = pipeline_dp.PartitionSelectionStrategy, (EPSILON / questions, DELTA / questions, 2)

    def people(strategy):
        low, high = 0, 1 << 20
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if strategy.probability_of_keep(middle) >= 0.95 else (middle, high)
        return high

    def delta_of(mu):
        tail = lambda x: math.erfc(x / math.sqrt(2)) / 2  # noqa: E731
        return tail(EPSILON / mu - mu / 2) - math.exp(EPSILON) * tail(EPSILON / mu + mu / 2)

    counted = [people(partition_selection.create_partition_selection_strategy(kind, *each)) for kind in (strategies.LAPLACE_THRESHOLDING, strategies.GAUSSIAN_THRESHOLDING)]
    for tenths in range(1, 10):
        low, high = 1e-3, 5.0  # mu of all of them
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if delta_of(middle) <= DELTA * (1 - tenths / 10) else (low, middle)
        sigma = math.sqrt(2 * questions) / low
        counted.append(people(partition_selection.create_gaussian_thresholding(sigma, DELTA * tenths / 10 / questions, 2)))
    return min(counted), people(partition_selection.create_partition_selection_strategy(strategies.TRUNCATED_GEOMETRIC, *each))


def keys_of_opendp(questions):
    """The better of its two mechanisms; the delta is divided as it is best among tenths."""
    domain, exchanged = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)), (2, 2, 1)
    best = math.inf
    by_scale = dp.l01inf_distance(dp.absolute_distance(T=int))
    scale = 2.0 * questions / EPSILON
    threshold = dp.binary_search(lambda t: dp.m.make_laplace_threshold(domain, by_scale, scale=scale, threshold=t).map(exchanged)[1] <= DELTA / questions, bounds=(1, 10**6))
    best = min(best, threshold + math.ceil(scale * math.log(10) - 0.5))
    by_square = dp.l02inf_distance(dp.absolute_distance(T=float))
    for tenths in range(1, 10):
        kept = DELTA * tenths / 10  # for thresholds

        def fits(sigma):
            rho = questions * dp.m.make_gaussian_threshold(domain, by_square, scale=sigma, threshold=10**6, MO="Approximate<ZeroConcentratedDivergence>").map((2, math.sqrt(2), 1.0))[0]
            noise = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=float), scale=math.sqrt(1 / (2 * rho))))
            return noise.map(1.0).epsilon(DELTA - kept) <= EPSILON

        sigma = dp.binary_search(fits, bounds=(0.5, 1e5))
        threshold = dp.binary_search(lambda t: dp.m.make_gaussian_threshold(domain, by_square, scale=sigma, threshold=t, MO="Approximate<ZeroConcentratedDivergence>").map((2, math.sqrt(2), 1.0))[1]
                                     <= kept / questions, bounds=(1, 10**6))
        best = min(best, threshold + math.ceil(1.6449 * sigma - 0.5))
    return best


def main():
    dp.enable_features("contrib", "honest-but-curious")
    worse = False
    print(f"standard deviation of each count at ({EPSILON:g}, {DELTA:g}); OpenDP {importlib.metadata.version('opendp')}")
    for counts in (1, 20, 1000):
        (own, law), other = of_kith(counts), of_opendp(counts)
        print(f"{counts:5} counts: kith {own:8.4g} ({law}), OpenDP {other:8.4g}")
        worse = worse or own > other * (1 + 1e-6)
    print("people who must hold a key that nobody declared so that it is shown with 95 %; keys alone without a count in brackets; "
          f"PipelineDP {importlib.metadata.version('pipeline-dp')} on python-dp {importlib.metadata.version('python-dp')}")
    for questions in (1, 2, 5, 20, 100):
        own = {kept: keys_of_kith(questions, kept, False) for kept in (1, 0.5)}
        in_sql = {kept: keys_of_kith(questions, kept, True) for kept in own} if questions <= 5 else own
        other, (counted, alone) = keys_of_opendp(questions), keys_of_pipelinedp(questions)
        print(f"{questions:5} questions: kith {own[1]} with keys_delta = delta, {own[0.5]} with half of it; OpenDP {other}; PipelineDP {counted} ({alone})")
        worse = worse or min(own.values()) > min(other, counted) or own != in_sql
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
