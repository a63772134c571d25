"""diffprivlib: arrays in memory, neighbours that replace one row, the number of rows known."""

from __future__ import annotations

import common
import diffprivlib
import numpy
import pyarrow.parquet
from diffprivlib import models, tools

BOUNDS = (common.LOWER, common.UPPER)
NEEDED = {"by_grp": ["x", "grp"], "by_ward": ["x", "ward"], "kmeans": ["a", "b"], "logistic": [*common.FEATURES, "label"]}


def load(job):
    table = pyarrow.parquet.read_table(job["file"], columns=NEEDED.get(job["task"], ["x"]))
    return {name: table[name].to_numpy() for name in table.column_names}


def on_x(function, **more):
    return lambda data, job, k: numpy.atleast_1d(function(data["x"], epsilon=job["epsilon"], bounds=BOUNDS, **more))


def count(data, job, k):
    return [tools.count_nonzero(numpy.ones(len(data["x"]), dtype=bool), epsilon=job["epsilon"])]


def filtered(data, job, k):
    return [tools.count_nonzero(data["x"] >= common.THRESHOLD, epsilon=job["epsilon"])]


def histogram(data, job, k):
    return tools.histogram(data["x"], epsilon=job["epsilon"], bins=common.BINS, range=BOUNDS)[0]


def groups(name, values):
    def ask(data, job, k):
        keys, codes = numpy.unique(data[name], return_inverse=True)
        order = numpy.argsort(codes, kind="stable")
        starts = numpy.searchsorted(codes[order], numpy.arange(len(keys) + 1))
        sorted_x = data["x"][order]
        counts = tools.histogram(codes, epsilon=job["epsilon"] / 2, bins=len(values), range=(0, len(values)))[0]
        sums = [tools.sum(sorted_x[starts[g] : starts[g + 1]], epsilon=job["epsilon"] / 2, bounds=BOUNDS) for g in range(len(keys))]
        return [*counts, *sums]

    return ask


def thousand(data, job, k):
    return [tools.count_nonzero(data["x"] >= each / 10, epsilon=job["epsilon"]) for each in range(1000)]


def kmeans(data, job, k):
    points = numpy.column_stack([data["a"], data["b"]])
    model = models.KMeans(common.CLUSTERS, epsilon=job["epsilon"], bounds=BOUNDS).fit(points)
    return model.cluster_centers_.T.ravel()


def logistic(data, job, k):
    points = numpy.column_stack([data[name] for name in common.FEATURES])
    model = models.LogisticRegression(epsilon=job["epsilon"], data_norm=8.0, C=job.get("C", 1.0)).fit(points, data["label"] == "yes")
    return [*model.intercept_, *model.coef_[0]]


common.main(
    load,
    {
        "count": count,
        "filtered": filtered,
        "sum": on_x(tools.sum),
        "avg": on_x(tools.mean),
        "median": on_x(tools.median),
        "variance": on_x(tools.var),
        "histogram": histogram,
        "by_grp": groups("grp", common.GROUPS),
        "by_ward": groups("ward", common.WARDS),
        "thousand": thousand,
        "kmeans": kmeans,
        "logistic": logistic,
    },
    lambda: diffprivlib.__version__,
)
