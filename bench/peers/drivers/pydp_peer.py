"""PyDP (Google's C++ library): Python lists in memory, neighbours that add or remove one row."""

from __future__ import annotations

import importlib.metadata

import common
import pandas
import pyarrow.parquet
from pydp.algorithms.laplacian import BoundedMean, BoundedSum, BoundedVariance, Count, Median
from pydp.algorithms.partition_selection import create_partition_strategy

NEEDED = {"by_grp": ["x", "grp"], "by_ward": ["x", "ward"], "keys": ["x", "ward"]}


def load(job):
    table = pyarrow.parquet.read_table(job["file"], columns=NEEDED.get(job["task"], ["x"]))
    if table.num_columns == 1:
        return table["x"].to_pylist()
    frame: pandas.DataFrame = table.to_pandas()
    return {key: part.tolist() for key, part in frame.groupby(table.column_names[1])["x"]}


def bounded(algorithm, epsilon):
    return algorithm(epsilon=epsilon, lower_bound=common.LOWER, upper_bound=common.UPPER, dtype="float")


def on_x(algorithm):
    return lambda data, job, k: [bounded(algorithm, job["epsilon"]).quick_result(data)]


def count(rows, epsilon):
    return Count(epsilon=epsilon, dtype="float").quick_result(rows)


def groups(data, job, k):
    half = job["epsilon"] / 2
    return [count(data[key], half) for key in sorted(data)] + [bounded(BoundedSum, half).quick_result(data[key]) for key in sorted(data)]


def keys(data, job, k):
    """Half of epsilon for what is shown and half for its counts; it has no answer that gives both at once."""
    shown = create_partition_strategy("truncated_geometric", job["epsilon"] / 2, job["delta"], 1)
    return common.by_key({key: count(rows, job["epsilon"] / 2) for key, rows in data.items() if shown.should_keep(len(rows))}, job)


def histogram(data, job, k):
    parts = [[] for _ in range(common.BINS)]
    for x in data:
        parts[min(max(int(x // 2), 0), common.BINS - 1)].append(x)
    return [count(part, job["epsilon"]) for part in parts]


def thousand(data, job, k):
    return [count([x for x in data if x >= each / 10], job["epsilon"]) for each in range(1000)]


common.main(
    load,
    {
        "count": lambda data, job, k: [count(data, job["epsilon"])],
        "filtered": lambda data, job, k: [count([x for x in data if x >= common.THRESHOLD], job["epsilon"])],
        "sum": on_x(BoundedSum),
        "avg": on_x(BoundedMean),
        "median": on_x(Median),
        "variance": on_x(BoundedVariance),
        "histogram": histogram,
        "by_grp": groups,
        "by_ward": groups,
        "keys": keys,
        "thousand": thousand,
    },
    lambda: importlib.metadata.version("python-dp"),
)
