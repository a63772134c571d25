"""DuckDB with the same statistics, clamped by hand, and no noise: what exact answers take."""

from __future__ import annotations

import common
import duckdb

X = f"least(greatest(x, {common.LOWER}), {common.UPPER})"


def unit(rows: int) -> str:
    return f"SELECT count(*), sum({X}) FROM (SELECT x, row_number() OVER (PARTITION BY u ORDER BY hash(x, ward)) AS r FROM t) WHERE r <= {rows}"


SQL = {
    "count": "SELECT count(*) FROM t",
    "filtered": f"SELECT count(*) FROM t WHERE x >= {common.THRESHOLD}",
    "sum": f"SELECT sum({X}) FROM t",
    "avg": f"SELECT avg({X}) FROM t",
    "by_grp": f"SELECT count(*), sum({X}), grp FROM t GROUP BY grp ORDER BY grp",
    "by_ward": f"SELECT count(*), sum({X}), ward FROM t GROUP BY ward ORDER BY ward",
    "median": f"SELECT median({X}) FROM t",
    "variance": f"SELECT var_samp({X}) FROM t",
    "histogram": f"SELECT count(*), least(floor({X} / 2), 49) AS h FROM t GROUP BY h ORDER BY h",
    "unit1": unit(1),
    "unit5": unit(5),
}
# How many numbers of a row count as the answer.
WIDTH = {"by_grp": 2, "by_ward": 2, "unit1": 2, "unit5": 2}


def load(job):
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW t AS SELECT * FROM read_parquet('{job['file']}')")
    return connection


def ask(data, job, k):
    rows = data.execute(SQL[job["task"]]).fetchall()
    return [row[c] for c in range(WIDTH.get(job["task"], 1)) for row in rows]


def thousand(data, job, k):
    return [data.execute(f"SELECT count(*) FROM t WHERE x >= {each / 10}").fetchone()[0] for each in range(1000)]


common.main(load, {**{task: ask for task in SQL}, "thousand": thousand}, lambda: duckdb.__version__)
