"""Reads tests/golden/*.test (FORMAT.md) as folders of a policy and tables: the questions that the command line can ask."""
import pathlib
import re

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
KINDS = ("accept", "choose", "refuse", "same", "differ")


class World:
    """A policy and its tables, as files."""

    def __init__(self):
        self.policy, self.tables = "", {}

    def copy(self):
        other = World()
        other.policy, other.tables = self.policy, dict(self.tables)
        return other

    def files(self):
        # Golden policies name Parquet files; the same rows as CSV, since a witness is about kith and not about a writer of Parquet.
        # Of those nothing is promised: they are imported.
        policy = re.sub(r'"(\w+)\.parquet"', r'"\1.csv"', self.policy).replace("frozen = true\n", "")
        return {"p.toml": policy, **{f"{name}.csv": text for name, text in self.tables.items()}}


def field(text):
    text = text.strip()
    return "" if text == "NULL" else '"' + text.replace('"', '""') + '"'


def block(lines):
    found = []
    for line in lines:
        if line.strip() == "end":
            return found
        found.append(line.strip())
    raise ValueError("a block without end")


def table(lines):
    rows = [line.split("|") for line in block(lines)]
    return "\n".join(",".join(field(cell) for cell in row) for row in rows) + "\n"


def records(path):
    """(line, world, questions) of each record, and at the end the world without any."""
    world, number = World(), 0

    def numbered():
        nonlocal number
        for line in path.read_text().splitlines():
            number += 1
            yield line
    lines = numbered()
    for line in lines:
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if words[0] == "use":
            world = world_of(GOLDEN / f"{words[1]}.world")
        elif words[0] == "policy":
            world = world.copy()
            world.policy = "\n".join(block(lines)) + "\n"
        elif words[0] in ("table", "public", "of_units"):
            world = world.copy()
            world.tables[words[1]] = table(lines)
        elif words[0] in KINDS:
            at, held = number, block(lines) if words[0] not in ("same", "differ") else [next(lines).strip(), next(lines).strip()]
            questions = held if words[0] in ("same", "differ") else [held[0]] + [each[len("instead "):] for each in held if each.startswith("instead ")]
            yield at, world, questions
    yield number, world, []


def world_of(path):
    """What is left at the end of the file."""
    return list(records(path))[-1][1]
