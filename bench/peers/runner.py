"""Runs every peer on every question, interleaved, and keeps what came out in build-peers/raw.jsonl. Can be stopped and run again: what is there is not run twice.

    bench/peers/run [--rows 10000,1000000] [--peers kith,opendp] [--tasks count,sum] [--seconds 240] [--patience 150] [--rounds 3] [--kinds cost,error,first] [--repetitions 200]

A job is one process: it imports its library, loads the file, and answers `repetitions` times. Between two jobs of one peer come those of all others."""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
from typing import Any, NamedTuple

import data
from drivers.common import DELTA

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
PLACE = TOP / "build-peers"
RAW = PLACE / "raw.jsonl"
SCALARS = ["count", "filtered", "sum", "avg", "median", "median_interval", "variance"]
GROUPED = ["by_grp", "by_ward", "histogram", "keys"]
TASKS = [*SCALARS, *GROUPED, "unit1", "unit5", "kmeans", "logistic", "thousand"]


class Peer(NamedTuple):
    environment: str
    driver: str
    neighbours: str = "add-or-remove"
    most_rows: int = 10**8  # beyond that a job takes longer than the patience below, or more memory than there is
    repetitions: int = 100  # where errors are measured, unless --repetitions says how many
    answers: int = 4  # where costs are
    rounds: int = 3
    loads: bool = True  # answers from memory: what one answer takes is compared with kith in memory
    more: dict[str, Any] = {}


PEERS = {
    "kith": Peer("kith", "kith_package.py", loads=False),
    "kith, in memory": Peer("kith", "kith_package.py", more={"in_memory": True}),
    "kith, n known": Peer("kith", "kith_package.py", "replace, n known", loads=False),
    "DuckDB, no noise": Peer("duckdb", "duckdb_plain.py", "none", repetitions=1, loads=False),
    "diffprivlib": Peer("diffprivlib", "diffprivlib_peer.py", "replace, n known"),
    "PyDP": Peer("pydp", "pydp_peer.py"),
    "OpenDP": Peer("opendp", "opendp_peer.py", repetitions=20, answers=3, loads=False),
    "SmartNoise": Peer("smartnoise", "smartnoise_peer.py", most_rows=10**6, repetitions=40, answers=2, rounds=1),
    "PipelineDP": Peer("pipelinedp", "pipelinedp_peer.py", most_rows=10**6, repetitions=40, answers=2, rounds=1),
    "Qrlew": Peer("qrlew", "qrlew_peer.py", most_rows=10**7, repetitions=100, loads=False),
    "Tumult": Peer("tumult", "tumult_peer.py", most_rows=10**6, repetitions=20, answers=2, rounds=1, loads=False),
}
SLOW = ("OpenDP", "SmartNoise", "PipelineDP", "Qrlew", "Tumult")  # whose thousand questions take many minutes


def memory_of(process: int) -> int:
    """The most kilobytes that it had so far; 0 once it has ended."""
    try:
        status = pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))


def run(command: list[str], folder: pathlib.Path, patience: float) -> dict[str, Any]:
    """The process as a whole, with all that it started and waited for."""
    started = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err, start_new_session=True)
        used, peak = None, 0
        while used is None:
            peak = max(peak, memory_of(process.pid))
            found, status, usage = os.wait4(process.pid, os.WNOHANG)
            if found:
                used = usage
            elif time.perf_counter() - started > patience:
                os.killpg(process.pid, 9)
                os.wait4(process.pid, 0)
                return {"failed": f"stopped after {patience:g} s"}
            else:
                time.sleep(0.005)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        said = out.read()
        whole = {"process": [time.perf_counter() - started, used.ru_utime + used.ru_stime], "process_peak": peak / 1024}
        if process.returncode:
            lines = err.read().strip().splitlines()
            return {"failed": (lines[-1] if lines else f"exit code {process.returncode}")[:200]}
    last = said.strip().splitlines()[-1] if said.strip() else "{}"
    return {**whole, **(json.loads(last) if last.startswith("{") else {})}


