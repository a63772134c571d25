"""What all drivers share: a job comes in as JSON, what it took goes out as JSON. Runs in every peer's own environment, so: the standard library alone.

A driver has load(job) and a table of tasks; each task is a function (data, job, k) that gives the k-th answer, a list of numbers. Importing the library is
counted with the process, loading the file under "load", and each answer by itself."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import warnings
from typing import Any, Callable

LOWER, UPPER = 0.0, 100.0
GROUPS = [f"g{k:02}" for k in range(32)]
WARDS = list(range(1000))
BINS = 50
THRESHOLD = 60.0
CLUSTERS = 5
FEATURES = ["f1", "f2", "f3", "f4"]
DELTA = 1e-6
KEYS = 200  # of the table in which key k is held by k rows


def by_key(found: dict[int, float], job: dict[str, Any]) -> list[float]:
    """Counts of keys that nobody declared: of the small table each key's, -1 where it is not shown; of others how many are shown."""
    return [found.get(key, -1.0) for key in range(1, KEYS + 1)] if job["values"] else [len(found)]


def edges() -> list[float]:
    return [LOWER + (UPPER - LOWER) * k / BINS for k in range(BINS + 1)]


def _descendants() -> list[int]:
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                pass
    found = [os.getpid()]
    for parent in found:
        found += [child for child, of in parents.items() if of == parent]
    return found[1:]


def _cpu(others: list[int]) -> float:
    own, reaped = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    used = own.ru_utime + own.ru_stime + reaped.ru_utime + reaped.ru_stime
    for process in others:
        try:
            with open(f"/proc/{process}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
                used += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            pass
    return used


def _peak(others: list[int]) -> float:
    """Of this process and those: what the operating system says of finished ones would count what they were started from."""
    kilobytes = 0
    for process in ["self", *others]:
        try:
            with open(f"/proc/{process}/status") as file:
                kilobytes += sum(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
        except OSError:
            pass
    return kilobytes / 1024


Task = Callable[[Any, dict[str, Any], int], list[float]]


def main(load: Callable[[dict[str, Any]], Any], tasks: dict[str, Task], version: Callable[[], str], children: bool = False) -> None:
    warnings.simplefilter("ignore")
    job = json.loads(sys.argv[1])
    if job["task"] not in tasks:
        print(json.dumps({"unsupported": True, "version": version()}))
        return
    others = _descendants() if children else []
    wall, cpu = time.perf_counter(), _cpu(others)
    data = load(job)
    others = _descendants() if children else []
    result: dict[str, Any] = {"load": [time.perf_counter() - wall, _cpu(others) - cpu], "answers": [], "values": []}
    for k in range(job["repetitions"]):
        wall, cpu = time.perf_counter(), _cpu(others)
        value = tasks[job["task"]](data, job, k)
        result["answers"].append([time.perf_counter() - wall, _cpu(others) - cpu])
        result["values"].append([float(each) for each in value] if job["values"] else [])
    result["peak"] = _peak(others)
    result["version"] = version()
    print("\n" + json.dumps(result))
