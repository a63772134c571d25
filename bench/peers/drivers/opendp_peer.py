"""OpenDP on Polars, the file read in place: neighbours that add or remove one row or one unit."""

from __future__ import annotations

import importlib.metadata

import common
import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")
BOUNDS = (common.LOWER, common.UPPER)
X = pl.col("x").fill_null(50.0).fill_nan(50.0)


def load(job):
    return pl.scan_parquet(job["file"])


def context(data, job, margins=(), **more):
    units = {"unit1": dp.unit_of(contributions=1, identifier="u"), "unit5": dp.unit_of(contributions=5, identifier="u")}
    return dp.Context.compositor(
        data=data,
        privacy_unit=units.get(job["task"], dp.unit_of(contributions=1)),
        privacy_loss=dp.loss_of(epsilon=job["epsilon"], **more),
        split_evenly_over=1,
        margins=[dp.polars.Margin(max_length=job["rows"]), *margins],
    )


def release(query):
    return query.release().collect()


def scalar(what, where=None):
    def ask(data, job, k):
        query = context(data, job).query()
        if where is not None:
            query = query.filter(where)
        frame = release(query.select(what()))
        return [frame[name][0] for name in frame.columns]

    return ask


def groups(by, values):
    def ask(data, job, k):
        keys = dp.polars.Margin(by=[by], max_length=job["rows"], max_groups=len(values), invariant="keys")
        frame = release(context(data, job, [keys]).query().group_by(by).agg(dp.len().alias("n"), X.dp.sum(bounds=BOUNDS).alias("s"))).sort(by)
        return [*frame["n"], *frame["s"]]

    return ask


def histogram(data, job, k):
    data = data.with_columns(bin=(pl.col("x") / 2).floor().clip(0, common.BINS - 1).cast(pl.Int64))
    keys = dp.polars.Margin(by=["bin"], max_length=job["rows"], max_groups=common.BINS, invariant="keys")
    frame = release(context(data, job, [keys]).query().group_by("bin").agg(dp.len().alias("n"))).sort("bin")
    return list(frame["n"])


def unit(rows):
    def ask(data, job, k):
        query = context(data, job).query().truncate_per_group(rows)
        frame = release(query.select(dp.len().alias("n"), X.dp.sum(bounds=BOUNDS).alias("s")))
        return [frame["n"][0], frame["s"][0]]

    return ask


def thousand(data, job, k):
    return [release(context(data, job).query().filter(pl.col("x") >= each / 10).select(dp.len()))["len"][0] for each in range(1000)]


def keys(data, job, k):
    frame = release(context(data, job, delta=job["delta"]).query().group_by("ward").agg(dp.len().alias("n")))
    return common.by_key(dict(zip(frame["ward"], frame["n"])), job)


common.main(
    load,
    {
        "count": scalar(dp.len),
        "filtered": scalar(dp.len, pl.col("x") >= common.THRESHOLD),
        "sum": scalar(lambda: X.dp.sum(bounds=BOUNDS)),
        "avg": scalar(lambda: X.dp.mean(bounds=BOUNDS)),
        "median": scalar(lambda: X.dp.median(candidates=[k / 100 for k in range(10001)])),
        "by_grp": groups("grp", common.GROUPS),
        "by_ward": groups("ward", common.WARDS),
        "histogram": histogram,
        "unit1": unit(1),
        "unit5": unit(5),
        "thousand": thousand,
        "keys": keys,
    },
    lambda: importlib.metadata.version("opendp"),
)
