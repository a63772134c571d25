"""The files that every peer reads: rows from hashes of their numbers, so that they are the same on every machine.

t: u (unit, 4 rows on average and no limit), x (bell-shaped around 50, a few beyond the bounds 0 to 100), grp (32 values), ward (1,000).
keys: the same columns, ward k in k rows. points: a, b (five heaps in the plane), f1 to f4 and a label that depends on them. test: other rows of the same kind."""

from __future__ import annotations

import pathlib

import duckdb

# Fair enough in (0, 1): 53 bits of a hash.
UNIFORM = "CREATE MACRO uniform(i, s) AS (hash(i * 64 + s) >> 11) * power(2.0, -53)"
BELL = "CREATE MACRO bell(i, s) AS (uniform(i, s) + uniform(i, s + 1) + uniform(i, s + 2) + uniform(i, s + 3) - 2) * 1.7320508"

TABLE = """SELECT CAST(hash(i * 64 + 1) % greatest({n} // 4, 1) AS BIGINT) AS u, 50 + 20 * bell(i, 2) AS x,
  printf('g%02d', CAST(floor(32 * power(uniform(i, 7), 1.5)) AS INTEGER)) AS grp,
  CAST(floor(1000 * power(uniform(i, 8), 1.3)) AS BIGINT) AS ward FROM range({n}) r(i)"""
KEYS = """SELECT row_number() OVER () AS u, CAST(50 AS DOUBLE) AS x, 'g00' AS grp, CAST(k AS BIGINT) AS ward FROM range(1, 201) r(k), range(200) s(j) WHERE j < k"""
POINTS = """SELECT least(greatest([20, 80, 50, 25, 75][1 + heap] + 6 * bell(i, 22), 0), 100) AS a, least(greatest([20, 25, 50, 80, 75][1 + heap] + 6 * bell(i, 26), 0), 100) AS b,
  f1, f2, f3, f4, CASE WHEN 0.3 + 1.2 * f1 - 0.8 * f2 + 0.4 * f3 + ln(noise / (1 - noise)) > 0 THEN 'yes' ELSE 'no' END AS label
  FROM (SELECT i, CAST(hash(i * 64 + 21) % 5 AS INTEGER) AS heap, bell(i, 30) AS f1, bell(i, 34) AS f2, bell(i, 38) AS f3, bell(i, 42) AS f4, uniform(i, 46) AS noise
        FROM range({first}, {first} + {n}) r(i))"""


def make(folder: pathlib.Path, what: str, rows: int) -> str:
    """The path of a file, which is made unless it is there."""
    folder.mkdir(parents=True, exist_ok=True)
    file, sql = {
        "table": (folder / f"t_{rows}.parquet", TABLE.format(n=rows)),
        "points": (folder / f"points_{rows}.parquet", POINTS.format(n=rows, first=0)),
        "keys": (folder / "keys.parquet", KEYS),
        "test": (folder / "test.parquet", POINTS.format(n=20000, first=10**12)),
    }[what]
    if not file.exists():
        connection = duckdb.connect()
        connection.execute(UNIFORM)
        connection.execute(BELL)
        connection.execute(f"COPY ({sql}) TO '{file}.new' (FORMAT parquet, COMPRESSION zstd)")
        file.with_name(file.name + ".new").rename(file)
    return str(file)
