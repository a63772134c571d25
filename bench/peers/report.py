"""From build-peers/raw.jsonl to bench/peers/results.csv, the tables of docs/guide/peers.md and README.md, and the chart."""

from __future__ import annotations

import collections
import csv
import functools
import json
import math
import pathlib
import statistics
from typing import Any

import chart
import data
import duckdb
from drivers.common import KEYS, WARDS
from runner import HERE, PEERS, PLACE, RAW, TASKS, TOP

PAGE = TOP / "docs/guide/peers.md"
FROM, TO = "<!-- from here bench/peers/report.py -->", "<!-- to here -->"
WORDS = {
    "count": "count", "filtered": "filtered count", "sum": "sum", "avg": "avg", "median": "median", "median_interval": "median with a 95 % interval", "variance": "variance", "by_grp": "GROUP BY 32",
    "by_ward": "GROUP BY 1,000", "histogram": "histogram of 50", "keys": "keys that nobody declared", "unit1": "one row of each unit", "unit5": "five rows of each unit", "kmeans": "k-means",
    "logistic": "logistic regression", "thousand": "1,000 questions",
}  # fmt: skip
# Each answer's statistics in the order in which drivers list them.
PARTS = {task: ("count", "sum") for task in ("by_grp", "by_ward", "unit1", "unit5")}
# Some libraries never answer less than 0 here, which anybody may do with an answer: it is done with all of them.
NEVER_NEGATIVE = ("by_grp", "by_ward", "histogram")
CERTAIN = 120  # rows of a key that is shown by nearly all


def read() -> dict[tuple[str, int, str, str], list[dict[str, Any]]]:
    found = collections.defaultdict(list)
    for line in RAW.read_text().splitlines():
        result = json.loads(line)
        kind, rows, task, peer, _ = result["key"]
        found[kind, rows, task, peer].append(result)
    return found


def middle_of(name: str, each: list[float]) -> tuple[str, float, float]:
    return name, statistics.fmean(each), statistics.stdev(each) / math.sqrt(len(each)) if len(each) > 1 else 0.0


@functools.cache
def occurring() -> list[int]:
    return [ward for (ward,) in duckdb.sql(f"SELECT DISTINCT ward FROM '{PLACE}/data/t_10000.parquet' ORDER BY ward").fetchall()]


def matched(task: str, row: list[float]) -> list[float]:
    """Some answer for all declared groups, others for those that occur: the latter are compared, for everybody."""
    if task == "by_ward" and len(row) == 2 * len(WARDS):
        row = [row[part + ward] for part in (0, len(WARDS)) for ward in occurring()]
    return [max(value, 0.0) for value in row] if task in NEVER_NEGATIVE else row


def judge_keys(values: list[list[float]]) -> list[tuple[str, float, float]]:
    """Key k is held by k rows, and -1 says that it was not shown."""
    hidden = [float(sum(value < 0 for value in row)) for row in values]
    shown = [[abs(row[k - 1] - k) for k in range(CERTAIN, KEYS + 1) if row[k - 1] >= 0] for row in values]
    counts = [middle_of("count", [statistics.fmean(row) for row in shown])] if all(shown) else []
    return [middle_of("not shown", hidden), *counts]


def judge(task: str, values: list[list[float]], truth: list[float]) -> list[tuple[str, float, float]]:
    """By part of the answer: its name, the mean absolute error, and the standard error of that."""
    names = PARTS.get(task, ("",))
    values = [matched(task, row) for row in values]
    width = len(truth) // len(names)
    found = []
    for part, name in enumerate(names):
        at = range(part * width, (part + 1) * width)
        right = [statistics.median(row[k] for row in values) for k in at] if task in ("unit1", "unit5") and name == "sum" else [truth[k] for k in at]
        each = [statistics.fmean(abs(row[k] - right[i]) for i, k in enumerate(at)) for row in values if len(row) == len(truth)]
        if each:
            found.append(middle_of(name, each))
    return found