def job_of(kind: str, rows: int, task: str, peer: Peer, errors: int) -> dict[str, Any]:
    what = "points" if task in ("kmeans", "logistic") else "keys" if task == "keys" and kind == "error" else "table"
    file = data.make(PLACE / "data", what, rows)
    few = 1 if task == "thousand" else peer.answers
    repetitions = {"cost": few, "first": 1, "error": errors or (peer.repetitions if task not in ("kmeans", "logistic") else min(peer.repetitions, 20))}[kind]
    epsilon, delta = 1.0, DELTA
    if task == "keys" and peer.environment != "kith":
        # kith has no budget with a delta that counts rows added or removed: there a row is replaced. One is removed and another added, each at:
        epsilon = 0.5
        delta /= 1 + math.exp(epsilon)
    return dict(task=task, file=file, rows=rows, epsilon=epsilon, delta=delta, repetitions=repetitions, values=kind == "error", neighbours=peer.neighbours, **peer.more)


POLICY = """data = {{ tables = {{ t = "{file}" }} }}
unit = {{ table = "t", row = true, presence = "secret" }}
budget = {{ epsilon = 1e6, ledger = "cold.ledger", neighbours = "add-or-remove" }}
dependence = {{ source = "public", kind = "independent" }}
[columns.t]
u = {{ type = "integer" }}
x = {{ type = "real", lower = 0, upper = 100, required = true }}
grp = {{ values = [{groups}], required = true }}
ward = {{ type = "integer" }}
"""


def cold(file: str, turn: int, patience: float) -> dict[str, Any]:
    """kith's program, from its start to the end of its first answer, with nothing known of the file and no ledger yet."""
    folder = PLACE / "cold"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    groups = ", ".join(f'"g{k:02}"' for k in range(32))
    (folder / "policy.toml").write_text(POLICY.format(file=file, groups=groups))
    question = "SELECT grp, count(*) AS n, sum(x) AS s FROM t GROUP BY grp"
    found = run([str(TOP / "build" / "kith"), "query", "policy.toml", question, "--epsilon", str(1 + turn / 10), "--format", "csv"], folder, patience)
    return {**found, "peak": found.get("process_peak", 0)}


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--rows", default="10000,1000000")
    asked.add_argument("--peers", default=",".join(PEERS).replace(", ", "; "))
    asked.add_argument("--tasks", default=",".join(TASKS))
    asked.add_argument("--kinds", default="cost,error,first")
    asked.add_argument("--patience", type=float, default=150)
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--repetitions", type=int, default=0)
    asked.add_argument("--seconds", type=float, default=1e9)
    said = asked.parse_args()
    names = [each.strip().replace("; ", ", ") for each in said.peers.split(",")]
    PLACE.mkdir(exist_ok=True)
    results = [json.loads(line) for line in RAW.read_text().splitlines()] if RAW.exists() else []
    done = {tuple(each["key"]) for each in results if each.get("failed", "stopped").startswith("stopped")}  # whatever else failed may have been fixed
    until = time.monotonic() + said.seconds
    ready = [name for name in names if (PLACE / PEERS[name].environment / ".ready").exists()]
    jobs = []
    for turn in range(said.rounds):
        for rows in map(int, said.rows.split(",")):
            for kind in said.kinds.split(","):
                if kind == "error" and (rows != 10**4 or turn):
                    continue
                for task in said.tasks.split(",") if kind != "first" else ["by_grp"]:
                    if kind == "error" and task == "thousand" or task == "thousand" and rows > 10**6:
                        continue
                    for name in [*ready, "kith query"] if kind == "first" else ready:
                        jobs.append((kind, rows, task, name, turn))
    with open(RAW, "a") as raw:
        for key in jobs:
            if key in done:
                continue
            if time.monotonic() > until:
                print("more is left: run it again")
                return
            kind, rows, task, name, turn = key
            if name == "kith query":
                result = cold(data.make(PLACE / "data", "table", rows), turn, said.patience)
            else:
                peer = PEERS[name]
                if rows > peer.most_rows or turn >= peer.rounds:
                    continue
                if task == "keys" and name == "kith, n known":
                    continue  # such a table has no delta
                if task == "thousand" and (name == "PyDP" and rows > 10**4 or name in SLOW):
                    continue  # minutes: see docs/guide/peers.md
                python = str(PLACE / peer.environment / "bin" / "python")
                result = run([python, str(HERE / "drivers" / peer.driver), json.dumps(job_of(kind, rows, task, peer, said.repetitions))], PLACE, said.patience)
            raw.write(json.dumps({"key": key, "date": datetime.date.today().isoformat(), **result}) + "\n")
            raw.flush()
            print(*key, result.get("failed") or ("unsupported" if result.get("unsupported") else ""), flush=True)


if __name__ == "__main__":
    main()
