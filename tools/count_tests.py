#!/usr/bin/env python3
"""Counts the tests behind ctest's processes, names those that failed and those that a process which ended early left out.
Usage: tools/count_tests.py BUILD-FOLDER/Testing/Temporary/LastTest.log [TIER]"""
import re
import sys

LEAST = {".": 2500, "core": 2000, "check": 400}  # a tripwire: a build that runs fewer tests of a tier than this has lost some
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def processes(lines):
    """(name, lines) of each of ctest's tests."""
    name, mine = None, []
    for line in lines:
        start = re.match(r"\d+/\d+ Testing: (.*)", line)
        if start:
            if name is not None:
                yield name, mine
            name, mine = start[1], []
        mine.append(line)
    if name is not None:
        yield name, mine


def count(name, lines):
    """(tests that ran, problems) of one process: a googletest program says what it will run, and each test's begin and end."""
    planned = sum(int(m[1]) for m in (re.match(r"\[==========\] Running (\d+) tests? from", line) for line in lines) if m)
    if not planned:
        return 1, [] if any(line.startswith("Test Passed.") for line in lines) else [f"{name} failed"]
    begun = [m[1] for m in (re.match(r"\[ RUN      \] (\S+)", line) for line in lines) if m]
    ended = [(m[1], m[2]) for m in (re.search(r"\[ {1,7}(OK|FAILED|SKIPPED) {1,2}\] ([^\s,]+).*\(\d+ ms\)$", line) for line in lines) if m]
    over = {test for _, test in ended}
    problems = [f"{name}: {test} failed" for how, test in ended if how == "FAILED"]
    problems += [f"{name}: {test} began and did not end" for test in begun if test not in over]
    if planned > len(begun):
        problems.append(f"{name}: {planned - len(begun)} of {planned} tests did not run")
    return len(over), problems


def main():
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        lines = [ESCAPE.sub("", line.rstrip("\n")) for line in log]
    total, problems = 0, []
    least = LEAST[sys.argv[2] if len(sys.argv) > 2 else "."]
    for name, mine in processes(lines):
        ran, wrong = count(name, mine)
        total += ran
        problems += wrong
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{total} tests ran, {len(problems)} problems")
    if total < least:
        print(f"only {total} tests ran, at least {least} are expected", file=sys.stderr)
    return 1 if problems or total < least else 0


if __name__ == "__main__":
    sys.exit(main())
