"""What the tests share: small data, policies in folders of their own, and the program beside the module."""

from __future__ import annotations

import os
import pathlib
import subprocess
import json
from typing import Any, Callable

import pytest

import kith

HERE = pathlib.Path(__file__).resolve().parent
KITH = os.environ.get("KITH", str(HERE.parents[1] / "build" / "kith"))

ROWS = [(k, k // 2, "A" if k % 3 else "B", 20 + k % 60, "yes" if k % 5 == 0 else "no") for k in range(400)]

POLICY = """
[data]
tables.people = "{source}"
[unit]
table = "people"
key = "id"
max_rows = 1
presence = "public"
[columns.people]
id = {{ type = "integer", public = true }}
house = {{ type = "integer", public = true }}
ward = {{ values = ["A", "B"], public = true, required = true }}
age = {{ lower = 0, upper = 100 }}
ill = {{ values = ["no", "yes"], required = true }}
[dependence]
source = "public"
kind = "group"
by = "house"
size = 2
odds_ratio = 4
[budget]
epsilon = 4.0
ledger = "people.ledger"
"""

PARTS: dict[str, Any] = dict(
    data={"public_columns": "fixed"},
    unit={"table": "people", "key": "id", "max_rows": 1, "presence": "public"},
    columns={
        "people": {
            "id": {"type": "integer", "public": True},
            "house": {"type": "integer", "public": True},
            "ward": {"values": ["A", "B"], "public": True, "required": True},
            "age": {"lower": 0, "upper": 100},
            "ill": {"values": ["no", "yes"], "required": True},
        }
    },
    dependence={"source": "public", "kind": "group", "by": "house", "size": 2, "odds_ratio": 4},
    epsilon=4.0,
)


def csv_text(rows: list[tuple[Any, ...]] = ROWS) -> str:
    return "id,house,ward,age,ill\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "people.csv").write_text(csv_text())
    (tmp_path / "policy.toml").write_text(POLICY.format(source="people.csv"))
    return tmp_path


@pytest.fixture
def session(folder: pathlib.Path) -> kith.Session:
    return kith.open(folder / "policy.toml")


@pytest.fixture
def run(folder: pathlib.Path) -> Callable[..., Any]:
    """The command line with --json, in the folder of the policy."""

    def asked(*words: str) -> Any:
        done = subprocess.run([KITH, *words, "--json"], cwd=folder, capture_output=True, text=True)
        return json.loads(done.stdout or done.stderr)

    return asked


def frame_of(kind: str, rows: list[tuple[Any, ...]] = ROWS) -> Any:
    names = ["id", "house", "ward", "age", "ill"]
    columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    if kind == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    if kind == "polars":
        import polars

        return polars.DataFrame(columns)
    import pyarrow

    return pyarrow.table(columns)