def judge_models(task: str, values: list[list[float]]) -> list[tuple[str, float, float]]:
    def inertia(row: list[float]) -> str:
        centres = zip(row[: len(row) // 2], row[len(row) // 2 :])
        return "SELECT avg(least(" + ", ".join(f"(a - {x}) ^ 2 + (b - {y}) ^ 2" for x, y in centres) + f")) FROM '{PLACE}/data/points_10000.parquet'"

    def wrong(row: list[float]) -> str:
        score = f"{row[0]} + " + " + ".join(f"({w}) * f{k}" for k, w in enumerate(row[1:], 1))
        return f"SELECT 100 * avg(CAST(({score} > 0) <> (label = 'yes') AS INTEGER)) FROM '{data.make(PLACE / 'data', 'test', 0)}'"

    each = [duckdb.sql((inertia if task == "kmeans" else wrong)(row)).fetchone()[0] for row in values]
    return [middle_of("mean square distance" if task == "kmeans" else "% wrong", each)]


def lines(found) -> list[dict[str, Any]]:
    out = []
    for (kind, rows, task, peer), results in sorted(found.items()):
        good = [each for each in results if "failed" not in each and not each.get("unsupported")]
        line: dict[str, Any] = dict(date=results[-1]["date"], peer=peer, version=results[-1].get("version", ""), kind=kind, rows=rows, task=task, rounds=len(good))
        if not good:
            out.append({**line, "note": results[-1].get("failed", "not offered")})
            continue
        middle = statistics.median
        line |= {"process wall s": middle(each["process"][0] for each in good), "process CPU s": middle(each["process"][1] for each in good)}
        line["peak MB"] = min(each["peak"] for each in good)
        if kind == "cost":
            warm = [cost for each in good for cost in (each["answers"][1:] or each["answers"])]
            line |= {"load CPU s": middle(each["load"][1] for each in good), "answer CPU s": middle(cost[1] for cost in warm), "answer wall s": middle(cost[0] for cost in warm)}
            line["load and first CPU s"] = middle(each["load"][1] + each["answers"][0][1] for each in good)
        if kind != "error":
            out.append(line)
            continue
        values = [row for each in good for row in each["values"]]
        truth = found.get(("error", rows, "median" if task == "median_interval" else task, "DuckDB, no noise"), [{}])[0].get("values", [[]])[0]
        if task in ("kmeans", "logistic"):
            judged = judge_models(task, values)
        elif task == "keys":
            judged = judge_keys(values)
        else:
            judged = judge(task, values, truth) if peer != "DuckDB, no noise" else []
        for name, error, deviation in judged:
            out.append({**line, "statistic": name, "error": error, "standard error": deviation, "repetitions": len(values)})
    return out


def number(value: float) -> str:
    return "–" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def table(head: list[str], body: list[list[str]]) -> str:
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in body)])


def times(value: float | None, own: float, bold: bool) -> str:
    text = "–" if value is None else f"{value / own:.2g}" if value < 100 * own else f"{value / own:.0f}"
    return f"**{text}**" if bold else text


def cheaper(task: str, name: str, at: dict[tuple[str, str], dict[str, Any]], field: str) -> bool:
    """Than kith on the file; an answer from memory, and a thousand of them: than kith in memory. What has no noise does not count."""
    value = at.get((task, name), {}).get(field)
    loaded = PEERS[name].loads and (field == "answer CPU s" or task == "thousand")
    like = at.get((task, "kith, in memory" if loaded else "kith"), {}).get(field)
    return value is not None and like is not None and value < like and PEERS[name].neighbours != "none" and not name.startswith("kith")


