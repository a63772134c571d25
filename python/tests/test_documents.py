"""Answers as tables, charts and notebooks show them."""

from __future__ import annotations

import pathlib
import re
import subprocess
import xml.etree.ElementTree

import pytest

import kith
from conftest import KITH
from kith._losses import loss_text

BY_WARD = "SELECT ward, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY ward"


def test_tables_with_error_bars(session: kith.Session) -> None:
    answer = session.ask(BY_WARD, epsilon=1.0)
    pandas_frame = answer.to_pandas()
    assert list(pandas_frame.columns) == ["ward", "n", "n_error_95"]
    assert pandas_frame.attrs["kith"]["claims"]
    assert answer.to_polars().columns == ["ward", "n", "n_error_95"]
    assert answer.to_polars(errors=False).columns == ["ward", "n"]
    import pyarrow

    assert pyarrow.table(answer).num_rows == 2
    assert [row[0] for row in answer.rows] == ["A", "B"]
    with pytest.raises(kith.InvalidArgument):
        answer.value
    assert isinstance(session.ask("SELECT count(*) FROM people WHERE age < 30", epsilon=0.1).value, int)


def test_quantiles_have_intervals(session: kith.Session) -> None:
    answer = session.ask("SELECT median(age) AS m FROM people", epsilon=1.0)
    frame = answer.to_dict()
    assert set(frame) == {"m", "m_low_95", "m_high_95"}
    low, value, high = frame["m_low_95"][0], frame["m"][0], frame["m_high_95"][0]
    assert isinstance(low, (int, float)) and isinstance(high, (int, float)) and isinstance(value, (int, float))
    assert low <= value <= high


def test_notebooks_show_a_table_a_chart_and_the_certificate(session: kith.Session) -> None:
    answer = session.ask(BY_WARD, epsilon=1.0)
    html = answer._repr_html_()
    assert "<table>" in html and "<svg" in html and "certificate" in html
    drawn = xml.etree.ElementTree.fromstring(answer.svg())
    assert drawn.tag.endswith("svg")
    assert "plain loss" in repr(answer) and "±95 %" in repr(answer)
    assert "verdict" in repr(session.explain(BY_WARD, epsilon=0.5))
    assert "epsilon" in repr(session.budget()) and session.budget()._repr_html_().startswith("<table>")


def test_ends_of_intervals_name_no_bar(session: kith.Session) -> None:
    curve = session.analyse("cumulative", column="age", cells=10, epsilon=1.0)
    assert curve.columns[-2:] == ["low_95_all", "high_95_all"]
    labels = [each.text for each in xml.etree.ElementTree.fromstring(curve.svg()).iter() if each.get("text-anchor") == "end"]
    assert labels == [str(row[0]) for row in curve.rows]


def test_certificates_state_both_losses(session: kith.Session) -> None:
    """A price is a part of the policy's epsilon: a quarter of it buys a quarter of the plain loss that the whole allows."""
    certificate = session.ask(BY_WARD, epsilon=1.0).certificate
    model = {"kind": "group", "size": 2, "odds_ratio": 4}
    quarter = kith.transfer(model, dependent=4.0).plain / 4
    assert certificate.plain == pytest.approx(quarter, rel=1e-6) and certificate.plain <= quarter
    assert certificate.dependent_total == pytest.approx(kith.transfer(model, plain=certificate.plain).dependent, rel=1e-9)


def test_budgets_tell_what_was_spent_from_what_may_be(session: kith.Session) -> None:
    certificate = session.ask(BY_WARD, epsilon=1.0).certificate
    budget = session.budget()
    assert budget.dependent_spent == certificate.dependent_total
    assert budget.dependent_total == pytest.approx(4.0, rel=1e-6)
    assert f"{loss_text(budget.dependent_spent)} so far; at most 4 in all" in repr(budget)


