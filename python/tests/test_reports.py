"""What is read by people: tables and lines, no JSON that was cut off."""

from __future__ import annotations

import pathlib
import warnings
from typing import Any

import kith
from conftest import PARTS, ROWS, frame_of


def unfit() -> list[tuple[Any, ...]]:
    """Rows that do not match the policy: a ward that was not declared, none at all, ages beyond the bounds."""
    return [(k, house, ["A", "B", "C", None][k % 4], age + 50, ill) for k, house, _, age, ill in ROWS]


def test_columns_are_a_table(session: kith.Session) -> None:
    shown = repr(session.columns()).splitlines()
    assert shown[1].split()[:2] == ["column", "type"]
    ward = next(line for line in shown if line.startswith("ward"))
    assert "A, B" in ward and "public" in ward and "yes" in ward
    age = next(line for line in shown if line.startswith("age"))
    assert "0 to 100" in age and "secret" in age
    assert "{" not in repr(session.columns()) and "<table>" in session.columns()._repr_html_()


def test_the_first_look_at_the_data_costs_nothing(tmp_path: pathlib.Path) -> None:
    """Before any question an import is the first version, and the report says what `required` made of the data."""
    session = kith.open(kith.Policy(tables={"people": frame_of("polars", unfit())}, ledger=tmp_path / "p.ledger", **PARTS))
    report = session.import_data()
    assert report["version"] == "1"
    assert any("not in the declared list and read as the first declared value" in each for each in report.findings)
    assert any("no value, though the column is required" in each for each in report.findings)
    shown = repr(report)
    assert "25 %" in next(line for line in shown.splitlines() if line.startswith("ward"))
    assert all(each in shown for each in report.findings) and "{" not in shown
    assert "<table>" in report._repr_html_()
    assert session.budget().epsilon_left == 4.0
    assert session.ask("SELECT count(*) FROM people WHERE ill = 'yes'", epsilon=0.5).certificate.data_version == "1"


def test_audits_are_a_sentence_and_a_table(session: kith.Session) -> None:
    session.ask("SELECT count(*) FROM people WHERE ill = 'yes'", epsilon=0.5)
    for audit in (session.audit(), session.audit(epsilon=0.1)):
        shown = repr(audit)
        assert shown.startswith(audit.verdict) and "ward=A" in shown
        assert "{" not in shown and "…" not in shown and len(shown.splitlines()) < 20
        assert "<table>" in audit._repr_html_()


def test_estimates_are_short() -> None:
    shown = repr(kith.estimate("pairs", counts=[270, 18, 12], source="public"))
    assert "the two members: 40 (14.46 to 121.3), from 300" in shown
    assert "{" not in shown and "…" not in shown and "odds_ratio = 122" in shown
    assert shown.splitlines()[-1].startswith("   ")


def test_households_without_a_limit_are_told_of_common(tmp_path: pathlib.Path) -> None:
    lines = ["hh,ill", *(f"{k // 3},{'yes' if (k // 3) % 4 == 0 else 'no'}" for k in range(300))]
    (tmp_path / "h.csv").write_text("\n".join(lines) + "\n")
    said: dict[str, Any] = dict(by="hh", value="ill", yes="yes", source="public")
    assert "common=True" in repr(kith.estimate("households", tmp_path / "h.csv", **said))
    assert "common=True" not in repr(kith.estimate("households", tmp_path / "h.csv", common=True, **said))


def test_a_long_answer_shows_its_beginning(session: kith.Session) -> None:
    shown = repr(session.ask("SELECT age, count(*) AS n FROM people GROUP BY age", epsilon=0.5))
    assert "the first 20 of 102 rows" in shown and len(shown.splitlines()) < 50
    assert "rows" not in repr(session.ask("SELECT count(*) AS n FROM people WHERE age < 30", epsilon=0.5)).splitlines()[2]


def test_nothing_is_cut_off() -> None:
    shown = repr(kith.transfer({"kind": "group", "size": 2}, plain=0.25))
    assert "group 0.5" in shown and "{" not in shown


def test_data_are_checked_without_a_version(tmp_path: pathlib.Path) -> None:
    said = kith.Policy(tables={"people": frame_of("polars", unfit())}, ledger=tmp_path / "p.ledger", **PARTS)
    reports = [said.check_data() for _ in range(2)]
    assert reports[0].findings == reports[1].findings and len(reports[0].findings) == 3
    assert not list(tmp_path.iterdir())
    session = kith.open(said)
    session.ask("SELECT count(*) FROM people WHERE ill = 'yes'", epsilon=0.5)
    said.check_data()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert session.ask("SELECT count(*) FROM people WHERE ill = 'yes'", epsilon=0.5).stored
    assert said.check_data().findings == session.import_data().findings
