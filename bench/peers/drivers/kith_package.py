"""kith in Python: the file is read in place, or (job["in_memory"]) an Arrow table that is loaded once, as other libraries have it."""

from __future__ import annotations

import json
import sys

import common
import kith

if json.loads(sys.argv[1]).get("in_memory"):
    import pyarrow.parquet  # as the peers do, before the clock starts

INDEPENDENT = {"source": "public", "kind": "independent"}
X = {"type": "real", "lower": common.LOWER, "upper": common.UPPER, "required": True}
# What a task needs is declared, as the peers load only that.
COLUMNS = {
    "by_grp": {"x": X, "grp": {"values": common.GROUPS, "required": True}},
    "by_ward": {"x": X, "ward": {"values": common.WARDS, "required": True}},
    "keys": {"x": X, "ward": {"type": "integer"}},
    "unit1": {"u": {"type": "integer"}, "x": X},
    "unit5": {"u": {"type": "integer"}, "x": X},
}
POINTS = {
    "a": X,
    "b": X,
    **{name: {"type": "real", "lower": -4.0, "upper": 4.0, "required": True} for name in common.FEATURES},
    "label": {"values": ["no", "yes"], "required": True},
}
COLUMNS |= {"kmeans": {name: POINTS[name] for name in ("a", "b")}, "logistic": {name: POINTS[name] for name in (*common.FEATURES, "label")}}
SQL = {
    "count": "SELECT count(*) AS n FROM t",
    "filtered": f"SELECT count(*) AS n FROM t WHERE x >= {common.THRESHOLD}",
    "sum": "SELECT sum(x) AS s FROM t",
    "avg": "SELECT avg(x) AS m FROM t",
    "by_grp": "SELECT grp, count(*) AS n, sum(x) AS s FROM t GROUP BY grp ORDER BY grp",
    "by_ward": "SELECT ward, count(*) AS n, sum(x) AS s FROM t GROUP BY ward ORDER BY ward",
    "median": "SELECT median(x) AS m FROM t",  # without an interval, as the others give none
    "median_interval": "SELECT median(x) AS m FROM t",
    "variance": "SELECT variance(x) AS v FROM t",
    "histogram": f"SELECT histogram(x, {common.BINS}) AS h, count(*) AS n FROM t GROUP BY h",
    "keys": "SELECT ward, count(*) AS n FROM t GROUP BY ward",
    "unit1": "SELECT count(*) AS n, sum(x) AS s FROM t",
    "unit5": "SELECT count(*) AS n, sum(x) AS s FROM t",
}
NUMBERS = {"sum": "s", "avg": "m", "median": "m", "median_interval": "m", "variance": "v", "by_grp": "n s", "by_ward": "n s", "unit1": "n s", "unit5": "n s"}


class Data:
    def __init__(self, job):
        self.job = job
        self.source = job["file"]
        if job.get("in_memory"):
            self.source = pyarrow.parquet.read_table(job["file"], columns=list(COLUMNS.get(job["task"], ["x"])), read_dictionary=["grp", "label"])
        self.session = self.fresh()

    def fresh(self):
        """A ledger of its own for every repetition of which the noise is looked at: what was answered before would be returned."""
        known = self.job["neighbours"] == "replace, n known"
        task = self.job["task"]
        presence = "public" if known else "secret"
        unit = {"table": "t", "presence": presence}
        unit.update({"key": "u", "max_rows": int(task[-1])} if task in ("unit1", "unit5") else {"row": True})
        columns = COLUMNS.get(task, {"x": X})
        budget = {"epsilon": 1e6} if known else {"epsilon": 1e6, "neighbours": "add-or-remove"}
        if task == "keys":  # one answer takes it all, so that each has the delta that the peers have, who give all of it to the keys
            answers = 1 if self.job["values"] else self.job["repetitions"]
            delta = answers * self.job["delta"]
            budget = {"epsilon": answers * self.job["epsilon"], "delta": delta, "keys_delta": delta}
        return kith.open(kith.Policy(tables={"t": self.source}, unit=unit, columns={"t": columns}, dependence=INDEPENDENT, budget=budget, ledger=None))


def session(data, k):
    return data.fresh() if data.job["values"] and k else data.session


def another(task, k):
    """The k-th question of a task whose cost is looked at. kith keeps exact statistics in memory and would not read the data for the same one again: it is
    asked for another threshold, sums of x less another constant, another number of parts, or under a condition that is nearly always true."""
    sql = SQL[task]
    if k == 0 or task == "count":
        return sql
    if task in ("avg", "variance") or task.startswith("median"):
        return sql + f" WHERE x > {k}e-9"
    if task == "keys":
        return sql.replace("FROM t", f"FROM t WHERE x > {k}e-9")
    if task == "histogram":
        return sql.replace(f", {common.BINS})", f", {common.BINS + k})")
    return sql.replace(f">= {common.THRESHOLD}", f">= {common.THRESHOLD + k}").replace("(x)", f"(x - {k})")


def ask(data, job, k):
    sql = SQL[job["task"]] if job["values"] else another(job["task"], k)
    again = job["task"] == "count" and not job["values"]  # which has no other form: at another price
    answer = session(data, k).ask(sql, epsilon=job["epsilon"] * (1 + k / 100 if again else 1), intervals=job["task"] != "median")
    if job["task"] == "keys":
        return common.by_key(dict(zip(answer.column("ward"), answer.column("n"))), job)
    return [value for name in NUMBERS.get(job["task"], "n").split() for value in answer.column(name)]


def condition(data, column, k):
    return f"{column} > {k}e-9" if k and not data.job["values"] else None


def thousand(data, job, k):
    return [data.session.ask(f"SELECT count(*) AS n FROM t WHERE x >= {each / 10}", epsilon=job["epsilon"]).value for each in range(1000)]


def kmeans(data, job, k):
    answer = session(data, k).analyse("kmeans", columns=["a", "b"], clusters=common.CLUSTERS, where=condition(data, "a", k), epsilon=job["epsilon"])
    return [value for name in ("a", "b") for value in answer.column(name)]


def logistic(data, job, k):
    model = session(data, k).analyse("logistic", label="label", features=common.FEATURES, positive="yes", where=condition(data, "f1", k), epsilon=job["epsilon"]).details
    constant = sum(each["weights"][0] for each in model["features"] if each["kind"] == "constant")
    return [constant, *(each["weights"][0] / 4 for each in model["features"] if each["kind"] != "constant")]  # on a scale where -4 to 4 is -1 to 1


common.main(Data, {**{task: ask for task in SQL}, "thousand": thousand, "kmeans": kmeans, "logistic": logistic}, lambda: kith.__version__)