def test_losses_have_the_digits_of_the_command_line(session: kith.Session, folder: pathlib.Path) -> None:
    """The whole package; e2e/test_same_digits.py compares the other front ends, without the compiled part."""
    losses = r"plain loss (\S+) for this answer; (\S+) in all.* dependent (\S+) in all"
    rounded = 0
    for k in range(6):
        price, sql = 0.031 + 0.0407 * k, f"{BY_WARD} -- {k}".replace("'yes'", f"'yes' AND house <> {k}")
        certificate = session.ask(sql, epsilon=price).certificate
        done = subprocess.run([KITH, "query", "policy.toml", sql, "--epsilon", repr(price)], cwd=folder, capture_output=True, text=True)
        here, there = (re.search(losses, " ".join(text.split())) for text in (repr(certificate), done.stdout))
        assert here and there and here.groups() == there.groups(), done.stdout + done.stderr
        exact = [certificate.plain, certificate.plain_total, certificate.dependent_total]
        assert all(float(shown) >= loss for shown, loss in zip(here.groups(), exact) if loss is not None)
        rounded += any(f"{loss:.4g}" != shown for shown, loss in zip(here.groups(), exact))
    assert rounded > 0  # the planted fault, the nearest decimal, would be seen


def test_comparisons_have_a_line_for_each_method() -> None:
    shown = repr(kith.compare({"kind": "group", "size": 4, "odds_ratio": 3}, dependent=1.0)).splitlines()
    assert [line.split()[0] for line in shown] == ["laplace", "kith", "group"]
    assert all("noise scale" in line for line in shown)


def test_plots(session: kith.Session) -> None:
    import matplotlib

    matplotlib.use("Agg")
    axes = session.ask(BY_WARD, epsilon=1.0).plot()
    assert len(axes.patches) == 2


def test_what_is_in_an_answer_cannot_break_a_page() -> None:
    document = {
        "answer": {"columns": ["<b>"], "rows": [["<script>"]]},
        "error_95": [[None]], "noise": [], "plain": {"epsilon": 0, "delta": 0, "spent_total": 0},
        "dependent": {"epsilon_total": 0, "bound": "", "adversary": ""}, "assumption": "", "dependence_source": "",
        "neighbours": "", "claims": [], "ledger_entry": 1, "ledger_hash": "", "stored": False, "notes": ["<i>"],
    }  # fmt: skip
    html = kith.Answer(document)._repr_html_()
    assert "<script>" not in html and "<i>" not in html and "<b>" not in html


def test_error_bars_of_quantiles_are_rows(session: kith.Session) -> None:
    median = "SELECT median(age) AS m FROM people"
    explained = session.explain(median, epsilon=0.5)
    assert f"±95 %: {explained.error_95:.0f} rows," in repr(explained)
    assert "rows," not in repr(session.explain(BY_WARD, epsilon=0.5)).splitlines()[0]
    plan = repr(session.plan([median, BY_WARD], epsilon=0.5)).splitlines()
    assert plan[0].startswith("question 1") and "price 0.25" in plan[0] and " rows (median(age))" in plan[0]
    assert "median" in plan[1] and "rows" not in plan[2] and plan[2].startswith("question 2")
    assert " rows" in repr(session.ask(median, epsilon=0.5).certificate).splitlines()[0]


def test_quantiles_without_intervals(session: kith.Session) -> None:
    median = "SELECT median(age) AS m FROM people"
    explained = session.explain(median, epsilon=0.5, intervals=False)
    errors = explained["statistics"][0]["interval"]
    assert explained.error_95 == errors["error_95_without"] < errors["error_95_with"] == session.explain(median, epsilon=0.5).error_95
    alone = session.ask(median, epsilon=0.5, intervals=False)
    assert alone.interval_95 == [(None,)] and alone.error_95 == [(None,)] and list(alone.to_dict()) != []
    assert session.ask(median, epsilon=0.5).interval_95 != [(None,)]
    assert "it has no interval" in repr(alone) and "interval" not in alone._repr_html_().split("<table")[1].split("</table")[0]
    plan = session.plan([median + " WHERE age > 3"], epsilon=0.25, intervals=False).answer()
    assert [each.interval_95 for each in plan] == [[(None,)]]


def test_the_price_is_shown_beside_the_losses(session: kith.Session) -> None:
    assert session.explain(BY_WARD, epsilon=0.5).price == 0.5
    answer = session.ask(BY_WARD, epsilon=0.5)
    assert answer.price == 0.5 and "0.5 of the policy's epsilon (" in repr(answer)
    assert "nothing was charged this time" in repr(session.ask(BY_WARD, epsilon=0.5))
    assert "0.5 of 4 was spent; 3.5 is left" in repr(session.budget())
    assert session.ask(BY_WARD, error=40).price is None
    assert [each.price for each in session.plan([BY_WARD], epsilon=0.25).answer()] == [0.25]