def costs(rows: int, lines: list[dict[str, Any]], field: str) -> str:
    at = {(each["task"], each["peer"]): each for each in lines if each["kind"] == "cost" and each["rows"] == rows}
    peers = [name for name in PEERS if name not in ("kith", "kith, n known") and any((task, name) in at and field in at[task, name] for task in TASKS)]
    body = []
    for task in TASKS:
        own = at.get((task, "kith"), {}).get(field)
        if own is None:
            continue
        body.append([WORDS[task], f"{own:.2g}", *(times(at.get((task, name), {}).get(field), own, cheaper(task, name, at, field)) for name in peers)])
    return table(["", "kith, CPU s", *peers], body)


def errors(lines: list[dict[str, Any]], neighbours: str, tasks: list[str]) -> str:
    own = "kith" if neighbours == "add-or-remove" else "kith, n known"
    peers = [own, *(name for name, peer in PEERS.items() if peer.neighbours == neighbours and not name.startswith("kith"))]
    at = {(each["task"], each["statistic"], each["peer"]): each for each in lines if "error" in each}
    body = []
    for task in tasks:
        for part in sorted({key[1] for key in at if key[0] == task}):
            shown = []
            mine = at.get((task, part, own))
            for name in peers:
                each = at.get((task, part, name))
                better = each and mine and name != own and mine["error"] - each["error"] > 3 * math.hypot(mine["standard error"], each["standard error"])
                text = "–" if each is None else f"{number(each['error'])} ± {number(each['standard error'])}"
                shown.append(f"**{text}**" if better else text)
            if mine:
                body.append([f"{WORDS[task]}{': ' + part if part else ''}", *shown])
    return table(["", *peers], body)


def in_short(lines: list[dict[str, Any]], rows: int) -> str:
    """By question: which other library is cheapest, which the most precise, and how many times kith's that is."""
    field = "load and first CPU s"
    cost = {(each["task"], each["peer"]): each[field] for each in lines if each["kind"] == "cost" and each["rows"] == rows and field in each}
    error = {(each["task"], each["statistic"], each["peer"]): each for each in lines if "error" in each}
    others = [name for name, peer in PEERS.items() if not name.startswith("kith") and peer.neighbours != "none"]
    body = []
    for task in TASKS:
        own = cost.get((task, "kith, in memory" if task == "thousand" else "kith"))
        found = [(cost[task, name] / own, name) for name in others if own and (task, name) in cost]
        if not found:
            continue
        ratio, name = min(found)
        row = [WORDS[task] + (", loaded once" if task == "thousand" else ""), name, times(ratio, 1.0, ratio < 1)]
        precise = []
        for part in sorted({key[1] for key in error if key[0] == task}):
            for other in others:
                own = error.get((task, part, "kith" if PEERS[other].neighbours == "add-or-remove" else "kith, n known"))
                theirs = error.get((task, part, other))
                if own and theirs and own["error"] > 0:
                    apart = (own["error"] - theirs["error"]) / math.hypot(own["standard error"], theirs["standard error"])
                    precise.append((theirs["error"] / own["error"], f"{other}{', ' + part if part else ''}", apart > 3))
        if precise:
            ratio, name, better = min(precise)
            row += [name, times(ratio, 1.0, better)]
        body.append(row if precise else [*row, "–", "–"])
    return table(["", "cheapest other", "its CPU / kith's", "most precise other", "its error / kith's"], body)


def rewrite(path: pathlib.Path, text: str) -> None:
    before, _, rest = path.read_text().partition(FROM + "\n")
    path.write_text(before + FROM + "\n\n" + text + "\n\n" + TO + rest.partition(TO)[2])


def first(rows: int, lines: list[dict[str, Any]]) -> str:
    at = {each["peer"]: each for each in lines if each["kind"] == "first" and each["rows"] == rows and "process CPU s" in each}
    own = at["kith query"]
    body = [
        [name, number(each["process wall s"]), number(each["process CPU s"]), f"{each['peak MB']:.0f}", *(times(each[field], own[field], False) for field in ("process wall s", "process CPU s"))]
        for name, each in sorted(at.items(), key=lambda item: item[1]["process CPU s"])
    ]
    return table(["", "wall s", "CPU s", "peak MB", "wall / kith query", "CPU / kith query"], body)


