"""The same methods against a server that kith serve runs."""

from __future__ import annotations

import pathlib
import re
import subprocess
from typing import Iterator

import pytest

import kith
from conftest import KITH, POLICY, csv_text

COUNT = "SELECT count(*) AS n FROM people WHERE ill = 'yes'"


@pytest.fixture
def url(folder: pathlib.Path) -> Iterator[str]:
    server = subprocess.Popen(
        [KITH, "serve", "policy.toml", "--listen", "127.0.0.1:0"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert server.stdout is not None
    found = None
    for line in server.stdout:
        found = re.search(r"https?://[\d.]+:\d+", line)
        if found:
            break
    assert found, "the server did not say where it listens"
    yield found.group(0)
    server.terminate()
    server.wait(timeout=30)


def test_the_same_methods_and_documents(url: str, folder: pathlib.Path) -> None:
    far = kith.connect(url)
    other = folder / "other"
    other.mkdir()
    (other / "people.csv").write_text(csv_text())
    (other / "policy.toml").write_text(POLICY.format(source="people.csv"))
    near = kith.open(other / "policy.toml")
    assert dict(far.columns()) == dict(near.columns())
    assert dict(far.explain(COUNT, epsilon=0.5)) == dict(near.explain(COUNT, epsilon=0.5))
    answer = far.ask(COUNT, epsilon=0.5)
    assert isinstance(answer.value, int) and not answer.stored
    assert far.ask(COUNT, epsilon=0.5).stored
    assert set(answer) == set(near.ask(COUNT, epsilon=0.5))
    assert far.budget().epsilon_left == near.budget().epsilon_left
    assert [each["question"] for each in far.budget().history] == [each["question"] for each in near.budget().history] == [COUNT]
    for session in (far, near):
        totals = session.budget(history=False)
        assert dict(totals) == {name: value for name, value in session.budget().items() if name != "history"}
        assert totals.history == [] and "answers" not in repr(totals) and "answers" in repr(session.budget())
    assert far.stored(1).value == answer.value
    plan = far.plan([COUNT], epsilon=0.5)
    assert plan.affordable and plan.answer()[0].columns == ["n"]
    found = far.analyse("kmeans", epsilon=0.5, columns=["age"], clusters=2)
    assert len(found.rows) == 2
    model = far.analyse("logistic", epsilon=0.5, label="ill", features=["age", "ward"])
    assert model.details["analysis"] == "logistic"


def test_a_long_history_comes_in_pages(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    far = kith.connect(url)
    for k in range(5):
        far.ask(f"SELECT count(*) AS n FROM people WHERE age < {30 + k}", epsilon=0.1)
    asked = []
    whole = kith.client._Http.json

    def two_at_a_time(self: kith.client._Http, method: str, path: str, *more: object) -> dict[str, object]:
        asked.append(path)
        return whole(self, method, path.replace("limit=1000", "limit=2"), *more)  # type: ignore[arg-type]

    monkeypatch.setattr(kith.client._Http, "json", two_at_a_time)
    assert [each["number"] for each in far.budget().history] == [1, 2, 3, 4, 5]
    assert [path.rsplit("=", 1)[1] for path in asked if "history" in path] == ["0", "2", "4"]


def test_failures(url: str) -> None:
    far = kith.connect(url)
    with pytest.raises(kith.UnsupportedQuery):
        far.ask("SELECT count(*) FROM peple", epsilon=0.1)
    with pytest.raises(kith.BudgetExhausted):
        far.ask(COUNT, epsilon=50.0)
    with pytest.raises(kith.InvalidArgument):
        far.audit()  # not an analyst's
    with pytest.raises(kith.InvalidArgument):
        kith.connect(url, dataset="nothing").budget()
    with pytest.raises(kith.StorageError):
        kith.connect("http://127.0.0.1:9", dataset="x").budget()
    with pytest.raises(kith.InvalidArgument):
        kith.connect("kith.example")


def test_a_token_does_not_travel_in_the_open() -> None:
    with pytest.raises(kith.InvalidArgument) as refused:
        kith.connect("http://kith.example:8400", "secret", dataset="x")
    assert "TLS" in str(refused.value)
