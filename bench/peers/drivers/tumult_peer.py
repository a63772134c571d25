"""Tumult Analytics on a local Spark: neighbours that add or remove one row or one unit."""

from __future__ import annotations

import importlib.metadata
import os
import sys

import common

os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
from tmlt.analytics import AddOneRow, AddRowsWithID, ApproxDPBudget, KeySet, MaxRowsPerID, PureDPBudget, QueryBuilder, Session

ALL = float("inf")


def load(job):
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    frame = spark.read.parquet(job["file"])
    change = AddRowsWithID("u") if job["task"] in ("unit1", "unit5") else AddOneRow()
    budget = ApproxDPBudget(ALL, 1) if job["task"] == "keys" else PureDPBudget(ALL)
    return Session.from_dataframe(privacy_budget=budget, source_id="t", dataframe=frame, protected_change=change)


def evaluate(data, query, epsilon):
    return data.evaluate(query, PureDPBudget(epsilon)).collect()


def total(query):
    return query.sum("x", common.LOWER, common.UPPER, name="s")


def scalar(make):
    return lambda data, job, k: [evaluate(data, make(QueryBuilder("t")), job["epsilon"])[0][0]]


def groups(by, values):
    def ask(data, job, k):
        keys = KeySet.from_dict({by: values})
        counts = evaluate(data, QueryBuilder("t").groupby(keys).count(name="n"), job["epsilon"] / 2)
        sums = evaluate(data, total(QueryBuilder("t").groupby(keys)), job["epsilon"] / 2)
        return [row["n"] for row in sorted(counts, key=lambda row: row[by])] + [row["s"] for row in sorted(sums, key=lambda row: row[by])]

    return ask


def unit(rows):
    def ask(data, job, k):
        of = QueryBuilder("t").enforce(MaxRowsPerID(rows))
        return [evaluate(data, of.count(name="n"), job["epsilon"] / 2)[0][0], evaluate(data, total(of), job["epsilon"] / 2)[0][0]]

    return ask


def histogram(data, job, k):
    rows = evaluate(data, QueryBuilder("t").histogram("x", common.edges(), name="n"), job["epsilon"])
    return [row["n"] for row in rows]


def keys(data, job, k):
    """Half of epsilon for what is shown and half for its counts."""
    half = job["epsilon"] / 2
    data.create_view(QueryBuilder("t").select(["ward"]), f"wards{k}", cache=False)
    shown = data.evaluate(QueryBuilder(f"wards{k}").get_groups(["ward"]), ApproxDPBudget(half, job["delta"]))
    counts = data.evaluate(QueryBuilder("t").groupby(KeySet.from_dataframe(shown)).count(name="n"), ApproxDPBudget(half, 0)).collect()
    return common.by_key({row["ward"]: row["n"] for row in counts}, job)


common.main(
    load,
    {
        "count": scalar(lambda t: t.count(name="n")),
        "filtered": scalar(lambda t: t.filter(f"x >= {common.THRESHOLD}").count(name="n")),
        "sum": scalar(total),
        "avg": scalar(lambda t: t.average("x", common.LOWER, common.UPPER, name="m")),
        "median": scalar(lambda t: t.median("x", common.LOWER, common.UPPER, name="m")),
        "variance": scalar(lambda t: t.variance("x", common.LOWER, common.UPPER, name="v")),
        "by_grp": groups("grp", common.GROUPS),
        "by_ward": groups("ward", common.WARDS),
        "histogram": histogram,
        "keys": keys,
        "unit1": unit(1),
        "unit5": unit(5),
    },
    lambda: importlib.metadata.version("tmlt.analytics"),
    children=True,
)
