"""Frames in memory: refused without a ledger, read like any other source."""

from __future__ import annotations

import datetime
import json
import pathlib
import re
import subprocess
import warnings
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

import kith
from conftest import KITH, PARTS, ROWS, frame_of

COUNT = "SELECT count(*) AS n FROM people WHERE ill = 'yes'"


def policy(frame: Any, ledger: Any, **more: Any) -> kith.Policy:
    return kith.Policy(tables={"people": frame}, ledger=ledger, **{**PARTS, **more})


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_frame_is_a_source_like_a_file(kind: str, folder: pathlib.Path) -> None:
    """The same explanation as of the file, but for what a promise is about, and the same exact facts for the curator."""
    session = kith.open(policy(frame_of(kind), folder / "frame.ledger"))
    file = kith.open(folder / "policy.toml")
    sql = "SELECT ward, count(*) AS n, avg(age) AS a FROM people GROUP BY ward"
    explained = [json.loads(json.dumps(dict(each.explain(sql, epsilon=0.5)))) for each in (session, file)]
    assert "neither between versions of the data nor under one" in json.dumps(explained[0])
    assert "neither between versions" not in json.dumps(explained[1])
    said = [re.sub(r"; no (?:unit's|row of) [^;\"]*", "", json.dumps(each)) for each in explained]
    assert said[0] == said[1] and len(said[0]) > 1000
    answer = session.ask(COUNT, epsilon=2.0)
    assert answer.certificate.data_version == "1"
    bar = answer.error_95[0][0]
    assert bar is not None
    ours, theirs = session.import_data(), file.import_data()
    for report in (ours, theirs):
        for table in report["tables"]:
            table.pop("source")
    assert [table["rows"] for table in ours["tables"]] == [table["rows"] for table in theirs["tables"]] == [len(ROWS)]


def test_sums_of_a_frame_are_those_of_its_numbers() -> None:
    """At a price where noise is less than a step but once in e^500."""
    x = numpy.arange(3000) % 113 - 6.0
    x[7::1000] = numpy.nan
    frame = pyarrow.table({"x": pyarrow.array(x).slice(5)})
    parts: dict[str, Any] = dict(
        unit={"table": "t", "row": True, "presence": "secret"},
        columns={"t": {"x": {"type": "real", "lower": 0.0, "upper": 100.0}}},
        dependence={"source": "public", "kind": "independent"},
        epsilon=1e6,
    )
    session = kith.open(kith.Policy(tables={"t": frame}, ledger=None, **parts))
    known = x[5:][~numpy.isnan(x[5:])].clip(0, 100)
    assert session.ask("SELECT count(x) AS n FROM t WHERE x >= 50", epsilon=1e3).value == (known >= 50).sum()
    assert session.ask("SELECT sum(x) AS s FROM t", epsilon=1e5).value == pytest.approx(known.sum(), abs=1)
    assert session.ask("SELECT variance(x) AS v FROM t", epsilon=1e5).value == pytest.approx(known.var(ddof=1), rel=1e-3)
    parts_of_ten = session.ask("SELECT histogram(x, 10) AS h, count(*) AS n FROM t GROUP BY h", epsilon=1e3).column("n")
    assert [*parts_of_ten] == [*numpy.histogram(known, 10, (0, 100))[0], len(x) - 5 - len(known)]


def test_without_a_ledger_nothing_is_made() -> None:
    with pytest.raises(kith.InvalidArgument) as refused:
        kith.Policy(tables={"people": frame_of("pandas")}, **PARTS)
    assert "ledger=None" in refused.value.hint


def test_synthetic_data_are_marked_everywhere() -> None:
    session = kith.open(policy(frame_of("polars"), None))
    answer = session.ask(COUNT, epsilon=0.5)
    assert answer.notes[0].startswith("WITHOUT A LEDGER")
    assert "WITHOUT A LEDGER" in repr(answer) and "WITHOUT A LEDGER" in answer._repr_html_()
    assert answer.certificate["synthetic"].startswith("WITHOUT A LEDGER")
    assert session.explain(COUNT, epsilon=0.5).notes[0].startswith("WITHOUT A LEDGER")
    assert session.budget().notes[0].startswith("WITHOUT A LEDGER")
    assert session.plan([COUNT], epsilon=0.5).answer()[0].certificate["synthetic"]


def test_a_session_without_a_ledger_leaves_nothing_beside_a_file(tmp_path: pathlib.Path) -> None:
    """Which would warn whoever asks with a ledger later."""
    file = tmp_path / "people.parquet"
    frame_of("polars").write_parquet(file)
    for _ in range(2):
        assert kith.open(policy(str(file), None)).ask(COUNT, epsilon=0.5).notes[0].startswith("WITHOUT A LEDGER")
    assert not (tmp_path / "people.parquet.kith").exists()
    kith.open(policy(str(file), tmp_path / "people.ledger")).ask(COUNT, epsilon=0.5)
    assert len((tmp_path / "people.parquet.kith").read_text().splitlines()) == 1


