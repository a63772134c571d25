"""SmartNoise SQL over a pandas frame: neighbours that add or remove one row or one unit."""

from __future__ import annotations

import importlib.metadata

import common
import numpy
import pyarrow.parquet
import snsql

SQL = {
    "count": "SELECT COUNT(*) AS n FROM s.t",
    "filtered": f"SELECT COUNT(*) AS n FROM s.t WHERE x >= {common.THRESHOLD}",
    "sum": "SELECT SUM(x) AS s FROM s.t",
    "avg": "SELECT AVG(x) AS m FROM s.t",
    "variance": "SELECT VAR(x) AS v FROM s.t",
    "by_grp": "SELECT grp, COUNT(*) AS n, SUM(x) AS s FROM s.t GROUP BY grp",
    "by_ward": "SELECT ward, COUNT(*) AS n, SUM(x) AS s FROM s.t GROUP BY ward",
    "histogram": "SELECT bin, COUNT(*) AS n FROM s.t GROUP BY bin",
    "unit1": "SELECT COUNT(*) AS n, SUM(x) AS s FROM s.t",
    "unit5": "SELECT COUNT(*) AS n, SUM(x) AS s FROM s.t",
    "keys": "SELECT ward, COUNT(*) AS n FROM s.t GROUP BY ward",
}
STATISTICS = {"by_grp": 2, "by_ward": 2, "unit1": 2, "unit5": 2, "avg": 2, "variance": 3}  # each is charged epsilon


def load(job):
    frame = pyarrow.parquet.read_table(job["file"]).to_pandas()
    if job["task"] == "histogram":
        frame["bin"] = numpy.clip(frame["x"] // 2, 0, common.BINS - 1).astype(int)
    units = job["task"] in ("unit1", "unit5")
    table = {
        "row_privacy": not units,
        "censor_dims": job["task"] == "keys",
        "clamp_counts": False,
        "max_ids": {"unit5": 5}.get(job["task"], 1),
        "u": {"type": "int", "private_id": units},
        "x": {"type": "float", "lower": common.LOWER, "upper": common.UPPER},
        "grp": {"type": "string"},
        "ward": {"type": "int"},
        "bin": {"type": "int"},
    }
    privacy = snsql.Privacy(epsilon=job["epsilon"] / STATISTICS.get(job["task"], 1), delta=job["delta"])
    return snsql.from_connection(frame, privacy=privacy, metadata={"": {"s": {"t": table}}})


def ask(data, job, k):
    rows = data.execute(SQL[job["task"]])[1:]
    if job["task"] == "keys":
        return common.by_key(dict(rows), job)
    first = 1 if job["task"] in ("by_grp", "by_ward", "histogram") else 0
    rows.sort(key=lambda row: row[0])
    return [row[c] for c in range(first, len(rows[0])) for row in rows]


common.main(load, {task: ask for task in SQL}, lambda: importlib.metadata.version("smartnoise-sql"))
