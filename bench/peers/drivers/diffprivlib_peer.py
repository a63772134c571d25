"""diffprivlib: arrays in memory, neighbours that replace one row, the number of rows known."""

from __future__ import annotations

import common
import diffprivlib
import numpy
import pyarrow.parquet
from diffprivlib import models, tools

BOUNDS = (common.LOWER, common.UPPER)
NEEDED = {"by_grp": ["x", "grp"], "by_ward": ["x", "ward"], "kmeans": ["a", "b"], "logistic": [*common.FEATURES, "label"]}
LABELS = {"grp": common.GROUPS, "label": ["no", "yes"]}  # as numbers, without a Python object for each row


def load(job):
    table = pyarrow.parquet.read_table(job["file"], columns=NEEDED.get(job["task"], ["x"]), read_dictionary=list(LABELS))
    return {name: numbers(table[name], LABELS[name]) if name in LABELS else table[name].to_numpy() for name in table.column_names}


def numbers(column, labels):
    def of(chunk):
        return numpy.array([labels.index(each) for each in chunk.dictionary.to_pylist()], dtype=numpy.int16)[chunk.indices.to_numpy()]

    return numpy.concatenate([of(chunk) for chunk in column.chunks])


def on_x(function, **more):
    return lambda data, job, k: numpy.atleast_1d(function(data["x"], epsilon=job["epsilon"], bounds=BOUNDS, **more))


def count(data, job, k):
    return [tools.count_nonzero(numpy.ones(len(data["x"]), dtype=bool), epsilon=job["epsilon"])]


def filtered(data, job, k):
    return [tools.count_nonzero(data["x"] >= common.THRESHOLD, epsilon=job["epsilon"])]


def histogram(data, job, k):
    # A replaced row changes two parts: half of epsilon for each. Values beyond the bounds would be left out.
    return tools.histogram(numpy.clip(data["x"], *BOUNDS), epsilon=job["epsilon"] / 2, bins=common.BINS, range=BOUNDS)[0]


def groups(name, values):
    """Half for the counts and half for the sums, and of each a half again, because a replaced row changes two groups."""

    def ask(data, job, k):
        codes = data[name].astype(numpy.int16)
        part = job["epsilon"] / 4
        counts = tools.histogram(codes, epsilon=part, bins=len(values), range=(0, len(values)))[0]
        if job["values"]:  # all rows each time: a sum over only a group's rows is cut at bounds that follow from their exact number
            sums = [tools.sum(numpy.where(codes == g, data["x"], 0.0), epsilon=part, bounds=BOUNDS) for g in range(len(values))]
        else:
            order = numpy.argsort(codes, kind="stable")
            starts = numpy.searchsorted(codes[order], numpy.arange(len(values) + 1))
            sorted_x = data["x"][order]
            sums = [tools.sum(sorted_x[starts[g] : starts[g + 1]], epsilon=part, bounds=BOUNDS) for g in range(len(values))]
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
    model = models.LogisticRegression(epsilon=job["epsilon"], data_norm=8.0, C=job.get("C", 1.0)).fit(points, data["label"] == 1)
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