def test_with_a_ledger_nothing_is_marked_and_what_was_spent_is_kept(tmp_path: pathlib.Path) -> None:
    said = policy(frame_of("pyarrow"), tmp_path / "people.ledger")
    answer = kith.open(said).ask(COUNT, epsilon=0.5)
    assert not any("LEDGER" in each for each in answer.notes)
    again = kith.open(policy(frame_of("pandas"), tmp_path / "people.ledger"))
    assert again.budget().epsilon_left == pytest.approx(3.5, abs=1e-6)
    assert again.ask(COUNT, epsilon=0.5).stored
    # The command line knows the same ledger by the policy beside it, and cannot read the frame.
    path = str(tmp_path / "people.policy.toml")
    shown = json.loads(subprocess.run([KITH, "budget", path, "--json"], capture_output=True, text=True).stdout)
    assert shown == dict(again.budget())
    refused = subprocess.run([KITH, "query", path, "SELECT count(*) FROM people WHERE age < 3", "--epsilon", "0.1"], capture_output=True, text=True)
    assert refused.returncode == 2 and "memory of a program" in refused.stderr


def test_nothing_is_promised_of_a_frame(folder: pathlib.Path) -> None:
    """The next program may hand over another one: a charge is to everybody, and groups need a promise."""
    with pytest.raises(kith.InvalidArgument) as refused:
        kith.open(policy(frame_of("polars"), folder / "p.ledger", data={}))
    assert "frozen = true" in refused.value.hint
    alone = {"source": "public", "kind": "independent"}
    in_a = "SELECT count(*) AS n FROM people WHERE ward = 'A' AND ill = 'yes'"
    for data, spent in (({}, [1.0, 1.0]), ({"frozen": True}, [1.0, 0.0])):
        session = kith.open(policy(frame_of("polars"), folder / f"{len(data)}.ledger", data=data, dependence=alone))
        session.ask(in_a, epsilon=1.0)
        assert [cell["plain_spent"] for cell in session.budget()["cells"]] == pytest.approx(spent, abs=1e-6)


def test_another_version_is_declared(tmp_path: pathlib.Path) -> None:
    first = kith.open(policy(frame_of("pyarrow"), tmp_path / "p.ledger", version="2026-10"))
    assert first.ask(COUNT, epsilon=0.5).certificate.data_version == "2026-10"
    second = kith.open(policy(frame_of("pyarrow"), tmp_path / "p.ledger", version="2026-11"))
    answer = second.ask(COUNT, epsilon=0.5)
    assert not answer.stored and answer.certificate.data_version == "2026-11"
    assert second.budget().epsilon_left == pytest.approx(3.0, abs=1e-6)


def test_nothing_is_copied_and_a_stream_is_read_once() -> None:
    table = pyarrow.table({"x": numpy.arange(1_000_000, dtype="float64")})
    before = pyarrow.total_allocated_bytes()
    reader = table.to_reader()  # can be read once: what it gives is kept
    session = kith.open(
        kith.Policy(
            tables={"t": reader},
            unit={"table": "t", "row": True, "presence": "public"},
            columns={"t": {"x": {"type": "real", "lower": 0, "upper": 1_000_000}}},
            dependence={"source": "public", "kind": "independent"},
            epsilon=10.0,
            ledger=None,
        )
    )
    for k in range(3):
        answer = session.ask(f"SELECT avg(x) AS a FROM t WHERE x >= {k}", epsilon=1.0)
        assert abs(float(answer.rows[0][0]) - 500_000) < 10_000
    assert pyarrow.total_allocated_bytes() - before < 1 << 20


def exact(frame: Any, columns: dict[str, Any], folder: pathlib.Path, name: str) -> dict[str, Any]:
    """What the curator's report finds, column by column."""
    said = dict(
        unit={"table": "t", "row": True, "presence": "public"},
        columns={"t": columns},
        dependence={"source": "public", "kind": "independent"},
        epsilon=1.0,
    )
    session = kith.open(kith.Policy(tables={"t": frame}, ledger=folder / f"{name}.ledger", **said))
    (table,) = session.import_data()["tables"]
    table.pop("source", None)
    return dict(table)