def peaks(lines: list[dict[str, Any]]) -> str:
    sizes = sorted({each["rows"] for each in lines})
    body = []
    for name in PEERS:
        row = []
        for rows in sizes:
            found = [each["peak MB"] for each in lines if each["kind"] == "cost" and each["peer"] == name and each["rows"] == rows and "peak MB" in each]
            row.append(f"{min(found):.0f} to {max(found):.0f}" if found else "–")
        body.append([name, *row])
    return table(["", *(f"{rows:,} rows" for rows in sizes)], body)


def dependence() -> str:
    with open(HERE / "dependence.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    methods = ["laplace", "kith", "group", "markov quilt", "wasserstein", "published DDP, Eq. 14", "published DDP, Eq. 18"]
    at = {(row["model"], row["counts"], row["method"]): row["noise scale"] for row in rows}
    models = list(dict.fromkeys((row["model"], row["counts"]) for row in rows))
    return table(["model", "counts", *methods], [[model, counts, *(at.get((model, counts, each), "–") for each in methods)] for model, counts in models])


def with_earlier(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was run elsewhere, or before build-peers was emptied, and not again since: as results.csv has it."""
    def key(line):
        return line["kind"], line["rows"], line["task"], line["peer"]

    here = {key(line) for line in found}
    words = {"date", "peer", "version", "kind", "task", "note", "statistic"}
    with open(HERE / "results.csv", newline="") as file:
        for row in csv.DictReader(file):
            line = {name: text if name in words else int(text) if name in ("rows", "rounds", "repetitions") else float(text) for name, text in row.items() if text or name == "statistic" and row["error"]}
            if key(line) not in here:
                found.append(line)
    return sorted(found, key=key)


def main() -> None:
    found = with_earlier(lines(read()))
    fields = list(dict.fromkeys(name for line in found for name in line))
    with open(HERE / "results.csv", "w", newline="") as file:
        out = csv.DictWriter(file, fields)
        out.writeheader()
        out.writerows({name: f"{value:.5g}" if isinstance(value, float) else value for name, value in line.items()} for line in found)
    sizes = sorted({line["rows"] for line in found if line["kind"] == "cost"})
    versions = {line["peer"]: line["version"] for line in found if line.get("version")}
    dates = sorted({line["date"] for line in found})
    parts = [f"Run on {' and '.join(dates)}: " + ", ".join(f"{peer} {version}" for peer, version in versions.items() if not peer.startswith("kith, ")) + "."]
    for rows in sizes:
        if any(line["kind"] == "first" and line["peer"] == "kith query" and line["rows"] == rows for line in found):
            parts += [f"### From the start of a process to its first answer, {rows:,} rows", first(rows, found)]
    for rows in sizes:
        parts += [f"### CPU of one answer, {rows:,} rows", costs(rows, found, "answer CPU s")]
        parts += [f"### CPU of loading and the first answer, {rows:,} rows", costs(rows, found, "load and first CPU s")]
    declared = [task for task in TASKS if task != "keys"]
    parts += ["### Error where a neighbour has one row or unit more or less", errors(found, "add-or-remove", declared)]
    parts += ["### Error where a neighbour has one row replaced and the number of rows is known", errors(found, "replace, n known", declared)]
    # Of these all are asked for the same under replacement (runner.py, job_of).
    parts += ["### Keys that nobody declared, where a neighbour has one row replaced", errors(found, "add-or-remove", ["keys"])]
    parts += ["### Peak memory, MB", peaks(found), "### Noise at a dependent epsilon of 1", dependence()]
    rewrite(PAGE, "\n\n".join(parts))
    rewrite(TOP / "README.md", in_short(found, 10**6))
    largest = max(rows for rows in sizes if rows <= 10**6)
    chart.write(TOP / "docs/guide/images/peers_cpu.svg", found, largest, WORDS)


if __name__ == "__main__":
    main()
