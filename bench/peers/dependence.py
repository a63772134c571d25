"""Noise at an equal dependent epsilon: kith beside group privacy, Markov quilt, Wasserstein and the published formulas (DPM), as `kith transfer --compare` has them.

Writes bench/peers/dependence.csv. Nothing here is drawn: scales follow from the model."""

from __future__ import annotations

import csv
import pathlib

import kith

MODELS = {
    "a chain of 100, staying with 0.9": {"kind": "chain", "transition": [[0.9, 0.1], [0.1, 0.9]], "start": [0.5, 0.5], "length": 100},
    "a chain of 100, staying with 0.8 and 0.7": {"kind": "chain", "transition": [[0.8, 0.2], [0.3, 0.7]], "start": [0.6, 0.4], "length": 100},
    "households of 6, odds ratio 4": {"kind": "group", "size": 6, "odds_ratio": 4},
    "identical twins, odds ratio 40": {"kind": "group", "size": 2, "odds_ratio": 40},
    "fraternal twins, odds ratio 2.5": {"kind": "group", "size": 2, "odds_ratio": 2.5},
}

with open(pathlib.Path(__file__).resolve().parent / "dependence.csv", "w", newline="") as file:
    out = csv.writer(file)
    out.writerow(["model", "counts", "method", "noise scale", "true loss", "private under"])
    for name, model in MODELS.items():
        for counts in (1, 20):
            for method in kith.compare(model, dependent=1.0, counts=counts)["methods"]:
                loss = method.get("loss")
                out.writerow([name, counts, method["name"], f"{method['scale']:.4g}", "" if loss is None else f"{loss:.4g}", method["private_under"]])