def test_values_are_read_as_from_parquet(tmp_path: pathlib.Path) -> None:
    """NULL, NaN, infinities, what is beyond bounds, dates, times, categories: the same report as of the same Parquet file."""
    import pyarrow.parquet

    table = pyarrow.table(
        {
            "real": pyarrow.array([1.5, None, float("nan"), float("inf"), -7.0]),
            "whole": pyarrow.array([1, None, 3, 2**40, -5], pyarrow.int64()),
            "small": pyarrow.array([1, 2, None, 200, 7], pyarrow.uint8()),
            "text": pyarrow.array(["a", None, "", "ä", "other"]),
            "category": pyarrow.array(["a", "b", None, "a", "x"]).dictionary_encode(),
            "flag": pyarrow.array([True, None, False, True, True]),
            "day": pyarrow.array([datetime.date(2024, 1, 1), None, datetime.date(1, 1, 1), datetime.date(2024, 2, 1), datetime.date(2999, 1, 1)]),
            "when": pyarrow.array([datetime.datetime(2024, 1, 1), None, datetime.datetime(1970, 1, 1), datetime.datetime(2024, 2, 1), datetime.datetime(2024, 3, 1)], pyarrow.timestamp("ns")),
            "zoned": pyarrow.array([datetime.datetime(2024, 1, 1), None, datetime.datetime(1970, 1, 1), datetime.datetime(2024, 2, 1), datetime.datetime(2024, 3, 1)], pyarrow.timestamp("us", "Europe/Paris")),
            "price": pyarrow.array([1, None, 3, 4, 5]).cast(pyarrow.decimal128(21, 2)),
            "digits": pyarrow.array(["1", "x", None, "4", "5"]),
        }
    )
    columns = {
        "real": {"type": "real", "lower": 0, "upper": 2},
        "whole": {"lower": 0, "upper": 100},
        "small": {"lower": 0, "upper": 100},
        "text": {"values": ["a", "ä"]},
        "category": {"values": ["a", "b"]},
        "flag": {"type": "boolean"},
        "day": {"lower": datetime.date(2024, 1, 1), "upper": datetime.date(2024, 12, 31)},
        "when": {"lower": datetime.datetime(2024, 1, 1), "upper": datetime.datetime(2024, 12, 31)},
        "zoned": {"lower": datetime.datetime(2024, 1, 1), "upper": datetime.datetime(2024, 12, 31)},
        "price": {"type": "real", "lower": 0, "upper": 4},
        "digits": {"lower": 0, "upper": 9},
    }
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    file = exact(tmp_path / "t.parquet", columns, tmp_path, "file")
    assert exact(table, columns, tmp_path, "arrow") == file
    assert exact(polars.from_arrow(table), columns, tmp_path, "polars") == file
    # pandas has one value for what is missing and what is not a number.
    of_pandas = exact(table.to_pandas(), columns, tmp_path, "pandas")
    assert [each["name"] for each in of_pandas["columns"]] == [each["name"] for each in file["columns"]]


def test_what_cannot_be_handed_over(tmp_path: pathlib.Path) -> None:
    mixed = pandas.DataFrame({"x": [1, "secret-value"]})
    with pytest.raises(kith.InvalidArgument) as refused:
        policy(mixed, None)
    assert "secret-value" not in str(refused.value) and refused.value.__cause__ is None
    with pytest.raises(kith.InvalidArgument):
        policy([1, 2, 3], None)
    lists = pyarrow.table({"id": [[1], [2]]})
    with pytest.raises(kith.InvalidArgument) as refused:
        kith.open(policy(lists, None)).ask(COUNT, epsilon=0.1)
    assert "no column" in str(refused.value) or "lists" in str(refused.value)


def test_one_frame_under_two_names_is_one_source() -> None:
    frame = frame_of("pyarrow")
    said = kith.Policy(tables={"people": frame, "copy": {"source": frame, "public": True}}, ledger=None, **PARTS)
    assert said.to_toml().count('"frame:people"') == 2
    with pytest.raises(kith.InvalidArgument):  # a secret table is nobody's public one
        kith.open(said)


def test_the_policy_beside_the_ledger_is_not_somebody_elses(tmp_path: pathlib.Path) -> None:
    (tmp_path / "p.policy.toml").write_text("# mine\n")
    with pytest.raises(kith.InvalidArgument):
        kith.open(policy(frame_of("pyarrow"), tmp_path / "p.ledger"))
    assert (tmp_path / "p.policy.toml").read_text() == "# mine\n"


def test_a_stored_answer_about_another_frame_is_announced(tmp_path: pathlib.Path) -> None:
    ledger = tmp_path / "p.ledger"
    frame, other = frame_of("pandas"), frame_of("pandas", ROWS[:300])
    first = kith.open(policy(frame, ledger)).ask(COUNT, epsilon=0.5)
    assert "asked before" not in repr(first) and "asked before" not in first._repr_html_()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = kith.open(policy(frame, ledger)).ask(COUNT, epsilon=0.5)
    assert again.stored
    for shown in (repr(again), again._repr_html_()):
        assert "asked before: this is the stored answer" in shown
    with pytest.warns(kith.StoredAnswerWarning, match="ANOTHER frame"):
        assert kith.open(policy(other, ledger)).ask(COUNT, epsilon=0.5).value == first.value
    frame.loc[len(frame)] = frame.loc[0]  # the same object with another row
    with pytest.warns(kith.StoredAnswerWarning, match="ANOTHER frame"):
        kith.open(policy(frame, ledger)).ask(COUNT, epsilon=0.5)
