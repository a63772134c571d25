#!/usr/bin/env python3
"""Noise of 1, 20 and 1,000 counts at (1, 1e-6), independent records, beside OpenDP. Not a part of the tests: it needs a package of its own.

    python3 -m venv venv && venv/bin/pip install opendp && KITH=build/kith venv/bin/python bench/compare_opendp.py

OpenDP's best of two: discrete Laplace with basic composition, and its Gaussian mechanism, whose zCDP is converted. kith: what `kith explain` says of one of
the counts, asked one after another at an equal part of the budget. Fails if kith has more noise anywhere."""
import importlib.metadata
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
import opendp.prelude as dp  # noqa: E402

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
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = {EPSILON}
delta = {DELTA}
ledger = "people.ledger"
"""


def of_kith(counts):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "people.csv").write_text("id,ill\n1,no\n2,yes\n")
        (pathlib.Path(folder) / "policy.toml").write_text(POLICY)
        done = subprocess.run([KITH, "explain", "policy.toml", "SELECT count(*) AS n FROM people WHERE ill = 'yes'", "--epsilon", str(EPSILON / counts), "--json"],
                              cwd=folder, text=True, capture_output=True, check=True)
    line = json.loads(done.stdout)["statistics"][0]
    law = line.get("law", "discrete laplace")
    return line["scale"] * (1 if law == "rounded normal" else math.sqrt(2)), law


def of_opendp(counts):
    vector = dp.vector_domain(dp.atom_domain(T=int))

    def by_gaussian(scale):
        mechanism = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(vector, dp.l2_distance(T=float), scale=scale))
        return mechanism.map(math.sqrt(counts)).epsilon(DELTA) <= EPSILON

    def by_laplace(scale):
        return dp.m.make_laplace(vector, dp.l1_distance(T=float), scale=scale).map(float(counts)) <= EPSILON

    return min(dp.binary_search(by_gaussian, bounds=(0.1, 1e6)), math.sqrt(2) * dp.binary_search(by_laplace, bounds=(0.1, 1e6)))


def main():
    dp.enable_features("contrib", "honest-but-curious")
    worse = False
    print(f"standard deviation of each count at ({EPSILON:g}, {DELTA:g}); OpenDP {importlib.metadata.version('opendp')}")
    for counts in (1, 20, 1000):
        (own, law), other = of_kith(counts), of_opendp(counts)
        print(f"{counts:5} counts: kith {own:8.4g} ({law}), OpenDP {other:8.4g}")
        worse = worse or own > other * (1 + 1e-6)
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
