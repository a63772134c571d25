"""Qrlew: rewrites SQL; it has no engine for files, so what it writes for PostgreSQL runs in DuckDB. Neighbours that add or remove one unit, with a delta."""

from __future__ import annotations

import importlib.metadata
import os
import sqlite3
import tempfile

import common
import duckdb
import pyqrlew
import sqlalchemy

X = f"LEAST(GREATEST(x, {common.LOWER}), {common.UPPER})"
SQL = {
    "count": "SELECT COUNT(*) AS n FROM t",
    "filtered": f"SELECT COUNT(*) AS n FROM t WHERE x >= {common.THRESHOLD}",
    "sum": "SELECT SUM(x) AS s FROM t",
    "avg": "SELECT AVG(x) AS m FROM t",
    "variance": "SELECT VARIANCE(x) AS v FROM t",
    "by_grp": "SELECT grp, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY grp ORDER BY grp",
    "unit1": "SELECT COUNT(*) AS n, SUM(x) AS s FROM t",
    "unit5": "SELECT COUNT(*) AS n, SUM(x) AS s FROM t",
    "keys": "SELECT ward, COUNT(*) AS n FROM t GROUP BY ward",
}


class Data:
    """Types, bounds and size as Qrlew wants them: read from a small SQLite file that has the bounds as its rows."""

    def __init__(self, job):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.db")
            with sqlite3.connect(path) as small:
                small.execute("CREATE TABLE t (id BIGINT, u BIGINT, x FLOAT, grp TEXT, ward BIGINT)")
                last = job["rows"] - 1
                small.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", [(0, 0, common.LOWER, "g00", 0), (last, last, common.UPPER, "g31", 999)])
            made = pyqrlew.dataset_from_database("s", sqlalchemy.create_engine(f"sqlite:///{path}"), ranges=True)
        kind = str(made).splitlines()[0].partition(": ")[2]
        whole = pyqrlew.Dataset.from_str(kind, made.schema, made.size.replace('"size": "2"', f'"size": "{job["rows"]}"'))
        self.dataset = whole.with_possible_values(None, "t", "grp", common.GROUPS)
        self.connection = duckdb.connect()
        self.connection.execute(f"CREATE VIEW t AS SELECT file_row_number AS id, u, {X} AS x, grp, ward FROM read_parquet('{job['file']}', file_row_number = true)")


def ask(data, job, k):
    units = job["task"] in ("unit1", "unit5")
    rewritten = data.dataset.relation(SQL[job["task"]]).rewrite_with_differential_privacy(
        data.dataset,
        [("t", [], "u" if units else "id")],
        {"epsilon": job["epsilon"], "delta": job["delta"]},
        max_multiplicity=5.0 if job["task"] == "unit5" else 1.0,
        max_multiplicity_share=1.0,
    )
    rows = data.connection.execute(rewritten.relation().to_query(pyqrlew.Dialect.PostgreSql)).fetchall()
    if job["task"] == "keys":
        return common.by_key(dict(rows), job)
    first = 1 if job["task"] == "by_grp" else 0
    return [row[c] for c in range(first, len(rows[0])) for row in rows]


common.main(Data, {task: ask for task in SQL}, lambda: importlib.metadata.version("pyqrlew"))
