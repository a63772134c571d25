"""PipelineDP on its local backend: rows as Python tuples, neighbours that add or remove one privacy unit."""

from __future__ import annotations

import importlib.metadata

import common
import pipeline_dp
import pyarrow.parquet
from pipeline_dp import Metrics

TABLE = {
    "count": ([Metrics.COUNT], None, 1),
    "filtered": ([Metrics.COUNT], None, 1),
    "sum": ([Metrics.SUM], None, 1),
    "avg": ([Metrics.MEAN], None, 1),
    "median": ([Metrics.PERCENTILE(50)], None, 1),
    "variance": ([Metrics.VARIANCE], None, 1),
    "by_grp": ([Metrics.COUNT, Metrics.SUM], "grp", 1),
    "by_ward": ([Metrics.COUNT, Metrics.SUM], "ward", 1),
    "histogram": ([Metrics.COUNT], "bin", 1),
    "unit1": ([Metrics.COUNT, Metrics.SUM], None, 1),
    "unit5": ([Metrics.COUNT, Metrics.SUM], None, 5),
    "keys": ([Metrics.COUNT], "ward", 1),
}


def load(job):
    metrics, by, rows = TABLE[job["task"]]
    units = job["task"] in ("unit1", "unit5")
    names = ["x"] + (["u"] if units else []) + ([by] if by in ("grp", "ward") else [])
    table = pyarrow.parquet.read_table(job["file"], columns=names)
    x = table["x"].to_pylist()
    who = table["u"].to_pylist() if units else range(len(x))
    if by == "bin":
        where = [min(max(int(each // 2), 0), common.BINS - 1) for each in x]
    else:
        where = table[by].to_pylist() if by else [0] * len(x)
    return list(zip(who, where, x))


def ask(data, job, k):
    metrics, by, rows = TABLE[job["task"]]
    if job["task"] == "filtered":
        data = [row for row in data if row[2] >= common.THRESHOLD]
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=job["epsilon"], total_delta=job["delta"] if job["task"] == "keys" else 0)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    params = pipeline_dp.AggregateParams(
        metrics=metrics,
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        max_partitions_contributed=1,
        max_contributions_per_partition=rows,
        min_value=common.LOWER,
        max_value=common.UPPER,
    )
    extractors = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0], partition_extractor=lambda row: row[1], value_extractor=lambda row: row[2]
    )
    known = {"grp": common.GROUPS, "ward": common.WARDS, "bin": list(range(common.BINS)), None: [0]}[by]
    found = engine.aggregate(data, params, extractors, public_partitions=None if job["task"] == "keys" else known)
    accountant.compute_budgets()
    answers = dict(found)
    if job["task"] == "keys":
        return common.by_key({key: found.count for key, found in answers.items()}, job)
    return [answers[key][m] for m in range(len(metrics)) for key in known]


common.main(load, {task: ask for task in TABLE}, lambda: importlib.metadata.version("pipeline-dp"))
